"""The folder of an index: a manifest that names a generation of files, and a lock.

    FOLDER/manifest.json    what the index was made of, and the digest of each of its files
    FOLDER/g-1f0c.../       the files, written before the manifest that names them
    FOLDER/lock             held while an index is opened or made

A new index is written as a new generation; replacing the manifest makes it the current one, at
once. What a killed process left is removed by the next one that holds the lock.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import sqlite3
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from factmark.errors import StoreError
from factmark.files.text_files import write_text

FORMAT = 1
_MANIFEST, _LOCK = "manifest.json", "lock"
_GENERATION = re.compile(r"g-[0-9a-f]{16}")
_OURS = re.compile(r"manifest\.json|lock|g-[0-9a-f]{16}|\.manifest\.json\..*")
_PASSING = re.compile(r"\.manifest\.json\..*|.*\.lock|\.managed\.json")
_POLL = 0.05
M = TypeVar("M", bound=BaseModel)
_READ_ONLY = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


class Manifest(BaseModel):
    """What an index was made of.

    Attributes:
        generation: the name of the folder of its files.
        source: whose texts these are.
        content: digest of all texts with their ids and titles, in order.
        version: of how texts were made; with `search` it says what would be made again.
        files: path within the generation -> SHA-256.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: int
    generation: str
    source: str
    version: str
    search: str
    content: str
    chunks: int
    dimensions: int
    notes: list[str]
    files: dict[str, str]


class IndexFolder:
    """One index on disk.

    Raises:
        StoreError: the folder cannot be used, or holds other things than an index.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            if not path.is_dir():
                path.mkdir(parents=True, exist_ok=True)
            names = [entry.name for entry in path.iterdir()]
            alone = names == [_MANIFEST]  # with no lock or generation beside it, another program's
            strange = [name for name in names if alone or not _OURS.fullmatch(name)]
        except OSError as error:
            raise _unusable(path, error) from error
        if strange:
            raise StoreError(
                f"{path} holds other things than an index ({sorted(strange)[0]!r}). Choose an "
                "empty folder for the index."
            )

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[Self]:
        """Waits until no other process uses the folder, and keeps others out.

        An index in a place where nothing can be written is opened without a lock.
        """
        try:
            handle = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if error.errno in _READ_ONLY and (self.path / _MANIFEST).is_file():
                yield self
                return
            raise _unusable(self.path, error) from error
        try:
            while not _taken(handle):  # noqa: ASYNC110  # another process lets go of it
                await asyncio.sleep(_POLL)
            yield self
        finally:
            os.close(handle)

    def read(self, kind: type[M]) -> M | str | None:
        """The manifest, as it was published; what is wrong with it; None where there is none."""
        try:
            text = (self.path / _MANIFEST).read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError):
            return "its manifest cannot be read"
        try:
            return kind.model_validate_json(text)
        except ValidationError:
            return "its manifest is damaged or of another version"

    def manifest(self) -> Manifest | str | None:
        """The manifest of whole files; what is wrong with them; None where there is none."""
        manifest = self.read(Manifest)
        if not isinstance(manifest, Manifest):
            return manifest
        if manifest.format != FORMAT or not _GENERATION.fullmatch(manifest.generation):
            return "its manifest is of another version"
        try:
            held = digests(self.path / manifest.generation)
        except OSError:
            return "its files cannot be read"
        wrong = sorted(name for name, digest in manifest.files.items() if held.get(name) != digest)
        return f"its file {wrong[0]} is damaged or missing" if wrong else manifest

    def drop_unpublished(self, generation: Path) -> None:
        """Removes a generation that no manifest names."""
        try:
            named = generation.name in (self.path / _MANIFEST).read_text("utf-8", "replace")
        except OSError:
            named = False
        if not named:
            shutil.rmtree(generation, ignore_errors=True)

    def new_generation(self) -> Path:
        """An empty folder for the files of a new index; what others left behind goes now."""
        path = self.path / f"g-{secrets.token_hex(8)}"
        path.mkdir()
        return path

    def publish(self, manifest: BaseModel, *, but: Collection[str]) -> None:
        """Makes some generations the current ones and removes all others."""
        write_text(self.path / _MANIFEST, manifest.model_dump_json(indent=1) + "\n")
        self.clear(but=but)

    def clear(self, *, but: Collection[str]) -> None:
        """Removes all generations but some, and what was left half-written."""
        for entry in self.path.iterdir():
            if _GENERATION.fullmatch(entry.name) and entry.name not in but:
                shutil.rmtree(entry, ignore_errors=True)
            elif entry.name.startswith(f".{_MANIFEST}."):
                with contextlib.suppress(OSError):  # where it stands, nothing may be writable
                    entry.unlink(missing_ok=True)


UNREADABLE = (OSError, ValueError, RuntimeError, sqlite3.Error)
"""What SQLite, tantivy, faiss and others raise for files that they cannot read or write."""


@contextmanager
def writing(place: Path) -> Iterator[None]:
    """Raises StoreError where files cannot be written, whichever library finds out."""
    try:
        yield
    except UNREADABLE as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise StoreError(
            f"{place}: the index cannot be written ({reason or error}). Free some space, or choose "
            "another folder."
        ) from error


def digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of each file below a folder; what programs lock or note for themselves is not
    among them."""
    named = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not _PASSING.fullmatch(file.name):
            with file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            named[file.relative_to(folder).as_posix()] = digest
    return named


def _taken(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _unusable(path: Path, error: OSError) -> StoreError:
    reason = error.strerror or str(error)
    return StoreError(f"{path}: no index can be kept there ({reason}). Choose another folder.")
