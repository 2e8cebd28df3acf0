"""Files of ratings as tables: a file a rater or a batch makes one table, whatever form it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from factmark.errors import InputError
from factmark.files.arrow_files import is_arrow_folder
from factmark.files.problems import Problems, in_brackets
from factmark.files.rows import TABLES, Row
from factmark.intake.columns import TableSample, folded, is_empty, singular
from factmark.intake.shapes import Placed, is_empty_part, read_cell
from factmark.intake.table_file import open_table
from factmark.intake.tools import ToolForm, role_names
from factmark.people.imports.nested_ratings import (
    QUESTION,
    like_objects_apart,
    with_lists_apart,
    with_lists_of_numbers,
)
from factmark.people.imports.option_columns import with_labels_of_options
from factmark.people.imports.roles.copies import FILE
from factmark.people.imports.roles.siblings import is_person
from factmark.people.imports.rows_left_out import rows_that_count
from factmark.text.shell import quote

PERSON = "person"
ANSWER = "answer"
_ALIKE = 0.6  # of the columns of two files that are read as one table
_IMPORT_ID = '{"ImportId"'  # what the third line of Qualtrics' tables begins with


@dataclass(frozen=True, kw_only=True)  # no slots: a cached property needs a dictionary
class RatingTable:
    """Rows that one mapping reads, of a file or of several.

    Attributes:
        files: in their order.
        form: of the tool that wrote them; None where no form fits.
        placed: the rows, each with its file and the place in it; objects in cells are columns
            with a path.
        places: columns that hold the place in a list, by which people are known.
        others: columns with lists of ratings that are not read.
        known: role -> columns that unrolled lists gave.
        problems: what was wrong with rows.
    """

    files: tuple[Path, ...]
    form: ToolForm | None
    placed: tuple[Placed, ...]
    places: tuple[str, ...]
    others: tuple[str, ...]
    known: Mapping[str, tuple[str, ...]]
    problems: tuple[str, ...]

    @property
    def path(self) -> Path:
        """The first file, for messages."""
        return self.files[0]

    @cached_property
    def sample(self) -> TableSample:
        """All rows, with their columns."""
        return TableSample(str(self.path), self.placed, is_whole=True)


def open_rating_tables(
    paths: Sequence[Path], encoding: str, ratings: str = "", rows: str = ""
) -> list[RatingTable]:
    """Returns the tables that files make, in the order of the files.

    Args:
        paths: files, or folders of them.
        ratings: the column with lists of ratings, where a table has several.
        rows: where in a file they are, as `open_table` takes it.

    Raises:
        InputError: a file cannot be read or holds no rows, or a column of lists must be named.
    """
    groups: list[list[RatingTable]] = []
    for path in files_in(paths):
        table = _open(path, encoding, ratings, rows)
        for group in groups:
            if _are_alike(group[0], table):
                group.append(table)
                break
        else:
            groups.append([table])
    return [_as_one_table(group) for group in groups]


def files_in(paths: Sequence[Path]) -> Iterator[Path]:
    """Yields the files, those of a folder by their names.

    Raises:
        InputError: a folder holds no table.
    """
    for path in paths:
        if not path.is_dir() or is_arrow_folder(path):
            yield path
            continue
        inside = [file for file in sorted(path.rglob("*")) if file.suffix.casefold() in TABLES]
        if not inside:
            raise InputError(f"{path}: the folder holds no file that ends in {', '.join(TABLES)}.")
        yield from inside


def _open(path: Path, encoding: str, ratings: str, at: str) -> RatingTable:
    """Returns the rows of a file as a table."""
    file = open_table(path, encoding, rows=at, task="ratings")
    form = None if ratings else file.form
    if ratings and file.form:
        file = open_table(path, encoding, rows=at, task="none")
    problems = Problems()
    rows = _with_long_names(list(file.rows(problems)))
    if not rows:
        raise InputError(f"{path}: holds no rows{in_brackets(problems)}.")
    places: tuple[str, ...] = ()
    known: dict[str, tuple[str, ...]] = {}
    if form is None:
        rows, places, known = _unrolled(path, like_objects_apart(rows), ratings)
    else:
        places = tuple(name for part, name in form.shape.unroll if part.endswith("[]"))
    others = tuple(_lists_of_sheets(rows)) if form is not None else ()
    flat = with_lists_of_numbers([(where, _flat_row(row)) for where, row in rows])
    flat = with_labels_of_options(with_lists_apart(flat, list(_lists_of_people(flat))))
    flat, reasons = rows_that_count(flat)
    if any(QUESTION in row for _, row in flat):
        known = {"dimension": (QUESTION,)}
    placed = tuple((f"{path}, {where}", row) for where, row in flat)
    return RatingTable(
        files=(path,),
        form=form,
        placed=placed,
        places=places,
        others=others,
        known=known,
        problems=(
            *problems.sentences(),
            *(f"{times} {reason}, left out" for reason, times in reasons.items()),
        ),
    )


def _lists_of_people(rows: Sequence[Placed]) -> Iterator[str]:
    """Yields the columns whose name is one of people's, as `worker_ids` is."""
    names = role_names("ratings")["annotator"]
    for column in dict.fromkeys(name for _, row in rows for name in row):
        if singular(folded(column.rpartition(".")[2])) in names:
            yield column


def _with_long_names(rows: list[Placed]) -> list[Placed]:
    """Returns the rows of Qualtrics' tables with the questions as the names of their columns, which
    the line after the head has; others as they are."""
    if len(rows) < 3 or not _is_import_ids(rows[1][1]):
        return rows
    questions = [str(text).strip() for text in rows[0][1].values()]
    names = {}
    for name, question in zip(rows[0][1], questions, strict=True):
        is_clear = question and questions.count(question) == 1
        names[name] = question if is_clear else name
    return [(where, {names[name]: cell for name, cell in row.items()}) for where, row in rows[2:]]


def _is_import_ids(row: Row) -> bool:
    """Whether a row is the third line of Qualtrics' tables."""
    return any(str(cell).replace(" ", "").startswith(_IMPORT_ID) for cell in row.values())


def _unrolled(
    path: Path, rows: list[Placed], ratings: str
) -> tuple[list[Placed], tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Returns rows with a row for each rating of the lists in their cells, the column with the
    place in the list, and role -> column that the lists tell.

    Raises:
        InputError: several columns hold lists of ratings, and none is named.
    """
    rows = [(where, _with_sheets(row)) for where, row in rows]
    lists = _lists_of_sheets(rows)
    if not ratings:
        lists = {name: keys for name, keys in lists.items() if _is_several(rows, name)}
    if ratings:
        if ratings not in lists:
            raise InputError(f"{path}: {ratings!r} holds no lists of ratings.")
        return _rows_of_list(rows, ratings, lists), (_person_in(ratings),), {}
    if not lists:
        return rows, (), {}
    keys = {frozenset(key) for key in lists.values()}
    if len(lists) > 1 and (len(keys) > 1 or not _is_answer(next(iter(keys)))):
        ways = "; ".join(f"--column ratings={quote(name)}" for name in lists)
        raise InputError(f"{path}: has several lists of ratings. Say which: {ways}.")
    if len(lists) == 1 and not _is_answer(next(iter(keys))):
        column = next(iter(lists))
        return _rows_of_list(rows, column, lists), (_person_in(column),), {}
    return _rows_of_questions(rows, list(lists)), (), {"dimension": (QUESTION,)}


def _with_sheets(row: Row) -> Row:
    """Returns a row in which an object of lists of one length is a list of objects, and a list of
    one object is the object."""
    changed = {}
    for name, cell in row.items():
        if isinstance(cell, Mapping) and cell:
            lengths = {len(part) if isinstance(part, list) else -1 for part in cell.values()}
            if len(lengths) == 1 and -1 not in lengths:
                parts = zip(*cell.values(), strict=True)
                changed[name] = [dict(zip(cell, part, strict=True)) for part in parts]
    return {**row, **changed}


def _lists_of_sheets(rows: Sequence[Placed]) -> dict[str, list[str]]:
    """Returns column -> keys of the objects, for columns that hold lists of objects with numbers or
    words."""
    lists: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for _, row in rows for name in row):
        cells: list[Any] = [row.get(name) for _, row in rows]
        cells = [cell for cell in cells if not is_empty_part(cell)]
        if not cells or not all(isinstance(cell, list) for cell in cells):
            continue
        sheets = [sheet for cell in cells for sheet in cell]
        if not all(isinstance(sheet, Mapping) for sheet in sheets):
            continue
        keys = list(dict.fromkeys(key for sheet in sheets for key in sheet))
        are_ratings = any(_is_number(part) for sheet in sheets for part in sheet.values())
        if are_ratings or _is_answer(keys):
            lists[name] = keys
    return lists


def _is_several(rows: Sequence[Placed], column: str) -> bool:
    """Whether a list in a column has more than one part."""
    return any(isinstance(row.get(column), list) and len(row[column]) > 1 for _, row in rows)


def _is_answer(keys: Sequence[str] | frozenset[str]) -> bool:
    """Whether an object of a list says who gave what: it has a value, and a person's column."""
    return {"value", "user_id"} <= set(keys)


def _is_number(part: object) -> bool:
    """Whether a part of an object could be a rating."""
    return isinstance(part, int | float) and not isinstance(part, bool)


def _rows_of_list(rows: list[Placed], column: str, lists: Mapping[str, Any]) -> list[Placed]:
    """Returns a row for each object of a column's lists, with its place; other lists of ratings are
    left out."""
    long: list[Placed] = []
    for where, row in rows:
        about = {name: cell for name, cell in row.items() if name not in lists}
        for place, sheet in enumerate(row.get(column) or (), start=1):
            long.append((where, {**about, column: sheet, _person_in(column): place}))
    return long


def _person_in(column: str) -> str:
    """Returns what the people in a column's lists are called: of `turker_annotations` turker."""
    name = re.sub(r"[\W_]*(annotations?|scores|ratings)$", "", column)
    return name if is_person(name) else PERSON


def _rows_of_questions(rows: list[Placed], columns: Sequence[str]) -> list[Placed]:
    """Returns a row for each answer in columns that are questions, with the question's name."""
    long: list[Placed] = []
    for where, row in rows:
        about = {name: cell for name, cell in row.items() if name not in columns}
        for column in columns:
            for answer in row.get(column) or ():
                long.append((where, {**about, QUESTION: column, ANSWER: answer}))
    return long


def _flat_row(row: Row) -> Row:
    """Returns a row whose cells hold no objects: what is in them stands at its path."""
    flat: dict[str, Any] = {}
    for name, cell in row.items():
        flat |= _flat_cell(str(name), cell)
    return flat


def _flat_cell(path: str, cell: Any) -> dict[str, Any]:
    """Returns path -> value for what is in a cell."""
    if isinstance(cell, str) and cell[:1] == "{":
        cell = read_cell(cell)
    if isinstance(cell, list) and len(cell) == 1 and isinstance(cell[0], Mapping):
        cell = cell[0]
    if not isinstance(cell, Mapping):
        return {path: cell}
    flat: dict[str, Any] = {}
    for name, part in cell.items():
        flat |= _flat_cell(f"{path}.{name}", part)
    return flat


def _are_alike(table: RatingTable, other: RatingTable) -> bool:
    """Whether two tables are of one form, and most of their columns are the same."""
    if table.form != other.form or table.places != other.places:
        return False
    here, there = _filled_columns(table), _filled_columns(other)
    return len(here & there) >= _ALIKE * len(here | there)


def _filled_columns(table: RatingTable) -> set[str]:
    """Returns the columns that hold something."""
    return {name for _, row in table.placed for name, cell in row.items() if not is_empty(cell)}


def _as_one_table(tables: Sequence[RatingTable]) -> RatingTable:
    """Returns tables as one, each row with its file's name where there are several."""
    first = tables[0]
    if len(tables) == 1:
        return first
    placed: list[Placed] = []
    stems = {table.path.stem for table in tables}
    for table in tables:
        name = table.path.stem if len(stems) > 1 else table.path.parent.name
        for where, row in table.placed:
            placed.append((where, {**row, FILE: name}))
    return RatingTable(
        files=tuple(table.path for table in tables),
        form=first.form,
        placed=tuple(placed),
        places=first.places,
        others=first.others,
        known=first.known,
        problems=tuple(text for table in tables for text in table.problems),
    )
