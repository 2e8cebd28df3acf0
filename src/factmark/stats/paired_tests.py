"""Tests of two systems on the same units, and the correction for many of them.

`sign_flips` holds where units of one item depend on each other, since whole items change sign;
`mcnemar` takes each unit for independent, and is the same test where every item has one unit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from factmark.stats.quantiles import binomial_cdf
from factmark.stats.resampling import Floats

DRAWS = 10_000
_OUTCOMES = 2**16  # so many are counted one by one; of more, a sample is drawn
_BLOCK = 1_000_000  # numbers drawn at a time
_NOTHING = 1e-12  # a smaller difference is rounding
_CLOSE = 1e-9  # sums that differ by less, relative to the largest, are the same


def mcnemar(a_only: int, b_only: int, *, mid: bool = False) -> float:
    """The exact two-sided p of McNemar's test: are discordant units as often for A as for B?

    Given n discordant units, those for A are binomial(n, 1/2). The units must be independent: with
    several units of one item (an answer's facts, a head's triples) p is too small; then the test is
    `sign_flips`. 1 where nothing is discordant.

    Args:
        a_only: units where A is right and B is wrong.
        b_only: units where it is the other way round.
        mid: count half of the outcome itself (Fagerland et al. 2013, BMC Med Res Methodol 13:91):
            nearer to its nominal size, and slightly above it at times; the exact test never is.

    Raises:
        ValueError: for a count below 0.
    """
    if a_only < 0 or b_only < 0:
        raise ValueError(f"mcnemar needs counts of at least 0: {a_only}, {b_only}")
    n, fewer = a_only + b_only, min(a_only, b_only)
    p = 2 * binomial_cdf(fewer, n, 0.5)
    if mid:
        p -= math.exp(_log_binomial(n, fewer))
    return min(1.0, max(0.0, p))


def sign_flips(
    differences: Sequence[float] | Floats, *, draws: int = DRAWS, seed: int = 0
) -> float:
    """The two-sided p of the permutation test on paired clusters.

    If A and B are the same, each cluster's difference is as likely to have the other sign. p is
    the share of all sign patterns whose sum is at least as far from 0 as the one seen. Up to
    65,536 different outcomes are all counted (clusters with equal differences make one outcome
    for each number of them that flip); beyond, so many patterns are drawn, and p = (hits + 1) /
    (draws + 1), which never is 0 (Phipson and Smyth 2010).

    Args:
        differences: the sum of A - B over the units of each cluster (for a mean of item means:
            the mean over them).

    Raises:
        ValueError: for a difference that is not finite.
    """
    values = np.abs(np.asarray(differences, dtype=float))
    if not np.all(np.isfinite(values)):
        raise ValueError("sign_flips needs finite differences")
    total = abs(float(np.sum(differences)))
    largest = float(values.max(initial=0.0))
    if largest < _NOTHING:
        return 1.0
    tolerance = _CLOSE * largest
    values = values[values > tolerance]
    sizes, found = np.unique(np.round(values / tolerance) * tolerance, return_counts=True)
    counts = [int(count) for count in found]
    reached = total - len(values) * tolerance
    if math.prod(count + 1 for count in counts) <= _OUTCOMES:
        return _counted(sizes, counts, reached)
    return _drawn(sizes, counts, reached, draws, np.random.default_rng(seed))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values (Holm 1979, "A simple sequentially rejective ...").

    The k-th smallest of n is multiplied by n - k + 1, and none is below a smaller one's. Rejecting
    those at most alpha keeps the chance of any false rejection at alpha, however they depend.

    Raises:
        ValueError: for a value outside 0 to 1.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ValueError(f"holm needs values from 0 to 1: {list(p_values)}")
    n, least = len(p_values), 0.0
    adjusted = [0.0] * n
    for rank, place in enumerate(sorted(range(n), key=lambda place: p_values[place])):
        least = max(least, min(1.0, (n - rank) * p_values[place]))
        adjusted[place] = least
    return tuple(adjusted)


def _log_binomial(n: int, k: int) -> float:
    """The log of the chance of k heads in n throws of a fair coin."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2)


def _counted(sizes: Floats, counts: Sequence[int], reached: float) -> float:
    sums, chances = np.zeros(1), np.ones(1)
    for size, count in zip(sizes, counts, strict=True):
        kept = np.arange(count + 1)
        share = np.exp([_log_binomial(count, k) for k in range(count + 1)])
        sums = (sums[:, None] + size * (2 * kept - count)).ravel()
        chances = (chances[:, None] * share).ravel()
    return min(1.0, float(chances[np.abs(sums) >= reached].sum()))


def _drawn(
    sizes: Floats,
    counts: Sequence[int],
    reached: float,
    draws: int,
    generator: np.random.Generator,
) -> float:
    hits, rows = 0, max(1, _BLOCK // len(sizes))
    for start in range(0, draws, rows):
        shape = (min(rows, draws - start), len(sizes))
        kept = generator.binomial(counts, 0.5, shape)
        hits += int(np.sum(np.abs((2 * kept - np.asarray(counts)) @ sizes) >= reached))
    return (hits + 1) / (draws + 1)
