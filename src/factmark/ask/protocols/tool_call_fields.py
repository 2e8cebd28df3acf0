"""Tool calls in the fields of a message, and in the error of a server that refused one. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

_PARTS = frozenset({"tool_use", "tool_call", "function_call", "tool-call"})


def calls_in_message(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the calls of a message, each with its `function`: `name` and `arguments`.

    A call whose name stands beside its id, an object or a text in place of the list, a part of the
    content, and the single `function_call` of earlier versions of the protocol are calls like
    others; what is none is left out.
    """
    content = message.get("content")
    parts = []
    if isinstance(content, list):
        parts = content
    used = []
    for part in parts:
        if isinstance(part, Mapping) and part.get("type") in _PARTS:
            used.append(part)
    earlier = message.get("function_call")
    for given in (_listed(message.get("tool_calls")), used, [{"function": earlier}]):
        calls = []
        for item in given:
            if (call := _call_in(item)) is not None:
                calls.append(call)
        if calls:
            return calls
    return []


def _listed(given: object) -> list[object]:
    """Returns calls as a list, which some servers give as a text or as the one that there is."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return []
    if isinstance(given, list):
        return given
    return [given]


def _call_in(item: object) -> Mapping[str, Any] | None:
    """Returns an entry of a list of calls as the protocol has it; None where it is no call."""
    if not isinstance(item, Mapping):
        return None
    if isinstance(function := item.get("function"), Mapping):
        if function or "id" in item:
            return item
        return None
    name = item.get("name") or item.get("function")
    if not isinstance(name, str):
        return None
    keys = ("arguments", "parameters", "args", "input")
    arguments = next((item[key] for key in keys if key in item), None)
    return {**item, "function": {"name": name, "arguments": arguments}}


def failed_generation(error: Mapping[str, Any]) -> str:
    """Returns the call that a model wrote and its server refused, as Groq's errors have it; empty
    where there is none.
    """
    written = error.get("failed_generation")
    if isinstance(written, Mapping | list):
        return json.dumps(written, ensure_ascii=False)
    if isinstance(written, str):
        return written
    return ""
