"""Who decides where ratings lie far apart: a third person, or those who rated, together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from factmark.campaign_model import Annotator, Assignment, Campaign, PersonResponse
from factmark.errors import InputError
from factmark.ledger.campaigns import campaign_named, check_is_open, task_counts
from factmark.ledger.ledger import Ledger, open_existing
from factmark.ledger.people.lists import add_people, change_lists, next_positions
from factmark.people.changes.campaign_lists import campaign_lists
from factmark.people.core.order import annotator_named, keyed_hash
from factmark.people.core.scales import form_of
from factmark.people.ratings.disputes import Dispute, apart_of, disputes, min_step
from factmark.people.ratings.entries import RatedTask, RatedUnit, rated_tasks


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciders:
    """Who is to decide how much.

    Attributes:
        disputed: units whose ratings are `apart` points or more apart.
        new: of them, those that somebody is to decide from now on.
        nobody: of them, those that everybody who could decide has rated.
        lists: those who decide, each with the number of units on their list.
    """

    campaign: Campaign
    apart: float
    disputed: int
    new: int
    nobody: int
    lists: tuple[tuple[Annotator, int], ...]


def adjudicate(
    path: Path,
    campaign: str | None,
    *,
    apart: float | None = None,
    by: Sequence[str] = (),
    together: bool = False,
) -> Deciders:
    """Puts units whose ratings lie far apart on the lists of people who are to decide. Those that
    somebody is to decide already stay there, unless nobody has decided and no two ratings differ
    any more: somebody withdrew, or changed one.

    Args:
        apart: from how many points on; as the campaign says, or two, where None.
        by: names or codes of people; everybody who has not rated the unit where there are none.
        together: those who rated it decide together, on a list of their own.

    Raises:
        InputError: there is no such campaign or person, it is closed, or people mark texts in it.
    """
    with open_existing(path) as ledger, ledger.writing():
        known = campaign_named(ledger, campaign)
        form = form_of(known)
        if not form.values:
            raise InputError(
                f"In {known.name!r} people mark texts; there are no ratings to decide."
            )
        check_is_open(ledger, known)
        settings: dict[str, Any] = dict(known.settings)
        apart = apart_of(form, apart or settings.get("adjudicate"))
        entries, deciding = _rated(ledger, known)
        differ = set()
        for dispute in disputes(form, entries, min_step(form)):
            differ.add(dispute.unit)
        settled = []
        for entry in deciding:
            if not entry.final and entry.assignment.unit not in differ:
                settled.append(entry.assignment)
        change_lists(ledger, known, settled, ())
        active = {person.code for person in known.active}
        decided = set()
        for entry in deciding:
            if entry.final or entry.assignment.annotator in active:
                decided.add(entry.assignment.unit)
        disputed = disputes(form, entries, apart)
        named = [annotator_named(known, name, f"--by {name}").code for name in by]
        able = []
        for p in known.raters:
            if not named or p.code in named:
                able.append(p.code)
        wrong = []
        for code in named:
            if code not in able:
                wrong.append(code)
        if wrong:
            raise InputError(f"--by {wrong[0]}: has left the campaign, or decides in it.")
        plan = _plan(
            [dispute for dispute in disputed if dispute.unit not in decided],
            able,
            _on_lists(entries),
            together=together,
            seed=settings.get("seed") or 0,
        )
        lists = _keep(ledger, known, plan)
        new = sum(map(len, plan.values()))
        waiting = sum(dispute.unit not in decided for dispute in disputed)
        return Deciders(
            campaign=campaign_named(ledger, known.name),
            apart=apart,
            disputed=len(disputed),
            new=new,
            nobody=waiting - new,
            lists=lists,
        )


def opinions(ledger: Ledger, campaign: Campaign) -> dict[str, list[tuple[str, PersonResponse]]]:
    """Returns unit -> what people gave it, under names that do not tell who they are: `Rater 1`,
    `Rater 2`, the same person the same throughout a document."""
    entries, _ = _rated(ledger, campaign)
    given: dict[str, dict[str, dict[str, PersonResponse]]] = {}
    for entry in entries:
        about = entry.assignment
        if entry.final:
            units = given.setdefault(about.document, {})
            units.setdefault(about.unit, {})[about.annotator] = entry.final.response
    out: dict[str, list[tuple[str, PersonResponse]]] = {}
    for document, units in given.items():
        codes = {code for some in units.values() for code in some}
        ranks = {}
        for code in codes:
            ranks[code] = keyed_hash(0, "blind", campaign.id, document, code)
        order = sorted(codes, key=ranks.__getitem__)
        for unit, some in units.items():
            out[unit] = [
                (f"Rater {number}", some[code])
                for number, code in enumerate(order, 1)
                if code in some
            ]
    return out


def _rated(ledger: Ledger, campaign: Campaign) -> tuple[list[RatedTask], list[RatedTask]]:
    """Returns what is asked of those who rate, and of those who decide."""
    lists = campaign_lists(ledger, campaign)
    units = {}
    for task in lists.work:
        units[task.assignment.unit] = RatedUnit(
            id=task.assignment.unit, cluster=task.assignment.document
        )
    counted = {person.code for person in campaign.counted}
    deciding = {person.code for person in campaign.counted if person.decides}
    entries = rated_tasks(lists.work, lists.answers, units)
    return (
        [entry for entry in entries if entry.assignment.annotator in counted - deciding],
        [entry for entry in entries if entry.assignment.annotator in deciding],
    )


def _on_lists(entries: Sequence[RatedTask]) -> dict[str, set[str]]:
    """Returns unit -> who is asked to rate it."""
    asked: dict[str, set[str]] = {}
    for entry in entries:
        asked.setdefault(entry.assignment.unit, set()).add(entry.assignment.annotator)
    return asked


def _plan(
    disputed: Sequence[Dispute],
    able: Sequence[str],
    asked: Mapping[str, set[str]],
    *,
    together: bool,
    seed: int,
) -> dict[str, list[Dispute]]:
    """Returns who decides (codes joined by `+`) -> what; the units of a document go to the same,
    if they can, and to somebody who is not to rate them too, if there is one."""
    plan: dict[str, list[Dispute]] = {}
    load: Counter[str] = Counter()
    last: dict[str, str] = {}
    for dispute in sorted(disputed, key=lambda d: keyed_hash(seed, "decide", d.document)):
        if together:
            who = "+".join(sorted(dispute.raters, key=lambda code: int(code[1:])))
        else:
            others = []
            for code in able:
                if code not in dispute.raters:
                    others.append(code)
            if not others:
                continue
            others = [c for c in others if c not in asked[dispute.unit]] or others
            same = last.get(dispute.document, "")
            if same in others:
                who = same
            else:
                who = min(others, key=lambda code: (load[code], code))
            last[dispute.document] = who
        load[who] += 1
        plan.setdefault(who, []).append(dispute)
    return plan


def _keep(
    ledger: Ledger, campaign: Campaign, plan: dict[str, list[Dispute]]
) -> tuple[tuple[Annotator, int], ...]:
    """Writes who decides what, and returns everybody who decides with the length of their list."""
    deciders = {}
    for person in campaign.active:
        if person.decides:
            deciders[person.decides] = person
    new = []
    for who in sorted(plan.keys() - deciders.keys()):
        name = f"{who} decides"
        if "+" in who:
            name = f"{who.replace('+', ' and ')} decide"
        new.append(Annotator(code="", name=name, decides=who))
    deciders |= {person.decides: person for person in add_people(ledger, campaign, new, letter="D")}
    places = Counter(next_positions(ledger, campaign))
    assigned = [
        Assignment(
            annotator=deciders[who].code,
            batch=1,
            position=places[deciders[who].code] + n,
            unit=dispute.unit,
            document=dispute.document,
        )
        for who, some in plan.items()
        for n, dispute in enumerate(some)
    ]
    change_lists(ledger, campaign, (), assigned)
    counts = task_counts(ledger, campaign)
    return tuple((person, counts.get(person.code, (0, 0))[0]) for person in deciders.values())
