"""Intervals: of a share seen in n trials, and of any statistic by resampling clusters.

Intervals of a share take the share and n rather than counts, so that n may be an effective n (units
over design effect) and the share a weighted one; neither need be whole.

A tally is a row of numbers per cluster (an item: a question, a document, a head entity). A
statistic combines the sum of the tallies into a number, so value, jackknife and bootstrap use the
same tallies and the same function.

scipy has the quantiles, and would double what the core installs; the tests hold ours against it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate
from factmark.stats.rounding import CLOSE, is_same, split_exactly

ShareInterval = Callable[[float, float, float], tuple[float, float]]
"""Share, n and level to (low, high)."""

Floats = NDArray[np.float64]
Combine = Callable[[Floats], Floats]
"""Sums of tallies, shape (r, d), to r values; NaN where a value is undefined."""

RESAMPLES = 10_000
MOST_RESAMPLED = 1_000  # clusters up to which they are resampled; above, spread tells as much
_DRAWS = 2_000_000  # of clusters, in all resamples together: 2,000 resamples of 1,000 clusters
_BLOCK = 250  # resamples drawn at a time
_CELLS = 2_000_000  # numbers that are held at a time
_SAME = 1e-12  # how far apart, relatively, equal values may lie by rounding
# Lentz's method divides by sums that may vanish; this stands in for 0 and changes no digit.
_TINY = 1e-300
# Ends the loops that rounding might keep going for ever.
_MOST_STEPS = 10_000


def no_estimate(
    level: float,
    method: str = "none",
    *,
    n_missing: int = 0,
    extremes: tuple[float | None, float | None] = (None, None),
    n_items: int = 0,
    n_units: int = 0,
    data: str = "",
) -> Estimate:
    """An estimate without a value; `method` says why, `extremes` are the worst and best case."""
    return Estimate(
        value=None,
        low=None,
        high=None,
        level=level,
        method=method,
        n_items=n_items,
        n_units=n_units,
        n_missing=n_missing,
        worst=extremes[0],
        best=extremes[1],
        data=data,
    )


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Returns the Wilson score interval (Wilson 1927, "Probable Inference", eq. 2).

    For a mean of values in [0, 1] the interval is conservative, since of all such variables with
    the same mean a yes/no one varies most. Its coverage is near the level on average over shares,
    and dips below it near 0 and 1 (Brown, Cai and DasGupta 2001, "Interval Estimation for a
    Binomial Proportion", section 3.1).

    Raises:
        ValueError: if n <= 0, or share or level are outside their range; so do all intervals here.
    """
    _check("wilson", share, n, level)
    z2 = normal_quantile((1 + level) / 2) ** 2
    spread = math.sqrt(z2 * share * (1 - share) / n + (z2 / (2 * n)) ** 2)
    centre = share + z2 / (2 * n)
    scale = 1 + z2 / n
    # By the formula these ends are exactly 0 and 1; floats would be off by a last bit.
    low = 0.0
    if share != 0:
        low = (centre - spread) / scale
    high = 1.0
    if share != 1:
        high = (centre + spread) / scale
    return _clip_around(share, low, high)


def clopper_pearson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Returns the exact interval: its coverage is never below the level, and often well above it.

    By the beta quantiles of the binomial tails (Clopper and Pearson 1934; Brown, Cai and DasGupta
    2001, section 4), which also read for a fractional number of successes (Korn and Graubard
    1998).
    """
    _check("clopper_pearson", share, n, level)
    hits = share * n
    rest = (1 - share) * n
    tail = (1 - level) / 2
    low = 0.0
    if hits > 0:
        low = beta_quantile(tail, hits, rest + 1)
    high = 1.0
    if rest > 0:
        high = 1 - beta_quantile(tail, rest, hits + 1)
    return _clip_around(share, low, high)


def _check(name: str, share: float, n: float, level: float) -> None:
    """Raises ValueError for a share, n or level outside its range."""
    if not (0 < n < math.inf and 0 <= share <= 1 and 0 < level < 1):
        raise ValueError(
            f"{name} needs n > 0, 0 <= share <= 1, 0 < level < 1: {share}, {n}, {level}"
        )


def _clip_around(share: float, low: float, high: float) -> tuple[float, float]:
    """Returns the bounds cut to [0, 1] and, against rounding, on either side of the share."""
    return min(share, max(0.0, low)), max(share, min(1.0, high))


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The bounds of an interval and how it was made."""

    low: float
    high: float
    method: str


def combine_all(tallies: Floats, combine: Combine) -> float:
    """Returns the statistic of all clusters together; NaN where it is undefined."""
    return float(combine(tallies.sum(axis=0, keepdims=True))[0])


def ratio(sums: Floats) -> Floats:
    """Returns the first column over the second, which must be above 0: a `Combine`."""
    return np.asarray(sums[:, 0] / sums[:, 1], dtype=float)


def jackknife(tallies: Floats, combine: Combine) -> Floats:
    """Returns the statistic without each of the m clusters in turn, shape (m,)."""
    return combine(tallies.sum(axis=0) - tallies)


def resamples_drawn(resamples: int, m: int) -> int:
    """How many resamples of m clusters are really drawn: at most as many as fit in a second."""
    return max(1, min(resamples, _DRAWS // m))


def resample(tallies: Floats, combine: Combine, *, resamples: int, seed: int) -> Floats:
    """Returns the statistic of random draws of m clusters with replacement, shape (resamples,)."""
    parts = [combine(sums) for sums in _resampled_sums(tallies, resamples, seed)]
    return np.concatenate(parts)


def _resampled_sums(tallies: Floats, resamples: int, seed: int) -> Iterator[Floats]:
    """Yields the summed tallies of resamples, block by block, shape (rows, d)."""
    d = tallies.shape[1]
    parts = np.hstack(split_exactly(tallies))
    draws = _draws(len(tallies), resamples, seed)
    rows = max(_BLOCK, _CELLS // (len(tallies) + 2 * d))
    for start in range(0, resamples, rows):
        sums = draws[start : start + rows].astype(float) @ parts
        yield sums[:, :d] + sums[:, d:]  # both exact: the same on every processor


@lru_cache(maxsize=8)
def _draws(m: int, resamples: int, seed: int) -> NDArray[Any]:
    """Returns how often each resample has each of m clusters, shape (resamples, m).

    They are kept: every coefficient of the same clusters is resampled by the same draws."""
    generator = np.random.default_rng(seed)
    blocks = []
    for start in range(0, resamples, _BLOCK):
        rows = min(_BLOCK, resamples - start)
        drawn = generator.integers(0, m, (rows, m)) + m * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * m).reshape(rows, m)
        blocks.append(counts.astype(np.min_scalar_type(m)))
    return np.concatenate(blocks)


def standard_error(tallies: Floats, combine: Combine) -> float:
    """Returns the jackknife's standard error (Efron and Stein 1981); NaN below two clusters."""
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
    value = combine_all(tallies, combine)
    if not math.isfinite(value):
        return None
    t = t_quantile((1 + level) / 2, m - 1)
    if m > MOST_RESAMPLED:
        half = t * standard_error(tallies, combine)
        if not half > _SAME * max(1.0, abs(value)):
            return None
        low = value - half
        high = value + half
        method = "Student's t over clusters (jackknife)"
    else:
        n_draws = resamples_drawn(resamples, m)
        values = resample(tallies, combine, resamples=n_draws, seed=seed)
        values = values[np.isfinite(values)]
        if not len(values) or np.ptp(values) <= _SAME * max(1.0, abs(value)):
            return None
        tails = _bca_tails(values, jackknife(tallies, combine), value, t * math.sqrt(m / (m - 1)))
        low, high = (float(bound) for bound in np.quantile(values, tails))
        method = f"cluster bootstrap, BCa, {n_draws} resamples"
    low = max(bounds[0], min(low, value))
    high = min(bounds[1], max(high, value))
    if high - low <= _SAME * max(1.0, abs(value)):
        return None
    return Interval(low=low, high=high, method=method)


def _bca_tails(values: Floats, left_out: Floats, value: float, z: float) -> list[float]:
    """Returns the two probabilities whose quantiles of the resamples bound the interval."""
    ties = is_same(values, value)
    below = (np.sum((values < value) & ~ties) + 0.5 * np.sum(ties)) / len(values)
    edge = 0.5 / len(values)
    bias = normal_quantile(min(1 - edge, max(edge, float(below))))
    left_out = left_out[np.isfinite(left_out)]
    if len(left_out):
        away = left_out.mean() - left_out
    else:
        away = np.zeros(1)
    away = np.where(np.abs(away) > CLOSE * np.abs(values).max(), away, 0.0)
    spread = float(np.sum(away**2)) ** 1.5
    acceleration = 0.0
    if spread > 0:
        acceleration = float(np.sum(away**3)) / (6 * spread)
    tails = []
    for side in (-z, z):
        shifted = bias + side
        scale = 1 - acceleration * shifted
        if scale > 0:
            moved = bias + shifted / scale
        else:
            moved = math.copysign(math.inf, side)
        tails.append(0.5 * math.erfc(-moved / math.sqrt(2)))
    return tails


def normal_quantile(probability: float) -> float:
    """Returns the quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(probability)


def beta_cdf(x: float, a: float, b: float) -> float:
    """Returns P(X <= x) for X from Beta(a, b), a, b > 0: the regularised incomplete beta function.

    By its continued fraction (Abramowitz and Stegun 1964, 26.5.8), evaluated by Lentz's method on
    the side where it converges fast; accurate to about 1e-13 for a, b up to 1e6.
    """
    if a <= 0 or b <= 0:
        raise ValueError(f"beta_cdf needs a, b > 0: {a}, {b}")
    if x <= 0 or x >= 1:
        return float(x >= 1)
    # The fraction converges fast only below about the mean; above it the mirrored one does.
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_part(1 - x, b, a)
    return _beta_part(x, a, b)


def _beta_part(x: float, a: float, b: float) -> float:
    """The incomplete beta function by its continued fraction, on the side where that converges."""
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c = 1.0
    d = 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _MOST_STEPS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return min(1.0, math.exp(log_front) * fraction / a)


def _away_from_zero(value: float) -> float:
    """Returns the value, or the smallest divisor that Lentz's method may use."""
    if abs(value) > _TINY:
        return value
    return _TINY


@lru_cache(maxsize=65_536)
def beta_quantile(probability: float, a: float, b: float) -> float:
    """Returns the x with P(X <= x) = probability for X from Beta(a, b)."""
    if not 0 <= probability <= 1 or a <= 0 or b <= 0:
        raise ValueError(
            f"beta_quantile needs 0 <= probability <= 1 and a, b > 0: {probability}, {a}, {b}"
        )
    if probability in (0, 1):
        return float(probability)
    if beta_cdf(0.5, a, b) < probability:  # near 1 the steps of a float are coarser than near 0
        return 1 - _invert(1 - probability, b, a)
    return _invert(probability, a, b)


def _invert(probability: float, a: float, b: float) -> float:
    """`beta_quantile` by Newton's steps on log x, kept within a bracket that shrinks each time."""
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low = 0.0
    high = 1.0
    x = a / (a + b)
    for _ in range(_MOST_STEPS):
        share = beta_cdf(x, a, b)
        if share < probability:
            low, high = (x, high)
        else:
            low, high = (low, x)
        if high - low <= 2e-16 * high:
            break
        slope = math.exp(a * math.log(x) + (b - 1) * math.log1p(-x) - log_beta)  # by log(x)
        if slope > 0:
            step = (probability - share) / slope
        else:
            step = math.inf
        moved = 0.0
        if abs(step) < 700:
            moved = x * math.exp(step)
        if abs(moved - x) <= 1e-14 * x:
            return moved
        if low < moved < high:
            x = moved
        else:
            x = (low + high) / 2
        if x < _TINY:
            return 0.0
    return (low + high) / 2


@lru_cache(maxsize=4096)
def t_quantile(probability: float, df: float) -> float:
    """The quantile of Student's t with df > 0 degrees of freedom, for 0.5 <= probability < 1."""
    if not 0.5 <= probability < 1 or df <= 0:
        raise ValueError(f"t_quantile needs 0.5 <= probability < 1 and df > 0: {probability}, {df}")
    x = beta_quantile(2 * (1 - probability), df / 2, 0.5)  # of df / (df + t²)
    return math.sqrt(df * (1 - x) / x)


def binomial_cdf(k: int, n: int, p: float) -> float:
    """Returns P(K <= k) for K successes of n trials with probability p."""
    if k < 0:
        return 0.0
    if k >= n:
        return 1.0
    return beta_cdf(1 - p, n - k, k + 1)
