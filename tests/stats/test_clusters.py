"""Cluster means: by hand, against scipy's bootstrap, and by simulated coverage."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from factmark.stats import mean_over_clusters, wilson
from factmark.stats.clusters import expanded_percentile


def test_mean_is_of_cluster_means() -> None:
    # (1 + (0 + 0.5) / 2) / 2 = 0.625, not (1 + 0 + 0.5) / 3 = 0.5
    estimate = mean_over_clusters({"a": [1.0], "b": [0.0, 0.5]})
    assert estimate.value == 0.625
    assert (estimate.n_items, estimate.n_units) == (2, 3)


def test_interval_by_hand() -> None:
    # Two clusters, 0 and 1: a resample's mean is 0, 1/2 or 1 with 1/4, 1/2, 1/4. The expanded tail
    # is beyond 1/4 of the mass on each side, so the interval is all of [0, 1].
    estimate = mean_over_clusters({"a": [0.0], "b": [1.0]})
    assert (estimate.low, estimate.high) == (0.0, 1.0)


def test_interval_against_scipy() -> None:
    values = np.random.default_rng(1).beta(2, 1, 400)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="percentile", rng=np.random.default_rng(2)
    ).confidence_interval
    ours = expanded_percentile(values, level=0.95, resamples=20_000, seed=3)
    # With n = 400 the expansion is 0.4 %; both are within resampling noise of each other.
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.002)


def test_never_a_width_of_zero() -> None:
    estimate = mean_over_clusters({str(n): [1.0] for n in range(10)})
    assert (estimate.low, estimate.high) == pytest.approx(wilson(1.0, 10))
    assert estimate.method.startswith("wilson")


def test_nothing_observed() -> None:
    estimate = mean_over_clusters({}, n_missing=3)
    assert (estimate.value, estimate.low, estimate.high) == (None, None, None)
    assert (estimate.worst, estimate.best) == (0.0, 1.0)


def test_worst_and_best_case_of_the_missing() -> None:
    estimate = mean_over_clusters({"a": [0.5]}, n_missing=1)
    assert (estimate.worst, estimate.best) == (0.25, 0.75)
    reverse = mean_over_clusters({"a": [0.5]}, n_missing=1, lower_is_better=True)
    assert (reverse.worst, reverse.best) == (0.75, 0.25)


@given(
    st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=3), min_size=1, max_size=12),
    st.integers(0, 5),
)
def test_bounds_hold_the_value(values: list[list[float]], seed: int) -> None:
    tallies = {str(place): units for place, units in enumerate(values)}
    first = mean_over_clusters(tallies, resamples=200, seed=seed)
    assert first == mean_over_clusters(tallies, resamples=200, seed=seed)
    assert first.value is not None
    assert first.low is not None
    assert first.high is not None
    assert 0 <= first.low <= first.value <= first.high <= 1


@pytest.mark.parametrize("n", [10, 20, 50])
@pytest.mark.parametrize("kind", ["yes-no", "skewed", "half at one"])
def test_coverage(n: int, kind: str) -> None:
    """Of 600 seeded samples, nominal 95 %: at least 91 % (for n = 10 the plain percentile: 88)."""
    generator = np.random.default_rng([n, len(kind)])
    draws, truth = {
        "yes-no": (lambda: (generator.random(n) < 0.8).astype(float), 0.8),
        "skewed": (lambda: generator.beta(2, 1, n), 2 / 3),
        "half at one": (
            lambda: np.where(generator.random(n) < 0.5, 1.0, generator.random(n)),
            0.75,
        ),
    }[kind]
    hits = 0
    for seed in range(600):
        tallies = {str(place): [value] for place, value in enumerate(draws())}
        estimate = mean_over_clusters(tallies, resamples=1_000, seed=seed)
        assert estimate.low is not None
        assert estimate.high is not None
        hits += estimate.low <= truth <= estimate.high
    assert hits / 600 >= 0.91


def test_lost_units_widen_the_extremes_and_are_no_missing_clusters() -> None:
    told = mean_over_clusters({"a": [1.0], "b": [0.5]}, lost={"a": 1}, n_missing=1, resamples=100)
    assert told.value == 0.75
    assert told.n_missing == 1
    assert told.worst == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert told.best == pytest.approx((1 + 0.5 + 1) / 3)
