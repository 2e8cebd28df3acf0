"""A campaign's projects on a server, and what one lacks to have an annotator's tasks, in order.

A project is known by a line in its description: titles need not be unique, and anybody can
change them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmark.campaign_model import Campaign
from factmark.errors import InputError
from factmark.ledger.campaigns import projects_of, servers_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import LabelStudio, Project
from factmark.people.labelstudio.interface import same_task

_MARK = re.compile(r"factmark:([0-9a-f]{32}):(A\d{1,6})\b")


def description(campaign: Campaign, code: str) -> str:
    """The description of an annotator's project, by which it is found again."""
    return f"Please leave this line as it is: factmark:{campaign.id}:{code}"


async def find_projects(
    ledger: Ledger, campaign: Campaign, client: LabelStudio
) -> dict[str, list[Project]]:
    """Code of an annotator -> the projects that are theirs, the one that the ledger knows first.

    One whose line was taken away is known by its id, if it holds the campaign's tasks: on a server
    that was set up anew the id may be another project's.
    """
    codes = {one.code for one in campaign.annotators}
    kept = {one.project: code for code, one in projects_of(ledger, campaign, client.url).items()}
    keys: set[str] | None = None
    out: dict[str, list[Project]] = {}
    for project in await client.projects():
        found = _MARK.search(project.description or "")
        code = found[2] if found and found[1] == campaign.id else None
        if not found and project.id in kept:
            keys = keys or {task.key for task in tasks_of(ledger, campaign)}
            if any(task.data.get("key") in keys for task in await client.tasks(project.id)):
                code = kept[project.id]
        if code in codes:
            out.setdefault(str(code), []).append(project)
    for projects in out.values():
        projects.sort(key=lambda one: (one.id not in kept, one.id))
    return out


def server_of(ledger: Ledger, campaign: Campaign, url: str | None) -> str:
    """The server that is named, else the one that the campaign was pushed to.

    Raises:
        InputError: it was pushed to none, or to several.
    """
    if url is not None:
        return url
    known = servers_of(ledger, campaign)
    if len(known) == 1:
        return known[0]
    if not known:
        raise InputError(
            f"The campaign {campaign.name!r} is on no Label Studio server yet; name one by --url."
        )
    raise InputError(f"The campaign {campaign.name!r} is on {', '.join(known)}; take one by --url.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """A task that the server has.

    Attributes:
        worked: whether anybody has answered it; such a task is never deleted.
    """

    id: int
    data: Mapping[str, object]
    worked: bool = False

    @property
    def key(self) -> str:
        """Its blind key; empty where it has none."""
        key = self.data.get("key")
        return key if isinstance(key, str) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPlan:
    """What to do, and what cannot be mended.

    Attributes:
        delete: ids of tasks.
        add: data of tasks, in their order.
        problems: sentences for the campaign's owner.
    """

    delete: tuple[int, ...] = ()
    add: tuple[Mapping[str, object], ...] = ()
    problems: tuple[str, ...] = ()


def is_complete(wanted: Sequence[Mapping[str, object]], present: Sequence[Present]) -> bool:
    """Whether the server has what is wanted and nothing else, in order."""
    return len(wanted) == len(present) and all(
        same_task(one, other.data) for one, other in zip(wanted, present, strict=True)
    )


def plan_tasks(wanted: Sequence[Mapping[str, object]], present: Sequence[Present]) -> TaskPlan:
    """The plan for one project. Annotators get tasks in the order of ids, so new ones come last.

    Copies that nobody worked on go, and so do those with another text. Where the order is broken,
    the tasks from there on are deleted and added again, but for those that were worked on.

    Args:
        wanted: data of the tasks in their order, each with its `key`.
        present: those of the server by rising id; `worked` has to be known.
    """
    data = {str(one["key"]): one for one in wanted}
    ours = [one for one in present if one.key in data]
    keep, problems = _one_each(data, ours)
    foreign = [str(one.id) for one in present if one.key not in data]
    if foreign:
        problems.append(
            f"{_tasks(foreign)} not from this campaign (left as {'it is' if foreign[1:] else 'is'})"
        )
    order = list(data)
    steady = _steady(order, keep)
    add = [key for key in order if key not in {one.key for one in steady}]
    final = [one.key for one in steady] + add
    if final != order:
        late = sum(a != b for a, b in zip(final, order, strict=False))
        problems.append(
            f"{late} tasks stand elsewhere than planned, because others have been worked on"
        )
    staying = {one.id for one in steady} | {one.id for one in ours if one.worked}
    return TaskPlan(
        delete=tuple(one.id for one in ours if one.id not in staying),
        add=tuple(data[key] for key in add),
        problems=tuple(problems),
    )


def _one_each(
    data: Mapping[str, Mapping[str, object]], ours: Sequence[Present]
) -> tuple[list[Present], list[str]]:
    """The task of each key that stays, by rising id, and what is wrong with it."""
    keep: dict[str, Present] = {}
    problems = []
    for one in ours:
        right = same_task(one.data, data[one.key])
        if one.worked and not right:
            problems.append(f"the text of task {one.id} was changed on the server")
        if not right and not one.worked:
            continue
        other = keep.get(one.key)
        if other is None or (one.worked and not other.worked):
            keep[one.key] = one
        elif one.worked:
            problems.append(f"tasks {other.id} and {one.id} are the same, and both have answers")
    return sorted(keep.values(), key=lambda one: one.id), problems


def _steady(order: Sequence[str], keep: Sequence[Present]) -> list[Present]:
    """The tasks that stay: those worked on, and of the others all up to where the order breaks."""
    worked = {one.key for one in keep if one.worked}
    right = iter(key for key in order if key not in worked)
    out, unbroken = [], True
    for one in keep:
        if not one.worked:
            unbroken = unbroken and next(right, None) == one.key
        if one.worked or unbroken:
            out.append(one)
    return out


def _tasks(ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
    return f"task {shown} is" if len(ids) == 1 else f"tasks {shown} are"
