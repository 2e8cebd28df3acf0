"""What replies hold besides an answer: what a model thought aloud, and calls of tools."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from math import isfinite

from factmark.ask.chat import ToolCall
from factmark.files.text_files import sound

_OPEN = re.compile(r"\s*(?:<(think|thinking|reasoning)>|\[(THINK)\])", re.IGNORECASE)
_ORPHAN = re.compile(r"</(?:think|thinking)>", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str]:
    """The answer and the thinking of a reply that may begin with a thinking block.

    Some chat templates put the opening tag into the prompt, so that the reply has the closing one
    alone; a block that never closes (the reply was cut off) leaves no answer. Tags later in the
    text are the answer's own.
    """
    opened = _OPEN.match(text)
    if opened is None:
        closed = None if re.search(r"<think", text, re.IGNORECASE) else _ORPHAN.search(text)
        if closed is None:
            return text, ""
        return text[closed.end() :].strip(), text[: closed.start()].strip()
    name = opened.group(1) or opened.group(2)
    closing = rf"\[/{name}\]" if opened.group(2) else f"</{name}>"
    end = re.search(closing, text[opened.end() :], re.IGNORECASE)
    if end is None:
        return "", text[opened.end() :].strip()
    thought = text[opened.end() :][: end.start()].strip()
    answer, more = split_thinking(text[opened.end() :][end.end() :].strip())
    return answer, "\n\n".join(filter(None, (thought, more)))


def arguments_text(given: object) -> str:
    """The arguments of a call as JSON text; some servers send them parsed."""
    if isinstance(given, str):
        return given or "{}"
    return json.dumps({} if given is None else given, ensure_ascii=False)


def read_arguments(text: str) -> dict[str, object] | None:
    """The arguments of a call, or None where they are no JSON object; lone surrogates replaced.

    NaN and numbers beyond all bounds are no JSON.
    """
    try:
        given = sound(json.loads(text, parse_constant=_no_number, parse_float=_finite))
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _no_number(text)


def sendable_arguments(text: str) -> str:
    """Arguments as they may be sent back: servers refuse a conversation with broken JSON in it."""
    given = read_arguments(text)
    return "{}" if given is None else json.dumps(given, ensure_ascii=False)


def unique_calls(given: Iterable[tuple[object, object, str]]) -> tuple[ToolCall, ...]:
    """Calls whose ids differ; one without an id, or with an earlier one's, gets a new one."""
    calls: dict[str, ToolCall] = {}
    for place, (name_of_call, name, arguments) in enumerate(given, 1):
        wished = str(name_of_call or "")
        key = wished if wished and wished not in calls else f"call_{place}"
        while key in calls:
            key += "x"
        calls[key] = ToolCall(id=key, name=str(name), arguments=arguments)
    return tuple(calls.values())
