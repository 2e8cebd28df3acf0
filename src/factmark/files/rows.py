"""Rows of CSV, TSV, JSON, JSON Lines, Parquet and Arrow files; bad ones are told and left out."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factmark.errors import InputError
from factmark.files.arrow_files import ARROW, arrow_rows, is_arrow_folder
from factmark.files.native import check_room, native_reader
from factmark.files.problems import Problems
from factmark.files.separated import (
    DELIMITERS,
    IrregularError,
    blocks_of_lines,
    table_header,
    table_rows,
    text_lines_with_ends,
)
from factmark.files.text_files import (
    CUT_OFF,
    JSON,
    binary_error,
    binary_kind,
    is_cut_off,
    is_json_lines,
    json_value,
    path_to_open,
    read_text,
    too_long_reason,
)
from factmark.files.workbooks import WORKBOOKS, workbook_rows
from factmark.text.shown_text import first_names, some

if TYPE_CHECKING:  # slow to import, and few files are Parquet
    import duckdb

_ROOM = 300 * 2**20  # bytes of address space that DuckDB takes to read
_SLICE = 100_000
_SLICE_QUERY = """SELECT * EXCLUDE (file_row_number) {as_texts}
    FROM read_parquet(?, file_row_number = true)
    WHERE file_row_number >= ? AND file_row_number < ?"""
_COLUMNS_QUERY = """SELECT {names} FROM read_parquet(?, file_row_number = true)
    WHERE file_row_number >= ? AND file_row_number < ? ORDER BY file_row_number"""
Row = Mapping[str, Any]
JSON_LINES = (".jsonl", ".ndjson")
OBJECTS = (*JSON_LINES, ".json")
"""Files of objects, each with the fields that it likes."""

TABLES = (*DELIMITERS, *OBJECTS, ".parquet", ARROW, WORKBOOKS[0])
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip", ".7z", ".tgz")
_OTHER_WORKBOOKS = (".xls", ".xlsb", ".ods", ".numbers")
YAML = (".yaml", ".yml")
_PIPES = ("-", "/dev/stdin", "/dev/fd/0")
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
    if path.suffix.casefold() in (*_COMPRESSED, *_OTHER_WORKBOOKS):
        raise unknown_ending(path, TABLES)
    with suppress(OSError), place.open("rb") as file:  # who reads it says why it cannot be
        kind = binary_kind(file.read(16))
        if kind and path.suffix.casefold() not in (".parquet", ARROW, *WORKBOOKS):
            raise binary_error(path, kind)


def unknown_ending(path: Path, known: Iterable[str], more: str = "") -> InputError:
    """Returns the error for a file whose name ends in none of the known endings, to be raised; of
    one that is compressed, or a workbook, what to do."""
    suffix = path.suffix.casefold()
    if str(path) in _PIPES:
        why = "rows are read twice, and so not from a pipe. Write them to a file"
        return InputError(f"{path}: {why}.")
    if suffix in _COMPRESSED:
        return InputError(f"{path}: is compressed. Unpack it, and name what was in it.")
    if suffix in _OTHER_WORKBOOKS:
        return InputError(f"{path}: is a workbook. Save it as .xlsx, and name that.")
    if suffix in YAML:
        return InputError(f"{path}: is YAML. Write it as JSON, and name that.")
    return InputError(f"{path}: ends in none of {', '.join(known)}{more}.")


def read_rows(path: Path, problems: Problems, encoding: str = "utf-8") -> Iterator[tuple[str, Row]]:
    """Yields the rows of a file, each with its place; unusable ones are counted in `problems`.
    Memory does not grow with the file, except for `.json`.

    Raises:
        InputError: if the file cannot be opened, is of no known kind, or has no header.
    """
    suffix = path.suffix.casefold()
    if suffix == ARROW or is_arrow_folder(path):
        yield from arrow_rows(path, problems)
        return
    check_file(path)
    if suffix == ".parquet":
        yield from _parquet_rows(path, problems)
    elif suffix in JSON_LINES:
        yield from _json_lines(path, problems, encoding)
    elif suffix == ".json":
        yield from _json_rows(path, problems, encoding)
    elif suffix in WORKBOOKS:
        yield from workbook_rows(path, problems)
    elif suffix in DELIMITERS:
        yield from table_rows(path, problems, encoding)
    else:
        raise unknown_ending(path, TABLES)


def has_broken_bytes(text: str) -> bool:
    """Whether a text holds bytes that could not be decoded, or NUL."""
    if text.isascii():
        return "\0" in text
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return "\0" in text


def broken_bytes_reason(text: str) -> str:
    """Returns what is wrong with a text that has broken bytes, and what to do about it."""
    if "\0" in text:
        return "a NUL character"
    return "bytes of another encoding; name the file's, for example --encoding cp1252"


def _json_lines(path: Path, problems: Problems, encoding: str) -> Iterator[tuple[str, Row]]:
    """Yields the objects of a JSON Lines file, each with its line."""
    for number, line in enumerate(text_lines_with_ends(path, encoding), start=1):
        if not line.strip():
            continue
        where = f"line {number}"
        problems.rows += 1
        try:
            value = JSON.decode(line)
        except (ValueError, RecursionError) as error:
            if is_cut_off(error, line):
                raise InputError(f"{path}, {where}: {CUT_OFF}.") from error
            problems.drop("no JSON", where, str(error) or "nested too deeply")
            continue
        row = row_of(value)
        if row is not None:
            yield where, row
        else:
            problems.drop("no JSON object", where)


def object_blocks(path: Path, encoding: str) -> Iterator[list[Row]]:
    """Yields the objects of a JSON Lines file, thousands at a time: a file that has nothing but an
    object a line is read in half of the time.

    Raises:
        IrregularError: a line is something else; the careful reader says what is wrong.
        InputError: the file cannot be read.
    """
    scan = JSON.scan_once  # type: ignore[attr-defined]  # which typeshed does not know
    for lines in blocks_of_lines(path, encoding):
        block: list[Row] = []
        for line in lines:
            try:
                value, end = scan(line, 0)
            except (ValueError, RecursionError, StopIteration) as error:
                if not line.strip():
                    continue
                raise IrregularError(path) from error
            if type(value) is not dict or not (line[end:] == "\n" or not line[end:].strip()):
                raise IrregularError(path)
            block.append(value)
        yield block


def _json_rows(path: Path, problems: Problems, encoding: str) -> Iterator[tuple[str, Row]]:
    """Yields the objects of a JSON list, each with the line on which it begins and, of further ones
    on that line, which it is (`line 1 (2)`); or those of an object of rows."""
    text = read_text(path, encoding)
    if is_json_lines(text):
        yield from _json_lines(path, problems, encoding)
        return
    value = json_value(path, text)
    frame = rows_of_frame(value)
    if frame is not None:
        yield from numbered_rows(frame, problems)
        return
    if isinstance(value, dict):
        yield from _rows_of_object(path, value, problems)
        return
    if not isinstance(value, list):
        raise InputError(
            f"{path}, line 1: is no list of objects. Write `[{{...}}, {{...}}]`, or name a file "
            "with an object a line .jsonl."
        )
    line = 1
    before = 0
    on_line = 0
    at = text.index("[") + 1
    while text[start := _BETWEEN.match(text, at).end()] != "]":  # type: ignore[union-attr]
        value, at = JSON.raw_decode(text, start)
        further = text.count("\n", before, start)
        line = line + further
        before = start
        if further:
            on_line = 1
        else:
            on_line = on_line + 1
        if on_line == 1:
            where = f"line {line}"
        else:
            where = f"line {line} ({on_line})"
        problems.rows += 1
        held = row_of(value)
        if held is not None:
            yield where, held
        else:
            problems.drop("no JSON object", where)


def row_of(value: object) -> Row | None:
    """Returns an item of a file as a row: an object, or three texts, which are its `triple`; None
    for anything else."""
    if isinstance(value, list) and len(value) == 3 and all(isinstance(v, str) for v in value):
        return {"triple": value}
    if isinstance(value, dict):
        return value
    return None


def numbered_rows(rows: Iterable[Row], problems: Problems) -> Iterator[tuple[str, Row]]:
    """Yields rows that no line of a file tells apart, each with its number as its place."""
    for number, row in enumerate(rows, start=1):
        problems.rows += 1
        yield f"row {number}", row


def rows_of_frame(value: object) -> list[Row] | None:
    """Returns the rows of a DataFrame as pandas writes it to JSON: by columns, each with the cells
    of the rows 0, 1, 2 ... (which is what `to_json` does unless told), as `split` or as `table`;
    None for anything else.

    >>> rows_of_frame({"a": {"0": 1, "1": 2}, "b": {"0": "x", "1": None}})
    [{'a': 1, 'b': 'x'}, {'a': 2, 'b': None}]
    """
    if not isinstance(value, dict) or not is_written_frame(value):
        return None
    if _is_split(value):
        return [dict(zip(value["columns"], cells, strict=True)) for cells in value["data"]]
    if _is_schema_table(value):
        return [row for row in value["data"] if isinstance(row, dict)]
    places = next(iter(value.values()))
    return [{name: cells[place] for name, cells in value.items()} for place in places]


def is_written_frame(value: object) -> bool:
    """Whether a JSON value is a DataFrame in one of the forms that `rows_of_frame` reads."""
    if not isinstance(value, dict) or not value:
        return False
    if _is_split(value) or _is_schema_table(value):
        return True
    places = next(iter(value.values()))
    if not isinstance(places, dict) or not places or not all(map(str.isdecimal, places)):
        return False
    for cells in value.values():
        if not isinstance(cells, dict) or cells.keys() != places.keys():
            return False
    return True


def _is_split(value: Mapping[str, Any]) -> bool:
    """Whether an object has the names of columns, and rows with as many cells."""
    names, rows = value.get("columns"), value.get("data")
    if value.keys() - {"columns", "index", "data"}:
        return False
    if not isinstance(names, list) or not isinstance(rows, list):
        return False
    if not all(isinstance(name, str) for name in names):
        return False
    return all(isinstance(cells, list) and len(cells) == len(names) for cells in rows)


def _is_schema_table(value: Mapping[str, Any]) -> bool:
    """Whether an object has rows under a schema: its fields, and which of them is the index."""
    if value.keys() != {"schema", "data"} or not isinstance(value["data"], list):
        return False
    schema = value["schema"]
    return isinstance(schema, dict) and {"fields", "primaryKey"} <= schema.keys()


def _rows_of_object(
    path: Path, value: Mapping[str, Any], problems: Problems
) -> Iterator[tuple[str, Row]]:
    """Yields the rows of an object: of rows by id (objects or lists), or with one list of
    rows beside whatever else it says.

    Raises:
        InputError: it is neither; says what it holds.
    """
    parts = list(value.values())
    lists = [name for name, part in value.items() if isinstance(part, list) and _holds_rows(part)]
    if len(lists) == 1 and not _holds_rows(parts):
        for number, part in enumerate(value[lists[0]], start=1):
            problems.rows += 1
            yield f"{lists[0]} {number}", row_of(part) or {}
        return
    kinds = []
    for kind in (dict, list):
        if all(isinstance(part, kind) for part in parts):
            kinds.append(kind)
    if not parts or not kinds:
        names = [f"{name[:60]} ({type(part).__name__})" for name, part in value.items()]
        held = some(names, 5)

        if {"@context", "@graph", "@id"} & value.keys():
            raise InputError(f"{path}: is JSON-LD. Name it .jsonld.")
        raise InputError(
            f"{path}: is no list of objects and no object of rows. It holds: {held or 'nothing'}. "
            "Write `[{...}, {...}]`, `{id: {...}}` or `{id: [head, relation, tail]}`; labels by id "
            "are for `factmark ledger import`."
        )
    for name, part in value.items():
        problems.rows += 1
        yield f"{name[:80]!r}", {"id": name, **(row_of(part) or {"value": part})}


def _holds_rows(parts: Sequence[object]) -> bool:
    """Whether the parts of a list or object are rows, all of them."""
    return bool(parts) and all(row_of(part) is not None for part in parts)


def parquet_blocks(path: Path, columns: Sequence[str]) -> Iterator[list[tuple[Any, ...]]]:
    """Yields the cells of some columns of a Parquet file, thousands of rows at a time."""
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    query = _COLUMNS_QUERY.format(names=names)
    with _duckdb_connection(path) as connection:
        sizes = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
        (total,) = connection.execute(sizes, [str(path)]).fetchone() or (0,)
        for start in range(0, int(total or 0), _SLICE):
            result = connection.execute(query, [str(path), start, start + _SLICE])
            yield result.fetchall()


def _parquet_rows(path: Path, problems: Problems) -> Iterator[tuple[str, Row]]:
    """Yields the rows slice by slice: DuckDB's Python client holds a whole result in memory. Times
    with a zone come as texts, since the client would need another package for them."""
    with _duckdb_connection(path) as connection:
        columns = connection.execute("DESCRIBE SELECT * FROM read_parquet(?)", [str(path)])
        zoned = []
        for name, kind, *_ in columns.fetchall():
            if "WITH TIME ZONE" in kind:
                zoned.append(name)
        quoted = ['"' + name.replace('"', '""') + '"' for name in zoned]
        casts = ", ".join(f"CAST({name} AS VARCHAR) AS {name}" for name in quoted)
        slices = _SLICE_QUERY.format(as_texts=f"REPLACE ({casts})" if casts else "")
        query = "SELECT sum(num_rows) FROM parquet_file_metadata(?)"
        (total,) = connection.execute(query, [str(path)]).fetchone() or (0,)
        number = 0
        for start in range(0, int(total or 0), _SLICE):
            result = connection.execute(slices, [str(path), start, start + _SLICE])
            names = [column[0] for column in result.description or ()]
            while rows := result.fetchmany(8_192):
                for row in rows:
                    number += 1
                    problems.rows += 1
                    yield f"row {number}", dict(zip(names, row, strict=True))


@contextmanager
def _duckdb_connection(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yields a connection with one thread and no progress bar; its errors become InputError."""
    check_room("Reading Parquet", _ROOM)
    import duckdb

    with duckdb.connect(":memory:", config={"threads": "1"}) as connection:
        connection.execute("SET enable_progress_bar = false; SET TimeZone = 'UTC'")
        with native_reader(path, "Parquet", duckdb.Error):
            yield connection


def header_of(path: Path, encoding: str = "utf-8") -> tuple[str, ...]:
    """Returns the columns of a CSV, TSV, Parquet or Arrow file, or the fields of the first object
    of JSON.
    """
    suffix = path.suffix.casefold()
    if suffix in DELIMITERS:
        return table_header(path, encoding)
    if suffix == ".parquet":
        with _duckdb_connection(path) as connection:
            connection.execute("SELECT * FROM read_parquet(?) LIMIT 0", [str(path)])
            return tuple(column[0] for column in connection.description or ())
    return tuple(first_row(path, encoding))


def first_row(path: Path, encoding: str = "utf-8") -> Row:
    """Returns the first row of a file that can be used; an empty one where there is none."""
    return next((row for _, row in read_rows(path, Problems(), encoding)), {})


def strict_rows(path: Path, encoding: str = "utf-8") -> Iterator[tuple[str, Row]]:
    """Yields the rows of a file, each with file and place; none may be unusable.

    Raises:
        InputError: at the end, where any row could not be read; nothing is left out.
    """
    problems = Problems()
    for where, row in read_rows(path, problems, encoding):
        yield f"{path}, {where}", row
    sentences = problems.sentences()
    if sentences:
        first = next(iter(problems.examples.values()))[0]
        if any("JSON" in kind for kind in problems.dropped):
            first += "; is the file cut off there?"
        more = ""
        if problems.n_dropped > 1:
            more = f" ({problems.n_dropped} rows in all)"
        kind = sentences[0].partition(":")[0]
        raise InputError(f"{path}, {first}{more} ({kind}). Nothing was written; mend the file.")


def text_cell(where: str, row: Row, column: str) -> str:
    """Returns the text in a cell that must have one.

    Raises:
        InputError: it is missing, no text, empty, or not in the encoding.
    """
    if column not in row:
        raise InputError(f"{where}: no column {column!r}. Found: {first_names(row)}.")
    value = row[column]
    if not isinstance(value, str):
        kind = "missing"
        if value is not None:
            kind = f"a {type(value).__name__}"
        if isinstance(value, float):
            kind = "a number"
        raise InputError(f"{where}: {column!r} is {kind}, not a text.")
    if not value.strip():
        raise InputError(f"{where}: {column!r} is empty.")
    why = too_long_reason(value)
    if why:
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
