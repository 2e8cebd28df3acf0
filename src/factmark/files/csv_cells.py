"""CSV as factmark writes and reads it: every cell comes back as it was, and none is run."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _csv import Reader

MAX_CELL = 16 * 1024 * 1024
"""Characters of the longest cell that is read; a longer one is an error with its line."""

_FORMULA = re.compile(r"'*[=+\-@\t\r]")


def csv_writer(out: TextIO) -> Callable[[Iterable[object]], object]:
    """What writes a row (RFC 4180): CR, LF, commas and quotes stand in quotes, None is empty.

    A text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    write = csv.writer(out, lineterminator="\r\n").writerow  # it quotes what stands in this
    return lambda row: write([guarded(cell) if isinstance(cell, str) else cell for cell in row])


def csv_reader(lines: Iterable[str], delimiter: str = ",") -> Reader:
    """A `csv.reader` that refuses broken quotes and cells longer than `MAX_CELL`."""
    csv.field_size_limit(MAX_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def guarded(text: str) -> str:
    """The text so that no spreadsheet takes it for a formula.

    >>> guarded("=1+1"), guarded("'=1+1"), guarded("1-1")
    ("'=1+1", "''=1+1", '1-1')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """A text as it was before `guarded`."""
    return text[1:] if text[:1] == "'" and _FORMULA.match(text) else text
