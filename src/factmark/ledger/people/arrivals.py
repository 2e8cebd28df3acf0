"""How people of a crowd came: under which pseudonyms, and what they agreed to, when."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.campaign_model import Campaign
from factmark.ledger.campaigns import timestamp
from factmark.ledger.ledger import Ledger, cells_of_record, insert


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """Somebody who comes by the link of a study, and agrees.

    Attributes:
        annotator: the code.
        study, session: pseudonyms of the platform's ids.
        consent: the version of the text that they agreed to.
    """

    annotator: str
    study: str
    session: str
    consent: str


def keep_arrival(ledger: Ledger, campaign: Campaign, arrival: Arrival) -> None:
    """Notes that somebody came and agreed, with the time; inside `writing`."""
    row = cells_of_record(arrival) | {"campaign": campaign.id, "at": timestamp()}
    insert(ledger.connection, "arrivals", [row])


def has_agreed(ledger: Ledger, campaign: Campaign, code: str, consent: str) -> bool:
    """Whether a person agreed to that version of the consent text."""
    query = "SELECT 1 FROM arrivals WHERE campaign = ? AND annotator = ? AND consent = ?"
    return ledger.rows(query, campaign.id, code, consent).fetchone() is not None
