"""How a file becomes rows: where its rows stand, and how lists of named things become columns.

A tool nests what it says of a case (`metricsData: [{name, score}]`), or writes a line for each
thing that happened to it. After this a case is a row, and each thing stands at a path.
"""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from factmark.files.nested import cell_at
from factmark.files.rows import Row, row_of, rows_of_frame

_DEEPEST = 8  # steps of the path to a list of rows
Placed = tuple[str, Row]
"""A row and the place where it stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How a file becomes rows.

    Attributes:
        rows: the path to the list of rows in a JSON file; empty where the file itself is rows.
        named: path of a list of things with names -> what their name is called, as
            `{"metricsData": "name"}`; the list becomes an object by their names.
        each: columns with lists side by side, such as claims and their verdicts; each place of
            them makes a row.
        case, event, value: of a file with a line for each event: the columns that tell the case,
            the event's name (several where only together they name it) and what it says (of
            several the first that says something; of none all that stands in the line); lines of
            one case become one row. Empty where each line is a case.
        written: columns whose cells are lists or objects written as text, in a table of cells.
        unroll: in this order, a path of a list (`people[]`) or of an object by names
            (`responses{}`), and the column that gets each place or name; each part makes a row.
    """

    rows: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    each: tuple[str, ...] = ()
    case: tuple[str, ...] = ()
    event: tuple[str, ...] = ()
    value: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    unroll: tuple[tuple[str, str], ...] = ()


PLACE = "place"
"""The column with the place of what stood side by side."""

AS_IT_STANDS = Shape()


class ShapeError(ValueError):
    """A row has something else where its form has a list or an object."""


def shaped(rows: Iterable[Placed], shape: Shape) -> Iterator[Placed]:
    """Yields the rows of a file in its shape."""
    if shape.case:
        rows = _cases(rows, shape)
    if shape.written:
        rows = _read_cells(rows, shape.written)
    if shape.each:
        rows = _side_by_side(rows, shape.each)
    for path, column in shape.unroll:
        rows = _unrolled(rows, path, column)
    if not shape.named:
        yield from rows
        return
    for where, row in rows:
        changed = dict(row)
        for path, name in shape.named.items():
            _name_things(changed, path.split("."), name)
        yield where, changed


def _read_cells(rows: Iterable[Placed], columns: Sequence[str]) -> Iterator[Placed]:
    """Yields rows with the lists and objects that some of their cells write out."""
    for where, row in rows:
        yield where, {**row, **{column: read_cell(row.get(column)) for column in columns}}


def _unrolled(rows: Iterable[Placed], path: str, column: str) -> Iterator[Placed]:
    """Yields a row for each part of the list or object at a path, and none where it is empty.

    Raises:
        ShapeError: something else stands there.
    """
    steps = path[:-2].split(".")
    is_list = path.endswith("[]")
    for where, row in rows:
        held = cell_at(row, path[:-2])
        if is_empty_part(held):
            continue
        if is_list and isinstance(held, list | tuple):
            parts = dict(enumerate(held, start=1))
        elif not is_list and isinstance(held, Mapping):
            parts = dict(held)
        else:
            kind = "list" if is_list else "object"
            raise ShapeError(f"{where}: {path[:-2]!r} is no {kind}")
        for name, part in parts.items():
            yield where, {**_with_part(row, steps, part), column: name}


def is_empty_part(held: object) -> bool:
    """Whether nothing stands at a path: it is missing, null, or an empty list or object."""
    return held is None or held in ([], {}, ())


def _with_part(row: Row, steps: Sequence[str], part: Any) -> dict[str, Any]:
    """Returns a row with something else at a path."""
    step, *others = steps
    if others:
        held = row.get(step)
        part = _with_part(held if isinstance(held, Mapping) else {}, others, part)
    return {**row, step: part}


def _side_by_side(rows: Iterable[Placed], columns: Sequence[str]) -> Iterator[Placed]:
    """Yields a row for each place of lists that stand side by side; the row where they are none or
    unequally long."""
    for where, row in rows:
        lists = [row.get(column) for column in columns]
        lengths = {len(cells) for cells in lists if isinstance(cells, list | tuple)}
        if len(lengths) != 1 or not all(isinstance(cells, list | tuple) for cells in lists):
            yield where, row
            continue
        for place in range(lengths.pop()):
            parts = {column: row[column][place] for column in columns}
            yield f"{where}, {place + 1}", {**row, **parts, PLACE: place + 1}


def _cases(rows: Iterable[Placed], shape: Shape) -> Iterator[Placed]:
    """Yields a row for each case of a file of events: its id, and what each event tells by the
    event's name; lines of no case are left out. Of equal events the last counts."""
    cases: dict[tuple[str, ...], tuple[str, dict[str, Any]]] = {}
    for where, row in rows:
        place = {column: cell_at(row, column) for column in shape.case}
        if all(cell is None for cell in place.values()):
            continue
        _, case = cases.setdefault(tuple(map(str, place.values())), (where, place))
        event = key_of(" ".join(str(cell_at(row, column)) for column in shape.event))
        if shape.value:
            cells = (cell_at(row, column) for column in shape.value)
            case[event] = next((cell for cell in cells if cell not in (None, "")), None)
        else:
            case[event] = {name: cell for name, cell in row.items() if name not in place}
    yield from cases.values()


def _name_things(row: dict[str, Any], path: Sequence[str], name: str) -> None:
    """Puts an object by their names in the place of a list of things, within a row of its own."""
    step, *others = path
    held = row.get(step)
    if others:
        if isinstance(held, Mapping):
            row[step] = dict(held)
            _name_things(row[step], others, name)
        return
    if not isinstance(held, list | tuple):
        return
    things = [thing for thing in held if isinstance(thing, Mapping)]
    names = [cell_at(thing, name) for thing in things]
    if len(set(map(str, names))) == len(names):
        row[step] = {key_of(key): thing for key, thing in zip(names, things, strict=True)}


def key_of(name: object) -> str:
    """Returns a name as a step of a path, in which a point would end the step."""
    return str(name).replace(".", "_")


def read_cell(cell: object) -> object:
    """Returns the list or object that a text writes out, as JSON, Python or numpy do.

    >>> read_cell("['a b', \\"it's\\"]"), read_cell("['a'\\n 'b']"), read_cell("[1] and [2]")
    (['a b', "it's"], ['a', 'b'], '[1] and [2]')

    Another cell comes back as it is.
    """
    text = cell.strip() if isinstance(cell, str) else ""
    if (text[:1], text[-1:]) not in (("[", "]"), ("{", "}")):
        return cell
    for read in (json.loads, _numpy_texts, ast.literal_eval):
        parts = _read_or_none(read, text)
        if isinstance(parts, list | dict):
            return parts
    return cell


def _read_or_none(read: Callable[[str], object], text: str) -> object:
    """Returns what a reader makes of a text; None where it cannot."""
    try:
        return read(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError, tokenize.TokenError):
        return None


def _numpy_texts(text: str) -> list[str]:
    """Returns the texts of an array as numpy prints it: quoted, with nothing but blanks between.

    Raises:
        ValueError: something else stands between them.
    """
    texts = []
    for token in tokenize.generate_tokens(io.StringIO(text[1:-1]).readline):
        if token.type == tokenize.STRING:
            texts.append(str(ast.literal_eval(token.string)))
        elif token.string.strip():
            raise ValueError(token.string)
    return texts


def are_written_lists(cells: Collection[object]) -> bool:
    """Whether all cells are lists written as text. Objects are not sought: a text may be one."""
    return bool(cells) and all(
        isinstance(cell, str) and isinstance(read_cell(cell), list) for cell in cells
    )


def lists_of_rows(value: object, path: str = "") -> dict[str, int]:
    """Returns path -> length of the lists of objects in a JSON value that are not within lists, and
    not deeper than tools put them.

    >>> lists_of_rows({"run": {"cases": [{"a": 1}], "tags": ["x"]}, "n": 1})
    {'run.cases': 1}
    """
    if isinstance(value, list):
        are_rows = bool(value) and all(row_of(item) is not None for item in value)
        return {path: len(value)} if are_rows else {}
    lists: dict[str, int] = {}
    if isinstance(value, Mapping) and path.count(".") < _DEEPEST:
        for name, part in value.items():
            if "." not in str(name):
                lists |= lists_of_rows(part, f"{path}.{name}" if path else str(name))
    return lists


def rows_of_columns(value: Any, names: Collection[str]) -> Any:
    """Returns a JSON value that holds a table by its columns as a list of rows: as a DataFrame
    writes it, or `{name: [cell]}`; another as it is.

    Args:
        names: of lists of cells at least two must be called by these.

    >>> rows_of_columns({"q": {"0": "a"}, "f1": {"0": 1}}, ())
    [{'q': 'a', 'f1': 1}]
    """
    frame = rows_of_frame(value)
    if frame is not None:
        return frame
    if not isinstance(value, Mapping):
        return value
    columns = list(value.values())
    if len(columns) > 1 and all(isinstance(column, list) for column in columns):
        n_known = sum(str(name) in names for name in value)
        if n_known > 1 and len({len(column) for column in columns}) == 1:
            return _rows_by_place(value, range(len(columns[0])))
    return value


def _rows_by_place(value: Mapping[str, Any], places: Iterable[Any]) -> list[dict[str, Any]]:
    """Returns a row for each place of columns."""
    return [{name: column[place] for name, column in value.items()} for place in places]


def value_at(row: Row, path: str) -> Any:
    """Returns the value at a path of a tool's row; a list where it goes through one: a name is
    looked for in each item, `*` is any name or place, `list[flag]` are the items with a flag.

    >>> value_at({"a": [{"t": "x", "good": True}, {"t": "y"}]}, "a[good].t")
    ['x']
    """
    values: list[Any] = [row]
    is_list = False
    for step in path.split("."):
        name, _, flag = step.removesuffix("]").partition("[")
        reached: list[Any] = []
        for value in values:
            is_list = is_list or name == "*" or (isinstance(value, list) and not name.isdecimal())
            reached += _steps(value, name)
        values = reached
        if flag:
            is_list = True
            items = [item for each in reached if isinstance(each, list) for item in each]
            values = [item for item in items if isinstance(item, Mapping) and item.get(flag)]
    if is_list:
        return values
    return values[0] if values else None


def _steps(value: Any, name: str) -> Sequence[Any]:
    """Returns what a step of a path leads to."""
    if isinstance(value, list | tuple):
        if name == "*":
            return value
        if name.isdecimal():
            return value[int(name) :][:1]
        return [part for item in value for part in _steps(item, name)]
    if not isinstance(value, Mapping):
        return ()
    if name == "*":
        return list(value.values())
    return [value[name]] if value.get(name) is not None else ()


def has_path(row: Row, path: str) -> bool:
    """Whether a row has something, be it null, at a path; of a list of objects the first is looked
    at. A path with `*` is a pattern of columns."""
    value: Any = row
    if path in row:
        return True
    if "*" in path:
        return any(fnmatchcase(str(name), path) for name in row)
    for step in path.split("."):
        if isinstance(value, list | tuple) and value:
            value = value[0]
        if not (isinstance(value, Mapping) and step in value):
            return False
        value = value[step]
    return True
