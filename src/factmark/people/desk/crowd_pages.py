"""Pages for people of a crowd: what they agree to before anything else, the code at the end."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from factmark.campaign_model import Annotator, Campaign
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.arrivals import has_agreed
from factmark.ledger.people.links import opens_door
from factmark.people.core.forms import title_of
from factmark.people.crowd.joining import (
    arrive,
    completion_codes,
    has_room,
    left_to_do,
    person_of,
    token_for,
)
from factmark.people.crowd.options import Crowd, address_of, crowd_of
from factmark.people.crowd.platforms import CrowdVisit, read_visit
from factmark.people.desk.desk import CampaignDesk
from factmark.people.desk.replies import (
    NO_ENTRY,
    POLICY,
    RefusedRequest,
    cookie_name,
    entering,
    markdown_page,
    page_reply,
)
from factmark.people.desk.site import Site

_FULL = "Nothing is left to do in this study. Please return your submission."
_LEFT = "You have left this study, or were taken out of it."
Visitor = Callable[[Request, Ledger, Campaign], Annotator]


def way_in(site: Site, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
    """Returns the consent text to who comes first, and the box to who agreed to it before."""
    crowd, visit = _visit(request, ledger, campaign)
    framed = request.headers.get("sec-fetch-dest") in ("iframe", "frame")
    if visit is None or framed:
        return _consent_page(request, campaign, crowd, visit, framed=framed)
    person = person_of(ledger, campaign, crowd, visit)
    if person is None:
        if not has_room(ledger, campaign):
            raise RefusedRequest(409, _FULL)
        return _consent_page(request, campaign, crowd, visit)
    if not (person.withdrawn or has_agreed(ledger, campaign, person.code, crowd.version)):
        return _consent_page(request, campaign, crowd, visit)
    return _opened(site, ledger, campaign, person, visit, up="../../")


def agree(site: Site, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
    """Takes in who has agreed, and opens their box; a text that has changed since is shown anew."""
    crowd, visit = _visit(request, ledger, campaign)
    if visit is None or request.path_params["version"] != crowd.version:
        raise RefusedRequest(409, f"Open the study from {crowd.site.title} again.")
    person = person_of(ledger, campaign, crowd, visit)
    if person is None or not person.withdrawn:
        person = arrive(ledger, campaign, crowd, visit)
    if person is None:
        raise RefusedRequest(409, _FULL)
    return _opened(site, ledger, campaign, person, visit, up="../../../../")


def done(
    desk: CampaignDesk, visitor: Visitor, request: Request, ledger: Ledger, campaign: Campaign
) -> Response:
    """Returns a person's completion code, or how much they have left to do."""
    person = visitor(request, ledger, campaign)
    crowd = crowd_of(campaign)
    if crowd is None:
        raise RefusedRequest(404, "There is nothing here.")
    completion = crowd.completion
    left = 0
    if person.withdrawn:
        completion = crowd.screened_completion
    else:
        tasks = desk.tasks(ledger, campaign, person.code)
        left = left_to_do(ledger, campaign, person, [task.key for task in tasks])
    return page_reply(
        "done.html",
        200,
        title=title_of(campaign),
        platform=crowd.site.title,
        screened=bool(person.withdrawn),
        closed=bool(campaign.closed),
        left=left,
        code=completion_codes(ledger, campaign)[person.code],
        address=address_of(crowd, completion),
    )


def _visit(request: Request, ledger: Ledger, campaign: Campaign) -> tuple[Crowd, CrowdVisit | None]:
    """Returns how a crowd comes, and who; None of who only looks. RefusedRequest: the link is none
    of this study, or has no ids."""
    crowd = crowd_of(campaign)
    token = request.path_params["token"]
    if crowd is None or not opens_door(ledger, campaign, "study", token):
        raise RefusedRequest(403, NO_ENTRY)
    try:
        return crowd, read_visit(crowd.site, request.query_params.multi_items())
    except ValueError as error:
        raise RefusedRequest(400, str(error)) from error


def _opened(
    site: Site, ledger: Ledger, campaign: Campaign, person: Annotator, visit: CrowdVisit, *, up: str
) -> Response:
    """Returns what opens a person's box. RefusedRequest: they have left."""
    if person.withdrawn and not person.screened:
        raise RefusedRequest(403, _LEFT)
    token = token_for(ledger, campaign, person, visit)
    return entering(site, cookie_name(campaign), token, f"w/{person.code}/", up=up)


def _consent_page(
    request: Request,
    campaign: Campaign,
    crowd: Crowd,
    visit: CrowdVisit | None,
    *,
    framed: bool = False,
) -> Response:
    """Returns the text that people agree to. Within the platform's own page, where browsers keep
    cookies back, it leads to a window of its own, and takes the code from there."""
    submit = ""
    session = ""
    if visit is not None:
        submit = visit.submit
        session = visit.session
    response = page_reply(
        "consent.html",
        200,
        title=title_of(campaign),
        consent=markdown_page(crowd.consent),
        version=crowd.version,
        query=urlencode(request.query_params.multi_items()),
        framed=framed and visit is not None,
        preview=visit is None,
        submit=submit,
        session=session,
    )
    forms = " ".join(["'self'", *([submit] if submit else [])])
    policy = POLICY.replace("form-action 'none'", f"form-action {forms}")
    if crowd.site.frames:
        frames = " ".join(crowd.site.frames)
        policy = policy.replace("frame-ancestors 'none'", f"frame-ancestors {frames}")
    response.headers["Content-Security-Policy"] = policy
    return response
