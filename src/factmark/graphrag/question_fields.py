"""The fields of a row of a question set, under their usual names, as plain values."""

from __future__ import annotations

import ast
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from factmark.files.rows import Row, is_broken
from factmark.files.text_files import why_too_long

USUAL: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "qid", "question_id", "query_id", "pubid"),
    "question": ("question", "query", "text", "prompt", "question_text", "stem"),
    "answer": (
        "final_decision", "answer", "answers", "reference", "references", "reference_answer",
        "gold_answer", "gold", "ground_truth", "expected", "expected_answer", "correct_answer",
    ),
    "index": (
        "answer_index", "answer_idx", "answerkey", "answer_key", "correct_option", "cop", "label",
    ),
    "aliases": ("aliases", "answer_aliases", "alias"),
    "options": ("options", "choices", "answer_options"),
    "topic": ("topic", "category", "subject", "subject_name"),
    "difficulty": ("difficulty", "level"),
    "hops": ("hops", "hop", "n_hops", "num_hops", "k_hop", "k_hops"),
    "strata": ("strata",),
    "triples": ("triples", "gold_triples", "supporting_triples", "evidence_triples"),
    "answerable": ("answerable", "is_answerable"),
    "unanswerable": ("unanswerable", "is_impossible"),
}  # fmt: skip
"""Field -> its usual names, the first that a row fills wins."""

LISTS = frozenset({"reference", "references", "answers", "aliases", "answer_aliases", "alias"})
"""Names under which an answer is free text, though it be a letter or a number."""

_ENDS = (
    ("head", "h", "subject", "source"),
    ("relation", "r", "predicate", "rel"),
    ("tail", "t", "object", "target"),
)
_TRUTHS = {
    **dict.fromkeys(("yes", "true", "1", "y"), True),
    **dict.fromkeys(("no", "false", "0", "n"), False),
    **dict.fromkeys(("", "unknown", "null", "none"), None),
}
_OPTION = re.compile(r"(?:answer_?)?(?:options?|choices?|op|opt)_?([a-j]|10|[0-9])|([a-j])")
_DECISIONS = {"yes": "yes", "true": "yes", "no": "no", "false": "no", "maybe": "maybe"}
_LONGEST = 20  # characters of a yes with its marks
_LONGEST_LIST = 20_000  # characters
_AROUND = re.compile(r"^\W+|\W+$")

T = TypeVar("T")


class UnreadableError(ValueError):
    """A value that is not of its field's form; the message says what it is.

    Attributes:
        kind: what is wrong, in the words under which such rows are counted.
    """

    def __init__(self, why: str, kind: str = "a field cannot be read") -> None:
        super().__init__(why)
        self.kind = kind


def fields_of(row: Row) -> dict[str, Any]:
    """The row's values by folded names: `answerKey` as `answerkey`, `Answer Index` as
    `answer_index`; without the empty ones, nan, and the second of two that fold to the same."""
    fields: dict[str, Any] = {}
    for name, value in row.items():
        key = re.sub(r"[\s.-]+", "_", str(name).strip().casefold())
        empty = value is None or (isinstance(value, str) and not value.strip())
        if not empty and not (isinstance(value, float) and math.isnan(value)):
            fields.setdefault(key, value)
    return fields


def named(fields: Mapping[str, Any], field: str) -> tuple[str, Any] | None:
    """The name and the value of a field; None where the row does not fill it."""
    return next(((name, fields[name]) for name in USUAL[field] if name in fields), None)


def value_of(fields: Mapping[str, Any], field: str) -> Any:
    """The value of a field; None where the row does not fill it."""
    return next((fields[name] for name in USUAL[field] if name in fields), None)


def text_of(value: object, what: str) -> str:
    """A text or a number as text, without white space around it.

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
    if is_broken(text):
        raise UnreadableError(f"in {what}: NUL or undecodable bytes", "broken characters")
    if why := why_too_long(text):
        raise UnreadableError(f"in {what}: {why}", "text too long")
    return text


def texts_of(value: object, what: str, *, cell: bool = False) -> tuple[str, ...]:
    """One text or several, each once, in order; of a cell those of its list, or between `|`.

    Objects of known forms are read too: `{"text": [...]}`, `{"value": ..., "aliases": [...]}`.
    """
    if isinstance(value, str) and cell:
        listed = list_of(value)
        value = value.split("|") if listed is None else listed
    elif isinstance(value, dict) and ("text" in value or "value" in value):
        first = value.get("text", value.get("value"))
        value = [*_several(first), *_several(value.get("aliases"))]
    texts = [text_of(text, what) for text in _several(value) if text is not None]
    return tuple(dict.fromkeys(filter(None, texts)))


def _several(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else [value]


def list_of(cell: str) -> list[Any] | None:
    """The list that a cell is, as JSON or Python write it; None where it is none."""
    text = cell.strip()
    if len(text) > _LONGEST_LIST or not (text.startswith("[") and text.endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return value if isinstance(value, list) else None
    return None


def index_of(value: object) -> int | None:
    """The number that a value is, as 2, "2" or 2.0; None for any other."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and re.fullmatch(r"\s*-?[0-9]{1,3}\s*", value):
        return int(value)
    return value if isinstance(value, int) else None


def decision_of(value: object) -> str | None:
    """`yes`, `no` or `maybe`; None for any other."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, str) or len(value.strip()) > _LONGEST:
        return None
    return _DECISIONS.get(_AROUND.sub("", value.strip()).casefold())


def answerable_of(fields: Mapping[str, Any]) -> bool | None:
    """Whether the graph holds the answer, where the row says so."""
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
    """Names and texts of a row's options; both empty where it has none.

    They stand in a list, as an object name -> text, as objects or lists of names and texts, in a
    cell between `|` or as JSON, or in columns `option_a`, `A`, `opa`, `choice_1`, ...
    """
    value = value_of(fields, "options")
    if isinstance(value, str):
        value = json_of(value, "options") if value[:1] in "[{" else value.split("|")
    if value is None:
        return _columns(fields)
    names: Sequence[object] = ()
    if isinstance(value, dict) and isinstance(value.get("text"), list):
        names, texts = value.get("label") or (), value["text"]
        if not isinstance(names, (list, tuple)):
            raise UnreadableError(f"the labels of options are a {type(names).__name__}, no list")
    elif isinstance(value, dict):
        names, texts = list(value), list(value.values())
    elif not isinstance(value, (list, tuple)):
        raise UnreadableError(f"options is a {type(value).__name__}; write a list")
    elif value and all(isinstance(option, dict) for option in value):
        names = [_first(option, ("key", "label", "id", "letter")) for option in value]
        texts = [_first(option, ("value", "text", "option", "content")) for option in value]
        names = () if None in names else names
    else:
        texts = list(value)
    called = tuple(text_of(name, "the name of an option") for name in names)
    options = tuple(" ".join(text_of(text, "an option").split()) for text in texts)
    return (called if len(called) == len(options) else ()), options


def _columns(fields: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Options in columns of their own: at least those of the first two letters or numbers."""
    columns = {
        (match[1] or match[2]).upper(): value
        for name, value in fields.items()
        if (match := _OPTION.fullmatch(name))
    }
    if len(columns) < 2:
        return (), ()
    names = sorted(columns, key=lambda name: (len(name), name))
    texts = tuple(" ".join(text_of(columns[name], f"option {name}").split()) for name in names)
    first = names[0]
    wanted = [str(int(first) + at) if first.isdigit() else chr(65 + at) for at in range(len(names))]
    if names != wanted:
        raise UnreadableError(f"the options {', '.join(names)} leave one out")
    return tuple(names), texts


def triples_of(value: object) -> tuple[tuple[str, str, str], ...]:
    """Named triples: lists of three texts, or objects with head, relation and tail."""
    if isinstance(value, str):
        value = json_of(value, "triples")
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise UnreadableError(f"triples is a {type(value).__name__}; write a list")
    if len(value) == 3 and all(isinstance(part, str) for part in value):
        value = [value]
    return tuple(dict.fromkeys(map(_triple, value)))


def _triple(value: object) -> tuple[str, str, str]:
    if isinstance(value, dict):
        value = [_first(value, names) for names in _ENDS]
    if not isinstance(value, (list, tuple)) or len(value) != 3:
        raise UnreadableError("a triple is not [head, relation, tail]")
    head, relation, tail = (text_of(part, "a triple") for part in value)
    if not (head and relation and tail):
        raise UnreadableError("a part of a triple is empty")
    return head, relation, tail


def strata_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """Topic, difficulty, hops, and what stands under `strata`, as texts."""
    values = {name: value_of(fields, name) for name in ("topic", "difficulty", "hops")}
    strata = {name: text_of(value, name) for name, value in values.items() if value is not None}
    more = value_of(fields, "strata")
    if isinstance(more, str):
        more = json_of(more, "strata")
    if not isinstance(more, dict | None):
        raise UnreadableError(f"strata is a {type(more).__name__}; write an object")
    for name, value in (more or {}).items():
        if value is not None:
            key, text = text_of(name, "strata"), str(value).lower()
            strata[key] = text if isinstance(value, bool) else text_of(value, f"strata.{key}")
    return strata


def json_of(text: str, what: str) -> Any:
    """A cell of JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{what} is no JSON ({str(error)[:80]})") from error


def _first(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    lower = {str(name).casefold(): part for name, part in value.items()}
    return next((lower[name] for name in names if name in lower), None)


def readable(read: Callable[[], T], tell: Callable[[str], None], default: T) -> T:
    """What is read, or the default where it cannot be, which is told."""
    try:
        return read()
    except UnreadableError as error:
        tell(str(error))
        return default
