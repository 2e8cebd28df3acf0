"""A Label Studio server (1.2x, community edition): asked over HTTP, or started here."""

from __future__ import annotations

from factmark.io.labelstudio.client import LabelStudio
from factmark.io.labelstudio.local import LocalServer, running
from factmark.io.labelstudio.records import (
    Annotation,
    Project,
    Snapshot,
    Task,
    User,
)
from factmark.io.labelstudio.transport import LostAnswerError

__all__ = [
    "Annotation",
    "LabelStudio",
    "LocalServer",
    "LostAnswerError",
    "Project",
    "Snapshot",
    "Task",
    "User",
    "running",
]
