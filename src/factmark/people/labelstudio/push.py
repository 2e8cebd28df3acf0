"""Brings a campaign to a Label Studio server: one project per annotator, each task once, in order.

Every push looks first and does what is missing, so it can be ended and begun again at any moment.
Where the answer to a request was lost, it looks again; when it has written, it looks whether all is
there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

from factmark.campaign_model import Campaign
from factmark.errors import EndpointError, InputError
from factmark.ledger.campaigns import check_is_open
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.people.core.forms import form_named, title_of
from factmark.people.labelstudio.client import LabelStudio, Project
from factmark.people.labelstudio.http import LostAnswerError
from factmark.people.labelstudio.interface import (
    TaskData,
    label_config,
    project_instruction,
    project_title,
    task_data,
)
from factmark.people.labelstudio.projects import (
    find_projects,
    is_complete,
    keep_annotator_project,
    n_units_of_page,
    plan_tasks,
    project_description,
    studio_tasks,
)

_ROUNDS = 5
_TOGETHER = 500  # tasks in one request


@dataclass(slots=True, kw_only=True)
class AnnotatorPush:
    """What a push did for one annotator.

    Attributes:
        tasks: how many are on the list.
        imported, deleted: how many tasks were made, and how many taken away.
        changed: the project's settings that were brought up to date.
    """

    code: str
    name: str
    tasks: int
    project: int = 0
    url: str = ""  # where the project opens
    created: bool = False
    imported: int = 0
    deleted: int = 0
    changed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # sentences on what could not be mended


@dataclass(frozen=True, slots=True, kw_only=True)
class PushResult:
    """What a push did.

    Attributes:
        invite: where newcomers sign up.
        writes: how many changes it made on the server, or would.
        left_out: units of training and questions of a check, which are on our page alone.
    """

    url: str
    invite: str
    annotators: tuple[AnnotatorPush, ...]
    writes: int
    left_out: int


async def push(
    ledger: Ledger, campaign: Campaign, client: LabelStudio, *, dry_run: bool = False
) -> PushResult:
    """Brings a server to the state where each annotator has a project with all their tasks.

    A task or project that somebody has worked on is never deleted. Another push of the same
    campaign from this ledger is waited for. With `dry_run` nothing is written, there or here.

    Raises:
        InputError: the campaign is closed, or has a queue.
        EndpointError: the server cannot be reached, or does not do as asked; what was done stays.
    """
    check_is_open(ledger, campaign)
    if campaign.queues:
        raise InputError(
            f"The campaign {campaign.name!r} has a queue, and Label Studio knows lists only: it "
            "shows a project's tasks to all who open it, and nobody's next one. Use `factmark "
            "annotate serve`, or make the campaign with --deal lists."
        )
    if dry_run:
        return await _Push(ledger, campaign, client, dry_run=True).run()
    async with LedgerWriter(ledger.path) as writer, Leases(ledger, writer) as leases:
        lease = f"push {campaign.id} {client.url}"
        while not await leases.take(lease):
            await leases.wait(lease)
        return await _Push(ledger, campaign, client).run()


class _Push:
    """One push: the campaign as the ledger has it, and what was done on the server so far."""

    def __init__(
        self, ledger: Ledger, campaign: Campaign, client: LabelStudio, *, dry_run: bool = False
    ) -> None:
        self._ledger = ledger
        self._campaign = campaign
        self._client = client
        self._dry_run = dry_run
        self._form = form_named(campaign.form)
        self._writes = 0
        self._done = [
            AnnotatorPush(code=annotator.code, name=annotator.name, tasks=0)
            for annotator in campaign.raters
        ]

    async def run(self) -> PushResult:
        """Works through the projects again and again, until there is nothing left to do."""
        client = self._client
        lost = None
        for _ in range(_ROUNDS):
            before = self._writes
            lost = None
            try:
                await self._work_through()
            except LostAnswerError as error:  # it may have been done: look again
                lost = error
                continue
            if self._dry_run or self._writes == before:
                return PushResult(
                    url=client.url,
                    invite=await client.invite_link(),
                    annotators=tuple(self._done),
                    writes=self._writes,
                    left_out=n_units_of_page(self._ledger, self._campaign),
                )
        raise lost or EndpointError(
            f"{client.url}: what was imported is not there afterwards. Is somebody else "
            "changing the projects? Push again."
        )

    def _to_write(self) -> bool:
        """Counts a change on the server, and returns whether it is to be made."""
        self._writes += 1
        return not self._dry_run

    async def _work_through(self) -> None:
        """Looks at every project once, and does what it lacks."""
        projects = await find_projects(self._ledger, self._campaign, self._client)
        for done, annotator in zip(self._done, self._campaign.raters, strict=True):
            done.problems.clear()
            settings = {
                "title": project_title(title_of(self._campaign), annotator),
                "description": project_description(self._campaign, done.code),
                "label_config": label_config(self._form),
                "expert_instruction": project_instruction(self._campaign.guidelines),
            }
            project = await self._bring_project(done, settings, projects.get(done.code, []))
            if project.id:
                done.project = project.id
                done.url = f"{self._client.url}/projects/{project.id}/"
            if not self._dry_run:
                keep_annotator_project(
                    self._ledger, self._campaign, self._client.url, done.code, project.id
                )
            tasks = task_data(self._form, studio_tasks(self._ledger, self._campaign, done.code))
            done.tasks = len(tasks)
            if tasks or not done.created:
                await self._bring_tasks(done, tasks)

    async def _bring_project(
        self, done: AnnotatorPush, settings: Mapping[str, str], projects: Sequence[Project]
    ) -> Project:
        """Returns the annotator's project, with these settings; further ones are deleted if unused.
        Of one that is not to be made the id is 0."""
        if not projects:
            done.created = True
            if self._to_write():
                return await self._client.create_project(**settings)
            return Project(id=0, title=settings["title"])
        if len(projects) == 1:
            project = projects[0]
        else:
            project = await self._choose_project(done, projects)
        wrong = {}
        for name, value in settings.items():
            if unescape(getattr(project, name) or "") != unescape(value):
                wrong[name] = value
        if wrong and not done.created:
            if self._to_write():  # the server wants a title with each config
                new = {"title": settings["title"], **wrong}
                await self._client.change_project(project.id, **new)
            done.changed += [name for name in wrong if name not in done.changed]
        return project

    async def _choose_project(self, done: AnnotatorPush, projects: Sequence[Project]) -> Project:
        """Returns the one of several that somebody has worked on, or may have; unused ones are
        deleted."""
        used = []
        for project in projects:
            snapshot = await self._client.snapshot(project.id)
            if snapshot.unreadable or any(task.annotations for task in snapshot.tasks):
                used.append(project)
        keep = (used or list(projects))[0]
        for project in projects:
            if project in used and project is not keep:
                done.problems.append(
                    f"projects {keep.id} and {project.id} are both {done.name}'s, and both "
                    "have answers; pull reads both"
                )
            elif project is not keep and self._to_write():
                await self._client.delete_project(project.id)
        return keep

    async def _bring_tasks(self, done: AnnotatorPush, wanted: Sequence[TaskData]) -> None:
        """Deletes and imports what the plan of a project says."""
        if done.project:
            there = await self._client.tasks(done.project)
        else:
            there = ()
        if is_complete(wanted, there):
            return
        if there:  # who may have worked on them has to be known, as late as can be
            snapshot = await self._client.snapshot(done.project)
            if snapshot.unreadable:
                ids = ", ".join(map(str, snapshot.unreadable))
                done.problems.append(f"the server cannot show task {ids}; its tasks were left")
                return
            there = snapshot.tasks
        listed = studio_tasks(self._ledger, self._campaign, done.code, released=True)
        plan = plan_tasks(wanted, there, {task.key for task in listed})
        done.problems += plan.problems
        for task in plan.delete:
            if self._to_write():
                await self._client.delete_task(task)
            done.deleted += 1
        for start in range(0, len(plan.add), _TOGETHER):
            part = plan.add[start : start + _TOGETHER]
            if self._to_write():
                await self._client.import_tasks(done.project, part)
            done.imported += len(part)
