"""Two systems on the same units: by hand, against other tools, simulated coverage, properties."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.model import Estimate
from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
from factmark.stats.comparison import Options, Per, Units, difference
from factmark.stats.paired import difference_interval, tango
from later import later

stats = later("scipy.stats")


QUICK = Options(resamples=200, draws=500)
values = st.lists(st.none() | st.floats(0, 1) | st.sampled_from([0.0, 1.0]), max_size=3)
units = st.dictionaries(
    st.sampled_from("pqrst"), st.dictionaries(st.sampled_from("abc"), values, max_size=3)
)


def single(*given: float | None) -> Units:
    """Items of one unit each."""
    return {f"q{at}": {f"q{at}": (value,)} for at, value in enumerate(given)}


def mirrored(estimate: Estimate) -> Estimate:
    def minus(value: float | None) -> float | None:
        return None if value is None else -value

    return replace(
        estimate,
        value=minus(estimate.value),
        low=minus(estimate.high),
        high=minus(estimate.low),
        worst=minus(estimate.best),
        best=minus(estimate.worst),
        data="",
    )


def test_per_item_and_per_unit_by_hand() -> None:
    # p: A (1 + 0) / 2, B 0; q: A 1, B 1. Items: (1/2 + 0) / 2; units: (1 + 0 + 0) / 3.
    a: Units = {"p": {"1": [1.0], "2": [0.0]}, "q": {"3": [1.0]}}
    b: Units = {"p": {"1": [0.0], "2": [0.0]}, "q": {"3": [1.0]}}
    by_item = difference(a, b, options=QUICK)
    assert by_item.difference.value == pytest.approx(1 / 4)
    assert (by_item.value_a.value, by_item.value_b.value) == pytest.approx((3 / 4, 1 / 2))
    by_unit = difference(a, b, options=replace(QUICK, per="unit"))
    assert by_unit.difference.value == pytest.approx(1 / 3)
    assert (by_unit.difference.n_items, by_unit.difference.n_units) == (2, 3)
    assert (by_unit.wins, by_unit.ties, by_unit.losses) == (1, 2, 0)
    assert by_unit.p_mcnemar == 1.0


def test_only_common_units_count_and_the_others_are_told() -> None:
    made = difference(single(1.0, 0.5, 0.5, None), single(0.5, None, 0.25, None), options=QUICK)
    assert (made.n_both, made.only_a, made.only_b, made.neither) == (2, 1, 0, 1)
    assert made.difference.value == pytest.approx((0.5 + 0.25) / 2)
    assert made.difference.n_missing == 2
    # q1: B from 0 to 1; q3: from -1 to 1.
    assert made.difference.worst == pytest.approx((0.5 + (0.5 - 1) + 0.25 - 1) / 4)
    assert made.difference.best == pytest.approx((0.5 + 0.5 + 0.25 + 1) / 4)
    assert made.value_b.n_missing == 2
    assert made.p_mcnemar is None


def test_systems_without_a_common_unit_have_no_difference() -> None:
    made = difference(single(1.0), {"other": {"other": (0.0,)}}, options=QUICK)
    assert made.difference.value is made.difference.low is made.p_permutation is None
    assert (made.difference.worst, made.difference.best) == (0.0, 1.0)
    assert not made.told_apart
    empty = difference({}, {}, options=QUICK)
    assert empty.difference.worst is None


def test_values_outside_the_range_are_refused() -> None:
    for bad in (1.5, -0.1, math.nan):
        with pytest.raises(ValueError, match="from 0 to 1"):
            difference(single(bad), single(0.5))


def test_tango_by_hand() -> None:
    # b = c = 0: n d² = z² (d - d²) for d > 0, so d = z² / (n + z²).
    edge = 1.959963984540054**2 / (50 + 1.959963984540054**2)
    assert tango(0, 0, 50) == pytest.approx((-edge, edge))
    assert tango(50, 0, 50) == pytest.approx((1 - 2 * edge, 1.0))


def test_tangos_interval_is_that_of_contingencytables() -> None:
    # R package contingencytables, tests/testthat/test-ch8.R, cavo_2012.
    assert tango(6, 16, 161) == pytest.approx((-0.1240, -0.0054), abs=5e-5)


@settings(max_examples=40)
@given(units, units, st.sampled_from(["item", "unit"]), st.booleans())
def test_bounds_hold_the_value_and_swapping_mirrors(
    a: Units, b: Units, per: str, lower: bool
) -> None:
    options = Options(per=per, lower_is_better=lower, resamples=100, draws=100)  # type: ignore[arg-type]  # one of the two
    made, back = difference(a, b, options=options), difference(b, a, options=options)
    for estimate, least in ((made.difference, -1), (made.value_a, 0), (made.value_b, 0)):
        found = (estimate.value, estimate.low, estimate.high)
        if None in found:
            assert found == (None, None, None)
            assert made.n_both == 0
        else:
            value, low, high = found
            assert least <= low <= value <= high <= 1  # type: ignore[operator]  # none is None
            assert low < high  # type: ignore[operator]  # none is None
    assert made.wins + made.ties + made.losses == made.n_both
    assert made.p_permutation == back.p_permutation
    assert (made.wins, made.only_a, made.p_mcnemar) == (back.losses, back.only_b, back.p_mcnemar)
    assert back.value_b == made.value_a
    ours, theirs = mirrored(made.difference), back.difference
    assert ours.value == theirs.value
    assert (ours.worst, ours.best) == (pytest.approx(theirs.worst), pytest.approx(theirs.best))
    assert ours.method == theirs.method


@pytest.mark.parametrize("kind", ["yes/no", "rarely different", "one-sided"])
def test_coverage(kind: str) -> None:
    """Of 300 seeded samples of 20 items, nominal 95 %: at least 92 %; BCa alone: 84 to 94."""
    generator = np.random.default_rng([9, len(kind)])

    def draw() -> np.ndarray:
        chance, graded = generator.random(20), generator.beta(1, 2, 20)
        if kind == "yes/no":
            return (chance < 0.3).astype(float) - (chance > 0.9)
        if kind == "rarely different":
            return np.where(chance < 0.6, 0.0, 1.5 * graded - 0.5)
        return np.where(chance < 0.5, 0.0, graded)

    truth = {"yes/no": 0.2, "rarely different": 0.0, "one-sided": 1 / 6}[kind]
    made = [
        difference_interval(np.column_stack([draw(), np.ones(20)]), resamples=500, seed=seed)
        for seed in range(300)
    ]
    assert np.mean([one.low <= truth <= one.high for one in made]) >= 0.92


def test_interval_against_scipy() -> None:
    """Half the outer bounds is Student's interval, the other half the BCa; both are scipy's."""
    generator = np.random.default_rng(1)
    gaps = generator.beta(2, 3, 60) - generator.beta(2, 4, 60)
    ours = difference_interval(np.column_stack([gaps, np.ones(60)]), resamples=20_000)
    student = stats.ttest_1samp(gaps, 0).confidence_interval()
    bca = stats.bootstrap(
        (gaps,), np.mean, n_resamples=20_000, method="BCa", rng=np.random.default_rng(2)
    ).confidence_interval
    assert ours.low == pytest.approx(min(student.low, bca.low), abs=0.004)
    assert ours.high == pytest.approx(max(student.high, bca.high), abs=0.004)


@pytest.mark.parametrize("per", ["item", "unit"])
def test_a_mean_has_the_interval_that_it_has_by_itself(per: Per) -> None:
    """What `score` says of a system is what `compare` says of it, on the same units."""
    generator = np.random.default_rng(5)
    values = {f"q{n:02d}": generator.beta(2, 1, 1 + n % 3).round(2).tolist() for n in range(30)}
    a = {name: {str(k): [value] for k, value in enumerate(some)} for name, some in values.items()}
    alone = mean_over_clusters(values) if per == "item" else ratio_over_clusters(values)
    compared = difference(a, a, options=Options(per=per)).value_a
    assert replace(compared, worst=alone.worst, best=alone.best) == alone
