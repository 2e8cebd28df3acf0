"""The files of a benchmark in factmark's own form, CSV or JSON Lines, a record a question."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from pathlib import Path

from factmark.answers.questions.published import is_of_others, published_records
from factmark.answers.questions.thing_records import FIELD
from factmark.errors import InputError
from factmark.files.flat_files import csv_reader
from factmark.files.rows import JSON_LINES
from factmark.files.separated import other_separator
from factmark.files.text_files import json_lines, read_text

IDS = ("id", "query_id")
QUESTIONS = ("question", "query", "text")
QUERIES = ("sparql", "ground_truth_sparql")

Records = Iterator[tuple[str, Mapping[str, object]]]
"""The line that each question starts in, as `line 2`, and its fields"""


def question_records(path: Path, columns: Mapping[str, str], warnings: list[str]) -> Records:
    """Yields the questions of a file: of factmark's own form, else as others publish them."""
    suffix = path.suffix.casefold()
    reader = {".csv": _csv_records, **dict.fromkeys(JSON_LINES, _json_records)}.get(suffix)
    if reader is None or columns:
        return published_records(path, columns, warnings)
    text = read_text(path)
    first: Sequence[str] = ()
    with suppress(InputError):
        first = _first_fields(path, text)
    if is_of_others(first, (*IDS, *QUESTIONS)):
        return published_records(path, columns, warnings)
    return reader(text, str(path), warnings)


def _first_fields(path: Path, text: str) -> Sequence[str]:
    """Returns the fields of the first question of a file."""
    if path.suffix.casefold() != ".csv":
        return next((list(record) for _, record in _json_records(text, str(path), [])), [])
    line = text.lstrip("\r\n").partition("\n")[0]
    return next(csv_reader(StringIO(line), other_separator(line, ",") or ","), [])


def _csv_records(text: str, path: str, warnings: list[str]) -> Records:
    """The questions of a CSV file, each with its line.

    A row with more cells than the header has unquoted commas in its last column: they are put back,
    with a warning, if that column is the ground truth.
    """
    delimiter = other_separator(text.lstrip("\r\n").partition("\n")[0], ",") or ","
    reader = csv_reader(StringIO(text, newline=""), delimiter)
    header: list[str] | None = None
    line = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{path}, line {line}: {error}. Check the quotes.") from error
        if header is None and (cells or cells is None):
            header = [name.strip() for name in cells or ()]
            _check_header(header, path)
        elif cells is None:
            return
        elif cells and header is not None:
            whole = _full_row(cells, header, f"{path}, line {line}", warnings)
            yield (
                f"line {line}",
                _with_json_cells(dict(zip(header, whole, strict=True)), path, line),
            )
        line = reader.line_num + 1


_DECODED = ("ground_truth", "aliases", "unit", FIELD)
_OPENS_JSON = re.compile(r"\s*(?:\[\s*[\[{\"]|\{\s*\")")


def _with_json_cells(record: dict[str, str], path: str, line: int) -> dict[str, object]:
    """The cells of a row, those that hold objects or lists in JSON decoded."""
    decoded: dict[str, object] = dict(record)
    for name in _DECODED:
        if _OPENS_JSON.match(record.get(name, "")):
            try:
                value = json.loads(record[name])
            except (ValueError, RecursionError) as error:
                raise InputError(
                    f"{path}, line {line}: {name} begins as JSON and is none ({error}). In a CSV "
                    "cell each quote is doubled, and the whole stands in quotes."
                ) from error
            if name == "ground_truth" and "value" in value:
                decoded[name] = [value]
            else:
                decoded[name] = value
    return decoded


def _check_header(header: Sequence[str], path: str) -> None:
    """Raises InputError for a header that lacks a column, or has one twice."""
    for names in (IDS, ("category",), QUESTIONS):
        if not set(names) & set(header):
            raise InputError(
                f"{path}, line 1: no column {' or '.join(names)}; the columns are"
                f" {', '.join(header) or 'none'}."
            )
    if not {"ground_truth", *QUERIES} & set(header):
        raise InputError(f"{path}, line 1: no column ground_truth and none with a sparql query.")
    if len(set(header)) < len(header):
        raise InputError(f"{path}, line 1: a column name stands twice: {', '.join(header)}.")


def _full_row(
    cells: list[str], header: Sequence[str], where: str, warnings: list[str]
) -> list[str]:
    """The cells of a row, as many as there are columns."""
    last = len(header) - 1
    if len(cells) < len(header):
        why = "the file is cut off or a comma is missing"
        raise InputError(f"{where}: {len(cells)} cells instead of {len(header)}; {why}.")
    if len(cells) == len(header):
        return cells
    if header[last] != "ground_truth":
        why = "Put quotes around cells with commas"
        raise InputError(f"{where}: {len(cells)} cells instead of {len(header)}. {why}.")
    warnings.append(f"{where}: unquoted commas in the last column; read as part of {header[last]}.")
    return [*cells[:last], ",".join(cells[last:])]


def _json_records(text: str, path: str, _: list[str]) -> Records:
    """The questions of a JSON Lines file, each with its line."""
    for where, record in json_lines(Path(path), text.split("\n")):
        if not isinstance(record, dict):
            name = type(record).__name__
            raise InputError(f"{path}, {where}: not a JSON object but {name}.")
        yield where, record
