"""Amounts without an upper bound (calls, tokens, seconds): means over clusters, nearest ranks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from factmark.model import Estimate, content_hash
from factmark.stats.resampling import RESAMPLES, Floats, bootstrap_interval

_NO_INTERVAL = ("none (one cluster)", "none (all clusters agree)")


def mean_amount(
    tallies: Mapping[str, Sequence[float]],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    n_missing: int = 0,
) -> Estimate:
    """The mean of the clusters' means of values from 0 upwards, with its interval.

    The interval is `bootstrap_interval` over clusters (BCa), which is too short for few clusters of
    skewed amounts (docs/running.md). With one cluster, or where all clusters have the same mean
    nothing tells how far others would lie, so there is none. Worst and best are known only where
    nothing is missing: an amount has no upper bound.

    Args:
        tallies: cluster -> the values of its units; empty clusters do not count.
        n_missing: clusters that should have been there.
    """
    means = {name: math.fsum(some) / len(some) for name, some in tallies.items() if some}
    units = sum(map(len, tallies.values()))
    if not means:
        return Estimate(
            value=None, low=None, high=None, level=level, method="none", n_items=0, n_units=0,
            n_missing=n_missing,
        )  # fmt: skip
    rows = np.array([(mean, 1.0) for mean in means.values()])
    drawn = bootstrap_interval(
        rows, _mean, level=level, resamples=resamples, seed=seed, bounds=(0.0, math.inf)
    )
    value = math.fsum(means.values()) / len(means)
    return Estimate(
        value=value,
        low=None if drawn is None else drawn.low,
        high=None if drawn is None else drawn.high,
        level=level,
        method=_NO_INTERVAL[len(means) > 1] if drawn is None else drawn.method,
        n_items=len(means),
        n_units=units,
        n_missing=n_missing,
        worst=None if n_missing else value,
        best=None if n_missing else value,
        seed=seed if drawn is not None and "bootstrap" in drawn.method else None,
        data=content_hash([[name, list(some)] for name, some in tallies.items()]),
    )


def _mean(sums: Floats) -> Floats:
    return np.asarray(sums[:, 0] / sums[:, 1], dtype=float)


def nearest_rank(values: Sequence[float], share: float) -> float:
    """The least value that at least this share of n >= 1 values do not exceed, 0 < share <= 1.

    >>> nearest_rank([5, 1, 3, 2], 0.5), nearest_rank([5, 1, 3, 2], 0.95)
    (2, 5)
    """
    place = math.ceil(share * len(values) - 1e-9)
    return sorted(values)[max(place, 1) - 1]
