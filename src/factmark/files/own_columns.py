"""The columns of a user's own table beside those that are read: foreign verdicts, and the rest.

A row stays a row: what a command does not read passes through, so that results join on it. A column
`verdict:NAME` holds what the judge NAME said of each row.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from factmark.errors import InputError

FOREIGN = "verdict:"
"""How the name of a column with a foreign judge's verdicts begins; the judge's name follows."""


def foreign_columns(header: Iterable[str], columns: Mapping[str, str]) -> dict[str, str]:
    """Returns judge -> column for the foreign judges of a table: those of its header, and those
    that `--column verdict:NAME=COLUMN` names.

    >>> foreign_columns(["id", "verdict:gpt"], {"verdict:gemma": "answer"})
    {'gpt': 'verdict:gpt', 'gemma': 'answer'}

    Raises:
        InputError: a judge has no name.
    """
    judges = {name: name for name in header if is_foreign(name)}
    judges |= {name: column for name, column in columns.items() if is_foreign(name)}
    named = {name[len(FOREIGN) :].strip(): column for name, column in judges.items()}
    if "" in named:
        raise InputError(f"a column {FOREIGN!r} names no judge; write {FOREIGN}NAME.")
    return named


def is_foreign(name: str) -> bool:
    """Whether a column or field is for a foreign judge's verdicts."""
    return name.casefold().startswith(FOREIGN)


def columns_beside(row: Mapping[str, Any], read: Collection[str]) -> dict[str, object]:
    """Returns a row's columns without those in `read`, as JSON values: what passes through.

    >>> columns_beside({"head": "a", "score": 0.5, "tags": ("x", "y")}, {"head"})
    {'score': 0.5, 'tags': ['x', 'y']}
    """
    return {str(name): json_safe(cell) for name, cell in row.items() if name not in read}


def json_safe(cell: Any) -> object:
    """Returns a cell as a JSON value; a date, a number of another kind and the like as its text."""
    if isinstance(cell, str) or cell is None or isinstance(cell, int):
        return cell
    if isinstance(cell, float):
        return cell if cell == cell and abs(cell) != float("inf") else None
    return json.loads(json.dumps(cell, default=str))
