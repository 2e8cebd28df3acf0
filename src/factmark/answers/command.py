"""`factmark score`, `report` and `groundtruth`: answers against a ground truth."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from factmark.answers.options import (
    Annotator,
    BuildOptions,
    CheckOptions,
    Format,
    People,
    Reach,
    ScoreOptions,
)
from factmark.cli import options
from factmark.cli.asking import incomplete_exit, tell_what_is_kept
from factmark.cli.console import print_json, print_line, print_opening, print_table, print_text, say
from factmark.cli.exit_status import PROBLEM
from factmark.cli.records import takes_options

if TYPE_CHECKING:
    from factmark.answers.questions.benchmarks import Benchmark
    from factmark.answers.questions.ground_truths import Truth
    from factmark.answers.reading import AnswerFile
    from factmark.answers.results import Results

groundtruth = typer.Typer(help="Derive ground truths by SPARQL, and compare.", no_args_is_help=True)


def score_command(read: Callable[..., AnswerFile]) -> Callable[[ScoreOptions], None]:
    """`factmark score`, given what reads files of answers (as `reading.read_answers`)."""

    def score(options: ScoreOptions) -> None:
        """Score answers against the ground truth of a benchmark.

        The ground truth is derived by SPARQL from --store, --endpoint, or, for the bundled
        benchmark, from the embedded replica of the data space. A benchmark file that holds its
        ground truth is used as it is, unless --store or --endpoint is given.

        Where a model finds the facts, its replies are kept in the ledger: run again, it costs
        nothing.
        """
        from factmark.answers.study import score_answers

        with tell_what_is_kept(options.kept_in):
            scored = score_answers(options, read)
        if scored is None:
            return
        results, truth = scored
        print_results(results, "json" if options.json else options.form)
        check_complete(results)
        if not results.answers or not truth.complete:
            raise typer.Exit(PROBLEM)

    return score


def report_command(print_campaign: Callable[..., None]) -> Callable[..., None]:
    """`factmark report`, given what tells a campaign's results (ledger, out=, json=)."""

    def report(
        ledger: Annotated[
            Path,
            typer.Argument(
                help="A ledger that `factmark score` wrote, or `factmark annotate create`."
            ),
        ],
        out: Annotated[
            Path | None, typer.Option(help="A folder for the report and the results' files.")
        ] = None,
        people: People = None,
        annotator: Annotator = None,
        form: Format = "table",
        json: options.Json = False,
    ) -> None:
        """Make the table and the report again from a ledger.

        Of a ledger with a campaign of people's and no scored answers, what the campaign came to.
        """
        from factmark.answers.marks.annotations import open_annotations
        from factmark.answers.result_files import results_from_ledger
        from factmark.answers.study import corrected_by, write_report
        from factmark.errors import InputError
        from factmark.files.overwriting import ANSWERS, check_files
        from factmark.ledger.campaigns import holds_campaign_alone

        if holds_campaign_alone(ledger):
            if form != "table":
                raise InputError(
                    f"--format {form}: of a campaign there are several tables; --out writes "
                    "each as CSV, Markdown and LaTeX."
                )
            print_campaign(ledger, out=out, json=json)
            return
        results = results_from_ledger(ledger)
        if people is not None:
            results = corrected_by(results, open_annotations(people, annotator))
        if out is not None:
            read = {"the ledger": ledger, "--people": people}
            check_files(out, ANSWERS, [(name, path) for name, path in read.items() if path])
            write_report(results, out)
            say(f"wrote {out / 'report.html'} and the results beside it")
        print_results(results, "json" if json else form)

    return report


def check_complete(results: Results) -> None:
    """Ends the command as not complete where calls failed that it could make again."""
    counts: Counter[str] = Counter(row.why.status for row in results.unscored)
    whys = {"failed": "failed", "left": "not answered yet"}
    parts = [f"{counts[status]:,} {why}" for status, why in whys.items() if counts[status]]
    if parts:
        raise incomplete_exit(", ".join(parts))


def print_results(results: Results, form: str) -> None:
    """The tables of a study on stdout, as `table`, `markdown`, `latex`, `csv` or `json`."""
    if form == "json":
        from factmark.answers.result_files import results_json

        print_json(results_json(results))
        return
    from factmark.answers.core.opening import answers_opening
    from factmark.answers.instrument_tables import for_papers
    from factmark.answers.run_tables import run_tables
    from factmark.answers.tables import main_tables, score_table
    from factmark.report.latex import latex_table
    from factmark.report.layouts import csv_table, markdown_report

    opening, tables = answers_opening(results), (*main_tables(results), *run_tables(results))
    if form == "table":
        print_opening(opening)
        for table in tables:
            print_table(table)
    elif form == "markdown":
        print_text(markdown_report(opening, tables))
    elif form == "latex":
        print_text("\n".join(map(latex_table, for_papers(tables))))
    else:  # a CSV file is one table
        print_text(csv_table(score_table(results)))
    for problem in opening.other(results.problems) if form == "table" else results.problems:
        say(f"note: {problem}")


@groundtruth.command()
@takes_options
def build(options: BuildOptions) -> None:
    """Derive the ground truth of each question and write the benchmark with it.

    The file can be given to `factmark score --benchmark`. A question whose query fails is written
    without a ground truth, and named; the exit status is then 1.
    """
    from factmark.answers.questions.benchmarks import benchmark_lines, load
    from factmark.errors import InputError
    from factmark.files.overwriting import check_files
    from factmark.files.text_files import write_text

    out, reach = options.out, options.reach
    if str(out) == "-":
        raise InputError("the benchmark goes into a file, not to a pipe. Name one, as truth.jsonl.")
    inputs = [("--benchmark", Path(reach.benchmark))]
    inputs += [("--store", reach.store)] if reach.store else []
    check_files(out.parent, [out.name], inputs)
    truth = _derive_truth(load(reach.benchmark), reach)
    write_text(out, benchmark_lines(truth.questions))
    for problem in truth.problems:
        say(f"note: {problem}")
    derived = sum(question.ground_truth is not None for question in truth.questions)
    say(f"wrote {out}: {derived} of {len(truth.questions)} ground truths")
    if not truth.complete:
        raise typer.Exit(PROBLEM)


@groundtruth.command()
@takes_options
def check(options: CheckOptions) -> None:
    """Derive each ground truth again and compare it with the one on record, as sets.

    Per question: same, drifted (what appeared, what vanished) or failed. For the bundled benchmark
    the record is the published one. The exit status is 1 when anything drifted or failed.
    """
    from factmark.answers.questions.benchmarks import load
    from factmark.answers.questions.ground_truths import compare_with_record

    benchmark = load(options.reach.benchmark)
    checks = compare_with_record(benchmark, _derive_truth(benchmark, options.reach))
    for warning in benchmark.warnings:
        say(f"note: {warning}")
    if options.json:
        print_json({"questions": checks})
    else:
        for row in checks:
            if row["status"] != "same":
                why = f": {row['error']}" if row["error"] else ""
                print_line(f"{row['query_id']}  {row['status']}{why}")
                marks = [("+ ", element) for element in row["appeared"]]
                marks += [("- ", element) for element in row["vanished"]]
                for mark, text in marks:
                    print_line(f"    {mark}{text}")
        statuses = [row["status"] for row in checks]
        states = ("same", "drifted", "failed")
        print_line(", ".join(f"{statuses.count(state)} {state}" for state in states))
    if any(row["status"] != "same" for row in checks):
        raise typer.Exit(PROBLEM)


def _derive_truth(benchmark: Benchmark, reach: Reach) -> Truth:
    """The ground truth that a store gives, also where the benchmark's file holds one."""
    from factmark.answers.questions.ground_truths import derived, ground_truth_store

    async def derive() -> Truth:
        async with ground_truth_store(benchmark, reach) as store:
            return await derived(benchmark, store, reach.query_timeout, reach.labels)

    return asyncio.run(derive())
