"""Work of another account on a folder that both can reach, and in another process namespace.

Only the administrator can test it; others skip.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

OWNER, COLLEAGUE = 61_001, 61_002

as_root = pytest.mark.skipif(
    os.name != "posix" or os.geteuid() != 0, reason="only root can work as two accounts"
)


NAMESPACE = ("unshare", "--pid", "--fork", "--kill-child", "--mount-proc")


def _can_unshare() -> bool:
    """Whether this account may make a process namespace."""
    try:
        return subprocess.run([*NAMESPACE, "true"], capture_output=True).returncode == 0
    except OSError:
        return False


with_namespaces = pytest.mark.skipif(
    not _can_unshare(), reason="this account may make no process namespace"
)


@contextmanager
def shared_folder(mode: int = 0o755) -> Iterator[Path]:
    """A folder of the owner's that everybody can reach."""
    folder = Path(tempfile.mkdtemp(prefix="factmark-accounts-"))
    try:
        os.chown(folder, OWNER, OWNER)
        folder.chmod(mode)
        yield folder
    finally:
        shutil.rmtree(folder)


def by(account: int, work: Callable[[], Any], *, killed: bool = False) -> Any:
    """What the work of an account returns, as JSON holds it, or the words of its error.

    It is done in a fork of this process, for the other account may not be able to read Python; so
    what the work imports has to be imported here. `killed` ends it without closing anything.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(account)
            os.setuid(account)
            os.umask(0o022)
            try:
                told = work()
            except BaseException as error:
                told = f"{type(error).__name__}: {error}"
            os.write(writing, json.dumps(told, default=str).encode())
            if killed:
                os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text)


def owners(folder: Path) -> dict[str, int]:
    """Name -> account, of the files in a folder."""
    return {path.name: path.stat().st_uid for path in folder.iterdir()}
