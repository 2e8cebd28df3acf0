"""`factmark score` and `factmark report`: answers against a ground truth."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.cli.console import print_json, print_table, print_text, say

if TYPE_CHECKING:
    from factmark.answers.core.records import Results


class Form(StrEnum):
    """How a table is printed."""

    TABLE = "table"
    MARKDOWN = "markdown"
    LATEX = "latex"
    CSV = "csv"


def score(
    answers: Annotated[
        Path,
        typer.Argument(
            help="Answers: .jsonl, .csv, .tsv, the original harness's .json, a log of inspect_ai, "
            "samples of lm-evaluation-harness, or a folder of these."
        ),
    ],
    benchmark: options.Benchmark = "ehds",
    store: options.Store = None,
    endpoint: options.Endpoint = None,
    user_env: options.UserEnv = None,
    password_env: options.PasswordEnv = None,
    timeout: options.Timeout = 60.0,
    out: Annotated[
        Path | None,
        typer.Option(help="A folder for report.html, results.json, CSV, Parquet, LaTeX, Markdown."),
    ] = None,
    ledger: Annotated[
        Path | None, typer.Option(help="The ledger; OUT/ledger.db where --out is given.")
    ] = None,
    extractor: Annotated[
        str | None,
        typer.Option(
            help="Who finds the facts: openai:MODEL, anthropic:MODEL, ollama:MODEL, or your own "
            "module:function. The rules, where it is not given."
        ),
    ] = None,
    annotations: Annotated[
        Path | None, typer.Option(help="Facts that people marked, in place of the rules.")
    ] = None,
    people: Annotated[
        Path | None,
        typer.Option(help="Facts that people marked in some answers; corrects the scores by them."),
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="Whose marks: the field's name in that file.")
    ] = None,
    model: Annotated[str, typer.Option(help="For answers that name no model.")] = "",
    condition: Annotated[str, typer.Option(help="For answers that name no condition.")] = "",
    encoding: Annotated[str, typer.Option(help="Of the answers' file.")] = "utf-8",
    form: Annotated[Form, typer.Option("--format", help="How the table is printed.")] = Form.TABLE,
    json: options.Json = False,
    level: options.Level = 0.95,
    resamples: options.Resamples = 10_000,
    seed: options.Seed = 0,
    base_url: options.BaseUrl = None,
    key_env: options.KeyEnv = None,
    temperature: options.Temperature = 0.0,
    max_tokens: options.MaxTokens = 4096,
    concurrency: options.Concurrency = 64,
    max_calls: options.MaxCalls = None,
    max_cost: options.MaxCost = None,
    max_failures: options.MaxFailures = 20,
    take_over: options.TakeOver = False,
    prices: options.PriceTable = None,
    dry_run: options.DryRun = False,
) -> None:
    """Score answers against the ground truth of a benchmark.

    The ground truth is derived by SPARQL from --store, --endpoint, or, for the bundled benchmark,
    from the embedded replica of the data space. A benchmark file that holds its ground truth is
    used as it is, unless --store or --endpoint is given.

    Where a model finds the facts, its replies are kept in the ledger: run again, it costs nothing.
    """
    from factmark.answers.core.averages import Settings
    from factmark.answers.derive import Reach
    from factmark.answers.study import ScoreOptions, score_answers

    scored = score_answers(
        ScoreOptions(
            answers=answers,
            reach=Reach(
                benchmark=benchmark,
                store=store,
                endpoint=endpoint,
                user_env=user_env,
                password_env=password_env,
                timeout=timeout,
            ),
            out=out,
            ledger=ledger,
            extractor=extractor,
            annotations=annotations,
            people=people,
            annotator=annotator,
            model=model,
            condition=condition,
            encoding=encoding,
            settings=Settings(level=level, resamples=resamples, seed=seed),
            asking=Asking(
                base_url=base_url,
                key_env=key_env,
                temperature=temperature,
                max_tokens=max_tokens,
                concurrency=concurrency,
                max_calls=max_calls,
                max_cost=max_cost,
                max_failures=max_failures,
                take_over=take_over,
                prices=prices,
            ),
            dry_run=dry_run,
        ),
        json=json,
    )
    if scored is None:
        return
    results, truth = scored
    print_results(results, "json" if json else form.value)
    if not results.answers or not truth.complete:
        raise typer.Exit(1)


def report(
    ledger: Annotated[
        Path,
        typer.Argument(help="A ledger that `factmark score` wrote, or `factmark annotate create`."),
    ],
    out: Annotated[
        Path | None, typer.Option(help="A folder for the report and the results' files.")
    ] = None,
    form: Annotated[Form, typer.Option("--format", help="How the table is printed.")] = Form.TABLE,
    json: options.Json = False,
) -> None:
    """Make the table and the report again from a ledger.

    Of a ledger with a campaign of people's and no scored answers, what the campaign came to.
    """
    from factmark.answers.kept_results import results_from_ledger
    from factmark.answers.study import write_report
    from factmark.errors import InputError
    from factmark.files.overwriting import ANSWERS, check_files
    from factmark.ledger.campaigns import holds_campaign_alone

    if holds_campaign_alone(ledger):
        if form is not Form.TABLE:
            raise InputError(
                f"--format {form.value}: of a campaign there are several tables; --out writes each "
                "as CSV, Markdown and LaTeX."
            )
        from factmark.answers import annotations
        from factmark.people.commands.results import ResultsOptions
        from factmark.people.commands.results import results as campaign_results

        campaign_results(
            lambda kind: annotations, ResultsOptions(ledger=ledger, out=out, json=json)
        )
        return
    results = results_from_ledger(ledger)
    if out is not None:
        check_files(out, ANSWERS, [("the ledger", ledger)])
        write_report(results, out)
    print_results(results, "json" if json else form.value)


def print_results(results: Results, form: str) -> None:
    """The tables of a study on stdout, as `table`, `markdown`, `latex`, `csv` or `json`."""
    from factmark.answers.run_tables import run_tables
    from factmark.answers.tables import corrected_table, score_table
    from factmark.tables.latex import latex_table
    from factmark.tables.layouts import csv_table, markdown_table

    if form == "json":
        from factmark.answers.results import results_json

        print_json(results_json(results))
        return
    table = score_table(results)
    if form == "table":
        print_table(table)
        if results.corrections:
            print_table(corrected_table(results))
        for runs_table in run_tables(results):
            print_table(runs_table)
    else:
        texts = {"markdown": markdown_table, "latex": latex_table, "csv": csv_table}
        print_text(texts[form](table))
        for runs_table in run_tables(results) if form != "csv" else ():  # a CSV file is one table
            print_text("\n" + texts[form](runs_table))
    for problem in results.problems:
        say(f"note: {problem}")
