"""The ledger: one SQLite file per study that keeps what was judged, by whom, and what they said.

Verdicts are append-only; the newest per unit and judge counts. Two processes may write one ledger:
SQLite lets one in at a time (WAL mode), the other waits.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, get_args

from factmark.errors import LedgerError
from factmark.ledger.damage import json_cell
from factmark.ledger.opening import connect, connect_to_read, reason_of
from factmark.model import Item, Judge, Status, Unit, Verdict

_STATUSES = get_args(Status)


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
        try:
            self._db = connect_to_read(self.path) if read_only else connect(self.path)
        except ValueError as error:
            raise LedgerError(
                f"{path}: written by a newer factmark ({error}). Upgrade factmark, or name another "
                "file."
            ) from error
        except (sqlite3.Error, OSError) as error:
            raise LedgerError(
                f"{path}: cannot be used as a ledger ({reason_of(error)}). Name another file."
            ) from error

    @property
    def connection(self) -> sqlite3.Connection:
        """The open database, for what else is kept in it."""
        return self._db

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
                f"{self.path}: cannot be read ({reason_of(error)}). If it is damaged, take a copy "
                "of it or start a new one."
            ) from error

    def close(self) -> None:
        """Closes the file; the ledger cannot be used afterwards."""
        self._db.close()

    def record(
        self,
        judge: Judge,
        items: Sequence[Item],
        rows: Iterable[tuple[Unit, Verdict]],
        data: Mapping[str, object],
        texts: Mapping[str, str] | None = None,
    ) -> int:
        """Writes one import in one transaction: all of it is kept, or nothing.

        A verdict that says what the newest one of its unit and judge says is not written again.
        Texts are those that items name by the hash of their content; a known one is not written.

        Returns:
            The number of the import.
        """
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self.writing() as db:
            self.add_judge(judge)
            self.add_items(items)
            db.executemany("INSERT OR IGNORE INTO evidence VALUES (?, ?)", (texts or {}).items())
            for unit, verdict in rows:
                self.add_unit(unit)
                self.add_verdict(verdict, now)
            number = self.add_import(judge, data, now)
            unique = dict.fromkeys(item.id for item in items)
            db.executemany(
                "INSERT INTO import_items VALUES (?, ?, ?)",
                ((number, position, item) for position, item in enumerate(unique)),
            )
        return number

    def newest_import(self) -> Import | None:
        """The last run with its items, or None where there is none; labels of people are no run."""
        row = self._db.execute(
            "SELECT i.number, i.data, i.time, j.id, j.kind, j.name, j.parameters FROM imports i "
            "JOIN judges j ON j.id = i.judge WHERE json_extract(i.data, '$.labels') IS NULL "
            "ORDER BY i.number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            return None
        number, data, time, judge, kind, name, parameters = row
        items = self._db.execute(
            "SELECT id, cluster, strata, data FROM import_items JOIN items ON id = item "
            "WHERE import = ? ORDER BY position",
            (number,),
        )
        return Import(
            number=number,
            judge=Judge(id=judge, kind=kind, name=name, parameters=json_cell(parameters)),
            items=tuple(
                Item(id=i, cluster=c, strata=json_cell(s), data=json_cell(d))
                for i, c, s, d in items
            ),
            data=json_cell(data),
            time=time,
        )

    def verdicts(self, item: str, judge: str) -> list[tuple[Unit, Verdict]]:
        """The units of an item that a judge has judged, each with its newest verdict."""
        rows = self._db.execute(
            "SELECT u.id, u.kind, u.text, u.data, v.status, v.label, v.value, v.reason, v.call "
            "FROM units u JOIN newest_verdicts v ON v.unit = u.id "
            "WHERE u.item = ? AND v.judge = ? ORDER BY v.number",
            (item, judge),
        )
        return [
            (
                Unit(id=i, item=item, kind=kind, text=text, data=json_cell(data)),
                self._verdict(i, judge, said),
            )
            for i, kind, text, data, *said in rows
        ]

    def statuses(self, judge: str, units: Sequence[str]) -> dict[str, Status]:
        """The status of the newest verdict on each of the units that the judge has judged."""
        rows = self._db.execute(
            "SELECT v.unit, v.status FROM json_each(?) u CROSS JOIN verdicts v "
            "ON v.unit = u.value AND v.judge = ? ORDER BY v.number",
            (json.dumps(units), judge),
        )
        return dict(rows)

    def newest(self, judge: str, units: Sequence[str]) -> dict[str, Verdict]:
        """The newest verdict on each of the units that the judge has judged."""
        rows = self._db.execute(
            "SELECT v.unit, v.status, v.label, v.value, v.reason, v.call "
            "FROM json_each(?) u CROSS JOIN verdicts v "
            "ON v.unit = u.value AND v.judge = ? ORDER BY v.number",
            (json.dumps(units), judge),
        )
        return {unit: self._verdict(unit, judge, said) for unit, *said in rows}

    def kinds(self) -> set[str]:
        """The kinds of its units."""
        return {kind for (kind,) in self._db.execute("SELECT DISTINCT kind FROM units")}

    def text(self, key: str) -> str:
        """A text that items name by its hash; raises LedgerError if it is not there."""
        row = self._db.execute("SELECT text FROM evidence WHERE id = ?", (key,)).fetchone()
        if row is None:
            raise LedgerError(f"{self.path}: is damaged: the text {key} is not in it.")
        return str(row[0])

    def counts(self) -> dict[str, int]:
        """How many rows each table holds."""
        tables = ("items", "units", "judges", "calls", "verdicts", "imports")
        return {
            table: self._db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in tables  # the names are the constants above
        }

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all that is added in it is kept, or nothing.

        Raises:
            LedgerError: if the file cannot be written.
        """
        try:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
            except BaseException:
                if self._db.in_transaction:  # a full disk has ended it already
                    self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            raise LedgerError(
                f"{self.path}: cannot be written ({reason_of(error)}). Nothing of this step was "
                "kept; see to that or name another file, and run it again."
            ) from error

    def add_judge(self, judge: Judge) -> None:
        """Adds a judge; inside `writing`, as all that adds."""
        self._db.execute(
            "INSERT OR IGNORE INTO judges VALUES (?, ?, ?, ?)",
            (judge.id, judge.kind, judge.name, _dump(judge.parameters)),
        )

    def add_import(self, judge: Judge, data: Mapping[str, object], now: str) -> int:
        """Adds an import by a known judge; returns its number."""
        cursor = self._db.execute(
            "INSERT INTO imports (judge, data, time) VALUES (?, ?, ?)",
            (judge.id, _dump(data), now),
        )
        return int(cursor.lastrowid or 0)

    def add_items(self, items: Iterable[Item]) -> None:
        """Adds items; one with a known id takes that one's place."""
        self._db.executemany(
            "INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)",
            ((i.id, i.cluster, _dump(i.strata), _dump(i.data)) for i in items),
        )

    def add_new_item(self, item: Item) -> None:
        """Adds an item; a known id stays as it is."""
        self._db.execute(
            "INSERT OR IGNORE INTO items VALUES (?, ?, ?, ?)",
            (item.id, item.cluster, _dump(item.strata), _dump(item.data)),
        )

    def add_unit(self, unit: Unit) -> None:
        """Adds a unit of a known item."""
        self._db.execute(
            "INSERT OR IGNORE INTO units VALUES (?, ?, ?, ?, ?)",
            (unit.id, unit.item, unit.kind, unit.text, _dump(unit.data)),
        )

    def add_verdict(self, verdict: Verdict, now: str) -> None:
        """Adds a verdict on a known unit.

        It is not added if the newest one of that unit and judge says the same, or if it is that
        nothing came back (`failed`) and the newest one knows better.
        """
        said = (verdict.status, verdict.label, verdict.value, verdict.reason)
        newest = self._db.execute(
            "SELECT status, label, value, reason FROM verdicts WHERE unit = ? AND judge = ? "
            "ORDER BY number DESC LIMIT 1",
            (verdict.unit, verdict.judge),
        ).fetchone()
        known = newest is not None and newest[0] != "failed" and verdict.status == "failed"
        if newest != said and not known:
            self._db.execute(
                "INSERT INTO verdicts (unit, judge, status, label, value, reason, time, call) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (verdict.unit, verdict.judge, *said, now, verdict.call),
            )

    def _verdict(self, unit: str, judge: str, said: Sequence[Any]) -> Verdict:
        status, label, value, reason, call = said
        if status not in _STATUSES or not isinstance(value, float | None):
            raise LedgerError(
                f"{self.path}: is damaged: the unit {unit!r} has a verdict with the status "
                f"{status!r} and the value {value!r}. Take a copy of the ledger or start a new one."
            )
        verdict = Verdict(unit=unit, judge=judge, status=status, label=label, value=value)
        return replace(verdict, reason=reason, call=call)


def open_existing(path: Path, *, read_only: bool = False) -> Ledger:
    """A ledger that must be there.

    Raises:
        LedgerError: there is none, or `Ledger` raises.
    """
    if not path.is_file():
        raise LedgerError(
            f"{path}: there is no such ledger. `factmark run`, `factmark score`, `factmark graph` "
            "and `factmark annotate create` make one where --ledger or --out names it."
        )
    if not path.stat().st_size:
        raise LedgerError(f"{path}: is empty, and so no ledger. Name another file.")
    return Ledger(path, read_only=read_only)


@contextmanager
def reading(path: Path | None) -> Iterator[Ledger | None]:
    """The ledger at a path, to be read only; None where there is none. It is not made.

    Raises:
        LedgerError: as `Ledger`.
    """
    if path is None or not path.is_file():
        yield None
        return
    with Ledger(path, read_only=True) as ledger:
        yield ledger


def _dump(value: object) -> str:
    return json.dumps(value, ensure_ascii=True, sort_keys=True)
