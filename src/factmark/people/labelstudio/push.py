"""Brings a campaign to a Label Studio server: one project per annotator, each task once, in order.

Every push looks first and does what is missing, so it can be ended and begun again at any moment.
Where the answer to a request was lost, it looks again; when it has written, it looks whether all is
there. A judge's verdicts are shown beside people's answers only when nobody is asked any more:
everybody on a server can read predictions, so before that they would sway people.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape

from factmark.campaign_model import Campaign, ServerProject
from factmark.errors import EndpointError, InputError
from factmark.ledger.campaigns import keep_project, note_shown_judge, projects_of, tasks_of
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import judges_of, resolve
from factmark.ledger.writer import LedgerWriter
from factmark.people.core.forms import form_named
from factmark.people.labelstudio.client import LabelStudio, Project, Snapshot
from factmark.people.labelstudio.http import LostAnswerError
from factmark.people.labelstudio.interface import (
    instruction,
    label_config,
    prediction,
    project_titles,
    task_data,
)
from factmark.people.labelstudio.projects import (
    Present,
    description,
    find_projects,
    is_complete,
    plan_tasks,
)

_ROUNDS = 5
_TOGETHER = 500  # tasks in one request


@dataclass(slots=True, kw_only=True)
class PushedTo:
    """What a push did for one annotator.

    Attributes:
        code, name: the annotator's.
        project: its id on the server.
        url: where it opens.
        tasks: on the annotator's list.
        created: whether the project is new.
        imported, deleted: tasks.
        changed: the project's settings that were brought up to date.
        problems: sentences on what could not be mended.
    """

    code: str
    name: str
    tasks: int
    project: int = 0
    url: str = ""
    created: bool = False
    imported: int = 0
    deleted: int = 0
    changed: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pushed:
    """What a push did.

    Attributes:
        url: the server's.
        invite: where newcomers sign up; whoever has it gets in.
        writes: requests that change something.
    """

    url: str
    invite: str
    annotators: tuple[PushedTo, ...]
    writes: int


@dataclass(slots=True, kw_only=True)
class _Work:
    """What a push wants for one annotator, and what it has done so far."""

    settings: Mapping[str, str]
    tasks: Sequence[Mapping[str, object]]
    done: PushedTo


async def push(ledger: Ledger, campaign: Campaign, client: LabelStudio) -> Pushed:
    """Brings a server to where each annotator has a project with all tasks; what is there stays.

    A task or project that somebody has worked on is never deleted. Another push of the same
    campaign from this ledger is waited for.

    Raises:
        InputError: the campaign is closed.
        EndpointError: the server cannot be reached, or does not do as asked; what was done stays.
    """
    if campaign.closed:
        raise InputError(
            f"The campaign {campaign.name!r} was closed at {campaign.closed}; nobody is asked any "
            "more. With --predictions, a judge's verdicts can be shown."
        )
    async with LedgerWriter(ledger.path) as writer, Leases(ledger, writer) as leases:
        lease = f"push {campaign.id} {client.url}"
        while not await leases.take(lease):
            await leases.wait(lease)
        return await _Push(ledger, campaign, client).run()


class _Push:
    def __init__(self, ledger: Ledger, campaign: Campaign, client: LabelStudio) -> None:
        self._ledger, self._campaign, self._client = ledger, campaign, client
        self._writes = 0
        form = form_named(campaign.form)
        titles = project_titles(form, campaign.annotators)
        common = {
            "label_config": label_config(form),
            "expert_instruction": instruction(campaign.guidelines),
        }
        self._work = []
        for one in campaign.annotators:
            tasks = task_data(form, tasks_of(ledger, campaign, one.code))
            settings = {
                "title": titles[one.code], "description": description(campaign, one.code), **common
            }  # fmt: skip
            done = PushedTo(code=one.code, name=one.name, tasks=len(tasks))
            self._work.append(_Work(settings=settings, tasks=tasks, done=done))

    async def run(self) -> Pushed:
        lost: EndpointError | None = None
        for _ in range(_ROUNDS):
            before = self._writes
            try:
                await self._round()
                lost = None
            except LostAnswerError as error:  # it may have been done: look again
                lost = error
                continue
            if self._writes == before:
                return self._pushed(await self._client.invite_link())
        if lost is not None:
            raise lost
        raise EndpointError(
            f"{self._client.url}: what was imported is not there afterwards. Is somebody else "
            "changing the projects? Push again."
        )

    async def _round(self) -> None:
        """Looks at everything once, and does what is missing."""
        found = await find_projects(self._ledger, self._campaign, self._client)
        for work in self._work:
            work.done.problems.clear()
            project = await self._project(work, found.get(work.done.code, []))
            self._keep(work, project)
            await self._settings(work, project)
            if work.tasks:
                await self._tasks(work, project.id)

    async def _project(self, work: _Work, found: Sequence[Project]) -> Project:
        """The annotator's project: made if there is none; further ones go if they are unused."""
        if not found:
            self._writes += 1
            made = await self._client.create_project(
                title=work.settings["title"],
                description=work.settings["description"],
                label_config=work.settings["label_config"],
                instruction=work.settings["expert_instruction"],
            )
            work.done.created = True
            return made
        if len(found) == 1:
            return found[0]
        used = [one for one in found if _worked(await self._client.snapshot(one.id))]
        keep = (used or list(found))[0]
        for one in found:
            if one is keep:
                continue
            if one in used:
                work.done.problems.append(
                    f"projects {keep.id} and {one.id} are both {work.done.name}'s, and both "
                    "have answers; pull reads both"
                )
            else:
                self._writes += 1
                await self._client.delete_project(one.id)
        return keep

    def _keep(self, work: _Work, project: Project) -> None:
        work.done.project = project.id
        work.done.url = f"{self._client.url}/projects/{project.id}/"
        kept = projects_of(self._ledger, self._campaign, self._client.url)
        known = kept.get(work.done.code)
        if known is None or known.project != project.id:
            user = known.user if known else ""
            keep_project(
                self._ledger,
                self._campaign,
                ServerProject(
                    annotator=work.done.code, url=self._client.url, project=project.id,
                    user=user,
                ),
            )  # fmt: skip

    async def _settings(self, work: _Work, project: Project) -> None:
        """Brings title, description, config and instruction up to date."""
        wrong = {
            name: value
            for name, value in work.settings.items()
            if unescape(getattr(project, name) or "") != unescape(value)
        }
        if wrong and not work.done.created:
            self._writes += 1
            # The server wants a title with each config.
            await self._client.change_project(
                project.id, **{"title": work.settings["title"], **wrong}
            )
            work.done.changed += [name for name in wrong if name not in work.done.changed]

    async def _tasks(self, work: _Work, project: int) -> None:
        """Deletes and imports what the plan says."""
        there = [Present(id=t.id, data=t.data) for t in await self._client.tasks(project)]
        if is_complete(work.tasks, there):
            return
        if there:  # who may have worked on them has to be known, as late as can be
            snapshot = await self._client.snapshot(project)
            if snapshot.unreadable:
                ids = ", ".join(map(str, snapshot.unreadable))
                work.done.problems.append(f"the server cannot show task {ids}; its tasks were left")
                return
            there = [
                Present(id=t.id, data=t.data, worked=bool(t.annotations)) for t in snapshot.tasks
            ]
        plan = plan_tasks(work.tasks, there)
        work.done.problems += plan.problems
        for task in plan.delete:
            self._writes += 1
            await self._client.delete_task(task)
            work.done.deleted += 1
        for start in range(0, len(plan.add), _TOGETHER):
            part = plan.add[start : start + _TOGETHER]
            self._writes += 1
            await self._client.import_tasks(project, part)
            work.done.imported += len(part)

    def _pushed(self, invite: str) -> Pushed:
        annotators = tuple(work.done for work in self._work)
        url = self._client.url
        return Pushed(url=url, invite=invite, annotators=annotators, writes=self._writes)


def _worked(snapshot: Snapshot) -> bool:
    """Whether anybody answered a task, or that cannot be told."""
    return bool(snapshot.unreadable) or any(task.annotations for task in snapshot.tasks)


_ROUNDS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PushedPredictions:
    """What became of a judge's verdicts.

    Attributes:
        judge: as the server names it.
        made: predictions that are new.
        known: tasks that had one of this judge.
        without: tasks whose unit the judge gave no label.
    """

    judge: str
    made: int
    known: int
    without: int


async def push_predictions(
    ledger: Ledger, campaign: Campaign, client: LabelStudio, judge: str
) -> PushedPredictions:
    """Adds a judge's newest verdicts to the tasks that have none of it.

    Raises:
        InputError: people may still answer; the form has no labels; there is no such judge, or it
            is a person.
        EndpointError: the server cannot be reached; what was added stays.
    """
    if not campaign.closed:
        raise InputError(
            f"The campaign {campaign.name!r} is open: a judge's verdicts would sway the people. "
            "Close it first (`factmark annotate close`)."
        )
    form = form_named(campaign.form)
    if not form.values:
        raise InputError(f"--predictions: people give no labels in the form {form.name}.")
    judges = judges_of(ledger)
    found = resolve(ledger.path, judge, judges)
    known = next(one for one in judges if one.id == found)
    if known.kind == "person":
        raise InputError(f"--predictions {judge}: is a person; only other judges are shown.")
    name = f"{known.name} ({found[:8]})"
    units = {task.key: task.assignment.unit for task in tasks_of(ledger, campaign)}
    labels = {
        unit: verdict.label
        for unit, verdict in ledger.newest(found, list(dict.fromkeys(units.values()))).items()
        if verdict.status == "ok" and verdict.label in form.values
    }
    note_shown_judge(ledger, campaign, name)
    made = 0
    for turn in range(_ROUNDS):
        had = without = 0
        try:
            for projects in (await find_projects(ledger, campaign, client)).values():
                for project in projects:
                    there = {
                        one.task
                        for one in await client.predictions(project.id)
                        if one.model_version == name
                    }
                    for task in await client.tasks(project.id):
                        label = labels.get(units.get(str(task.data.get("key")), ""))
                        if task.id in there:
                            had += 1
                        elif label is None:
                            without += 1
                        else:
                            await client.add_prediction(
                                task.id, result=prediction(form, label), model_version=name
                            )
                            made += 1
        except LostAnswerError:  # it may have been added: look again
            if turn == _ROUNDS - 1:
                raise
        else:
            return PushedPredictions(judge=name, made=made, known=had, without=without)
    raise EndpointError(f"{client.url}: keeps losing answers. Try again.")
