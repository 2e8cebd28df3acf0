"""Opening a ledger's file: made, migrated, or brought to the newest schema in memory."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from factmark.errors import LedgerError
from factmark.ledger.guests import is_writable, open_as_guest, opened
from factmark.ledger.kept.earlier import keep_earlier
from factmark.ledger.migrations import is_ledger, is_newest, migrate
from factmark.ledger.packing import whole_data
from factmark.text.shell import quote_path

_MAGIC = frozenset("*?[")  # of patterns that name several ledgers: 'shards/*.db'
_WAIT = 20.0  # seconds to wait for another writer
_CACHE = 16_384  # KiB of pages in memory
_CHECKPOINT = 16_384  # pages in the file beside it that are brought home together: 64 MB


def is_pattern(path: Path) -> bool:
    """Whether a path is no file and names others, such as `shards/*.db`; a new ledger may be called
    `what?.db`, and a folder `what*`."""
    if path.exists() or not _MAGIC.intersection(str(path)):
        return False
    may_be_new = path.parent.exists() and "*" not in path.name
    return not may_be_new or bool(matches(path))


def matches(pattern: Path) -> list[Path]:
    """Returns the files that a pattern names, sorted."""
    root = Path(pattern.anchor)
    return sorted(root.glob(str(pattern.relative_to(root))))


def existing_ledger(path: Path) -> Path:
    """Returns the file of a ledger that must exist; of a folder of results the one in it.

    Raises:
        LedgerError: there is none.
    """
    if path.is_dir():
        path /= "ledger.db"
        if not path.is_file():
            raise LedgerError(f"{path.parent}: is a folder without ledger.db. Name the ledger.")
    if not path.is_file():
        raise LedgerError(
            f"{path}: there is no such ledger. `factmark run`, `factmark score`, `factmark graph` "
            "and `factmark annotate create` make one where --ledger or --out names it."
        )
    if not path.stat().st_size:
        raise LedgerError(f"{path}: is empty, and so no ledger. Name another file.")
    return path


def open_connection(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Opens a ledger; without `read_only` it is made where it is not there.

    Raises:
        LedgerError: the file cannot be opened, is no ledger, or belongs to a newer program; or the
            path names several, which nobody can write as one.
    """
    try:
        if read_only:
            return connect_to_read(path)
        if is_pattern(path):
            raise LedgerError(
                f"{path}: names several ledgers, and this command writes one. `factmark ledger "
                f"merge {quote_path(path)} --out all.db` makes one of them; name that."
            )
        return connect(path)
    except ValueError as error:
        raise LedgerError(
            f"{path}: written by a newer factmark ({error}). Upgrade factmark, or name another "
            "file."
        ) from error
    except (sqlite3.Error, OSError) as error:
        raise LedgerError(
            f"{path}: cannot be used as a ledger ({sqlite_reason(error, path)}). Name another file."
        ) from error


def connect(path: Path) -> sqlite3.Connection:
    """Opens a ledger or creates it; leaves any other file as it is.

    Raises:
        LedgerError: it is a file of another program.
        ValueError: it was written by a newer version of this one.
        sqlite3.Error, OSError: it cannot be opened, or is damaged.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and not os.access(path, os.W_OK):  # SQLite would still make files beside it
        raise PermissionError(_not_writable(path))
    db = _open(path)
    try:
        _check_ours(db, path)
        _use_wal(db)
        db.execute("PRAGMA synchronous = FULL")
        is_earlier = keep_earlier(db, path)
        migrate(db)
        if is_earlier:  # the tables of before have left their room
            with contextlib.suppress(sqlite3.Error):
                db.execute("VACUUM")
        db.execute("PRAGMA foreign_keys = ON")  # off while tables are made anew
        db.execute(f"PRAGMA cache_size = -{_CACHE}")
        db.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
    except BaseException:
        db.close()
        raise
    return db


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Opens a ledger that exists by a connection that cannot write; raises as `connect`.

    Where the file is this account's to write, SQLite takes the locks it needs, in files beside it.
    Anywhere else no file is made: it would be this account's, and keep the owner from writing.
    """
    db = _open_to_read(path)
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


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Opens a ledger as the account that owns it, or as a guest where SQLite can make no files."""
    if is_writable(path):
        try:
            return opened(_open, f"{path.absolute().as_uri()}?mode=rw")
        except sqlite3.OperationalError as error:
            if _is_busy(error) or not path.is_file():
                raise
    return open_as_guest(path, _open)


def _open(address: str | Path, *, uri: bool = False) -> sqlite3.Connection:
    """Opens a database with the function that the view of units calls."""
    # Without Python's own transactions: `Ledger.writing` begins and ends each one itself.
    db = sqlite3.connect(address, uri=uri, timeout=_WAIT, isolation_level=None)
    db.create_function("whole_data", 4, whole_data, deterministic=True)
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


def keep_private(path: Path) -> None:
    """Takes a ledger, and SQLite's files beside it, away from all accounts but their owner's: it
    holds names and addresses. Another account's file stays as it is: that one decides.
    """
    for ending in ("", "-wal", "-shm"):
        with contextlib.suppress(FileNotFoundError, PermissionError):
            Path(f"{path}{ending}").chmod(0o600)


def sqlite_reason(error: BaseException, path: Path) -> str:
    """Returns what SQLite could not do with a ledger, in words for the user."""
    if _is_busy(error):
        return f"another process has been writing it for {_WAIT:g} seconds; wait until it is done"
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return "the disk is full; what was kept before is safe"
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
        return _not_writable(path) or str(error)
    return getattr(error, "strerror", None) or str(error)


def _not_writable(path: Path) -> str:
    """Returns which of a ledger's files this account may not write, and whose it is; empty where
    it may write all."""
    beside = (Path(f"{path}{ending}") for ending in ("-wal", "-shm", "-journal"))
    for file in (path, *beside, path.parent):
        if not file.exists() or os.access(file, os.W_OK):
            continue
        words = f"this account may not write {file}, which belongs to {_owner_of(file)}"
        if file in (path, path.parent):
            return words
        # Readers of earlier versions left such files behind.
        return f"{words}; have them end what reads the ledger and delete that file if it is empty"
    return ""


def _owner_of(file: Path) -> str:
    """Returns the account that a file belongs to: its name, or its number where it has none."""
    try:
        return repr(file.owner())
    except (KeyError, NotImplementedError, OSError):
        return f"the account {file.stat().st_uid}"


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
