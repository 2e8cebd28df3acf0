"""The links that open an annotator's list on the page; whoever has one can answer in that name."""

from __future__ import annotations

import hmac
from dataclasses import dataclass

from factmark.campaign_model import Annotator, Campaign
from factmark.ledger.campaigns import keyed_hash, links_of, secret_of, task_counts
from factmark.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """An annotator's link, and how far the annotator is."""

    annotator: Annotator
    url: str
    done: int
    tasks: int


def annotator_links(ledger: Ledger, campaign: Campaign, address: str) -> list[Link]:
    """The link of each annotator, as a page at that address takes them."""
    counts = task_counts(ledger, campaign)
    out = []
    for code, token in _tokens(ledger, campaign, "link").items():
        annotator = next(one for one in campaign.annotators if one.code == code)
        tasks, done = counts.get(code, (0, 0))
        out.append(Link(annotator=annotator, url=f"{address}/a/{token}", done=done, tasks=tasks))
    return out


def annotator_of(ledger: Ledger, campaign: Campaign, token: str) -> Annotator | None:
    """Whose link token it is; takes as long for a wrong one as for a right one."""
    given, match = token.encode("utf-8", "replace"), None
    for code, known in _tokens(ledger, campaign, "link").items():
        if hmac.compare_digest(known.encode(), given):
            match = code
    return next((one for one in campaign.annotators if one.code == match), None)


def request_token(ledger: Ledger, campaign: Campaign, code: str) -> str:
    """What an annotator's page sends with each change, so that no other page can make one."""
    return _tokens(ledger, campaign, "request")[code]


def _tokens(ledger: Ledger, campaign: Campaign, use: str) -> dict[str, str]:
    """Code of each annotator -> 64 hex digits; other ones once a link is made anew."""
    secret, links = secret_of(ledger, campaign), links_of(ledger, campaign)
    return {
        one.code: keyed_hash(secret, use, one.code, str(links[one.code]))
        for one in campaign.annotators
    }
