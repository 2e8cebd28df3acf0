"""A Label Studio server (1.2x, community edition): asking it over HTTP, and starting a local one."""

from __future__ import annotations

from factmark.io.labelstudio.client import LabelStudio
from factmark.io.labelstudio.local import LocalServer, running
from factmark.io.labelstudio.records import (
    Annotation,
    Draft,
    Project,
    Snapshot,
    Task,
    User,
)
from factmark.io.labelstudio.transport import LostAnswerError

__all__ = [
    "Annotation",
    "Draft",
    "LabelStudio",
    "LocalServer",
    "LostAnswerError",
    "Project",
    "Snapshot",
    "Task",
    "User",
    "running",
]
