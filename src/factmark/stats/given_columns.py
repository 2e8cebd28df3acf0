"""What callers hold as arrays and columns of DataFrames, as plain lists. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.words import number_of


class Values(Protocol):
    """A list, a numpy array, a column of pandas or polars: all that has a length and values."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...


def plain_list(column: Values) -> list[Any]:
    """Returns the values as Python's own, by place: the index of a pandas column does not count."""
    if isinstance(column, list | tuple):
        return list(column)
    if hasattr(column, "to_pylist"):  # pyarrow
        return list(column.to_pylist())
    return list(column.tolist() if hasattr(column, "tolist") else column)


def plain_labels(column: Values) -> list[str | None]:
    """Returns verdicts as text, True and 1 by their names; None where pandas marks one as missing.

    >>> plain_labels([True, "NO", None, float("nan")])
    ['True', 'NO', None, None]
    """
    listed = plain_list(column)
    if set(map(type, listed)) <= {str, type(None)}:  # in a twentieth of the time
        return listed
    labels = []
    for value in listed:
        labels.append(None if _is_missing(value) else str(value))
    return labels


def numbers_of(column: Values) -> NDArray[np.float64] | None:
    """Returns values as numbers, not a number for what is missing; None where they are words, or
    two numbers at most, which are yes and no.

    >>> numbers_of([1, "2.5", None, 4]), numbers_of([0, 1, 1]), numbers_of([1, 2, "three"])
    (array([1. , 2.5, nan, 4. ]), None, None)
    """
    numbers = [_number_of_cell(value) for value in plain_list(column)]
    if None in numbers:
        return None
    listed = np.array(numbers, dtype=np.float64)
    if len(np.unique(listed[~np.isnan(listed)])) <= 2:
        return None
    return listed


def _number_of_cell(value: Any) -> float | None:
    """Returns a value as a number, not a number for what is missing; None for a word or a truth
    value."""
    if value is None:
        return math.nan
    if isinstance(value, str):
        return number_of(value)
    if isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def cluster_numbers(clusters: Values) -> NDArray[np.int64]:
    """Returns a number for each unit's cluster, in the order in which they come.

    >>> cluster_numbers(["b", "a", "b"]).tolist(), cluster_numbers(np.array([7, 3, 7])).tolist()
    ([0, 1, 0], [0, 1, 0])
    """
    if isinstance(clusters, np.ndarray) and clusters.dtype.kind == "i":
        if _are_in_order(clusters):
            return clusters
        _, first, codes = np.unique(clusters, return_index=True, return_inverse=True)
        order = np.argsort(np.argsort(first))
        return np.asarray(order[codes], dtype=np.int64)
    numbers: dict[Any, int] = {}
    listed = [numbers.setdefault(name, len(numbers)) for name in plain_list(clusters)]
    return np.array(listed, dtype=np.int64)


def _are_in_order(codes: NDArray[np.int64]) -> bool:
    """Whether numbers come in order: each new one is the next."""
    if not len(codes) or codes[0] != 0 or codes.min() < 0:
        return False
    return bool((np.diff(np.maximum.accumulate(codes)) <= 1).all())


def values_by_place(values: Mapping[int, float] | Values, n: int) -> Mapping[int, float]:
    """Returns place -> value, from a mapping or from a column with a missing value wherever nobody
    gave one.

    Raises:
        ValueError: for a column that is not as long as the `n` units.
    """
    if isinstance(values, Mapping):
        return values
    if len(values) != n:
        raise ValueError(
            f"{n} verdicts but a column of {len(values)} labels: give it None where nobody "
            "labelled, or a mapping from a unit's place to its label"
        )
    listed = enumerate(plain_list(values))
    return {place: value for place, value in listed if not _is_missing(value)}


def labels_by_unit(labels: Mapping[Any, Any] | Values) -> dict[Any, Any]:
    """Returns unit -> label: of a mapping by its keys, of a pandas column by its index, of others
    by place; None for what is missing.

    >>> labels_by_unit(["YES", float("nan")])
    {0: 'YES', 1: None}

    Raises:
        ValueError: an index that holds a unit twice.
    """
    items: Any = getattr(labels, "items", None)
    pairs = list(items() if items else enumerate(plain_list(labels)))
    by_unit = {}
    for unit, label in pairs:
        by_unit[unit] = None if _is_missing(label) else label
    if len(by_unit) < len(pairs):
        raise ValueError("the index holds a unit twice; reset_index(drop=True) numbers the rows")
    return by_unit


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN (which differs from itself) or pandas' NA."""
    unknown = value is None or type(value).__name__ in ("NAType", "NaTType")
    return unknown or (isinstance(value, float) and value != value)
