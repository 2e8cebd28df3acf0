"""A table once as data, then in each format. What the tables of all measures share.

DataTable ──► rich_table · markdown_table · csv_table · latex.latex_table · templates/table.html
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from io import StringIO
from typing import Literal

from rich import box
from rich.table import Table
from rich.text import Text

from factmark.files.flat_files import csv_writer
from factmark.model import Estimate
from factmark.report.sentence import FirstSentence
from factmark.text.shown_text import interval, number, one_line, visible

Value = str | int | float | None

_IN_WORDS = (  # of a method as results.json names it; the note is for people
    ("wilson (all clusters agree)", "Wilson's, where all agree"),
    ("Student's t over clusters, logit", "Student's t on the logit"),
    ("cluster bootstrap, studentised", "studentised bootstrap"),
    ("mover", "MOVER"),
    ("widened by z² more units", "widened for what so few units may not have shown"),
)
_SIZES = re.compile(r", [\d,]+ (?:labels by people of [\d,]+ units|verdicts)")
_MARKDOWN = str.maketrans({c: f"\\{c}" for c in "\\`*_[]#|~$"} | {"&": "&amp;", "<": "&lt;"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The head of a column of values; `better` is empty for counts, `meaning` where the name says
    it all."""

    name: str
    better: Literal["higher", "lower", ""] = ""
    meaning: str = ""

    @property
    def text(self) -> str:
        """The head where there is little room: a direction is told only if lower is better."""
        if self.better == "lower":
            return f"{self.name} (lower is better)"
        return self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value as text, with its interval, and with its bounds over the missing if wanted."""

    value: str
    interval: str = ""
    bounds: str = ""

    @property
    def text(self) -> str:
        """Value and interval as one text."""
        return f"{self.value} {self.interval}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableLine:
    """One line of a table.

    Attributes:
        labels: as many as the table has label columns, each one line of safe text.
        starts_group: whether the first label differs from the line before.
        overall: whether it stands out, as the total of others.
    """

    labels: tuple[str, ...]
    cells: tuple[Cell, ...]
    starts_group: bool = False
    overall: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class DataTable:
    """What can be laid out: the text of a table, and its unrounded values for machines.

    Attributes:
        title: one line.
        label_names, columns: the heads of the leading columns, and of the others.
        notes: what a reader must know, a sentence or two each.
        legend: the first of the notes where it is what the columns mean; else empty.
        record_names, records: names and values for machines.
    """

    title: str
    label_names: tuple[str, ...]
    columns: tuple[Head, ...]
    lines: tuple[TableLine, ...]
    notes: tuple[str, ...]
    record_names: tuple[str, ...]
    records: tuple[tuple[Value, ...], ...]
    legend: str = ""

    def __repr__(self) -> str:
        return f"<table {self.title!r} of {len(self.records)} rows>"

    def rows(self) -> list[dict[str, Value]]:
        """Returns the records as mappings from name to unrounded value."""
        return [dict(zip(self.record_names, record, strict=True)) for record in self.records]


def estimate_cell(estimate: Estimate, *, bounds: bool = False) -> Cell:
    """An estimate as a cell; with `bounds` also the least and greatest value over the missing."""
    bounded = bounds and estimate.n_missing
    return Cell(
        value=number(estimate.value),
        interval=interval(estimate),
        bounds=f"{extremes_text(estimate, ' to ')} with the missing"
        if bounded and extremes_text(estimate)
        else "",
    )


def extremes_text(estimate: Estimate, between: str = "–") -> str:
    """Returns the least and the greatest value over the missing; empty where they are not known."""
    if estimate.worst is None or estimate.best is None:
        return ""
    return between.join(number(value) for value in sorted((estimate.worst, estimate.best)))


def estimate_values(estimate: Estimate) -> tuple[Value, ...]:
    """Returns value, bounds of the interval, worst and best case, for machines."""
    return (estimate.value, estimate.low, estimate.high, estimate.worst, estimate.best)


def estimate_names(key: str) -> tuple[str, ...]:
    """Returns the names of the five `estimate_values`, from the key of their column."""
    return tuple(key + part for part in ("", "_low", "_high", "_worst", "_best"))


def interval_note(estimates: Iterable[Estimate]) -> list[str]:
    """Returns the note on how the intervals in brackets were made; nothing if there are none."""
    shown = []
    for e in estimates:
        if interval(e):
            shown.append((f"{e.level * 100:g} %", one_line(e.method)))
    if len(set(shown)) > 1:  # of how many labels each was made stands in the table
        shown = [(level, _SIZES.sub("", method)) for level, method in shown]
    methods: dict[str, dict[str, None]] = {}
    for level, method in shown:
        methods.setdefault(level, {})[_in_words(method)] = None
    parts = [f"{level} interval ({'; '.join(names)})" for level, names in methods.items()]
    if parts:
        return [f"In brackets: {'; '.join(parts)}."]
    return []


def _in_words(method: str) -> str:
    """A method of intervals as people call it."""
    for name, words in _IN_WORDS:
        method = method.replace(name, words)
    return method


def line_groups(table: DataTable) -> list[list[TableLine]]:
    """Returns the lines of a table, group by group."""
    groups: list[list[TableLine]] = []
    for line in table.lines:
        if line.starts_group or not groups:
            groups.append([])
        groups[-1].append(line)
    return groups


def visible_table(table: DataTable) -> DataTable:
    """Returns the table with its texts made safe: none can drive a terminal."""
    return replace(
        table,
        title=visible(table.title),
        label_names=tuple(map(visible, table.label_names)),
        columns=tuple(replace(column, name=visible(column.name)) for column in table.columns),
        lines=tuple(
            replace(
                line,
                labels=tuple(map(visible, line.labels)),
                cells=tuple(replace(cell, value=visible(cell.value)) for cell in line.cells),
            )
            for line in table.lines
        ),
        notes=tuple(map(visible, table.notes)),
        legend=visible(table.legend),
    )


def rich_table(table: DataTable) -> Table:
    """The table for the terminal. When there is little room, an interval moves below its value."""
    grid = Table(
        title=Text(table.title, style="bold"),
        caption=Text("\n".join(table.notes)),
        title_justify="left",
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1 if len(table.label_names) + len(table.columns) < 8 else 0, 0, 0),
    )
    for name in table.label_names:
        grid.add_column(Text(name), overflow="fold", min_width=min(len(name), 8))
    for place, column in enumerate(table.columns):
        cells = (line.cells[place].text for line in table.lines)
        parts = []
        for text in cells:
            parts.extend(text.replace(" [", "\n[").split("\n"))
        grid.add_column(
            Text(column.text),
            justify="right",
            min_width=max(len(part) for part in (*column.text.split(), *parts, "")),
        )
    for line in table.lines:
        if line.starts_group and grid.row_count:
            grid.add_section()
        grid.add_row(
            *map(Text, [*label_cells(line), *value_cells(line)]),
            style="bold" if line.overall else None,
        )
    return grid


def markdown_table(table: DataTable) -> str:
    """Returns a GitHub-flavoured table with its title above and its notes below."""
    marks = ["---"] * len(table.label_names) + ["---:"] * len(table.columns)
    lines = [_markdown_row(map(_markdown, all_heads(table))), _markdown_row(marks)]
    for line in table.lines:
        labels = [*map(_markdown, label_cells(line)), *value_cells(line)]
        lines.append(
            _markdown_row(f"**{text}**" if line.overall and text else text for text in labels)
        )
    notes = "".join(f"- {_markdown(note)}\n" for note in table.notes)
    return f"**{_markdown(table.title)}**\n\n" + "\n".join(lines) + f"\n\n{notes}"


def markdown_report(sentence: FirstSentence | None, tables: Iterable[DataTable]) -> str:
    """Tables one below the other, with the result in a sentence, and what bears on it, before."""
    beginning: tuple[str, ...] = ()
    if sentence:
        beginning = (sentence.sentence, *sentence.cautions)
    return "\n".join(
        [*(f"{_markdown(text)}\n" for text in beginning), *map(markdown_table, tables)]
    )


def csv_table(table: DataTable) -> str:
    """Returns one line per row, for machines: unrounded numbers, empty where there is no value."""
    out = StringIO()
    write = csv_writer(out)
    write(table.record_names)
    for record in table.records:
        write(record)
    return out.getvalue().replace("\r\n", "\n")


def all_heads(table: DataTable) -> list[str]:
    """Returns the heads of all columns."""
    return [*table.label_names, *(column.text for column in table.columns)]


def label_cells(line: TableLine) -> list[str]:
    """Returns the leading cells of a line; a group is named on its first line only."""
    if line.starts_group:
        return list(line.labels)
    return ["", *line.labels[1:]]


def value_cells(line: TableLine) -> list[str]:
    """Returns the texts of the cells after the labels."""
    return [cell.text for cell in line.cells]


def _markdown(text: str) -> str:
    """Returns a text with Markdown's special characters escaped."""
    return text.translate(_MARKDOWN)


def _markdown_row(texts: Iterable[str]) -> str:
    """Returns cells as a row of a Markdown table."""
    return f"| {' | '.join(texts)} |"
