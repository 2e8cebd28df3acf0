"""Derives ground truths by SPARQL, and compares them with recorded ones.

An IRI becomes its label, or its local name where it has none, a literal its lexical form, a boolean
`true` or `false`; duplicates, unbound cells and blank nodes drop (a blank node names nothing that
an answer could say). Of the published questions the local names are the ground truth.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from factmark.answers.core.records import Question, Thing
from factmark.answers.options import Reach
from factmark.answers.questions.benchmarks import Benchmark, is_published, load, published_values
from factmark.answers.questions.thing_records import things_of_iris
from factmark.cli.console import progress as progress_bar
from factmark.errors import FactmarkError, InputError
from factmark.stores.labels import ENGLISH, NO_LABELS, iris_of, labels_of, other_labels_of
from factmark.stores.terms import Rows, Term, local_name

if TYPE_CHECKING:
    from factmark.stores.store import Store

FILE = "the benchmark's file"
PUBLISHED = "the published ground truth"
_DECLARED = re.compile(r"\b(?:PREFIX\s+[\w.-]*:|BASE)\s*<[^>]*>", re.IGNORECASE)
_SHOWN = 400  # characters of a query in a message
_BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"
MAX_ROWS = 100_000  # of one result; more is no ground truth but a mistake in the query


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """Questions with their ground truth.

    Attributes:
        benchmark: its name.
        problems: what was told of them, one sentence each.
        source: where the ground truth comes from, for the signature.
        errors: query id -> why a store gave it no ground truth.
        hollow: ids of those whose query finds nothing, although the benchmark does not say so.
    """

    benchmark: str
    questions: tuple[Question, ...]
    problems: tuple[str, ...] = ()
    source: str = FILE
    errors: Mapping[str, str] = field(default_factory=dict)
    hollow: frozenset[str] = frozenset()

    @property
    def complete(self) -> bool:
        """Whether every question has one."""
        return all(question.ground_truth is not None for question in self.questions)


def ground_truth(rows: Rows, labels: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """G: the distinct values of all cells, row by row, in the order of the result.

    Args:
        labels: IRI -> what stands for it; its local name, where it has none here.
    """
    if rows.boolean is not None:
        return ("true" if rows.boolean else "false",)
    values = (_value(term, labels or {}) for row in rows.rows for term in row)
    return tuple(dict.fromkeys(value for value in values if value))


def _value(term: Term | None, labels: Mapping[str, str]) -> str:
    """A cell as an answer would say it; empty for one that names nothing."""
    if term is None or term.kind == "bnode":
        return ""
    if term.kind == "iri":
        return labels.get(term.value) or local_name(term.value)
    if term.datatype == _BOOLEAN:
        return {"1": "true", "0": "false"}.get(term.value.strip(), term.value.strip())
    return term.value.strip()


def rows_of(rows: Rows, labels: Mapping[str, str] | None = None) -> tuple[tuple[str, ...], ...]:
    """The distinct rows of a result of several columns; none where a cell names nothing."""
    cells = dict.fromkeys(tuple(_value(term, labels or {}) for term in row) for row in rows.rows)
    wide = len(rows.variables) > 1 and all(all(row) for row in cells)
    if wide:
        return tuple(cells)
    return ()


async def ground_truths(reach: Reach) -> Truth:
    """The ground truths of a benchmark: from the store that is named, else from its own file.

    The published questions have one on record: what their queries find in the replica, as
    `factmark groundtruth check` derives again.
    """
    benchmark = load(reach.benchmark, reach.benchmark_columns)
    record = recorded(benchmark)
    if (
        reach.store is None
        and reach.endpoint is None
        and any(v is not None for v in record.values())
    ):
        questions = tuple(replace(q, ground_truth=record[q.query_id]) for q in benchmark.questions)
        if questions == benchmark.questions:
            source = FILE
        else:
            source = PUBLISHED
        return Truth(
            benchmark=benchmark.name,
            questions=questions,
            problems=benchmark.warnings,
            source=source,
        )
    async with ground_truth_store(benchmark, reach) as store:
        return await derived(benchmark, store, reach.query_timeout, reach.labels)


async def derived(
    benchmark: Benchmark, store: Store, timeout: float = 60.0, language: str = ENGLISH
) -> Truth:
    """The ground truths that a store gives; a query that fails is an error of its question alone.

    A question without a query keeps the ground truth that its file gives. A query that finds
    nothing is such an error too, unless the benchmark says `"empty": true` or lists no element
    itself: a misspelt IRI finds nothing either, and every honest answer would score 0.

    Args:
        timeout: seconds for one query.
        language: of the labels that stand for IRIs (`labels_of`); `none` for their local names.
    """
    labelled = language != NO_LABELS and not is_published(benchmark)
    questions: list[Question] = []
    errors: dict[str, str] = {}
    hollow: set[str] = set()
    failed: dict[str, list[str]] = {}
    with progress_bar("ground truth", len(benchmark.questions)) as step:
        for question in benchmark.questions:
            elements, rows, things, error = await _derive(
                question, store, timeout, language if labelled else NO_LABELS
            )
            if elements == () and not (question.empty or question.ground_truth == ()):
                hollow.add(question.query_id)
                elements = None
                error = _empty_result_note(question)
            if error is not None:
                errors[question.query_id] = error
            if question.sparql is None and question.ground_truth:
                elements = question.ground_truth
            elif error is not None:
                failed.setdefault(error, []).append(question.query_id)
            questions.append(
                replace(
                    question,
                    ground_truth=elements,
                    rows=rows or question.rows,
                    things={**things, **question.things},
                )
            )
            step()
    problems = (f"no ground truth for {', '.join(ids)}: {why}" for why, ids in failed.items())
    return Truth(
        benchmark=benchmark.name,
        questions=tuple(questions),
        problems=(*benchmark.warnings, *problems),
        source=store.identity,
        errors=errors,
        hollow=frozenset(hollow),
    )


def _empty_result_note(question: Question) -> str:
    """A sentence on a query that found nothing, with the query itself."""
    query = " ".join(_DECLARED.sub("", question.sparql or "").split())
    if len(query) <= _SHOWN:
        shown = query
    else:
        shown = f"{query[:_SHOWN]}…"
    return (
        f'its query finds nothing: {shown} (if that is right, write `"empty": true` into the'
        " benchmark's file)"
    )


async def _derive(
    question: Question, store: Store, timeout: float, language: str
) -> tuple[tuple[str, ...] | None, tuple[tuple[str, ...], ...], dict[str, Thing], str | None]:
    """G with its rows and what its elements are, or why there is none."""
    if question.sparql is None:
        return None, (), {}, "the benchmark gives no query"
    try:
        rows = await store.query(question.sparql, timeout=timeout, max_rows=MAX_ROWS)
        if rows.truncated:
            return None, (), {}, f"more than {MAX_ROWS} rows"
        labels = {}
        things = {}
        if language != NO_LABELS:
            iris = iris_of(rows)
            labels = await labels_of(iris, store, language, timeout=timeout)
            others = await other_labels_of(labels, store, language, timeout=timeout)
            things = things_of_iris(iris, labels, others)
    except FactmarkError as failure:
        return None, (), {}, str(failure)
    return ground_truth(rows, labels), rows_of(rows, labels), things, None


@asynccontextmanager
async def ground_truth_store(
    benchmark: Benchmark, reach: Reach | None = None, *, workers: int = 1
) -> AsyncIterator[Store]:
    """Opens the store that ground truths are derived from: a folder, an endpoint, or the replica.

    The replica is built at the demo's scale in a temporary folder, so that its queries run in a
    process that can be ended, as those on any folder do.

    Args:
        workers: of a folder or the replica, how many queries run at once.

    Raises:
        InputError: both a folder and an endpoint are named, or neither and the replica will not
            do, or credentials without an endpoint.
        FactmarkError: what was named cannot be queried.
    """
    from factmark.stores.open_store import open_store

    reach = reach or Reach()
    if reach.store is not None and reach.endpoint is not None:
        raise InputError("Give --store or --endpoint, not both.")
    if reach.endpoint is None and (reach.user_env or reach.password_env):
        raise InputError("--user-env and --password-env are for an --endpoint. Name it.")
    if reach.store is not None or reach.endpoint is not None:
        async with open_store(
            path=reach.store,
            url=reach.endpoint,
            workers=workers,
            user_env=reach.user_env,
            password_env=reach.password_env,
        ) as store:
            await store.query("ASK {}")  # what is unreachable or damaged is told at once
            yield store
        return
    if not is_published(benchmark):
        raise InputError(
            "The benchmark gives no ground truth. Name the data with --store or --endpoint."
        )
    from factmark.ehds.write import demo_replica

    with demo_replica() as path:
        async with open_store(path=path, workers=workers) as store:
            yield store


def recorded(benchmark: Benchmark) -> dict[str, tuple[str, ...] | None]:
    """The ground truth on record of each question; of the bundled benchmark the published one."""
    record = {q.query_id: q.ground_truth for q in benchmark.questions}
    bare = all(truth is None for truth in record.values())
    if bare and is_published(benchmark):
        return dict(published_values())
    return record


def compare_with_record(benchmark: Benchmark, truth: Truth) -> list[dict[str, Any]]:
    """For each question the derived and the recorded ground truth compared as sets.

    Returns:
        For each `query_id` its `status` (same, drifted or failed), what `appeared` and what
        `vanished`, and the `error` of one that failed.
    """
    record = recorded(benchmark)
    rows = []
    for question in truth.questions:
        known = record[question.query_id]
        error = truth.errors.get(question.query_id)
        if known is not None and question.query_id in truth.hollow:
            error = None  # that all vanished is what there is to tell
        if error is None and known is None:
            error = "no ground truth is on record to compare with"
        old, new = (dict.fromkeys(g or ()) for g in (known, question.ground_truth))
        appeared: list[str] = []
        if not error:
            appeared = []
            for value in new:
                if value not in old:
                    appeared.append(value)
        vanished: list[str] = []
        if not error:
            vanished = []
            for value in old:
                if value not in new:
                    vanished.append(value)
        if error:
            status = "failed"
        elif appeared or vanished:
            status = "drifted"
        else:
            status = "same"
        rows.append(
            {
                "query_id": question.query_id,
                "status": status,
                "appeared": appeared,
                "vanished": vanished,
                "error": error,
            }
        )
    return rows
