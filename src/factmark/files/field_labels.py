"""Labels as the field's data sets write them, as the labels that are offered.

`Supports`, `ENTAILMENT`, `T`, `1` and `True` say SUPPORTED of a claim and YES of a triple; a set's
word for which there is no offered label is none of them, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from factmark.label_values import CONTRADICTED, MAYBE, NO, NOT_SUPPORTED, SUPPORTED, YES

_TRUE = "1 true t yes y correct right valid"
_FALSE = "0 false f no n incorrect wrong invalid"
_SPELLINGS: Mapping[str, str] = {
    SUPPORTED: f"{_TRUE} support supports entail entails entailed entailment consistent factual "
    "attributable fully_supported",
    CONTRADICTED: "contradict contradicts contradiction contradictory refute refutes refuted",
    NOT_SUPPORTED: f"{_FALSE} neutral nei not_enough_info not_enough_information notenoughinfo "
    "unsupported inconsistent not_attributable not_entailed not_entailment no_entailment "
    "partially_supported irrelevant unverifiable",
    YES: _TRUE,
    MAYBE: "weak weakly partial partially partly unsure unclear 0.5",
    NO: _FALSE,
    "CORRECT": _TRUE,
    "INCORRECT": _FALSE,
}
_MEANINGS: Mapping[str, Mapping[str, str]] = {
    label: dict.fromkeys(words.split(), label) for label, words in _SPELLINGS.items()
}

_NUMBER = re.compile(r"(?P<whole>\d)[.,](?P<rest>\d+)")


def label_key(label: str) -> str:
    """Returns a label as labels are compared: in lower case, `_` for blanks and dashes."""
    return re.sub(r"[\s_-]+", "_", label.strip().casefold())


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
    key = label_key(_cell_text(cell))
    offered = list(labels)
    same = next((label for label in offered if label_key(label) == key), None)
    return same or next((label for label in offered if key in _MEANINGS.get(label, ())), None)


def spellings_in_words(labels: Iterable[str]) -> str:
    """Returns for a message which words stand for the labels, a few of each.

    >>> spellings_in_words(["YES", "MAYBE"])
    'YES (1, true, t, ...), MAYBE (weak, weakly, partial, ...)'
    """
    texts = []
    for label in labels:
        words = _SPELLINGS.get(label, "").split()[:3]
        texts.append(f"{label} ({', '.join(words)}, ...)" if words else label)
    return ", ".join(texts)


def known_labels(labels: Iterable[str], field: str) -> str:
    """Returns the advice on a cell of a field that is none of the labels."""
    return (
        f"Known are {spellings_in_words(labels)}; no other word is guessed. Write one of these "
        f"instead, or name another column: --column {field}=NAME."
    )


def _cell_text(cell: object) -> str:
    """Returns a cell as text: a number with a point, not a comma, and without it where it is whole,
    as programs write 1 beside empty cells; nothing as an empty text."""
    text = ""
    if cell is not None:
        text = str(cell).strip()
    number = _NUMBER.fullmatch(text)
    if number:
        if not number["rest"].strip("0"):
            return number["whole"]
        return text.replace(",", ".")
    return text
