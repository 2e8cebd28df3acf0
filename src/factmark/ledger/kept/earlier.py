"""Ledgers of before rows referred to each other by numbers: kept as they are, beside the new one.

The file that the user names becomes the new one. Its content of before stays in a file beside it,
so that an earlier factmark can still read it.
"""

from __future__ import annotations

import logging
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from factmark.errors import LedgerError
from factmark.ledger.migrations import KEYED, schema_of

_LOG = logging.getLogger("factmark.ledger")
_ROOM = 3  # times the ledger's size: the copy, the new tables, and what SQLite puts aside


def keep_earlier(db: sqlite3.Connection, path: Path) -> bool:
    """Copies an earlier ledger that is going to be migrated, once, to a file beside it; returns
    whether it is one.

    Nobody writes to it meanwhile. The user is told by a warning of the log `factmark.ledger`.

    Raises:
        LedgerError: the disk has not enough room for it; nothing was changed.
        sqlite3.Error, OSError: it cannot be copied; nothing was changed.
    """
    if not _is_earlier(db):
        return False
    db.execute("BEGIN IMMEDIATE")
    try:
        if _is_earlier(db):  # else another process was faster
            _copy(path, schema_of(db))
    finally:
        db.execute("ROLLBACK")
    return True


def _is_earlier(db: sqlite3.Connection) -> bool:
    """Whether it is a ledger of before, with something in it."""
    if not 0 < schema_of(db) <= KEYED:
        return False
    return db.execute("SELECT 1 FROM items LIMIT 1").fetchone() is not None


def _copy(path: Path, schema: int) -> None:
    """Copies a ledger to the file beside it; one of that name stays."""
    size = sum(file.stat().st_size for file in (path, Path(f"{path}-wal")) if file.exists())
    free = shutil.disk_usage(path.parent).free
    if free < _ROOM * size:
        raise LedgerError(
            f"{path}: is of an earlier factmark, and to bring it to the newest form takes "
            f"{_ROOM * size / 1e6:,.0f} MB of disk, of which {free / 1e6:,.0f} MB are free. Make "
            "room, or copy it to another disk. Nothing was changed."
        )
    kept = path.with_name(f"{path.stem}.schema-{schema}{path.suffix}")
    if kept.exists():
        raise LedgerError(
            f"{path}: is of an earlier factmark and is brought to the newest form once its content "
            f"stands in {kept.name}, but such a file is there. Move it elsewhere."
        )
    part = kept.with_name(f"{kept.name}.part")
    try:
        with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
            part.chmod(path.stat().st_mode & 0o777)
            source.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        part.replace(kept)
    finally:
        part.unlink(missing_ok=True)
    _LOG.warning("%s: brought to the newest form; as it was it stands in %s", path, kept.name)
