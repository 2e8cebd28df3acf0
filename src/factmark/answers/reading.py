"""Answers from files: JSON Lines, CSV/TSV, and results in JSON, ours and the original harness's."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from factmark.answers.answer_files.answer_rows import Rows, is_plain, rows_of
from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import STATUSES, GivenAnswer, NoScore, Status
from factmark.errors import InputError
from factmark.files.text_files import (
    too_long_reason,
    without_surrogates,
)
from factmark.intake.shapes import value_at
from factmark.text.shown_text import count, first_names

_SHOWN = 8  # problems named where there are no answers
_ID_LENGTH = 200
_TOOL_KEYS = ("name", "tool", "tool_name", "function")
_CHUNK_KEYS = ("id", "chunk_id", "title", "source", "name", "text", "content")
_AS_NAMED: Mapping[str, str] = MappingProxyType({})
_ERROR = re.compile(  # up to where the reason begins, as harnesses and clients of models write it
    r"\s*(?:\W{0,2}ERROR\W{0,2}(?::|$)|\[ERROR\]|(?=Error code: [45]\d\d - )"
    r"|(?=[45]\d\d (?:Client|Server) Error: )"
    r"|(?=(?:aiohttp|anthropic|google|httpx|litellm|openai|requests|urllib3)"
    r"[\w.]{0,60}\.[A-Z]\w+: ))"
)
_NO_ERROR = ("", "none", "null", "nan", "false", "0")  # as tables write that there was none


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    """The answers of a file, and what was odd in it, one sentence each."""

    answers: tuple[GivenAnswer, ...]
    problems: tuple[str, ...] = ()

    def checked(self, path: Path) -> AnswerFile:
        """Returns itself, if it holds answers.

        Raises:
            InputError: it holds no answers.
        """
        if all(answer.lost is not None for answer in self.answers):
            why = " ".join(f"{problem}." for problem in self.problems[:_SHOWN])
            raise InputError(f"{path}: holds no answers. {why}".rstrip())
        return self


def read_answers(
    path: Path,
    *,
    encoding: str = "utf-8",
    model: str = "",
    condition: str = "",
    columns: Mapping[str, str] = _AS_NAMED,
) -> AnswerFile:
    """Reads answers: `query_id` and `answer`; optional `id`, `model`, `condition`,
    `latency_seconds`, `tools_called` and `chunks_retrieved`.

    Args:
        path: `.jsonl`/`.ndjson` (an object a line), any table of `files.rows.TABLES`, or `.json` (a
            list of objects, each an answer or, as the original harness writes it, a question with
            its answers under `results`; or an object with such a list under `results`, or under
            `answers`, or under `rows`, as results.json has it). An answer that a row tells an error
            in place of is `lost`.
        model, condition: for rows that name none.
        columns: field -> the name that it has in the file, where that is another.

    Raises:
        InputError: for a file that cannot be read as meant, which names the line; where there are
            no answers in it.
    """
    notes: list[str] = []
    rows = rows_of(path, encoding, columns, notes.append)
    read = answers_of(path, rows, model=model, condition=condition)
    return replace(read, problems=(*notes, *read.problems)).checked(path)


def answers_of(path: Path, rows: Rows, *, model: str, condition: str) -> AnswerFile:
    """The answers in rows; there may be none.

    Raises:
        InputError: for a row that is no answer.
    """
    answers = []
    broken = counted = scored = lost = 0
    for where, given in _one_answer_a_row(rows):
        row = _with_null_for_nan(given)
        why = _why_lost(row)
        lost += why is not None
        answer, odd = _answer(path, where, row if why is None else {**row, "answer": ""})
        broken += odd
        counted += any(
            _is_count(_field(row, name)) for name in ("tools_called", "chunks_retrieved")
        )
        scored += any(_field(row, name) not in (None, "") for name in METRICS)
        answer = replace(
            answer, model=answer.model or model, condition=answer.condition or condition
        )
        if why is not None:  # how long the failure took tells nothing of answers
            answer = replace(
                answer, lost=why, latency_seconds=None, tools_called=None, chunks_retrieved=None
            )
        answers.append(answer)
    problems = (
        (broken, "answer", "held broken characters (lone surrogates); each stands as U+FFFD"),
        (lost, "row", "with an error or no value in place of the answer: missing"),
        (counted, "answer", "with a number of tools or chunks, and not which; it is not used"),
        (scored, "answer", "with scores of their own; these are not used, each is scored anew"),
    )
    return AnswerFile(
        answers=tuple(answers),
        problems=tuple(
            f"{path.name}: {count(n, thing, thing + 's')} {what}"
            for n, thing, what in problems
            if n
        ),
    )


def _one_answer_a_row(rows: Rows) -> Iterator[tuple[str, Any]]:
    """The rows, where a question with its `results` by name becomes a row for each of them.

    The original harness names them `CONDITION_MODEL`, as `rag_claude`.
    """
    for where, row in rows:
        results = None
        if isinstance(row, Mapping) and "answer" not in row:
            results = row.get("results")
        if not isinstance(results, Mapping):
            yield where, row
            continue
        for name, result in results.items():
            condition, _, model = name.partition("_")
            answer = {"condition": condition, "model": model}
            if "query_id" in row:
                answer["query_id"] = row["query_id"]
            if isinstance(result, Mapping):
                answer |= result
            yield f"{where}, {name}", answer


def _field(row: object, name: str) -> object:
    """The value of a field; None where the row is no object or lacks it."""
    if isinstance(row, Mapping):
        return row.get(name)
    return None


def _why_lost(row: Any) -> NoScore | None:
    """Why a row has no answer, where it says so: that is another thing than an empty answer.

    It tells of an error, whatever stands for the answer; or begins as harnesses and clients do
    where a call failed; or it is one of results.json's; or a frame or JSON has no value there.
    """
    answer = _field(row, "answer")
    error = _field(row, "error")
    if str(error or "").strip().casefold() not in _NO_ERROR:
        return NoScore(status="failed", reason=_one_line_reason(error))
    if isinstance(answer, str) and (failed := _ERROR.match(answer)):
        return NoScore(status="failed", reason=_one_line_reason(answer[failed.end() :]))
    status = _field(row, "status")
    reason = _field(row, "reason")
    if answer in (None, "") and status and reason:
        known: Status = next((name for name in STATUSES if name == status), "failed")
        return NoScore(status=known, reason=_one_line_reason(reason))
    if isinstance(row, Mapping) and "answer" in row and answer is None:
        return NoScore(status="failed", reason="no value (null or NaN) in place of the answer")
    return None


def _with_null_for_nan(row: Any) -> Any:
    """The row with None where it has the float NaN, which is how tables write that there is none
    (as text it would be an answer or a model called `nan`), or an object without anything."""
    if not isinstance(row, Mapping):
        return row
    values = {}
    for name, value in row.items():
        is_nan = isinstance(value, float) and isnan(value)
        values[name] = None if is_nan or value == {} else value
    return values


def _one_line_reason(reason: object) -> str:
    """A reason in one line, cut to a bounded length."""
    if isinstance(reason, Mapping):
        message = reason.get("message", reason)
    else:
        message = reason
    return without_surrogates(" ".join(str(message)[:_ID_LENGTH].split()))


def _is_count(value: object) -> bool:
    """Whether a value is a number where names are expected."""
    if isinstance(value, str):
        return value.strip().isdecimal()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tool_names(value: object) -> object:
    """The names of tools, from names, calls or a text; None where there is but a number."""
    return _names(value, _TOOL_KEYS)


def _chunk_ids(value: object) -> object:
    """The ids of passages, from ids, passages or a text; None where there is but a number."""
    return _names(value, _CHUNK_KEYS)


def _names(value: object, keys: tuple[str, ...]) -> object:
    """Names or ids, from a list of them or of calls or chunks; None where there is but a number."""
    if _is_count(value):
        return None
    if isinstance(value, str):
        value = _names_in_cell(value)
    if isinstance(value, Mapping):
        value = [value]
    if isinstance(value, list):
        return [_name_of_entry(entry, keys) for entry in value]
    return value


def _names_in_cell(text: str) -> object:
    """A JSON list in a cell, or names between `;`, `|` or commas; None for an empty cell."""
    text = text.strip()
    if text.startswith("["):
        try:
            return _without_lone_surrogates(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise ValueError("is neither a list in JSON nor names with ; between them") from error
    for separator in (";", "|", ","):
        if separator in text:
            return [part.strip() for part in text.split(separator) if part.strip()]
    if text:
        return [text]
    return None


def _name_of_entry(entry: object, keys: tuple[str, ...]) -> object:
    """The name of a tool or passage: the entry itself, or the first naming field that it has."""
    if isinstance(entry, Mapping):
        named = next((entry[key] for key in keys if entry.get(key) not in (None, "")), None)
        if named is None:
            raise ValueError(f"an entry has none of {', '.join(keys)}")
        if isinstance(named, Mapping) and "name" in named:
            entry = named["name"]
        else:
            entry = named
    if isinstance(entry, str):
        return entry[:_ID_LENGTH]
    return entry


def _answer_text(value: object) -> object:
    """Returns an answer as text: of a list its items, of a truth value its word, of the results of
    a SPARQL query their values."""
    if isinstance(value, Mapping) and "head" in value:
        if "boolean" in value:
            value = value["boolean"]
        else:
            value = value_at(value, "results.bindings.*.*.value")
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple) and all(is_plain(item) for item in value):
        return "; ".join(str(_answer_text(item)) for item in value if item is not None)
    return value


def _blank_is_none(value: object) -> object:
    """None for an empty text; else the value."""
    if isinstance(value, str) and not value.strip():
        return None
    return value


class _AnswerFields(BaseModel):
    """One answer as a file gives it; other fields are not read."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True, frozen=True)

    query_id: Annotated[str, Field(min_length=1)]
    answer: Annotated[str, BeforeValidator(_answer_text)]
    id: str | None = None
    model: Annotated[str | None, BeforeValidator(_blank_is_none)] = None
    condition: Annotated[str | None, BeforeValidator(_blank_is_none)] = None
    latency_seconds: Annotated[
        float | None, Field(ge=0, allow_inf_nan=False), BeforeValidator(_blank_is_none)
    ] = None
    tools_called: Annotated[tuple[str, ...] | None, BeforeValidator(_tool_names)] = None
    chunks_retrieved: Annotated[tuple[str, ...] | None, BeforeValidator(_chunk_ids)] = None


def _answer(path: Path, where: str, row: object) -> tuple[GivenAnswer, bool]:
    """The answer in a row, and whether broken characters were replaced in it."""
    if not isinstance(row, Mapping):
        raise InputError(f"{path}, {where}: an answer is an object with query_id and answer.")
    try:
        given = {name: value for name, value in row.items() if name in _AnswerFields.model_fields}
        clean = {name: _without_lone_surrogates(value) for name, value in given.items()}
        why = too_long_reason(str(clean.get("answer", "")))
        if why:
            raise InputError(f"{path}, {where}: 'answer' has {why}.")
        fields = _AnswerFields.model_validate(clean)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            has = without_surrogates(first_names(sorted(map(str, row))))
            raise InputError(f"{path}, {where}: no {field!r}. It has: {has}.") from error
        raise InputError(f"{path}, {where}: {field!r}: {first['msg']}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}, {where}: {error}.") from error
    answer = GivenAnswer(
        id=fields.id or "",
        query_id=fields.query_id.strip(),
        text=fields.answer,
        model=fields.model or "",
        condition=fields.condition or "",
        latency_seconds=fields.latency_seconds,
        tools_called=fields.tools_called,
        chunks_retrieved=fields.chunks_retrieved,
    )
    return answer, clean != given


def _without_lone_surrogates(value: Any) -> Any:
    """The value with U+FFFD for each lone surrogate in its texts, two levels deep."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, Mapping):
        surrogates = {}
        for key, part in value.items():
            surrogates[key] = _without_lone_surrogates(part) if isinstance(part, str) else part
        return surrogates
    if isinstance(value, list):
        return [_without_lone_surrogates(part) for part in value]
    return value
