"""What is there for a while only: gone at the end, or, after a kill -9, at a later start.

Such a folder is recognised by a name that is only made here and by a mark inside, a file that
holds that name: a copy of the folder under another name, or a folder of a person's that is called
alike, is nobody's to remove. Its owner holds a lock on it, which ends with the process, however
that ends, and writes the mark once it has the lock; so what is marked and not locked has lost its
owner. A folder that was made and not yet marked when its process was killed stays, empty.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = ".factmark-made"
"""The file inside a folder of factmark's own that says so; see `mark`."""

_NAME = re.compile(r"\.?factmark-[0-9a-f]{32}")


@contextmanager
def temporary_folder(beside: Path | None = None) -> Iterator[Path]:
    """Yields a new empty folder, removed at the end, as are those whose owners are dead.

    Args:
        beside: where it is made; None for the system's folder of temporary files.

    Raises:
        OSError: it cannot be made.
    """
    if beside is None:
        parent = Path(tempfile.gettempdir())
    else:
        parent = beside
    remove_orphans(parent)
    folder = parent / f"{'' if beside is None else '.'}factmark-{secrets.token_hex(16)}"
    folder.mkdir(0o700)
    handle = try_lock(folder)
    try:
        if handle is not None:
            mark(folder)
        (folder / "content").mkdir()
        yield folder / "content"
    finally:
        remove_marked(folder)  # what a library still writes there goes later
        if handle is not None:
            os.close(handle)


def remove_orphans(parent: Path) -> None:
    """Removes the temporary folders in `parent` that killed processes of this user left."""
    with contextlib.suppress(OSError):
        for folder in [path for path in parent.iterdir() if _NAME.fullmatch(path.name)]:
            if is_marked(folder) and (handle := try_lock(folder)) is not None:
                if is_marked(folder):  # still: its owner may have removed it meanwhile
                    remove_marked(folder)
                os.close(handle)


def mark(folder: Path) -> None:
    """Writes the mark into a folder: that factmark made it, and under which name."""
    (folder / MARK).write_text(f"made by factmark: {folder.name}\n", "utf-8")


def is_marked(folder: Path) -> bool:
    """Whether it is a folder (no link) that this user's factmark made and named so."""
    try:
        ours = os.name != "posix" or folder.lstat().st_uid == os.getuid()
        real = not folder.is_symlink() and not (folder / MARK).is_symlink()
        text = ""
        if (folder / MARK).is_file():
            text = (folder / MARK).read_text("utf-8")
    except (OSError, ValueError):
        return False
    return ours and real and text == f"made by factmark: {folder.name}\n"


def remove_marked(folder: Path) -> None:
    """Removes what is in a folder, then its mark, then the folder. What cannot be removed stays,
    with the mark, for a later start.
    """
    clear(folder)
    with contextlib.suppress(OSError):
        if [path.name for path in folder.iterdir()] == [MARK]:
            (folder / MARK).unlink()
        folder.rmdir()


def clear(folder: Path) -> None:
    """Removes what is in a folder except its mark; links, not what they point to."""
    with contextlib.suppress(OSError):
        for path in [path for path in folder.iterdir() if path.name != MARK]:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)


def try_lock(folder: Path) -> int | None:
    """Returns an open handle that holds the folder's lock; None if another process has it or the
    system has no locks.
    """
    if os.name != "posix":
        return None
    import fcntl

    try:
        handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
