"""Means corrected by a line in a judge's numbers: by hand, by least squares, by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from factmark.model import Estimate
from factmark.stats.corrections import corrected_mean
from factmark.stats.intervals import t_quantile
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.sample import Drawing

SCORES = [0.1, 0.4, 0.35, 0.8, 0.9, 0.55, 0.2, 0.7]


def bounds(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.value, estimate.high


def study(
    generator: np.random.Generator, units: int, n: int, noise: float = 0.1
) -> tuple[list[float], dict[int, float]]:
    """A judge's scores of all units, and values that people gave the first n."""
    truth = generator.beta(3, 1.5, units)
    scores = np.clip(0.2 + 0.6 * truth + generator.normal(0, noise, units), 0, 1)
    return scores.tolist(), dict(enumerate(truth[:n].tolist()))


def test_the_value_by_hand() -> None:
    """Forty labels, of f = 0: 0.2 and 0.4, of f = 1: 0.6 and 0.8, ten each; of 60 units 20 have
    f = 0. f is standardised with mean 2/3 and variance 2/9, so the labels' squares about their
    mean 1/2 add up to 40 (1/4) / (2/9) = 45, and the ridge of 2 leaves 45/47 of the slope 0.4.
    The value is 0.5 + (2/3 - 1/2) 0.4 45/47."""
    scores = [0.0] * 20 + [1.0] * 20 + [1.0] * 20
    people = dict(enumerate([0.2, 0.4] * 10 + [0.6, 0.8] * 10))
    # The ridge leaves the constant alone, so at the labels' mean the line is their mean.
    estimate = corrected_by_line([scores], people)
    assert estimate.value == pytest.approx(0.5 + (2 / 3 - 1 / 2) * 0.4 * 45 / 47)


def test_of_many_labels_it_is_least_squares() -> None:
    """Ordinary least squares by `numpy.linalg.lstsq`, with White's variance: the ridge and the
    labels at the ends vanish with 20,000 labels."""
    scores, people = study(np.random.default_rng(4), 60_000, 20_000)
    f, y = np.array(scores), np.array(list(people.values()))
    x = np.column_stack([np.ones(len(f)), f])
    slopes = np.linalg.lstsq(x[: len(y)], y, rcond=None)[0]
    value = float((x @ slopes).mean())
    residuals = y - x[: len(y)] @ slopes
    error = math.sqrt(float(residuals.var()) / len(y) + float((x @ slopes).var()) / len(f))
    low, middle, high = bounds(corrected_by_line([scores], people))
    assert middle == pytest.approx(value, abs=1e-5)
    assert high - low == pytest.approx(2 * t_quantile(0.975, len(y)) * error, rel=0.01)


@pytest.mark.parametrize("change", [lambda f: 5 * f + 1, lambda f: -f, lambda f: f * 1e300])
def test_the_scale_of_the_judge_does_not_matter(change: object) -> None:
    scores, people = study(np.random.default_rng(1), 500, 60)
    expected = bounds(corrected_by_line([scores], people))
    changed = [change(score) for score in scores]  # type: ignore[operator]
    assert bounds(corrected_by_line([changed], people)) == pytest.approx(expected, abs=1e-6)


def test_the_scale_of_people_turned_round_turns_the_interval_round() -> None:
    scores, people = study(np.random.default_rng(2), 500, 60)
    low, value, high = bounds(corrected_by_line([scores], people))
    turned = {place: 1 - said for place, said in people.items()}
    assert bounds(corrected_by_line([scores], turned)) == pytest.approx(
        (1 - high, 1 - value, 1 - low)
    )


def test_all_units_labelled_need_no_judge() -> None:
    people = {place: score**2 for place, score in enumerate(SCORES * 5)}
    everything = corrected_by_line([SCORES * 5], people, target="units")
    mean = sum(people.values()) / len(people)
    assert bounds(everything) == pytest.approx((mean, mean, mean))
    low, value, high = bounds(corrected_by_line([SCORES * 5], people))
    assert value == pytest.approx(mean)
    assert high - low > 0.1


def test_what_is_observed_of_the_units_narrows_the_interval() -> None:
    scores, people = study(np.random.default_rng(3), 100, 60)
    low, _, high = bounds(corrected_by_line([scores], people))
    of_units = bounds(corrected_by_line([scores], people, target="units"))
    assert of_units[2] - of_units[0] < 0.75 * (high - low)


def test_of_few_labels_people_count_alone_where_the_judge_does_not_help() -> None:
    people = {0: 0.2, 1: 0.9, 2: 0.4, 3: 0.7, 4: 0.6}
    noise = [0.5, 0.51, 0.9, 0.5, 0.1, 0.2, 0.7, 0.3]
    alone = corrected_mean([None] * 8, people, method="human-only")
    assert bounds(corrected_by_line([noise], people)) == bounds(alone)
    helpful = [0.2, 0.9, 0.4, 0.7, 0.6, 0.1, 0.1, 0.1]
    value = corrected_by_line([helpful], people).value
    assert value is not None
    assert alone.value is not None
    assert value < alone.value


def test_strata_are_weighed_by_their_units() -> None:
    """Of 900 units with people's 0.8 and 100 with 0.2 as many are labelled: 0.74, not 0.5."""
    strata = ["large"] * 900 + ["small"] * 100
    people = {place: 0.8 + 0.01 * (place % 3 - 1) for place in range(30)}
    people |= {place: 0.2 + 0.01 * (place % 3 - 1) for place in range(900, 930)}
    scores = [float(place % 7) for place in range(1000)]
    estimate = corrected_by_line([scores], people, drawing=Drawing(strata=strata))
    assert estimate.value == pytest.approx(0.74, abs=0.005)
    weights = [30.0] * 900 + [100 / 30] * 100
    weighted = corrected_by_line([scores], people, drawing=Drawing(weights=weights))
    assert weighted.value == pytest.approx(0.74, abs=0.005)
    with pytest.raises(ValueError, match="no unit of stratum 'small'"):
        corrected_by_line([scores], dict.fromkeys(range(30), 0.5), drawing=Drawing(strata=strata))


def test_units_of_an_item_are_not_independent() -> None:
    generator = np.random.default_rng(5)
    items = np.repeat(generator.beta(2, 2, 100), 8)
    scores = generator.random(800).tolist()
    people = dict(enumerate(items[:240].tolist()))
    alone = corrected_by_line([scores], people)
    items_told = [f"item {place // 8}" for place in range(800)]
    together = corrected_by_line([scores], people, drawing=Drawing(clusters=items_told))
    low, _, high = bounds(alone)
    wide = bounds(together)
    assert wide[2] - wide[0] > 2 * (high - low)
    assert together.n_items == 30
    nobody = corrected_by_line([scores], people, drawing=Drawing(clusters=[None] * 800))
    assert nobody.n_items == 240
    assert bounds(nobody) == pytest.approx(bounds(alone), abs=0.005)


def test_missing_verdicts_and_words_are_columns() -> None:
    """Where the judge gave nothing people say 0.1, elsewhere 0.9; a fifth of it is missing."""
    scores = [None if place % 5 == 0 else 0.5 + place % 3 / 10 for place in range(1000)]
    people = {place: 0.1 if place % 5 == 0 else 0.9 for place in range(100, 200)}
    del people[100], people[105], people[110]
    estimate = corrected_by_line([scores], people)
    assert estimate.value == pytest.approx(0.2 * 0.1 + 0.8 * 0.9, abs=0.01)
    words = ["gap" if score is None else "some" for score in scores]
    assert corrected_by_line([words], people).value == pytest.approx(0.74, abs=0.01)


def test_a_second_judge_narrows_the_interval() -> None:
    generator = np.random.default_rng(6)
    truth = generator.beta(2, 2, 1000)
    first, second = (truth + generator.normal(0, 0.15, 1000) for _ in range(2))
    people = dict(enumerate(truth[:100].tolist()))
    low, _, high = bounds(corrected_by_line([first.tolist()], people))
    both = corrected_by_line([first.tolist(), second.tolist()], people)
    assert bounds(both)[2] - bounds(both)[0] < 0.9 * (high - low)


def test_the_worth_of_labels_is_that_of_a_simulation() -> None:
    """`n_effective` beside the variances of both means over 400 draws, within a quarter."""
    generator = np.random.default_rng(7)
    alone, corrected, worth = [], [], []
    for _ in range(400):
        scores, people = study(generator, 1000, 60)
        estimate = corrected_by_line([scores], people)
        alone.append(np.mean(list(people.values())))
        corrected.append(float(estimate))
        worth.append(estimate.n_effective or 0.0)
    simulated = 60 * np.var(alone) / np.var(corrected)
    assert float(np.median(worth)) == pytest.approx(simulated, rel=0.25)


def test_how_often_it_holds_the_truth() -> None:
    """Ratings of which seven in ten are the best and a judge that is lenient: 400 draws of 50
    labels, of which an interval of 95 % misses 20 give or take 4.4."""
    generator = np.random.default_rng(8)
    share = np.array([2, 3, 7, 18, 70]) / 100
    truth, held = float(share @ np.arange(5)) / 4, 0
    for _ in range(400):
        stars = generator.choice(5, 1000, p=share)
        lenient = np.where(generator.random(1000) < 0.5, stars, np.minimum(4, stars + 1))
        people = dict(enumerate((stars[:50] / 4).tolist()))
        low, _, high = bounds(corrected_by_line([lenient.tolist()], people))
        held += low <= truth <= high
    assert held >= 400 * 0.95 - 3 * 4.4


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"people": {}}, "none of the units"),
        ({"people": {9: 0.5}}, "a label for unit 9"),
        ({"people": {0: 1.5}}, "not within 0 and 1"),
        ({"judges": [[1.0, math.inf, 0.0]]}, "not finite"),
        ({"drawing": Drawing(weights=[0.0, 1.0, 1.0])}, "not a number above 0"),
        ({"drawing": Drawing(clusters=["a"])}, "3 units but 1 values of clusters"),
        ({"level": 95}, "the level"),
    ],
)
def test_what_is_refused(given: dict[str, object], message: str) -> None:
    call = {"judges": [[0.1, 0.4, 0.9]], "people": {0: 0.2, 1: 0.5}} | given
    with pytest.raises(ValueError, match=message):
        corrected_by_line(**call)  # type: ignore[arg-type]
