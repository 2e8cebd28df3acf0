"""What a campaign asks at the moment: on whose list each unit is, and what is on nobody's."""

from __future__ import annotations

from dataclasses import replace

from factmark.campaign_model import Campaign, CampaignTask
from factmark.ledger.campaigns import tasks_of
from factmark.ledger.ledger import Ledger

NOBODY = ""  # the code in place of an annotator's, of what waits for one


def asked_tasks(ledger: Ledger, campaign: Campaign) -> list[CampaignTask]:
    """Returns all that people are asked: each list in its order, then what was on the lists of
    those who have withdrawn and was not dealt to anybody since, as nobody's."""
    gone = {person.code for person in campaign.annotators if person.withdrawn}
    tasks = tasks_of(ledger, campaign)
    listed = [task for task in tasks if task.assignment.annotator not in gone]
    waiting = [task for task in tasks if task.assignment.annotator in gone]
    return [
        *listed,
        *(
            replace(task, key="", assignment=replace(task.assignment, annotator=NOBODY))
            for task in waiting
        ),
    ]
