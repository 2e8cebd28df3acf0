"""Two systems on the same units: the difference, its interval, its tests, what is missing.

Pairing takes out how hard each unit is, so the interval of the difference is narrower than the two
systems' own intervals suggest. Units of one item (an answer's facts, a head's triples) depend on
each other, so items are what is resampled and what changes sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from factmark.model import Estimate, content_hash
from factmark.stats.intervals import RESAMPLES, Floats, Interval
from factmark.stats.paired import (
    DRAWS,
    difference_interval,
    mcnemar,
    sign_flips,
    value_interval,
)

Units = Mapping[str, Mapping[str, Sequence[float | None]]]
"""Cluster -> unit -> the unit's values in [0, 1]: one, or several that are averaged. None stands
for a value that should be there and is not. A unit's name is the same in all systems."""

Per = Literal["item", "unit"]
_Of = Callable[["_Pair"], "_Reading"]
_SAME = 1e-9  # values that differ by less are ties


class _Interval(Protocol):
    def __call__(self, tallies: Floats, *, level: float, resamples: int, seed: int) -> Interval: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How systems are compared.

    Attributes:
        per: `item` for the mean of the items' means, as of answers; `unit` for the mean over all
            units, as of graphs.
        lower_is_better: which of two values wins, and which extreme is the worst.
        level: nominal coverage of the intervals.
        resamples, draws: of the bootstrap and of the permutation test.
        seed: of both.
    """

    per: Per = "item"
    lower_is_better: bool = False
    level: float = 0.95
    resamples: int = RESAMPLES
    draws: int = DRAWS
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the units that both systems have say of them.

    Attributes:
        a, b: the systems' names.
        difference: of A - B, worst and best for A over all that is missing. Its items and units
            are those that both have.
        value_a, value_b: each system's own value on these units; missing are its own units.
        p_permutation: of `sign_flips` over items; None without common units.
        p_mcnemar: of `mcnemar` where all values are 0 or 1, else None. It takes units for
            independent: where items have several, believe `p_permutation`.
        p_adjusted: Holm's, among the comparisons that were made together; None for one alone.
        n_both, only_a, only_b, neither: units, by who has a value.
        wins, ties, losses: of A, among the units that both have.
    """

    a: str
    b: str
    difference: Estimate
    value_a: Estimate
    value_b: Estimate
    p_permutation: float | None
    p_mcnemar: float | None
    n_both: int
    only_a: int
    only_b: int
    neither: int
    wins: int
    ties: int
    losses: int
    lower_is_better: bool = False
    p_adjusted: float | None = None

    @property
    def p(self) -> float | None:
        """The p to go by: adjusted where there is one, of the permutation test."""
        return self.p_permutation if self.p_adjusted is None else self.p_adjusted

    @property
    def told_apart(self) -> bool:
        """Whether the test tells them apart at the interval's level."""
        return self.p is not None and self.p <= 1 - self.difference.level + 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A value, and the least and the most that it is once nothing is missing."""

    value: float | None
    least: float
    most: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """One unit in both systems."""

    cluster: str
    unit: str
    a: _Reading
    b: _Reading

    @property
    def difference(self) -> _Reading:
        """Of A - B; there is a value where both have one."""
        value = (
            None if self.a.value is None or self.b.value is None else self.a.value - self.b.value
        )
        return _Reading(
            value=value, least=self.a.least - self.b.most, most=self.a.most - self.b.least
        )


def difference(
    a: Units, b: Units, *, names: tuple[str, str] = ("A", "B"), options: Options | None = None
) -> Comparison:
    """Compares two systems over the units that both have; see `difference_interval`.

    Units that only one of them has, or neither, are in no value. Worst and best are over all
    units, with the least and the most that the missing could say; where the units that only one
    has are unlike the others, the value may lie outside.

    Raises:
        ValueError: for a value outside [0, 1].
    """
    options = options or Options()
    pairs = _pairs(a, b)
    seen = [pair for pair in pairs if pair.difference.value is not None]
    gaps = [gap for pair in seen if (gap := pair.difference.value) is not None]
    ups, downs = sum(gap > _SAME for gap in gaps), sum(gap < -_SAME for gap in gaps)
    wins, losses = (downs, ups) if options.lower_is_better else (ups, downs)
    yes_no = all(side.value in (0, 1) for pair in seen for side in (pair.a, pair.b))
    only_a = sum(p.a.value is not None and p.b.value is None for p in pairs)
    only_b = sum(p.b.value is not None and p.a.value is None for p in pairs)
    apart = _tallies(pairs, _difference, options.per)[:, 0]
    return Comparison(
        a=names[0],
        b=names[1],
        difference=_estimate(pairs, _difference, difference_interval, options),
        value_a=_estimate(pairs, _a, value_interval, options),
        value_b=_estimate(pairs, _b, value_interval, options),
        p_permutation=sign_flips(apart, draws=options.draws, seed=options.seed) if seen else None,
        p_mcnemar=mcnemar(ups, downs) if seen and yes_no else None,
        n_both=len(seen),
        only_a=only_a,
        only_b=only_b,
        neither=len(pairs) - len(seen) - only_a - only_b,
        wins=wins,
        ties=len(seen) - wins - losses,
        losses=losses,
        lower_is_better=options.lower_is_better,
    )


def common(systems: Iterable[Units]) -> tuple[Units, int, int]:
    """The units of all systems, with a value 0 where every system has one and none elsewhere.

    Returns:
        These units, for `measured`; how many have a value, and how many have none.
    """
    systems = list(systems)
    units: dict[str, dict[str, tuple[float, ...]]] = {}
    for cluster, unit in dict.fromkeys((c, u) for some in systems for c in some for u in some[c]):
        everywhere = all(_has(some, cluster, unit) for some in systems)
        units.setdefault(cluster, {})[unit] = (0.0,) if everywhere else ()
    filled = [bool(values) for some in units.values() for values in some.values()]
    return units, sum(filled), len(filled) - sum(filled)


def _has(units: Units, cluster: str, unit: str) -> bool:
    return any(value is not None for value in units.get(cluster, {}).get(unit, ()))


def measured(units: Units, within: Units, options: Options | None = None) -> Estimate:
    """The value of one system over the units that have a value in `within`."""
    return _estimate(_pairs(units, within), _a, value_interval, options or Options())


def _pairs(a: Units, b: Units) -> list[_Pair]:
    """Every unit that either names; sorted, so that no order of theirs changes a digit."""
    nothing: Mapping[str, Sequence[float | None]] = {}
    return [
        _Pair(
            cluster=cluster,
            unit=unit,
            a=_reading(a.get(cluster, nothing).get(unit, ())),
            b=_reading(b.get(cluster, nothing).get(unit, ())),
        )
        for cluster in sorted({*a, *b})
        for unit in sorted({*a.get(cluster, nothing), *b.get(cluster, nothing)})
    ]


def _reading(values: Sequence[float | None]) -> _Reading:
    known = [value for value in values if value is not None]
    if not all(0 <= value <= 1 for value in known):
        raise ValueError(f"values are from 0 to 1: {known}")
    if not known:
        return _Reading(value=None, least=0.0, most=1.0)
    total = math.fsum(known)
    return _Reading(
        value=min(1.0, total / len(known)),
        least=total / len(values),
        most=min(1.0, (total + len(values) - len(known)) / len(values)),
    )


def _a(pair: _Pair) -> _Reading:
    return pair.a


def _b(pair: _Pair) -> _Reading:
    return pair.b


def _difference(pair: _Pair) -> _Reading:
    return pair.difference


def _estimate(pairs: Sequence[_Pair], of: _Of, interval: _Interval, options: Options) -> Estimate:
    """An estimate from the pairs that both systems have, its extremes from all of them."""
    tallies = _tallies(pairs, of, options.per)
    worst, best = _extremes(pairs, of, options.per)
    if options.lower_is_better:
        worst, best = best, worst
    known = sum(pair.difference.value is not None for pair in pairs)
    missing = sum(of(pair).value is None for pair in pairs)
    if not known:
        return Estimate(
            value=None, low=None, high=None, level=options.level, method="none", n_items=0,
            n_units=0, n_missing=missing, worst=worst, best=best,
        )  # fmt: skip
    value = float(tallies[:, 0].sum() / tallies[:, 1].sum())
    made = interval(tallies, level=options.level, resamples=options.resamples, seed=options.seed)
    return Estimate(
        value=value,
        low=min(made.low, value),
        high=max(made.high, value),
        level=options.level,
        method=made.method,
        n_items=len(tallies),
        n_units=known,
        n_missing=missing,
        worst=worst,
        best=best,
        seed=options.seed if "bootstrap" in made.method else None,
        data=content_hash(tallies.tolist()),
    )


def _tallies(pairs: Sequence[_Pair], of: _Of, per: Per) -> Floats:
    """Per cluster with common units: the sum of their values and their number; or mean and 1."""
    values: dict[str, list[float]] = {}
    for pair in pairs:
        value = of(pair).value
        if value is not None and pair.difference.value is not None:
            values.setdefault(pair.cluster, []).append(value)
    rows = [
        (math.fsum(some) / len(some), 1.0) if per == "item" else (math.fsum(some), len(some))
        for some in values.values()
    ]
    return np.array(rows, dtype=float).reshape(-1, 2)


def _extremes(pairs: Sequence[_Pair], of: _Of, per: Per) -> tuple[float | None, float | None]:
    """The least and the most, with every unit that should be there."""
    if not pairs:
        return None, None
    sums: dict[str, tuple[float, float, int]] = {}
    for pair in pairs:
        least, most, n = sums.get(pair.cluster, (0.0, 0.0, 0))
        reading = of(pair)
        sums[pair.cluster] = (least + reading.least, most + reading.most, n + 1)
    n = len(sums) if per == "item" else len(pairs)
    rows = [(a / k, b / k) if per == "item" else (a, b) for a, b, k in sums.values()]
    return math.fsum(row[0] for row in rows) / n, math.fsum(row[1] for row in rows) / n
