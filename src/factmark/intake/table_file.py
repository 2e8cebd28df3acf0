"""A user's file as rows, whatever its form: opened once, sampled, then read to its end.

CSV with or without a head, TSV, `;`, JSON Lines, JSON and YAML with rows at any path, Parquet,
Arrow, sheets of workbooks, logs of inspect_ai; a file of a tool in the shape that its form says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cached_property, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.arrow_files import is_arrow_folder
from factmark.files.frames import frame_rows
from factmark.files.problems import Problems, in_brackets
from factmark.files.rows import YAML, check_file, numbered_rows, read_rows, row_of
from factmark.files.separated import numbered_names, row_of_cells, table_cells
from factmark.files.text_files import json_value, read_text
from factmark.files.workbooks import WORKBOOKS, workbook_rows
from factmark.intake.columns import SAMPLE, TableSample, is_empty
from factmark.intake.heads import CELLS, has_head, with_second_line
from factmark.intake.inspect_logs import LOG, is_log, json_samples, log_samples
from factmark.intake.shapes import (
    AS_IT_STANDS,
    Placed,
    Shape,
    ShapeError,
    are_written_lists,
    lists_of_rows,
    rows_of_columns,
    shaped,
)
from factmark.intake.tools import ToolForm, role_names, tool_forms
from factmark.intake.yaml_files import yaml_value
from factmark.text.shell import quote

_BY_NAME = "{}"
_FEW = 50  # rows by which a form is known
_MOST_LISTS = 8  # of rows; more are rows by their names


@dataclass(frozen=True, kw_only=True)  # no slots: a cached property needs a dictionary
class TableFile:
    """A file of rows that was opened.

    Attributes:
        path, encoding: of the file.
        value: what a JSON file holds; None of others.
        frame: a DataFrame in place of a file, which messages call by the path.
        stream: what reads the rows of a file that is no table, and counts them in the problems.
        has_head: whether the first line of a table names its columns; else they are `column 1`,
            `column 2` and so on.
        ends_early: whether rows of cells may lack the last ones.
        form: the form of the tool that wrote it; None where no form fits.
        shape: how it becomes rows.
        task: the task whose forms of tools are tried.
        kept: the rows of a workbook, which is opened once; None of other files.
    """

    path: Path
    encoding: str = "utf-8"
    value: Any = None
    has_head: bool = True
    frame: Any = None
    stream: Callable[[Problems], Iterator[Placed]] | None = None
    ends_early: bool = False
    form: ToolForm | None = None
    shape: Shape = AS_IT_STANDS
    task: str = ""
    kept: Sequence[Placed] | None = None

    @property
    def tool(self) -> str:
        """The tool that wrote it; empty where no form fits."""
        return self.form.tool if self.form else ""

    @cached_property
    def sample(self) -> TableSample:
        """Its first rows, with their columns."""
        problems = Problems()
        rows = tuple(islice(self.rows(problems), SAMPLE + 1))
        source = str(self.path)
        if self.path.suffix.casefold() in CELLS:
            source += ", line 1"  # which names the columns
        return TableSample(
            source, rows[:SAMPLE], is_whole=len(rows) <= SAMPLE, lost=in_brackets(problems)
        )

    def rows(self, problems: Problems) -> Iterator[Placed]:
        """Yields the rows, each with its place; unusable ones are counted in `problems`.

        Raises:
            InputError: the file cannot be read.
        """
        try:
            yield from shaped(self._unshaped_rows(problems), self.shape)
        except ShapeError as error:
            raise InputError(f"{self.path}, {error}.") from error

    def cells(self, problems: Problems) -> tuple[list[str], Iterator[tuple[str, list[str]]]]:
        """Returns the names of the columns of a table of cells, and its rows, each with its lines;
        without a head its first line is one of them."""
        head, rows = table_cells(self.path, problems, self.encoding, ends_early=self.ends_early)
        if self.has_head:
            first = next(rows, None) if "" in head[1:] else None
            names = None if first is None else with_second_line(head, first[1])
            if names is not None:
                problems.rows -= 1
                return numbered_names(names), rows
            if first is not None:
                rows = chain([first], rows)
            return numbered_names(head), rows
        problems.rows += 1
        first = ("line 1", list(head))
        return [f"column {place}" for place, _ in enumerate(head, start=1)], chain([first], rows)

    def _unshaped_rows(self, problems: Problems) -> Iterator[Placed]:
        """Returns the rows as they stand in the file."""
        suffix = self.path.suffix.casefold()
        if self.stream is not None:
            return self.stream(problems)
        if self.frame is not None:
            return numbered_rows(frame_rows(self.frame), problems)
        if suffix == LOG:
            return _rows_of_log(self.path, problems)
        if suffix in CELLS:
            return _rows_of_table(self, problems)
        if self.kept is not None:
            problems.rows += len(self.kept)
            return iter(self.kept)
        if self.shape.rows:
            return _rows_at(self.value, self.shape.rows, problems)
        return read_rows(self.path, problems, self.encoding)


class SeveralListsError(InputError):
    """A JSON file has several lists of rows, and no form of a tool says which.

    Attributes:
        path: of the file.
        lists: the paths of the lists.
    """

    def __init__(self, path: Path, lists: Sequence[str]) -> None:
        ways = "; ".join(f"--rows {quote(name)}" for name in lists)
        super().__init__(f"{path}: has several lists of rows. Say which: {ways}.")
        self.path = path
        self.lists = tuple(lists)


def open_table(path: Path, encoding: str = "utf-8", *, rows: str = "", task: str = "") -> TableFile:
    """Returns a file of rows, opened.

    Args:
        rows: the path to the rows of a JSON file, or the sheet of a workbook, where the user names
            it.
        task: what it is read for, where forms of tools are for that task alone.

    Raises:
        InputError: it is no file of a known kind, or a JSON file with several lists of rows.
    """
    table = TableFile(path=path, encoding=encoding, task=task)
    suffix = path.suffix.casefold()
    if rows and suffix not in (".json", *YAML, *WORKBOOKS):
        raise InputError(
            f"--rows {rows}: {path} is no JSON file, whose rows stand at a path, and no workbook "
            "with sheets."
        )
    if suffix != LOG and not is_arrow_folder(path):
        check_file(path)
    if suffix == ".json":
        value = json_value(path, read_text(path, encoding))
        if is_log(value):
            value = {**value, "samples": [sample for _, sample in json_samples(path, value)]}
        columns = rows_of_columns(value, _names_of_analysed())
        if columns is not value:
            return _with_written(in_form(replace(table, stream=partial(numbered_rows, columns))))
        return _with_written(_with_rows(replace(table, value=value), rows))
    if suffix in YAML:
        return _of_yaml(table, rows)
    if suffix in WORKBOOKS:
        table = replace(table, kept=list(workbook_rows(path, Problems(), rows)))
    if suffix not in CELLS:
        return _with_written(in_form(table))
    return _with_written(in_form(replace(table, has_head=has_head(path, encoding))))


def _of_yaml(table: TableFile, rows: str) -> TableFile:
    """Returns a YAML file, opened: a list of objects, or an object with such a list."""
    value = yaml_value(table.path, read_text(table.path, table.encoding))
    if isinstance(value, Mapping):
        return _with_written(_with_rows(replace(table, value=value), rows))
    if not isinstance(value, list) or not all(isinstance(row, Mapping) for row in value):
        raise InputError(f"{table.path}: is no list of objects.")
    return _with_written(in_form(replace(table, stream=partial(numbered_rows, value))))


def open_frame(frame: Any, name: str) -> TableFile:
    """Returns a DataFrame as a file of rows, opened.

    Args:
        name: by which messages call it.
    """
    return in_form(TableFile(path=Path(name), frame=frame))


def in_form(table: TableFile, at: str = "") -> TableFile:
    """Returns a file in the form that its first rows fit, if any does.

    Args:
        at: the path of the rows in a JSON file.
    """
    shape = replace(table.shape, rows=at)
    table = replace(table, shape=shape)
    rows = [row for _, row in islice(table.rows(Problems()), _FEW)]
    for form in tool_forms():
        is_here = (form.task, form.shape.rows) == (table.task, at) and form.fits(rows)
        if is_here and (not form.several or _has_several(table, form.several)):
            return replace(table, form=form, shape=form.shape)
    return table


def _has_several(table: TableFile, column: str) -> bool:
    """Whether a column has several values, in the whole file."""
    values = set()
    for _, row in table.rows(Problems()):
        values.add(str(row.get(column)))
        if len(values) > 1:
            return True
    return False


def _with_rows(table: TableFile, named: str) -> TableFile:
    """Returns a JSON file with the path of its rows: the one that the user names, that of a form
    that fits, or that of its only list of rows.

    Raises:
        InputError: there is no list of rows at the path, or there are several and no form fits.
    """
    lists = lists_of_rows(table.value)
    if named:
        if named not in lists:
            ways = "; ".join(f"--rows {quote(path)}" for path in lists)
            has = f"It has: {ways}." if ways else "It has none."
            raise InputError(f"{table.path}: no list of rows at {named!r}. {has}")
        return in_form(table, named)
    for path in (*lists, *_objects_of_rows(table.value)):
        known = in_form(table, path)
        if known.form:
            return known
    is_by_name = _has_rows_by_name(table.value) or len(lists) > _MOST_LISTS
    if "" in lists or not lists or is_by_name:
        return in_form(table)
    if len(lists) > 1:
        raise SeveralListsError(table.path, list(lists))
    return in_form(table, next(iter(lists)))


def _objects_of_rows(value: object) -> list[str]:
    """Returns the paths of objects whose parts are rows, `map{}`, that forms of tools name and a
    JSON value has."""
    paths = {form.shape.rows for form in tool_forms() if form.shape.rows.endswith(_BY_NAME)}
    return [path for path in sorted(paths) if isinstance(_held_at(value, path), Mapping)]


def _held_at(value: object, path: str) -> Any:
    """Returns what a JSON value holds at the path of its rows; None for nothing."""
    held: Any = value
    for step in path.removesuffix(_BY_NAME).split("."):
        held = held.get(step) if isinstance(held, Mapping) else None
    return held


def _has_rows_by_name(value: object) -> bool:
    """Whether a JSON value is an object of rows by their names, several."""
    if not isinstance(value, Mapping) or len(value) < 2:
        return False
    return all(row_of(part) is not None for part in value.values())


def _rows_at(value: object, path: str, problems: Problems) -> Iterator[Placed]:
    """Yields the rows of a list within a JSON value, or of an object with their names as ids."""
    held = _held_at(value, path)
    if isinstance(held, Mapping):
        held = [{"id": name, **part} for name, part in held.items() if isinstance(part, Mapping)]
    for number, part in enumerate(held, start=1):
        problems.rows += 1
        yield f"{path} {number}", row_of(part) or {}


def _names_of_analysed() -> frozenset[str]:
    """Returns the names that columns beside a judge's verdicts have in many tools."""
    return frozenset(name for names in role_names("analyse").values() for name in names)


def _rows_of_log(path: Path, problems: Problems) -> Iterator[Placed]:
    """Yields the samples of a log of inspect_ai, read one at a time."""
    n_samples = 0
    for name, sample in log_samples(path):
        n_samples += 1
        problems.rows += 1
        if isinstance(sample, Mapping):
            yield name, sample
        else:
            problems.drop("no JSON object", name)
    if not n_samples:
        raise InputError(f"{path}: holds no samples; it is no log of inspect_ai.")


def _rows_of_table(table: TableFile, problems: Problems) -> Iterator[Placed]:
    """Yields the rows of a table of cells."""
    names, rows = table.cells(problems)
    return ((where, row_of_cells(names, cells)) for where, cells in rows)


def _is_one_of(name: str, patterns: Sequence[str]) -> bool:
    """Whether a column's name is one of these, in which `*` is anything."""
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _with_written(table: TableFile) -> TableFile:
    """Returns a table with its columns that hold lists written as text."""
    columns: dict[str, list[object]] = {}
    for _, row in islice(table.rows(Problems()), _FEW):
        for name, cell in row.items():
            if not is_empty(cell):
                columns.setdefault(name, []).append(cell)
    lists = [name for name, cells in columns.items() if are_written_lists(cells)]
    objects = [name for name in columns if _is_one_of(name, table.shape.written)]
    written = tuple(dict.fromkeys([*objects, *lists]))
    table = replace(table, shape=replace(table.shape, written=written))
    if not written or table.form:
        return table
    known = in_form(table, table.shape.rows)  # which may be known by what is in the lists
    return replace(known, shape=replace(known.shape, written=written))
