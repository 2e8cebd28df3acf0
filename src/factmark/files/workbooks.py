"""Rows of Excel workbooks: a sheet whose first line, or first two, name its columns."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.native import native_reader
from factmark.files.problems import Problems
from factmark.files.separated import numbered_names
from factmark.files.text_files import path_to_open
from factmark.text.shell import quote
from factmark.text.shown_text import some

WORKBOOKS = (".xlsx", ".xlsm")
_LIMIT = 2**30  # bytes unpacked

Line = tuple[int, list[Any]]
"""A line of a sheet that holds something: its number and its cells."""


def workbook_rows(
    path: Path, problems: Problems, sheet: str = ""
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields the rows of a sheet, each with its line; cells under no name are left out. Formulas
    come as what they gave when the workbook was saved, times as ISO 8601.

    Where cells of the first line span several columns, which the second line names, a column has
    both names: `rater 1: fluency`.

    Args:
        sheet: its name; may be empty where only one sheet holds rows.

    Raises:
        InputError: openpyxl is not installed, the workbook is damaged or too large, there is no
            such sheet, or several hold rows and none is named.
    """
    lines = _lines_of(path, sheet)
    if not lines:
        raise InputError(f"{path}: holds no rows.")
    heads, rows = _named(lines)
    names = numbered_names(heads)
    for number, cells in rows:
        problems.rows += 1
        row = {name: cell for name, cell in zip(names, cells, strict=False) if name}
        yield f"line {number}", row


def _lines_of(path: Path, sheet: str) -> Sequence[Line]:
    """Returns the lines of the sheet that is named, or of the only one that holds rows."""
    sheets = _sheets(path)
    if sheet:
        if sheet not in sheets:
            held = some(list(map(repr, sheets)), 8)
            raise InputError(f"{path}: has no sheet {sheet!r}. It has {held}.")
        return sheets[sheet]
    filled = [name for name, lines in sheets.items() if len(lines) > 1]
    if len(filled) > 1:
        ways = "; ".join(f"--rows {quote(name)}" for name in filled)
        raise InputError(f"{path}: several sheets hold rows. Say which: {ways}.")
    return sheets[filled[0]] if filled else []


def _sheets(path: Path) -> Mapping[str, list[Line]]:
    """Returns name -> the lines of each sheet."""
    try:
        import openpyxl
    except ImportError as error:
        raise InputError(
            f'{path}: is a workbook; to read it: pip install "factmark[xlsx]". Or save the sheet '
            "as CSV (UTF-8), and name that."
        ) from error
    with native_reader(path, "a workbook", zipfile.BadZipFile, SyntaxError, LookupError, TypeError):
        with zipfile.ZipFile(path_to_open(path)) as packed:
            if sum(info.file_size for info in packed.infolist()) > _LIMIT:
                raise InputError(f"{path}: is larger than {_LIMIT // 2**20:,} MiB unpacked.")
        book = openpyxl.load_workbook(path_to_open(path), read_only=True, data_only=True)
        try:
            return {sheet.title: list(_filled_lines(sheet)) for sheet in book.worksheets}
        finally:
            book.close()


def _filled_lines(sheet: Any) -> Iterator[Line]:
    """Yields the lines of a sheet that hold something."""
    for number, cells in enumerate(sheet.iter_rows(values_only=True), start=1):
        values = [_plain(cell) for cell in cells]
        if any(value is not None for value in values):
            yield number, values


def _plain(cell: object) -> object:
    """Returns a cell as JSON has it; a text of blanks is an empty cell."""
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, str):
        return cell.strip() or None
    if cell is None or isinstance(cell, bool | int | float):
        return cell
    return str(cell)


def _named(lines: Sequence[Line]) -> tuple[list[str], Sequence[Line]]:
    """Returns the names of the columns, and the lines below them."""
    head = lines[0][1]
    if len(lines) > 2 and _spans(head, lines[1][1], lines[2][1]):
        return _of_both(head, lines[1][1]), lines[2:]
    return [_name(cell) for cell in head], lines[1:]


def _spans(head: Sequence[Any], below: Sequence[Any], row: Sequence[Any]) -> bool:
    """Whether the second line names columns, too: cells of the first span several of them, all of
    the second are texts, and those of the third are not."""
    given = [place for place, cell in enumerate(below) if cell is not None]
    is_wider = any(place < len(head) and head[place] is None for place in given)
    are_names = all(isinstance(below[place], str) for place in given)
    has_numbers = any(isinstance(cell, int | float) for cell in row)
    return len(given) > 1 and is_wider and are_names and has_numbers


def _of_both(head: Sequence[Any], below: Sequence[Any]) -> list[str]:
    """Returns names of two lines: of the first, to the right until the next one, and the second."""
    names = []
    group = ""
    for first, second in zip(head, below, strict=False):
        group = _name(first) or group
        if second is None:
            names.append(_name(first))
        else:
            names.append(f"{group}: {_name(second)}" if group else _name(second))
    return names


def _name(cell: object) -> str:
    """Returns the name in a cell."""
    return "" if cell is None else " ".join(str(cell).split())
