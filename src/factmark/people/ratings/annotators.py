"""The annotators of a campaign: how lenient, how fast, how far they agree. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from statistics import fmean

from factmark.model import Estimate
from factmark.people.ratings.entries import (
    AnnotatorValue,
    RatedTask,
    Scoring,
    annotator_values,
    count_done_documents,
    group_rows,
)
from factmark.people.ratings.systems import values_by_thing
from factmark.stats.comparison import difference


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatorScore:
    """How lenient and how far one annotator is.

    Attributes:
        leniency: their values less the mean of the others', on the things that somebody else rated
            as well; None where there are none.
    """

    code: str
    n_asked: int
    n_answered: int
    n_documents: int  # documents that are all rated
    mean: float | None  # over the things that they rated, on the scale of the measure to go by
    leniency: Estimate | None
    n_shared: int  # those things
    minutes: float | None  # the median over these documents, of those whose times are known
    n_recalibrated: int  # tasks whose label or marks changed after the first that is known
    n_comments: int  # tasks whose newest answer has a comment


def annotator_scores(
    scoring: Scoring, entries: Iterable[RatedTask], codes: Iterable[str]
) -> tuple[AnnotatorScore, ...]:
    """Returns the score of every annotator, in the order of `codes`."""
    tasks = group_rows(entries, lambda entry: entry.assignment.annotator)
    given = annotator_values(scoring, chain.from_iterable(tasks.values()))
    return tuple(_annotator_score(scoring, code, tasks.get(code, ()), given) for code in codes)


def _annotator_score(
    scoring: Scoring, code: str, entries: Sequence[RatedTask], given: Sequence[AnnotatorValue]
) -> AnnotatorScore:
    """Returns the score of one annotator."""
    answered = []
    for entry in entries:
        if entry.revisions:
            answered.append(entry)
    mine = []
    for rating in given:
        if rating.annotator == code and rating.value is not None:
            mine.append(rating.value)
    leniency, shared = _leniency(scoring, code, given)
    n_documents, minutes = count_done_documents(entries)
    return AnnotatorScore(
        code=code,
        n_asked=len(entries),
        n_answered=len(answered),
        n_documents=n_documents,
        mean=scoring.measure.scale.value(fmean(mine)) if mine else None,
        leniency=leniency,
        n_shared=shared,
        minutes=minutes,
        n_recalibrated=sum(entry.recalibrated for entry in answered),
        n_comments=sum(bool(entry.comment) for entry in answered),
    )


def _leniency(
    scoring: Scoring, code: str, given: Iterable[AnnotatorValue]
) -> tuple[Estimate | None, int]:
    """Returns an annotator's values less the mean of the others' on the same things, and how many
    things these are."""
    known = []
    for rating in given:
        if rating.value is not None:
            known.append(rating)
    things = group_rows(known, lambda rating: (rating.cluster, rating.thing)).values()
    shared = []
    for some in things:
        if len(some) > 1 and any(rating.annotator == code for rating in some):
            shared.append(some)
    if not shared:
        return None, 0
    both = list(chain.from_iterable(shared))
    own, others = (
        values_by_thing([r for r in both if (r.annotator == code) == mine], lambda r: r.value)
        for mine in (True, False)
    )
    how = replace(scoring.options, per=scoring.form.per, scale=scoring.measure.scale)
    apart = difference(own, others, names=(code, "others"), options=how).difference
    return replace(apart, worst=None, best=None), len(shared)
