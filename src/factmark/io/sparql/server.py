"""A read-only SPARQL 1.1 endpoint over a store, for clients outside of this program."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from factmark.errors import FactmarkError, InputError, QueryError, QueryTimeoutError
from factmark.io.hosts import LOOPBACK, host_name, is_loopback
from factmark.io.serving import stopping
from factmark.io.sparql import Store
from factmark.io.sparql.guard import MAX_LENGTH
from factmark.io.sparql.protocol import RefusedRequest, preferred, query_of
from factmark.io.sparql.results import WRITERS
from factmark.report.text import visible

_log = logging.getLogger("factmark.serve")
_MAX_BODY = 4 * MAX_LENGTH  # percent-encoding triples a character
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
        in_flight: requests at once, running and waiting; more are answered 503.
    """

    timeout: float = 30.0
    max_rows: int = 100_000
    in_flight: int = 64


def create_app(
    store: Store,
    *,
    limits: ServerLimits | None = None,
    allowed_hosts: Collection[str] | None = LOOPBACK,
    cors_origin: str | None = None,
) -> web.Application:
    """The endpoint as an application with the resources `/sparql` and `/`.

    Args:
        store: who answers; it is not closed here. Give it queries of strangers only when it can be
            killed (`FolderStore`).
        allowed_hosts: names that a client may have in its Host header. This refuses a page
            of another site that makes its name point at this machine (DNS rebinding). None allows
            all.
        cors_origin: the origin whose pages may read results, or `*`; None for no other origin.
    """
    endpoint = _Endpoint(store, limits or ServerLimits())
    app = web.Application(
        client_max_size=_MAX_BODY, middlewares=[_guarded(allowed_hosts, cors_origin)]
    )
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
    cors_origin: str | None = None,
    ready: Callable[[str], None] | None = None,
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
    allowed = LOOPBACK | {host.lower()} if is_loopback(host) else None
    app = create_app(store, limits=limits, allowed_hosts=allowed, cors_origin=cors_origin)
    # A client that leaves cancels its handler, and with it kills its query.
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except (OSError, OverflowError) as error:
            raise InputError(
                f"cannot listen on {host} port {port} ({error}); choose another with --port"
            ) from error
        if ready is not None:
            name = f"[{host}]" if ":" in host else host
            ready(f"http://{name}:{runner.addresses[0][1]}/sparql")
        with stopping() as stop:
            await stop.wait()
    finally:
        await runner.cleanup()


class _Endpoint:
    """The resource `/sparql`."""

    def __init__(self, store: Store, limits: ServerLimits) -> None:
        self._store = store
        self._limits = limits
        self._in_flight = 0

    async def handle(self, request: web.Request) -> web.Response:
        """Answers one request; a failure is one line of plain text."""
        if self._in_flight >= self._limits.in_flight:
            return _text(503, "too many queries at once; try again soon", {"Retry-After": "2"})
        self._in_flight += 1
        try:
            return await self._answer(request)
        except RefusedRequest as error:
            return _text(error.status, str(error))
        except QueryError as error:
            return _text(400, str(error))
        except QueryTimeoutError:
            # Not 503 or 504: clients repeat those, and the query would run late again.
            return _text(
                500, f"the query ran past the limit of {self._limits.timeout:g} s and was ended"
            )
        except FactmarkError as error:  # its text may hold paths of this machine
            _log.error("%s", visible(str(error)))
            return _text(500, "the store could not answer; the log of this server says why")
        finally:
            self._in_flight -= 1

    async def _answer(self, request: web.Request) -> web.Response:
        media = preferred(request.headers.get("Accept", ""), WRITERS)
        if media is None:
            raise RefusedRequest(406, f"results come as {', '.join(WRITERS)}")
        sparql, graphs = await query_of(request)
        rows = await self._store.query(
            sparql,
            timeout=self._limits.timeout,
            max_rows=self._limits.max_rows,
            graphs=graphs,
        )
        body = await asyncio.to_thread(lambda: WRITERS[media](rows).encode("utf-8", "replace"))
        headers = {"Content-Type": f"{media}; charset=utf-8"}
        if rows.truncated:
            headers["X-Result-Truncated"] = f"true; max-rows={self._limits.max_rows}"
        return web.Response(body=body, headers=headers)


async def _welcome(_request: web.Request) -> web.Response:
    return web.Response(text=_WELCOME)


def _guarded(allowed_hosts: Collection[str] | None, cors_origin: str | None) -> Middleware:
    """A middleware for what holds for all resources: the Host check and the headers."""

    @web.middleware
    async def guarded(request: web.Request, handler: Handler) -> web.StreamResponse:
        if allowed_hosts is not None and host_name(request.headers.get("Host", "")) not in (
            allowed_hosts
        ):
            return _text(403, "this host name is not served here")
        response: web.StreamResponse
        try:
            response = await handler(request)
        except web.HTTPException as error:
            kept = {"Allow": error.headers["Allow"]} if "Allow" in error.headers else {}
            response = _text(error.status, error.reason, kept)
        response.headers.update(_HEADERS)
        if cors_origin is not None:
            response.headers["Access-Control-Allow-Origin"] = cors_origin
            response.headers["Access-Control-Expose-Headers"] = "X-Result-Truncated"
        return response

    return guarded


def _text(status: int, message: str, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(status=status, text=f"{message}\n", headers=headers)
