"""Weighted means: by hand, against scipy, by simulated coverage, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.model import Estimate
from factmark.stats.estimators import simple_random_mean, stratified_mean, two_stage_mean
from factmark.stats.intervals import t_quantile, wilson
from later import later
from rated import bounds

stats = later("scipy.stats")


VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1), st.sampled_from([0.0, 1.0])), max_size=8)


def holds(estimate: Estimate, *, wide: bool = True) -> None:
    """low <= value <= high within [0, 1]; a width; worst and best around what was seen."""
    if estimate.value is None:
        assert (estimate.low, estimate.high, estimate.n_units) == (None, None, 0)
        return
    assert estimate.low is not None
    assert estimate.high is not None
    assert estimate.worst is not None
    assert estimate.best is not None
    assert 0 <= estimate.low <= estimate.value <= estimate.high <= 1
    assert 0 <= estimate.worst <= estimate.best <= 1
    assert not wide or estimate.high > estimate.low
    assert estimate.design_effect is None or estimate.design_effect >= 0


def test_simple_random_by_hand() -> None:
    found = simple_random_mean([1, 1, 1, 0, None])
    assert (found.value, found.n_units, found.n_missing) == (0.75, 4, 1)
    assert (found.low, found.high) == pytest.approx(wilson(0.75, 4))
    assert (found.worst, found.best) == (0.6, 0.8)
    assert found.design_effect == 1


def test_stratified_by_hand() -> None:
    # W = 3/4 and 1/4; p = 3/4 * 1/2 + 1/4 * 1. Halves added: 1/2 and 9/10 of four each, so
    # V = 9/16 / 16 + 1/16 * 0.09 / 4; both strata are so large that n is n.
    big = 10**9
    found = stratified_mean({"a": [1, 1, 0, 0], "b": [1, 1, 1, 1]}, {"a": 3 * big, "b": big})
    centre, variance = 0.75 * 0.5 + 0.25 * 0.9, 9 / 256 + 0.09 / 64
    n = centre * (1 - centre) / variance
    x = 0.625 * n
    assert found.value == 0.625
    theirs = stats.beta.ppf(0.025, x, n - x + 1), stats.beta.ppf(0.975, x + 1, n - x)
    assert (found.low, found.high) == pytest.approx(theirs, abs=1e-7)
    assert found.design_effect == pytest.approx((9 / 256) / (0.625 * 0.375 / 8))


def test_two_stage_by_hand() -> None:
    # Four draws with means 1, 1, 1/2, 0. With half a draw of each end: centre 3/5, squares
    # 2 * 0.16 + 0.01 + 0.36 + (0.36 + 0.16) / 2 = 0.95, variance 0.95 / 4 / 4.
    found = two_stage_mean([[1, 1], [1], [1, 0], [0, 0, 0]])
    assert found.value == 0.625
    n = 0.24 / (0.95 / 16) * (1.959963984540054 / t_quantile(0.975, 3)) ** 2
    assert (found.low, found.high) == pytest.approx(wilson(0.625, n), abs=1e-6)


@settings(max_examples=30)
@given(st.dictionaries(st.sampled_from("abcd"), VALUES, max_size=4), st.integers(0, 20))
def test_a_stratified_estimate_is_ordered_and_has_width_unless_all_is_labelled(
    strata: dict[str, list[float | None]], more: int
) -> None:
    sizes = {name: len(values) + more for name, values in strata.items()}
    found = stratified_mean(strata, sizes)
    holds(found, wide=found.n_units < sum(sizes.values()))


@given(st.lists(VALUES, max_size=6))
def test_a_two_stage_estimate_is_ordered_and_has_width(draws: list[list[float | None]]) -> None:
    holds(two_stage_mean(draws))


def test_values_and_sizes_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        simple_random_mean([0.5, math.nan])
    with pytest.raises(ValueError, match="not from 1 units"):
        simple_random_mean([1.0, 1.0], size=1)
    with pytest.raises(ValueError, match="'b' has more values"):
        stratified_mean({"a": [1.0], "b": [1.0]}, {"a": 2})


@pytest.mark.parametrize(("accuracy", "alike"), [(0.5, 0.05), (0.9, 0.5), (0.99, 0.5)])
def test_coverage_of_two_stage(accuracy: float, alike: float) -> None:
    """Of 400 seeded samples of 60 draws, nominal 95 %: at least 92 %."""
    generator = np.random.default_rng([3, int(accuracy * 100), int(alike * 100)])
    mass = (1 - alike) / alike
    sizes = generator.geometric(0.25, 5_000)
    right = generator.binomial(sizes, generator.beta(accuracy * mass, (1 - accuracy) * mass, 5_000))
    truth, held = right.sum() / sizes.sum(), 0
    for _ in range(400):
        drawn = generator.choice(5_000, 60, p=sizes / sizes.sum())
        some = np.minimum(5, sizes[drawn])
        hits = generator.hypergeometric(right[drawn], sizes[drawn] - right[drawn], some)
        found = two_stage_mean(
            [[1.0] * int(hit) + [0.0] * int(n - hit) for hit, n in zip(hits, some, strict=True)]
        )
        low, high = bounds(found)
        held += low <= truth <= high
    assert held / 400 >= 0.92


@pytest.mark.parametrize("shares", [(0.95, 0.7, 0.4), (0.995, 0.98, 0.9)])
def test_coverage_of_strata(shares: tuple[float, ...]) -> None:
    """Of 400 seeded samples of 120 labels, nominal 95 %: at least 93 %."""
    generator = np.random.default_rng(int(sum(shares) * 100))
    sizes, held = {"a": 70_000, "b": 25_000, "c": 5_000}, 0
    truth = sum(size * share for size, share in zip(sizes.values(), shares, strict=True)) / sum(
        sizes.values()
    )
    for _ in range(400):
        found = stratified_mean(
            {
                name: (generator.random(n) < share).astype(float).tolist()
                for name, n, share in zip(sizes, (70, 30, 20), shares, strict=True)
            },
            sizes,
        )
        low, high = bounds(found)
        held += low <= truth <= high
    assert held / 400 >= 0.93


def test_few_of_a_finite_population() -> None:
    # 50 of 99: 50 * 98 / 49 = 100 independent ones.
    found = simple_random_mean([1.0, 0.0] * 25, size=99)
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 100))
    assert found.design_effect == pytest.approx(0.5)
    everything = simple_random_mean([1.0, 0.0], size=2)
    assert (everything.low, everything.high, everything.method) == (0.5, 0.5, "every unit observed")
