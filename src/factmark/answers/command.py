"""`factmark score`, `report` and `groundtruth`: answers against a ground truth."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from factmark.answers.options import (
    BuildOptions,
    CheckOptions,
    Reach,
    ReportOptions,
    ScoreOptions,
)
from factmark.cli import console
from factmark.cli.asking import incomplete_exit, tell_what_is_kept
from factmark.cli.console import print_line, print_text, say
from factmark.cli.exit_status import PROBLEM
from factmark.cli.records import takes_options
from factmark.cli.showing import Showing, finish, show_outcome, write_out
from factmark.errors import InputError
from factmark.text.shown_text import count

if TYPE_CHECKING:
    from factmark.answers.questions.benchmarks import Benchmark
    from factmark.answers.questions.ground_truths import Truth
    from factmark.answers.reading import AnswerFile
    from factmark.answers.results import Results
    from factmark.report.result import Result

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

        if options.shard and not options.dry_run:
            _score_part(options, read)
            return
        with tell_what_is_kept(options.kept_in):
            scored = score_answers(options, read, judging=console.judging_line, say=say)
        if scored is None:
            return
        results, truth = scored
        show_answers(results, options)
        if not results.answers or not truth.complete:
            raise typer.Exit(PROBLEM)

    return score


def _score_part(options: ScoreOptions, read: Callable[..., AnswerFile]) -> None:
    """Judges the part that --shard names, and prints counts."""
    from factmark.answers.study import score_part
    from factmark.cli.asking import finish_part

    with tell_what_is_kept(options.kept_in):
        done = score_part(options, read, judging=console.judging_line)
    finish_part(done, command="score", json=options.json)


def report_command(show_campaign: Callable[[ReportOptions], None]) -> Callable[..., None]:
    """`factmark report`, given what shows the results of a campaign."""

    def report(options: ReportOptions) -> None:
        """Make the table and the report again from a ledger.

        Of a ledger with a campaign of people's and no scored answers, what the campaign came to.
        """
        from factmark.answers.marks.annotations import open_annotations
        from factmark.answers.study import corrected_by
        from factmark.answers.verdicts import results_from_ledger
        from factmark.ledger.campaigns import holds_campaign_alone
        from factmark.report.files import check_result_files

        if holds_campaign_alone(options.ledger):
            if options.form != "table":
                raise InputError(
                    f"--format {options.form}: of a campaign there are several tables; --out "
                    "writes each."
                )
            show_campaign(options)
            return
        results = results_from_ledger(options.ledger)
        if options.people is not None:
            people = open_annotations(options.people, options.annotator)
            results = corrected_by(results, people)
        read = [("the ledger", options.ledger), ("--people", options.people)]
        check_result_files(options.out, read)
        show_answers(results, options)

    return report


class ShowingAnswers(Showing, Protocol):
    """The options of a command that ends with scored answers."""

    @property
    def form(self) -> str:
        """`table`, or the format in which stdout gets the tables."""


def show_answers(results: Results, given: ShowingAnswers) -> None:
    """Writes scored answers to --out, prints them as --format says, and ends the command as not
    complete where calls failed that it could make again."""
    from factmark.answers.report import answers_report

    result = answers_report(results)
    if given.json or given.form == "table":
        finish(result, given)
    else:
        write_out(result, given.out)
        print_text(_tables_as(result, given.form))
        for problem in result.problems:
            say(f"note: {problem}")
    statuses: Counter[str] = Counter(row.why.status for row in results.unscored)
    whys = {"failed": "failed", "left": "not answered yet"}
    parts = []
    for name, why in whys.items():
        if statuses[name]:
            parts.append(f"{statuses[name]:,} {why}")
    if parts:
        raise incomplete_exit(", ".join(parts))


def _tables_as(result: Result, form: str) -> str:
    """Returns all tables as Markdown or LaTeX; as CSV the scores by category, since a CSV file is
    one table."""
    from factmark.report.latex import latex_table
    from factmark.report.layouts import csv_table, markdown_report

    tables = result.tables.values()
    if form == "csv":
        return csv_table(result.tables["categories"])
    if form == "latex":
        return "\n".join(map(latex_table, tables))
    return markdown_report(result.sentence, tables)


@groundtruth.command()
@takes_options
def build(options: BuildOptions) -> None:
    """Derive the ground truth of each question and write the benchmark with it.

    Of questions that others publish with their answers no store is needed. The file can be given
    to `factmark score --benchmark`. A question whose query fails is written without a ground truth,
    and named; the exit status is then 1.
    """
    from factmark.answers.questions.benchmarks import benchmark_lines, is_published, load
    from factmark.answers.questions.ground_truths import ground_truths
    from factmark.answers.questions.thing_records import things_record
    from factmark.files.overwriting import check_files
    from factmark.files.text_files import write_text

    out = options.out
    reach = options.reach
    if str(out) == "-":
        raise InputError("the benchmark goes into a file, not to a pipe. Name one, as truth.jsonl.")
    inputs = [("--benchmark", Path(reach.benchmark))]
    if reach.store:
        inputs.append(("--store", reach.store))
    check_files(out.parent, [out.name], inputs)
    benchmark = load(reach.benchmark, reach.benchmark_columns)
    if reach.store or reach.endpoint or is_published(benchmark):
        truth = _derive_truth(benchmark, reach)
    else:
        truth = asyncio.run(ground_truths(reach))
    write_text(out, benchmark_lines(truth.questions))
    for problem in truth.problems:
        say(f"note: {problem}")
    things = sum(len(things_record(question)) for question in truth.questions)
    if things:
        say(
            f"note: {count(things, 'element', 'elements')} with identifiers, other names or "
            "properties: `factmark groundtruth show --benchmark` lists them; correct them in the "
            "file under `things`"
        )
    derived = sum(question.ground_truth is not None for question in truth.questions)
    say(f"wrote {out}: {derived} of {len(truth.questions)} ground truths")
    if not truth.complete:
        raise typer.Exit(PROBLEM)


@groundtruth.command()
@takes_options
def show(options: CheckOptions) -> None:
    """Show each question's ground truth as it is matched, before anything is scored.

    Per element: its names, its identifiers, and properties that are no name of it; per question the
    candidates that it names. From --store or --endpoint where one is given, else from the file.
    What is wrong there you correct in the file that `groundtruth build` writes, under `things`.
    """
    from factmark.answers.questions.benchmarks import load
    from factmark.answers.questions.ground_truths import ground_truths
    from factmark.answers.questions.thing_records import truth_lines, truth_rows
    from factmark.report.envelope import CommandOutcome

    benchmark = load(options.reach.benchmark, options.reach.benchmark_columns)
    truth = asyncio.run(ground_truths(options.reach))
    for problem in truth.problems:
        say(f"note: {problem}")
    rows = truth_rows(truth.questions)
    if options.json:
        show_outcome(
            CommandOutcome(command="groundtruth show", subject=benchmark.name, rows=tuple(rows))
        )
    else:
        for line in truth_lines(rows):
            print_line(line)
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
    from factmark.report.envelope import CommandOutcome

    benchmark = load(options.reach.benchmark, options.reach.benchmark_columns)
    checks = compare_with_record(benchmark, _derive_truth(benchmark, options.reach))
    for warning in benchmark.warnings:
        say(f"note: {warning}")
    if options.json:
        show_outcome(
            CommandOutcome(command="groundtruth check", subject=benchmark.name, rows=tuple(checks))
        )
    else:
        for row in checks:
            if row["status"] != "same":
                why = ""
                if row["error"]:
                    why = f": {row['error']}"
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
