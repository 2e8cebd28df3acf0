"""A trace as JSON values and back; long texts stand apart, so that each is kept once.

A text in the values is itself, or `{"evidence": id}` for one that is kept elsewhere under the hash
of its content. Fifty answers with the same catalogue in their prompts name it fifty times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any

from factmark.answers.core.records import ToolUse, Trace
from factmark.model import Chunk, content_hash

LONG = 200  # characters; what is longer stands apart
_APART = "evidence"
_TEXTS = ("text", "result", "arguments")


def trace_data(trace: Trace) -> tuple[dict[str, Any], dict[str, str]]:
    """A trace as JSON values, and the texts that stand apart, by their ids."""
    apart: dict[str, str] = {}
    data = asdict(trace)
    for name in ("tools", "chunks"):
        for one in data[name] or ():
            for field in _TEXTS:
                if field in one and _stands_apart(one[field]):
                    key = content_hash(one[field])
                    apart[key] = one[field]
                    one[field] = {_APART: key}
    return data, apart


def _stands_apart(text: str) -> bool:
    """Whether a text is long, and can be kept as it is: half of a surrogate pair cannot."""
    if len(text) <= LONG:
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_trace(data: Mapping[str, Any], text_of: Callable[[str], str]) -> Trace:
    """The trace that `trace_data` wrote; fields that it does not have are as by default.

    Args:
        text_of: the text that stands apart under an id.
    """
    known = {field.name for field in fields(Trace)}
    plain = {name: value for name, value in data.items() if name in known}
    plain |= {name: tuple(plain[name]) for name in ("offered", "calls") if name in plain}
    tools, chunks = plain.get("tools"), plain.get("chunks")
    plain["tools"] = (
        None if tools is None else tuple(ToolUse(**_whole(one, text_of)) for one in tools)
    )
    plain["chunks"] = (
        None if chunks is None else tuple(Chunk(**_whole(one, text_of)) for one in chunks)
    )
    return Trace(**plain)


def _whole(one: Mapping[str, Any], text_of: Callable[[str], str]) -> dict[str, Any]:
    return {
        name: text_of(value[_APART]) if isinstance(value, Mapping) else value
        for name, value in one.items()
    }
