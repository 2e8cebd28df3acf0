"""A campaign's projects on a server, and what one lacks to have an annotator's tasks, in order.

A project is known by a line in its description: titles need not be unique, and anybody can
change them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from factmark.campaign_model import Campaign, CampaignTask, ServerProject
from factmark.errors import InputError
from factmark.ledger.campaigns import keep_project, projects_of, servers_of, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.labelstudio.client import LabelStudio, Project, ServerTask
from factmark.people.labelstudio.interface import TaskData, same_task
from factmark.people.practice.known import BEFORE
from factmark.text.shown_text import some

_MARK = re.compile(r"factmark:([0-9a-f]{32}):(A\d{1,6})\b")


def project_description(campaign: Campaign, code: str) -> str:
    """Returns the description of an annotator's project, by which it is found again."""
    return f"Please leave this line as it is: factmark:{campaign.id}:{code}"


async def find_projects(
    ledger: Ledger, campaign: Campaign, client: LabelStudio
) -> dict[str, list[Project]]:
    """Returns code of an annotator -> their projects, the one that the ledger knows first.

    A project is known by the line in its description. Where that was taken away it is known by its
    id, if it holds the campaign's tasks: on a server that was set up anew the id may be another
    project's.
    """
    kept = {
        record.project: code for code, record in projects_of(ledger, campaign, client.url).items()
    }
    projects: dict[str, list[Project]] = {}
    for project in await client.projects():
        mark = _MARK.search(project.description or "")
        code = None
        if mark and mark[1] == campaign.id:
            code = mark[2]
        if not mark and project.id in kept:
            keys = {task.key for task in studio_tasks(ledger, campaign, released=True)}
            if any(task.key in keys for task in await client.tasks(project.id)):
                code = kept[project.id]
        if any(annotator.code == code for annotator in campaign.raters):
            projects.setdefault(str(code), []).append(project)
    for several in projects.values():
        several.sort(key=lambda project: (project.id not in kept, project.id))
    return projects


def studio_tasks(
    ledger: Ledger, campaign: Campaign, annotator: str | None = None, *, released: bool = False
) -> list[CampaignTask]:
    """Returns the tasks of an annotator, or of all, that a server is given: training, whose right
    answers it cannot show, and questions of a check are for our page alone. With `released` also
    what was dealt to others before it was answered."""
    tasks = tasks_of(ledger, campaign, annotator, released=released)
    return [task for task in tasks if task.assignment.batch != BEFORE]


def n_units_of_page(ledger: Ledger, campaign: Campaign) -> int:
    """Returns how many units of training and questions of a check no server is given."""
    tasks = [task.assignment for task in tasks_of(ledger, campaign)]
    return len({task.unit for task in tasks if task.batch == BEFORE})


def keep_annotator_project(
    ledger: Ledger, campaign: Campaign, url: str, code: str, project: int, user: int | None = None
) -> None:
    """Keeps in the ledger which project is an annotator's, and who they are; a known user stays."""
    known = projects_of(ledger, campaign, url).get(code)
    if known is None or (known.project != project if user is None else not known.user):
        if known and user is None:
            name = known.user
        else:
            name = str(user or "")
        kept = ServerProject(annotator=code, url=url, project=project, user=name)
        keep_project(ledger, campaign, kept)


def server_of(ledger: Ledger, campaign: Campaign, url: str | None) -> str:
    """Returns the server to use: the one that is named, else the one that the campaign is on.

    Raises:
        InputError: none is named, and the campaign is on none or on several.
    """
    if url is not None:
        known = [url]
    else:
        known = servers_of(ledger, campaign)
    if len(known) == 1:
        return known[0]
    if not known:
        raise InputError(
            f"The campaign {campaign.name!r} is on no Label Studio server yet; name one by --url."
        )
    raise InputError(f"The campaign {campaign.name!r} is on {', '.join(known)}; take one by --url.")


class TaskPlan(NamedTuple):
    """What to do in a project: tasks to delete (ids), data to add in order, and what is left."""

    delete: tuple[int, ...]
    add: tuple[TaskData, ...]
    problems: tuple[str, ...]


def is_complete(wanted: Sequence[TaskData], present: Sequence[ServerTask]) -> bool:
    """Whether the server has what is wanted and nothing else, in order."""
    return len(wanted) == len(present) and all(
        same_task(data, task.data) for data, task in zip(wanted, present, strict=True)
    )


def plan_tasks(
    wanted: Sequence[TaskData], present: Sequence[ServerTask], released: Collection[str] = ()
) -> TaskPlan:
    """Returns which tasks to delete from a project and which to add, so that it has what is wanted.

    Annotators get tasks in the order of ids, so new ones come last. Copies that nobody worked on
    go, and so do those with another text, or whose key is `released`: they are on somebody else's
    list now. `present` is in the order of ids.
    """
    data = {str(task["key"]): task for task in wanted}
    ours = [task for task in present if task.key in data]
    dealt_on = [task for task in present if task.key in released and task.key not in data]
    keep, problems = _task_of_each_key(data, ours)
    for task in dealt_on:
        if task.annotations:
            problems.append(
                f"task {task.id} was answered here, and is on another list too; "
                "pull takes the answer"
            )
    known = {*data, *released}
    foreign = [str(task.id) for task in present if task.key not in known]
    if foreign:
        shown = some(foreign, 5)
        problems.append(f"not from this campaign, and left as it is: task {shown}")
    staying = {task.id for task in ours if task.annotations or keep.get(task.key) is task}
    return TaskPlan(
        delete=(
            *(task.id for task in ours if task.id not in staying),
            *(task.id for task in dealt_on if not task.annotations),
        ),
        add=tuple(task for key, task in data.items() if key not in keep),
        problems=tuple(problems),
    )


def _task_of_each_key(
    data: Mapping[str, TaskData], ours: Sequence[ServerTask]
) -> tuple[dict[str, ServerTask], list[str]]:
    """Returns the task that stays for each key; and a sentence for each that was changed."""
    keep: dict[str, ServerTask] = {}
    problems = []
    for task in ours:
        right = same_task(task.data, data[task.key])
        if task.annotations and not right:
            problems.append(f"the text of task {task.id} was changed on the server")
        if not right and not task.annotations:
            continue
        other = keep.get(task.key)
        if other is None or (task.annotations and not other.annotations):
            keep[task.key] = task
        elif task.annotations:
            problems.append(f"tasks {other.id} and {task.id} are the same, and both have answers")
    return keep, problems
