"""What a campaign would have come to with the ratings of who was screened out. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmark.campaign_model import Campaign
from factmark.model import Estimate
from factmark.people.ratings.agreement import people_agreement
from factmark.people.ratings.entries import RatedTask, Scoring
from factmark.people.ratings.systems import system_name, system_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureWithAll:
    """A figure as it counts, and as it were with who was screened out."""

    name: str
    counted: Estimate | None
    with_all: Estimate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreenedOut:
    """Who was screened out of a campaign.

    Attributes:
        reasons: code -> why.
        n_people: all who were asked, they among them.
        n_ratings: that they gave, and that count in nothing else.
        figures: the mean of each system by the measure to go by, and alpha.
    """

    reasons: Mapping[str, str]
    n_people: int
    n_ratings: int
    figures: tuple[FigureWithAll, ...]


def screened_out(
    scoring: Scoring,
    campaign: Campaign,
    entries: Sequence[RatedTask],
    screened: Sequence[RatedTask],
) -> ScreenedOut | None:
    """Returns who was screened out, and the figures with them; None where nobody was.

    Args:
        entries: what counts.
        screened: what they answered.
    """
    if not campaign.screened:
        return None
    everything = [*entries, *screened]
    before, after = (
        {score.system: score.final for score in system_scores(scoring, tasks)}
        for tasks in (entries, everything)
    )
    figures = []
    for system in sorted(before.keys() | after.keys()):
        figures.append(
            FigureWithAll(
                name=system_name(system), counted=before.get(system), with_all=after.get(system)
            )
        )
    alphas: list[Estimate | None] = []
    for tasks in (entries, everything):
        agreement = people_agreement(scoring.form, tasks, scoring.options)
        alphas.append(agreement.alpha if agreement else None)
    figures.append(FigureWithAll(name="alpha", counted=alphas[0], with_all=alphas[1]))
    return ScreenedOut(
        reasons={person.code: person.screened for person in campaign.screened},
        n_people=sum(not person.decides for person in campaign.annotators),
        n_ratings=len(screened),
        figures=tuple(figures),
    )
