"""Intraclass correlation: the classic constant, what pingouin says, and ratings with gaps."""

from __future__ import annotations

import math

import numpy as np
import pytest

from factmark.model import Estimate
from factmark.stats.agreement import Ratings, estimate_agreement, measure_agreement
from factmark.stats.coefficients import intraclass
from rated import bounds, value

SHROUT_FLEISS = [  # 1979, table 2: six targets, four judges
    [9, 2, 5, 8],
    [6, 1, 3, 2],
    [8, 4, 6, 8],
    [7, 1, 2, 6],
    [10, 5, 6, 9],
    [6, 2, 4, 7],
]
# What pingouin 0.6.1 says of these (its ICC(A,1) and ICC(A,k)).
THREE_RATERS = [
    [4, 5, 3],
    [1, 2, 1],
    [3, 3, 4],
    [5, 5, 5],
    [2, 4, 2],
    [0, 1, 1],
    [4, 4, 2],
    [3, 5, 4],
]
PINGOUIN = (0.7289293849658315, 0.8897126969416127)


def ratings_of(table: list[list[int | None]], labels: range) -> Ratings:
    rows = [
        {f"r{place}": label for place, label in enumerate(row) if label is not None}
        for row in table
    ]
    return Ratings(labels=tuple(labels), rows=rows, clusters=[str(n) for n in range(len(rows))])


def icc(ratings: Ratings, *, mean: bool = False, resamples: int = 200) -> Estimate:
    coefficient = intraclass(ratings.worth, len(ratings.raters), mean=mean)
    return estimate_agreement(ratings, coefficient, resamples=resamples)


def test_it_is_what_shrout_and_fleiss_print() -> None:
    ratings = ratings_of(SHROUT_FLEISS, range(11))
    assert value(icc(ratings)) == pytest.approx(0.29, abs=0.005)
    assert value(icc(ratings, mean=True)) == pytest.approx(0.62, abs=0.005)
    # By their mean squares: between targets 11.2417, judges 32.4861, residual 1.0194.
    between, judges, rest = 1349 / 120, 32.486111111111, 1.019444444444
    single = (between - rest) / (between + 3 * rest + 4 * (judges - rest) / 6)
    assert value(icc(ratings)) == pytest.approx(single, abs=1e-10)


def test_it_is_what_pingouin_says() -> None:
    ratings = ratings_of(THREE_RATERS, range(6))
    given = measure_agreement(ratings, scale="interval", resamples=200)
    assert (value(given.icc), value(given.icc_mean)) == pytest.approx(PINGOUIN, abs=1e-11)


def test_ratings_of_two_raters_give_what_their_mean_squares_give() -> None:
    """Worked by hand: units (1, 2), (3, 3), (5, 4). Mean square between units 9/2, raters 0,
    residual 1/2, so (9/2 - 1/2) / (9/2 + 1/2 + 2 (0 - 1/2) / 3) = 4 / (14/3)."""
    ratings = ratings_of([[1, 2], [3, 3], [5, 4]], range(1, 6))
    assert value(icc(ratings)) == pytest.approx(6 / 7)
    # ... and (9/2 - 1/2) / (9/2 + (0 - 1/2) / 3) = 4 / (13/3).
    assert value(icc(ratings, mean=True)) == pytest.approx(12 / 13)


def test_a_harsher_rater_costs_agreement_and_another_unit_of_measure_does_not() -> None:
    alike = [[n, n] for n in range(5)]
    harsher = [[n, n + 2] for n in range(5)]
    assert value(icc(ratings_of(alike, range(7)))) == pytest.approx(1)
    assert value(icc(ratings_of(harsher, range(7)))) < 0.6
    doubled = [[2 * label for label in row] for row in harsher]
    assert value(icc(ratings_of(doubled, range(13)))) == pytest.approx(
        value(icc(ratings_of(harsher, range(7))))
    )


def test_gaps_leave_it_where_the_whole_table_has_it() -> None:
    """Pairs of raters dealt by turns tell the same as all three on every unit (variances 2.25 of
    units, .25 of raters, 1 of the rest: 2.25 / 3.5)."""
    drawn = np.random.default_rng(5)
    units = drawn.normal(0, 1.5, 3000)
    raters = np.array([-0.5, 0.0, 0.5])  # their variance (n - 1) is .25
    table = np.round(10 * (units[:, None] + raters + drawn.normal(0, 1, (3000, 3))) + 100)
    whole = [[int(label) for label in row] for row in table]
    gaps = [
        [None if at == n % 3 else label for at, label in enumerate(row)]
        for n, row in enumerate(whole)
    ]
    complete, partly = (value(icc(ratings_of(some, range(0, 201)))) for some in (whole, gaps))
    assert complete == pytest.approx(2.25 / 3.5, abs=0.02)
    assert partly == pytest.approx(complete, abs=0.02)


def test_what_never_differs_has_no_value_and_says_why() -> None:
    constant = icc(ratings_of([[3, 3], [3, 3], [3, 3]], range(6)))
    assert constant.value is None
    assert "do not differ" in constant.method


def test_raters_who_contradict_each_other_go_below_zero_without_a_bound() -> None:
    """Mean square between units 1/10, raters 8/5, residual 141/10, so -14 / (14.2 + 2 (1.6 - 14.1)
    / 5) = -14 / 9.2, as pingouin has it, which gives the mean of two a reliability of 5.8."""
    contrary = ratings_of([[0, 5], [5, 0], [0, 5], [5, 0], [1, 5]], range(6))
    single = icc(contrary)
    assert value(single) == pytest.approx(-14 / 9.2)
    assert bounds(single)[0] <= value(single) <= bounds(single)[1]
    assert icc(contrary, mean=True).value is None


def test_yes_and_no_have_no_intraclass_correlation() -> None:
    two = measure_agreement(ratings_of([[0, 1], [1, 1], [0, 0]], range(2)), resamples=50)
    assert (two.icc, two.icc_mean) == (None, None)
    assert math.isfinite(value(two.alpha))
