"""Tables whose cells a sign separates: the one that the file's name says, or the one that the first
line has. Lines that begin with `#` before it, such as the head of an SSSOM file, are left out."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.errors import InputError
from factmark.files.flat_files import csv_reader
from factmark.files.problems import Problems
from factmark.files.text_files import bounded_lines, encoding_of_mark, without_surrogates

if TYPE_CHECKING:
    from _csv import Reader

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_MTURK_ENDS = ("Approve", "Reject")  # columns of which Mechanical Turk's results have no cells


def table_rows(
    path: Path, problems: Problems, encoding: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields the rows of a table as mappings by header, each with its lines."""
    header, rows = table_cells(path, problems, encoding)
    return ((where, row_of_cells(header, cells)) for where, cells in rows)


def row_of_cells(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Returns cells by the names of their columns; those under no name are left out."""
    row = dict(zip(header, cells, strict=True))
    row.pop("", None)
    return row


def table_cells(
    path: Path, problems: Problems, encoding: str
) -> tuple[tuple[str, ...], Iterator[tuple[str, list[str]]]]:
    """Returns the names of a table's columns, and its rows as cells, each with its lines."""
    header, reader = _open_table(path, encoding)
    return header, _rows_of_cells(header, reader, problems)


def _rows_of_cells(
    header: Sequence[str], reader: Reader, problems: Problems
) -> Iterator[tuple[str, list[str]]]:
    """Yields the rows that have as many cells as the header; reports the others."""
    last = reader.line_num
    while True:
        first = last + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            last = reader.line_num
            problems.rows += 1
            problems.drop("no CSV row", _line_range(first, last), f"{error}; check the quotes")
            continue
        if cells is None:
            return
        last = reader.line_num
        if not any(cells):
            continue
        problems.rows += 1
        where = f"line {first}" if last == first else _line_range(first, last)
        if len(cells) == len(header) - 2 and header[-2:] == _MTURK_ENDS:
            cells = [*cells, "", ""]
        if len(cells) != len(header):
            why = f"{len(cells)} cells under {len(header)} columns; is a quote missing?"
            problems.drop("wrong number of cells", where, why)
            continue
        yield where, cells


def table_header(path: Path, encoding: str) -> tuple[str, ...]:
    """Returns the names of a table's columns."""
    return _open_table(path, encoding)[0]


def text_lines_with_ends(path: Path, encoding: str) -> Iterator[str]:
    """Yields lines with their ends; bytes that are not in the encoding become lone surrogates."""
    name = "utf-8-sig" if encoding.casefold() in ("utf-8", "utf8") else encoding
    try:
        with path.open("rb") as file:
            other = encoding_of_mark(file.read(4))
        if name == "utf-8-sig" and other:
            raise InputError(f"{path}: is {other}. Say --encoding {other.lower()}.")
        with path.open(encoding=name, errors="surrogateescape", newline="") as file:
            yield from bounded_lines(path, file)
    except LookupError as error:
        raise InputError(f"--encoding {encoding}: no such encoding.") from error
    except UnicodeError as error:  # an encoding that has no surrogateescape
        raise InputError(f"{path}: is not {encoding}: {error}.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def _open_table(path: Path, encoding: str) -> tuple[tuple[str, ...], Reader]:
    """Returns the names of the columns, and the reader of the rows after them.

    Raises:
        InputError: the file is empty, or the quotes of its first row are broken.
    """
    delimiter = DELIMITERS[path.suffix.casefold()]
    lines = text_lines_with_ends(path, encoding)
    comments, first = _comments_and_first(lines, delimiter)
    delimiter = other_separator("".join(first[:1]), delimiter) or delimiter
    # What stands before the header counts as lines, so that places are right.
    reader = csv_reader(chain(["\n"] * comments, first, lines), delimiter)
    try:
        cells = next((cells for cells in reader if cells), None)
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; check the quotes.") from error
    if cells is None:
        raise InputError(f"{path}: is empty; the first line should name the columns.")
    return tuple(without_surrogates(name.strip()) for name in cells), reader


def _comments_and_first(lines: Iterator[str], delimiter: str) -> tuple[int, list[str]]:
    """Returns how many lines stand before the header, and the lines from there on that were read;
    `#name,...` is the header where the line after it has as many cells."""
    before, count = "", 0
    for line in lines:
        if line.strip() and not line.startswith("#"):
            names = before.removeprefix("#").split(delimiter)
            is_header = before.startswith("#") and len(names) == len(line.split(delimiter)) > 1
            if is_header and all(name.strip() for name in names[1:]):
                return count - 1, [before.lstrip("# ") if names[0].strip() else before, line]
            return count, [line]
        before, count = line, count + 1
    return count, []


def other_separator(line: str, delimiter: str) -> str:
    """Returns what separates the names in a line if it is not `delimiter`; empty if that does, or
    nothing."""
    if delimiter in line:
        return ""
    for other in ",\t;|":
        names = [name.strip() for name in line.split(other)]
        if other == "," and any(" " in name for name in names):
            continue  # a name with a comma in it
        if len(names) > 1 and all(names[1:]):
            return other
    return ""


def _line_range(first: int, last: int) -> str:
    """Returns the place of a row in words, such as `lines 3 to 5`."""
    return f"line {first}" if last <= first else f"lines {first} to {last}"
