"""How an MCP server is reached: a process that is started here, streamable HTTP, or SSE."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
from mcp.client.streamable_http import streamable_http_client

from factmark import __version__
from factmark.http.secret import Secret
from factmark.runs.mcp.spec import McpServerSpec
from factmark.runs.mcp.sse import sse_transport
from factmark.runs.mcp.stdio import stdio_transport

LONGEST_MESSAGE = 64 * 2**20  # bytes of one message
_KEPT_STDERR = 4_000
_POOL = 256  # requests in flight at once
_LAST_WORDS_SECONDS = 0.5
_SECRET_NAME = re.compile(r"key|token|secret|pass|auth|credential", re.IGNORECASE)


@dataclass(slots=True)
class Notes:
    """What is seen of a server beside its messages.

    Attributes:
        status: the HTTP status of its last answer; 0 before the first.
        stderr: the end of what a process writes there.
        closed: set when that stream has ended.
    """

    status: int = 0
    stderr: bytes = b""
    closed: asyncio.Event = field(default_factory=asyncio.Event)

    def wrote(self, chunk: bytes) -> None:
        """Keeps the end of what a process writes to stderr."""
        self.stderr = (self.stderr + chunk)[-_KEPT_STDERR:]
        if not chunk:
            self.closed.set()

    async def last_words(self) -> str:
        """The last lines of stderr, once the process had a moment to finish them."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await self.closed.wait()
        lines = self.stderr.decode("utf-8", "replace").strip().splitlines()
        return " / ".join(line.strip() for line in lines[-3:])[:400]


def hider(spec: McpServerSpec) -> Callable[[str], str]:
    """Strikes the server's token, and keys that it gets by name, out of what it says."""
    names = [name for name in spec.env if _SECRET_NAME.search(name)]
    if spec.token_env is not None:
        names.append(spec.token_env)
    secrets = [Secret(os.environ[name].strip()) for name in names if os.environ.get(name)]

    def hide(text: str) -> str:
        data = text.encode("utf-8", "replace")
        for secret in secrets:
            data = secret.hide_in(data)
        return data.decode("utf-8", "replace")

    return hide if secrets else lambda text: text


Opened = AbstractAsyncContextManager[Any]
"""Yields what the SDK's client takes as its server."""


def openers(
    spec: McpServerSpec, *, seconds: float, connect: float
) -> list[Callable[[Notes], Opened]]:
    """How to reach a server, in the order in which it is to be tried.

    Args:
        seconds: of the longest call.
        connect: seconds to get a connection.

    Raises:
        InputError: an environment variable that is needed is missing.
    """
    if spec.transport == "stdio":
        environment = spec.environment()
        return [lambda notes: _process(spec, environment, notes)]
    token = Secret.from_environment(spec.token_env, needed=spec.token_env is not None)
    timeout = httpx2.Timeout(connect, read=max(300.0, seconds + 60.0))

    def over(kind: Literal["http", "sse"]) -> Callable[[Notes], Opened]:
        return lambda notes: _web(spec.url, kind, token, timeout, notes)

    return [over("http"), over("sse")] if spec.transport == "http" else [over("sse")]


@asynccontextmanager
async def _process(
    spec: McpServerSpec, environment: dict[str, str], notes: Notes
) -> AsyncGenerator[Any, None]:
    yield stdio_transport(spec.command, environment, notes, longest_line=LONGEST_MESSAGE)


@asynccontextmanager
async def _web(
    url: str, kind: Literal["http", "sse"], token: Secret, timeout: httpx2.Timeout, notes: Notes
) -> AsyncGenerator[Any, None]:
    async def note(response: httpx2.Response) -> None:
        notes.status = response.status_code

    headers = {"User-Agent": f"factmark/{__version__}"}
    if token:
        headers["Authorization"] = f"Bearer {token.reveal()}"
    async with httpx2.AsyncClient(
        headers=headers,
        timeout=timeout,
        limits=httpx2.Limits(max_connections=_POOL, max_keepalive_connections=_POOL),
        event_hooks={"response": [note]},
        trust_env=False,
    ) as client:
        if kind == "sse":
            yield sse_transport(client, url, longest_event=LONGEST_MESSAGE)
        else:
            yield streamable_http_client(
                url, http_client=client, max_sse_event_size=LONGEST_MESSAGE
            )
