"""The conditions of a study, with the indexes and tool servers that they need."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from factmark.ask.sources import Retriever, ToolServer
from factmark.errors import InputError
from factmark.passages.embedders import Search
from factmark.runs.agent import Mcp
from factmark.runs.conditions import Baseline, Rag, system_prompt, whole_catalogue
from factmark.runs.running import Condition
from factmark.runs.study_file import Study
from factmark.stores.store import Store

BUILTIN = "builtin"
Told = Callable[[str, int, int], None]


def needs_index(study: Study) -> bool:
    """Whether a condition gives passages."""
    return bool(set(study.conditions) & {"rag", "context"})


def needs_store(study: Study) -> bool:
    """Whether a condition asks the data itself, and not a server of the user's."""
    return needs_index(study) or ("mcp" in study.conditions and study.mcp.server == BUILTIN)


@asynccontextmanager
async def conditions(
    study: Study,
    store: Store | None,
    search: Search | None,
    folder: Path,
    *,
    progress: Told = lambda *_: None,
    note: Callable[[str], None] = lambda _: None,
) -> AsyncIterator[list[Condition]]:
    """The study's conditions, in its order, until the block ends.

    Args:
        store: where passages and the bundled tools read; needed as `needs_store` says.
        search: how passages are looked up; needed as `needs_index` says, and not closed here.
        folder: where the index is kept.
        progress: told what is done, how far it is, and of how much.
        note: told what is odd about an index, one sentence each.

    Raises:
        FactmarkError: an index that cannot be built, a tool server that cannot be started.
    """
    made: dict[str, Condition] = {}
    async with AsyncExitStack() as stack:
        retriever: Retriever | None = None
        if store is not None and search is not None:
            opening = _index(search, store, folder, progress, note)
            retriever = await stack.enter_async_context(opening)
        for name in study.conditions:
            told = study.prompts.get(name) or system_prompt(name)
            if name == "baseline":
                made[name] = Baseline(system=told)
            elif name == "mcp":
                server = await stack.enter_async_context(_tools(study, store))
                made[name] = Mcp(server=server, rounds=study.mcp.rounds, system=told)
            elif retriever is None:
                raise InputError(f"The condition {name!r} needs data to read: --store, --endpoint.")
            elif name == "rag":
                made[name] = Rag(retriever=retriever, k=study.rag.k, system=told)
            else:
                made[name] = await whole_catalogue(retriever, study.context.max_tokens, told)
        yield [made[name] for name in study.conditions]


@asynccontextmanager
async def _index(
    search: Search, store: Store, folder: Path, told: Told, note: Callable[[str], None]
) -> AsyncIterator[Retriever]:
    from factmark.ehds.passages import open_index

    async with await open_index(store, folder, search, progress=told) as index:
        for odd in index.notes:
            note(odd)
        yield index


@asynccontextmanager
async def _tools(study: Study, store: Store | None) -> AsyncIterator[ToolServer]:
    from factmark.runs.mcp.client import builtin_tools, open_tools
    from factmark.runs.mcp.spec import McpServerSpec
    from factmark.stores.memory import RememberingStore, is_settled

    mcp = study.mcp
    if mcp.server != BUILTIN:
        spec = McpServerSpec.parse(
            mcp.server,
            token_env=mcp.token_env,
            env=tuple(mcp.env),
            tools=None if mcp.tools is None else tuple(mcp.tools),
        )
        opening = open_tools(spec, tool_seconds=mcp.tool_seconds, result_chars=mcp.result_chars)
    elif store is None:
        raise InputError("The bundled tools need data to read: --store or --endpoint.")
    else:
        asked = RememberingStore(store) if is_settled(store) else store
        opening = builtin_tools(asked, tool_seconds=mcp.tool_seconds, result_chars=mcp.result_chars)
    async with opening as server:
        yield server
