"""The folder of an index: a manifest that names a generation of files, and a lock.

    FOLDER/manifest.json    what the index was made of, and the digest of each of its files
    FOLDER/g-1f0c.../       the files, written before the manifest that names them
    FOLDER/lock             held while an index is opened or made

A new index is written as a new generation; replacing the manifest makes it the current one, at
once. What a killed process left is removed by the next one that holds the lock.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from tokenize import TokenError
from typing import Annotated, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from factmark.errors import StoreError
from factmark.files.temporary import MARK, is_marked, mark, remove_marked
from factmark.files.text_files import write_text

_MANIFEST = "manifest.json"
_LOCK = "lock"
_GENERATION = re.compile(r"g-[0-9a-f]{16}")
_OURS = re.compile(
    r"manifest\.json|lock|g-[0-9a-f]{16}|\.manifest\.json\.[a-z0-9_]{8}|\.factmark-[0-9a-f]{32}"
)
_PASSING = re.compile(rf".*\.lock|\.managed\.json|{re.escape(MARK)}")
_POLL = 0.05
T = TypeVar("T")
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

    format: Literal[1] = 1
    generation: Annotated[str, Field(pattern=f"^{_GENERATION.pattern}$")]
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
            raise _unusable_folder(path, error) from error
        if strange:
            raise StoreError(
                f"{path} holds other things than an index ({sorted(strange)[0]!r}). Choose an "
                "empty folder for the index."
            )

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[Self]:
        """Waits until no other process uses the folder, and keeps others out for the block.

        An index in a place where nothing can be written is opened without a lock.
        """
        try:
            handle = os.open(self.path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            if error.errno in _READ_ONLY and (self.path / _MANIFEST).is_file():
                yield self
                return
            raise _unusable_folder(self.path, error) from error
        try:
            while not _try_lock(handle):  # noqa: ASYNC110  # another process lets go of it
                await asyncio.sleep(_POLL)
            yield self
        finally:
            os.close(handle)

    def read_manifest(self) -> Manifest | str | None:
        """Returns the manifest if all its files are whole; what is wrong with them in words; None
        without a manifest.
        """
        try:
            text = (self.path / _MANIFEST).read_text("utf-8")
            manifest = Manifest.model_validate_json(text)
        except FileNotFoundError:
            return None
        except ValidationError:
            return "its manifest is damaged or of another version"
        except (OSError, UnicodeDecodeError):
            return "its manifest cannot be read"
        try:
            held = digests(self.path / manifest.generation)
        except OSError:
            return "its files cannot be read"
        wrong = sorted(name for name, digest in manifest.files.items() if held.get(name) != digest)
        if wrong:
            return f"its file {wrong[0]} is damaged or missing"
        return manifest

    def drop_unpublished(self, generation: Path) -> None:
        """Removes a generation that no manifest names."""
        try:
            named = generation.name in (self.path / _MANIFEST).read_text("utf-8", "replace")
        except OSError:
            named = False
        if not named:
            shutil.rmtree(generation, ignore_errors=True)

    def clear(self, *, but: str | None, old: str | None = None) -> None:
        """Removes all generations but the one named `but`: those that carry our mark, and `old`,
        which a manifest named (earlier versions marked none).
        """
        for entry in self.path.iterdir():
            if entry.name == but or not _GENERATION.fullmatch(entry.name):
                continue
            if is_marked(entry):
                remove_marked(entry)
            elif entry.name == old and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)


UNREADABLE = (OSError, ValueError, RuntimeError, sqlite3.Error, TokenError)
"""What SQLite, tantivy, faiss, numpy and others raise for files that they cannot use."""


async def open_or_make(
    folder: Path,
    fits: Callable[[Manifest], bool],
    make: Callable[[Path, Manifest | None], Awaitable[Manifest]],
    opened: Callable[[Path, Manifest, tuple[str, ...]], T],
) -> T:
    """Returns the index in a folder, made where it is missing, damaged, or no longer fits.

    One process at a time works on a folder; another waits, and opens what was made.

    Args:
        fits: whether an index with this manifest is what is wanted.
        make: writes the files of a new index into an empty folder. It is given the manifest of the
            old one too, and may give that back where its files still do.
        opened: opens the files in a folder, with their manifest and what is to be told of them.

    Raises:
        StoreError: the folder cannot be used, or what was just made cannot be opened.
    """
    kept = IndexFolder(folder)
    async with kept.locked():
        manifest = await asyncio.to_thread(kept.read_manifest)
        if isinstance(manifest, str):
            damage, old = (manifest, None)
        else:
            damage, old = ("", manifest)
        if not damage:  # what killed processes left goes; a damaged index is made anew first
            kept.clear(but=old.generation if old else None)
        earlier = None
        if old:
            earlier = old.generation
        if old is not None and await asyncio.to_thread(fits, old):
            try:
                return await asyncio.to_thread(opened, folder / old.generation, old, ())
            except UNREADABLE as error:  # whole, but not of the libraries that are here now
                damage = f"it cannot be opened ({error})"
                old = None
        place = folder / f"g-{secrets.token_hex(8)}"
        with store_errors(folder):
            place.mkdir()
        try:
            with store_errors(folder):
                mark(place)
            new = await make(place, old)
            with store_errors(folder):
                write_text(folder / _MANIFEST, new.model_dump_json(indent=1) + "\n")
                kept.clear(but=new.generation, old=earlier)
        finally:
            kept.drop_unpublished(place)
        notes: tuple[str] | tuple[()] = ()
        if damage:
            notes = (f"the index was damaged and made anew: {damage}",)
        try:
            return await asyncio.to_thread(opened, folder / new.generation, new, notes)
        except UNREADABLE as error:
            raise StoreError(
                f"{folder}: the index cannot be opened ({error}). Remove the folder and try again."
            ) from error


@contextmanager
def store_errors(place: Path) -> Iterator[None]:
    """Raises StoreError where files cannot be written in the block, whichever library finds out."""
    try:
        yield
    except UNREADABLE as error:
        reason = None
        if isinstance(error, OSError):
            reason = error.strerror
        raise StoreError(
            f"{place}: the index cannot be written ({reason or error}). Free some space, or choose "
            "another folder."
        ) from error


def digests(folder: Path) -> dict[str, str]:
    """Returns path -> SHA-256 of each file below a folder, without those that programs lock or
    write for themselves.
    """
    named = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not _PASSING.fullmatch(file.name):
            with file.open("rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
            named[file.relative_to(folder).as_posix()] = digest
    return named


def _try_lock(handle: int) -> bool:
    """Whether the lock of an open file was free; it is held then."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _unusable_folder(path: Path, error: OSError) -> StoreError:
    """Returns the error for a folder that cannot be used."""
    reason = error.strerror or str(error)
    return StoreError(f"{path}: no index can be kept there ({reason}). Choose another folder.")
