"""`factmark annotate judge`: a model judges what a campaign asks people about."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli import options
from factmark.cli.asking import Asking, incomplete, resumable, tell_forecast, tell_spend
from factmark.cli.console import judging, print_json, print_line, print_opening, print_table, say

if TYPE_CHECKING:
    from factmark.ask.model_spec import ModelSpec
    from factmark.ask.runner import JudgingProgress
    from factmark.ask.tasks import Task
    from factmark.model import Judge
    from factmark.people.judge_study import Docket
    from factmark.people.ratings.judge_ratings import JudgeRatings


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeOptions:
    """The options of `factmark annotate judge`."""

    ledger: options.CampaignLedger
    model: Annotated[str, typer.Option(help=f"Who judges: {options.MODELS}.")]
    campaign: options.Campaign = None
    asking: Asking = field(default_factory=Asking)
    batch: options.Batch = 1
    samples: options.Samples = 1
    dry_run: options.DryRun = False
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the kept replies anew; calls nothing twice.")
    ] = False
    seed: Annotated[int, typer.Option(min=0, help="Of the model.")] = 0
    json: options.Json = False


def judge(protocol_of: ProtocolOf, options: JudgeOptions) -> None:
    """Have a model judge every unit of a campaign, by what people are shown.

    Those that nobody is asked about too: people's answers can then correct its verdicts, and
    `factmark agree` tells how well it agrees with people. Its verdicts are shown to no annotator.
    """
    from factmark.people.judge_study import docket_of, ratings_of

    spec = replace(options.asking, seed=options.seed).spec(options.model)
    docket = docket_of(options.ledger, options.campaign, protocol_of)
    task = docket.task(spec, batch=options.batch, samples=options.samples)
    if options.dry_run:
        from factmark.ask.forecast import forecast_units

        forecast = forecast_units(
            docket.jobs, task, spec, options.asking.price(spec), options.ledger,
            batch=options.batch, samples=options.samples,
        )  # fmt: skip
        tell_forecast(forecast, spec, json=options.json)
        return
    with resumable():
        progress = asyncio.run(_judge(options, spec, docket, task))
    ratings = ratings_of(docket, options.ledger, task.judge, protocol_of)
    _tell(docket, spec, progress)
    if options.json:
        _print_json(docket, task.judge, ratings, progress)
    else:
        _print(docket, ratings, progress)
    spend = progress.spend
    if failed := progress.verdicts.get("failed", 0) or spend.stopped:
        raise incomplete(failed)
    if not (spend.judged_before or progress.verdicts.get("ok", 0)):
        raise typer.Exit(1)


async def _judge(
    options: JudgeOptions, spec: ModelSpec, docket: Docket, task: Task
) -> JudgingProgress:
    from factmark.ask.runner import run

    async with options.asking.client(spec) as client:
        with judging(len(docket.jobs)) as progress:
            return await run(
                docket.jobs, task, client, options.ledger, batch=options.batch,
                samples=options.samples, again=options.reparse, progress=progress,
            )  # fmt: skip


def _tell(docket: Docket, spec: ModelSpec, progress: JudgingProgress) -> None:
    """What the run took, and what went wrong, on stderr."""
    spend = progress.spend
    for note in spend.notes:
        say(f"note: {note}")
    for why, count in spend.failures.items():
        say(f"note: {count} calls failed: {why}")
    if spend.stopped:
        say(f"note: {spend.stopped}")
    if docket.left_out:
        say(f"note: {docket.left_out} units that nobody is asked about have no evidence: left out")
    tell_spend(spec.name, spend)


def _print_json(
    docket: Docket, judge: Judge, ratings: JudgeRatings, progress: JudgingProgress
) -> None:
    from factmark.files.flat_files import plain
    from factmark.people.ratings.judge_ratings import judge_ratings_table

    spend, verdicts = progress.spend, dict(progress.verdicts)
    print_json(
        {
            "campaign": docket.campaign.name,
            "judge": judge.name,
            "judge_id": judge.id,
            "rubric": docket.rubric.name,
            "units": progress.units,
            "asked_of_people": docket.asked,
            "verdicts": verdicts,
            "judged_before": spend.judged_before,
            "left": len(docket.jobs) - sum(verdicts.values()),
            "left_out": docket.left_out,
            "calls": spend.calls,
            "cost": spend.cost,
            "stopped": spend.stopped,
            "ratings": judge_ratings_table(ratings).rows(),
            "beside_people": plain(ratings.beside),
        }
    )


def _print(docket: Docket, ratings: JudgeRatings, progress: JudgingProgress) -> None:
    """What the judge gave, how far people agree, and what the run came to."""
    from factmark.people.ratings.agreement import judges_table
    from factmark.people.ratings.judge_ratings import (
        judge_opening,
        judge_ratings_table,
        rated_by_people,
    )

    print_opening(judge_opening(ratings))
    if ratings.n_labelled:
        print_table(judge_ratings_table(ratings))
    if judges := rated_by_people(ratings):
        print_table(judges_table(ratings.form, judges, cautions=False))
    statuses = sorted(progress.verdicts.items())
    counts = ", ".join(f"{count:,} {status}" for status, count in statuses)
    print_line(
        f"{ratings.judge} on {len(docket.jobs):,} units ({ratings.form.noun}) of the campaign "
        f"{docket.campaign.name!r}, {docket.asked:,} of which people are asked about: "
        f"{counts or 'none judged'}; {progress.spend.judged_before:,} judged before."
    )
