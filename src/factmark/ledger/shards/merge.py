"""Several ledgers as one, by the ids of their contents.

Each ledger comes in by a transaction of its own: a merge that was killed goes on, and one that is
run again changes nothing. The result does not depend on the order of the ledgers.
"""

# ruff: noqa: S608 - the statements are made of constants of this file

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from factmark.errors import InputError, LedgerError
from factmark.files.temporary import temporary_folder
from factmark.ledger.guests import is_writable
from factmark.ledger.opening import (
    existing_ledger,
    is_pattern,
    keep_private,
    matches,
    open_connection,
    sqlite_reason,
)
from factmark.ledger.shards.campaigns import add_campaigns
from factmark.ledger.shards.conflicts import check_contents, check_rows
from factmark.ledger.shards.histories import History, join_histories

_NUMBERED = {  # tables whose rows others name by number -> what is the same in every ledger
    "layouts": ("names",),
    "times": ("time",),
    "reasons": ("text",),
    "judge_keys": ("id",),
    "passages": ("id", "text"),
    "row_sources": ("source", "kind"),
}
_CALL = (
    "judge, sample, status, text, thinking, finish_reason, model, input_tokens, output_tokens, "
    "cached_tokens, estimated, latency, cost, reason, time, tools, thinking_tokens"
)
_RESULT = "server, name, arguments, status, text, size, seconds, time"

# The newer of two ledgers says what an item is; where neither is, the order of their texts does.
_ITEMS = """INSERT INTO main.items SELECT * FROM part.items WHERE true ORDER BY id
    ON CONFLICT (id) DO UPDATE
    SET cluster = excluded.cluster, strata = excluded.strata, data = excluded.data
    WHERE (:newer, cluster, strata, data) > (0, excluded.cluster, excluded.strata, excluded.data)"""
_UNITS = """INSERT INTO main.kept_units (id, item, kind, text, data, layout, passage)
    SELECT u.id, u.item, u.kind, u.text, u.data, l.whole,
        CASE WHEN u.passage IS NOT NULL THEN ifnull(p.whole, -1) END
    FROM part.kept_units u LEFT JOIN layouts_map l ON l.part = u.layout
        LEFT JOIN passages_map p ON p.part = u.passage
    WHERE NOT EXISTS (SELECT 1 FROM main.kept_units k WHERE k.id = u.id) ORDER BY u.id"""
_REASON = "CASE typeof(v.reason) WHEN 'integer' THEN r.whole ELSE v.reason END"
_VERDICTS = f"""INSERT INTO main.kept_verdicts
    SELECT :before + v.number, u.whole, j.whole, v.status, v.label, v.value, {_REASON},
        t.whole, v.call
    FROM part.kept_verdicts v LEFT JOIN kept_units_map u ON u.part = v.unit
        LEFT JOIN judge_keys_map j ON j.part = v.judge
        LEFT JOIN reasons_map r ON r.part = v.reason LEFT JOIN times_map t ON t.part = v.time
    WHERE u.whole > :known OR NOT EXISTS (SELECT 1 FROM main.kept_verdicts k
        WHERE k.unit = u.whole AND k.judge = j.whole AND k.number <= :before)
    ORDER BY v.number"""
_ROWS = """INSERT OR IGNORE INTO main.kept_rows
    SELECT s.whole, r.place, u.whole, r.id, r.passage_id, r.data
    FROM part.kept_rows r JOIN row_sources_map s ON s.part = r.source
        JOIN kept_units_map u ON u.part = r.unit ORDER BY s.whole, r.place, u.whole"""
# A digest stands for all rows of a file in a ledger; of rows from two ledgers there is none.
_NO_DIGESTS = """DELETE FROM main.user_files WHERE EXISTS (
    SELECT 1 FROM part.row_sources s LEFT JOIN part.user_files f
        ON f.source = s.source AND f.kind = s.kind
    WHERE s.source = user_files.source AND s.kind = user_files.kind
        AND f.digest IS NOT user_files.digest)"""
_DIGESTS = """INSERT OR IGNORE INTO main.user_files
    SELECT f.* FROM part.user_files f JOIN part.row_sources s USING (source, kind)
        JOIN row_sources_map m ON m.part = s.number WHERE m.whole > ?"""
_SMALL = (
    f"""INSERT INTO main.tool_results (key, {_RESULT}) SELECT key, {_RESULT}
        FROM part.tool_results WHERE true ON CONFLICT (key) DO UPDATE
        SET ({_RESULT}) = (SELECT {_RESULT} FROM part.tool_results p WHERE p.key = excluded.key)
        WHERE (excluded.time, excluded.text) < (time, text)""",  # the first one counts
    """INSERT INTO main.servers SELECT * FROM part.servers WHERE true ON CONFLICT DO UPDATE
        SET left_out = (SELECT json_group_array(value) FROM (
            SELECT value FROM json_each(left_out) UNION
            SELECT value FROM json_each(excluded.left_out)))""",
    "INSERT OR IGNORE INTO main.batches SELECT * FROM part.batches",
    "INSERT OR IGNORE INTO main.spends SELECT * FROM part.spends",
    "INSERT OR IGNORE INTO main.evidence SELECT * FROM part.evidence",
    f"""INSERT INTO main.calls (key, {_CALL}) SELECT key, {_CALL} FROM part.calls p
        WHERE NOT EXISTS (SELECT 1 FROM main.calls k WHERE k.key = p.key) ORDER BY number""",
)
_CONTENT = "v.status, v.label, v.value, ifnull(r.text, v.reason), t.time, v.call"
_SHARED_REASON = "r ON typeof(v.reason) = 'integer' AND r.number = v.reason"
_JUDGED = History(
    shared="""SELECT DISTINCT u.whole, j.whole FROM part.kept_verdicts v
        JOIN kept_units_map u ON u.part = v.unit JOIN judge_keys_map j ON j.part = v.judge
        JOIN main.kept_verdicts k ON k.unit = u.whole AND k.judge = j.whole
        WHERE u.whole <= (SELECT known FROM before) AND k.number <= (SELECT verdict FROM before)
        ORDER BY 1, 2""",
    of_whole=f"""SELECT {_CONTENT} FROM main.kept_verdicts v
        LEFT JOIN main.reasons {_SHARED_REASON} JOIN main.times t ON t.number = v.time
        WHERE v.unit = ? AND v.judge = ? ORDER BY v.number""",
    of_part=f"""SELECT {_CONTENT} FROM part.kept_verdicts v
        LEFT JOIN part.reasons {_SHARED_REASON} JOIN part.times t ON t.number = v.time
        WHERE v.unit = (SELECT part FROM kept_units_map WHERE whole = ?)
        AND v.judge = (SELECT part FROM judge_keys_map WHERE whole = ?) ORDER BY v.number""",
    delete="DELETE FROM main.kept_verdicts WHERE unit = ? AND judge = ?",
    insert="""INSERT INTO main.kept_verdicts
        (unit, judge, status, label, value, reason, time, call)
        VALUES (?, ?, ?, ?, ?, ?, (SELECT number FROM main.times WHERE time = ?), ?)""",
    time=4,
    status=0,
)
_ASKED = History(
    shared="SELECT DISTINCT key FROM part.calls WHERE key IN (SELECT key FROM main.calls)",
    of_whole=f"SELECT {_CALL} FROM main.calls WHERE key = ? ORDER BY number",
    of_part=f"SELECT {_CALL} FROM part.calls WHERE key = ? ORDER BY number",
    delete="DELETE FROM main.calls WHERE key = ?",
    insert=f"INSERT INTO main.calls (key, {_CALL}) VALUES (?{', ?' * len(_CALL.split(','))})",
    time=_CALL.split(", ").index("time"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedLedger:
    """What a ledger brought: rows that were not there, by table."""

    ledger: str
    new: dict[str, int]


def ledger_paths(given: Iterable[Path]) -> list[Path]:
    """Returns the ledgers that paths name, each once: a file, the ledger of a folder of results, or
    all that match a pattern such as `shards/*.db`.

    Raises:
        LedgerError: a pattern matches nothing.
    """
    paths: dict[Path, Path] = {}
    for path in given:
        named = [path]
        if is_pattern(path):
            named = matches(path)
        if not named:
            raise LedgerError(f"{path}: no file has such a name.")
        for match in named:
            if match.is_dir():
                ledger = match / "ledger.db"
            else:
                ledger = match
            paths.setdefault(ledger.resolve(), ledger)
    return list(paths.values())


def merge_ledgers(
    parts: Sequence[Path],
    out: Path,
    *,
    step: Callable[[], None] = lambda: None,
) -> list[MergedLedger]:
    """Adds ledgers to one, which is made if it is not there; returns what each brought.

    Args:
        step: called after each.

    Raises:
        InputError: the merged ledger is among them.
        LedgerError: one cannot be read, or two contradict each other; those before stay merged.
    """
    paths = ledger_paths(parts)
    if out.resolve() in {path.resolve() for path in paths}:
        raise InputError(f"--out {out}: is one of the ledgers to merge. Name another file.")
    merged: list[MergedLedger] = []
    for path in paths:  # all are looked at before any is merged
        open_connection(existing_ledger(path), read_only=True).close()
    with closing(open_connection(out)) as whole:
        for path in paths:
            brought = _merge(whole, out, path)
            merged.append(MergedLedger(ledger=str(path), new=brought))
            step()
    keep_private(out)
    return merged


def _merge(db: sqlite3.Connection, out: Path, path: Path) -> dict[str, int]:
    """Adds a ledger to another in one transaction; returns how many rows are new, by table."""
    with _attached(db, path), _writing(db, out):
        before = _sizes(db)
        check_contents(db, out, path)
        _add_contents(db)
        check_rows(db, out, path)
        add_campaigns(db, out, path)
        return {name: size - before[name] for name, size in _sizes(db).items()}


def _sizes(db: sqlite3.Connection) -> dict[str, int]:
    """Returns table -> its rows in the merged ledger."""
    tables = {"units": "kept_units", "verdicts": "kept_verdicts", "calls": "calls"}
    sizes = {}
    for name, table in tables.items():
        sizes[name] = db.execute(f"SELECT count(*) FROM main.{table}").fetchone()[0]
    return sizes


def _add_contents(db: sqlite3.Connection) -> None:
    """Adds what the attached ledger holds of units, verdicts and calls."""
    (known,) = db.execute("SELECT ifnull(max(number), 0) FROM main.kept_units").fetchone()
    (sources,) = db.execute("SELECT ifnull(max(number), 0) FROM main.row_sources").fetchone()
    query = "SELECT ifnull(max(seq), 0) FROM main.sqlite_sequence WHERE name = 'kept_verdicts'"
    (before,) = db.execute(query).fetchone()
    db.execute("CREATE TEMP TABLE before AS SELECT ? AS known, ? AS verdict", (known, before))
    newest = "(SELECT ifnull(max(time), '') FROM {}.imports)"
    query = f"SELECT {newest.format('part')} > {newest.format('main')}"
    (newer,) = db.execute(query).fetchone()
    db.execute(_ITEMS, {"newer": newer})
    db.execute("INSERT OR IGNORE INTO main.judges SELECT * FROM part.judges")
    for table, columns in _NUMBERED.items():
        names = ", ".join(columns)
        db.execute(
            f"INSERT OR IGNORE INTO main.{table} ({names}) "
            f"SELECT {names} FROM part.{table} ORDER BY number"
        )
        _map(db, table, columns)
    db.execute(_UNITS)
    _map(db, "kept_units", ("id",))
    db.execute("CREATE INDEX temp.units_whole ON kept_units_map(whole)")
    db.execute(_VERDICTS, {"before": before, "known": known})
    join_histories(db, _JUDGED)
    db.execute(_NO_DIGESTS)
    db.execute(_ROWS)
    db.execute(_DIGESTS, (sources,))
    join_histories(db, _ASKED)
    for statement in _SMALL:
        db.execute(statement)
    _add_imports(db)


def _map(db: sqlite3.Connection, table: str, columns: Sequence[str]) -> None:
    """Makes a table of the numbers that rows of the attached ledger have in the merged one."""
    same = " AND ".join(
        f"w.{name} = p.{name}" for name in columns if name != "text" or len(columns) == 1
    )
    db.execute(f"CREATE TEMP TABLE {table}_map (part INTEGER PRIMARY KEY, whole INTEGER NOT NULL)")
    db.execute(
        f"INSERT INTO {table}_map SELECT p.number, w.number FROM part.{table} p "
        f"CROSS JOIN main.{table} w ON {same}"
    )


def _add_imports(db: sqlite3.Connection) -> None:
    """Adds the runs of judges with their items, each once, in the order of their times; the numbers
    of those that were there may change."""
    known = set(db.execute("SELECT judge, data, time FROM main.imports"))
    query = "SELECT judge, data, time, number FROM part.imports ORDER BY number"
    new = [row for row in db.execute(query) if row[:3] not in known]
    if not new:
        return
    items = {
        number: db.execute(
            "SELECT position, item FROM part.import_items WHERE import = ?", (number,)
        ).fetchall()
        for *_, number in new
    }
    kept = db.execute("SELECT judge, data, time, number FROM main.imports ORDER BY number")
    runs = [(row, None) for row in kept.fetchall()] + [(row, items[row[3]]) for row in new]
    runs.sort(key=lambda run: run[0][2])  # stable: the order within a ledger stays
    for (judge, data, time, before), brought in runs:
        row = (judge, data, time)
        number = db.execute(
            "INSERT INTO main.imports (judge, data, time) VALUES (?, ?, ?)", row
        ).lastrowid
        if brought is None:
            db.execute("UPDATE main.import_items SET import = ? WHERE import = ?", (number, before))
            db.execute("DELETE FROM main.imports WHERE number = ?", (before,))
        else:
            rows = [(number, *place) for place in brought]
            db.executemany("INSERT INTO main.import_items VALUES (?, ?, ?)", rows)


@contextmanager
def _attached(db: sqlite3.Connection, path: Path) -> Iterator[None]:
    """Attaches a ledger as `part` to another's connection, to be read; one that this account may
    not write, or of an earlier schema, as a copy."""
    with temporary_folder() as folder:
        source = path
        with closing(open_connection(path, read_only=True)) as part:
            in_file = part.execute("PRAGMA database_list").fetchone()[2]
            if not in_file or not is_writable(path):
                source = folder / "part.db"
                copy = sqlite3.connect(source)
                part.backup(copy)
                copy.close()
        db.execute("ATTACH ? AS part", (str(source),))
        try:
            yield
        finally:
            db.execute("DETACH part")


@contextmanager
def _writing(db: sqlite3.Connection, out: Path) -> Iterator[None]:
    """A transaction on the merged ledger; the attached one is only read, so that who still writes
    it does not wait."""
    db.execute("PRAGMA foreign_keys = OFF")  # rows are joined by what they refer to
    db.execute("BEGIN")
    try:
        (version,) = db.execute("PRAGMA main.user_version").fetchone()
        db.execute(f"PRAGMA main.user_version = {version}")  # takes the lock at once
        yield
        for (table,) in db.execute(
            "SELECT name FROM temp.sqlite_master WHERE type = 'table'"
        ).fetchall():
            db.execute(f"DROP TABLE temp.{table}")
        db.execute("COMMIT")
    except sqlite3.IntegrityError as error:
        db.execute("ROLLBACK")
        raise LedgerError(
            f"{out}: a ledger to be merged is damaged: a row names another that is not "
            f"there ({error}). `factmark ledger check` says which."
        ) from error
    except sqlite3.Error as error:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise LedgerError(
            f"{out}: cannot be written ({sqlite_reason(error, out)}). Those merged "
            "before are kept; see to that and run it again."
        ) from error
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
    finally:
        db.execute("PRAGMA foreign_keys = ON")
