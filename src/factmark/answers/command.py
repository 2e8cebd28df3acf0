"""`factmark score` and `factmark report`: answers against a ground truth."""

from __future__ import annotations

import asyncio
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.answers.model_facts_command import by_model, forecast, model_of
from factmark.cli import options
from factmark.cli.asking import Asking
from factmark.cli.console import print_json, print_table, progress, say
from factmark.people.commands.results import results as results_of_campaign

if TYPE_CHECKING:
    from factmark.answers.benchmarks import Benchmark
    from factmark.answers.core.records import Question, Results
    from factmark.answers.study import Extraction
    from factmark.stores.store import Store


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
    from factmark.answers.annotations import open_annotations
    from factmark.answers.core.averages import Settings
    from factmark.answers.reading import read_answers
    from factmark.answers.study import score_study
    from factmark.files.overwriting import ANSWERS, check_files

    given = read_answers(answers, encoding=encoding, model=model, condition=condition)
    if out is not None and not dry_run:
        named = {"the answers": answers, "--benchmark": Path(benchmark), "--store": store}
        named |= {"--annotations": annotations, "--people": people, "--prices": prices}
        check_files(out, ANSWERS, [(option, path) for option, path in named.items() if path])
    asking = Asking(
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
    )
    spec = model_of(extractor, annotations, asking, dry_run=dry_run)
    if spec is None:
        extraction = _extraction(extractor, annotations, None if people else annotator)
    marks = None if people is None else open_annotations(people, annotator)
    questions, problems, source, name = asyncio.run(
        truth(benchmark, store, endpoint, timeout, user_env, password_env)
    )
    if ledger is None and out is not None:
        ledger = out / "ledger.db"
    if spec is not None:
        if dry_run:
            return forecast(spec, asking, questions, given.answers, ledger, json=json)
        asking.free(ledger)
        extraction = asyncio.run(by_model(spec, asking, questions, given.answers, ledger))
    with progress("scoring", len(given.answers)) as step:
        results = score_study(
            benchmark=name,
            questions=questions,
            answers=given,
            problems=problems,
            truth_from=source,
            extraction=extraction,
            settings=Settings(level=level, resamples=resamples, seed=seed),
            ledger=ledger,
            people=marks,
            progress=step,
        )
    if out is not None:
        write_report(results, out)
    print_results(results, "json" if json else form.value)
    if not results.answers or any(question.ground_truth is None for question in questions):
        raise typer.Exit(1)
    return None


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
    from factmark.answers.study import results_from_ledger
    from factmark.errors import InputError
    from factmark.files.overwriting import ANSWERS, check_files
    from factmark.ledger.campaigns import holds_campaign_alone

    if holds_campaign_alone(ledger):
        if form is not Form.TABLE:
            raise InputError(
                f"--format {form.value}: of a campaign there are several tables; --out writes each "
                "as CSV, Markdown and LaTeX."
            )
        results_of_campaign(ledger, out=out, json=json)
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
    from factmark.tables.shown_text import visible

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
        sys.stdout.write(visible(texts[form](table)))
        for runs_table in run_tables(results) if form != "csv" else ():  # a CSV file is one table
            sys.stdout.write("\n" + visible(texts[form](runs_table)))
    for problem in results.problems:
        say(f"note: {problem}")


def write_report(results: Results, out: Path) -> None:
    from factmark.answers.html import render_html
    from factmark.answers.results import write_results
    from factmark.files.text_files import write_text

    write_results(results, out)
    write_text(out / "report.html", render_html(results))
    say(f"wrote {out / 'report.html'} and the results beside it")


def _extraction(
    extractor: str | None, annotations: Path | None, annotator: str | None
) -> Extraction:
    from factmark.answers.study import Extraction
    from factmark.errors import InputError
    from factmark.model import Judge, content_hash

    if annotator and not annotations:
        raise InputError("--annotator says whose facts in --annotations or --people; name one.")
    if extractor:
        from factmark.answers.extractors import own_extraction

        return own_extraction(extractor)
    if annotations:
        from factmark.answers.annotations import read_annotations

        name, scorer = read_annotations(annotations, annotator)
        judge = Judge.create("person", name, marked=content_hash(annotations.read_text("utf-8")))
        return Extraction(judge=judge, scorer=scorer)
    return Extraction.by_rule()


async def truth(
    name: str,
    store: Path | None,
    endpoint: str | None,
    timeout: float,
    user_env: str | None,
    password_env: str | None,
) -> tuple[tuple[Question, ...], tuple[str, ...], str, str]:
    """The questions with G, what was told, where G comes from, and the benchmark's name."""
    from factmark.answers.derive import load, target

    benchmark = load(name)
    stored = any(question.ground_truth is not None for question in benchmark.questions)
    if stored and store is None and endpoint is None:
        return benchmark.questions, benchmark.warnings, "the benchmark's file", benchmark.name
    opening = target(
        benchmark, store=store, endpoint=endpoint, user_env=user_env, password_env=password_env
    )
    async with opening as opened:
        questions, problems = await derived(benchmark, opened, timeout)
        return questions, problems, opened.identity, benchmark.name


async def derived(
    benchmark: Benchmark, store: Store, timeout: float
) -> tuple[tuple[Question, ...], tuple[str, ...]]:
    """The questions with the G that a store gives, and what was told."""
    from factmark.answers.derive import derive, with_ground_truth

    with progress("ground truth", len(benchmark.questions)) as step:
        derivations = await derive(benchmark.questions, store, timeout=timeout, progress=step)
    questions, problems = with_ground_truth(benchmark, derivations)
    return questions, (*benchmark.warnings, *problems)
