"""Rows of users' own files: several may share a unit, and each is found by its own id."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import keep_rows, rows_by_id, rows_of_units
from factmark.model import Item, Judge, Unit, UserRow, Verdict

JUDGE = Judge.create("rule", "test")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    units = [Unit(id=name, item="i", kind="pair", text=name) for name in ("u1", "u2")]
    with Ledger(tmp_path / "l.db") as opened:
        rows = [(unit, Verdict(unit=unit.id, judge=JUDGE.id, label="YES")) for unit in units]
        opened.record(JUDGE, [Item(id="i", cluster="i")], rows, {})
        yield opened


def row(number: int, unit: str, name: str = "", source: str = "a.csv") -> UserRow:
    place = f"line {number}"
    data = {"year": number}
    return UserRow(source=source, place=place, id=name or place, unit=unit, data=data)


def test_rows_of_one_unit_are_all_kept_in_their_order(ledger: Ledger) -> None:
    rows = [row(2, "u1", "x"), row(10, "u1", "y"), row(3, "u2")]
    keep_rows(ledger, "pair", rows)
    assert rows_of_units(ledger, ["u1", "u2", "u3"]) == {"u1": rows[:2], "u2": rows[2:]}
    assert rows_by_id(ledger, ["y", "line 3", "no such"]) == {
        "y": [("pair", rows[1])],
        "line 3": [("pair", rows[2])],
    }


def test_a_row_takes_the_place_of_what_stood_there(ledger: Ledger) -> None:
    keep_rows(ledger, "pair", [row(2, "u1", "x"), row(3, "u1", "y")])
    keep_rows(ledger, "pair", [row(2, "u2", "x")])
    assert rows_by_id(ledger, ["x"]) == {"x": [("pair", row(2, "u2", "x"))]}
    assert rows_by_id(ledger, ["y"]) == {"y": [("pair", row(3, "u1", "y"))]}


def test_a_whole_file_takes_the_place_of_what_it_held_before(ledger: Ledger) -> None:
    """Whoever mends a row and takes out others labels the row that is there now."""
    keep_rows(ledger, "pair", [row(2, "u1", "x"), row(3, "u1", "y")], whole=True)
    keep_rows(ledger, "pair", [row(2, "u2", "y")], whole=True)
    assert rows_by_id(ledger, ["x", "y"]) == {"y": [("pair", row(2, "u2", "y"))]}


def test_the_same_rows_again_are_not_written(ledger: Ledger) -> None:
    rows = [row(2, "u1", "x")]
    keep_rows(ledger, "pair", rows)
    before = ledger.connection.total_changes
    keep_rows(ledger, "pair", rows)
    assert ledger.connection.total_changes == before


def test_rows_of_unknown_units_are_left_out(ledger: Ledger) -> None:
    keep_rows(ledger, "pair", [row(2, "u9", "x"), row(3, "u1", "y")])
    assert list(rows_by_id(ledger, ["x", "y"])) == ["y"]


def test_an_id_of_two_files_is_told_apart_by_file_and_kind(ledger: Ledger) -> None:
    keep_rows(ledger, "pair", [row(2, "u1", "x"), row(2, "u2", "x", source="b.csv")])
    keep_rows(ledger, "triple", [row(2, "u1", "x")])
    assert len(rows_by_id(ledger, ["x"])["x"]) == 3
    assert rows_by_id(ledger, ["x"], kind="pair", source="b.csv") == {
        "x": [("pair", row(2, "u2", "x", source="b.csv"))]
    }
