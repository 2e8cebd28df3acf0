"""`factmark ledger check`, `backup` and `compact`."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict
from shell import run

JUDGE = Judge.create("rule", "words", version=1)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """A ledger with 50 verdicts."""
    path = tmp_path / "l.db"
    rows = []
    for n in range(50):
        unit = Unit(id=f"u{n}", item="i", kind="claim", text=f"Claim {n}.", data={})
        rows.append((Item(id="i", cluster="i"), unit, Verdict(unit=unit.id, judge=JUDGE.id)))
    with Ledger(path) as opened, opened.writing():
        opened.add_judge(JUDGE)
        opened.add_judged(rows, "2026-11-28T12:00:00+00:00")
    return path


def verdicts(path: Path) -> int:
    with Ledger(path, read_only=True) as opened:
        return int(opened.counts()["verdicts"])


def test_a_copy_is_made_while_another_process_writes(ledger: Path, tmp_path: Path) -> None:
    with Ledger(ledger) as writer, writer.writing() as db:
        db.execute("DELETE FROM kept_verdicts")  # not committed, so not in the copy
        assert run("ledger", "backup", ledger, "--out", tmp_path / "copy.db").returncode == 0
        assert verdicts(tmp_path / "copy.db") == 50
    again = run("ledger", "backup", ledger, "--out", tmp_path / "copy.db")
    assert again.returncode == 2
    assert "is there already" in again.stderr


def test_a_whole_ledger_is_whole_and_a_missing_unit_is_damage(ledger: Path) -> None:
    assert run("ledger", "check", ledger).returncode == 0
    with closing(sqlite3.connect(ledger)) as db, db:
        db.execute("DELETE FROM kept_units WHERE id = 'u7'")
    done = run("ledger", "check", ledger)
    assert done.returncode == 1
    assert "kept_units" in done.stdout


def test_room_that_nothing_takes_is_given_back(ledger: Path) -> None:
    with Ledger(ledger) as opened, opened.writing() as db:
        db.execute("CREATE TABLE ballast AS SELECT zeroblob(500000) AS room")
        db.execute("DROP TABLE ballast")
    before = ledger.stat().st_size
    assert run("ledger", "compact", ledger).returncode == 0
    assert ledger.stat().st_size < before
    assert verdicts(ledger) == 50
