"""Which column of a table holds whose answer to what: by names, tested on the rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from factmark.files.rows import OBJECTS, Row
from factmark.intake.columns import SAMPLE, TableColumn, TableSample, folded
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import (
    COLUMN,
    Check,
    Named,
    Reading,
    column_advice,
    settled_mapping,
)
from factmark.intake.tools import ToolForm, all_names, role_names
from factmark.text.shell import quote
from factmark.text.shown_text import first_names

TASK = "answers"
FIELDS = frozenset(role_names(TASK))
"""The names that factmark has for the fields of an answer."""
_ANSWER = "answer"
_QUESTION = ("question", "query", "sparql")
_CODE = re.compile(r"\S*[\d:]\S*")
_NO_ANSWERS = ("empty", "number", "flag", "object")


@dataclass(frozen=True, slots=True, kw_only=True)
class _AnswerTable:
    """The first rows of a file of answers."""

    path: Path
    sample: TableSample
    form: ToolForm | None = None


def answer_mapping(
    path: Path, rows: Sequence[tuple[str, Row]], columns: Mapping[str, str]
) -> TableMapping:
    """Returns which column of a file of answers holds what.

    Args:
        columns: field -> column, where the user names it.

    Raises:
        InputError: no such field; no column holds questions' ids or answers, or two may hold the
            answers, with the options to say which.
    """
    is_loose = path.suffix.casefold() in OBJECTS
    source = str(path) if is_loose else f"{path}, line 1"
    sample = TableSample(source, tuple(rows[:SAMPLE]), is_whole=len(rows) <= SAMPLE)
    table = _AnswerTable(path=path, sample=sample)
    named = Named(columns=columns, loose=is_loose)
    return settled_mapping(table, TASK, named, _readings, (_check_needed,))


def _readings(sample: TableSample, base: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read a table: with each column that may hold the answers."""
    columns = dict(base.columns)
    for role in role_names(TASK):
        if role not in columns and role != _ANSWER:
            taken = {path for paths in columns.values() for path in paths}
            likely = [path for path in _named(sample, role) if path not in taken]
            if likely:
                columns[role] = (likely[0],)
    asked = _questions(sample)
    if "query_id" not in columns and asked:
        columns["query_id"] = (asked[0],)  # a question says which it is as well as an id
    answers = list(base.columns.get(_ANSWER, ())) or _answers(sample)
    if not answers:
        yield Reading(mapping=base.with_columns(columns), says="", options="")
    for path in answers:
        yield Reading(
            mapping=base.with_columns({**columns, _ANSWER: (path,)}),
            says=f"{path!r} is the answer",
            options=f"{COLUMN} {_ANSWER}={quote(path)}",
        )


def _named(sample: TableSample, role: str) -> list[str]:
    """Returns the columns themselves, not what is in their cells, that have a name for a role,
    the likeliest first; of a question's id none with questions."""
    paths = []
    for column in sample.named(role_names(TASK)[role]):
        may_be = role != "query_id" or _may_be_ids(column)
        if column.path in sample.heads and may_be:
            paths.append(column.path)
    return paths


def _may_be_ids(column: TableColumn) -> bool:
    """Whether a column's cells can name questions."""
    return column.kind != "text" and not any(text.endswith("?") for text in column.texts)


def _questions(sample: TableSample) -> list[str]:
    """Returns the columns that hold questions, by their names."""
    named = sample.named(role_names(TASK, "words")["question"])
    return [c.path for c in named if c.path in sample.heads and c.kind in ("name", "text")]


def _answers(sample: TableSample) -> list[str]:
    """Returns the columns that may hold the answers: the one that is called so, those that are a
    model's, and those whose name ends so, as `gpt4_answer`. Beside a column of what is right the
    one that is called so is an answer, and needs no choice among such names."""
    named = _named(sample, _ANSWER)
    words = role_names(TASK, "words")
    called = []
    nested = []
    for path, column in sample.columns.items():
        *first, last = column.name.split("_")
        may_be = column.kind not in _NO_ANSWERS and not words_of_gold(column.name)
        if may_be and path not in sample.heads and column.name == _ANSWER:
            nested.append(path)
        elif may_be and first and last in words["ending"] and path in sample.heads:
            called.append(path)
    if named and any(words_of_gold(column.name) for column in sample.columns.values()):
        called = []
    rivals = [path for path in named[1:] if folded(path) in words["rival"]]
    return list(dict.fromkeys([*named[:1], *rivals, *called])) or nested


def words_of_gold(name: str) -> set[str]:
    """Returns the words of a column's name that say that it holds what is right."""
    return set(name.split("_")) & set(role_names(TASK, "words")["gold"])


def changed_names(mapping: TableMapping) -> str:
    """Returns in words which fields have columns of other names; an empty text where none has."""
    other = {}
    for role, paths in mapping.columns.items():
        if paths and paths[0] != role:
            other[role] = paths
    return TableMapping(task=TASK, columns=other).in_words() if other else ""


def _check_needed(mapping: TableMapping, sample: TableSample) -> str:
    """A check: questions' ids and answers have a column each, which stands once."""
    for role in _NEEDED:
        path = mapping.column(role)
        if path and f"{path} (2)" in sample.heads:
            return f"the column {path!r} stands twice."
    lacking = {role: (check,) for role, check in _NEEDED.items() if not mapping.column(role)}
    if not lacking:
        return ""
    without = " and ".join(f"no column {role!r}" for role in lacking)
    advice = column_advice(lacking, mapping, sample, texts=(_ANSWER,))
    return (
        f"{without}. Found: {first_names(sorted(sample.heads))}. Say which it is, for example "
        f"{advice}."
    )


def _are_ids(mapping: TableMapping, sample: TableSample) -> str:
    """A trial: ids tell questions apart."""
    column = sample.columns[mapping.column("query_id")]
    is_id = column.path in sample.heads and column.kind in ("name", "number")
    if is_id and _may_be_ids(column) and 2 * column.n_distinct >= len(column.filled):
        return ""
    return "no ids"


def _is_code(text: str) -> bool:
    """Whether a text is an address, a time or an id: one word with a digit or a colon in it."""
    return _CODE.fullmatch(text) is not None


def _are_answers(mapping: TableMapping, sample: TableSample) -> str:
    """A trial: answers are texts that differ, under a name of their own: no question, query or
    category, and not what is right."""
    column = sample.columns[mapping.column(_ANSWER)]
    is_text = column.path in sample.heads and column.kind in ("name", "text")
    is_own = column.name not in all_names() and not column.name.endswith(_QUESTION)
    differ = 2 * column.n_distinct > len(column.filled) > 0
    are_codes = 2 * sum(map(_is_code, column.texts)) > len(column.texts)
    if is_text and is_own and differ and not are_codes and not words_of_gold(column.name):
        return ""
    return "no answers"


_NEEDED: Mapping[str, Check] = {"query_id": _are_ids, _ANSWER: _are_answers}
