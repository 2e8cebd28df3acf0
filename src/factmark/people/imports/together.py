"""Whether columns side by side can be what several people said of the same. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from statistics import fmean

from factmark.intake.columns import TableColumn, is_empty
from factmark.people.core.scales import plain_labels
from factmark.people.imports.rating_rows import label_text

_PARTLY = 0.1  # of the rows, in which some columns are filled and others are not
_NEAR = 0.6  # of the distance that chance would give


def is_one_scale(columns: Sequence[TableColumn]) -> bool:
    """Whether the labels of columns can be on one scale: all words, or numbers of a like range."""
    kinds = set()
    tops = []
    for column in columns:
        labels = set(plain_labels({label_text(cell) for cell in column.filled} - {""}).values())
        numbers = [float(label) for label in labels - {""} if _is_number(label)]
        kinds.add(bool(numbers))
        if numbers:
            tops.append(max(numbers))
    return len(kinds) == 1 and (not tops or max(tops) <= 2 * max(min(tops), 1))


def _is_number(label: str) -> bool:
    """Whether a label is a number."""
    try:
        float(label)
    except ValueError:
        return False
    return True


def do_agree(columns: Sequence[TableColumn]) -> bool:
    """Whether columns are filled as people's are, each for a part of the rows, and agree in the
    rows that two have filled: they differ much less than cells of different rows do."""
    rows = list(zip(*(column.cells for column in columns), strict=True))
    filled = [[label_text(cell) for cell in row if not is_empty(cell)] for row in rows]
    partly = [cells for cells in filled if 0 < len(cells) < len(columns)]
    if len(partly) < _PARTLY * len(rows):
        return False
    values = sorted({label for cells in filled for label in cells})
    are_numbers = all(map(_is_number, values))

    def distance(label: str, other: str) -> float:
        if are_numbers:
            return abs(float(label) - float(other))
        return float(label != other)

    within = [distance(*pair) for cells in filled for pair in combinations(cells, 2)]
    every = [label for cells in filled for label in cells][:400]
    between = [distance(*pair) for pair in combinations(every, 2)]
    if not within or not any(between):
        return False
    return fmean(within) <= _NEAR * fmean(between)
