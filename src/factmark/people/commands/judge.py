"""`factmark annotate judge`: a model, or a judge of one's own, beside what people are asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli.asking import (
    finish_part,
    incomplete_exit,
    tell_forecast,
    tell_spend,
    tell_what_is_kept,
)
from factmark.cli.console import judging_line
from factmark.cli.exit_status import PROBLEM
from factmark.cli.showing import finish
from factmark.people.options import JudgeOptions

if TYPE_CHECKING:
    from factmark.ask.judges.recipe import Recipe
    from factmark.people.judges import Docket


def judge(protocol_of: ProtocolOf, options: JudgeOptions) -> None:
    """Have a model, or a judge of your own, judge every unit of a campaign.

    It judges by what people are shown, and those units too that nobody is asked about: people's
    answers can then correct its verdicts, and `factmark agree` tells how well it agrees with
    people. No annotator sees its verdicts.
    """
    from factmark.people.judges import docket_of

    recipe = options.recipe()
    docket = docket_of(options.ledger, options.campaign, protocol_of)
    if options.dry_run:
        _tell_forecast(options, recipe, docket)
        return
    from factmark.people.judge_report import asks_model, judge_report
    from factmark.people.study import (  # with numpy
        judge_campaign,
        judge_campaign_part,
        judged_ratings,
    )
    from factmark.report.files import check_result_files

    check_result_files(options.out, [("the ledger", options.ledger)])
    if options.shard:
        with tell_what_is_kept(options.ledger):
            done = judge_campaign_part(protocol_of, options, judging=judging_line)
        finish_part(done, command="annotate judge", json=options.json)
        return
    with tell_what_is_kept(options.ledger):
        progress = judge_campaign(protocol_of, options, docket, judging=judging_line)
    ratings = judged_ratings(docket, options.ledger, progress.judge, protocol_of)
    if asks_model(progress):
        tell_spend(progress.judge.name, progress.spend)
    finish(judge_report(docket, ratings, progress, options.ledger), options)
    spend = progress.spend
    failed = progress.verdicts.get("failed", 0) or spend.stopped
    if failed:
        raise incomplete_exit(failed)
    if not (spend.judged_before or progress.verdicts.get("ok", 0)):
        raise typer.Exit(PROBLEM)


def _tell_forecast(options: JudgeOptions, recipe: Recipe, docket: Docket) -> None:
    """Tells what the calls would cost; InputError where the judge makes none."""
    from factmark.ask.forecast import forecast_units
    from factmark.cli.judge_recipes import client_of
    from factmark.errors import InputError
    from factmark.people.judges import model_task

    if recipe.by != "model":
        raise InputError("--dry-run forecasts calls of a model; --model names none that is asked.")
    client = client_of(recipe)
    spec = client.spec
    task = model_task(docket.bench, spec, batch=options.batch, samples=options.samples)
    forecast = forecast_units(
        docket.jobs,
        task,
        spec,
        client.price,
        options.ledger,
        batch=options.batch,
        samples=options.samples,
    )
    tell_forecast(forecast, spec, json=options.json, at_once=options.asking.concurrency)
