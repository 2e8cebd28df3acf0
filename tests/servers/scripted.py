"""A real HTTP server on a free port that answers as a test tells it to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True, kw_only=True)
class Scripted:
    """The running server: its URL, and what it was asked, in order.

    Attributes:
        script: one answer per request; the last one is used for all that follow.
    """

    url: str
    script: list[Answer]
    requests: list[web.Request] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def scripted(*script: Answer) -> AsyncIterator[Scripted]:
    """Serves the script at `url`, whatever the path and method."""

    async def handle(request: web.Request) -> web.StreamResponse:
        state.requests.append(request)
        state.bodies.append(await request.read())
        answer = state.script.pop(0) if len(state.script) > 1 else state.script[0]
        return await answer(request)

    app = web.Application(client_max_size=2**24)
    app.router.add_route("*", "/{path:.*}", handle)
    async with running(app) as url:
        state = Scripted(url=f"{url}/sparql", script=list(script))
        yield state


@asynccontextmanager
async def running(
    app: web.Application, *, host: str = "127.0.0.1", port: int = 0
) -> AsyncIterator[str]:
    """Runs an application on the loopback, by default on a free port; gives `http://host:port`."""
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield f"http://{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def says(
    body: str | bytes,
    *,
    status: int = 200,
    media: str = "application/sparql-results+json",
    **headers: str,
) -> Answer:
    """An answer with this body; header names are written with underscores."""

    async def answer(_request: web.Request) -> web.StreamResponse:
        data = body.encode() if isinstance(body, str) else body
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if media:
            named["Content-Type"] = media
        response = web.Response(status=status, body=data, headers=named)
        if not media:
            response.headers.popall("Content-Type", None)
        return response

    return answer
