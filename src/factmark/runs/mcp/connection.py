"""One connection to an MCP server: opened in a task of its own, used from any."""

from __future__ import annotations

import asyncio
import errno
import json
import logging
import math
from collections.abc import Mapping, Sequence
from itertools import islice

import anyio
import httpx2
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    ContentBlock,
    ImageContent,
    Implementation,
    PaginatedRequestParams,
    ResourceLink,
    TextContent,
)
from mcp_types import Tool as OfferedTool
from pydantic import ValidationError

from factmark.errors import EndpointError, FactmarkError, InputError, library_words
from factmark.http.async_tools import first_error
from factmark.http.client import clean_line
from factmark.model import ToolStatus
from factmark.redaction import redacted
from factmark.runs.mcp.transports import BrokenStreamError, Notes, Way
from factmark.version import __version__

_MOST_PAGES = 100
_MOST_TOOLS = 1_000
_GRACE = 2.0  # seconds for the SDK to end a call that is late
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, ConnectionError)
_OLD_SERVER = frozenset({400, 404, 405, 406, 410, 415, 426})

for _name in ("mcp", "client"):  # the SDK's, whose tracebacks are no news to users
    logging.getLogger(_name).addHandler(logging.NullHandler())


class ExpiredError(Exception):
    """The server forgot the session; the call was not made."""


class McpConnection:
    """A connection, begun at once; await `opened` before the rest, and `close` it.

    The SDK's client must be entered and left in one task, so this one keeps it. Calls may come
    from any: they run at once, each waits for its own answer only, and each may be cancelled.

    Attributes:
        tools: the first thousand that the server offers.
        truncated: whether it offers more.
        server: its name and version.
    """

    def __init__(self, shown: str, ways: Sequence[Way], seconds: float) -> None:
        self.tools: tuple[OfferedTool, ...] = ()
        self.truncated = False
        self.server = ""
        self._client: Client | None = None
        self._broken = False
        self._calls = 0
        self._stop = asyncio.Event()
        self._opened: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(shown, ways, seconds))

    @property
    def is_over(self) -> bool:
        """Whether nothing is left of it."""
        return self._task.done()

    @property
    def alive(self) -> bool:
        """Whether calls can be made, as far as is known."""
        return not self._broken and not self.is_over

    async def opened(self) -> None:
        """Waits until the tools are listed.

        Raises:
            InputError: the command is not there.
            EndpointError: the server does not answer in time, refuses, or speaks no MCP.
        """
        self._client = await asyncio.shield(self._opened)

    async def close(self) -> None:
        """Ends it; a process that was started is gone afterwards, also where this is cancelled."""
        self._stop.set()
        cancelled: asyncio.CancelledError | None = None
        while not self._task.done():
            try:
                await asyncio.wait({self._task})
            except asyncio.CancelledError as error:
                cancelled = error  # the child goes first; the SDK bounds how long that takes
        if cancelled is not None:
            raise cancelled

    async def call(
        self, name: str, arguments: Mapping[str, object], seconds: float
    ) -> tuple[ToolStatus, str]:
        """The status and the whole text of a call. After `lost` no more can be made.

        Raises:
            ExpiredError: a new connection is needed, on which the call can be made.
        """
        self._calls += 1
        try:
            return await self._attempt(name, arguments, seconds)
        finally:
            self._calls -= 1
            if self._broken and not self._calls:
                self._stop.set()

    async def _live(self, shown: str, ways: Sequence[Way], seconds: float) -> None:
        """Opens the connection and keeps it until it is to end."""
        deadline = anyio.current_time() + seconds
        for number, way in enumerate(ways, start=1):
            notes = Notes()
            cause: BaseException = TimeoutError(f"{seconds:g}")
            try:
                with anyio.CancelScope(deadline=deadline) as scope:
                    await self._keep(way, notes, scope)
            except Exception as error:
                cause = first_error(error)
            if self._opened.done():
                return
            old = notes.status in _OLD_SERVER and not isinstance(cause, TimeoutError)
            if not old or number == len(ways):
                failure = await _start_failure(shown, cause, notes)
                failure.__cause__ = cause
                self._opened.set_exception(failure)
                return

    async def _keep(self, way: Way, notes: Notes, scope: anyio.CancelScope) -> None:
        """Connects, lists the tools, and keeps the connection open until it is to stop."""
        info = Implementation(name="factmark", version=__version__)
        async with way(notes) as target, Client(target, client_info=info, cache=None) as client:
            # What a model reads is text. A check against the server's own schema would run its
            # patterns here, where one of them could hold everything up.
            setattr(client.session, "validate_tool_result", _skip_schema_check)  # noqa: B010  # typed by its names
            self.tools, self.truncated = await _all_tools(client)
            named = client.server_info
            if named is None:
                self.server = ""
            else:
                self.server = f"{named.name} {named.version}".strip()
            scope.deadline = math.inf
            self._opened.set_result(client)
            await self._stop.wait()

    async def _attempt(
        self, name: str, arguments: Mapping[str, object], seconds: float
    ) -> tuple[ToolStatus, str]:
        """Makes a call once; returns its status and text. ExpiredError: the server has forgotten
        the session."""
        late = f"{name} gave no result within {seconds:g} s"
        if self._client is None:
            raise AssertionError("the connection is open")
        try:
            async with asyncio.timeout(seconds + _GRACE):
                result = await self._client.call_tool(
                    name, dict(arguments), read_timeout_seconds=seconds
                )
        except TimeoutError:
            return "timeout", late
        except MCPError as error:
            code = error.error.code
            text = error.error.message
            if code == REQUEST_TIMEOUT and "timed out" in text:
                return "timeout", late
            if code == CONNECTION_CLOSED and text.startswith(("Connection closed", "SSE stream")):
                return self._lost(name)
            if code == INVALID_REQUEST and text == "Session terminated":
                self._broken = True
                raise ExpiredError from error
            return "error", f"the server refused the call: {text} (code {code})"
        except _GONE:
            return self._lost(name)
        except Exception as error:
            if not self.alive:
                return self._lost(name)
            words = _words_of(first_error(error))
            return "error", f"the result of {name} does not follow the protocol: {words}"
        return ("error" if result.is_error else "ok"), whole_text(result)

    def _lost(self, name: str) -> tuple[ToolStatus, str]:
        """Marks the connection as broken; returns the status and text of the call that was lost
        with it."""
        self._broken = True
        return "lost", f"the server went away before {name} answered"


async def _skip_schema_check(_name: str, _result: CallToolResult) -> None:
    """Stands for the SDK's check of results against the server's schema, and does nothing."""


async def _all_tools(client: Client) -> tuple[tuple[OfferedTool, ...], bool]:
    """The tools that a server lists on all pages, and whether it lists more than are taken."""
    tools: dict[str, OfferedTool] = {}
    cursor: str | None = None
    seen: set[str | None] = set()
    while cursor not in seen:
        if len(seen) == _MOST_PAGES or len(tools) >= _MOST_TOOLS:
            return tuple(islice(tools.values(), _MOST_TOOLS)), True
        seen.add(cursor)
        page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        tools |= {tool.name: tool for tool in page.tools}
        cursor = page.next_cursor
    return tuple(islice(tools.values(), _MOST_TOOLS)), len(tools) > _MOST_TOOLS


def whole_text(result: CallToolResult) -> str:
    """The text of a result, or else its structured content; other media are named."""
    parts = [_block_text(block) for block in result.content]
    structured = result.structured_content
    has_text = any(isinstance(block, TextContent) and block.text for block in result.content)
    if structured is not None and not has_text:
        parts.append(json.dumps(structured, ensure_ascii=False))
    return "\n".join(part for part in parts if part)


def _block_text(block: ContentBlock) -> str:
    """The text of a part of a result; for other media a note of what it is."""
    if isinstance(block, TextContent):
        return block.text
    if isinstance(block, ImageContent | AudioContent):
        return _media_note(block.type, block.data)
    if isinstance(block, ResourceLink):
        return f"[{block.uri}]"
    if isinstance(block.resource, BlobResourceContents):
        return _media_note(f"file {block.resource.uri}", block.resource.blob)
    return block.resource.text


def _media_note(kind: str, data: str) -> str:
    """The kind and size of a part that is no text, without decoding it."""
    size = len(data) * 3 // 4 - data[-2:].count("=")
    return f"[{kind}, {max(0, size):,} bytes]"


def _words_of(error: BaseException) -> str:
    """Returns what an error says, in the fields of it that are known."""
    if isinstance(error, BrokenStreamError):
        return str(error)
    if isinstance(error, MCPError):
        return clean_line(redacted(error.error.message))
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"]))
        return clean_line(f"{place}: {first['msg']}")
    return library_words(error.__cause__ if isinstance(error.__cause__, OSError) else error)


async def _start_failure(shown: str, error: BaseException, notes: Notes) -> FactmarkError:
    """The error for a server that did not come up."""
    if isinstance(error, FactmarkError):
        return error
    if isinstance(error, OSError) and not isinstance(error, TimeoutError) and error.errno:
        reason = "is not there"
        if error.errno != errno.ENOENT:
            reason = f"cannot run ({error.strerror})"
        return InputError(f"{shown}: the command {reason}. Check its spelling and your PATH.")
    status = notes.status
    last_words = ""
    if not status:
        last_words = await notes.last_words()
    wrote = ""
    if last_words:
        wrote = f" It wrote: {last_words}"
    words = _words_of(error)
    if status in (401, 403):
        hint = "Name the environment variable that holds its token, and check the token."
        return EndpointError(f"{shown} refuses access (HTTP {status}). {hint}")
    if isinstance(error, TimeoutError):
        hint = "Give it more time, or check that it speaks MCP."
        return EndpointError(f"{shown} was not ready after {error} s. {hint}{wrote}")
    if status >= 400:
        return EndpointError(f"{shown} answers HTTP {status}. Check the address, path included.")
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        return EndpointError(f"{shown} cannot be reached ({words}). Is it running?")
    if isinstance(error, MCPError) and "closed" in error.error.message.lower() and not status:
        hint = "Run its command by hand to see why."
        return EndpointError(
            f"{shown} ended, or closed its output, before it answered. {hint}{wrote}"
        )
    return EndpointError(
        f"{shown} does not speak MCP ({words}). Check its address or command.{wrote}"
    )
