"""Answers from rows: the fields of an answer in a file, and in the original harness's results."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import STATUSES, Answer, NoScore, Status
from factmark.errors import InputError
from factmark.files.text_files import why_too_long, without_surrogates

SCORES = tuple(METRICS)
_TOOL_KEYS = ("name", "tool", "tool_name", "function")
_CHUNK_KEYS = ("id", "chunk_id", "title", "source", "name", "text", "content")
_ID_LENGTH = 200
_ERROR = re.compile(r"\s*(?:\W{0,2}ERROR\W{0,2}(?::|$)|\[ERROR\])")
_NO_ERROR = ("", "none", "null", "nan", "false", "0")  # as tables write that there was none


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerFile:
    """The answers of a file, and what was odd in it, one sentence each."""

    answers: tuple[Answer, ...]
    problems: tuple[str, ...]


def _tools(value: object) -> object:
    """Names of tools, from a list of names or of calls; None where there is but a number."""
    return _listed(value, _TOOL_KEYS)


def _chunks(value: object) -> object:
    """Ids of chunks, from a list of ids or of chunks; None where there is but a number."""
    return _listed(value, _CHUNK_KEYS)


def _listed(value: object, keys: tuple[str, ...]) -> object:
    if is_count(value):
        return None
    if isinstance(value, str):
        value = _split(value)
    if isinstance(value, Mapping):
        value = [value]
    return [_label(one, keys) for one in value] if isinstance(value, list) else value


def is_count(value: object) -> bool:
    """Whether a number stands where names should be: it tells how many, and not which."""
    if isinstance(value, str):
        return value.strip().isdecimal()
    return isinstance(value, int | float) and not isinstance(value, bool)


def _split(text: str) -> object:
    """A JSON list in a cell, or names between `;`, `|` or commas; None for an empty cell."""
    text = text.strip()
    if text.startswith("["):
        try:
            return _cleaned(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise ValueError("is neither a list in JSON nor names with ; between them") from error
    for separator in (";", "|", ","):
        if separator in text:
            return [part.strip() for part in text.split(separator) if part.strip()]
    return [text] if text else None


def _label(one: object, keys: tuple[str, ...]) -> object:
    """What a tool or chunk goes by: itself, or the first of the fields that it has."""
    if isinstance(one, Mapping):
        named = next((one[key] for key in keys if one.get(key) not in (None, "")), None)
        if named is None:
            raise ValueError(f"an entry has none of {', '.join(keys)}")
        one = named["name"] if isinstance(named, Mapping) and "name" in named else named
    return one[:_ID_LENGTH] if isinstance(one, str) else one


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
    tools_called: Annotated[list[str] | None, BeforeValidator(_tools)] = None
    chunks_retrieved: Annotated[list[str] | None, BeforeValidator(_chunks)] = None


def answers_of(
    path: Path, rows: Iterable[tuple[str, object]], *, model: str, condition: str
) -> AnswerFile:
    """The answers in rows, each with the name of its place in the file; there may be none.

    Raises:
        InputError: for a row that is no answer.
    """
    answers = []
    broken = counted = scored = lost = 0
    for where, row in _flat(rows):
        why = _why_lost(row)
        lost += why is not None
        parsed, odd = _validated(path, where, row if why is None else {**row, "answer": ""})
        broken += odd
        counted += any(is_count(_field(row, name)) for name in ("tools_called", "chunks_retrieved"))
        scored += any(_field(row, name) not in (None, "") for name in SCORES)
        answer = _answer(parsed, model, condition)
        answers.append(answer if why is None else _without_trace(answer, why))
    problems = _problems(path.name, broken=broken, counted=counted, scored=scored, lost=lost)
    return AnswerFile(answers=tuple(answers), problems=tuple(problems))


def count_of(number: int, thing: str) -> str:
    """A number with what is counted: `1 row`, `2 rows`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _flat(rows: Iterable[tuple[str, object]]) -> Iterator[tuple[str, Any]]:
    """The rows, and instead of a question with its `results` by name a row for each of them.

    The original harness names them `CONDITION_MODEL`, as `rag_claude`.
    """
    for where, row in rows:
        whole = row if isinstance(row, Mapping) else {}
        results = None if "answer" in whole else whole.get("results")
        if not isinstance(results, Mapping):
            yield where, row
            continue
        asked = {field: whole[field] for field in ("query_id",) if field in whole}
        for name, result in results.items():
            condition, _, model = name.partition("_")
            given = result if isinstance(result, Mapping) else {}
            yield f"{where}, {name}", {"condition": condition, "model": model, **asked, **given}


def _why_lost(row: Any) -> NoScore | None:
    """Why a row has no answer, where it says so: that is another thing than an empty answer.

    It tells of an error, whatever stands for the answer; or begins as the original harness does
    where a call failed; or it is one of results.json's.
    """
    answer, error = _field(row, "answer"), _field(row, "error")
    if str(error or "").strip().casefold() not in _NO_ERROR:
        return NoScore(status="failed", reason=_short(error))
    if isinstance(answer, str) and (failed := _ERROR.match(answer)):
        return NoScore(status="failed", reason=_short(answer[failed.end() :]))
    status, reason = _field(row, "status"), _field(row, "reason")
    if answer in (None, "") and status and reason:
        known: Status = next((one for one in STATUSES if one == status), "failed")
        return NoScore(status=known, reason=_short(reason))
    return None


def _without_trace(answer: Answer, why: NoScore) -> Answer:
    """A lost answer: how long the failure took tells nothing of answers."""
    return replace(answer, lost=why, latency_seconds=None, tools_called=None, chunks_retrieved=None)


def _short(reason: object) -> str:
    """What went wrong, in a line."""
    told = reason.get("message", reason) if isinstance(reason, Mapping) else reason
    return without_surrogates(" ".join(str(told)[:_ID_LENGTH].split()))


def _field(row: object, name: str) -> object:
    return row.get(name) if isinstance(row, Mapping) else None


def _answer(row: _Row, model: str, condition: str) -> Answer:
    return Answer(
        id=row.id or "",
        query_id=row.query_id.strip(),
        text=row.answer,
        model=row.model or model,
        condition=row.condition or condition,
        latency_seconds=row.latency_seconds,
        tools_called=None if row.tools_called is None else tuple(row.tools_called),
        chunks_retrieved=None if row.chunks_retrieved is None else tuple(row.chunks_retrieved),
    )


def _problems(name: str, *, broken: int, counted: int, scored: int, lost: int) -> list[str]:
    problems = []
    if broken:
        problems.append(
            f"{name}: {count_of(broken, 'answer')} held broken characters (lone surrogates); each "
            "stands as U+FFFD"
        )
    if lost:
        tell = "tells of an error and has" if lost == 1 else "tell of an error and have"
        problems.append(f"{name}: {count_of(lost, 'row')} {tell} no answer: missing")
    if counted:
        say = "says" if counted == 1 else "say"
        problems.append(
            f"{name}: {count_of(counted, 'answer')} {say} how many tools or chunks there were, "
            "and not which; these numbers are not used"
        )
    if scored:
        come = "comes" if scored == 1 else "come"
        problems.append(
            f"{name}: {count_of(scored, 'answer')} {come} with scores of their own; these are "
            "not used, each answer is scored anew"
        )
    return problems


def _cleaned(value: Any) -> Any:
    """The value with U+FFFD for each lone surrogate in its texts, two levels deep."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, Mapping):
        return {name: _cleaned(one) if isinstance(one, str) else one for name, one in value.items()}
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
        if why := why_too_long(str(clean.get("answer", ""))):
            raise InputError(f"{path}, {where}: 'answer' has {why}.")
        return _Row.model_validate(clean), clean != given
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            has = without_surrogates(", ".join(sorted(map(str, row))[:12]))
            raise InputError(f"{path}, {where}: no {field!r}. It has: {has}.") from error
        raise InputError(f"{path}, {where}: {field!r}: {first['msg']}.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}, {where}: {error}.") from error
