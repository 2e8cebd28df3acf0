"""The EHDS tools over a store as an MCP server: over stdio, streamable HTTP and SSE."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib.util
import inspect
import json
import logging
import os
import re
import socket
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from factmark.errors import FactmarkError, InputError, QueryError, QueryTimeoutError
from factmark.files.text_files import mend_texts
from factmark.http.addresses import LOOPBACK, host_name, is_loopback
from factmark.http.serving import BACKLOG, Door, listening_socket, stop_event
from factmark.stores.store import Store
from factmark.text.shown_text import visible
from factmark.version import __version__

if TYPE_CHECKING:
    import uvicorn
    from mcp.server import MCPServer
    from mcp_types import CallToolResult
    from pydantic import BaseModel
    from starlette.applications import Starlette
    from starlette.datastructures import Headers
    from starlette.types import ASGIApp, Receive, Scope, Send

NAME = "ehds-connector"
_log = logging.getLogger("factmark.mcp")
_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+)):(?P<port>\d{1,5})")
_LONGEST_LINE = 16 * 2**20  # of one message on stdin
_SHUTDOWN_SECONDS = 2

_INSTRUCTIONS = """\
Read-only access to a health data space: a DCAT catalogue of synthetic patient cohorts, the ODRL
policies that govern them, and the FHIR records of each cohort.
Start with ehds_list_datasets or ehds_search_datasets. Other tools take a dataset by its id
("diabetes"), its IRI or its title. ehds_check_policy without a dataset compares all policies.
ehds_get_patients and ehds_get_condition_stats without a dataset count over all cohorts; a patient
who is in several cohorts counts once. ehds_query_clinical runs SPARQL that sees one cohort's graph.
"""
# In the order in which they are offered.
_TITLES = {
    "ehds_list_datasets": "List datasets",
    "ehds_describe_dataset": "Describe a dataset",
    "ehds_search_datasets": "Search datasets",
    "ehds_check_policy": "Check the policy",
    "ehds_get_patients": "Get patients",
    "ehds_get_condition_stats": "Get condition statistics",
    "ehds_query_clinical": "Query clinical records",
}


def require_mcp() -> None:
    """Raises InputError with the install command where the SDK, version 2 or later, is missing."""
    if importlib.util.find_spec("mcp") is None or importlib.util.find_spec("mcp_types") is None:
        raise InputError(
            "MCP needs the package mcp (2.0 or later), which is not installed: "
            "pip install 'factmark[mcp]'."
        )


def build_server(store: Store) -> MCPServer[None]:
    """Returns an MCP server with the tools; it does not close the store."""
    from mcp.server import MCPServer
    from mcp_types import ToolAnnotations

    from factmark.ehds.mcp_tools import EhdsTools

    root = logging.getLogger()
    guard = logging.NullHandler()
    root.addHandler(guard)  # else the SDK would set up this process's logging
    try:
        server: MCPServer[None] = MCPServer(
            NAME,
            title="EHDS data space",
            instructions=_INSTRUCTIONS,
            version=__version__,
            log_level="WARNING",
        )
    finally:
        root.removeHandler(guard)
    tools = EhdsTools(store)
    for name, title in _TITLES.items():
        method = getattr(tools, name)
        hints = ToolAnnotations(
            title=title,
            read_only_hint=True,
            destructive_hint=False,
            idempotent_hint=True,
            open_world_hint=False,
        )
        about = " ".join((method.__doc__ or "").split())
        server.tool(description=about, annotations=hints)(_as_sdk_tool(method))
        _forbid_unknown_arguments(server, name)
    return server


def _as_sdk_tool(
    method: Callable[..., Awaitable[BaseModel]],
) -> Callable[..., Awaitable[CallToolResult]]:
    """Returns a tool as the SDK takes it: its answer is text and structured content.

    An error is one that the model can read; what only the owner of the store should read (paths of
    this machine) goes to the log.
    """
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent

    from factmark.ehds.mcp_answers import answer_text

    @functools.wraps(method)
    async def tool(**arguments: Any) -> CallToolResult:
        try:
            answer = await method(**arguments)
        except QueryTimeoutError as error:
            raise ToolError("the query ran past its time limit; make it narrower") from error
        except (InputError, QueryError) as error:
            raise ToolError(str(error)) from error
        except UnicodeEncodeError as error:
            raise ToolError("the arguments hold half a character (a lone surrogate)") from error
        except FactmarkError as error:
            _log.error("%s", visible(str(error)))
            raise ToolError(
                "the store could not answer; the log of this server says why"
            ) from error
        return CallToolResult(
            content=[TextContent(type="text", text=answer_text(answer))],
            structured_content=answer.model_dump(mode="json"),
        )

    signature = inspect.signature(method, eval_str=True)
    shape = Annotated[CallToolResult, signature.return_annotation]
    tool.__signature__ = signature.replace(return_annotation=shape)  # type: ignore[attr-defined]
    return tool


def _forbid_unknown_arguments(server: MCPServer[None], name: str) -> None:
    """Makes unknown arguments an error: else a misspelt filter would count everybody."""
    tool = server._tool_manager.get_tool(name)  # the SDK has no other way to say it
    if tool is None:
        raise AssertionError("it was registered a moment ago")
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)


def host_and_port(text: str) -> tuple[str, int]:
    """Returns host and port of an address such as `127.0.0.1:8000` or `[::1]:8000`; raises
    InputError for none.
    """
    address = _ADDRESS.fullmatch(text.strip())
    if address is None or int(address["port"]) > 65_535:
        raise InputError(
            f"--http {text[:80]!r} is no address; write HOST:PORT, such as 127.0.0.1:8000."
        )
    return address["six"] or address["host"], int(address["port"])


async def serve_stdio(store: Store) -> None:
    """Serves on stdin and stdout until stdin ends, or the process is asked to stop.

    Only the protocol goes to stdout; what else would be written there goes to stderr.
    """
    from mcp.server.stdio import stdio_server

    server = build_server(store)._lowlevel_server  # the SDK lets only this one have other streams

    async def run() -> None:
        async with stdio_server(stdin=await _stdin_lines()) as (read, write):
            await server.run(read, write, server.create_initialization_options())

    serving = asyncio.create_task(run())
    try:
        await _wait_until_stopped(serving)
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
    except BaseExceptionGroup as group:
        if group.split(BrokenPipeError)[1] is not None:
            raise
        # The client reads no more: what is still to be written at exit goes nowhere.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.close(nowhere)


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
        InputError: the address cannot be listened on.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    names = {*LOOPBACK, host, *allowed_hosts}
    if not is_loopback(host):
        names.add(socket.gethostname())
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # see Gate
    mcp = build_server(store)
    app = mcp.streamable_http_app(transport_security=security, host=host)
    app.router.routes.extend(mcp.sse_app(transport_security=security, host=host).routes)
    app.add_middleware(Gate, names={name.lower() for name in names})
    with listening_socket(host, port, hint="choose another address with --http") as taken:
        server = _http_server(app)
        serving = asyncio.create_task(server.serve(sockets=[taken]))
        if ":" in host:
            name = f"[{host}]"
        else:
            name = host
        url = f"http://{name}:{taken.getsockname()[1]}/mcp"
        await _wait_until_stopped(serving, lambda: ready(url))
        server.should_exit = True
        await serving


async def _wait_until_stopped(
    serving: asyncio.Task[None], ready: Callable[[], None] = lambda: None
) -> None:
    """Waits until the task ends, or the process is asked to stop."""
    with stop_event() as stop:
        ready()
        asked = asyncio.create_task(stop.wait())
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()


def _http_server(app: Starlette) -> uvicorn.Server:
    """Returns a server that leaves signals to us and writes no access log."""
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


async def _stdin_lines() -> Any:
    """Returns the lines of stdin, read without a thread: one that reads could not be ended by a
    signal.

    None, the SDK's own way, where stdin is a file or a terminal.
    """
    mode = os.fstat(0).st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return None
    stream = asyncio.StreamReader(limit=_LONGEST_LINE)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), sys.stdin.buffer)
    return _lines_without_surrogates(stream)


async def _lines_without_surrogates(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    """Yields messages without lone surrogates, for which the SDK would leave them unanswered."""
    while True:
        try:
            line = await stream.readline()
        except ValueError:  # longer than a message may be: the rest of it is no message either
            continue
        if not line:
            return
        text = line.decode("utf-8", "replace")
        if "\\u" in text:
            with contextlib.suppress(ValueError, RecursionError):
                text = json.dumps(mend_texts(json.loads(text))) + "\n"
        yield text


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
        from starlette.responses import PlainTextResponse

        refusal = None
        if scope["type"] == "http":
            refusal = self._refusal(Headers(scope=scope))
        await (PlainTextResponse(*refusal) if refusal else self._app)(scope, receive, send)

    def _refusal(self, headers: Headers) -> tuple[str, int] | None:
        """Returns why a request is refused, with its status; None for one that may pass."""
        if host_name(headers.get("host", "")) not in self._names:
            text = "This name is not served here; see --allow-host."
            return text, HTTPStatus.MISDIRECTED_REQUEST
        origin = headers.get("origin")
        if origin is not None and not self._is_ours(origin):
            return "Pages of other sites are refused.", HTTPStatus.FORBIDDEN
        return None

    def _is_ours(self, origin: str) -> bool:
        """Whether an origin is a page of this server."""
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme == "http" and host_name(parts.netloc) in self._names
