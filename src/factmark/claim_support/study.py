"""Claims judged from end to end: a table in, verdicts in the ledger, scores out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from factmark.ask.budget import report_spend
from factmark.ask.client import ChatClient
from factmark.ask.forecast import Forecast, forecast_units, total_forecast
from factmark.ask.judges.recipe import Recipe
from factmark.ask.judges.unit_judge import UnitJudge, ready
from factmark.ask.runner import JudgingLine, JudgingProgress, no_judging_line, run
from factmark.ask.tasks import Task
from factmark.claim_support.core.claim_rows import KIND, ClaimRow, claim_id, claim_unit
from factmark.claim_support.evidence import with_evidence
from factmark.claim_support.judges import claim_foreign_judge, claim_labels, claim_openers
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.reading import ClaimTable, read_claims
from factmark.claim_support.report import claims_report
from factmark.claim_support.results import ClaimResults, claim_results
from factmark.claim_support.splitting import (
    Bar,
    as_they_are,
    claims_of_rows,
    cut_into_claims,
    forecast_splits,
    no_bar,
)
from factmark.cli.asking import JudgedPart, check_whole
from factmark.cli.console import judging_line_if
from factmark.cli.console import progress as progress_bar
from factmark.cli.judge_recipes import open_judge
from factmark.cli.judging_options import LEDGER
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.files.frames import Rows, as_file
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.graphs.judges import graph_model_task
from factmark.graphs.ontologies.bundled import BUNDLED, bundled_ontology
from factmark.ledger.ledger import Ledger
from factmark.ledger.rows import keep_rows, note_shared_ids
from factmark.ledger.verdicts import people_values
from factmark.model import Item, Judge, Unit, UserRow
from factmark.report.files import check_result_files
from factmark.report.result import Result


@python_function(ClaimsOptions)
def claims(
    claims: Rows,
    passages: Rows | Mapping[str, str] | None = None,
    *,
    judge: str | Callable[..., Any] = "rules",
    corpus: Rows | None = None,
    progress: bool = False,
    **options: Any,
) -> Result:
    """Which claims does their evidence support? `factmark claims judge`.

    Args:
        claims: with `claim` and `passage` or `passage_id`, or with `response` and
            `split="openai:MODEL"` or `split="sentences"`; people's `label` and other judges'
            `verdict:NAME` where there are. A frame is kept in a ledger by a hash of its rows:
            those of two frames never mix.
        passages: as of `factscore`.
        judge: as of `factscore`.
        corpus: where evidence is looked for, for claims that bring none.
        progress: whether lines on stderr show how far judging is.
        options: those of the command.

    Returns:
        The average "claims", and "balanced accuracy" and "corrected by people" where people
        labelled some; a row per claim: label, status, reason and evidence, then the table's own
        columns.

    Raises:
        FactmarkError: what cannot be read, asked or written, and options that there are none of.
    """
    judging = judging_line_if(progress)
    bar: Bar
    if progress:
        bar = progress_bar
    else:
        bar = no_bar
    texts = as_file(passages, "passages"), as_file(corpus, "corpus")
    with as_file(claims) as table, texts[0] as given_passages, texts[1] as given_corpus:
        files = {"claims": table, "passages": given_passages, "corpus": given_corpus}
        given = options_of(ClaimsOptions, {**files, "judge": judge, **options})
        check_whole(given.shard)
        return claims_report(asyncio.run(judge_claims(given, judging=judging, bar=bar)))


async def judge_claims(
    given: ClaimsOptions,
    *,
    judging: JudgingLine = no_judging_line,
    bar: Bar = no_bar,
    say: Callable[[str], None] = lambda text: None,
) -> ClaimResults:
    """Reads a table, has all claims judged that are not yet, and returns their scores.

    Args:
        judging: shows progress while claims are judged.
        bar: the same while responses are split and evidence is looked for.
        say: called with what the user should know at once.

    Raises:
        InputError: a file cannot be read, or a result would take the place of something else.
        EndpointError: no call to a model can work; what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    problems = Problems()
    given = given.with_one_budget()
    recipe = given.recipe("claims")  # a missing function raises here, and so does a missing key
    with ExitStack() as stack:
        table = read_claims(given, problems)
        named = (("--passages", given.passages), ("--corpus", given.corpus))
        check_result_files(given.out, [*named, ("the claims", given.claims)])
        path = given.kept_in or stack.enter_context(temporary_folder()) / "ledger.db"
        given = stack.enter_context(_in_parts(given, recipe, path, len(table.rows), judging))
        claims, left, spent = await cut_into_claims(given, table, path, problems, bar)
        rows, notes = await with_evidence(given, claims, problems, bar)
        to_judge = _judgeable(rows)
        jobs = _jobs(given, to_judge)
        if given.foreign:
            recipe = replace(recipe, material=claim_labels(given.foreign, to_judge))
        judged = await _judged(given, recipe, jobs, path, judging)
        for other in _judges_of_columns(table, to_judge):
            await run(jobs, ready(other), path, again=True)
        spent = judged.spend + spent
        if given.kept_in is not None:
            report_spend(say, spent, path)
        with Ledger(path) as ledger:
            verdicts = dict(ledger.newest(judged.judge.id, [unit.id for _, unit in jobs]))
            if given.foreign:  # what its column leaves empty is missing to who compares, too
                _add_units(ledger, [job for job in jobs if job[1].id not in verdicts])
            kept = [_user_row(table.source, row) for row in to_judge]
            keep_rows(ledger, KIND, kept, whole=len(table.rows) == table.size and not left)
            _note_mapping(ledger, judged.judge, table)
            if given.kept_in is not None and not table.are_responses:
                note_shared_ids(kept, problems)
            people = people_values(ledger, KIND)
    failures = spent.failure_notes(*(() if recipe.by == "model" else ("claim", "claims")))
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


async def judge_claims_part(
    given: ClaimsOptions,
    *,
    judging: JudgingLine = no_judging_line,
    bar: Bar = no_bar,
    judge_id: str = "",
) -> JudgedPart:
    """Judges the part of a table that `--shard` names into its ledger; arguments and errors as of
    `judge_claims`. What people and other programs said of it comes in by the whole run.

    Args:
        judge_id: who is to judge, where another process says so.
    """
    problems, given, part = Problems(), given.with_one_budget(), given.part
    recipe = replace(given.recipe("claims"), judge=judge_id)
    path = given.kept_in
    if path is None or given.foreign:
        raise InputError("--shard: verdicts of a column are read by one process; leave it out.")
    table = read_claims(given, problems)
    by_response = table.are_responses and given.split_by_model
    if by_response:  # so that each is paid once
        here = tuple(row for row in table.rows if part.holds(row.text))
        table = replace(table, rows=here)
    claims, left, spent = await cut_into_claims(given, table, path, problems, bar)
    if not by_response:
        claims = [row for row in claims if part.holds(row.passage or row.text)]
    rows, notes = await with_evidence(given, claims, problems, bar)
    to_judge = _judgeable(rows)
    done = await _judged(given, recipe, _jobs(given, to_judge), path, judging)
    with Ledger(path) as ledger:
        keep_rows(ledger, KIND, [_user_row(table.source, row) for row in to_judge])
    done = replace(done, left=done.left + left, spend=done.spend + spent)
    return JudgedPart.of_progress(part, path, done, (*problems.sentences(), *notes))


def _judges_of_columns(table: ClaimTable, rows: Sequence[ClaimRow]) -> Iterator[UnitJudge]:
    """Yields the judges that a table has columns of: other programs, and people."""
    for name in table.judges:
        yield claim_foreign_judge(name, rows)
    if any(row.label for row in rows):
        yield claim_foreign_judge(f"people of {table.source}", rows, are_people=True)


def _note_mapping(ledger: Ledger, judge: Judge, table: ClaimTable) -> None:
    """Notes how the columns of a table were read."""
    ledger.note_mapping(judge, table.source, table.mapping.as_record())


def _add_units(ledger: Ledger, jobs: Iterable[tuple[Item, Unit]]) -> None:
    """Adds units that have no verdict."""
    with ledger.writing():
        for item, unit in jobs:
            ledger.add_new_item(item)
            ledger.add_unit(unit)


@contextmanager
def _in_parts(
    given: ClaimsOptions, recipe: Recipe, ledger: Path, rows: int, judging: JudgingLine
) -> Iterator[ClaimsOptions]:
    """Has the workers of `--engine`, if one is named, judge a table; yields the options for what is
    left to ask. See `begin_parts`."""
    if not given.engine:
        yield given
        return
    from factmark.engine.parts import begin_parts

    judge = open_judge(recipe, claim_openers(recipe)).identity
    files = (given.claims, given.passages, given.corpus)
    with judging(rows) as progress:
        parts = begin_parts(given, judge_claims_part, recipe, judge, ledger, files=files)
        with parts as wait:
            yield replace(given, asking=replace(given.asking, budget=wait(progress)))


async def _judged(
    given: ClaimsOptions,
    recipe: Recipe,
    jobs: Sequence[tuple[Item, Unit]],
    ledger: Path,
    judging: JudgingLine,
) -> JudgingProgress:
    """Has the judge of a recipe go through claims that have no verdict yet."""
    judge = open_judge(recipe, claim_openers(recipe), budget=given.asking.budget)
    with judging(len(jobs)) as progress:
        return await run(jobs, judge, ledger, again=given.anew, progress=progress)


def _model_task(given: ClaimsOptions, client: ChatClient) -> Task:
    """Returns what a model is asked about claims: what it is asked about triples, so that verdicts
    on both are by the same judge."""
    ontology = (bundled_ontology(), BUNDLED)
    return graph_model_task(
        client.spec, given.mode, ontology, batch=given.batch, samples=given.samples
    )


def _judgeable(rows: Iterable[ClaimRow]) -> list[ClaimRow]:
    """Returns the rows that can be judged."""
    return [row for row in rows if row.unjudged is None]


def _jobs(given: ClaimsOptions, rows: Sequence[ClaimRow]) -> list[tuple[Item, Unit]]:
    """Returns each unit once, with the cluster that it belongs to; those of one passage one after
    another where they can share a call."""
    units = {claim_id(row): row for row in reversed(rows)}
    ordered = list(reversed(units.values()))
    if given.batch > 1:
        numbers: dict[str | None, int] = {}
        ordered.sort(key=lambda row: numbers.setdefault(row.passage, len(numbers)))
    return [(Item(id=row.cluster, cluster=row.cluster), claim_unit(row)) for row in ordered]


def _user_row(source: str, row: ClaimRow) -> UserRow:
    """Returns a row of the table as the ledger keeps it beside its unit, for labels that come by
    its id, with cluster and system for who compares systems: rows of one claim and passage, which
    are one unit, may be of several."""
    data = {**row.data, "cluster": row.cluster, "system": row.system}
    return UserRow(source, row.place, row.id, claim_id(row), row.passage_id, data)


def forecast_claims(given: ClaimsOptions) -> tuple[Forecast, ChatClient]:
    """Returns what `judge_claims` would ask, splitting included, and what that costs; asks nothing.

    Sentences that are not split yet count as one claim each.
    """
    problems, given, path = Problems(), given.with_one_budget(), given.kept_in or LEDGER
    table = read_claims(given, problems)
    forecasts = []
    if given.asks_model:
        client = given.client()
    else:
        client = given.split_client()
    splits = as_they_are(table)
    if splits and given.split_by_model:
        forecasts.append(forecast_splits(splits, given.split_client(), path))
    if given.asks_model:
        claims, _ = claims_of_rows(table, splits, problems)
        rows, _ = asyncio.run(with_evidence(given, claims, problems, no_bar))
        to_judge = _judgeable(rows)
        jobs = _jobs(given, to_judge)
        task = _model_task(given, client)
        forecasts.append(
            forecast_units(
                jobs,
                task,
                client.spec,
                client.price,
                path,
                batch=given.batch,
                samples=given.samples,
            )
        )
    return forecasts[0] if len(forecasts) == 1 else total_forecast(forecasts), client
