"""`factmark groundtruth`: derive G by SPARQL, and tell what drifted."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_line, progress, say

if TYPE_CHECKING:
    from factmark.answers.benchmarks import Benchmark
    from factmark.answers.derive import Check, Derivation
    from factmark.stores.store import Store

app = typer.Typer(help="Derive ground truths by SPARQL, and compare.", no_args_is_help=True)


@app.command()
def build(
    out: Annotated[Path, typer.Argument(help="The file to write, JSON Lines.")],
    benchmark: options.Benchmark = "ehds",
    store: options.Store = None,
    endpoint: options.Endpoint = None,
    user_env: options.UserEnv = None,
    password_env: options.PasswordEnv = None,
    timeout: options.Timeout = 60.0,
) -> None:
    """Derive the ground truth of each question and write the benchmark with it.

    The file can be given to `factmark score --benchmark`. A question whose query fails is written
    without a ground truth, and told; the exit status is then 1.
    """
    from factmark.answers.derive import benchmark_lines, load, target, with_ground_truth
    from factmark.files.overwriting import check_files
    from factmark.files.text_files import write_text

    inputs = [("--benchmark", Path(benchmark))] + ([("--store", store)] if store else [])
    check_files(out.parent, [out.name], inputs)
    loaded = load(benchmark)
    opening = target(
        loaded, store=store, endpoint=endpoint, user_env=user_env, password_env=password_env
    )
    derivations = asyncio.run(_derive(loaded, opening, timeout))
    questions, problems = with_ground_truth(loaded, derivations)
    write_text(out, benchmark_lines(questions))
    for problem in (*loaded.warnings, *problems):
        say(f"note: {problem}")
    derived = sum(question.ground_truth is not None for question in questions)
    say(f"wrote {out}: {derived} of {len(questions)} ground truths")
    if derived < len(questions):
        raise typer.Exit(1)


@app.command()
def check(
    benchmark: options.Benchmark = "ehds",
    store: options.Store = None,
    endpoint: options.Endpoint = None,
    user_env: options.UserEnv = None,
    password_env: options.PasswordEnv = None,
    timeout: options.Timeout = 60.0,
    json: options.Json = False,
) -> None:
    """Derive each ground truth again and compare it with the one on record, as sets.

    Per question: same, drifted (what appeared, what vanished) or failed. For the bundled benchmark
    the record is the published one. The exit status is 1 when anything drifted or failed.
    """
    from dataclasses import asdict

    from factmark.answers import derive

    loaded = derive.load(benchmark)
    opening = derive.target(
        loaded, store=store, endpoint=endpoint, user_env=user_env, password_env=password_env
    )
    derivations = asyncio.run(_derive(loaded, opening, timeout))
    checks = derive.check(loaded, derivations)
    for warning in loaded.warnings:
        say(f"note: {warning}")
    if json:
        print_json({"questions": [asdict(row) for row in checks]})
    else:
        _print(checks)
    if any(row.status != "same" for row in checks):
        raise typer.Exit(1)


async def _derive(
    benchmark: Benchmark, opening: AbstractAsyncContextManager[Store], timeout: float
) -> list[Derivation]:
    from factmark.answers.derive import derive

    async with opening as opened:
        with progress("ground truth", len(benchmark.questions)) as step:
            return await derive(benchmark.questions, opened, timeout=timeout, progress=step)


def _print(checks: list[Check]) -> None:

    for row in checks:
        if row.status == "same":
            continue
        print_line(f"{row.query_id}  {row.status}")
        if row.error:
            print_line(f"    {row.error}")
        for mark, elements in (("+", row.appeared), ("-", row.vanished)):
            for element in elements:
                print_line(f"    {mark} {element}")
    counts = [
        f"{sum(row.status == status for row in checks)} {status}"
        for status in ("same", "drifted", "failed")
    ]
    print_line(", ".join(counts))
