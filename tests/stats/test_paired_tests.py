"""McNemar, sign flips and Holm: by hand, against other tools, and their size under the null."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.stats.paired import (
    holm,
    mcnemar,
    sign_flips,
)
from later import later

stats = later("scipy.stats")


def test_mcnemar_by_hand() -> None:
    # 4 discordant, all for B: 2 * (1/2)^4 = 1/8.
    assert mcnemar(0, 4) == pytest.approx(1 / 8)
    # 3 and 1: 2 * (1 + 4) / 16.
    assert mcnemar(3, 1) == pytest.approx(10 / 16)
    assert mcnemar(0, 0) == 1.0


@pytest.mark.parametrize(
    ("a_only", "b_only", "p"),
    # mcnemar([[100, a], [b, 7]], exact=True).pvalue of statsmodels 0.15.0
    [(10, 3, 0.09228515625), (1, 9, 0.021484375), (25, 25, 1.0), (59, 31, 0.0041651140158244435)],
)
def test_mcnemar_against_statsmodels_and_scipy(a_only: int, b_only: int, p: float) -> None:
    assert mcnemar(a_only, b_only) == pytest.approx(p, rel=1e-9)
    assert mcnemar(a_only, b_only) == pytest.approx(
        stats.binomtest(a_only, a_only + b_only).pvalue, rel=1e-9
    )


def test_sign_flips_by_hand() -> None:
    # Sums of ±1 ±2 ±4 reach 7 in 2 of 8 patterns, and 5 in 4 of 8 (±7, ±5).
    assert sign_flips([1, 2, 4]).p == pytest.approx(2 / 8)
    assert sign_flips([-1, 2, 4]).p == pytest.approx(4 / 8)
    assert sign_flips([]).p == sign_flips([0.0, 0.0]).p == sign_flips([1e-320]).p == 1.0


def test_p_of_ratings_is_exact_however_small() -> None:
    """Differences of 1/30 to 40/30 of a point: only the pattern with no minus, and that with no
    plus, reach the sum of all; with a minus at the least one, two more do."""
    assert sign_flips(np.arange(1.0, 41.0) / 30) == (pytest.approx(2 / 2**40), False)
    signed = np.arange(1.0, 41.0) / 30
    signed[0] *= -1
    assert sign_flips(signed).p == pytest.approx(4 / 2**40)
    # 2,000 alike: 2^-1999 is no floating-point number, and no p is 0.
    assert 0 < sign_flips([0.2, 0.4] * 1000).p < 1e-290


@pytest.mark.parametrize("n", [30, 50])
def test_p_of_whole_steps_is_that_of_the_exact_signed_rank_test(n: int) -> None:
    """Flipping the signs of signed ranks is Wilcoxon's test, which scipy counts exactly."""
    values = np.random.default_rng(n).normal(0.4, 1, n)
    ranks = np.sign(values) * stats.rankdata(np.abs(values))
    theirs = stats.wilcoxon(values, method="exact").pvalue
    assert sign_flips(ranks / 7).p == pytest.approx(theirs, rel=1e-9)


def test_p_of_ratings_with_ties_against_scipy() -> None:
    """Means of three raters from 1 to 5, 17 documents: scipy goes through all 131,072 patterns."""
    values = np.random.default_rng(8).integers(-6, 9, 17) / 3
    theirs = stats.permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_flips(values) == (pytest.approx(theirs, rel=1e-9), False)


def test_a_p_that_no_draw_reached_is_told_as_a_bound() -> None:
    values = np.random.default_rng(6).normal(2, 0.5, 60)
    assert sign_flips(values, draws=999) == (1 / 1000, True)
    nothing = np.random.default_rng(6).normal(0, 1, 60)
    assert not sign_flips(nothing, draws=999).at_most


def test_sign_flips_against_scipy() -> None:
    values = np.random.default_rng(1).normal(0.3, 1, 14)
    theirs = stats.permutation_test(
        (values,), np.sum, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_flips(values).p == pytest.approx(theirs)


def test_a_drawn_p_is_near_the_counted_one() -> None:
    values = np.random.default_rng(2).normal(0.4, 1, 30)
    theirs = stats.permutation_test(
        (values,),
        np.sum,
        permutation_type="samples",
        n_resamples=50_000,
        rng=np.random.default_rng(3),
    ).pvalue
    ours = sign_flips(values, draws=50_000, seed=4).p
    assert ours == pytest.approx(theirs, abs=0.005)
    assert ours == sign_flips(values, draws=50_000, seed=4).p


def test_sizes_under_the_null() -> None:
    """Clusters of dependent units, no difference: sign flips reject 5 %, McNemar far more."""
    generator = np.random.default_rng(5)
    flips, exact = 0, 0
    for _ in range(400):
        lean = generator.choice([0.1, 0.9], 30)  # each head favours A or B
        ups = generator.binomial(5, lean)
        flips += sign_flips(2.0 * ups - 5).p <= 0.05
        exact += mcnemar(int(ups.sum()), int(150 - ups.sum())) <= 0.05
    assert 0.03 <= flips / 400 <= 0.075
    assert exact / 400 > 0.2


def test_holm_by_hand() -> None:
    # 3 * .01 = .03; 2 * .02 = .04; 1 * .03 = .03, and none is below a smaller one's.
    assert holm([0.03, 0.01, 0.02]) == pytest.approx((0.04, 0.03, 0.04))
    assert holm([]) == ()


def test_holm_against_statsmodels() -> None:
    # multipletests(p, method="holm")[1] of statsmodels 0.15.0
    assert holm([0.01, 0.04, 0.03, 0.005, 0.5]) == pytest.approx((0.04, 0.09, 0.09, 0.025, 0.5))


@pytest.mark.parametrize("bad", [[1.5], [-0.1], [float("nan")]])
def test_holm_refuses_what_is_no_p(bad: list[float]) -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        holm(bad)
