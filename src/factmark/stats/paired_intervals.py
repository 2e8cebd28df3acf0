"""Intervals of a difference between two systems that saw the same items."""

from __future__ import annotations

import math

import numpy as np

from factmark.stats.intervals import wilson
from factmark.stats.quantiles import normal_quantile, t_quantile
from factmark.stats.resampling import (
    RESAMPLES,
    Floats,
    Interval,
    bootstrap_interval,
    combined,
    standard_error,
)

_STEPS = 60  # of a bisection of [-1, 1]: to the last digit


def ratio(sums: Floats) -> Floats:
    """The first column over the second, which is above 0."""
    return np.asarray(sums[:, 0] / sums[:, 1], dtype=float)


def difference_interval(
    tallies: Floats, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The interval of a mean difference in [-1, 1], from the clusters' sums.

    - Where every cluster has one unit and all differences are -1, 0 or 1: `tango`.
    - Where all clusters differ by the same: `same_everywhere`.
    - Else the outer bounds of two intervals that fail in different places: the paired cluster
      bootstrap (BCa) follows one-sided differences, and is too narrow where few clusters differ;
      Student's t from the jackknife does the reverse (`benchmarks/coverage/comparison.py`).

    Args:
        tallies: a row for each of m >= 1 clusters: the sum of the differences A - B, and of how
            many (for a mean of item means: the item's mean, and 1).
    """
    m, value = len(tallies), combined(tallies, ratio)
    means = ratio(tallies)
    if np.all(tallies[:, 1] == 1) and np.all(np.isin(means, (-1, 0, 1))):
        low, high = tango(int(np.sum(means == 1)), int(np.sum(means == -1)), m, level)
        return Interval(low=low, high=high, method="Tango's score interval")
    error = standard_error(tallies, ratio) if np.ptp(means) > 1e-12 else 0.0
    if not error > 0:
        low, high = same_everywhere(value, m, level)
        return Interval(low=low, high=high, method="score interval (all items differ by the same)")
    half = t_quantile((1 + level) / 2, m - 1) * error
    low, high, method = value - half, value + half, "Student's t over clusters (jackknife)"
    drawn = bootstrap_interval(tallies, ratio, level=level, resamples=resamples, seed=seed)
    if drawn is not None and drawn.method != method:
        low, high = min(low, drawn.low), max(high, drawn.high)
        method = f"outer bounds of {drawn.method}, and of Student's t"
    return Interval(low=max(-1.0, low), high=min(1.0, high), method=method)


def value_interval(
    tallies: Floats, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """The interval of one system's mean in [0, 1]: cluster bootstrap, or Wilson's in m clusters.

    Args:
        tallies: as for `difference_interval`, of the system's own values.
    """
    drawn = bootstrap_interval(
        tallies, ratio, level=level, resamples=resamples, seed=seed, bounds=(0.0, 1.0)
    )
    if drawn is not None:
        return drawn
    share = min(1.0, max(0.0, combined(tallies, ratio)))
    low, high = wilson(share, len(tallies), level)
    return Interval(low=low, high=high, method="wilson (all clusters agree)")


def same_everywhere(value: float, m: int, level: float = 0.95) -> tuple[float, float]:
    """The interval of a mean difference when all of m >= 1 clusters differ by the same value.

    As in Wilson's interval for 0 of m, up to a share z²/(m + z²) of all clusters may be unlike
    those that were seen, and as far away as -1 or 1. At -1, 0 and 1 this is Tango's interval.
    """
    z2 = normal_quantile((1 + level) / 2) ** 2
    unlike = z2 / (m + z2)
    return max(-1.0, value - unlike * (1 + value)), min(1.0, value + unlike * (1 - value))


def tango(a_only: int, b_only: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Tango's score interval of a difference of paired shares (Tango 1998, Stat Med 17:891).

    The differences d that the score test at 1 - level does not reject: |a_only - b_only - n d| <=
    z sqrt(n (2q + d (1 - d))), q the likeliest share of B alone if the difference is d.

    Args:
        a_only, b_only: units where only A, only B, is right; of n >= 1 units.

    Raises:
        ValueError: for counts that cannot be.
    """
    if n < 1 or a_only < 0 or b_only < 0 or a_only + b_only > n or not 0 < level < 1:
        raise ValueError(f"tango needs 0 <= a_only + b_only <= n: {a_only}, {b_only}, {n}, {level}")
    z = normal_quantile((1 + level) / 2)
    value = (a_only - b_only) / n

    def bound(end: float, limit: float) -> float:
        inside, outside = value, end
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if abs(_tango_score(middle, a_only, b_only, n)) <= limit:
                inside = middle
            else:
                outside = middle
        return outside

    return bound(-1.0, z), bound(1.0, z)


def _tango_score(d: float, a_only: int, b_only: int, n: int) -> float:
    """How many standard errors the counts are away from a difference d."""
    above = a_only - b_only - n * d
    half = -a_only - b_only + (2 * n - a_only + b_only) * d
    root = math.sqrt(max(0.0, half * half + 8 * n * b_only * d * (1 - d)))
    q = (root - half) / (4 * n)
    spread = n * (2 * q + d * (1 - d))
    if spread <= 0:
        return 0.0 if above == 0 else math.copysign(math.inf, above)
    return above / math.sqrt(spread)
