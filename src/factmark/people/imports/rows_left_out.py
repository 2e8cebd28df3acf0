"""Rows of a table that are no ratings of what is studied, by what they say of themselves. Pure.

Drafts and what was discarded, checks of attention, and means below a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from factmark.files.rows import Row
from factmark.intake.columns import folded, is_empty, words_of
from factmark.intake.shapes import Placed
from factmark.intake.tools import role_names

UNFINISHED = "rows of answers that their status calls unfinished"
CHECKS = "rows of checks of attention"
TOTALS = "rows of totals below the table"
_STATUS = frozenset(("status", "state"))


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
    kept: list[Placed] = []
    for where, row in body:
        if any(folded(str(row.get(name))) in words["unfinished"] for name in status):
            reasons[UNFINISHED] += 1
        elif _is_check(row, words["checks"]):
            reasons[CHECKS] += 1
        else:
            kept.append((where, row))
    if not kept:
        return list(rows), Counter()
    return kept, +reasons


def _is_check(row: Row, names: Collection[str]) -> bool:
    """Whether a cell of a row is the name of a check, or a flag called so is set."""
    for column, cell in row.items():
        if isinstance(cell, str) and folded(cell) in names:
            return True
        is_flag = folded(column).removeprefix("is_") in names and folded(column).startswith("is_")
        if is_flag and str(cell).strip().casefold() in ("true", "1", "yes"):
            return True
    return False


def _totals_below(rows: Sequence[Placed], names: Collection[str]) -> int:
    """Returns how many of the last rows name a mean or a sum where others name something else, and
    lack a cell that all rows above have."""
    below = 0
    for _, row in reversed(rows):
        if not any(isinstance(cell, str) and folded(cell) in names for cell in row.values()):
            break
        below += 1
    above = [row for _, row in rows[: len(rows) - below]]
    if not below or not above:
        return 0
    always = [name for name in above[0] if not any(is_empty(row.get(name)) for row in above)]
    last = [row for _, row in rows[len(rows) - below :]]
    lack = [any(is_empty(row.get(name)) for name in always) for row in last]
    return below if all(lack) else 0
