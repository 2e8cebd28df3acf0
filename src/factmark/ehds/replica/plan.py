"""How many resources each clinical graph holds at a given scale, and how is drawn what they hold.

Published totals are reached exactly at scale 1 and scale down in proportion, but never below what
the figures that hold at every scale need: a condition and an encounter for each patient, every
published observation type, the patients of each published medication.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor
from random import Random
from typing import TypeVar

from factmark.ehds.replica.facts import (
    CODED_REQUESTS,
    COHORTS,
    MEDICATION_REQUESTS,
    OBSERVATIONS,
    POLICIES,
    TOP_MEDICATIONS,
    Cohort,
)
from factmark.errors import InputError

T = TypeVar("T")

_LEAST_OBSERVATIONS = 24  # the stroke graph must show each of its twenty types
# A quarter of the observations per encounter: to list their types, a query reads them all.
_FEW_TYPES = frozenset({"stroke"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Resources of one clinical graph. `coded` of the `requests` carry an RxNorm code."""

    conditions: int
    encounters: int
    observations: int
    requests: int
    coded: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaPlan:
    """What will be generated: at a scale (above 0, 1 at most), by a seed, per cohort id."""

    scale: float
    seed: int
    counts: Mapping[str, Counts]

    @property
    def blocks(self) -> int:
        """All pieces of text: the catalogue, its datasets and policies, members, resources."""
        resources = sum(
            counts.conditions + counts.encounters + counts.observations + counts.requests
            for counts in self.counts.values()
        )
        described = 1 + len(COHORTS) + len(POLICIES)
        return described + sum(cohort.patients for cohort in COHORTS) + resources


def plan(scale: float = 1.0, seed: int = 0) -> ReplicaPlan:
    """Returns the plan for a scale and a seed.

    Raises:
        InputError: the scale is not within (0, 1].
    """
    if not 0 < scale <= 1:
        raise InputError(f"The scale is {scale}; give a number above 0 and at most 1 (full size).")
    live = [cohort for cohort in COHORTS if cohort.patients]
    observations = apportion(
        round(OBSERVATIONS * scale),
        [cohort.encounters * (1 if cohort.id in _FEW_TYPES else 4) for cohort in live],
    )
    requests = apportion(round(MEDICATION_REQUESTS * scale), [cohort.patients for cohort in live])
    counts = {}
    for cohort, n_observations, n_requests in zip(live, observations, requests, strict=True):
        counts[cohort.id] = _resource_counts(cohort, scale, n_observations, n_requests)
    return ReplicaPlan(scale=scale, seed=seed, counts=counts)


def _resource_counts(cohort: Cohort, scale: float, observations: int, requests: int) -> Counts:
    # Enough for each published pair of patient and medication twice, and some others.
    """Returns how many resources of each kind a cohort gets: in proportion to the scale, and no
    fewer than the published figures need.
    """
    pairs = sum(TOP_MEDICATIONS.get(cohort.id, {}).values())
    least = ceil(1.2 * pairs / min(CODED_REQUESTS, 1 - CODED_REQUESTS))
    requests = max(requests, cohort.patients, least)
    return Counts(
        conditions=max(round(cohort.conditions * scale), cohort.patients),
        encounters=max(round(cohort.encounters * scale), cohort.patients),
        observations=max(observations, cohort.patients, _LEAST_OBSERVATIONS),
        requests=requests,
        coded=round(requests * CODED_REQUESTS),
    )


def apportion(total: int, weights: Sequence[int]) -> list[int]:
    """Returns `total` split in proportion to the weights, in whole numbers that add up to it.

    Largest remainders; ties go to the earlier weight.

    >>> apportion(10, [1, 1, 1])
    [4, 3, 3]
    """
    exact = [total * weight / sum(weights) for weight in weights]
    parts = [floor(share) for share in exact]
    order = sorted(range(len(weights)), key=lambda i: (parts[i] - exact[i], i))
    for i in order[: total - sum(parts)]:
        parts[i] += 1
    return parts


# Draws that give the same in every Python version: they are built on `Random.random()` alone.


def whole_below(below: int, rng: Random) -> int:
    """Returns a whole number from 0 to `below` - 1."""
    return int(rng.random() * below)


def pick(values: Sequence[T], rng: Random) -> T:
    """Returns one of the values."""
    return values[int(rng.random() * len(values))]


def shuffled(values: Sequence[T], rng: Random) -> list[T]:
    """Returns the values in random order (Fisher-Yates)."""
    result = list(values)
    for last in range(len(result) - 1, 0, -1):
        other = whole_below(last + 1, rng)
        result[last], result[other] = result[other], result[last]
    return result


def sample(values: Sequence[T], count: int, rng: Random) -> list[T]:
    """Returns `count` of the values without repetition, in their own order; all, if there are no
    more.
    """
    chosen = sorted(shuffled(range(len(values)), rng)[:count])
    return [values[i] for i in chosen]
