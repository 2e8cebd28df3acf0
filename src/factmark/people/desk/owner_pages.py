"""The owner's page: how far a campaign is, as `factmark annotate status` tells it, always new."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from factmark.campaign_model import Campaign
from factmark.files.flat_files import to_json_value
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.links import opens_door
from factmark.people.desk.replies import (
    NO_ENTRY,
    RefusedRequest,
    cookie_name,
    entering,
    json_reply,
    page_reply,
)
from factmark.people.desk.site import Site
from factmark.people.status import STALL, Agreeing, CampaignStatus, campaign_status
from factmark.text.shown_text import visible


def owner_enters(site: Site, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
    """Sets the cookie of the owner's link and sends their browser on to the page."""
    token = request.path_params["token"]
    if not opens_door(ledger, campaign, "owner", token):
        raise RefusedRequest(403, NO_ENTRY)
    return entering(site, _cookie(campaign), token, "owner/", up="../")


def owner_page(request: Request, ledger: Ledger, campaign: Campaign) -> Response:
    """Returns the page, which asks for the state by itself."""
    _check_owner(request, ledger, campaign)
    return page_reply("owner.html", 200, title=visible(campaign.name))


class OwnerState:
    """The state of a campaign as JSON; agreement is reckoned anew only when ratings have come."""

    def __init__(self) -> None:
        self._agreeing = Agreeing()

    def __call__(self, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
        """Answers one request."""
        _check_owner(request, ledger, campaign)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        status = campaign_status(ledger, campaign, now=now, stall=STALL, agreeing=self._agreeing)
        return json_reply(200, to_json_value({"now": now, **_drawn(status), **status.details()}))


def _drawn(status: CampaignStatus) -> dict[str, Any]:
    """Returns the table of people as the page draws it, and its rows."""
    from factmark.people.tables.work_tables import progress_table  # which load what draws tables
    from factmark.report.layouts import all_heads, label_cells, value_cells, visible_table

    table = visible_table(progress_table(status, stall=STALL, whole=True))
    lines = []
    for line, person in zip(table.lines, status.lines, strict=True):
        cells = [*label_cells(line), *value_cells(line)]
        lines.append({"cells": cells, "state": person.state})
    return {"people": table.rows(), "heads": all_heads(table), "lines": lines}


def _check_owner(request: Request, ledger: Ledger, campaign: Campaign) -> None:
    """Raises RefusedRequest unless a request has the owner's cookie."""
    token = request.cookies.get(_cookie(campaign), "")
    if not opens_door(ledger, campaign, "owner", token):
        raise RefusedRequest(403, NO_ENTRY)


def _cookie(campaign: Campaign) -> str:
    """Returns the name of the owner's cookie."""
    return f"{cookie_name(campaign)}_owner"
