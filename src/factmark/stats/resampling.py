"""Intervals from resampling clusters: any statistic that is a function of summed tallies.

A tally is a row of numbers per cluster (an item: a question, a document, a head entity). A
statistic combines the sum of the tallies into a number, so value, jackknife and bootstrap use the
same tallies and the same function (STYLE 5).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from factmark.stats.quantiles import normal_quantile, t_quantile

Floats = NDArray[np.float64]
Combine = Callable[[Floats], Floats]
"""Sums of tallies, shape (r, d), to r values; NaN where a value is undefined."""

RESAMPLES = 10_000
MOST_RESAMPLED = 1_000  # clusters up to which they are resampled; above, spread tells as much
_DRAWS = 2_000_000  # of clusters, in all resamples together: 2,000 resamples of 1,000 clusters
_BLOCK = 250  # resamples at a time
_SAME = 1e-12  # how far apart, relatively, equal values may lie by rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The bounds of an interval and how it was made."""

    low: float
    high: float
    method: str


def combined(tallies: Floats, combine: Combine) -> float:
    """The statistic of all clusters together; NaN where it is undefined."""
    return float(combine(tallies.sum(axis=0, keepdims=True))[0])


def jackknife(tallies: Floats, combine: Combine) -> Floats:
    """The statistic without each of the m clusters, shape (m,)."""
    return combine(tallies.sum(axis=0) - tallies)


def draws(resamples: int, m: int) -> int:
    """How many of the wanted resamples of m clusters are drawn: no more than fit in a second."""
    return max(1, min(resamples, _DRAWS // m))


def resampled(tallies: Floats, combine: Combine, *, resamples: int, seed: int) -> Floats:
    """The statistic of so many draws of m clusters with replacement, shape (resamples,)."""
    parts = [combine(sums) for sums in _sums(tallies, resamples, np.random.default_rng(seed))]
    return np.concatenate(parts)


def _sums(tallies: Floats, resamples: int, generator: np.random.Generator) -> Iterator[Floats]:
    m = len(tallies)
    for start in range(0, resamples, _BLOCK):
        rows = min(_BLOCK, resamples - start)
        drawn = generator.integers(0, m, (rows, m)) + m * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * m).reshape(rows, m)
        yield counts @ tallies


def standard_error(tallies: Floats, combine: Combine) -> float:
    """The jackknife's standard error (Efron and Stein 1981); NaN below two clusters."""
    m = len(tallies)
    if m < 2:
        return math.nan
    values = jackknife(tallies, combine)
    values = values[np.isfinite(values)]
    if len(values) < 2:
        return math.nan
    return float(np.sqrt((len(values) - 1) * np.mean((values - values.mean()) ** 2)))


def bootstrap_interval(
    tallies: Floats,
    combine: Combine,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Interval | None:
    """The BCa interval of a statistic, from resampling the m clusters that the rows stand for.

    Bias and acceleration as in Efron 1987 ("Better Bootstrap Confidence Intervals", eq. 2.3 and
    6.6; the acceleration from the jackknife), with the tails expanded for small m as Student's t is
    wider than the normal (Hesterberg 2015). Above 1,000 clusters it is Student's interval from the
    jackknife's standard error. Resamples in which the statistic is undefined are left out.

    Returns:
        None where resampling cannot tell: fewer than two clusters, or (nearly) all resamples alike.
        What an interval is then is for the caller to say; it is never one of width zero.
    """
    m = len(tallies)
    if m < 2:
        return None
    value = combined(tallies, combine)
    if not math.isfinite(value):
        return None
    t = t_quantile((1 + level) / 2, m - 1)
    if m > MOST_RESAMPLED:
        half = t * standard_error(tallies, combine)
        if not half > _SAME * max(1.0, abs(value)):
            return None
        low, high, method = value - half, value + half, "Student's t over clusters (jackknife)"
    else:
        n_draws = draws(resamples, m)
        values = resampled(tallies, combine, resamples=n_draws, seed=seed)
        values = values[np.isfinite(values)]
        if not len(values) or np.ptp(values) <= _SAME * max(1.0, abs(value)):
            return None
        tails = _bca_tails(values, jackknife(tallies, combine), value, t * math.sqrt(m / (m - 1)))
        low, high = (float(bound) for bound in np.quantile(values, tails))
        method = f"cluster bootstrap, BCa, {n_draws} resamples"
    low, high = max(bounds[0], min(low, value)), min(bounds[1], max(high, value))
    return Interval(low=low, high=high, method=method) if low < high else None


def _bca_tails(values: Floats, left_out: Floats, value: float, z: float) -> list[float]:
    """Which quantiles of the resamples bound the interval."""
    below = (np.sum(values < value) + 0.5 * np.sum(values == value)) / len(values)
    edge = 0.5 / len(values)
    bias = normal_quantile(min(1 - edge, max(edge, float(below))))
    left_out = left_out[np.isfinite(left_out)]
    away = left_out.mean() - left_out if len(left_out) else np.zeros(1)
    spread = float(np.sum(away**2)) ** 1.5
    acceleration = float(np.sum(away**3)) / (6 * spread) if spread > 0 else 0.0
    tails = []
    for side in (-z, z):
        shifted = bias + side
        scale = 1 - acceleration * shifted
        moved = bias + shifted / scale if scale > 0 else math.copysign(math.inf, side)
        tails.append(0.5 * math.erfc(-moved / math.sqrt(2)))
    return tails
