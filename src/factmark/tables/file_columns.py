"""A file with a row per unit, declared once: columns with name, value, type and meaning.

CSV, Parquet, JSON and the documentation read the same columns. Tables for people have `columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

from factmark.files.flat_files import json_text
from factmark.model import Estimate

Row = TypeVar("Row")
SqlType = Literal["VARCHAR", "BIGINT", "DOUBLE", "BOOLEAN"]


@dataclass(frozen=True, kw_only=True)  # no slots: `FileColumn[Row](...)` sets an attribute
class FileColumn(Generic[Row]):
    """One column of a file.

    Attributes:
        name: in CSV and Parquet, and the key in JSON.
        value: what a row has in it; a list stays one in JSON, and is JSON text in a cell.
        type: in Parquet.
        meaning: for the documentation; empty where the name says it.
    """

    name: str
    value: Callable[[Row], Any]
    type: SqlType = "VARCHAR"
    meaning: str = ""


def json_values(columns: Sequence[FileColumn[Row]], row: Row) -> dict[str, Any]:
    """Returns the values of a row by the columns' names, lists as lists."""
    return {column.name: column.value(row) for column in columns}


def file_rows(columns: Sequence[FileColumn[Row]], rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Returns a flat row for each row, by the columns' names; a list becomes JSON text."""
    return [
        {
            name: json_text(value) if isinstance(value, list) else value
            for name, value in json_values(columns, row).items()
        }
        for row in rows
    ]


def parquet_types(columns: Sequence[FileColumn[Row]]) -> dict[str, str]:
    """Returns name -> type in SQL, as `files.flat_files.write_parquet` takes them."""
    return {column.name: column.type for column in columns}


_OF_ESTIMATES: tuple[FileColumn[Estimate], ...] = (
    FileColumn(name="value", type="DOUBLE", value=lambda estimate: estimate.value),
    FileColumn(name="low", type="DOUBLE", value=lambda estimate: estimate.low),
    FileColumn(name="high", type="DOUBLE", value=lambda estimate: estimate.high),
    FileColumn(name="level", type="DOUBLE", value=lambda estimate: estimate.level),
    FileColumn(name="method", value=lambda estimate: estimate.method),
    FileColumn(name="n_items", type="BIGINT", value=lambda estimate: estimate.n_items),
    FileColumn(name="n_units", type="BIGINT", value=lambda estimate: estimate.n_units),
    FileColumn(name="n_missing", type="BIGINT", value=lambda estimate: estimate.n_missing),
    FileColumn(name="worst", type="DOUBLE", value=lambda estimate: estimate.worst),
    FileColumn(name="best", type="DOUBLE", value=lambda estimate: estimate.best),
    FileColumn(name="design_effect", type="DOUBLE", value=lambda estimate: estimate.design_effect),
    FileColumn(name="n_effective", type="DOUBLE", value=lambda estimate: estimate.n_effective),
    FileColumn(name="signature", value=lambda estimate: estimate.signature),
)


def estimate_columns(
    estimate_of: Callable[[Row], Estimate | None], *names: str
) -> tuple[FileColumn[Row], ...]:
    """Returns the columns of an estimate, the named ones or all; empty where a row has none."""

    def column(part: FileColumn[Estimate]) -> FileColumn[Row]:
        def value(row: Row) -> Any:
            estimate = estimate_of(row)
            return None if estimate is None else part.value(estimate)

        return FileColumn(name=part.name, type=part.type, value=value, meaning=part.meaning)

    known = {part.name: part for part in _OF_ESTIMATES}
    return tuple(column(known[name]) for name in names or known)
