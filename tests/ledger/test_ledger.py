"""The ledger: append-only, whole or not at all, two writers, and what is stored comes back."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from factmark.errors import LedgerError
from factmark.ledger.export import export, info
from factmark.ledger.ledger import Ledger
from factmark.ledger.migrations import APPLICATION_ID, MIGRATIONS
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
        pytest.raises(LedgerError, match=r"Nothing of this step was kept"),
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


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("setup", ["CREATE TABLE mine (a)", "PRAGMA application_id = 7",
    "CREATE TABLE items (a); PRAGMA user_version = 1"])  # fmt: skip
def test_a_database_of_another_program_is_left_alone(
    tmp_path: Path, setup: str, read_only: bool
) -> None:
    path = tmp_path / "mine.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(setup)
    before = path.read_bytes()
    with pytest.raises(LedgerError, match="of another program"):
        Ledger(path, read_only=read_only)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def earlier_ledger(path: Path, version: int) -> None:
    """A ledger as a program made it before there was an application id."""
    with closing(sqlite3.connect(path)) as db:
        for statements in MIGRATIONS[:version]:
            db.executescript(";".join(statements))
        db.execute(f"PRAGMA user_version = {version}")


@pytest.mark.parametrize("version", [1, len(MIGRATIONS)])
def test_an_earlier_ledger_is_ours(tmp_path: Path, version: int) -> None:
    path = tmp_path / "l.db"
    earlier_ledger(path, version)
    before = path.read_bytes()
    with Ledger(path, read_only=True) as ledger:
        assert set(ledger.counts().values()) == {0}
    assert path.read_bytes() == before
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
        (application,) = ledger.connection.execute("PRAGMA application_id").fetchone()
    assert application == APPLICATION_ID


def test_read_only_reads_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a %?#.db"
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
    with Ledger(path, read_only=True) as ledger:
        assert ledger.verdicts("i1", JUDGE.id) == [row("i1", "30", "grounded")]
        with pytest.raises(LedgerError, match="cannot be written"):
            ledger.record(JUDGE, [ITEM], [], {})
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger(tmp_path / "nowhere.db", read_only=True)
    assert list(tmp_path.iterdir()) == [path]


def test_read_only_sees_what_another_is_writing(tmp_path: Path) -> None:
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
        with Ledger(tmp_path / "l.db", read_only=True) as reader:
            assert reader.counts()["verdicts"] == 1


def test_a_place_without_lock_files_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a read-only disk, where SQLite opens no file of its own beside the ledger."""
    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
    (tmp_path / "l.db-wal").mkdir()  # cannot be opened as a file, whoever the user is
    (tmp_path / "l.db-shm").mkdir()
    with Ledger(path, read_only=True) as ledger:
        assert ledger.counts()["verdicts"] == 1


def test_a_damaged_ledger_is_told(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        for number in range(300):
            ledger.record(JUDGE, [ITEM], [row("i1", f"{number}" * 50, "grounded")], {})
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xff" * (len(data) - 8192)
    path.write_bytes(data)
    for command in (info, lambda p: export(p, tmp_path / "out.csv")):
        with pytest.raises(LedgerError, match=r"l\.db: cannot be"):
            command(path)
    with pytest.raises(LedgerError, match=r"l\.db: cannot be"), Ledger(path) as ledger:
        ledger.verdicts("i1", JUDGE.id)


DAMAGES = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:9_000]),
    "only its header": lambda path: path.write_bytes(path.read_bytes()[:60]),
    "no table": lambda path: changed(path, "DROP TABLE verdicts"),
    "no table for calls": lambda path: changed(path, "DROP TABLE calls"),
    "no column": lambda path: changed(path, "ALTER TABLE items DROP COLUMN strata"),
    "no item": lambda path: changed(path, "DELETE FROM items"),
    "no unit": lambda path: changed(path, "DELETE FROM units"),
    "an earlier version": lambda path: changed(path, "PRAGMA user_version = 1"),
    "a negative version": lambda path: changed(path, "PRAGMA user_version = -1"),
    "broken schema": lambda path: changed(
        path, "PRAGMA writable_schema = ON", "UPDATE sqlite_master SET sql = 'CREATE TABLE units ('"
    ),
    "empty": lambda path: path.write_bytes(b""),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


def changed(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in statements:
            db.execute(statement)


@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_is_told_with_the_file(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
    DAMAGES[damage](path)
    for command in (info, lambda p: export(p, tmp_path / "out.csv")):
        with pytest.raises(LedgerError, match=r"l\.db: "):
            command(path)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("change", ["status = 'splendid'", "status = x'ff'", "value = 'much'"])
def test_a_verdict_that_is_none_is_told(tmp_path: Path, change: str) -> None:
    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
    changed(path, f"UPDATE verdicts SET {change}")
    with Ledger(path) as ledger:
        for read in (
            lambda: ledger.verdicts("i1", JUDGE.id),
            lambda: ledger.newest(JUDGE.id, [unit("i1", "30").id]),
        ):
            with pytest.raises(LedgerError, match=r"l\.db: is damaged"):
                read()


def test_a_cell_without_json_is_told_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
    changed(path, "UPDATE items SET data = '{'")
    with pytest.raises(LedgerError, match=r"l\.db: .*a cell holds no JSON"), Ledger(path) as ledger:
        ledger.newest_import()


def test_a_ledger_that_another_writes_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmark.ledger.opening._WAIT", 0.1)
    with Ledger(tmp_path / "l.db") as first, first.writing(), Ledger(tmp_path / "l.db") as second:
        with pytest.raises(LedgerError, match="another process has been writing it"):
            second.record(JUDGE, [ITEM], [], {})


WRITER = """
import sys
from factmark.ledger.ledger import Ledger
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
