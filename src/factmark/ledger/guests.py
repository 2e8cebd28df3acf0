"""Reading a ledger of another account's, or on a disk that takes no files: none is left there.

SQLite reads a ledger in WAL mode with two files beside it. Made by another account than the
owner's, they would shut the owner out. So a guest reads by the files that the owner's processes
have there, or else takes a copy into memory, and makes sure that nobody wrote meanwhile.
"""

from __future__ import annotations

import os
import sqlite3
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # no POSIX, and nobody is a guest
    fcntl = None  # type: ignore[assignment]

_TICK = 0.05  # seconds: two writes so far apart have different times on any file system
_PATIENCE = 20.0  # seconds of tries to read a file that is being written
_WAL = b"\x02"  # what the header says of how the file is written, at _MODE
_MODE = 18
_READERS = 0x40000002, 510  # the bytes of a database that its readers lock
_USERS = 128, 1  # the byte of the file `-shm` that all lock who use it
_LOCK = "hhqqi0q"  # the system's record of a lock
_BUSY = "is being written, and this account cannot lock it; try again later"
# A process that closes a file loses all its locks on it, SQLite's too: these stay open.
_FILES: dict[tuple[int, int], int] = {}

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
    file = _open_file(path)
    os.lseek(file, _MODE, os.SEEK_SET)
    if os.read(file, 1) != _WAL:
        return opened(connection, f"{_uri(path)}?mode=ro")  # locks need no file in this mode
    deadline = time.monotonic() + _PATIENCE
    while True:
        with _reader_lock(file) as is_locked:
            db = None
            if is_locked:
                db = _open_locked(path, connection)
        if db is not None:
            return db
        if time.monotonic() > deadline:
            raise sqlite3.OperationalError(_BUSY)
        time.sleep(_TICK)


def opened(connection: Open, address: str) -> sqlite3.Connection:
    """Opens a URI, and reads from it, so that what is wrong shows now."""
    db = connection(address, uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_master")
    except BaseException:
        db.close()
        raise
    return db


def _open_locked(path: Path, connection: Open) -> sqlite3.Connection | None:
    """Opens a file whose WAL nobody removes meanwhile; None where it was written in this moment."""
    with suppress(sqlite3.OperationalError, OSError):  # the files beside it are not to be read
        if _beside(path, "-wal").exists() and _is_in_use(_beside(path, "-shm")):
            return opened(connection, f"{_uri(path)}?mode=ro&readonly_shm=1")
    before = _state(path)
    time.sleep(_TICK)
    if before != _state(path):
        return None
    try:
        copy = _copied_now(path, connection)
    except sqlite3.DatabaseError:
        if before == _state(path):
            raise
        return None
    if before == _state(path):
        return copy
    copy.close()
    return None


def _open_file(path: Path) -> int:
    """Returns a handle of a file that stays open, the same for each reader of this process."""
    now = path.stat()
    key = now.st_dev, now.st_ino
    if key not in _FILES:
        _FILES[key] = os.open(path, os.O_RDONLY)
    return _FILES[key]


@contextmanager
def _reader_lock(file: int) -> Iterator[bool]:
    """Holds the lock of a reader on a file, so that its owner's last process leaves the WAL; yields
    whether it has the lock, which nobody gets while that process ends.

    Systems without locks of single handles get none: they may have a file made in that moment.
    """
    command = getattr(fcntl, "F_OFD_SETLK", None)
    if command is None:
        yield True
        return
    try:
        fcntl.fcntl(file, command, _lock(fcntl.F_RDLCK))
    except BlockingIOError:
        yield False
        return
    except OSError:  # a file system without locks
        yield True
        return
    try:
        yield True
    finally:  # by now SQLite has a lock of its own, or needs none
        fcntl.fcntl(file, command, _lock(fcntl.F_UNLCK))


def _is_in_use(shm: Path) -> bool:
    """Whether a process has a ledger open by this file, and so keeps to the locks in it. Of one
    that was killed the file stays, and tells nothing."""
    command = getattr(fcntl, "F_OFD_GETLK", None)
    if command is None or not shm.exists():
        return shm.exists()
    answer = fcntl.fcntl(_open_file(shm), command, _lock(fcntl.F_WRLCK, _USERS))
    return bool(struct.unpack(_LOCK, answer)[0] != fcntl.F_UNLCK)


def _lock(kind: int, place: tuple[int, int] = _READERS) -> bytes:
    """Returns the system's record of a lock on bytes of a file: where they begin, and how many."""
    return struct.pack(_LOCK, kind, os.SEEK_SET, *place, 0)


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
    if file.is_file():
        return file.stat().st_size
    return None


def _beside(path: Path, ending: str) -> Path:
    """Returns SQLite's file of that kind beside a ledger."""
    return Path(f"{path}{ending}")


def _uri(path: Path) -> str:
    """Returns a file's URI, to which SQLite's options are added."""
    return path.absolute().as_uri()
