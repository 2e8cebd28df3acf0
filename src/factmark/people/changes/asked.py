"""What a campaign asks at the moment: on whose list each unit is, and what is on nobody's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from factmark.campaign_model import Assignment, Campaign, CampaignTask
from factmark.ledger.campaigns import shown_by_unit, tasks_of, units_shown_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.lists import change_lists, next_positions
from factmark.ledger.people.queue import QueueRow, queue_of
from factmark.ledger.ratings import revisions_of
from factmark.people.core.forms import COARSE, FINE
from factmark.people.core.order import shuffle_units
from factmark.people.practice.known import PRACTICE

NOBODY = ""  # the code in place of an annotator's, of what waits for one
AT_ONCE = 5  # units that are drawn together, where each stands alone


def asked_tasks(ledger: Ledger, campaign: Campaign) -> list[CampaignTask]:
    """Returns all that people are asked: each list in its order, then, as nobody's, what waits in
    the queue, or what was on the lists of those who have withdrawn and was not dealt on since."""
    gone = {person.code for person in campaign.annotators if person.withdrawn}
    tasks = tasks_of(ledger, campaign)
    listed = [task for task in tasks if task.assignment.annotator not in gone]
    if campaign.queues:
        return [*listed, *_waiting_tasks(ledger, campaign)]
    raters = {person.code for person in campaign.annotators if not person.decides}
    known = practice_units(ledger, campaign)
    waiting = [
        task
        for task in tasks
        if task.assignment.annotator in gone & raters and task.assignment.unit not in known
    ]
    return [
        *listed,
        *(
            replace(task, key="", assignment=replace(task.assignment, annotator=NOBODY))
            for task in waiting
        ),
    ]


def draw(ledger: Ledger, campaign: Campaign, code: str) -> bool:
    """Puts the next document of the queue on an annotator's list, if all on it is answered; returns
    whether there was one. Of units that stand alone several at once."""
    with ledger.writing():
        answered = revisions_of(ledger, campaign, code)
        listed = tasks_of(ledger, campaign, code)
        here = {task.key for task in listed if not task.shown.options}  # no question of a check
        if here - answered.keys():
            return False
        units = next_units(_open_to(ledger, campaign, code), code, whole=is_whole(campaign))
        parts = {row.unit: row.part for row in units if row.part}
        first = next_positions(ledger, campaign).get(code, 0)
        seed = campaign.settings.get("seed")
        order = shuffle_units(
            [row.unit for row in units],
            parts,
            seed if isinstance(seed, int) else 0,
            code,
            units[0].document if units else "",
        )
        documents = {row.unit: row.document for row in units}
        drawn = [
            Assignment(
                annotator=code, batch=1, position=first + n, unit=unit, document=documents[unit]
            )
            for n, unit in enumerate(order)
        ]
        change_lists(ledger, campaign, (), drawn)
        return bool(drawn)


def documents_waiting(ledger: Ledger, campaign: Campaign, code: str) -> int:
    """Returns how many documents of the queue, or units that stand alone, somebody could still
    draw."""
    if not campaign.queues:
        return 0
    rows = [row for row in _open_to(ledger, campaign, code) if row.seats and code not in row.held]
    return len({row.document if is_whole(campaign) else row.unit for row in rows})


def seen_deciding(ledger: Ledger, campaign: Campaign) -> dict[str, set[str]]:
    """Returns code of a rater -> documents, or units that stand alone, on which they decide and so
    see what others gave: no rating of theirs would be blind there."""
    whole = is_whole(campaign)
    seen: dict[str, set[str]] = {}
    for person in campaign.annotators:
        for code in person.decides.split("+") if person.decides else ():
            asked = [task.assignment for task in tasks_of(ledger, campaign, person.code)]
            names = {task.document if whole else task.unit for task in asked}
            seen.setdefault(code, set()).update(names)
    return seen


def next_units(rows: Iterable[QueueRow], code: str, *, whole: bool) -> list[QueueRow]:
    """Returns what an annotator draws next: the first document with an open place that they have
    not had, or the first few units that stand alone. Pure."""
    drawn: list[QueueRow] = []
    for row in rows:
        if not row.seats or code in row.held:
            continue
        if drawn and (row.document != drawn[0].document if whole else len(drawn) == AT_ONCE):
            break
        drawn.append(row)
    return drawn


def practice_units(ledger: Ledger, campaign: Campaign) -> set[str]:
    """Returns the units whose right answer is known: they are on everybody's list, and nothing is
    dealt or decided of them."""
    return {unit.id for unit in units_shown_of_kind(ledger, campaign, PRACTICE)}


def is_whole(campaign: Campaign) -> bool:
    """Whether the units of a document are asked together."""
    return campaign.form in (COARSE.name, FINE.name)


def _open_to(ledger: Ledger, campaign: Campaign, code: str) -> list[QueueRow]:
    """Returns the queue without what an annotator decides on."""
    seen, whole = seen_deciding(ledger, campaign).get(code, set()), is_whole(campaign)
    rows = queue_of(ledger, campaign)
    return [row for row in rows if (row.document if whole else row.unit) not in seen]


def _waiting_tasks(ledger: Ledger, campaign: Campaign) -> list[CampaignTask]:
    """Returns what waits in the queue, once for each person who is still to rate it."""
    shown = shown_by_unit(ledger, campaign)
    rows = [row for row in queue_of(ledger, campaign) for _ in range(row.seats)]
    return [
        CampaignTask(
            key="",
            assignment=Assignment(
                annotator=NOBODY, batch=1, position=n, unit=row.unit, document=row.document
            ),
            shown=shown[row.unit],
        )
        for n, row in enumerate(rows)
    ]
