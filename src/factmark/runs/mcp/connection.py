"""One connection to an MCP server, in a task of its own.

The SDK's client must be entered and left in one task. Calls may come from any task: they run at
once, each waits for its own answer only, and each may be cancelled.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import anyio
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INVALID_REQUEST,
    REQUEST_TIMEOUT,
    CallToolResult,
    Implementation,
    PaginatedRequestParams,
)
from mcp_types import Tool as OfferedTool

from factmark import __version__
from factmark.ask.chat import ToolResult
from factmark.files.text_files import storable
from factmark.runs.mcp.results import cut, first_cause, start_failure, whole_text
from factmark.runs.mcp.transports import Notes, Opened

_MOST_PAGES = 100
_MOST_TOOLS = 1_000
_GRACE = 2.0  # seconds for the SDK to end a call that is late
_GONE = (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, ConnectionError)
_OLD_SERVER = frozenset({400, 404, 405, 406, 410, 415, 426})

for _name in ("mcp", "client"):  # the SDK's, whose tracebacks are no news to users
    logging.getLogger(_name).addHandler(logging.NullHandler())


class ExpiredError(Exception):
    """The server forgot the session; the call was not made."""


class Connection:
    """A connection that was opened by `open`. It ends by `close`, and never by itself.

    Args:
        shown: the server, for messages.
        ways: how to reach it, in the order in which they are tried.

    Attributes:
        tools: the first thousand that the server offers.
        truncated: whether it offers more.
        server: its name and version.
    """

    def __init__(self, shown: str, ways: Sequence[Callable[[Notes], Opened]]) -> None:
        self._shown = shown
        self._ways = ways
        self._client: Client | None = None
        self._stop = asyncio.Event()
        self._open = asyncio.Event()
        self._broken = False
        self._calls = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._task: asyncio.Task[None] | None = None
        self.tools: tuple[OfferedTool, ...] = ()
        self.truncated = False
        self.server = ""

    @classmethod
    async def open(
        cls, shown: str, ways: Sequence[Callable[[Notes], Opened]], *, seconds: float
    ) -> Connection:
        """Connects and lists the tools, within `seconds`.

        Raises:
            InputError: the command is not there.
            EndpointError: the server does not answer, refuses, or speaks no MCP.
        """
        made = cls(shown, ways)
        made._task = asyncio.create_task(made._live(seconds))
        opened = asyncio.create_task(made._open.wait())
        try:
            await asyncio.wait({made._task, opened}, return_when=asyncio.FIRST_COMPLETED)
            if made._task.done():
                made._task.result()
                raise AssertionError("a connection that was not opened ends with an error")
        except BaseException:
            await made.close()
            raise
        finally:
            opened.cancel()
        return made

    @property
    def alive(self) -> bool:
        """Whether calls can be made, as far as is known."""
        return not self._broken and self._task is not None and not self._task.done()

    async def call(
        self,
        name: str,
        arguments: Mapping[str, object],
        *,
        seconds: float,
        chars: int,
        hide: Callable[[str], str] = str,
    ) -> ToolResult:
        """Calls a tool; see `ToolServer.call`. After the status `lost` the connection is dead.

        Raises:
            ExpiredError: a new connection is needed, on which the call can be made.
        """
        started = time.perf_counter()
        self._calls += 1
        self._idle.clear()
        try:
            status, text = await self._attempt(name, arguments, seconds)
        finally:
            self._calls -= 1
            if not self._calls:
                self._idle.set()
        text = hide(storable(text))
        return ToolResult(
            text=cut(text, chars),
            status=status,
            seconds=time.perf_counter() - started,
            size=len(text),
        )

    async def close(self, *, when_idle: bool = False) -> None:
        """Ends the connection; a process that was started is gone afterwards."""
        if when_idle:
            await self._idle.wait()
        self._stop.set()
        left: asyncio.CancelledError | None = None
        while self._task is not None and not self._task.done():
            try:
                await asyncio.wait({self._task})
            except asyncio.CancelledError as error:
                left = error  # the child goes first; the SDK bounds how long that takes
        if self._task is not None and not self._task.cancelled():
            self._task.exception()  # taken note of: a dead server is told by the calls
        if left is not None:
            raise left

    async def _live(self, seconds: float) -> None:
        """Opens the connection and keeps it until it is to end. Raises only if it never opened."""
        deadline = anyio.current_time() + seconds
        for number, way in enumerate(self._ways, start=1):
            notes = Notes()
            late = False
            try:
                with anyio.CancelScope(deadline=deadline) as scope:
                    await self._with(way, notes, scope)
                late = scope.cancelled_caught
            except Exception as error:
                if self._open.is_set():
                    return
                if number < len(self._ways) and notes.status in _OLD_SERVER:
                    continue
                raise await start_failure(self._shown, first_cause(error), notes) from error
            if late and not self._open.is_set():
                raise await start_failure(self._shown, TimeoutError(f"{seconds:g}"), notes)
            return

    async def _with(
        self, way: Callable[[Notes], Opened], notes: Notes, scope: anyio.CancelScope
    ) -> None:
        info = Implementation(name="factmark", version=__version__)
        async with way(notes) as target, Client(target, client_info=info, cache=None) as client:
            # What a model reads is text. A check against the server's own schema would run its
            # patterns here, where one of them could hold everything up.
            setattr(client.session, "validate_tool_result", _unchecked)  # noqa: B010  # typed by its names
            self.tools, self.truncated = await _all_tools(client)
            named = client.server_info
            self.server = "" if named is None else f"{named.name} {named.version}".strip()
            scope.deadline = math.inf
            self._client = client
            self._open.set()
            await self._stop.wait()

    async def _attempt(
        self, name: str, arguments: Mapping[str, object], seconds: float
    ) -> tuple[Any, str]:
        """The status and the text of one call."""
        if self._client is None:
            raise AssertionError("the connection is open")
        try:
            async with asyncio.timeout(seconds + _GRACE):
                result = await self._client.call_tool(
                    name, dict(arguments), read_timeout_seconds=seconds
                )
        except TimeoutError:
            return "timeout", _late(name, seconds)
        except MCPError as error:
            return self._refused(error, name, seconds)
        except _GONE:
            return self._lost(name)
        except Exception as error:
            if not self.alive:
                return self._lost(name)
            text = f"the result of {name} does not follow the protocol: {first_cause(error)}"
            return "error", text[:2_000]
        return ("error" if result.is_error else "ok"), whole_text(result)

    def _refused(self, error: MCPError, name: str, seconds: float) -> tuple[str, str]:
        code, text = error.error.code, error.error.message
        if code == REQUEST_TIMEOUT and "timed out" in text:
            return "timeout", _late(name, seconds)
        if code == CONNECTION_CLOSED and text.startswith(("Connection closed", "SSE stream")):
            return self._lost(name)
        if code == INVALID_REQUEST and text == "Session terminated":
            self._broken = True
            raise ExpiredError
        return "error", f"the server refused the call: {text} (code {code})"

    def _lost(self, name: str) -> tuple[str, str]:
        self._broken = True
        return "lost", f"the server went away before {name} answered"


def _late(name: str, seconds: float) -> str:
    return f"{name} gave no result within {seconds:g} s"


async def _unchecked(_name: str, _result: CallToolResult) -> None: ...


async def _all_tools(client: Client) -> tuple[tuple[OfferedTool, ...], bool]:
    """The tools of all pages, and whether a server that has too many of either was cut off."""
    found: list[OfferedTool] = []
    cursor: str | None = None
    seen: set[str] = set()
    cut_off = True
    for _ in range(_MOST_PAGES):
        page = await client.session.list_tools(params=PaginatedRequestParams(cursor=cursor))
        found.extend(page.tools)
        cursor = page.next_cursor
        if cursor is None or cursor in seen:
            cut_off = False
            break
        if len(found) >= _MOST_TOOLS:
            break
        seen.add(cursor)
    named = {tool.name: tool for tool in found}
    return tuple(islice(named.values(), _MOST_TOOLS)), cut_off or len(named) > _MOST_TOOLS
