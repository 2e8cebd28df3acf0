"""Corrected shares and means: by hand, by coverage, and whatever the labels are."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.model import Estimate
from factmark.stats import corrected_mean, corrected_share
from factmark.stats.cells import cell_interval
from factmark.stats.corrections import METHODS, Method
from factmark.stats.intervals import t_quantile
from rated import spread

VERDICTS: list[str | None] = ["yes", "no", "maybe", None]
YES_NO = st.sampled_from([0.0, 1.0])
Z = 1.959963984540054


def width(estimate: Estimate) -> float:
    low, _, high = spread(estimate)
    return high - low


def proper(estimate: Estimate) -> None:
    low, value, high = spread(estimate)
    assert 0 <= low <= value <= high <= 1


@st.composite
def samples(
    draw: st.DrawFn, values: st.SearchStrategy[float] = YES_NO
) -> tuple[list[str | None], dict[int, float]]:
    """Verdicts, and people's values of some of the units."""
    offered = VERDICTS[: draw(st.integers(1, 4))]
    verdicts = draw(st.lists(st.sampled_from(offered), min_size=1, max_size=40))
    places = st.integers(0, len(verdicts) - 1)
    said = draw(st.dictionaries(places, values, max_size=40))
    return verdicts, said


# By hand.

TEN: list[str | None] = ["yes"] * 6 + ["no"] * 4
OF_TEN = {0: True, 1: True, 2: True, 3: False, 6: True, 7: False}


def test_value_by_hand() -> None:
    # 6 of 10 units with yes, 3/4 of the labelled ones true; 4 with no, 1/2 true:
    # 0.6 * 0.75 + 0.4 * 0.5 = 0.65
    found = corrected_share(TEN, OF_TEN)
    assert found.value == pytest.approx(0.65, abs=1e-15)
    assert (found.n_items, found.n_units, found.level) == (6, 10, 0.95)
    assert found.method == "mover, 6 labels by people of 10 units"


def test_interval_by_hand() -> None:
    # V = (0.6 * 0.75² + 0.4 * 0.5² - 0.65²) / 10 = (0.3375 + 0.1 - 0.4225) / 10 = 0.0015
    yes, no = cell_interval(3.0, 4.0, 0.95), cell_interval(1.0, 2.0, 0.95)
    below = (0.6 * (0.75 - yes[0])) ** 2 + (0.4 * (0.5 - no[0])) ** 2 + Z**2 * 0.0015
    above = (0.6 * (yes[1] - 0.75)) ** 2 + (0.4 * (no[1] - 0.5)) ** 2 + Z**2 * 0.0015
    low, _, high = spread(corrected_share(TEN, OF_TEN))
    assert low == pytest.approx(0.65 - math.sqrt(below), abs=1e-12)
    assert high == pytest.approx(min(1, 0.65 + math.sqrt(above)), abs=1e-12)


def test_these_units_by_hand() -> None:
    # Of yes 2 of 6 are not labelled, of no 2 of 4; the weights are known.
    yes, no = cell_interval(3.0, 4.0, 0.95), cell_interval(1.0, 2.0, 0.95)
    below = (0.6 * (0.75 - yes[0])) ** 2 * 2 / 6 + (0.4 * (0.5 - no[0])) ** 2 * 2 / 4
    found = corrected_share(TEN, OF_TEN, target="units")
    assert found.low == pytest.approx(0.65 - math.sqrt(below), abs=1e-12)
    assert width(found) < width(corrected_share(TEN, OF_TEN))


def test_clusters_by_hand() -> None:
    # One cell, four labels in two clusters, 1 1 and 0 0, parts ±1/8: sums ±1/4, so that
    # 2/1 * (1/16 + 1/16) / (4/64) = 4 is seen; 1 + (2 - 1) 0.3 is expected and weighs as 20 of 22.
    found = corrected_share(["yes"] * 4, {0: 1, 1: 1, 2: 0, 3: 0}, clusters=["a", "a", "b", "b"])
    effect = (2 * 4 + 20 * 1.3) / 22
    assert found.design_effect == pytest.approx(effect)
    t = t_quantile(0.975, 21)
    n = 4 / effect * (Z / t) ** 2
    low, high = cell_interval(n / 2, n, 0.95)
    assert spread(found) == pytest.approx((low, 0.5, high), abs=1e-9)
    assert found.n_items == 2


# The edges.


def test_clusters_of_people_alone_by_hand() -> None:
    """Values 1 1 / 0 0, a cluster each: about the mean of 1/2 a cluster sums to 1 and to -1, so the
    effect seen is 2/1 * 2/1 = 4 against 1.3 expected of two units a cluster: (2 * 4 + 20 * 1.3)/22.
    """
    verdicts = ["yes"] * 4
    labels = {0: 1.0, 1: 1.0, 2: 0.0, 3: 0.0}
    estimate = corrected_mean(verdicts, labels, method="human-only", clusters=["a", "a", "b", "b"])
    assert estimate.value == 0.5
    assert estimate.design_effect == pytest.approx(34 / 22)
    assert estimate.n_items == 2


def test_an_empty_cell_may_be_anything() -> None:
    # Nobody labelled any of three quarters of the units.
    verdicts = ["yes"] * 100 + ["no"] * 300
    low, value, high = spread(corrected_share(verdicts, dict.fromkeys(range(50), True)))
    assert value == pytest.approx(0.25 + 0.75 * 0.5)
    assert low <= 0.25
    assert high == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("clusters", [None, ["a", "a", "b"]])
def test_without_labels_only_the_judge_alone_has_a_value(
    method: Method, clusters: list[str] | None
) -> None:
    found = corrected_share(["yes", "no", "yes"], {}, method=method, clusters=clusters)
    assert found.n_units == 3
    if method == "judge-only":
        assert found.value == pytest.approx(2 / 3)
    else:
        assert (found.value, found.low, found.high) == (None, None, None)
        assert (found.worst, found.best) == (0, 1)


@pytest.mark.parametrize("method", METHODS)
@given(sample=samples())
@settings(max_examples=60)
def test_any_method_is_proper_or_says_none(
    method: Method, sample: tuple[list[str | None], dict[int, float]]
) -> None:
    verdicts, labels = sample
    clusters = [str(place // 3) for place in range(len(verdicts))]
    for how in (None, clusters):
        found = corrected_mean(verdicts, labels, method=method, clusters=how)
        if found.value is None:
            assert "none" in found.method
        else:
            proper(found)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "best"}, "method 'best' is none of mover, human"),
        ({"level": 95}, "level must be between 0 and 1: 95"),
        ({"human_values": {3: 1.0}}, "a label for unit 3, but there are 3 units"),
        ({"human_values": {-1: 1.0}}, "a label for unit -1"),
        ({"human_values": {0: 1.2}}, "unit 0: 1.2 is not within 0"),
        ({"human_values": {0: math.nan}}, "unit 0: nan is not within"),
        ({"clusters": ["a"]}, "3 verdicts but 1 clusters"),
        ({"judge_values": {"yes": 5.0}}, "the verdict 'yes' is worth 5.0, not within"),
    ],
)
def test_errors_say_what_is_wrong(arguments: dict[str, object], said: str) -> None:
    given_values = {"human_values": {0: 1.0}, **arguments}
    with pytest.raises(ValueError, match=said):
        corrected_mean(["yes", "no", "yes"], **given_values)  # type: ignore[arg-type]
