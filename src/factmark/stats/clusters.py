"""Means and shares over clusters, with intervals that take the clusters as what was sampled.

Answers to one question are not independent, nor are triples of one head entity; questions and
entities are what a benchmark or a graph is a sample of. So values are kept per cluster.
`mean_over_clusters` makes the averages of answers (S, C, H) with their intervals, and
`ratio_over_clusters` the published scores of graphs. Which interval is used was
decided by simulation: `benchmarks/coverage/clusters.py`, `docs/answers.md`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from factmark.model import AMOUNT, Estimate, Target, content_hash
from factmark.stats.intervals import (
    MOST_RESAMPLED,
    RESAMPLES,
    Floats,
    Interval,
    bootstrap_interval,
    no_estimate,
    ratio,
    resample,
    resamples_drawn,
    standard_error,
    t_quantile,
    wilson,
)
from factmark.stats.rounding import CLOSE
from factmark.stats.scales import of_observed, share_observed

_SAME = 1e-12  # how far apart equal means may lie by rounding
_INFINITE = 1e9  # a statistic that is, to quantiles that would interpolate between infinities


@dataclass(frozen=True, slots=True, kw_only=True)
class Clusters:
    """The clusters that have values: the values end to end, and how many are whose."""

    names: list[str]
    values: Floats
    sizes: Floats
    sums: Floats

    @classmethod
    def from_tallies(cls, tallies: Mapping[str, Sequence[float]]) -> Clusters:
        """Leaves out empty clusters and lays the values of the others end to end."""
        # By name and value: nothing then depends on the order of the rows of a file.
        seen = {}
        for name in sorted(tallies):
            if len(tallies[name]):
                seen[name] = sorted(tallies[name])
        values = np.fromiter(chain.from_iterable(seen.values()), np.float64)
        return cls._of(list(seen), np.fromiter(map(len, seen.values()), np.float64), values)

    @classmethod
    def from_columns(
        cls, names: Sequence[str], places: NDArray[np.int64], values: Floats
    ) -> Clusters:
        """Returns the clusters of values that stand in a column, beside the places of their
        clusters in `names`, which are in order."""
        sizes = np.bincount(places, minlength=len(names))
        filled = np.flatnonzero(sizes)
        ordered = values[np.lexsort((values, places))]
        return cls._of(
            [names[place] for place in filled.tolist()], sizes[filled].astype(np.float64), ordered
        )

    @classmethod
    def _of(cls, names: list[str], sizes: Floats, values: Floats) -> Clusters:
        """Returns clusters of these sizes, none of them empty."""
        starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.int64)
        if names:
            sums = np.add.reduceat(values, starts)
        else:
            sums = values
        return cls(names=names, values=values, sizes=sizes, sums=sums)

    def estimate(
        self,
        value: float,
        interval: Interval | None,
        level: float,
        n_missing: int,
        extremes: tuple[float | None, float | None],
        error: float = 0.0,
        seed: int | None = None,
    ) -> Estimate:
        """An estimate over the clusters; an `interval` of None means that they all agree."""
        if interval is None:
            low, high = wilson(value, len(self.names), level)
            interval = Interval(low=low, high=high, method="wilson (all clusters agree)")
        return Estimate(
            value=value,
            low=interval.low,
            high=interval.high,
            level=level,
            method=interval.method,
            n_items=len(self.names),
            n_units=len(self.values),
            n_missing=n_missing,
            worst=extremes[0],
            best=extremes[1],
            design_effect=self._design_effect(error),
            seed=seed,
            data=self._hash(),
        )

    def _design_effect(self, error: float) -> float | None:
        """The squared error over that of as many independent units (Kish 1965, section 8.2)."""
        units = len(self.values)
        alone = 0.0
        if units > 1:
            alone = float(self.values.var(ddof=1)) / units
        if error > CLOSE and alone > CLOSE**2:
            return error**2 / alone
        return None

    def _hash(self) -> str:
        """Returns a hash of names and values, on which the resampling depends."""
        numbers = hashlib.sha256(self.sizes.astype("<f8").tobytes())
        numbers.update(self.values.astype("<f8").tobytes())
        return content_hash(self.names, numbers.hexdigest())


def mean_over_clusters(
    tallies: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    n_missing: int = 0,
    lost: Mapping[str, int] | None = None,
    lower_is_better: bool = False,
    target: Target = "process",
) -> Estimate:
    """Returns the mean of the clusters' means of values in [0, 1], with its interval.

    The interval is the studentised bootstrap's (`studentised`); above 1,000 clusters, where
    resampling tells nothing that their spread does not, Student's on the logit (`logit_student`).
    Where all clusters have the same mean, neither says anything; then it is the Wilson interval of
    that mean in m trials, which is conservative.

    Args:
        tallies: cluster -> the values of its units; empty clusters do not count.
        n_missing: clusters that should have been there; each is taken as 0 and as 1 for the worst
            and the best case.
        lost: cluster -> units that should have been among its values and are not; taken as 0 and
            as 1 likewise. They are not in `n_missing`, which counts clusters.
        lower_is_better: which of the two is the worst.
        target: what it speaks for. Of just these units, those that are missing are the only ones
            not observed.
    """
    clusters = Clusters.from_tallies(tallies)
    low, high = _extremes(clusters, n_missing, lost or {})
    if lower_is_better:
        extremes = (high, low)
    else:
        extremes = (low, high)
    m = len(clusters.names)
    if not m:
        none = no_estimate(level, n_missing=n_missing, extremes=extremes)
        return replace(none, target=target)
    means = np.clip(clusters.sums / clusters.sizes, 0, 1)
    value = float(means.mean())
    error = 0.0
    if m > 1:
        error = float(means.std(ddof=1)) / math.sqrt(m)
    drawn = None
    if np.ptp(means) <= _SAME:
        interval = None
    elif m > MOST_RESAMPLED:
        interval = logit_student(value, error, m, level)
    else:
        interval = studentised(means, level=level, resamples=resamples, seed=seed)
        drawn = seed
    estimate = clusters.estimate(value, interval, level, n_missing, extremes, error, drawn)
    observed = _share_of_clusters(clusters, n_missing, lost or {})
    return of_observed(estimate, share_observed(target, observed))


def ratio_over_clusters(
    tallies: Mapping[str, Sequence[float]] | Clusters,
    *,
    n_missing: int = 0,
    level: float = 0.95,
    target: Target = "process",
    part: float = 1.0,
) -> Estimate:
    """The mean over all units of values in [0, 1], with an interval that keeps clusters whole.

    A ratio of two sums over clusters, of the values and of the units; a cluster with more units
    weighs more. The published scores of graphs are such means. The interval is Student's on the
    logit (`logit_student`) with the jackknife's standard error over clusters. Where all clusters
    have the same mean it is the Wilson interval of that mean in m trials, m the clusters: that is
    right even if the units of a cluster are copies of each other.

    Args:
        tallies: cluster -> the values of its units; empty clusters do not count.
        n_missing: units without a value; all 0 in the worst case, all 1 in the best.
        target: what it speaks for.
        part: the share of these units, the missing with them, of all that there are.
    """
    if isinstance(tallies, Clusters):
        clusters = tallies
    else:
        clusters = Clusters.from_tallies(tallies)
    units = len(clusters.values)
    total = float(clusters.values.sum())
    every = units + n_missing
    extremes: tuple[float, float] | tuple[None, None]
    if every:
        extremes = (total / every, (total + n_missing) / every)
    else:
        extremes = (None, None)
    if not units:
        none = no_estimate(level, n_missing=n_missing, extremes=extremes)
        return replace(none, target=target)
    value = min(1.0, max(0.0, total / units))
    observed = share_observed(target, part * units / every)
    if np.ptp(clusters.sums / clusters.sizes) <= _SAME:
        estimate = clusters.estimate(value, None, level, n_missing, extremes)
        return of_observed(estimate, observed)
    error = standard_error(np.column_stack([clusters.sums, clusters.sizes]), ratio)
    interval = logit_student(value, error, len(clusters.names), level)
    estimate = clusters.estimate(value, interval, level, n_missing, extremes, error)
    return of_observed(estimate, observed)


def mean_amount(
    tallies: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    n_missing: int = 0,
    target: Target = "process",
) -> Estimate:
    """Returns the mean of the clusters' means of values from 0 upwards, with its interval.

    The interval is `bootstrap_interval` over clusters (BCa), which is too short for few clusters of
    skewed amounts (docs/running.md). With one cluster, or where all clusters have the same mean
    nothing tells how far others would lie, so there is none. Worst and best are known only where
    nothing is missing: an amount has no upper bound.

    Args:
        tallies: cluster -> the values of its units; empty clusters do not count.
        n_missing: clusters that should have been there.
        target: what it speaks for.
    """
    means = {}
    for name, values in tallies.items():
        if values:
            means[name] = math.fsum(values) / len(values)
    if not means:
        return replace(no_estimate(level, n_missing=n_missing), scale=AMOUNT, target=target)
    rows = np.array([(mean, 1.0) for mean in means.values()])
    interval = bootstrap_interval(
        rows, ratio, level=level, resamples=resamples, seed=seed, bounds=(0.0, math.inf)
    )
    value = math.fsum(means.values()) / len(means)
    known = None
    if not n_missing:
        known = value
    why = "none (one cluster)"
    if len(means) > 1:
        why = "none (all clusters agree)"
    estimate = Estimate(
        value=value,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        level=level,
        method=interval.method if interval else why,
        n_items=len(means),
        n_units=sum(map(len, tallies.values())),
        n_missing=n_missing,
        worst=known,
        best=known,
        seed=seed if interval and "bootstrap" in interval.method else None,
        data=content_hash([[name, list(values)] for name, values in tallies.items()]),
        scale=AMOUNT,
    )
    return of_observed(estimate, share_observed(target, len(means) / (len(means) + n_missing)))


def nearest_rank(values: Sequence[float], share: float) -> float:
    """Returns the quantile by nearest rank: the least of n >= 1 values that at least this share of
    them do not exceed, for 0 < share <= 1.

    >>> nearest_rank([5, 1, 3, 2], 0.5), nearest_rank([5, 1, 3, 2], 0.95)
    (2, 5)
    """
    # 0.07 * 100 is 7.000000000000001, and the eighth of 100 values is not meant.
    place = math.ceil(share * len(values) - 1e-9)
    return sorted(values)[max(place, 1) - 1]


def studentised(means: Floats, *, level: float, resamples: int, seed: int) -> Interval:
    """The bootstrap-t interval of the mean of m >= 2 values in [0, 1] that are not all alike.

    Studentised on the scale of arcsin sqrt, where the variance of a share does not depend on the
    share (Efron and Tibshirani 1993, "An Introduction to the Bootstrap", sections 12.5 and 12.6).
    A resample of equal values has no spread: its statistic is infinite. Where many are such, only
    the bound that holds for all values in [0, 1] is left, and the interval is never wider: that of
    as many yes/no trials with the same mean, which vary most (`wilson`).
    """
    m = len(means)
    value = float(means.mean())
    away = means - value
    variance = float(np.mean(away**2)) / (m - 1)

    def statistic(sums: Floats) -> Floats:
        moved = sums[:, 0] / m
        squares = sums[:, 1] / m
        mean = np.clip(value + moved, 0, 1)
        spread = (squares - moved**2) / (m - 1)
        slope = 2 * np.sqrt(mean * (1 - mean))
        known = (spread > _SAME * variance) & (slope > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            t = (np.arcsin(np.sqrt(mean)) - angle) * slope / np.sqrt(spread)
        return np.where(known, t, np.sign(moved) * _INFINITE)

    angle = math.asin(math.sqrt(value))
    n_draws = resamples_drawn(resamples, m)
    drawn = resample(np.column_stack([away, away**2]), statistic, resamples=n_draws, seed=seed)
    tails = np.quantile(drawn, [(1 + level) / 2, (1 - level) / 2])
    unit = math.sqrt(variance / (4 * value * (1 - value)))
    low, high = np.sin(np.clip(angle - tails * unit, 0, math.pi / 2)) ** 2
    # Never wider than if every cluster said yes or no, which varies most: see the docstring.
    least, most = wilson(value, m, level)
    return Interval(
        low=min(value, max(least, float(low))),
        high=max(value, min(most, float(high))),
        method=f"cluster bootstrap, studentised, {n_draws} resamples",
    )


def logit_student(value: float, error: float, m: int, level: float) -> Interval:
    """Student's interval on the logit, m - 1 degrees of freedom, for 0 < value < 1, error > 0.

    The error of the logit is error / (value (1 - value)), by the delta method. It cannot leave
    [0, 1], and near its ends is as skew as the distribution is. R's `survey::svyciprop` does so by
    default.
    """
    half = t_quantile((1 + level) / 2, m - 1) * error / (value * (1 - value))
    centre = math.log(value / (1 - value))
    low, high = ((1 + math.tanh((centre + side) / 2)) / 2 for side in (-half, half))
    return Interval(
        low=min(low, value), high=max(high, value), method="Student's t over clusters, logit"
    )


def _share_of_clusters(clusters: Clusters, n_missing: int, lost: Mapping[str, int]) -> float:
    """Returns how much of all clusters was observed, each by its share of known values."""
    more = np.array([lost.get(name, 0) for name in clusters.names], dtype=np.float64)
    known = float(np.sum(clusters.sizes / (clusters.sizes + more)))
    return known / (len(clusters.names) + n_missing)


def _extremes(
    clusters: Clusters, n_missing: int, lost: Mapping[str, int]
) -> tuple[float | None, float | None]:
    """The mean with everything missing counted as 0 and as 1; (None, None) without clusters."""
    total = len(clusters.names) + n_missing
    if not total:
        return None, None
    if not clusters.names:
        return 0.0, 1.0
    more = np.array([lost.get(name, 0) for name in clusters.names], dtype=np.float64)
    sums = clusters.sums
    sizes = clusters.sizes + more
    low = float(np.sum(sums / sizes))
    high = float(np.sum((sums + more) / sizes))
    return low / total, (high + n_missing) / total
