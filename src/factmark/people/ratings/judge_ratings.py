"""What a model gave a campaign's units, per system, and how far people agree with it. Pure.

The model is taken for one more annotator, so that its means are made as those of people are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from factmark.campaign_model import Assignment, PersonResponse, Revision
from factmark.people.core.forms import Form
from factmark.people.ratings.agreement import JudgeScore
from factmark.people.ratings.campaign_tables import means_in_words, system_name
from factmark.people.ratings.entries import RatedTask, RatedUnit, Scoring
from factmark.people.ratings.systems import SystemScore, label_shares, system_scores
from factmark.stats.comparison import Options
from factmark.tables.columns import Column, table_of
from factmark.tables.layouts import DataTable
from factmark.tables.opening import Opening, figure
from factmark.tables.shown_text import count, named


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRatings:
    """What a judge gave the units of a campaign.

    Attributes:
        scores: of each system by the form's measure, as if the judge were its only annotator.
        counts: system -> label -> how many units got it.
        beside: the judge beside people, where it labelled anything.
    """

    form: Form
    judge: str
    scores: tuple[SystemScore, ...]
    counts: Mapping[str, Mapping[str, int]]
    beside: JudgeScore | None

    @property
    def n_labelled(self) -> int:
        """The units that have a label."""
        return sum(score.n_answered for score in self.scores)


def judge_ratings(
    form: Form,
    judge: str,
    units: Iterable[RatedUnit],
    labels: Mapping[str, str | None],
    beside: JudgeScore | None,
) -> JudgeRatings:
    """The ratings of a judge.

    Args:
        units: those that it was to judge.
        labels: unit -> the judge's label; those that it was not asked about yet are not there.
        beside: the judge beside people.
    """
    options = Options()
    entries = [_entry(judge, place, unit, labels.get(unit.id)) for place, unit in enumerate(units)]
    counts: dict[str, dict[str, int]] = {}
    for share in label_shares(form, entries, options):
        counts.setdefault(share.system, {})[share.label] = share.count
    scoring = Scoring(form=form, measure=form.measures[0], options=options)
    scores = system_scores(scoring, entries)
    return JudgeRatings(form=form, judge=judge, scores=scores, counts=counts, beside=beside)


def _entry(judge: str, place: int, unit: RatedUnit, label: str | None) -> RatedTask:
    """A unit with what the judge gave it, as if an annotator had."""
    response = PersonResponse(label=label)
    given = Revision(id=unit.id, key=unit.id, response=response, seconds=None, at="", source="")
    return RatedTask(
        assignment=Assignment(
            annotator=judge, batch=1, position=place, unit=unit.id, document=unit.cluster
        ),
        unit=unit,
        revisions=(given,) if label is not None else (),
    )


def judge_ratings_table(ratings: JudgeRatings) -> DataTable:
    """Each system's mean, how often the judge gave each label, and what is missing."""
    form, measure = ratings.form, ratings.form.measures[0]

    def label_column(label: str) -> Column[SystemScore]:
        key = label.lower()
        return Column(name=label, key=key, value=lambda row: ratings.counts[row.system][label])

    columns: list[Column[SystemScore]] = [
        Column(
            name="system", key="system", value=lambda row: row.system, label=True, show=system_name
        ),
        Column(
            name=measure.symbol,
            key=measure.key,
            value=lambda row: row.final,
            better="higher",
            estimate=True,
            bounds=True,
        ),
        *map(label_column, form.ranked),
        Column(
            name="missing",
            key="n_missing",
            value=lambda row: row.n_asked - row.n_answered,
            meaning="Missing: units without a label.",
        ),
    ]
    return table_of(f"What {named(ratings.judge)} gave", columns, ratings.scores)


def judge_opening(ratings: JudgeRatings) -> Opening:
    """The judge's mean of each system, the best first, and how often people say the same."""
    form, beside, judge = ratings.form, ratings.beside, named(ratings.judge)
    if ratings.n_labelled:
        sentence = means_in_words(judge, form, ratings.scores, _agreement(beside))
    else:
        asked = sum(score.n_asked for score in ratings.scores)
        sentence = f"{judge} gave none of {count(asked, 'unit', 'units')} a label"
    return Opening(sentence=f"{sentence}.", cautions=beside.cautions if beside else ())


def _agreement(beside: JudgeScore | None) -> str:
    agreement = beside and beside.agreement
    if not agreement or agreement.exact.value is None:
        return "; no label of people stands beside it, so how far that holds is not known"
    alpha = f", alpha {figure(agreement.alpha)}" * (agreement.alpha.value is not None)
    exact = figure(agreement.exact)
    return f"; where people labelled too, it gave their label {exact} of the time{alpha}"


def rated_by_people(ratings: JudgeRatings) -> Sequence[JudgeScore]:
    """The judge, where people rated what it judged; else nothing."""
    beside = ratings.beside
    return [beside] if beside and (beside.agreement or beside.overall) else []
