"""A benchmark's questions from CSV and from JSON Lines, and from records of either."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO

from factmark.answers.core.records import Question
from factmark.errors import InputError
from factmark.files.flat_files import csv_reader
from factmark.files.text_files import why_too_long, without_surrogates

_IDS = ("id", "query_id")
_QUESTIONS = ("question", "query", "text")
_QUERIES = ("sparql", "ground_truth_sparql")
_TOOLS = ("expected_tools", "tools")
_SEPARATOR = "|"
_TOOL_SEPARATOR = ";"
NO_CATEGORY = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A question and the line that it starts in."""

    question: Question
    line: int


Entries = tuple[list[Entry], list[str]]
"""Questions in file order, and warnings."""


def question_of(record: Mapping[str, object], where: str) -> Question:
    """The question that a record describes.

    Args:
        record: the fields, see `factmark.answers.benchmarks.load_benchmark`.
        where: file and line, for messages.

    Raises:
        InputError: a field is missing or of the wrong kind, holds what no file can (half of a
            surrogate pair, a number of thousands of digits), or there is neither a ground truth nor
            a query.
    """
    try:
        question = _question(record, where)
    except ValueError as error:
        raise InputError(f"{where}: a number is too long.") from error
    texts = (question.query_id, question.category, question.text, question.sparql or "")
    for text in (*texts, *(question.ground_truth or ()), *(question.expected_tools or ())):
        if without_surrogates(text) != text:
            raise InputError(
                f"{where}: {text!a:.60} holds half of a surrogate pair, which is no character. "
                "Write the character itself."
            )
    return question


def _question(record: Mapping[str, object], where: str) -> Question:
    query_id = _text(record, _IDS, where)
    text = _text(record, _QUESTIONS, where)
    if not query_id or not text:
        name = _QUESTIONS if query_id else _IDS
        raise InputError(f"{where}: the question has no {' or '.join(name)}. Add it.")
    sparql = _text(record, _QUERIES, where) or None
    truth = _ground_truth(record.get("ground_truth"), where)
    if sparql is None and truth is None:
        raise InputError(
            f"{where}: question {query_id} has neither a ground_truth nor a sparql query. Add one."
        )
    return Question(
        query_id=query_id,
        category=_text(record, ("category",), where) or NO_CATEGORY,
        text=text,
        sparql=sparql,
        ground_truth=truth,
        expected_tools=_tools(record, where),
    )


def _tools(record: Mapping[str, object], where: str) -> tuple[str, ...] | None:
    """The names of a list, or of a text with `;` between them; None where there are none."""
    name, value = next(((n, record[n]) for n in _TOOLS if record.get(n) is not None), ("", ()))
    names = value.split(_TOOL_SEPARATOR) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(one, str) for one in names):
        raise InputError(
            f"{where}: {name} must be a list of names, or a text with ; between them, not"
            f" {value!r:.60}."
        )
    stripped = (one.strip() for one in names)
    return tuple(dict.fromkeys(one for one in stripped if one)) or None


def _text(record: Mapping[str, object], names: Sequence[str], where: str) -> str:
    """The first of the fields that is there, stripped; empty if none is."""
    for name in names:
        value = record.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InputError(f"{where}: {name} must be text, not {type(value).__name__}.")
        if why := why_too_long(str(value)):
            raise InputError(f"{where}: {name} has {why}.")
        return str(value).strip()
    return ""


def _ground_truth(value: object, where: str) -> tuple[str, ...] | None:
    """The elements of a list, or of a text with `|` between them, without duplicates."""
    if value is None:
        return None
    elements = value.split(_SEPARATOR) if isinstance(value, str) else value
    if not isinstance(elements, list | tuple):
        raise InputError(f"{where}: ground_truth must be a list or a text, not {value!r}.")
    texts = (text.strip() for element in elements for text in _elements(element, where))
    return tuple(dict.fromkeys(text for text in texts if text))


def _elements(value: object, where: str) -> Iterator[str]:
    """An element, or those of a row of several."""
    if isinstance(value, list | tuple):
        for inner in value:
            yield from _elements(inner, where)
    elif isinstance(value, bool):
        yield "true" if value else "false"
    elif isinstance(value, str | int | float):
        yield str(value)
    else:
        raise InputError(f"{where}: a ground_truth element must be text, not {value!r}.")


def csv_entries(text: str, path: str) -> Entries:
    """Questions of a CSV file with a header.

    A row with more cells than the header has unquoted commas in its last column: they are put back,
    with a warning, if that column is the ground truth.

    Raises:
        InputError: missing columns, broken quotes, a row that was cut off.
    """
    reader = csv_reader(StringIO(text, newline=""))
    rows = _rows(reader, path)
    header = [name.strip() for name in next(rows, (1, []))[1]]
    _check_header(header, path)
    entries, warnings = [], []
    for line, cells in rows:
        where = f"{path}, line {line}"
        if len(cells) > len(header):
            cells = _rejoined(cells, header, where)
            warnings.append(
                f"{where}: unquoted commas in the last column; read as part of {header[-1]}."
            )
        if len(cells) < len(header):
            raise InputError(
                f"{where}: {len(cells)} cells instead of {len(header)}; the file is cut off or a"
                " comma is missing."
            )
        record = dict(zip(header, cells, strict=True))
        entries.append(Entry(question=question_of(record, where), line=line))
    return entries, warnings


def _rows(reader: Iterator[list[str]], path: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with the line that each starts in."""
    line = 1
    while True:
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(f"{path}, line {line}: {error}. Check the quotes.") from error
        if cells is None:
            return
        if cells:
            yield line, cells
        line = reader.line_num + 1  # type: ignore[attr-defined]  # of csv.reader


def _check_header(header: Sequence[str], path: str) -> None:
    for names in (_IDS, ("category",), _QUESTIONS):
        if not set(names) & set(header):
            raise InputError(
                f"{path}, line 1: no column {' or '.join(names)}; the columns are"
                f" {', '.join(header) or 'none'}."
            )
    if not {"ground_truth", *_QUERIES} & set(header):
        raise InputError(f"{path}, line 1: no column ground_truth and none with a sparql query.")
    if len(set(header)) < len(header):
        raise InputError(f"{path}, line 1: a column name stands twice: {', '.join(header)}.")


def _rejoined(cells: list[str], header: Sequence[str], where: str) -> list[str]:
    if header[-1] != "ground_truth":
        raise InputError(
            f"{where}: {len(cells)} cells instead of {len(header)}. Put quotes around cells with"
            " commas."
        )
    kept = len(header) - 1
    return [*cells[:kept], ",".join(cells[kept:])]


def jsonl_entries(text: str, path: str) -> Entries:
    """Questions of a JSON Lines file, one object per line; blank lines do not count.

    Raises:
        InputError: broken JSON, or a line that is no object.
    """
    entries = []
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        where = f"{path}, line {line}"
        try:
            record = json.loads(content)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{where}: broken JSON ({_detail(error)}).") from error
        if not isinstance(record, dict):
            raise InputError(f"{where}: not a JSON object but {type(record).__name__}.")
        entries.append(Entry(question=question_of(record, where), line=line))
    return entries, []


def _detail(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}; is the file cut off?"
    return "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
