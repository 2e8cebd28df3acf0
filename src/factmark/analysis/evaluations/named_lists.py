"""Lists of what several judges or metrics say of a case: each of them becomes columns by its name.

`results: [{name: Truth, score: 1}, {name: Tone, score: 0}]` is `results.Truth.score` and
`results.Tone.score`. The forms of tools name such lists; in other files they are known by what
they hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from factmark.evaluated.columns import is_verdict
from factmark.intake.columns import TableSample, folded
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names

_MOST = 30  # names
_NAMES = ("name", "key", "id")  # of a thing in a list, beside those of a metric


def with_named_lists(file: TableFile) -> TableFile:
    """Returns a table with such lists as columns; one in a tool's form as it is."""
    if file.form is not None:
        return file
    named = dict(_named_lists(file.sample))
    if not named:
        return file
    return replace(file, shape=replace(file.shape, named={**file.shape.named, **named}))


def _named_lists(sample: TableSample) -> Iterator[tuple[str, str]]:
    """Yields the path of each such list, and what its things are named by."""
    for path, column in sample.columns.items():
        things = [cell for cell in column.filled if isinstance(cell, list | tuple)]
        if column.kind != "list" or not things or not all(map(_are_objects, things)):
            continue
        name = _name_in(things)
        if name and any(_says_something(thing, name) for cell in things for thing in cell):
            yield path, name


def _are_objects(cell: Sequence[Any]) -> bool:
    """Whether a list holds nothing but objects."""
    return all(isinstance(thing, Mapping) for thing in cell)


def _name_in(cells: Sequence[Sequence[Mapping[str, Any]]]) -> str:
    """Returns the field that names the things of lists: in each list each has another name, and
    there are few in all; empty without such a field."""
    fields = dict.fromkeys(field for cell in cells for thing in cell for field in thing)
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
