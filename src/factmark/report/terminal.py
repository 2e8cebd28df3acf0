"""Tables for a terminal of a given width: names break where they may, columns go to a second table.

A label column is never narrower than the longest word of its head. Where the numbers do not fit
beside the labels even so, columns that hold nothing but 0 are left out, and the others are split
into several tables, each with all labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from factmark.report.layouts import DataTable, rich_table

_ROOMY = 30  # characters of a label that come before the numbers' intervals
_LONGEST_PIECE = 16  # characters; a longer word is broken anywhere
_BREAKS = re.compile(r"(?<=[:/_\-\s])")
_UNBOUNDED = 10_000


def fitting_tables(table: DataTable, width: int) -> Iterator[Table | Text]:
    """Yields the table for a terminal of that width: as one, or as several tables and the notes.

    A table is wider than that only if its labels and a single column of numbers are.
    """
    whole = rich_table(table)
    if _measure(whole, "maximum") <= width:
        yield whole
        return
    names = len(table.label_names)
    least = [_least_width(table, place) for place in range(names)]
    room = width - 1 - sum(size + 1 for size in least)
    values = _value_widths(table)
    if sum(size + 1 for size in values) > room:
        table = _without_zeros(table)
        values = _value_widths(table)
    parts = list(_split_columns(values, room))
    for first, last in parts:
        free = room - sum(size + 1 for size in values[first:last])
        labels = _grow_widths(least, [_natural_width(table, place) for place in range(names)], free)
        if len(parts) == 1:
            notes = table.notes
        else:
            notes = ()
        part = replace(
            _column_range(table, first, last, labels),
            title=table.title if not first else f"{table.title} (continued)",
            notes=notes,
        )
        yield _lay_out(part, labels, width)
    if len(parts) > 1 and table.notes:  # as wide as the terminal, not as the last part
        yield Text("\n".join(table.notes) + "\n", style="table.caption")


def least_width(part: Table | Text) -> int:
    """Returns how wide a terminal has to be to show a table without breaking a number."""
    return Console(width=_UNBOUNDED).measure(part).minimum


def _value_widths(table: DataTable) -> list[int]:
    """Returns the least width of each column of numbers."""
    columns = rich_table(table).columns[len(table.label_names) :]
    return [column.min_width or 0 for column in columns]


def _without_zeros(table: DataTable) -> DataTable:
    """Returns the table without the columns in which all is 0, and a note that names them."""
    zeros = []
    for place in range(len(table.columns)):
        if table.lines and all(line.cells[place].text == "0" for line in table.lines):
            zeros.append(place)
    if not zeros:
        return table
    kept = [place for place in range(len(table.columns)) if place not in zeros]
    names = ", ".join(table.columns[place].name for place in zeros)
    return replace(
        table,
        columns=tuple(table.columns[place] for place in kept),
        lines=tuple(
            replace(line, cells=tuple(line.cells[place] for place in kept)) for line in table.lines
        ),
        notes=(*table.notes, f"Not shown, as it is 0 in every line: {names}."),
    )


def _measure(grid: Table, what: str) -> int:
    # A title or a caption may be as long as it likes: it wraps.
    """Returns the width that rich would need for the columns; `what` is `minimum` or `maximum`."""
    bare = Table(box=grid.box, pad_edge=grid.pad_edge, padding=grid.padding)
    bare.columns = grid.columns
    bare.rows = grid.rows
    measurement = Console(width=_UNBOUNDED).measure(bare)
    return int(getattr(measurement, what))


def _lay_out(part: DataTable, labels: Sequence[int], width: int) -> Table:
    """Returns a table for rich whose columns take their least widths where room is short."""
    grid = rich_table(part)
    grid.padding = 0
    for column, size in zip(grid.columns, labels, strict=False):
        column.min_width = None
        column.width = size
    if _measure(grid, "maximum") > width:  # else rich would spread what little room there is
        for column in grid.columns[len(labels) :]:
            column.width = column.min_width
            for cell in column.cells:
                if isinstance(cell, Text) and cell.cell_len > (column.min_width or 0):
                    cell.plain = cell.plain.replace(" [", "\n[")
    return grid


def _split_columns(values: Sequence[int], room: int) -> Iterator[tuple[int, int]]:
    """Yields runs of columns (first, last + 1) that fit into the room; at least one column each,
    and no column alone at the end that has room for one beside it."""
    first = 0
    used = 0
    starts = [0]
    for place, size in enumerate(values):
        if place > first and used + size + 1 > room:
            starts.append(place)
            first = place
            used = 0
        used += size + 1
    last = len(values) - 1
    alone = len(starts) > 1 and starts[-1] == last
    if alone and last - starts[-2] > 2 and sum(values[last - 1 :]) + 2 <= room:
        starts[-1] = last - 1
    yield from pairwise((*starts, len(values)))


def _grow_widths(least: Sequence[int], natural: Sequence[int], free: int) -> list[int]:
    """Widths between the least and the natural ones (at most `_ROOMY`) that use the free room."""
    widths = list(least)
    # Column by column, the narrowest first, so that no long name takes all the room.
    while free > 0:
        lacking = []
        for place, size in enumerate(widths):
            if size < min(natural[place], max(_ROOMY, least[place])):
                lacking.append(place)
        if not lacking:
            break
        widths[min(lacking, key=lambda place: widths[place])] += 1
        free -= 1
    return widths


def _natural_width(table: DataTable, place: int) -> int:
    """Returns the width of a label column if no line of it is broken."""
    texts = (table.label_names[place], *(line.labels[place] for line in table.lines))
    return max(cell_len(text) for text in texts)


def _least_width(table: DataTable, place: int) -> int:
    """Returns the width of the longest word of the head, or of the longest piece of a name."""
    heads = []
    for word in table.label_names[place].split():
        heads.append(cell_len(word))
    names = []
    for line in table.lines:
        for piece in _pieces_of_name(line.labels[place]):
            names.append(cell_len(piece))
    return max((*heads, *names), default=1)


def _pieces_of_name(text: str) -> Iterator[str]:
    """Yields a text in pieces that a line may end after, without blanks at their ends."""
    for piece in _BREAKS.split(text):
        for at in range(0, len(piece.rstrip()), _LONGEST_PIECE):
            yield piece.rstrip()[at : at + _LONGEST_PIECE]


def break_lines(text: str, width: int) -> str:
    """The text in lines of that width, which end after a blank, `:`, `/`, `_` or `-` if they can.

    >>> break_lines("openai:gpt-4.1-mini", 12)
    'openai:gpt-\\n4.1-mini'
    """
    lines = [""]
    for piece in _BREAKS.split(text):
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > width:
            lines.append("")
        for character in piece:
            if cell_len((lines[-1] + character).rstrip()) > width:
                lines.append("")
            lines[-1] += character
    return "\n".join(line.rstrip() for line in lines)


def _column_range(table: DataTable, first: int, last: int, labels: Sequence[int]) -> DataTable:
    """Returns the table with some of its columns, its labels broken to their widths."""
    lines = (
        replace(
            line,
            labels=tuple(map(break_lines, line.labels, labels)),
            cells=line.cells[first:last],
        )
        for line in table.lines
    )
    return replace(table, columns=table.columns[first:last], lines=tuple(lines), notes=())
