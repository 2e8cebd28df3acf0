"""Calls of tools as servers and models really write them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from math import isfinite

from factmark.ask.chat import ToolCall
from factmark.files.text_files import sound


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
