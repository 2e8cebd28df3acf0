"""Claims judged from end to end: a table in, verdicts in the ledger, scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.ask.budget import Spend, report_spend
from factmark.ask.judges.model_judge import asking_judge
from factmark.ask.judges.unit_judge import OpenJudge, ready
from factmark.ask.runner import JudgingProgress, run
from factmark.claims.core.claim_rows import KIND, ClaimRow, claim_id, claim_unit, item_of_row
from factmark.claims.evidence import open_corpus, with_evidence
from factmark.claims.judges import (
    claim_foreign_judge,
    claim_model_task,
    claim_own_judge,
    claim_rule_judge,
)
from factmark.claims.options import LEDGER, ClaimsOptions
from factmark.claims.reading import ClaimTable, read_claims
from factmark.claims.result_files import result_paths
from factmark.claims.results import ClaimResults, claim_results
from factmark.claims.splitting import (
    claims_of_rows,
    each_sentence,
    forecast_splits,
    sentences_in,
    split_by_model,
)
from factmark.files.overwriting import check_files
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.ledger.ledger import Ledger, open_to_read
from factmark.ledger.rows import keep_rows
from factmark.ledger.verdicts import people_values
from factmark.model import Item, Unit, UserRow, Verdict
from factmark.tables.shown_text import count

if TYPE_CHECKING:
    from factmark.ask.budget import Budget
    from factmark.ask.client import ChatClient
    from factmark.ask.forecast import Forecast

Line = Callable[[int], AbstractContextManager[Callable[[JudgingProgress], None] | None]]
"""Given a number of units, opens what is called with the progress of judging them."""

Bar = Callable[[str, int], AbstractContextManager[Callable[..., None]]]
"""Given what is done and how many, opens what is called after each."""


def _no_line(_total: int) -> AbstractContextManager[None]:
    """Shows nothing while claims are judged."""
    return nullcontext()


def _no_bar(_what: str, _total: int) -> AbstractContextManager[Callable[..., None]]:
    """Shows nothing while claims are prepared."""
    return nullcontext(lambda _count=1: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shows:
    """How a study shows what it does: progress of judging, of splitting and searching, and what
    the user should know at once."""

    judging: Line = _no_line
    bar: Bar = _no_bar
    say: Callable[[str], None] = lambda text: None


@dataclass(slots=True, kw_only=True)
class _Prepared:
    """A table whose responses are claims and whose claims have evidence.

    Attributes:
        left: sentences that are not split yet, for want of budget.
        spent: on splitting.
    """

    table: ClaimTable
    rows: Sequence[ClaimRow]
    left: int = 0
    spent: Spend = field(default_factory=Spend)


def judge_claims(given: ClaimsOptions, shows: Shows | None = None) -> ClaimResults:
    """Reads a table, has all claims judged that are not yet, and returns their scores.

    Raises:
        InputError: a file cannot be read, or a result would take the place of something else.
        EndpointError: no call to a model can work; what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    return asyncio.run(_judge_claims(given, shows or Shows()))


async def _judge_claims(given: ClaimsOptions, shows: Shows) -> ClaimResults:
    """Does what `judge_claims` says."""
    problems = Problems()
    own = given.own_judge  # a missing one raises here, and so does a missing key
    budget = given.budget()
    client = None if given.by_rules or own else given.client(budget)
    with ExitStack() as stack:
        table = read_claims(given, problems)
        _check_outputs(given)
        path = given.kept_in or stack.enter_context(temporary_folder()) / "ledger.db"
        prepared = await _prepare(given, table, budget, path, problems, shows)
        rows = prepared.rows
        if client is not None:
            task = claim_model_task(
                client.spec, given.mode, batch=given.batch, samples=given.samples
            )
            opened: OpenJudge = asking_judge(client, task, batch=given.batch, samples=given.samples)
        else:
            opened = claim_own_judge(own) if own else ready(claim_rule_judge())
        jobs = _jobs(rows, by_passage=given.batch > 1)
        with shows.judging(len(jobs)) as progress:
            async with client or nullcontext():
                judged = await run(jobs, opened, path, again=given.reparse, progress=progress)
        for name in table.judges:
            await run(jobs, ready(claim_foreign_judge(name, rows)), path)
        spent = judged.spend + prepared.spent
        if given.kept_in is not None:
            report_spend(shows.say, spent, path)
        with Ledger(path) as ledger:
            _keep_rows(ledger, table, rows)
            verdicts = _verdicts(ledger, judged.judge.id, rows)
            people = people_values(ledger, KIND)
    what = ("claim", "claims") if client is None else ("call", "calls")
    failures = (f"{count(n, *what)} failed: {why}" for why, n in spent.failures.items())
    return claim_results(
        given,
        table,
        rows,
        (judged.judge, verdicts),
        people,
        spent=spent,
        left=prepared.left,
        problems=(*failures, *problems.sentences()),
    )


async def _prepare(
    given: ClaimsOptions,
    table: ClaimTable,
    budget: Budget,
    ledger: Path,
    problems: Problems,
    shows: Shows,
) -> _Prepared:
    """Cuts responses into claims, and looks for evidence where claims have none."""
    prepared = _Prepared(table=table, rows=table.rows)
    if table.are_responses and given.split_by_model:
        asked = sentences_in(table.rows)
        async with given.split_client(budget) as client:
            with shows.bar(f"claims by {client.spec.name}", len(asked)) as step:
                splits, prepared.spent = await split_by_model(asked, client, ledger, step=step)
        prepared.rows, prepared.left = claims_of_rows(table.rows, splits)
    elif table.are_responses:
        prepared.rows = each_sentence(table.rows)
    if table.are_responses and not prepared.left:
        cut = {row.place.rpartition(", claim ")[0] for row in prepared.rows}
        for row in table.rows:
            if row.place not in cut:
                problems.note("response without a claim", row.place)
    await _find_evidence(given, prepared, problems, shows)
    return prepared


async def _find_evidence(
    given: ClaimsOptions, prepared: _Prepared, problems: Problems, shows: Shows
) -> None:
    """Gives claims that have none their evidence from the corpus; notes those that stay without."""
    if given.corpus is not None and any(row.passage is None for row in prepared.rows):
        async with open_corpus(
            given.corpus, given.k, given.embedder, problems, given.encoding
        ) as find:
            with shows.bar("evidence", len(prepared.rows)) as step:
                prepared.rows = await with_evidence(prepared.rows, find, step=step)
    for row in prepared.rows:
        if row.passage is None and row.unsplit is None:
            problems.note("no evidence", row.place, "a model goes by what is generally true")


def forecast_claims(given: ClaimsOptions) -> tuple[Forecast, ChatClient]:
    """Returns what `judge_claims` would ask, splitting included, and what that costs; asks nothing.

    Sentences that are not split yet count as one claim each.
    """
    from factmark.ask.forecast import Forecaster, total_forecast

    problems, budget, path = Problems(), given.budget(), given.kept_in or LEDGER
    table = read_claims(given, problems)
    prepared = _Prepared(table=table, rows=table.rows)
    forecasts, client = [], None
    if table.are_responses and given.split_by_model:
        client = given.split_client(budget)
        with open_to_read(path) as ledger:
            forecaster = Forecaster(client.spec, client.price, ledger)
            splits = forecast_splits(sentences_in(table.rows), client, path, forecaster)
        forecasts.append(forecaster.forecast(condition="splitting"))
        prepared.rows, _ = claims_of_rows(table.rows, splits)
    elif table.are_responses:
        prepared.rows = each_sentence(table.rows)
    asyncio.run(_find_evidence(given, prepared, problems, Shows()))
    if not given.by_rules and given.own_judge is None:
        client = given.client(budget)
        task = claim_model_task(client.spec, given.mode, batch=given.batch, samples=given.samples)
        with open_to_read(path) as ledger:
            forecaster = Forecaster(client.spec, client.price, ledger)
            jobs = _jobs(prepared.rows, by_passage=given.batch > 1)
            forecaster.add_units(jobs, task, batch=given.batch, samples=given.samples)
        forecasts.append(forecaster.forecast(condition="judging"))
    assert client is not None  # noqa: S101 - the command forecasts only where a model is asked
    return forecasts[0] if len(forecasts) == 1 else total_forecast(forecasts), client


def _jobs(rows: Sequence[ClaimRow], *, by_passage: bool) -> list[tuple[Item, Unit]]:
    """Returns each unit once, with the cluster that it belongs to; those of one passage one after
    another where they can share a call."""
    units = {claim_id(row): row for row in reversed(rows) if row.unsplit is None}
    ordered = list(reversed(units.values()))
    if by_passage:
        first: dict[str | None, int] = {}
        for place, row in enumerate(ordered):
            first.setdefault(row.passage, place)
        ordered.sort(key=lambda row: first[row.passage])
    return [(item_of_row(row), claim_unit(row)) for row in ordered]


def _keep_rows(ledger: Ledger, table: ClaimTable, rows: Sequence[ClaimRow]) -> None:
    """Keeps which rows of the table are about which units, for labels that come by their ids."""
    kept = [
        UserRow(
            source=table.name,
            place=row.place,
            id=row.id,
            unit=claim_id(row),
            passage_id=row.passage_id,
            data=row.data,
        )
        for row in rows
        if row.unsplit is None
    ]
    keep_rows(ledger, KIND, kept)


def _verdicts(ledger: Ledger, judge: str, rows: Sequence[ClaimRow]) -> dict[str, Verdict]:
    """Returns unit -> the judge's newest verdict, of those that have one."""
    return dict(ledger.newest(judge, list({claim_id(row) for row in rows})))


def _check_outputs(given: ClaimsOptions) -> None:
    """Raises, before anything is judged, if a result would overwrite an input or a file that
    factmark did not write."""
    if given.out is not None:
        named = {"--passages": given.passages, "--corpus": given.corpus, "the claims": given.claims}
        inputs = [(option, path) for option, path in named.items() if path is not None]
        check_files(given.out, [path.name for path in result_paths(given.out).values()], inputs)
