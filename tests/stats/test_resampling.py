"""Resampling of tallies: by hand, against scipy's bootstrap, by coverage, and the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from factmark.stats.intervals import (
    MOST_RESAMPLED,
    Floats,
    bootstrap_interval,
    combined,
    draws,
    jackknife,
    resampled,
    standard_error,
)


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
    assert combined(tallies, mean) == pytest.approx(0.4)
    assert jackknife(tallies, mean) == pytest.approx([0.6, 0.45, 0.15])


def test_standard_error_of_a_mean_is_the_textbooks() -> None:
    values = np.array([0.0, 0.3, 0.9, 1.0])
    assert standard_error(of(values), mean) == pytest.approx(values.std(ddof=1) / 2)
    assert math.isnan(standard_error(of([0.5]), mean))


def test_standard_error_of_a_ratio_by_hand() -> None:
    # 1/1 and 1/3: without the first 1/3, without the second 1; sqrt(1/2 * ((1/3)² + (1/3)²)).
    tallies = np.array([[1.0, 1.0], [1.0, 3.0]])
    assert standard_error(tallies, ratio) == pytest.approx(1 / 3)


def test_resamples_keep_rows_together_and_follow_the_seed() -> None:
    tallies = np.array([[0.0, 1.0], [2.0, 2.0], [6.0, 3.0]])
    drawn = resampled(tallies, ratio, resamples=1_001, seed=5)
    assert drawn.shape == (1_001,)
    assert np.array_equal(drawn, resampled(tallies, ratio, resamples=1_001, seed=5))
    # Ten multisets of three rows, and no other value.
    rows = [(a, b, c) for a in range(3) for b in range(a, 3) for c in range(b, 3)]
    possible = {round(float(ratio(tallies[list(r)].sum(0)[None])[0]), 12) for r in rows}
    assert {round(float(value), 12) for value in drawn} <= possible


def test_the_draws_are_bounded() -> None:
    assert draws(10_000, 50) == 10_000
    assert draws(10_000, MOST_RESAMPLED) == 2_000
    assert draws(10_000, 10**9) == 1


@pytest.mark.parametrize("m", [12, 40, 300])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_bca_of_a_mean_against_scipy(m: int, level: float) -> None:
    values = np.random.default_rng(m).beta(3, 0.7, m)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method="BCa", rng=np.random.default_rng(2),
        confidence_level=widened(m, level),
    ).confidence_interval  # fmt: skip
    ours = bootstrap_interval(of(values), mean, level=level, resamples=40_000, seed=3)
    assert ours is not None
    assert ours.method.startswith("cluster bootstrap, BCa")
    spread = values.std() / math.sqrt(m)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.1 * spread)


def test_bca_of_a_ratio_against_scipy() -> None:
    generator = np.random.default_rng(8)
    sizes = generator.integers(1, 9, 60).astype(float)
    sums = generator.binomial(sizes.astype(int), 0.7).astype(float)
    theirs = stats.bootstrap(
        (sums, sizes), lambda s, n, axis: s.sum(axis) / n.sum(axis), n_resamples=40_000,
        method="BCa", paired=True, vectorized=True, rng=np.random.default_rng(2),
        confidence_level=widened(60, 0.95),
    ).confidence_interval  # fmt: skip
    ours = bootstrap_interval(np.column_stack([sums, sizes]), ratio, resamples=40_000, seed=3)
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_with_many_clusters_it_is_students() -> None:
    values = np.random.default_rng(1).random(MOST_RESAMPLED + 1)
    ours = bootstrap_interval(of(values), mean)
    assert ours is not None
    assert (ours.low, ours.high) == pytest.approx(
        stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    )
    fewer = bootstrap_interval(of(values[:-1]), mean)
    assert fewer is not None
    assert (ours.low, ours.high) == pytest.approx((fewer.low, fewer.high), abs=0.003)


@pytest.mark.parametrize("m", [1, 2, 10, MOST_RESAMPLED + 1])
def test_no_interval_where_all_agree(m: int) -> None:
    assert bootstrap_interval(of(np.full(m, 0.3)), mean, resamples=200) is None


def test_no_interval_of_an_undefined_value() -> None:
    assert bootstrap_interval(np.zeros((5, 2)), ratio, resamples=200) is None


def test_undefined_resamples_are_left_out() -> None:
    # Only two of five clusters have units: (3/5)^5 = 8 % of resamples have none at all.
    tallies = np.array([[1.0, 2.0], [2.0, 2.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    drawn = resampled(tallies, ratio, resamples=20_000, seed=1)
    assert np.isnan(drawn).mean() == pytest.approx(0.6**5, abs=0.01)
    ours = bootstrap_interval(tallies, ratio, bounds=(0, 1))
    assert ours is not None
    assert 0 <= ours.low < 0.75 < ours.high <= 1


@given(
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 5)), min_size=1, max_size=15),
    st.integers(0, 3),
)
def test_bounds_hold_the_value(rows: list[tuple[float, int]], seed: int) -> None:
    tallies = np.array([[share * n, n] for share, n in rows])
    ours = bootstrap_interval(tallies, ratio, resamples=200, seed=seed, bounds=(0, 1))
    if ours is not None:
        value = combined(tallies, ratio)
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
