"""Answers from files: JSON Lines, CSV/TSV, and the original harness's results (JSON)."""

from __future__ import annotations

import csv
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from factmark.answers.records import Answer
from factmark.errors import InputError
from factmark.io.text import read_text, without_surrogates


def _names(value: object) -> object:
    """Tool names as a list: a list, a JSON list in a cell, or names between `;`, `|` or commas."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if text.startswith("["):
        return _json_names(text)
    for separator in (";", "|", ","):
        if separator in text:
            return [part.strip() for part in text.split(separator) if part.strip()]
    return [text] if text else None


def _json_names(text: str) -> object:
    try:
        return _cleaned(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise ValueError("is neither a list in JSON nor names with ; between them") from error


def _blank_is_none(value: object) -> object:
    return None if isinstance(value, str) and not value.strip() else value


class _Row(BaseModel):
    """One answer as a file gives it; other fields are not read."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True, frozen=True)

    query_id: Annotated[str, Field(min_length=1)]
    answer: str
    id: str | None = None
    model: Annotated[str | None, BeforeValidator(_blank_is_none)] = None
    condition: Annotated[str | None, BeforeValidator(_blank_is_none)] = None
    latency_seconds: Annotated[
        float | None, Field(ge=0, allow_inf_nan=False), BeforeValidator(_blank_is_none)
    ] = None
    tools_called: Annotated[list[str] | None, BeforeValidator(_names)] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    """The answers of a file, and what was odd in it, one sentence each."""

    answers: tuple[Answer, ...]
    problems: tuple[str, ...]


def read_answers(
    path: Path, *, encoding: str = "utf-8", model: str = "", condition: str = ""
) -> AnswerFile:
    """Reads answers: `query_id` and `answer`; optional `id`, `model`, `condition`,
    `latency_seconds` and `tools_called`.

    Args:
        path: `.jsonl`/`.ndjson` (an object a line), `.csv`/`.tsv` (with a header), or `.json` (a
            list of objects, or an object with such a list under `results`, as the original harness
            writes it).
        model, condition: for rows that name none.

    Raises:
        InputError: for a file that cannot be read as meant; names the line.
    """
    text = read_text(path, encoding)
    suffix = path.suffix.casefold()
    if suffix in (".csv", ".tsv"):
        rows = _csv_rows(path, text, "\t" if suffix == ".tsv" else ",")
    elif suffix == ".json":
        rows = _json_rows(path, text)
    else:
        rows = json_lines(path, text)
    answers, broken = [], 0
    for where, row in rows:
        parsed, odd = _validated(path, where, row)
        broken += odd
        answers.append(
            Answer(
                id=parsed.id or "",
                query_id=parsed.query_id.strip(),
                text=parsed.answer,
                model=parsed.model or model,
                condition=parsed.condition or condition,
                latency_seconds=parsed.latency_seconds,
                tools_called=None if parsed.tools_called is None else tuple(parsed.tools_called),
            )
        )
    if not answers:
        raise InputError(f"{path}: holds no answers.")
    problems = []
    if broken:
        problems.append(
            f"{path.name}: {broken} answers held broken characters (lone surrogates); each stands "
            "as U+FFFD"
        )
    return AnswerFile(answers=tuple(answers), problems=tuple(problems))


def _cleaned(value: Any) -> Any:
    """A text, or a list of them, with U+FFFD for each lone surrogate; else what was given."""
    if isinstance(value, str):
        return without_surrogates(value)
    return [_cleaned(one) for one in value] if isinstance(value, list) else value


def _validated(path: Path, where: str, row: object) -> tuple[_Row, bool]:
    """The row, and whether broken characters were replaced in it."""
    if not isinstance(row, Mapping):
        raise InputError(f"{path}, {where}: an answer is an object with query_id and answer.")
    if row.get("answer", "") is None:
        row = {**row, "answer": ""}
    try:
        given = {name: value for name, value in row.items() if name in _Row.model_fields}
        clean = {name: _cleaned(value) for name, value in given.items()}
        return _Row.model_validate(clean), clean != given
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            has = without_surrogates(", ".join(sorted(map(str, row))[:12]))
            raise InputError(f"{path}, {where}: no {field!r}. It has: {has}.") from error
        raise InputError(f"{path}, {where}: {field!r}: {first['msg']}.") from error
    except ValueError as error:
        raise InputError(f"{path}, {where}: {error}.") from error


def json_lines(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    """The values of a JSON Lines text, each with the name of its line; blank lines are skipped."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield f"line {number}", _parse(path, number, line)


def _parse(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except json.JSONDecodeError as error:
        cut = error.pos >= len(line.rstrip()) or "Unterminated" in error.msg
        why = "ends in the middle of a value; the file seems cut off" if cut else error.msg
        raise InputError(f"{path}, line {number}, column {error.colno}: {why}.") from error
    except RecursionError as error:
        raise InputError(f"{path}, line {number}: nested too deeply.") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise InputError(f"{path}, line {number}: a number is too long.") from error


def _json_rows(path: Path, text: str) -> Iterator[tuple[str, Any]]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError(
            f"{path}, line {error.lineno}, column {error.colno}: {error.msg}. For one object a "
            "line, name the file .jsonl."
        ) from error
    except RecursionError as error:
        raise InputError(f"{path}: nested too deeply.") from error
    except ValueError as error:  # a number of more digits than Python reads
        line = _line_of_long_number(text)
        raise InputError(f"{path}, line {line}: a number is too long.") from error
    rows: object = value
    if isinstance(value, dict):
        rows = value.get("results", value.get("answers"))
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InputError(
            f"{path}: is neither a list of answers nor an object with a list under 'results'."
        )
    for number, row in enumerate(rows, start=1):
        yield f"answer {number}", row


def _line_of_long_number(text: str) -> int:
    """The line of the first number that Python refuses to read; one in a text may come earlier."""
    found = re.search(rf"[0-9]{{{sys.get_int_max_str_digits() + 1},}}", text)
    return 1 + text.count("\n", 0, found.start() if found else 0)


def _csv_rows(path: Path, text: str, delimiter: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(2**31 - 1)
    if "\0" in text:
        raise InputError(f"{path}: holds NUL bytes; it is no CSV file in this encoding.")
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        for needed in ("query_id", "answer"):
            if needed not in header:
                found = ", ".join(header[:12]) or "nothing"
                raise InputError(f"{path}, line 1: no column {needed!r}. Found: {found}.")
        twice = [name for name, count in Counter(header).items() if name and count > 1]
        if twice:
            raise InputError(f"{path}, line 1: the column {twice[0]!r} stands twice.")
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != len(header):
                raise InputError(
                    f"{path}, line {reader.line_num}: {len(cells)} cells under {len(header)} "
                    "columns; is a quote missing?"
                )
            row = {name: cell for name, cell in zip(header, cells, strict=True) if name}
            yield f"line {reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{path}, line {reader.line_num}: {error}; is a quote missing?") from error
