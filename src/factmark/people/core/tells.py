"""What still tells annotators which system wrote a text, after normalising.

For each habit, how often a system's text is the one with the most (or the least) of it among the
texts of the same document. If nothing told the systems apart, each of the k texts of a document
would be the extreme one with chance 1/k, and documents are independent: the number of documents is
a sum of such throws, exactly. Documents where two texts share the extreme decide nothing and are
left out of the test, as ties are of a sign test; which they are does not depend on who wrote what.
All habits, systems and directions that could have been reported share one correction (Holm 1979).

It reads form only: that a system is known by what it says, it does not see. No tell reported is no
proof of blindness.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from factmark.stats.paired import holm
from factmark.text.sentences import sentences

Texts = Mapping[str, Sequence[str | None]]
"""System -> its texts, the documents in the same order; None where it has none."""

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
_LINE = re.compile("\n")
_GRAM = 3
_SHARED = 3


class Habit(NamedTuple):
    """A number that a text's form gives, never its words' meaning, and what its extremes are."""

    name: str
    most: str
    least: str
    of: Callable[[str], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tell:
    """A habit by which a system is known more often than by chance."""

    system: str
    feature: str  # the name of the habit
    says: str  # what is said of the system's text, as `the shortest`
    seen: int  # in how many documents it is so, of this system's text alone
    of: int  # documents in which the system has a text beside another's
    chance: float  # in how many it would be so by chance
    p: float  # the chance of so many or more, after Holm's correction

    def sentence(self) -> str:
        """The tell in a sentence, with its numbers."""
        if self.p < 0.001:
            p = "p < 0.001"
        else:
            p = f"p = {self.p:.3f}"
        return (
            f"{self.system}: {self.says} in {self.seen} of {self.of} documents "
            f"(by chance: {self.chance:.1f}; {p})"
        )


def find_tells(texts: Texts, *, alpha: float = 0.05) -> tuple[Tell, ...]:
    """Returns the habits that tell systems apart with a corrected p-value up to `alpha`, the
    clearest first."""
    written = []
    for given in texts.values():
        for text in given:
            if text is not None:
                written.append(text)
    habits = (*HABITS, *map(_opening_habit, common_openings(written)))
    tested: list[Tell] = []
    for habit in habits:
        tested.extend(_tells_by_habit(texts, habit))
    adjusted = holm([tell.p for tell in tested])
    clear = []
    for tell, p in zip(tested, adjusted, strict=True):
        if p <= alpha:
            clear.append(replace(tell, p=p))
    return tuple(sorted(clear, key=lambda tell: (tell.p, -tell.seen, tell.system, tell.says)))


def _tells_by_habit(texts: Texts, habit: Habit) -> Iterator[Tell]:
    """Yields how often each system has the most of a habit, and the least; nothing where all are
    tied."""
    values = {
        system: [None if text is None else habit.of(text) for text in given]
        for system, given in texts.items()
    }
    rows = []
    for row in zip(*values.values(), strict=True):
        rows.append(
            {system: value for system, value in zip(values, row, strict=True) if value is not None}
        )
    for sign, says in ((1.0, habit.most), (-1.0, habit.least)):
        extremes = [_extreme_system(row, sign) for row in rows]
        for system in texts:
            chances = [
                1 / len(row)
                for row, extreme in zip(rows, extremes, strict=True)
                if extreme is not None and system in row
            ]
            if chances:
                seen = extremes.count(system)
                yield Tell(
                    system=system,
                    feature=habit.name,
                    says=says,
                    seen=seen,
                    of=sum(system in row and len(row) > 1 for row in rows),
                    chance=sum(chances),
                    p=_chance_of_at_least(seen, chances),
                )


def _extreme_system(row: Mapping[str, float], sign: float) -> str | None:
    """Returns the system whose text alone has the most (with sign -1 the least); None for a tie."""
    top = max((sign * value for value in row.values()), default=0.0)
    holders = []
    for system, value in row.items():
        if sign * value == top:
            holders.append(system)
    if len(row) > 1 and len(holders) == 1:
        return holders[0]
    return None


def _chance_of_at_least(seen: int, chances: Sequence[float]) -> float:
    """Returns the exact chance of `seen` or more successes in independent throws of
    these chances."""
    sums = np.zeros(len(chances) + 1)
    sums[0] = 1.0
    for chance in chances:
        sums[1:] = sums[1:] * (1 - chance) + sums[:-1] * chance
        sums[0] *= 1 - chance
    return min(1.0, float(sums[seen:].sum()))


def common_openings(texts: Sequence[str]) -> tuple[str, ...]:
    """Returns the first two words that three or more texts begin with; at most five, the most
    frequent first."""
    ranked = sorted(
        Counter(map(_first_two_words, texts)).items(), key=lambda entry: (-entry[1], entry[0])
    )
    return tuple(words for words, count in ranked[:5] if count >= _SHARED and words)


def _first_two_words(text: str) -> str:
    """Returns the first two words of a text in lower case."""
    return " ".join(word.lower() for word in _WORD.findall(text, 0, 200)[:2])


def _opening_habit(words: str) -> Habit:
    """Returns the habit of beginning a text with these words."""
    return Habit(
        name=f"opening: {words}",
        most=f"the only one that begins with “{words}”",
        least=f"the only one that does not begin with “{words}”",
        of=lambda text: float(_first_two_words(text) == words),
    )


def _count_words(text: str) -> int:
    """Returns how many words a text has."""
    return len(_WORD.findall(text))


def _lacks_end_mark(text: str) -> float:
    """Returns 1 where a text does not end with the mark of a sentence, else 0."""
    return float(_ENDED.search(text, max(0, len(text) - 20)) is None)


def _share_of_numbers(text: str) -> float:
    """Returns the share of words that hold a digit."""
    words = _WORD.findall(text)
    return sum(any(map(str.isdigit, word)) for word in words) / max(1, len(words))


def _share_of_repeats(text: str) -> float:
    """Returns the share of word triples that stood in the text before."""
    words = [word.lower() for word in _WORD.findall(text)]
    grams = []
    for at in range(len(words) - _GRAM + 1):
        grams.append(tuple(words[at : at + _GRAM]))
    if grams:
        return 1 - len(set(grams)) / len(grams)
    return 0.0


def _share_of_commas(text: str) -> float:
    """Returns how many commas there are for each word."""
    return text.count(",") / max(1, _count_words(text))


def _habit_of_signs(name: str, noun: str, *patterns: re.Pattern[str]) -> Habit:
    """Returns the habit of using signs: how often the patterns occur in a text."""
    return Habit(
        name=name,
        most=f"the one with the most {noun}",
        least=f"the one with the fewest {noun}",
        of=lambda text: float(sum(len(pattern.findall(text)) for pattern in patterns)),
    )


HABITS: tuple[Habit, ...] = (
    Habit("words", "the longest", "the shortest", lambda text: float(_count_words(text))),
    Habit(
        "words per sentence",
        "the one with the longest sentences",
        "the one with the shortest sentences",
        lambda text: _count_words(text) / max(1, len(sentences(text))),
    ),
    Habit(
        "cut off",
        "the only one that ends without a sentence's mark",
        "the only one that ends with a sentence's mark",
        _lacks_end_mark,
    ),
    Habit(
        "lower case",
        "the only one all in lower case",
        "the only one with capitals",
        lambda text: float(text == text.lower()),
    ),
    Habit(
        "numbers",
        "the one with the largest share of numbers",
        "the one with the smallest share of numbers",
        _share_of_numbers,
    ),
    Habit(
        "repetition",
        "the one that repeats itself most",
        "the one that repeats itself least",
        _share_of_repeats,
    ),
    Habit(
        "commas",
        "the one with the most commas for its length",
        "the one with the fewest commas for its length",
        _share_of_commas,
    ),
    _habit_of_signs("brackets", "brackets", _BRACKETS),
    _habit_of_signs("dashes", "dashes and spaced hyphens", _DASHES),
    _habit_of_signs("line breaks", "line breaks", _LINE),
    _habit_of_signs(
        "lists and markdown", "signs of lists and markdown", _LIST, _INLINE_LIST, _MARKDOWN
    ),
    _habit_of_signs("tokenised marks", "leftovers of tokenising", _TOKENISED),
    _habit_of_signs("special characters", "leftovers of tokens and encodings", _SPECIAL, _MOJIBAKE),
)
