"""Derives ground truths by SPARQL, and compares them with recorded ones."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.answers.benchmarks import (
    Benchmark,
    is_published,
    load_benchmark,
    published_values,
    with_bundled_queries,
)
from factmark.answers.core.groundtruth import Drift, drift, ground_truth
from factmark.answers.core.records import Question
from factmark.cli.console import progress as progress_bar
from factmark.errors import FactmarkError, InputError

if TYPE_CHECKING:
    from factmark.stores.store import Store

TIMEOUT = 60.0  # seconds for one query
FILE, PUBLISHED = "the benchmark's file", "the published ground truth"
MAX_ROWS = 100_000  # of one result; more is no ground truth but a mistake in the query


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """What came of one question's query.

    Attributes:
        elements: G, or None when the query failed.
        error: why it failed, or None.
    """

    query_id: str
    elements: tuple[str, ...] | None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A derived ground truth beside the recorded one; `status` is same, drifted or failed."""

    query_id: str
    status: str
    appeared: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """A benchmark and the data that its ground truth is derived from, as options name them."""

    benchmark: str = "ehds"
    store: Path | None = None
    endpoint: str | None = None
    user_env: str | None = None
    password_env: str | None = None
    timeout: float = TIMEOUT

    def opened(self, benchmark: Benchmark, workers: int = 1) -> AbstractAsyncContextManager[Store]:
        """The store to ask; see `target`."""
        return target(
            benchmark,
            store=self.store,
            endpoint=self.endpoint,
            user_env=self.user_env,
            password_env=self.password_env,
            workers=workers,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Questions with their ground truth.

    Attributes:
        benchmark: its name.
        problems: what was told of them, one sentence each.
        source: where the ground truth comes from, for the signature.
    """

    benchmark: str
    questions: tuple[Question, ...]
    problems: tuple[str, ...] = ()
    source: str = FILE

    @property
    def complete(self) -> bool:
        """Whether every question has one."""
        return all(question.ground_truth is not None for question in self.questions)


async def ground_truths(reach: Reach) -> Truth:
    """A store's ground truth where one is named; else that of the benchmark's file.

    The published questions have one on record: what their queries find in the replica, as
    `factmark groundtruth check` derives again.
    """
    benchmark = load(reach.benchmark)
    if reach.store is None and reach.endpoint is None:
        known = recorded(benchmark)
        if any(values is not None for values in known.values()):
            questions = tuple(
                replace(question, ground_truth=known[question.query_id])
                for question in benchmark.questions
            )
            return Truth(
                benchmark=benchmark.name,
                questions=questions,
                problems=benchmark.warnings,
                source=FILE if questions == benchmark.questions else PUBLISHED,
            )
    async with reach.opened(benchmark) as store:
        return await derived(benchmark, store, reach.timeout)


async def derived(benchmark: Benchmark, store: Store, timeout: float) -> Truth:
    """The ground truth that a store gives."""
    with progress_bar("ground truth", len(benchmark.questions)) as step:
        derivations = await derive(benchmark.questions, store, timeout=timeout, progress=step)
    questions, problems = with_ground_truth(benchmark, derivations)
    return Truth(
        benchmark=benchmark.name,
        questions=questions,
        problems=(*benchmark.warnings, *problems),
        source=store.identity,
    )


@asynccontextmanager
async def target(
    benchmark: Benchmark,
    *,
    store: Path | None = None,
    endpoint: str | None = None,
    user_env: str | None = None,
    password_env: str | None = None,
    workers: int = 1,
) -> AsyncIterator[Store]:
    """The store to ask: a folder, an endpoint, or, for the published questions, the replica.

    The replica is built at the demo's scale in a temporary folder, so that its queries run in a
    process that can be ended, as those on any folder do.

    Args:
        benchmark: whose queries are to run.
        user_env, password_env: of an endpoint, the environment variables of its credentials.
        workers: of a folder or the replica, how many queries run at once.

    Raises:
        InputError: both a folder and an endpoint are named, or neither and the replica will not
            do, or credentials without an endpoint.
        FactmarkError: what was named cannot be queried.
    """
    from factmark.stores.store import open_store

    if store is not None and endpoint is not None:
        raise InputError("Give --store or --endpoint, not both.")
    if endpoint is None and (user_env or password_env):
        raise InputError("--user-env and --password-env are for an --endpoint. Name it.")
    if store is not None or endpoint is not None:
        async with open_store(
            path=store,
            url=endpoint,
            workers=workers,
            user_env=user_env,
            password_env=password_env,
        ) as opened:
            await opened.query("ASK {}")  # what is unreachable or damaged is told at once
            yield opened
        return
    if not is_published(benchmark):
        raise InputError(
            "The benchmark gives no ground truth. Name the data with --store or --endpoint."
        )
    from factmark.ehds.write import demo_replica

    with demo_replica() as path:
        async with open_store(path=path, workers=workers) as opened:
            yield opened


async def derive(
    questions: Sequence[Question],
    store: Store,
    *,
    timeout: float = TIMEOUT,
    progress: Callable[[], None] = lambda: None,
) -> list[Derivation]:
    """Runs each question's query; one that fails is a row with its error, not an exception."""
    out = []
    for question in questions:
        out.append(await _derive_one(question, store, timeout))
        progress()
    return out


async def _derive_one(question: Question, store: Store, timeout: float) -> Derivation:
    name = question.query_id
    if question.sparql is None:
        return Derivation(query_id=name, elements=None, error="the benchmark gives no query")
    try:
        rows = await store.query(question.sparql, timeout=timeout, max_rows=MAX_ROWS)
    except FactmarkError as error:
        return Derivation(query_id=name, elements=None, error=str(error))
    if rows.truncated:
        return Derivation(query_id=name, elements=None, error=f"more than {MAX_ROWS} rows")
    return Derivation(query_id=name, elements=ground_truth(rows))


def with_ground_truth(
    benchmark: Benchmark, derivations: Sequence[Derivation]
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """The questions with what was derived, and one sentence for each way in which some failed.

    A question without a query keeps the ground truth that its file gives.
    """
    derived = {row.query_id: row for row in derivations}
    given = {q.query_id for q in benchmark.questions if q.sparql is None and q.ground_truth}
    questions = tuple(
        question
        if question.query_id in given
        else replace(question, ground_truth=derived[question.query_id].elements)
        for question in benchmark.questions
    )
    failed: dict[str, list[str]] = {}
    for row in derivations:
        if row.elements is None and row.query_id not in given:
            failed.setdefault(row.error or "", []).append(row.query_id)
    problems = tuple(f"no ground truth for {', '.join(ids)}: {why}" for why, ids in failed.items())
    return questions, problems


def load(name_or_path: str) -> Benchmark:
    """A benchmark; the published one's files borrow the bundled queries where they have none."""
    return with_bundled_queries(load_benchmark(name_or_path))


def recorded(benchmark: Benchmark) -> dict[str, tuple[str, ...] | None]:
    """The ground truth on record of each question; of the bundled benchmark the published one."""
    bare = all(question.ground_truth is None for question in benchmark.questions)
    if bare and is_published(benchmark):
        return dict(published_values())
    return {q.query_id: q.ground_truth for q in benchmark.questions}


def check(benchmark: Benchmark, derivations: Sequence[Derivation]) -> list[Check]:
    """Each derived ground truth against the recorded one, as sets."""
    known = recorded(benchmark)
    return [_check_one(row, known[row.query_id]) for row in derivations]


def _check_one(row: Derivation, known: tuple[str, ...] | None) -> Check:
    if row.elements is None:
        return Check(query_id=row.query_id, status="failed", error=row.error)
    if known is None:
        error = "no ground truth is on record to compare with"
        return Check(query_id=row.query_id, status="failed", error=error)
    found: Drift = drift(known, row.elements)
    return Check(
        query_id=row.query_id,
        status="same" if found.same else "drifted",
        appeared=found.appeared,
        vanished=found.vanished,
    )


def benchmark_lines(questions: Sequence[Question]) -> str:
    """Questions as JSON Lines that `load_benchmark` reads again."""
    return "".join(
        json.dumps(
            {
                "query_id": q.query_id,
                "category": q.category,
                "question": q.text,
                "ground_truth": None if q.ground_truth is None else list(q.ground_truth),
                "sparql": q.sparql,
                **({"expected_tools": list(q.expected_tools)} if q.expected_tools else {}),
            },
            ensure_ascii=False,
        )
        + "\n"
        for q in questions
    )
