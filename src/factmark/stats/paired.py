"""Two systems on the same units: intervals of their difference, tests, and Holm for many tests.

`sign_flips` holds where units of one item depend on each other, since whole items change sign;
`mcnemar` takes each unit for independent, and is the same test where every item has one unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factmark.stats.given_columns import Values, plain_list
from factmark.stats.intervals import (
    RESAMPLES,
    Floats,
    Interval,
    binomial_cdf,
    bootstrap_interval,
    combine_all,
    normal_quantile,
    ratio,
    standard_error,
    t_quantile,
)
from factmark.stats.rounding import CLOSE, tiers

DRAWS = 10_000
_STEPS = 60  # of a bisection of [-1, 1]: to the last digit
_OUTCOMES = 2**16  # so many are counted one by one; of more, a sample is drawn
_STEPS_COUNTED = 100_000_000  # values times the sums that they can have: a fraction of a second
_WHOLE = 1e-6  # how far from whole a multiple of the common step may lie by rounding
_BLOCK = 1_000_000  # numbers drawn at a time
_LEAST_P = 1e-300  # what is smaller has no floating-point number
_NOTHING = 1e-12  # a smaller difference is rounding


def difference_interval(
    tallies: Floats, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Returns the interval of a mean difference in [-1, 1], from the clusters' sums.

    - Where every cluster has one unit and all differences are -1, 0 or 1: `tango`.
    - Where all clusters differ by the same: `same_everywhere`.
    - Else the outer bounds of two intervals that fail in different places: the paired cluster
      bootstrap (BCa) follows one-sided differences, and is too narrow where few clusters differ;
      Student's t from the jackknife does the reverse (`benchmarks/coverage/comparison.py`).

    Args:
        tallies: a row for each of m >= 1 clusters: the sum of the differences A - B, and of how
            many (for a mean of item means: the item's mean, and 1).
    """
    m = len(tallies)
    value = combine_all(tallies, ratio)
    means = ratio(tallies)
    whole = np.rint(means)
    if np.all(tallies[:, 1] == 1) and np.all(np.abs(means - whole) <= _NOTHING):
        low, high = tango(int(np.sum(whole == 1)), int(np.sum(whole == -1)), m, level)
        return Interval(low=low, high=high, method="Tango's score interval")
    error = 0.0
    if np.ptp(means) > _NOTHING:
        error = standard_error(tallies, ratio)
    if not error > 0:
        low, high = same_everywhere(value, m, level)
        return Interval(low=low, high=high, method="score interval (all items differ by the same)")
    return _outer_bounds(tallies, error, level=level, resamples=resamples, seed=seed)


def _outer_bounds(
    tallies: Floats, error: float, *, level: float, resamples: int, seed: int
) -> Interval:
    """Returns the outer bounds of the cluster bootstrap (BCa) and of Student's t from a standard
    error above 0, within [-1, 1]."""
    value = combine_all(tallies, ratio)
    half = t_quantile((1 + level) / 2, len(tallies) - 1) * error
    low = value - half
    high = value + half
    method = "Student's t over clusters (jackknife)"
    drawn = bootstrap_interval(tallies, ratio, level=level, resamples=resamples, seed=seed)
    if drawn is not None and drawn.method != method:
        low = min(low, drawn.low)
        high = max(high, drawn.high)
        method = f"outer bounds of {drawn.method}, and of Student's t"
    return Interval(low=max(-1.0, low), high=min(1.0, high), method=method)


def same_everywhere(value: float, m: int, level: float = 0.95) -> tuple[float, float]:
    """Returns the interval of a mean difference when all m >= 1 clusters differ by the same value.

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
    """
    z = normal_quantile((1 + level) / 2)
    value = (a_only - b_only) / n

    def bound(end: float, limit: float) -> float:
        inside = value
        outside = end
        for _ in range(_STEPS):
            middle = (inside + outside) / 2
            if abs(_tango_score(middle, a_only, b_only, n)) <= limit:
                inside = middle
            else:
                outside = middle
        return outside

    return bound(-1.0, z), bound(1.0, z)


def _tango_score(d: float, a_only: int, b_only: int, n: int) -> float:
    """Returns how many standard errors the counts lie away from a difference d."""
    above = a_only - b_only - n * d
    half = -a_only - b_only + (2 * n - a_only + b_only) * d
    root = math.sqrt(max(0.0, half * half + 8 * n * b_only * d * (1 - d)))
    q = (root - half) / (4 * n)
    spread = n * (2 * q + d * (1 - d))
    if spread <= 0:
        if above == 0:
            return 0.0
        return math.copysign(math.inf, above)
    return above / math.sqrt(spread)


def mcnemar(a_only: int, b_only: int) -> float:
    """The exact two-sided p of McNemar's test: are discordant units as often for A as for B?

    Given n discordant units, those for A are binomial(n, 1/2). The units must be independent: with
    several units of one item (an answer's facts, a head's triples) p is too small; then the test is
    `sign_flips`. 1 where nothing is discordant.

    Args:
        a_only: units where A is right and B is wrong.
        b_only: units where it is the other way round.
    """
    return min(1.0, 2 * binomial_cdf(min(a_only, b_only), a_only + b_only, 0.5))


class FlipTest(NamedTuple):
    """The p of a permutation test, and whether it is but a bound: no pattern that was drawn reached
    the sum that was seen, and of more draws p might be smaller."""

    p: float
    at_most: bool = False


def sign_flips(
    differences: Sequence[float] | Floats, *, draws: int = DRAWS, seed: int = 0
) -> FlipTest:
    """Returns the two-sided p of the permutation test on paired clusters.

    If A and B are the same, each cluster's difference is as likely to have the other sign. p is
    the share of all sign patterns whose sum is at least as far from 0 as the one seen. It is exact
    where there are up to 65,536 different outcomes (clusters with equal differences make one
    outcome for each number of them that flip), and where all differences are whole multiples of a
    step, as those of ratings are: then the sums' distribution is counted up cluster by cluster
    (Pagano and Tritchler 1983, "On Obtaining Permutation Distributions in Polynomial Time").
    Beyond, so many patterns are drawn, and p = (hits + 1) / (draws + 1), which never is 0 (Phipson
    and Smyth 2010).

    Args:
        differences: the sum of A - B over the units of each cluster (for a mean of item means:
            the mean over them).

    Raises:
        ValueError: for a difference that is not finite.
    """
    values = np.abs(np.asarray(differences, dtype=float))
    if not np.all(np.isfinite(values)):
        raise ValueError("sign_flips needs finite differences")
    total = abs(math.fsum(differences))
    largest = float(values.max(initial=0.0))
    if largest < _NOTHING:
        return FlipTest(1.0)
    # A sum that equals the one seen but for rounding must count as reached, or p depends on order.
    tolerance = CLOSE * largest
    is_some = values > tolerance
    values = values[is_some]
    signs = np.sign(np.asarray(differences, dtype=float)[is_some])
    _, first, counts_seen = np.unique(tiers(values), return_index=True, return_counts=True)
    sizes = values[first]
    counts = [int(count) for count in counts_seen]
    reached = total - len(values) * tolerance
    # Counting is exact but grows with the product; drawing costs the same whatever the data.
    if math.prod(count + 1 for count in counts) <= _OUTCOMES:
        return FlipTest(_p_by_counting(sizes, counts, reached))
    steps = _whole_steps(values)
    if steps is not None:
        return FlipTest(_p_by_steps(steps, abs(int(np.sum(signs * steps)))))
    hits = _hits_by_drawing(sizes, counts, reached, draws, np.random.default_rng(seed))
    return FlipTest((hits + 1) / (draws + 1), at_most=not hits)


def holm(p_values: Values) -> tuple[float, ...]:
    """Returns Holm's adjusted p-values (Holm 1979, "A simple sequentially rejective ...").

    The k-th smallest of n is multiplied by n - k + 1, and none is below a smaller one's. Rejecting
    those at most alpha keeps the chance of any false rejection at alpha, however they depend.

    Raises:
        ValueError: for a value outside 0 to 1.
    """
    p_values = plain_list(p_values)
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"holm needs values from 0 to 1: {p_values}")
    n = len(p_values)
    least = 0.0
    adjusted = [0.0] * n
    for rank, place in enumerate(sorted(range(n), key=lambda place: p_values[place])):
        least = max(least, min(1.0, (n - rank) * p_values[place]))
        adjusted[place] = least
    return tuple(adjusted)


def _log_binomial(n: int, k: int) -> float:
    """Returns the logarithm of the probability of k heads in n throws of a fair coin."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)


def _p_by_counting(sizes: Floats, counts: Sequence[int], reached: float) -> float:
    """Returns the share of all sign patterns whose sum is `reached` or more away from 0."""
    sums = np.zeros(1)
    chances = np.ones(1)
    for size, count in zip(sizes, counts, strict=True):
        kept = np.arange(count + 1)
        share = np.exp([_log_binomial(count, k) for k in range(count + 1)])
        sums = (sums[:, None] + size * (2 * kept - count)).ravel()
        chances = (chances[:, None] * share).ravel()
    return min(1.0, float(chances[np.abs(sums) >= reached].sum()))


def _whole_steps(values: Floats) -> NDArray[np.int64] | None:
    """Returns how many steps each value is, where all are multiples of one step and their sums few
    enough to be counted; else None."""
    step = 0.0
    for value in np.unique(values).tolist():
        step = _common_step(step, value, _WHOLE * float(values.max()) / len(values))
    steps = np.rint(values / step)
    if len(values) * steps.sum() > _STEPS_COUNTED:
        return None
    step = values.sum() / steps.sum()
    if np.any(np.abs(values / step - steps) > _WHOLE):
        return None
    return steps.astype(np.int64)


def _common_step(a: float, b: float, nothing: float) -> float:
    """Returns the greatest number that both are multiples of, where less than `nothing` is
    rounding (Euclid's algorithm)."""
    while a > nothing:
        a, b = abs(b - a * round(b / a)), a
    return b


def _p_by_steps(steps: NDArray[np.int64], reached: int) -> float:
    """Returns the share of all sign patterns of whole values whose sum is `reached` or more away
    from 0."""
    total = int(steps.sum())
    chances = np.zeros(total + 1)  # of the sum of those that have a plus
    chances[0] = 1.0
    top = 0
    for step in np.sort(steps).tolist():
        top += step
        chances[step : top + 1] += chances[: top + 1 - step].copy()
        chances[: top + 1] /= 2
    sums = np.abs(2 * np.arange(total + 1) - total)
    p = float(chances[sums >= reached].sum())
    return min(1.0, max(p, _LEAST_P))


def _hits_by_drawing(
    sizes: Floats,
    counts: Sequence[int],
    reached: float,
    draws: int,
    generator: np.random.Generator,
) -> int:
    """Returns how many of `draws` random patterns have a sum `reached` or more away from 0."""
    hits = 0
    rows = max(1, _BLOCK // len(sizes))
    for start in range(0, draws, rows):
        shape = (min(rows, draws - start), len(sizes))
        kept = generator.binomial(counts, 0.5, shape)
        hits += int(np.sum(np.abs((2 * kept - np.asarray(counts)) @ sizes) >= reached))
    return hits
