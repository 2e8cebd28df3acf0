"""The tools of an MCP server for a whole run, over connections that may die."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mcp_types import Tool as OfferedTool

from factmark.ask.chat import Tool, ToolResult
from factmark.errors import EndpointError, FactmarkError, InputError
from factmark.runs.mcp.connection import Connection, ExpiredError
from factmark.runs.mcp.results import cut
from factmark.runs.mcp.transports import Notes, Opened

_MOST_DEATHS = 5  # one after another, without a result between
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one call may take; see `open_tools`."""

    tool_seconds: float
    result_chars: int
    start_seconds: float


class Session:
    """A `ToolServer` over an MCP server; see `factmark.runs.mcp.client.open_tools`.

    Args:
        shown: the server, for messages.
        label: its host or program, for the identity.
        ways: how to reach it.
        wanted: the tools to offer; None for all.
        hide: strikes secrets out of a text.
    """

    def __init__(
        self,
        shown: str,
        label: str,
        ways: Sequence[Callable[[Notes], Opened]],
        limits: Limits,
        wanted: Sequence[str] | None = None,
        hide: Callable[[str], str] = str,
    ) -> None:
        self._hide = hide
        self._shown, self._label, self._ways = shown, label, ways
        self._limits, self._wanted = limits, wanted
        self._connection: Connection | None = None
        self._lock = asyncio.Lock()
        self._retired: set[asyncio.Task[None]] = set()
        self._deaths = 0
        self._gone: FactmarkError | None = None
        self._tools: tuple[Tool, ...] = ()
        self._identity = ""

    @property
    def identity(self) -> str:
        """The server's name and version, its host or program, and a digest of its tools.

        A `+` at the end: it has more tools than the thousand that are used.
        """
        return self._identity

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools that are offered, in the server's order."""
        return self._tools

    async def start(self) -> None:
        """Connects for the first time; raises as `open_tools` does."""
        self._connection = await self._connect()
        self._tools = tuple(self._cleaned(tool) for tool in self._chosen(self._connection))
        server = _plain(self._hide(self._connection.server)) or "unnamed"
        more = "+" if self._wanted is None and self._connection.truncated else ""
        self._identity = f"mcp:{server}@{_plain(self._label)}#{_digest(self._tools)}{more}"

    def _chosen(self, connection: Connection) -> list[OfferedTool]:
        """The tools that are wanted; raises InputError where one is not there."""
        names = [tool.name for tool in connection.tools]
        missing = [name for name in self._wanted or () if name not in names]
        if missing and connection.truncated:
            raise InputError(
                f"{self._shown} offers too many tools: {missing[0]!r} is not among the first "
                f"{len(names):,}, and no more are read."
            )
        if missing:
            there = self._hide(", ".join(names)) or "none"
            raise InputError(f"{self._shown} has no tool {missing[0]!r}; it has: {there}.")
        if not names:
            raise EndpointError(f"{self._shown} offers no tools; there is nothing to call.")
        wanted = set(names if self._wanted is None else self._wanted)
        return [tool for tool in connection.tools if tool.name in wanted]

    def _cleaned(self, tool: OfferedTool) -> Tool:
        """A tool without secrets; raises EndpointError if its name holds one: who could call it?"""
        if self._hide(tool.name) != tool.name:
            raise EndpointError(
                f"{self._shown} names a tool after a secret that it was given. Do not use it."
            )
        return Tool(
            name=tool.name,
            description=self._hide(tool.description or ""),
            schema={
                self._hide(key): _hidden(value, self._hide)
                for key, value in tool.input_schema.items()
            },
        )

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Calls a tool; never waits for another call. See `ToolServer.call`."""
        if all(tool.name != name for tool in self._tools):
            offered = ", ".join(tool.name for tool in self._tools)
            text = f"there is no tool {name[:_LONGEST_NAME]!r}; there are: {offered}"
            return ToolResult(
                text=cut(text, self._limits.result_chars), status="unknown", size=len(text)
            )
        for _ in range(2):
            connection = await self._connected()
            try:
                result = await connection.call(
                    name,
                    arguments,
                    seconds=self._limits.tool_seconds,
                    chars=self._limits.result_chars,
                    hide=self._hide,
                )
            except ExpiredError:
                continue
            if result.status != "lost":
                self._deaths = 0
            return result
        raise EndpointError(f"{self._shown} ends each session at once; no call can be made.")

    async def close(self) -> None:
        """Ends all connections; a process that was started is gone afterwards."""
        self._gone = self._gone or EndpointError(f"{self._shown} is closed.")
        connections = [] if self._connection is None else [self._connection.close()]
        for task in self._retired:
            task.cancel()  # it waits for calls that nobody waits for any more; closing goes on
        await asyncio.gather(*connections, *self._retired, return_exceptions=True)

    async def _connected(self) -> Connection:
        """The connection, a new one if the last has died."""
        async with self._lock:
            if self._gone is not None:
                raise self._gone
            if self._connection is not None and self._connection.alive:
                return self._connection
            if self._connection is not None:
                self._retire(self._connection)
                self._connection = None
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

    async def _connect(self) -> Connection:
        seconds = self._limits.start_seconds
        try:
            return await Connection.open(self._shown, self._ways, seconds=seconds)
        except FactmarkError as error:
            raise type(error)(self._hide(str(error))) from error

    def _retire(self, connection: Connection) -> None:
        """Closes a dead connection once its last call has ended."""
        task = asyncio.create_task(_end(connection))
        self._retired.add(task)
        task.add_done_callback(self._retired.discard)


async def _end(connection: Connection) -> None:
    try:
        await connection.close(when_idle=True)
    finally:
        await connection.close()


def _hidden(value: object, hide: Callable[[str], str]) -> object:
    """A JSON value with secrets struck out of its texts and names."""
    if isinstance(value, str):
        return hide(value)
    if isinstance(value, list):
        return [_hidden(one, hide) for one in value]
    if isinstance(value, dict):
        return {hide(str(key)): _hidden(one, hide) for key, one in value.items()}
    return value


def _digest(tools: Sequence[Tool]) -> str:
    text = json.dumps([[t.name, t.description, t.schema] for t in tools], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _plain(text: str) -> str:
    """A name that a server gave itself, fit for one line."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:_LONGEST_NAME]
