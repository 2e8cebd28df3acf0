"""Quantiles: constants worked by hand, scipy over a grid, and the edges."""

from __future__ import annotations

import math

import pytest

from factmark.stats.intervals import (
    beta_cdf,
    beta_quantile,
    binomial_cdf,
    normal_quantile,
    t_quantile,
)
from later import later

stats = later("scipy.stats")


SHAPES = [0.05, 0.5, 1.0, 2.5, 30.0, 999.5, 50_000.5]
TAILS = [1e-6, 0.005, 0.025, 0.3, 0.5, 0.8, 0.975, 0.999]


def test_normal_by_hand() -> None:
    assert normal_quantile(0.5) == 0.0
    assert normal_quantile(0.975) == pytest.approx(1.959963984540054)  # of every table


def test_t_by_hand() -> None:
    # With one degree of freedom it is Cauchy's: tan(pi (p - 1/2)); p = 0.75 gives 1.
    assert t_quantile(0.75, 1) == pytest.approx(1.0)
    # With two, t = (2p - 1) sqrt(2 / (4 p (1 - p))): at 0.9 it is 0.8 sqrt(2 / 0.36).
    assert t_quantile(0.9, 2) == pytest.approx(0.8 * math.sqrt(2 / 0.36))
    assert t_quantile(0.5, 7) == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("a", SHAPES)
@pytest.mark.parametrize("b", SHAPES)
def test_beta_against_scipy(a: float, b: float) -> None:
    for tail in TAILS:
        theirs = stats.beta.ppf(tail, a, b)
        assert beta_quantile(tail, a, b) == pytest.approx(theirs, rel=1e-8, abs=1e-14)
        if 0 < theirs < 1:
            told = beta_cdf(theirs, a, b)
            assert told == pytest.approx(stats.beta.cdf(theirs, a, b), rel=1e-8, abs=1e-14)


@pytest.mark.parametrize("df", [0.5, 1, 2, 3, 9, 19, 49.5, 500, 99_999])
@pytest.mark.parametrize("probability", [0.6, 0.9, 0.975, 0.995, 0.99999])
def test_t_against_scipy(probability: float, df: float) -> None:
    assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-8)


@pytest.mark.parametrize("n", [1, 2, 17, 400])
@pytest.mark.parametrize("p", [0.01, 0.5, 0.9])
def test_binomial_against_scipy(n: int, p: float) -> None:
    for k in {0, n // 3, n // 2, n - 1, n}:
        assert binomial_cdf(k, n, p) == pytest.approx(stats.binom.cdf(k, n, p), rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    "call",
    [
        lambda: beta_cdf(0.5, 0, 1),
        lambda: beta_quantile(1.5, 1, 1),
        lambda: beta_quantile(0.5, 1, -1),
        lambda: t_quantile(0.3, 5),
        lambda: t_quantile(1.0, 5),
        lambda: t_quantile(0.9, 0),
    ],
)
def test_refuses_what_is_undefined(call) -> None:
    with pytest.raises(ValueError, match="needs"):
        call()
