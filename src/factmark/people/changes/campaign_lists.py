"""What stands on the lists of a campaign's people and what they answered, read once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmark.campaign_model import Campaign, CampaignTask, Rating, Shown
from factmark.ledger.campaigns import shown_by_unit, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from factmark.people.practice.known import Right
from factmark.people.practice.scores import right_answers_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CampaignLists:
    """The lists of a campaign's people.

    Attributes:
        tasks: of all people, each list in its order.
        shown: unit -> what people see of it.
        answers: key of a task -> its answers, the newest last; without those of who has withdrawn.
        known: unit -> its right answer, of practice: nothing of it is dealt on or decided.
    """

    tasks: Sequence[CampaignTask]
    shown: Mapping[str, Shown]
    answers: Mapping[str, Sequence[Rating]]
    known: Mapping[str, Right]

    @property
    def work(self) -> list[CampaignTask]:
        """The tasks that are no practice."""
        return [task for task in self.tasks if task.assignment.unit not in self.known]


def campaign_lists(ledger: Ledger, campaign: Campaign) -> CampaignLists:
    """Returns the lists of a campaign as they are now."""
    shown = shown_by_unit(ledger, campaign)
    return CampaignLists(
        tasks=tasks_of(ledger, campaign, shown=shown),
        shown=shown,
        answers=revisions_of(ledger, campaign),
        known=right_answers_of(ledger, campaign),
    )
