"""How the offered labels may be spelled, and where a text mentions them.

The spellings of a label follow from the label itself: its words joined or apart, in any case; its
inflections (SUPPORTED: supports, support); the negations of a label that another label is (with
CORRECT and INCORRECT: "not correct"); and, where a text has nothing else, a slip of the pen. A
longer spelling goes before a shorter one that it contains. Where a label has a sign (A>B), signs
are words. Other words for a label (weak, for MAYBE) are given, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from types import MappingProxyType
from typing import Protocol

Words = tuple[str, ...]
NO_SPELLINGS: Mapping[str, str] = MappingProxyType({})

TOKEN = re.compile(r"[A-Za-z0-9\u00c0-\u02af\u0370-\u052f]+|[^\W_]")
_TOKEN_OR_SIGN = re.compile(rf"{TOKEN.pattern}|[<>=]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN = re.compile(r"[ \t_\[\]]{0,4}|-")
_NEGATIONS = ("not", "un", "in", "non", "im", "dis", "no", "ir", "il")
_NO_GOES_WITH = re.compile(r"\s+(?!(?:because|since|as|due|for|if|and|or|but|when|unless)\b)\w")
_NO_STANDS = re.compile(
    r"\s+(?:the|this|it|that|there|both|a|an|they|here|these|insofar)\b", re.IGNORECASE
)
_NO_PLACE = re.compile(
    r"(?:^|[^\w\s']|\n|\b(?:is|answer|verdict|label|say|said|therefore|so|be|and|or|but|maybe|not"
    r"|than|with|hence|thus|clear|clearly|definitely|a|as|to|choose|think|guess|believe|answering"
    r"|remains|would|strictly)\s)\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A label in a text.

    Attributes:
        start, end: where it stands.
        label: the offered label, or None for what is none of them, such as a number off the scale.
        strong: whether it is written as a label: in capitals, brackets, with its underscore.
        inflected: whether it is another form of its word.
    """

    start: int
    end: int
    label: str | None
    strong: bool
    inflected: bool = False


class Finder(Protocol):
    """Finds the mentions of a closed set of labels, `labels` as they were offered."""

    __slots__ = ()

    labels: tuple[str, ...]

    def __hash__(self) -> int:
        """A finder is a key of caches of what it finds."""
        return object.__hash__(self)

    @property
    def negation(self) -> Mapping[str, str]:
        """Label -> the offered label that is its negation; a finder without negations has none."""
        return {}

    @property
    def labels_everywhere(self) -> bool:
        """Whether labels stand everywhere in a text, as numbers do: then only a word for a verdict,
        not any word before a colon, declares one.
        """
        return False

    def mentions(self, text: str) -> list[Mention]:
        """Returns all mentions of labels, left to right; they do not overlap."""

    def exact(self, text: str) -> str | None:
        """Returns the label if the text is nothing but a spelling of it, else None."""

    def guess(self, text: str) -> str | None:
        """Returns the label that a text of few words is a misspelling of, if there is just one;
        else None.
        """
        return None


def words_of(text: str, word: re.Pattern[str] = TOKEN) -> Words:
    """Returns the words of a text in lower case."""
    return tuple(token[0].casefold() for token in word.finditer(text))


def by_first_word(spellings: Iterable[Words]) -> dict[str, list[Words]]:
    """Returns first word -> the spellings that begin with it, the longest first."""
    out: dict[str, list[Words]] = {}
    for spelling in sorted(spellings, key=len, reverse=True):
        out.setdefault(spelling[0], []).append(spelling)
    return out


def find_spellings(
    text: str,
    tokens: Sequence[re.Match[str]],
    words: Sequence[str],
    spellings: Mapping[str, Sequence[Words]],
    between: re.Pattern[str],
) -> Iterator[tuple[Words, int, int]]:
    """Yields each spelling in a text with where it begins and ends: from the left, the longest at a
    place.

    Args:
        words: of the tokens, as the spellings have them.
        spellings: by their first words, see `by_first_word`.
        between: what may stand between the words of a spelling.
    """
    at = 0
    while at < len(words):
        size = 1
        for spelling in spellings.get(words[at], ()):
            run = tokens[at : at + len(spelling)]
            if spelling == tuple(words[at : at + len(spelling)]) and all(
                between.fullmatch(text, left.end(), right.start()) for left, right in pairwise(run)
            ):
                yield spelling, run[0].start(), run[-1].end()
                size = len(spelling)
                break
        at += size


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # one for its labels, see `lexicon`
class Lexicon(Finder):
    """The spellings of the offered labels.

    Attributes:
        forms: spelling -> its label, and whether it is an inflection.
        spellings: of the forms, by first word.
        word: what a word is.
    """

    labels: tuple[str, ...]
    forms: Mapping[Words, tuple[str, bool]]
    spellings: Mapping[str, Sequence[Words]]
    negation: Mapping[str, str] = field(default_factory=dict)
    word: re.Pattern[str] = TOKEN

    def mentions(self, text: str) -> list[Mention]:
        """Returns all mentions of labels, left to right; they do not overlap."""
        tokens = list(self.word.finditer(text))
        words = [token[0].casefold() for token in tokens]
        shouting = not any(char.islower() for char in text)
        return [
            self._mention(text, start, end, spelling, shouting)
            for spelling, start, end in find_spellings(
                text, tokens, words, self.spellings, _BETWEEN
            )
            if spelling != ("no",) or not _is_plain_no(text, start, end)
        ]

    def _mention(self, text: str, start: int, end: int, spelling: Words, shouting: bool) -> Mention:
        """Returns the mention of a spelling between two places, with how plainly it is written as a
        label.
        """
        label, inflected = self.forms[spelling]
        spelled = text[start:end]
        bracketed = text[start - 1 : start] in ("[", "<") and text[end : end + 1] in ("]", ">")
        cased = spelled == label and "_" in spelled and spelled != spelled.lower()
        strong = bracketed or (not shouting and (spelled.isupper() or cased))
        return Mention(start=start, end=end, label=label, strong=strong, inflected=inflected)

    def exact(self, text: str) -> str | None:
        """Returns the label if the text is nothing but a spelling of it, else None."""
        form = self.forms.get(words_of(text[:200], self.word))
        if form:
            return form[0]
        return None

    def guess(self, text: str) -> str | None:
        """Returns the label nearest to a short text, if it is near enough to be meant and no other
        is as near.
        """
        words = words_of(text[:400])
        # A slip in a word of three letters makes another word (NO, NOT, NOR).
        if not 4 <= len("".join(words)) <= 60:
            return None
        near: dict[str, int] = {}
        for form, (label, inflected) in self.forms.items():
            if inflected or len(form) != len(words):
                slips = None
            else:
                slips = _count_slips(words, form)
            if slips is not None:
                near[label] = min(slips, near.get(label, slips))
        nearest = [label for label, slips in near.items() if slips == min(near.values())]
        if len(nearest) == 1:
            return nearest[0]
        return None


def _is_plain_no(text: str, start: int, end: int) -> bool:
    """Whether "no" belongs to a noun ("no evidence") or stands where no answer does."""
    before = text[max(0, start - 30) : start]
    after = text[end : end + 20]
    shouted = text[start:end]
    if _NO_GOES_WITH.match(after) and not (shouted.isupper() and _NO_STANDS.match(after)):
        return True
    return not shouted.isupper() and not _NO_PLACE.search(before)


@lru_cache(maxsize=64)
def lexicon(labels: tuple[str, ...], others: tuple[tuple[str, str], ...] = ()) -> Lexicon:
    """The spellings of these labels. A spelling that two of them share belongs to neither.

    Args:
        others: pairs of another word, and the label that it means.
    """
    if re.search("[<>=]", "".join(labels)):
        word = _TOKEN_OR_SIGN
    else:
        word = TOKEN
    words = {label: words_of(_CAMEL.sub(" ", label), word) for label in labels}  # NotSupported: two
    forms: dict[Words, tuple[str, bool]] = {}
    shared: set[Words] = set()
    for label, own in words.items():
        if own:
            for spelling in (own, ("".join(own),)):
                if forms.setdefault(spelling, (label, False))[0] != label:
                    shared.add(spelling)
    for spelling in shared:
        del forms[spelling]
    negation = _negations(words)
    for label in labels:
        for spelling, meant, inflected in _inflections(words[label], label, negation.get(label)):
            forms.setdefault(spelling, (meant, inflected))
    for other, label in others:
        if label in labels and (spelling := words_of(other, word)):
            forms.setdefault(spelling, (label, False))
    spellings = by_first_word(forms)
    return Lexicon(labels=labels, forms=forms, spellings=spellings, negation=negation, word=word)


def _negations(words: Mapping[str, Words]) -> dict[str, str]:
    """Returns label -> the only label that is spelled as its negation."""
    joined = {"".join(own): label for label, own in words.items()}
    out: dict[str, str] = {}
    for word, label in joined.items():
        others = []
        for prefix in _NEGATIONS:
            if prefix + word in joined:
                others.append(joined[prefix + word])
        if word and len(others) == 1:
            out[label] = others[0]
    return out


def _inflections(
    words: Words, label: str, negated: str | None
) -> Iterator[tuple[Words, str, bool]]:
    """Yields other spellings of a label and of its negation: what each means, and whether it
    inflects.
    """
    if negated is not None:
        opposites = []
        for prefix in ("un", "in", "non"):
            opposites.append((prefix + "".join(words),))
        for spelling in (("not", *words), ("non", *words), *opposites):
            yield spelling, negated, False
    # Only a participle such as SUPPORTED has forms that mean the same: supports, support.
    if len(words) != 1 or not words[0].endswith("ed") or len(words[0]) < 7:
        return
    stump = words[0][:-2]
    for other in (stump, f"{stump}s", f"{stump}e", f"{stump}es"):
        yield (other,), label, True
        if negated is not None:
            yield ("not", other), negated, True
    if stump.endswith("t"):
        yield (f"{stump}ion",), label, True


def _count_slips(words: Words, form: Words) -> int | None:
    """How many slips of the pen turn the words into `form`; None where there are too many."""
    total = 0
    for word, meant in zip(words, form, strict=True):
        if word == meant:
            continue
        if len(meant) < 5:
            allowed = 0
        elif len(meant) < 9:
            allowed = 1
        else:
            allowed = 2
        if not allowed or word[0] != meant[0] or abs(len(word) - len(meant)) > allowed:
            return None
        distance = _distance(word, meant)
        if distance > allowed:
            return None
        total += distance
    if 0 < total <= 2:
        return total
    return None


def _distance(left: str, right: str) -> int:
    """The insertions, deletions, substitutions and swaps of neighbours between two short words."""
    before: list[int] = []
    last = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before = last
        last = row
    return last[-1]
