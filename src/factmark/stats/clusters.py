"""Means over clusters, with intervals from resampling whole clusters.

Answers to one question are not independent; questions are what a benchmark samples. So a tally is
kept per question, and questions are resampled.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate
from factmark.stats.intervals import wilson
from factmark.stats.quantiles import t_quantile

RESAMPLES = 10_000


def mean_over_clusters(
    tallies: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    n_missing: int = 0,
    lost: Mapping[str, int] | None = None,
    lower_is_better: bool = False,
) -> Estimate:
    """The mean of the clusters' means of values in [0, 1], with its interval.

    The interval is the bootstrap percentile interval, expanded for small samples: the tails are
    taken at Phi(-sqrt(n/(n-1)) t) instead of alpha/2, t being the quantile of Student's t with n-1
    degrees of freedom (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", section
    on expanded percentiles). Where all clusters have the same mean, resampling would give width
    zero; then it is the Wilson interval of that mean in n trials, which is conservative.

    Args:
        tallies: cluster -> the values of its units; empty clusters do not count.
        n_missing: clusters that should have been there; each is taken as 0 and as 1 for the worst
            and the best case.
        lost: cluster -> units that should have been among its values and are not; taken as 0 and
            as 1 likewise. They are not in `n_missing`, which counts clusters.
        lower_is_better: which of the two is the worst.
    """
    means = np.array([float(np.mean(values)) for values in tallies.values() if len(values)])
    units = sum(len(values) for values in tallies.values())
    n = len(means)
    worst, best = _extremes(tallies, n_missing, lost or {})
    if lower_is_better:
        worst, best = best, worst
    if not n:
        return Estimate(
            value=None, low=None, high=None, level=level, method="none", n_items=0, n_units=0,
            n_missing=n_missing, worst=worst, best=best,
        )  # fmt: skip
    value = min(1.0, max(0.0, float(means.mean())))
    if np.all(means == means[0]):
        low, high = wilson(value, n, level)
        method = "wilson (all clusters agree)"
    else:
        low, high = expanded_percentile(means, level=level, resamples=resamples, seed=seed)
        method = f"cluster bootstrap, expanded percentile, {resamples} resamples"
    return Estimate(
        value=value, low=min(low, value), high=max(high, value), level=level, method=method,
        n_items=n, n_units=units, n_missing=n_missing, worst=worst, best=best,
    )  # fmt: skip


def _extremes(
    tallies: Mapping[str, Sequence[float]], n_missing: int, lost: Mapping[str, int]
) -> tuple[float | None, float | None]:
    seen = {name: values for name, values in tallies.items() if len(values)}
    total = len(seen) + n_missing
    if not total:
        return None, None
    worst, best = (
        float(np.sum([np.mean([*seen[name], *[end] * lost.get(name, 0)]) for name in seen]))
        for end in (0.0, 1.0)
    )
    return worst / total, (best + n_missing) / total


def expanded_percentile(
    means: NDArray[np.float64], *, level: float, resamples: int, seed: int
) -> tuple[float, float]:
    """The expanded bootstrap percentile interval of the mean of n >= 2 values."""
    n = len(means)
    generator = np.random.default_rng(seed)
    sums = np.zeros(resamples)
    for _ in range(n):  # one draw of each resample at a time: memory stays flat for large n
        sums += means[generator.integers(0, n, resamples)]
    tail = NormalDist().cdf(-math.sqrt(n / (n - 1)) * t_quantile((1 + level) / 2, n - 1))
    low, high = np.quantile(sums / n, [tail, 1 - tail])
    return float(low), float(high)
