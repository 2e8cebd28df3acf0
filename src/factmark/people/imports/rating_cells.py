"""What the cells of a column of ratings can be: labels, numbers, ids of rows. Pure."""

from __future__ import annotations

import re

from factmark.intake.columns import TableColumn
from factmark.people.core.scales import plain_labels
from factmark.people.imports.rating_rows import label_text

MOST_WORDS = 11  # labels in words
LONGEST = 120  # characters of a name; a text is longer

_MOST_LABELS = 101
_TOO_FEW = 5  # rows to say that a column is unique
_YES_NO = frozenset("yes no true false y n".split())


def is_row_id(column: TableColumn) -> bool:
    """Whether a column has another value in every row, of enough rows to say so."""
    return column.is_unique and len(column.filled) > _TOO_FEW


def is_label(column: TableColumn) -> bool:
    """Whether the cells of a column could be labels: few different ones, and short."""
    labels = {label_text(cell) for cell in column.filled} - {""}
    if column.kind == "list":
        return bool(labels) or are_numbers(column)
    if column.kind == "object" or not labels:
        return False
    is_id = column.is_unique and len(labels) > MOST_WORDS and column.kind != "number"
    return len(labels) <= _MOST_LABELS and max(map(len, labels)) <= LONGEST and not is_id


def stem_of(name: str) -> str:
    """Returns a column's name without the number or letter that it ends in."""
    return re.sub(r"(?<=[^A-Za-z])[A-Za-z]$|\d+$|(?<=[a-z])[A-Z]$", "", name)


def holds_ratings(column: TableColumn) -> bool:
    """Whether the cells of a column are numbers, or yes and no."""
    if column.kind == "list":
        return are_numbers(column)
    given = {label_text(cell) for cell in column.filled} - {""}
    labels = set(plain_labels(given).values()) - {""}
    if not labels or len(labels) > _MOST_LABELS:
        return False
    if {label.casefold() for label in labels} <= _YES_NO:
        return len(labels) > 1 or column.kind == "flag"
    return all(re.fullmatch(r"\d+(\.\d+)?", label) for label in labels)


def are_numbers(column: TableColumn) -> bool:
    """Whether all lists in a column hold numbers."""
    cells = [cell for cell in column.filled if isinstance(cell, list)]
    parts = [part for cell in cells for part in cell]
    return bool(parts) and all(isinstance(part, int | float) for part in parts)
