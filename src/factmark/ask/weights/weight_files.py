"""Files of weights, known by what is in them, and the cores that run them."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path

from factmark.errors import InputError

_GGUF = b"GGUF"  # the first bytes of such a file


def file_hash(file: Path) -> str:
    """Returns the hash of what is in a file, which is read once as long as it stays the same."""
    about = file.stat()
    return _hash_of(file, about.st_size, about.st_mtime_ns)


def gguf_hash(option: str, file: Path) -> str:
    """Returns the hash of what is in a GGUF file.

    Raises:
        InputError: there is no such file, or it is of another kind.
    """
    if not file.is_file():
        raise InputError(f"{option}: there is no such file. Nothing is downloaded.")
    with file.open("rb") as opened:
        if opened.read(len(_GGUF)) != _GGUF:
            raise InputError(
                f"{option}: is no GGUF file, which is the form of weights that llama.cpp reads."
            )
    return file_hash(file)[:32]


def usable_cores() -> int:
    """Returns how many cores this process may use."""
    known = hasattr(os, "sched_getaffinity")
    if known:
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@lru_cache(maxsize=32)
def _hash_of(file: Path, _size: int, _written: int) -> str:
    """Returns the hash of a file of that size, written then."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
