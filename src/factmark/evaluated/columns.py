"""What a column says of units: words, ratings or scores, decided once, on the whole column. Pure.

`T`, `True`, `1`, `1.0` and `yes` are one word. Numbers stay numbers: 0 and 1 alone are words;
few whole ones are ratings, others scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.coding import NOTHING, CodedColumn, Codes
from factmark.evaluated.words import (
    OPEN,
    WORTH,
    cell_text,
    label_key,
    meanings_of,
    number_of,
    worth_of_word,
)
from factmark.model import SHARE, Scale

Kind = Literal["word", "rating", "score"]
Flags = NDArray[np.bool_]

_MOST_RATINGS = 11  # different whole numbers that are ratings: 0 to 10
_ROUNDING = 1e-6
"""By how much a share that a program computed may lie beyond 0 or 1."""
_SCALES = (
    *((1, 5), (1, 7), (1, 10), (0, 10), (0, 100), (1, 100), (1, 4), (1, 3), (1, 6), (0, 5)),
    *((0, 4), (0, 3), (0, 2), (-1, 1), (-2, 2)),
)
"""The scales of ratings that are read off a column where both their ends are given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueColumn:
    """A column of what somebody said of units.

    Attributes:
        name: the column's, or whose it is.
        kind: words, ratings or scores.
        labels: the different things that were said, as they stand in the file most often.
        values: what each is: a word's worth in [0, 1], a rating or score itself.
        codes: for each unit the place of its label, or `NOTHING`: an empty cell, or no verdict.
        asked: whether they were asked about each unit, so that of some they gave no label; None
            where nothing tells, and a label alone shows it.
    """

    name: str
    kind: Kind
    labels: tuple[str, ...]
    values: tuple[float, ...]
    codes: Codes
    asked: Flags | None = None

    @property
    def were_asked(self) -> Flags:
        """For each unit whether they were asked about it."""
        if self.asked is None:
            return self.codes >= 0
        return self.asked

    @property
    def numbers(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """For each unit its value; not a number where nothing was said."""
        values = np.array([*self.values, math.nan])
        return values[self.codes]

    @property
    def texts(self) -> list[str | None]:
        """For each unit its label; None where nothing was said."""
        labels = np.array([*self.labels, None], dtype=object)
        return list(labels[self.codes].tolist())

    def at(self, places: NDArray[np.int64]) -> ValueColumn:
        """Returns the column of some of its units."""
        asked = None if self.asked is None else self.asked[places]
        return replace(self, codes=self.codes[places], asked=asked)

    @property
    def is_in_shares(self) -> bool:
        """Whether all values lie in [0, 1]."""
        return all(0 <= value <= 1 for value in self.values)


def value_column(column: CodedColumn, dialect: str = "") -> ValueColumn | None:
    """Returns what a column says of units; None for a column that says nothing of the kind: of
    names, texts, or with a word that the vocabulary does not know.

    Args:
        dialect: the tool whose letters it has, see `words.meanings_of`.

    >>> from factmark.evaluated.coding import coded
    >>> value_column(coded("judge", ["T", "F", 1, "True", "F", "-0.0"])).codes.tolist()
    [0, 1, 0, 0, 1, 1]
    """
    texts = [cell_text(cell) for cell in column.cells]
    keys = [label_key(text) for text in texts]
    meanings = meanings_of(set(keys), dialect)
    numbers = {key: number_of(text) for key, text in zip(keys, texts, strict=True)}
    are_numbers = _are_numbers_but_open(numbers)
    if not keys or (meanings is None and not are_numbers):
        return None
    figures = {key for key, number in numbers.items() if number is not None}
    if meanings is not None and not (are_numbers and figures - {"0", "1"}):
        parts = [meanings[key] for key in keys]
        worth = {meaning: WORTH[meaning] for meaning in parts if meaning != OPEN}
        return _merged(column, "word", [None if p == OPEN else p for p in parts], worth)
    values = _without_rounding([numbers[key] for key in keys])
    different = {value for value in values if value is not None}
    are_whole = all(float(value).is_integer() for value in different)
    kind: Kind = "score"
    if are_whole and len(different) <= _MOST_RATINGS and max(map(abs, different)) <= 100:
        kind = "rating"
    return _merged(column, kind, values, {value: value for value in different})


def _without_rounding(values: Sequence[float | None]) -> Sequence[float | None]:
    """Returns values that are shares but for the last digits as shares; others as they are."""
    given = [value for value in values if value is not None]
    if any(not -_ROUNDING <= value <= 1 + _ROUNDING for value in given):
        return values
    return [None if value is None else min(max(value, 0.0), 1.0) for value in values]


def _are_numbers_but_open(numbers: Mapping[str, float | None]) -> bool:
    """Whether a column holds numbers, and beside them no more than words for no verdict."""
    others = {key for key, number in numbers.items() if number is None}
    if len(others) == len(numbers):
        return False
    return not others or set((meanings_of(others) or {}).values()) == {OPEN}


def is_verdict(text: str) -> bool:
    """Whether a text is a word of the vocabulary, those for no verdict too, or a number.

    >>> [is_verdict(text) for text in ("Faithful", "0.7", "n/a", "purple")]
    [True, True, True, False]
    """
    return number_of(text) is not None or worth_of_word(text) is not None


def _merged(
    column: CodedColumn,
    kind: Kind,
    parts: Sequence[Any],
    values: Mapping[Any, float],
) -> ValueColumn:
    """Returns a column in which cells that say the same are one.

    Args:
        parts: what each cell says; None for nothing.
        values: what each of these is.
    """
    places = {part: place for place, part in enumerate(values)}
    counts = column.counts
    shown: dict[Any, tuple[int, str]] = {}
    for cell, part, count in zip(column.cells, parts, counts.tolist(), strict=True):
        if part is not None and count > shown.get(part, (0, ""))[0]:
            shown[part] = (count, str(cell).strip())
    recoded = np.array([*(places.get(part, NOTHING) for part in parts), NOTHING], dtype=np.int32)
    return ValueColumn(
        name=column.name,
        kind=kind,
        labels=tuple(shown.get(part, (0, str(part)))[1] for part in values),
        values=tuple(float(value) for value in values.values()),
        codes=recoded[column.codes],
    )


def column_of_labels(
    name: str, labels: Sequence[str | None], worth: Mapping[str, float], kind: Kind = "word"
) -> ValueColumn:
    """Returns labels that are known as a column.

    Args:
        labels: of each unit; None where there is none.
        worth: label -> its value.
    """
    given = [label for label in dict.fromkeys(labels) if label is not None]
    places: dict[str | None, int] = {label: place for place, label in enumerate(given)}
    return ValueColumn(
        name=name,
        kind=kind,
        labels=tuple(given),
        values=tuple(float(worth[label]) for label in given),
        codes=np.array([places.get(label, NOTHING) for label in labels], dtype=np.int32),
    )


def column_of_numbers(name: str, numbers: Mapping[int, float], n: int) -> ValueColumn:
    """Returns numbers as a column of scores.

    Args:
        numbers: place of a unit -> its number.
        n: how many units there are.
    """
    values, codes = np.unique(np.array([*numbers.values()], dtype=np.float64), return_inverse=True)
    column = np.full(n, NOTHING, dtype=np.int32)
    column[[*numbers]] = codes
    return ValueColumn(
        name=name,
        kind="score",
        labels=tuple(f"{value:g}" for value in values),
        values=tuple(values.tolist()),
        codes=column,
    )


def scale_of(columns: Sequence[ValueColumn]) -> Scale | None:
    """Returns the scale that columns are on: from 0 to 1 where all their values lie there; the
    known scale of whose ends both are given; None where neither is so."""
    values = [value for column in columns for value in column.values]
    if all(column.is_in_shares for column in columns):
        return SHARE
    low, high = min(values), max(values)
    if (low, high) in _SCALES:
        return Scale(low, high)
    return None


def scale_told(judged: ValueColumn, people: Sequence[ValueColumn]) -> Scale | None:
    """Returns the scale of people's values, as a judge's column and theirs show it; None where they
    do not.

    Args:
        people: the columns that hold something.
    """
    if people and all(column.is_in_shares for column in people):
        return scale_of(people) or SHARE
    if people and judged.is_in_shares:
        return scale_of(people)
    return scale_of([judged, *people])


def usual_scale(columns: Sequence[ValueColumn]) -> Scale:
    """Returns the most usual scale on which all values lie; whole numbers around them where there
    is none."""
    values = [value for column in columns for value in column.values]
    low, high = min(values), max(values)
    for least, greatest in _SCALES:
        if least <= low and high <= greatest:
            return Scale(least, greatest)
    low, high = math.floor(low), math.ceil(high)
    return Scale(low, max(high, low + 1))
