"""A file, and a file of labels beside it, as one table of what judge and people say of units."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from factmark.analysis.evaluations.columns import (
    check_ids,
    check_judge,
    check_people,
    column_of_name,
    proposals,
)
from factmark.analysis.evaluations.inner_lists import with_lists_read
from factmark.analysis.evaluations.labels import read_labels
from factmark.analysis.evaluations.long_tables import in_wide_form, without_summary
from factmark.analysis.evaluations.warrants import ReadTable, check_warrants, without_copies
from factmark.analysis.options import AnalyseOptions
from factmark.errors import InputError
from factmark.evaluated.coding import CodedColumn, Coder
from factmark.evaluated.columns import ValueColumn, value_column
from factmark.evaluated.table import Evaluated, Floats
from factmark.evaluated.words import cell_text, label_key, meanings_of
from factmark.files.problems import Problems
from factmark.intake.checked_text import check_text
from factmark.intake.column_reader import read_columns
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Named, settled_mapping, ways_to_read
from factmark.intake.table_file import SeveralListsError, TableFile, open_table
from factmark.text.shell import quote

_ROW = "row"
_GROUPS = ("cluster", "stratum", "system")
_CHECKS = (check_judge, check_people, check_ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenTable:
    """A table that was read.

    Attributes:
        file: it, to read rows of again.
        mapping: which column holds what.
        evaluated: what judge and people say of its units.
        judge: the judge's name.
        notes: what a reader must know, a sentence each.
        labels: in words what was read of a file of labels; empty without one.
    """

    file: TableFile
    mapping: TableMapping
    evaluated: Evaluated
    judge: str
    notes: tuple[str, ...] = ()
    labels: str = ""


class _IdTexts(list[str]):
    """Takes cells as texts."""

    def add(self, cells: Sequence[Any]) -> None:
        """Takes the next cells; nothing is an empty text."""
        if set(map(type, cells)) == {str}:
            self.extend(cells)
        else:
            self.extend("" if cell is None else str(cell) for cell in cells)


def read_given(options: AnalyseOptions, frame: TableFile | None = None) -> GivenTable:
    """Returns a table with the labels beside it.

    Args:
        frame: a DataFrame, opened, in place of the file that the options name.

    Raises:
        InputError: the file cannot be read; the judge or people cannot be told, with the option to
            write; labels do not join.
    """
    file = frame or _opened(options)
    file, case = with_lists_read(without_summary(file))
    file = in_wide_form(file, options.columns.get("stratum", ""))
    named = _named(options, file)
    if case and "cluster" not in named.columns and named.mapping is None:
        named = replace(named, columns={**named.columns, "cluster": case})
    propose = proposals(has_labels=options.labels_file is not None)
    mapping = settled_mapping(file, "analyse", named, propose, _CHECKS)
    problems = Problems()
    held, ids = _columns_of(file, mapping, problems)
    table = _evaluated(file, mapping, held, ids)
    judge = next(iter(table.judges))
    notes: list[str] = []
    in_words = ""
    read = ReadTable(file=file, mapping=mapping, named=named, table=table, judge=judge)
    if options.labels_file is not None:
        table, mapping = without_copies(read)
        joined = read_labels(options.labels_file, options, file, table, mapping)
        table, in_words = joined.table, joined.in_words
        notes += joined.notes
    check_warrants(replace(read, mapping=mapping, table=table))
    return GivenTable(
        file=file,
        mapping=mapping,
        evaluated=table,
        judge=judge,
        notes=(*notes, *problems.sentences()),
        labels=in_words,
    )


def _named(options: AnalyseOptions, file: TableFile) -> Named:
    """Returns what the user says of a file's columns; the judge may be called by a part of its
    path."""
    columns = dict(options.columns)
    if "judge" in columns:
        columns["judge"] = column_of_name(file.sample, columns["judge"])
    return Named(columns=columns, mapping=options.mapping)


def _opened(options: AnalyseOptions) -> TableFile:
    """Returns the file of a command, opened.

    Raises:
        InputError: it cannot be read; or it has several lists of rows, with all that each needs.
    """
    check_text(options.table, options.encoding)
    try:
        return open_table(options.table, options.encoding, rows=options.rows)
    except SeveralListsError as error:
        propose = proposals(has_labels=options.labels_file is not None)
        ways = []
        for path in error.lists:
            table = open_table(options.table, options.encoding, rows=path)
            named = _named(options, table)
            for way in ways_to_read(table, "analyse", named, propose, _CHECKS):
                ways.append(f"--rows {quote(path)} {way}".strip())
        if not ways:
            raise
        raise InputError(
            f"{options.table}: has several lists of rows. Say which: {'; '.join(ways)}."
        ) from None


def _columns_of(
    file: TableFile, mapping: TableMapping, problems: Problems
) -> tuple[dict[str, CodedColumn], list[str]]:
    """Returns path -> column for all that the mapping names, and the units' ids: the row's number
    where no column has them, or where they are repeated."""
    roles = ("judge", "people", *_GROUPS, "probability", "weight")
    paths = {path for role in roles for path in mapping.columns.get(role, ())}
    at = mapping.column("id")
    says = {}
    if file.form is not None:
        of_tool = file.form.columns_in(file.sample).get("judge", ())
        says = dict.fromkeys(of_tool, file.form.says)

    def takers() -> dict[str, Any]:
        taking: dict[str, Any] = {}
        for path in sorted(paths):
            taking[path] = Coder(path, says.get(path))
        if at and at not in taking:
            taking[at] = _IdTexts()
        return taking

    taken: Mapping[str, Any] = read_columns(file, takers, problems)
    columns: dict[str, CodedColumn] = {path: taken[path].column() for path in paths}
    n = len(columns[mapping.column("judge")].codes)
    if at in columns:
        cells = [columns[at].at(place) for place in range(n)]
        ids = ["" if cell is None else str(cell) for cell in cells]
    else:
        ids = list(taken.get(at, ()))
    ids = [name or f"{_ROW} {place}" for place, name in enumerate(ids, start=1)]
    is_unique = bool(ids) and len(set(ids)) == n
    if not is_unique and ids and not mapping.columns.get("cluster"):
        raise InputError(f"{file.path}: {check_whole_ids(at)}")
    if not is_unique:
        ids = [f"{_ROW} {place}" for place in range(1, n + 1)]
    return columns, ids


def check_whole_ids(at: str) -> str:
    """Returns the advice on ids that are repeated further below than the sample goes."""
    return (
        f"{at!r} is repeated. Rows of one id are a cluster: --column cluster={quote(at)}. Each row "
        "is a unit of its own: --column id=none."
    )


def _evaluated(
    file: TableFile,
    mapping: TableMapping,
    columns: Mapping[str, CodedColumn],
    ids: Sequence[str],
) -> Evaluated:
    """Returns the columns as one table.

    Raises:
        InputError: a column holds a word that is not known, further below than the sample goes.
    """
    valued = {
        role: {path: _valued(file, columns[path], role) for path in mapping.columns.get(role, ())}
        for role in ("judge", "people")
    }
    groups = {}
    for role in _GROUPS:
        if mapping.column(role):
            groups[role] = columns[mapping.column(role)]
    return Evaluated(
        ids=ids,
        judges=valued["judge"],
        people={path: column for path, column in valued["people"].items() if column.values},
        probability=_probability(file, mapping, columns),
        **groups,
    )


def _valued(file: TableFile, column: CodedColumn, role: str) -> ValueColumn:
    """Returns what a whole column says of units; raises InputError for a word that says nothing."""
    valued = value_column(column, file.tool)
    if valued is not None:
        return valued
    if not column.cells and role == "judge":
        raise InputError(f"{file.path}: {column.name!r}, the judge's column, is empty.")
    if not column.cells:
        return ValueColumn(name=column.name, kind="word", labels=(), values=(), codes=column.codes)
    strange = next(
        (
            cell
            for cell in column.cells
            if meanings_of({label_key(cell_text(cell))}, file.tool) is None
        ),
        column.cells[0],
    )
    place = int(np.flatnonzero(column.codes == column.cells.index(strange))[0]) + 1
    raise InputError(
        f"{file.path}, {_ROW} {place}: {column.name!r} holds {str(strange)[:60]!r}, which says "
        f"nothing of a unit that is known. Mend the cell, or name another column for the {role}."
    )


def _probability(
    file: TableFile, mapping: TableMapping, columns: Mapping[str, CodedColumn]
) -> Floats | None:
    """Returns the probability with which people were given each unit, or 1 over its weight; None
    where no column has it.

    Raises:
        InputError: it is no number above 0.
    """
    for role in ("probability", "weight"):
        path = mapping.column(role)
        if path:
            return numbers_above_zero(file.path, columns[path], is_weight=role == "weight")
    return None


def numbers_above_zero(path: Path, column: CodedColumn, *, is_weight: bool) -> Floats:
    """Returns a column of numbers above 0, of weights 1 over each; NaN for empty cells.

    Raises:
        InputError: a cell is no such number.
    """
    numbers = []
    for cell in column.cells:
        try:
            number = float(cell)
        except (TypeError, ValueError):
            number = math.nan
        if not (math.isfinite(number) and number > 0):
            raise InputError(f"{path}: {column.name!r} holds {cell!r}, which is no number above 0.")
        numbers.append(1 / number if is_weight else number)
    return np.array([*numbers, math.nan])[column.codes]
