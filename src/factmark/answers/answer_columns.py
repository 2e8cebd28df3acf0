"""Which column of a table holds whose answer to what: by names, tested on the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from shlex import quote

from factmark.files.rows import OBJECTS, Row
from factmark.intake.columns import SAMPLE, TableColumn, TableSample
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Named, Reading, settled_mapping
from factmark.intake.tools import ToolForm, role_names
from factmark.text.shown_text import first_names

TASK = "answers"
_ANSWER = "answer"
_NEEDED = ("query_id", _ANSWER)


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
    answers = list(base.columns.get(_ANSWER, ())) or _rivals(_named(sample, _ANSWER))
    if not answers:
        yield Reading(mapping=base.with_columns(columns), says="", options="")
    for path in answers:
        yield Reading(
            mapping=base.with_columns({**columns, _ANSWER: (path,)}),
            says=f"{path!r} is the answer",
            options=f"--column {_ANSWER}={quote(path)}",
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


def _rivals(answers: Sequence[str]) -> list[str]:
    """Returns the likeliest column of answers, and those beside `answer` that are a model's."""
    rivals = role_names(TASK, "words")["rival"]
    return [path for place, path in enumerate(answers) if place == 0 or path in rivals]


def _likely(role: str, mapping: TableMapping, sample: TableSample) -> str:
    """Returns the column that could hold a role by its cells, as the user names it; else `NAME`."""
    taken = {path for paths in mapping.columns.values() for path in paths}
    free = [column for column in sample.columns.values() if column.path not in taken]
    if role == _ANSWER:
        free = [column for column in free if column.kind != "number"]
        free.sort(key=attrgetter("words"), reverse=True)
    fits = [column.path for column in free if role == _ANSWER or _may_be_ids(column)]
    return quote(fits[0]) if fits else "NAME"


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
        if not path:
            held = first_names(sorted(sample.heads))
            advice = _likely(role, mapping, sample)
            return (
                f"no column {role!r}. Found: {held}. Say which it is, for example --column "
                f"{role}={advice}."
            )
        if f"{path} (2)" in sample.heads:
            return f"the column {path!r} stands twice."
    return ""
