"""Tool calls that a model wrote as text, where its server did not take them for calls. Pure.

The forms are those of Hermes and Qwen, Llama, Mistral, and JSON, in a fence or bare.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence

Call = tuple[str, str]
"""The name of a tool, and its arguments as the text of a JSON object."""

_MARK = re.compile(
    r"</?(?:tool_calls?|function_calls?|functioncall|functions?)>|</?\|tool_calls?\|>"
    r"|<\|python_tag\|>|\[/?TOOL_CALLS\]|\[ARGS\]|<function=(?=[\w.-]+>)"
)
_ASIDE = re.compile(rf"{_MARK.pattern}|<\|e(?:om|ot)_id\|>|</s>|^[ \t]*```\w*[ \t]*$|[\s,;]+", re.M)
_NAME = re.compile(r"([\w.-]{1,64})>?\s*(?:\[ARGS\])?\s*(?=\{)")
_NAMES, _GIVEN = ("name", "function"), ("arguments", "parameters", "args")
_OTHERS = {"type", "id"}
_MOST = 64
_LONGEST = 100_000


def calls_in_text(text: str, offered: Collection[str], given: Iterable[str]) -> list[Call]:
    """Returns the tool calls that a reply consists of; none where it says anything else, names a
    tool that is not offered, or repeats a call from what it was given.

    Args:
        offered: the names of the tools.
        given: what the model was asked and what tools returned.
    """
    values = _json_values_of(text) if len(text) <= _LONGEST else []
    calls = [_read_call(value, bool(_MARK.search(text))) for _, value in values]
    named = [call for call in calls if call is not None and call[0] in offered]
    if len(named) < len(calls) or not calls:
        return []
    sources = ["".join(source.split()) for source in given]
    written = ["".join(own.split()) for own, _ in values]
    return [] if any(own in source for own in written for source in sources) else named


def holds_call(text: str, offered: Collection[str]) -> bool:
    """Whether a text has the mark of a call, or names an offered tool as one in JSON."""
    if _MARK.search(text):
        return True
    names = re.findall(r'"(?:name|function)"\s{0,9}:\s{0,9}"([\w.-]{1,64})"', text)
    return bool(re.search(r'"(?:arguments|parameters)"', text)) and not set(names).isdisjoint(
        offered
    )


def _json_values_of(text: str) -> Sequence[tuple[str, object]]:
    """Returns the JSON values that a text consists of beside its marks, each as written; none where
    it has anything else.
    """
    values: list[tuple[str, object]] = []
    at, is_marked = 0, bool(_MARK.search(text))
    while len(values) <= _MOST:
        while aside := _ASIDE.match(text, at):
            at = aside.end()
        if at >= len(text):
            return values
        name = _NAME.match(text, at)
        start = name.end() if name and is_marked else at
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            return []
        if start > at and name:
            value = {"name": name[1], "arguments": value}
        own = text[at:end]
        values += [(own, item) for item in (value if isinstance(value, list) else [value])]
        at = end
    return []


def _read_call(value: object, is_marked: bool) -> Call | None:
    """The call that a JSON object describes, or None; without a mark it must have arguments."""
    if isinstance(value, Mapping) and isinstance(inner := value.get("function"), Mapping):
        value = inner
    if not isinstance(value, Mapping) or not {*_NAMES, *_GIVEN, *_OTHERS}.issuperset(value):
        return None
    names = [value[key] for key in _NAMES if key in value]
    given = [value[key] for key in _GIVEN if key in value] or ([{}] if is_marked else [])
    if len(names) != 1 or len(given) != 1 or not isinstance(names[0], str):
        return None
    arguments = given[0]
    try:
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
    except (ValueError, RecursionError):
        return None
    if not isinstance(arguments, Mapping):
        return None
    return names[0], json.dumps(arguments, ensure_ascii=False)
