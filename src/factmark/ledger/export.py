"""What a ledger holds, for people and for other programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import quote

from factmark.errors import InputError, LedgerError
from factmark.files.flat_files import csv_writer, json_text, open_parquet, write_parquet
from factmark.files.text_files import replace_at_end
from factmark.ledger.calls import call_totals, run_totals
from factmark.ledger.ledger import Ledger, json_cell, json_text_of, open_existing
from factmark.ledger.opening import is_pattern, matches
from factmark.ledger.people.codes import codes_of_people
from factmark.ledger.verdicts import counts_by, judges_of

COLUMNS = {
    "item": "VARCHAR",
    "cluster": "VARCHAR",
    "strata": "VARCHAR",
    "unit": "VARCHAR",
    "kind": "VARCHAR",
    "text": "VARCHAR",
    "judge": "VARCHAR",
    "judge_kind": "VARCHAR",
    "judge_id": "VARCHAR",
    "status": "VARCHAR",
    "label": "VARCHAR",
    "value": "DOUBLE",
    "reason": "VARCHAR",
    "time": "VARCHAR",
    "newest": "BOOLEAN",
    "call": "VARCHAR",
    **dict.fromkeys(("id", "file", "place", "head", "relation", "tail", "passage_id"), "VARCHAR"),
}

_ROWS = """
SELECT i.id, i.cluster, i.strata, u.id, u.kind, u.text, j.name, j.kind, j.id, v.status, v.label,
    v.value, v.reason, v.time, v.number = (
        SELECT max(number) FROM kept_verdicts WHERE unit = k.unit AND judge = k.judge
    ), v.call, r.id, r.source, r.place, NULL, NULL, NULL, r.passage_id, u.data, l.names
FROM kept_verdicts k JOIN verdicts v ON v.number = k.number JOIN kept_units u ON u.number = k.unit
JOIN items i ON i.id = u.item JOIN judges j ON j.id = v.judge
LEFT JOIN layouts l ON l.number = u.layout LEFT JOIN user_rows r ON r.unit_number = k.unit
ORDER BY k.number, r.source, length(r.place), r.place
"""
_PARTITIONS = ("kind", "judge")  # columns by which Parquet files are divided
_BLOCK = 100_000  # rows of one such file
_OF_UNITS = {"id": "id", "place": "where", "passage_id": "passage_id"} | {
    name: name for name in ("head", "relation", "tail")
}
"""Columns that the data of a unit fills where no row of the user's does, by its names of them."""


def info(path: Path, by: str = "") -> dict[str, Any]:
    """The rows of each table, the judges with their verdicts, the calls and what they cost; with a
    field of the units, such as `relation`, also their verdicts by its values."""
    with open_existing(path, read_only=True) as ledger:
        _check_references(ledger)
        slices = []
        if by:
            for (judge, value), counts in counts_by(ledger, by).items():
                slices.append({"judge": judge, by: value, "verdicts": counts})
        return {
            "ledger": ledger.path.name,
            "bytes": sum(file.stat().st_size for file in _files_of(ledger.path)),
            "rows": ledger.counts(),
            "judges": [asdict(judge) for judge in judges_of(ledger)],
            "calls": call_totals(ledger),
            "runs": run_totals(ledger),
            **({"by": slices} if by else {}),
        }


def _files_of(path: Path) -> list[Path]:
    """Returns the ledgers that a path names."""
    if is_pattern(path):
        return matches(path)
    return [path]


def export(path: Path, target: Path, *, names: bool = False) -> int:
    """Writes every verdict with its unit, item and judge to a file, a row for each row of the
    user's that shares the unit; returns how many.

    Args:
        target: `.jsonl`, `.csv` or `.parquet`.
        names: whether people of a ledger with campaigns are called by their names, not by codes.

    Raises:
        InputError: for another ending.
        LedgerError: there is no such ledger, or it cannot be read.
    """
    suffix = target.suffix.casefold()
    if suffix not in (".jsonl", ".csv", ".parquet"):
        raise InputError(f"{target}: name it .jsonl, .csv or .parquet.")
    with open_existing(path, read_only=True) as ledger:
        _check_references(ledger)
        rows = _rows(ledger, {} if names else codes_of_people(ledger))
        count = 0
        if suffix == ".parquet":
            with open_parquet(target, COLUMNS) as add:
                for row in rows:
                    add(json_text(row))
                    count += 1
            return count
        with (
            replace_at_end(target) as temporary,
            temporary.open("w", encoding="utf-8", newline="" if suffix == ".csv" else "\n") as out,
        ):
            write = csv_writer(out)
            if suffix == ".csv":
                write(COLUMNS)
            for row in rows:
                if suffix == ".csv":
                    write(row.values())
                else:
                    out.write(json_text(row) + "\n")
                count += 1
        return count


def export_partitioned(path: Path, folder: Path, *, names: bool = False) -> int:
    """Writes every verdict as Parquet into `kind=KIND/judge=NAME/N.parquet` of a new folder, as
    DuckDB, Spark and Arrow read them; rows, columns, `names` and errors as of `export`.

    Raises:
        InputError: the folder holds something.
    """
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise InputError(f"{folder}: holds something. Name a new folder.")
    columns = {name: kind for name, kind in COLUMNS.items() if name not in _PARTITIONS}
    blocks: dict[Path, list[dict[str, Any]]] = {}
    written: Counter[Path] = Counter()

    def write(place: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        write_parquet(place / f"{written[place]}.parquet", blocks.pop(place), columns)
        written[place] += 1

    count = 0
    with open_existing(path, read_only=True) as ledger:
        _check_references(ledger)
        for row in _rows(ledger, {} if names else codes_of_people(ledger)):
            place = folder
            for name in _PARTITIONS:
                place /= f"{name}={quote(str(row[name]), safe='')}"
            block = blocks.setdefault(place, [])
            block.append(row)
            count += 1
            if len(block) == _BLOCK:
                write(place)
    for place in list(blocks):
        write(place)
    return count


def _check_references(ledger: Ledger) -> None:
    """Checks that everything a row refers to is there; reads all of the ledger.

    Raises:
        LedgerError: one is missing, so that verdicts would be left out silently.
    """
    row = ledger.rows("PRAGMA foreign_key_check").fetchone()
    if row is not None:
        raise LedgerError(
            f"{ledger.path}: is damaged: a row of the table {row[0]} names one of {row[2]} that is "
            "not there. Take a copy of the ledger or start a new one."
        )


def _rows(ledger: Ledger, codes: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yields every verdict as a mapping by `COLUMNS`, once for each of the user's rows.

    People stand under their codes; the ids of judges would confirm a name that somebody guesses.
    """
    for *row, data, names in ledger.rows(_ROWS):
        named = dict(zip(COLUMNS, row, strict=True))
        of_unit = json_cell(data)
        if names is not None:
            of_unit = dict(zip(json_cell(names), of_unit, strict=True))
        for column, name in _OF_UNITS.items():
            if named[column] is None:
                named[column] = _text_of(ledger, of_unit.get(name))
        if named["judge_kind"] == "person" and (code := codes.get(named["judge"])):
            named |= {"judge": code, "judge_id": code}
        yield named | {"newest": bool(named["newest"])}


def _text_of(ledger: Ledger, value: object) -> str | None:
    """Returns a value of JSON as SQLite writes it: numbers as they are, lists and objects as
    JSON."""
    if value is None or isinstance(value, str):
        return value
    query = "SELECT CAST(json_extract(?, '$') AS TEXT)"
    (text,) = ledger.rows(query, json_text_of(value)).fetchone()
    if text is None:
        return None
    return str(text)
