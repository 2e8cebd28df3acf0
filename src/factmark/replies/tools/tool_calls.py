"""Tool calls that a model wrote as text, where its server did not take them for calls. Pure.

A reply is an answer, or calls that can be carried out, or a call that cannot: cut off, broken, of a
tool that nobody offers. The last states nothing, so it is no answer. A text that quotes or
describes a call is an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.replies.tools.tool_dialects import (
    ToolSchemas,
    json_at,
    known_properties,
    marks,
    read_calls,
)

Call = tuple[str, str]
"""The name of a tool, and its arguments as the text of a JSON object."""

_NAMESPACE = "]<]minimax[>["  # before each tag of MiniMax M3
_LONGEST = 100_000
_MOST_STARTS = 16
_DEEPEST = 4
_HEAD = 60
_SHORT = 20
_NAME_IN_JSON = re.compile(r'"(?:name|function|tool_name)"\s{0,9}:\s{0,9}"(?P<name>[\w.-]{1,64})"')
_CLOSING = re.compile(
    r"</[\w:.｜▁-]+>|<[|｜][\w▁:]*end[\w▁:]*[|｜]>|<[\w:]+\|>|<\|call\|>|\[/TOOL_CALLS\]"
)
_AROUND_JSON = re.compile(r"^\s*```\w*|(?:<[|｜/][^<>]{0,40}>|```|\s)+$")
_AROUND = frozenset({"name", "type", "arguments", "parameters", "args", "input", "kwargs"})
_READABLE = {
    "integer": int,
    "number": float,
    "boolean": bool,
    "array": list,
    "object": dict,
}
_CONSTANTS = {"True": "true", "False": "false"}
_FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
_UNMARKED = re.compile(r"^[ \t]*(?=[\[{]|[A-Za-z_][\w.-]*\(|\w+\s*=\s*\w)", re.MULTILINE)
_SENTENCE_END = ".:!?…。>)]}*"
# What a model makes up behind its own call, where nobody stopped it: the result, or other turns.
_MADE_UP = re.compile(
    r"(?:<[|｜]?(?:tool|function)[\w▁ :-]*(?:response|result|output)s?|<\|(?:im_)?start|<\|eot"
    r"|<result|<\|channel\|>\s*final|```(?:tool_?output|tool_?response|output)|\[TOOL_RESULTS\]|observation:|<start_of_turn>"
    r"|<turn|<end_of_turn>|user:|✿RESULT|\*{0,2}tool (?:response|result|output))",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:called|used|made|ran|asked|issued|sent|queried|invoked|executed|format|syntax|example)\b",
    re.IGNORECASE,
)
_SPECIAL = ("<|", "<｜", "[TOOL_CALLS]", "[unused", "✿")  # tokens that no prose has


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCalls:
    """A reply that is no answer: it calls tools.

    Attributes:
        calls: what can be carried out; none where that cannot be made out.
        text: what is there of it, as written.
    """

    calls: tuple[Call, ...] = ()
    text: str = ""


def written_calls(
    text: str,
    tools: ToolSchemas,
    given: Iterable[str] = (),
    called: Collection[str] = (),
) -> WrittenCalls | None:
    """Returns the tool calls that a reply consists of, after words that lead to them; None where
    it is an answer.

    An answer it is, too, where it repeats a call from what it was given, says something behind it,
    or tells of a call that was made; without tools, where the call's result follows.

    Args:
        tools: those that are offered.
        given: what the model was asked and what tools returned.
        called: names of the tools that it called before.
    """
    if len(text) > _LONGEST or not text.strip():
        return None
    text = text.replace(_NAMESPACE, "")
    sources = ["".join(source.split()) for source in given]
    open_from = None
    for start in [*marks(text)][:_MOST_STARTS]:
        if _is_quoted(text, start, sources):
            continue
        calls, end = read_calls(text, start, tools, is_marked=True)
        is_read = bool(calls)
        if not tools and _is_transcript(text, start, end if is_read else None):
            continue
        if _is_told(text, start, end, called, is_read=is_read) or _repeats(
            text[start:end], sources
        ):
            continue
        fit = _fitting(calls, tools)
        if fit:
            return WrittenCalls(calls=fit, text=text[start:end])
        if open_from is None:
            open_from = start
    if open_from is not None:
        return WrittenCalls(text=text[open_from:])
    if tools:
        return _unmarked_calls(text, tools, sources, called)
    return None


def quotes_call(text: str, offered: Collection[str]) -> bool:
    """Returns whether an answer has the mark of a call in it, or names an offered tool as JSON
    does.
    """
    return any(True for _ in marks(text)) or _names_call(text, offered)


def _names_call(text: str, offered: Collection[str]) -> bool:
    """Returns whether a text has JSON with the name of an offered tool, and arguments."""
    names = {match["name"] for match in _NAME_IN_JSON.finditer(text)}
    return not names.isdisjoint(offered) and bool(re.search(r'"(?:arguments|parameters)"', text))


def _unmarked_calls(
    text: str, tools: ToolSchemas, sources: Sequence[str], called: Collection[str]
) -> WrittenCalls | None:
    """Returns the calls of offered tools that a text ends with, in JSON or Python, without a mark;
    None where it does not.
    """
    starts = [match.end() for match in _UNMARKED.finditer(text)]
    for start in starts[:_MOST_STARTS]:
        calls, end = read_calls(text, start, tools, is_marked=False)
        if not calls or text[end:].strip() or _is_told(text, start, end, called):
            continue
        fit = _fitting(calls, tools)
        if fit and not _repeats(text[start:end], sources):
            return WrittenCalls(calls=fit, text=text[start:end])
    if _is_broken_off(text, tools, sources):
        return WrittenCalls(text=text)
    return None


def _is_broken_off(text: str, tools: ToolSchemas, sources: Sequence[str]) -> bool:
    """Returns whether a text is nothing but a call of an offered tool that cannot be read."""
    if _is_quoted(text, 0, sources):
        return False
    inside = re.sub(r"^\s*(?:```\w*\s*)?\[?\s*", "", text)
    if any(inside.startswith(f"{name}(") for name in tools):
        return ")" not in inside
    is_json = inside.startswith(("{", '"')) or text.lstrip().startswith("[")
    is_whole = text.rstrip().endswith(("}", "]", "```")) or "}" not in text
    return is_json and is_whole and _names_call(text, tools)


def _is_quoted(text: str, start: int, sources: Sequence[str]) -> bool:
    """Returns whether a mark stands in quotes, in code within a line, or in a text that the model
    was given.
    """
    line = text[text.rfind("\n", 0, start) + 1 : start].replace("```", "")
    if line.count("`") % 2 or line.rstrip().endswith(('"', "“", "'", "‘", "«")):
        return True
    head = "".join(text[start:].split())[:_HEAD]
    return len(head) > _SHORT and any(head in source for source in sources)


def _repeats(own: str, sources: Sequence[str]) -> bool:
    """Returns whether calls stand in a text that the model was given, with the same marks around
    them or others.
    """
    written = ["".join(own.split()).rstrip("`")]
    if _NAME_IN_JSON.search(own):
        written.append("".join(own[own.find("{") : own.rfind("}") + 1].split()))
    return any(text in source for text in written for source in sources)


def _is_transcript(text: str, start: int, end: int | None) -> bool:
    """Returns whether behind a call that nobody offers there are its result or an answer: so agents
    write down what they did.

    Args:
        end: of the call; None where it cannot be read.
    """
    if end is None:
        end = max((mark.end() for mark in _CLOSING.finditer(text, start)), default=len(text))
    return bool(_MADE_UP.search(text, start) or re.search(r"\w{2}", text[end:]))


def _is_told(
    text: str, start: int, end: int, called: Collection[str], *, is_read: bool = True
) -> bool:
    """Returns whether a call is part of an answer: the answer goes on behind it, or words before it
    tell of it as one that was made.

    Args:
        end: where the call ends.
        called: the tools that were called before: without any, the answer is no answer yet.
        is_read: whether the call could be read.
    """
    before = text[:start].rstrip()
    behind = text[end:].strip()
    in_fence = len(_FENCE.findall(text[:start])) % 2 == 1
    begins = not before or before[-1] in _SENTENCE_END or text[:start].endswith("\n") or in_fence
    begins = begins or text.startswith(_SPECIAL, start) or len(before) == start
    tells = bool(_TOLD.search(before[-200:]))
    if not is_read:
        closing = [*_CLOSING.finditer(text, start)]
        behind = ""
        if closing:
            behind = text[closing[-1].end() :].strip()
        if before and end >= len(text.rstrip()):  # a stray mark behind an answer
            return True
    if not begins or (called and tells):
        return True
    if not behind or _MADE_UP.match(behind):
        return False
    return in_fence or tells or bool(called) or not behind[0].isupper() or not is_read


def _fitting(calls: Iterable[tuple[str, object]], tools: ToolSchemas) -> tuple[Call, ...]:
    """Returns calls by the names and with the arguments that tools have; none where one has not."""
    fit = []
    for written, given in calls:
        name = offered_name(written, tools)
        if name is None:
            return ()
        if isinstance(given, str):
            text = given
        else:
            text = json.dumps(given, ensure_ascii=False)
        arguments = fitting_arguments(text, tools[name])
        if _object_in(arguments) is None:
            return ()
        fit.append((name, arguments))
    return tuple(fit)


def offered_name(written: str, tools: Collection[str]) -> str | None:
    """Returns the offered tool that is meant by a name: itself, or that name without a prefix
    (`functions.`), a number behind it or tokens that leaked into it; None where none is.
    """
    if written in tools:
        return written
    name = re.split(r"<[|｜]", written, maxsplit=1)[0].strip(" \n\"'`").removesuffix("()")
    name = re.sub(r":\d+$", "", name)
    if not re.fullmatch(r"[\w.:/-]{1,200}", name):
        return None
    last = re.split(r"[.:/]|__", name)[-1]
    for tried in (name, last):
        key = _folded(tried)
        meant = []
        for tool in tools:
            if _folded(tool) == key:
                meant.append(tool)
        if len(meant) == 1:
            return meant[0]
    return None


def _folded(name: str) -> str:
    """Returns a name without what writings of it differ in."""
    return re.sub(r"[\W_]", "", name).casefold()


def fitting_arguments(text: str, schema: Mapping[str, object]) -> str:
    """Returns arguments as a tool takes them, where it is plain what was meant; else as written.

    JSON in a string, the same object twice and an empty one before it, Python's quotes, a brace
    that lacks, marks behind the object and an object around it are undone; names in another case,
    and texts where the schema has numbers or truth values, become what the schema has.
    """
    given = _object_in(text)
    if given is None:
        return text
    properties = known_properties(schema)
    for _ in range(2):
        inner = _inner_arguments(given, properties)
        if inner is not None:
            given = inner
    fit: dict[str, object] = {}
    for key, value in given.items():
        name = key
        if key not in properties:
            meant = []
            for known in properties:
                if _folded(known) == _folded(key):
                    meant.append(known)
            if len(meant) == 1 and meant[0] not in given:
                name = meant[0]
        fit[name] = _typed(value, properties.get(name))
    if _is_object(text, fit):
        return text
    return json.dumps(fit, ensure_ascii=False)


def _is_object(text: str, wanted: object) -> bool:
    """Returns whether a text is the JSON of an object."""
    try:
        return bool(json.loads(text) == wanted)
    except (ValueError, RecursionError):
        return False


def _object_in(text: str) -> dict[str, object] | None:
    """Returns the one object that a text of arguments has; None where there is none, or several."""
    value: object = text
    for _ in range(_DEEPEST):
        if isinstance(value, str):
            plain = _AROUND_JSON.sub("", value)
            objects = _objects_of(plain) or _objects_of(plain + "}")
            if len(objects) != 1:
                return None
            value = objects[0]
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
    if isinstance(value, dict):
        return value
    return None


def _objects_of(text: str) -> list[object]:
    """Returns the different JSON values that a text consists of, an empty object only where there
    is no other; none where it has anything else.
    """
    values: list[object] = []
    text = text.strip()
    at = 0
    while at < len(text) and len(values) < _DEEPEST:
        value, end = json_at(text, at)
        if end == at:
            return []
        if value not in values:
            values.append(value)
        at = end + len(text[end:]) - len(text[end:].lstrip())
    return [value for value in values if value != {}] or values[:1]


def _inner_arguments(
    given: Mapping[str, object], properties: Mapping[str, object]
) -> dict[str, object] | None:
    """Returns the arguments that stand in an object around them; None where there is none."""
    if not _AROUND.issuperset(given) or not properties.keys().isdisjoint(given):
        return None
    inner = []
    for key in given:
        if key not in ("name", "type"):
            inner.append(given[key])
    value = None
    if len(inner) == 1:
        value = inner[0]
    if isinstance(value, str):
        value = _object_in(value)
    if isinstance(value, dict):
        return value
    return None


def _typed(value: object, schema: object) -> object:
    """Returns a text as the number, truth value, list or object that a schema wants; any other
    value, and one that is none of that, as it is.
    """
    kind = None
    if isinstance(schema, Mapping):
        kind = schema.get("type")
    if isinstance(kind, list):
        kinds = kind
    else:
        kinds = [kind]
    wanted = []
    for name, python in _READABLE.items():
        if name in kinds:
            wanted.append(python)
    if not isinstance(value, str) or "string" in kinds or not wanted:
        return value
    objects = _objects_of(_CONSTANTS.get(value, value))
    is_fit = len(objects) == 1 and type(objects[0]) in wanted
    if is_fit:
        return objects[0]
    return value
