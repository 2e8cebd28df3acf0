"""The ledger: append-only, whole or not at all, two writers, and what is stored comes back."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmark.errors import LedgerError
from factmark.io.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict, content_hash

JUDGE = Judge.create("rule", "test", version="1")


def unit(item: str, text: str) -> Unit:
    return Unit(id=content_hash(item, text), item=item, kind="fact", text=text)


def row(item: str, text: str, label: str) -> tuple[Unit, Verdict]:
    one = unit(item, text)
    return one, Verdict(unit=one.id, judge=JUDGE.id, label=label, value=1.0)


ITEM = Item(id="i1", cluster="q1", strata={"category": "c"}, data={"text": "é", "tools": ["a"]})


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    with Ledger(tmp_path / "new" / "l.db") as ledger:
        number = ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {"benchmark": "b"})
        run = ledger.newest_import()
        assert run is not None
        assert (run.number, run.judge, run.items, run.data) == (
            number,
            JUDGE,
            (ITEM,),
            {"benchmark": "b"},
        )
        assert ledger.verdicts("i1", JUDGE.id) == [row("i1", "30", "grounded")]


def test_newest_verdict_counts_and_earlier_ones_remain(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db") as ledger:
        for label in ("grounded", "grounded", "ungrounded"):
            ledger.record(JUDGE, [ITEM], [row("i1", "30", label)], {})
        assert ledger.verdicts("i1", JUDGE.id) == [row("i1", "30", "ungrounded")]
        assert ledger.counts()["verdicts"] == 2  # the repeat said nothing new
        assert ledger.counts()["imports"] == 3


def test_a_failing_run_leaves_nothing(tmp_path: Path) -> None:
    def rows():
        yield row("i1", "30", "grounded")
        raise RuntimeError("killed")

    with Ledger(tmp_path / "l.db") as ledger:
        with pytest.raises(RuntimeError):
            ledger.record(JUDGE, [ITEM], rows(), {})
        assert set(ledger.counts().values()) == {0}


def test_unit_of_an_unknown_item_is_refused(tmp_path: Path) -> None:
    with (
        Ledger(tmp_path / "l.db") as ledger,
        pytest.raises(LedgerError, match=r"Nothing of this run was kept"),
    ):
        ledger.record(JUDGE, [], [row("nowhere", "30", "grounded")], {})


def test_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "l.db").write_text("this is no database, but long enough to be read as one" * 30)
    with pytest.raises(LedgerError, match="cannot be used as a ledger"):
        Ledger(tmp_path / "l.db")


def test_ledger_of_a_newer_program_is_left_alone(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db"):
        pass
    with sqlite3.connect(tmp_path / "l.db") as db:
        db.execute("PRAGMA user_version = 999")
    with pytest.raises(LedgerError, match="newer factmark"):
        Ledger(tmp_path / "l.db")


WRITER = """
import sys
from factmark.io.ledger import Ledger
from factmark.model import Item, Judge, Unit, Verdict
judge = Judge.create("rule", sys.argv[2])
with Ledger(sys.argv[1]) as ledger:
    for number in range(40):
        name = f"{sys.argv[2]}-{number}"
        unit = Unit(id=name, item=name, kind="fact", text=name)
        rows = [(unit, Verdict(unit=name, judge=judge.id, label="grounded", value=1.0))]
        ledger.record(judge, [Item(id=name, cluster=name)], rows, {})
"""


def test_two_processes_write_one_ledger(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), name]) for name in ("a", "b")
    ]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    with Ledger(path) as ledger:
        assert ledger.counts() == {
            "items": 80, "units": 80, "judges": 2, "calls": 0, "verdicts": 80, "imports": 80,
        }  # fmt: skip


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts, unique=True, max_size=6), st.dictionaries(texts, texts, max_size=3))
def test_round_trip(tmp_path: Path, facts: list[str], strata: dict[str, str]) -> None:
    name = content_hash(facts, strata)
    item = Item(id=name, cluster=name, strata=strata, data={"facts": facts})
    rows = [row(name, fact, "grounded") for fact in facts]
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.record(JUDGE, [item], rows, {})
        run = ledger.newest_import()
        assert run is not None
        assert run.items == (item,)
        assert ledger.verdicts(name, JUDGE.id) == rows
