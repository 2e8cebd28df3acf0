"""Rows of CSV, TSV, JSON, JSON Lines and Parquet files; bad ones are told and left out."""

from __future__ import annotations

import codecs
import csv
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.errors import InputError
from factmark.files.flat_files import csv_reader
from factmark.files.problems import Problems
from factmark.files.text_files import (
    bounded_lines,
    json_value,
    path_to_open,
    read_text,
    too_long_reason,
)

if TYPE_CHECKING:  # slow to import, and few files are Parquet
    from _csv import Reader

    import duckdb

_SLICE = 100_000
_SLICE_QUERY = """SELECT * EXCLUDE (file_row_number)
    FROM read_parquet(?, file_row_number = true)
    WHERE file_row_number >= ? AND file_row_number < ?"""
_DELIMITERS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_SEPARATORS = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "`|`"}
_MTURK_ENDS = ("Approve", "Reject")  # columns of which Mechanical Turk's results have no cells
Row = Mapping[str, Any]
OBJECTS = (".jsonl", ".ndjson", ".json")
"""Files of objects, each with the fields that it likes."""

TABLES = (*_DELIMITERS, *OBJECTS, ".parquet")
_BETWEEN = re.compile(r"[\s,]*")
_UNDECODED = re.compile("[\udc80-\udcff]")  # how bytes that are not in the encoding are read


def check_file(path: Path) -> None:
    """Raises InputError for a path that is no file, such as a folder, a device or a pipe.

    Raises:
        InputError: it is not there, or it is a folder, a device or a pipe.
    """
    place = path_to_open(path)
    if place.exists() and not path.is_file():
        raise InputError(f"{path}: is a pipe, and rows are read twice. Write them to a file.")
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.")


def read_rows(path: Path, problems: Problems, encoding: str = "utf-8") -> Iterator[tuple[str, Row]]:
    """Yields the rows of a file, each with its place; unusable ones are counted in `problems`.
    Memory does not grow with the file, except for `.json`.

    Raises:
        InputError: if the file cannot be opened, is of no known kind, or has no header.
    """
    suffix = path.suffix.casefold()
    check_file(path)
    if suffix == ".parquet":
        yield from _parquet_rows(path, problems)
    elif suffix in (".jsonl", ".ndjson"):
        yield from _json_lines(path, problems, encoding)
    elif suffix == ".json":
        yield from _json_list(path, problems, encoding)
    elif suffix in _DELIMITERS:
        yield from _csv_rows(path, problems, encoding, _DELIMITERS[suffix])
    else:
        raise InputError(f"{path}: ends in none of {', '.join(TABLES)}.")


def _text_lines(path: Path, encoding: str) -> Iterator[str]:
    """Yields lines with their ends; bytes that are not in the encoding become lone surrogates."""
    name = "utf-8-sig" if encoding.casefold() in ("utf-8", "utf8") else encoding
    try:
        if name == "utf-8-sig" and (other := _encoding_by_mark(path)):
            raise InputError(f"{path}: is {other}. Say --encoding {other.lower()}.")
        with path.open(encoding=name, errors="surrogateescape", newline="") as file:
            yield from bounded_lines(path, file)
    except LookupError as error:
        raise InputError(f"--encoding {encoding}: no such encoding.") from error
    except UnicodeError as error:  # an encoding that has no surrogateescape
        raise InputError(f"{path}: is not {encoding}: {error}.") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def _encoding_by_mark(path: Path) -> str:
    """Returns the encoding that a file's first bytes name (byte order mark), if it is not UTF-8;
    else an empty text.
    """
    with path.open("rb") as file:
        first = file.read(4)
    if first in (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE):
        return "UTF-32"
    return "UTF-16" if first[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE) else ""


def has_broken_bytes(text: str) -> bool:
    """Whether a text holds bytes that could not be decoded, or NUL."""
    if text.isascii():
        return "\0" in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return "\0" in text


def _json_lines(path: Path, problems: Problems, encoding: str) -> Iterator[tuple[str, Row]]:
    """Yields the objects of a JSON Lines file, each with its line."""
    for number, line in enumerate(_text_lines(path, encoding), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        problems.rows += 1
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            problems.drop("no JSON", where, str(error) or "nested too deeply")
            continue
        if isinstance(value, dict):
            yield where, value
        else:
            problems.drop("no JSON object", where)


def _json_list(path: Path, problems: Problems, encoding: str) -> Iterator[tuple[str, Row]]:
    """Yields the objects of a JSON list, each with the line on which it begins."""
    text = read_text(path, encoding)
    if not isinstance(json_value(path, text), list):
        raise InputError(
            f"{path}, line 1: is no list of objects. Write `[{{...}}, {{...}}]`, or name a file "
            "with an object a line .jsonl."
        )
    decoder, line, before = json.JSONDecoder(), 1, 0
    at = text.index("[") + 1
    while text[start := _BETWEEN.match(text, at).end()] != "]":  # type: ignore[union-attr]
        value, at = decoder.raw_decode(text, start)
        line, before = line + text.count("\n", before, start), start
        problems.rows += 1
        if isinstance(value, dict):
            yield f"line {line}", value
        else:
            problems.drop("no JSON object", f"line {line}")


def _csv_rows(
    path: Path, problems: Problems, encoding: str, delimiter: str
) -> Iterator[tuple[str, Row]]:
    """Yields the rows of a CSV or TSV file as mappings by header, each with its lines."""
    reader = csv_reader(_text_lines(path, encoding), delimiter)
    header = _header(path, reader, delimiter)
    while True:
        first = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.rows += 1
            where = _line_range(first, reader.line_num)
            problems.drop("no CSV row", where, f"{error}; check the quotes")
            continue
        if not any(cells):
            continue
        problems.rows += 1
        where = _line_range(first, reader.line_num)
        if len(cells) == len(header) - 2 and header[-2:] == _MTURK_ENDS:
            cells = [*cells, "", ""]
        if len(cells) != len(header):
            why = f"{len(cells)} cells under {len(header)} columns; is a quote missing?"
            problems.drop("wrong number of cells", where, why)
            continue
        yield where, {name: cell for name, cell in zip(header, cells, strict=True) if name}


def _header(path: Path, reader: Reader, delimiter: str) -> tuple[str, ...]:
    """Returns the names of the columns, which are the first row."""
    try:
        header = tuple(name.strip() for name in next(reader))
    except StopIteration:
        raise InputError(f"{path}: is empty; the first line should name the columns.") from None
    except csv.Error as error:
        raise InputError(f"{path}, line 1: {error}; check the quotes.") from error
    check_separator(path, header, delimiter)
    return header


def check_separator(path: Path, header: Sequence[str], delimiter: str) -> None:
    """Raises InputError for a table whose columns are separated by something else than `delimiter`.

    Raises:
        InputError: it has one column, whose name is several.
    """
    for other in _SEPARATORS if len(header) == 1 else ():
        names = [name.strip() for name in header[0].split(other)]
        if other == "," and any(" " in name for name in names):
            continue  # a name with a comma in it
        if other != delimiter and len(names) > 1 and all(names):
            kind = {",": ".csv", "\t": ".tsv"}.get(other)
            what = f"Name it {kind}." if kind else f"Save it with {_SEPARATORS[delimiter]}."
            raise InputError(
                f"{path}, line 1: the columns are separated by {_SEPARATORS[other]}, not by "
                f"{_SEPARATORS[delimiter]}. {what}"
            )


def _line_range(first: int, last: int) -> str:
    """Returns the place of a row in words, such as `lines 3 to 5`."""
    return f"line {first}" if last <= first else f"lines {first} to {last}"


def _parquet_rows(path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
    """Yields the rows slice by slice: DuckDB's Python client holds a whole result in memory."""
    with _duckdb_connection(path) as connection:
        query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
        (total,) = connection.execute(query, [str(path)]).fetchone() or (0,)
        number = 0
        for start in range(0, int(total or 0), _SLICE):
            result = connection.execute(_SLICE_QUERY, [str(path), start, start + _SLICE])
            names = [column[0] for column in result.description or ()]
            while rows := result.fetchmany(8_192):
                for row in rows:
                    number += 1
                    problems.rows += 1
                    yield f"row {number}", dict(zip(names, row, strict=True))


@contextmanager
def _duckdb_connection(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a connection with one thread and no progress bar; its errors become InputError."""
    import duckdb

    with duckdb.connect(":memory:", config={"threads": "1"}) as connection:
        connection.execute("SET enable_progress_bar = false")
        try:
            yield connection
        except duckdb.Error as error:
            raise InputError(f"{path}: cannot be read as Parquet: {error}") from error


def header_of(path: Path, encoding: str = "utf-8") -> tuple[str, ...]:
    """Returns the columns of a CSV, TSV or Parquet file, or the fields of the first object of JSON
    Lines.
    """
    suffix = path.suffix.casefold()
    if delimiter := _DELIMITERS.get(suffix):
        return _header(path, csv_reader(_text_lines(path, encoding), delimiter), delimiter)
    if suffix == ".parquet":
        with _duckdb_connection(path) as connection:
            connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
            return tuple(column[0] for column in connection.description or ())
    for _, row in read_rows(path, Problems(), encoding):
        return tuple(row)
    return ()


def strict_rows(path: Path, encoding: str = "utf-8") -> Iterator[tuple[str, Row]]:
    """Yields the rows of a file, each with file and place; none may be unusable.

    Raises:
        InputError: at the end, where any row could not be read; nothing is left out.
    """
    problems = Problems()
    for where, row in read_rows(path, problems, encoding):
        yield f"{path}, {where}", row
    if sentences := problems.sentences():
        first = next(iter(problems.examples.values()))[0]
        if any("JSON" in kind for kind in problems.dropped):
            first += "; is the file cut off there?"
        more = f" ({problems.n_dropped} rows in all)" if problems.n_dropped > 1 else ""
        kind = sentences[0].partition(":")[0]
        raise InputError(f"{path}, {first}{more} ({kind}). Nothing was written; mend the file.")


def text_cell(where: str, row: Row, column: str) -> str:
    """Returns the text in a cell that must have one.

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
    if why := too_long_reason(value):
        raise InputError(f"{where}: {column!r} has {why}.")
    if _UNDECODED.search(value):
        raise InputError(f"{where}: {column!r} is not UTF-8. Save it so, or name its --encoding.")
    return value


def name_cell(where: str, row: Row, column: str) -> str:
    """The name (of a document, of a system) in a cell that must have one; a number is a name too.

    Raises:
        InputError: as `text_cell`.
    """
    value = row.get(column)
    if isinstance(value, int | float) and not isinstance(value, bool):
        if not math.isfinite(value):
            raise InputError(f"{where}: {column!r} is {value}, which names nothing.")
        return str(value)
    name = text_cell(where, row, column).strip()
    if has_broken_bytes(name):
        raise InputError(f"{where}: {column!r} holds what is no character.")
    return name
