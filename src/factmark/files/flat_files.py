"""Flat rows as CSV text and as Parquet files."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.files.csv_cells import csv_writer
from factmark.files.text_files import replacing, without_surrogates


def csv_text(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> str:
    """Rows as CSV (`csv_writer`); half of a pair of surrogates, which no file can hold, becomes
    U+FFFD."""
    out = io.StringIO()
    write = csv_writer(out)
    write(columns)
    for row in rows:
        write(row[name] for name in columns)
    return without_surrogates(out.getvalue())


def write_parquet(
    path: Path, rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]
) -> None:
    """Writes rows as Parquet with the given column types."""
    import duckdb

    with replacing(path) as temporary:
        lines = temporary.with_name(temporary.name + ".jsonl")
        try:
            with lines.open("w", encoding="utf-8") as out:
                for row in rows:
                    told = {name: row[name] for name in columns}
                    out.write(without_surrogates(json.dumps(told, ensure_ascii=False)) + "\n")
            fields = ", ".join(f"'{name}': '{kind}'" for name, kind in columns.items())
            with duckdb.connect() as db:
                db.execute(
                    f"COPY (SELECT * FROM read_json($source, format='newline_delimited', "  # noqa: S608
                    f"columns={{{fields}}}, maximum_object_size=1073741824)) "
                    "TO $target (FORMAT parquet, COMPRESSION zstd)",
                    {"source": str(lines), "target": str(temporary)},
                )
        except duckdb.Error as error:
            raise OSError(str(error)) from error
        finally:
            lines.unlink(missing_ok=True)
