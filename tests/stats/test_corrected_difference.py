"""Differences of two systems corrected by people's labels: by hand, by least squares, simulated."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from factmark.stats.comparison import Options
from factmark.stats.contest import leader_board
from factmark.stats.intervals import t_quantile
from factmark.stats.judge_line.difference import JudgedSide, corrected_difference

Floats = NDArray[np.float64]


def side(judge: Floats, people: Floats, labelled: NDArray[np.int64]) -> JudgedSide:
    """A system with a unit for each item."""
    labels: list[float | None] = [None] * len(judge)
    for place in labelled.tolist():
        labels[place] = float(people[place])
    items = [f"q{place}" for place in range(len(judge))]
    return JudgedSide(items=items, judge=judge.tolist(), people=labels)


def test_the_value_by_hand() -> None:
    """Forty items, all labelled in both systems, so that the judge adds nothing: A's mean is 0.7,
    B's 0.4, whatever the judge says."""
    a = np.array([0.6, 0.8] * 20)
    b = np.array([0.4] * 40)
    judge = np.linspace(0, 1, 40)
    everything = np.arange(40)
    estimate, p = corrected_difference(side(judge, a, everything), side(judge, b, everything))
    assert estimate.value == pytest.approx(0.3)
    assert estimate.n_items == 40
    assert p < 0.001


def test_of_many_items_it_is_the_regression_of_differences() -> None:
    """`numpy.linalg.lstsq` of people's differences on the judge's and on its sums (Mundlak's two
    columns), with the variance of its residuals: ridge and ends vanish with 5,000 items."""
    generator = np.random.default_rng(7)
    n, labelled = 20_000, np.arange(5_000)
    hard = generator.normal(0, 0.1, n)
    sides, of_people, of_judge = [], [], []
    for lift in (0.06, 0.0):
        people = np.clip(0.6 + lift + hard + generator.normal(0, 0.1, n), 0, 1)
        judge = people + 0.5 * hard + generator.normal(0, 0.1, n)
        sides.append(side(judge, people, labelled))
        of_people.append(people)
        of_judge.append(judge)
    f = of_judge[0] - of_judge[1]
    y = (of_people[0] - of_people[1])[labelled]
    x = np.column_stack([np.ones(n), f])
    slopes = np.linalg.lstsq(x[labelled], y, rcond=None)[0]
    residuals = y - x[labelled] @ slopes
    error = math.sqrt(float(residuals.var()) / len(y) + float((x @ slopes).var()) / n)
    estimate, _ = corrected_difference(*sides)
    assert estimate.value == pytest.approx(float((x @ slopes).mean()), abs=3e-4)
    assert estimate.low is not None
    assert estimate.high is not None
    width = 2 * t_quantile(0.975, len(y)) * error
    assert estimate.high - estimate.low == pytest.approx(width, rel=0.03)


def test_p_is_below_the_level_where_the_interval_leaves_0_out() -> None:
    generator = np.random.default_rng(3)
    for lift in (0.0, 0.05, 0.1, 0.2):
        people = generator.random(80)
        better = np.clip(people + lift, 0, 1)
        labelled = np.arange(30)
        noise = generator.normal(0, 0.1, 80)
        estimate, p = corrected_difference(
            side(better + noise, better, labelled),
            side(people, generator.permutation(people), labelled),
        )
        assert estimate.low is not None
        assert estimate.high is not None
        assert (p < 0.05) == (estimate.low > 0 or estimate.high < 0)


def test_a_judge_that_favours_b_is_corrected() -> None:
    """Both systems are as good; the judge gives B 0.1 more. The corrected interval holds 0 in at
    least 94 of 100 studies with 40 items labelled, whatever the judge favours."""
    held = 0
    for seed in range(300):
        generator = np.random.default_rng([seed, 11])
        hard = generator.beta(4, 2, 200)
        shared = generator.normal(0, 0.15, 200)
        sides = []
        for favour in (0.0, 0.1):
            people = np.clip(hard + generator.normal(0, 0.15, 200), 0, 1)
            judge = np.clip(people + favour + shared, 0, 1)
            sides.append(side(judge, people, np.arange(40)))
        estimate, _ = corrected_difference(*sides)
        assert estimate.low is not None
        assert estimate.high is not None
        held += estimate.low <= 0 <= estimate.high
    assert held >= 0.93 * 300


def test_a_system_without_labels_is_refused() -> None:
    judge = np.linspace(0, 1, 30)
    nothing = np.array([], dtype=np.int64)
    with pytest.raises(ValueError, match="no unit of one of the systems"):
        corrected_difference(side(judge, judge, np.arange(30)), side(judge, judge, nothing))


def test_a_leader_board_goes_by_what_people_say() -> None:
    """Three systems, which the judge ranks the other way round than people do; with labels of 60
    questions of each, people's order counts, and the judge's own values stand beside it."""
    generator = np.random.default_rng(5)
    systems, marks = {}, {}
    for name, true, favour in (("a", 0.8, -0.3), ("b", 0.6, 0.0), ("c", 0.4, 0.35)):
        people = np.clip(generator.normal(true, 0.1, 120), 0, 1)
        judge = np.clip(people + favour, 0, 1)
        marks[name] = side(judge, people, np.arange(60))
        systems[name] = {f"q{n}": {f"q{n}": (value,)} for n, value in enumerate(judge.tolist())}
    alone = leader_board(systems, Options(resamples=100))
    assert [place.name for place in alone.places] == ["c", "b", "a"]
    board = leader_board(systems, Options(resamples=100), marks)
    assert [place.name for place in board.places] == ["a", "b", "c"]
    assert [place.letters for place in board.places] == [("a",), ("b",), ("c",)]
    assert all(pair.told_apart for pair in board.comparisons)
    few = {**marks, "a": side(np.full(120, 0.5), np.full(120, 0.5), np.arange(19))}
    assert leader_board(systems, Options(resamples=100), few) == alone
