"""Opening a ledger's file: made, migrated, or brought to the newest schema in memory."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from factmark.errors import LedgerError
from factmark.ledger.migrations import is_ledger, is_newest, migrate
from factmark.ledger.packing import with_passage

_WAIT = 20.0  # seconds to wait for another writer


def connect(path: Path) -> sqlite3.Connection:
    """Opens a ledger or creates it; leaves any other file as it is.

    Raises:
        LedgerError: it is a file of another program.
        ValueError: it was written by a newer version of this one.
        sqlite3.Error, OSError: it cannot be opened, or is damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    db = _open(path)
    try:
        _check_ours(db, path)
        _use_wal(db)
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
        migrate(db)
    except BaseException:
        db.close()
        raise
    return db


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Opens a ledger that exists by a connection that cannot write; raises as `connect`."""
    try:
        db = _connect(path, "mode=rw")  # SQLite takes what it may have, and tidies up at the end
    except sqlite3.OperationalError as error:
        wal = Path(f"{path}-wal")
        if _is_busy(error) or not path.is_file() or (wal.is_file() and wal.stat().st_size):
            raise
        db = _connect(path, "immutable=1")  # a disk where SQLite can make no lock files
    try:
        _check_ours(db, path)
        if not is_newest(db):  # a copy in memory gets the newest schema
            with closing(db) as old:
                db = _open(":memory:")
                old.backup(db)
            migrate(db)
        db.execute("PRAGMA query_only = ON")
    except BaseException:
        db.close()
        raise
    return db


def _connect(path: Path, how: str) -> sqlite3.Connection:
    """Opens a database by SQLite's URI options in `how`, and reads from it, so that damage shows
    now.
    """
    address = f"{path.absolute().as_uri()}?{how}"
    db = _open(address, uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_master")
    except BaseException:
        db.close()
        raise
    return db


def _open(address: str | Path, *, uri: bool = False) -> sqlite3.Connection:
    """Opens a database with the function that the view of units calls."""
    # Without Python's own transactions: `Ledger.writing` begins and ends each one itself.
    db = sqlite3.connect(address, uri=uri, timeout=_WAIT, isolation_level=None)
    db.create_function("with_passage", 2, with_passage, deterministic=True)
    return db


def _check_ours(db: sqlite3.Connection, path: Path) -> None:
    """Raises LedgerError for a database of another program."""
    if not is_ledger(db):
        raise LedgerError(
            f"{path}: is an SQLite file of another program, and was left as it is. Name another "
            "file."
        )


def _is_busy(error: BaseException) -> bool:
    """Whether an error means that another process is writing."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def sqlite_reason(error: BaseException) -> str:
    """Returns what SQLite could not do, in words for the user."""
    if _is_busy(error):
        return f"another process has been writing it for {_WAIT:g} seconds; wait until it is done"
    if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:
        return "the disk is full; what was kept before is safe"
    return str(error)


def _use_wal(db: sqlite3.Connection) -> None:
    """Switches to WAL, and waits where two processes create one file: here SQLite does not."""
    deadline = time.monotonic() + _WAIT
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
