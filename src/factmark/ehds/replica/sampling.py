"""Draws that give the same result in every Python version: built on `Random.random()` alone."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def whole(below: int, rng: Random) -> int:
    """A whole number from 0 to `below` - 1."""
    return int(rng.random() * below)


def pick(values: Sequence[T], rng: Random) -> T:
    """One of the values."""
    return values[int(rng.random() * len(values))]


def shuffled(values: Sequence[T], rng: Random) -> list[T]:
    """The values in random order (Fisher-Yates)."""
    result = list(values)
    for last in range(len(result) - 1, 0, -1):
        other = whole(last + 1, rng)
        result[last], result[other] = result[other], result[last]
    return result


def sample(values: Sequence[T], count: int, rng: Random) -> list[T]:
    """`count` of the values without repetition, in their own order; all, if there are no more."""
    chosen = sorted(shuffled(range(len(values)), rng)[:count])
    return [values[i] for i in chosen]


def days_in_month(year: int, month: int) -> int:
    """The length of a month in days."""
    return monthrange(year, month)[1]
