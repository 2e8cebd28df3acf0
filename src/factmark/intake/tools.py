"""Whose file it is: the forms that tools write, each known by what must be in it.

A form is a table of `tools/TOOL.toml`, and no code:

    [[form]]
    rows = "testRunData.testCases"      # where the rows are in JSON (`map{}`: an object of rows by
                                        # their names); left out: the file is rows
    has = ["actualOutput", "metricsData"]
    named = { metricsData = "name" }
    columns = { id = "name", judge = "metricsData.*.score" }

`several = "filter"` asks that a column has several values in the file, too.

In `columns` a role has a path, or several: an id, a text or a cluster takes the first that is
there, judges and people take all. `*` stands for any name, and an empty list says that there is
none. `"*"` alone stands for every column of numbers or truth values that the form does not name, in
another role or in `beside`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from factmark.files.rows import Row
from factmark.intake.columns import TableColumn, TableSample, is_empty, words_of
from factmark.intake.shapes import Shape, has_path, value_at

_LOOKED_AT = 50  # rows
_ANY = "*"
_ALONE = ("id", "question", "response", "passage", "reference", "system", "cluster")
_VALUES = ("number", "flag")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolForm:
    """A form of file that a tool writes.

    Attributes:
        tool: its name, that of the TOML file.
        has: paths that are in its rows as they stand in the file.
        lacks: paths that are in none of them, which tells it from another tool's.
        several: a column that has several values in the whole file; empty where that is all one.
        shape: how the file becomes rows.
        columns: role -> paths, see above.
        beside: paths of numbers that say nothing of a case, such as what it cost.
        settings: of the mapping; of `analyse` a scale.
        says: a judge's cell -> what it stands for; empty for no verdict.
        task: the task that alone reads files of the form, such as `ratings`; empty for all others.
    """

    tool: str
    has: tuple[str, ...]
    lacks: tuple[str, ...] = ()
    several: str = ""
    shape: Shape
    columns: Mapping[str, tuple[str, ...]]
    beside: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    says: Mapping[str, str] = field(default_factory=dict)
    task: str = ""

    def fits(self, rows: Sequence[Row]) -> bool:
        """Whether rows, as they stand in the file, are of this form."""

        def is_there(path: str) -> bool:
            return any(has_path(row, path) for row in rows[:_LOOKED_AT])

        return all(map(is_there, self.has)) and not any(map(is_there, self.lacks))

    def values_of(self, row: Row) -> dict[str, Any]:
        """Returns role -> what stands at the first of its paths that a row fills; see `value_at`.
        Roles of which nothing is there are left out."""
        taken = {}
        for role, paths in self.columns.items():
            values = [value_at(row, path) for path in paths]
            filled = [value for value in values if not (is_empty(value) or value == [])]
            if filled:
                is_first = role in ("id", "query_id", "question") and isinstance(filled[0], list)
                taken[role] = filled[0][0] if is_first else filled[0]
        return taken

    def columns_in(self, sample: TableSample) -> dict[str, tuple[str, ...]]:
        """Returns role -> the columns of a sample, in the form's shape; roles of which nothing is
        there are left out."""
        taken: dict[str, tuple[str, ...]] = {}
        for role, paths in self.columns.items():
            columns: list[str] = []
            for path in paths:
                if path != _ANY and not (columns and role in _ALONE):
                    columns += _at(sample, path, self.beside)
            if _ANY in paths:
                columns += self._others(sample)
            if columns or not paths:
                taken[role] = tuple(dict.fromkeys(columns))
        return taken

    def _others(self, sample: TableSample) -> Iterator[str]:
        """Yields the columns of numbers or truth values that the form does not name, and whose name
        is not that of another role's in many tools; none that numbers the rows or tells a setting
        of the run."""
        paths = [path for paths in self.columns.values() for path in paths if path != _ANY]
        known = [_pattern(path) for path in (*paths, *self.beside)]
        for path, column in sample.columns.items():
            is_known = any(name.fullmatch(path) for name in known)
            is_other = is_known or column.name in _names_beside() or is_beside(path)
            is_other = is_other or column.counts_rows or _is_setting(column)
            if column.kind in _VALUES and not is_other:
                yield path


def _at(sample: TableSample, path: str, beside: Sequence[str]) -> Iterator[str]:
    """Yields the columns that a path names and that hold something; of those that `*` stands for
    none that is beside."""
    pattern = _pattern(path)
    left_out = [_pattern(other) for other in beside]
    for name, column in sample.columns.items():
        is_other = any(other.fullmatch(name) for other in left_out) or is_beside(name)
        if _ANY in path and is_other:
            continue
        if pattern.fullmatch(name) and column.kind != "empty":
            yield name


@cache
def _pattern(path: str) -> re.Pattern[str]:
    """Returns a path as a pattern of columns: `*` is any step."""
    return re.compile(".+".join(map(re.escape, path.split(_ANY))))


@cache
def tool_forms() -> tuple[ToolForm, ...]:
    """Returns the forms of all tools, those that ask for the most first."""
    folder = files("factmark.intake").joinpath("tools")
    forms = []
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            record = tomllib.loads(file.read_text("utf-8"))
            tool = file.name.removesuffix(".toml")
            task = record.get("task", "")
            forms += [_form(tool, form, task) for form in record["form"]]
    return tuple(sorted(forms, key=lambda form: -len(form.has)))


def _form(tool: str, record: Mapping[str, Any], task: str) -> ToolForm:
    """Returns a table of a TOML file as a form."""
    events = record.get("events", {})
    return ToolForm(
        tool=tool,
        has=tuple(record["has"]),
        lacks=tuple(record.get("lacks", ())),
        several=record.get("several", ""),
        shape=Shape(
            rows=record.get("rows", ""),
            named=record.get("named", {}),
            each=tuple(record.get("each", ())),
            written=tuple(record.get("written", ())),
            case=_paths(events.get("case", ())),
            event=_paths(events.get("event", ())),
            value=_paths(events.get("value", ())),
            unroll=tuple((path, column) for path, column in record.get("unroll", ())),
        ),
        columns={role: _paths(paths) for role, paths in record["columns"].items()},
        beside=tuple(record.get("beside", ())),
        settings=record.get("settings", {}),
        says=record.get("says", {}),
        task=task,
    )


def _paths(value: str | Sequence[str]) -> tuple[str, ...]:
    """Returns the paths of a role as TOML has them."""
    return (value,) if isinstance(value, str) else tuple(value)


@cache
def role_names(task: str, table: str = "roles") -> Mapping[str, tuple[str, ...]]:
    """Returns role -> the names that its column has in many tools, the likeliest first, as
    `tasks/TASK.toml` has them, or another of its tables of words."""
    file = files("factmark.intake").joinpath("tasks", f"{task}.toml")
    record = tomllib.loads(file.read_text("utf-8"))
    return {role: tuple(names) for role, names in record[table].items()}


def named_columns(task: str, sample: TableSample) -> dict[str, list[TableColumn]]:
    """Returns role -> the columns of a sample that hold something and have a name that the role's
    column has in many tools, the likeliest first; one may be in several roles. What is nested
    counts where nothing else has such a name."""
    by_role = {}
    for role, names in role_names(task).items():
        columns = [column for column in sample.named(names) if column.kind != "empty"]
        flat = [column for column in columns if column.path in sample.heads]
        by_role[role] = flat or columns
    return by_role


@cache
def all_names() -> frozenset[str]:
    """Returns the names that columns of any role of any task have in many tools."""
    folder = files("factmark.intake").joinpath("tasks")
    tasks = [file.name for file in folder.iterdir() if file.name.endswith(".toml")]
    names: set[str] = set()
    for task in tasks:
        names.update(*role_names(task.removesuffix(".toml")).values())
    return frozenset(names)


def is_beside(path: str) -> bool:
    """Whether words of a column's name say that it tells which a unit is, what it cost or how long
    it took, and nothing of its worth."""
    return not _words_beside().isdisjoint(words_of(path.rpartition(".")[2]))


def _is_setting(column: TableColumn) -> bool:
    """Whether all rows have one number that is neither all nor nothing, as a temperature."""
    if column.kind != "number" or column.n_distinct > 1 or len(column.texts) == 1:
        return False
    return float(column.texts[0].replace(",", ".")) not in (0, 1)


@cache
def _words_beside() -> frozenset[str]:
    """Returns these words."""
    return frozenset(role_names("analyse", "words")["beside"])


@cache
def _names_beside() -> frozenset[str]:
    """Returns the names that columns have in many tools which hold no judge's verdict."""
    roles = role_names("analyse")
    beside = [names for role, names in roles.items() if role not in ("judge", "score")]
    return frozenset(name for names in beside for name in names)
