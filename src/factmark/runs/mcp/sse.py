"""The transport of old MCP servers: a stream of events one way, POST requests the other.

HTTP with SSE of the protocol's version 2024-11-05. The SDK's own takes no event above 1 MB, and a
longer one ends its connection with all calls on it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urljoin, urlsplit

import anyio
import httpx2
from anyio.abc import TaskStatus
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from factmark.runs.mcp.stdio import message_of

Messages = MemoryObjectSendStream[SessionMessage | Exception]
_HEADERS = {"Accept": "text/event-stream", "Cache-Control": "no-store"}


@asynccontextmanager
async def sse_transport(
    client: httpx2.AsyncClient, url: str, *, longest_event: int
) -> AsyncGenerator[Any, None]:
    """The pair of streams that the SDK's client reads from and writes to.

    Args:
        longest_event: bytes of one event, which is one message.

    Raises:
        httpx2.HTTPError: the stream cannot be opened, or broke off.
    """
    sink, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, source = anyio.create_memory_object_stream[SessionMessage](0)
    async with client.stream("GET", url, headers=_HEADERS) as response:
        response.raise_for_status()
        events = httpx2.EventSource(response, max_event_size=longest_event)
        async with sink, read, write, source, anyio.create_task_group() as tasks:
            endpoint = await tasks.start(_read, events, url, sink)
            tasks.start_soon(_write, client, endpoint, source)
            yield read, write
            tasks.cancel_scope.cancel()


async def _read(
    events: httpx2.EventSource,
    url: str,
    sink: Messages,
    *,
    task_status: TaskStatus[str] = anyio.TASK_STATUS_IGNORED,
) -> None:
    """Passes messages on; the first event names where to post. The end of the stream is told."""
    known = False
    async with sink:
        async for event in events:
            if event.event == "endpoint" and not known:
                task_status.started(_same_origin(url, event.data))
                known = True
            elif event.event == "message" and event.data:
                await sink.send(message_of(event.data))
    if not known:
        raise httpx2.RemoteProtocolError("the event stream ended before it named an endpoint")


async def _write(
    client: httpx2.AsyncClient, endpoint: str, source: MemoryObjectReceiveStream[SessionMessage]
) -> None:
    async with source, anyio.create_task_group() as posts:
        async for message in source:
            posts.start_soon(_post, client, endpoint, message)


async def _post(client: httpx2.AsyncClient, endpoint: str, message: SessionMessage) -> None:
    body = message.message.model_dump(by_alias=True, mode="json", exclude_unset=True)
    (await client.post(endpoint, json=body)).raise_for_status()


def _same_origin(url: str, named: str) -> str:
    """The address to post to; the token goes to no other server than the one that was named."""
    target = urljoin(url, named)
    if urlsplit(target)[:2] != urlsplit(url)[:2]:
        raise httpx2.RemoteProtocolError("the event stream names an endpoint on another server")
    return target
