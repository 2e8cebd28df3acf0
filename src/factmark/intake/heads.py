"""Whether the first line of a table names its columns, or is a row; and heads of two lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from factmark.files.problems import Problems
from factmark.files.separated import DELIMITERS, table_cells
from factmark.intake.columns import folded
from factmark.intake.tools import all_names

CELLS = (*DELIMITERS, ".txt", ".sif")
"""Files of cells with a sign between."""

_ROWS = 500  # that are looked at
_SURE = 2  # known names


def has_head(path: Path, encoding: str) -> bool:
    """Whether the first line of a table names its columns.

    It is a row where a cell of it stands further below in its column, too: names do not, but where
    the whole line is repeated. A line with two names that columns have in many tools is a head.

    Raises:
        InputError: the file cannot be read.
    """
    first, rows = table_cells(path, Problems(), encoding)
    known = sum(folded(cell) in all_names() for cell in first)
    if known >= min(_SURE, len(first)):
        return True
    below = [cells for _, cells in islice(rows, _ROWS) if tuple(cells) != first]
    return not any(_stands_below(cell, place, below) for place, cell in enumerate(first))


def _stands_below(cell: str, place: int, below: Sequence[Sequence[str]]) -> bool:
    """Whether a cell of the first line stands in its column further below."""
    return bool(cell) and any(cells[place].strip() == cell for cells in below)


def with_second_line(head: Sequence[str], cells: Sequence[str]) -> list[str] | None:
    """Returns the names of columns whose head has two lines, as surveys write it: a question stands
    above its first part, and nothing above the others. None where the second line is a row.

    >>> with_second_line(["who", "How good?", ""], ["", "text 1", "text 2"])
    ['who', 'How good? [text 1]', 'How good? [text 2]']
    """
    names: list[str] = []
    question = ""
    n_parts = 0
    for place, (name, part) in enumerate(zip(head, cells, strict=True)):
        is_below = not name and bool(question)
        has_more = bool(name) and place + 1 < len(head) and not head[place + 1]
        if is_below or (has_more and part):
            question = name or question
            if not part:
                return None
            n_parts += is_below
            names.append(f"{question} [{part}]")
            continue
        if part:
            return None
        question = ""
        names.append(name)
    return names if n_parts else None
