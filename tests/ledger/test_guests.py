"""A colleague reads a ledger on a shared folder: all of it, and leaves nothing behind."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from accounts import COLLEAGUE, OWNER, as_root, by, owners, shared_folder
from factmark.errors import LedgerError
from factmark.ledger import guests
from factmark.ledger.ledger import Ledger
from factmark.model import Item
from shell import kept_ledger, run


def add(path: Path, *names: str) -> Ledger:
    """Adds items to a ledger, and leaves it open."""
    ledger = Ledger(path)
    with ledger.writing():
        for name in names:
            ledger.add_new_item(Item(id=name, cluster="c", strata={}, data={}))
    return ledger


LEFT_OPEN: list[Ledger] = []


def add_and_stay(path: Path, *names: str) -> None:
    """Adds items to a ledger, which stays open until the process ends."""
    LEFT_OPEN.append(add(path, *names))


def held(path: Path) -> list[str]:
    """The items of a ledger, as a reader finds them."""
    with Ledger(path, read_only=True) as ledger:
        return [name for (name,) in ledger.rows("SELECT id FROM items ORDER BY id")]


@pytest.fixture(params=[0o755, 0o777], ids=["closed folder", "open folder"])
def path(request: pytest.FixtureRequest) -> Iterator[Path]:
    with shared_folder(request.param) as folder:
        yield folder / "l.db"


@as_root
def test_a_colleague_reads_what_was_committed_and_the_owner_writes_on(path: Path) -> None:
    by(OWNER, lambda: add(path, "a").close())
    assert by(COLLEAGUE, partial(held, path)) == ["a"]
    assert owners(path.parent) == {"l.db": OWNER}
    by(OWNER, partial(add_and_stay, path, "b"), killed=True)  # committed, and in the WAL alone
    assert by(COLLEAGUE, partial(held, path)) == ["a", "b"]
    Path(f"{path}-shm").unlink()  # as in a copy of the ledger and its WAL
    assert by(COLLEAGUE, partial(held, path)) == ["a", "b"]
    assert owners(path.parent) == {"l.db": OWNER, "l.db-wal": OWNER}
    by(OWNER, lambda: add(path, "c").close())
    assert by(COLLEAGUE, partial(held, path)) == ["a", "b", "c"]
    assert owners(path.parent) == {"l.db": OWNER}


@as_root
def test_a_colleague_reads_while_the_owner_writes(path: Path) -> None:
    by(OWNER, lambda: add(path, "a").close())
    reads, done = [], threading.Event()

    def read() -> None:
        while not done.is_set():
            reads.append(by(COLLEAGUE, partial(held, path)))

    reader = threading.Thread(target=read)
    reader.start()
    by(OWNER, lambda: [add(path, f"b{n:02}").close() for n in range(40)] and None)
    while len(reads) < 3:
        time.sleep(0.01)
    done.set()
    reader.join()
    full = ["a", *(f"b{n:02}" for n in range(40))]
    assert all(names == full[: len(names)] for names in reads), reads
    assert by(COLLEAGUE, partial(held, path)) == full
    assert set(owners(path.parent).values()) == {OWNER}


@as_root
def test_a_colleague_reads_a_ledger_of_an_earlier_version(path: Path) -> None:
    os.chown(kept_ledger("scored", path), OWNER, OWNER)
    path.chmod(0o644)
    before = path.read_bytes()
    assert len(by(COLLEAGUE, partial(held, path))) > 1
    assert (owners(path.parent), path.read_bytes()) == ({"l.db": OWNER}, before)


@as_root
def test_a_ledger_that_is_its_owners_alone_is_told(path: Path) -> None:
    by(OWNER, lambda: add(path, "a").close())
    path.chmod(0o600)
    told = by(COLLEAGUE, partial(held, path))
    assert told.startswith("LedgerError"), told
    assert "(Permission denied)" in told


@as_root
def test_the_administrator_leaves_no_files_of_root(path: Path) -> None:
    by(OWNER, lambda: add(path, "a").close())
    assert held(path) == ["a"]
    assert owners(path.parent) == {"l.db": OWNER}


@as_root
def test_commands_that_read_leave_the_owner_able_to_write(path: Path) -> None:
    by(OWNER, lambda: add(path, "a").close())
    run("ledger", "info", path)  # imports what the fork needs
    by(OWNER, partial(add_and_stay, path, "b"), killed=True)
    done = by(COLLEAGUE, lambda: vars(run("ledger", "info", path, "--json")))
    assert (done["returncode"], json.loads(done["stdout"])["details"]["rows"]["items"]) == (0, 2), (
        done
    )
    assert by(OWNER, lambda: add(path, "c").close()) is None
    assert owners(path.parent) == {"l.db": OWNER}


@as_root
@pytest.mark.parametrize("ending", ["", "-shm"])
def test_a_file_of_somebody_else_is_named_with_its_owner(path: Path, ending: str) -> None:
    by(OWNER, partial(add_and_stay, path, "a"), killed=True)
    foreign = Path(f"{path}{ending}")
    os.chown(foreign, COLLEAGUE, COLLEAGUE)  # as readers of earlier versions left it
    told = by(OWNER, lambda: add(path, "b").close())
    assert told.startswith("LedgerError"), told
    assert f"may not write {foreign}, which belongs to the account {COLLEAGUE}" in told


@pytest.mark.skipif(os.name != "posix", reason="accounts of POSIX")
def test_a_copy_is_taken_again_where_somebody_wrote_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "l.db"
    add(path, "a").close()
    monkeypatch.setattr("factmark.ledger.opening.is_writable", lambda _: False)
    names = iter("b")
    copied = guests._copied_now

    def meanwhile(path: Path, connection: guests.Open) -> sqlite3.Connection:
        copy = copied(path, connection)
        if name := next(names, ""):
            add(path, name).close()
        return copy

    monkeypatch.setattr(guests, "_copied_now", meanwhile)
    assert held(path) == ["a", "b"]


@pytest.mark.skipif(os.name != "posix", reason="accounts of POSIX")
def test_a_file_that_is_never_at_rest_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "l.db"
    add(path, "a").close()
    monkeypatch.setattr("factmark.ledger.opening.is_writable", lambda _: False)
    monkeypatch.setattr(guests, "_PATIENCE", 0.2)
    monkeypatch.setattr(guests, "_state", lambda _: time.perf_counter())
    with pytest.raises(LedgerError, match="is being written"):
        held(path)


@pytest.mark.skipif(os.name != "posix", reason="accounts of POSIX")
@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_guest_cannot_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
    path = tmp_path / "l.db"
    add(path, "a").close()
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA journal_mode = {mode}")
    monkeypatch.setattr("factmark.ledger.opening.is_writable", lambda _: False)
    with Ledger(path, read_only=True) as ledger, pytest.raises(LedgerError, match="cannot be"):
        ledger.try_to_write()
    assert [file.name for file in tmp_path.iterdir()] == ["l.db"]


Damage = Callable[[Path], object]
DAMAGES: dict[str, Damage] = {
    "cut off": lambda path: path.write_bytes(path.read_bytes()[:9_000]),
    "no database": lambda path: path.write_bytes(b"none, but long enough to be read as one" * 30),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.skipif(os.name != "posix", reason="accounts of POSIX")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_told_to_guests_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: Damage
) -> None:
    path = tmp_path / "l.db"
    add(path, "a").close()
    damage(path)
    monkeypatch.setattr("factmark.ledger.opening.is_writable", lambda _: False)
    with pytest.raises(LedgerError, match=r"l\.db"):
        held(path)


@pytest.mark.skipif(not hasattr(fcntl, "F_OFD_SETLK"), reason="no locks of single handles")
def test_a_wal_stays_while_a_guest_looks_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Were it gone, SQLite would make another, of the guest's account."""
    path = tmp_path / "l.db"
    owner = add(path, "a")
    wal = Path(f"{path}-wal").stat().st_ino
    monkeypatch.setattr("factmark.ledger.opening.is_writable", lambda _: False)
    looked = guests._open_locked

    def ending(path: Path, connection: guests.Open) -> sqlite3.Connection | None:
        owner.close()
        return looked(path, connection)

    monkeypatch.setattr(guests, "_open_locked", ending)
    assert held(path) == ["a"]
    assert Path(f"{path}-wal").stat().st_ino == wal
