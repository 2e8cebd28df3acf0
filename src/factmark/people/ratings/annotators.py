"""The annotators of a campaign: how lenient, how fast, how far they agree; and judges beside them.

A judge by rule or model is set beside people by agreement, and by people's score of all that it
judged. Pure.
"""

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
    Entry,
    Measure,
    annotator_values,
    finer_rating,
    worth,
)
from factmark.people.ratings.systems import scaled
from factmark.stats.agreement import Agreement, measure_agreement
from factmark.stats.coefficients import Metric
from factmark.stats.comparison import Options, Per, difference
from factmark.stats.judge_quality import Correction, correction
from factmark.stats.ratings import Ratings


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
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
    minutes: Spread
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
    form: Form, measure: Measure, entries: Sequence[Entry], codes: Iterable[str], options: Options
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


def comments_of(form: Form, entries: Iterable[Entry]) -> tuple[Comment, ...]:
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
    form: Form, entries: Sequence[Entry], options: Options
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


def shared_ratings(form: Form, entries: Iterable[Entry]) -> Ratings:
    """What counts of the units that two or more were asked about, by annotator."""
    asked: defaultdict[str, list[Entry]] = defaultdict(list)
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


def _elements(several: Iterable[Sequence[Entry]]) -> Ratings:
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
    entries: Sequence[Entry],
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


def _minutes(entries: Iterable[Entry]) -> tuple[Spread, int]:
    """The quartiles of the minutes per document that is all rated; and how many documents are."""
    documents: defaultdict[str, list[Entry]] = defaultdict(list)
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
        return Spread(n=0), len(done)
    low, median, high = (float(one) for one in np.quantile(spent, [0.25, 0.5, 0.75]))
    return Spread(n=len(spent), low=low, median=median, high=high), len(done)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScore:
    """A judge by rule or model beside people.

    Attributes:
        agreement: every label of the judge beside each person's of this campaign; None where its
            labels are not those of the form, or nobody rated what it judged.
        scale: `ordinal` or `nominal`.
        overall: what people would have said of all units that it judged; in [0, 1]; None where
            people labelled none of them.
        systems: the same of each system, where there are several.
        n_judged: units with a label of the judge.
    """

    id: str
    kind: str
    name: str
    scale: str
    agreement: Agreement | None
    overall: Correction | None
    systems: Mapping[str, Correction]
    n_judged: int


_JUDGE = "the judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeLabels:
    """What a judge said of all units of a kind that it judged, beside what people said of some.

    Attributes:
        units, labels, clusters, systems: of each unit; a label is None where it gave none.
        people: place in `units` -> the mean of the values that people gave it, as the form's are.
    """

    id: str
    kind: str
    name: str
    units: tuple[str, ...]
    labels: tuple[str | None, ...]
    clusters: tuple[str, ...]
    systems: tuple[str, ...]
    people: Mapping[int, float]


def judge_scores(
    form: Form, judges: Iterable[JudgeLabels], entries: Sequence[Entry], options: Options
) -> tuple[JudgeScore, ...]:
    """Every judge that said something; none where people mark a text instead of labelling."""
    if not form.values:
        return ()
    return tuple(_score(form, judge, entries, options) for judge in judges if any(judge.labels))


def _score(
    form: Form, judge: JudgeLabels, entries: Sequence[Entry], options: Options
) -> JudgeScore:
    scale = scale_of(form)
    known = {label for label in judge.labels if label is not None} <= set(form.labels)
    ratings = _beside(form, judge, entries) if known else None
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, system in enumerate(judge.systems):
        places[system].append(at)
    found = {system: _corrected(form, judge, places[system], options) for system in sorted(places)}
    return JudgeScore(
        id=judge.id,
        kind=judge.kind,
        name=judge.name,
        scale=scale,
        agreement=agreement(ratings, scale, options) if ratings else None,
        overall=_corrected(form, judge, range(len(judge.units)), options) if known else None,
        systems={name: made for name, made in found.items() if made}
        if known and len(found) > 1
        else {},
        n_judged=sum(label is not None for label in judge.labels),
    )


def _beside(form: Form, judge: JudgeLabels, entries: Iterable[Entry]) -> Ratings | None:
    """Every label of the judge beside each person's; None where there is no such pair."""
    said = {unit: label for unit, label in zip(judge.units, judge.labels, strict=True) if label}
    rows: dict[str, dict[str, str]] = {}
    clusters: dict[str, str] = {}
    people: set[str] = set()
    for entry in entries:
        unit, final = entry.assignment.unit, entry.final
        if unit in said and final is not None and final.response.label is not None:
            person = f"person {entry.assignment.annotator}"
            rows.setdefault(unit, {_JUDGE: said[unit]})[person] = final.response.label
            clusters[unit] = entry.unit.cluster
            people.add(person)
    if not rows:
        return None
    ratings = Ratings(
        labels=labels_of(form), rows=list(rows.values()), clusters=list(clusters.values())
    )
    return ratings.crossed({_JUDGE}, people)


def _corrected(
    form: Form, judge: JudgeLabels, places: Sequence[int], options: Options
) -> Correction | None:
    """The mean that people would have given, in [0, 1]; None without a label of theirs.

    Units need not have been drawn among all at random: within each verdict is enough, so each
    counts as many units as it stands for.
    """
    top = max(form.values.values())
    people = {new: judge.people[old] / top for new, old in enumerate(places) if old in judge.people}
    if not people:
        return None
    made = correction(
        [judge.labels[at] for at in places],
        people,
        level=options.level,
        clusters=[judge.clusters[at] for at in places],
        judge_values={label: value / top for label, value in form.values.items()},
        by_verdict=True,
    )
    rubric = f"{form.name}@1"
    return replace(
        made,
        corrected=replace(made.corrected, rubric=rubric),
        judge_only=replace(made.judge_only, rubric=rubric),
    )
