"""Ratings that stand within rows: objects alike by their names, lists side by side, and numbers
with commas between.

Pure: rows go in, and rows come out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from factmark.files.rows import Row
from factmark.intake.shapes import Placed, is_empty_part

PART = "PART"
"""The column with the names of objects that stand side by side in a row."""

QUESTION = "QUESTION"
"""The column with the question that a person answered, where questions are columns."""

_ALIKE = 0.6  # of the keys of two objects
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?(?:\s*[,;]\s*-?\d+(?:\.\d+)?)+")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_SEVERAL = 3  # numbers: `3,5` may be one number with a comma


def like_objects_apart(rows: list[Placed]) -> list[Placed]:
    """Returns rows with a row for each of the objects that stand side by side in them: those of a
    row are alike in their keys and hold numbers, as people's, systems' or texts' do.

    >>> like_objects_apart([("1", {"id": 7, "by": {"ann": {"ok": 1}, "bob": {"ok": 0}}})])
    [('1', {'id': 7, 'by': 'ann', 'ok': 1}), ('1', {'id': 7, 'by': 'bob', 'ok': 0})]

    Rows without such objects come back as they are.
    """
    for column in _columns_of_objects(rows):
        held = [(where, row, _parts(row, column)) for where, row in rows]
        parts = [part for _, _, named in held for part in named.values()]
        if parts and _are_alike(parts) and sum(len(named) > 1 for _, _, named in held):
            return list(_rows_of_parts(held, column))
    return rows


def _columns_of_objects(rows: Sequence[Placed]) -> Iterator[str]:
    """Yields the columns that hold objects; at last an empty name for the rows themselves."""
    names: dict[str, None] = {}
    for _, row in rows:
        names |= dict.fromkeys(str(name) for name, cell in row.items() if isinstance(cell, Mapping))
    yield from names
    yield ""


def _parts(row: Row, column: str) -> dict[str, Mapping[str, Any]]:
    """Returns name -> object of a cell that holds nothing but objects, or of a row."""
    held: Any = row
    if column:
        held = row.get(column)
    if not isinstance(held, Mapping):
        return {}
    parts = {str(name): part for name, part in held.items() if isinstance(part, Mapping)}
    if column and len(parts) < len(held):
        return {}
    if column:
        return parts
    return {name: part for name, part in parts.items() if _has_number(part)}


def _are_alike(parts: Sequence[Mapping[str, Any]]) -> bool:
    """Whether objects have mostly the keys of the first, and numbers in most of them."""
    keys = set(parts[0])
    alike = [_ALIKE * len(keys | set(part)) <= len(keys & set(part)) for part in parts]
    return all(alike) and 2 * sum(map(_has_number, parts)) > len(parts)


def _has_number(part: Mapping[str, Any]) -> bool:
    """Whether an object holds a number."""
    return any(isinstance(x, int | float) and not isinstance(x, bool) for x in part.values())


def _rows_of_parts(
    held: Sequence[tuple[str, Row, Mapping[str, Mapping[str, Any]]]], column: str
) -> Iterator[Placed]:
    """Yields a row for each part of the rows, with its name."""
    for where, row, parts in held:
        about = {name: cell for name, cell in row.items() if name not in parts and name != column}
        for name, part in parts.items():
            of_part = {f"{PART}.{key}" if key in about else key: x for key, x in part.items()}
            yield where, {**about, column or PART: name, **of_part}


def with_lists_of_numbers(rows: list[Placed]) -> list[Placed]:
    """Returns rows whose cells with several numbers, a comma between, are lists: what several
    people gave. Numbers that always rise are the options that somebody ticked, and stay a text."""
    columns = [name for name in _names(rows) if _are_lists(row.get(name) for _, row in rows)]
    if not columns:
        return rows
    changed: list[Placed] = []
    for where, row in rows:
        lists = {name: _numbers(row.get(name)) for name in columns}
        changed.append((where, {**row, **lists}))
    return changed


def _names(rows: Sequence[Placed]) -> dict[str, None]:
    """Returns the names of the columns, in order."""
    return dict.fromkeys(str(name) for _, row in rows for name in row)


def _are_lists(cells: Iterator[Any]) -> bool:
    """Whether cells are lists of numbers written with commas."""
    several = 0
    rising = True
    for cell in cells:
        if cell is None or cell == "":
            continue
        if isinstance(cell, list) and cell and all(map(_is_written, cell)):
            several += 1
            rising = False
            continue
        if not (isinstance(cell, str) and _NUMBERS.fullmatch(cell.strip())):
            return False
        numbers = _numbers(cell)
        several += len(numbers) >= _SEVERAL
        rising = rising and all(low < high for low, high in pairwise(numbers))
    return several > 0 and not rising


def _is_written(part: Any) -> bool:
    """Whether a part of a list is a number written as text."""
    return isinstance(part, str) and bool(_NUMBER.fullmatch(part.strip()))


def _numbers(cell: Any) -> list[float]:
    """Returns the numbers in a cell."""
    if isinstance(cell, list):
        return [_plain(text) for text in cell]
    return [_plain(text) for text in _NUMBER.findall(str(cell or ""))]


def _plain(text: str) -> float:
    """Returns a number, whole where it is."""
    number = float(text)
    return int(number) if number == int(number) else number


def with_lists_apart(rows: list[Placed], people: Sequence[str]) -> list[Placed]:
    """Returns rows with a row for each person of a list, with what stands at that place of the
    lists beside it; where questions have lists of people of their own, for each question and
    person.

    >>> row = {"id": 7, "users": ["ann", "bob"], "scores": [4, 5]}
    >>> with_lists_apart([("1", row)], ["users"])
    [('1', {'id': 7, 'users': 'ann', 'scores': 4}), ('1', {'id': 7, 'users': 'bob', 'scores': 5})]

    Args:
        people: columns whose lists name people.
    """
    lists = [name for name in _names(rows) if _are_plain_lists(row.get(name) for _, row in rows)]
    people = [name for name in people if name in lists]
    beside: dict[str, list[str]] = {}
    for name in people:
        lengths = [len(row.get(name) or ()) for _, row in rows]
        alike = [other for other in lists if [len(r.get(other) or ()) for _, r in rows] == lengths]
        if len(people) > 1:
            alike = [other for other in alike if _question(other) == _question(name)]
        beside[name] = alike
    if not any(len(alike) > 1 for alike in beside.values()):
        return rows
    apart: list[Placed] = []
    for where, row in rows:
        taken = {other for alike in beside.values() for other in alike}
        about = {name: cell for name, cell in row.items() if name not in taken}
        for name, alike in beside.items():
            question = {}
            if len(people) > 1:
                question = {QUESTION: _question(name)}
            for parts in zip(*(row.get(other) or () for other in alike), strict=True):
                names = [_own_name(other, question) for other in alike]
                answer = dict(zip(names, parts, strict=True))
                apart.append((where, {**about, **question, **answer}))
    return apart


def _question(path: str) -> str:
    """Returns the first step of a path; nothing of a name without steps."""
    return path.rpartition(".")[0] and path.partition(".")[0]


def _own_name(path: str, question: Mapping[str, str]) -> str:
    """Returns a path within its question where questions stand side by side."""
    return path.partition(".")[2] if question else path


def _are_plain_lists(cells: Iterator[Any]) -> bool:
    """Whether all filled cells are lists of texts and numbers."""
    filled = [cell for cell in cells if not is_empty_part(cell)]
    are_lists = all(isinstance(cell, list | tuple) for cell in filled)
    if not filled or not are_lists:
        return False
    return not any(isinstance(part, list | tuple | Mapping) for cell in filled for part in cell)
