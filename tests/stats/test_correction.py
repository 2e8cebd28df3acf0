"""Corrected shares and means: by hand, by coverage, and whatever the labels are."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.model import Estimate
from factmark.stats import corrected_mean, corrected_share
from factmark.stats.cells import cell_interval
from factmark.stats.corrections import METHODS, Method
from factmark.stats.intervals import t_quantile

VERDICTS: list[str | None] = ["yes", "no", "maybe", None]
YES_NO = st.sampled_from([0.0, 1.0])
Z = 1.959963984540054


def bounds(estimate: Estimate) -> tuple[float, float, float]:
    assert estimate.value is not None
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.value, estimate.high


def width(estimate: Estimate) -> float:
    low, _, high = bounds(estimate)
    return high - low


def proper(estimate: Estimate) -> None:
    low, value, high = bounds(estimate)
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
    low, _, high = bounds(corrected_share(TEN, OF_TEN))
    assert low == pytest.approx(0.65 - math.sqrt(below), abs=1e-12)
    assert high == pytest.approx(min(1, 0.65 + math.sqrt(above)), abs=1e-12)


def test_population_by_hand() -> None:
    # Of yes 2 of 6 are not labelled, of no 2 of 4; the weights are known.
    yes, no = cell_interval(3.0, 4.0, 0.95), cell_interval(1.0, 2.0, 0.95)
    below = (0.6 * (0.75 - yes[0])) ** 2 * 2 / 6 + (0.4 * (0.5 - no[0])) ** 2 * 2 / 4
    found = corrected_share(TEN, OF_TEN, population=True)
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
    assert bounds(found) == pytest.approx((low, 0.5, high), abs=1e-9)
    assert found.n_items == 2


# The edges.


def test_an_empty_cell_may_be_anything() -> None:
    # Nobody labelled any of three quarters of the units.
    verdicts = ["yes"] * 100 + ["no"] * 300
    low, value, high = bounds(corrected_share(verdicts, dict.fromkeys(range(50), True)))
    assert value == pytest.approx(0.25 + 0.75 * 0.5)
    assert low <= 0.25
    assert high == 1


@pytest.mark.parametrize("verdict", ["yes", "no", "unheard-of", None])
def test_one_verdict_only_is_people_only(verdict: str | None) -> None:
    labels = {place: place % 3 > 0 for place in range(30)}
    found = corrected_share([verdict] * 500, labels)
    people = corrected_share([verdict] * 500, labels, method="human-only")
    assert bounds(found) == pytest.approx(bounds(people), abs=1e-12)


def test_unparsed_verdicts_are_a_cell() -> None:
    verdicts = ["yes"] * 50 + [None] * 50
    labels = {**dict.fromkeys(range(10), True), **dict.fromkeys(range(50, 60), False)}
    low, value, high = bounds(corrected_share(verdicts, labels))
    assert value == 0.5
    # Each cell is told apart, so the interval is narrower than that of 10 of 20 labels.
    assert high - low < np.ptp(cell_interval(10.0, 20.0, 0.95))


@pytest.mark.parametrize("method", ["mover", "human-only"])
@pytest.mark.parametrize("said", [True, False])
def test_labels_all_alike(method: Method, said: bool) -> None:
    found = corrected_share(TEN * 20, dict.fromkeys(range(60), said), method=method)
    low, value, high = bounds(found)
    assert value == float(said)
    assert (high == 1 and 0.8 < low < 0.97) if said else (low == 0 and 0.03 < high < 0.2)


def test_every_unit_labelled() -> None:
    verdicts = ["yes", "no"] * 10
    labels = {place: place % 4 == 0 for place in range(20)}
    known = corrected_share(verdicts, labels, population=True)
    assert bounds(known) == (0.25, 0.25, 0.25)
    assert width(corrected_share(verdicts, labels)) > 0.2


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("clusters", [None, ["a", "a", "b"]])
def test_no_labels(method: Method, clusters: list[str] | None) -> None:
    found = corrected_share(["yes", "no", "yes"], {}, method=method, clusters=clusters)
    assert found.n_units == 3
    if method == "judge-only":
        assert found.value == pytest.approx(2 / 3)
    else:
        assert (found.value, found.low, found.high) == (None, None, None)
        assert (found.worst, found.best) == (0, 1)


@pytest.mark.parametrize("method", METHODS)
def test_no_units(method: Method) -> None:
    assert corrected_share([], {}, method=method).value is None


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


# Half credit and ratings.


def test_half_credit_by_hand() -> None:
    # yes 1, maybe 1/2, no 0: (1 + 1 + 0.5) / 3 = 5/6 in half of the units, 0.25 in the others.
    verdicts = ["yes"] * 5 + ["no"] * 5
    found = corrected_mean(verdicts, {0: 1.0, 1: 1.0, 2: 0.5, 5: 0.5, 6: 0.0})
    assert found.value == pytest.approx(0.5 * 5 / 6 + 0.5 * 0.25)


def test_ratings_of_both_ends_are_yes_and_no() -> None:
    yes_no = corrected_share(TEN, OF_TEN)
    stars = corrected_mean(
        TEN, {place: 5.0 * said for place, said in OF_TEN.items()}, bounds=(0, 5)
    )
    assert bounds(stars) == pytest.approx([5 * part for part in bounds(yes_no)], abs=1e-12)
    moved = corrected_mean(
        TEN, {place: 5.0 * said - 2 for place, said in OF_TEN.items()}, bounds=(-2, 3)
    )
    assert bounds(moved) == pytest.approx([5 * p - 2 for p in bounds(yes_no)], abs=1e-12)


def test_ratings_beside_the_normal_interval() -> None:
    # Many labels and one verdict: the mean of 0 to 5 ± z s / sqrt(n).
    said = {place: float(place % 6) for place in range(3_000)}
    low, value, high = bounds(corrected_mean(["?"] * 10**6, said, bounds=(0, 5)))
    assert value == pytest.approx(2.5)
    half = Z * math.sqrt(35 / 12 / 3_000)
    assert (low, high) == pytest.approx((2.5 - half, 2.5 + half), rel=1e-3)


# What holds whatever the labels are.

ANY = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])


def mirrored(sample: Mapping[int, float]) -> dict[int, float]:
    return {place: 1 - value for place, value in sample.items()}


@pytest.mark.parametrize("method", ["mover", "human-only"])
@given(sample=samples(st.sampled_from([0.0, 0.25, 0.5, 1.0])), clustered=st.booleans())
def test_flipped_labels_mirror_the_interval(
    method: Method, sample: tuple[list[str | None], dict[int, float]], clustered: bool
) -> None:
    verdicts, said = sample
    clusters = [str(place // 4) for place in range(len(verdicts))] if clustered else None
    if not said:
        return
    found = bounds(corrected_mean(verdicts, said, method=method, clusters=clusters))
    other = bounds(corrected_mean(verdicts, mirrored(said), method=method, clusters=clusters))
    assert found == pytest.approx([1 - part for part in other[::-1]], abs=1e-9)


@pytest.mark.parametrize("method", METHODS)
@given(sample=samples(), seed=st.integers(0, 99))
@settings(max_examples=50)
def test_the_order_of_units_is_irrelevant(
    method: Method, sample: tuple[list[str | None], dict[int, float]], seed: int
) -> None:
    verdicts, said = sample
    order = np.random.default_rng(seed).permutation(len(verdicts)).tolist()
    clusters = [str(place // 3) for place in range(len(verdicts))]
    found = corrected_mean(verdicts, said, method=method, clusters=clusters)
    other = corrected_mean(
        [verdicts[place] for place in order],
        {new: said[old] for new, old in enumerate(order) if old in said},
        method=method,
        clusters=[clusters[place] for place in order],
    )
    for one, two in ((found.value, other.value), (found.low, other.low), (found.high, other.high)):
        assert one == (None if two is None else pytest.approx(two, abs=1e-9))


# Clusters.


def test_clusters_that_agree_widen() -> None:
    verdicts = ["yes"] * 400
    labels = {place: (place // 8) % 3 > 0 for place in range(200)}
    clusters = [str(place // 8) for place in range(400)]
    alone = corrected_share(verdicts, labels)
    items = corrected_share(verdicts, labels, clusters=clusters)
    assert items.design_effect is not None
    assert 5 < items.design_effect <= 8
    assert width(items) > 2 * width(alone)
    assert items.n_items == 25
    assert items.data != alone.data


# Errors.


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"method": "best"}, "method 'best' is none of mover, ppi"),
        ({"level": 95}, "level must be between 0 and 1: 95"),
        ({"human_values": {3: 1.0}}, "a label for unit 3, but there are 3 units"),
        ({"human_values": {-1: 1.0}}, "a label for unit -1"),
        ({"human_values": {0: 1.2}}, r"unit 0: 1.2 is not within \(0"),
        ({"human_values": {0: math.nan}}, "unit 0: nan is not within"),
        ({"clusters": ["a"]}, "3 verdicts but 1 clusters"),
        ({"bounds": (1, 1)}, "the bounds must be apart"),
        ({"judge_values": {"yes": 5.0}}, "the verdict 'yes' is worth 5.0, not within"),
    ],
)
def test_errors_say_what_is_wrong(arguments: dict[str, object], said: str) -> None:
    given_values = {"human_values": {0: 1.0}, **arguments}
    with pytest.raises(ValueError, match=said):
        corrected_mean(["yes", "no", "yes"], **given_values)  # type: ignore[arg-type]


# Coverage; `make coverage` has the whole grid.
