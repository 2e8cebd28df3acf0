"""What a Label Studio server tells of users, projects, tasks and annotations.

The names are the server's. What people typed is kept as it came: the server checks next to nothing
(neither labels nor controls), so those who read `result` must.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AwareDatetime, Field, FiniteFloat, TypeAdapter


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """Someone with an account on the server. Every user sees every other's e-mail address."""

    id: int
    email: str
    first_name: str = ""
    last_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A box of tasks. Titles need not be unique.

    Attributes:
        expert_instruction: what annotators see when they open the project; HTML is rendered.
        task_number: tasks in it; None where the server left it out (just after creation).
        total_annotations_number: annotations in it, skipped ones left out.
    """

    id: int
    title: str
    description: str | None = None
    label_config: str = ""
    expert_instruction: str | None = None
    created_at: AwareDatetime
    task_number: int | None = None
    total_annotations_number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """What somebody submitted for a task. An update overwrites it; the server keeps no history.

    Attributes:
        completed_by: id of the user whose annotation it is; any user may claim any id.
        updated_by: id of the user who wrote it last, set by the server. Where it differs from
            `completed_by`, somebody else changed it; None where it was imported, by anybody.
        lead_time: seconds in the editor, added up over visits; told by the browser, so any number.
        result: the list of regions and choices, unchecked.
        was_cancelled: whether the task was skipped.
    """

    id: int
    completed_by: int | None
    updated_by: int | None
    created_at: AwareDatetime
    updated_at: AwareDatetime
    lead_time: float | None = None
    result: Any
    was_cancelled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One thing to annotate.

    Attributes:
        inner_id: its number within the project, from 1, in the order of import; sequential
            sampling goes by `id`, which grows with it.
        is_labeled: whether it has as many annotations as the project wants.
    """

    id: int
    inner_id: int | None = None
    is_labeled: bool = False
    data: Mapping[str, Any]
    annotations: tuple[Annotation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """All tasks of a project with all annotations, in the order of their ids.

    Attributes:
        unreadable: ids of tasks on which the server itself fails. Any user can bring that about:
            by an infinite `lead_time`, or a lone surrogate in a result or in task data.
    """

    tasks: tuple[Task, ...]
    unreadable: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of the tasks of a project, and how many there are."""

    total: int = Field(ge=0)
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ids:
    """The ids of some tasks."""

    total: int = Field(ge=0)
    tasks: tuple[Mapping[str, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Projects:
    """Some of the projects, and how many there are."""

    count: int = Field(ge=0)
    results: tuple[Project, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import made: the ids of the new tasks, in the order given."""

    task_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The server's release."""

    release: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Invite:
    """The path of the page where newcomers sign up."""

    invite_url: Annotated[str, Field(pattern=r"^/[^/\\\s][^\\\s]*$|^https?://\S+$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """An access token, made from a personal token."""

    access: Annotated[str, Field(pattern=r"^[\w-]+\.[\w-]+\.[\w-]+$")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """When a token was made and when it ends, in seconds of the server's clock."""

    iat: FiniteFloat
    exp: FiniteFloat


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """A model's opinion of a task."""

    id: int
    task: int
    model_version: str | None = None
    result: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Something that the server made."""

    id: int


ACCESS = TypeAdapter(Access)
IDS = TypeAdapter(Ids)
IMPORTED = TypeAdapter(Imported)
INVITE = TypeAdapter(Invite)
MADE = TypeAdapter(Made)
PAGE = TypeAdapter(Page)
PREDICTIONS = TypeAdapter(tuple[Prediction, ...])
PROJECT = TypeAdapter(Project)
PROJECTS = TypeAdapter(Projects)
TIMES = TypeAdapter(Times)
USER = TypeAdapter(User)
USERS = TypeAdapter(tuple[User, ...])
VERSION = TypeAdapter(Version)
