"""Agreement from the one table: who was asked and gave no label is missing, who was not asked is
not."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.evaluated.agreement import (
    LabelScale,
    RaterSides,
    agreement_between,
    pairs_that_share_units,
)
from factmark.evaluated.columns import ValueColumn, column_of_labels
from factmark.evaluated.table import Evaluated, table_of_rows
from factmark.stats.comparison import Options

YES_NO = LabelScale(metric="nominal", labels=("no", "yes"), values=(0.0, 1.0))
QUICK = Options(resamples=200)
ROWS: dict[str, dict[str, str | None]] = {
    "u1": {"rules": "yes", "Ann": "yes", "Ben": "yes"},
    "u2": {"rules": "yes", "Ann": "no"},
    "u3": {"rules": None, "Ann": "no", "Ben": None},
    "u4": {"Ben": "no"},
    "u5": {"rules": "no", "Ann": "no", "Ben": "yes"},
}


def table(rows: dict[str, dict[str, str | None]]) -> Evaluated:
    worth = {"yes": 1.0, "no": 0.0}
    return table_of_rows(rows, worth, clusters=list(rows), people=("Ann", "Ben"))


def sides(rated: Evaluated, ones: str, others: str = "") -> RaterSides:
    columns = rated.everybody
    return RaterSides(
        ones=[columns[name] for name in ones.split()],
        others=[columns[name] for name in others.split()],
    )


def test_a_table_tells_no_label_from_not_asked() -> None:
    rated = table(ROWS)
    assert (list(rated.judges), list(rated.people)) == (["rules"], ["Ann", "Ben"])
    ben = rated.people["Ben"]
    assert ben.texts == ["yes", None, None, "no", "yes"]
    assert ben.were_asked.tolist() == [True, False, True, True, True]
    some = ben.at(np.array([1, 2]))
    assert (some.texts, some.were_asked.tolist()) == ([None, None], [False, True])
    assert rated.at([1, 2]).people["Ben"].were_asked.tolist() == [False, True]
    # The means of people are of what they said, whoever was asked.
    assert rated.people_means.tolist() == [1.0, 0.0, 0.0, 0.0, 0.5]


def test_where_nothing_tells_who_was_asked_a_label_does() -> None:
    column = column_of_labels("Ann", ["yes", None], {"yes": 1.0})
    assert column.were_asked.tolist() == [True, False]


def test_a_unit_without_a_label_is_missing_and_one_not_asked_about_is_not() -> None:
    rated = table(ROWS)
    pair = sides(rated, "rules", "Ann")
    assert pair.asked.tolist() == [True, True, True, False, True]
    assert pair.labelled.tolist() == [True, True, False, False, True]
    assert pair.anybody_asked.tolist() == [True, True, True, False, True]
    agreement = agreement_between(rated, pair, YES_NO, QUICK)
    exact = agreement.exact
    assert (exact.value, exact.n_units, exact.n_missing) == (pytest.approx(2 / 3), 3, 1)
    assert (exact.worst, exact.best) == (pytest.approx(2 / 4), pytest.approx(3 / 4))


def test_people_among_each_other_and_a_judge_against_all_of_them() -> None:
    rated = table(ROWS)
    people = sides(rated, "Ann Ben")
    assert people.asked.tolist() == [True, False, True, False, True]
    among = agreement_between(rated, people, YES_NO, QUICK)
    assert (among.raters, among.n_units, among.n_left_out) == (("Ann", "Ben"), 2, 1)
    against = agreement_between(rated, sides(rated, "rules", "Ann Ben"), YES_NO, QUICK)
    # u1 yes beside yes, yes; u2 yes beside no; u5 no beside no, yes: 3 of 5 pairs.
    assert against.exact.value == pytest.approx(3 / 5)


def test_the_places_of_a_stratum_alone() -> None:
    rated = table(ROWS)
    part = agreement_between(rated, sides(rated, "rules", "Ann"), YES_NO, QUICK, np.array([0, 2]))
    assert (part.exact.value, part.exact.n_units, part.exact.n_missing) == (1.0, 1, 1)


def test_what_others_were_asked_about_changes_no_agreement() -> None:
    narrow = table({unit: ROWS[unit] for unit in ("u1", "u2", "u3", "u5")})
    more = {**ROWS, "u6": {"Ben": "yes", "Ann": None}, "u7": {"rules": "no"}}
    wide = table(more)
    assert agreement_between(wide, sides(wide, "rules", "Ann"), YES_NO, QUICK) == (
        agreement_between(narrow, sides(narrow, "rules", "Ann"), YES_NO, QUICK)
    )


def test_who_shares_units() -> None:
    def column(*asked: bool) -> ValueColumn:
        rows = {str(n): {"x": "yes"} if known else {} for n, known in enumerate(asked)}
        return table_of_rows({**rows, "last": {"x": None}}, {}, clusters=[*rows, "last"]).people[
            "x"
        ]

    columns = {"a": column(True, False), "b": column(False, True)}
    pairs = pairs_that_share_units({name: each.at(np.arange(2)) for name, each in columns.items()})
    assert pairs == {("a", "a"), ("b", "b")}
    assert ("a", "b") in pairs_that_share_units(columns)  # of the last unit both were asked
