"""Files of weights, known by what is in them."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path


def file_hash(file: Path) -> str:
    """Returns the hash of what is in a file, which is read once as long as it stays the same."""
    about = file.stat()
    return _hash_of(file, about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=32)
def _hash_of(file: Path, _size: int, _written: int) -> str:
    """Returns the hash of a file of that size, written then."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
