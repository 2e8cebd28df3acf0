"""Tables whose cells a sign separates: the one that the file's name says, or the one that the first
line has. Lines that begin with `#` before it, such as the head of an SSSOM file, are left out."""

from __future__ import annotations

import csv
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import IO

from factmark.errors import InputError
from factmark.files.flat_files import csv_reader
from factmark.files.problems import Problems
from factmark.files.text_files import (
    bounded_blocks,
    bounded_lines,
    is_utf8,
    marked_encoding,
    unreadable,
    without_surrogates,
)

DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_BLOCK = 1_000  # rows; of more the garbage collector takes longer than they do
_FIRST = 20  # lines by which it is seen what separates cells
_MTURK_ENDS = ("Approve", "Reject")  # columns of which Mechanical Turk's results have no cells


def table_rows(
    path: Path, problems: Problems, encoding: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields the rows of a table as mappings by header, each with its lines."""
    header, rows = table_cells(path, problems, encoding)
    return ((where, row_of_cells(header, cells)) for where, cells in rows)


def numbered_names(head: Sequence[str]) -> list[str]:
    """Returns the names of columns, those that stand there again with their number.

    >>> numbered_names(["q", "Status", "Status"])
    ['q', 'Status', 'Status (2)']
    """
    times: Counter[str] = Counter()
    names = []
    for name in head:
        times[name] += 1
        again = times[name] > 1 and name
        names.append(f"{name} ({times[name]})" if again else name)
    return names


def row_of_cells(header: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    """Returns cells by the names of their columns; those under no name are left out."""
    row = dict(zip(header, cells, strict=True))
    row.pop("", None)
    return row


def table_cells(
    path: Path, problems: Problems, encoding: str, *, ends_early: bool = False
) -> tuple[tuple[str, ...], Iterator[tuple[str, list[str]]]]:
    """Returns the names of a table's columns, and its rows as cells, each with its lines.

    Quotes go around a cell as in CSV; one that is left open, so that the lines after it are in its
    cell, is an `InputError`. Of a table with tabs, which many write without such quotes, a
    line in which they make no row and that has as many cells as the header is read as it stands.

    Args:
        ends_early: whether a row may lack its last cells, which are empty then; it is noted.
    """
    header, rows = _open_table(path, encoding)
    rows.may_lack_cells = ends_early
    return header, _rows_of_cells(path, header, rows, problems)


class IrregularError(ValueError):
    """A table has a row that is not as its head is; the careful reader says what is wrong."""


def cell_blocks(path: Path, encoding: str) -> Iterator[list[list[str]]]:
    """Yields the rows after the head as cells, thousands at a time: a table whose rows are all like
    its head is read in a third of the time.

    Raises:
        IrregularError: quotes are broken, or a row has more or fewer cells than the head.
        InputError: as `table_cells`.
    """
    head, rows = _open_table(path, encoding)
    lines = chain.from_iterable(blocks_of_lines(path, encoding))
    deque(islice(lines, rows.line), maxlen=0)
    reader = csv_reader(lines, rows.delimiter)
    widths = {len(head)}
    try:
        while block := list(islice(reader, _BLOCK)):
            block = [cells for cells in block if any(cells)]
            if set(map(len, block)) - widths:
                raise IrregularError(path)
            yield block
    except csv.Error as error:
        raise IrregularError(path) from error


class _Lines:
    """Lines, of which those that were taken last can be given back.

    Attributes:
        taken: lines since it was last emptied.
        number: of the line that was taken last.
    """

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines, self._again = lines, deque[str]()
        self.taken: list[str] = []
        self.number = 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._again:
            line = self._again.popleft()
        else:
            line = next(self._lines)
        self.taken.append(line)
        self.number += 1
        return line

    def give_back(self) -> str:
        """Gives back all lines that were taken but the first, which it returns."""
        first, *others = self.taken
        self._again.extendleft(reversed(others))
        self.number -= len(others)
        return first


class _Rows:
    """The rows of a table, one after another.

    Attributes:
        width: the cells of a row, as soon as that is known.
        delimiter: what stands between them.
        ends_early: whether a row may lack its last cells, which are empty then: tabs at the end of
            a line are lost in many programs.
        may_lack_cells: whether it may where they are not lost so easily.
    """

    ends_early = False
    may_lack_cells = False

    def __init__(self, lines: Iterator[str], delimiter: str) -> None:
        self.width = 0
        self.delimiter = delimiter
        self._lines = _Lines(lines)
        self._reader = csv_reader(self._lines, delimiter)

    def next(self) -> list[str] | None:
        """Returns the cells of the next row; None at the end.

        Raises:
            csv.Error: its quotes are broken, or a cell is too long.
        """
        self._lines.taken.clear()
        return next(self._reader, None)

    def swallowed(self, cells: Sequence[str] | None) -> bool:
        """Whether a quote that was left open put further rows into a cell of the last row.

        Args:
            cells: of that row; None if its quotes are broken.
        """
        lines = self._lines.taken
        if cells is None:
            return self.width > 1 and any(map(self._is_row, lines[1:]))
        return len(cells) != self.width and len(lines) > 2 and self._are_rows(lines)

    def _is_row(self, line: str) -> bool:
        """Whether a line alone has as many cells as the header."""
        try:
            return self.width == len(next(csv_reader([line], self.delimiter)))
        except csv.Error:
            return False

    def _are_rows(self, lines: Sequence[str]) -> bool:
        """Whether each of the lines has as many signs between cells as the header."""
        return self.width > 1 and all(
            line.count(self.delimiter) + 1 == self.width for line in lines
        )

    @property
    def line(self) -> int:
        """The number of the line that was read last."""
        return self._lines.number

    @property
    def is_cut_off(self) -> bool:
        """Whether the line that was read last has no end, as the last of a file may."""
        return not "".join(self._lines.taken[-1:]).endswith(("\n", "\r"))


class _TabbedRows(_Rows):
    """The same of a table with tabs, in which a quote may be a letter."""

    ends_early = True

    def next(self) -> list[str] | None:
        """Returns as that of `_Rows`; a line alone where quotes make no row of it, or one of
        several lines that each are a row."""
        taken = self._lines.taken
        try:
            cells = super().next()
        except csv.Error:
            if not self._are_rows(taken[:1]):
                raise
        else:
            is_wrong = bool(cells) and len(cells or ()) != self.width
            is_wrong = is_wrong or (len(taken) > 1 and self._are_rows(taken))
            if not (is_wrong and self._are_rows(taken[:1])):
                return cells
        return self._lines.give_back().rstrip("\r\n").split("\t")


def _rows_of_cells(
    path: Path, header: Sequence[str], rows: _Rows, problems: Problems
) -> Iterator[tuple[str, list[str]]]:
    """Yields the rows that have as many cells as the header; reports the others."""
    last = rows.line
    while True:
        first = last + 1
        try:
            cells = rows.next()
        except csv.Error as error:
            last = rows.line
            if rows.swallowed(None):
                raise _open_quote(path, first, last) from error
            if rows.is_cut_off:
                raise _cut_off(path, last, f"{error}") from error
            problems.rows += 1
            problems.drop("no CSV row", _line_range(first, last), f"{error}; check the quotes")
            continue
        if cells is None:
            return
        last = rows.line
        if not any(cells):
            continue
        if last > first and rows.swallowed(cells):
            raise _open_quote(path, first, last)
        problems.rows += 1
        if last == first:
            where = f"line {first}"
        else:
            where = _line_range(first, last)
        if len(cells) == len(header) - 2 and header[-2:] == _MTURK_ENDS:
            cells = [*cells, "", ""]
        if rows.ends_early and 1 < len(cells) < len(header):
            if rows.is_cut_off:
                why = f"{len(cells)} cells under {len(header)} columns; is the file cut off there?"
                problems.note("the last line has no end and lacks cells", where, why)
            cells += [""] * (len(header) - len(cells))
        elif rows.may_lack_cells and 1 < len(cells) < len(header):
            why = f"{len(cells)} cells under {len(header)} columns; those without are empty"
            problems.note("cells missing at the end of a row", where, why)
            cells += [""] * (len(header) - len(cells))
        if len(cells) != len(header):
            why = f"{len(cells)} cells under {len(header)} columns"
            if rows.is_cut_off and len(cells) < len(header):
                raise _cut_off(path, last, why)
            problems.drop("wrong number of cells", where, f"{why}; is a quote missing?")
            continue
        yield where, cells


def _open_quote(path: Path, first: int, last: int) -> InputError:
    """Returns the error of a row whose quote took in the lines after it."""
    return InputError(
        f"{path}, line {first}: a quote that opens here is not closed, so that the rows to line "
        f"{last} are in its cell. Close it; if it is a letter of the text, write it twice, and "
        "put the cell between quotes."
    )


def _cut_off(path: Path, line: int, why: str) -> InputError:
    """Returns the error of a last line that is no row and has no end."""
    return InputError(
        f"{path}, line {line}: {why}, and no end of the line: the file seems cut off. If it is "
        "whole, take this line out."
    )


def table_header(path: Path, encoding: str) -> tuple[str, ...]:
    """Returns the names of a table's columns."""
    return _open_table(path, encoding)[0]


def text_lines_with_ends(path: Path, encoding: str) -> Iterator[str]:
    """Yields lines with their ends; bytes that are not in the encoding become lone surrogates."""
    with _opened_text(path, encoding) as file:
        yield from bounded_lines(path, file)


def blocks_of_lines(path: Path, encoding: str) -> Iterator[list[str]]:
    """Yields the same thousands at a time, in a fifth of the time."""
    with _opened_text(path, encoding) as file:
        yield from bounded_blocks(path, file)


@contextmanager
def _opened_text(path: Path, encoding: str) -> Iterator[IO[str]]:
    """Opens a text; raises InputError where it cannot be, or is not in the encoding."""
    try:
        with path.open("rb") as start:
            encoding = marked_encoding(start.read(4), encoding)
        name = encoding
        if is_utf8(encoding):
            name = "utf-8-sig"
        with path.open(encoding=name, errors="surrogateescape", newline="") as file:
            yield file
    except LookupError as error:
        raise InputError(f"--encoding {encoding}: no such encoding.") from error
    except UnicodeError as error:  # an encoding that has no surrogateescape
        raise InputError(f"{path}: is not {encoding}: {error}.") from error
    except OSError as error:
        raise unreadable(path, error) from error


def _open_table(path: Path, encoding: str) -> tuple[tuple[str, ...], _Rows]:
    """Returns the names of the columns, and the rows after them.

    Raises:
        InputError: the file is empty, or the quotes of its first row are broken.
    """
    delimiter = DELIMITERS.get(path.suffix.casefold(), "\t")
    lines = text_lines_with_ends(path, encoding)
    comments, first = _comments_and_first(lines, delimiter)
    first += islice(lines, _FIRST)
    if delimiter != "\t" and _are_apart(first, "\t"):
        delimiter = "\t"
    elif path.suffix.casefold() not in DELIMITERS and _has_blanks_alone(first):
        delimiter = " "
    delimiter = other_separator("".join(first[:1]), delimiter) or delimiter
    # What stands before the header counts as lines, so that places are right.
    every = chain(["\n"] * comments, first, lines)
    rows = (_TabbedRows if delimiter == "\t" else _Rows)(every, delimiter)
    cells: list[str] | None = []
    try:
        while cells == []:
            cells = rows.next()
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line}: {error}; check the quotes.") from error
    if cells is None:
        raise InputError(f"{path}: is empty; the first line should name the columns.")
    rows.width = len(cells)
    return tuple(without_surrogates(name.strip()) for name in cells), rows


def _has_blanks_alone(lines: Sequence[str]) -> bool:
    """Whether blanks stand between the cells of all lines, and tabs in none."""
    return _are_apart(lines, " ") and not any("\t" in line for line in lines)


def _are_apart(lines: Sequence[str], sign: str) -> bool:
    """Whether all lines have as many of a sign, two or more: ConceptNet's `.csv` has tabs."""
    counts = {line.strip().count(sign) for line in lines if line.strip()}
    return len(counts) == 1 and min(counts) > 1


def _comments_and_first(lines: Iterator[str], delimiter: str) -> tuple[int, list[str]]:
    """Returns how many lines stand before the header, and the lines from there on that were read;
    `#name,...` is the header where the line after it has as many cells."""
    before = ""
    count = 0
    for line in lines:
        if line.strip() and not line.startswith("#"):
            names = before.removeprefix("#").split(delimiter)
            is_header = before.startswith("#") and len(names) == len(line.split(delimiter)) > 1
            if is_header and all(name.strip() for name in names[1:]):
                return count - 1, [before.lstrip("# ") if names[0].strip() else before, line]
            return count, [line]
        before = line
        count = count + 1
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
    if last <= first:
        return f"line {first}"
    return f"lines {first} to {last}"
