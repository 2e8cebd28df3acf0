"""Labels drawn where people lie off a judge's line: by hand, and how much they save."""

from __future__ import annotations

import numpy as np

from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.drawn_by_residuals import (
    labels_by_stratum,
    strata_of_numbers,
    with_steps,
)
from factmark.stats.judge_line.sample import Drawing


def test_ratings_are_strata_scores_are_sixths_and_none_is_the_last() -> None:
    ratings = np.array([1.0, 3.0, np.nan, 5.0, 3.0])
    assert strata_of_numbers(ratings).tolist() == [1, 2, 4, 3, 2]
    scores = np.concatenate([np.linspace(0, 1, 600), [np.nan]])
    strata = strata_of_numbers(scores)
    assert np.bincount(strata).tolist() == [100, 100, 100, 100, 100, 100, 1]
    assert (np.diff(strata[:600]) >= 0).all()


def test_labels_go_where_the_judge_errs_by_size_times_spread() -> None:
    """Two ratings of 500 units and 20 labels each: of the one people say 0 or 1, half each, of the
    other always 1. Left of the first is 1/2, of the second 0, each pulled by 5 labels towards all
    20 labels of 1/2 and 20 of 0 (root mean square 0.354): sqrt((20/4 + 5/8) / 25) = 0.474 and
    sqrt((5/8) / 25) = 0.158, so of 140 labels 105 and 35."""
    ratings = np.repeat([1.0, 2.0], 500)
    people = {place: float(place % 2) for place in range(20)}
    people |= dict.fromkeys(range(500, 520), 1.0)
    strata = strata_of_numbers(ratings)
    wanted = labels_by_stratum(ratings, people, strata, 140, Drawing())
    assert sum(wanted) == 140
    assert abs(wanted[1] - 105) <= 2  # of the ridge, and of the residuals' own leverage
    assert abs(wanted[2] - 35) <= 2


def test_what_is_there_is_kept_and_no_stratum_is_left_out() -> None:
    """A rating that has more labels than it needs keeps them; one of three units has one at least,
    and no stratum has more labels than units."""
    ratings = np.concatenate([np.repeat([1.0, 2.0], 300), [3.0] * 3])
    people = dict.fromkeys(range(100), 0.5) | {place: float(place % 2) for place in range(300, 320)}
    wanted = labels_by_stratum(ratings, people, strata_of_numbers(ratings), 150, Drawing())
    assert wanted[1] == 100
    assert 1 <= wanted[3] <= 3
    assert sum(wanted) == 150
    every = labels_by_stratum(ratings, people, strata_of_numbers(ratings), 10_000, Drawing())
    assert every[1:] == [300, 300, 3]


def test_steps_need_labels_and_give_way_to_strata_that_are_told() -> None:
    ratings = np.repeat([1.0, 2.0, 3.0], 20)
    assert with_steps(Drawing(), ratings, 14) == Drawing()
    told = Drawing(strata=["a"] * 60)
    assert with_steps(told, ratings, 60) == told
    steps = with_steps(Drawing(), ratings, 15)
    assert steps.strata is not None
    assert steps.weights is not None


def test_fewer_labels_do_as_well_and_the_interval_holds() -> None:
    """A judge's probability of what people call true: 30 labels at random, then 90 more of 1,000
    units. In the mean the interval is narrower than with 10 % more labels at random (sqrt(0.9) of
    the width), and holds the mean of the units in 94 to 96 of 100 studies (here with chance)."""
    widths: dict[str, list[float]] = {"drawn": [], "random": []}
    held = 0
    for seed in range(120):
        generator = np.random.default_rng([seed, 41])
        people = (generator.random(1_000) < 0.7).astype(float)
        judge = 1 / (1 + np.exp(-generator.normal(0, 1, 1_000) - 2.5 * (people - 0.3)))
        order = generator.permutation(1_000)
        strata = strata_of_numbers(judge)
        pilot = order[:30]
        known = dict(zip(pilot.tolist(), people[pilot].tolist(), strict=True))
        wanted = labels_by_stratum(judge, known, strata, 120, Drawing())
        chosen = [pilot]
        for stratum, n in enumerate(wanted):
            free = [place for place in order[30:].tolist() if strata[place] == stratum]
            done = int((strata[pilot] == stratum).sum())
            chosen.append(np.array(free[: max(0, n - done)], dtype=np.int64))
        drawn = np.concatenate(chosen)
        weights = (np.bincount(strata) / np.maximum(1, np.bincount(strata[drawn])))[strata]
        for name, places in (("drawn", drawn), ("random", order[: len(drawn)])):
            drawing = Drawing()
            if name == "drawn":
                drawing = with_steps(Drawing(weights=weights), judge, len(places))
            labels = dict(zip(places.tolist(), people[places].tolist(), strict=True))
            estimate = corrected_by_line([judge], labels, drawing=drawing, target="units")
            assert estimate.low is not None
            assert estimate.high is not None
            widths[name].append(estimate.high - estimate.low)
            if name == "drawn":
                held += estimate.low <= people.mean() <= estimate.high
    assert np.mean(widths["drawn"]) < np.sqrt(0.9) * np.mean(widths["random"])
    assert held >= 0.89 * 120
