"""How far a judge can be trusted: by hand, against numpy, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.stats import correction
from factmark.stats.cells import VerdictCell, cell_interval, tabulate
from factmark.stats.corrections import effective_labels
from rated import spread, value

TEN: list[str | None] = ["yes"] * 6 + ["no"] * 4
OF_TEN = {0: 1.0, 1: 1.0, 2: 1.0, 3: 0.0, 6: 1.0, 7: 0.0}


def test_rates_by_hand() -> None:
    # A label on yes stands for 6/4 units, on no for 2. True: 3 * 1.5 on yes, 2 on no: 4.5 of 6.5.
    # False: 1.5 on yes, 2 on no: 2 of 3.5.
    found = correction(TEN, OF_TEN)
    assert value(found.sensitivity) == pytest.approx(4.5 / 6.5)
    assert value(found.specificity) == pytest.approx(2 / 3.5)
    assert (found.labels, [cell.label for cell in found.cells]) == (6, ["yes", "no"])


def test_correlation_by_hand() -> None:
    # Means 0.6 of the verdicts, 0.65 of the labels; Σ w (f - 0.6)(p - 0.65) = 0.6 * 0.4 * 0.1 +
    # 0.4 * 0.6 * 0.15 = 0.06; variances 0.24 and 0.65 * 0.35.
    assert correction(TEN, OF_TEN).correlation == pytest.approx(
        0.06 / math.sqrt(0.24 * 0.65 * 0.35)
    )


def test_effective_labels_by_hand() -> None:
    # With half a 0 and half a 1: 3.5/5 = 0.7 of yes (variance 0.21), 1.5/3 = 0.5 of no (0.25);
    # mean 0.62. Between 0.6 * 0.08² + 0.4 * 0.12² = 0.0096, within 0.6 * 0.21 + 0.4 * 0.25 = 0.226;
    # of the mean 0.0096/10 + 0.36 * 0.21/4 + 0.16 * 0.25/2 = 0.03986.
    assert effective_labels(tabulate(TEN, OF_TEN)) == pytest.approx(0.2356 / 0.03986)


def test_the_judge_alone_is_read_by_what_people_call_its_labels() -> None:
    """People call both units of "good" true and that of "poor" false: 3 of 5 verdicts are 1."""
    verdicts = ["good", "good", "good", "poor", None]
    labels = {0: 1.0, 1: 1.0, 3: 0.0, 4: 0.0}
    assert value(correction(verdicts, labels).judge_only) == pytest.approx(3 / 5)


def test_all_units_labelled_are_plain_counts() -> None:
    generator = np.random.default_rng(3)
    true = generator.random(400) < 0.7
    yes = np.where(generator.random(400) < 0.9, true, ~true)
    found = correction(["yes" if one else "no" for one in yes], dict(enumerate(true.astype(float))))
    hits, trues = int((yes & true).sum()), int(true.sum())
    assert value(found.sensitivity) == pytest.approx(hits / trues)
    assert found.sensitivity is not None
    bounds = (found.sensitivity.low, found.sensitivity.high)
    assert bounds == pytest.approx(cell_interval(float(hits), float(trues), 0.95), abs=1e-3)
    assert value(found.specificity) == pytest.approx((~yes & ~true).sum() / (~true).sum())
    assert found.correlation == pytest.approx(np.corrcoef(yes, true)[0, 1])


@given(st.data())
def test_rates_and_correlations_stay_within_their_bounds(data: st.DataObject) -> None:
    verdicts = data.draw(
        st.lists(st.sampled_from(["yes", "no", "maybe", "0.3", None]), max_size=30)
    )
    labels = {}
    if verdicts:
        places = st.integers(0, len(verdicts) - 1)
        labels = data.draw(st.dictionaries(places, st.sampled_from([0.0, 0.3, 0.5, 1.0])))
    found = correction(verdicts, labels)
    for estimate in (found.corrected, found.judge_only, found.sensitivity, found.specificity):
        if estimate is not None and estimate.value is not None:
            low, share, high = spread(estimate)
            assert 0 <= low <= share <= high <= 1
    assert found.correlation is None or -1 <= found.correlation <= 1
    assert 0 <= found.effective_labels < math.inf


def test_the_interval_of_the_sensitivity_holds_it_as_often_as_it_says() -> None:
    # 90 % of what is true is called so; 100 labels, 70 of them on true units on average.
    generator = np.random.default_rng(11)
    chances, held, runs = [0.63, 0.07, 0.03, 0.27], 0, 300
    for _ in range(runs):
        counts = generator.multinomial(100, chances)
        others = generator.multinomial(400, chances)
        labels = ["yes"] * counts[0] + ["no"] * counts[1] + ["yes"] * counts[2] + ["no"] * counts[3]
        said = [1.0] * (counts[0] + counts[1]) + [0.0] * (counts[2] + counts[3])
        rest = ["yes"] * (others[0] + others[2]) + ["no"] * (others[1] + others[3])
        found = correction(labels + rest, dict(enumerate(said))).sensitivity
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        held += found.low <= 0.9 <= found.high
    assert 0.91 <= held / runs <= 0.995


def test_of_a_verdict_that_nobody_labelled_neither_rate_nor_correlation_is_told() -> None:
    """They would be of the other verdicts alone, and look like those of all."""
    some = correction(
        [*TEN, "maybe", "maybe"], OF_TEN, judge_values={"yes": 1, "no": 0, "maybe": 0.5}
    )
    assert (some.correlation, some.sensitivity, some.specificity) == (None, None, None)
    assert correction(TEN, OF_TEN).correlation is not None


def test_a_cell_without_labels_has_the_greatest_variance_there_is() -> None:
    """Two cells of five: of one, two labels (1, 0), smoothed mean 1/2, variance 1/2 - 1/4 = 1/4, so
    1/8 for the mean of two; of the other none, 1/4 for one, 1/4 for the mean. Of people's values:
    within 1/4, between 0. So 1/4 / ((1/8 + 1/4) / 4) = 8/3."""
    cells = (
        VerdictCell(label="yes", total=5, labelled=2, sum=1.0, squares=1.0),
        VerdictCell(label="no", total=5, labelled=0, sum=0.0, squares=0.0),
    )
    assert effective_labels(cells) == pytest.approx(8 / 3)
