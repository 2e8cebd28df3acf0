"""Ratings: which number of a scale a reply settles on, or none. Never rounded, never a default.

Numbers are everywhere in a reply: counts, doses, list marks, the scale itself. One is a rating where
it is declared as a label is (`declarations`): alone, ahead, after a word for a rating, or as "4/5".
"""

# ruff: noqa: E501 - an alternation of words reads better on one line

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from factmark.replies.batch import Batch, ends_for_claims
from factmark.replies.labels import Finder, Mention
from factmark.replies.loose_json import verdict_key_kind
from factmark.replies.plain import plain_text

_WORDS = "zero one two three four five six seven eight nine ten".split()
_N = rf"(?:\d+(?:[.,\u2044]\d+){{0,3}}+|{'|'.join(_WORDS)})"
_NUMBER = re.compile(
    r"(?P<sign>[<>\u2264\u2265]\s?|(?<![\w)\]])-(?=\d))?(?<![\w#$€£.,/\u2044])"
    rf"(?P<n>{_N})(?:[\])]?\s?/\s?(?P<of>\d+(?:\.\d+)?)|[\])]?\s+(?:out\s+of|of)\s+(?P<out>{_N}))?"
    r"(?P<percent>\s?(?:%|percent\b))?(?:[ -](?:points?|stars?)\b)?(?![\w%/\u2044+])(?![-'.,:]\w)",
    re.I,
)
_SCALE = re.compile(
    r"(?P<on>\bon\s+(?:an?|the|our)\s+)?\b(?:"
    rf"(?:scale|range)\W+(?:(?:of|from|is|goes|runs|going|between)\W+)*{_N}\s{{0,9}}(?:\([^()]{{0,60}}\))?\s{{0,9}}(?:to|-|through|and|\.\.)[.\s]{{0,9}}(?P<high>{_N})(?:\s{{0,9}}\([^()]{{0,60}}\))?"
    rf"|{_N}\s?(?:-|to)\s?(?P<top>{_N})\s+scale|(?P<points>{_N})[- ]point(?:\s+scale)?\b)",
    re.I,
)
_JSON_NUMBER = re.compile(
    r"(?P<mark>[\"']?)(?P<key>[A-Za-z]\w{0,40})(?P=mark)(?P<colon>\s{0,3}:\s{0,3})(?P<n>-?\d{1,9}(?:\.\d{1,9})?)(?=\s{0,9}[,}\]])"
)


@dataclass(frozen=True, slots=True)
class NumberFinder(Finder):
    """Finds the numbers of a text that may be ratings of a scale."""

    labels: tuple[str, ...]

    @property
    def labels_everywhere(self) -> bool:
        """True: numbers stand everywhere in a reply, and few of them are ratings."""
        return True

    def mentions(self, text: str) -> list[Mention]:
        """Returns all numbers; the label is None for fractions and numbers off the scale."""
        return [
            Mention(
                start=match.start(),
                end=match.end(),
                label=self._label(match),
                strong=bool(match["of"] or match["out"]),
            )
            for match in _NUMBER.finditer(text)
        ]

    def exact(self, text: str) -> str | None:
        """Returns the rating if the text is nothing else (`4`, `4/5`, `four`), or None."""
        match = _NUMBER.search(text[:200])
        if match is None or re.search(r"\w", text[: match.start()] + text[match.end() :]):
            return None
        return self._label(match)

    def _label(self, match: re.Match[str]) -> str | None:
        """Returns the label of a number as it is written; None where it is off this scale."""
        number = _number_of(match["n"])
        top = _number_of(match["of"] or match["out"] or self.labels[-1])
        if match["sign"] or match["percent"] or number is None or top != float(self.labels[-1]):
            return None
        label = f"{number:g}"
        if label in self.labels:
            return label
        return None


def parse_rating(
    reply: str, labels: Sequence[str], *, cut: bool = False, given: Sequence[str] = ()
) -> str | None:
    """Returns the rating that a reply settles on, or None.

    Args:
        labels: whole numbers as text, the lowest first.
    """
    return parse_ratings(reply, labels, 1, cut=cut, given=given)[0]


def parse_ratings(
    reply: str,
    labels: Sequence[str],
    n: int,
    *,
    cut: bool = False,
    given: Sequence[str] = (),
    claims: Sequence[str] = (),
) -> list[str | None]:
    """The rating of each of `n` numbered units; None for each that the reply does not settle.

    Args:
        cut, given, claims: as of `parse_batch`.
    """
    scale = NumberFinder(tuple(labels))
    text = _without_scale(ends_for_claims(plain_text(reply, (*given, *claims)), n), scale)
    return Batch(scale, n, cut, given, claims).labels_in(text)


def _without_scale(text: str, scale: NumberFinder) -> str:
    """Returns the text without the scale that it repeats, and JSON's numbers as text. Of a scale
    with another end the words stay by which a number belongs to it ("4 on a scale of 1 to 100").
    """
    low = scale.labels[0]
    high = scale.labels[-1]

    def other(match: re.Match[str]) -> str:
        end = _number_of(match["high"] or match["top"] or match["points"])
        if end == float(high):
            return " "
        return f" {match['on'] or ''} "

    text = _SCALE.sub(other, _JSON_NUMBER.sub(_number_as_text, text))
    return re.sub(
        rf"(?i)(?:\(|\bfrom\s+)?(?<![\w.]){low}\s?(?:-|to)\s?{high}(?![\w.])\)?", " ", text
    )


def _number_as_text(match: re.Match[str]) -> str:
    """A JSON pair whose key names a rating or a unit's number, with its number in quotes."""
    key = re.sub(r"(?i)score$", "rating", match["key"])
    if verdict_key_kind(key) is None:
        return match[0]
    return f'"{key}"{match["colon"]}"{match["n"]}"'


def _number_of(text: str) -> float | None:
    """Returns the value of a number in figures or words; None for any other text."""
    word = text.casefold()
    if word in _WORDS:
        return float(_WORDS.index(word))
    try:
        return float(word)
    except ValueError:
        return None
