"""The files of a result: their names, the same everywhere, and the writer of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from factmark.files.flat_files import csv_lines, json_text, write_parquet
from factmark.files.overwriting import check_files
from factmark.files.text_files import mend_texts, write_pieces
from factmark.report.file_columns import FileColumn, file_rows, json_values, parquet_types

REPORT = "report.html"
MAPPING = "mapping.toml"
RESULT_FILES = (
    "results.json",
    "rows.csv",
    "rows.parquet",
    "tables.md",
    "tables.tex",
    REPORT,
)
"""What `Result.write` writes; the ledger stands beside them as ledger.db."""


def check_result_files(
    folder: Path | None,
    inputs: Iterable[tuple[str, Path | None]] = (),
    more: Collection[str] = (),
) -> None:
    """Raises, before any work, where a result would overwrite an input or a stranger's file.

    Args:
        folder: where the results go; nothing is checked without one.
        inputs: what the command reads, by its option.
        more: names of further files that the command writes there.

    Raises:
        InputError: as `check_files`.
    """
    if folder is not None:
        check_files(folder, (*RESULT_FILES, MAPPING, *more), inputs)


def write_rows(path: Path, columns: Sequence[FileColumn[Any]], rows: Iterable[Any]) -> None:
    """Writes a row per record as CSV, Parquet or JSON Lines, by the end of the path's name."""
    suffix = path.suffix.casefold()
    if suffix == ".parquet":
        write_parquet(path, file_rows(columns, rows), parquet_types(columns))
    elif suffix == ".csv":
        names = [column.name for column in columns]
        write_pieces(path, csv_lines(file_rows(columns, rows), names))
    else:
        values = (json_values(columns, row) for row in rows)
        write_pieces(path, (f"{json_text(mend_texts(row))}\n" for row in values))
