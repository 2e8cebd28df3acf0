"""What a ledger's judges said, read back for the commands that compare, plan and correct."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import (
    JudgeCounts,
    counts_by,
    items_of,
    judge_id_of,
    judged_rows,
    judges_by_kind,
    judges_in_words,
    judges_kept,
    judges_of,
    kinds_of,
    labelled_units,
    labels_of,
    people_values,
    strata_names,
    unit_verdicts,
    units_by_id,
)
from factmark.model import Item, Judge, Unit, Verdict

RULE = Judge.create("rule", "rule")
MODEL = Judge.create("model", "m", temperature=0)
WARM = Judge.create("model", "m", temperature=1)
ANN = Judge.create("person", "ann")
BEN = Judge.create("person", "ben")
ITEMS = [
    Item(id="i1", cluster="c1", strata={"relation": "treats"}, data={"source": "a"}),
    Item(id="i2", cluster="c2", strata={"relation": "causes"}, data={"source": "b"}),
]
UNITS = {
    "p1": Unit(id="p1", item="i1", kind="pair", text="one", data={"head": "x"}),
    "p2": Unit(id="p2", item="i2", kind="pair", text="two", data={"head": "y"}),
    "t1": Unit(id="t1", item="i2", kind="triple", text="three", data={"head": "y"}),
}


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """The rule judges both pairs and the triple, one of them twice; the model the second pair; two
    people label the first pair, one of them the second without a value."""
    with Ledger(tmp_path / "l.db") as ledger:
        record(ledger, RULE, p1=("NO", 0.0), p2=("YES", 1.0), t1=("YES", 1.0))
        record(ledger, RULE, p1=("YES", 1.0))
        record(ledger, MODEL, p2=("NO", 0.0))
        record(ledger, ANN, p1=("YES", 1.0), p2=("UNSURE", None))
        record(ledger, BEN, p1=("MAYBE", 0.5))
        yield ledger


def record(ledger: Ledger, judge: Judge, **labels: tuple[str, float | None]) -> None:
    rows = [
        (UNITS[unit], Verdict(unit=unit, judge=judge.id, label=label, value=value))
        for unit, (label, value) in labels.items()
    ]
    ledger.record(judge, ITEMS, rows, {})


def counts(name: str, id: str, verdicts: int = 1) -> JudgeCounts:
    return JudgeCounts(id=id, kind="model", name=name, statuses={"ok": verdicts}, labels={})


def test_judges_come_by_name_with_their_newest_labels(ledger: Ledger) -> None:
    judges = {judge.name: judge for judge in judges_of(ledger)}
    assert list(judges) == ["ann", "ben", "m", "rule"]
    assert judges["rule"].labels == {"YES": 3}, "the first verdict on p1 is an earlier one"
    assert judges["rule"].statuses == {"ok": 3}
    assert judges["m"].kind == "model"


def test_judges_of_one_kind_bring_their_parameters(ledger: Ledger) -> None:
    assert judges_kept(ledger, "model") == [MODEL]
    assert [judge.name for judge in judges_kept(ledger)] == ["ann", "ben", "m", "rule"]


def test_a_message_names_forty_judges_and_counts_the_others() -> None:
    assert judges_in_words([]) == "(none)"
    forty = judges_in_words([counts(f"j{n}", f"{n:08}ffff", 2) for n in range(40)])
    assert forty.startswith("model j0 (00000000), 2 units; model j1")
    assert "more" not in forty
    more = judges_in_words([counts(f"j{n}", f"{n:08}") for n in range(42)])
    assert more.endswith("; and 2 more")
    assert more.count("1 unit;") == 40


def test_a_judge_is_named_by_its_name_or_four_digits_of_its_id() -> None:
    judges = [counts("a", "12345"), counts("b", "12399"), counts("1239", "99999")]
    assert judge_id_of(Path("l"), "a", judges) == "12345"
    assert judge_id_of(Path("l"), "1234", judges) == "12345"
    assert judge_id_of(Path("l"), "1239", judges) == "99999", "a name goes before an id"
    with pytest.raises(InputError, match="l has no judge '123'"):
        judge_id_of(Path("l"), "123", [counts("a", "12345")])
    with pytest.raises(InputError, match="It has model a"):
        judge_id_of(Path("l"), "2345", [counts("a", "12345")])
    with pytest.raises(InputError, match="'a' is the name of 2 judges"):
        judge_id_of(Path("l"), "a", [counts("a", "12345"), counts("a", "12399")])


def test_every_verdict_brings_its_unit_and_the_newest_comes_last(ledger: Ledger) -> None:
    rows = list(unit_verdicts(ledger))
    assert [(row.unit, row.label) for row in rows if row.judge == RULE.id] == [
        ("p1", "NO"),
        ("p2", "YES"),
        ("t1", "YES"),
        ("p1", "YES"),
    ]
    assert {(row.unit, row.kind, row.cluster) for row in rows} == {
        ("p1", "pair", "c1"),
        ("p2", "pair", "c2"),
        ("t1", "triple", "c2"),
    }
    assert {row.stratum for row in rows} == {""}
    assert [row.value for row in rows if row.judge == BEN.id] == [0.5]


@pytest.mark.parametrize(
    ("by", "strata"),
    [
        ("relation", {"p1": "treats", "p2": "causes", "t1": "causes"}),
        ("head", {"p1": "x", "p2": "y", "t1": "y"}),
        ("source", {"p1": "a", "p2": "b", "t1": "b"}),
        ("nothing", {"p1": "", "p2": "", "t1": ""}),
    ],
)
def test_a_stratum_is_of_the_item_or_a_field_of_unit_or_item(
    ledger: Ledger, by: str, strata: dict[str, str]
) -> None:
    assert {row.unit: row.stratum for row in unit_verdicts(ledger, by)} == strata
    assert strata_names(ledger) == ["head", "relation"]


def test_rows_that_a_judge_judged_carry_the_newest_label(ledger: Ledger) -> None:
    rows = judged_rows(ledger, RULE.id, "pair")
    assert [row["head"] for row in rows] == ["y", "x"], "in the order of the newest verdicts"
    named = {"item": "i2", "unit": "p2", "status": "ok", "label": "YES"}
    assert rows[0] == {"head": "y"} | named
    assert kinds_of(ledger, RULE.id) == ["pair", "triple"]
    assert kinds_of(ledger, MODEL.id) == ["pair"]


def test_judges_that_are_no_people_come_by_kind_as_they_began(ledger: Ledger) -> None:
    assert judges_by_kind(ledger) == [
        ("pair", RULE.id, "rule"),
        ("triple", RULE.id, "rule"),
        ("pair", MODEL.id, "m"),
    ]


def test_labelled_units_join_a_judge_with_the_mean_of_people(ledger: Ledger) -> None:
    """Of p1 Ann says 1 and Ben .5: .75. Ann's UNSURE has no value and counts for nobody."""
    units = labelled_units(ledger, RULE.id, "pair")
    assert (units.ids, units.items) == (["p1", "p2"], ["c1", "c2"])
    assert units.judges["judge"].texts == ["YES", "YES"]
    assert units.people_by_place == {0: 0.75}
    assert people_values(ledger, "pair") == ({"p1": 0.75}, ("ann", "ben"))
    assert people_values(ledger, "triple") == ({}, ())


def test_other_judges_fill_in_only_what_the_first_left_out(ledger: Ledger) -> None:
    units = labelled_units(ledger, MODEL.id, "pair", [RULE.id])
    assert dict(zip(units.ids, units.judges["judge"].texts, strict=True)) == {
        "p1": "YES",
        "p2": "NO",
    }
    alone = labelled_units(ledger, MODEL.id, "pair")
    assert (alone.ids, alone.people_by_place) == (["p2"], {}), (
        "people labelled what it did not judge"
    )


def test_units_come_in_the_order_of_their_ids_without_the_unknown(ledger: Ledger) -> None:
    assert units_by_id(ledger, ["t1", "no", "p1"]) == {"t1": UNITS["t1"], "p1": UNITS["p1"]}
    assert list(units_by_id(ledger, ["t1", "p1"])) == ["t1", "p1"]
    assert items_of(ledger, ["i2", "i1", "i2"]) == {item.id: item for item in ITEMS}


def test_labels_come_with_their_values(ledger: Ledger) -> None:
    assert labels_of(ledger, "pair") == {"MAYBE": 0.5, "NO": 0.0, "YES": 1.0}


def test_two_judges_of_one_name_are_two(ledger: Ledger) -> None:
    record(ledger, WARM, p1=("NO", 0.0))
    with pytest.raises(InputError, match="Name one by the beginning of its id"):
        judge_id_of(Path("l"), "m", judges_of(ledger))
    assert judge_id_of(Path("l"), WARM.id[:6], judges_of(ledger)) == WARM.id


def test_a_judge_has_judged_where_a_call_came_back(ledger: Ledger) -> None:
    """A run then need not prove once more that its judge can be reached."""
    assert ledger.has_judged(RULE.id)
    assert not ledger.has_judged(WARM.id)  # nobody asked it
    for status, has_judged in (("failed", False), ("unparsed", True)):
        verdict = Verdict(unit="p1", judge=WARM.id, status=status)
        ledger.record(WARM, ITEMS, [(UNITS["p1"], verdict)], {})
        assert ledger.has_judged(WARM.id) == has_judged


def test_verdicts_by_a_field_are_those_that_count(tmp_path: Path) -> None:
    """Units of one kind, which share the names of their fields, and one of another beside them."""
    judge = Judge.create("rule", "r")
    item = Item(id="i", cluster="i")
    rows = []
    for n in range(6):
        data = {"relation": ("treats", "causes")[n % 2], "passage": "text"}
        unit = Unit(id=f"{n:032x}", item="i", kind="pair", text=str(n), data=data)
        rows.append((item, unit, Verdict(unit=unit.id, judge=judge.id, label="SUPPORTED")))
    alone = Unit(id="a" * 32, item="i", kind="claim", text="a", data={"relation": "treats", "x": 1})
    undecided = Verdict(unit=alone.id, judge=judge.id, status="undecided")
    with Ledger(tmp_path / "l.db") as ledger:
        with ledger.writing():
            ledger.add_judge(judge)
            ledger.add_judged(rows, "2026-01-01")
        with ledger.writing():
            ledger.add_judged([(item, alone, undecided)], "2026-01-01")
        expected = {"causes": {"SUPPORTED": 3}, "treats": {"SUPPORTED": 3, "undecided": 1}}
        assert counts_by(ledger, "relation") == {(judge.id, n): c for n, c in expected.items()}
        changed = Verdict(unit=f"{0:032x}", judge=judge.id, label="CONTRADICTED")
        with ledger.writing():
            ledger.add_verdict(changed, "2026-01-02")
        treats = counts_by(ledger, "relation")[judge.id, "treats"]
        assert treats == {"CONTRADICTED": 1, "SUPPORTED": 2, "undecided": 1}
        assert counts_by(ledger, "no such field") == {}
