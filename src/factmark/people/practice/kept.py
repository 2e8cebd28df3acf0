"""What a ledger has of units whose right answer is known."""

from __future__ import annotations

from collections.abc import Mapping

from factmark.campaign_model import Campaign
from factmark.ledger.campaigns import tasks_of, units_shown_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from factmark.people.core.scales import form_of
from factmark.people.practice.known import PRACTICE, Right, right_answers
from factmark.people.practice.scores import PracticeScore, practice_scores


def right_answers_of(ledger: Ledger, campaign: Campaign) -> Mapping[str, Right]:
    """Returns unit -> its right answer, of those that a campaign asks about and knows."""
    return right_answers(units_shown_of_kind(ledger, campaign, PRACTICE))


def practice_scores_of(ledger: Ledger, campaign: Campaign) -> tuple[PracticeScore, ...]:
    """Returns how each annotator did where the right answer is known; none where it never is."""
    right = right_answers_of(ledger, campaign)
    if not right:
        return ()
    tasks, revisions = tasks_of(ledger, campaign), revisions_of(ledger, campaign)
    return practice_scores(form_of(campaign), campaign, tasks, revisions, right)
