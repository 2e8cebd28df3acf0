"""Rows of users' own files beside the units that they are about, by the users' ids.

A unit's id is the hash of its content, so several rows may share one; each row is kept with its own
id, its place and its other columns, and labels and foreign verdicts are held by that id.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from operator import attrgetter
from pathlib import Path

from factmark.files.problems import Problems
from factmark.ledger.kept.adding import cleaner, numbers_of_units
from factmark.ledger.ledger import Ledger, insert, json_text_of, record_of
from factmark.model import UserRow

_FIELDS = "r.source, r.place, r.id, r.unit, r.passage_id, r.data"
_OF_UNITS = """SELECT u.kind, '', json_extract(u.data, '$.where'), i.value, u.id,
    ifnull(json_extract(u.data, '$.passage_id'), ''), '{}'
    FROM whole_units u JOIN json_each(?) i ON i.value = json_extract(u.data, '$.id')
    WHERE u.kind = ifnull(nullif(?, ''), u.kind)"""
_BY_ID = """WITH named AS (
    SELECT k.* FROM json_each(:ids) i CROSS JOIN kept_rows k ON k.id = i.value
    UNION ALL SELECT k.* FROM row_sources s CROSS JOIN json_each(:ids) i
        CROSS JOIN kept_rows k ON k.source = s.number AND k.place = i.value WHERE k.id IS NULL
)
SELECT s.kind, s.source, r.place, ifnull(r.id, r.place), u.id, r.passage_id, r.data
    FROM named r JOIN row_sources s ON s.number = r.source JOIN kept_units u ON u.number = r.unit
    WHERE s.kind = ifnull(nullif(:kind, ''), s.kind)
        AND s.source = ifnull(nullif(:source, ''), s.source)"""
_BLOCK = 20_000


def keep_rows(ledger: Ledger, kind: str, rows: Sequence[UserRow], *, whole: bool = False) -> None:
    """Keeps rows with units of one kind, all of them or none; a row takes the place of what stood
    at its place in a file of that name. Rows of units that the ledger does not have are left out.

    The same rows a second time are not written.

    Args:
        whole: whether these are all rows of their files, so that others are not there any more.
    """
    by_file: defaultdict[str, list[UserRow]] = defaultdict(list)
    for row in rows:
        by_file[row.source].append(row)
    for source, given in by_file.items():
        query = "SELECT digest FROM user_files WHERE source = ? AND kind = ?"
        kept = ledger.rows(query, source, kind).fetchone()
        if kept == (_digest(given),):  # the units of what was kept are known
            continue
        of_file = _of_known_units(ledger, given)
        digest = _digest(of_file)
        if not of_file or kept == (digest,):
            continue
        key: dict[str, object] = {"source": source, "kind": kind}
        with ledger.writing() as db:
            insert(db, "row_sources", [key], known="IGNORE")
            query = "SELECT number FROM row_sources WHERE source = ? AND kind = ?"
            (number,) = db.execute(query, (source, kind)).fetchone()
            delete = "DELETE FROM kept_rows WHERE source = ?"
            if whole:
                db.execute(delete, (number,))
            else:  # one line may make several units, as an edge with several passages does
                places = ((number, row.place) for row in of_file)
                db.executemany(f"{delete} AND place = ?", places)
            of_file.sort(key=attrgetter("place"))  # stable: the last of a place and unit counts
            for block in _blocks(of_file):
                _add_rows(db, number, block)
            insert(db, "user_files", [key | {"digest": digest}], known="REPLACE")


def note_shared_ids(rows: Sequence[UserRow], problems: Problems) -> None:
    """Notes ids that stand for several units, so that a label that comes by such an id reaches
    none of them. An id is the text in the file: `2` and `"2"` are one id, `2.0` is another."""
    own = {row.id for row in rows if row.id != row.place}
    units: dict[str, str] = {}
    shared = set[str]()
    for row in rows:
        if row.id not in own:
            continue
        unit = units.setdefault(row.id, row.unit)
        if unit != row.unit and row.id != row.place and row.id not in shared:
            shared.add(row.id)
            problems.note(
                "id of several units, which labels by id do not reach", row.place, repr(row.id)
            )


def file_name(path: Path) -> str:
    """Returns what the file of rows is called in a ledger: its name and its folder's, so that equal
    names in other folders are told apart and the ledger may be moved."""
    return "/".join(path.resolve().parts[-2:])


def rows_of_units(ledger: Ledger, units: Iterable[str]) -> dict[str, list[UserRow]]:
    """Returns unit -> its rows in users' files; units without any are left out."""
    query = (
        f"SELECT {_FIELDS} FROM json_each(?) u CROSS JOIN user_rows r ON r.unit = u.value "  # noqa: S608
        "ORDER BY r.source, length(r.place), r.place"
    )
    rows: defaultdict[str, list[UserRow]] = defaultdict(list)
    for cells in ledger.rows(query, json.dumps(list(units))):
        rows[cells[3]].append(record_of(UserRow, cells))
    return dict(rows)


def rows_without_verdict(ledger: Ledger, kind: str, judge: str) -> list[UserRow]:
    """Returns the rows that a judge has no verdict on, of the files of which it judged any."""
    query = (
        f"WITH judged AS (SELECT DISTINCT unit FROM verdicts WHERE judge = ?) "  # noqa: S608
        f"SELECT {_FIELDS} FROM user_rows r WHERE r.kind = ? AND r.unit NOT IN judged AND r.source "
        "IN (SELECT source FROM user_rows WHERE kind = r.kind AND unit IN judged)"
    )
    return [record_of(UserRow, cells) for cells in ledger.rows(query, judge, kind)]


def rows_by_id(
    ledger: Ledger, ids: Iterable[str], *, kind: str = "", source: str = ""
) -> dict[str, list[tuple[str, UserRow]]]:
    """Returns the user's id -> its rows, each with the kind of its unit; unknown ids are left out.

    Of ledgers of before rows were kept, the ids are those that their units name.

    Args:
        kind: of the units; all where empty.
        source: the name of the file whose ids these are; any where empty.
    """
    rows: defaultdict[str, list[tuple[str, UserRow]]] = defaultdict(list)
    wanted = list(ids)
    given = {"ids": json.dumps(wanted), "kind": kind, "source": source}
    held = ledger.connection.execute(_BY_ID, given).fetchall()
    missing = set(wanted) - {cells[3] for cells in held}
    if missing and not ledger.rows("SELECT 1 FROM user_rows LIMIT 1").fetchone():
        held += ledger.rows(_OF_UNITS, json.dumps(sorted(missing)), kind)
    for of_kind, *cells in held:
        row = record_of(UserRow, cells)
        rows[row.id].append((of_kind, row))
    return dict(rows)


def first_ids(
    ledger: Ledger, *, kind: str = "", source: str = "", of_units: bool = False
) -> list[str]:
    """Returns three of the ids of users' rows, or of units where there are no rows, for a message
    that shows what ids look like.

    Args: as of `rows_by_id`.
    """
    query = (
        "SELECT DISTINCT id FROM user_rows WHERE kind = ifnull(nullif(?, ''), kind) "
        "AND source = ifnull(nullif(?, ''), source) LIMIT 3"
    )
    rows = []
    if not of_units:
        rows = ledger.rows(query, kind, source).fetchall()
    rows = rows or ledger.rows("SELECT id FROM units LIMIT 3").fetchall()
    return [str(name) for (name,) in rows]


def _of_known_units(ledger: Ledger, rows: Sequence[UserRow]) -> list[UserRow]:
    """Returns the rows about units that the ledger has."""
    kept = []
    for block in _blocks(rows):
        known = numbers_of_units(ledger.connection, {row.unit for row in block})
        kept += [row for row in block if row.unit in known]
    return kept


def _add_rows(db: sqlite3.Connection, source: int, rows: Sequence[UserRow]) -> None:
    """Adds rows of one file about known units."""
    units = numbers_of_units(db, {row.unit for row in rows})
    clean = cleaner()
    cells = (
        (
            source,
            clean(row.place),
            units[row.unit],
            None if row.id == row.place else clean(row.id),
            clean(row.passage_id),
            clean(json_text_of(row.data)) if row.data else "{}",
        )
        for row in rows
    )
    db.executemany("INSERT OR REPLACE INTO kept_rows VALUES (?, ?, ?, ?, ?, ?)", cells)


def _digest(rows: Sequence[UserRow]) -> str:
    """Returns the hash of what would be kept."""
    digest = sha256(str(len(rows)).encode())
    for name in ("source", "place", "id", "unit", "passage_id"):  # none of which holds a NUL
        sign = ""
        for block in _blocks(rows):
            text = sign + "\0".join(map(attrgetter(name), block))
            digest.update(text.encode("utf-8", "surrogatepass"))
            sign = "\0"
    digest.update(b"[")
    sign = ""
    for block in _blocks(rows):
        digest.update((sign + json_text_of([row.data for row in block])[1:-1]).encode())
        sign = ", "
    digest.update(b"]")
    return digest.hexdigest()[:32]


def _blocks(rows: Sequence[UserRow]) -> Iterator[Sequence[UserRow]]:
    """Yields rows in blocks, so that what is made of them takes little memory."""
    for start in range(0, len(rows), _BLOCK):
        yield rows[start : start + _BLOCK]
