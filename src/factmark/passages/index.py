"""An index of passages: made from a store, kept on disk, made anew when something changed."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from factmark.errors import InputError
from factmark.files.text_files import without_surrogates
from factmark.http.async_tools import Closing
from factmark.model import Chunk
from factmark.passages.embedders import Search, unit_vectors
from factmark.passages.index_folder import (
    IndexFolder,
    Manifest,
    digests,
    open_or_make,
    store_errors,
)
from factmark.passages.lexical import Hit, LexicalIndex, LexicalWriter, fuse_rankings
from factmark.passages.vectors import Floats, VectorIndex, VectorWriter

_TEXTS = "chunks.db"
_WORDS = "words"
_VECTORS = "vectors.faiss"
_BATCH = 1_000
_DEPTH = 50  # of each ranking that is fused
_SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE chunks (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, text TEXT NOT NULL,
  catalogue INTEGER NOT NULL
);
CREATE INDEX of_catalogue ON chunks (number) WHERE catalogue = 1;
"""
_AT_ONCE = 500


Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def no_progress(_what: str, _done: int, _total: int) -> None:
    """Ignores how far the work is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedChunk:
    """A chunk, and whether it describes the whole (datasets) rather than a single thing in it."""

    chunk: Chunk
    catalogue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageSource:
    """Where passages come from.

    Attributes:
        identity: whose they are: never a credential or a path.
        version: changes when the same data would give other passages.
        settled: whether the same identity means the same passages, so that they need not be read
            again to know.
        passages: reads them.
        notes: what was left out; complete when they were read.
    """

    identity: str
    version: str
    settled: bool
    passages: Callable[[Progress], AsyncIterator[IndexedChunk]]
    notes: list[str] = field(default_factory=list)


async def open_index_of(
    source: PassageSource, folder: Path, search: Search, *, progress: Progress = no_progress
) -> Index:
    """Returns the index of passages in a folder, made where it is missing or no longer fits.

    Passages that may have changed are read again; the index stays where they are the very same.

    Raises:
        FactmarkError: passages cannot be read, the embedder fails, or the folder cannot be used.
    """

    def fits(old: Manifest) -> bool:
        made_of = (source.identity, source.version, search.identity)
        return source.settled and (old.source, old.version, old.search) == made_of

    async def make(place: Path, old: Manifest | None) -> Manifest:
        with store_errors(folder):
            content, count = await _write_chunks(place / _TEXTS, source, progress)
            made_of = (content, source.version, search.identity)
            if old and (old.content, old.version, old.search) == made_of:
                changed = {"source": source.identity, "notes": list(source.notes)}
                return old.model_copy(update=changed)
            return Manifest(
                generation=place.name,
                source=source.identity,
                version=source.version,
                search=search.identity,
                content=content,
                chunks=count,
                dimensions=await _build_indices(place, count, search, progress),
                notes=list(source.notes),
                files=await asyncio.to_thread(digests, place),
            )

    return await open_or_make(folder, fits, make, partial(Index, search=search))


def open_made_index(folder: Path, search: Search, option: str) -> Index:
    """Returns the index that a folder holds; a folder that holds none stays as it is.

    Args:
        option: that named the folder.

    Raises:
        InputError: it holds none, or one that is searched otherwise.
        StoreError: it cannot be opened.
    """
    is_index = (folder / "manifest.json").is_file()
    manifest = None
    if is_index:
        manifest = IndexFolder(folder).read_manifest()
    if not isinstance(manifest, Manifest):
        why = "holds no index of passages"
        if manifest:
            why = f"cannot be used: {manifest}"
        raise InputError(
            f"{option} {folder}: {why}. `factmark rag build` makes one; or name a file."
        )
    if search.identity != manifest.search:
        raise InputError(
            f"{option} {folder}: is searched by {manifest.search}. Say how by --embedder."
        )
    with store_errors(folder):
        return Index(folder / manifest.generation, manifest, (), search=search)


async def _write_chunks(path: Path, source: PassageSource, progress: Progress) -> tuple[str, int]:
    """Writes the passages to a file as they are read; returns their digest and number."""
    digest = hashlib.sha256()
    count = 0
    rows: list[tuple[object, ...]] = []
    with closing(sqlite3.connect(path, check_same_thread=False)) as db:
        db.executescript(_SCHEMA)

        async def write() -> None:
            await asyncio.to_thread(
                db.executemany, "INSERT INTO chunks VALUES (?, ?, ?, ?, ?)", rows
            )
            rows.clear()

        async for passage in source.passages(progress):
            chunk = passage.chunk
            parts = (chunk.id, chunk.title, chunk.text)
            line = json.dumps((*parts, passage.catalogue), ensure_ascii=False) + "\n"
            digest.update(line.encode("utf-8", "surrogatepass"))
            rows.append((count, *map(without_surrogates, parts), int(passage.catalogue)))
            count += 1
            if len(rows) >= _BATCH:
                await write()
        await write()
        await asyncio.to_thread(db.commit)
    return digest.hexdigest(), count


async def _build_indices(folder: Path, count: int, search: Search, progress: Progress) -> int:
    """Makes the indices of a file of texts; returns the length of the vectors, 0 without any."""
    words = None
    if search.lexical:
        words = LexicalWriter(folder / _WORDS)
    vectors = None
    if search.embedder:
        vectors = VectorWriter(folder / _VECTORS, count)
    texts = ChunkTexts(folder / _TEXTS)
    try:
        for start in range(0, count, _BATCH):
            chunks = await asyncio.to_thread(texts.stretch, start, start + _BATCH)
            if words is not None:
                pairs = [(chunk.title, chunk.text) for chunk in chunks]
                await asyncio.to_thread(words.add, pairs)
            if vectors is not None and search.embedder is not None:
                table = await unit_vectors(
                    search.embedder,
                    [f"{chunk.title}\n{chunk.text}" for chunk in chunks],
                    dimensions=vectors.dimensions,
                    step=lambda done, start=start: progress("embedding", start + done, count),  # type: ignore[misc]  # bound now
                )
                await asyncio.to_thread(vectors.add, table)
            progress("indexing", min(count, start + _BATCH), count)
        for writer in (words, vectors):
            if writer is not None:
                await asyncio.to_thread(writer.finish)
    finally:
        texts.close()
    if vectors is not None:
        return vectors.dimensions
    return 0


class Index(Closing):
    """Passages to be looked up; implements `factmark.ask.chat.Retriever`.

    Args:
        place: the folder of its files; `open_index_of` gives the others.

    Raises:
        OSError, ValueError, RuntimeError, sqlite3.Error: the files are no index.
    """

    def __init__(
        self, place: Path, manifest: Manifest, notes: tuple[str, ...], *, search: Search
    ) -> None:
        self._manifest = manifest
        self._search = search
        self.notes = (*notes, *manifest.notes)
        self._texts = ChunkTexts(place / _TEXTS)
        self._words = LexicalIndex(place / _WORDS) if search.lexical else None
        self._vectors = VectorIndex(place / _VECTORS) if search.embedder else None

    def __len__(self) -> int:
        return self._texts.count

    @property
    def identity(self) -> str:
        """The texts, where they come from, and how they are searched."""
        index = self._manifest
        return f"{index.search} over {index.chunks} chunks {index.content[:12]} of {index.source}"

    async def search(self, question: str, k: int) -> tuple[Chunk, ...]:
        """The k best passages, best first; fewer where no more have anything of the question.

        Raises:
            EndpointError: the question cannot be embedded, since its server is gone.
            InputError: nor by a local model.
        """
        if k < 1 or not len(self):
            return ()
        vector: Floats | None = None
        if self._search.embedder is not None:
            asked = await unit_vectors(
                self._search.embedder,
                [question],
                dimensions=self._manifest.dimensions,
                zeros=True,
            )
            vector = None
            if asked.any():
                vector = asked[0]
        return await asyncio.to_thread(self._search_both, question, vector, k)

    async def catalogue(self) -> tuple[Chunk, ...]:
        """The passages that describe the whole (datasets, not single patients), in fixed order."""
        return await asyncio.to_thread(self._texts.catalogue)

    async def close(self) -> None:
        """Closes the files; whoever opened the embedder closes that."""
        self._texts.close()

    def _search_both(self, question: str, vector: Floats | None, k: int) -> tuple[Chunk, ...]:
        """Returns the k best passages by words, by vectors, or by both rankings fused."""
        both = self._words is not None and self._vectors is not None
        if both:
            depth = max(_DEPTH, 5 * k)
        else:
            depth = k
        rankings: list[list[Hit]] = []
        if self._words is not None:
            rankings.append(self._words.search(question, depth))
        if self._vectors is not None:
            rankings.append([] if vector is None else self._vectors.search(vector, depth))
        if both:
            hits = fuse_rankings(rankings, k)
        else:
            hits = rankings[0]
        chunks = self._texts.get([number for _, number in hits])
        return tuple(replace(chunks[number], score=score) for score, number in hits)


class ChunkTexts:
    """Reads a file of chunks. Safe to use from several threads.

    Raises:
        sqlite3.Error: it is no such file.
    """

    def __init__(self, path: Path) -> None:
        self._lock = threading.Lock()
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        self.count: int = self._connection.execute("SELECT COUNT(*) FROM chunks").fetchone()[0]

    def get(self, numbers: Sequence[int]) -> dict[int, Chunk]:
        """Returns number -> chunk; numbers that no chunk has are left out."""
        chunks: dict[int, Chunk] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            part = numbers[start : start + _AT_ONCE]
            marks = ", ".join("?" * len(part))
            chunks |= self._read(f"WHERE number IN ({marks})", part)
        return chunks

    def stretch(self, start: int, stop: int) -> list[Chunk]:
        """Returns the chunks with numbers from `start` up to, not including, `stop`."""
        where = "WHERE number >= ? AND number < ? ORDER BY number"
        return list(self._read(where, (start, stop)).values())

    def catalogue(self) -> tuple[Chunk, ...]:
        """Returns the chunks that describe the whole, in their order."""
        return tuple(self._read("WHERE catalogue = 1 ORDER BY number", ()).values())

    def close(self) -> None:
        """Closes the file; may be called twice."""
        self._connection.close()

    def _read(self, where: str, values: Sequence[int]) -> dict[int, Chunk]:
        """Returns number -> chunk for a condition in SQL, a constant of this file."""
        query = f"SELECT number, id, title, text FROM chunks {where}"  # noqa: S608  # no values
        with self._lock:
            rows = self._connection.execute(query, values).fetchall()
        return {row[0]: Chunk(id=row[1], title=row[2], text=row[3]) for row in rows}
