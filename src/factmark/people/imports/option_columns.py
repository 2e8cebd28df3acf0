"""The options of one question as columns, of which a row has one chosen: one column of labels.

Pure: rows go in, and rows come out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from factmark.intake.columns import is_empty
from factmark.intake.shapes import Placed

_SIGNS = (":::", ".", "[", "_")  # before an option in a column's name
_PAIR = 2  # options: that 0 stands beside 1 may be two ratings
_MOST = 0.9  # of the rows that say something have one chosen
_ON = frozenset(("true", "True", "TRUE", "1", "1.0"))
_OFF = frozenset(("false", "False", "FALSE", "0", "0.0"))
_FLAGS = frozenset(("true", "True", "TRUE", "false", "False", "FALSE"))


def with_labels_of_options(rows: list[Placed]) -> list[Placed]:
    """Returns rows in which columns that are the options of one question, of which a row has at
    most one chosen, are one column with the option that was.

    >>> row = {"ok.yes": "false", "ok.no": "true"}
    >>> with_labels_of_options([("1", row), ("2", {"ok.yes": "true", "ok.no": "false"})])
    [('1', {'ok': 'no'}), ('2', {'ok': 'yes'})]
    """
    chosen: dict[str, tuple[dict[str, str], list[str | None]]] = {}
    names = dict.fromkeys(name for _, row in rows for name in row)
    for stem, options in _options(names).items():
        labels = _labels(rows, options)
        if labels is not None and stem not in names:
            chosen[stem] = (options, labels)
    if not chosen:
        return rows
    stems = {name: stem for stem, (options, _) in chosen.items() for name in options}
    changed: list[Placed] = []
    for place, (where, row) in enumerate(rows):
        kept: dict[str, Any] = {}
        for name in names:
            if name in stems:
                stem = stems[name]
                kept[stem] = chosen[stem][1][place]
            elif name in row:
                kept[name] = row[name]
        changed.append((where, kept))
    return changed


def _options(names: Mapping[str, None]) -> dict[str, dict[str, str]]:
    """Returns the beginning that names share before a sign -> name -> what comes after it."""
    stems: dict[str, dict[str, str]] = {}
    for name in names:
        for sign in _SIGNS:
            stem, between, option = name.rpartition(sign)
            if stem and between and option:
                stems.setdefault(stem, {})[name] = option.rstrip("]")
                break
    return {stem: options for stem, options in stems.items() if len(options) > 1}


def _labels(rows: Sequence[Placed], options: Mapping[str, str]) -> list[str | None] | None:
    """Returns the label that each row has chosen; None where columns are no options of one
    question: a row has several, or most that say something have none."""
    cells = {name: [_sign(row.get(name)) for _, row in rows] for name in options}
    values = [set(of_option) - {""} for of_option in cells.values()]
    is_own = all(len(value) == 1 for value in values)
    is_flag = set().union(*values) <= _FLAGS or len(options) > _PAIR
    if is_own and len(set().union(*values)) == len(options):
        named = {name: value.pop() for name, value in zip(options, values, strict=True)}
    elif (is_own or is_flag) and set().union(*values) <= _ON | _OFF:
        named = dict(options)
    else:
        return None
    is_chosen = {name: [_is_on(cell, is_own) for cell in cells[name]] for name in options}
    labels: list[str | None] = []
    n_said = 0
    for place in range(len(rows)):
        chosen = [named[name] for name in options if is_chosen[name][place]]
        if len(chosen) > 1:
            return None
        labels.append(chosen[0] if chosen else None)
        n_said += any(of_option[place] for of_option in cells.values())
    given = [label for label in labels if label is not None]
    return labels if len(set(given)) > 1 and len(given) >= _MOST * n_said else None


def _sign(cell: object) -> str:
    """Returns a cell as a text; an empty one where it holds nothing."""
    return "" if is_empty(cell) else str(cell).strip()


def _is_on(cell: str, is_own: bool) -> bool:
    """Whether a cell says that its option is chosen: it is filled where options have one value
    each, else true or 1."""
    return bool(cell) if is_own else cell in _ON
