"""The options of one question as columns, of which a row has one chosen: one column of labels.

Pure: rows go in, and rows come out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from factmark.files.rows import Row
from factmark.intake.columns import is_empty
from factmark.intake.shapes import Placed

_SIGNS = (":::", ".", "[", "_")  # before an option in a column's name
_PAIR = 2  # options: that 0 stands beside 1 may be two ratings
_MOST = 0.9  # of the rows that say something have one chosen
_FLAGS = {"true": True, "false": False}
_DIGITS = {"1": True, "1.0": True, "0": False, "0.0": False}

Code = Callable[[str, str], bool | None]
"""Returns whether a cell says that an option is chosen; None where it says neither."""


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
            stem = stems.get(name)
            if stem is not None:
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
            stem, found, option = name.rpartition(sign)
            if stem and found and option:
                stems.setdefault(stem, {})[name] = option.rstrip("]")
                break
    return {stem: options for stem, options in stems.items() if len(options) > 1}


def _labels(rows: Sequence[Placed], options: Mapping[str, str]) -> list[str | None] | None:
    """Returns the option that each row has chosen; None where columns are no options of one
    question: a row has several, or most that say something have none."""
    n_said = sum(any(not is_empty(row.get(name)) for name in options) for _, row in rows)
    for code in _codes(len(options)):
        labels = [_chosen(row, options, code) for _, row in rows]
        given = [label for label in labels if label]
        if None not in labels and len(set(given)) > 1 and len(given) >= _MOST * n_said:
            return [label or None for label in labels]
    return None


def _chosen(row: Row, options: Mapping[str, str], code: Code) -> str | None:
    """Returns the option that a row has chosen, an empty text for none; None where it has several,
    or a cell says neither."""
    label = ""
    for name, option in options.items():
        if is_empty(row.get(name)):
            continue
        is_chosen = code(option, str(row[name]).strip().casefold())
        if is_chosen is None or (is_chosen and label):
            return None
        if is_chosen:
            label = option
    return label


def _codes(n_options: int) -> Iterator[Code]:
    """Yields the ways to write that an option is chosen: its name stands there, or it is true; of
    three options or more, it is 1."""
    yield _is_named
    yield _is_true
    if n_options > _PAIR:
        yield _is_one


def _is_named(option: str, text: str) -> bool | None:
    """A code: the option's own name stands where it is chosen, and nothing where it is not."""
    return text == option.casefold() or None


def _is_true(_: str, text: str) -> bool | None:
    """A code: true and false."""
    return _FLAGS.get(text)


def _is_one(_: str, text: str) -> bool | None:
    """A code: 1 and 0."""
    return _DIGITS.get(text)
