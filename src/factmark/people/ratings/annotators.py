"""The annotators of a campaign: how lenient, how fast, how far they agree. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean

import numpy as np

from factmark.campaign_model import Rating
from factmark.model import Estimate
from factmark.people.core.forms import COARSE, Form
from factmark.people.ratings.entries import (
    AnnotatorValue,
    RatedTask,
    Scoring,
    annotator_values,
    done_documents,
    finer_rating,
    in_groups,
    seconds_on,
    worth,
)
from factmark.people.ratings.systems import scaled, values_by_thing
from factmark.stats.comparison import difference
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import Cell, DataTable, interval_note
from factmark.tables.shown_text import NO_VALUE, number


@dataclass(frozen=True, slots=True, kw_only=True)
class Quartiles:
    """The quartiles of something; None where there is nothing."""

    n: int
    low: float | None = None
    median: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorScore:
    """An annotator.

    Attributes:
        leniency: their values less the mean of the others', on the things that somebody else rated
            as well; None where there are none.
        n_raised, n_lowered: how many of these have a higher or a lower value than first.
        n_first_unknown: tasks that had been changed before they were first seen; what was there
            before is not known, and more may have been recalibrated.
    """

    code: str
    n_asked: int
    n_answered: int
    n_documents: int  # documents that are all rated
    mean: float | None  # over the things that they rated, on the scale of the measure to go by
    leniency: Estimate | None
    n_shared: int  # those things
    minutes: Quartiles  # per document, of documents that are all rated and whose times are known
    n_recalibrated: int  # tasks whose label or marks changed after the first that is known
    mean_change: float | None  # of the values of these, final less first known
    n_raised: int
    n_lowered: int
    n_first_unknown: int
    n_comments: int  # tasks whose newest answer has a comment


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What an annotator wrote beside what counts, with a finer rating if it states one."""

    document: str
    system: str
    annotator: str
    unit: str
    label: str | None
    comment: str
    finer: float | None


def annotator_scores(
    scoring: Scoring, entries: Iterable[RatedTask], codes: Iterable[str]
) -> tuple[AnnotatorScore, ...]:
    """Every annotator, in the order of `codes`."""
    tasks = in_groups(entries, lambda entry: entry.assignment.annotator)
    given = annotator_values(scoring, chain.from_iterable(tasks.values()))
    return tuple(_annotator(scoring, code, tasks.get(code, ()), given) for code in codes)


def comments_of(form: Form, entries: Iterable[RatedTask]) -> tuple[Comment, ...]:
    """What stands beside what counts; a finer rating is read of ratings alone."""
    return tuple(
        Comment(
            document=entry.assignment.document,
            system=entry.unit.system,
            annotator=entry.assignment.annotator,
            unit=entry.assignment.unit,
            label=final.response.label,
            comment=final.response.comment,
            finer=finer_of(form, final),
        )
        for entry in entries
        if entry.comment and (final := entry.final) is not None
    )


def finer_of(form: Form, rating: Rating) -> float | None:
    """A finer rating in a comment of a form that asks for ratings."""
    response = rating.response
    return finer_rating(response.label, response.comment) if form == COARSE else None


def _annotator(
    scoring: Scoring, code: str, entries: Sequence[RatedTask], given: Sequence[AnnotatorValue]
) -> AnnotatorScore:
    measure, top = scoring.measure, scoring.form.top
    answered = [entry for entry in entries if entry.revisions]
    mine = [
        rating.value for rating in given if rating.annotator == code and rating.value is not None
    ]
    leniency, shared = _leniency(scoring, code, given)
    minutes, n_documents = _minutes(entries)
    moves = [
        (worth(entry.revisions[-1], entry.unit, measure, top) or 0.0)
        - (worth(entry.revisions[0], entry.unit, measure, top) or 0.0)
        for entry in answered
        if entry.recalibrated
    ]
    return AnnotatorScore(
        code=code,
        n_asked=len(entries),
        n_answered=len(answered),
        n_documents=n_documents,
        mean=measure.top * fmean(mine) if mine else None,
        leniency=leniency,
        n_shared=shared,
        minutes=minutes,
        n_recalibrated=len(moves),
        mean_change=measure.top * fmean(moves) if moves else None,
        n_raised=sum(move > 0 for move in moves),
        n_lowered=sum(move < 0 for move in moves),
        n_first_unknown=sum(entry.first is None for entry in answered),
        n_comments=sum(bool(entry.comment) for entry in answered),
    )


def _leniency(
    scoring: Scoring, code: str, given: Iterable[AnnotatorValue]
) -> tuple[Estimate | None, int]:
    """The annotator less the mean of the others on the same things; and how many these are."""
    known = [rating for rating in given if rating.value is not None]
    things = in_groups(known, lambda rating: (rating.cluster, rating.thing)).values()
    shared = [
        some
        for some in things
        if len(some) > 1 and any(rating.annotator == code for rating in some)
    ]
    if not shared:
        return None, 0
    both = list(chain.from_iterable(shared))
    own, others = (
        values_by_thing([r for r in both if (r.annotator == code) == mine], lambda r: r.value)
        for mine in (True, False)
    )
    how = replace(scoring.options, per=scoring.measure.per)
    apart = difference(own, others, names=(code, "others"), options=how).difference
    return scaled(replace(apart, worst=None, best=None), scoring.measure.top), len(shared)


def _minutes(entries: Iterable[RatedTask]) -> tuple[Quartiles, int]:
    """The quartiles of the minutes per document that is all rated; and how many documents are."""
    done = done_documents(entries)
    times = [seconds_on(some) for some in done.values()]
    spent = [seconds / 60 for seconds in times if seconds is not None]
    if not spent:
        return Quartiles(n=0), len(done)
    low, median, high = map(float, np.quantile(spent, [0.25, 0.5, 0.75]))
    return Quartiles(n=len(spent), low=low, median=median, high=high), len(done)


def annotators_table(
    annotators: Sequence[AnnotatorScore], called: Callable[[str], str]
) -> DataTable:
    """Progress, leniency, time, recalibrations and comments of every annotator."""
    columns: list[Column[AnnotatorScore]] = [
        Column(
            name="annotator", key="annotator", value=lambda row: called(row.code),
            label=True,
        ),
        Column(name="rated", value=lambda row: f"{row.n_answered}/{row.n_asked}"),
        Column(key="n_asked", value=lambda row: row.n_asked),
        Column(key="n_answered", value=lambda row: row.n_answered),
        Column(key="n_documents", value=lambda row: row.n_documents),
        Column(name="mean", key="mean", value=lambda row: row.mean),
        Column(name="leniency", value=lambda row: change_cell(row.leniency)),
        Column(key="leniency", value=lambda row: row.leniency, estimate=True),
        Column(name="shared", key="n_shared", value=lambda row: row.n_shared),
        Column(name="minutes", value=lambda row: _minutes_cell(row.minutes)),
        Column(key="minutes_low", value=lambda row: row.minutes.low),
        Column(key="minutes", value=lambda row: row.minutes.median),
        Column(key="minutes_high", value=lambda row: row.minutes.high),
        Column(key="n_timed", value=lambda row: row.minutes.n),
        Column(name="changed", value=_changed),
        Column(key="n_recalibrated", value=lambda row: row.n_recalibrated),
        Column(name="by", value=_change),
        Column(key="mean_change", value=lambda row: row.mean_change),
        Column(key="n_raised", value=lambda row: row.n_raised),
        Column(key="n_lowered", value=lambda row: row.n_lowered),
        Column(key="n_first_unknown", value=lambda row: row.n_first_unknown),
        Column(name="comments", key="n_comments", value=lambda row: row.n_comments),
    ]  # fmt: skip
    return table_of("Annotators", columns, annotators, notes=tuple(_annotator_notes(annotators)))


def change_cell(estimate: Estimate | None) -> Cell:
    """A difference, its bounds parted by a comma: a dash would be a minus."""
    if estimate is None or estimate.low is None:
        return Cell(value=number(estimate.value if estimate else None))
    bounds = f"[{number(estimate.low)}, {number(estimate.high)}]"
    return Cell(value=number(estimate.value), interval=bounds)


def _changed(annotator: AnnotatorScore) -> Cell:
    unknown = f"(+{annotator.n_first_unknown}?)" if annotator.n_first_unknown else ""
    return Cell(value=str(annotator.n_recalibrated), interval=unknown)


def _change(annotator: AnnotatorScore) -> Cell:
    """The mean change with how many went up and down, since these may cancel out."""
    if annotator.mean_change is None:
        return Cell(value=NO_VALUE)
    return Cell(
        value=f"{annotator.mean_change:+z.2f}",
        interval=f"[{annotator.n_raised} up, {annotator.n_lowered} down]",
    )


def _minutes_cell(spread: Quartiles) -> Cell:
    low, median, high = (
        NO_VALUE if value is None else f"{value:.1f}"
        for value in (spread.low, spread.median, spread.high)
    )
    return Cell(value=median, interval=f"[{low}–{high}]" if spread.n > 1 else "")


def _annotator_notes(annotators: Sequence[AnnotatorScore]) -> Iterator[str]:
    yield (
        "Leniency: their values less the mean of the others', on what somebody else rated as well "
        "(shared); above 0 is more lenient. Minutes: median per document, of those all rated whose "
        "times are known, with quartiles. Changed: tasks with another label than first; by: how "
        "much in the mean, and how many went up and down. Times are as the annotators' browsers "
        "told them."
    )
    if any(annotator.n_first_unknown for annotator in annotators):
        yield (
            "+n?: tasks that had been changed before they were first seen. What was there before "
            "is not known, so more may have been recalibrated."
        )
    yield from interval_note(annotator.leniency for annotator in annotators if annotator.leniency)
