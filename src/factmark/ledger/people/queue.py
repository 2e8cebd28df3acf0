"""The queue of a campaign: what waits for whoever comes next, and for how many."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from factmark.campaign_model import Campaign, Queued
from factmark.ledger.ledger import Ledger, cells_of_record, insert


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """A unit in the queue.

    Attributes:
        part: what it is a part of, where units of a part stay in order; else empty.
        held: codes of those who have it on their list, or have answered it.
    """

    unit: str
    document: str
    part: str
    raters: int
    held: frozenset[str]

    @property
    def seats(self) -> int:
        """How many more people are to rate it."""
        return max(0, self.raters - len(self.held))


def fill_queue(db: sqlite3.Connection, campaign: Campaign, queued: Iterable[Queued]) -> None:
    """Adds units to the end of a new campaign's queue."""
    rows = (
        {"campaign": campaign.id, "place": n} | cells_of_record(q) for n, q in enumerate(queued)
    )
    insert(db, "queue", rows)


def queue_of(ledger: Ledger, campaign: Campaign) -> list[QueueRow]:
    """Returns the whole queue in its order; empty of a campaign with lists. Who has withdrawn holds
    nothing."""
    rows = ledger.rows(
        "SELECT q.unit, q.document, ifnull(json_extract(u.data, '$.summary'), ''), q.raters, "
        "h.held FROM queue q JOIN whole_units u ON u.id = q.unit LEFT JOIN ("
        "SELECT a.unit, group_concat(a.annotator) AS held FROM assignments a "
        "JOIN annotators p ON p.campaign = a.campaign AND p.code = a.annotator "
        "WHERE a.campaign = ? AND p.withdrawn = '' AND p.decides = '' AND (a.released = '' "
        "OR EXISTS (SELECT 1 FROM ratings r WHERE r.key = a.key)) GROUP BY a.unit"
        ") h ON h.unit = q.unit WHERE q.campaign = ? ORDER BY q.place",
        campaign.id,
        campaign.id,
    )
    return [
        QueueRow(
            unit=unit,
            document=document,
            part=part,
            raters=raters,
            held=frozenset(held.split(",") if held else ()),
        )
        for unit, document, part, raters, held in rows
    ]
