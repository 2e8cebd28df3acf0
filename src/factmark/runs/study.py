"""What `factmark run` does, step by step, with progress on stderr."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.answers.command import print_results
from factmark.answers.model_facts import by_model
from factmark.cli.asking import Asking, tell_embedding, tell_spend
from factmark.cli.console import print_json, print_table, progress, say, stages
from factmark.files.temporary import temporary_folder

if TYPE_CHECKING:
    from factmark.answers.benchmarks import Benchmark
    from factmark.answers.core.evaluate import Extraction
    from factmark.answers.derive import Truth
    from factmark.ask.budget import Purse
    from factmark.passages.embedders import Search
    from factmark.runs.running import Condition, Ran, Subject
    from factmark.runs.study_file import Data, JudgeEntry, Study
    from factmark.stores.store import Store


_WORKERS = 2  # queries of tools that run at once


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opened:
    """A study, ready to ask.

    Attributes:
        benchmark: with the questions that are to be asked only.
        truth: their ground truth, as far as it was derived.
    """

    benchmark: Benchmark
    truth: Truth
    conditions: list[Condition]


async def run_study(study: Study, *, form: str, take_over: bool = False) -> bool:
    """Runs a study and writes what came of it; returns whether nothing is missing."""
    from factmark.answers.core.averages import Settings
    from factmark.answers.reading import AnswerFile
    from factmark.answers.study import score_study, write_report
    from factmark.ask.budget import Budget, Purse
    from factmark.errors import EndpointError, InputError
    from factmark.files.overwriting import ANSWERS, check_files
    from factmark.runs.running import run_models

    out = folder_of(study)
    if out.exists() and not out.is_dir():  # one look, before anything runs
        raise InputError(f"--out {out}: is a file. Name a folder.")
    ledger = study.ledger or out / "ledger.db"
    purse = Purse(Budget(max_calls=study.budget.max_calls, max_cost=study.budget.max_cost))
    async with AsyncExitStack() as stack:
        subjects = _subjects(study, purse)
        for subject in subjects:
            await stack.enter_async_context(subject.client)
        judges = [*study.judges, study.extractor]
        for judge in judges:
            _check(judge, _asking(judge, study, purse))
        opened = await stack.enter_async_context(_opened(study, out, asking=True))
        asked = [q for q in opened.truth.questions if q.ground_truth is not None]
        if not asked:
            told = "; ".join(opened.truth.problems)
            raise InputError(f"No question has a ground truth, so nothing was asked: {told}.")
        check_files(out, ANSWERS, [("the benchmark", Path(study.benchmark))])
        Asking(take_over=take_over).free(ledger)
        total = len(asked) * len(opened.conditions) * sum(s.repeats for s in subjects)
        with progress("answers", total) as step:
            ran = await run_models(asked, subjects, opened.conditions, ledger, progress=step)
        _tell(ran, subjects)
        silent = False
        for judge in judges:  # the extractor comes last: reports are made from the newest scores
            asking = _asking(judge, study, purse)
            try:
                extraction = await _extraction(judge, asking, opened, ran, ledger)
            except EndpointError as error:
                if judge is study.extractor:
                    raise
                say(f"{judge.name} judged nothing: {error}")
                silent = True
                continue
            with progress(f"scoring by {judge.name}", len(ran.answers)) as step:
                results = score_study(
                    opened.truth,
                    AnswerFile(answers=ran.answers, problems=ran.problems),
                    extraction,
                    Settings(**study.estimates.model_dump()),
                    ledger=ledger,
                    made=_made(subjects, opened),
                    progress=step,
                )
    write_report(results, out)
    print_results(results, form)
    return not (ran.lost or silent) and opened.truth.complete


async def tell_plan(study: Study, *, json: bool) -> None:
    """Tells what a study would ask and cost; asks no model."""
    from factmark.ask.model_spec import names_model
    from factmark.ask.prices import Prices
    from factmark.runs.forecast import forecast_judge, forecast_run
    from factmark.runs.forecast_table import forecast_rows, forecast_table

    out = folder_of(study)
    prices = Prices.load(study.budget.prices)
    models = [
        (entry.title, spec, prices.of(spec), entry.repeats or study.repeats)
        for entry, spec in ((entry, entry.spec()) for entry in study.models)
    ]
    async with _opened(study, out, asking=False) as opened:
        told = await forecast_run(
            opened.truth.questions, models, opened.conditions, study.ledger or out / "ledger.db"
        )
        judges = [*study.judges, study.extractor]
        known = [(judge, _asking(judge, study, None)) for judge in judges]
        told += [
            forecast_judge(judge.name, spec, asking.price(spec), opened.truth.questions, told)
            for judge, asking in known
            if names_model(judge.name)
            for spec in (asking.spec(judge.name),)
        ]
    if json:
        print_json(forecast_rows(told))
        return
    print_table(forecast_table(told))
    say("Nothing was asked.")


def folder_of(study: Study) -> Path:
    """Where a study's results are written: `--out`, else a folder named after the benchmark."""
    return study.out or Path(f"{Path(study.benchmark).stem}-run")


def _subjects(study: Study, purse: Purse) -> list[Subject]:
    from factmark.ask.budget import Account
    from factmark.ask.client import ChatClient
    from factmark.ask.prices import Prices
    from factmark.runs.running import Subject

    prices = Prices.load(study.budget.prices)
    out = []
    for entry in study.models:
        spec = entry.spec()
        at_once = entry.concurrency or study.concurrency
        account = Account(price=prices.of(spec), purse=purse, name=entry.title)
        client = ChatClient(
            spec,
            account=account,
            concurrency=at_once,
            max_failures=study.budget.max_failures,
        )
        out.append(
            Subject(
                name=entry.title,
                client=client,
                repeats=entry.repeats or study.repeats,
                ahead=2 * at_once,
            )
        )
    return out


@asynccontextmanager
async def _opened(study: Study, out: Path, *, asking: bool) -> AsyncIterator[_Opened]:
    """The study's questions and conditions; one store serves ground truth, passages and tools.

    Args:
        asking: whether models are to be asked; else no ground truth is derived, and a question is
            looked up by no embedder that costs something.
    """
    from factmark.answers.benchmarks import is_published, load
    from factmark.answers.derive import Truth, derived
    from factmark.errors import InputError
    from factmark.runs.run_sources import conditions, needs_store

    whole = load(study.benchmark)
    benchmark = _chosen(whole, study.questions)
    data = study.data
    stored = all(question.ground_truth is not None for question in benchmark.questions)
    named = data.store is not None or data.endpoint is not None
    if needs_store(study) and not (named or is_published(whole)):
        raise InputError(
            f"The conditions {', '.join(study.conditions)} need the data that the questions are "
            "about: name it with --store or --endpoint."
        )
    deriving = asking and (named or not stored)
    truth = Truth(
        benchmark=benchmark.name, questions=benchmark.questions, problems=benchmark.warnings
    )
    notes: list[str] = []
    async with AsyncExitStack() as stack:
        search, folder = await stack.enter_async_context(_search(study, out, asking=asking))
        store = None
        if deriving or needs_store(study):
            store = await stack.enter_async_context(_store(whole, study.data))
        if deriving and store is not None:
            truth = await derived(benchmark, store, data.timeout)
        with stages() as told:
            made = await stack.enter_async_context(
                conditions(study, store, search, folder, progress=told, note=notes.append)
            )
        yield _Opened(
            benchmark=benchmark,
            truth=replace(truth, problems=(*truth.problems, *notes)),
            conditions=made,
        )


def _store(benchmark: Benchmark, data: Data) -> AbstractAsyncContextManager[Store]:
    from factmark.answers.derive import target
    from factmark.answers.options import Reach

    reach = Reach(
        store=data.store,
        endpoint=data.endpoint,
        user_env=data.user_env,
        password_env=data.password_env,
    )
    return target(benchmark, reach, workers=_WORKERS)


@asynccontextmanager
async def _search(
    study: Study, out: Path, *, asking: bool
) -> AsyncIterator[tuple[Search | None, Path]]:
    """How passages are looked up, and the folder of their index; None where nobody looks."""
    from factmark.passages.embedders import open_search
    from factmark.passages.embedders_http import HttpEmbedder
    from factmark.runs.run_sources import needs_index

    rag = study.rag
    folder = rag.index or out / "index"
    if not needs_index(study):
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


def _chosen(benchmark: Benchmark, wanted: list[str] | None) -> Benchmark:
    from factmark.errors import InputError

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


def _asking(judge: JudgeEntry, study: Study, purse: Purse | None) -> Asking:
    return Asking(
        base_url=judge.base_url,
        key_env=judge.key_env,
        temperature=judge.temperature,
        max_tokens=judge.max_tokens,
        concurrency=study.concurrency,
        max_failures=study.budget.max_failures,
        prices=study.budget.prices,
        purse=purse,
    )


def _check(judge: JudgeEntry, asking: Asking) -> None:
    """Tells a missing key, a missing price or a missing function before any model is asked."""
    from factmark.answers.extractors import own_extraction
    from factmark.ask.model_spec import names_model

    if names_model(judge.name):
        asking.client(asking.spec(judge.name))
    elif judge.name != "rules":
        own_extraction(judge.name)


async def _extraction(
    judge: JudgeEntry, asking: Asking, opened: _Opened, ran: Ran, ledger: Path
) -> Extraction:
    from factmark.answers.core.evaluate import Extraction
    from factmark.answers.extractors import own_extraction
    from factmark.ask.model_spec import names_model

    if judge.name == "rules":
        return Extraction()
    if names_model(judge.name):
        spec = asking.spec(judge.name)
        return await by_model(spec, asking, opened.truth.questions, ran.answers, ledger)
    return own_extraction(judge.name)


def _made(subjects: list[Subject], opened: _Opened) -> dict[str, object]:
    """How the answers came about: each model's parameters, each condition's settings."""
    return {
        "models": {subject.name: subject.client.spec.parameters for subject in subjects},
        "conditions": {one.name: one.settings for one in opened.conditions},
    }


def _tell(ran: Ran, subjects: list[Subject]) -> None:
    for spend, subject in zip(ran.spent, subjects, strict=True):
        tell_spend(subject.name, spend)
        for reason, count in spend.failures.items():
            say(f"{subject.name}: {count} calls failed: {reason}")
        if spend.stopped:
            say(f"{subject.name}: {spend.stopped}")
