"""What people who join are asked first: questions, training and gold, as everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from factmark.campaign_model import Annotator, Assignment, Campaign
from factmark.ledger.campaigns import tasks_of, units_shown_of_kind
from factmark.ledger.ledger import Ledger
from factmark.people.changes.queue import NOBODY, gold_to_draw
from factmark.people.practice.known import BEFORE, PRACTICE
from factmark.people.practice.scores import right_answers_of


def practice_for(
    ledger: Ledger, campaign: Campaign, people: Sequence[Annotator]
) -> list[Assignment]:
    """Returns what everybody is asked whose right answer is known, for people who join."""
    if not campaign.annotators:
        return _first_practice(ledger, campaign, people)
    units = set(right_answers_of(ledger, campaign))
    if campaign.queues:  # they draw it
        units -= {row.unit for row in gold_to_draw(ledger, campaign, NOBODY)}
    first = campaign.annotators[0].code
    known = []
    for task in tasks_of(ledger, campaign, first, released=True):
        if task.assignment.unit in units:
            known.append(task.assignment)
    return [
        replace(task, annotator=person.code, batch=min(task.batch, 1), position=place)
        for person in people
        for place, task in enumerate(known)
    ]


def _first_practice(
    ledger: Ledger, campaign: Campaign, people: Sequence[Annotator]
) -> list[Assignment]:
    """Returns questions and training for the first people of all, in the order of their files."""
    documents = {unit.id: unit.item for unit in units_shown_of_kind(ledger, campaign, PRACTICE)}
    order: Any = campaign.settings.get("practice", ())
    rows = []
    for person in people:
        for place, unit in enumerate(order):
            rows.append(
                Assignment(
                    annotator=person.code,
                    batch=BEFORE,
                    position=place,
                    unit=unit,
                    document=documents[unit],
                )
            )
    return rows
