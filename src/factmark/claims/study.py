"""Claims judged from end to end: a table in, verdicts in the ledger, scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from factmark.ask.budget import Spend, report_spend
from factmark.ask.judges.model_judge import asking_judge
from factmark.ask.judges.unit_judge import OpenJudge, ready
from factmark.ask.runner import JudgingLine, no_judging_line, run
from factmark.claims.core.claim_rows import KIND, ClaimRow, claim_id, claim_unit, item_of_row
from factmark.claims.evidence import NOTHING_FOUND, open_corpus, with_evidence
from factmark.claims.judges import (
    claim_foreign_judge,
    claim_model_task,
    claim_own_judge,
    claim_people,
    claim_rule_judge,
)
from factmark.claims.options import ClaimsOptions
from factmark.claims.reading import ClaimTable, read_claims
from factmark.claims.results import ClaimResults, claim_results
from factmark.claims.splitting import (
    as_they_are,
    claims_of_rows,
    forecast_splits,
    sentences_in,
    split_by_model,
)
from factmark.cli.judging_options import LEDGER
from factmark.files.overwriting import check_files
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.graphs.result_files import result_paths
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import keep_rows, note_shared_ids
from factmark.ledger.verdicts import people_values
from factmark.model import Item, Unit, UserRow

if TYPE_CHECKING:
    from factmark.ask.budget import Budget
    from factmark.ask.client import ChatClient
    from factmark.ask.forecast import Forecast
    from factmark.ask.judges.own_judge import OwnJudge
    from factmark.ask.tasks import Task

Bar = Callable[[str, int], AbstractContextManager[Callable[..., None]]]
"""Given what is done and how many, opens what is called after each."""


def _no_bar(_what: str, _total: int) -> AbstractContextManager[Callable[..., None]]:
    """Shows nothing while claims are prepared."""
    return nullcontext(lambda _count=1: None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shows:
    """How a study shows what it does: progress of judging, of splitting and searching, and what
    the user should know at once."""

    judging: JudgingLine = no_judging_line
    bar: Bar = _no_bar
    say: Callable[[str], None] = lambda text: None


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
    own, budget = given.own_judge, given.budget()  # a missing one raises here, as does a key
    client = None if given.by_rules or own or given.foreign else given.client(budget)
    with ExitStack() as stack:
        table = read_claims(given, problems)
        _check_outputs(given)
        path = given.kept_in or stack.enter_context(temporary_folder()) / "ledger.db"
        claims, left, spent = await _cut(given, table, budget, path, problems, shows)
        rows, notes = await _with_evidence(given, claims, problems, shows)
        jobs = _jobs(rows, by_passage=given.batch > 1)
        open_judge = _open_judge(given, client, own, rows)
        with shows.judging(len(jobs)) as progress:
            async with client or nullcontext():
                judged = await run(jobs, open_judge, path, again=given.anew, progress=progress)
        others = [claim_foreign_judge(name, rows) for name in table.judges]
        if any(row.label for row in rows):
            others.append(claim_people(table.source, rows))
        for other in others:
            await run(jobs, ready(other), path, again=True)
        spent = judged.spend + spent
        if given.kept_in is not None:
            report_spend(shows.say, spent, path)
        with Ledger(path) as ledger:
            is_whole = len(table.rows) == table.size and not left
            kept = _user_rows(table.source, rows)
            keep_rows(ledger, KIND, kept, whole=is_whole)
            if given.kept_in is not None and not table.are_responses:
                note_shared_ids(kept, problems)
            verdicts = dict(ledger.newest(judged.judge.id, [unit.id for _, unit in jobs]))
            people = people_values(ledger, KIND)
    failures = spent.failure_notes(*(() if client else ("claim", "claims")))
    return claim_results(
        given,
        table,
        rows,
        (judged.judge, verdicts),
        people,
        spent=spent,
        left=left,
        problems=(*failures, *problems.sentences(), *notes),
    )


def _open_judge(
    given: ClaimsOptions,
    client: ChatClient | None,
    own: OwnJudge | None,
    rows: Sequence[ClaimRow],
) -> OpenJudge:
    """Returns how the judge is opened: a model, one of the user's own, verdicts that are there, or
    the rules."""
    if client is not None:
        task = _model_task(given, client)
        return asking_judge(client, task, batch=given.batch, samples=given.samples)
    if own is not None:
        return claim_own_judge(own)
    foreign = given.foreign
    return ready(claim_foreign_judge(foreign, rows) if foreign else claim_rule_judge())


def _model_task(given: ClaimsOptions, client: ChatClient) -> Task:
    """Returns what a model is asked about claims, by the options."""
    return claim_model_task(client.spec, given.mode, batch=given.batch, samples=given.samples)


async def _cut(
    given: ClaimsOptions,
    table: ClaimTable,
    budget: Budget,
    ledger: Path,
    problems: Problems,
    shows: Shows,
) -> tuple[Sequence[ClaimRow], int, Spend]:
    """Returns the claims of a table, its responses cut into them; how many sentences are not cut
    yet, for want of budget; and what cutting took."""
    if not table.are_responses:
        return table.rows, 0, Spend()
    asked = sentences_in(table.rows)
    splits, spent = as_they_are(asked), Spend()
    if given.split_by_model:
        async with given.split_client(budget) as client:
            with shows.bar(f"claims by {client.spec.name}", len(asked)) as step:
                splits, spent = await split_by_model(asked, client, ledger, step=step)
    claims, left = claims_of_rows(table.rows, splits)
    cut = {claim.place.rpartition(", claim ")[0] for claim in claims}
    for row in table.rows if not left else ():
        if row.place not in cut:
            problems.note("response without a claim", row.place)
    return claims, left, spent


async def _with_evidence(
    given: ClaimsOptions, rows: Sequence[ClaimRow], problems: Problems, shows: Shows
) -> tuple[Sequence[ClaimRow], Sequence[str]]:
    """Returns claims, those that have no evidence with what the corpus has for them, and what is to
    be known of the corpus; notes claims that stay without."""
    notes: Sequence[str] = ()
    if given.corpus is not None and any(row.passage is None for row in rows):
        async with open_corpus(given) as index:
            with shows.bar("evidence", len(rows)) as step:
                rows = await with_evidence(rows, index, given.k, step=step)
            notes = index.notes
    for row in rows:
        if row.passage is None and row.unsplit is None:
            why = "a model goes by what is generally true"
            if row.passage_id:
                why += f"; --passages FILE brings {row.passage_id!r}"
            problems.note("no evidence", row.place, why)
        elif row.passage == NOTHING_FOUND:
            problems.note("nothing in the corpus", row.place, repr(row.text[:60]))
    return rows, notes


def forecast_claims(given: ClaimsOptions) -> tuple[Forecast, ChatClient]:
    """Returns what `judge_claims` would ask, splitting included, and what that costs; asks nothing.

    Sentences that are not split yet count as one claim each.
    """
    from factmark.ask.forecast import forecast_units, total_forecast

    problems, budget, path = Problems(), given.budget(), given.kept_in or LEDGER
    table = read_claims(given, problems)
    rows: Sequence[ClaimRow] = table.rows
    forecasts = []
    client = given.client(budget) if given.asks_model else given.split_client(budget)
    if table.are_responses:
        asked = sentences_in(table.rows)
        splits = as_they_are(asked)
        if given.split_by_model:
            splits, forecast = forecast_splits(asked, given.split_client(budget), path)
            forecasts.append(forecast)
        rows, _ = claims_of_rows(table.rows, splits)
    if given.asks_model:
        rows, _ = asyncio.run(_with_evidence(given, rows, problems, Shows()))
        jobs, task = _jobs(rows, by_passage=given.batch > 1), _model_task(given, client)
        many = {"batch": given.batch, "samples": given.samples}
        forecasts.append(forecast_units(jobs, task, client.spec, client.price, path, **many))
    return forecasts[0] if len(forecasts) == 1 else total_forecast(forecasts), client


def _jobs(rows: Sequence[ClaimRow], *, by_passage: bool) -> list[tuple[Item, Unit]]:
    """Returns each unit once, with the cluster that it belongs to; those of one passage one after
    another where they can share a call."""
    units = {claim_id(row): row for row in reversed(rows) if row.unsplit is None}
    ordered = list(reversed(units.values()))
    if by_passage:
        numbers: dict[str | None, int] = {}
        ordered.sort(key=lambda row: numbers.setdefault(row.passage, len(numbers)))
    return [(item_of_row(row), claim_unit(row)) for row in ordered]


def _user_rows(source: str, rows: Sequence[ClaimRow]) -> list[UserRow]:
    """Returns the rows of the table as the ledger keeps them beside their units, for labels that
    come by their ids, with cluster and system for who compares systems: rows of one claim and
    passage, which are one unit, may be of several."""
    return [
        UserRow(source, row.place, row.id, claim_id(row), row.passage_id, {**row.data, **part_of})
        for row in rows
        for part_of in [{"cluster": row.cluster, "system": row.system}]
        if row.unsplit is None
    ]


def _check_outputs(given: ClaimsOptions) -> None:
    """Raises, before anything is judged, if a result would overwrite an input or a file that
    factmark did not write."""
    if given.out is not None:
        named = {"--passages": given.passages, "--corpus": given.corpus, "the claims": given.claims}
        inputs = [(option, path) for option, path in named.items() if path is not None]
        check_files(
            given.out, [path.name for path in result_paths("claims", given.out).values()], inputs
        )
