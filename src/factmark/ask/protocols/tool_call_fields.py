"""Tool calls in the fields of a message, and what servers say that take no tools. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_PARTS = frozenset({"tool_use", "tool_call", "function_call", "tool-call"})
_REMEDIES = (  # words of a server that takes no tools, and what to do about it
    (
        re.compile(r"--enable-auto-tool-choice|--tool-call-parser"),
        "Start vLLM with --enable-auto-tool-choice --tool-call-parser NAME, the parser of this "
        "model",
    ),
    (
        re.compile(r"--jinja"),
        "Start llama.cpp's server with --jinja",
    ),
    (
        re.compile(r"no endpoints? found that supports? tool"),
        "None of OpenRouter's providers of this model takes tools; name another model, or leave "
        "the condition mcp out",
    ),
    (
        re.compile(
            r"(?:does not|doesn't|do not|cannot|can't|not) support(?:ed)? (?:the )?(?:use of )?"
            r"(?:tool|function)(?!_choice)"
            r"|(?:tool|function)s?(?:[ _-]?(?:use|call(?:s|ing)?))?(?: is| are)? not "
            r"(?:supported|enabled|available|allowed)"
            r"|(?:unsupported|unrecognized|unknown)[^.]{0,60}\btools\b|no tool (?:support|parser)"
        ),
        "The server takes no tools for this model: name a model whose chat template has them, or "
        "leave the condition mcp out",
    ),
)


def calls_in_message(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Returns the calls of a message, each with its `function`: `name` and `arguments`.

    A call whose name stands beside its id, an object or a text in place of the list, a part of the
    content, and the single `function_call` of earlier versions of the protocol are calls like
    others; what is none is left out.
    """
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    used = [part for part in parts if isinstance(part, Mapping) and part.get("type") in _PARTS]
    earlier = message.get("function_call")
    for given in (_listed(message.get("tool_calls")), used, [{"function": earlier}]):
        calls = [call for item in given if (call := _call_in(item)) is not None]
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
    return given if isinstance(given, list) else [given]


def _call_in(item: object) -> Mapping[str, Any] | None:
    """Returns an entry of a list of calls as the protocol has it; None where it is no call."""
    if not isinstance(item, Mapping):
        return None
    if isinstance(function := item.get("function"), Mapping):
        return item if function or "id" in item else None
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
    return written if isinstance(written, str) else ""


def remedy_for_tools(words: str) -> str:
    """Returns what to do where a server says that it takes no tools; empty where it says no such
    thing.

    Args:
        words: of the server, in lower case.
    """
    plain = words.replace("`", "")
    return next((remedy for phrase, remedy in _REMEDIES if phrase.search(plain)), "")
