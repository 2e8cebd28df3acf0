"""A writer for other processes: what they hand over stands in the ledger as if they had written."""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import closing
from pathlib import Path

from factmark.ledger.keeper import LedgerKeeper, block_of
from factmark.ledger.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict

JUDGE = Judge.create("rule", "rules")


def judged(count: int) -> list[tuple[Item, Unit, Verdict]]:
    """Verdicts on units of two items; every third one is undecided."""
    rows = []
    for n in range(count):
        item = Item(id=f"i{n % 2}", cluster=f"i{n % 2}", strata={"s": "a"}, data={"head": "é"})
        data = {"passage": f"Passage {n // 4}.", "confidence": None, "where": f"line {n}"}
        unit = Unit(id=f"{n:032x}", item=item.id, kind="pair", text=f"claim {n}", data=data)
        verdict = Verdict(unit=unit.id, judge=JUDGE.id, status="undecided", reason="why")
        if n % 3:
            verdict = Verdict(unit=unit.id, judge=JUDGE.id, label="SUPPORTED", value=1.0)
        rows.append((item, unit, verdict))
    return rows


def contents(path: Path) -> list[list[tuple[object, ...]]]:
    """What a ledger holds, but its times."""
    tables = ("items ORDER BY id", "whole_units ORDER BY id")
    names = "unit, judge, status, label, value, reason, call"
    with Ledger(path, read_only=True) as ledger:
        rows = [ledger.rows(f"SELECT * FROM {table}").fetchall() for table in tables]
        rows.append(ledger.rows(f"SELECT {names} FROM verdicts ORDER BY unit").fetchall())
    rows[1] = [row[:-2] for row in rows[1]]  # without the numbers of units and passages
    return rows


def test_blocks_that_come_through_another_process_stand_as_if_written_here(tmp_path: Path) -> None:
    rows = judged(30)
    with Ledger(tmp_path / "here.db") as ledger, ledger.writing():
        ledger.add_judge(JUDGE)
        ledger.add_judged(rows, "2026-01-01")
    with Ledger(tmp_path / "kept.db") as ledger, ledger.writing():
        ledger.add_judge(JUDGE)
    keeper = LedgerKeeper(tmp_path / "kept.db")
    for start in (20, 0, 10, 0):  # in any order, and one that begins again
        keeper.keep(pickle.loads(pickle.dumps(block_of(rows[start : start + 10]))))
    keeper.finish()
    assert keeper.error == ""
    assert contents(tmp_path / "kept.db") == contents(tmp_path / "here.db")


def test_what_cannot_be_written_is_told_and_holds_nobody_up(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as db:
        db.execute("CREATE TABLE another_program (x)")
    keeper = LedgerKeeper(tmp_path / "other.db")
    for _ in range(30):  # more than may wait
        keeper.keep(block_of(judged(3)))
    keeper.finish()
    assert "another program" in keeper.error
