"""What a study reads: its questions, and its conditions with their indexes and tool servers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from factmark.answers.options import Reach
from factmark.answers.questions.benchmarks import Benchmark, is_published, load
from factmark.answers.questions.ground_truths import Truth, derived, ground_truth_store
from factmark.ask.chat import ToolServer
from factmark.cli.asking import search_that_tells
from factmark.cli.console import StageLine, no_stage_line
from factmark.errors import InputError
from factmark.files.temporary import temporary_folder
from factmark.passages.embedders import Search, open_search
from factmark.passages.embedders_http import HttpEmbedder
from factmark.passages.index import Index
from factmark.runs.conditions import Baseline, Condition, Mcp, Rag, WholeCatalogue, system_prompt
from factmark.runs.study_file import ConditionName, McpPart, Study
from factmark.stores.remembering import RememberingStore
from factmark.stores.store import Store

BUILTIN = "builtin"
_WORKERS = 2  # queries of tools that run at once


@asynccontextmanager
async def opened(
    study: Study,
    out: Path,
    *,
    asking: bool,
    stage: StageLine = no_stage_line,
    say: Callable[[str], None],
) -> AsyncIterator[tuple[Truth, list[Condition]]]:
    """Opens a study: its questions with their ground truth, and its conditions, for as long as it
    runs.

    Args:
        out: where the index is kept, unless the study names a folder.
        asking: whether models are to be asked; else a ground truth is derived only where the
            benchmark gives none and a store is named, and a question is looked up by no embedder
            that costs something.
        stage: shows how far the index is.
        say: called with what the user should know at once.

    Raises:
        FactmarkError: a study that cannot work.
    """
    whole = load(study.benchmark)
    benchmark = _wanted_questions(whole, study.questions)
    named = study.data.store is not None or study.data.endpoint is not None
    if _needs_store(study) and not (named or is_published(whole)):
        raise InputError(
            f"The conditions {', '.join(study.conditions)} need the data that the questions are "
            "about: name it with --store or --endpoint."
        )
    stored = all(question.ground_truth is not None for question in benchmark.questions)
    if asking:
        deriving = named or not stored
    else:
        deriving = named and not stored
    truth = Truth(
        benchmark=benchmark.name, questions=benchmark.questions, problems=benchmark.warnings
    )
    async with AsyncExitStack() as stack:
        search = None
        folder = study.rag.index or out / "index"
        if _needs_index(study):
            rag = study.rag
            opening = search_that_tells(
                rag.embedder, base_url=rag.base_url, key_env=rag.key_env, tell=say
            )
            search = await stack.enter_async_context(opening)
            if not asking and isinstance(search.embedder, HttpEmbedder):
                more = f"not by {rag.embedder}: it may cost"
                say(f"note: passages are looked up by words here, {more}")
                search = open_search()
                folder = stack.enter_context(temporary_folder())
        store = None
        if deriving or _needs_store(study):
            reach = Reach(
                **study.data.model_dump(exclude={"timeout"}), query_timeout=study.data.timeout
            )
            opening_store = ground_truth_store(whole, reach, workers=_WORKERS)
            store = await stack.enter_async_context(opening_store)
        if deriving and store is not None:
            truth = await derived(benchmark, store, study.data.timeout, study.data.labels)
        index = None
        if store is not None and search is not None:
            opening_index = index_with_progress(store, folder, search, stage)
            index = await stack.enter_async_context(opening_index)
            truth = replace(truth, problems=(*truth.problems, *index.notes))
        tools = None
        if "mcp" in study.conditions:
            asked = store
            if store is not None and store.is_settled:
                asked = await stack.enter_async_context(RememberingStore(store))
            tools = await stack.enter_async_context(_tool_server(study.mcp, asked))
        yield (
            truth,
            [await _condition_named(name, study, index, tools) for name in study.conditions],
        )


async def _condition_named(
    name: ConditionName, study: Study, index: Index | None, tools: ToolServer | None
) -> Condition:
    """The condition of that name, with its index or tools; InputError where it lacks data."""
    system = study.prompts.get(name) or system_prompt(name)
    if name == "baseline":
        return Baseline(system=system)
    if name == "mcp" and tools is not None:
        return Mcp(server=tools, rounds=study.mcp.rounds, system=system)
    if index is None:
        raise InputError(f"The condition {name!r} needs data to read: --store, --endpoint.")
    if name == "rag":
        return Rag(retriever=index, k=study.rag.k, system=system)
    return await WholeCatalogue.read(index, study.context.max_tokens, system)


@asynccontextmanager
async def index_with_progress(
    store: Store, folder: Path, search: Search, stage_line: StageLine
) -> AsyncIterator[Index]:
    """Opens an index as `ehds.passages.open_index`, with progress; closes it at the end."""
    from factmark.ehds.passages import open_index

    with stage_line() as stage:
        opening = await open_index(store, folder, search, progress=stage)
    async with opening as index:
        yield index


def _needs_index(study: Study) -> bool:
    """Whether a condition reads passages."""
    return bool(set(study.conditions) & {"rag", "context"})


def _needs_store(study: Study) -> bool:
    """Whether a condition asks the data itself, and not a server of the user's."""
    return _needs_index(study) or ("mcp" in study.conditions and study.mcp.server == BUILTIN)


def _wanted_questions(benchmark: Benchmark, wanted: list[str] | None) -> Benchmark:
    """The benchmark with the wanted questions only."""
    if wanted is None:
        return benchmark
    known = {question.query_id for question in benchmark.questions}
    strange = []
    for name in wanted:
        if name not in known:
            strange.append(name)
    if strange:
        raise InputError(
            f"{benchmark.name} has no question {strange[0]!r}. It has: {', '.join(sorted(known))}."
        )
    kept = tuple(q for q in benchmark.questions if q.query_id in wanted)
    return replace(benchmark, questions=kept)


def _tool_server(mcp: McpPart, store: Store | None) -> AbstractAsyncContextManager[ToolServer]:
    """The tool server that a study names, or the bundled one over the store."""
    from factmark.runs.mcp.client import builtin_tools, open_tools
    from factmark.runs.mcp.spec import McpServerSpec

    if mcp.server != BUILTIN:
        tools = None
        if mcp.tools is not None:
            tools = tuple(mcp.tools)
        spec = McpServerSpec.parse(
            mcp.server,
            token_env=mcp.token_env,
            env=tuple(mcp.env),
            tools=tools,
        )
        return open_tools(spec, tool_seconds=mcp.tool_seconds, result_chars=mcp.result_chars)
    if store is None:
        raise InputError("The bundled tools need data to read: --store or --endpoint.")
    return builtin_tools(store, tool_seconds=mcp.tool_seconds, result_chars=mcp.result_chars)
