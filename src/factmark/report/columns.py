"""A result declared once: columns with name, value, format and meaning, over rows of any kind.

columns = (
    Column(name="system", value=lambda row: row.system, label=True),
    Column(name="S", key="score", value=lambda row: row.score, better="higher",
           meaning="S: combined score."),
)
table = table_of("Scores", columns, rows)  # then rich_table, markdown_table, csv_table, ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, Literal, TypeVar

from factmark.model import Estimate
from factmark.report.layouts import (
    Cell,
    DataTable,
    Head,
    TableLine,
    Value,
    estimate_cell,
    estimate_names,
    estimate_values,
    interval_note,
)
from factmark.text.shown_text import NO_VALUE, number, one_line

Shown = Estimate | Cell | Value
Row = TypeVar("Row")


@dataclass(frozen=True, kw_only=True)  # no slots: `Column[Row](...)` sets an attribute
class Column(Generic[Row]):
    """One column of a result.

    Attributes:
        name: its head for people; empty where only machines get it.
        value: what a row has in it. An `Estimate` is shown with its interval; a `Cell` as it is.
        key: its name for machines, who get the unrounded value (of an estimate: value, low, high,
            worst, best); empty where only people get it.
        better: which direction is good.
        label: whether it is one of the leading columns of text, which name the row.
        shown: whether people see it; machines get it by its key either way.
        show: how people are shown a value; None for two decimals, whole numbers and plain text.
        meaning: what it is, in a sentence of the notes.
        optional: whether people are spared it where no row has a value in it.
        bounds: whether an estimate is shown with its bounds over the missing.
        estimate: whether its values are estimates, also where a row has none (for machines).
    """

    name: str = ""
    value: Callable[[Row], Shown]
    key: str = ""
    better: Literal["higher", "lower", ""] = ""
    label: bool = False
    shown: bool = True
    show: Callable[[Any], str | Cell] | None = None
    meaning: str = ""
    optional: bool = False
    bounds: bool = False
    estimate: bool = False

    def cell(self, row: Row) -> Cell:
        """Returns what people are shown of a row."""
        value = self.value(row)
        if isinstance(value, Cell):
            return value
        if value is None:
            return Cell(value=NO_VALUE)
        if self.show is not None:
            shown = self.show(value)
            if isinstance(shown, Cell):
                return shown
            return Cell(value=shown)
        if isinstance(value, Estimate):
            return estimate_cell(value, bounds=self.bounds)
        if isinstance(value, float):
            return Cell(value=number(value))
        return Cell(value=f"{value:,}" if isinstance(value, int) else one_line(value) or NO_VALUE)

    def is_for_people(self, rows: Iterable[Row]) -> bool:
        """Whether people see it in a table of these rows."""
        if not self.name or not self.shown:
            return False
        return not self.optional or any(self.value(row) is not None for row in rows)

    def machine_names(self) -> tuple[str, ...]:
        """The column's names for machines: five for an estimate, else one."""
        if self.estimate:
            return estimate_names(self.key)
        return (self.key,)

    def values(self, row: Row) -> tuple[Value, ...]:
        """Returns what machines are given of a row, as many values as `machine_names`."""
        value = self.value(row)
        if self.estimate:
            if isinstance(value, Estimate):
                return estimate_values(value)
            return (None,) * 5
        if isinstance(value, Estimate | Cell):
            raise TypeError(f"column {self.key!r} has estimates or cells; say so, or give no key")
        return (one_line(value) if isinstance(value, str) else value,)


def attribute_column(attribute: str, name: str | None = None, **parts: Any) -> Column[Any]:
    """Returns the column of an attribute of a row, such as `score.retrieval`, whose last word is
    the key.

    Args:
        name: for people, the key where none is given; empty where only machines get it.
        parts: what else the column has.
    """
    key = attribute.rpartition(".")[2]
    if name is None:
        name = key
    return Column(name=name, key=key, value=attrgetter(attribute), **parts)


def table_of(
    title: str,
    columns: Sequence[Column[Row]],
    rows: Iterable[Row],
    *,
    group: Callable[[Row], object] | None = None,
    overall: Callable[[Row], bool] | None = None,
    notes: Sequence[str] = (),
    records: Iterable[Row] | None = None,
) -> DataTable:
    """Returns the table that `columns` make of `rows`.

    Args:
        title: one line.
        columns: in the order in which they are shown; label columns come first by themselves.
        rows: one line each.
        group: what neighbours share that belong together; None where each row stands alone.
        overall: whether a row stands out, as the total of others.
        notes: what a reader must know; the columns' meanings and how intervals were made stand
            before them.
        records: the rows for machines, where they are others than people's.
    """
    lines = list(rows)
    shown = [column for column in columns if column.is_for_people(lines)]
    labels = [column for column in shown if column.label]
    values = [column for column in shown if not column.label]
    keyed = [column for column in columns if column.key]
    estimates = (
        value for row in lines for c in values if isinstance(value := c.value(row), Estimate)
    )
    meanings = " ".join(column.meaning for column in shown if column.meaning)
    table_lines = []
    for place, row in enumerate(lines):
        line = TableLine(
            labels=tuple(column.cell(row).value for column in labels),
            cells=tuple(column.cell(row) for column in values),
            starts_group=not place or group is None or group(row) != group(lines[place - 1]),
            overall=overall is not None and overall(row),
        )
        table_lines.append(line)
    if records is None:
        records = lines
    return DataTable(
        title=one_line(title),
        label_names=tuple(column.name for column in labels),
        columns=tuple(map(_head, values)),
        lines=tuple(table_lines),
        legend=meanings,
        notes=(*filter(None, [meanings]), *interval_note(estimates), *notes),
        record_names=tuple(key for column in keyed for key in column.machine_names()),
        records=tuple(_record(keyed, row) for row in records),
    )


def _head(column: Column[Any]) -> Head:
    """Returns the head of a column."""
    return Head(name=column.name, better=column.better, meaning=column.meaning)


def _record(columns: Sequence[Column[Row]], row: Row) -> tuple[Value, ...]:
    """Returns what machines are given of a row by these columns."""
    return tuple(value for column in columns for value in column.values(row))
