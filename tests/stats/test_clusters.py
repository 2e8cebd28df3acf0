"""Means and shares over clusters: by hand, against other formulas and scipy, and by coverage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stats import mean_over_clusters, ratio_over_clusters, wilson
from factmark.stats.clusters import studentised
from later import later
from rated import spread

stats = later("scipy.stats")


BOTH = [mean_over_clusters, ratio_over_clusters]
values_of_clusters = st.lists(
    st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=4),
    min_size=1,
    max_size=12,
)


def named(values: list[list[float]]) -> dict[str, list[float]]:
    return {str(place): units for place, units in enumerate(values)}


def test_mean_is_of_cluster_means() -> None:
    # (1 + (0 + 0.5) / 2) / 2 = 0.625, not (1 + 0 + 0.5) / 3 = 0.5
    estimate = mean_over_clusters({"a": [1.0], "b": [0.0, 0.5]})
    assert estimate.value == 0.625
    assert (estimate.n_items, estimate.n_units) == (2, 3)


def test_ratio_is_the_mean_of_units() -> None:
    estimate = ratio_over_clusters({"a": [1.0], "b": [0.0, 0.5], "none": []}, n_missing=1)
    assert estimate.value == 0.5
    assert (estimate.n_items, estimate.n_units, estimate.n_missing) == (2, 3, 1)
    assert (estimate.worst, estimate.best) == (1.5 / 4, 2.5 / 4)


def test_interval_of_a_mean_by_hand() -> None:
    # Two clusters, 0 and 1: half of the resamples have no spread, so their tails are infinite and
    # what is left is what two yes/no trials tell.
    estimate = mean_over_clusters({"a": [0.0], "b": [1.0]})
    assert (estimate.low, estimate.high) == pytest.approx(wilson(0.5, 2))


def test_interval_of_a_ratio_by_hand() -> None:
    # Values 0, 0, 1, 1: s² = 1/3, error sqrt(1/12); logit 0 ± t(3) error / (1/4), t = 3.182446.
    estimate = ratio_over_clusters({"a": [0.0], "b": [0.0], "c": [1.0], "d": [1.0]})
    half = 3.182446305284263 * math.sqrt(1 / 12) * 4
    assert estimate.low == pytest.approx(1 / (1 + math.exp(half)))
    assert estimate.high == pytest.approx(1 / (1 + math.exp(-half)))


def test_the_studentised_interval_is_near_scipys_bca_and_students() -> None:
    # scipy has no bootstrap-t; its normal theory's t and BCa are within a few % with 400 values.
    values = np.random.default_rng(1).beta(2, 1, 400)
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    ours = studentised(values, level=0.95, resamples=5_000, seed=3)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.003)
    student = stats.t.interval(0.95, 399, values.mean(), stats.sem(values))
    assert (ours.low, ours.high) == pytest.approx(student, abs=0.003)


@pytest.mark.parametrize("estimate", BOTH)
@pytest.mark.parametrize("value", [0.0, 0.3, 0.5, 1.0])
def test_never_a_width_of_zero(estimate, value: float) -> None:
    made = estimate({str(n): [value] * (1 + n % 3) for n in range(10)})
    assert (made.low, made.high) == pytest.approx(wilson(value, 10))
    assert made.method.startswith("wilson")
    assert (made.seed, made.design_effect) == (None, None)


def test_lost_units_widen_the_extremes_and_are_no_missing_clusters() -> None:
    told = mean_over_clusters({"a": [1.0], "b": [0.5]}, lost={"a": 1}, n_missing=1, resamples=100)
    assert told.value == 0.75
    assert told.n_missing == 1
    assert told.worst == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert told.best == pytest.approx((1 + 0.5 + 1) / 3)


@given(values_of_clusters, st.integers(0, 5))
def test_bounds_hold_the_value(values: list[list[float]], seed: int) -> None:
    tallies = named(values)
    first = mean_over_clusters(tallies, resamples=200, seed=seed)
    assert first == mean_over_clusters(tallies, resamples=200, seed=seed)
    for estimate in (first, ratio_over_clusters(tallies)):
        low, value, high = spread(estimate)
        assert 0 <= low <= value <= high <= 1
        assert low < high
        assert estimate.design_effect is None or 0 < estimate.design_effect < math.inf


def test_design_effect_by_hand() -> None:
    # s² of the four means is 1/3, of the eight units 2/7: (1/3 / 4) / (2/7 / 8).
    tallies = {"a": [0.0, 0.0], "b": [0.0, 0.0], "c": [1.0, 1.0], "d": [1.0, 1.0]}
    for estimate in (mean_over_clusters(tallies), ratio_over_clusters(tallies)):
        assert estimate.design_effect == pytest.approx((1 / 12) / (1 / 28))
        assert estimate.n_effective == pytest.approx(8 / (28 / 12))
    lone = named([[0.0], [1.0], [1.0], [0.5]])
    assert ratio_over_clusters(lone).design_effect == pytest.approx(1)
    assert mean_over_clusters(lone).n_effective == pytest.approx(4)


def test_signature_names_the_computation() -> None:
    tallies = {"a": [1.0], "b": [0.0, 0.5], "c": [0.25]}
    made = mean_over_clusters(tallies, resamples=100, seed=4)
    assert made.seed == 4
    assert len(made.data) == 32
    assert made.data == ratio_over_clusters({**tallies, "empty": []}).data
    assert ratio_over_clusters(tallies).seed is None
    others = [
        {"a": [1.0], "b": [0.0, 0.25], "c": [0.25]},
        {"a": [1.0, 0.0], "b": [0.5], "c": [0.25]},
        {"a": [1.0], "b": [0.0, 0.5], "d": [0.25]},
    ]
    assert made.data not in {mean_over_clusters(other, resamples=9).data for other in others}
    assert "seed:4" in made.signature


@pytest.mark.parametrize("n", [10, 50])
@pytest.mark.parametrize("kind", ["yes-no", "nine tenths at one"])
def test_coverage(n: int, kind: str) -> None:
    """Of 400 seeded samples, nominal 95 %: at least 92 % (`make coverage` draws more)."""
    generator = np.random.default_rng([n, len(kind)])
    draw, truth = {
        "yes-no": (lambda: (generator.random(n) < 0.8).astype(float), 0.8),
        "nine tenths at one": (
            lambda: np.where(generator.random(n) < 0.9, 1.0, generator.beta(3, 1, n)),
            0.975,
        ),
    }[kind]
    hits = 0
    for seed in range(400):
        tallies = {str(place): [value] for place, value in enumerate(draw())}
        low, _, high = spread(mean_over_clusters(tallies, resamples=500, seed=seed))
        hits += low <= truth <= high
    assert hits / 400 >= 0.92


@pytest.mark.parametrize("estimate", BOTH)
def test_without_values_there_is_no_interval_and_all_is_possible(estimate) -> None:
    made = estimate({"a": []}, n_missing=3)
    assert (made.value, made.low, made.high, made.method) == (None, None, None, "none")
    assert (made.worst, made.best) == (0.0, 1.0)
    assert estimate({}).worst is None


@pytest.mark.parametrize("estimate", BOTH)
def test_the_order_of_clusters_and_values_changes_no_digit(estimate) -> None:
    """Rows of a file may come in any order; the interval and its signature stay."""
    generator = np.random.default_rng(3)
    tallies = {f"q{n}": generator.beta(2, 1, 1 + n % 3).tolist() for n in range(25)}
    turned = {name: values[::-1] for name, values in reversed(tallies.items())}
    assert estimate(turned) == estimate(tallies)
