"""How far a campaign is: who is where, how long that took, how far people agree, what is due.

One reckoning for the command `status` and the owner's page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from factmark.campaign_model import Annotator, Campaign
from factmark.ledger.campaigns import timestamp
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import refused_of
from factmark.model import Estimate
from factmark.people.changes.campaign_lists import campaign_lists
from factmark.people.changes.queue import asked_tasks
from factmark.people.core.scales import form_of
from factmark.people.crowd.joining import completion_codes
from factmark.people.practice.scores import PracticeScore, practice_scores
from factmark.people.ratings.entries import RatedTask, RatedUnit, rated_tasks
from factmark.people.ratings.progress import AnnotatorProgress, progress_of

STALL = 24.0  # hours
_RESAMPLES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SoFar:
    """How far people agree so far: alpha and the share of pairs that are the same."""

    alpha: Estimate
    exact: Estimate
    n_units: int


class Agreeing:
    """How far people agree, reckoned anew only where there are other ratings than before."""

    def __init__(self) -> None:
        self._of: tuple[object, ...] = ()
        self._agreement: SoFar | None = None

    def of(self, campaign: Campaign, entries: Sequence[RatedTask]) -> SoFar | None:
        """Returns it; None where no unit has the labels of two, or all labels are one."""
        given = tuple(entry.final.id for entry in entries if entry.final)
        if given != self._of:
            self._of = given
            self._agreement = _so_far(campaign, entries)
        return self._agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusLine:
    """How far somebody is, or all.

    Attributes:
        name: with the code, as the owner reads it.
        state, completion, practice: None of all; completion also of who is of no crowd, practice of
            who was asked nothing whose answer is known.
    """

    code: str
    name: str
    state: str | None
    completion: str | None
    practice: str | None
    progress: AnnotatorProgress


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignStatus:
    """How far a campaign is.

    Attributes:
        progress: code of an annotator, or `all` -> how far they are.
        waiting: ratings on nobody's list.
        refused: answers that came in and do not count.
        practice: how annotators did where the right answer is known.
        completions: code -> the completion code, of people of a crowd.
    """

    campaign: Campaign
    progress: Mapping[str, AnnotatorProgress]
    waiting: int
    refused: int
    practice: Sequence[PracticeScore]
    agreement: SoFar | None
    completions: Mapping[str, str]

    @property
    def screened(self) -> tuple[Annotator, ...]:
        """Those who were screened out."""
        return self.campaign.screened

    @property
    def lines(self) -> list[StatusLine]:
        """A line a person whose answers count, then one of all."""
        people = {person.code: person for person in self.campaign.annotators}
        lines = []
        for code, progress in self.progress.items():
            person = people.get(code)
            parts = [_practice_in_words(score) for score in self.practice if score.code == code]
            name = code
            state = None
            if person is not None:
                name = f"{code} {self.campaign.called(person)}"
                state = person.state
            lines.append(
                StatusLine(
                    code=code,
                    name=name,
                    state=state,
                    completion=self.completions.get(code),
                    practice=", ".join(parts) or None,
                    progress=progress,
                )
            )
        return lines

    def details(self) -> dict[str, Any]:
        """Returns what is told beside the lines."""
        return {
            "closed": self.campaign.closed,
            "queues": self.campaign.queues,
            "refused": self.refused,
            "waiting": self.waiting,
            "practice": self.practice,
            "agreement": self.agreement,
            "screened": [{"code": p.code, "reason": p.screened} for p in self.screened],
        }


def _practice_in_words(score: PracticeScore) -> str:
    """Returns how many known answers somebody has right, of those answered."""
    return f"{score.role} {score.n_right}/{score.n_answered}"


def campaign_status(
    ledger: Ledger,
    campaign: Campaign,
    *,
    now: str = "",
    stall: float = STALL,
    agreeing: Agreeing | None = None,
) -> CampaignStatus:
    """Returns how far a campaign is.

    Args:
        now: as ISO 8601; the time where not given.
        stall: hours without an answer, with work left, from which on somebody stalls.
        agreeing: what keeps agreement from one call to the next.
    """
    lists = campaign_lists(ledger, campaign)
    tasks = asked_tasks(ledger, campaign, lists)
    units = {}
    for task in tasks:
        about = task.assignment
        if about.unit not in lists.known:
            units[about.unit] = RatedUnit(id=about.unit, cluster=about.document)
    entries = rated_tasks(tasks, lists.answers, units)
    form = form_of(campaign)
    return CampaignStatus(
        campaign=campaign,
        progress=progress_of(campaign, entries, now=now or timestamp(), stall=stall),
        waiting=sum(not task.key for task in tasks),
        refused=len(refused_of(ledger, campaign)),
        practice=practice_scores(form, campaign, lists.tasks, lists.answers, lists.known),
        agreement=(agreeing or Agreeing()).of(campaign, entries),
        completions=completion_codes(ledger, campaign),
    )


def _so_far(campaign: Campaign, entries: Sequence[RatedTask]) -> SoFar | None:
    """Returns how far people agree on what they rated."""
    from factmark.people.ratings.agreement import people_agreement  # with numpy
    from factmark.stats.comparison import Options

    rating = {person.code for person in campaign.annotators if not person.decides}
    theirs = [entry for entry in entries if entry.assignment.annotator in rating]
    agreement = people_agreement(form_of(campaign), theirs, Options(resamples=_RESAMPLES))
    if agreement is None:
        return None
    return SoFar(alpha=agreement.alpha, exact=agreement.exact, n_units=agreement.n_units)
