"""People who join a campaign, and what is not done dealt again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmark.campaign_model import Annotator, Campaign
from factmark.errors import InputError
from factmark.ledger.campaigns import campaign_named, check_is_open
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.people.lists import add_people, change_lists, next_positions
from factmark.people.changes.campaign_lists import campaign_lists
from factmark.people.changes.practice_lists import practice_for
from factmark.people.changes.queue import seen_deciding
from factmark.people.core.assign import ALONE, BATCH
from factmark.people.core.forms import is_whole
from factmark.people.core.order import annotator_named
from factmark.people.core.redeal import Redeal, Share, redeal, shares_of
from factmark.people.reading import read_people


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDeal:
    """A campaign with its people, and how its lists change.

    Attributes:
        nouns: what is dealt: documents, or units that stand alone.
    """

    campaign: Campaign
    deal: Redeal
    nouns: str


def add_annotators(
    path: Path, campaign: str | None, given: str
) -> tuple[Campaign, tuple[Annotator, ...]]:
    """Adds people to a campaign, and returns it with those that are new; on their lists is what has
    a known right answer, and nothing else.

    Args:
        given: a file of people, or names between commas.

    Raises:
        InputError: there is no such campaign, it is closed, or it has somebody of that name or
            address.
    """
    people = read_people(given)
    with open_existing(path) as ledger, ledger.writing():
        known = campaign_named(ledger, campaign)
        check_is_open(ledger, known)
        taken = set()
        for p in known.annotators:
            for text in (p.name, p.email):
                if text:
                    taken.add(text.casefold())
        for person in people:
            twice = {person.name.casefold(), person.email.casefold()} & taken
            if twice:
                raise InputError(
                    f"--annotators: {known.name!r} has somebody of the name or address "
                    f"{min(twice)!r}; who withdrew comes back by `withdraw --back`."
                )
        new = add_people(ledger, known, people)
        change_lists(ledger, known, (), practice_for(ledger, known, new))
        return campaign_named(ledger, known.name), new


def reassign(
    path: Path,
    campaign: str | None,
    *,
    leaving: Sequence[str] = (),
    to: Sequence[str] = (),
    dry_run: bool = False,
) -> NewDeal:
    """Deals again what is not done, and writes the lists unless it is a dry run.

    Args:
        leaving: names or codes of people from whose lists all goes that they have not done.
        to: of people who may get more; everybody else who is asked where there are none.

    Raises:
        InputError: there is no such campaign or person, it is closed, or nobody is left to deal to.
    """
    with open_existing(path, read_only=dry_run) as ledger:
        if dry_run:
            return _new_deal(ledger, campaign_named(ledger, campaign), leaving, to)
        with ledger.writing():  # nobody answers between reading the lists and writing them
            new = _new_deal(ledger, campaign_named(ledger, campaign), leaving, to)
            change_lists(ledger, new.campaign, new.deal.released, new.deal.assigned)
            return new


def _new_deal(
    ledger: Ledger, campaign: Campaign, leaving: Sequence[str], to: Sequence[str]
) -> NewDeal:
    """Returns how the lists of a campaign change; nothing is written."""
    check_is_open(ledger, campaign)
    going = {annotator_named(campaign, name, f"--from {name}").code for name in leaving}
    staying = []
    for person in campaign.raters:
        if person.code not in going:
            staying.append(person.code)
    takers = [annotator_named(campaign, name, f"--to {name}").code for name in to] or staying
    wrong = [code for code in takers if code not in staying]
    if wrong:
        raise InputError(f"--to {wrong[0]}: has left the campaign, or decides in it.")
    if not takers:
        raise InputError(
            f"Nobody is left in {campaign.name!r}; `factmark annotate add` adds people."
        )
    settings: dict[str, Any] = dict(campaign.settings)
    whole = is_whole(campaign)
    nouns = "rows"
    if is_whole(campaign):
        nouns = "documents"
    shares = _shares(ledger, campaign, whole=whole)
    if campaign.queues:  # it deals what goes from a list to whoever comes next
        back = []
        for code in sorted(going):
            for share in shares[code]:
                if share.open:
                    back.append(share)
        left = {}
        for code, some in shares.items():
            left[code] = sum(bool(share.open) for share in some)
        deal = Redeal(
            released=tuple(task for share in back for task in share.open),
            assigned=(),
            before=left,
            after={code: left[code] for code in staying},
            moved=len(back),
        )
        return NewDeal(campaign=campaign, deal=deal, nouns=nouns)
    active = {person.code for person in campaign.active}
    gone = set()
    for person in campaign.annotators:
        if person.code not in active and not person.decides:
            gone.add(person.code)
    return NewDeal(
        campaign=campaign,
        deal=redeal(
            {code: shares[code] for code in staying},
            takers,
            {code: shares[code] for code in sorted(going | gone)},
            first=next_positions(ledger, campaign),
            seen=seen_deciding(ledger, campaign),
            batch=settings.get("batch") or (BATCH if whole else ALONE),
            seed=settings.get("seed") or 0,
        ),
        nouns=nouns,
    )


def _shares(ledger: Ledger, campaign: Campaign, *, whole: bool) -> dict[str, list[Share]]:
    """Returns code -> that annotator's list; nothing of who has withdrawn counts as answered."""
    lists = campaign_lists(ledger, campaign)
    tasks = lists.work
    done = set()
    for task in tasks:
        if task.key in lists.answers:
            done.add((task.assignment.annotator, task.assignment.unit))
    shares = {}
    for person in campaign.annotators:
        shares[person.code] = shares_of(
            [task.assignment for task in tasks if task.assignment.annotator == person.code],
            {unit for code, unit in done if code == person.code},
            whole=whole,
        )
    return shares
