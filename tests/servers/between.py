"""A proxy between a client and a server: counts what passes, loses answers, calls at a moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Literal, Self

import aiohttp
from aiohttp import web

from servers.scripted import running

When = Literal["before", "during", "after"]


@dataclass(slots=True)
class Between:
    """Passes requests on; use it as an asynchronous context manager.

    Attributes:
        to: the server's URL.
        url: its own.
        seen: method and path of each request.
        lose: for a request's method and path, whether its answer is lost; it is carried out.
        at: the number of the request (from 1) at which `then` is called.
        when: before the request is passed on, while the server is at it, or after its answer came;
            that request gets no answer.
    """

    to: str
    url: str = ""
    seen: list[tuple[str, str]] = field(default_factory=list)
    lose: Callable[[str, str], bool] = lambda _method, _path: False
    at: int = 0
    when: When = "before"
    then: Callable[[], Awaitable[None]] | None = None
    _open: AsyncExitStack = field(default_factory=AsyncExitStack)
    _client: aiohttp.ClientSession | None = None

    @property
    def writes(self) -> list[tuple[str, str]]:
        """Requests that may change something."""
        return [one for one in self.seen if one[0] != "GET"]

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=2**28)
        app.router.add_route("*", "/{path:.*}", self._pass)
        self.url = await self._open.enter_async_context(running(app))
        connector = aiohttp.TCPConnector(force_close=True)
        session = aiohttp.ClientSession(connector=connector, auto_decompress=False)
        self._client = await self._open.enter_async_context(session)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.aclose()

    async def _pass(self, request: web.Request) -> web.StreamResponse:
        self.seen.append((request.method, request.path))
        body = await request.read()
        if len(self.seen) == self.at and self.then is not None:
            await self._moment(request, body)
            return self._hang_up(request)
        try:
            status, headers, data = await self._forward(request, body)
        except aiohttp.ClientError:
            return self._hang_up(request)
        if self.lose(request.method, request.path):
            return self._hang_up(request)
        return web.Response(status=status, headers=headers, body=data)

    async def _moment(self, request: web.Request, body: bytes) -> None:
        assert self.then is not None
        if self.when == "after":
            await self._forward(request, body)
        if self.when == "during":
            going = asyncio.create_task(self._forward(request, body))
            await asyncio.wait([going], timeout=0.02)
            await self.then()
            await asyncio.wait([going])
            going.exception()
        else:
            await self.then()

    async def _forward(self, request: web.Request, body: bytes) -> tuple[int, Any, bytes]:
        assert self._client is not None
        headers = {
            name: value
            for name, value in request.headers.items()
            if name in ("Authorization", "Content-Type", "Accept")
        }
        async with self._client.request(
            request.method, self.to + request.path_qs, data=body or None, headers=headers
        ) as answer:
            kind = {"Content-Type": answer.headers.get("Content-Type", "application/json")}
            return answer.status, kind, await answer.read()

    @staticmethod
    def _hang_up(request: web.Request) -> web.StreamResponse:
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=502)
