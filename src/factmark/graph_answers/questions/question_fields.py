"""The fields of a row of a question set as plain values."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from factmark.files.rows import Row, broken_bytes_reason, has_broken_bytes
from factmark.files.text_files import too_long_reason
from factmark.graphs.core.iri_names import readable_name
from factmark.intake.columns import folded, is_empty
from factmark.intake.shapes import read_cell
from factmark.intake.tools import ToolForm, role_names

TASK = "questions"
_TRUTHS = {
    **dict.fromkeys(("yes", "true", "1", "y"), True),
    **dict.fromkeys(("no", "false", "0", "n"), False),
    **dict.fromkeys(("", "unknown", "null", "none"), None),
}
_OPTION = re.compile(r"(?:answer_?)?(?:options?|choices?|op|opt)_?([a-j]|10|[0-9])|([a-j])")
_DECISIONS = {"yes": "yes", "true": "yes", "no": "no", "false": "no", "maybe": "maybe"}
_FREE = "answers"  # a name under which an answer is free text
_BRACKETS = re.compile(r"\[([^\[\]]+)\]")
_DECISION = re.compile(r"\W{0,9}(yes|true|no|false|maybe)\W{0,9}", re.IGNORECASE)

T = TypeVar("T")


class UnreadableError(ValueError):
    """A value that is not of its field's form; the message says what it is.

    Attributes:
        kind: what is wrong, in the words under which such rows are counted.
    """

    def __init__(self, why: str, kind: str = "a field cannot be read") -> None:
        """Takes the message and the kind under which such rows are counted."""
        super().__init__(why)
        self.kind = kind


def fields_of(row: Row, form: ToolForm | None = None) -> dict[str, Any]:
    """Returns the row's filled values by names as they are compared; of two names that become the
    same the first counts. Of a tool's file they are those of its roles."""
    fields: dict[str, Any] = {}
    if form is None:
        for name, value in row.items():
            if not (is_empty(value) or value == []):
                fields.setdefault(folded(str(name)), value)
        return fields
    for role, value in form.values_of(row).items():
        if role == "answer":
            fields[_FREE] = list(_items(value)) if isinstance(value, list) else value
        else:
            fields[role] = value
    if "brackets" in form.settings:
        _take_brackets(fields, form.settings["brackets"])
    if "separator" in form.settings and _FREE in fields:
        fields[_FREE] = str(fields[_FREE]).split(form.settings["separator"])
    return fields


def _items(value: object) -> Iterator[object]:
    """Yields what stands in a list and in the lists within it, such as several writings of an
    answer."""
    for item in _as_list(value):
        if isinstance(item, (list, tuple)):
            yield from _items(item)
        else:
            yield item


def _take_brackets(fields: dict[str, Any], role: str) -> None:
    """Takes what stands in brackets in a question as the value of another role."""
    named = _BRACKETS.findall(str(fields["question"]))
    if named:
        fields["question"] = _BRACKETS.sub(r"\1", fields["question"])
        fields[role] = named


def name_and_value(fields: Mapping[str, Any], field: str) -> tuple[str, Any]:
    """Returns the name and the value of a field; `("", None)` if the row does not fill it."""
    names = role_names(TASK)[field]
    return next(((name, fields[name]) for name in names if name in fields), ("", None))


def value_of(fields: Mapping[str, Any], field: str) -> Any:
    """Returns the value of a field; None if the row does not fill it."""
    return name_and_value(fields, field)[1]


def text_of(value: object, what: str) -> str:
    """Returns a text or a number as text, without white space around it.

    Raises:
        UnreadableError: it is neither, or no finite number, or holds bytes that could not be
            decoded, or NUL.
    """
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise UnreadableError(f"{what} is a {type(value).__name__}, no text")
    if isinstance(value, float) and not math.isfinite(value):
        raise UnreadableError(f"{what} is {value}, no number that can be written")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    text = str(value).strip()
    if has_broken_bytes(text):
        raise UnreadableError(f"in {what}: {broken_bytes_reason(text)}", "broken characters")
    why = too_long_reason(text)
    if why:
        raise UnreadableError(f"in {what}: {why}", "text too long")
    return text


def texts_of(value: object, what: str, *, cell: bool = False) -> tuple[str, ...]:
    """Returns one text or several, each once, in order; for a `cell` those of its list, or between
    `|`.

    Objects of known forms are read too: `{"text": [...]}`, `{"value": ..., "aliases": [...]}`.
    """
    if isinstance(value, str) and cell:
        parsed = read_cell(value)
        value = value.split("|") if isinstance(parsed, str) else parsed
    if isinstance(value, dict) and ("text" in value or "value" in value):
        first = value.get("text", value.get("value"))
        value = [*_as_list(first), *_as_list(value.get("aliases"))]
    texts = []
    for text in _as_list(value):
        if text is not None:
            texts.append(readable_name(text_of(text, what))[0])
    return tuple(dict.fromkeys(filter(None, texts)))


def _as_list(value: object) -> Sequence[object]:
    """Returns a list as it is, and anything else as a list of one."""
    if isinstance(value, (list, tuple)):
        return value
    return [value]


def index_of(value: object) -> int | None:
    """Returns the whole number that a value is, as 2, "2" or 2.0; None for any other."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,3}\s*", value):
        return int(value)
    if isinstance(value, int):
        return value
    return None


def decision_of(value: object) -> str | None:
    """Returns `yes`, `no` or `maybe`; None for any other value.

    >>> decision_of("Yes."), decision_of(False), decision_of("yes and no")
    ('yes', 'no', None)
    """
    if isinstance(value, bool):
        if value:
            return "yes"
        return "no"
    match = None
    if isinstance(value, str):
        match = _DECISION.fullmatch(value)
    if match:
        return _DECISIONS[match[1].casefold()]
    return None


def answerable_of(fields: Mapping[str, Any]) -> bool | None:
    """Returns whether the graph holds the answer; None if the row does not say."""
    for field, meant in (("answerable", True), ("unanswerable", False)):
        value = value_of(fields, field)
        if value is not None and not isinstance(value, bool):
            text = text_of(value, field).casefold()
            if text not in _TRUTHS:
                raise UnreadableError(f"{field} is {text[:40]!r}; write yes, no, or nothing")
            value = _TRUTHS[text]
        if value is not None:
            return value is meant
    return None


def options_of(fields: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns names and texts of a row's options; both empty if it has none.

    They stand in a list, as an object name -> text, as objects or lists of names and texts, in a
    cell between `|` or as JSON, or in columns `option_a`, `A`, `opa`, `choice_1`, ...
    """
    value = value_of(fields, "options")
    if isinstance(value, str):
        parsed = read_cell(value)
        value = value.split("|") if isinstance(parsed, str) else parsed
    names: Sequence[object] = ()
    if value is None:
        names, texts = _options_in_columns(fields)
    elif isinstance(value, dict) and isinstance(value.get("text"), list):
        names = value.get("label") or ()
        texts = value["text"]
    elif isinstance(value, dict):
        names = list(value)
        texts = list(value.values())
    elif value and isinstance(value, list) and all(isinstance(each, dict) for each in value):
        names, texts = ([_part_of(each, f"option_{n}") for each in value] for n in ("name", "text"))
    else:
        texts = value
    if not isinstance(names, (list, tuple)) or not isinstance(texts, (list, tuple)):
        kind = type(texts if isinstance(names, (list, tuple)) else names).__name__
        raise UnreadableError(f"options or their names are a {kind}; write a list")
    options = tuple(" ".join(text_of(text, "an option").split()) for text in texts)
    if len(names) != len(options) or None in names:
        return (), options
    return tuple(text_of(name, "the name of an option") for name in names), options


def _options_in_columns(fields: Mapping[str, Any]) -> tuple[list[str], list[object]]:
    """Returns names and texts of options in columns of their own; both empty if there are fewer
    than two."""
    columns = {}
    for name, value in fields.items():
        if match := _OPTION.fullmatch(name):
            columns[(match[1] or match[2]).upper()] = value
    if len(columns) < 2:
        return [], []
    names = sorted(columns, key=lambda name: (len(name), name))
    first = names[0]
    wanted = []
    for at in range(len(names)):
        wanted.append(str(int(first) + at) if first.isdigit() else chr(65 + at))
    if names != wanted:
        raise UnreadableError(f"the options {', '.join(names)} leave one out")
    return names, [columns[name] for name in names]


def triples_of(fields: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """Returns the triples that a row names: lists of three texts, or objects with head, relation
    and tail."""
    value = value_of(fields, "triples")
    if isinstance(value, str):
        value = read_cell(value)
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise UnreadableError(f"triples is a {type(value).__name__}; write a list")
    if len(value) == 3 and all(isinstance(part, str) for part in value):
        value = [value]
    return tuple(dict.fromkeys(map(_read_triple, value)))


def _read_triple(value: object) -> tuple[str, str, str]:
    """Returns one named triple."""
    if isinstance(value, dict):
        value = [_part_of(value, name) for name in ("head", "relation", "tail")]
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise UnreadableError("a triple is not [head, relation, tail]")
    head, relation, tail = (text_of(part, "a triple") for part in value)
    if not (head and relation and tail):
        raise UnreadableError("a part of a triple is empty")
    return head, relation, tail


def strata_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Returns topic, difficulty, hops, and what stands under `strata`, as texts."""
    more = value_of(fields, "strata")
    if isinstance(more, str):
        more = read_cell(more)
    if not isinstance(more, dict | None):
        raise UnreadableError(f"strata is a {type(more).__name__}; write an object")
    values = {}
    for name in ("topic", "difficulty", "hops"):
        values[name] = value_of(fields, name)
    return {
        text_of(name, "strata"): str(value).lower()
        if isinstance(value, bool)
        else text_of(value, str(name))
        for name, value in (values | (more or {})).items()
        if value is not None
    }


def _part_of(value: Mapping[str, Any], field: str) -> Any:
    """Returns the value of a field of an object, under any of its usual names."""
    return value_of({folded(str(name)): part for name, part in value.items()}, field)


def value_or_default(read: Callable[[], T], tell: Callable[[str], None], default: T) -> T:
    """Returns what `read` gives; reports the error and returns `default` if it cannot be read."""
    try:
        return read()
    except UnreadableError as error:
        tell(str(error))
        return default
