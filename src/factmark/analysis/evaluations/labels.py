"""A file of people's labels beside a table: joined by an id that both have, and counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from factmark.analysis.options import AnalyseOptions
from factmark.errors import InputError
from factmark.evaluated.coding import NOTHING, CodedColumn, coded
from factmark.evaluated.columns import ValueColumn, value_column
from factmark.evaluated.table import Evaluated
from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.rows import Row
from factmark.intake.column_reader import plain_cell
from factmark.intake.columns import TableSample, is_empty
from factmark.intake.mapping import TableMapping
from factmark.intake.table_file import TableFile, open_table
from factmark.intake.tools import named_columns, role_names
from factmark.text.shown_text import count, first_names

_MOST_UNMATCHED = 0.05  # of the labels
_KEYS = 40  # columns of the table that are tried as keys


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedLabels:
    """A table with the labels of a file.

    Attributes:
        table: with a column for each person.
        in_words: what was read as what.
        notes: what a reader must know.
    """

    table: Evaluated
    in_words: str
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRow:
    """A label as it stands in a file.

    Attributes:
        key: of the unit.
        person: who gave it.
        cell: what it says.
        probability: with which people were given the unit; NaN where that is not known.
    """

    key: str
    person: str
    cell: Any
    probability: float


def read_labels(
    path: Path,
    options: AnalyseOptions,
    file: TableFile,
    table: Evaluated,
    mapping: TableMapping,
) -> JoinedLabels:
    """Returns a table with the labels of a file.

    Raises:
        InputError: nothing in it says which labels these are, or of which units; over 5 % of the
            labels are of units that the table does not have; a person labels a unit twice,
            differently.
    """
    sheet = open_table(path, options.encoding)
    label = _label_column(sheet.sample, path)
    rows = [row for _, row in sheet.rows(Problems())]
    labelled = [row for row in rows if not is_empty(cell_at(row, label))]
    if not labelled:
        raise InputError(f"{path}: holds no label yet. Fill in {label!r}.")
    places, key = _join(sheet, labelled, label, file, table, mapping)
    person, drawn = _beside(sheet.sample, "annotator"), _beside(sheet.sample, "probability")
    given = list(_labels(labelled, key, label, person, drawn, path))
    unmatched = [row.key for row in given if row.key not in places]
    if len(unmatched) > _MOST_UNMATCHED * len(given):
        here, there = first_names(unmatched), first_names(list(places))
        raise InputError(
            f"{path}: {len(unmatched):,} of {len(given):,} labels are of no unit of {file.path}: "
            f"here {key!r} is {here}, there {there}."
        )
    notes = []
    if unmatched:
        notes.append(
            f"{count(len(unmatched), 'label', 'labels')} of {path.name} are of no unit, such as "
            f"{unmatched[0]!r}."
        )
    known = [row for row in given if row.key in places]
    joined = _with_labels(path, table, known, places)
    by = ""
    if person:
        by = f" by {count(len({row.person for row in known}), 'person', 'people')}"
    in_words = f"{path.name}: {len(known):,} labels {label!r}{by}, joined by {key!r}"
    return JoinedLabels(table=joined, in_words=in_words, notes=tuple(notes))


def _label_column(sample: TableSample, path: Path) -> str:
    """Returns the column with the labels: the one that is called so, or the only one that says
    something of units.

    Raises:
        InputError: there is none, or there are several.
    """
    called = [column.path for column in named_columns("analyse", sample)["people"]]
    if called:
        return called[0]
    beside = {name for role in ("id", "probability") for name in role_names("analyse")[role]}
    likely = []
    for name, column in sample.columns.items():
        if column.name not in beside and column.kind not in ("list", "object", "empty"):
            valued = value_column(coded(name, column.cells))
            if valued is not None and valued.kind == "word":
                likely.append(name)
    if len(likely) == 1:
        return likely[0]
    what = f"could be {' or '.join(map(repr, likely))}" if likely else "are in no column"
    raise InputError(f"{path}: the labels {what}. Call the column with people's labels 'label'.")


def _beside(sample: TableSample, role: str) -> str:
    """Returns the column of a role by its name; empty where there is none."""
    task = "labels" if role == "annotator" else "analyse"
    columns = named_columns(task, sample)[role]
    return columns[0].path if columns else ""


def _join(
    sheet: TableFile,
    labelled: Sequence[Row],
    label: str,
    file: TableFile,
    table: Evaluated,
    mapping: TableMapping,
) -> tuple[dict[str, int], str]:
    """Returns key -> place for the units of a table, and the column of the labels that has these
    keys: the table's ids, or else another column that tells all its units apart.

    Raises:
        InputError: no column of the labels has what a column of the table has.
    """
    best, chosen = 0, None
    keys = {name for row in labelled[:200] for name in row if name != label}
    for places in _keys_of(file, table, mapping):
        for key in sorted(keys, key=lambda name: (name != "id", name)):
            cells = {_key(row.get(key)) for row in labelled}
            hits = len(cells & places.keys())
            if hits > best:
                best, chosen = hits, (places, key)
        if chosen is not None and best > (1 - _MOST_UNMATCHED) * len(labelled) / 2:
            break
    if chosen is None:
        ids = first_names(list(table.ids))
        raise InputError(
            f"{sheet.path}: no column has an id of {file.path}, where they are {ids}. "
            f"`factmark analyse {quote(str(file.path))} --sheet next.csv --labels 100` writes a "
            "file for labels."
        )
    return chosen


def _keys_of(file: TableFile, table: Evaluated, mapping: TableMapping) -> Iterator[dict[str, int]]:
    """Yields key -> place of the units: by their ids, then by other columns that differ in all."""
    yield {_key(name): place for place, name in enumerate(table.ids)}
    at = mapping.column("id")
    columns = [
        path
        for path, column in file.sample.columns.items()
        if path != at and column.is_unique and len(column.filled) == len(column.cells)
    ]
    if not columns:
        return
    rows = [row for _, row in file.rows(Problems())]
    for path in columns[:_KEYS]:
        cells = [_key(cell_at(row, path)) for row in rows]
        if len(set(cells)) == len(table) == len(cells):
            yield {cell: place for place, cell in enumerate(cells)}


def _key(cell: object) -> str:
    """Returns a cell as ids are compared: a whole number without its `.0`."""
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    return str(plain_cell(cell) if cell is not None else "").strip()


def _labels(
    rows: Sequence[Row], key: str, label: str, person: str, drawn: str, path: Path
) -> Iterator[LabelRow]:
    """Yields the labels of a file."""
    for row in rows:
        name = str(row.get(person) or "").strip() if person else ""
        probability = math.nan
        if drawn and not is_empty(row.get(drawn)):
            try:
                probability = float(str(row[drawn]))
            except ValueError:
                raise InputError(f"{path}: {drawn!r} holds {row[drawn]!r}, no number.") from None
        yield LabelRow(
            key=_key(row.get(key)),
            person=name or path.stem,
            cell=plain_cell(cell_at(row, label)),
            probability=probability,
        )


def _with_labels(
    path: Path, table: Evaluated, given: Sequence[LabelRow], places: Mapping[str, int]
) -> Evaluated:
    """Returns a table with a column of labels for each person, and the probabilities of labels.

    Raises:
        InputError: a person labels a unit twice, differently; or a label that is not known.
    """
    cells: dict[str, dict[int, Any]] = {}
    probability = np.full(len(table), math.nan)
    if table.probability is not None:
        probability = table.probability.copy()
    for row in given:
        place = places[row.key]
        earlier = cells.setdefault(row.person, {}).setdefault(place, row.cell)
        if earlier != row.cell:
            raise InputError(
                f"{path}: {row.person} labels {row.key!r} twice, as {earlier!r} and {row.cell!r}."
            )
        probability[place] = row.probability
    whole = coded(path.name, [cell for of_person in cells.values() for cell in of_person.values()])
    if value_column(whole) is None:
        examples = first_names(whole.cells)
        raise InputError(f"{path}: the labels are {examples}, not all of which are known.")
    people = {}
    for name, of_person in cells.items():
        people[name] = _column(name, of_person, whole, len(table))
    is_known = not np.isnan(probability).all()
    return replace(
        table,
        people={**table.people, **people},
        probability=probability if is_known else None,
    )


def _column(name: str, cells: Mapping[int, Any], whole: CodedColumn, n: int) -> ValueColumn:
    """Returns a person's labels as a column of all units, by the kind that all labels have."""
    codes = np.full(n, NOTHING, dtype=np.int32)
    places = {cell: place for place, cell in enumerate(whole.cells)}
    for unit, cell in cells.items():
        codes[unit] = places.get(cell, NOTHING)
    column = value_column(replace(whole, name=name, codes=codes))
    if column is None:
        raise InputError(f"the labels of {name} say nothing that is known.")
    return column
