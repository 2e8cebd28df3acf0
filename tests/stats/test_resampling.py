"""Resampling of tallies: by hand, against scipy's bootstrap, by coverage, and the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stats.intervals import (
    MOST_RESAMPLED,
    Floats,
    bootstrap_interval,
    combine_all,
    jackknife,
    standard_error,
)
from later import later

stats = later("scipy.stats")


def mean(sums: Floats) -> Floats:
    return sums[:, 0] / sums[:, 1]


def ratio(sums: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(sums[:, 1] > 0, sums[:, 0] / sums[:, 1], np.nan)


def of(values: Floats | list[float]) -> Floats:
    return np.column_stack([values, np.ones(len(values))]).astype(np.float64)


def widened(m: int, level: float) -> float:
    """The level at which a plain bootstrap has the tails that ours widens to for m clusters."""
    z = stats.t.ppf((1 + level) / 2, m - 1) * math.sqrt(m / (m - 1))
    return float(2 * stats.norm.cdf(z) - 1)


def test_value_and_jackknife_by_hand() -> None:
    tallies = of([0.0, 0.3, 0.9])
    assert combine_all(tallies, mean) == pytest.approx(0.4)
    assert jackknife(tallies, mean) == pytest.approx([0.6, 0.45, 0.15])


def test_standard_error_of_a_mean_is_the_textbooks() -> None:
    values = np.array([0.0, 0.3, 0.9, 1.0])
    assert standard_error(of(values), mean) == pytest.approx(values.std(ddof=1) / 2)
    assert math.isnan(standard_error(of([0.5]), mean))


def test_bca_of_a_ratio_against_scipy() -> None:
    generator = np.random.default_rng(8)
    sizes = generator.integers(1, 9, 60).astype(float)
    sums = generator.binomial(sizes.astype(int), 0.7).astype(float)
    theirs = stats.bootstrap(
        (sums, sizes),
        lambda s, n, axis: s.sum(axis) / n.sum(axis),
        n_resamples=40_000,
        method="BCa",
        paired=True,
        vectorized=True,
        rng=np.random.default_rng(2),
        confidence_level=widened(60, 0.95),
    ).confidence_interval
    ours = bootstrap_interval(np.column_stack([sums, sizes]), ratio, resamples=40_000, seed=3)
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


@pytest.mark.parametrize("m", [1, 2, 10, MOST_RESAMPLED + 1])
def test_no_interval_where_all_agree(m: int) -> None:
    assert bootstrap_interval(of(np.full(m, 0.3)), mean, resamples=200) is None


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=15),
    st.integers(0, 3),
)
def test_bounds_hold_the_value(rows: list[tuple[float, int]], seed: int) -> None:
    tallies = np.array([[share * n, n] for share, n in rows])
    ours = bootstrap_interval(tallies, ratio, resamples=200, seed=seed, bounds=(0, 1))
    if ours is not None:
        value = combine_all(tallies, ratio)
        assert 0 <= ours.low <= value + 1e-12
        assert value - 1e-12 <= ours.high <= 1
        assert ours.low < ours.high


def test_coverage_of_a_ratio() -> None:
    """Of 300 seeded samples of 40 clusters, nominal 95 %: at least 91 %."""
    generator = np.random.default_rng(4)
    hits = 0
    for seed in range(300):
        sizes = generator.choice([1, 2, 8], 40)
        tendency = generator.choice([0.4, 0.8], 40)
        tallies = np.column_stack([generator.binomial(sizes, tendency), sizes]).astype(float)
        ours = bootstrap_interval(tallies, ratio, resamples=500, seed=seed, bounds=(0, 1))
        assert ours is not None
        hits += ours.low <= 0.6 <= ours.high
    assert hits / 300 >= 0.91
