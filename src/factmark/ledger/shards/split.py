"""One ledger as several, a file for each part of a study; merged they are that ledger again."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

from factmark.errors import InputError, LedgerError
from factmark.files.shards import part_of
from factmark.files.temporary import temporary_folder
from factmark.ledger.ledger import Ledger, json_cell, open_existing
from factmark.ledger.opening import keep_private, sqlite_reason
from factmark.ledger.shards.upkeep import copy_to

# Units of other parts, what hangs on them, and what then belongs to nobody here. Calls that no
# verdict names, such as those that split a response, stay in every part, since merging makes them
# one again. So do the items of runs.
_AWAY = (
    "CREATE TEMP TABLE away AS SELECT number, item FROM main.kept_units WHERE NOT stays(number)",
    """CREATE TEMP TABLE calls_away AS SELECT DISTINCT call FROM main.kept_verdicts
        WHERE call IS NOT NULL AND unit IN (SELECT number FROM away)""",
    "DELETE FROM main.kept_verdicts WHERE unit IN (SELECT number FROM away)",
    "DELETE FROM main.kept_rows WHERE unit IN (SELECT number FROM away)",
    "DELETE FROM main.kept_units WHERE number IN (SELECT number FROM away)",
    """DELETE FROM main.calls WHERE key IN (SELECT call FROM calls_away EXCEPT
        SELECT call FROM main.kept_verdicts)""",
    """DELETE FROM main.items WHERE id IN (SELECT item FROM away EXCEPT
        SELECT item FROM main.kept_units EXCEPT SELECT item FROM main.import_items)""",
    """DELETE FROM main.passages WHERE number NOT IN (
        SELECT passage FROM main.kept_units WHERE passage IS NOT NULL)""",
    "DELETE FROM main.user_files",  # a digest stands for all rows of a file
)
_FIRST_ALONE = "DELETE FROM main.spends"  # a run counts once
_BY_PASSAGE = ("pair", "claim")  # kinds of units that are read with their passage


def split_ledger(
    path: Path, count: int, folder: Path, *, step: Callable[[], None] = lambda: None
) -> list[Path]:
    """Divides a ledger into those of `count` parts, as `--shard` divides a study; returns them.

    Args:
        folder: gets `1-of-4.db` and so on.
        step: called after each.

    Raises:
        InputError: such a file is there already.
        LedgerError: the ledger cannot be read, has a campaign, whose people and ratings belong
            together, or the parts cannot be written.
    """
    names = [folder / f"{number}-of-{count}.db" for number in range(1, count + 1)]
    for name in names:
        if name.exists():
            raise InputError(f"--out {folder}: holds {name.name} already. Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (
            temporary_folder(beside=folder) as work,
            open_existing(path, read_only=True) as ledger,
        ):
            if ledger.rows("SELECT 1 FROM campaigns LIMIT 1").fetchone() is not None:
                raise LedgerError(
                    f"{path}: has a campaign, whose ratings belong together. A part of `annotate "
                    "judge` works on a copy of it: `factmark ledger backup`."
                )
            parts = _parts_of_units(ledger, count)
            source = work / f"1-{count}.db"
            copy_to(ledger, source)
            for number, part in _divided(source, (1, count), parts):
                part.replace(names[number - 1])
                keep_private(names[number - 1])
                step()
    except sqlite3.Error as error:
        raise LedgerError(
            f"{folder}: the parts cannot be written ({sqlite_reason(error, folder)})."
        ) from error
    return names


def _parts_of_units(ledger: Ledger, count: int) -> dict[int, int]:
    """Returns number of a unit -> the number of its part."""
    query = "SELECT unit_number, id, kind, text, data FROM whole_units"
    return {
        number: part_of(_group(unit, kind, text, data), count)
        for number, unit, kind, text, data in ledger.rows(query)
    }


def _group(unit: str, kind: str, text: str, data: str) -> str:
    """Returns what a unit is divided by: its passage, where it is read with it; a claim without
    one by its text."""
    if kind not in _BY_PASSAGE:
        return unit
    passage = json_cell(data).get("passage")
    if isinstance(passage, str) and (passage or kind == "pair"):
        return passage
    if kind == "claim":
        return text
    return unit


def _divided(
    source: Path, span: tuple[int, int], parts: dict[int, int]
) -> Iterator[tuple[int, Path]]:
    """Yields each part of a span with its ledger. By halves: a ledger is copied as often as its
    parts can be halved, and not once for each."""
    first, last = span
    if first == last:
        yield first, source
        return
    middle = (first + last) // 2
    for low, high in ((first, middle), (middle + 1, last)):
        half = source.with_name(f"{low}-{high}.db")
        with open_existing(source, read_only=True) as ledger:
            copy_to(ledger, half)
        _leave(half, range(low, high + 1), parts, is_first=low == first)
        yield from _divided(half, (low, high), parts)
    source.unlink()


def _leave(path: Path, span: range, parts: dict[int, int], *, is_first: bool) -> None:
    """Leaves in a ledger what belongs to the parts of a span."""

    def stays(number: int) -> bool:
        return parts[number] in span

    with Ledger(path) as ledger:
        db = ledger.connection
        db.create_function("stays", 1, stays, deterministic=True)
        db.execute("PRAGMA foreign_keys = OFF")  # each reference would be looked for
        with ledger.writing():
            for statement in _AWAY:
                db.execute(statement)
            if not is_first:
                db.execute(_FIRST_ALONE)
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
