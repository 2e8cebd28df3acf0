"""How far judges agree: what is read of a ledger, panels worked by hand, and their tables."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmark.analysis.agree import agreement_of, compare_panel, scale_of
from factmark.analysis.agree_report import (
    ROW_COLUMNS,
    agree_sentence,
    agree_tables,
    agreement_rows,
    gap_note,
)
from factmark.analysis.options import AgreeOptions
from factmark.analysis.reading import JudgePanel, read_panels
from factmark.analysis.results import PanelAgreement, SideAgreement
from factmark.errors import InputError, LedgerError
from factmark.ledger.ledger import Ledger
from factmark.model import Judge
from factmark.report.file_columns import json_values
from factmark.report.latex import latex_table
from factmark.report.layouts import csv_table, markdown_table
from hostile import HOSTILE
from panel_data import GRADES, SUPPORT, panel, record

RULES = Judge.create("rule", "rules")
ANN = Judge.create("person", "Ann")
QUICK = AgreeOptions(ledger=Path("l.db"), resamples=200)
YES_NO = {"x": 1.0, "y": 0.0}
A = ["YES", "YES", "YES", "NO", "NO", "MAYBE", None, "YES"]
B = ["YES", "YES", "NO", "NO", "NO", "YES", "YES", "-"]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "l.db"
    record(path, RULES, {"a1": "SUPPORTED", "a2": "CONTRADICTED", "b1": None}, SUPPORT)
    record(path, ANN, {"a1": "SUPPORTED", "b1": "SUPPORTED"}, SUPPORT)
    record(path, ANN, {"a1": "NOT_SUPPORTED", "b1": "SUPPORTED"}, SUPPORT)
    return path


def panels(path: Path, **asked: str) -> list[JudgePanel]:
    with Ledger(path) as ledger:
        return read_panels(ledger, **asked)[0]


def strata(read: JudgePanel) -> list[str]:
    assert read.table.stratum is not None
    return [read.table.stratum.at(place) for place in range(len(read.table))]


def test_every_label_is_read_the_newest_last(ledger: Path) -> None:
    (read,) = panels(ledger)
    assert [rater.name for rater in read.raters] == ["rules", "Ann"]
    rules, ann = read.table.judges[RULES.id], read.table.people[ANN.id]
    assert rules.texts == ["SUPPORTED", "CONTRADICTED", None]
    assert ann.texts == ["NOT_SUPPORTED", None, "SUPPORTED"]
    # Of b1 the rules gave no label, of a2 nobody asked Ann.
    assert (rules.were_asked.tolist(), ann.were_asked.tolist()) == ([True] * 3, [True, False, True])
    assert list(read.firsts) == [ANN.id]
    first = read.firsts[ANN.id]
    assert first.texts == ["SUPPORTED", None, "SUPPORTED"]
    assert first.were_asked.tolist() == [True, False, False]  # b1 was only confirmed
    assert read.table.items == ["ca", "ca", "cb"]
    assert read.values == SUPPORT
    assert set(read.raters[0].offered) == set(SUPPORT)
    assert strata(panels(ledger, by="s")[0]) == ["a", "a", "b"]
    assert strata(panels(ledger, by="relation")[0]) == ["1", "2", "1"]


def test_judges_by_name_and_by_the_beginning_of_an_id(ledger: Path) -> None:
    other = Judge.create("rule", "rules", version="2")
    record(ledger, other, {"a1": "SUPPORTED"}, SUPPORT)
    with pytest.raises(InputError, match="2 judges with other parameters"):
        agreement_of(replace(QUICK, ledger=ledger, judge=["rules"]))
    names = [rater.name for rater in panels(ledger)[0].raters]
    assert f"rules ({other.id[:8]})" in names
    ((found,), _) = agreement_of(replace(QUICK, ledger=ledger, judge=["Ann", other.id[:8]]))
    assert [rater.id for rater in found.compared[0].versus.ones] == [other.id]
    assert [rater.id for rater in found.compared[0].versus.others] == [ANN.id]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"judge": ["ann"]}, "It has person Ann"),
        ({"judge": [""]}, "It has person Ann"),
        ({"judge": ["Ann", ANN.id]}, "twice"),
        ({"kind": "triple"}, "kinds pair"),
        ({"by": "category"}, "They have relation, s"),
        ({"by": 'x"y'}, "no stratum has such a name"),
    ],
)
def test_what_is_not_there_is_told(ledger: Path, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        agreement_of(replace(QUICK, ledger=ledger, **asked))


def test_labels_of_rubrics_and_of_numbers(ledger: Path, tmp_path: Path) -> None:
    model = Judge.create("model", "m", rubric_name="support-aligned")
    record(ledger, model, {"a1": "SUPPORTED"}, SUPPORT)
    rater = next(r for r in panels(ledger)[0].raters if r.kind == "model")
    assert dict(rater.offered) == {"SUPPORTED": 1.0, "NOT_SUPPORTED": 0.0}
    path = tmp_path / "numbers.db"
    record(path, ANN, {"a1": "3", "a2": "5"}, {}, kind="rating")
    record(path, RULES, {"a1": "3.0", "a2": " 4"}, {}, kind="rating")
    (read,) = panels(path)
    assert set(read.values) == {"3", "4", "5"}
    labels = [column.texts[0] for column in read.table.everybody.values()]
    assert labels == ["3", "3"]  # one number is one label
    record(path, ANN, {"c1": "good"}, {"good": 1.0}, kind="k")
    record(path, RULES, {"c1": "good"}, {"good": 2.0}, kind="k")
    with Ledger(path) as opened:
        (read,), problems = read_panels(opened, kind="k")
    assert read.values == {"good": None}
    assert "more than one value" in problems[0]


def test_what_is_no_ledger_or_damaged(ledger: Path, tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="no such ledger"):
        agreement_of(replace(QUICK, ledger=tmp_path / "none.db"))
    with sqlite3.connect(ledger) as db:
        db.execute("UPDATE items SET strata = '{'")
    with pytest.raises(LedgerError, match="cannot be read"):
        agreement_of(replace(QUICK, ledger=ledger, by="s"))


def compared(made: JudgePanel, **named: list[str]) -> PanelAgreement:
    found = compare_panel(made, QUICK, **named)
    assert found is not None
    return found


def text(found: PanelAgreement) -> str:
    return "\n".join(markdown_table(table) for table in agree_tables([found]).values())


def test_a_pair_worked_by_hand() -> None:
    found = compared(panel({"rules": A, "Ann": B}, GRADES))
    (one,) = found.compared
    assert (found.scale.metric, found.scale.why) == ("ordinal", "each label has a value of its own")
    assert (one.n_units, one.n_unlabelled, one.n_alone) == (6, 1, 1)
    # Chance: YES 3/6 · 3/6, NO 2/6 · 3/6, MAYBE none: 5/12; (2/3 - 5/12) / (7/12) = 3/7.
    assert one.agreement.cohen is not None
    assert one.agreement.cohen.value == pytest.approx(3 / 7)
    exact = one.agreement.exact
    assert (exact.value, exact.worst, exact.best) == pytest.approx((4 / 6, 4 / 7, 5 / 7))
    assert one.scale.labels == ("NO", "MAYBE", "YES")
    assert one.agreement.confusion == ((2, 0, 0), (0, 0, 1), (1, 0, 2))  # rows: the rules
    shown = text(found)
    assert "| rules × Ann | 6 |" in shown
    assert "whatever the missing labels would have been: rules × Ann 0.57 to 0.71" in shown


def test_the_sentence_tells_how_often_the_same_label_was_given() -> None:
    # A and B agree on 4 of the 6 units that both labelled.
    pair = agree_sentence([compared(panel({"rules": A, "Ann": B}, GRADES))]).sentence
    assert pair.startswith("Of 6 units of the kind pair, this share gets the same label: 0.67 [")
    assert "from rules and Ann" in pair
    assert "alpha, which takes off what chance would give: " in pair
    assert pair.endswith("; 1 of 7 units without both labels.")
    # Where several people labelled, a judge is told beside all of them, not beside each.
    people = panel({"rules": A, "Ann": B, "Ben": A}, GRADES, people=("Ann", "Ben"))
    several = agree_sentence([compared(people)]).sentence
    assert "from rules and one of 2 people" in several
    assert "Ann and Ben" not in several


def test_what_one_alone_was_asked_about_changes_no_number() -> None:
    wide = compared(panel({"a": [*A, "NO", "NO"], "b": [*B, "-", "-"]}, GRADES)).compared[0]
    narrow = compared(panel({"a": A, "b": B}, GRADES)).compared[0]
    assert wide.n_alone == narrow.n_alone + 2
    assert wide.agreement == narrow.agreement


@pytest.mark.parametrize(
    ("values", "metric"),
    [
        (SUPPORT, "nominal"),
        (GRADES, "ordinal"),
        ({"0": None, "3": None, "10": None}, "interval"),
        ({"YES": 1.0, "NO": 0.0}, "nominal"),
        ({"x": None, "y": None, "z": 1.0}, "nominal"),
    ],
)
def test_scales_follow_from_labels(values: dict[str, float | None], metric: str) -> None:
    assert scale_of(panel({"a": list(values)}, values)).metric == metric


def test_scales_asked_for() -> None:
    made = panel({"a": ["0", "3", "10"]}, {"0": None, "3": None, "10": None})
    assert scale_of(made).labels == ("0", "3", "10")
    assert scale_of(made, "nominal").why == "as asked for"
    with pytest.raises(InputError, match="--scale ordinal: the labels of pair units have no order"):
        scale_of(panel({"a": ["SUPPORTED"]}, SUPPORT), "ordinal")
    with pytest.raises(InputError, match="no values"):
        scale_of(panel({"a": ["x"]}, {"x": None, "y": 1.0}), "interval")


def test_people_are_a_group_too() -> None:
    people = {"Ann": ["x", "x", "y", "-"], "Ben": ["x", "y", "y", "-"], "Cai": ["x", "-", "y", "x"]}
    made = panel({"rules": ["x", "x", "x", "x"], **people}, YES_NO, people=list(people))
    found = compared(made)
    whats = [one.versus.what for one in found.compared]
    assert whats == ["pair"] * 6 + ["against people", "people"]
    against, together = found.compared[-2:]
    # The rules' x against 3 + 2 + 3 + 1 labels of people, of which 3 + 1 + 0 + 1 are x.
    assert against.agreement.exact.value == pytest.approx(5 / 9)
    assert (against.n_units, against.n_alone) == (4, 0)
    assert together.agreement.exact.value == pytest.approx((1 + 0 + 1) / 3)
    assert (together.n_units, together.n_alone) == (3, 1)
    assert "people (3)" in text(found)
    one = compared(made, named=["rules"])
    assert [c.versus.what for c in one.compared] == ["pair"] * 3 + ["against people"]
    two = compared(made, named=["Ann", "Ben"])
    assert two.compared[0].versus.names == ("Ann", "Ben")


def test_too_many_are_not_compared_one_by_one() -> None:
    crowd = {f"p{n}": ["x", "y"] for n in range(8)}
    found = compared(panel({"rules": ["x", "y"], **crowd}, YES_NO, people=[*crowd]))
    assert [one.versus.what for one in found.compared].count("pair") == 8
    assert "8 people are compared as a group" in found.notes[0]
    with pytest.raises(InputError, match=r"make 190 comparisons\. Name some with --judge: r00"):
        compare_panel(panel({f"r{n:02}": ["x", "y"] for n in range(20)}, YES_NO), QUICK)
    said = [f"w{n}" for n in range(61)]
    with pytest.raises(InputError, match="61 different labels are too many"):
        compare_panel(panel({"a": said, "b": said}, dict.fromkeys(said)), QUICK)


def test_first_against_final() -> None:
    made = panel({"Ann": ["x", "y", "y", "x"]}, YES_NO, firsts={("Ann", 1): ["x"]})
    found = compared(made, revised=["Ann"])
    whole, again = found.compared
    assert (whole.n_units, whole.n_again, whole.n_moved) == (4, 1, 1)
    assert whole.agreement.exact.value == pytest.approx(3 / 4)
    assert whole.agreement.confusion == ((1, 0), (1, 2))  # from x (the second label) to y
    assert (again.n_units, again.agreement.exact.value) == (1, 0.0)
    assert "1 of 4 units were judged again and 1 label moved" in text(found)
    assert compare_panel(made, QUICK) is None


def only(said: dict[str, list[str]], values: dict[str, float | None]) -> SideAgreement:
    return compared(panel(said, values)).compared[0]


def test_where_alpha_and_ac1_part_a_note_says_how_to_read_them() -> None:
    rare = only({"a": ["x"] * 48 + ["y", "x"], "b": ["x"] * 48 + ["x", "y"]}, YES_NO)
    assert (rare.agreement.alpha.value or 0) < 0.1
    assert (rare.agreement.ac1.value or 0) > 0.9
    assert "since 98% of the labels are x" in gap_note(rare)
    alike = only({"a": ["x"] * 9, "b": ["x"] * 9}, {"x": 1.0})
    assert alike.scale.labels == ("x", "(another)")
    assert "all labels are x" in gap_note(alike)
    graded = only({"a": list("012345" * 4), "b": list("112344" * 4)}, dict.fromkeys("012345"))
    # AC2 by hand: 1 - (2/6 · 1/25) / (1 - 27.6 / 30 · (1 - 7/36)) = 0.948.
    assert "Read AC2, 0.95, beside alpha" in gap_note(graded)
    assert gap_note(only({"a": ["x", "y"] * 5, "b": ["x", "y"] * 5}, YES_NO)) == ""


@pytest.mark.parametrize(("kind", "told"), [("fact", True), ("pair", False)])
def test_what_judges_mark_themselves_is_told(kind: str, told: bool) -> None:
    said = {"a": ["x", "y", "x"], "b": ["x", "y", "-"]}
    assert ("one alone marked" in text(compared(panel(said, YES_NO, kind=kind)))) == told


def test_strata_are_tables_of_their_own() -> None:
    made = panel({"a": A, "b": B}, GRADES, strata=["s", "s", "s", "t", "t", "t", "s", "t"])
    found = compared(made)
    parts = [(one.stratum, one.n_units) for one in found.compared]
    assert parts == [("overall", 6), ("s", 3), ("t", 3)]
    tables = agree_tables([found])
    assert list(tables) == ["agreement", "by_distance", "strata", "confusion"]
    assert tables["agreement"].title.startswith("Agreement on pair units (ordinal")
    assert [line.labels for line in tables["strata"].lines] == [("a × b", "s"), ("a × b", "t")]
    rows = [json_values(ROW_COLUMNS, row) for row in agreement_rows([found])]
    assert [row["stratum"] for row in rows] == ["overall", "s", "t"]


def test_kinds_of_units_share_the_first_table() -> None:
    """Each on its own scale: graded labels have distances, those of two have none."""
    graded = compared(panel({"a": A, "b": B}, GRADES, kind="triple"))
    yes_no = compared(panel({"a": ["x", "y"], "b": ["x", "x"]}, YES_NO, kind="pair"))
    tables = agree_tables([yes_no, graded])
    assert [line.labels[0] for line in tables["agreement"].lines] == ["pair", "triple"]
    assert [line.labels for line in tables["by_distance"].lines] == [("a × b",)]
    title = tables["agreement"].title
    assert "pair units (nominal: " in title
    assert "triple units (ordinal: " in title


def test_no_labels_in_common_is_no_number_and_no_crash() -> None:
    found = compared(panel({"a": [None, None, "x"], "b": ["x", None, "-"]}, YES_NO))
    (one,) = found.compared
    assert (one.n_units, one.n_unlabelled, one.n_alone) == (0, 2, 1)
    assert one.agreement.alpha.value is None
    assert "–" in text(found)
    assert compare_panel(panel({"a": ["x", "-"], "b": ["-", "x"]}, {"x": 1.0}), QUICK) is None


def test_every_format_survives_hostile_names_and_labels() -> None:
    bad = "".join(HOSTILE.values())
    values = {bad: 1.0, f"[/red]{bad}": 0.0, "z": 2.0}
    said = {f"[bold]{bad}": [*values], f"{bad}2": [bad, bad, "z"]}
    found = compared(panel(said, values, strata=[bad, bad, "s"], kind=bad))
    shown = "".join(
        form(table)
        for table in agree_tables([found]).values()
        for form in (markdown_table, latex_table, csv_table)
    )
    for unsafe in ("\x1b", "\x00", "\r", "\u202e", "\u2028", "\ud800"):
        assert unsafe not in shown
    shown.encode()
