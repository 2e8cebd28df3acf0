"""Two histories of one thing as one: the order within each ledger stays, between them time decides.

What several ledgers come to does not depend on the order in which they are merged, since a clock
that went back counts as standing still, and what is equally late is ordered by its content.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from operator import itemgetter
from typing import Any

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Statements on rows that count by the order in which they arrived.

    Attributes:
        shared: gives what both ledgers have rows of, such as a unit and a judge.
        of_whole, of_part: give the rows of that in each ledger, in their order.
        delete, insert: take the rows of it out of the merged ledger, and add one after it.
        time: the place of the time in a row.
        status: that of the status, where a failure takes nothing back of what succeeded.
    """

    shared: str
    of_whole: str
    of_part: str
    delete: str
    insert: str
    time: int
    status: int | None = None


def join_histories(db: sqlite3.Connection, history: History) -> None:
    """Joins the histories that both ledgers have, in the merged one; those that only the attached
    one has are added by whoever calls."""
    for key in db.execute(history.shared).fetchall():
        whole = db.execute(history.of_whole, key).fetchall()
        part = db.execute(history.of_part, key).fetchall()
        rows = joined_history(whole, part, history)
        if rows != whole:
            db.execute(history.delete, key)
            db.executemany(history.insert, [(*key, *row) for row in rows])


def joined_history(whole: Sequence[Row], part: Sequence[Row], history: History) -> list[Row]:
    """Returns the rows of two histories as one, equal ones once."""
    if set(part) <= set(whole):
        return list(whole)
    keyed = merge(_keyed(whole, history), _keyed(part, history), key=itemgetter(0))
    return list(dict.fromkeys(row for _, row in keyed))


def _keyed(rows: Iterable[Row], history: History) -> Iterator[tuple[Row, Row]]:
    """Yields what orders each row between two ledgers, and the row."""
    latest = ""
    for row in rows:
        latest = max(latest, str(row[history.time]))
        succeeded = history.status is None or row[history.status] != "failed"
        yield (succeeded, latest, repr(row)), row
