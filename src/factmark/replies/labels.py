"""How the offered labels may be spelled, and where a text mentions them.

The spellings of a label follow from the label itself: its words joined or apart, in any case; its
inflections (SUPPORTED: supports, support); the negations of a label that another label is (with
SUPPORTED and NOT_SUPPORTED: unsupported, "does not support"; with CORRECT and INCORRECT: "not
correct"); and, where a text has nothing else, a slip of the pen. A longer spelling goes before a
shorter one that it contains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, Protocol

Form = Literal["exact", "inflected"]

TOKEN = re.compile(r"[A-Za-z0-9\u00c0-\u02af\u0370-\u052f]+|[^\W_]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BETWEEN = re.compile(r"[ \t_\[\]]{0,4}|-")
_NEGATIONS = ("not", "un", "in", "non", "im", "dis", "no", "ir", "il")
_NO_GOES_WITH = re.compile(r"\s+(?!(?:because|since|as|due|for|if|and|or|but|when|unless)\b)\w")
_NO_STANDS = re.compile(
    r"\s+(?:the|this|it|that|there|both|a|an|they|here|these|insofar)\b", re.IGNORECASE
)
_NO_PLACE = re.compile(
    r"(?:^|[^\w\s']|\n|\b(?:is|answer|verdict|label|say|said|therefore|so|be|and|or|but|maybe|not|than|with|hence|thus|clear|clearly|definitely|a|as|to|choose|think|guess|believe|answering|remains|would|strictly)\s)\s*$",
    re.IGNORECASE,
)
_OPPOSITES = ("un", "in", "non")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A label in a text.

    Attributes:
        start, end: where it stands.
        label: the offered label, or None for a grade between two of them ("partially ...").
        strong: whether it is written as a label: in capitals, brackets, with its underscore.
        form: `inflected` for another form of its word.
    """

    start: int
    end: int
    label: str | None
    strong: bool
    form: Form = "exact"


class Finder(Protocol):
    """Finds the mentions of a closed set of labels, `labels` as they were offered."""

    __slots__ = ()

    labels: tuple[str, ...]

    @property
    def negation(self) -> Mapping[str, str]:
        """For a label, the offered label that is its negation; none has one unless it says so."""
        return {}

    @property
    def common(self) -> bool:
        """Whether labels stand everywhere in a text, as numbers do: only a word for a verdict, not
        any word before a colon, declares one."""
        return False

    def mentions(self, text: str) -> list[Mention]:
        """All mentions, left to right; they do not overlap."""

    def exact(self, text: str) -> str | None:
        """The label that a text spells."""

    def guess(self, text: str) -> str | None:
        """The label that a text of few words is a slip of the pen for, when there is just one."""
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon(Finder):
    """The spellings of the offered labels, by their words in lower case.

    Attributes:
        labels: as offered.
        forms: the label and the form of each spelling.
        longest: words in the longest spelling.
        negation: for a label, the offered label that is its negation.
    """

    labels: tuple[str, ...]
    forms: dict[tuple[str, ...], tuple[str, Form]]
    longest: int
    negation: dict[str, str] = field(default_factory=dict)

    def mentions(self, text: str) -> list[Mention]:
        tokens = list(TOKEN.finditer(text))
        words = [token[0].casefold() for token in tokens]
        shouting = not any(char.islower() for char in text)
        out: list[Mention] = []
        at = 0
        while at < len(tokens):
            size, hit = self._at(text, tokens, words, at)
            start, end = tokens[at].start(), tokens[at + size - 1].end()
            if hit is not None and not (
                words[at] == "no" and size == 1 and _is_plain_no(text, start, end)
            ):
                out.append(_mention(text, start, end, hit, shouting))
            at += size
        return out

    def _at(
        self, text: str, tokens: list[re.Match[str]], words: list[str], at: int
    ) -> tuple[int, tuple[str, Form] | None]:
        """The longest spelling that begins at a token: its words and what it means."""
        limit = 1
        while (
            limit < self.longest
            and at + limit < len(tokens)
            and _BETWEEN.fullmatch(text, tokens[at + limit - 1].end(), tokens[at + limit].start())
        ):
            limit += 1
        for size in range(limit, 0, -1):
            if hit := self.forms.get(tuple(words[at : at + size])):
                return size, hit
        return 1, None

    def exact(self, text: str) -> str | None:
        hit = self.forms.get(tuple(token[0].casefold() for token in TOKEN.finditer(text[:200])))
        return hit[0] if hit else None

    def guess(self, text: str) -> str | None:
        words = tuple(token[0].casefold() for token in TOKEN.finditer(text))
        if not 0 < len(words) <= self.longest or sum(map(len, words)) > 60:
            return None
        near: dict[str, int] = {}
        for form, (label, kind) in self.forms.items():
            distance = _slips(words, form) if kind == "exact" else None
            if distance is not None:
                near[label] = min(distance, near.get(label, distance))
        best = min(near.values(), default=0)
        winners = [label for label, distance in near.items() if distance == best]
        return winners[0] if len(winners) == 1 else None


def _mention(text: str, start: int, end: int, hit: tuple[str, Form], shouting: bool) -> Mention:
    label, form = hit
    slice_ = text[start:end]
    bracketed = text[start - 1 : start] in ("[", "<") and text[end : end + 1] in ("]", ">")
    cased = slice_ == label and slice_ != slice_.lower()
    strong = bracketed or (not shouting and (slice_.isupper() or (cased and "_" in slice_)))
    return Mention(start=start, end=end, label=label, strong=strong, form=form)


def _is_plain_no(text: str, start: int, end: int) -> bool:
    """Whether "no" goes with a noun ("no evidence") or stands where no answer does."""
    before, after = text[max(0, start - 30) : start], text[end : end + 20]
    if _NO_GOES_WITH.match(after) and not (text[start:end].isupper() and _NO_STANDS.match(after)):
        return True
    return not text[start:end].isupper() and not _NO_PLACE.search(before)


@lru_cache(maxsize=64)
def lexicon(labels: tuple[str, ...]) -> Lexicon:
    """The spellings of these labels. A spelling that two of them share belongs to neither."""
    forms: dict[tuple[str, ...], tuple[str, Form]] = {}
    shared: set[tuple[str, ...]] = set()
    for label in dict.fromkeys(labels):
        for spelling in _own(label):
            if forms.setdefault(spelling, (label, "exact"))[0] != label:
                shared.add(spelling)
    for spelling in shared:
        del forms[spelling]
    negation = _negations(labels)
    for label in labels:
        _add_inflections(forms, label, negation.get(label))
    longest = max((len(spelling) for spelling in forms), default=1)
    return Lexicon(labels=tuple(labels), forms=forms, longest=longest, negation=negation)


def words_of(label: str) -> tuple[str, ...]:
    """The words of a label in lower case; NotSupported has two."""
    return tuple(token[0].casefold() for token in TOKEN.finditer(_CAMEL.sub(" ", label)))


def _own(label: str) -> list[tuple[str, ...]]:
    words = words_of(label)
    return [words, ("".join(words),)] if words else []


def _negations(labels: Sequence[str]) -> dict[str, str]:
    joined = {"".join(words_of(label)): label for label in labels}
    out: dict[str, str] = {}
    for word, label in joined.items():
        others = [joined[prefix + word] for prefix in _NEGATIONS if prefix + word in joined]
        if word and len(others) == 1:
            out[label] = others[0]
    return out


def _add_inflections(
    forms: dict[tuple[str, ...], tuple[str, Form]], label: str, negated: str | None
) -> None:
    words = words_of(label)
    if negated is not None:
        spellings = [("not", *words), ("non", *words)]
        spellings += [(prefix + "".join(words),) for prefix in _OPPOSITES]
        for spelling in spellings:
            forms.setdefault(spelling, (negated, "exact"))
    if len(words) != 1 or not words[0].endswith("ed") or len(words[0]) < 7:
        return
    for other in (words[0][:-2], words[0][:-2] + "s", words[0][:-1], words[0][:-1] + "s"):
        forms.setdefault((other,), (label, "inflected"))
        if negated is not None:
            forms.setdefault(("not", other), (negated, "inflected"))
    if words[0].endswith("ted"):
        forms.setdefault((words[0][:-2] + "ion",), (label, "inflected"))


def _slips(words: tuple[str, ...], form: tuple[str, ...]) -> int | None:
    """How many slips make `form` of `words`; None where it would be more than a slip."""
    if len(words) != len(form):
        return None
    total = 0
    for word, meant in zip(words, form, strict=True):
        if word == meant:
            continue
        allowed = 0 if len(meant) < 5 else 1 if len(meant) < 9 else 2
        if not allowed or word[0] != meant[0] or abs(len(word) - len(meant)) > allowed:
            return None
        distance = _distance(word, meant)
        if distance > allowed:
            return None
        total += distance
    return total if 0 < total <= 2 else None


def _distance(left: str, right: str) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours between two short words."""
    before: list[int] = []
    last = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]
