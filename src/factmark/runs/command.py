"""`factmark run`: get answers from models under conditions, and score them."""

from __future__ import annotations

import typer

from factmark.answers.command import check_complete, print_results
from factmark.cli.asking import incomplete_exit, tell_what_is_kept
from factmark.cli.exit_status import PROBLEM
from factmark.cli.records import takes_options
from factmark.runs.options import RunOptions


@takes_options
def run(given: RunOptions) -> None:
    """Ask models the questions of a benchmark, with and without grounding, and score the answers.

    `baseline` is the model alone; `rag` has the passages that fit the question best; `mcp` may call
    tools; `context` has the whole catalogue. Options take the place of what a study file says.

    Every reply and every result of a tool is kept in the ledger before it is used: a run that was
    killed goes on where it was, and one that is repeated asks nothing.
    """
    import asyncio

    study = given.read_study()
    from factmark.runs.study import run_study, tell_plan

    if given.dry_run:
        return asyncio.run(tell_plan(study, json=given.json))
    with tell_what_is_kept(study.kept_in):
        results, silent, complete = asyncio.run(run_study(study))
    print_results(results, "json" if given.json else given.form)
    check_complete(results)
    if silent:
        raise incomplete_exit(f"{', '.join(silent)} judged nothing")
    if not complete:
        raise typer.Exit(PROBLEM)
    return None
