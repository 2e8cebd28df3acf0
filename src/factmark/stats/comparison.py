"""Two systems on the same units: the difference, its interval, its tests, what is missing.

Pairing takes out how hard each unit is, so the interval of the difference is narrower than the two
systems' own intervals suggest. Units of one item (an answer's facts, a head's triples) depend on
each other, so items are what is resampled and what changes sign.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from factmark.model import SHARE, Estimate, Scale, Target, content_hash
from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
from factmark.stats.intervals import RESAMPLES, Floats, no_estimate
from factmark.stats.paired import DRAWS, difference_interval, mcnemar, sign_flips
from factmark.stats.scales import difference_on_scale, on_scale

Units = Mapping[str, Mapping[str, Sequence[float | None]]]
"""Cluster -> unit -> the unit's values in [0, 1]: one, or several that are averaged. None stands
for a value that should be there and is not. A unit's name is the same in all systems."""

Per = Literal["item", "unit"]
_SAME = 1e-9  # values that differ by less are ties


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How estimates are made, and systems compared.

    Attributes:
        per: `item` for the mean of the items' means, as of answers; `unit` for the mean over all
            units, as of graphs.
        lower_is_better: which of two values wins, and which extreme is the worst.
        scale: of the measure; units have shares of it, and estimates are values of it.
        target: what averages speak for. Comparisons are always of what made the units, which is
            what a test asks about.
        level: nominal coverage of the intervals.
        resamples, draws: of the bootstrap and of the permutation test.
        seed: of both.
    """

    per: Per = "item"
    lower_is_better: bool = False
    scale: Scale = SHARE
    target: Target = "process"
    level: float = 0.95
    resamples: int = RESAMPLES
    draws: int = DRAWS
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedPair:
    """What people would have said of two systems, by their labels of some units of both.

    Attributes:
        difference: of A - B, on the same items.
        value_a, value_b: each system's corrected value on these.
        p: the level at which the interval of the difference ends at 0.
    """

    difference: Estimate
    value_a: Estimate
    value_b: Estimate
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What the units that both systems have say of them.

    Attributes:
        a, b: the systems' names.
        difference: of A - B, worst and best for A over all that is missing. Its items and units
            are those that both have.
        value_a, value_b: each system's own value on these units; missing are its own units.
        p_permutation: of `sign_flips` over items; None without common units.
        p_at_most: whether that is but the least that the draws could show.
        p_mcnemar: of `mcnemar` where all values are 0 or 1, else None. It takes units for
            independent: where items have several, believe `p_permutation`.
        p_adjusted: Holm's, among the comparisons that were made together; None for one alone.
        n_differ: items whose values differ; those that do not change no p.
        p_least: the smallest that `p` can be with so many: 2 of all patterns of their signs.
        n_both, only_a, only_b, neither: units, by who has a value.
        people: the same corrected by people's labels, where they labelled enough of both; then it
            decides.
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
    n_differ: int = 0
    p_least: float | None = None
    p_at_most: bool = False
    people: CorrectedPair | None = None

    @property
    def p_alone(self) -> float | None:
        """The p-value before Holm: of the corrected difference, else of the permutation test."""
        if self.people is not None:
            return self.people.p
        return self.p_permutation

    @property
    def p(self) -> float | None:
        """The p-value to report: Holm's if it was computed, else `p_alone`."""
        if self.p_adjusted is None:
            return self.p_alone
        return self.p_adjusted

    @property
    def corrected(self) -> Estimate | None:
        """The difference that people's labels correct; None where they labelled too few."""
        if self.people is None:
            return None
        return self.people.difference

    @property
    def p_corrected(self) -> float | None:
        """The p of that difference, before Holm."""
        if self.people is None:
            return None
        return self.people.p

    @property
    def n_labelled(self) -> int | None:
        """Items with labels that correct it."""
        if self.people is None:
            return None
        return self.people.difference.n_items

    @property
    def decisive(self) -> tuple[Estimate, Estimate, Estimate]:
        """The difference that decides and the values of A and B: people's, else the judge's."""
        if self.people is not None:
            return self.people.difference, self.people.value_a, self.people.value_b
        return self.difference, self.value_a, self.value_b

    @property
    def told_apart(self) -> bool:
        """Whether the two systems differ significantly at the level of the interval."""
        return self.p is not None and self.p <= 1 - self.difference.level + 1e-12

    @property
    def too_few_differ(self) -> bool:
        """Whether the test could not tell the two apart however they differ on these items."""
        if self.people is not None or self.p_least is None:
            return False
        return self.p_least > 1 - self.difference.level + 1e-12


class _Bounded(NamedTuple):
    """A value, and the least and the most that it is once nothing is missing."""

    value: float | None
    least: float
    most: float


class _Pair(NamedTuple):
    """A unit in both systems, and their difference A - B."""

    cluster: str
    a: _Bounded
    b: _Bounded
    apart: _Bounded


def difference(
    a: Units, b: Units, *, names: tuple[str, str] = ("A", "B"), options: Options | None = None
) -> Comparison:
    """Compares two systems on the units that both have; the interval is `difference_interval`'s.

    Units that only one of them has, or neither, are in no value. Worst and best are over all
    units, with the least and the most that the missing could say; where the units that only one
    has are unlike the others, the value may lie outside.

    Raises:
        ValueError: for a value outside [0, 1].
    """
    options = options or Options()
    pairs = _pairs(a, b)
    seen = []
    for pair in pairs:
        if pair.apart.value is not None:
            seen.append(pair)
    gaps = [pair.apart.value or 0.0 for pair in seen]
    ups = sum(gap > _SAME for gap in gaps)
    downs = sum(gap < -_SAME for gap in gaps)
    if options.lower_is_better:
        wins, losses = (downs, ups)
    else:
        wins, losses = (ups, downs)
    yes_no = all(_is_yes_no(side.value) for pair in seen for side in (pair.a, pair.b))
    only_a = sum(pair.a.value is not None for pair in pairs) - len(seen)
    only_b = sum(pair.b.value is not None for pair in pairs) - len(seen)
    if pairs:
        of_a, of_b, of_both = zip(*(pair[1:] for pair in pairs), strict=True)
    else:
        of_a, of_b, of_both = [()] * 3
    apart = _tallies(pairs, of_both, options.per)[:, 0]
    n_differ = int(np.sum(np.abs(apart) > _SAME))
    test = sign_flips(apart, draws=options.draws, seed=options.seed)
    p_least = None
    if gaps:
        p_least = min(1.0, 2.0 ** (1 - n_differ))
    return Comparison(
        a=names[0],
        b=names[1],
        difference=_difference(pairs, of_both, options),
        value_a=_value(pairs, of_a, options),
        value_b=_value(pairs, of_b, options),
        p_permutation=test.p if gaps else None,
        p_mcnemar=mcnemar(ups, downs) if gaps and yes_no else None,
        n_both=len(gaps),
        only_a=only_a,
        only_b=only_b,
        neither=len(pairs) - len(gaps) - only_a - only_b,
        wins=wins,
        ties=len(gaps) - wins - losses,
        losses=losses,
        lower_is_better=options.lower_is_better,
        n_differ=n_differ,
        p_least=p_least,
        p_at_most=test.at_most,
    )


def _is_yes_no(value: float | None) -> bool:
    """Whether a value is 0 or 1 but for rounding."""
    return value is not None and min(abs(value), abs(1 - value)) <= _SAME


def mask_of_shared_units(systems: Iterable[Units]) -> tuple[Units, int, int]:
    """Returns all units of the systems, with value 0 where every system has one and None elsewhere.

    Returns:
        These units, for `value_within`; how many have a value, and how many have none.
    """
    systems = list(systems)
    units: dict[str, dict[str, tuple[float, ...]]] = {}
    filled = n = 0
    for cluster, unit in dict.fromkeys(
        (c, u) for system in systems for c in system for u in system[c]
    ):
        values = []
        for system in systems:
            values.append(system.get(cluster, {}).get(unit, ()))
        everywhere = all(any(value is not None for value in own) for own in values)
        units.setdefault(cluster, {})[unit] = (0.0,) if everywhere else ()
        filled = filled + everywhere
        n = n + 1
    return units, filled, n - filled


def value_within(units: Units, within: Units, options: Options | None = None) -> Estimate:
    """Returns the value of one system over the units that have a value in `within`."""
    pairs = _pairs(units, within)
    return _value(pairs, [pair.a for pair in pairs], options or Options())


def _pairs(a: Units, b: Units) -> list[_Pair]:
    """Returns a pair for every unit that either system names; sorted, so that input order changes
    no digit.
    """
    pairs = []
    for cluster in sorted({*a, *b}):
        units_a = a.get(cluster, {})
        units_b = b.get(cluster, {})
        for unit in sorted({*units_a, *units_b}):
            of_a = _bounded_mean(units_a.get(unit, ()))
            of_b = _bounded_mean(units_b.get(unit, ()))
            known = of_a.value is not None and of_b.value is not None
            gap = None
            if known:
                gap = (of_a.value or 0.0) - (of_b.value or 0.0)
            apart = _Bounded(gap, of_a.least - of_b.most, of_a.most - of_b.least)
            pairs.append(_Pair(cluster, of_a, of_b, apart))
    return pairs


def _bounded_mean(values: Sequence[float | None]) -> _Bounded:
    """The mean of the known values, with the least and the most it could be were none missing."""
    known = []
    for value in values:
        if value is not None:
            known.append(value)
    if not all(0 <= value <= 1 for value in known):
        raise ValueError(f"values are from 0 to 1: {known}")
    if not known:
        return _Bounded(None, 0.0, 1.0)
    total = math.fsum(known)
    n = len(values)
    most = min(1.0, (total + n - len(known)) / n)
    return _Bounded(min(1.0, total / len(known)), total / n, most)


def _value(pairs: Sequence[_Pair], readings: Sequence[_Bounded], options: Options) -> Estimate:
    """One system's mean over the pairs that both have, with the interval of its own results."""
    values: dict[str, list[float]] = {}
    for pair, value in _common(pairs, readings):
        values.setdefault(pair.cluster, []).append(value)
    if options.per == "item":
        estimate = mean_over_clusters(
            values, level=options.level, resamples=options.resamples, seed=options.seed
        )
    else:
        estimate = ratio_over_clusters(values, level=options.level)
    worst, best = _extremes(pairs, readings, options)
    missing = sum(reading.value is None for reading in readings)
    estimate = replace(estimate, n_missing=missing, worst=worst, best=best)
    return on_scale(estimate, options.scale)


def _difference(pairs: Sequence[_Pair], gaps: Sequence[_Bounded], options: Options) -> Estimate:
    """The mean difference over the pairs that both have, its extremes from all of them."""
    tallies = _tallies(pairs, gaps, options.per)
    worst, best = _extremes(pairs, gaps, options)
    missing = sum(gap.value is None for gap in gaps)
    if not len(tallies):
        none = no_estimate(options.level, n_missing=missing, extremes=(worst, best))
        return difference_on_scale(none, options.scale)
    value = float(tallies[:, 0].sum() / tallies[:, 1].sum())
    interval = difference_interval(
        tallies, level=options.level, resamples=options.resamples, seed=options.seed
    )
    seed = None
    if "bootstrap" in interval.method:
        seed = options.seed
    estimate = Estimate(
        value=value,
        low=min(interval.low, value),
        high=max(interval.high, value),
        level=options.level,
        method=interval.method,
        n_items=len(tallies),
        n_units=sum(pair.apart.value is not None for pair in pairs),
        n_missing=missing,
        worst=worst,
        best=best,
        seed=seed,
        data=content_hash(tallies.tolist()),
    )
    return difference_on_scale(estimate, options.scale)


def _common(pairs: Sequence[_Pair], readings: Sequence[_Bounded]) -> Iterator[tuple[_Pair, float]]:
    """The pairs that both systems have, with the value of a reading each."""
    for pair, reading in zip(pairs, readings, strict=True):
        if pair.apart.value is not None and reading.value is not None:
            yield pair, reading.value


def _tallies(pairs: Sequence[_Pair], readings: Sequence[_Bounded], per: Per) -> Floats:
    """Returns a row for each cluster with common units: the sum of values and their number, or (per
    item) the mean and 1.
    """
    values: dict[str, list[float]] = {}
    for pair, value in _common(pairs, readings):
        values.setdefault(pair.cluster, []).append(value)
    rows = [
        (math.fsum(unit_values) / len(unit_values), 1.0)
        if per == "item"
        else (math.fsum(unit_values), len(unit_values))
        for unit_values in values.values()
    ]
    return np.array(rows, dtype=float).reshape(-1, 2)


def _extremes(
    pairs: Sequence[_Pair], readings: Sequence[_Bounded], options: Options
) -> tuple[float | None, float | None]:
    """Returns the worst and the best mean that could be over all units of the pairs, those that are
    missing counted as bad or as good as can be."""
    if not pairs:
        return None, None
    sizes = Counter(pair.cluster for pair in pairs)
    per_item = options.per == "item"
    weights = []
    for pair in pairs:
        weights.append(1 / sizes[pair.cluster] if per_item else 1.0)
    if per_item:
        n = len(sizes)
    else:
        n = len(pairs)
    least = math.fsum(w * reading.least for w, reading in zip(weights, readings, strict=True))
    most = math.fsum(w * reading.most for w, reading in zip(weights, readings, strict=True))
    if options.lower_is_better:
        worst, best = (most, least)
    else:
        worst, best = (least, most)
    return worst / n, best / n
