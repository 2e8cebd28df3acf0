"""What a first reader doubted, and to whom it was shown: earlier versions of this package kept it
when somebody first rated a unit. Nothing writes it any more."""

from __future__ import annotations

from factmark.campaign_model import Campaign
from factmark.ledger.ledger import Ledger


def count_doubts_shown(ledger: Ledger, campaign: Campaign) -> int:
    """Returns after how many first ratings annotators were shown what a judge doubts."""
    rows = ledger.rows(
        "SELECT count(DISTINCT d.key) FROM doubts d JOIN assignments a ON a.key = d.key "
        "WHERE a.campaign = ? AND d.shown",
        campaign.id,
    )
    (shown,) = rows.fetchone()
    return int(shown)
