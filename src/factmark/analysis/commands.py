"""`factmark agree`, `compare` and `plan`: how far judges agree, which system is better, and how
many labels by people it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from factmark.cli import options
from factmark.cli.console import print_json, print_line, print_opening, print_table, say
from factmark.cli.records import takes_options
from factmark.tables.shown_text import count

if TYPE_CHECKING:
    from factmark.analysis.pilot import Pilot
    from factmark.tables.layouts import DataTable
    from factmark.tables.opening import Opening


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreeOptions:
    """Which judges of a ledger are compared, and how."""

    ledger: Annotated[Path, typer.Argument(help="The ledger's file.")]
    judge: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge's name or the beginning of its id; again for each. One: it against all "
            "others. All that share units, where none is given."
        ),
    ] = None
    first_final: Annotated[
        list[str] | None,
        typer.Option(
            help="A judge whose first verdicts are compared with its newest; again for each."
        ),
    ] = None
    kind: Annotated[
        str, typer.Option(help="The kind of units: pair, triple, fact, ...; each, if not given.")
    ] = ""
    scale: Annotated[
        Literal["nominal", "ordinal", "interval"] | None,
        typer.Option(
            help="How far apart labels are. Not given: interval where they are numbers, ordinal "
            "where each has its own value, else nominal."
        ),
    ] = None
    by: Annotated[
        str,
        typer.Option(help="A stratum to break down by: relation, category, model, condition, ..."),
    ] = ""
    out: Annotated[
        Path | None, typer.Option(help="A folder for agree.json, .csv, .md and .tex.")
    ] = None
    level: options.Level = 0.95
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0
    json: options.Json = False


@takes_options
def agree(asked: AgreeOptions) -> None:
    """Tell how far judges agree: rules, models and people alike.

    Every two judges that were asked about the same units, each judge against all people, and people
    among each other: Krippendorff's alpha beside Gwet's AC1, kappa and exact agreement,
    with intervals over clusters and with what is missing; then what each of two said, as a table.
    Either coefficient alone misleads where one label prevails; a note says where that is so.
    """
    from factmark.analysis.agree import agreement_of
    from factmark.analysis.agree_tables import (
        agree_json,
        agree_opening,
        agree_records,
        agree_tables,
    )
    from factmark.errors import InputError

    if asked.judge and asked.first_final:
        raise InputError("--judge and --first-final: take one of them.")
    agreements, problems = agreement_of(asked)
    opening = agree_opening(agreements)
    tables, value = agree_tables(agreements), agree_json(asked, agreements, problems)
    if asked.out is not None:
        ledger = [("the ledger", asked.ledger)]
        rows = agree_records(agreements)
        say(f"wrote {write_forms(asked.out, 'agree', ledger, value, (opening, tables), rows)}")
    _show(opening, tables, value if asked.json else None)
    for problem in () if asked.json else problems:
        say(f"note: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """Which results are compared, and how."""

    inputs: Annotated[
        list[Path],
        typer.Argument(
            help="Ledgers, or folders with one that `factmark score`, `run` or `graph` wrote with "
            "--out."
        ),
    ]
    by: Annotated[
        Literal["all", "file", "model", "condition"],
        typer.Option(
            help="What tells systems apart: `all` for file, model and condition; the others "
            "average over what they leave out."
        ),
    ] = "all"
    metric: Annotated[
        str,
        typer.Option(
            help="What strata and ranks go by: combined_score, completeness, hallucination_rate "
            "(or S, C, H); score, strict_score of graphs (or F*, V, strict; says which, where a "
            "ledger holds both). The first, where it is not given."
        ),
    ] = ""
    out: Annotated[
        Path | None, typer.Option(help="A folder for compare.json, .csv, .md and .tex.")
    ] = None
    level: options.Level = 0.95
    resamples: options.Resamples = 10_000
    seed: options.Seed = 0
    json: options.Json = False


@takes_options
def compare(asked: CompareOptions) -> None:
    """Compare systems on the same questions or triples.

    Two systems: every score, then one of them per category or relation, each as the paired
    difference with its interval, a permutation test, and what is missing. More than two, also in
    one file: a leader board, and every pair corrected by Holm; systems that cannot be told apart
    share a letter.
    """
    from factmark.analysis.compare import compare_json, outcome_of
    from factmark.stats.comparison import Options
    from factmark.tables.comparisons import compare_opening, compare_rows, compare_tables

    paths = [(str(path), path) for path in asked.inputs]
    how = Options(level=asked.level, resamples=asked.resamples, seed=asked.seed)
    outcome = outcome_of(paths, asked.by, asked.metric, how)
    opening = compare_opening(outcome)
    tables, value = compare_tables(outcome), compare_json(outcome)
    if asked.out is not None:
        inputs = [("an input", path) for path in asked.inputs]
        rows = compare_rows(outcome)
        say(f"wrote {write_forms(asked.out, 'compare', inputs, value, (opening, tables), rows)}")
    _show(opening, tables, value if asked.json else None)


def write_forms(
    out: Path,
    stem: str,
    inputs: Sequence[tuple[str, Path]],
    value: Mapping[str, Any],
    report: tuple[Opening | None, Sequence[DataTable]],
    rows: Sequence[Mapping[str, Any]],
) -> str:
    """Writes a result as OUT/STEM.json (the value), .csv (the rows), .md and .tex; names them.

    Args:
        report: what it begins with, if anything, and its tables.
    """
    from factmark.files.flat_files import csv_text, json_text
    from factmark.files.overwriting import check_files
    from factmark.files.text_files import write_text
    from factmark.tables.latex import latex_table
    from factmark.tables.layouts import markdown_report

    opening, tables = report
    texts = {
        f"{stem}.json": json_text(value, indent=1) + "\n",
        f"{stem}.csv": csv_text(rows, list(rows[0])),
        f"{stem}.md": markdown_report(opening, tables),
        f"{stem}.tex": "\n".join(map(latex_table, tables)),
    }
    check_files(out, list(texts), inputs)
    for name, text in texts.items():
        write_text(out / name, text)
    return ", ".join(str(out / name) for name in texts)


def _show(opening: Opening, tables: Sequence[DataTable], value: object) -> None:
    """Prints the value as JSON where there is one, else the result in a sentence and the tables."""
    if value is not None:
        print_json(value)
        return
    print_opening(opening)
    for table in tables:
        print_table(table)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """What an interval is to be like, and what is known or assumed of judge and people."""

    half_width: Annotated[
        float | None,
        typer.Option(min=0.0001, max=0.4999, help="Half of the interval that is wanted."),
    ] = None
    labels: Annotated[
        int | None,
        typer.Option(min=1, help="In place of --half-width: a sheet with so many units in all."),
    ] = None
    share: Annotated[
        float | None, typer.Option(min=0.0, max=1.0, help="The share that is expected.")
    ] = None
    agreement: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="How often judge and people agree.")
    ] = 0.9
    sensitivity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="In place of --agreement: on what is true."),
    ] = None
    specificity: Annotated[
        float | None,
        typer.Option(min=0.0, max=1.0, help="In place of --agreement: on what is false."),
    ] = None
    ledger: Annotated[
        Path | None, typer.Option(help="A pilot, in place of assumptions: verdicts and labels.")
    ] = None
    judge: Annotated[
        str | None, typer.Option(help="The pilot's judge: its name or the start of its id.")
    ] = None
    answers: Annotated[
        Path | None,
        typer.Option(
            help="Results of `factmark score` or `run` (folder or ledger), in place of all this: "
            "answers of each condition are drawn for people to mark."
        ),
    ] = None
    each: Annotated[
        int, typer.Option(min=1, help="With --answers: how many of each model and condition.")
    ] = 40
    verdicts: Annotated[
        int | None,
        typer.Option(min=1, help="Units that the judge goes through; enough where not given."),
    ] = None
    census: Annotated[
        bool, typer.Option("--census", help="The verdicts are on all the units that there are.")
    ] = False
    design_effect: Annotated[
        float | None,
        typer.Option(min=1.0, help="Of labels on several units of one item; the pilot's, else 1."),
    ] = None
    entity_seconds: Annotated[
        float, typer.Option(min=0.0, help="A person's time to find out about an entity.")
    ] = 45.0
    fact_seconds: Annotated[
        float, typer.Option(min=0.0, help="A person's time for a fact on it.")
    ] = 25.0
    facts_per_entity: Annotated[
        float, typer.Option(min=1.0, help="Labelled facts that share an entity.")
    ] = 1.0
    wage: Annotated[float, typer.Option(min=0.0, help="Of a person, for an hour.")] = 0.0
    verdict_cost: Annotated[
        float | None, typer.Option(min=0.0, help="Of a verdict; what the pilot's cost, else 0.")
    ] = None
    sheet: Annotated[
        Path | None,
        typer.Option(help="Write a CSV sheet with what people are to label or mark next."),
    ] = None
    replace: Annotated[
        bool, typer.Option("--replace", help="Write over a sheet that is there.")
    ] = False
    seed: Annotated[int, typer.Option(min=0, help="Of drawing the sheet.")] = 0
    level: options.Level = 0.95
    json: options.Json = False


@takes_options
def plan(asked: PlanOptions) -> None:
    """How many verdicts and labels by people a half-width needs, and what they take.

    From assumptions (--share, --agreement), or from a pilot: a ledger with a judge's verdicts and
    people's labels on some of them. `factmark ledger import` brings in a sheet that was filled in.
    Of a pilot it tells as well how wide the interval is now, and whether one may stop. Of a ledger
    with people's ratings alone it tells how many documents such a study needs.

    With --answers it draws answers at random, 40 of each model and condition, on a sheet in which
    people mark facts; `factmark report RESULTS --people SHEET` then shows corrected averages.
    """
    from factmark.analysis.plan import plan_json, plan_of, plan_table, standing_lines
    from factmark.errors import InputError

    if asked.answers is not None:
        _draw_answers(asked, asked.answers)
        return
    if asked.ledger is not None and asked.share is None and _plan_ratings(asked, asked.ledger):
        return
    planned = plan_of(asked)
    pilot = planned.pilot
    if pilot is not None and not pilot.labelled.people:
        say(
            f"note: {asked.ledger} has no labels by people on {pilot.judge}'s units yet, so each "
            "verdict is taken to be right half of the time; label a few dozen and plan again"
        )
    if asked.json and planned.needs:
        print_json(plan_json(planned, asked))
    elif planned.needs:
        print_table(plan_table(planned, asked))
        if planned.standing is not None:
            for line in standing_lines(planned.standing, planned.advice):
                print_line(line)
        elif planned.advice:
            print_line(planned.advice)
    if pilot is not None and asked.sheet is not None:
        if planned.wanted is None:
            raise InputError(
                f"No sheet: {planned.advice} A sheet of any size is drawn with --labels."
                if planned.advice
                else "No sheet: no number of labels gives that width with so few verdicts. Judge "
                "more units, take a larger --half-width, or say --census if these are all there "
                "are."
            )
        _draw(asked, pilot, planned.wanted)


def _plan_ratings(asked: PlanOptions, ledger: Path) -> bool:
    """Plans by a ledger in which people alone rated; returns whether it is one."""
    from factmark.analysis.plan_ratings import rated_pilot, rating_needs, rating_needs_table
    from factmark.errors import InputError
    from factmark.files.flat_files import to_json_value

    if (rated := rated_pilot(ledger)) is None:
        return False
    if asked.half_width is None or asked.sheet is not None:
        raise InputError(
            f"{ledger}: holds people's ratings and no judge's verdicts; say --half-width, and no "
            "--labels or --sheet."
        )
    needs = rating_needs(rated, asked.half_width, asked.level)
    if asked.json:
        print_json({"half_width": asked.half_width, "needs": to_json_value(needs)})
    else:
        print_table(rating_needs_table(needs, asked.half_width))
    return True


def _draw_answers(asked: PlanOptions, source: Path) -> None:
    from factmark.analysis.plan import drawn_answers

    sheet, drawn = drawn_answers(asked, source)
    if asked.json:
        print_json({"sheet": str(sheet), "answers": drawn.answers, "systems": drawn.systems})
    if not drawn.answers:
        say("nothing to mark: people have marked all that would be drawn; no sheet")
        return
    many = count(drawn.answers, "answer", "answers")
    say(
        f"wrote {sheet}: {many} to mark, {drawn.text}. In each row name the "
        "annotator, copy each fact that the answer states into `facts` (one a line, as it stands "
        "there), and put yes or no into `verdict` and yes into `absence` where the answer says so. "
        f"Then `factmark report {source} --people {sheet}`. Or have them marked on a page: "
        f"`factmark annotate create {sheet} --form facts --benchmark BENCHMARK --annotators NAMES`"
    )


def _draw(asked: PlanOptions, pilot: Pilot, wanted: Mapping[str, int]) -> None:
    from factmark.analysis.plan import draw_sheet
    from factmark.people.core.forms import FORMS

    ledger, sheet, done = asked.ledger, asked.sheet, len(pilot.labelled.people)
    if ledger is None or sheet is None:
        return
    drawn = draw_sheet(sheet, ledger, pilot, wanted, asked.seed)
    if not drawn:
        say(f"nothing to label: people have labelled {done} units, which is enough; no sheet")
        return
    if (short := sum(wanted.values()) - len(pilot.labelled.units)) > 0:
        say(f"note: the plan needs {short} units more than the ledger holds; judge more")
    more = f" beside the {done} that people labelled" if done else ""
    form = next(name for name, form in FORMS.items() if form.kind == pilot.kind)
    say(
        f"wrote {sheet}: {drawn} units to label{more}. Fill in annotator and label, then "
        f"`factmark ledger import {ledger} {sheet}`; or have them labelled on a page: `factmark "
        f"annotate create --form {form} --ledger {ledger} --sheet {sheet} --annotators NAMES`"
    )
