"""What an index of a graph was made of, and whether its file has only grown since."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from factmark.errors import InputError

FORMAT = 1
BY_LINE = (".csv", ".tsv", ".tab", ".jsonl", ".ndjson")
"""Kinds of files that can grow at their end without a change of what stands before. A line of RDF
may say something of all others: a label, a source."""
_READ = 1 << 20


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class File(_Record):
    """A file as it was when it was read.

    Attributes:
        read: triples that were read from it, those that stand twice among them.
        whole: whether it ended with a line's end, so that lines could follow.
    """

    size: int
    modified: int
    digest: str
    read: int
    whole: bool


class Part(_Record):
    """A segment.

    Attributes:
        first: the number of its first node.
        files: path within its folder -> size in bytes.
    """

    generation: str
    first: int
    nodes: int
    triples: int
    files: dict[str, int]


class GraphManifest(_Record):
    """What an index was made of.

    Attributes:
        settings: how rows were read and named: columns, encoding, ontology, aliases, embedder.
        added: the digest of what was added that is in no file; empty where nothing was.
        notes: what was odd in what was read.
    """

    format: int
    settings: str
    file: File
    parts: list[Part]
    added: str
    notes: list[str]

    @property
    def generations(self) -> list[str]:
        """The folders of the segments."""
        return [part.generation for part in self.parts]

    @property
    def identity(self) -> str:
        """Whose triples these are: the digest of the file, and of what was added to it."""
        told = self.file.digest[:12]
        return f"{told}+{self.added[:12]}" if self.added else told


def sizes(folder: Path) -> dict[str, int]:
    """The files of a segment; what tantivy locks or notes for itself is not among them."""
    return {
        file.relative_to(folder).as_posix(): file.stat().st_size
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not file.name.endswith((".lock", ".managed.json"))
    }


def looked_at(path: Path) -> File:
    """A file as it is now; of a folder all files in it.

    Raises:
        InputError: it cannot be read.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    try:
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file())
            digest = hashlib.sha256()
            for file in files:
                digest.update(f"{file.relative_to(path)}\0{_digest(file)}\0".encode())
            size = sum(file.stat().st_size for file in files)
            latest = max((file.stat().st_mtime_ns for file in files), default=0)
            return File(size=size, modified=latest, digest=digest.hexdigest(), read=0, whole=False)
        told = path.stat()
        with path.open("rb") as opened:
            if told.st_size:
                opened.seek(-1, 2)
            whole = opened.read(1) == b"\n" and path.suffix.casefold() in BY_LINE
        return File(
            size=told.st_size,
            modified=told.st_mtime_ns,
            digest=_digest(path),
            read=0,
            whole=whole,
        )
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error


def is_same(path: Path, file: File) -> bool:
    """Whether a file is as it was: untouched, or else with the same content."""
    if not path.is_dir() and path.is_file():
        told = path.stat()
        if (told.st_size, told.st_mtime_ns) == (file.size, file.modified):
            return True
        if told.st_size != file.size:
            return False
    return looked_at(path).digest == file.digest


def has_grown(path: Path, file: File) -> bool:
    """Whether a file has only got more lines at its end."""
    if not file.whole or not path.is_file() or path.stat().st_size <= file.size:
        return False
    return _digest(path, file.size) == file.digest


def _digest(path: Path, most: int | None = None) -> str:
    digest = hashlib.sha256()
    left = path.stat().st_size if most is None else most
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(_READ, left))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest()
