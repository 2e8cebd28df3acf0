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
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.migrations import APPLICATION_ID, MIGRATIONS
from factmark.model import Item, Judge, Unit, Verdict, content_hash

JUDGE = Judge.create("rule", "test", version="1")


def test_a_folder_of_results_stands_for_the_ledger_in_it(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"is a folder without ledger\.db"):
        open_existing(tmp_path)
    Ledger(tmp_path / "ledger.db").close()
    with open_existing(tmp_path) as ledger:
        assert ledger.path == tmp_path / "ledger.db"
    assert info(tmp_path)["bytes"] == (tmp_path / "ledger.db").stat().st_size


def row(item: str, text: str, label: str) -> tuple[Unit, Verdict]:
    unit = Unit(id=content_hash(item, text), item=item, kind="fact", text=text)
    return unit, Verdict(unit=unit.id, judge=JUDGE.id, label=label, value=1.0)


ITEM = Item(id="i1", cluster="q1", strata={"category": "c"}, data={"text": "é", "tools": ["a"]})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Of a ledger with one verdict."""
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {"benchmark": "b"})
    return tmp_path / "l.db"


def test_a_failing_run_leaves_nothing(tmp_path: Path) -> None:
    def rows():
        yield row("i1", "30", "grounded")
        raise RuntimeError("killed")

    with Ledger(tmp_path / "l.db") as ledger:
        with pytest.raises(RuntimeError):
            ledger.record(JUDGE, [ITEM], rows(), {})
        assert set(ledger.counts().values()) == {0}


def test_a_step_within_another_is_kept_with_it_or_not_at_all(path: Path) -> None:
    def steps(ledger: Ledger, then: str) -> None:
        with ledger.writing() as db:
            ledger.record(JUDGE, [ITEM], [row("i1", "31", "grounded")], {})
            db.execute(then)

    with Ledger(path) as ledger:
        with pytest.raises(LedgerError):
            steps(ledger, "INSERT INTO items (id) VALUES ('x')")
        assert ledger.counts()["verdicts"] == 1
        steps(ledger, "SELECT 1")
        assert ledger.counts()["verdicts"] == 2


def test_unit_of_an_unknown_item_is_refused(tmp_path: Path) -> None:
    with (
        Ledger(tmp_path / "l.db") as ledger,
        pytest.raises(LedgerError, match=r"Nothing of this step was kept"),
    ):
        ledger.record(JUDGE, [], [row("nowhere", "30", "grounded")], {})


def test_ledger_of_a_newer_program_is_left_alone(path: Path) -> None:
    changed(path, "PRAGMA user_version = 999")
    with pytest.raises(LedgerError, match="newer factmark"):
        Ledger(path)


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize(
    "setup",
    [
        "CREATE TABLE mine (a)",
        "PRAGMA application_id = 7",
        "CREATE TABLE items (a); PRAGMA user_version = 1",
    ],
)
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


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_an_earlier_ledger_is_ours_and_loses_nothing(tmp_path: Path, version: int) -> None:
    """Such as a program made before there was an application id."""
    path = tmp_path / "l.db"
    with closing(sqlite3.connect(path)) as db:
        for statements in MIGRATIONS[:version]:
            db.executescript(";".join(statements))
        db.execute(f"PRAGMA user_version = {version}")
        db.execute("INSERT INTO items VALUES ('i1', 'q1', '{}', '{\"source\": \"Kept.\"}')")
        db.commit()
    before = path.read_bytes()
    with Ledger(path, read_only=True) as ledger:
        assert ledger.counts()["items"] == 1
    assert path.read_bytes() == before
    with Ledger(path) as ledger:
        with ledger.writing():
            ledger.add_new_item(ITEM)
        ledger.record(JUDGE, [], [row("i1", "30", "grounded")], {})
        assert ledger.rows("SELECT data FROM items").fetchall() == [('{"source": "Kept."}',)]
        assert ledger.rows("PRAGMA application_id").fetchone() == (APPLICATION_ID,)


def test_read_only_reads_and_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "a %?#.db"
    with Ledger(path) as ledger:
        ledger.record(JUDGE, [ITEM], [row("i1", "30", "grounded")], {})
        with Ledger(path, read_only=True) as reader:  # while another has it open
            assert reader.counts()["verdicts"] == 1
    with Ledger(path, read_only=True) as ledger:
        assert ledger.verdicts("i1", JUDGE.id) == [row("i1", "30", "grounded")]
        with pytest.raises(LedgerError, match="cannot be written"):
            ledger.record(JUDGE, [ITEM], [], {})
    with pytest.raises(LedgerError, match="cannot be used"):
        Ledger(tmp_path / "nowhere.db", read_only=True)
    assert list(tmp_path.iterdir()) == [path]


def test_a_place_without_lock_files_is_read(path: Path) -> None:
    """As on a read-only disk, where SQLite opens no file of its own beside the ledger."""
    Path(f"{path}-wal").mkdir()  # cannot be opened as a file, whoever the user is
    Path(f"{path}-shm").mkdir()
    with Ledger(path, read_only=True) as ledger:
        assert ledger.counts()["verdicts"] == 1


DAMAGES = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:9_000]),
    "no database": lambda path: path.write_bytes(b"none, but long enough to be read as one" * 30),
    "no table": lambda path: changed(path, "DROP TABLE kept_verdicts"),
    "no column": lambda path: changed(path, "ALTER TABLE judges DROP COLUMN name"),
    "no item": lambda path: changed(path, "DELETE FROM items"),
    "no unit": lambda path: changed(path, "DELETE FROM kept_units"),
    "an earlier version": lambda path: changed(path, "PRAGMA user_version = 1"),
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
def test_damage_is_told_with_the_file(path: Path, damage: str) -> None:
    DAMAGES[damage](path)
    target = path.parent / "out.csv"
    for command in (info, lambda damaged: export(damaged, target)):
        with pytest.raises(LedgerError, match=r"l\.db: "):
            command(path)
    assert not target.exists()


@pytest.mark.parametrize("change", ["status = 'splendid'", "status = x'ff'", "value = 'much'"])
def test_a_verdict_that_is_none_is_told(path: Path, change: str) -> None:
    changed(path, f"UPDATE verdicts SET {change}")
    with Ledger(path) as ledger, pytest.raises(LedgerError, match=r"l\.db: is damaged"):
        ledger.verdicts("i1", JUDGE.id)


def test_a_cell_without_json_is_told_with_the_file(path: Path) -> None:
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
            "items": 80,
            "units": 80,
            "judges": 2,
            "calls": 0,
            "verdicts": 80,
            "imports": 80,
        }


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts, unique=True, max_size=6), st.dictionaries(texts, texts, max_size=3))
def test_what_is_recorded_is_read_back_and_the_newest_verdict_counts(
    tmp_path: Path, facts: list[str], strata: dict[str, str]
) -> None:
    name = content_hash(facts, strata)
    item = Item(id=name, cluster=name, strata=strata, data={"facts": facts})
    rows = [row(name, fact, "grounded") for fact in facts]
    with Ledger(tmp_path / "new" / "l.db") as ledger:
        if facts:
            ledger.record(JUDGE, [item], [row(name, facts[0], "ungrounded")], {})
        number = ledger.record(JUDGE, [item], rows, {"benchmark": "b"})
        run = ledger.newest_import()
        assert run is not None
        assert (run.number, run.judge) == (number, JUDGE)
        assert (run.items, run.data) == ((item,), {"benchmark": "b"})
        newest = ledger.verdicts(name, JUDGE.id)
        assert sorted(map(str, newest)) == sorted(map(str, rows))  # one of each unit
        before = ledger.counts()["verdicts"]
        ledger.record(JUDGE, [item], rows, {})
        assert ledger.counts()["verdicts"] == before  # the repeat says nothing new
