"""The MCP server for other programs: over stdio, streamable HTTP and SSE."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from factmark.ehds.mcp_server import require_mcp
from factmark.ehds.mcp_server.server import build_server
from factmark.files.text_files import sound
from factmark.http.addresses import LOOPBACK, host_name, is_loopback
from factmark.http.serving import BACKLOG, Door, listening, stopping
from factmark.stores.store import Store

if TYPE_CHECKING:
    import uvicorn
    from starlette.applications import Starlette
    from starlette.datastructures import Headers
    from starlette.responses import PlainTextResponse
    from starlette.types import ASGIApp, Receive, Scope, Send

_LONGEST_LINE = 16 * 2**20  # of one message on stdin
_SHUTDOWN_SECONDS = 2


async def serve_stdio(store: Store) -> None:
    """Serves on stdin and stdout until stdin ends, or the process is asked to stop.

    Only the protocol goes to stdout; what else would be written there goes to stderr.

    Raises:
        InputError: the extra is missing.
    """
    require_mcp()
    from mcp.server.stdio import stdio_server

    server = build_server(store)._lowlevel_server  # the SDK lets only this one have other streams

    async def run() -> None:
        async with stdio_server(stdin=await _lines()) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    with stopping() as stop:
        serving = asyncio.create_task(run())
        asked = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        if not serving.done():
            serving.cancel()
        try:
            await serving
        except asyncio.CancelledError:
            pass
        except BaseExceptionGroup as group:
            if group.split(BrokenPipeError)[1] is not None:
                raise
            _forget_stdout()  # the client reads no more: that is the end of the session


async def serve_http(
    store: Store,
    *,
    host: str,
    port: int,
    allowed_hosts: Sequence[str] = (),
    ready: Callable[[str], None],
) -> None:
    """Serves streamable HTTP at `/mcp`, and SSE for old clients at `/sse`, until asked to stop.

    Args:
        port: 0 for any free one.
        allowed_hosts: names, beside `host` and those of this machine itself, that a client may
            use. Requests for other names, and those of other sites' pages, are refused (DNS
            rebinding).
        ready: called with the URL once it listens.

    Raises:
        InputError: the extra is missing, or the address cannot be listened on.
    """
    require_mcp()
    app = http_app(store, host=host, allowed_hosts=allowed_hosts)
    hint = "choose another address with --http"
    with listening(host, port, hint=hint) as taken, stopping() as stop:
        server = _http_server(app)
        serving = asyncio.create_task(server.serve(sockets=[taken]))
        asked = asyncio.create_task(stop.wait())
        name = f"[{host}]" if ":" in host else host
        ready(f"http://{name}:{taken.getsockname()[1]}/mcp")
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        server.should_exit = True
        await serving


def http_app(store: Store, *, host: str, allowed_hosts: Sequence[str] = ()) -> Starlette:
    """The application behind `serve_http`."""
    from mcp.server.transport_security import TransportSecuritySettings

    names = {*LOOPBACK, host, *allowed_hosts}
    if not is_loopback(host):
        names.add(socket.gethostname())
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # see Gate
    server = build_server(store)
    app = server.streamable_http_app(transport_security=security, host=host)
    app.router.routes.extend(server.sse_app(transport_security=security, host=host).routes)
    app.add_middleware(Gate, names={name.lower() for name in names})
    return app


def _http_server(app: Starlette) -> uvicorn.Server:
    """A server that leaves signals to us and writes no access log."""
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    door = Door()

    class Server(uvicorn.Server):
        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            yield

    return Server(
        uvicorn.Config(
            door.asgi(app),
            http=door.watched(H11Protocol),  # type: ignore[arg-type]  # called as the class would be
            access_log=False,
            log_level="warning",
            proxy_headers=False,
            server_header=False,
            ws="none",
            timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
            backlog=BACKLOG,
        )
    )


def _forget_stdout() -> None:
    """Lets what is still to be written at exit go nowhere, instead of into a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


async def _lines() -> Any:
    """The lines of stdin, read without a thread: one that reads could not be ended by a signal.

    None, the SDK's own way, where stdin is a file or a terminal.
    """
    mode = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return None
    stream = asyncio.StreamReader(limit=_LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), sys.stdin.buffer)
    return _decoded(stream)


async def _decoded(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # longer than a message may be: the rest of it is no message either
            continue
        if not line:
            return
        text = line.decode("utf-8", "replace")
        yield _mended(text) if "\\u" in text else text


def _mended(text: str) -> str:
    """The message without lone surrogates, which the SDK would drop it for unanswered."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.dumps(sound(json.loads(text))) + "\n"
    return text


class Gate:
    """Refuses DNS rebinding before any route sees the request: who may speak to the HTTP server.

    The SDK's own check compares beginnings of names, and raises after it has refused.

    Args:
        names: in lower case; any port is meant.
    """

    def __init__(self, app: ASGIApp, names: Collection[str]) -> None:
        self._app, self._names = app, frozenset(names)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, or answers it."""
        from starlette.datastructures import Headers

        refusal = self._refusal(Headers(scope=scope)) if scope["type"] == "http" else None
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        from starlette.responses import PlainTextResponse

        if host_name(headers.get("host", "")) not in self._names:
            text = "This name is not served here; see --allow-host."
            return PlainTextResponse(text, HTTPStatus.MISDIRECTED_REQUEST)
        origin = headers.get("origin")
        if origin is not None and not self._is_ours(origin):
            return PlainTextResponse("Pages of other sites are refused.", HTTPStatus.FORBIDDEN)
        return None

    def _is_ours(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and host_name(parts.netloc) in self._names
