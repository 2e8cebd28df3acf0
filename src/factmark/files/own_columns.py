"""The columns of a user's own table beside those that are read: foreign verdicts, and the rest.

A row stays a row: what a command does not read passes through, so that results join on it. A column
`verdict:NAME` holds what the judge NAME said of each row.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from math import isfinite
from typing import Any

from factmark.errors import InputError
from factmark.files.text_files import without_surrogates

FOREIGN = "verdict:"
"""How the name of a column with a foreign judge's verdicts begins; the judge's name follows."""

_DEEPEST = 100


def foreign_columns(header: Iterable[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Returns judge -> column for the foreign judges of a table: those of its header, and those
    that `--column verdict:NAME=COLUMN` names.

    >>> foreign_columns(["id", "verdict:gpt"], {"verdict:gemma": "answer"})
    {'gpt': 'verdict:gpt', 'gemma': 'answer'}

    Raises:
        InputError: a judge has no name.
    """
    judges = {}
    for name in header:
        if is_foreign(name):
            judges[name] = name
    judges |= {name: column for name, column in columns.items() if is_foreign(name)}
    named = {}
    for name, column in judges.items():
        named[name[len(FOREIGN) :].strip()] = column
    if "" in named:
        raise InputError(f"a column {FOREIGN!r} names no judge; write {FOREIGN}NAME.")
    return named


def is_foreign(name: str) -> bool:
    """Whether a column or field is for a foreign judge's verdicts."""
    return name.casefold().startswith(FOREIGN)


def columns_beside(row: Mapping[str, Any], read: Collection[str]) -> dict[str, object]:
    """Returns a row's columns that have a name, without those in `read`, as JSON values: what
    passes through.

    >>> columns_beside({"head": "a", "score": 0.5, "tags": ("x", "y")}, {"head"})
    {'score': 0.5, 'tags': ['x', 'y']}
    """
    return {
        without_surrogates(str(name)): json_safe(cell)
        for name, cell in row.items()
        if name and name not in read
    }


def json_safe(cell: Any) -> object:
    """Returns a cell as a JSON value that can be written: a date, a number of another kind and the
    like as its text, U+FFFD for what is no character, nothing for what is no number."""
    if isinstance(cell, str):
        return without_surrogates(cell)
    if cell is None or isinstance(cell, int):
        return cell
    if isinstance(cell, float):
        if isfinite(cell):
            return float(cell)
        return None
    if _is_deep(cell):
        return "(nested too deeply to be kept)"
    text = json.dumps(cell, default=str, ensure_ascii=False)
    return json.loads(without_surrogates(text), parse_constant=lambda name: None)


def _is_deep(cell: object) -> bool:
    """Whether lists and objects stand within each other deeper than results are written."""
    inner = [cell]
    for _ in range(_DEEPEST):
        outer = inner
        inner = []
        for value in outer:
            if isinstance(value, dict):
                inner.extend(value.values())
            elif isinstance(value, list | tuple):
                inner.extend(value)
    return bool(inner)
