"""The files of a result: one writer for all measures, with the same names everywhere."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

from factmark.files.flat_files import csv_lines, write_parquet
from factmark.files.overwriting import check_files
from factmark.files.text_files import write_pieces, write_text
from factmark.report.envelope import json_pieces
from factmark.report.file_columns import FileColumn, file_rows, parquet_types
from factmark.report.latex import latex_table
from factmark.report.layouts import markdown_report
from factmark.report.result import Result

REPORT = "report.html"
RESULT_FILES = (
    "results.json",
    "rows.csv",
    "rows.parquet",
    "tables.md",
    "tables.tex",
    REPORT,
)
"""What `write_result` writes; the ledger stands beside them as ledger.db."""


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
        check_files(folder, (*RESULT_FILES, *more), inputs)


def write_result(result: Result, folder: Path) -> list[Path]:
    """Writes a result in all forms; each file appears whole or not at all.

    Returns:
        The files, those that there are: a result without rows has no files of rows, one without a
        page no report.html.
    """
    paths = {name: folder / name for name in RESULT_FILES}
    tables = list(result.tables.values())
    write_pieces(paths["results.json"], json_pieces(result))
    write_text(paths["tables.md"], markdown_report(result.sentence, tables))
    write_text(paths["tables.tex"], "\n".join(map(latex_table, tables)))
    if result.columns:
        write_rows(paths["rows.csv"], result.columns, result.rows)
        write_rows(paths["rows.parquet"], result.columns, result.rows)
    if result.page is not None:
        from factmark.report.page import render_page  # with the templates, for those who write

        write_text(paths[REPORT], render_page(result, result.page()))
    return [path for path in paths.values() if path.is_file()]


def write_rows(path: Path, columns: Sequence[FileColumn[Any]], rows: Iterable[Any]) -> None:
    """Writes a row per record as CSV or Parquet, by the end of the path's name."""
    flat = file_rows(columns, rows)
    if path.suffix == ".parquet":
        write_parquet(path, flat, parquet_types(columns))
        return
    write_pieces(path, csv_lines(flat, [column.name for column in columns]))
