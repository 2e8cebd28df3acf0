"""Rows of a table that are no ratings of what is studied, by what they say of themselves. Pure.

Drafts and what was discarded, checks of attention, and means below a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from factmark.intake.columns import folded, is_empty, words_of
from factmark.intake.shapes import Placed
from factmark.intake.tools import role_names

UNFINISHED = "rows of answers that their status calls unfinished"
CHECKS = "rows of checks of attention"
TOTALS = "rows of totals below the table"
_STATUS = frozenset(("status", "state"))
_YES = frozenset(("true", "1", "yes"))
_LONGEST = 30  # characters of a name that says so


def rows_that_count(rows: Sequence[Placed]) -> tuple[list[Placed], Counter[str]]:
    """Returns the rows that are ratings, and how many are not, by reason; all rows where none would
    be left."""
    words = role_names("ratings", "words")
    reasons: Counter[str] = Counter()
    n_totals = _totals_below(rows, words["totals"])
    body = rows[: len(rows) - n_totals]
    reasons[TOTALS] = n_totals
    names = dict.fromkeys(name for _, row in rows for name in row)
    status = [name for name in names if words_of(name)[-1] in _STATUS]
    flags = [name for name in names if folded(name).removeprefix("is_") in words["checks"]]
    flags = [name for name in flags if folded(name).startswith("is_")]
    kept: list[Placed] = []
    for where, row in body:
        is_flagged = any(str(row.get(name)).strip().casefold() in _YES for name in flags)
        if any(_is_called(row.get(name), words["unfinished"]) for name in status):
            reasons[UNFINISHED] += 1
        elif is_flagged or any(_is_called(cell, words["checks"]) for cell in row.values()):
            reasons[CHECKS] += 1
        else:
            kept.append((where, row))
    if not kept:
        return list(rows), Counter()
    return kept, +reasons


def _is_called(cell: object, names: Collection[str]) -> bool:
    """Whether a cell is one of some names."""
    return isinstance(cell, str) and len(cell) <= _LONGEST and folded(cell) in names


def _totals_below(rows: Sequence[Placed], names: Collection[str]) -> int:
    """Returns how many of the last rows name a mean or a sum where others name something else, and
    lack a cell that all rows above have."""
    below = 0
    for _, row in reversed(rows):
        if not any(_is_called(cell, names) for cell in row.values()):
            break
        below += 1
    above = [row for _, row in rows[: len(rows) - below]]
    if not below or not above:
        return 0
    always = [name for name in above[0] if not any(is_empty(row.get(name)) for row in above)]
    last = [row for _, row in rows[len(rows) - below :]]
    lack = [any(is_empty(row.get(name)) for name in always) for row in last]
    return below if all(lack) else 0
