"""`factmark annotate judge`: a model, or a judge of one's own, beside what people are asked."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import typer

from factmark.campaign_model import ProtocolOf
from factmark.cli.asking import incomplete_exit, tell_forecast, tell_spend, tell_what_is_kept
from factmark.cli.console import (
    judging_line,
    print_json,
    print_line,
    print_opening,
    print_table,
    say,
)
from factmark.cli.exit_status import PROBLEM
from factmark.people.options import JudgeOptions
from factmark.text.shown_text import count

if TYPE_CHECKING:
    from factmark.ask.judges.recipe import Recipe
    from factmark.ask.runner import JudgingProgress
    from factmark.people.judges import Docket
    from factmark.people.ratings.judge_ratings import JudgeRatings


def judge(protocol_of: ProtocolOf, options: JudgeOptions) -> None:
    """Have a model, or a judge of your own, judge every unit of a campaign.

    It judges by what people are shown, and those units too that nobody is asked about: people's
    answers can then correct its verdicts, and `factmark agree` tells how well it agrees with
    people. No annotator sees its verdicts, but for `annotate serve --first-reader`.
    """
    from factmark.people.judges import docket_of

    recipe = options.recipe()
    docket = docket_of(options.ledger, options.campaign, protocol_of)
    if options.dry_run:
        _tell_forecast(options, recipe, docket)
        return
    from factmark.people.study import judge_units, judged_ratings  # with numpy

    with tell_what_is_kept(options.ledger), judging_line(len(docket.jobs)) as line:
        progress = asyncio.run(judge_units(docket, recipe, options, line))
    ratings = judged_ratings(docket, options.ledger, progress.judge, protocol_of)
    _tell_spend_and_failures(docket, progress)
    if options.json:
        _print_ratings_json(docket, ratings, progress)
    else:
        _print_ratings(docket, ratings, progress)
    spend = progress.spend
    if failed := progress.verdicts.get("failed", 0) or spend.stopped:
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
    tell_forecast(forecast, spec, json=options.json)


def _tell_spend_and_failures(docket: Docket, progress: JudgingProgress) -> None:
    """Tells on stderr what the judging cost, what failed, and which units were left out."""
    judge, spend = progress.judge, progress.spend
    of_model = judge.kind == "model" and "weights" not in judge.parameters  # is asked
    for note in spend.notes:
        say(f"note: {note}")
    for why, n in spend.failures.items():
        what = ("call", "calls") if of_model else ("unit", "units")
        say(f"note: {count(n, *what)} failed: {why}")
    if spend.stopped:
        say(f"note: {spend.stopped}")
    if docket.left_out:
        say(
            f"note: {count(docket.left_out, 'unit', 'units')} without evidence that nobody is "
            "asked about: left out"
        )
    if of_model:
        tell_spend(judge.name, spend)


def _print_ratings_json(docket: Docket, ratings: JudgeRatings, progress: JudgingProgress) -> None:
    """Prints what the judge gave and what that took, as `judge --json` does."""
    from factmark.files.flat_files import to_json_value
    from factmark.people.judge_tables import judge_ratings_table

    judge, spend, verdicts = progress.judge, progress.spend, dict(progress.verdicts)
    print_json(
        {
            "campaign": docket.campaign.name,
            "judge": judge.name,
            "judge_id": judge.id,
            "rubric": docket.bench.rubric.name,
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
            "beside_people": to_json_value(ratings.beside),
        }
    )


def _print_ratings(docket: Docket, ratings: JudgeRatings, progress: JudgingProgress) -> None:
    """Prints what the judge gave, how far people agree with it, and how many units it judged."""
    from factmark.people.judge_tables import judge_ratings_table, judges_table, rated_by_people
    from factmark.people.opening import judge_opening

    print_opening(judge_opening(ratings))
    if ratings.n_labelled:
        print_table(judge_ratings_table(ratings))
    if judges := rated_by_people(ratings):
        print_table(judges_table(ratings.form, judges, cautions=False))
    statuses = sorted(progress.verdicts.items())
    counts = ", ".join(f"{n:,} {status}" for status, n in statuses)
    print_line(
        f"{ratings.judge} on {len(docket.jobs):,} units ({ratings.form.noun}) of the campaign "
        f"{docket.campaign.name!r}, {docket.asked:,} of which people are asked about: "
        f"{counts or 'none judged'}; {progress.spend.judged_before:,} judged before."
    )
