"""Several campaigns of one study read as one: people by their names, units by their content.

Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from factmark.campaign_model import Annotator, Assignment, Campaign, Rating
from factmark.errors import InputError
from factmark.evaluated.columns import column_of_labels
from factmark.evaluated.table import JUDGE, Evaluated, table_of_judge
from factmark.people.core.forms import is_whole
from factmark.people.core.scales import form_of
from factmark.people.ratings.agreement import JudgeLabels
from factmark.people.ratings.entries import RatedTask, RatedUnit

_SIGNS = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPart:
    """A campaign as its ledger has it: what it asks, and all that people said of its units.

    Attributes:
        units: by their ids.
        labels: what people said last of these units, in whatever way it came into the ledger.
        decisions: what somebody decided, or is to decide, where ratings differ.
    """

    campaign: Campaign
    entries: tuple[RatedTask, ...]
    units: Mapping[str, RatedUnit]
    labels: Sequence[Rating]
    decisions: tuple[RatedTask, ...] = ()


def one_part(parts: Sequence[RatedPart]) -> RatedPart:
    """Returns campaigns as one. Somebody of one name is one person; a unit that they answered in
    two campaigns, or in two copies of one, has all these answers.

    Raises:
        InputError: they ask on different scales.
    """
    if len(parts) == 1:
        return parts[0]
    first = parts[0].campaign
    _check_same_form(first, (part.campaign for part in parts))
    people: dict[str, Annotator] = {}
    tasks: dict[object, RatedTask] = {}
    units: dict[str, RatedUnit] = {}
    sources: dict[str, str] = {}
    decisions: list[RatedTask] = []
    for number, part in enumerate(parts):
        codes = _add_people(people, part.campaign)
        here = {
            unit: _with_own_name(rated, sources, f" ({part.campaign.name})")
            for unit, rated in part.units.items()
        }
        if is_whole(first):
            # Of imported ones the source may not be known.
            sources |= {u.cluster: _letters(u.evidence) for u in here.values() if u.evidence}
            units |= {k: u for k, u in here.items() if u.evidence or k not in units}
        else:
            units |= part.units
        for place, entry in enumerate(part.entries):
            about = entry.assignment
            code = codes.get(about.annotator, "")
            unit = units[about.unit]
            if is_whole(first):
                document = unit.cluster
            else:
                document = about.document
            key: tuple[str, str] | tuple[int, int]
            if code:
                key = (code, about.unit)
            else:
                key = (number, place)
            task = replace(about, annotator=code, document=document)
            tasks[key] = _with_revisions(tasks.get(key), task, unit, entry)
        decisions += [
            replace(
                entry,
                unit=units[entry.assignment.unit],
                assignment=replace(entry.assignment, annotator=codes[entry.assignment.annotator]),
            )
            for entry in part.decisions
        ]
    answered = {(task.assignment.annotator, task.assignment.unit): task for task in tasks.values()}

    return RatedPart(
        campaign=replace(
            first,
            id="+".join(part.campaign.id for part in parts),
            name=" + ".join(dict.fromkeys(part.campaign.name for part in parts)),
            annotators=tuple(people.values()),
            settings={k: v for k, v in first.settings.items() if k in ("adjudicate", "deal")},
        ),
        entries=tuple(tasks.values()),
        units=units,
        labels=_new_labels(parts, people, answered),
        decisions=tuple(decisions),
    )


def _check_same_form(first: Campaign, campaigns: Iterable[Campaign]) -> None:
    """Raises InputError where a campaign asks on another scale than the first."""
    for other in campaigns:
        if form_of(other) != form_of(first):
            raise InputError(
                f"The campaigns {first.name!r} ({first.form}) and {other.name!r} ({other.form}) "
                "do not ask the same; results are of one form."
            )


def joined_judges(several: Iterable[Sequence[JudgeLabels]]) -> list[JudgeLabels]:
    """Returns what judges gave the units of several ledgers; a unit of two counts by the first."""
    judges: dict[str, JudgeLabels] = {}
    for labels in several:
        for new in labels:
            known = judges.get(new.id)
            if known is not None:
                new = replace(known, table=_with_more_units(known.table, new.table))
            judges[new.id] = new
    return list(judges.values())


def _with_more_units(known: Evaluated, new: Evaluated) -> Evaluated:
    """Returns the units of two tables of one judge."""
    there = set(known.ids)
    more = new.at([place for place, unit in enumerate(new.ids) if unit not in there])
    parts = (known, more)
    labels: list[str | None] = []
    systems: list[str] = []
    worth: dict[str, float] = {}
    people: dict[int, float] = {}
    for part in parts:
        judge = part.judges[JUDGE]
        means = part.people_by_place
        people |= {len(labels) + place: mean for place, mean in means.items()}
        labels += judge.texts
        worth |= zip(judge.labels, judge.values, strict=True)
        systems += part.systems
    return table_of_judge(
        column_of_labels(JUDGE, labels, worth),
        people,
        ids=[*known.ids, *more.ids],
        clusters=[*known.items, *more.items],
        systems=systems,
    )


def _add_people(people: dict[str, Annotator], campaign: Campaign) -> dict[str, str]:
    """Adds the people of a campaign by their names; returns its codes -> those that they have in
    all of it. Who decides is somebody else than who rates."""
    codes: dict[str, str] = {}
    for person in campaign.annotators:
        name = person.name
        if person.decides:
            deciding = "+".join(codes[code] for code in person.decides.split("+"))
            person = replace(person, decides=deciding)
            name = f"decides: {deciding}"
        known = people.get(name)
        if known is None:
            taken = {other.code for other in people.values()}
            letter = person.code[0]
            number = 1
            code = person.code
            while code in taken:
                code = f"{letter}{number}"
                number = number + 1
            known = replace(person, code=code)
        elif not person.withdrawn:
            known = replace(known, withdrawn="")
        people[name] = known
        codes[person.code] = known.code
    return codes


def _with_own_name(unit: RatedUnit, sources: Mapping[str, str], mark: str) -> RatedUnit:
    """Returns a unit under a name of its document that no document with another source has."""
    letters = _letters(unit.evidence)
    if not letters or sources.get(unit.cluster) in (None, letters):
        return unit
    return replace(unit, cluster=unit.cluster + mark)


@lru_cache(maxsize=1024)
def _letters(text: str) -> str:
    """Returns a source without blanks and signs, which are written otherwise where it is shown."""
    return _SIGNS.sub("", text)


def _with_revisions(
    known: RatedTask | None, task: Assignment, unit: RatedUnit, entry: RatedTask
) -> RatedTask:
    """Returns a task with the answers of two campaigns, each once: those of one in their order,
    those of the other between them as their times say."""
    if known is None:
        return RatedTask(assignment=task, unit=unit, revisions=entry.revisions)
    answers = _timed(known.revisions)
    for name, (time, revision) in _timed(entry.revisions).items():
        answers.setdefault(name, (time, revision))
    ordered = sorted(answers.values(), key=lambda answer: answer[0])
    return replace(known, revisions=tuple(revision for _, revision in ordered))


def _timed(revisions: Iterable[Rating]) -> dict[str, tuple[str, Rating]]:
    """Returns id -> when it was made, and the revision. None was made before the one that it came
    after, whatever a clock said that had gone back."""
    answers: dict[str, tuple[str, Rating]] = {}
    latest = ""
    for revision in revisions:
        latest = max(latest, revision.at)
        answers[revision.id] = latest, revision
    return answers


def _new_labels(
    parts: Iterable[RatedPart],
    people: Mapping[str, Annotator],
    answered: Mapping[tuple[str, str], RatedTask],
) -> list[Rating]:
    """Returns each person's newest label of a unit, of those that no answer of theirs gave it."""
    newest: dict[tuple[str, str], Rating] = {}
    for given in sorted((label for part in parts for label in part.labels), key=lambda g: g.at):
        code = people[given.annotator].code if given.annotator in people else ""
        task = answered.get((code, given.unit))
        labels = {r.response.label for r in task.revisions} if task else set()
        if given.response.label not in labels:
            newest[given.annotator, given.unit] = given
    return list(newest.values())
