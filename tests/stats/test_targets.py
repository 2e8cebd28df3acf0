"""What an estimate speaks for: by hand, at the ends, and by coverage for either target."""

from __future__ import annotations

import math
from statistics import fmean

import pytest

from factmark.model import Estimate
from factmark.stats import corrected_share, mean_over_clusters, ratio_over_clusters
from factmark.stats.clusters import mean_amount
from factmark.stats.corrections import correction
from factmark.stats.scales import ALL_OBSERVED
from simulations import simulation

VERDICTS = ["yes"] * 12 + ["no"] * 8
TRUE = dict(enumerate([1.0] * 10 + [0.0] * 8 + [1.0] * 2))


def bounds(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


def test_where_every_unit_was_observed_nothing_is_left_of_an_interval() -> None:
    tallies = {"a": [1.0, 0.0], "b": [1.0], "c": [0.0, 0.0, 1.0]}
    for estimate in (
        mean_over_clusters(tallies, resamples=200, target="units"),
        ratio_over_clusters(tallies, target="units"),
        mean_amount(tallies, resamples=200, target="units"),
    ):
        assert estimate.value is not None
        assert bounds(estimate) == (estimate.value, estimate.value)
        assert (estimate.method, estimate.target) == (ALL_OBSERVED, "units")


def test_one_table_answers_one_question() -> None:
    """All 20 units labelled: of these everything is known, of what made them no more than that."""
    known = correction(VERDICTS, TRUE, target="units")
    assert known.human_only is not None
    assert bounds(known.corrected) == pytest.approx((0.6, 0.6))
    assert bounds(known.judge_only) == (0.6, 0.6)
    assert bounds(known.human_only) == (0.6, 0.6)
    sampled = correction(VERDICTS, TRUE)
    assert sampled.human_only is not None
    for estimate in (sampled.corrected, sampled.judge_only, sampled.human_only):
        low, high = bounds(estimate)
        assert estimate.target == "process"
        # 12 of 20, by Wilson 0.39 to 0.78; the three are made in other ways.
        assert 0.33 < low < 0.44
        assert 0.74 < high < 0.83


def test_a_random_part_shrinks_an_interval_by_the_finite_population_correction() -> None:
    """Of 8 units in 4 clusters 2 more are missing, and these 10 are half of all: 8 of 20."""
    tallies = {"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.0, 0.0], "d": [1.0, 0.0]}
    whole = ratio_over_clusters(tallies, n_missing=2)
    part = ratio_over_clusters(tallies, n_missing=2, target="units", part=0.5)
    left = math.sqrt(1 - 8 / 20)
    assert bounds(part) == pytest.approx(tuple(0.5 + left * (end - 0.5) for end in bounds(whole)))
    assert (part.value, part.worst, part.best) == (whole.value, whole.worst, whole.best)


def test_clusters_that_are_lost_count_as_not_observed() -> None:
    """Of a half is known, b and c whole, d not at all: 2.5 of 4."""
    tallies = {"a": [1.0], "b": [1.0], "c": [0.0]}
    how = {"n_missing": 1, "lost": {"a": 1}, "resamples": 200}
    whole = mean_over_clusters(tallies, **how)  # type: ignore[arg-type]  # as named
    part = mean_over_clusters(tallies, target="units", **how)  # type: ignore[arg-type]
    left, value = math.sqrt(1 - 2.5 / 4), 2 / 3
    expected = tuple(value + left * (end - value) for end in bounds(whole))
    assert bounds(part) == pytest.approx(expected)


def test_a_small_part_of_many_tells_of_them_what_it_tells_of_the_process() -> None:
    some = {place: TRUE[place] for place in (0, 1, 11, 12, 13, 19)}
    process = corrected_share(VERDICTS, some)
    units = corrected_share(VERDICTS, some, target="units", part=1e-9)
    assert bounds(units) == pytest.approx(bounds(process), abs=1e-8)


def test_intervals_hold_the_truth_of_their_target() -> None:
    """In small; at 95 % the standard error of 150 runs is 1.8 %."""
    rows = list(simulation("targets").rows(150))
    assert {str(row["statistic"]).rpartition(" ")[2] for row in rows} == {"units", "process"}
    assert all(row["coverage"] > 0.88 for row in rows)
    assert fmean(row["coverage"] for row in rows) > 0.94
