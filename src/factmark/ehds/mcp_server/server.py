"""The EHDS tools over a store as an MCP server, and the store that `factmark serve mcp` opens."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import inspect
import logging
import re
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from factmark import __version__
from factmark.errors import FactmarkError, InputError, QueryError, QueryTimeoutError
from factmark.files.temporary import temporary_folder
from factmark.stores.store import Store, open_store
from factmark.tables.shown_text import visible

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from mcp_types import CallToolResult
    from pydantic import BaseModel

NAME = "ehds-connector"
_log = logging.getLogger("factmark.mcp")
_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/\[\]]+)):(?P<port>\d{1,5})")


_INSTRUCTIONS = """\
Read-only access to a health data space: a DCAT catalogue of synthetic patient cohorts, the ODRL
policies that govern them, and the FHIR records of each cohort.
Start with ehds_list_datasets or ehds_search_datasets. Other tools take a dataset by its id
("diabetes"), its IRI or its title. ehds_check_policy without a dataset compares all policies.
ehds_get_patients and ehds_get_condition_stats without a dataset count over all cohorts; a patient
who is in several cohorts counts once. ehds_query_clinical runs SPARQL that sees one cohort's graph.
"""
_TITLES = {
    "ehds_list_datasets": "List datasets",
    "ehds_describe_dataset": "Describe a dataset",
    "ehds_search_datasets": "Search datasets",
    "ehds_check_policy": "Check the policy",
    "ehds_get_patients": "Get patients",
    "ehds_get_condition_stats": "Get condition statistics",
    "ehds_query_clinical": "Query clinical records",
}
"""The tools, in the order in which they are offered."""


def build_server(store: Store) -> MCPServer[None]:
    """The server with its tools; the store is not closed by it."""
    from mcp.server import MCPServer
    from mcp_types import ToolAnnotations

    from factmark.ehds.mcp_server.tools import EhdsTools

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
        server.tool(description=about, annotations=hints)(_told(method))
        _forbid_others(server, name)
    return server


def _told(method: Callable[..., Awaitable[BaseModel]]) -> Callable[..., Awaitable[CallToolResult]]:
    """A tool as the SDK takes it: the answer as text and as structured content.

    An error is one that the model can read; what only the owner of the store should read (paths of
    this machine) goes to the log.
    """
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent

    from factmark.ehds.mcp_server.answers import text_of

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
            content=[TextContent(type="text", text=text_of(answer))],
            structured_content=answer.model_dump(mode="json"),
        )

    signature = inspect.signature(method, eval_str=True)
    shape = Annotated[CallToolResult, signature.return_annotation]
    tool.__signature__ = signature.replace(return_annotation=shape)  # type: ignore[attr-defined]
    return tool


def _forbid_others(server: MCPServer[None], name: str) -> None:
    """Makes unknown arguments an error: else a misspelt filter would count everybody."""
    tool = server._tool_manager.get_tool(name)  # the SDK has no other way to say it
    if tool is None:
        raise AssertionError("it was registered a moment ago")
    model = tool.fn_metadata.arg_model
    model.model_config["extra"] = "forbid"
    model.model_rebuild(force=True)
    tool.parameters = model.model_json_schema(by_alias=True)


@asynccontextmanager
async def tool_store(
    path: Path | None,
    endpoint: str | None,
    *,
    user_env: str | None = None,
    password_env: str | None = None,
    workers: int = 2,
) -> AsyncIterator[Store]:
    """A folder or file, an endpoint, or, if neither is named, the replica at the demo's scale.

    The replica is built in a temporary folder, which goes when the block ends. What is damaged or
    cannot be reached is told at once.

    Raises:
        InputError: both are named, or credentials without an endpoint.
        FactmarkError: what was named cannot be queried.
    """
    if path is not None and endpoint is not None:
        raise InputError("Give a store or --endpoint, not both.")
    if endpoint is None and (user_env or password_env):
        raise InputError("--user-env and --password-env are for an --endpoint. Name it.")
    if path is None and endpoint is None:
        from factmark.ehds.write import DEMO_SCALE, build_store

        with temporary_folder() as folder:
            built = folder / "ehds-replica"
            await _whole(asyncio.to_thread(build_store, built, scale=DEMO_SCALE))
            async with open_store(path=built, workers=workers) as opened:
                yield opened
        return
    async with open_store(
        path=path, url=endpoint, workers=workers, user_env=user_env, password_env=password_env
    ) as opened:
        await opened.query("ASK {}")
        yield opened


async def _whole(work: Coroutine[Any, Any, object]) -> None:
    """Awaits work in a thread to its end; after it, SIGTERM has cancelled who waits."""
    loop, waiting = asyncio.get_running_loop(), asyncio.current_task()
    handled = False
    with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
        if waiting is not None:
            loop.add_signal_handler(signal.SIGTERM, waiting.cancel)
            handled = True
    working = asyncio.create_task(work)
    try:
        await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise
    finally:
        if handled:
            loop.remove_signal_handler(signal.SIGTERM)


def host_and_port(text: str) -> tuple[str, int]:
    """An address such as `127.0.0.1:8000` or `[::1]:8000`; raises InputError for none."""
    found = _ADDRESS.fullmatch(text.strip())
    if found is None or int(found["port"]) > 65_535:
        raise InputError(
            f"--http {text[:80]!r} is no address; write HOST:PORT, such as 127.0.0.1:8000."
        )
    return found["six"] or found["host"], int(found["port"])
