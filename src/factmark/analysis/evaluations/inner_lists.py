"""Lists within a case: of what several judges or metrics say of it, or of its parts.

`results: [{name: Truth, score: 1}, {name: Tone, score: 0}]` becomes columns by the names,
`results.Truth.score` and `results.Tone.score`. Of `claims: [{text: ..., verdict: yes}, ...]` each
claim is a unit, and makes a row. The forms of tools say so of their lists; in other files they are
known by what they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from factmark.evaluated.columns import is_verdict
from factmark.intake.columns import TableSample, folded
from factmark.intake.shapes import PLACE
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names

_MOST = 30  # names
_TELLING = ("name", "number", "text")
_NAMES = ("name", "key")  # of a thing in a list, beside those of a metric


def with_lists_read(file: TableFile) -> tuple[TableFile, str]:
    """Returns a table with such lists as columns or rows; one in a tool's form as it is. A list of
    parts makes rows where nothing but its parts has a column that is called a judge's. And the
    column that tells whose parts these are; empty where rows are cases, or none does."""
    if file.form is not None:
        return file, ""
    named = dict(_named_lists(file.sample))
    if named:
        shape = replace(file.shape, named={**file.shape.named, **named})
        return replace(file, shape=shape), ""
    parts = _parts_judged(file.sample)
    if parts:
        shape = replace(file.shape, unroll=((f"{parts}[]", PLACE), *file.shape.unroll))
        return replace(file, shape=shape), _case(file.sample)
    return file, ""


def _case(sample: TableSample) -> str:
    """Returns the first column of a table that tells its rows apart; empty without one."""
    for path in sample.columns:
        column = sample.columns[path]
        is_full = column.is_unique and len(column.filled) == len(column.cells)
        if path in sample.heads and column.kind in _TELLING and is_full:
            return path
    return ""


def _parts_judged(sample: TableSample) -> str:
    """Returns the path of the only list of objects that have a judge's verdict by its name; empty
    where there is none, or the case has one itself."""
    lists = []
    names = role_names("analyse")["judge"]
    for column in sample.named(names):
        outer = sample.columns.get(column.path.rpartition(".")[0])
        if column.kind == "empty":
            continue
        if outer is None or outer.kind != "list" or not all(map(_are_objects, outer.filled)):
            return ""
        if any(map(is_verdict, set(column.texts))):
            lists.append(outer.path)
    return lists[0] if len(set(lists)) == 1 else ""


def _named_lists(sample: TableSample) -> Iterator[tuple[str, str]]:
    """Yields the path of each such list, and what its things are named by."""
    for path, column in sample.columns.items():
        things = [cell for cell in column.filled if isinstance(cell, list | tuple)]
        if column.kind != "list" or not things or not all(map(_are_objects, things)):
            continue
        name = _name_in(things)
        each = list(chain.from_iterable(things))
        if name and any(_says_something(thing, name) for thing in each):
            yield path, name


def _are_objects(cell: Sequence[Any]) -> bool:
    """Whether a list holds nothing but objects."""
    return all(isinstance(thing, Mapping) for thing in cell)


def _name_in(cells: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Returns the field that names the things of lists: in each list each has another name, and
    there are few in all; empty without such a field."""
    things = list(chain.from_iterable(cells))
    fields = dict.fromkeys(field for thing in things for field in thing)
    known = (*role_names("analyse", "words")["metric"], *_NAMES)
    for field in sorted(fields, key=lambda field: folded(field) in _NAMES):
        if folded(field) not in known:
            continue
        lists = [[thing.get(field) for thing in cell] for cell in cells]
        names = {name for each in lists for name in each}
        are_texts = all(isinstance(name, str) and name for name in names)
        if are_texts and len(names) <= _MOST and all(len(set(each)) == len(each) for each in lists):
            return str(field)
    return ""


def _says_something(thing: Mapping[str, Any], name: str) -> bool:
    """Whether a field of a thing, beside its name, holds a verdict or a number."""
    return any(is_verdict(str(cell)) for field, cell in thing.items() if field != name)
