"""Contests: every score of two systems, strata with Holm, boards of more."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factmark.model import Measure, Scale
from factmark.stats.comparison import Options, Units
from factmark.stats.contest import OVERALL, Contest, compare_systems

QUICK = Options(resamples=200, draws=500)
GOOD = Measure(key="good", symbol="G", name="goodness")
BAD = Measure(key="bad", symbol="B", name="badness", better="lower")


def contest(*names: str) -> Contest:
    """Each system is right in as many of 12 questions as its name says; badness is the rest."""

    def units(share: int, *, turned: bool) -> Units:
        return {f"q{at}": {f"q{at}": (float((at < share) != turned),)} for at in range(12)}

    return Contest(
        measure="answers",
        item="questions",
        unit="questions",
        scores=(GOOD, BAD),
        systems={
            name: {"good": units(int(name), turned=False), "bad": units(int(name), turned=True)}
            for name in names
        },
        stratum="category",
        strata={f"q{at}": "first" if at < 6 else "last" for at in range(12)},
    )


def test_two_systems_by_every_score_and_stratum() -> None:
    made = compare_systems(contest("12", "3"), GOOD, QUICK)
    assert [(row.score.key, row.stratum) for row in made.rows] == [
        ("good", OVERALL),
        ("bad", OVERALL),
        ("good", "first"),
        ("good", "last"),
    ]
    good, bad, first, last = (row.comparison for row in made.rows)
    assert good.difference.value == pytest.approx(9 / 12)
    assert bad.difference.value == pytest.approx(-9 / 12)
    assert (good.wins, bad.wins) == (9, 9)
    assert good.p_adjusted is None
    # Strata: 3 and 6 discordant, 2/8 and 2/64; Holm over the two.
    assert (first.p_permutation, last.p_permutation) == pytest.approx((2 / 8, 2 / 64))
    assert (first.p_adjusted, last.p_adjusted) == pytest.approx((2 / 8, 4 / 64))
    assert made.boards == {}
    # The least p of 3 and of 6: with Holm the greater of the two could count once or twice.
    assert (first.p_least, last.p_least) == pytest.approx((2 / 8, 4 / 64))
    assert (first.too_few_differ, last.too_few_differ, good.too_few_differ) == (True, True, False)


def test_more_systems_make_a_board_by_every_score() -> None:
    made = compare_systems(contest("3", "12", "11"), BAD, QUICK)
    assert made.rows == ()
    assert {key: [p.name for p in board.places] for key, board in made.boards.items()} == {
        "good": ["12", "11", "3"],
        "bad": ["12", "11", "3"],
    }


def test_a_contest_speaks_in_the_scale_of_its_measure() -> None:
    """On a scale from 1 to 5, all right is a 5, all wrong a 1, and a quarter right a 2."""
    rating = Measure(key="good", symbol="G", name="mean rating", scale=Scale(1.0, 5.0))
    made = compare_systems(replace(contest("12", "3"), scores=(rating,)), rating, QUICK)
    pair = made.rows[0].comparison
    assert (pair.value_a.value, pair.value_b.value) == (5.0, 2.0)
    assert pair.difference.value == 3.0
    assert pair.value_b.scale == Scale(1.0, 5.0)
    assert pair.difference.scale == Scale(-4.0, 4.0)
    for estimate in (pair.value_a, pair.value_b, pair.difference):
        assert estimate.low is not None
        assert estimate.high is not None
        assert estimate.scale.low <= estimate.low <= estimate.high <= estimate.scale.high
    (row,) = compare_systems(contest("12", "3"), GOOD, QUICK).rows[:1]
    assert pair.p_permutation == row.comparison.p_permutation
