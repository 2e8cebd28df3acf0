"""Panels compared, and their tables: worked by hand, in every format, with hostile text."""

from __future__ import annotations

import pytest
from rich.console import Console

from factmark.analysis.agree_tables import agree_records, agree_tables, reading
from factmark.analysis.panels import How, Panel, PanelAgreement, compare_panel, scale_of
from factmark.errors import InputError
from factmark.tables.latex import latex_table
from factmark.tables.layouts import csv_table, markdown_table, rich_table
from hostile import HOSTILE
from panel_data import GRADES, SUPPORT, panel

HOW = How(resamples=200)
A = ["YES", "YES", "YES", "NO", "NO", "MAYBE", None, "YES"]
B = ["YES", "YES", "NO", "NO", "NO", "YES", "YES", "-"]


def compared(made: Panel, how: How = HOW, **options: list[str]) -> PanelAgreement:
    found = compare_panel(made, how, **options)
    assert found is not None
    return found


def text(found: PanelAgreement, width: int = 140) -> str:
    console = Console(width=width, force_terminal=False)
    with console.capture() as captured:
        for table in agree_tables([found]):
            console.print(rich_table(table))
    return captured.get()


def test_a_pair_worked_by_hand() -> None:
    found = compared(panel({"rules": A, "Ann": B}, GRADES))
    (one,) = found.compared
    assert (found.metric, found.why) == ("ordinal", "each label has a value of its own")
    assert (one.n_units, one.n_unlabelled, one.n_alone) == (6, 1, 1)
    assert one.agreement.exact.value == pytest.approx(4 / 6)
    # Chance: YES 3/6 · 3/6, NO 2/6 · 3/6, MAYBE none: 5/12; (2/3 - 5/12) / (7/12) = 3/7.
    assert one.agreement.cohen is not None
    assert one.agreement.cohen.value == pytest.approx(3 / 7)
    assert one.agreement.exact.worst == pytest.approx(4 / 7)
    assert one.agreement.exact.best == pytest.approx(5 / 7)
    assert one.scale.labels == ("NO", "MAYBE", "YES")
    assert one.agreement.confusion == ((2, 0, 0), (0, 0, 1), (1, 0, 2))  # rows: the rules
    shown = text(found)
    assert "rules × Ann" in shown
    assert "1/1" in shown
    assert "Exact agreement, whatever the missing labels would have been: rules × Ann 0.57 to" in (
        " ".join(agree_tables([found])[1].notes)
    )


def test_what_one_alone_was_asked_about_changes_no_number() -> None:
    wide = compared(panel({"a": [*A, "NO", "NO"], "b": [*B, "-", "-"]}, GRADES)).compared[0]
    narrow = compared(panel({"a": A, "b": B}, GRADES)).compared[0]
    assert wide.n_alone == narrow.n_alone + 2
    for key in ("alpha", "ac1", "ac2", "fleiss", "exact"):
        ours, theirs = getattr(wide.agreement, key), getattr(narrow.agreement, key)
        assert (ours.value, ours.low, ours.high) == (theirs.value, theirs.low, theirs.high)


def test_scales_follow_from_labels() -> None:
    def metric(values: dict[str, float | None]) -> str:
        return scale_of(panel({"a": list(values)}, values)).metric

    assert metric(dict(SUPPORT)) == "nominal"
    assert metric(dict(GRADES)) == "ordinal"
    assert metric({"0": None, "3": None, "10": None}) == "interval"
    assert metric({"YES": 1.0, "NO": 0.0}) == "nominal"
    assert metric({"x": None, "y": None, "z": 1.0}) == "nominal"
    made = panel({"a": ["0", "3", "10"]}, {"0": None, "3": None, "10": None})
    assert scale_of(made).labels == ("0", "3", "10")
    assert scale_of(made).values == (0.0, 3.0, 10.0)
    assert scale_of(made, "nominal").why == "as asked for"
    for wanted, values in (("ordinal", SUPPORT), ("interval", {"x": None, "y": 1.0})):
        with pytest.raises(InputError, match=f"--scale {wanted}: the labels of pair units"):
            scale_of(panel({"a": ["x"]}, dict(values)), wanted)  # type: ignore[arg-type]  # of two


def test_people_are_a_group_too() -> None:
    people = {"Ann": ["x", "x", "y", "-"], "Ben": ["x", "y", "y", "-"], "Cai": ["x", "-", "y", "x"]}
    said = {"rules": ["x", "x", "x", "x"], **people}
    found = compared(panel(said, {"x": 1.0, "y": 0.0}, people=list(people)))
    whats = [one.versus.what for one in found.compared]
    assert whats == ["pair"] * 6 + ["against people", "people"]
    against, together = found.compared[-2:]
    assert (against.n_units, against.n_alone) == (4, 0)
    # The rules' x against 3 + 2 + 3 + 1 labels of people, of which 3 + 1 + 0 + 1 are x.
    assert against.agreement.exact.value == pytest.approx(5 / 9)
    assert (together.n_units, together.n_alone) == (3, 1)
    assert together.agreement.exact.value == pytest.approx((1 + 0 + 1) / 3)
    assert "people (3)" in text(found)
    assert "of people among each other Fleiss'" in text(found)
    one = compared(panel(said, {"x": 1.0, "y": 0.0}, people=list(people)), named=["rules"])
    assert [c.versus.what for c in one.compared] == ["pair"] * 3 + ["against people"]
    two = compared(panel(said, {"x": 1.0, "y": 0.0}, people=list(people)), named=["Ann", "Ben"])
    assert next(c.versus.names for c in two.compared) == ("Ann", "Ben")


def test_a_crowd_is_not_compared_one_by_one() -> None:
    crowd = {f"p{n}": ["x", "y"] for n in range(8)}
    found = compared(panel({"rules": ["x", "y"], **crowd}, {"x": 1.0, "y": 0.0}, people=[*crowd]))
    assert [one.versus.what for one in found.compared].count("pair") == 8
    assert "8 people are compared as a group" in found.notes[0]
    rules = panel({f"r{n:02}": ["x", "y"] for n in range(20)}, {"x": 1.0, "y": 0.0})
    with pytest.raises(InputError, match=r"make 190 comparisons\. Name some with --judge: r00"):
        compare_panel(rules, HOW)


def test_labels_without_number_are_refused() -> None:
    said = [f"{n}" for n in range(61)]
    with pytest.raises(InputError, match="61 different labels are too many"):
        compare_panel(panel({"a": said, "b": said}, dict.fromkeys(said)), HOW)


def test_first_against_final() -> None:
    made = panel({"Ann": ["x", "y", "y", "x"]}, {"x": 1.0, "y": 0.0}, firsts={"Ann": {1: "x"}})
    whole, again = compared(made, revised=["Ann"]).compared
    assert (whole.n_units, whole.n_again, whole.n_moved) == (4, 1, 1)
    assert whole.agreement.exact.value == pytest.approx(3 / 4)
    assert whole.agreement.confusion == ((1, 0), (1, 2))  # from x (the second label) to y
    assert (again.n_units, again.agreement.exact.value) == (1, 0.0)
    shown = " ".join(text(compared(made, revised=["Ann"])).split())
    assert "1 of 4 units were judged again and 1 label moved (25.0%)" in shown
    assert compare_panel(made, HOW) is None


def test_where_one_label_prevails_a_note_says_how_to_read_it() -> None:
    a = ["x"] * 48 + ["y", "x"]
    b = ["x"] * 48 + ["x", "y"]
    found = compared(panel({"a": a, "b": b}, {"x": 1.0, "y": 0.0}))
    (one,) = found.compared
    assert (one.agreement.alpha.value or 0) < 0.1
    assert (one.agreement.ac1.value or 0) > 0.9
    assert "since 98% of the labels are x" in reading(one)
    assert "They agree on 96% of the pairs of labels" in " ".join(text(found).split())
    alike = compared(panel({"a": ["x"] * 9, "b": ["x"] * 9}, {"x": 1.0})).compared[0]
    assert alike.scale.labels == ("x", "(another)")
    assert "all labels are x, so alpha and kappa have no value" in reading(alike)
    graded = panel({"a": list("012345" * 4), "b": list("112344" * 4)}, dict.fromkeys("012345"))
    told = compared(graded).compared[0]
    assert told.agreement.ac2 is not None
    # AC2 by hand: 1 - (2/6 · 1/25) / (1 - 27.6 / 30 · (1 - 7/36)) = 0.948.
    assert "AC1 only that they differ. Read AC2, 0.95, beside alpha." in reading(told)
    even = compared(panel({"a": ["x", "y"] * 5, "b": ["x", "y"] * 5}, {"x": 1.0, "y": 0.0}))
    assert reading(even.compared[0]) == ""


def test_what_judges_mark_themselves_is_told() -> None:
    said = {"a": ["x", "y", "x"], "b": ["x", "y", "-"]}
    alone = "those that one alone marked are disagreements too"
    for kind, told in (("fact", True), ("pair", False)):
        found = compared(panel(said, {"x": 1.0, "y": 0.0}, kind=kind))
        assert (alone in " ".join(text(found).split())) == told


def test_strata_are_tables_of_their_own() -> None:
    made = panel({"a": A, "b": B}, GRADES, strata=["s", "s", "s", "t", "t", "t", "s", "t"])
    found = compared(made)
    assert [(one.stratum, one.n_units) for one in found.compared] == [
        ("overall", 6), ("s", 3), ("t", 3),
    ]  # fmt: skip
    titles = [table.title for table in agree_tables([found])]
    assert titles[0] == (
        "Agreement on pair units, a × b (ordinal: each label has a value of its own)"
    )
    names, records = agree_records([found])
    assert len(records) == 3
    assert all(len(record) == len(names) for record in records)


def test_no_labels_in_common_is_no_number_and_no_crash() -> None:
    found = compared(panel({"a": [None, None, "x"], "b": ["x", None, "-"]}, {"x": 1.0, "y": 0.0}))
    (one,) = found.compared
    assert (one.n_units, one.n_unlabelled, one.n_alone) == (0, 2, 1)
    assert one.agreement.alpha.value is None
    assert "–" in text(found)
    assert compare_panel(panel({"a": ["x", "-"], "b": ["-", "x"]}, {"x": 1.0}), HOW) is None


@pytest.mark.parametrize("name", HOSTILE)
def test_every_format_survives_hostile_names_and_labels(name: str) -> None:
    bad = HOSTILE[name]
    values = {bad: 1.0, f"[/red]{bad}": 0.0, "z": 2.0}
    said = {f"[bold]{bad}": [*values], f"{bad}2": [bad, bad, "z"]}
    made = panel(said, values, strata=[bad, bad, "s"], kind=bad)
    found = compared(made)
    shown = text(found)
    for table in agree_tables([found]):
        for form in (markdown_table, latex_table, csv_table):
            shown += form(table)
    for unsafe in ("\x1b", "\x00", "\r", "\u202e", "\u2028", "\ud800"):
        assert unsafe not in shown
    shown.encode()
