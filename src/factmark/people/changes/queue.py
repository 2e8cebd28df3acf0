"""What a campaign asks at the moment: on whose list each unit is, and what is on nobody's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil

from factmark.campaign_model import Assignment, Campaign, CampaignTask, Shown
from factmark.ledger.campaigns import tasks_of, units_shown_of_kind
from factmark.ledger.ledger import Ledger
from factmark.ledger.people.lists import change_lists, next_positions
from factmark.ledger.people.queue import QueueRow, queue_of
from factmark.ledger.ratings import revisions_of
from factmark.people.changes.campaign_lists import CampaignLists
from factmark.people.core.forms import is_whole
from factmark.people.core.order import keyed_hash, shuffle_units
from factmark.people.practice.known import PRACTICE

NOBODY = ""  # the code in place of an annotator's, of what waits for one
AT_ONCE = 5  # units that are drawn together, where each stands alone


def asked_tasks(ledger: Ledger, campaign: Campaign, lists: CampaignLists) -> list[CampaignTask]:
    """Returns all that people are asked: each list in its order, then, as nobody's, what waits in
    the queue, or what was on the lists of those who may answer no more and was not dealt on since.
    What the forgotten answered is on their lists."""
    gone = {person.code for person in campaign.annotators}
    gone -= {person.code for person in campaign.active}
    listed = []
    for task in lists.tasks:
        if task.assignment.annotator not in gone or task.key in lists.answers:
            listed.append(task)
    if campaign.imported:  # nobody was asked, and so nothing waits for anybody
        return listed
    if campaign.queues:
        return [*listed, *_waiting_tasks(ledger, campaign, lists.shown)]
    raters = set()
    for person in campaign.annotators:
        if not person.decides:
            raters.add(person.code)
    waiting = []
    for task in lists.work:
        about = task.assignment
        if about.annotator in gone & raters and task.key not in lists.answers:
            waiting.append(replace(task, key="", assignment=replace(about, annotator=NOBODY)))
    return [*listed, *waiting]


def draw(ledger: Ledger, campaign: Campaign, code: str) -> bool:
    """Puts the next document of the queue on an annotator's list, if all on it is answered; returns
    whether there was one. Of units that stand alone several at once."""
    with ledger.writing():
        answered = revisions_of(ledger, campaign, code)
        listed = tasks_of(ledger, campaign, code)
        # no question of a check
        here = set()
        for task in listed:
            if not task.shown.options:
                here.add(task.key)
        if here - answered.keys():
            return False
        seed = int(str(campaign.settings.get("seed") or 0))
        units = _next_with_gold(ledger, campaign, code, seed)
        parts = {}
        for row in units:
            if row.part:
                parts[row.unit] = row.part
        first = next_positions(ledger, campaign).get(code, 0)
        order = shuffle_units(
            [row.unit for row in units], parts, seed, code, units[0].document if units else ""
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
    draw, gold among them."""
    if not campaign.queues:
        return 0
    rows = [*_open_to(ledger, campaign, code), *gold_to_draw(ledger, campaign, code)]
    return len(_seats_by_name(rows, code, whole=is_whole(campaign)))


def gold_to_draw(ledger: Ledger, campaign: Campaign, code: str) -> list[QueueRow]:
    """Returns the gold of a campaign with a queue that is not on an annotator's list yet."""
    listed = set()
    for task in tasks_of(ledger, campaign, code, released=True):
        listed.add(task.assignment.unit)
    queue_rows = []
    for unit in units_shown_of_kind(ledger, campaign, PRACTICE):
        if unit.data["role"] == "gold" and unit.id not in listed:
            queue_rows.append(
                QueueRow(unit=unit.id, document=unit.item, part="", raters=1, held=frozenset())
            )
    return queue_rows


def with_gold(
    drawn: Sequence[QueueRow],
    gold: Iterable[QueueRow],
    share: int,
    key: tuple[int, str, str],
    *,
    whole: bool,
) -> list[QueueRow]:
    """Returns what is drawn with gold in its place or among it, as often by lot as gold is among
    all that somebody has still to do. Pure.

    Args:
        share: how many documents, or units that stand alone, will be theirs of the queue.
        key: what the lot depends on: a seed, who draws, and what was drawn before.
    """
    seed, code, before = key
    names: dict[str, list[QueueRow]] = {}
    for row in sorted(gold, key=lambda row: keyed_hash(seed, "gold", code, row.unit)):
        names.setdefault(row.document if whole else row.unit, []).append(row)
    blocks = list(names.values())
    out = list(drawn)
    for turn in range(1 if whole else max(1, len(drawn))):
        lot = int.from_bytes(keyed_hash(seed, "lot", code, before, str(turn)), "big") / 2**64
        if lot * (len(blocks) + share) < len(blocks):
            rows = blocks.pop()
            if whole:
                out = rows
            else:
                out = [*out, *rows]
        else:
            share = max(0, share - 1)
    return out


def seen_deciding(ledger: Ledger, campaign: Campaign) -> dict[str, set[str]]:
    """Returns code of a rater -> documents, or units that stand alone, on which they decide and so
    see what others gave: no rating of theirs would be blind there."""
    whole = is_whole(campaign)
    seen: dict[str, set[str]] = {}
    for person in campaign.annotators:
        if person.decides:
            for code in person.decides.split("+"):
                asked = [task.assignment for task in tasks_of(ledger, campaign, person.code)]
                names = set()
                for task in asked:
                    names.add(task.document if whole else task.unit)
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


def _next_with_gold(ledger: Ledger, campaign: Campaign, code: str, seed: int) -> list[QueueRow]:
    """Returns what an annotator draws next, of the queue or gold."""
    whole = is_whole(campaign)
    rows = _open_to(ledger, campaign, code)
    seats = _seats_by_name(rows, code, whole=whole)
    share = len(seats)
    if _most(campaign) is None:
        share = min(share, ceil(sum(seats.values()) / max(1, len(campaign.raters))))
    before = str(next_positions(ledger, campaign).get(code, 0))
    return with_gold(
        next_units(rows, code, whole=whole),
        gold_to_draw(ledger, campaign, code),
        share,
        (seed, campaign.id + code, before),
        whole=whole,
    )


def _seats_by_name(rows: Iterable[QueueRow], code: str, *, whole: bool) -> dict[str, int]:
    """Returns documents, or units that stand alone, that somebody could draw -> how many people
    are to rate them."""
    seats: dict[str, int] = {}
    for row in rows:
        if row.seats and code not in row.held:
            if whole:
                name = row.document
            else:
                name = row.unit
            seats[name] = max(row.seats, seats.get(name, 0))
    return seats


def _open_to(ledger: Ledger, campaign: Campaign, code: str) -> list[QueueRow]:
    """Returns the queue without what an annotator decides on, and no more of what they could draw
    than one person may have."""
    seen = seen_deciding(ledger, campaign).get(code, set())
    had = set()
    drawable: dict[str, list[QueueRow]] = {}
    for row in queue_of(ledger, campaign):
        name = row.unit
        if is_whole(campaign):
            name = row.document
        if code in row.held:
            had.add(name)
        elif name not in seen and row.seats:
            drawable.setdefault(name, []).append(row)
    names = list(drawable)
    most = _most(campaign)
    if most is not None:
        names = names[: max(0, most - len(had))]
    return [row for name in names for row in drawable[name]]


def _most(campaign: Campaign) -> int | None:
    """Returns how many documents, or units that stand alone, one person may have of the queue; None
    where there is no such limit."""
    most = campaign.settings.get("per_person")
    if most is None:
        return None
    return int(str(most))


def _waiting_tasks(
    ledger: Ledger, campaign: Campaign, shown: Mapping[str, Shown]
) -> list[CampaignTask]:
    """Returns what waits in the queue, once for each person who is still to rate it."""
    rows = []
    for row in queue_of(ledger, campaign):
        for _ in range(row.seats):
            rows.append(row)
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
