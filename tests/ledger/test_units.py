"""Units in a ledger: a passage stands once however many units name it, and comes back with each."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmark.ask.chat import Reply
from factmark.errors import LedgerError
from factmark.ledger.calls import Call, add_calls, find_reply
from factmark.ledger.campaigns import pairs_of_kind
from factmark.ledger.export import info
from factmark.ledger.ledger import Ledger
from factmark.ledger.migrations import MIGRATIONS
from factmark.ledger.verdicts import judged_rows, kept_replies, units_by_id
from factmark.model import Item, Judge, Unit, Verdict, content_hash
from shell import kept_ledger

JUDGE = Judge.create("model", "test")
ITEM = Item(id="i", cluster="i")
PASSAGE = "Insulin regulates the level of glucose in the blood. " * 90
REPLY = "SUPPORTED: the passage says so of insulin, and says so of insulin again. " * 4
BEFORE = next(
    number for number, step in enumerate(MIGRATIONS) if any("passages" in sql for sql in step)
)


def unit(number: int, passage: str | None = PASSAGE) -> Unit:
    data = {"head": f"h{number}", "passage": passage, "passage_id": "p"}
    return Unit(id=content_hash(number, passage), item="i", kind="pair", text="c", data=data)


def judged(path: Path, units: list[Unit]) -> Path:
    """A ledger with a verdict on each unit, read from a reply."""
    call = Call(key="k", judge=JUDGE.id, sample=0, outcome=Reply(text=REPLY), cost=None)
    verdicts = [
        Verdict(unit=made.id, judge=JUDGE.id, label="SUPPORTED", call="k") for made in units
    ]
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], zip(units, verdicts, strict=True), {})
        with ledger.writing():
            add_calls(ledger, [call])
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return judged(tmp_path / "l.db", [unit(number) for number in range(200)])


def test_a_passage_is_kept_once_and_read_with_every_unit(path: Path) -> None:
    units = [unit(number) for number in range(200)]
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM passages").fetchone() == (1,)
    assert path.stat().st_size < 200 * len(PASSAGE) / 3
    with Ledger(path, read_only=True) as ledger:
        assert list(units_by_id(ledger, [made.id for made in units]).values()) == units
        assert sorted(pairs_of_kind(ledger, "pair"), key=str) == sorted(
            ((ITEM, made) for made in units), key=str
        )
        rows = judged_rows(ledger, JUDGE.id, "pair")
        assert [row["passage"] for row in rows] == [PASSAGE] * 200
        assert list(rows[0]) == [*sorted(units[0].data), "item", "unit", "status", "label"]
        assert [made for made, _ in ledger.verdicts("i", JUDGE.id)] == units
        (reply,) = kept_replies(ledger, JUDGE.id)
        assert (reply.passages, reply.text, len(reply.claims)) == ([PASSAGE] * 200, REPLY, 200)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.none() | st.text(max_size=30) | st.text(st.characters(), min_size=65, max_size=90))
def test_any_passage_comes_back_as_it_was(tmp_path: Path, passage: str | None) -> None:
    """Also with what no cell holds: halves of surrogate pairs."""
    made = unit(0, passage)
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.record(JUDGE, [ITEM], [(made, Verdict(unit=made.id, judge=JUDGE.id))], {})
        assert units_by_id(ledger, [made.id]) == {made.id: made}


@pytest.mark.parametrize("control", ["\0", '\x1f"\\', "\u2028", "\U0001f600"])
def test_a_passage_with_signs_that_json_escapes(tmp_path: Path, control: str) -> None:
    test_any_passage_comes_back_as_it_was.hypothesis.inner_test(tmp_path, PASSAGE + control + "x")


@pytest.mark.parametrize("damage", ["DELETE FROM passages", "UPDATE passages SET text = x'78'"])
def test_a_passage_that_is_gone_or_damaged_is_told(path: Path, damage: str) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute(damage)
        db.commit()
    told = r"l\.db: .*the passage \w+ is missing or damaged"
    with pytest.raises(LedgerError, match=told), Ledger(path) as ledger:
        pairs_of_kind(ledger, "pair")
    if "DELETE" in damage:
        told = r"l\.db: .*units names one of passages that is not there"
        with pytest.raises(LedgerError, match=told):
            info(path)


def test_a_reply_is_kept_shorter_and_a_damaged_one_is_told(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        ((kept,),) = db.execute("SELECT text FROM calls").fetchall()
        assert len(kept) < len(REPLY) / 2
        with Ledger(path) as ledger:
            reply = find_reply(ledger, "k")
        assert reply is not None
        assert reply.text == REPLY
        db.execute("UPDATE calls SET text = ?", (kept[:-5],))
        db.commit()
    told = r"l\.db: .*a compressed text is damaged"
    with pytest.raises(LedgerError, match=told), Ledger(path) as ledger:
        find_reply(ledger, "k")


@pytest.mark.parametrize("name", ["measured", "scored", "campaign"])
def test_an_earlier_ledger_keeps_every_unit(tmp_path: Path, name: str) -> None:
    """Those that version 0.1.0 wrote, which have the passage in each."""
    path = kept_ledger(name, tmp_path / "l.db")
    with closing(sqlite3.connect(path)) as db:
        before = db.execute("SELECT * FROM units ORDER BY id").fetchall()
    for read_only in (True, False):
        with Ledger(path, read_only=read_only) as ledger:
            query = "SELECT id, item, kind, text, data FROM whole_units ORDER BY id"
            assert ledger.rows(query).fetchall() == before
            assert ledger.rows("PRAGMA foreign_key_check").fetchall() == []


def test_units_of_before_and_after_stand_in_one_ledger(tmp_path: Path) -> None:
    """A unit that has its passage in it is not written a second time."""
    path, units = tmp_path / "l.db", [unit(0), unit(1)]
    with closing(sqlite3.connect(path)) as db:
        for step in MIGRATIONS[:BEFORE]:
            db.executescript(";".join(step))
        db.execute(f"PRAGMA user_version = {BEFORE}")
        db.execute("INSERT INTO items VALUES ('i', 'i', '{}', '{}')")
        cells = (units[0].id, "i", "pair", "c", json.dumps(dict(units[0].data)))
        db.execute("INSERT INTO units VALUES (?, ?, ?, ?, ?)", cells)
        db.commit()
    judged(path, [*units, replace(units[1])])
    with Ledger(path) as ledger:
        assert ledger.counts()["units"] == 2
        assert [made for _, made in pairs_of_kind(ledger, "pair")] == sorted(
            units, key=lambda u: u.id
        )
