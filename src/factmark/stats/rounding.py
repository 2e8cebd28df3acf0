"""What rounding must not decide: sums in any order, ties, ranks.

A processor rounds sums of floats in the order and with the instructions that its linear algebra
was compiled for, so equal sums differ in their last bits, and not alike on two machines. Hence
sums over resamples are exact (`split_exactly`), values are the same when they are `CLOSE`, and
what is ranked by floats is ranked by `tiers`. Rounding the values first would not do: of two that
are equal but for rounding, one may lie on either side of an edge.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
Key = TypeVar("Key", int, str)

CLOSE = 1e-9
"""How far apart, relative to the largest of them, equal values may lie by rounding."""
CLOSE_32 = 1e-6
"""The same of values that were added up in 32 bits."""
_BITS = 52  # of a whole number that a float holds, with one to spare


def split_exactly(tallies: _Floats) -> tuple[_Floats, _Floats]:
    """Two parts that add up to the rows, shape (m, d); sums of m rows of either part are exact.

    So it is the same whatever the order and the processor, and rows may come more than once. The
    parts are whole multiples of a power of 2, one for each column, small enough that no sum of m
    needs more bits than a float has. What neither part holds is below 1e-25 of the largest sum.
    """
    high = _whole_multiples(tallies)
    return high, _whole_multiples(tallies - high)


def _whole_multiples(tallies: _Floats) -> _Floats:
    """Each value rounded to a multiple of a power of 2 so large that sums of all rows are exact."""
    _, exponents = np.frexp(np.abs(tallies).max(axis=0) * len(tallies))
    whole = np.rint(np.ldexp(tallies, _BITS - exponents))
    multiples: _Floats = np.ldexp(whole, exponents - _BITS)
    return multiples


def is_same(values: _Floats, value: float) -> NDArray[np.bool_]:
    """Returns, for each finite value, whether it equals `value` but for rounding."""
    close = CLOSE * max(abs(value), float(np.abs(values).max(initial=0.0)))
    alike: NDArray[np.bool_] = np.abs(values - value) <= close
    return alike


def tiers(
    values: Sequence[float] | NDArray[np.floating], close: float = CLOSE
) -> NDArray[np.int64]:
    """The rank of each value among the different ones, from 0 for the least; equals share it.

    Neighbours that are `close`, relative to the largest finite value, share a place. No value is
    NaN.

    >>> tiers([0.3, 5.0, 0.1 + 0.2]).tolist()
    [0, 1, 0]
    """
    numbers = np.asarray(values, dtype=np.float64)
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    largest = np.abs(ordered[np.isfinite(ordered)]).max(initial=0.0)
    apart = ordered[1:] > ordered[:-1] + close * largest
    places = np.zeros(len(numbers), dtype=np.int64)
    places[order[1:]] = np.cumsum(apart)
    return places


def largest_remainders(shares: Mapping[Key, float], total: int) -> dict[Key, int]:
    """Returns shares as whole numbers that add up to the total, which is less than one a share
    above what they are rounded down: those that lose most by that get one more, of equals the
    first by key.

    >>> largest_remainders({"a": 1.5, "b": 0.2, "c": 1.3}, 3)
    {'a': 2, 'b': 0, 'c': 1}
    """
    whole = {key: math.floor(share) for key, share in shares.items()}
    rests = tiers([whole[key] - share for key, share in shares.items()]).tolist()
    by_rest = sorted(zip(rests, shares, strict=True))
    for _, key in by_rest[: total - sum(whole.values())]:
        whole[key] += 1
    return whole
