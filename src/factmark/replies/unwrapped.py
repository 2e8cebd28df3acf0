"""A reply without its reasoning and wrapping: tags, fences, JSON, a box, "Answer:"."""

from __future__ import annotations

import json
import re

from factmark.replies.abstaining import DONT_KNOW
from factmark.replies.loose_json import Pairs, read
from factmark.replies.plain import without_thought

_BOXED = re.compile(
    r"^\W*\\boxed(?:\s*\{(?:\\(?:text|mathrm|textbf|mathbf)\s*\{)?([^{}]*)\}|\s+([A-Za-z0-9]+)\b)\W*$"
)
_FENCED = re.compile(r"^```\w*\n(.*?)\n?```$", re.DOTALL)
_TAG = re.compile(r"<(/?)answer>", re.IGNORECASE)
_KEY = re.compile(r"^\W*(?:final\s+)?answer\W*:\W*", re.IGNORECASE)
_ANSWER = re.compile(r"^(?:(?:final|short|my|the)[ _-]?)*answer$", re.IGNORECASE)


def final_text(reply: str) -> str:
    """What a reply gives as its answer.

    The value of `answer` in JSON may be a text, a number, a list of them (joined by commas), true,
    false, or null, which says that the model does not know. Any other JSON stays as it is.
    """
    text = without_thought(reply.replace("\r\n", "\n")).strip()
    text = _tagged(text).strip()
    if fenced := _FENCED.match(text):
        text = fenced[1].strip()
    if boxed := _BOXED.match(text):
        text = (boxed[1] if boxed[1] is not None else boxed[2]).strip()
    if text.startswith(("{", "[")):
        said = _of_json(text)
        return text if said is None else said.strip()
    return _KEY.sub("", text).strip()


def _tagged(text: str) -> str:
    """What stands between the last pair of answer tags; the text where there is none."""
    opened: int | None = None
    span: tuple[int, int] | None = None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            opened = tag.end() if opened is None else opened
        elif opened is not None:
            span, opened = (opened, tag.start()), None
    return text if span is None else text[slice(*span)]


def _of_json(text: str) -> str | None:
    """The answer of a JSON value, strict or as models write it; None where it has none."""
    try:
        value = json.loads(text, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        value, _, complete = read(text, 0)
        if not complete or isinstance(value, list):  # "[1] metformin" cites a source
            return None
    return _said(value)


def _said(value: object) -> str | None:
    if isinstance(value, dict):
        value = Pairs(items=list(value.items()))
    if isinstance(value, Pairs):
        answers = [inner for key, inner in value.items if _ANSWER.match(str(key))]
        return _spelled(answers[-1]) if answers else None
    return _spelled(value) if isinstance(value, list) else None


def _spelled(value: object) -> str | None:
    """A value as text; None for one that is no text, number, truth value or list of these."""
    if value is None:
        return DONT_KNOW
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list):
        given = [item for item in value if item is not None]
        parts = [None if isinstance(item, list) else _spelled(item) for item in given]
        known = [part for part in parts if part is not None]
        if value and not given:
            return DONT_KNOW
        return ", ".join(known) if len(known) == len(given) else None
    return value if isinstance(value, str) else None
