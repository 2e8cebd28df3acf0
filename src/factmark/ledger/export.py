"""What a ledger holds, for people and for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from factmark.errors import InputError, LedgerError
from factmark.files.csv_cells import csv_writer
from factmark.files.flat_files import write_parquet
from factmark.files.text_files import replacing
from factmark.ledger.calls import call_totals
from factmark.ledger.ledger import Ledger

COLUMNS = {
    "item": "VARCHAR", "cluster": "VARCHAR", "strata": "VARCHAR", "unit": "VARCHAR",
    "kind": "VARCHAR", "text": "VARCHAR", "judge": "VARCHAR", "judge_kind": "VARCHAR",
    "judge_id": "VARCHAR", "status": "VARCHAR", "label": "VARCHAR", "value": "DOUBLE",
    "reason": "VARCHAR", "time": "VARCHAR", "newest": "BOOLEAN", "call": "VARCHAR",
}  # fmt: skip

_ROWS = """
SELECT i.id, i.cluster, i.strata, u.id, u.kind, u.text, j.name, j.kind, j.id, v.status, v.label,
    v.value, v.reason, v.time,
    v.number = (SELECT max(number) FROM verdicts WHERE unit = v.unit AND judge = v.judge), v.call
FROM verdicts v JOIN units u ON u.id = v.unit JOIN items i ON i.id = u.item
JOIN judges j ON j.id = v.judge ORDER BY v.number
"""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCounts:
    """A judge of a ledger, and its newest verdicts by status and label."""

    id: str
    kind: str
    name: str
    statuses: dict[str, int]
    labels: dict[str, int]


def judges_of(ledger: Ledger) -> list[JudgeCounts]:
    """All judges with what they said, in the order of their names."""
    db = ledger.connection
    out = []
    for judge, kind, name in db.execute("SELECT id, kind, name FROM judges ORDER BY name, id"):
        statuses: dict[str, int] = {}
        labels: dict[str, int] = {}
        rows = db.execute(
            "SELECT status, label, count(*) FROM verdicts v WHERE judge = ? AND number = ("
            " SELECT max(number) FROM verdicts WHERE unit = v.unit AND judge = v.judge)"
            " GROUP BY status, label",
            (judge,),
        )
        for status, label, count in rows:
            statuses[status] = statuses.get(status, 0) + count
            if label is not None:
                labels[label] = labels.get(label, 0) + count
        out.append(JudgeCounts(id=judge, kind=kind, name=name, statuses=statuses, labels=labels))
    return out


def _check_references(ledger: Ledger) -> None:
    """Looks whether every row has those that it names; reads all of the ledger.

    Raises:
        LedgerError: one is missing, so that verdicts would be left out silently.
    """
    row = ledger.connection.execute("PRAGMA foreign_key_check").fetchone()
    if row is not None:
        raise LedgerError(
            f"{ledger.path}: is damaged: a row of the table {row[0]} names one of {row[2]} that is "
            "not there. Take a copy of the ledger or start a new one."
        )


def info(path: Path) -> dict[str, Any]:
    """Rows of each table, judges with their verdicts, calls and what they cost."""
    with open_existing(path, read_only=True) as ledger:
        _check_references(ledger)
        return {
            "ledger": path.name,
            "bytes": path.stat().st_size,
            "rows": ledger.counts(),
            "judges": [asdict(judge) for judge in judges_of(ledger)],
            "calls": call_totals(ledger),
        }


def export(path: Path, target: Path) -> int:
    """Writes every verdict with its unit, item and judge; returns how many.

    Args:
        target: `.jsonl`, `.csv` or `.parquet`.

    Raises:
        InputError: for another ending.
        LedgerError: there is no such ledger, or it cannot be read.
    """
    suffix = target.suffix.casefold()
    writers = {".jsonl": _write_lines, ".csv": _write_csv, ".parquet": _write_parquet}
    if suffix not in writers:
        raise InputError(f"{target}: name it .jsonl, .csv or .parquet.")
    with open_existing(path, read_only=True) as ledger:
        _check_references(ledger)
        return writers[suffix](target, _rows(ledger))


def _rows(ledger: Ledger) -> Iterator[dict[str, Any]]:
    for row in ledger.connection.execute(_ROWS):
        named = dict(zip(COLUMNS, row, strict=True))
        named["newest"] = bool(named["newest"])
        yield named


def _write_lines(target: Path, rows: Iterator[dict[str, Any]]) -> int:
    count = 0
    with replacing(target) as temporary, temporary.open("w", encoding="utf-8") as out:
        for count, row in enumerate(rows, 1):  # noqa: B007  # the last count is what is returned
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return count


def _write_csv(target: Path, rows: Iterator[dict[str, Any]]) -> int:
    count = 0
    with replacing(target) as temporary, temporary.open("w", encoding="utf-8", newline="") as out:
        write = csv_writer(out)
        write(COLUMNS)
        for count, row in enumerate(rows, 1):  # noqa: B007  # as above
            write(row[name] for name in COLUMNS)
    return count


def _write_parquet(target: Path, rows: Iterator[dict[str, Any]]) -> int:
    kept = list(rows)
    write_parquet(target, kept, COLUMNS)
    return len(kept)
