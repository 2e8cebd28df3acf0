"""Reading a ledger of another account's, or on a disk that takes no files: none is left there.

SQLite reads a ledger in WAL mode with two files beside it. Made by another account than the
owner's, they would shut the owner out. So a guest reads by the files that the owner's processes
have there, or else takes a copy into memory, and makes sure that nobody wrote meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

_TICK = 0.05  # seconds: two writes so far apart have different times on any file system
_PATIENCE = 20.0  # seconds of tries to copy a file that is being written
_WAL = b"\x02"  # what the header says of how the file is written, at _MODE
_MODE = 18
_CANNOT_WAIT = "is being written, and this account cannot lock it; try again later"

Open = Callable[..., sqlite3.Connection]


def is_writable(path: Path) -> bool:
    """Whether a file and its folder are this account's to write, and files made there do no harm.

    The administrator may write everything; files that it makes are still not the owner's.
    """
    if os.name != "posix" or not path.is_file():
        return True
    writable = os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
    return writable and path.stat().st_uid == os.geteuid()


def open_as_guest(path: Path, connection: Open) -> sqlite3.Connection:
    """Opens a ledger to read; no file is made.

    Args:
        connection: opens an address, with `uri=True` a URI.

    Raises:
        sqlite3.Error, OSError: it cannot be read, or is being written all the time.
    """
    with path.open("rb") as file:
        head = file.read(_MODE + 1)
    if head[_MODE:] != _WAL:
        return opened(connection, f"{_uri(path)}?mode=ro")  # locks need no file in this mode
    if _beside(path, "-shm").exists() and _size(_beside(path, "-wal")) is not None:
        shared = _open_with_owner(path, connection)
        if shared is not None:
            return shared
    return _copied(path, connection)


def _open_with_owner(path: Path, connection: Open) -> sqlite3.Connection | None:
    """Opens a ledger by the files that its owner's processes use; None where they are gone."""
    wal = _beside(path, "-wal")
    before = _stat(wal)
    try:
        db = opened(connection, f"{_uri(path)}?mode=ro&readonly_shm=1")
    except sqlite3.OperationalError:
        return None
    # The owner may have ended this moment, and SQLite have made the file that was gone.
    now = _stat(wal)
    if now and before and now[1] != before[1] and now[2] == 0:
        if wal.stat().st_uid == os.geteuid() != path.stat().st_uid:
            db.close()
            wal.unlink(missing_ok=True)
            return None
    return db


def _copied(path: Path, connection: Open) -> sqlite3.Connection:
    """Returns a copy in memory, with all that is committed, of a file at which nobody wrote
    meanwhile."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        before = _state(path)
        time.sleep(_TICK)
        if before == _state(path):
            try:
                copy = _copied_now(path, connection)
            except sqlite3.DatabaseError:
                if before == _state(path):
                    raise
            else:
                if before == _state(path):
                    return copy
                copy.close()
        if time.monotonic() > deadline:
            raise sqlite3.OperationalError(_CANNOT_WAIT)


def _copied_now(path: Path, connection: Open) -> sqlite3.Connection:
    """Returns what the file and its WAL hold now, as a database in memory."""
    if _size(_beside(path, "-wal")):
        # No locks, and so no file for them: SQLite keeps the WAL's index in memory.
        db = connection(f"{_uri(path)}?mode=ro&vfs=unix-none", uri=True)
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
    else:
        db = connection(f"{_uri(path)}?immutable=1", uri=True)
    copy = connection(":memory:")
    try:
        with closing(db):
            db.backup(copy)
        # A copy in memory that says it has a WAL could not be opened.
        copy.execute("SELECT count(*) FROM sqlite_master")
    except BaseException:
        copy.close()
        raise
    return copy


def opened(connection: Open, address: str) -> sqlite3.Connection:
    """Opens a URI, and reads from it, so that what is wrong shows now."""
    db = connection(address, uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_master")
    except BaseException:
        db.close()
        raise
    return db


def _state(path: Path) -> tuple[object, ...]:
    """Returns what changes whenever somebody writes the file or its WAL."""
    files = (path, _beside(path, "-wal"))
    return tuple(_stat(file) for file in files)


def _stat(file: Path) -> tuple[int, ...] | None:
    """Returns which file it is, its size and when it was written; None where there is none."""
    try:
        now = file.stat()
    except FileNotFoundError:
        return None
    return now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns


def _size(file: Path) -> int | None:
    """Returns a file's size; None where there is none."""
    return file.stat().st_size if file.is_file() else None


def _beside(path: Path, ending: str) -> Path:
    """Returns SQLite's file of that kind beside a ledger."""
    return Path(f"{path}{ending}")


def _uri(path: Path) -> str:
    """Returns a file's URI, to which SQLite's options are added."""
    return path.absolute().as_uri()
