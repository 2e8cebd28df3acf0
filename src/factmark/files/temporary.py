"""What is there for a while only: gone at the end, or, after a kill -9, at a later start.

Its owner holds a lock on it, which ends with the process, however that ends.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PREFIX = "factmark-"
_YOUNG = 60.0  # seconds in which it may have been made and not been locked yet


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A new folder, removed at the end, as are those whose owners are dead."""
    remove_orphans(Path(tempfile.gettempdir()), _PREFIX)
    kept = tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
    with kept as name, owned(Path(name)):  # what a library still writes there goes later
        yield Path(name)


@contextmanager
def owned(path: Path) -> Iterator[None]:
    """Holds the lock that keeps `remove_orphans` of any process from a file or folder."""
    handle = _locked(path)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def remove_orphans(folder: Path, prefix: str) -> None:
    """Removes this user's files and folders of that prefix that nobody owns any more."""
    with contextlib.suppress(OSError):
        for path in [path for path in folder.iterdir() if path.name.startswith(prefix)]:
            _remove_orphan(path)


def _remove_orphan(path: Path) -> None:
    with contextlib.suppress(OSError):
        status = path.lstat()
        ours = os.name == "posix" and status.st_uid == os.getuid()
        if not ours or status.st_mtime > time.time() - _YOUNG:
            return
        handle = _locked(path)
        if handle is None:
            return
        try:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink()
        finally:
            os.close(handle)


def _locked(path: Path) -> int | None:
    """An open handle with the lock; None where another has it or the system has none."""
    if os.name != "posix":
        return None
    import fcntl

    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
