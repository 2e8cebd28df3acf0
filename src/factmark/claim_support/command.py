"""`factmark claims`: claims of any table, judged by their evidence."""

from __future__ import annotations

import asyncio
from collections import Counter

import typer

from factmark.claim_support.options import ClaimsOptions
from factmark.cli import console
from factmark.cli.asking import check_judged, tell_forecast, tell_what_is_kept
from factmark.cli.console import say
from factmark.cli.records import takes_options
from factmark.cli.showing import finish
from factmark.errors import InputError

app = typer.Typer(help="Judge claims by their evidence.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Judge claims by their evidence."""


@app.command()
@takes_options
def judge(given: ClaimsOptions) -> None:
    """Which claims does their evidence support?

    A table of claims, each with its passage, or responses that --split cuts into claims. People's
    labels (column `label`) tell how far the judge can be trusted and correct its score; columns
    `verdict:NAME` are other judges, compared with it.
    """
    if given.dry_run:
        from factmark.claim_support.study import forecast_claims

        if not (given.split_by_model or given.asks_model):
            raise InputError(
                "--dry-run forecasts calls of a model; --judge names none that is asked."
            )
        forecast, client = forecast_claims(given)
        at_once = given.asking.concurrency
        tell_forecast(forecast, client.spec, json=given.json, at_once=at_once)
        return
    _judge_and_write(given)


def _judge_and_write(given: ClaimsOptions) -> None:
    """Judges claims, writes the results to --out and prints them; exits with 3 where calls failed
    and with 1 where nothing has a verdict."""
    from factmark.claim_support.report import claims_report
    from factmark.claim_support.study import judge_claims

    if given.shard:
        _judge_part(given)
        return
    with tell_what_is_kept(given.kept_in):
        judging = judge_claims(given, judging=console.judging_line, bar=console.progress, say=say)
        results = asyncio.run(judging)
    finish(claims_report(results), given)
    check_judged(
        Counter(claim.verdict.status for claim in results.rows),
        results.spent.stopped,
        "claims",
        given.why_nothing(given.claims, "claim", results.left),
        by_rules=given.by_rules,
    )


def _judge_part(given: ClaimsOptions) -> None:
    """Judges the part that --shard names, and prints counts."""
    from factmark.claim_support.study import judge_claims_part
    from factmark.cli.asking import finish_part

    with tell_what_is_kept(given.kept_in):
        judging = judge_claims_part(given, judging=console.judging_line, bar=console.progress)
        done = asyncio.run(judging)
    finish_part(done, command="claims judge", json=given.json)
