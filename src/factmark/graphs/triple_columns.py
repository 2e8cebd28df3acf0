"""Triples held by columns: as records, a million of them take eight times the memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from itertools import starmap
from typing import Generic, TypeVar

from factmark.graphs.core.claims import Triple

Value = TypeVar("Value")
_Others = tuple[float | None, str, str, str, str, Mapping[str, object]]
_SHARED = 100_000  # values that are looked up among those held: those of rows close by are the same
_NO_CELLS: Mapping[str, object] = {}
_USUAL: _Others = (None, "", "", "", "", _NO_CELLS)
_LONGEST = 18  # digits of a number that an array holds


class TripleColumns:
    """Triples that are made as they are gone through, each time anew."""

    def __init__(self) -> None:
        self._heads = _Column[str](_SHARED)
        self._relations = _Column[str](_SHARED)
        self._tails = _Column[str](_SHARED)
        self._passages = _Column[str | None](None)
        self._passage_ids = _Column[str](_SHARED)
        self._places = _PlaceColumn()
        self._others = _RareFields()
        self._columns = (
            *(self._heads, self._relations, self._tails, self._passages, self._passage_ids),
            *(self._places, self._others),
        )

    def append(self, triple: Triple) -> None:
        """Adds a triple."""
        self._heads.append(triple.head)
        self._relations.append(triple.relation)
        self._tails.append(triple.tail)
        self._passages.append(triple.passage)
        self._passage_ids.append(triple.passage_id)
        self._places.append(triple.where)
        self._others.append(triple)

    @property
    def passages(self) -> array[int]:
        """The number of each row's passage, in the order in which those came first."""
        return self._passages.numbers

    def __len__(self) -> int:
        return len(self.passages)

    def __getitem__(self, place: int) -> Triple:
        return _triple(
            *(self._heads[place], self._relations[place], self._tails[place]),
            *(self._passages[place], self._passage_ids[place]),
            *(self._places[place], self._others[place]),
        )

    def __iter__(self) -> Iterator[Triple]:
        return starmap(_triple, zip(*self._columns, strict=True))


def _triple(
    head: str,
    relation: str,
    tail: str,
    passage: str | None,
    passage_id: str,
    place: str,
    others: _Others,
) -> Triple:
    """Returns the triple of a row of the columns."""
    confidence, name, head_id, tail_id, statement, given = others
    return Triple(
        *(head, relation, tail, passage, passage_id, confidence, name, place),
        *(head_id, tail_id, statement, given),
    )


class _Column(Generic[Value]):
    """A column of values of which many are equal: these are held once.

    Args:
        most: values that are looked up among those held; None for all.
    """

    def __init__(self, most: int | None) -> None:
        self.numbers = array("I")
        self._values: list[Value] = []
        self._known: dict[Value, int] = {}
        self._most = most

    def append(self, value: Value) -> None:
        """Adds a value."""
        number = self._known.get(value)
        if number is None:
            if len(self._known) == self._most:
                self._known.clear()
            number = self._known[value] = len(self._values)
            self._values.append(value)
        self.numbers.append(number)

    def __getitem__(self, place: int) -> Value:
        return self._values[self.numbers[place]]

    def __iter__(self) -> Iterator[Value]:
        return map(self._values.__getitem__, self.numbers)


class _PlaceColumn:
    """A column of places in files, such as `line 12`: words, and a number after them."""

    def __init__(self) -> None:
        self._words = _Column[str](_SHARED)
        self._numbers = array("q")

    def append(self, place: str) -> None:
        """Adds a place."""
        words, _, digits = place.rpartition(" ")
        number = -1
        if digits.isdecimal() and digits.isascii() and len(digits) <= _LONGEST:
            number = int(digits)
        if place != f"{words} {number}":  # no number, or another way to write it
            words, number = place, -1
        self._words.append(words)
        self._numbers.append(number)

    def __getitem__(self, place: int) -> str:
        return _place(self._words[place], self._numbers[place])

    def __iter__(self) -> Iterator[str]:
        return map(_place, self._words, self._numbers)


def _place(words: str, number: int) -> str:
    """Returns a place from its parts."""
    if number < 0:
        return words
    return f"{words} {number}"


class _RareFields:
    """What few graphs have of a triple, beside its columns: in most rows nothing."""

    def __init__(self) -> None:
        self._numbers = array("I")
        self._values = [_USUAL]

    def append(self, triple: Triple) -> None:
        """Adds those of a triple."""
        fields = (
            *(triple.confidence, triple.id, triple.head_id, triple.tail_id, triple.statement),
            triple.given,
        )
        number = 0
        if fields != _USUAL:
            number = len(self._values)
            self._values.append(fields)
        self._numbers.append(number)

    def __getitem__(self, place: int) -> _Others:
        return self._values[self._numbers[place]]

    def __iter__(self) -> Iterator[_Others]:
        return map(self._values.__getitem__, self._numbers)
