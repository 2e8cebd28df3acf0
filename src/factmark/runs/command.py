"""`factmark run`: get answers from models under conditions, and score them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from factmark.answers.command import show_answers
from factmark.cli.asking import incomplete_exit, tell_what_is_kept
from factmark.cli.console import judging_line, print_table, progress, say, stage_line
from factmark.cli.exit_status import PROBLEM
from factmark.cli.records import takes_options
from factmark.cli.showing import show_outcome
from factmark.runs.options import RunOptions

if TYPE_CHECKING:
    from factmark.runs.study_file import Study


@takes_options
def run(given: RunOptions) -> None:
    """Ask models the questions of a benchmark, with and without grounding, and score the answers.

    `baseline` is the model alone; `rag` has the passages that fit the question best; `mcp` may call
    tools; `context` has the whole catalogue. Options take the place of what a study file says.

    Every reply and every result of a tool is kept in the ledger before it is used: a run that was
    killed goes on where it was, and one that is repeated asks nothing.
    """
    study = given.read_study()
    from factmark.runs.study import run_study

    if given.dry_run:
        _show_forecast(study, json=given.json)
        return
    if given.shard:
        _run_part(study, given)
        return
    with tell_what_is_kept(study.kept_in):
        done = asyncio.run(
            run_study(study, bar=progress, judging=judging_line, stage=stage_line, say=say)
        )
    show_answers(done.results, replace(given, out=study.folder))
    if done.silent:
        raise incomplete_exit(f"{', '.join(done.silent)} judged nothing")
    if not done.complete:
        raise typer.Exit(PROBLEM)


def _run_part(study: Study, given: RunOptions) -> None:
    """Asks the questions of the part that --shard names, and prints counts."""
    from factmark.cli.asking import finish_part
    from factmark.files.shards import Shard
    from factmark.runs.study import run_study_part

    part = Shard.parse(given.shard)
    with tell_what_is_kept(study.kept_in):
        running = run_study_part(
            study, part, bar=progress, judging=judging_line, stage=stage_line, say=say
        )
        done = asyncio.run(running)
    finish_part(done, command="run", json=given.json)


def _show_forecast(study: Study, *, json: bool) -> None:
    """Prints what a study would ask and cost."""
    from factmark.report.envelope import CommandOutcome
    from factmark.runs.study import forecast_study

    table, problems = asyncio.run(forecast_study(study, say=say))
    for problem in problems:
        say(f"note: {problem}")
    if json:
        rows = tuple(table.rows())
        outcome = CommandOutcome(
            command="run", subject=study.benchmark, rows=rows, problems=problems
        )
        show_outcome(outcome)
        return
    print_table(table)
    say("Nothing was asked.")
