"""Quantiles of the normal, Student's t, beta and binomial distributions.

scipy has all of these, and would double what the core installs; the tests hold ours against it.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_TINY = 1e-300
_STEPS = 10_000


def normal_quantile(probability: float) -> float:
    """The quantile of the standard normal distribution."""
    return NormalDist().inv_cdf(probability)


def beta_cdf(x: float, a: float, b: float) -> float:
    """P(X <= x) of Beta(a, b), a, b > 0: the regularised incomplete beta function.

    By its continued fraction (Abramowitz and Stegun 1964, 26.5.8), evaluated by Lentz's method on
    the side where it converges fast; accurate to about 1e-13 for a, b up to 1e6.
    """
    if a <= 0 or b <= 0:
        raise ValueError(f"beta_cdf needs a, b > 0: {a}, {b}")
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta_part(1 - x, b, a)
    return _beta_part(x, a, b)


def _beta_part(x: float, a: float, b: float) -> float:
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, _STEPS):
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
    return value if abs(value) > _TINY else _TINY


@lru_cache(maxsize=65_536)
def beta_quantile(probability: float, a: float, b: float) -> float:
    """The x with P(X <= x) = probability of Beta(a, b), by Newton's method in a bracket."""
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
    """Newton's steps on the logarithm of x, kept within a bracket that shrinks with each."""
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(_STEPS):
        share = beta_cdf(x, a, b)
        low, high = (x, high) if share < probability else (low, x)
        if high - low <= 2e-16 * high:
            break
        slope = math.exp(a * math.log(x) + (b - 1) * math.log1p(-x) - log_beta)  # by log(x)
        step = (probability - share) / slope if slope > 0 else math.inf
        moved = x * math.exp(step) if abs(step) < 700 else 0.0
        if abs(moved - x) <= 1e-14 * x:
            return moved
        x = moved if low < moved < high else (low + high) / 2
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
    """P(K <= k) of n trials with probability p, by way of the beta distribution."""
    if k < 0:
        return 0.0
    return 1.0 if k >= n else beta_cdf(1 - p, n - k, k + 1)
