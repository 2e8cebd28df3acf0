"""`factmark annotate judge`: a model judges what a campaign asks people about."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.asking import Asking, tell_forecast, tell_spend
from factmark.cli.console import judging, print_json, print_line, say

if TYPE_CHECKING:
    from factmark.ask.model_spec import ModelSpec
    from factmark.ask.runner import Progress
    from factmark.people.judge_study import Docket


def judge(
    ledger: options.CampaignLedger,
    model: Annotated[
        str, typer.Option(help="Who judges: openai:MODEL, anthropic:MODEL or ollama:MODEL.")
    ],
    campaign: options.Campaign = None,
    base_url: options.BaseUrl = None,
    key_env: options.KeyEnv = None,
    concurrency: options.Concurrency = 64,
    batch: options.Batch = 1,
    samples: options.Samples = 1,
    temperature: options.Temperature = 0.0,
    max_tokens: options.MaxTokens = 1024,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    max_failures: options.MaxFailures = 20,
    take_over: options.TakeOver = False,
    prices: options.PriceTable = None,
    dry_run: options.DryRun = False,
    reparse: Annotated[
        bool, typer.Option("--reparse", help="Read the kept replies anew; calls nothing twice.")
    ] = False,
    seed: Annotated[int, typer.Option(min=0, help="Of the model.")] = 0,
    json: options.Json = False,
) -> None:
    """Have a model judge every unit of a campaign, by what people are shown.

    Those that nobody is asked about too: people's answers can then correct its verdicts, and
    `factmark agree` tells how well it agrees with people. Its verdicts are shown to no annotator.
    """
    from factmark.people.judge_study import docket_of, judge_campaign, judge_task

    asked = Asking(
        base_url=base_url, key_env=key_env, temperature=temperature, max_tokens=max_tokens,
        seed=seed, concurrency=concurrency, max_calls=max_calls, max_cost=max_cost, prices=prices,
        max_failures=max_failures, take_over=take_over,
    )  # fmt: skip
    spec = asked.spec(model)
    docket = docket_of(ledger, campaign)
    task = judge_task(docket, spec, batch=batch, samples=samples)
    if dry_run:
        from factmark.ask.forecast import forecast_units

        price = asked.price(spec)
        told = forecast_units(docket.jobs, task, spec, price, ledger, batch=batch, samples=samples)
        tell_forecast(told, spec, json=json)
        return
    asked.free(ledger)
    with judging(len(docket.jobs)) as progress:
        done = asyncio.run(
            judge_campaign(
                docket, task, asked.client(spec), ledger, batch=batch, samples=samples,
                concurrency=concurrency, again=reparse, progress=progress,
            )
        )  # fmt: skip
    _tell(docket, spec, task.judge.id, done, json=json)
    if done.spend.stopped or not (done.spend.judged_before or done.verdicts.get("ok", 0)):
        raise typer.Exit(1)


def _tell(docket: Docket, spec: ModelSpec, judge: str, done: Progress, *, json: bool) -> None:
    """What the run came to: verdicts on stdout, calls and problems on stderr."""
    from factmark.people.core.forms import form_named

    spend = done.spend
    for note in spend.notes:
        say(f"note: {note}")
    for why, count in spend.failures.items():
        say(f"note: {count} calls failed: {why}")
    if spend.stopped:
        say(f"note: {spend.stopped}")
    if docket.left_out:
        say(f"note: {docket.left_out} units that nobody is asked about have no evidence: left out")
    tell_spend(spec.name, spend)
    if json:
        print_json(
            {
                "campaign": docket.campaign.name,
                "judge": spec.name,
                "judge_id": judge,
                "rubric": docket.rubric.name,
                "units": done.units,
                "asked_of_people": docket.asked,
                "verdicts": dict(done.verdicts),
                "judged_before": spend.judged_before,
                "left": len(docket.jobs) - sum(done.verdicts.values()),
                "left_out": docket.left_out,
                "calls": spend.calls,
                "cost": spend.cost,
                "stopped": spend.stopped,
            }
        )
        return
    noun = form_named(docket.campaign.form).noun
    said = ", ".join(f"{count:,} {status}" for status, count in sorted(done.verdicts.items()))
    print_line(
        f"{spec.name} on {len(docket.jobs):,} units ({noun}) of the campaign "
        f"{docket.campaign.name!r}, {docket.asked:,} of which people are asked about: "
        f"{said or 'none judged'}; {spend.judged_before:,} judged before."
    )
