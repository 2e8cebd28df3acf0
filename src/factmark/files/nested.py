"""Rows with lists and objects in them: the cell at a path, and a row for each item of a list.

A path has points between names and numbers: `kg.triplet.0`. Where it goes through a list of
objects, each of them makes a row of its own, with all that stands beside the list.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import Row

_MOST = 200  # paths of a row that are looked at
_LONGEST_PLACE = 10  # digits
_NESTED = (list, tuple, dict)  # what readers of files make; another mapping is slow to tell


def cell_at(row: Row, column: str) -> Any:
    """Returns the cell of a column, or at a path with points between; None for nothing.

    >>> cell_at({"kg": [{"t": ["a", "r", "b"]}]}, "kg.0.t.2")
    'b'
    """
    if column in row:
        return row[column]
    return _value_at(row, column.split("."))


def unfold(
    where: str,
    row: Row,
    columns: Collection[str],
    *,
    each: Collection[str] = (),
    parts: Collection[str] = (),
) -> Iterator[tuple[str, Row]]:
    """Yields a row, or one for each item of the first list that a path goes through, with the
    list's place taken by the item.

    Args:
        columns: the paths that are read.
        each: of them those at whose end any list makes rows.
        parts: those at whose end a list of lists or of objects does.

    Raises:
        InputError: lists stand in lists, hundreds deep.

    >>> [dict(part) for _, part in unfold("", {"a": [{"b": 1}, {"b": 2}]}, ["a.b"])]
    [{'a': {'b': 1}}, {'a': {'b': 2}}]
    """
    if not any(isinstance(cell, _NESTED) for cell in row.values()):
        yield where, row
        return
    try:
        yield from _unfold(where, row, columns, each, parts)
    except RecursionError:
        raise InputError(f"{where}: lists within lists, too deep to be rows.") from None


def _unfold(
    where: str,
    row: Row,
    columns: Collection[str],
    each: Collection[str],
    parts: Collection[str],
) -> Iterator[tuple[str, Row]]:
    """Yields what `unfold` does; a call for each list within a list."""
    paths = (_list_path(row, column, column in each, column in parts) for column in columns)
    path = next(filter(None, paths), None)
    if path is None:
        yield where, row
        return
    inner = []
    for name in columns:
        if name == path[0] or name.split(".")[: len(path)] == path:
            inner.append(name)
    for number, item in enumerate(_value_at(row, path), start=1):
        place = f"{where}, {number}"
        part = _replaced(row, path, item)
        yield from _unfold(place, part, inner, each, parts)


def unfold_noting_empty(
    where: str,
    row: Row,
    columns: Collection[str],
    problems: Problems,
    empty: str,
    *,
    each: Collection[str] = (),
    parts: Collection[str] = (),
) -> Iterator[tuple[str, Row]]:
    """Yields as `unfold`; a row that gives nothing is counted as dropped: `empty` says why."""
    nothing = True
    for place, part in unfold(where, row, columns, each=each, parts=parts):
        nothing = False
        yield place, part
    if nothing:
        problems.drop(empty, where)


def paths_of(row: Row) -> dict[str, Any]:
    """Returns path -> value for what a row holds, also within objects and lists of objects, of
    which the first is looked at.

    >>> list(paths_of({"id": 1, "kg": [{"t": ["a", "b"], "by": {"h": "x"}}]}))
    ['id', 'kg.t', 'kg.by.h']
    """
    out: dict[str, Any] = {}
    todo: list[tuple[str, Any]] = [("", row)]
    while todo and len(out) < _MOST:
        path, value = todo.pop()
        if isinstance(value, list | tuple) and value and isinstance(value[0], Mapping):
            value = value[0]
        if isinstance(value, Mapping) and value:
            parts = []
            for name, v in value.items():
                parts.append((f"{path}.{name}" if path else str(name), v))
            todo += reversed(parts)
        else:
            out[path] = value
    return out


def _list_path(row: Row, column: str, each: bool, parts: bool) -> list[str] | None:
    """Returns the path to the first list that a column's path goes through and that makes rows;
    None if there is none."""
    if column in row:
        steps = [column]
    else:
        steps = column.split(".")
    value: Any = row
    for end, step in enumerate(steps, start=1):
        value = _value_at(value, [step])
        if not isinstance(value, list | tuple):
            continue
        if end < len(steps):
            if not _is_place(steps[end]):
                return steps[:end]
        elif each or (
            parts and value and all(isinstance(v, list | tuple | Mapping) for v in value)
        ):
            return steps
    return None


def _value_at(value: Any, parts: Sequence[str]) -> Any:
    """Returns what stands at a path of names and numbers; None for nothing."""
    for part in parts:
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list | tuple) and _is_place(part) and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def _is_place(step: str) -> bool:
    """Whether a step of a path is a place in a list: a number, and no longer than one can be."""
    return step.isdecimal() and len(step) < _LONGEST_PLACE


def _replaced(value: Any, parts: Sequence[str], item: Any) -> Any:
    """Returns nested rows with an item in the place at a path; what stands beside it stays."""
    if not parts:
        return item
    inner = _replaced(_value_at(value, parts[:1]), parts[1:], item)
    if isinstance(value, Mapping):
        return {**value, parts[0]: inner}
    at = int(parts[0])
    return [*value[:at], inner, *value[at + 1 :]]
