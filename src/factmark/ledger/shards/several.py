"""Several ledgers read as one: merged into a temporary one, once for all who ask."""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from pathlib import Path

from factmark.files.temporary import temporary_folder
from factmark.ledger.shards.merge import ledger_paths, merge_ledgers

_State = tuple[tuple[Path, int, int], ...]
_merged: dict[_State, Path] = {}
_folders = ExitStack()
atexit.register(_folders.close)


def as_one(pattern: Path) -> Path:
    """Returns the ledger that a pattern names, or a temporary one of all that it names, which is
    there until the process ends.

    Raises:
        LedgerError: as `merge_ledgers`; nothing has such a name.
    """
    paths = ledger_paths([pattern])
    if len(paths) == 1:
        return paths[0]
    state = tuple(_state(path) for path in paths)
    if state not in _merged:
        folder = _folders.enter_context(temporary_folder())
        merge_ledgers(paths, folder / "merged.db")
        _merged[state] = folder / "merged.db"
    return _merged[state]


def _state(path: Path) -> tuple[Path, int, int]:
    """Returns what changes when a ledger is written, also where SQLite has not moved it yet into
    the file itself."""
    size = 0
    newest = 0
    for file in (path, path.with_name(f"{path.name}-wal")):
        if file.exists():
            now = file.stat()
            size += now.st_size
            newest = max(newest, now.st_mtime_ns)
    return path.resolve(), size, newest
