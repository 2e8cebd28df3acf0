"""What a study reads: its questions, and its conditions with their indexes and tool servers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from factmark.answers.benchmarks import Benchmark, is_published, load
from factmark.answers.derive import Truth, derived, target
from factmark.answers.options import Reach
from factmark.ask.chat import Retriever, ToolServer
from factmark.cli.asking import tell_embedding
from factmark.cli.console import say, stages
from factmark.errors import InputError
from factmark.files.temporary import temporary_folder
from factmark.passages.embedders import Search, open_search
from factmark.passages.embedders_http import HttpEmbedder
from factmark.runs.conditions import Baseline, Condition, Mcp, Rag, WholeCatalogue, system_prompt
from factmark.runs.study_file import Study
from factmark.stores.store import Store

BUILTIN = "builtin"
_WORKERS = 2  # queries of tools that run at once


@asynccontextmanager
async def opened(
    study: Study, out: Path, *, asking: bool
) -> AsyncIterator[tuple[Truth, list[Condition]]]:
    """A study's questions and conditions; one store serves ground truth, passages and tools.

    Args:
        out: where the index is kept, unless the study names a folder.
        asking: whether models are to be asked; else no ground truth is derived, and a question is
            looked up by no embedder that costs something.

    Raises:
        FactmarkError: a study that cannot work.
    """
    whole = load(study.benchmark)
    benchmark = _chosen(whole, study.questions)
    named = study.data.store is not None or study.data.endpoint is not None
    if _needs_store(study) and not (named or is_published(whole)):
        raise InputError(
            f"The conditions {', '.join(study.conditions)} need the data that the questions are "
            "about: name it with --store or --endpoint."
        )
    stored = all(question.ground_truth is not None for question in benchmark.questions)
    deriving = asking and (named or not stored)
    truth = Truth(
        benchmark=benchmark.name, questions=benchmark.questions, problems=benchmark.warnings
    )
    notes: list[str] = []
    async with AsyncExitStack() as stack:
        search, folder = await stack.enter_async_context(_search(study, out, asking=asking))
        store = None
        if deriving or _needs_store(study):
            reach = Reach(
                **study.data.model_dump(exclude={"timeout"}), query_timeout=study.data.timeout
            )
            store = await stack.enter_async_context(target(whole, reach, workers=_WORKERS))
        if deriving and store is not None:
            truth = await derived(benchmark, store, study.data.timeout)
        with stages() as stage:
            grounded = await stack.enter_async_context(
                _conditions(study, store, search, folder, stage, notes.append)
            )
        yield replace(truth, problems=(*truth.problems, *notes)), grounded


@asynccontextmanager
async def _conditions(
    study: Study,
    store: Store | None,
    search: Search | None,
    folder: Path,
    progress: Callable[[str, int, int], None],
    note: Callable[[str], None],
) -> AsyncIterator[list[Condition]]:
    """The study's conditions, in its order, until the block ends; `note` hears of odd indexes."""
    from factmark.ehds.passages import open_index

    grounded: list[Condition] = []
    async with AsyncExitStack() as stack:
        retriever: Retriever | None = None
        if store is not None and search is not None:
            opening = await open_index(store, folder, search, progress=progress)
            index = await stack.enter_async_context(opening)
            for odd in index.notes:
                note(odd)
            retriever = index
        for name in study.conditions:
            system = study.prompts.get(name) or system_prompt(name)
            if name == "baseline":
                grounded.append(Baseline(system=system))
            elif name == "mcp":
                server = await stack.enter_async_context(_tools(study, store))
                grounded.append(Mcp(server=server, rounds=study.mcp.rounds, system=system))
            elif retriever is None:
                raise InputError(f"The condition {name!r} needs data to read: --store, --endpoint.")
            elif name == "rag":
                grounded.append(Rag(retriever=retriever, k=study.rag.k, system=system))
            else:
                most = study.context.max_tokens
                grounded.append(await WholeCatalogue.read(retriever, most, system))
        yield grounded


def _needs_index(study: Study) -> bool:
    return bool(set(study.conditions) & {"rag", "context"})


def _needs_store(study: Study) -> bool:
    """Whether a condition asks the data itself, and not a server of the user's."""
    return _needs_index(study) or ("mcp" in study.conditions and study.mcp.server == BUILTIN)


def _chosen(benchmark: Benchmark, wanted: list[str] | None) -> Benchmark:
    """The benchmark with the wanted questions only."""
    if wanted is None:
        return benchmark
    known = {question.query_id for question in benchmark.questions}
    strange = [name for name in wanted if name not in known]
    if strange:
        raise InputError(
            f"{benchmark.name} has no question {strange[0]!r}. It has: {', '.join(sorted(known))}."
        )
    kept = tuple(q for q in benchmark.questions if q.query_id in wanted)
    return replace(benchmark, questions=kept)


@asynccontextmanager
async def _search(
    study: Study, out: Path, *, asking: bool
) -> AsyncIterator[tuple[Search | None, Path]]:
    """How passages are looked up, and the folder of their index; None where nobody looks."""
    rag = study.rag
    folder = rag.index or out / "index"
    if not _needs_index(study):
        yield None, folder
        return
    search = open_search(rag.embedder, base_url=rag.base_url, key_env=rag.key_env)
    try:
        if asking or not isinstance(search.embedder, HttpEmbedder):
            yield search, folder
        else:
            say(f"note: passages are looked up by words here, not by {rag.embedder}: it may cost")
            with temporary_folder() as temporary:
                yield open_search(), temporary
    finally:
        await search.close()
        tell_embedding(search)


@asynccontextmanager
async def _tools(study: Study, store: Store | None) -> AsyncIterator[ToolServer]:
    from factmark.runs.mcp.client import builtin_tools, open_tools
    from factmark.runs.mcp.spec import McpServerSpec

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
        opening = builtin_tools(store, tool_seconds=mcp.tool_seconds, result_chars=mcp.result_chars)
    async with opening as server:
        yield server
