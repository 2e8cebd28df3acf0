"""`factmark agree`, `compare`, `plan` and `ledger`: options in, tables out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from factmark.analysis.options import (
    AgreeOptions,
    AnalyseOptions,
    CompareOptions,
    LabelImportOptions,
    Names,
    PlanOptions,
)
from factmark.cli.console import print_line, say
from factmark.cli.exit_status import INCOMPLETE, PROBLEM
from factmark.cli.options import Json
from factmark.cli.records import takes_options
from factmark.cli.showing import finish, show_outcome
from factmark.report.envelope import CommandOutcome
from factmark.text.shell import quote, quote_path
from factmark.text.shown_text import count, one_line

if TYPE_CHECKING:
    from factmark.analysis.labels.label_import import LabelImport
    from factmark.analysis.pilots.pilot import Pilot
    from factmark.analysis.results import LabelPlan, MarksNeeded

ledger_app = typer.Typer(
    help="Look into a ledger, bring in labels; merge, split, copy, check.", no_args_is_help=True
)

LedgerFile = Annotated[
    Path, typer.Argument(help="The ledger's file; to be read also several: 'shards/*.db'.")
]
LedgerFiles = Annotated[
    list[Path], typer.Argument(help="Ledgers, folders of results, or patterns: 'shards/*.db'.")
]


@takes_options
def agree(options: AgreeOptions) -> None:
    """Tell how far judges agree: rules, models and people alike.

    Every two judges that were asked about the same units, each judge against all people, and people
    among each other: Krippendorff's alpha beside Gwet's AC1, kappa and exact agreement,
    with intervals over clusters and with what is missing; then what each of two said, as a table.
    Either coefficient alone misleads where one label prevails; a note says where that is so.
    """
    from factmark.analysis.agree import agreement_of
    from factmark.analysis.agree_report import agree_report

    _check_out(options.out, [("the ledger", options.ledger)])
    agreements, problems = agreement_of(options)
    finish(agree_report(agreements, options, problems), options)


@takes_options
def analyse(options: AnalyseOptions) -> None:
    """Correct a judge's verdicts in any table by people's labels of some.

    The table is your own, or a file of another tool, which is known by what is in it. People's
    labels stand in a column of it, or in a file of their own that is joined by id. You see what
    was read as what, the judge alone, people alone, the corrected figure to quote, how the judge
    errs, and how many labels the half-width takes. --sheet draws units for people to label next;
    give the sheet as LABELS when it is filled in.
    """
    from factmark.analysis.evaluations.report import analyse_again, analysis_report
    from factmark.analysis.evaluations.sheet import sheet_of
    from factmark.analysis.evaluations.study import analysis_of

    inputs = [("FILE", options.table), ("LABELS", options.labels_file or options.table)]
    _check_out(options.out, inputs)
    analysis = analysis_of(options)
    finish(analysis_report(analysis, options), options)
    if options.sheet is not None:
        drawn = sheet_of(analysis, options, options.sheet)
        say(
            f"wrote {options.sheet}: {count(drawn, 'unit', 'units')} to label. Fill in label, then "
            f"`{analyse_again(options, options.sheet)}`"
        )


@takes_options
def compare(options: CompareOptions) -> None:
    """Compare systems on the same questions, triples or clusters of claims.

    Two systems: every score, then one of them per category or relation, each as the paired
    difference with its interval, a permutation test, and what is missing. More than two, also in
    one file: a leader board, and every pair corrected by Holm; systems that share a letter
    may be alike.
    """
    from factmark.analysis.compare import options_of_test, outcome_of
    from factmark.analysis.report import compare_report

    _check_out(options.out, [("an input", path) for path in options.inputs])
    paths = [(str(path), path) for path in options.inputs]
    outcome = outcome_of(paths, options.by, options.metric, options_of_test(options))
    finish(compare_report(outcome), options)


@takes_options
def plan(options: PlanOptions) -> None:
    """How many verdicts and labels by people a half-width needs, and what they take.

    From assumptions (--share, --agreement), or from a pilot: a ledger with a judge's verdicts and
    people's labels on some of them. `factmark ledger import` brings in a sheet that was filled in.
    Of a pilot it tells as well how wide the interval is now, and whether one may stop. Of a ledger
    with people's ratings alone it tells how many documents such a study needs.

    With --answers it draws answers at random, 40 of each model and condition, on a sheet in which
    people mark facts; `factmark report RESULTS --people SHEET` then shows corrected averages.
    """
    from factmark.analysis.plan import plan_of, rating_plan_of
    from factmark.analysis.report import plan_report, rating_plan_report

    if options.answers is not None:
        _draw_answers(options, options.answers)
        return
    if options.ledger is not None:
        _check_out(options.out, [("--ledger", options.ledger)])
    ratings = rating_plan_of(options)
    if ratings is not None:
        finish(rating_plan_report(ratings, options), options)
        return
    planned = plan_of(options)
    if planned.needs:
        finish(plan_report(planned, options), options)
    if planned.pilot is not None and options.sheet is not None:
        _draw_planned(options, planned, planned.pilot, options.sheet)


def _check_out(out: Path | None, inputs: Sequence[tuple[str, Path]]) -> None:
    """Raises InputError, before any work, where results would take the place of those that are
    read: the files of all measures have the same names."""
    from factmark.errors import InputError
    from factmark.report.files import check_result_files

    for option, path in inputs:
        if path.is_dir():
            folder = path
        else:
            folder = path.parent
        held = folder / "ledger.db"
        if out is not None and held.exists() and out.resolve() == folder.resolve():
            raise InputError(
                f"--out {out}: holds the results of {option} {path}. Name another folder."
            )
    check_result_files(out, inputs)


def _draw_planned(options: PlanOptions, planned: LabelPlan, pilot: Pilot, sheet: Path) -> None:
    """Draws the units that a plan wants; raises InputError where no number of them is enough."""
    from factmark.errors import InputError

    if planned.wanted is None:
        raise InputError(
            f"No sheet: {planned.advice} A sheet of any size is drawn with --labels."
            if planned.advice
            else "No sheet: no number of labels gives that width with so few verdicts. Judge "
            "more units, take a larger --half-width, or say --target units if the score is of "
            "these alone."
        )
    drawn = _draw_units(options, pilot, planned.wanted)
    if options.json and not planned.needs:
        outcome = {"sheet": str(sheet), "units": drawn, "wanted": dict(planned.wanted)}
        show_outcome(CommandOutcome(command="plan", subject=str(options.ledger), details=outcome))


def _draw_answers(options: PlanOptions, source: Path) -> None:
    """Draws answers for people to mark, and tells what to do with the sheet."""
    from factmark.analysis.plan import draw_answers

    sheet, drawn = draw_answers(options, source)
    if options.json:
        held: dict[str, object] = {"sheet": str(sheet), "answers": drawn.answers}
        held["systems"] = drawn.systems
        if drawn.needed is not None:
            held["needed"] = asdict(drawn.needed)
        show_outcome(CommandOutcome(command="plan", subject=str(source), details=held))
    if drawn.needed is not None:
        say(_needed_in_words(drawn.needed))
    if not drawn.answers:
        say("nothing to mark: people have marked all that would be drawn; no sheet")
        return
    many = count(drawn.answers, "answer", "answers")
    marks = quote_path(sheet)
    say(
        f"wrote {sheet}: {many} to mark, {drawn.text}. In each row name the "
        "annotator, copy each fact that the answer states into `facts` (one a line, as it stands "
        "there), and put yes or no into `verdict` and yes into `absence` where the answer says so. "
        f"Then `factmark report {quote_path(source)} --people {marks}`. Or have them marked on a "
        f"page: `factmark annotate create {marks} --form facts --benchmark BENCHMARK --annotators "
        "NAMES`"
    )


def _needed_in_words(needed: MarksNeeded) -> str:
    """Returns what a difference between conditions needs, and what that goes by."""
    by = "answers whose domain was new to the rules; plan again once twenty are marked"
    if needed.by_marks:
        by = "the marks that are there"
    return (
        f"{count(needed.questions, 'question', 'questions')}, marked under all conditions, bring "
        f"the corrected difference of two within ± {needed.half_width:.2g}, by {by}."
    )


def _draw_units(options: PlanOptions, pilot: Pilot, wanted: Mapping[str, int]) -> int:
    """Draws units for people to label, and tells what to do with the sheet; returns how many."""
    from factmark.analysis.plan import draw_sheet
    from factmark.people.core.forms import FORMS

    ledger = options.ledger
    sheet = options.sheet
    done = len(pilot.labelled.people_by_place)
    if ledger is None or sheet is None:
        return 0
    drawn = draw_sheet(sheet, ledger, pilot, wanted, options.seed)
    if not drawn:
        say(
            f"nothing to label: people have labelled {count(done, 'unit', 'units')}, which is "
            "enough; no sheet"
        )
        return 0
    short = sum(wanted.values()) - len(pilot.labelled)
    if short > 0:
        say(
            f"note: the plan needs {count(short, 'unit', 'units')} more than the ledger holds; "
            "judge more"
        )
    its_ledger = quote_path(ledger)
    labels = quote_path(sheet)
    more = ""
    if done:
        more = f" beside the {done} that people labelled"
    page = ""  # free claims have a sheet and no form
    for name in (name for name, form in FORMS.items() if form.kind == pilot.kind):
        page = (
            f"; or have them labelled on a page: `factmark annotate create --form {quote(name)} "
            f"--ledger {its_ledger} --sheet {labels} --annotators NAMES`"
        )
    say(
        f"wrote {sheet}: {count(drawn, 'unit', 'units')} to label{more}. Fill in annotator and "
        "label, then "
        f"`factmark ledger import {its_ledger} {labels}`{page}"
    )
    return drawn


@ledger_app.command()
def info(
    ledger: LedgerFile,
    by: Annotated[
        str, typer.Option(help="A field of the units: verdicts by its values, such as relation.")
    ] = "",
    json: Json = False,
) -> None:
    """Tell what a ledger holds: rows, judges with their verdicts, calls and what they cost."""
    from factmark.ledger.export import info

    held = info(ledger, by)
    if json:
        judges = tuple(held.pop("judges"))
        name = held.pop("ledger")
        show_outcome(CommandOutcome(command="ledger info", subject=name, rows=judges, details=held))
        return
    rows = ", ".join(count(n, table[:-1], table) for table, n in held["rows"].items())
    print_line(f"{held['ledger']}: {held['bytes'] / 1e6:.1f} MB; {rows}")
    for judge in held["judges"]:
        statuses = {name: n for name, n in judge["statuses"].items() if name != "ok"}
        counts = ", ".join(f"{name} {n}" for name, n in {**judge["labels"], **statuses}.items())
        print_line(f"{judge['kind']} {judge['name']} ({judge['id'][:8]}): {counts}")
        for values in held.get("by", ()):
            if values["judge"] == judge["id"]:
                counts = ", ".join(f"{name} {n}" for name, n in values["verdicts"].items())
                print_line(f"  {by} {values[by]}: {counts}")
    calls = held["calls"]
    cost = f"${calls['cost']:.4f}" + (", not all priced" if calls["unpriced"] else "")
    # A refusal in the words of a reply is told with the verdicts.
    refused = ""
    if calls["refused"]:
        refused = f" ({calls['refused']:,} marked as refused by the server)"
    print_line(
        f"{count(calls['replies'], 'reply', 'replies')}{refused}, "
        f"{count(calls['failed'], 'failed call', 'failed calls')}, "
        f"{count(calls['input_tokens'], 'token', 'tokens')} in, {calls['output_tokens']:,} out, "
        f"{cost}"
    )
    runs = held["runs"]
    if runs["runs"]:
        priced = "cost unknown"
        if runs["cost"] is not None:
            priced = f"${runs['cost']:.4f}"
        print_line(
            f"{count(runs['runs'], 'run', 'runs')} judged: {count(runs['calls'], 'call', 'calls')},"
            f" {count(runs['tokens'], 'token', 'tokens')}, {priced}, {runs['seconds']:,.0f} s"
        )


@ledger_app.command()
def export(
    ledger: LedgerFile,
    out: Annotated[
        Path,
        typer.Argument(
            help="The file to write: .jsonl, .csv or .parquet; with --format a new folder."
        ),
    ],
    form: Annotated[
        Literal["", "parquet"],
        typer.Option(
            "--format",
            metavar="parquet",
            help="Write Parquet files by kind of unit and judge: kind=K/judge=NAME/N.parquet.",
        ),
    ] = "",
    names: Names = False,
) -> None:
    """Write every verdict with its unit, item and judge, once for each row of yours."""
    from factmark.files.overwriting import check_files
    from factmark.ledger.export import export, export_partitioned

    if form:
        rows = export_partitioned(ledger, out, names=names)
    else:
        check_files(out.parent, [out.name], [("the ledger", ledger)])
        rows = export(ledger, out, names=names)
    say(f"wrote {out}: {count(rows, 'row', 'rows')}")


@ledger_app.command("import")
@takes_options
def import_(options: LabelImportOptions) -> None:
    """Add people's labels and verdicts of other programs, by unit or by the ids of your own rows.

    A filled-in sheet of `factmark plan --sheet`, a table with id, annotator, label or columns
    verdict:NAME, or JSON {id: label}. Labels of published sets are understood (Supports,
    Entailment, T, 1; Refutes; Neutral, NEI, F, 0). A program is then a judge like any other.
    """
    from factmark.analysis.labels.label_import import import_labels
    from factmark.ledger.ledger import open_existing

    with open_existing(options.ledger) as opened:
        brought = import_labels(options.labels, opened, options)
    if options.json:
        name = options.ledger.name
        show_outcome(CommandOutcome(command="ledger import", subject=name, details=asdict(brought)))
    else:
        _print_import(brought)
    _tell_left_out(brought)
    if not brought.labels and not brought.verdicts:
        needs = "needs the columns unit or id, annotator and label, filled, or verdict:NAME"
        say(f"no label was imported{'' if brought.contrary[1] else f': {options.labels} {needs}'}")
        raise typer.Exit(PROBLEM)


def _print_import(brought: LabelImport) -> None:
    """Prints what an import brought."""
    parts = []
    if brought.labels or not brought.verdicts:
        people = count(len(brought.annotators), "person", "people")
        parts.append(f"{count(brought.labels, 'label', 'labels')} by {people}")
    if brought.verdicts:
        names = ", ".join(map(one_line, brought.judges))
        parts.append(f"{count(brought.verdicts, 'verdict', 'verdicts')} by {names}")
    new = "nothing new"
    if brought.new:
        new = f"{brought.new} new or changed"
    empty = count(brought.empty, "row", "rows")
    print_line(f"{' and '.join(parts)}, {new}; {empty} without a label")
    if brought.unread:
        verdicts = count(brought.unread, "verdict is none", "verdicts are none")
        say(f"note: {verdicts} of the labels, such as {brought.unread_example!r}; kept as unparsed")


def _tell_left_out(brought: LabelImport) -> None:
    """Tells which labels were left out and why; exits with 3 where any were of unknown units or of
    unclear ids."""
    where, contrary = brought.contrary
    if contrary:
        units = count(contrary, "unit has rows", "units have rows")
        say(f"note: {units} with contrary labels by one judge; none is taken (the first: {where})")
    where, unclear = brought.unclear
    if unclear:
        labels = count(unclear, "label is", "labels are")
        say(
            f"{labels} left out: the id stands for several units (the first: {where}); name the "
            "file with --source, or label by unit"
        )
    where, unknown = brought.unknown
    if unknown:
        labels = count(unknown, "label is", "labels are")
        say(
            f"{labels} left out: the ledger does not know the id (the first: {where}); "
            f"{brought.ids}. Judge those units first, or mend the ids, and import again"
        )
    if unclear or unknown:
        raise typer.Exit(INCOMPLETE)


@ledger_app.command()
def reparse(ledger: LedgerFile, json: Json = False) -> None:
    """Read the kept replies of models anew, with this version's parser; makes no call."""
    from factmark.analysis.reparse import reparse

    reparsed = reparse(ledger)
    if json:
        done = asdict(reparsed)
        show_outcome(CommandOutcome(command="ledger reparse", subject=ledger.name, details=done))
        return
    print_line(
        f"{count(reparsed.read, 'verdict', 'verdicts')} read again, {reparsed.changed} changed, "
        f"{reparsed.left_alone} left alone"
    )


@ledger_app.command()
def merge(
    ledgers: LedgerFiles,
    out: Annotated[Path, typer.Option(help="The merged ledger; made, or added to.")],
    parts: Annotated[
        int | None, typer.Option(min=1, help="How many there have to be; else none is merged.")
    ] = None,
    json: Json = False,
) -> None:
    """Make one ledger of several, such as those of the parts of a study.

    Contents that are the same are one, the newest verdict counts, and every call stays with what it
    cost. In any order, also again: what is there is not added twice.
    """
    from factmark.errors import InputError
    from factmark.ledger.shards.merge import ledger_paths, merge_ledgers

    paths = ledger_paths(ledgers)
    if parts not in (None, len(paths)):
        raise InputError(
            f"--parts {parts}: there are {len(paths)}, from {paths[0].name} to {paths[-1].name}. "
            "Nothing was merged; judge what is missing, or leave out what belongs to another study."
        )
    merged = merge_ledgers(paths, out)
    if json:
        rows = tuple(asdict(part) for part in merged)
        show_outcome(CommandOutcome(command="ledger merge", subject=str(out), rows=rows))
        return
    for part in merged:
        new = ", ".join(f"{n:,} {name}" for name, n in part.new.items())
        print_line(f"{part.ledger}: {new} that were not there")
    print_line(f"merged {count(len(merged), 'ledger', 'ledgers')} into {out}")


@ledger_app.command()
def split(
    ledger: LedgerFile,
    out: Annotated[Path, typer.Option(help="A folder for the parts: 1-of-N.db and so on.")],
    parts: Annotated[int, typer.Option(min=2, max=10_000, help="How many.")],
) -> None:
    """Divide a ledger into those of N parts; merged they are the same ledger again.

    A part has the units that `--shard I/N` judges, and so goes on with that ledger. Only where
    --batch puts several passages into one call are they divided in another way.
    """
    from factmark.cli.console import progress
    from factmark.ledger.shards.split import split_ledger

    with progress("parts", parts) as step:
        split_ledger(ledger, parts, out, step=step)
    print_line(f"wrote {count(parts, 'ledger', 'ledgers')} into {out}")


@ledger_app.command()
def check(ledgers: LedgerFiles) -> None:
    """Look through all of a ledger, or of several, for damage; exits with 1 where there is any."""
    from factmark.ledger.shards.merge import ledger_paths
    from factmark.ledger.shards.upkeep import check_ledger

    are_whole = True
    for ledger in ledger_paths(ledgers):
        problems = check_ledger(ledger)
        for problem in problems:
            print_line(f"{ledger}: {problem}")
        if problems:
            are_whole = False
        else:
            print_line(f"{ledger}: whole")
    if not are_whole:
        raise typer.Exit(PROBLEM)


@ledger_app.command()
def backup(
    ledger: LedgerFile, out: Annotated[Path, typer.Option(help="The new file for the copy.")]
) -> None:
    """Copy a ledger as it is at this moment, also while another process writes it."""
    from factmark.ledger.shards.upkeep import back_up

    print_line(f"wrote {out}: {back_up(ledger, out) / 1e6:.1f} MB")


@ledger_app.command()
def compact(ledger: LedgerFile) -> None:
    """Write a ledger anew without the room that nothing takes."""
    from factmark.ledger.shards.upkeep import compact

    before, after = compact(ledger)
    print_line(f"{ledger}: {before / 1e6:.1f} MB before, {after / 1e6:.1f} MB now")
