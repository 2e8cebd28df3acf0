"""The annotators of a campaign: how lenient, how fast, how far they agree. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

import numpy as np

from factmark.model import Estimate
from factmark.people.core.forms import COARSE, Form
from factmark.people.ratings.entries import (
    AnnotatorValue,
    Measure,
    RatedTask,
    annotator_values,
    finer_rating,
    worth,
)
from factmark.people.ratings.systems import scaled
from factmark.stats.agreement import Agreement, Ratings, measure_agreement
from factmark.stats.coefficients import Metric
from factmark.stats.comparison import Options, Per, difference


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
        mean: over the things that they rated, on the scale of the measure to go by.
        leniency: their values less the mean of the others', on the things that somebody else rated
            as well; None where there are none.
        n_shared: those things.
        minutes: per document, of documents that are all rated and whose times are known.
        n_documents: documents that are all rated.
        n_recalibrated: tasks whose label or marks changed after the first that is known.
        mean_change: of the values of these, final less first known.
        n_raised, n_lowered: how many of these have a higher or a lower value than first.
        n_first_unknown: tasks that had been changed before they were first seen; what was there
            before is not known, and more may have been recalibrated.
        n_comments: tasks whose newest answer has a comment.
    """

    code: str
    n_asked: int
    n_answered: int
    n_documents: int
    mean: float | None
    leniency: Estimate | None
    n_shared: int
    minutes: Quartiles
    n_recalibrated: int
    mean_change: float | None
    n_raised: int
    n_lowered: int
    n_first_unknown: int
    n_comments: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleAgreement:
    """How far annotators agree, on units that two or more were asked about.

    Attributes:
        scale: `ordinal` or `nominal`.
        what: what was compared: the labels of units, or elements as covered or not.
        all: over all annotators.
        pairs: two codes -> the two on the units that both rated.
    """

    scale: str
    what: str
    all: Agreement
    pairs: Mapping[tuple[str, str], Agreement]


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
    entries: Sequence[RatedTask],
    codes: Iterable[str],
    options: Options,
) -> tuple[AnnotatorScore, ...]:
    """Every annotator, in the order of `codes`."""
    given = annotator_values(form, measure, entries)
    return tuple(
        _annotator(
            code, [one for one in entries if one.assignment.annotator == code], given, measure,
            options, max(form.values.values(), default=1.0),
        )
        for code in codes
    )  # fmt: skip


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
            finer=finer_of(form, final.response.label, final.response.comment),
        )
        for entry in entries
        if (final := entry.final) is not None and final.response.comment.strip()
    )


def finer_of(form: Form, label: str | None, comment: str) -> float | None:
    """A finer rating in a comment of a form that asks for ratings."""
    return finer_rating(label, comment) if form == COARSE else None


def people_agreement(
    form: Form, entries: Sequence[RatedTask], options: Options
) -> PeopleAgreement | None:
    """How far annotators agree; None where no unit has the answers of two."""
    scale, ratings = scale_of(form), shared_ratings(form, entries)
    if not any(len(row) > 1 for row in ratings.rows):
        return None
    together = {frozenset(pair) for row in ratings.rows for pair in combinations(row, 2)}
    codes = list(dict.fromkeys(e.assignment.annotator for e in entries))
    pairs = [pair for pair in combinations(codes, 2) if frozenset(pair) in together]
    return PeopleAgreement(
        scale=scale,
        what="elements as covered or not" if not form.values else "labels",
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
    """What counts of the units that two or more were asked about, by annotator."""
    asked: defaultdict[str, list[RatedTask]] = defaultdict(list)
    for entry in entries:
        asked[entry.assignment.unit].append(entry)
    several = [group for group in asked.values() if len(group) > 1]
    if not form.values:
        return _elements(several)
    return Ratings(
        labels=labels_of(form),
        rows=[
            {
                one.assignment.annotator: one.final.response.label
                for one in group
                if one.final is not None and one.final.response.label is not None
            }
            for group in several
        ],
        clusters=[group[0].unit.cluster for group in several],
    )


def _elements(several: Iterable[Sequence[RatedTask]]) -> Ratings:
    """Each element of the ground truth is a unit that annotators found covered or missing."""
    rows: list[dict[str, str]] = []
    clusters: list[str] = []
    for group in several:
        for element in group[0].unit.elements:
            rows.append(
                {
                    one.assignment.annotator: COVERED if element in marks.covered else MISSING
                    for one in group
                    if one.final is not None and (marks := one.final.response.marking) is not None
                }
            )
            clusters.append(group[0].unit.cluster)
    return Ratings(labels=(MISSING, COVERED), rows=rows, clusters=clusters)


def _of_both(ratings: Ratings, pair: tuple[str, str]) -> Ratings:
    """The units that both rated: a pair's matrix is not about what only one of them did."""
    both = [
        (row, cluster)
        for row, cluster in zip(ratings.rows, ratings.clusters, strict=True)
        if all(one in row for one in pair)
    ]
    kept = Ratings(
        labels=ratings.labels,
        rows=[row for row, _ in both],
        clusters=[cluster for _, cluster in both],
        values=ratings.values,
    )
    return kept.only(*pair)


def _annotator(
    code: str,
    entries: Sequence[RatedTask],
    given: Sequence[AnnotatorValue],
    measure: Measure,
    options: Options,
    top: float,
) -> AnnotatorScore:
    answered = [one for one in entries if one.final is not None]
    mine = [one for one in given if one.annotator == code and one.value is not None]
    leniency, shared = _leniency(code, given, measure.per, options)
    minutes, done = _minutes(entries)
    changed = [one for one in answered if one.recalibrated]
    moves = [
        (worth(one.revisions[-1], one.unit, measure, top) or 0.0)
        - (worth(one.revisions[0], one.unit, measure, top) or 0.0)
        for one in changed
    ]
    return AnnotatorScore(
        code=code,
        n_asked=len(entries),
        n_answered=len(answered),
        n_documents=done,
        mean=measure.top * fmean(one.value or 0.0 for one in mine) if mine else None,
        leniency=None if leniency is None else scaled(leniency, measure.top),
        n_shared=shared,
        minutes=minutes,
        n_recalibrated=len(changed),
        mean_change=measure.top * fmean(moves) if moves else None,
        n_raised=sum(move > 0 for move in moves),
        n_lowered=sum(move < 0 for move in moves),
        n_first_unknown=sum(one.first is None for one in answered),
        n_comments=sum(bool(one.revisions[-1].response.comment.strip()) for one in answered),
    )


def _leniency(
    code: str, given: Iterable[AnnotatorValue], per: Per, options: Options
) -> tuple[Estimate | None, int]:
    """The annotator less the mean of the others on the same things; and how many these are."""
    things: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for one in given:
        if one.value is not None:
            things[one.cluster, one.thing][one.annotator] = one.value
    own: dict[str, dict[str, list[float]]] = {}
    others: dict[str, dict[str, list[float]]] = {}
    for (cluster, thing), said in things.items():
        if code in said and len(said) > 1:
            own.setdefault(cluster, {})[thing] = [said[code]]
            rest = [value for name, value in said.items() if name != code]
            others.setdefault(cluster, {})[thing] = rest
    n = sum(len(some) for some in own.values())
    if not n:
        return None, 0
    names = (code, "others")
    found = difference(own, others, names=names, options=replace(options, per=per)).difference
    return replace(found, worst=None, best=None), n


def _minutes(entries: Iterable[RatedTask]) -> tuple[Quartiles, int]:
    """The quartiles of the minutes per document that is all rated; and how many documents are."""
    documents: defaultdict[str, list[RatedTask]] = defaultdict(list)
    for entry in entries:
        documents[entry.assignment.document].append(entry)
    done = [some for some in documents.values() if all(one.final is not None for one in some)]
    spent: list[float] = []
    for some in done:
        told = [one.seconds for one in some]
        known = [seconds for seconds in told if seconds is not None]
        if len(known) == len(told):
            spent.append(sum(known) / 60)
    if not spent:
        return Quartiles(n=0), len(done)
    low, median, high = (float(one) for one in np.quantile(spent, [0.25, 0.5, 0.75]))
    return Quartiles(n=len(spent), low=low, median=median, high=high), len(done)
