"""The few things that campaigns ask of a Label Studio server."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import AwareDatetime, Field, NonNegativeInt, TypeAdapter
from typing_extensions import TypedDict  # typing's is not read by pydantic before 3.12
from yarl import URL

from factmark.errors import EndpointError
from factmark.files.text_files import without_surrogates
from factmark.http.async_tools import Closing
from factmark.http.retries import RetryPolicy
from factmark.people.labelstudio.http import (
    BrokenError,
    LostAnswerError,
    MissingError,
    Query,
    StudioTransport,
    UnreadableProjectError,
)

Row = TypeVar("Row")
_PAGE = 100
_READINGS = 3
_FIELDS = "id,data"
# The list of fields holds for what is nested too.
_ALL_FIELDS = f"{_FIELDS},annotations,completed_by,updated_by,created_at,updated_at"
_ALL_FIELDS += ",lead_time,result,was_cancelled"
_PROJECT_FIELDS = "id,title,description,label_config,expert_instruction"
_SETTINGS = {
    "sampling": "Sequential sampling",
    "show_instruction": True,
    "show_skip_button": False,
    "enable_empty_annotation": False,
    "maximum_annotations": 1,
    "show_collab_predictions": False,
    "reveal_preannotations_interactively": False,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerUser:
    """Someone with an account on the server. Every user sees every other's e-mail address."""

    id: int
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A box of tasks. Titles need not be unique; HTML of the instruction is rendered."""

    id: int
    title: str
    description: str | None = None
    label_config: str = ""
    expert_instruction: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerAnnotation:
    """What somebody submitted for a task. An update overwrites it; the server keeps no history.

    Attributes:
        updated_by: id of the user who wrote it last, set by the server; None where it was
            imported, by anybody.
        task: id of its task; None where it was read with that.
        lead_time: seconds in the editor, added up over visits; told by the browser, so any number.
    """

    id: int
    completed_by: int | None  # id of the user whose annotation it is; any user may claim any id
    updated_by: int | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    lead_time: float | None = None
    result: Any
    was_cancelled: bool = False  # whether the task was skipped
    task: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerTask:
    """One thing to annotate. Annotators get tasks in the order of their ids."""

    id: int
    data: Mapping[str, Any]
    annotations: tuple[ServerAnnotation, ...] = ()

    @property
    def key(self) -> str:
        """The blind key of its data; empty where it has none."""
        key = self.data.get("key")
        if isinstance(key, str):
            return key
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All tasks of a project with all annotations, in the order of their ids.

    On `unreadable` ones the server itself fails. Any user can bring that about: by an infinite
    `lead_time`, or a lone surrogate in a result or in task data.
    """

    tasks: tuple[ServerTask, ...]
    unreadable: tuple[int, ...] = ()


class _Id(TypedDict):
    id: int


class _TaskPage(TypedDict):
    total: NonNegativeInt
    tasks: tuple[ServerTask, ...]


class _IdPage(TypedDict):
    total: NonNegativeInt
    tasks: tuple[_Id, ...]


class _ProjectPage(TypedDict):
    count: NonNegativeInt
    results: tuple[Project, ...]


class _Imported(TypedDict):
    task_ids: tuple[int, ...]


class _Invite(TypedDict):
    invite_url: Annotated[str, Field(pattern=r"^/[^/\\\s][^\\\s]*$|^https?://\S+$")]


_USER = TypeAdapter(ServerUser)
_USERS = TypeAdapter(tuple[ServerUser, ...])
_PROJECT = TypeAdapter(Project)
_PROJECTS = TypeAdapter(_ProjectPage)
_TASKS = TypeAdapter(_TaskPage)
_IDS = TypeAdapter(_IdPage)
_IMPORTED = TypeAdapter(_Imported)
_INVITE = TypeAdapter(_Invite)


class LabelStudio(Closing):
    """A Label Studio server. Use it in one event loop, as an async context manager.

    Reading, changing and deleting are tried again when they fail; what makes something new is not:
    where its answer is lost, `LostAnswerError` says so, and the caller looks first. Texts go
    without lone surrogates, which would make a project unreadable. URL and token: see
    `StudioTransport`.
    """

    def __init__(
        self, url: str, token: str, *, timeout: float = 30.0, retry: RetryPolicy | None = None
    ) -> None:
        self._http = StudioTransport(url, token, timeout=timeout, retry=retry or RetryPolicy())

    @property
    def url(self) -> str:
        """The server's address, without a slash at its end."""
        return str(self._http.url).rstrip("/")

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()

    async def me(self) -> ServerUser:
        """The user whose token it is."""
        return await self._http.ask("GET", "/api/current-user/whoami", _USER)

    async def emails(self) -> dict[int, str]:
        """Id of each user of the token's organisation -> e-mail address."""
        users = await self._http.ask("GET", "/api/users/", _USERS)
        return {user.id: user.email for user in users}

    async def invite_link(self) -> str:
        """The URL where newcomers sign up; whoever has it gets in."""
        invite = await self._http.ask("GET", "/api/invite", _INVITE)
        target = self._http.url.join(URL(invite["invite_url"]))
        if target.origin() != self._http.url.origin():
            return str(target)  # the server was told its public address
        prefix = self._http.url.path.rstrip("/")
        if prefix and not target.path.startswith(f"{prefix}/"):
            target = self._http.url.with_path(prefix + target.path).with_query(target.query)
        return str(target)

    async def projects(self) -> tuple[Project, ...]:
        """All projects, those of other users too, in the order of their ids."""

        async def page(number: int) -> tuple[dict[int, Project], int]:
            query: Query = {"page": number, "page_size": _PAGE, "include": _PROJECT_FIELDS}
            part = await self._http.ask("GET", "/api/projects/", _PROJECTS, query=query)
            return {project.id: project for project in part["results"]}, part["count"]

        return tuple((await self._read_pages(page, "the projects")).values())

    async def create_project(self, **settings: str) -> Project:
        """Makes a project for one annotator: tasks in order, none skipped, none left empty.

        Settings are `title` (3 to 50 characters), `description`, `label_config` and
        `expert_instruction`, whose HTML is rendered.
        """
        body = _storable_json({**settings, **_SETTINGS})
        return await self._http.ask("POST", "/api/projects/", _PROJECT, body=body)

    async def change_project(self, project: int, **settings: Any) -> Project:
        """Changes settings of a project; the names are the server's."""
        path = f"/api/projects/{project}/"
        return await self._http.ask("PATCH", path, _PROJECT, body=_storable_json(settings))

    async def delete_project(self, project: int) -> None:
        """Deletes a project with all that is in it. One that is gone already is no error."""
        with contextlib.suppress(MissingError):
            await self._http.send("DELETE", f"/api/projects/{project}/")

    async def tasks(self, project: int) -> tuple[ServerTask, ...]:
        """All tasks with their data, without annotations, in the order of their ids.

        EndpointError also where the server fails on some task: a list with gaps would have what is
        there imported again.
        """
        snapshot = await self._all_tasks(project, include=_FIELDS)
        if snapshot.unreadable:
            raise EndpointError(
                f"{self.url} fails on task {snapshot.unreadable[0]} of project {project}, whose "
                "data it cannot write. Delete that task there, or put its data right."
            )
        return snapshot.tasks

    async def snapshot(self, project: int) -> Snapshot:
        """All tasks with their data and annotations, but for drafts, which only their writer sees.

        Read from the list of tasks: the export is no faster, and leaves two files on the server
        each time.
        """
        return await self._all_tasks(project, include=_ALL_FIELDS, fields="all")

    async def import_tasks(
        self, project: int, tasks: Sequence[Mapping[str, Any]]
    ) -> tuple[int, ...]:
        """Adds tasks (the data of each), all or none; gives their ids in that order.

        The server compares with nothing that is there: what is sent twice is there twice. After a
        LostAnswerError they may have been added: look with `tasks` before sending them again.
        """
        if not tasks:
            return ()
        body = [{"data": _storable_json(dict(data))} for data in tasks]
        path = f"/api/projects/{project}/import"
        imported = await self._http.ask(
            "POST", path, _IMPORTED, body=body, query={"return_task_ids": "true"}
        )
        ids = imported["task_ids"]
        if len(ids) != len(tasks):
            raise LostAnswerError(
                f"{self.url}{path}: {len(tasks)} tasks were sent and {len(ids)} added"
            )
        return ids

    async def delete_task(self, task: int) -> None:
        """Deletes a task with its annotations. One that is gone already is no error."""
        with contextlib.suppress(MissingError):
            await self._http.send("DELETE", f"/api/tasks/{task}/")

    async def _all_tasks(self, project: int, **query: str) -> Snapshot:
        """Returns all tasks; those that the server fails on stand apart, by their ids."""

        async def page(number: int) -> tuple[dict[int, ServerTask | None], int]:
            where: Query = {**query, "project": project, "page": number, "page_size": _PAGE}
            return await self._task_page(where)

        tasks = await self._read_pages(page, f"the tasks of project {project}")
        return Snapshot(
            tasks=tuple(task for task in tasks.values() if task is not None),
            unreadable=tuple(number for number, task in tasks.items() if task is None),
        )

    async def _read_pages(
        self, page: Callable[[int], Awaitable[tuple[dict[int, Row], int]]], what: str
    ) -> dict[int, Row]:
        """Returns the rows of all pages in the order of ids; read anew where their number changed.

        `page` gives the rows of a page, and how many there are in all.
        """
        for _ in range(_READINGS):
            rows: dict[int, Row] = {}
            total = 0
            for number in itertools.count(1):
                try:
                    part, total = await page(number)
                except MissingError:  # past the end: some went away meanwhile
                    if number == 1:
                        raise
                    break
                rows |= part
                if len(rows) >= total or not part:
                    break
            if len(rows) == total:
                return dict(sorted(rows.items()))
        raise EndpointError(f"{self.url}: {what} change while they are read. Try again.")

    async def _task_page(self, query: Query) -> tuple[dict[int, ServerTask | None], int]:
        """Returns a page of tasks, and how many the project has; None for a task that cannot be
        read.

        The server fails on a whole page for a single task that it cannot write; they are then read
        one by one.
        """
        try:
            part = await self._http.ask("GET", "/api/tasks/", _TASKS, once=True, query=query)
        except BrokenError:
            ids = await self._page_of_ids(query)
        else:
            return {task.id: task for task in part["tasks"]}, part["total"]
        tasks: dict[int, ServerTask | None] = {task["id"]: None for task in ids["tasks"]}
        if query["page_size"] != 1:
            first = (int(query["page"]) - 1) * _PAGE + 1
            for number in range(first, first + len(tasks)):
                tasks |= (await self._task_page({**query, "page": number, "page_size": 1}))[0]
        return tasks, ids["total"]

    async def _page_of_ids(self, query: Query) -> _IdPage:
        """Returns the ids of the tasks on a page that the server cannot write."""
        where = {name: query[name] for name in ("project", "page", "page_size")}
        try:
            return await self._http.ask(
                "GET", "/api/tasks/", _IDS, once=True, query={"include": "id", **where}
            )
        except BrokenError as error:
            raise UnreadableProjectError(
                f"{error}. The server fails on the tasks of project {where['project']}: somebody "
                "may have overwritten the data of one. Open them there, find it, and delete it."
            ) from error


def _storable_json(value: Any) -> Any:
    """Returns JSON values without lone surrogates, which would make a project unreadable."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, Mapping):
        return {without_surrogates(str(key)): _storable_json(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_storable_json(part) for part in value]
    return value
