"""Passages by id, from a file of their own; held on disk, so that millions cost little memory."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Self

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.rows import (
    broken_bytes_reason,
    check_file,
    has_broken_bytes,
    header_of,
    read_rows,
)
from factmark.files.temporary import temporary_folder
from factmark.files.text_files import too_long_reason
from factmark.model import Chunk
from factmark.passages.lexical import LexicalIndex, LexicalWriter
from factmark.text.shown_text import first_names

if TYPE_CHECKING:  # slow to import, and few files of passages become an index
    from factmark.passages.index import IndexedChunk, PassageSource, Progress

_ID_NAMES = ("id", "passage_id", "pmid", "doc_id", "document_id", "_id")
_TEXT_NAMES = ("text", "passage", "abstract", "content", "body")
_BATCH = 10_000
_HELD = 32  # passages that are asked for mostly stand together


class Passages:
    """Texts by id, in an SQLite database without a name: it lies in memory while it is small, else
    in a temporary file of its own, gone when it is closed."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("")
        self._recent = lru_cache(maxsize=_HELD)(self._get)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA page_size = 16384")  # holds most passages whole
        self._database.execute("CREATE TABLE passages (id TEXT PRIMARY KEY, text TEXT)")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._database.execute("SELECT count(*) FROM passages").fetchone()[0])

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Id and text of each, by id."""
        yield from self._database.execute("SELECT id, text FROM passages ORDER BY id")

    def close(self) -> None:
        """Closes the database, which is then gone."""
        self._database.close()

    def get(self, name: str) -> str | None:
        """Returns the passage of that id, or None."""
        return self._recent(name)

    def _get(self, name: str) -> str | None:
        """Reads the passage of that id."""
        row = self._database.execute("SELECT text FROM passages WHERE id = ?", (name,)).fetchone()
        if row is None:
            return None
        return str(row[0])

    def add(self, name: str, text: str) -> bool:
        """Adds a passage; returns False if there is one of that id already, which stays."""
        self._recent.cache_clear()
        done = self._database.execute("INSERT OR IGNORE INTO passages VALUES (?, ?)", (name, text))
        return done.rowcount == 1


class PassageSearch:
    """Passages found by words, BM25; the index, made at the first search, is a temporary folder."""

    def __init__(self, passages: Passages) -> None:
        self._passages = passages
        self._stack = ExitStack()
        self._names: list[str] = []
        self._index: LexicalIndex | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def nearest(self, words: str) -> str | None:
        """Returns the id of the passage that the words fit best, or None where none shares any."""
        if self._index is None:
            place = self._stack.enter_context(temporary_folder()) / "index"
            self._names = [name for name, _ in self._passages]
            writer = LexicalWriter(place)
            writer.add(("", text) for _, text in self._passages)
            writer.finish()
            self._index = LexicalIndex(place)
        best = self._index.search(words, 1)
        if best:
            return self._names[best[0][1]]
        return None


def read_passages(path: Path, problems: Problems, *, encoding: str = "utf-8") -> Passages:
    """Reads `id` and `text` of passages from CSV, TSV, JSON Lines or Parquet.

    Of two passages with the same id the first counts; the other is told. Bad rows are counted.

    Raises:
        InputError: for a file that cannot be read, or without these columns.
    """
    check_file(path)
    header = header_of(path, encoding)
    id_name = usual_column(path, header, _ID_NAMES)
    text_name = usual_column(path, header, _TEXT_NAMES)
    passages = Passages()
    for where, row in read_rows(path, problems, encoding):
        name = row.get(id_name)
        text = row.get(text_name)
        id = ""
        if name is not None:
            id = str(name).strip()
        if not id:
            problems.drop("passage without id", where)
        elif not isinstance(text, str) or not text.strip():
            problems.drop("passage without text", where)
        elif why := too_long_reason(text):
            problems.drop("passage too long", where, why)
        elif has_broken_bytes(id) or has_broken_bytes(text):
            problems.drop("broken characters", where, broken_bytes_reason(id + text))
        elif not passages.add(id, text):
            problems.drop("passage id twice", where, f"{id!r} stands before")
    return passages


def source_of_file(path: Path, *, encoding: str = "utf-8") -> PassageSource:
    """Returns the passages of a file, to be made an index of (`open_index_of`).

    A file with the same bytes and name is not read again.

    Raises:
        InputError: for a file that cannot be read; without an id and a text, when it is read.
    """
    from factmark.passages.index import IndexedChunk, PassageSource

    check_file(path)
    with path.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
    notes: list[str] = []

    async def passages(progress: Progress) -> AsyncIterator[IndexedChunk]:
        problems = Problems()
        with read_passages(path, problems, encoding=encoding) as read:
            notes.extend(problems.sentences())
            total = len(read)
            for done, (name, text) in enumerate(read, 1):
                yield IndexedChunk(chunk=Chunk(id=name, title="", text=text))
                if done % _BATCH == 0 or done == total:
                    progress("reading passages", done, total)

    return PassageSource(
        identity=path.name,
        version=f"{digest} {encoding}",
        settled=True,
        passages=passages,
        notes=notes,
    )


def usual_column(path: Path, header: Sequence[str], usual: Sequence[str]) -> str:
    """The first of some usual names that is a column of the table; InputError if none is."""
    by_name = {}
    for name in header:
        by_name[name.casefold().replace(" ", "_")] = name
    known = next((name for name in usual if name in by_name), "")
    if known:
        return by_name[known]
    raise InputError(
        f"{path}, line 1: no column {usual[0]!r}. Found: {first_names(header)}. "
        f"Rename one to {usual[0]!r}; also known are {', '.join(usual[1:])}."
    )
