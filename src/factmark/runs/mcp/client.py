"""Tools of any MCP server, for models under test: over stdio, streamable HTTP and SSE."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext

from factmark.ask.sources import ToolServer
from factmark.ehds.mcp_server import require_mcp
from factmark.errors import InputError
from factmark.runs.mcp.spec import McpServerSpec
from factmark.stores.store import Store

__all__ = [
    "RESULT_CHARS",
    "START_SECONDS",
    "TOOL_SECONDS",
    "McpServerSpec",
    "builtin_tools",
    "open_tools",
]

TOOL_SECONDS = 30.0
RESULT_CHARS = 20_000
START_SECONDS = 30.0


@asynccontextmanager
async def open_tools(
    spec: McpServerSpec,
    *,
    tool_seconds: float = TOOL_SECONDS,
    result_chars: int = RESULT_CHARS,
    start_seconds: float = START_SECONDS,
) -> AsyncIterator[ToolServer]:
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
    from factmark.runs.mcp.session import Limits, Session
    from factmark.runs.mcp.transports import hider, openers

    if tool_seconds <= 0 or start_seconds <= 0 or result_chars < 1:
        raise InputError("the limits of tool calls must be above zero.")
    session = Session(
        spec.shown,
        spec.label,
        openers(spec, seconds=tool_seconds, connect=start_seconds),
        Limits(tool_seconds=tool_seconds, result_chars=result_chars, start_seconds=start_seconds),
        spec.tools,
        hider(spec),
    )
    try:
        await session.start()
        yield session
    finally:
        await session.close()


@asynccontextmanager
async def builtin_tools(
    store: Store, *, tool_seconds: float = TOOL_SECONDS, result_chars: int = RESULT_CHARS
) -> AsyncIterator[ToolServer]:
    """The seven tools over a store, within this process, as `open_tools` gives those of others.

    The store is not closed.

    Raises:
        InputError: the extra is missing.
    """
    require_mcp()
    from factmark.ehds.mcp_server import build_server
    from factmark.runs.mcp.session import Limits, Session

    limits = Limits(tool_seconds=tool_seconds, result_chars=result_chars, start_seconds=30.0)
    server = build_server(store)
    session = Session(
        "the built-in MCP server",
        f"builtin {store.identity}",
        [lambda _notes: nullcontext(server)],
        limits,
    )
    try:
        await session.start()
        yield session
    finally:
        await session.close()
