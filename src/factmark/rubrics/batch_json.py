"""The verdicts of several claims in a JSON reply: lists, objects by number, one object a line."""

from __future__ import annotations

import re

from factmark.rubrics.lexicon import TOKEN, Finder
from factmark.rubrics.loose_json import Pairs
from factmark.rubrics.verdict_json import UNDECIDED, ReadLabel, verdict_line

Votes = dict[int, list[str | None]]

_NUMBERED_KEY = re.compile(r"^\D{0,16}?(\d{1,4})[\W_]{0,3}$")
_ID_NAMES = {
    "id",
    "claim",
    "number",
    "index",
    "no",
    "n",
    "num",
    "i",
    "item",
    "fact",
    "nr",
    "statement",
    "triple",
    "idx",
    "key",
    "#",
}
_ID_VALUE = re.compile(
    r"^\W*(?:claim|fact|item|statement|triple|c|no|nr)?[\W_]*(\d{1,4})(?:\W*$|[.):])", re.IGNORECASE
)
_ASIDE = re.compile(
    r"reason|expla|evidence|quote|passage|source|note|comment|input|labels|options", re.IGNORECASE
)


def votes_in(value: object, words: Finder, read_label: ReadLabel, n: int) -> Votes:
    """The labels that a JSON value gives to the claims 1 to n, by number or by position."""
    votes: Votes = {}
    _collect(value, words, read_label, n, votes, 0)
    return from_one(votes, n)


def from_one(votes: Votes, n: int) -> Votes:
    """Votes counted from 1: those that count from 0 moved up, when they are all there."""
    if 0 not in votes:
        return votes
    if set(votes) == set(range(n)):
        return {number + 1: labels for number, labels in votes.items()}
    return {}


def _collect(
    value: object, words: Finder, read_label: ReadLabel, n: int, votes: Votes, depth: int
) -> None:
    if isinstance(value, list):
        _of_list(value, words, read_label, n, votes, depth)
    elif isinstance(value, Pairs):
        _of_pairs(value, words, read_label, n, votes, depth)


def _label_of(value: object, words: Finder, read_label: ReadLabel) -> tuple[bool, str | None]:
    """Whether a value gives a verdict at all, and the label."""
    if isinstance(value, str):
        return True, read_label(value)
    if value is None:
        return True, None
    line = verdict_line(value, words, read_label) if isinstance(value, Pairs) else ""
    if not line or UNDECIDED in line:
        return bool(line), None
    return True, line.partition("[")[2].rstrip("]")


def _id_of(pairs: Pairs) -> int | None:
    for key, value in pairs.items:
        parts = [token[0].casefold() for token in TOKEN.finditer(key)]
        if key != "#" and not (parts and all(part in _ID_NAMES for part in parts)):
            continue
        if isinstance(value, float) and value == int(value):
            return int(value)
        if isinstance(value, str) and (found := _ID_VALUE.match(value[:60])):
            return int(found[1])
    return None


def _of_list(
    items: list[object], words: Finder, read_label: ReadLabel, n: int, votes: Votes, depth: int
) -> None:
    """A list by the numbers in its items, or by position when it is as long as there are claims."""
    placed = False
    for item in items:
        if isinstance(item, Pairs) and (number := _id_of(item)) is not None:
            votes.setdefault(number, []).append(_label_of(item, words, read_label)[1])
            placed = True
        elif isinstance(item, list) and len(item) == 2 and isinstance(item[0], float):
            votes.setdefault(int(item[0]), []).append(_label_of(item[1], words, read_label)[1])
            placed = True
        elif isinstance(item, str) and (
            found := re.match(r"^\W*(?:claim\W*)?(\d{1,4})\W+(.+)", item[:4000], re.I | re.S)
        ):
            votes.setdefault(int(found[1]), []).append(read_label(found[2]))
            placed = True
        elif isinstance(item, Pairs) and any(_NUMBERED_KEY.match(key) for key, _ in item.items):
            _of_pairs(item, words, read_label, n, votes, depth + 1)
            placed = True
    if placed or len(items) != n:
        return
    for number, item in enumerate(items, 1):
        votes.setdefault(number, []).append(_label_of(item, words, read_label)[1])


def _of_pairs(
    pairs: Pairs, words: Finder, read_label: ReadLabel, n: int, votes: Votes, depth: int
) -> None:
    if (own := _id_of(pairs)) is not None:
        given, label = _label_of(pairs, words, read_label)
        if given:
            votes.setdefault(own, []).append(label)
            return
    numbered = [(found, value) for key, value in pairs.items if (found := _NUMBERED_KEY.match(key))]
    for found, value in numbered:
        given, label = _label_of(value, words, read_label)
        if given:
            votes.setdefault(int(found[1]), []).append(label)
    if numbered:
        return
    grouped = [(words.exact(key), value) for key, value in pairs.items if isinstance(value, list)]
    if any(label for label, _ in grouped):
        for label, value in grouped:
            for number in value if label and isinstance(value, list) else []:
                if isinstance(number, float):
                    votes.setdefault(int(number), []).append(label)
        return
    for key, value in pairs.items:
        if not _ASIDE.search(key):
            _collect(value, words, read_label, n, votes, depth + 1)
