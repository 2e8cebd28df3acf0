"""A read-only SPARQL 1.1 endpoint over a store, for clients outside of this program."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from aiohttp import web
from aiohttp.http import HttpProcessingError
from aiohttp.typedefs import Handler, Middleware
from multidict import MultiDict

from factmark.errors import FactmarkError, QueryError, QueryMemoryError, QueryTimeoutError
from factmark.http.addresses import LOOPBACK, host_name, is_loopback
from factmark.http.serving import BACKLOG, Door, DoorLimits, Turns, listening_socket, stop_event
from factmark.stores.endpoint import LIMIT
from factmark.stores.guard import MAX_LENGTH
from factmark.stores.results import WRITERS
from factmark.stores.store import Graphs, Store
from factmark.text.shown_text import visible

_FORM = "application/x-www-form-urlencoded"
_DIRECT = "application/sparql-query"
_MOST_GRAPHS = 1_000
_OF_UPDATES = ("update", "using-graph-uri", "using-named-graph-uri")
_log = logging.getLogger("factmark.serve")
_talk = logging.getLogger("factmark.serve.http")
_MAX_BODY = 4 * MAX_LENGTH  # percent-encoding triples a character
_CHUNK = 64 * 1024  # bytes that are written at once; what is smaller fits anywhere
RESULT_BYTES = 32 * 2**20
"""Longest result that is served, in characters of its terms."""
_HEADERS = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Vary": "Accept"}
_WELCOME = """factmark: a read-only SPARQL endpoint (SELECT and ASK).

  /sparql?query=...      GET, or POST a form or application/sparql-query
  Accept                 SPARQL JSON (default), XML, CSV, TSV
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerLimits:
    """What one client may take.

    Attributes:
        timeout: seconds for one query.
        max_rows: rows of one result; more are cut off, which the header `X-Result-Truncated` says.
        in_flight: requests at once, until they are written; more are answered 503.
        per_address: the same for one client address.
        building: results that are built at once; of them the engine's rows are in memory as well.
            More wait, and of those that wait each address has its turn.
        unread_bytes: results that clients have still to read, in all and, half of it, of one
            address; a further one is answered 503.
    """

    timeout: float = 30.0
    max_rows: int = 100_000
    in_flight: int = 64
    per_address: int = 32
    building: int = 2
    unread_bytes: int = 256 * 2**20


def create_app(
    store: Store,
    *,
    limits: ServerLimits | None = None,
    allowed_hosts: Collection[str] | None = LOOPBACK,
    cors_origin: str | None = None,
    door: Door | None = None,
) -> web.Application:
    """Returns the endpoint as an application with the resources `/sparql` and `/`.

    Args:
        store: who answers; it is not closed here. Give it queries of strangers only when it can be
            killed (`FolderStore`).
        allowed_hosts: names that a client may have in its Host header. This refuses a page
            of another site that makes its name point at this machine (DNS rebinding). None allows
            all.
        cors_origin: the origin whose pages may read results, or `*`; None for no other origin.
        door: through which connections come, if any; it is told which requests are whole.
    """
    endpoint = _Endpoint(store, limits or ServerLimits(), door or Door())
    app = web.Application(client_max_size=_MAX_BODY, middlewares=[_guard_middleware(allowed_hosts)])
    app.on_response_prepare.append(_header_adder(cors_origin))
    app.router.add_get("/", _welcome)
    app.router.add_get("/sparql", endpoint.handle)
    app.router.add_post("/sparql", endpoint.handle)
    return app


async def serve(
    store: Store,
    *,
    host: str = "127.0.0.1",
    port: int = 7878,
    limits: ServerLimits | None = None,
    door_limits: DoorLimits | None = None,
    cors_origin: str | None = None,
    ready: Callable[[str], None] = lambda _url: None,
) -> None:
    """Serves until the process is asked to stop (SIGINT, SIGTERM) or the task is cancelled.

    Args:
        host: where to listen. On a loopback address only local names are accepted as Host; on any
            other the network is trusted to be yours.
        port: 0 for any free one.
        ready: called with the endpoint's URL once it listens.

    Raises:
        InputError: the address cannot be listened on.
    """
    allowed = None
    if is_loopback(host):
        allowed = LOOPBACK | {host.lower()}
    door = Door(door_limits)
    app = create_app(
        store, limits=limits, allowed_hosts=allowed, cors_origin=cors_origin, door=door
    )
    # A client that leaves cancels its handler, and with it kills its query.
    _talk.addFilter(_is_ours)
    runner = web.AppRunner(
        app, handler_cancellation=True, access_log=None, shutdown_timeout=2.0, logger=_talk
    )
    await runner.setup()
    if runner.server is None:
        raise AssertionError("the runner was set up")
    make = door.watched(runner.server)
    try:
        with (
            listening_socket(host, port, hint="choose another with --port") as taken,
            stop_event() as stop,
        ):
            loop = asyncio.get_running_loop()
            async with await loop.create_server(make, sock=taken, backlog=BACKLOG):
                if ":" in host:
                    name = f"[{host}]"
                else:
                    name = host
                ready(f"http://{name}:{taken.getsockname()[1]}/sparql")
                await stop.wait()
    finally:
        await runner.cleanup()


class _Endpoint:
    """The resource `/sparql`."""

    def __init__(self, store: Store, limits: ServerLimits, door: Door) -> None:
        self._store = store
        self._limits = limits
        self._door = door
        self._in_flight: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._building = Turns(limits.building)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answers one request."""
        media = preferred(request.headers.get("Accept", ""), WRITERS)
        if media is None:
            raise web.HTTPNotAcceptable(text=f"results come as {', '.join(WRITERS)}")
        sparql, graphs = await _query_of(request)  # it counts from here: a body may take its time
        address = request.remote or ""
        peer = None
        if request.transport is not None:
            peer = request.transport.get_extra_info("peername")
        connection = self._door.connection(peer)
        if (
            self._in_flight.total() >= self._limits.in_flight
            or self._in_flight[address] >= self._limits.per_address
        ):
            raise _busy_response("too many queries at once; try again soon")
        self._in_flight[address] += 1
        if connection is not None:
            connection.arrived()
        try:
            async with self._building.place_for(address):
                body, headers = await self._result(sparql, graphs, media)
            return await self._write_result(request, address, body, headers)
        finally:
            self._in_flight[address] -= 1
            if connection is not None:
                connection.answered()

    async def _result(
        self, sparql: str, graphs: Graphs | None, media: str
    ) -> tuple[bytes, dict[str, str]]:
        """Returns the body and the headers of a query's result."""
        most = self._limits.max_rows
        rows = await self._store.query(
            sparql, timeout=self._limits.timeout, max_rows=most, graphs=graphs
        )
        body = await asyncio.to_thread(lambda: WRITERS[media](rows).encode("utf-8", "replace"))
        headers = {"Content-Type": f"{media}; charset=utf-8"}
        if rows.truncated:
            limit = "max-bytes"
            if len(rows.rows) >= most:
                limit = f"max-rows={most}"
            headers["X-Result-Truncated"] = f"true; {limit}"
        return body, headers

    async def _write_result(
        self, request: web.Request, address: str, body: bytes, headers: dict[str, str]
    ) -> web.StreamResponse:
        """Writes a result as fast as the client reads it; returns when that is done."""
        if request.method == "HEAD" or len(body) <= _CHUNK:
            size = 0
        else:
            size = len(body)
        most = self._limits.unread_bytes
        held = self._unread
        if held.total() + size > most or held[address] + size > most // 2:
            raise _busy_response("too much is still to be read by clients; try again soon")
        held[address] += size
        try:
            response = web.StreamResponse(headers=headers)
            response.content_length = len(body)
            with contextlib.suppress(ConnectionError):  # who hung up is sent no more
                await response.prepare(request)
                if request.method != "HEAD":
                    for start in range(0, len(body), _CHUNK):
                        await response.write(body[start : start + _CHUNK])
                await response.write_eof()
            return response
        finally:
            held[address] -= size


def _busy_response(message: str) -> web.HTTPServiceUnavailable:
    """Returns 503 with the advice to try again in two seconds."""
    return web.HTTPServiceUnavailable(text=message, headers={"Retry-After": "2"})


async def _welcome(_request: web.Request) -> web.Response:
    """Answers the resource `/` by what the endpoint is."""
    return web.Response(text=_WELCOME)


def _guard_middleware(allowed_hosts: Collection[str] | None) -> Middleware:
    """Returns a middleware for all resources: it checks the Host, and answers errors with a line of
    text.
    """

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        host = host_name(request.headers.get("Host", ""))
        if allowed_hosts is not None and host not in allowed_hosts:
            return _text_response(403, "this host name is not served here")
        if (request.content_length or 0) > _MAX_BODY:
            return _text_response(413, f"a request has at most {_MAX_BODY:,} bytes")
        try:
            return await handler(request)
        except web.HTTPException as error:
            names = []
            for name in ("Allow", "Retry-After"):
                if name in error.headers:
                    names.append(name)
            text = error.text or error.reason
            return _text_response(error.status, text, {name: error.headers[name] for name in names})
        except QueryError as error:
            return _text_response(400, str(error))
        except QueryTimeoutError:
            return _limit_response("time")
        except QueryMemoryError:
            return _limit_response("memory")
        except FactmarkError as error:  # its text may hold paths of this machine
            _log.error("%s", visible(str(error)))
            return _text_response(
                500, "the store could not answer; the log of this server says why"
            )

    return guarded


def _limit_response(what: str) -> web.Response:
    """Returns 503 for a query that was ended; the header tells clients not to repeat it."""
    return _text_response(
        503, f"the query ran past the limit on its {what} and was ended", {LIMIT: what}
    )


def _is_ours(record: logging.LogRecord) -> bool:
    """Whether what aiohttp logs is a fault of ours, not of the request or of its connection."""
    error = None
    if record.exc_info:
        error = record.exc_info[1]
    return not isinstance(error, HttpProcessingError | ConnectionError)


def _header_adder(
    cors_origin: str | None,
) -> Callable[[web.Request, web.StreamResponse], Awaitable[None]]:
    """Returns what adds the headers that all responses have."""

    async def add(_request: web.Request, response: web.StreamResponse) -> None:
        response.headers.update(_HEADERS)
        if cors_origin is not None:
            response.headers["Access-Control-Allow-Origin"] = cors_origin
            response.headers["Access-Control-Expose-Headers"] = "X-Result-Truncated"

    return add


def _text_response(
    status: int, message: str, headers: dict[str, str] | None = None
) -> web.Response:
    """Returns a response of one line of text."""
    return web.Response(status=status, text=f"{message}\n", headers=headers)


# The SPARQL 1.1 Protocol: the query in a request, the format that it wants.


async def _query_of(request: web.Request) -> tuple[str, Graphs | None]:
    """The query in a GET, in a form, or as the body, and its dataset if the request names one.

    Raises:
        HTTPException: there is none or more than one, it is an update, its dataset is named
            in a way that cannot be read, or the body is of another type or not UTF-8.
    """
    given = MultiDict(await _parameters(request))
    if any(name in given for name in _OF_UPDATES):
        raise web.HTTPBadRequest(
            text="this endpoint is read-only: updates and using-graph-uri are refused"
        )
    queries = given.getall("query", [])
    if len(queries) != 1:
        raise web.HTTPBadRequest(text=f"there must be one parameter 'query', not {len(queries)}")
    default = tuple(given.getall("default-graph-uri", []))
    named = tuple(given.getall("named-graph-uri", []))
    if len(default) + len(named) > _MOST_GRAPHS:
        raise web.HTTPBadRequest(text=f"a query may name {_MOST_GRAPHS} graphs, not more")
    return queries[0], Graphs(default=default, named=named) if default or named else None


async def _parameters(request: web.Request) -> list[tuple[str, str]]:
    """Returns the parameters in the URL and in the form."""
    in_url = list(request.query.items())
    if request.method in ("GET", "HEAD"):
        return in_url
    charset = (request.charset or "utf-8").lower()
    if charset not in ("utf-8", "utf8", "us-ascii"):
        raise web.HTTPUnsupportedMediaType(text=f"write the query in UTF-8, not in {charset[:40]}")
    try:
        if request.content_type == _FORM:
            parameters = []
            for name, value in (await request.post()).items():
                parameters.append((name, str(value)))
            return parameters
        if request.content_type == _DIRECT:
            return [*in_url, ("query", (await request.read()).decode())]
    except ValueError as error:
        raise web.HTTPBadRequest(text="the body is no form, or not in UTF-8") from error
    raise web.HTTPUnsupportedMediaType(text=f"send the query as {_FORM} or {_DIRECT}")


def preferred(accept: str, offered: Collection[str]) -> str | None:
    """Returns the offered media type that an Accept header likes best; None when it likes none.

    Among equals the order of `offered` decides. A more exact range overrides a wider one, as in
    `*/*, text/csv;q=0` (RFC 9110, 12.5.1).
    """
    ranges = dict(_media_range(part) for part in accept.split(",") if part.strip()) or {"*/*": 1.0}

    def quality(media: str) -> float:
        wide = media.partition("/")[0] + "/*"
        return next((ranges[name] for name in (media, wide, "*/*") if name in ranges), 0.0)

    best = max(offered, key=quality)
    if quality(best) > 0:
        return best
    return None


def _media_range(part: str) -> tuple[str, float]:
    """Returns a part of an Accept header as media type and quality, 0 where that is no number."""
    media, *parameters = (piece.strip().lower() for piece in part.split(";"))
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            try:
                return media, float(value)
            except ValueError:
                return media, 0.0
    return media, 1.0
