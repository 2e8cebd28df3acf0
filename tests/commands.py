"""A command in this process: what it printed, and its exit status."""

from __future__ import annotations

import contextlib
import io
import os
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from shell import called


@dataclass(frozen=True)
class Done:
    """What became of a command."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object, cwd: Path | None = None, **environment: str) -> Done:
    """Runs `factmark ARGUMENTS` in a folder."""
    out, err = io.StringIO(), io.StringIO()
    variables = {"COLUMNS": "100", "NO_COLOR": "1", **environment}
    with (
        mock.patch.dict(os.environ, variables),
        contextlib.chdir(cwd or Path.cwd()),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        status = called(*map(str, arguments))
    return Done(status, out.getvalue(), err.getvalue())
