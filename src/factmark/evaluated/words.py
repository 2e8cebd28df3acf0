"""The words of the field: what they mean, what they are worth, and which label of ours they say.

One vocabulary, `words.toml`, for judges, people and other programs. `Supports`, `ENTAILMENT`, `T`,
`1` and `True` say SUPPORTED of a claim; `1`, `True`, `t` and `-0.0`, `no` say YES and NO of a
triple. A word that is not there, or for which there is no offered label, says none; nothing is
guessed.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from importlib.resources import files

_RECORD = tomllib.loads(files("factmark.evaluated").joinpath("words.toml").read_text("utf-8"))
WORTH: Mapping[str, float] = _RECORD["worth"]
"""Meaning -> what it is worth, in [0, 1]; `open`, no verdict, is worth nothing."""

OPEN = "open"
_MEANINGS: Mapping[str, str] = {
    word: meaning for meaning, words in _RECORD["meanings"].items() for word in words.split()
}
_LETTERS: Mapping[str, Mapping[str, str]] = _RECORD["letters"]
_LABELS: Mapping[str, list[str]] = _RECORD["labels"]

_NUMBER = re.compile(r"(?:-(?=0[.,]?0*$))?(?P<whole>\d)(?:[.,](?P<rest>\d+))?")


def label_key(label: str) -> str:
    """Returns a label as labels are compared: in lower case, `_` for blanks and dashes."""
    return re.sub(r"[\s_-]+", "_", label.strip().casefold())


def meanings_of(words: Collection[str], dialect: str = "") -> dict[str, str] | None:
    """Returns word -> meaning for the words of a whole column; None where one has none, or where
    its letters mean different things.

    Args:
        words: as `label_key` has them; a letter means what it means beside the others.
        dialect: whose letters they are, where a tool's file is read: `inspect_ai`.

    >>> meanings_of({"c", "i", "n"}), meanings_of({"e", "c"})
    ({'c': 'true', 'i': 'false', 'n': 'open'}, {'c': 'contradicted', 'e': 'supported'})
    """
    letters = sorted(word for word in words if len(word) == 1 and word.isalpha())
    meanings = {word: _MEANINGS.get(word, "") for word in sorted(words) if word not in letters}
    if letters:
        rows = [row for row in _LETTERS.values() if row.keys() >= set(letters)]
        own = _LETTERS.get(dialect, {})
        if own.keys() >= set(letters):
            rows = [own]
        read = {tuple(row[letter] for letter in letters) for row in rows}
        if len(read) != 1:
            return None
        meanings = dict(zip(letters, read.pop(), strict=True)) | meanings
    return meanings if all(meanings.values()) else None


def worth_of_word(word: str) -> float | None:
    """Returns what a word is worth, in [0, 1], no verdict nothing; None for a word that is not
    known.

    >>> worth_of_word("Not supported"), worth_of_word("weak"), worth_of_word("purple")
    (0.0, 0.5, None)
    """
    meaning = _MEANINGS.get(label_key(cell_text(word)))
    return None if meaning is None else WORTH.get(meaning, 0.0)


def number_of(text: str) -> float | None:
    """Returns the finite number that a text is; None for another, `1_000` too.

    >>> number_of("-2.5"), number_of("1e-05"), number_of("1_000")
    (-2.5, 1e-05, None)
    """
    try:
        number = float(text.replace("_", "?"))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def field_label(cell: object, labels: Iterable[str]) -> str | None:
    """Returns which of the labels a cell says, in the spelling of the offered label or of the
    field's data sets; None where it says none of them.

    Args:
        cell: a text, a number or a truth value.
        labels: those that may be given, as `SUPPORT_LABELS`.

    >>> field_label("Entailment", ["SUPPORTED", "NOT_SUPPORTED"]), field_label("0.0", ["YES", "NO"])
    ('SUPPORTED', 'NO')
    >>> field_label("Contradiction", ["YES", "NO"]) is None
    True
    """
    return _label_said(cell_text(cell), tuple(labels))


@lru_cache(maxsize=4_096)
def _label_said(text: str, offered: tuple[str, ...]) -> str | None:
    """Returns what `field_label` does of a cell's text; a column says few words, many times."""
    key = label_key(text)
    same = next((label for label in offered if label_key(label) == key), None)
    return same or next((label for label in offered if _says(key, label)), None)


def _says(key: str, label: str) -> bool:
    """Whether a word says a label."""
    return key in _MEANINGS and _MEANINGS[key] in _LABELS.get(label, ())


def spellings_in_words(labels: Iterable[str]) -> str:
    """Returns for a message which words stand for the labels, a few of each.

    >>> spellings_in_words(["YES", "MAYBE"])
    'YES (1, true, t, ...), MAYBE (weak, weakly, partial, ...)'
    """
    texts = []
    for label in labels:
        meanings = _LABELS.get(label, ())
        words = [word for word, meaning in _MEANINGS.items() if meaning in meanings][:3]
        texts.append(f"{label} ({', '.join(words)}, ...)" if words else label)
    return ", ".join(texts)


def known_labels(labels: Iterable[str], field: str) -> str:
    """Returns the advice on a cell of a field that is none of the labels."""
    return (
        f"Known are {spellings_in_words(labels)}; no other word is guessed. Write one of these "
        f"instead, or name another column: --column {field}=NAME."
    )


def cell_text(cell: object) -> str:
    """Returns a cell as text: a number with a point, not a comma, and without it where it is whole,
    as programs write 1 beside empty cells; nothing as an empty text."""
    text = ""
    if cell is not None:
        text = str(cell).strip()
    number = _NUMBER.fullmatch(text)
    if number:
        if not (number["rest"] or "").strip("0"):
            return number["whole"]
        return text.replace(",", ".")
    return text
