"""Messages as inspect_ai's logs have them, from how an answer came about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from factmark.answers.core.records import ToolUse, Trace
from factmark.files.text_files import without_surrogates
from factmark.interop.runs import Row
from factmark.model import Chunk, content_hash

_MAX_DEPTH = 20
_ERRORS = {"timeout": "timeout", "invalid": "parsing"}


def messages_of(row: Row) -> list[dict[str, Any]]:
    """The conversation: a system message per chunk, the question, calls and results, the answer.

    What inspect_ai has no field for stands in the messages' metadata, so that it can be read back.
    """
    trace = row.answer.trace or Trace()
    said = [_chunk(chunk) for chunk in trace.chunks or ()]
    said.append({"role": "user", "content": row.question.text, "source": "input"})
    numbered = enumerate(trace.tools or (), start=1)
    for _, uses in groupby(numbered, key=lambda one: one[1].round):
        said += _round(row, list(uses))
    said.append(final_message(row))
    seed = (row.question.query_id, row.answer.model, row.answer.condition, row.repeat)
    return [{"id": content_hash(*seed, at)[:22]} | one for at, one in enumerate(said)]


def final_message(row: Row) -> dict[str, Any]:
    """The answer itself."""
    return {
        "role": "assistant",
        "content": row.answer.text,
        "source": "generate",
        "model": row.answer.model,
    }


def _chunk(chunk: Chunk) -> dict[str, Any]:
    about = {"id": chunk.id, "title": chunk.title, "score": chunk.score}
    content = f"{chunk.title}\n\n{chunk.text}"
    return {"role": "system", "content": content, "metadata": {"chunk": about}}


def _round(row: Row, uses: list[tuple[int, ToolUse]]) -> Iterator[dict[str, Any]]:
    """One turn of the model with its calls, numbered as in the whole conversation, and results."""
    calls = [_call(use, f"call_{number}") for number, use in uses]
    turn = {"role": "assistant", "content": "", "source": "generate", "model": row.answer.model}
    yield turn | {"tool_calls": calls}
    for number, use in uses:
        yield _result(use, f"call_{number}")


def _call(use: ToolUse, call_id: str) -> dict[str, Any]:
    given = arguments_of(use.arguments)
    call = {"id": call_id, "function": use.name, "arguments": given or {}, "type": "function"}
    if given is None:
        call["parse_error"] = f"The arguments cannot be shown as JSON: {use.arguments[:500]}"
    return call


def arguments_of(text: str) -> dict[str, Any] | None:
    """The arguments of a call, without lone surrogates.

    None where they are no JSON object, or one that others could not read back: with NaN or a
    number without end in it, or nested more than 20 deep.
    """
    try:
        value = json.loads(text)
        if not isinstance(value, dict) or _deeper_than(value, _MAX_DEPTH):
            return None
        clean = without_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False))
        return dict(json.loads(clean))
    except (ValueError, RecursionError):
        return None


def _deeper_than(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper_than(one, levels - 1) for one in inner)


def _result(use: ToolUse, call_id: str) -> dict[str, Any]:
    told = {
        "round": use.round,
        "arguments": use.arguments,
        "status": use.status,
        "seconds": use.seconds,
        "size": use.size,
    }
    message: dict[str, Any] = {
        "role": "tool",
        "content": use.result,
        "tool_call_id": call_id,
        "function": use.name,
        "metadata": {"use": told},
    }
    if use.status != "ok":
        kind = _ERRORS.get(use.status, "unknown")
        message["error"] = {"type": kind, "message": use.result or use.status}
    return message
