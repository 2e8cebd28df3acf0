"""What a first reader doubted, and to whom it was shown: kept when somebody first rated a unit."""

from __future__ import annotations

from collections.abc import Iterable

from factmark.campaign_model import Campaign, Doubt
from factmark.ledger.campaigns import timestamp
from factmark.ledger.ledger import Ledger, cells_of_record, insert, records


def keep_doubts(ledger: Ledger, doubts: Iterable[Doubt]) -> None:
    """Writes down which doubts are shown from now on, and which are held back; known ones stay."""
    at = timestamp()
    with ledger.writing() as db:
        rows = [cells_of_record(doubt) | {"at": at} for doubt in doubts]
        insert(db, "doubts", rows, known="IGNORE")


def doubts_of(ledger: Ledger, campaign: Campaign, annotator: str | None = None) -> dict[str, Doubt]:
    """Returns key of a task -> the doubt about its unit, of those that somebody has rated while
    there was a first reader; of one annotator, or of all."""
    rows = ledger.rows(
        "SELECT d.key, d.judge, d.label, d.reason, d.shown FROM doubts d "
        "JOIN assignments a ON a.key = d.key WHERE a.campaign = ? "
        "AND a.annotator = ifnull(?, a.annotator) ORDER BY d.at, d.key",
        campaign.id,
        annotator,
    )
    return {doubt.key: doubt for doubt in records(Doubt, rows)}


def halves_of(ledger: Ledger, campaign: Campaign) -> dict[str, bool]:
    """Returns unit -> whether its doubt is shown, of units that somebody has rated while there was
    a first reader: whoever comes later is treated alike."""
    rows = ledger.rows(
        "SELECT a.unit, max(d.shown) FROM doubts d JOIN assignments a ON a.key = d.key "
        "WHERE a.campaign = ? GROUP BY a.unit",
        campaign.id,
    )
    return {unit: bool(shown) for unit, shown in rows}
