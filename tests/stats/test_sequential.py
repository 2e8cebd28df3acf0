"""Stopping: by hand, against scipy, and exact and simulated coverage in spite of peeking."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stats.intervals import normal_quantile
from factmark.stats.sequential import LOOK, level_at_any_time, sequential_interval, stopping
from simulations import simulation

coverage = simulation("sampling")
P = np.array([0.5, 0.85, 0.9, 0.99])


def test_stop_by_hand() -> None:
    # All yes: Clopper and Pearson's low is (error / 2)^(1/n), error 0.05 * 0.7. Half of 1 - low is
    # at most 0.05 once n >= log(0.0175) / log(0.9) = 38.4.
    found = stopping([True] * 60, 0.05)
    assert (found.done, found.used, found.n, found.high) == (True, 39, 60, 1.0)
    assert found.low == pytest.approx(0.0175 ** (1 / 39))
    assert found.expected_more == 0
    before = stopping([True] * 38, 0.05)
    assert (before.done, before.used) == (False, 38)
    assert before.expected_more >= 1


def test_nothing_to_see_before_the_first_look() -> None:
    found = stopping([True] * 29, 0.05)
    assert (found.used, found.estimate, found.half_width, found.done) == (0, None, 0.5, False)
    assert found.anytime == (0.0, 1.0)
    # Nothing known: as many as an accuracy of one half needs, 461 on average.
    assert found.expected_more == pytest.approx(461 - 29, rel=0.02)


@pytest.mark.parametrize("target", [0.1, 0.05])
def test_exact_coverage_of_stopping_at_every_accuracy(target: float) -> None:
    points = coverage.stops(coverage.exact(1 - 0.05 * LOOK[0.95]), target)
    held, labels, _ = coverage.at(points, P)
    assert held.min() >= 0.95
    assert coverage.worst(points)[0] >= 0.95
    if target == 0.05:  # a fixed number needs 381, 196, 141 and 43, if one knows the accuracy
        assert labels == pytest.approx([461, 240, 170, 47], abs=1)


def test_sequential_interval_by_hand() -> None:
    # One label, yes, r = 1: the mixture against p is B(p + 1, 1 - p) / B(p, 1 - p) / p = 1, so
    # nothing is ruled out. After two it is (p + 1) / 2 / p >= 20, at p = 1/39.
    assert sequential_interval(1, 1, tuned_for=1) == (0.0, 1.0)
    assert sequential_interval(2, 2, tuned_for=1) == (pytest.approx(1 / 39), 1.0)
    assert sequential_interval(0, 2, tuned_for=1) == (0.0, pytest.approx(38 / 39))
    assert sequential_interval(0, 0) == (0.0, 1.0)


@given(st.lists(st.booleans(), max_size=120), st.floats(0.04, 0.2))
def test_progress_is_ordered_and_counts_what_it_used(labels: list[bool], target: float) -> None:
    found = stopping(labels, target)
    assert found.used <= found.n == len(labels)
    assert 0 <= found.low <= found.high <= 1
    assert found.anytime[0] <= found.anytime[1]
    assert found.done == (found.half_width <= target) == (found.expected_more == 0)
    if found.estimate is not None:
        assert found.low <= found.estimate <= found.high
        assert found.anytime[0] <= found.estimate <= found.anytime[1]
    if found.done:  # whenever one asks, the answer is the same
        again = stopping(labels[: found.used], target)
        assert (again.low, again.high, again.done) == (found.low, found.high, True)


@pytest.mark.parametrize("p", [0.5, 0.99])
def test_coverage_at_all_times(p: float) -> None:
    """Of 200 seeded sequences at most 5 % (and luck) ever leave the truth outside."""
    generator = np.random.default_rng(int(p * 100))
    left = 0
    for _ in range(200):
        sums = np.cumsum(generator.random(200) < p).tolist()
        left += not all(
            low <= p <= high
            for low, high in (sequential_interval(sums[n - 1], n) for n in range(10, 201, 10))
        )
    assert left / 200 <= 0.055


@pytest.mark.parametrize("bad", [{"target": 0.5}, {"target": 0.001}, {"level": 0.999}])
def test_targets_that_were_not_checked_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="the rule was checked for"):
        stopping([True], **{"target": 0.05, **bad})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no answer"):
        sequential_interval(3, 2)


def test_the_level_at_any_time_by_hand() -> None:
    """At the number that it is tuned for, 200, with a = 0.05: r = -2 log a + log(1 - 2 log a) =
    5.991 + 1.945 = 7.936, and sqrt((1 + 1/7.936) log(8.936 / 0.0025)) = 3.035 standard errors."""
    errors = math.sqrt((1 + 1 / 7.936) * math.log(8.936 / 0.0025))
    assert level_at_any_time(200) == pytest.approx(math.erf(errors / math.sqrt(2)), abs=1e-5)
    assert level_at_any_time(30) > level_at_any_time(200) < level_at_any_time(3_000)
    with pytest.raises(ValueError, match="no answer for 0 labels"):
        level_at_any_time(0)


def test_who_looks_after_each_label_misses_seldom() -> None:
    """Normal sums, looked at from 30 to 600: the interval at any time ever leaves the truth out in
    5 of 100 paths at most, that of 95 % in more than 30."""
    generator = np.random.default_rng(3)
    sums = np.cumsum(generator.normal(size=(2_000, 600)), axis=1)
    looks = np.arange(30, 601)
    errors = np.abs(sums[:, looks - 1]) / np.sqrt(looks)
    bounds = np.array([normal_quantile((1 + level_at_any_time(int(n))) / 2) for n in looks])
    assert np.mean((errors > bounds).any(axis=1)) <= 0.05
    assert np.mean((errors > 1.96).any(axis=1)) > 0.3
