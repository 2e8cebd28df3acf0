"""What a model gave a campaign's units, per system, and how far people agree with it. Pure.

The model is taken for one more annotator, so that its means are made as those of people are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from factmark.campaign_model import Assignment, PersonResponse, Rating
from factmark.people.core.forms import Form
from factmark.people.ratings.agreement import JudgeScore
from factmark.people.ratings.entries import RatedTask, RatedUnit, Scoring
from factmark.people.ratings.systems import SystemScore, label_shares, system_scores
from factmark.stats.comparison import Options


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
    """Returns what a judge gave, per system.

    Args:
        units: those that it was to judge.
        labels: unit -> the judge's label; those that it was not asked about yet are not there.
        beside: how it compares with people, if that is known.
    """
    options = Options()
    entries = []
    for place, unit in enumerate(units):
        entries.append(_task_of_judge(judge, place, unit, labels.get(unit.id)))
    counts: dict[str, dict[str, int]] = {}
    for share in label_shares(form, entries, options):
        counts.setdefault(share.system, {})[share.label] = share.count
    scoring = Scoring(form=form, measure=form.measures[0], options=options)
    scores = system_scores(scoring, entries)
    return JudgeRatings(form=form, judge=judge, scores=scores, counts=counts, beside=beside)


def _task_of_judge(judge: str, place: int, unit: RatedUnit, label: str | None) -> RatedTask:
    """Returns a unit with the label of the judge, as if that were an annotator."""
    response = PersonResponse(label=label)
    given = Rating(id=unit.id, key=unit.id, response=response, seconds=None, at="", source="")
    revisions = (given,) if label is not None else ()
    return RatedTask(
        assignment=Assignment(
            annotator=judge, batch=1, position=place, unit=unit.id, document=unit.cluster
        ),
        unit=unit,
        revisions=revisions,
    )
