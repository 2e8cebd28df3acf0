"""A file with a row per unit, declared once: columns with name, value, type and meaning.

CSV, Parquet, JSON and the documentation read the same columns. Tables for people have `columns`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
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
        long: whether it holds long texts, such as passages, that JSON does without.
    """

    name: str
    value: Callable[[Row], Any]
    type: SqlType = "VARCHAR"
    meaning: str = ""
    long: bool = False


def attributes(
    *names: str, of: str = "", type: SqlType = "VARCHAR", long: bool = False
) -> tuple[FileColumn[Any], ...]:
    """Returns a column for each of these attributes of a row, or of its part `of`."""
    start = ""
    if of:
        start = f"{of}."
    return tuple(
        FileColumn(name=name, value=attrgetter(start + name), type=type, long=long)
        for name in names
    )


def json_values(columns: Sequence[FileColumn[Row]], row: Row) -> dict[str, Any]:
    """Returns the values of a row by the columns' names, lists as lists."""
    return values_of(columns)(row)


def values_of(columns: Sequence[FileColumn[Row]]) -> Callable[[Row], dict[str, Any]]:
    """Returns what `json_values` does for each of many rows."""
    pairs = [(column.name, column.value) for column in columns]

    def values(row: Row) -> dict[str, Any]:
        return {name: value(row) for name, value in pairs}

    return values


def file_rows(columns: Sequence[FileColumn[Row]], rows: Iterable[Row]) -> Iterator[dict[str, Any]]:
    """Yields a flat row for each row, by the columns' names; lists and objects as JSON text."""
    row_values = values_of(columns)
    for row in rows:
        yield flat_cells(row_values(row))


def flat_cells(values: dict[str, Any]) -> dict[str, Any]:
    """Returns values with lists and objects as JSON text; the same record where there are none."""
    if not any(isinstance(value, list | dict) for value in values.values()):
        return values
    cells = {}
    for name, value in values.items():
        cells[name] = json_text(value) if isinstance(value, list | dict) else value
    return cells


def parquet_types(columns: Sequence[FileColumn[Row]]) -> dict[str, str]:
    """Returns name -> type in SQL, as `files.flat_files.write_parquet` takes them."""
    return {column.name: column.type for column in columns}


def with_given_columns(
    columns: Sequence[FileColumn[Row]],
    rows: Collection[Row],
    given_of: Callable[[Row], Mapping[str, object]],
) -> tuple[FileColumn[Row], ...]:
    """Returns the columns of results, and behind them those of the user's own table, with the types
    of their values. One that is called as another column, but for case, which Parquet's readers do
    not tell apart, has `_given` after its name; if it also says the same in every row, it is left
    out.

    Args:
        given_of: a row's own columns.
    """
    all_columns = {column.name.casefold(): column for column in columns}
    for name, kinds in _kinds_of_cells(map(given_of, rows)).items():
        value = _value_given(name, given_of)
        ours = all_columns.get(name.casefold())
        if ours and all(_says_the_same(given_of(row).get(name), ours.value(row)) for row in rows):
            continue
        own = name
        while own.casefold() in all_columns:
            own += "_given"
        all_columns[own.casefold()] = FileColumn(name=own, value=value, type=_sql_type(kinds))
    return tuple(all_columns.values())


def _kinds_of_cells(given: Iterable[Mapping[str, object]]) -> dict[str, set[type | None]]:
    """Returns the columns of rows, in the order in which they come up, with the types of their
    cells; None stands for a whole number that no column of numbers in Parquet holds."""
    kinds: dict[str, set[type | None]] = {}
    for cells in given:
        for name, cell in cells.items():
            known = kinds.setdefault(name, set())
            if type(cell) is int and not -(2**63) <= cell < 2**63:
                known.add(None)
            elif cell is not None:
                known.add(type(cell))
    return kinds


def _says_the_same(cell: object, ours: object) -> bool:
    """Whether two cells are shown alike in a file."""
    return str("" if cell is None else cell) == str("" if ours is None else ours)


def _value_given(
    name: str, given_of: Callable[[Row], Mapping[str, object]]
) -> Callable[[Row], object]:
    """Returns what gives a row's value in a column of the user's; an object as JSON text."""

    def value(row: Row) -> object:
        cell = given_of(row).get(name)
        if isinstance(cell, Mapping):
            return json_text(cell)
        return cell

    return value


def _sql_type(kinds: set[type | None]) -> SqlType:
    """Returns the type in Parquet of a column with cells of these types."""
    of_numbers: set[type | None] = {int, float}
    if kinds == {bool}:
        return "BOOLEAN"
    if kinds == {int}:
        return "BIGINT"
    if float in kinds and of_numbers.issuperset(kinds - {None}):
        return "DOUBLE"
    return "VARCHAR"


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
            if estimate is None:
                return None
            return part.value(estimate)

        return FileColumn(name=part.name, type=part.type, value=value, meaning=part.meaning)

    known = {part.name: part for part in _OF_ESTIMATES}
    return tuple(column(known[name]) for name in names or known)


def prefixed_columns(
    name: str, estimate_of: Callable[[Row], Estimate | None]
) -> tuple[FileColumn[Row], ...]:
    """Returns the columns NAME, NAME_low, NAME_high, NAME_worst and NAME_best of an estimate."""
    parts = estimate_columns(estimate_of, "value", "low", "high", "worst", "best")
    return tuple(
        replace(part, name=name if part.name == "value" else f"{name}_{part.name}")
        for part in parts
    )
