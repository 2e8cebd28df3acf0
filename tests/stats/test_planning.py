"""How many labels a width needs: by hand, by the goals, and by simulated studies."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.model import Target
from factmark.stats import Costs, Need, expected_strata, needs
from factmark.stats.cells import VerdictCell
from factmark.stats.corrections import mover
from factmark.stats.intervals import wilson
from factmark.stats.planning import (
    Stratum,
    allot,
    allot_with_floor,
    enough_verdicts,
    neyman,
)

shares = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])


def labels(plan: tuple[Need, ...]) -> list[int | None]:
    return [need.labels for need in plan]


def test_strata_by_hand() -> None:
    # p 0.95, 90 % either way: yes 0.95 * 0.9 + 0.05 * 0.1 = 0.86, 0.855 of it true.
    yes, no = expected_strata(0.95, 0.9, 0.9)
    assert (yes.label, no.label) == ("yes", "no")
    assert (yes.weight, yes.share) == pytest.approx((0.86, 0.855 / 0.86))
    assert (no.weight, no.share) == pytest.approx((0.14, 0.095 / 0.14))


def test_neyman_by_hand() -> None:
    # 0.8 * sqrt(0.1 * 0.9) = 0.24, 0.2 * sqrt(0.5 * 0.5) = 0.1: 24 and 10 of 34.
    strata = [
        Stratum(label="yes", weight=0.8, share=0.9),
        Stratum(label="no", weight=0.2, share=0.5),
    ]
    assert neyman(strata, 34) == pytest.approx({"yes": 24, "no": 10})
    # Of 40 verdicts 8 are no: what they cannot take goes to the others.
    assert neyman(strata, 34, 40) == pytest.approx({"yes": 26, "no": 8})


def test_enough_verdicts_by_hand() -> None:
    # Between: 0.5 * 0.4² + 0.5 * 0.4² = 0.16; 200 * 0.16 * (1.96 / 0.05)² = 49,170.6...
    strata = [
        Stratum(label="yes", weight=0.5, share=0.9),
        Stratum(label="no", weight=0.5, share=0.1),
    ]
    assert enough_verdicts(strata, 0.05) == math.ceil(32 * (1.959963984540054 / 0.05) ** 2)


def test_a_good_judge_saves_the_labels_that_the_design_promises() -> None:
    near_one = needs(expected_strata(0.95, 0.9, 0.9), 0.01)
    assert near_one[0].labels == 1_838
    assert near_one[2].labels is not None
    assert near_one[2].labels <= 750
    middle = needs(expected_strata(0.7, 0.9, 0.9), 0.03)
    assert middle[0].labels == 894
    assert middle[2].labels == pytest.approx(335, abs=5)


def test_too_few_verdicts_are_never_enough() -> None:
    plan = needs(expected_strata(0.7, 0.9, 0.9), 0.03, verdicts=300)
    assert labels(plan) == [894, None, None]
    assert plan[2].allocation == {}
    everything = needs(expected_strata(0.7, 0.9, 0.9), plan[2].half_width, verdicts=300)
    assert everything[2].labels == 300  # what a label on every unit gives
    few = needs(expected_strata(0.7, 0.9, 0.9), 0.03, verdicts=300, most=300)
    low, high = wilson(0.7, 300, 0.95)
    assert (few[0].labels, few[0].half_width) == (None, pytest.approx((high - low) / 2))
    assert needs(expected_strata(0.7, 0.9, 0.9), 0.03, verdicts=300, most=894)[0].labels == 894
    known = needs(expected_strata(0.7, 0.9, 0.9), 0.03, verdicts=300, target="units")
    assert known[2].labels is not None
    assert known[2].labels < 300


@settings(max_examples=20)
@given(shares, shares, shares, st.floats(0.02, 0.4), st.sampled_from(["units", "process"]))
def test_a_plan_keeps_its_width_and_its_labels_add_up(
    share: float, sensitivity: float, specificity: float, half: float, target: Target
) -> None:
    strata = expected_strata(share, sensitivity, specificity)
    for need in needs(strata, half, verdicts=3_000, target=target):
        if need.labels is not None:
            assert need.labels >= 1
            assert need.half_width is not None
            assert 0 <= need.half_width <= half
            if need.allocation:
                assert sum(need.allocation.values()) == need.labels


@pytest.mark.parametrize(
    ("half_width", "more"),
    [
        (0.0, {}),
        (0.5, {}),
        (math.nan, {}),
        (0.1, {"verdicts": 0}),
        (0.1, {"verdicts": -1}),
        (0.1, {"design_effect": 0.5}),
    ],
)
def test_a_plan_that_cannot_be_is_refused(half_width: float, more: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=r"a plan needs 0 < half-width < 0.5"):
        needs(expected_strata(0.7, 0.9, 0.9), half_width, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(("share", "half"), [(0.95, 0.01), (0.7, 0.03)])
def test_planned_studies_come_out_as_wide_as_planned(share: float, half: float) -> None:
    strata = expected_strata(share, 0.9, 0.9)
    plan = needs(strata, half)[2]
    generator = np.random.default_rng(5)
    weights = [s.weight for s in strata]
    found, held, runs = [], 0, 400
    for _ in range(runs):
        totals = generator.multinomial(plan.verdicts, weights).tolist()
        cells = []
        for s, total in zip(strata, totals, strict=True):
            n = plan.allocation[s.label]
            hits = float(generator.binomial(n, s.share))
            cells.append(
                VerdictCell(label=s.label, total=total, labelled=n, sum=hits, squares=hits)
            )
        made = mover(cells)
        assert made.low is not None
        assert made.high is not None
        found.append((made.high - made.low) / 2)
        held += made.low <= share <= made.high
    assert np.mean(found) == pytest.approx(half, rel=0.03)
    assert held / runs > 0.92


def test_costs_by_hand() -> None:
    # 45 s an entity of three facts and 25 s a fact: 40 s a label, 90 labels an hour.
    costs = Costs(facts_per_entity=3, wage=30, verdict=0.001, verdict_seconds=3.6)
    assert costs.hours(180) == 2
    assert costs.money(180, 1_000) == 61
    plan = needs(expected_strata(0.9, 0.9, 0.9), 0.05, verdicts=2_000, costs=costs)
    assert plan[0].verdict_hours == 0
    assert plan[2].verdict_hours == 2
    assert plan[2].labels is not None
    assert plan[2].money == pytest.approx(plan[2].labels / 90 * 30 + 2)


def test_half_of_the_labels_are_shared_out_among_the_strata_by_hand() -> None:
    # Of 100 labels on 1,000 units 50 go out in equal shares, of which `b` can take 5 and `c` 10,
    # all that they have; `a` has the rest, which is less than what neyman gives it, 98.5.
    strata = [
        Stratum(label="a", weight=0.985, share=0.5),
        Stratum(label="b", weight=0.005, share=0.5),
        Stratum(label="c", weight=0.01, share=0.5),
    ]
    given = allot_with_floor(strata, 100, 1000)
    assert given["b"] == 5  # all that there are
    assert given["c"] == 10
    assert given["a"] == 85


@given(
    sizes=st.lists(st.integers(1, 500), min_size=1, max_size=8),
    wanted=st.integers(0, 600),
)
def test_labels_with_a_floor_add_up_and_fit(sizes: list[int], wanted: int) -> None:
    total = sum(sizes)
    strata = [
        Stratum(label=str(place), weight=size / total, share=0.5)
        for place, size in enumerate(sizes)
    ]
    given = allot_with_floor(strata, wanted, total)
    assert sum(given.values()) == min(wanted, total)
    assert all(given[str(place)] <= size for place, size in enumerate(sizes))
    half = min(wanted, total) // 2
    plain = allot(strata, wanted, total)
    for place, size in enumerate(sizes):  # no stratum has less than either half of the rule gives
        assert given[str(place)] >= min(size, half // len(sizes))
        assert given[str(place)] >= plain[str(place)] // 2 - 1
