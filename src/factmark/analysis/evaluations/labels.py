"""A file of people's labels beside a table: joined by an id that both have, and counted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from factmark.analysis.evaluations.columns import numbered_people
from factmark.analysis.options import AnalyseOptions
from factmark.errors import InputError
from factmark.evaluated.coding import NOTHING, CodedColumn, coded
from factmark.evaluated.columns import ValueColumn, value_column
from factmark.evaluated.table import Evaluated
from factmark.files.flat_files import unguard_formula
from factmark.files.nested import cell_at
from factmark.files.problems import Problems
from factmark.files.rows import Row
from factmark.files.text_files import json_value, read_text
from factmark.intake.checked_text import check_text
from factmark.intake.column_reader import plain_cell, plain_cells
from factmark.intake.columns import TableSample, is_empty
from factmark.intake.mapping import TableMapping
from factmark.intake.shapes import Shape
from factmark.intake.table_file import TableFile, open_table
from factmark.intake.tools import named_columns, role_names
from factmark.text.shell import quote, quote_path
from factmark.text.shown_text import count, first_names

_MOST_UNMATCHED = 0.05  # of the labels
_UNKNOWN = -1.0  # a probability: one that is equal to itself, so that rows can be counted by it
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
        probability: with which people were given the unit; `_UNKNOWN` where that is not known.
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
    sheet = _opened(path, options.encoding)
    columns = _label_columns(sheet.sample, path, mapping.column("judge"))
    label = ", ".join(columns)
    person, drawn = _beside(sheet.sample, "annotator"), _beside(sheet.sample, "probability")
    labelled = []
    rows_drawn: Counter[float] = Counter()
    problems = Problems()
    for _, row in sheet.rows(problems):
        rows_drawn[_probability(row, drawn, path)] += 1
        if not all(is_empty(cell_at(row, column)) for column in columns):
            labelled.append(row)
    if not labelled:
        raise InputError(_no_label_yet(path, label))
    places, key = _join(sheet, labelled, columns, file, table, mapping)
    given: list[LabelRow] = []
    for column in columns:
        by = column if columns[1:] else person
        given += _labels(labelled, key, column, by, drawn, path, places)
    unmatched = [row.key for row in given if row.key not in places]
    if len(unmatched) > _MOST_UNMATCHED * len(given):
        share = f"{len(unmatched):,} of {len(given):,}"
        raise InputError(
            f"{path}: {share} labels are of no unit of {file.path}: here {_in_words(key)} is "
            f"{first_names(unmatched)}, there {first_names(places)}."
        )
    notes = [f"{path.name}: {sentence}" for sentence in problems.sentences()]
    if unmatched:
        notes.append(
            f"{count(len(unmatched), 'label', 'labels')} of {path.name} are of no unit, such as "
            f"{unmatched[0]!r}."
        )
    known = [row for row in given if row.key in places]
    returned = Counter(_probability(row, drawn, path) for row in labelled)
    shares = {value: returned[value] / n for value, n in rows_drawn.items()}
    joined = _with_labels(path, table, known, places, shares)
    by = ""
    if person or columns[1:]:
        by = f" by {count(len({row.person for row in known}), 'person', 'people')}"
    in_words = f"{path.name}: {len(known):,} labels {label!r}{by}, joined by {_in_words(key)}"
    if unmatched:
        in_words += f"; {len(unmatched):,} of no unit"
    return JoinedLabels(table=joined, in_words=in_words, notes=tuple(notes))


def _in_words(columns: Sequence[str]) -> str:
    """Returns columns as a message names them."""
    return " and ".join(map(repr, columns))


def _opened(path: Path, encoding: str) -> TableFile:
    """Returns a file of labels, opened; JSON may be `{id: label}`."""
    if path.suffix.casefold() == ".json":
        value = json_value(path, read_text(path, encoding))
        if isinstance(value, dict) and not any(isinstance(v, dict | list) for v in value.values()):
            rows = [{"id": name, "label": label} for name, label in value.items()]
            return TableFile(path=path, value={"labels": rows}, shape=Shape(rows="labels"))
    check_text(path, encoding)
    return open_table(path, encoding)


def _label_columns(sample: TableSample, path: Path, judge: str) -> list[str]:
    """Returns the columns with the labels: the one that is called so, those that are numbered, a
    person each, the only one that says something of units, or the one that is called as the judge's
    in the table, where people filled in the same form.

    Raises:
        InputError: there is none, or there are several.
    """
    called = [column.path for column in named_columns("analyse", sample)["people"]]
    if called:
        return called[:1]
    beside = {name for role in ("id", "probability") for name in role_names("analyse")[role]}
    likely = {}
    for name, column in sample.columns.items():
        if column.name not in beside and column.kind not in ("list", "object", "empty"):
            valued = value_column(coded(name, plain_cells(list(column.cells))))
            if valued is not None:
                likely[name] = valued
    numbered = numbered_people(likely)
    if numbered:
        return numbered
    empty = sample.named(role_names("analyse")["people"])  # those that are filled came above
    if empty:
        raise InputError(_no_label_yet(path, empty[0].path))
    words = [name for name, valued in likely.items() if valued.kind == "word"]
    if len(words) == 1:
        return words
    if judge in likely:
        return [judge]
    what = "are in no column"
    if words:
        what = f"could be {' or '.join(map(repr, words))}"
    raise InputError(f"{path}: the labels {what}. Call the column with people's labels 'label'.")


def _no_label_yet(path: Path, column: str) -> str:
    """Returns the message about a file in which nobody filled in the column of labels."""
    return f"{path}: holds no label yet. Fill in {column!r}."


def _beside(sample: TableSample, role: str) -> str:
    """Returns the column of a role by its name; empty where there is none."""
    task = "labels" if role == "annotator" else "analyse"
    columns = named_columns(task, sample)[role]
    return columns[0].path if columns else ""


def _join(
    sheet: TableFile,
    labelled: Sequence[Row],
    labels: Sequence[str],
    file: TableFile,
    table: Evaluated,
    mapping: TableMapping,
) -> tuple[dict[str, int], tuple[str, ...]]:
    """Returns key -> place for the units of a table, and the columns of the labels that have these
    keys: the table's ids, or else another column that tells all its units apart, or ids that are
    repeated with such a column, as the epoch of a sample that was run several times.

    Raises:
        InputError: no column of the labels has what a column of the table has.
    """
    best = 0
    chosen: tuple[dict[str, int], tuple[str, ...]] | None = None
    keys = {name for row in labelled[:200] for name in row if name not in labels}
    for places in _keys_of(file, table, mapping):
        for key in sorted(keys, key=lambda name: (name != "id", name)):
            cells = {_given_key(row, (key,), places) for row in labelled}
            hits = len(cells & places.keys())
            if hits > best:
                best, chosen = hits, (places, (key,))
        if chosen is not None and best > (1 - _MOST_UNMATCHED) * len(labelled) / 2:
            break
    if chosen is None:
        chosen = _by_repeated_ids(sheet, labelled, keys, file, mapping)
    if chosen is None:
        ids = first_names(list(table.ids))
        raise InputError(
            f"{sheet.path}: no column has an id of {file.path}, where they are {ids}. "
            f"`factmark analyse {quote_path(file.path)} --sheet next.csv --labels 100` writes a "
            "file for labels."
        )
    return chosen


def _by_repeated_ids(
    sheet: TableFile,
    labelled: Sequence[Row],
    keys: Collection[str],
    file: TableFile,
    mapping: TableMapping,
) -> tuple[dict[str, int], tuple[str, ...]] | None:
    """Returns keys of the table's ids with another column that both files have; None where its ids
    are not those of the labels.

    Raises:
        InputError: they are, and each stands for several rows.
    """
    at = mapping.column("id") or mapping.column("cluster")
    rows = [row for _, row in file.rows(Problems())]
    ids = [_key(cell_at(row, at)) for row in rows] if at else []
    column = next((key for key in sorted(keys) if _has_most(labelled, key, set(ids))), "")
    if not column:
        return None
    tell = []
    for path in file.sample.columns:
        pairs = [
            _key_of_cells((name, _key(cell_at(row, path))))
            for name, row in zip(ids, rows, strict=True)
        ]
        if len(set(pairs)) == len(pairs) and path != at:
            tell.append(path)
            if path in keys:
                return {pair: place for place, pair in enumerate(pairs)}, (column, path)
    most = Counter(ids).most_common(1)[0]
    beside = f" Give each label the row's {tell[0]!r}, too; or draw" if tell else " Draw"
    raise InputError(
        f"{sheet.path}: {column!r} names several rows of {file.path} ({most[0]!r} {most[1]} of "
        f"them), and a label is of one.{beside} units for labels: `factmark analyse "
        f"{quote_path(file.path)} --column cluster={quote(at)} --sheet next.csv --labels 100`."
    )


def _has_most(labelled: Sequence[Row], key: str, ids: Collection[str]) -> bool:
    """Whether nearly all labels have one of some ids in a column."""
    hits = sum(_given_key(row, (key,), ids) in ids for row in labelled)
    return hits > (1 - _MOST_UNMATCHED) * len(labelled)


def _key_of_cells(cells: Sequence[str]) -> str:
    """Returns a key of the cells of several columns."""
    return " / ".join(cells)


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


def _given_key(row: Row, columns: Sequence[str], known: Collection[str]) -> str:
    """Returns a label's key as the table has it: without the apostrophe that keeps a spreadsheet
    from running it."""
    cells = [_key(row.get(column)) for column in columns]
    key = _key_of_cells(cells)
    if key in known:
        return key
    return _key_of_cells([unguard_formula(cell) for cell in cells])


def _labels(
    rows: Sequence[Row],
    key: Sequence[str],
    label: str,
    person: str,
    drawn: str,
    path: Path,
    places: Mapping[str, int],
) -> Iterator[LabelRow]:
    """Yields the labels of a column.

    Args:
        person: the column that says who gave them; the column itself where it is one person's.
    """
    for row in rows:
        cell = plain_cell(cell_at(row, label))
        if is_empty(cell):
            continue
        name = person if person == label else _key(row.get(person))
        yield LabelRow(
            key=_given_key(row, key, places),
            person=name or path.stem,
            cell=cell,
            probability=_probability(row, drawn, path),
        )


def _probability(row: Row, column: str, path: Path) -> float:
    """Returns the probability with which people were given a row's unit; one that stands for those
    not known where the row does not say."""
    if not column or is_empty(row.get(column)):
        return _UNKNOWN
    try:
        return float(str(row[column]).replace(",", "."))  # as a spreadsheet may
    except ValueError:
        raise InputError(f"{path}: {column!r} holds {row[column]!r}, no number.") from None


def _with_labels(
    path: Path,
    table: Evaluated,
    given: Sequence[LabelRow],
    places: Mapping[str, int],
    shares: Mapping[float, float],
) -> Evaluated:
    """Returns a table with a column of labels for each person, and the probabilities of labels.

    Args:
        shares: probability -> the share of the units drawn with it that came back with a label, by
            which it is multiplied: a sheet half done is a sample with half the probabilities.

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
        if row.probability == _UNKNOWN:
            probability[place] = math.nan
        else:
            probability[place] = row.probability * shares[row.probability]
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
