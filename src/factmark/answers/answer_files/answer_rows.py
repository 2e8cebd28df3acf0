"""The rows of a file of answers, whatever its form, with their fields under factmark's names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import Any

from factmark.answers.answer_files.answer_columns import FIELDS, answer_mapping, changed_names
from factmark.answers.core.averages import METRICS
from factmark.answers.marks.sheet import COLUMNS as SHEET
from factmark.errors import InputError
from factmark.files.flat_files import unguard_formula
from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.rows import (
    OBJECTS,
    TABLES,
    YAML,
    broken_bytes_reason,
    has_broken_bytes,
    unknown_ending,
)
from factmark.files.text_files import json_lines, json_value, read_text, text_lines
from factmark.intake.columns import SAMPLE
from factmark.intake.messages import chat_text
from factmark.intake.shapes import lists_of_rows
from factmark.intake.table_file import SeveralListsError, TableFile, open_table
from factmark.intake.tools import ToolForm
from factmark.text.shown_text import first_names

_QUESTIONS = "questions"
_TASKS = (_QUESTIONS, "")  # whose tools' files are looked for
_OURS = {"query_id", "answer", "facts", "verdict", "absence", *METRICS}  # of our rows.csv
Rows = Iterable[tuple[str, Any]]
"""The rows of a file, each with the name of its place"""


def rows_of(
    path: Path, encoding: str, columns: Mapping[str, str], note: Callable[[str], object]
) -> Iterator[tuple[str, Any]]:
    """The rows of a file of answers, with their fields under our names; raises as `read_answers`.

    Args:
        note: gets which columns of other names hold what.
    """
    suffix = path.suffix.casefold()
    if suffix == ".json":
        rows = _json_rows(path, json_value(path, read_text(path, encoding)), encoding)
    elif suffix in TABLES and suffix not in OBJECTS:
        rows = _table_rows(path, encoding)
    elif suffix in YAML:
        raise unknown_ending(path, TABLES)
    else:
        rows = json_lines(path, text_lines(path, encoding))
    return _with_fields(path, rows, columns, note)


def _with_fields(
    path: Path, rows: Rows, columns: Mapping[str, str], note: Callable[[str], object]
) -> Iterator[tuple[str, Any]]:
    """Yields the rows with their fields under the names that factmark has for them."""
    rows = iter(rows)
    first = list(islice(rows, SAMPLE + 1))
    placed = [(where, row) for where, row in first if isinstance(row, Mapping)]
    if not placed or (not columns and _is_of_a_harness(placed[0][1])):
        yield from chain(first, rows)
        return
    mapping = answer_mapping(path, placed, columns)
    changed = changed_names(mapping)
    if changed and not columns:
        note(f"{path.name}: {changed}")
    fields = {field: paths[0] for field, paths in mapping.columns.items() if paths}
    for where, row in chain(first, rows):
        if isinstance(row, Mapping):
            row = _renamed(row, fields)
        yield where, row


def _renamed(row: Mapping[str, Any], fields: Mapping[str, str]) -> dict[str, Any]:
    """Returns a row with what its fields' columns hold; a column that it lacks is no field."""
    renamed = {name: cell for name, cell in row.items() if name not in FIELDS}
    for field, column in fields.items():
        cell = cell_at(row, column)
        is_missing = field == "answer" and column != field  # in a row of a file that has it
        if cell is not None or column in row or is_missing:
            renamed[field] = cell
    return renamed


def _is_of_a_harness(row: Mapping[str, Any]) -> bool:
    """Whether a row is a question with its answers by name, or a sample of lm-evaluation-harness,
    which have no column for an answer."""
    return "answer" not in row and (isinstance(row.get("results"), Mapping) or "doc_id" in row)


def _table_of_tool(path: Path, encoding: str) -> TableFile | None:
    """Returns a JSON file in the form of a tool: of questions, such as QALD's, which systems write
    their answers into, or of what a tool says of answers; None where no form fits."""
    for task in _TASKS:
        with suppress(InputError):  # what holds no rows is told by who knows that it is no table
            table = open_table(path, encoding, task=task)
            if table.form is not None:
                return table
    return None


def _of_tool(table: TableFile, form: ToolForm) -> Iterator[tuple[str, Any]]:
    """Yields the answers of a tool's file; what a tool says of answers names a question by its
    text, since ids are of its rows."""
    for where, row in table.rows(Problems()):
        held = form.values_of(row)
        if form.task == _QUESTIONS:
            names = {"query_id": "id", "question": "question", "answer": "answer"}
            yield where, {name: held.get(role) for name, role in names.items()}
        else:
            answer = {"answer": chat_text(held.get("response")), "model": held.get("system")}
            if "question" in held:
                answer["question"] = chat_text(held["question"])
            else:
                answer["query_id"] = held.get("id")
            yield where, answer


def _are_answers_by_id(value: Mapping[str, Any]) -> bool:
    """Whether an object holds nothing but answers by the ids of their questions: several texts,
    numbers or lists of them, or how often a result has each."""
    plain = all(is_plain(part) for part in value.values())
    return len(value) > 1 and plain and not {"query_id", "answer"} & set(value)


def is_plain(part: object) -> bool:
    """Whether a value may be an answer by itself."""
    if isinstance(part, Mapping):
        return all(type(n) is int for n in part.values())
    if isinstance(part, list):
        return all(is_plain(item) and not isinstance(item, Mapping) for item in part)
    return part is None or isinstance(part, str | int | float)


def _answer_to(name: str, part: object) -> dict[str, object]:
    """Returns the row of an answer that stands by its question's id."""
    return {"query_id": name, "answer": list(part) if isinstance(part, Mapping) else part}


def _json_rows(path: Path, value: Any, encoding: str) -> Iterator[tuple[str, Any]]:
    """The answers of a JSON file: a list, or the list in an object, with those without a score."""
    rows: object = value
    if isinstance(value, dict) and _are_answers_by_id(value):
        yield from ((f"answer to {name!r}", _answer_to(name, value[name])) for name in value)
        return
    ours = isinstance(value, dict) and "results" not in value and "signature" in value
    table = None
    if isinstance(value, dict) and not ours:
        table = _table_of_tool(path, encoding)
    if table is not None and table.form is not None:
        yield from _of_tool(table, table.form)
        return
    if isinstance(value, dict):
        rows = value.get("results", value.get("answers", value.get("rows")))
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        if not lists_of_rows(value):
            raise InputError(
                f"{path}: is neither a list of answers nor an object with a list of them, as under "
                "'results', and no object of answers by their questions' ids."
            )
        yield from _rows_of_only_list(path, encoding)
        return
    unscored = None
    if ours:
        unscored = value.get("unscored")
    all_rows = [*rows]
    if isinstance(unscored, list):
        all_rows += unscored
    for number, row in enumerate(all_rows, start=1):
        if ours and isinstance(row, Mapping):  # that its scores are made anew goes without saying
            row = {name: value for name, value in row.items() if name not in METRICS}
        yield f"answer {number}", row


def _rows_of_only_list(path: Path, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yields the rows of the only list of a JSON file."""
    try:
        table = open_table(path, encoding)
    except SeveralListsError as error:
        raise InputError(
            f"{path}: has several lists of rows ({first_names(error.lists)}), in no form of a tool "
            "that is known. Write the answers as one list of objects."
        ) from error
    yield from table.rows(Problems())


def _table_rows(path: Path, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yields the rows of a table; of our own with the marks off that keep a spreadsheet from
    running a cell.

    Raises:
        InputError: it is none, or a row could not be read; nothing is left out.
    """
    problems = Problems()
    table = open_table(path, encoding)
    heads = table.sample.heads
    is_ours = heads >= _OURS or heads >= set(SHEET)
    for where, row in table.rows(problems):
        for cell in row.values():
            if isinstance(cell, str) and has_broken_bytes(cell):
                raise InputError(f"{path}, {where}: holds {broken_bytes_reason(cell)}.")
        if is_ours:
            row = {name: unguard_formula(cell) for name, cell in row.items()}
        yield where, row
    for sentence in problems.sentences():
        raise InputError(f"{path}: {sentence}.")
