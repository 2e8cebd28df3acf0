"""The files of a result: their names, the same everywhere, and the writer of rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from factmark.files.flat_files import (
    csv_lines,
    json_text,
    open_csv,
    open_parquet,
    write_parquet,
)
from factmark.files.overwriting import check_files
from factmark.files.text_files import mend_texts, without_surrogates, write_pieces
from factmark.report.envelope import framed_pieces
from factmark.report.file_columns import (
    FileColumn,
    file_rows,
    flat_cells,
    json_values,
    parquet_types,
    values_of,
)

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


def write_result_rows(
    folder: Path,
    head: Mapping[str, Any],
    columns: Sequence[FileColumn[Any]],
    rows: Iterable[Any],
) -> None:
    """Writes results.json, rows.csv and rows.parquet side by side: rows are gone through, and made
    cells, once. Without columns there is results.json alone.

    Args:
        head: the envelope without its rows.
    """
    if not columns:
        write_pieces(folder / "results.json", framed_pieces(head, ()))
        return
    names = [column.name for column in columns]
    with ExitStack() as stack:
        add_cells = stack.enter_context(open_csv(folder / "rows.csv", names))
        add_line = stack.enter_context(
            open_parquet(folder / "rows.parquet", parquet_types(columns))
        )

        def texts() -> Iterator[str]:
            for short, line, cells in _forms_of_rows(columns, rows):
                add_cells(cells)
                add_line(line)
                yield short

        write_pieces(folder / "results.json", framed_pieces(head, texts()))


def _forms_of_rows(
    columns: Sequence[FileColumn[Any]], rows: Iterable[Any]
) -> Iterator[tuple[str, str, Collection[object]]]:
    """Yields each row as JSON without its long texts, as JSON with flat cells, and as cells."""
    row_values = values_of(columns)
    long = [column.name for column in columns if column.long]
    for row in rows:
        values = row_values(row)
        cells = flat_cells(values)
        short = dict(values)
        for name in long:
            del short[name]
        text = without_surrogates(json_text(short))
        if not long and cells is values:
            line = text
        elif short and cells is values:
            line = f"{text[:-1]}, {json_text({name: values[name] for name in long})[1:]}"
        else:
            line = json_text(cells)
        yield text, line, cells.values()


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
