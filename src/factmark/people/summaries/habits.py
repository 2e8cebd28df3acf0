"""What a text's form shows of its author: length, endings, case, marks, repetition, openings.

Each habit is a number per text, read from the text alone. `tells` asks how well it tells who wrote
it.
"""

from __future__ import annotations

import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from factmark.text.sentences import sentences

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_ENDED = re.compile(r"[.!?…][\"')\]»”’]*\s*\Z")
_LIST = re.compile(r"(?:(?<=\n)|\A)[ \t]{0,8}(?:[-*•‣·]|\d{1,2}[.)]) ")
_INLINE_LIST = re.compile(r"(?<![^\s.;:])(?:[•‣]|\(?\d{1,2}\)) ")
_MARKDOWN = re.compile(r"\*\*|__(?=\w)|(?:(?<=\n)|\A)#{1,6} |`")
_DASHES = re.compile(r"[–—―]| -+ ")
# The last: `the patient s lungs`, a genitive that lost its apostrophe.
_TOKENISED = re.compile(r" [.,;:!?](?=\s|\Z)|[(\[] | [)\]]|``|''|(?<=[a-z]) s(?= [a-z])")
_MOJIBAKE = re.compile("â€|Ã[\x80-\xbf]|Â[\xa0-\xbf]|\ufffd")
_SPECIAL = re.compile(
    r"[▁ĠĊ\u2047\ufeff\u200b]|##\w|</?[a-z_]{1,12} ?/?>|\[[A-Z]{3,5}\]|<\||\[\?\]"
)
_BRACKETS = re.compile(r"[(\[]")
_GRAM = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """A number that a text's form gives.

    Attributes:
        name: as tables list it.
        most, least: what is said of the text that has the most, the least of it.
        of: the number; never from the words' meaning.
    """

    name: str
    most: str
    least: str
    of: Callable[[str], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """How long a system's texts are, in words.

    Attributes:
        texts, missing: how many there are, and documents without one.
        median, low, high: the quartiles; None without a text, low and high with fewer than two.
        shortest, longest: None without a text.
        unended: share of texts that end without a sentence's mark, so are cut off; None likewise.
    """

    system: str
    texts: int
    missing: int
    median: float | None
    low: float | None
    high: float | None
    shortest: int | None
    longest: int | None
    unended: float | None


def lengths(texts: Mapping[str, Sequence[str | None]]) -> tuple[Lengths, ...]:
    """The lengths of each system's texts, in the order given."""
    return tuple(_lengths(system, given) for system, given in texts.items())


def _lengths(system: str, given: Sequence[str | None]) -> Lengths:
    present = [text for text in given if text is not None]
    counts = [count_words(text) for text in present]
    quarters = statistics.quantiles(counts, method="inclusive") if len(counts) > 1 else None
    return Lengths(
        system=system,
        texts=len(present),
        missing=len(given) - len(present),
        median=float(statistics.median(counts)) if counts else None,
        low=quarters[0] if quarters else None,
        high=quarters[2] if quarters else None,
        shortest=min(counts, default=None),
        longest=max(counts, default=None),
        unended=statistics.fmean(map(_unended, present)) if present else None,
    )


def count_words(text: str) -> int:
    """How many words a text has; `non-small` is one, a number too."""
    return len(_WORD.findall(text))


def opening(text: str) -> str:
    """The first two words in lower case."""
    return " ".join(word.lower() for word in _WORD.findall(text, 0, 200)[:2])


def openings(texts: Sequence[str], most: int = 5, least: int = 3) -> tuple[tuple[str, int], ...]:
    """The openings that at least `least` of the texts share, the most frequent first."""
    counts = Counter(opening(text) for text in texts)
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return tuple((words, count) for words, count in ranked[:most] if count >= least and words)


def opens_with(words: str) -> Habit:
    """The habit of beginning with these words."""
    return Habit(
        name=f"opening: {words}",
        most=f"the only one that begins with “{words}”",
        least=f"the only one that does not begin with “{words}”",
        of=lambda text: float(opening(text) == words),
    )


def _sentence_length(text: str) -> float:
    return count_words(text) / max(1, len(sentences(text)))


def _unended(text: str) -> float:
    return float(_ENDED.search(text, max(0, len(text) - 20)) is None)


def _lower_case(text: str) -> float:
    return float(text == text.lower())


def _numbers(text: str) -> float:
    words = _WORD.findall(text)
    return sum(any(map(str.isdigit, word)) for word in words) / max(1, len(words))


def _repeated(text: str) -> float:
    """The share of word triples that stood in the text before."""
    words = [word.lower() for word in _WORD.findall(text)]
    grams = [tuple(words[at : at + _GRAM]) for at in range(len(words) - _GRAM + 1)]
    return 1 - len(set(grams)) / len(grams) if grams else 0.0


def _count(*patterns: re.Pattern[str]) -> Callable[[str], float]:
    return lambda text: float(sum(len(pattern.findall(text)) for pattern in patterns))


HABITS: tuple[Habit, ...] = (
    Habit(
        name="words",
        most="the longest",
        least="the shortest",
        of=lambda text: float(count_words(text)),
    ),
    Habit(
        name="words per sentence",
        most="the one with the longest sentences",
        least="the one with the shortest sentences",
        of=_sentence_length,
    ),
    Habit(
        name="cut off",
        most="the only one that ends without a sentence's mark",
        least="the only one that ends with a sentence's mark",
        of=_unended,
    ),
    Habit(
        name="lower case",
        most="the only one all in lower case",
        least="the only one with capitals",
        of=_lower_case,
    ),
    Habit(
        name="numbers",
        most="the one with the largest share of numbers",
        least="the one with the smallest share of numbers",
        of=_numbers,
    ),
    Habit(
        name="repetition",
        most="the one that repeats itself most",
        least="the one that repeats itself least",
        of=_repeated,
    ),
    Habit(
        name="brackets",
        most="the one with the most brackets",
        least="the one with the fewest brackets",
        of=_count(_BRACKETS),
    ),
    Habit(
        name="dashes",
        most="the one with the most dashes and spaced hyphens",
        least="the one with the fewest dashes and spaced hyphens",
        of=_count(_DASHES),
    ),
    Habit(
        name="line breaks",
        most="the one with the most line breaks",
        least="the one with the fewest line breaks",
        of=lambda text: float(text.count("\n")),
    ),
    Habit(
        name="lists and markdown",
        most="the one with the most signs of lists and markdown",
        least="the one with the fewest signs of lists and markdown",
        of=_count(_LIST, _INLINE_LIST, _MARKDOWN),
    ),
    Habit(
        name="tokenised marks",
        most="the one with the most leftovers of tokenising",
        least="the one with the fewest leftovers of tokenising",
        of=_count(_TOKENISED),
    ),
    Habit(
        name="special characters",
        most="the one with the most leftovers of tokens and encodings",
        least="the one with the fewest leftovers of tokens and encodings",
        of=_count(_SPECIAL, _MOJIBAKE),
    ),
)
