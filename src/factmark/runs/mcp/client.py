"""Tools of any MCP server, for models under test: over stdio, streamable HTTP and SSE."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from time import perf_counter
from typing import TYPE_CHECKING

from factmark.ask.chat import Tool, ToolResult, ToolServer
from factmark.ehds.mcp_server import require_mcp
from factmark.errors import EndpointError, FactmarkError, InputError
from factmark.files.text_files import mend_texts, without_surrogates
from factmark.redaction import redacted
from factmark.runs.mcp.spec import McpServerSpec
from factmark.stores.store import Store

if TYPE_CHECKING:
    from mcp_types import Tool as OfferedTool

    from factmark.runs.mcp.connection import McpConnection
    from factmark.runs.mcp.transports import Way

_MOST_DEATHS = 5  # one after another, without a result between
_LONGEST_NAME = 80


def open_tools(
    spec: McpServerSpec,
    *,
    tool_seconds: float = 30.0,
    result_chars: int = 20_000,
    start_seconds: float = 30.0,
) -> AbstractAsyncContextManager[ToolServer]:
    """The tools of a server, as long as the block runs; a started process is gone after it.

    Calls may come from many tasks at once. A server that dies is started or connected to once
    more by the next call; the calls in flight are `lost`.

    Args:
        tool_seconds: for one call; a later result is not waited for.
        result_chars: of a result that are kept.
        start_seconds: until the server has listed its tools.

    Raises:
        InputError: the extra is missing, the command is not there, an environment variable is not
            set, or a tool that is wanted is not offered.
        EndpointError: the server cannot be reached, refuses access, or speaks no MCP.
    """
    require_mcp()
    from factmark.runs.mcp.transports import add_secrets_of_server, ways_to

    if tool_seconds <= 0 or start_seconds <= 0 or result_chars < 1:
        raise InputError("the limits of tool calls must be above zero.")
    add_secrets_of_server(spec)
    return McpTools(
        spec.shown,
        spec.label,
        ways_to(spec, seconds=tool_seconds, connect=start_seconds),
        wanted=spec.tools,
        tool_seconds=tool_seconds,
        result_chars=result_chars,
        start_seconds=start_seconds,
    ).started()


def builtin_tools(
    store: Store, *, tool_seconds: float = 30.0, result_chars: int = 20_000
) -> AbstractAsyncContextManager[ToolServer]:
    """The seven tools over a store, within this process, as `open_tools` gives those of others.

    The store is not closed.

    Raises:
        InputError: the extra is missing.
    """
    require_mcp()
    from factmark.ehds.mcp_server import build_server

    server = build_server(store)
    return McpTools(
        "the built-in MCP server",
        f"builtin {store.identity}",
        [lambda _notes: nullcontext(server)],
        tool_seconds=tool_seconds,
        result_chars=result_chars,
    ).started()


class McpTools:
    """A `ToolServer` over an MCP server, whose connections may die; see `open_tools`.

    Args:
        shown: the server, for messages.
        label: its host or program, for the identity.
        ways: how to reach it, in the order in which they are tried.
        wanted: the tools to offer; None for all.

    Attributes:
        identity: the server's name and version, its host or program, and a digest of its tools.
            A `+` at the end: it has more tools than the thousand that are used.
        tools: those that are offered, in the server's order.
    """

    def __init__(
        self,
        shown: str,
        label: str,
        ways: Sequence[Way],
        *,
        wanted: Sequence[str] | None = None,
        tool_seconds: float,
        result_chars: int,
        start_seconds: float = 30.0,
    ) -> None:
        self.identity = ""
        self.tools: tuple[Tool, ...] = ()
        self._shown = shown
        self._label = label
        self._ways = ways
        self._wanted = wanted
        self._tool_seconds = tool_seconds
        self._result_chars = result_chars
        self._start_seconds = start_seconds
        self._connection: McpConnection | None = None
        self._connections: list[McpConnection] = []  # those that died too: their calls may go on
        self._connecting = asyncio.Lock()
        self._deaths = 0
        self._gone: FactmarkError | None = None

    @asynccontextmanager
    async def started(self) -> AsyncIterator[ToolServer]:
        """Connects; at the end all connections, and a process that was started, are gone."""
        try:
            connection = self._connection = await self._connect()
            self.tools = tuple(self._cleaned(tool) for tool in self._chosen(connection))
            server = _one_line(redacted(connection.server)) or "unnamed"
            more = ""
            if self._wanted is None and connection.truncated:
                more = "+"
            digest = _tools_digest(self.tools)
            self.identity = f"mcp:{server}@{_one_line(self._label)}#{digest}{more}"
            yield self
        finally:
            self._gone = self._gone or EndpointError(f"{self._shown} is closed.")
            closing = [connection.close() for connection in self._connections]
            await asyncio.gather(*closing, return_exceptions=True)

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Calls a tool; never waits for another call. See `ToolServer.call`."""
        from factmark.runs.mcp.connection import ExpiredError

        if all(tool.name != name for tool in self.tools):
            offered = ", ".join(tool.name for tool in self.tools)
            text = f"there is no tool {name[:_LONGEST_NAME]!r}; there are: {offered}"
            return ToolResult(text=cut(text, self._result_chars), status="unknown", size=len(text))
        for _ in range(2):
            connection = await self._connected()
            begun = perf_counter()
            try:
                status, whole = await connection.call(name, arguments, self._tool_seconds)
            except ExpiredError:
                continue
            if status != "lost":
                self._deaths = 0
            text = redacted(without_surrogates(whole))
            seconds = perf_counter() - begun
            shown = cut(text, self._result_chars)
            return ToolResult(text=shown, status=status, seconds=seconds, size=len(text))
        raise EndpointError(f"{self._shown} ends each session at once; no call can be made.")

    async def _connected(self) -> McpConnection:
        """The connection, a new one if the last has died."""
        async with self._connecting:
            if self._gone is not None:
                raise self._gone
            if self._connection is not None and self._connection.alive:
                return self._connection
            self._deaths += 1
            try:
                if self._deaths > _MOST_DEATHS:
                    raise EndpointError(
                        f"{self._shown} died {_MOST_DEATHS} times one after another without a "
                        "result between. See to it, then run again."
                    )
                self._connection = await self._connect()
            except FactmarkError as error:
                self._gone = EndpointError(f"the server went away and did not come back: {error}")
                raise self._gone from error
            return self._connection

    async def _connect(self) -> McpConnection:
        """Opens a new connection. FactmarkError: the server did not come up."""
        from factmark.runs.mcp.connection import McpConnection

        connection = McpConnection(self._shown, self._ways, self._start_seconds)
        self._connections = [*(old for old in self._connections if not old.is_over), connection]
        await connection.opened()
        return connection

    def _chosen(self, connection: McpConnection) -> list[OfferedTool]:
        """The tools that are wanted; raises InputError where one is not there."""
        names = [tool.name for tool in connection.tools]
        missing = []
        for name in self._wanted or ():
            if name not in names:
                missing.append(name)
        if missing and connection.truncated:
            raise InputError(
                f"{self._shown} offers too many tools: {missing[0]!r} is not among the first "
                f"{len(names):,}, and no more are read."
            )
        if missing:
            there = redacted(", ".join(names)) or "none"
            raise InputError(f"{self._shown} has no tool {missing[0]!r}; it has: {there}.")
        if not names:
            raise EndpointError(f"{self._shown} offers no tools; there is nothing to call.")
        wanted = set(names if self._wanted is None else self._wanted)
        return [tool for tool in connection.tools if tool.name in wanted]

    def _cleaned(self, tool: OfferedTool) -> Tool:
        """A tool without secrets; raises EndpointError if its name holds one: who could call it?"""
        if redacted(tool.name) != tool.name:
            raise EndpointError(
                f"{self._shown} names a tool after a secret that it was given. Do not use it."
            )
        return Tool(
            name=tool.name,
            description=redacted(tool.description or ""),
            schema=mend_texts(tool.input_schema, redacted),
        )


def cut(text: str, limit: int) -> str:
    """At most `limit` characters; a last line says how many were left out."""
    if len(text) <= limit:
        return text
    kept = limit
    for _ in range(3):  # the number in the note may need a digit more
        note = f"\n[{len(text) - kept:,} more characters were left out]"
        kept = max(0, limit - len(note))
    return (text[:kept] + note)[:limit]


def _tools_digest(tools: Sequence[Tool]) -> str:
    """A hash of the names, descriptions and arguments of tools."""
    text = json.dumps([[t.name, t.description, t.schema] for t in tools], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _one_line(text: str) -> str:
    """A name that a server gave itself, fit for one line."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:_LONGEST_NAME]
