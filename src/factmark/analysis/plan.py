"""How many labels by people an interval needs, how wide it is now, and whether you may stop."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from factmark.analysis.labels.label_sheet import write_sheet
from factmark.analysis.options import PlanOptions
from factmark.analysis.pilots.pilot import Pilot, read_pilot
from factmark.analysis.pilots.plan_marks import marks_needed
from factmark.analysis.pilots.plan_ratings import RatingPlan, rated_pilot, rating_needs
from factmark.analysis.report import plan_report, rating_plan_report
from factmark.analysis.results import AnswerDraw, LabelPlan, Standing
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.evaluated.corrected import How, corrected_mean_of
from factmark.evaluated.table import JUDGE
from factmark.files.overwriting import check_outputs
from factmark.ledger.ledger import open_existing
from factmark.ledger.rows import rows_of_units
from factmark.ledger.verdicts import items_of, units_by_id
from factmark.report.layouts import estimate_cell
from factmark.report.result import Result
from factmark.stats.planning import (
    MOST,
    Costs,
    Need,
    Stratum,
    allot,
    allot_with_floor,
    expected_strata,
    needs,
    pilot_strata,
    separation,
)
from factmark.stats.sampling import simple_random
from factmark.stats.sequential import LabellingProgress, stopping
from factmark.text.shown_text import one_line

_NONE = "no verdict"
_FEW = 10  # labels of either side: fewer do not tell that a judge does not help


@python_function(
    PlanOptions, without={"labels", "answers", "each", "difference", "sheet", "replace", "seed"}
)
def plan(half_width: float, **options: Any) -> Result:
    """How many labels by people does an interval of that half-width need? `factmark plan`.

    Args:
        half_width: of the interval that is wanted, as 0.05.
        options: the command's: `share` (that is expected) with `agreement`, or `ledger` of a pilot.

    Returns:
        A row per design, the last the cheapest; for a pilot, the average "now". Of a ledger with
        people's ratings alone a row per score and number of people.

    Raises:
        FactmarkError: what cannot be read, and options that do not go together.
    """
    given = options_of(PlanOptions, {"half_width": half_width, **options})
    ratings = rating_plan_of(given)
    if ratings is not None:
        return rating_plan_report(ratings, given)
    return plan_report(plan_of(given), given)


def rating_plan_of(options: PlanOptions) -> RatingPlan | None:
    """Returns what a study of ratings needs, by a ledger in which people alone rated; None where
    the options name no such ledger.

    Raises:
        InputError: nothing is rated yet, or options do not go together.
        LedgerError: the ledger cannot be read.
    """
    if options.ledger is None or options.share is not None:
        return None
    rated = rated_pilot(options.ledger)
    if rated is None:
        return None
    if options.half_width is None or options.sheet is not None:
        raise InputError(
            f"{options.ledger}: holds people's ratings and no judge's verdicts; say --half-width, "
            "and no --labels or --sheet."
        )
    spans = [score.scale.span for score in rated.scores]
    narrow = []
    for span in spans:
        if options.half_width >= span / 2:
            narrow.append(span)
    if narrow:
        raise InputError(
            f"--half-width {options.half_width:g}: the ratings lie on a scale of {narrow[0]:g} "
            "points; name fewer than half of them."
        )
    needs = rating_needs(rated, options.half_width, options.level)
    if not needs:
        raise InputError(
            f"{options.ledger}: nothing is rated yet; a plan goes by how far ratings differ. Have "
            "people rate a few documents first."
        )
    return RatingPlan(rated=rated, needs=needs)


def plan_of(options: PlanOptions) -> LabelPlan:
    """Returns a plan of labels, from a pilot or from what is assumed.

    Raises:
        InputError: as `read_pilot`, or options do not go together.
        LedgerError: the ledger cannot be read.
    """
    _check_options(options)
    pilot = None
    if options.ledger is not None:
        pilot = read_pilot(options.ledger, options.judge)
    strata = strata_of(options, pilot)
    needed: tuple[Need, ...] = ()
    standing = None
    wanted = None
    if options.half_width is not None:
        needed = needs_of(options, options.half_width, strata, pilot)
        wanted = None
        if needed[-1].labels is not None:
            wanted = needed[-1].allocation
        if pilot is not None:
            standing = standing_of(options, options.half_width, pilot, needed[-1])
    elif pilot is not None and options.labels is not None:
        if pilot.by_suspects:
            share = allot_with_floor
        else:
            share = allot
        wanted = share(strata, options.labels, len(pilot.labelled))
    expected = sum(part.weight * part.share for part in strata)
    return LabelPlan(
        pilot=pilot,
        share=expected,
        needs=needed,
        standing=standing,
        wanted=wanted,
        advice=advice(options, pilot),
    )


def advice(options: PlanOptions, pilot: Pilot | None) -> str:
    """Returns what to do about a judge that does not tell true from false; empty for any other."""
    instead = "This judge does not help: label by hand, or take another judge."
    if pilot is None:
        if sum(_assumed_rates(options)) > 1:
            return ""
        return f"{instead} Sensitivity and specificity add up to 1 or less."
    units = len(pilot.labelled)
    if not pilot.verdict_cells:  # strata of a profile judge nothing
        return ""
    decided = []
    for cell in pilot.verdict_cells:
        if cell.label is not None:
            decided.append(cell)
    if len(decided) == 1:
        which = f"every one of the {decided[0].total:,} units that it decided, of {units:,}"
        every = "every unit"
        if decided[0].total != units:
            every = which
        return f"{instead} It says {one_line(str(decided[0].label))} of {every}."
    difference = separation(pilot.verdict_cells, pilot.worth, level=options.level)
    if difference.low is None or difference.low > 0 or difference.n_items < _FEW:
        return ""
    return (
        f"{instead} What it calls true is no more often true by people's labels than the rest: "
        f"difference {estimate_cell(difference).text}."
    )


def _check_options(options: PlanOptions) -> None:
    """Raises InputError for options that do not go together."""
    if (options.share is None) == (options.ledger is None):
        raise InputError(
            "Say what share is expected with --share, or name a pilot with --ledger; one."
        )
    if (options.half_width is None) == (options.labels is None):
        raise InputError("Name the --half-width that is wanted, or the --labels there are; one.")
    if options.half_width is not None and options.half_width >= 0.5:
        raise InputError(
            f"--half-width {options.half_width:g}: the interval of a share has a half-width below "
            "0.5."
        )
    if options.sheet is None and options.labels is None:
        return
    if options.ledger is None or options.sheet is None:
        raise InputError("A sheet is drawn from a ledger: name both, with --ledger and --sheet.")
    _check_sheet(options.sheet, options, ("--ledger", options.ledger))


def _check_sheet(sheet: Path, options: PlanOptions, source: tuple[str, Path]) -> None:
    """Raises InputError where a sheet would take the place of a file."""
    check_outputs([("--sheet", sheet)], [source])
    if sheet.exists() and not options.replace:
        raise InputError(f"{sheet}: is there already. Name another file, or say --replace.")


def strata_of(options: PlanOptions, pilot: Pilot | None) -> tuple[Stratum, ...]:
    """Returns the units by verdict, as a pilot saw them or as they are assumed to be."""
    if pilot is not None:
        return pilot_strata(pilot.cells)
    return expected_strata(options.share or 0.0, *_assumed_rates(options))


def _assumed_rates(options: PlanOptions) -> tuple[float, float]:
    """Returns the sensitivity and specificity that are assumed."""
    of_true = options.sensitivity
    of_false = options.specificity
    return (
        options.agreement if of_true is None else of_true,
        options.agreement if of_false is None else of_false,
    )


def needs_of(
    options: PlanOptions, half_width: float, strata: Sequence[Stratum], pilot: Pilot | None
) -> tuple[Need, ...]:
    """Returns what each way of sampling needs for that half-width."""
    cost = 0.0
    seconds = 0.0
    if pilot is not None:
        cost = pilot.cost or 0.0
        seconds = pilot.seconds
    units = 0
    if pilot:
        units = len(pilot.labelled)
    if pilot:
        most = max(options.verdicts or 0, units)
    else:
        most = MOST
    return needs(
        strata,
        half_width,
        verdicts=options.verdicts or units or None,
        level=options.level,
        design_effect=options.design_effect or (pilot.design_effect if pilot else 1.0),
        target=options.target,
        most=most,
        costs=Costs(
            facts_per_entity=options.facts_per_entity,
            wage=options.wage,
            verdict=cost,
            verdict_seconds=seconds,
        ),
    )


def standing_of(options: PlanOptions, half_width: float, pilot: Pilot, plan: Need) -> Standing:
    """Returns where a pilot stands on its way to a half-width; `plan` is the design by verdict."""
    how = How(level=options.level, target=options.target)
    estimate = corrected_mean_of(pilot.labelled, JUDGE, how)
    verdicts = stopping_of(pilot, half_width, options.level)
    due = []
    for cell in pilot.cells:
        due.append(plan.allocation.get(_verdict_name(cell.label), 0) - cell.labelled)
    more = None
    if plan.labels is not None:
        more = sum(max(0, count) for count in due)
    return Standing(
        estimate=estimate,
        more=more,
        verdicts=verdicts or {},
        may_stop=None if verdicts is None else all(verdict.done for verdict in verdicts.values()),
    )


def stopping_of(
    pilot: Pilot, half_width: float, level: float
) -> dict[str, LabellingProgress] | None:
    """Returns how far the labels of each verdict have come by the stopping rule, in the order they
    came.

    A verdict with the share W of the units is to come within half_width W^(-1/3) / sum of W^(2/3),
    0.2 at most: weighted by W these add up to the half-width, with the fewest labels where all vary
    alike, and they do not depend on what people say. One that is labelled whole is done. None where
    the rule says nothing: see `Standing.may_stop`.
    """
    people = pilot.labelled.people_by_place
    weights = {}
    for cell in pilot.cells:
        weights[cell.label] = cell.total / len(pilot.labelled)
    shared = sum(weight ** (2 / 3) for weight in weights.values())
    targets = {}
    for label, weight in weights.items():
        targets[label] = min(0.2, half_width * weight ** (-1 / 3) / shared)
    is_yes_no = all(value in (0, 1) for value in people.values())
    if (
        not is_yes_no
        or half_width > 0.2
        or min(targets.values()) < 0.01
        or not 0.8 <= level <= 0.99
    ):
        return None
    labels: defaultdict[str | None, list[bool]] = defaultdict(list)
    verdicts = pilot.labelled.judges[JUDGE].texts
    for place, value in people.items():
        labels[verdicts[place]].append(bool(value))
    return {
        _verdict_name(cell.label): stopping(
            labels[cell.label], targets[cell.label], level=level, units=cell.total
        )
        for cell in pilot.cells
        if cell.labelled < cell.total
    }


def draw_sheet(path: Path, source: Path, pilot: Pilot, wanted: Mapping[str, int], seed: int) -> int:
    """Writes a sheet with so many units of each verdict, drawn at random; returns how many.

    Units that people have labelled are left out and count: a larger plan with the same seed adds
    to a smaller one. The units stand in random order, so that a sheet half done is a sample too.
    """
    by_verdict: defaultdict[str, list[str]] = defaultdict(list)
    units = pilot.labelled
    for unit, label in zip(units.ids, units.judges[JUDGE].texts, strict=True):
        by_verdict[_verdict_name(label)].append(unit)
    done = {units.ids[place] for place in units.people_by_place}
    drawn = [
        unit
        for verdict, n_units in wanted.items()
        for unit in simple_random(by_verdict[verdict], n_units, seed=seed).keys
        if unit not in done
    ]
    order = simple_random(drawn, len(drawn), seed=seed).keys
    if order:
        with open_existing(source, read_only=True) as ledger:
            chosen = list(units_by_id(ledger, order).values())
            items = items_of(ledger, [unit.item for unit in chosen])
            write_sheet(path, chosen, items, rows_of_units(ledger, order))
    return len(order)


def draw_answers(options: PlanOptions, source: Path) -> tuple[Path, AnswerDraw]:
    """Draws answers of results at random and writes the sheet; returns both. See
    `marks.sheet.draw`.

    Raises:
        InputError: options do not go together, or the sheet is there already.
        LedgerError: there are no such results.
    """
    from factmark.answers.core.system_gaps import system_name
    from factmark.answers.marks.sheet import draw, row_name, write_sheet
    from factmark.answers.verdicts import results_from_ledger

    given = (options.share, options.ledger, options.half_width, options.labels)
    if any(value is not None for value in given):
        raise InputError(
            "--answers draws a sheet for people: with --sheet, --each and --seed, no other plan."
        )
    if options.sheet is None or options.sheet.suffix.casefold() != ".csv":
        raise InputError("Name the sheet that is to be written: --sheet marks.csv.")
    _check_sheet(options.sheet, options, ("--answers", source))
    results = results_from_ledger(source)
    if not results.answers:
        raise InputError(f"{source}: holds no scored answers.")
    needed = None
    each = options.each
    if options.difference is not None:
        needed = marks_needed(results, options.difference, options.level)
        each = needed.questions
    rows = draw(results.answers, results.people, each, options.seed)
    if rows:
        write_sheet(options.sheet, rows)
    names = {row_name(row.answer.query_id, row.answer.text) for row in rows}
    systems: dict[str, int] = {}
    for row in results.answers:
        answer = row.answer
        marked = answer.id in results.people or row_name(answer.query_id, answer.text) in names
        name = system_name(answer)
        systems[name] = systems.get(name, 0) + marked
    return options.sheet, AnswerDraw(answers=len(rows), systems=systems, needed=needed)


def _verdict_name(label: str | None) -> str:
    """Returns a verdict as a plan names it; `no verdict` where there is none."""
    return label or _NONE
