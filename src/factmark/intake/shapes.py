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
from typing import Any

from factmark.files.nested import cell_at
from factmark.files.rows import Row, row_of

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
        case, event, value: of a file with a line for each event: the columns with the case's id,
            the event's name (several where only together they name it) and what it says; lines of
            one case become one row. Empty where each line is a case.
        written: columns whose cells are lists or objects written as text, in a table of cells.
    """

    rows: str = ""
    named: Mapping[str, str] = field(default_factory=dict)
    each: tuple[str, ...] = ()
    case: str = ""
    event: tuple[str, ...] = ()
    value: str = ""
    written: tuple[str, ...] = ()


AS_IT_STANDS = Shape()


def shaped(rows: Iterable[Placed], shape: Shape) -> Iterator[Placed]:
    """Yields the rows of a file in its shape."""
    if shape.case:
        rows = _cases(rows, shape)
    if not (shape.written or shape.named or shape.each):
        yield from rows
        return
    for where, row in rows:
        changed = dict(row)
        for column in shape.written:
            changed[column] = read_cell(changed.get(column))
        for path, name in shape.named.items():
            _name_things(changed, path.split("."), name)
        if shape.each:
            yield from _side_by_side(where, changed, shape.each)
        else:
            yield where, changed


def _side_by_side(where: str, row: Row, columns: Sequence[str]) -> Iterator[Placed]:
    """Yields a row for each place of lists that stand side by side; the row where they are none or
    unequally long."""
    lists = [row.get(column) for column in columns]
    lengths = {len(cells) for cells in lists if isinstance(cells, list | tuple)}
    if len(lengths) != 1 or not all(isinstance(cells, list | tuple) for cells in lists):
        yield where, row
        return
    for place in range(lengths.pop()):
        parts = {column: row[column][place] for column in columns}
        yield f"{where}, {place + 1}", {**row, **parts}


def _cases(rows: Iterable[Placed], shape: Shape) -> Iterator[Placed]:
    """Yields a row for each case of a file of events: its id, and what each event tells by the
    event's name; lines of no case are left out. Of equal events the last counts."""
    cases: dict[str, tuple[str, dict[str, Any]]] = {}
    for where, row in rows:
        name = cell_at(row, shape.case)
        if name is None:
            continue
        _, case = cases.setdefault(str(name), (where, {shape.case: name}))
        event = key_of(" ".join(str(cell_at(row, column)) for column in shape.event))
        case[event] = cell_at(row, shape.value)
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
    """Returns path -> length of the lists of objects in a JSON value that are not within lists.

    >>> lists_of_rows({"run": {"cases": [{"a": 1}], "tags": ["x"]}, "n": 1})
    {'run.cases': 1}
    """
    if isinstance(value, list):
        are_rows = bool(value) and all(row_of(item) is not None for item in value)
        return {path: len(value)} if are_rows else {}
    lists: dict[str, int] = {}
    if isinstance(value, Mapping):
        for name, part in value.items():
            if "." not in str(name):
                lists |= lists_of_rows(part, f"{path}.{name}" if path else str(name))
    return lists


def has_path(row: Row, path: str) -> bool:
    """Whether a row has something, be it null, at a path; of a list of objects the first is looked
    at."""
    value: Any = row
    if path in row:
        return True
    for step in path.split("."):
        if isinstance(value, list | tuple) and value:
            value = value[0]
        if not (isinstance(value, Mapping) and step in value):
            return False
        value = value[step]
    return True
