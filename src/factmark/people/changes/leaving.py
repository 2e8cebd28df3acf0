"""People who leave a campaign: what they answered left out, counted again, or deleted; and who they
are forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from factmark.campaign_model import Annotator, Assignment, Campaign
from factmark.errors import InputError
from factmark.ledger.campaigns import (
    campaign_named,
    campaigns_of,
    projects_of,
    servers_of,
    task_counts,
    tasks_of,
)
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.people.lists import change_lists
from factmark.ledger.people.withdrawals import delete_answers, forget, take_back, withdraw
from factmark.ledger.ratings import revisions_of
from factmark.people.core.forms import FACTS
from factmark.people.core.order import annotator_named
from factmark.people.crowd.joining import names_of_ids


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """What became of people who leave, or come back.

    Attributes:
        answered, open: of their lists, what had an answer and what had none.
        deleted: answers, with every change of one; None where nothing was to be deleted.
        notes: what is kept elsewhere, a sentence each.
    """

    campaign: str
    queues: bool  # whether what they were asked is in a queue
    closed: bool  # whether nothing can be dealt any more
    people: tuple[Annotator, ...]
    answered: int
    open: int
    deleted: int | None = None
    notes: tuple[str, ...] = ()


def leave_campaign(
    path: Path, campaign: str | None, names: Sequence[str], *, delete: bool = False
) -> Departure:
    """Leaves out what people answered in a campaign; with `delete` it is gone for good. Of who has
    withdrawn before, it can still be deleted.

    Raises:
        InputError: there is no such campaign or person.
    """
    with open_existing(path) as ledger:
        known = campaign_named(ledger, campaign)
        people = _people_named(known, names_of_ids(ledger, [known], names))
        left = _departure(ledger, known, [person for person in people if not person.withdrawn])
        withdraw(ledger, known, left.people, marks=known.form == FACTS.name)
        deleted = None
        if delete:
            deleted = delete_answers(ledger, known, people)
        notes = _kept_elsewhere(ledger, known, people)
        return replace(left, people=people, deleted=deleted, notes=notes)


def come_back(path: Path, campaign: str | None, names: Sequence[str]) -> Departure:
    """Counts the answers again of people who had withdrawn; their earlier links stay void.

    Raises:
        InputError: there is no such campaign or person, or one has not withdrawn.
    """
    with open_existing(path) as ledger:
        known = campaign_named(ledger, campaign)
        people = _people_named(known, names_of_ids(ledger, [known], names))
        # Who decides with others may be back already, with one of these.
        here = []
        for p in people:
            if not (p.withdrawn or p.decides):
                here.append(p)
        if here:
            raise InputError(f"--back: {here[0].name} ({here[0].code}) has not withdrawn.")
        take_back(ledger, known, people)
        return _departure(ledger, known, people)


def forget_people(path: Path, names: Sequence[str]) -> dict[str, str]:
    """Takes who people are out of a ledger, in all its campaigns; returns name -> the pseudonym
    that stands in its place.

    Raises:
        InputError: no campaign has such a person.
    """
    with open_existing(path) as ledger:
        campaigns = campaigns_of(ledger)
        people = set()
        for campaign in campaigns:
            for person in campaign.annotators:
                if not person.decides:
                    people.add(person.name)
        names = names_of_ids(ledger, campaigns, names)
        unknown = []
        for name in names:
            if name not in people:
                unknown.append(name)
        if unknown:
            raise InputError(
                f"{path}: has nobody of the name {unknown[0]!r} in its campaigns; it has "
                f"{', '.join(sorted(people)) or 'nobody'}."
            )
        with ledger.writing():
            for campaign in campaigns:
                if campaign.queues:  # whoever comes next draws it
                    change_lists(ledger, campaign, _left_open(ledger, campaign, names), ())
        return forget(ledger, names)


def _left_open(ledger: Ledger, campaign: Campaign, names: Sequence[str]) -> list[Assignment]:
    """Returns what people were asked and did not answer."""
    answered = revisions_of(ledger, campaign).keys()
    left = []
    for person in campaign.annotators:
        if person.name in names:
            for task in tasks_of(ledger, campaign, person.code):
                if task.key not in answered:
                    left.append(task.assignment)
    return left


def _people_named(campaign: Campaign, names: Sequence[str]) -> tuple[Annotator, ...]:
    """Returns the people of these names or codes, and those as whom they decide."""
    people = []
    for name in dict.fromkeys(names):
        people.append(annotator_named(campaign, name, name))
    codes = {person.code for person in people}
    deciding = (p for p in campaign.annotators if codes & set(p.decides.split("+")))
    return (*people, *(person for person in deciding if person not in people))


def _departure(ledger: Ledger, campaign: Campaign, people: Sequence[Annotator]) -> Departure:
    """Returns how much people answered, and how much not."""
    counts = task_counts(ledger, campaign)
    lists = []
    for person in people:
        lists.append(counts.get(person.code, (0, 0)))
    answered = sum(done for _, done in lists)
    return Departure(
        campaign=campaign.name,
        queues=campaign.queues,
        closed=bool(campaign.closed),
        people=tuple(people),
        answered=answered,
        open=sum(tasks for tasks, _ in lists) - answered,
    )


def _kept_elsewhere(
    ledger: Ledger, campaign: Campaign, people: Sequence[Annotator]
) -> tuple[str, ...]:
    """Returns where else answers of these people are, which no command can reach."""
    projects = []
    for url in servers_of(ledger, campaign):
        for code, project in projects_of(ledger, campaign, url).items():
            if any(person.code == code for person in people):
                projects.append(f"{url}/projects/{project.project}/")
    return tuple(f"their answers are on the server too: {project}" for project in projects)
