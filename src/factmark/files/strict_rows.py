"""Rows of a file of which none may be left out, and cells that must be there."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import Row, is_broken, read_rows
from factmark.files.text_files import why_too_long

_UNDECODED = re.compile("[\udc80-\udcff]")  # how bytes that are not in the encoding are read


def strict_rows(path: Path, encoding: str = "utf-8") -> Iterator[tuple[str, Row]]:
    """The rows of a file, each with file and place.

    Raises:
        InputError: at the end, where any row could not be read; nothing is left out.
    """
    problems = Problems()
    for where, row in read_rows(path, problems, encoding):
        yield f"{path}, {where}", row
    if told := problems.sentences():
        first = next(iter(problems.examples.values()))[0]
        if any("JSON" in kind for kind in problems.dropped):
            first += "; is the file cut off there?"
        more = f" ({problems.n_dropped} rows in all)" if problems.n_dropped > 1 else ""
        kind = told[0].partition(":")[0]
        raise InputError(f"{path}, {first}{more} ({kind}). Nothing was written; mend the file.")


def text_cell(where: str, row: Row, column: str) -> str:
    """A text that must be there.

    Raises:
        InputError: it is missing, no text, empty, or not in the encoding.
    """
    if column not in row:
        columns = ", ".join(str(name) for name in list(row)[:12]) or "nothing"
        raise InputError(f"{where}: no column {column!r}. Found: {columns}.")
    value = row[column]
    if not isinstance(value, str):
        kind = "missing" if value is None else f"a {type(value).__name__}"
        raise InputError(f"{where}: {column!r} is {kind}, not a text.")
    if not value.strip():
        raise InputError(f"{where}: {column!r} is empty.")
    if why := why_too_long(value):
        raise InputError(f"{where}: {column!r} has {why}.")
    if _UNDECODED.search(value):
        raise InputError(f"{where}: {column!r} is not UTF-8. Save it so, or name its --encoding.")
    return value


def name_cell(where: str, row: Row, column: str) -> str:
    """A name (of a document, of a system) that must be there; numbers are names as well.

    Raises:
        InputError: as `text_cell`.
    """
    value = row.get(column)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise InputError(f"{where}: {column!r} is {value}, which names nothing.")
        return str(value)
    name = text_cell(where, row, column).strip()
    if is_broken(name):
        raise InputError(f"{where}: {column!r} holds what is no character.")
    return name
