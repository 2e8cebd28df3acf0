"""The annotators of a campaign: how lenient, how fast, how far they agree. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from statistics import fmean

import numpy as np

from factmark.campaign_model import PersonResponse, Rating
from factmark.model import Estimate
from factmark.people.core.forms import COARSE, Form
from factmark.people.ratings.entries import (
    AnnotatorValue,
    Measure,
    RatedTask,
    annotator_values,
    done_documents,
    finer_rating,
    in_groups,
    seconds_on,
    worth,
)
from factmark.people.ratings.systems import scaled
from factmark.stats.agreement import Agreement, Ratings, measure_agreement
from factmark.stats.coefficients import Metric
from factmark.stats.comparison import Options, difference


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
class PeopleAgreement:
    """How far annotators agree, on units that two or more were asked about."""

    scale: str  # `ordinal` or `nominal`
    what: str  # what was compared: the labels of units, or elements as covered or not
    all: Agreement  # over all annotators
    pairs: Mapping[tuple[str, str], Agreement]  # two codes -> the two on the units that both rated


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


MOST_PAIRS = 66  # of twelve people
COVERED, MISSING = "COVERED", "MISSING"


def annotator_scores(
    form: Form,
    measure: Measure,
    entries: Iterable[RatedTask],
    codes: Iterable[str],
    options: Options,
) -> tuple[AnnotatorScore, ...]:
    """Every annotator, in the order of `codes`."""
    tasks = in_groups(entries, lambda entry: entry.assignment.annotator)
    given = annotator_values(form, measure, chain.from_iterable(tasks.values()))
    top = max(form.values.values(), default=1.0)
    return tuple(
        _annotator(code, tasks.get(code, ()), given, measure, top, options) for code in codes
    )


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


def people_agreement(
    form: Form, entries: Sequence[RatedTask], options: Options
) -> PeopleAgreement | None:
    """How far annotators agree; None where no unit has the answers of two."""
    scale, ratings = scale_of(form), shared_ratings(form, entries)
    if not any(len(row) > 1 for row in ratings.rows):
        return None
    together = {frozenset(pair) for row in ratings.rows for pair in combinations(row, 2)}
    codes = dict.fromkeys(entry.assignment.annotator for entry in entries)
    pairs = [pair for pair in combinations(codes, 2) if frozenset(pair) in together]
    return PeopleAgreement(
        scale=scale,
        what="labels" if form.values else "elements as covered or not",
        all=agreement(ratings, scale, options),
        pairs={
            pair: agreement(_of_both(ratings, pair), scale, options) for pair in pairs[:MOST_PAIRS]
        },
    )


def scale_of(form: Form) -> Metric:
    """Ordinal where three or more labels have values of their own; else nominal."""
    values = form.values.values()
    return "ordinal" if len(values) > 2 and len(set(values)) == len(values) else "nominal"


def labels_of(form: Form) -> tuple[str, ...]:
    """The labels from the least to the greatest value."""
    return tuple(sorted(form.labels, key=lambda label: form.values[label]))


def agreement(ratings: Ratings, scale: Metric, options: Options) -> Agreement:
    """All coefficients of the ratings."""
    return measure_agreement(
        ratings, scale=scale, level=options.level, resamples=options.resamples, seed=options.seed
    )


def shared_ratings(form: Form, entries: Iterable[RatedTask]) -> Ratings:
    """What counts of the units that two or more were asked about, by annotator; of marks, each
    element of the ground truth is a unit, found covered or missing."""
    asked = in_groups(entries, lambda entry: entry.assignment.unit)
    rows: list[dict[str, str]] = []
    clusters: list[str] = []
    for group in asked.values():
        responses = {task.assignment.annotator: task.final.response for task in group if task.final}
        for element in ("",) if form.values else group[0].unit.elements:
            if len(group) > 1:
                rows.append(
                    {
                        who: label
                        for who, response in responses.items()
                        if (label := _label(response, element))
                    }
                )
                clusters.append(group[0].unit.cluster)
    labels = labels_of(form) if form.values else (MISSING, COVERED)
    return Ratings(labels=labels, rows=rows, clusters=clusters)


def _label(response: PersonResponse, element: str) -> str | None:
    if response.marking is None:
        return response.label
    return COVERED if element in response.marking.covered else MISSING


def _of_both(ratings: Ratings, pair: tuple[str, str]) -> Ratings:
    """The units that both rated: a pair's matrix is not about what only one of them did."""
    places = [n for n, row in enumerate(ratings.rows) if row.keys() >= set(pair)]
    return replace(
        ratings,
        rows=[ratings.rows[place] for place in places],
        clusters=[ratings.clusters[place] for place in places],
    ).only(*pair)


def _annotator(
    code: str, entries: Sequence[RatedTask], given: Sequence[AnnotatorValue], measure: Measure,
    top: float, options: Options,
) -> AnnotatorScore:  # fmt: skip
    answered = [entry for entry in entries if entry.revisions]
    mine = [
        rating.value for rating in given if rating.annotator == code and rating.value is not None
    ]
    leniency, shared = _leniency(code, given, measure, options)
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
    code: str, given: Iterable[AnnotatorValue], measure: Measure, options: Options
) -> tuple[Estimate | None, int]:
    """The annotator less the mean of the others on the same things; and how many these are."""
    things: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for rating in given:
        if rating.value is not None:
            things[rating.cluster, rating.thing][rating.annotator] = rating.value
    own: defaultdict[str, dict[str, list[float]]] = defaultdict(dict)
    others: defaultdict[str, dict[str, list[float]]] = defaultdict(dict)
    shared = {key: values for key, values in things.items() if code in values and len(values) > 1}
    for (cluster, thing), values in shared.items():
        own[cluster][thing] = [values[code]]
        others[cluster][thing] = [value for name, value in values.items() if name != code]
    if not shared:
        return None, 0
    how = replace(options, per=measure.per)
    apart = difference(own, others, names=(code, "others"), options=how).difference
    return scaled(replace(apart, worst=None, best=None), measure.top), len(shared)


def _minutes(entries: Iterable[RatedTask]) -> tuple[Quartiles, int]:
    """The quartiles of the minutes per document that is all rated; and how many documents are."""
    done = done_documents(entries)
    times = [seconds_on(some) for some in done.values()]
    spent = [seconds / 60 for seconds in times if seconds is not None]
    if not spent:
        return Quartiles(n=0), len(done)
    low, median, high = map(float, np.quantile(spent, [0.25, 0.5, 0.75]))
    return Quartiles(n=len(spent), low=low, median=median, high=high), len(done)
