"""Ids stand once: an earlier ledger is kept beside the new one, and says the same."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from factmark.errors import LedgerError
from factmark.ledger.export import export
from factmark.ledger.ledger import Ledger
from factmark.ledger.migrations import KEYED, MIGRATIONS
from factmark.model import Item, Judge, Unit, Verdict

JUDGE = Judge.create("rule", "test")
ITEM = Item(id="i", cluster="i")


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    """A ledger of the schema before, with a unit, a verdict and a row of a user's."""
    path = tmp_path / "study.db"
    with closing(sqlite3.connect(path)) as db:
        for statements in MIGRATIONS[:KEYED]:
            db.executescript(";".join(statements))
        db.execute(f"PRAGMA user_version = {KEYED}")
        db.execute("INSERT INTO items VALUES ('i', 'i', '{}', '{}')")
        db.execute("INSERT INTO passages VALUES ('p', 'It rains.')")
        data = '{"head": "It", "passage": null}'
        db.execute("INSERT INTO units VALUES ('u', 'i', 'pair', 'It rains', ?, 'p')", (data,))
        db.execute("INSERT INTO judges VALUES (?, 'rule', 'test', '{}')", (JUDGE.id,))
        cells = "(unit, judge, status, label, value, reason, time)"
        row = f"VALUES ('u', '{JUDGE.id}', 'ok', 'YES', 1.0, 'so it says', 'at noon')"
        db.execute(f"INSERT INTO verdicts {cells} {row}")
        db.execute("INSERT INTO user_rows VALUES ('f', 'pair', 'line 2', 'mine', 'u', 'p1', '{}')")
        db.commit()
    return path


def exported(path: Path) -> str:
    target = path.with_name("e.jsonl")
    export(path, target)
    return target.read_text("utf-8")


def test_an_earlier_ledger_is_kept_beside_and_says_the_same(
    earlier: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = exported(earlier)  # read only: nothing is migrated
    assert sorted(file.name for file in earlier.parent.glob("*.db")) == ["study.db"]
    with caplog.at_level(logging.WARNING, "factmark.ledger"), Ledger(earlier) as ledger:
        assert ledger.rows("PRAGMA foreign_key_check").fetchall() == []
    assert "study.schema-13.db" in caplog.text
    assert exported(earlier) == before
    kept = earlier.with_name("study.schema-13.db")
    with closing(sqlite3.connect(kept)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (KEYED,)
        assert db.execute("SELECT id FROM units").fetchall() == [("u",)]
    caplog.clear()
    with Ledger(earlier):
        assert not caplog.text


def test_no_room_for_both_leaves_an_earlier_ledger_as_it_is(
    earlier: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = shutil.disk_usage(earlier)._replace(free=1)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: full)
    before = exported(earlier)
    with pytest.raises(LedgerError, match=r"study\.db: is of an earlier factmark.*of disk"):
        Ledger(earlier)
    assert exported(earlier) == before
    assert not list(earlier.parent.glob("*schema*"))


def test_a_block_says_what_its_verdicts_would_one_by_one(tmp_path: Path) -> None:
    units = [Unit(id=f"u{n}", item="i", kind="pair", text="t", data={"n": n}) for n in range(9)]
    verdicts = [
        Verdict(unit=unit.id, judge=JUDGE.id, label=label, reason=reason)
        for unit in units
        for label, reason in (("YES", "often"), ("YES", "often"), ("NO", unit.id))
    ]
    verdicts += [Verdict(unit=unit.id, judge=JUDGE.id, status="failed") for unit in units]
    whole, single = tmp_path / "whole.db", tmp_path / "single.db"
    for path in (whole, single):
        with Ledger(path) as ledger, ledger.writing():
            ledger.add_judge(JUDGE)
            ledger.add_new_item(ITEM)
            for unit in units:
                ledger.add_unit(unit)
            if path == whole:
                ledger.add_verdicts(verdicts, "now")
            else:
                for verdict in verdicts:
                    ledger.add_verdict(verdict, "now")
    assert exported(whole) == exported(single)
    assert exported(whole).count("often") == len(units)
