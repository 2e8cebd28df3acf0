"""Flat rows as CSV and as Parquet, records as JSON values.

A CSV cell comes back as it was, and no spreadsheet runs it.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.files.native import check_room
from factmark.files.text_files import replace_at_end, without_surrogates
from factmark.model import Estimate
from factmark.redaction import redacted

if TYPE_CHECKING:
    from _csv import Reader

    from _typeshed import SupportsWrite

MAX_CELL = 16 * 1024 * 1024
"""Characters of the longest cell that is read; a longer one is an error with its line."""

_SHORTEST_BUFFER = 1 << 20  # bytes for a row that is written as Parquet, at least

_ROOM = 900 * 2**20
"""Bytes of address space that DuckDB takes to write; with less it may end the process."""

DIGITS = 12
"""Significant digits of a number in a file: what differs beyond is how a processor rounds."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_UNSEEN = r"[\s\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
_SIGN = r"[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]"  # also full-width and small
_FORMULA = re.compile(rf"'*(?:[\t\r]|{_UNSEEN}*{_SIGN})")
"""How a text begins that some spreadsheet runs, or that a trimmed copy of it would be run."""
_NUMBER = re.compile(r"\s*-\d+(\.\d+)?\s*")


def csv_writer(out: SupportsWrite[str]) -> Callable[[Iterable[object]], object]:
    """Returns a function that writes a row as CSV (RFC 4180): cells with line breaks, commas or
    quotes are quoted, None is empty.

    A text that a spreadsheet would run as a formula gets an apostrophe before it; a number has
    `DIGITS`; secrets are struck out.
    """
    write = csv.writer(out, lineterminator="\r\n").writerow  # it quotes what stands in this
    return lambda row: write(
        [_text_cell(cell) if isinstance(cell, str) else with_few_digits(cell) for cell in row]
    )


def _text_cell(text: str) -> str:
    """Returns a text as a cell that no spreadsheet runs, without secrets."""
    return guard_formula(redacted(text))


def csv_reader(lines: Iterable[str], delimiter: str = ",") -> Reader:
    """Returns a `csv.reader` that refuses broken quotes and cells longer than `MAX_CELL`."""
    csv.field_size_limit(MAX_CELL)
    return csv.reader(lines, delimiter=delimiter, strict=True)


def with_few_digits(value: Any) -> Any:
    """Returns a JSON value with at most `DIGITS` significant digits in each float.

    >>> with_few_digits({"a": [0.1 + 0.2, 1 / 3, 7, "x"]})
    {'a': [0.3, 0.333333333333, 7, 'x']}
    """
    if value is None or isinstance(value, str):  # most are, and a look at `Mapping` is slow
        return value
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {name: with_few_digits(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [with_few_digits(part) for part in value]
    return value


def json_text(value: Any, **options: Any) -> str:
    """Returns a value as JSON for a file or stdout: floats have `DIGITS`, letters are not escaped,
    secrets are struck out.

    Args:
        options: of `json.dumps`.
    """
    rounded = with_few_digits(value)
    if options:
        return redacted(json.dumps(rounded, ensure_ascii=False, **options))
    return redacted(_encode(rounded))


def guard_formula(text: str) -> str:
    """Returns the text with an apostrophe before it if a spreadsheet would take it for a formula; a
    number is none.

    >>> guard_formula("=1+1"), guard_formula("'=1+1"), guard_formula("1-1"), guard_formula("-12")
    ("'=1+1", "''=1+1", '1-1', '-12')
    >>> guard_formula(" =1+1"), guard_formula("\uff1d1+1")
    ("' =1+1", "'\uff1d1+1")
    """
    if text[:1].isalnum():  # as most begin, and none that is run
        return text
    is_formula = _FORMULA.match(text) and not _NUMBER.fullmatch(text)
    if is_formula:
        return f"'{text}"
    return text


def unguard_formula(text: str) -> str:
    """Returns the text as it was before `guard_formula`."""
    if text[:1] == "'" and _FORMULA.match(text):
        return text[1:]
    return text


def csv_lines(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> Iterator[str]:
    """Yields the lines of rows as CSV (`csv_writer`), the head first, each with its end; half a
    pair of surrogates, which no file can hold, becomes U+FFFD."""
    out = io.StringIO()
    write = csv_writer(out)
    write(columns)
    yield without_surrogates(out.getvalue())
    for row in rows:
        out.seek(0)
        out.truncate()
        write(row[name] for name in columns)
        yield without_surrogates(out.getvalue())


class _MendedLines:
    """What `csv.writer` writes to; half a pair of surrogates, which no file can hold, becomes
    U+FFFD."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write

    def write(self, line: str) -> object:
        """Writes a line that is whole, with its end."""
        return self._write(without_surrogates(line))


@contextmanager
def open_csv(path: Path, columns: Sequence[str]) -> Iterator[Callable[[Iterable[object]], object]]:
    """Yields a function that adds a row of cells to a CSV file, which stands at `path` when the
    block ends well."""
    with (
        replace_at_end(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="") as file,
    ):
        write = csv_writer(_MendedLines(file.write))
        write(columns)
        yield write


@cache
def _check_room_to_write() -> None:
    """Raises InputError as `check_room`, before the first file: DuckDB keeps what it took."""
    check_room("Writing Parquet", _ROOM)


def write_parquet(
    path: Path, rows: Iterable[Mapping[str, Any]], columns: Mapping[str, str]
) -> None:
    """Writes rows as Parquet; `columns` gives each column's name and its type in SQL."""
    with open_parquet(path, columns) as add:
        for row in rows:
            add(json_text({name: row[name] for name in columns}))


@contextmanager
def open_parquet(path: Path, columns: Mapping[str, str]) -> Iterator[Callable[[str], None]]:
    """Yields a function that adds a row, which it takes as JSON, to a Parquet file, which stands at
    `path` when the block ends well; `columns` as of `write_parquet`."""
    _check_room_to_write()
    import duckdb

    longest = _SHORTEST_BUFFER  # DuckDB takes memory for two such rows at once
    with replace_at_end(path) as temporary:
        # DuckDB reads JSON Lines with the types given, all rows in one statement.
        lines = temporary.with_name(temporary.name + ".jsonl")
        try:
            with lines.open("wb") as out:

                def add(text: str) -> None:
                    nonlocal longest
                    line = without_surrogates(text).encode() + b"\n"
                    longest = max(longest, out.write(line))

                yield add
            quoted = ((name.replace("'", "''"), kind) for name, kind in columns.items())
            types = ", ".join(f"'{name}': '{kind}'" for name, kind in quoted)
            with duckdb.connect() as db:
                db.execute(
                    f"COPY (SELECT * FROM read_json($source, format='newline_delimited', "  # noqa: S608
                    f"columns={{{types}}}, maximum_object_size={longest})) "
                    "TO $target (FORMAT parquet, COMPRESSION zstd)",
                    {"source": str(lines), "target": str(temporary)},
                )
        except duckdb.Error as error:
            raise OSError(str(error)) from error


def to_json_value(value: Any) -> Any:
    """Returns a record, mapping or sequence as JSON values; an estimate with its signature, and
    null for an end of its scale that there is not."""
    if is_dataclass(value) and not isinstance(value, type):
        record = {}
        for field in fields(value):
            record[field.name] = to_json_value(getattr(value, field.name))
        if isinstance(value, Estimate):
            ends = []
            for end in value.scale:
                ends.append(end if math.isfinite(end) else None)
            record |= {
                "n_effective": value.n_effective,
                "signature": value.signature,
                "scale": ends,
            }
        return record
    if isinstance(value, Mapping):
        return {str(key): to_json_value(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json_value(part) for part in value]
    return value
