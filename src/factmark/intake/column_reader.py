"""Some columns of a file, to its end: what a table of a million rows is analysed from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from typing import Any, Protocol

from factmark.files.frames import frame_column
from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.rows import JSON_LINES, header_of, object_blocks, parquet_blocks
from factmark.files.separated import (
    IrregularError,
    cell_blocks,
    numbered_names,
    table_header,
)
from factmark.intake.heads import CELLS
from factmark.intake.shapes import AS_IT_STANDS
from factmark.intake.table_file import TableFile

_BLOCK = 20_000  # rows
_PLAIN = {str, int, float, bool, type(None)}


class Taker(Protocol):
    """What takes the cells of a column as they come."""

    def add(self, cells: Sequence[Any]) -> None:
        """Takes the next cells."""


def read_columns(
    table: TableFile, takers: Callable[[], Mapping[str, Taker]], problems: Problems
) -> Mapping[str, Taker]:
    """Returns the takers of some columns of a file, by their paths, with all cells taken.

    Args:
        takers: returns new ones; a table that turns out irregular is begun again.

    Raises:
        InputError: the file cannot be read.
    """
    suffix = table.path.suffix.casefold()
    reader = None
    if table.stream is not None:
        reader = None
    elif suffix in CELLS and table.has_head:
        reader = _read_regular
    elif suffix in JSON_LINES and table.value is None and table.frame is None:
        reader = _read_objects
    if reader is not None and table.shape == AS_IT_STANDS:
        try:
            return reader(table, takers(), problems)
        except IrregularError:
            problems.rows = 0
    taking = takers()
    if table.frame is not None and set(taking) <= set(table.frame.columns):
        _take_frame(table, taking, problems)
    elif _is_plain_parquet(table, taking):
        _take_parquet(table, taking, problems)
    else:
        rows = (row for _, row in table.rows(problems))
        while block := list(islice(rows, _BLOCK)):
            for path, taker in taking.items():
                taker.add(plain_cells([cell_at(row, path) for row in block]))
    return taking


def _is_plain_parquet(table: TableFile, columns: Collection[str]) -> bool:
    """Whether a table is Parquet, read as it stands, and has some columns."""
    is_parquet = table.stream is None and table.path.suffix.casefold() == ".parquet"
    return is_parquet and set(columns) <= set(header_of(table.path))


def _take_frame(table: TableFile, taking: Mapping[str, Taker], problems: Problems) -> None:
    """Gives the takers the columns of a DataFrame."""
    problems.rows = len(table.frame)
    for path, taker in taking.items():
        taker.add(plain_cells(frame_column(table.frame, path)))


def _take_parquet(table: TableFile, taking: Mapping[str, Taker], problems: Problems) -> None:
    """Gives the takers the columns of a Parquet file."""
    for cells in parquet_blocks(table.path, list(taking)):
        problems.rows += len(cells)
        for taker, column in zip(taking.values(), zip(*cells, strict=True), strict=True):
            taker.add(plain_cells(list(column)))


def _read_regular(
    table: TableFile, taking: Mapping[str, Taker], problems: Problems
) -> Mapping[str, Taker]:
    """Reads a table whose rows are all like its head.

    Raises:
        IrregularError: one is not.
    """
    names = numbered_names(table_header(table.path, table.encoding))
    places = [(itemgetter(names.index(path)), taker) for path, taker in taking.items()]
    for block in cell_blocks(table.path, table.encoding):
        problems.rows += len(block)
        for cell_of, taker in places:
            taker.add(list(map(cell_of, block)))
    return taking


def _read_objects(
    table: TableFile, taking: Mapping[str, Taker], problems: Problems
) -> Mapping[str, Taker]:
    """Reads a file of an object a line.

    Raises:
        IrregularError: a line is something else.
    """
    for block in object_blocks(table.path, table.encoding):
        problems.rows += len(block)
        for path, taker in taking.items():
            if "." in path:
                cells = [cell_at(row, path) for row in block]
            else:
                cells = [row.get(path) for row in block]
            taker.add(plain_cells(cells))
    return taking


def plain_cells(cells: list[Any]) -> list[Any]:
    """Returns cells as `plain_cell` has them; those that are plain, in no time."""
    if set(map(type, cells)) <= _PLAIN:
        return cells
    return list(map(plain_cell, cells))


def plain_cell(cell: Any) -> Any:
    """Returns a cell as what can be told apart: of a list of one item the item, other lists and
    objects as text."""
    if isinstance(cell, list | tuple) and len(cell) == 1:
        return plain_cell(cell[0])
    return str(cell) if isinstance(cell, list | tuple | Mapping) else cell
