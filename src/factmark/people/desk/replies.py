"""What the page's server answers with: pages, JSON, sentences; and how it refuses."""

from __future__ import annotations

import json
import re
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from factmark.campaign_model import Campaign
from factmark.people.core.forms import markdown_html
from factmark.people.desk.site import Site
from factmark.text.shown_text import visible

NO_ENTRY = "This link does not open a box, or no longer."
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_COOKIE_AGE = 180 * 24 * 3600  # seconds


class RefusedRequest(Exception):  # noqa: N818 - an answer, not a bug
    """A request that is answered with a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status


def cookie_name(campaign: Campaign) -> str:
    """Returns the cookie's name. Cookies of a host are shared by all its ports, and so by campaigns
    beside this one."""
    return f"factmark_{campaign.id[:16]}"


def entering(site: Site, name: str, token: str, place: str, *, up: str) -> Response:
    """Returns what sends a browser on to a place, with a cookie that goes nowhere else.

    Not a redirect: after a click in a mail program on the web, browsers withhold a strict cookie
    from all that a redirect leads to.

    Args:
        up: from the page that is asked for to the root.
    """
    response = page_reply("enter.html", 200, place=place, up=up)
    response.set_cookie(
        name,
        token,
        max_age=_COOKIE_AGE,
        path=f"{site.prefix}/{place}",
        secure=site.secure,
        httponly=True,
        samesite="strict",
    )
    return response


def markdown_page(text: str) -> Markup:
    """Returns guidelines as HTML that fits under the page's own heading."""
    html = re.sub(
        r"<(/?)h([1-5])>", lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}>", markdown_html(visible(text))
    )
    return Markup(html)  # noqa: S704 - markdown_html escapes all but its own tags


def plain_reply(status: int, text: str) -> Response:
    """Returns a text as an answer."""
    return PlainTextResponse(f"{text}\n", status)


def json_reply(status: int, value: object) -> Response:
    """Returns a value as JSON in ASCII: texts may hold what UTF-8 cannot."""
    return Response(json.dumps(value), status, media_type="application/json")


def page_reply(template: str, status: int, **values: object) -> HTMLResponse:
    """Returns a template, filled in, as an answer."""
    return HTMLResponse(_environment().get_template(template).render(values), status)


@cache
def _environment() -> Environment:
    """Returns what loads the templates; they escape all that is filled in."""
    return Environment(
        loader=PackageLoader("factmark.people.desk", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
