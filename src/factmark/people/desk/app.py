"""The page's resources.

    /a/TOKEN        an annotator's link: sets the cookie and goes on to the box
    /w/CODE/        the box: guidelines, then the documents
    /w/CODE/tasks   its list and the answers so far, as JSON
    /w/CODE/answers the answers so far
    /w/CODE/save    takes revisions
    /w/CODE/next    draws the next document of the queue; then the list
    /c/TOKEN/       the way in for a crowd: consent, then the box; /w/CODE/done its end
    /o/TOKEN        the owner's link, to /owner/, which shows /owner/state
    /static/NAME    style and script
    /health         `ok` while the ledger can be read

The cookie is the link's token and goes to this one box only, so that two people can work in one
browser, and a link that is made anew shuts out who came by the earlier one.

What holds for every request: a page of another site cannot read or change anything: its name is
none of ours (Host), its requests bear its own origin, the cookie does not go with them, and it does
not know the request token.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache, partial
from importlib.resources import files

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factmark.campaign_model import Annotator, Campaign, CampaignTask, Rating, Refused
from factmark.http.addresses import host_name
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.links import annotator_of
from factmark.ledger.people.lists import list_state
from factmark.ledger.ratings import keep_refused, revisions_of
from factmark.people.changes.adjudicating import opinions
from factmark.people.changes.queue import documents_waiting, draw
from factmark.people.core.forms import form_named, title_of
from factmark.people.crowd.screening import screen_out
from factmark.people.desk.crowd_pages import agree, done, way_in
from factmark.people.desk.desk import CampaignDesk, UnavailableError, request_token
from factmark.people.desk.messages import (
    MOST_BODY,
    AnnotatorWork,
    Clash,
    ReceivedChanges,
    answers,
    box,
    notes,
    read_revisions,
)
from factmark.people.desk.owner_pages import OwnerState, owner_enters, owner_page
from factmark.people.desk.replies import (
    NO_ENTRY,
    POLICY,
    RefusedRequest,
    cookie_name,
    entering,
    json_reply,
    markdown_page,
    page_reply,
    plain_reply,
)
from factmark.people.desk.site import Site
from factmark.people.practice.known import BEFORE
from factmark.people.verdicts import take_ratings
from factmark.text.shown_text import visible

_TYPES = {".css": "text/css", ".js": "text/javascript"}
_LATER = "The answers cannot be saved or read at the moment. The page keeps them and tries again."
_TOKEN_HEADER = "x-factmark-request"  # noqa: S105 - the name of a header

Handler = Callable[[Request], Awaitable[Response]]
Reader = Callable[[Request, Ledger, Campaign], Response]


def create_app(desk: CampaignDesk, site: Site, log: Callable[[str], None]) -> ASGIApp:
    """The page as an ASGI app; `log` is told what the owner has to see to, and never a token."""
    page = _Page(desk, site, log)
    routes = [
        Route("/", _start),
        Route("/health", page.reading(lambda _request, _ledger, _campaign: plain_reply(200, "ok"))),
        Route("/static/{name}", _static),
        Route("/a/{token}", page.reading(page.enter)),
        Route("/w/{code}/", page.reading(page.box)),
        Route("/w/{code}/tasks", page.reading(page.tasks)),
        Route("/w/{code}/answers", page.reading(page.answers)),
        Route("/w/{code}/save", page.guarded(page.save), methods=["POST"]),
        Route("/w/{code}/next", page.reading(page.draw), methods=["POST"]),
        Route("/w/{code}/done", page.reading(partial(done, desk, page.visitor))),
        Route("/c/{token}/", page.reading(partial(way_in, site))),
        Route("/c/{token}/agree/{version}", page.reading(partial(agree, site)), methods=["POST"]),
        Route("/o/{token}", page.reading(partial(owner_enters, site))),
        Route("/owner/", page.reading(owner_page)),
        Route("/owner/state", page.reading(OwnerState())),
    ]
    app = Starlette(routes=routes)
    # Behind a proxy it would send visitors, and the token in their link, to plain http.
    app.router.redirect_slashes = False
    return Guard(app, site)


class _Page:
    """The resources of one campaign."""

    def __init__(self, desk: CampaignDesk, site: Site, log: Callable[[str], None]) -> None:
        self._desk = desk
        self._site = site
        self._log = log

    def guarded(self, handler: Handler) -> Handler:
        """Returns a handler that answers with a status and a sentence where the given one
        raises."""

        async def answer(request: Request) -> Response:
            try:
                return await handler(request)
            except RefusedRequest as error:
                return _sentence(request, error.status, str(error))
            except UnavailableError as error:
                self._log(visible(str(error)))
                return _sentence(request, 503, _LATER)
            except ClientDisconnect:
                return plain_reply(400, "")

        return answer

    def reading(self, reader: Reader) -> Handler:
        """Returns a guarded handler that answers from the ledger."""
        return self.guarded(lambda request: self._desk.run(partial(reader, request)))

    def enter(self, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
        """Sets the cookie of a link's annotator and sends their browser on to the page.

        Not by a redirect: after a click in a mail program on the web, browsers withhold a strict
        cookie from all that a redirect leads to.
        """
        token = request.path_params["token"]
        annotator = annotator_of(ledger, campaign, token)
        if annotator is None:
            raise RefusedRequest(403, NO_ENTRY)
        return entering(self._site, cookie_name(campaign), token, f"w/{annotator.code}/", up="../")

    def box(self, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
        """Returns an annotator's page, without the list of tasks, which `tasks` gives; who is
        screened out comes to the end of it."""
        annotator = self.visitor(request, ledger, campaign)
        if annotator.withdrawn:
            return RedirectResponse("done", 303)
        form = form_named(campaign.form)
        guidelines = markdown_page(campaign.guidelines)
        return page_reply(
            "box.html",
            200,
            title=f"{visible(campaign.called(annotator))} — {title_of(campaign)}",
            form=form,
            guidelines=guidelines,
            crowd="crowd" in campaign.settings,
        )

    def tasks(self, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
        """Returns an annotator's list of tasks, with all that `answers` gives."""
        annotator = self.visitor(request, ledger, campaign)
        tasks = self._desk.tasks(ledger, campaign, annotator.code)
        form = form_named(campaign.form)
        page_sources = self._desk.sources
        given = None
        if annotator.decides:
            given = opinions(ledger, campaign)
        contents = box(form, campaign, annotator.code, tasks, page_sources, given)
        return json_reply(200, contents | self._state(ledger, campaign, annotator))

    def draw(self, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
        """Draws from the queue, where all that was drawn before is answered; gives the list."""
        annotator = self._sender(request, ledger, campaign)
        if annotator.withdrawn:  # screened out: the list tells that it takes no more
            return self.tasks(request, ledger, campaign)
        _check_takes_answers(campaign, annotator)
        if campaign.queues and not annotator.decides:
            draw(ledger, campaign, annotator.code)
        return self.tasks(request, ledger, campaign)

    def answers(self, request: Request, ledger: Ledger, campaign: Campaign) -> Response:
        """Returns the annotator's answers as they are now, by whichever tab or device they came."""
        return json_reply(
            200, self._state(ledger, campaign, self.visitor(request, ledger, campaign))
        )

    async def save(self, request: Request) -> Response:
        """Takes revisions; says of each by its id whether it is kept."""
        if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
            raise RefusedRequest(415, "Changes come as JSON.")
        await self._desk.run(partial(self._sender, request))  # a stranger's body is not even read
        return await self._desk.run(partial(self._keep, request, await _body(request)))

    def _keep(self, request: Request, body: bytes, ledger: Ledger, campaign: Campaign) -> Response:
        """Keeps the revisions of a request; returns which are saved, and why others are not."""
        annotator = self._sender(request, ledger, campaign)  # again: a body may take its time
        _check_takes_answers(campaign, annotator)
        tasks = self._desk.tasks(ledger, campaign, annotator.code, released=True)
        try:
            request_body = json.loads(body)
        except (ValueError, RecursionError) as error:
            raise RefusedRequest(400, f"No revisions can be read: {error}.") from error
        # Whatever else writes the ledger: what a change is laid over is the newest until it is in.
        with ledger.writing():
            before = revisions_of(ledger, campaign, annotator.code)
            received = _received(campaign, tasks, before, request_body)
            taken = take_ratings(ledger, campaign, received.revisions, self._desk.protocol_of)
            keep_refused(ledger, campaign, map(_as_refused, received.elsewhere))
            screen_out(ledger, campaign, annotator.code)
        foreign = "its id is that of another task's change"
        wrong = [*received.wrong, *((id, foreign) for id in taken.foreign)]
        refused = [{"id": id, "reason": visible(reason)} for id, reason in wrong]
        touched = {revision.key for revision in received.revisions}
        touched |= {clash.key for clash in received.elsewhere}
        now = revisions_of(ledger, campaign, annotator.code)
        sent = {
            "saved": [*taken.new, *taken.known],
            "refused": refused,
            "elsewhere": [asdict(clash) for clash in received.elsewhere],
            "answers": answers({key: now[key] for key in now.keys() & touched}),
            "notes": self._notes(ledger, campaign, annotator),
        }
        return json_reply(422 if refused else 200, sent)

    def _state(self, ledger: Ledger, campaign: Campaign, who: Annotator) -> dict[str, object]:
        """Returns an annotator's answers, what is shown beside them, whether the campaign is
        closed, the time, and the token for changes."""
        waiting = 0
        if not (who.decides or who.withdrawn):
            waiting = documents_waiting(ledger, campaign, who.code)
        return {
            "answers": answers(
                revisions_of(ledger, campaign, who.code, withdrawn=bool(who.withdrawn))
            ),
            "notes": self._notes(ledger, campaign, who),
            "closed": bool(campaign.closed or who.withdrawn),
            "list": list_state(ledger, campaign, who.code),
            "queue": waiting,
            "now": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "token": request_token(ledger, campaign, who.code),
        }

    def _notes(self, ledger: Ledger, campaign: Campaign, who: Annotator) -> dict[str, object]:
        """Returns what is shown beside tasks that are rated: right answers of training."""
        right = self._desk.right_answers(ledger, campaign)
        rated = revisions_of(ledger, campaign, who.code).keys() if right else ()
        tasks = self._desk.tasks(ledger, campaign, who.code)
        answered = {}
        for task in tasks:
            if task.key in rated and task.assignment.batch == BEFORE:
                answered[task.key] = right[task.assignment.unit]
        return notes(answered)

    def visitor(self, request: Request, ledger: Ledger, campaign: Campaign) -> Annotator:
        """Returns the annotator whose cookie a request has; their page opens to nobody else."""
        token = request.cookies.get(cookie_name(campaign), "")
        annotator = annotator_of(ledger, campaign, token)
        if annotator is None or annotator.code != request.path_params["code"]:
            raise RefusedRequest(403, NO_ENTRY)
        connection = request.scope.get("factmark.connection")
        if connection is not None:  # it may be gone by now
            connection.signed_in = True
        return annotator

    def _sender(self, request: Request, ledger: Ledger, campaign: Campaign) -> Annotator:
        """Returns the annotator who sends a change: the request has their cookie, the page's
        origin, and the token that the page was given."""
        annotator = self.visitor(request, ledger, campaign)
        headers = request.headers
        origin = headers.get("origin")
        token = request_token(ledger, campaign, annotator.code).encode()
        if (
            (origin is None or origin.lower() in self._site.origins(headers.get("host", "")))
            and headers.get("sec-fetch-site", "same-origin") == "same-origin"
            and hmac.compare_digest(headers.get(_TOKEN_HEADER, "").encode(), token)
        ):
            return annotator
        raise RefusedRequest(403, "This change was not sent by the page, and is not taken.")


def _check_takes_answers(campaign: Campaign, annotator: Annotator) -> None:
    """Raises RefusedRequest where a campaign is closed, to all or to this annotator."""
    if campaign.closed or annotator.withdrawn:
        raise RefusedRequest(409, "The campaign is closed; it takes no more answers.")


def _received(
    campaign: Campaign,
    tasks: Iterable[CampaignTask],
    history: Mapping[str, Sequence[Rating]],
    given: object,
) -> ReceivedChanges:
    """Returns what a request holds; RefusedRequest where that is no list of revisions."""
    work = AnnotatorWork(
        form=form_named(campaign.form),
        shown={task.key: task.shown for task in tasks},
        history=history,
        created=campaign.created,
    )
    try:
        return read_revisions(work, given, datetime.now(UTC))
    except (ValueError, RecursionError) as error:
        raise RefusedRequest(400, f"No revisions can be read: {error}.") from error


def _as_refused(clash: Clash) -> Refused:
    """Returns a change that somebody has to decide on as the ledger keeps it, so that it is not
    lost with a browser."""
    return Refused(
        id=clash.id,
        key=clash.key,
        where="the page",
        reason="the same was changed elsewhere meanwhile, and the annotator was asked",
        raw=json.dumps(clash.fields),
    )


async def _start(_request: Request) -> Response:
    """Returns a sentence for those who come without a link: they should use it."""
    return page_reply("sentence.html", 200, sentence="Open the link that you were sent.", up="")


async def _body(request: Request) -> bytes:
    """Returns the body of a request; refuses one that is longer than may be sent, without reading
    the rest."""
    parts = bytearray()
    async for part in request.stream():
        parts += part
        if len(parts) > MOST_BODY:
            raise RefusedRequest(413, f"A request holds at most {MOST_BODY:,} bytes.")
    return bytes(parts)


def _sentence(request: Request, status: int, sentence: str) -> Response:
    """Returns a sentence as an answer: JSON for the page's script, a page for a person."""
    if request.url.path.endswith(("/tasks", "/answers", "/save", "/next", "/state")):
        return json_reply(status, {"error": sentence})
    return page_reply(
        "sentence.html", status, sentence=sentence, up="../" * (request.url.path.count("/") - 1)
    )


async def _static(request: Request) -> Response:
    """Returns a file of `static/`; 404 for another name."""
    asset = _assets().get(request.path_params["name"])
    if asset is None:
        return plain_reply(404, "There is nothing here.")
    return Response(asset[0], media_type=asset[1])


@cache
def _assets() -> dict[str, tuple[bytes, str]]:
    """Returns the content and media type of each file in `static/`, by name."""
    out = {}
    for file in files("factmark.people.desk").joinpath("static").iterdir():
        media = _TYPES.get(file.name[file.name.rfind(".") :])
        if media is not None:
            out[file.name] = (file.read_bytes(), media)
    return out


_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex",
}


class Guard:
    """An app in front of another: checks the host, takes the prefix off, adds the headers."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        if host_name(Headers(scope=scope).get("host", "")) not in self._site.names:
            await plain_reply(421, "This host name is not served here.")(
                scope, receive, send_safely
            )
            return
        prefix = self._site.prefix
        if prefix and scope["path"].startswith(f"{prefix}/"):  # proxies keep it, or take it off
            scope = {**scope, "path": scope["path"].removeprefix(prefix)}
        await self._app(scope, receive, send_safely)
