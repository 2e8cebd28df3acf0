"""What the cells of a column of ratings can be: labels, numbers, ids of rows. Pure."""

from __future__ import annotations

import re

from factmark.intake.columns import TableColumn
from factmark.people.core.scales import MOST_STEPS, plain_labels
from factmark.people.imports.rating_rows import label_text
from factmark.people.imports.roles.siblings import are_dimensions

MOST_WORDS = 11  # labels in words
LONGEST = 120  # characters of a name; a text is longer

MOST_LABELS = 101  # different numbers; of more only a name says that they rate
_TOO_FEW = 5  # rows to say that a column is unique
_NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")
_YES_NO = frozenset("yes no true false y n".split())


def is_row_id(column: TableColumn) -> bool:
    """Whether a column has another value in every row, of enough rows to say so."""
    return column.is_unique and len(column.filled) > _TOO_FEW


def is_label(column: TableColumn) -> bool:
    """Whether the cells of a column could be labels: few different ones, and short."""
    if column.kind == "list":
        return are_numbers(column) or _are_lists_of_labels(column)
    labels = {label_text(cell) for cell in column.filled} - {""}
    if column.kind == "object" or not labels:
        return False
    is_id = column.is_unique and len(labels) > MOST_WORDS and column.kind != "number"
    return len(labels) <= MOST_LABELS and max(map(len, labels)) <= LONGEST and not is_id


def _are_lists_of_labels(column: TableColumn) -> bool:
    """Whether the parts of a column's lists could be labels: few different ones, and short."""
    parts = {str(part) for cell in column.filled for part in cell}
    longest = max(map(len, parts), default=LONGEST + 1)
    return len(parts) <= MOST_LABELS and longest <= LONGEST


def stem_of(name: str) -> str:
    """Returns a column's name without the number or letter that it ends in."""
    return re.sub(r"(?<=[^A-Za-z])[A-Za-z]$|\d+$|(?<=[a-z])[A-Z]$", "", name)


def holds_ratings(column: TableColumn) -> bool:
    """Whether the cells of a column are numbers, few different ones unless its name says what is
    rated; or yes and no."""
    if column.kind == "list":
        return are_numbers(column)
    given = {label_text(cell) for cell in column.filled} - {""}
    labels = set(plain_labels(given).values()) - {""}
    is_few = len(labels) <= MOST_LABELS or are_dimensions([column.path])
    if not labels or not is_few:
        return False
    if {label.casefold() for label in labels} <= _YES_NO:
        return len(labels) > 1 or column.kind == "flag"
    return all(map(_NUMBER.fullmatch, labels))


def is_on_scale(column: TableColumn) -> bool:
    """Whether the labels of a column are yes and no, or whole numbers from a usual end to another,
    each of which may be given."""
    labels = {label_text(cell) for cell in column.filled} - {""}
    labels = set(plain_labels(labels).values()) - {""}
    if not all(re.fullmatch(r"-?\d+", label) for label in labels):
        return bool({label.casefold() for label in labels} <= _YES_NO)
    numbers = set(map(int, labels))
    return bool(numbers) and min(numbers) > -MOST_STEPS and max(numbers) < MOST_STEPS


def are_numbers(column: TableColumn) -> bool:
    """Whether all lists in a column hold numbers."""
    cells = [cell for cell in column.filled if isinstance(cell, list)]
    parts = [part for cell in cells for part in cell]
    return bool(parts) and all(isinstance(part, int | float) for part in parts)
