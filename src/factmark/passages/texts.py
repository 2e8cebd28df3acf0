"""Chunks by number in one SQLite file: written once, then read a few at a time."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path

from factmark.files.text_files import without_surrogates
from factmark.model import Chunk

_SCHEMA = """
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
  catalogue INTEGER NOT NULL
);
CREATE INDEX of_catalogue ON chunks (number) WHERE catalogue = 1;
"""
_AT_ONCE = 500


class ChunkWriter:
    """Makes the file. Numbers follow the order of adding, from 0."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = OFF")
        self._connection.execute("PRAGMA synchronous = OFF")
        self._connection.executescript(_SCHEMA)
        self.count = 0

    def add(self, chunks: Iterable[tuple[Chunk, bool]]) -> None:
        """Adds chunks, each with whether it is of the catalogue."""
        rows = [
            (number, *map(without_surrogates, (chunk.id, chunk.title, chunk.text)), int(catalogue))
            for number, (chunk, catalogue) in enumerate(chunks, start=self.count)
        ]
        self._connection.executemany("INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", rows)
        self.count += len(rows)

    def finish(self) -> None:
        """Writes what was added; nothing can be added after it."""
        self._connection.commit()
        self._connection.close()

    def close(self) -> None:
        """Closes the file, finished or not; may be called twice."""
        self._connection.close()


class ChunkTexts:
    """Reads the file. Safe to use from several threads.

    Raises:
        sqlite3.Error: it is no such file.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        self.count: int = self._connection.execute("SELECT COUNT(*) FROM chunks").fetchone()[0]

    def get(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Some chunks by their numbers."""
        found: dict[int, Chunk] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            part = numbers[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            found |= self._read(f"WHERE number IN ({marks})", part)
        return found

    def stretch(self, start: int, stop: int) -> list[Chunk]:
        """The chunks from one number to before another."""
        return list(
            self._read("WHERE number >= ? AND number < ? ORDER BY number", (start, stop)).values()
        )

    def catalogue(self) -> tuple[Chunk, ...]:
        """Those that describe the whole, in their order."""
        return tuple(self._read("WHERE catalogue = 1 ORDER BY number", ()).values())

    def close(self) -> None:
        """Closes the file; may be called twice."""
        self._connection.close()

    def _read(self, where: str, values: Sequence[int]) -> dict[int, Chunk]:
        query = f"SELECT number, id, title, text FROM chunks {where}"  # noqa: S608  # no values
        with self._lock:
            rows = self._connection.execute(query, values).fetchall()
        return {row[0]: Chunk(id=row[1], title=row[2], text=row[3]) for row in rows}
