"""The ledger: one SQLite file per study that keeps what was judged, by whom, and what they said.

Verdicts are append-only; the newest per unit and judge counts. Two processes may write one ledger:
SQLite lets one in at a time (WAL mode), the other waits.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar, get_args
from uuid import uuid4

from factmark.errors import LedgerError
from factmark.files.text_files import without_surrogates
from factmark.ledger.kept.adding import add_items, add_units, add_verdicts, numbers_of_units
from factmark.ledger.opening import existing_ledger, is_pattern, open_connection, sqlite_reason
from factmark.model import Item, Judge, Status, Unit, Verdict
from factmark.redaction import any_secrets, redacted

Record = TypeVar("Record")
_STATUSES = get_args(Status)
_JSON = frozenset({"calls", "data", "parameters", "settings", "strata"})  # cells that hold JSON
_HASHES = frozenset({"call", "id", "judge", "key", "passage", "unit"})
VERDICT = "v.unit, v.judge, v.status, v.label, v.value, v.reason, v.call"
"""The columns of a verdict, in the order of its fields."""
UNIT = "u.id, u.item, u.kind, u.text, u.data"
"""Those of a unit, of the view `whole_units`."""
_REASON = "ifnull(r.text, v.reason)"
_MOST_SCANNED = 10  # verdicts that are read for each unit, where looking units up takes longer
_BLOCK = 20_000  # units that are looked up together
_OF_UNITS = "json_each(:units) u CROSS JOIN kept_verdicts v ON v.unit = u.value"
_COPY = "Take a copy of the ledger or start a new one."


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """One batch of items that a judge went through: a command that was run.

    Attributes:
        number: counts up with every import.
        items: the items of the batch in their order.
        data: what the command was given and what it told, as JSON values.
        time: when, in UTC, as ISO 8601.
    """

    number: int
    judge: Judge
    items: tuple[Item, ...]
    data: Mapping[str, Any]
    time: str


class Ledger:
    """An open ledger; use it as a context manager.

    Args:
        path: the file; it is made, with its folder, if it is not there.
        read_only: nothing is written: a file that is not there is an error, and one of an earlier
            version is brought to the newest schema in memory. Works on a read-only disk.

    Raises:
        LedgerError: if the file cannot be opened, is no ledger, or belongs to a newer program; and
            when the block ends, for what SQLite could not read or write in it.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(path)
        self.connection = open_connection(self.path, read_only=read_only)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if isinstance(error, sqlite3.Error):
            raise LedgerError(
                f"{self.path}: cannot be read ({sqlite_reason(error, self.path)}). If it is "
                "damaged, take a copy of it or start a new one."
            ) from error

    def close(self) -> None:
        """Closes the file; the ledger cannot be used afterwards."""
        self.connection.close()

    def rows(self, query: str, *values: object) -> sqlite3.Cursor:
        """Runs a SELECT with these values and returns its cursor."""
        return self.connection.execute(query, values)

    def record(
        self,
        judge: Judge,
        items: Sequence[Item],
        rows: Iterable[tuple[Unit, Verdict]],
        data: Mapping[str, object],
        texts: Mapping[str, str] | None = None,
    ) -> int:
        """Writes one import in one transaction, all of it or nothing; returns its number.

        Items of a known id take that one's place. Texts are those that items name by the hash of
        their content; a known one is not written. Of verdicts see `add_verdict`.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.writing() as db:
            self.add_judge(judge)
            insert(db, "items", map(cells_of_record, items), known="REPLACE")
            evidence = []
            for key, text in (texts or {}).items():
                evidence.append((key, redacted(text)))
            db.executemany("INSERT OR IGNORE INTO evidence VALUES (?, ?)", evidence)
            judged = list(rows)
            add_units(db, [unit for unit, _ in judged])
            add_verdicts(db, [verdict for _, verdict in judged], now)
            number = self.add_import(judge, data, now)
            unique = dict.fromkeys(item.id for item in items)
            rows_of_import = [(number, *row) for row in enumerate(unique)]
            db.executemany("INSERT INTO import_items VALUES (?, ?, ?)", rows_of_import)
        return number

    def newest_import(self) -> Import | None:
        """Returns the last run with its items, or None; labels by people are no run."""
        row = self.rows(
            "SELECT i.number, i.data, i.time, j.* FROM imports i JOIN judges j ON j.id = i.judge "
            "WHERE json_extract(i.data, '$.labels') IS NULL ORDER BY i.number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        number, data, time, *judge = row
        items = self.rows(
            "SELECT items.* FROM import_items JOIN items ON id = item WHERE import = ? "
            "ORDER BY position",
            number,
        )
        return Import(
            number=number,
            judge=record_of(Judge, judge),
            items=tuple(records(Item, items)),
            data=json_cell(data),
            time=time,
        )

    def verdicts(self, item: str, judge: str) -> list[tuple[Unit, Verdict]]:
        """Returns the units of an item that a judge has judged, each with its newest verdict."""
        rows = self.rows(
            f"SELECT {VERDICT}, {UNIT} FROM whole_units u JOIN newest_verdicts v "  # noqa: S608
            "ON v.unit_number = u.unit_number WHERE u.item = ? AND v.judge = ? ORDER BY v.number",
            item,
            judge,
        )
        return [(record_of(Unit, row[7:]), self._verdict(row[:7])) for row in rows]

    def newest(self, judge: str, units: Sequence[str]) -> dict[str, Verdict]:
        """Returns unit -> newest verdict, for those of the units that the judge has judged."""
        columns = f"v.status, v.label, v.value, {_REASON}, v.call"
        rows = self._newest_rows(columns, judge, units)
        return {unit: self._verdict((unit, judge, *row)) for unit, row in rows.items()}

    def labels(self, judge: str, units: Sequence[str]) -> dict[str, tuple[Status, str | None, str]]:
        """Returns unit -> status, label and reason of its newest verdict, for those of the units
        that the judge has judged; records of all take several times as long. Units of which the
        same is said share it."""
        rows = self._newest_rows(f"v.status, v.label, {_REASON}", judge, units)
        for unknown in {status for status, _, _ in rows.values()}.difference(_STATUSES):
            unit = next(unit for unit, row in rows.items() if row[0] == unknown)
            raise self._damage(f"the unit {unit!r} has a verdict with the status {unknown!r}")
        return rows

    def _newest_rows(self, columns: str, judge: str, units: Sequence[str]) -> dict[str, Any]:
        """Returns unit -> the columns of its newest verdict, for those of the units that the judge
        has judged."""
        (size,) = self.rows("SELECT ifnull(max(number), 0) FROM kept_verdicts").fetchone()
        of_all: dict[int, Any] | None = None
        newest = {}
        for start in range(0, len(units), _BLOCK):
            block = units[start : start + _BLOCK]
            numbers = numbers_of_units(self.connection, block)
            share = len(block) / len(units)
            if of_all is None and _MOST_SCANNED * len(numbers) >= share * size:
                of_all = self._newest_of("kept_verdicts v", columns, judge, ())
            rows = of_all
            if rows is None:
                rows = self._newest_of(_OF_UNITS, columns, judge, list(numbers.values()))
            for unit in block:
                number = numbers.get(unit)
                if number in rows:
                    newest[unit] = rows[number]
        return newest

    def _newest_of(
        self, verdicts: str, columns: str, judge: str, units: Sequence[int]
    ) -> dict[int, Any]:
        """Returns number of a unit -> the columns of its newest verdict; equal ones are one tuple.

        Args:
            verdicts: the table `v`, or what it is joined to.
        """
        query = (
            f"SELECT v.unit, {columns} FROM {verdicts} LEFT JOIN reasons r "  # noqa: S608
            "ON typeof(v.reason) = 'integer' AND r.number = v.reason "
            "WHERE v.judge = (SELECT number FROM judge_keys WHERE id = :judge) ORDER BY v.number"
        )
        given = {"judge": judge, "units": json.dumps(units)}
        shared: dict[Any, Any] = {}
        newest = {}
        for unit, *cells in self.connection.execute(query, given):
            row = tuple(cells)
            newest[unit] = shared.setdefault(row, row)
        return newest

    def statuses(self, judge: str, units: Sequence[str]) -> dict[str, Status]:
        """Returns unit -> status of its newest verdict, for those of the units that the judge has
        judged.
        """
        rows = self._newest_rows("v.status", judge, units)
        return {unit: status for unit, (status,) in rows.items()}

    def has_judged(self, judge: str) -> bool:
        """Whether a judge has a verdict other than that its call failed."""
        query = "SELECT 1 FROM verdicts WHERE judge = ? AND status <> 'failed' LIMIT 1"
        return self.rows(query, judge).fetchone() is not None

    def kinds(self) -> set[str]:
        """Returns the kinds of the ledger's units."""
        return {kind for (kind,) in self.rows("SELECT DISTINCT kind FROM kept_units")}

    def text(self, key: str) -> str:
        """Returns the text that items name by its hash; raises LedgerError if it is not there."""
        query = "SELECT text FROM evidence WHERE id = ?"
        row = self.rows(query, key).fetchone()
        if row is None:
            raise LedgerError(f"{self.path}: is damaged: the text {key} is not in it.")
        return str(row[0])

    def counts(self) -> dict[str, int]:
        """Returns table -> how many rows it holds."""
        tables = ("items", "kept_units", "judges", "calls", "kept_verdicts", "imports")
        return {table.removeprefix("kept_"): self._count(table) for table in tables}

    def _count(self, table: str) -> int:
        """Returns how many rows a table has."""
        (size,) = self.rows(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - constants
        return int(size)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Opens a transaction and yields its connection: all that is added in the block is kept, or
        nothing. A block within another is part of that one.

        Raises:
            LedgerError: if the file cannot be written.
        """
        if self.connection.in_transaction:
            yield self.connection
            return
        db = self.connection
        try:
            # Takes the lock at once: a transaction that reads first cannot wait for it later
            # (SQLITE_BUSY).
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
            except BaseException:
                if db.in_transaction:  # a full disk has ended it already
                    db.execute("ROLLBACK")
                raise
            db.execute("COMMIT")
        except sqlite3.Error as error:
            raise LedgerError(
                f"{self.path}: cannot be written ({sqlite_reason(error, self.path)}). Nothing of "
                "this step was kept; see to that or name another file, and run it again."
            ) from error

    def try_to_write(self) -> None:
        """Writes what is there once more, so that who waits for others to write knows that it can
        be written; raises as `writing`."""
        (version,) = self.rows("PRAGMA user_version").fetchone()
        with self.writing() as db:
            db.execute(f"PRAGMA user_version = {version}")

    # What adds, inside `writing`.

    def add_judge(self, judge: Judge) -> None:
        """Adds a judge unless its id is known; so do the methods below."""
        insert(self.connection, "judges", [cells_of_record(judge)], known="IGNORE")

    def add_import(self, judge: Judge, data: Mapping[str, object], now: str) -> int:
        """Adds an import by a known judge; returns its number."""
        cursor = self.connection.execute(
            "INSERT INTO imports (judge, data, time) VALUES (?, ?, ?)",
            (judge.id, redacted(json_text_of(data)), now),
        )
        return int(cursor.lastrowid or 0)

    def note_mapping(self, judge: Judge, source: str, mapping: Mapping[str, object]) -> None:
        """Notes how the columns of a table were read whose units a judge was given, unless that is
        noted already.

        Args:
            source: the file, with its folder.
        """
        data = {"labels": source, "mapping": mapping}
        text = redacted(json_text_of(data))
        query = "SELECT 1 FROM imports WHERE judge = ? AND data = ?"
        if self.rows(query, judge.id, text).fetchone() is None:
            with self.writing():
                self.add_judge(judge)
                self.add_import(judge, data, datetime.now(UTC).isoformat(timespec="seconds"))

    def add_spend(
        self, judge: Judge, *, calls: int, tokens: int, cost: float | None, seconds: float
    ) -> None:
        """Adds what a run of a known judge took; the cost is None where a price is not known."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self.connection.execute(
            "INSERT INTO spends (run, judge, calls, tokens, cost, seconds, time) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (uuid4().hex, judge.id, calls, tokens, cost, seconds, now),
        )

    def add_new_item(self, item: Item) -> None:
        """Adds an item unless its id is known."""
        insert(self.connection, "items", [cells_of_record(item)], known="IGNORE")

    def add_unit(self, unit: Unit) -> None:
        """Adds a unit of a known item unless its id is known."""
        add_units(self.connection, [unit])

    def add_judged(self, rows: Sequence[tuple[Item, Unit, Verdict]], now: str) -> None:
        """Adds verdicts with their units and items; of verdicts see `add_verdict`."""
        add_items(self.connection, [item for item, *_ in rows])
        add_units(self.connection, [unit for _, unit, _ in rows])
        add_verdicts(self.connection, [verdict for *_, verdict in rows], now)

    def add_verdicts(self, verdicts: Sequence[Verdict], now: str) -> None:
        """Adds verdicts on known units; see `add_verdict`."""
        add_verdicts(self.connection, verdicts, now)

    def add_verdict(self, verdict: Verdict, now: str) -> None:
        """Adds a verdict on a known unit.

        It is not added if the newest one of that unit and judge says the same, or if it is that
        nothing came back (`failed`) and the newest one knows better.
        """
        add_verdicts(self.connection, [verdict], now)

    def _verdict(self, cells: Sequence[Any]) -> Verdict:
        """Returns a verdict from cells in the order of `VERDICT`."""
        unit, judge, status, label, value, reason, call = cells
        verdict = Verdict(
            unit=unit,
            judge=judge,
            status=status,
            label=label,
            value=value,
            reason=reason,
            call=call,
        )
        if verdict.status not in _STATUSES or not isinstance(verdict.value, float | None):
            raise self._damage(
                f"the unit {verdict.unit!r} has a verdict with the status {verdict.status!r} and "
                f"the value {verdict.value!r}"
            )
        return verdict

    def _damage(self, what: str) -> LedgerError:
        """Returns the error for cells that a ledger never holds, to be raised."""
        return LedgerError(f"{self.path}: is damaged: {what}. {_COPY}")


def open_existing(path: Path, *, read_only: bool = False) -> Ledger:
    """Opens a ledger that must exist; of a folder of results the one in it.

    To be read, `path` may be a pattern that names several, such as `shards/*.db`: they are read as
    the one that they come to when they are merged.

    Raises:
        LedgerError: there is none, or `Ledger` raises.
    """
    if not is_pattern(path):
        return Ledger(existing_ledger(path), read_only=read_only)
    if not read_only:
        return Ledger(path)  # raises
    from factmark.ledger.shards.several import as_one

    ledger = Ledger(as_one(path), read_only=True)
    ledger.path = path  # as messages name it
    return ledger


@contextmanager
def open_to_read(path: Path | None) -> Iterator[Ledger | None]:
    """Yields the ledger at a path, opened read-only; None where there is none. It is not created.

    Raises:
        LedgerError: as `Ledger`.
    """
    if path is None or not (path.is_file() or is_pattern(path)):
        yield None
        return
    with open_existing(path, read_only=True) as ledger:
        yield ledger


@contextmanager
def reporting_damage(path: Path) -> Iterator[None]:
    """Turns errors over values that a ledger never holds into a LedgerError that names the file.

    Raises:
        LedgerError: in place of what such values raise.
    """
    try:
        yield
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        raise LedgerError(
            f"{path}: is damaged: its cells are of another form ({error!r}). {_COPY}"
        ) from error


def record_of(kind: Callable[..., Record], cells: Sequence[Any]) -> Record:
    """Returns cells, in the order of a record's fields, as that record.

    Raises:
        sqlite3.DataError: they are not as many; the ledger that is open tells it with its path.
    """
    names = tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]  # a dataclass
    if len(names) != len(cells):
        raise sqlite3.DataError(f"a row of {kind.__name__} has {len(cells)} cells")
    pairs = zip(names, cells, strict=True)
    return kind(**{name: json_cell(cell) if name in _JSON else cell for name, cell in pairs})


def records(kind: Callable[..., Record], rows: Iterable[Sequence[Any]]) -> list[Record]:
    """Returns rows as records; their columns must be in the order of the record's fields."""
    return [record_of(kind, row) for row in rows]


def cells_of_record(record: Any) -> dict[str, object]:
    """Returns column -> cell for the fields of a record; a mapping becomes JSON."""
    cells = {}
    for field in fields(record):
        cells[field.name] = _cell(getattr(record, field.name))
    return cells


def _cell(value: object) -> object:
    """Returns a value as SQLite can hold it: a mapping as JSON."""
    if isinstance(value, Mapping):
        return json_text_of(value)
    return value


def insert(
    db: sqlite3.Connection,
    table: str,
    rows: Iterable[Mapping[str, object]],
    *,
    known: str = "ABORT",
) -> None:
    """Adds rows, all with the same columns. Secrets are struck out of their texts; lone surrogates,
    which no cell can hold, become U+FFFD.

    Args:
        known: what to do with one whose key is there: ABORT, IGNORE or REPLACE.
    """
    cells = []
    for row in rows:
        cells.append(
            {
                name: without_surrogates(cell) if isinstance(cell, str) else cell
                for name, cell in row.items()
            }
        )
    if any_secrets():
        cells = [_without_secrets(row) for row in cells]
    if cells:
        names = ", ".join(cells[0])
        marks = ", ".join(f":{name}" for name in cells[0])
        db.executemany(f"INSERT OR {known} INTO {table} ({names}) VALUES ({marks})", cells)  # noqa: S608


def _without_secrets(row: Mapping[str, object]) -> dict[str, object]:
    """Returns the cells of a row with secrets struck out of its texts."""
    secrets = {}
    for name, cell in row.items():
        secrets[name] = redacted(cell) if isinstance(cell, str) and name not in _HASHES else cell
    return secrets


def json_text_of(value: object) -> str:
    """Returns a value as JSON for a cell, with its keys sorted."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True)


def json_cell(text: str) -> Any:
    """Returns the value of a cell that holds JSON.

    Raises:
        sqlite3.DataError: it holds none; the ledger that is open tells it with its path.
    """
    try:
        return json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise sqlite3.DataError(f"a cell holds no JSON ({str(text)[:80]!r}): {error}") from error
