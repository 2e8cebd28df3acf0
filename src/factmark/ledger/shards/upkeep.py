"""A ledger checked, copied while it is in use, and made as small as it can be."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from factmark.errors import InputError, LedgerError
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.opening import keep_private, sqlite_reason


def check_ledger(path: Path) -> list[str]:
    """Returns what is wrong with a ledger, a sentence each; nothing where it is whole. Reads all of
    it."""
    with open_existing(path, read_only=True) as ledger:
        problems = []
        for (text,) in ledger.rows("PRAGMA integrity_check"):
            if text != "ok":
                problems.append(text)
        for table, number, parent, _ in ledger.rows("PRAGMA foreign_key_check"):
            problems.append(f"row {number} of {table} names one of {parent} that is not there")
    return problems


def back_up(path: Path, out: Path) -> int:
    """Copies a ledger, as it is at this moment, to a new file; returns its bytes. Who writes the
    ledger meanwhile goes on.

    Raises:
        InputError: there is such a file.
        LedgerError: the ledger cannot be read, or the copy not be written.
    """
    if out.exists():
        raise InputError(f"--out {out}: is there already. Name a new file.")
    begun = out.with_name(f"{out.name}.begun")  # one that was cut short is no ledger
    begun.unlink(missing_ok=True)
    with open_existing(path, read_only=True) as ledger:
        try:
            copy_to(ledger, begun)
        except sqlite3.Error as error:
            begun.unlink(missing_ok=True)
            reason = sqlite_reason(error, out)
            raise LedgerError(f"{out}: the copy cannot be written ({reason}).") from error
    keep_private(begun)
    begun.replace(out)
    return out.stat().st_size


def copy_to(ledger: Ledger, out: Path) -> None:
    """Copies a ledger that is open to a new file, as it is at this moment."""
    ledger.connection.execute("PRAGMA query_only = OFF")  # else nothing can be written anywhere
    try:
        ledger.connection.execute("VACUUM INTO ?", (str(out),))
    finally:
        ledger.connection.execute("PRAGMA query_only = ON")


def compact(path: Path) -> tuple[int, int]:
    """Writes a ledger anew without the room that nothing takes; returns its bytes before and after.

    Raises:
        LedgerError: it cannot be written, or another process uses it.
    """
    with open_existing(path) as ledger:
        before = ledger.path.stat().st_size
        try:
            ledger.connection.execute("VACUUM")
            ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error as error:
            reason = sqlite_reason(error, ledger.path)
            raise LedgerError(f"{ledger.path}: cannot be written anew ({reason}).") from error
        return before, ledger.path.stat().st_size
