"""The verdicts of several claims in a JSON reply: lists, objects by number, one object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from factmark.replies.json_verdicts import ReadLabel, json_verdict
from factmark.replies.labels import TOKEN, Finder
from factmark.replies.loose_json import Pairs
from factmark.replies.quotations import stands_in

Votes = dict[int, list[str | None]]
Vote = tuple[int, str | None]

_NUMBERED_KEY = re.compile(r"^\D{0,16}?(\d{1,4})[\W_]{0,3}$")
_ID_NAMES = frozenset(
    "id claim number index no n num i item fact nr statement triple idx key summary #".split()
)
_ID_VALUE = re.compile(
    r"^\W*(?:claim|fact|item|statement|triple|c|no|nr)?[\W_]*(\d{1,4})(?:\W*$|[.):])", re.IGNORECASE
)
_NUMBERED_TEXT = re.compile(r"^\W*(?:claim\W*)?(\d{1,4})\W+(.+)", re.IGNORECASE | re.DOTALL)
_ASIDE = re.compile(
    r"reason|expla|evidence|quote|passage|source|note|comment|input|labels|options", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class JsonBatch:
    """Reads the labels that JSON values give to the claims 1 to n.

    Attributes:
        claims: in the order of their numbers, where they are known: an item that repeats one is
            its verdict, whatever its place.
    """

    finder: Finder
    read_label: ReadLabel
    n: int
    claims: Sequence[str] = ()

    def votes(self, value: object) -> Votes:
        """The labels by number, or by position in a list as long as there are claims."""
        votes: Votes = {}
        for number, label in self._votes(value):
            votes.setdefault(number, []).append(label)
        return from_one(votes, self.n)

    def _votes(self, value: object) -> Iterator[Vote]:
        if isinstance(value, list):
            yield from self._of_list(value)
        elif isinstance(value, Pairs):
            yield from self._of_pairs(value)

    def _of_list(self, items: Sequence[object]) -> Iterator[Vote]:
        placed = [vote for item in items for vote in self._of_item(item)]
        if placed or len(items) != self.n:
            yield from placed
            return
        for number, item in enumerate(items, 1):
            yield number, self._label(item)[1]

    def _of_item(self, item: object) -> Iterator[Vote]:
        """The votes of an item that names its claims; none where its place decides."""
        if isinstance(item, Pairs):
            if (number := self._number(item)) is not None:
                yield number, self._label(item)[1]
            elif any(_NUMBERED_KEY.match(key) for key, _ in item.items):
                yield from self._of_pairs(item)
        elif isinstance(item, list) and len(item) == 2 and isinstance(item[0], float):
            yield int(item[0]), self._label(item[1])[1]
        elif isinstance(item, str) and (numbered := _NUMBERED_TEXT.match(item[:4000])):
            yield int(numbered[1]), self.read_label(numbered[2])

    def _of_pairs(self, pairs: Pairs) -> Iterator[Vote]:
        if (number := self._number(pairs)) is not None:
            given, label = self._label(pairs)
            if given:
                yield number, label
                return
        numbered = [
            (int(key[1]), value)
            for name, value in pairs.items
            if (key := _NUMBERED_KEY.match(name))
        ]
        for number, value in numbered:
            given, label = self._label(value)
            if given:
                yield number, label
        if numbered:
            return
        for name, value in pairs.items:
            if (label := self.finder.exact(name)) and isinstance(value, list):
                yield from ((int(number), label) for number in value if isinstance(number, float))
            elif not _ASIDE.search(name):
                yield from self._votes(value)

    def _label(self, value: object) -> tuple[bool, str | None]:
        """Whether a value gives a verdict at all, and the label."""
        if value is None or isinstance(value, str):
            return True, None if value is None else self.read_label(value)
        if isinstance(value, float):
            return True, self.read_label(f"{value:g}")
        try:
            verdict = json_verdict(value, self.finder, self.read_label)
        except LookupError:
            return False, None
        return isinstance(value, Pairs), verdict[0]

    def _number(self, pairs: Pairs) -> int | None:
        """The number of the claim that an object is about: by its words, else by its id."""
        texts = [value for _, value in pairs.items if isinstance(value, str)]
        for number, claim in enumerate(self.claims, 1):
            if any(stands_in(claim, text) for text in texts):
                return number
        for key, value in pairs.items:
            parts = [token[0].casefold() for token in TOKEN.finditer(key)]
            if key != "#" and not (parts and _ID_NAMES.issuperset(parts)):
                continue
            if isinstance(value, float) and value == int(value):
                return int(value)
            if isinstance(value, str) and (found := _ID_VALUE.match(value[:60])):
                return int(found[1])
        return None


def from_one(votes: Votes, n: int) -> Votes:
    """Votes counted from 1: those that count from 0 moved up, when they are all there."""
    if 0 not in votes:
        return votes
    if set(votes) == set(range(n)):
        return {number + 1: labels for number, labels in votes.items()}
    return {}
