"""`factmark rag`: the index that the `rag` condition and claims search, and how good it is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.answers.options import Reach
from factmark.cli import options
from factmark.cli.console import progress, say, stage_line
from factmark.cli.exit_status import PROBLEM
from factmark.cli.records import takes_options
from factmark.cli.showing import finish, show_outcome
from factmark.files.temporary import temporary_folder
from factmark.runs.options import EmbedderName, RetrievalOptions

if TYPE_CHECKING:
    from factmark.answers.questions.ground_truths import Truth
    from factmark.passages.embedders import Search
    from factmark.passages.index import Index
    from factmark.runs.retrieval_quality import Retrieved
    from factmark.stores.store import Store

app = typer.Typer(help="Index passages; measure retrieval.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Index passages; measure retrieval."""


@app.command()
def build(
    index: Annotated[Path, typer.Argument(help="The index's folder; made where it is missing.")],
    store: options.Store = None,
    endpoint: options.Endpoint = None,
    user_env: options.UserEnv = None,
    password_env: options.PasswordEnv = None,
    passages: Annotated[
        Path | None,
        typer.Option(
            help="A file of passages (`id`, `text`) to index in place of a store's, for "
            "`factmark claims judge --corpus`."
        ),
    ] = None,
    encoding: Annotated[str, typer.Option(help="Of the file of passages.")] = "utf-8",
    embedder: EmbedderName = "lexical",
    base_url: options.BaseUrl = None,
    key_env: options.KeyEnv = None,
    json: options.Json = False,
) -> None:
    """Build the index of passages, or renew it where something changed.

    Of a store they are catalogue metadata and summaries of patients. Without --store, --endpoint
    and --passages, the embedded replica of the data space is indexed.
    """
    from factmark.cli.asking import search_that_tells
    from factmark.errors import InputError
    from factmark.passages.index_folder import IndexFolder
    from factmark.report.envelope import CommandOutcome

    begun = time.monotonic()
    if passages is not None and (store or endpoint):
        raise InputError("Give either --passages or a store (--store, --endpoint), not both.")
    IndexFolder(index)  # a folder that cannot be used is told before passages are read
    reach = Reach(store=store, endpoint=endpoint, user_env=user_env, password_env=password_env)

    async def built() -> tuple[int, str]:
        async with search_that_tells(embedder, base_url=base_url, key_env=key_env) as search:
            if passages is not None:
                opening = _index_of_file(passages, encoding, index, search)
            else:
                opening = _index_of_reach(reach, index, search, renewing=True)
            async with opening as opened:
                return len(opened), opened.identity

    chunks, identity = asyncio.run(built())
    seconds = time.monotonic() - begun
    if json:
        details = {"chunks": chunks, "identity": identity, "seconds": round(seconds, 3)}
        show_outcome(CommandOutcome(command="rag build", subject=str(index), details=details))
    else:
        say(f"{index}: {identity} ({seconds:.1f} s)")


@app.command()
@takes_options
def check(given: RetrievalOptions) -> None:
    """Measure how often the k best passages hold the ground truth. No model is asked.

    Per category and k: the share of questions whose ground truth is held whole, and the mean share
    of its elements; questions with an empty ground truth apart.
    """
    from factmark.report.files import check_result_files
    from factmark.runs.report import RetrievalResults, retrieval_report
    from factmark.runs.retrieval_quality import questions_held, retrieval_quality

    check_result_files(given.out, [("--benchmark", Path(given.reach.benchmark))])
    ks = sorted(set(given.k or [1, 3, 5, 10, 20]))
    truth, rows, identity = asyncio.run(_passages_of_questions(given, ks[-1]))
    quality = retrieval_quality(
        rows, ks, level=given.level, resamples=given.resamples, seed=given.seed, rubric=identity
    )
    results = RetrievalResults(
        searched=identity, truth=truth, quality=quality, questions=questions_held(rows, ks)
    )
    finish(retrieval_report(results), given)
    if not truth.complete:
        raise typer.Exit(PROBLEM)


async def _passages_of_questions(
    given: RetrievalOptions, most: int
) -> tuple[Truth, list[Retrieved], str]:
    """The ground truths, the passages found for each question, and the index's identity."""
    from factmark.answers.questions.ground_truths import ground_truths
    from factmark.cli.asking import search_that_tells
    from factmark.runs.retrieval_quality import Retrieved

    rows = []
    async with search_that_tells(
        given.embedder, base_url=given.base_url, key_env=given.key_env
    ) as search:
        truth = await ground_truths(given.reach)
        async with _index_of_reach(given.reach, given.index, search, renewing=False) as index:
            with progress("searching", len(truth.questions)) as step:
                for question in truth.questions:
                    chunks = await index.search(question.text, most)
                    rows.append(
                        Retrieved(
                            question=question,
                            texts=tuple(f"{chunk.title}\n{chunk.text}" for chunk in chunks),
                        )
                    )
                    step()
            return truth, rows, index.identity


@asynccontextmanager
async def _index_of_file(
    passages: Path, encoding: str, folder: Path, search: Search
) -> AsyncIterator[Index]:
    """The index of a file of passages in a folder."""
    from factmark.passages.index import open_index_of
    from factmark.passages.passage_file import source_of_file

    source = source_of_file(passages, encoding=encoding)
    with stage_line() as stage:
        index = await open_index_of(source, folder, search, progress=stage)
    async with index:
        for note in index.notes:
            say(f"note: {note}")
        yield index


@asynccontextmanager
async def _index_of_reach(
    reach: Reach, folder: Path | None, search: Search, *, renewing: bool
) -> AsyncIterator[Index]:
    """The index in a folder, or in a temporary one.

    Args:
        renewing: whether an index of another store may be replaced.
    """
    from factmark.answers.questions.benchmarks import is_published, load
    from factmark.answers.questions.ground_truths import ground_truth_store
    from factmark.errors import InputError
    from factmark.runs.reading import index_with_progress

    benchmark = load(reach.benchmark, reach.benchmark_columns)
    if not (reach.store or reach.endpoint or is_published(benchmark)):
        raise InputError(
            "Name the data whose passages are searched with --store or --endpoint: the replica "
            "answers the published questions only."
        )
    with temporary_folder() as temporary:
        place = folder or temporary
        async with ground_truth_store(benchmark, reach) as store:
            if not renewing and folder is not None:
                _check_source(folder, store)
            async with index_with_progress(store, place, search, stage_line) as index:
                for note in index.notes:
                    say(f"note: {note}")
                yield index


def _check_source(folder: Path, store: Store) -> None:
    """Raises InputError where a folder holds the index of another store, which is not replaced."""
    from factmark.errors import InputError
    from factmark.passages.index_folder import IndexFolder, Manifest

    manifest = IndexFolder(folder).read_manifest()
    if isinstance(manifest, Manifest) and manifest.source != store.identity:
        raise InputError(
            f"{folder}: is an index of {manifest.source}, and the questions are about "
            f"{store.identity}. Name that store with --store or --endpoint, or another folder."
        )
