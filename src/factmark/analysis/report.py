"""The reports of `compare` and `plan`, declared; that of `agree` is `agree_report`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from factmark.analysis.options import PlanOptions
from factmark.analysis.pilots.plan_ratings import RatingNeed, RatingPlan, rating_needs_table
from factmark.analysis.results import LabelPlan, Standing
from factmark.files.flat_files import to_json_value
from factmark.model import Estimate, Measure
from factmark.report.columns import Column, attribute_column, table_of
from factmark.report.comparisons import ROW_COLUMNS, comparison_sentence, named_tables
from factmark.report.file_columns import FileColumn, attributes
from factmark.report.layouts import DataTable, estimate_cell
from factmark.report.page import Figure, Page
from factmark.report.result import Result
from factmark.report.sentence import FirstSentence
from factmark.stats.contest import OVERALL, Outcome
from factmark.stats.planning import Need
from factmark.stats.sequential import LabellingProgress
from factmark.text.shown_text import NO_VALUE, count, named, number, one_line
from factmark.version import __version__

_LONGEST = 40  # characters of a column

PLAN = Measure(key="plan", symbol="share", name="share that people would call true")
RATING_PLAN = Measure(key="rating_plan", symbol="rating", name="mean rating of a system")

NEED_COLUMNS: tuple[FileColumn[Need], ...] = (
    *attributes("design"),
    *attributes("labels", "verdicts", type="BIGINT"),
    FileColumn(name="by_verdict", value=lambda need: dict(need.allocation)),
    *attributes("half_width", "hours", "verdict_hours", "money", type="DOUBLE"),
)
RATING_NEED_COLUMNS: tuple[FileColumn[RatingNeed], ...] = (
    *attributes("score"),
    *attributes("raters", "mean", "difference", type="BIGINT"),
)
_COMPARE_LIMITS = (
    "The interval of a difference and p are made in different ways; where they disagree, p decides "
    "whether two systems are called different.",
    "What only one system has is in no difference; the notes say where that could lead.",
)
_PLAN_LIMITS = (
    "A plan goes by what is assumed, or by what the pilot shows so far; plan again as labels come "
    "in.",
    "About half of all studies get an interval that is a little wider than planned.",
)


def compare_report(outcome: Outcome) -> Result:
    """Returns the result of a comparison in all its forms; its details are the outcome."""
    contest = outcome.contest
    score = outcome.score
    options = outcome.options
    return Result(
        measure=score,
        subject=", ".join(map(named, contest.systems)),
        averages=_averages(outcome),
        tables=named_tables(outcome),
        rows=outcome.comparisons,
        columns=ROW_COLUMNS,
        page=lambda: _compare_page(outcome),
        sentence=comparison_sentence(outcome),
        next_step=_next_comparison(outcome),
        problems=contest.problems,
        signature={
            **contest.signature,
            **{name: getattr(options, name) for name in ("level", "resamples", "draws", "seed")},
        },
        figures={
            "compared": contest.measure,
            "score": score.key,
            "systems": list(contest.systems),
            "leader_boards": _boards_json(outcome),
        },
        details=outcome,
    )


def _averages(outcome: Outcome) -> dict[str, Estimate]:
    """Returns each score's difference of two systems; of more each system by the score to go by."""
    if outcome.rows:
        averages = {}
        for row in outcome.rows:
            if row.stratum == OVERALL:
                pair = row.comparison
                averages[f"{row.score.symbol}: {pair.a} - {pair.b}"] = pair.decisive[0]
        return averages
    score = outcome.score
    places = outcome.boards[score.key].places
    return {f"{score.symbol} of {place.name}": place.decisive for place in places}


def _boards_json(outcome: Outcome) -> dict[str, Any]:
    """Returns the leader board by each score as JSON values."""
    return {
        key: {
            "places": to_json_value(board.places),
            "n_units": board.n_units,
            "n_left_out": board.n_left_out,
        }
        for key, board in outcome.boards.items()
    }


def _next_comparison(outcome: Outcome) -> str:
    """Returns what would tell two systems apart that are not; empty where nothing is to be done."""
    pairs = []
    for row in outcome.rows:
        if row.score.key == outcome.score.key:
            pairs.append(row.comparison)
    if not pairs or pairs[0].told_apart or not pairs[0].n_both:
        return ""
    item = outcome.contest.item
    if pairs[0].too_few_differ:
        least = math.ceil(math.log2(2 / (1 - pairs[0].difference.level)))  # 2 of 2^n patterns
        return (
            f"At least {least} {item} have to differ before this test can tell: take more {item}."
        )
    return f"Four times as many {item} make the interval half as wide."


def _compare_page(outcome: Outcome) -> Page:
    """Returns what the page of a comparison shows beside its tables."""
    contest = outcome.contest
    return Page(
        title="Systems, compared",
        lead=(f"By {outcome.score.name}", f"on the same {contest.unit}"),
        figures=list(_compare_figures(outcome)),
        limits=_COMPARE_LIMITS,
    )


def _compare_figures(outcome: Outcome) -> Iterator[Figure]:
    """Yields the difference of two systems and their values; of more the first five places."""
    for row in outcome.rows:
        if row.stratum == OVERALL and row.score.key == outcome.score.key:
            pair = row.comparison
            symbol = row.score.symbol
            a = named(pair.a)
            b = named(pair.b)
            gap, value_a, value_b = pair.decisive
            yield Figure(name=f"{symbol}: {a} − {b}", value=gap, main=True)
            yield Figure(name=f"{symbol} of {a}", value=value_a)
            yield Figure(name=f"{symbol} of {b}", value=value_b)
    if outcome.boards:
        places = outcome.boards[outcome.score.key].places
        for rank, place in enumerate(places[:5]):
            name = f"{outcome.score.symbol} of {named(place.name)}"
            yield Figure(name=name, value=place.decisive, main=rank == 0)


def plan_report(planned: LabelPlan, options: PlanOptions) -> Result:
    """Returns a plan of labels in all its forms; `options` have a half-width."""
    standing = planned.standing
    cautions = []
    if planned.advice:
        cautions.append(planned.advice)
    averages = {}
    if standing is not None:
        averages = {"now": standing.estimate}
    judge = ""
    if planned.pilot is not None:
        judge = planned.pilot.judge
    return Result(
        measure=PLAN,
        subject=_plan_subject(planned, options),
        judge=judge,
        averages=averages,
        tables={"designs": plan_table(planned, options)},
        rows=planned.needs,
        columns=NEED_COLUMNS,
        page=lambda: _plan_page(planned, options),
        sentence=FirstSentence(sentence=_plan_in_words(planned, options), cautions=tuple(cautions)),
        next_step=_next_labels(planned),
        problems=(*cautions, *_pilot_problems(planned, options)),
        signature=_plan_signature(options),
        figures={
            "half_width": options.half_width,
            "share": planned.share,
            "standing": to_json_value(standing),
            "advice": planned.advice,
        },
        details=planned,
    )


def _plan_subject(planned: LabelPlan, options: PlanOptions) -> str:
    """Returns what the plan is of: a pilot's ledger, or what is assumed."""
    if options.ledger is not None:
        return options.ledger.name
    return f"assumed: {number(planned.share)}"


def _plan_signature(options: PlanOptions) -> Mapping[str, Any]:
    """Returns what the numbers of a plan were made from."""
    assumed = ("share", "agreement", "sensitivity", "specificity", "design_effect", "target")
    parts = {name: getattr(options, name) for name in assumed}
    given = {}
    for name, value in parts.items():
        if value is not None:
            given[name] = value
    if options.share is None:
        given.pop("agreement")  # a pilot shows it
    return {"factmark": __version__, "level": options.level, **given}


def _pilot_problems(planned: LabelPlan, options: PlanOptions) -> Iterator[str]:
    """Yields what a pilot lacks."""
    pilot = planned.pilot
    if pilot is not None and not pilot.labelled.people_by_place:
        part = "stratum"
        if pilot.verdict_cells:
            part = "verdict"
        yield (
            f"{options.ledger} has no labels by people on {pilot.judge}'s units yet, so half of "
            f"each {part} is taken to be true; label a few dozen and plan again"
        )


def _plan_in_words(planned: LabelPlan, options: PlanOptions) -> str:
    """Returns in a sentence how many labels the plan wants."""
    alone, *others = planned.needs
    best = (others or [alone])[-1]
    if best.labels is None:
        return (
            f"No number of labels gives that interval with so few units: with a label on each, "
            f"{best.design} gives ± {best.half_width:.3g}."
        )
    labels = count(best.labels, "label", "labels")
    instead = ""
    if others:
        by_hand = "too few units"
        if alone.labels is not None:
            by_hand = f"{alone.labels:,}"
        instead = f"; {alone.design}: {by_hand}"
    return (
        f"An interval of {number(planned.share)} ± {options.half_width:g} takes {labels} by "
        f"people, about {best.hours:.1f} hours, by the design `{best.design}`{instead}."
    )


def _next_labels(planned: LabelPlan) -> str:
    """Returns how far a pilot has come and what to do next."""
    if planned.standing is not None:
        return " ".join(standing_lines(planned.standing, planned.advice))
    if planned.advice:
        return ""
    return (
        "Judge a few hundred units, have people label a few dozen of them, and plan from that "
        "pilot: --ledger LEDGER --sheet FILE."
    )


def _plan_page(planned: LabelPlan, options: PlanOptions) -> Page:
    """Returns what the page of a plan shows beside its table."""
    best = planned.needs[-1]
    figures = []
    for need in planned.needs:
        figures.append(
            Figure(name=f"Labels: {need.design}", value=_labels_text(need), main=need is best)
        )
    if planned.standing is not None:
        figures.append(Figure(name="Now", value=planned.standing.estimate))
    return Page(
        title="A plan of labels",
        lead=(f"For ± {options.half_width:g} at {options.level * 100:g} %",),
        figures=figures,
        limits=_PLAN_LIMITS,
    )


def _labels_text(need: Need) -> str:
    """Returns how many labels a design needs, a dash where no number is enough."""
    if need.labels is None:
        return NO_VALUE
    return f"{need.labels:,}"


def plan_table(planned: LabelPlan, options: PlanOptions) -> DataTable:
    """Returns a line for each design; the last is the cheapest where the judge is any good."""
    shares = {need.design: _by_verdict(need) for need in planned.needs}
    is_short = max(map(len, shares.values()), default=0) <= _LONGEST
    title = f"For {number(planned.share)} ± {options.half_width:g} at {options.level * 100:g} %"
    columns = list(_plan_columns(planned.needs, shares if is_short else {}))
    notes = list(_plan_notes(planned, options, {} if is_short else shares))
    return table_of(title, columns, planned.needs, notes=notes)


def _by_verdict(need: Need) -> str:
    """Returns how many labels of each verdict a design wants; empty where it goes by none."""
    if not need.labels:
        return ""
    return ", ".join(f"{one_line(name)} {n:,}" for name, n in need.allocation.items())


def _plan_columns(needed: Sequence[Need], shares: Mapping[str, str]) -> Iterator[Column[Need]]:
    """Yields the columns of a plan; the judge's hours and the cost where there are any.

    Args:
        shares: design -> labels by verdict; empty where they stand below the table.
    """
    yield attribute_column("design", label=True)
    yield attribute_column("labels")
    if shares:
        yield Column(name="of them by verdict", value=lambda need: shares[need.design], show=str)
    yield attribute_column("verdicts")
    yield attribute_column("half_width", "")
    yield Column(
        name="people's hours",
        value=lambda need: None if need.labels is None else need.hours,
        show="{:.1f}".format,
    )
    yield attribute_column("hours", "")
    yield attribute_column(
        "verdict_hours",
        "judge's hours",
        show="{:.1f}".format,
        shown=any(need.verdict_hours for need in needed),
    )
    yield Column(
        name="cost",
        value=lambda need: None if need.labels is None else need.money,
        show="{:,.2f}".format,
        shown=any(need.money for need in needed),
    )
    yield attribute_column("money", "")


def _plan_notes(
    planned: LabelPlan, options: PlanOptions, shares: Mapping[str, str]
) -> Iterator[str]:
    """Yields what the labels are, and what could be had where there are too few units.

    Args:
        shares: labels by verdict that stand in no column.
    """
    these = "".join(f" These are: {share}." for share in shares.values() if share)
    yield (
        "Labels: units that people label. The half-width is what to expect on average: by chance, "
        "about half of all studies get a little more, the others a little less. By verdict: so "
        f"many drawn at random from the units of each verdict.{these}"
    )
    short = []
    for n in planned.needs:
        if n.labels is None:
            short.append(n)
    if short:
        widths = "; ".join(f"{need.design} ± {need.half_width:.3g}" for need in short)
        whole = ""
        if planned.pilot is not None and options.target == "process":
            whole = " Say --target units if the score is of these units alone."
        yield (
            f"{NO_VALUE}: there are too few units for that; with a label on each of them: "
            f"{widths}.{whole}"
        )


def standing_lines(standing: Standing, advice: str = "") -> Iterator[str]:
    """Yields how wide the interval is now, how many labels more, and whether one may stop.

    Args:
        advice: about a judge that does not help; to label by hand then, not by the plan.
    """
    estimate = standing.estimate
    more = "judge more units"
    if advice:
        more = "see `people only` for a sample by hand"
    elif standing.more is not None:
        more = f"the plan wants {count(standing.more, 'label', 'labels')} more"
    if estimate.value is None or estimate.low is None or estimate.high is None:
        yield f"Now: no interval yet; {more}."
    else:
        half = (estimate.high - estimate.low) / 2
        yield f"Now: {estimate_cell(estimate).text}, ± {half:.3f}; {more}."
    if standing.may_stop is None:
        yield "May one stop? That is told of yes/no labels and a half-width from 0.01 to 0.2."
    elif standing.may_stop:
        yield (
            "May one stop? Yes, also who looked on the way; then quote the value ± the half-width "
            "of the plan."
        )
    else:
        left = ", ".join(
            f"{one_line(verdict)} {_more_in_words(progress)}"
            for verdict, progress in standing.verdicts.items()
            if not progress.done
        )
        yield (
            f"May one stop? Not before the number that was planned; who looks on the way: {left}."
        )


def _more_in_words(progress: LabellingProgress) -> str:
    """Returns how many labels of a verdict are still to come, by the stopping rule."""
    if progress.reached is None:
        return f"about {progress.expected_more:,} more"
    return f"all {progress.expected_more:,} that are left (± {progress.reached:.2f} then)"


def rating_plan_report(planned: RatingPlan, options: PlanOptions) -> Result:
    """Returns a plan of ratings in all its forms; `options` have a ledger and a half-width."""
    half_width = options.half_width or 0.0
    needs = planned.needs
    table = rating_needs_table(planned.rated, needs, half_width)
    subject = ""
    if options.ledger is not None:
        subject = options.ledger.name
    return Result(
        measure=replace(RATING_PLAN, scale=planned.rated.scores[0].scale),
        subject=subject,
        averages={},
        tables={"documents": table},
        rows=needs,
        columns=RATING_NEED_COLUMNS,
        page=lambda: Page(title="A plan of ratings", lead=(table.title,), limits=_PLAN_LIMITS[:1]),
        sentence=FirstSentence(sentence=_ratings_in_words(needs)),
        signature={"factmark": __version__, "level": options.level},
        figures={"half_width": half_width},
        details=planned,
    )


def _ratings_in_words(needs: Sequence[RatingNeed]) -> str:
    """Returns in a sentence how many documents the most demanding score needs of one person."""
    alone = []
    for need in needs:
        if need.raters == 1 and need.mean is not None:
            alone.append(need)
    if not alone:
        return "Too few documents are rated to say how many an interval needs."
    most = max(alone, key=lambda need: need.mean or 0)
    documents = count(most.mean or 0, "document", "documents")
    two = ""
    if most.difference is not None:
        two = f", and {most.difference:,} to compare two systems"
    return f"With one person for each summary, {most.score} takes {documents} of one system{two}."
