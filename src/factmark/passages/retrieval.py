"""An index of passages: made from a store, kept on disk, made anew when something changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from factmark.ask.closing import Closing
from factmark.errors import StoreError
from factmark.model import Chunk
from factmark.passages.embedders import Search, unit_vectors
from factmark.passages.index_folder import (
    FORMAT,
    UNREADABLE,
    IndexFolder,
    Manifest,
    digests,
    fold,
    passages_digest,
    writing,
)
from factmark.passages.lexical import LexicalIndex, LexicalWriter
from factmark.passages.ranking import Hit, fused
from factmark.passages.texts import ChunkTexts, ChunkWriter
from factmark.passages.vectors import Floats, VectorIndex, VectorWriter

_TEXTS, _WORDS, _VECTORS = "chunks.db", "words", "vectors.faiss"
_BATCH = 1_000
_DEPTH = 50  # of each ranking that is fused


Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""


def silent(_what: str, _done: int, _total: int) -> None:
    """Tells nobody how far it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk, and whether it describes the whole (datasets) rather than a single thing in it."""

    chunk: Chunk
    catalogue: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
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
    passages: Callable[[Progress], AsyncIterator[Passage]]
    notes: list[str] = field(default_factory=list)


async def open_index_of(
    source: Source, folder: Path, search: Search, *, progress: Progress = silent
) -> Index:
    """The index of passages in a folder, made where it is missing or no longer fits.

    One process at a time makes an index in a folder; another waits, and opens what was made.

    Raises:
        FactmarkError: passages cannot be read, the embedder fails, or the folder cannot be used.
    """
    kept = IndexFolder(folder)
    async with kept.locked():
        found = await asyncio.to_thread(kept.manifest)
        if not isinstance(
            found, str
        ):  # what killed processes left; a damaged one is made anew first
            kept.clear(but=(found.generation,) if found else ())
        damage = found if isinstance(found, str) else ""
        old = found if isinstance(found, Manifest) else None
        if old and source.settled and _fits(old, source, search):
            try:
                return await asyncio.to_thread(Index, kept.path, old, search)
            except UNREADABLE as error:  # whole, but not of the libraries that are here now
                damage, old = f"it cannot be opened ({error})", None
        manifest = await _renewed(kept, old, source, search, progress)
        told = (f"the index was damaged and made anew: {damage}",) if damage else ()
        try:
            return await asyncio.to_thread(Index, kept.path, manifest, search, told)
        except UNREADABLE as error:
            raise StoreError(
                f"{folder}: the index cannot be opened ({error}). Remove the folder and try again."
            ) from error


def _fits(manifest: Manifest, source: Source, search: Search) -> bool:
    return (manifest.source, manifest.version, manifest.search) == (
        source.identity,
        source.version,
        search.identity,
    )


async def _renewed(
    kept: IndexFolder, old: Manifest | None, source: Source, search: Search, progress: Progress
) -> Manifest:
    """Reads the passages; makes the index of them, unless the old one is of the very same."""
    made: Path | None = None
    try:
        with writing(kept.path):
            made = kept.new_generation()
        manifest = await _made(made, old, source, search, progress)
        with writing(kept.path):
            kept.publish(manifest, but=(manifest.generation,))
    finally:
        if made is not None:
            kept.drop_unpublished(made)
    return manifest


async def _made(
    made: Path, old: Manifest | None, source: Source, search: Search, progress: Progress
) -> Manifest:
    content, count = await _spooled(made / _TEXTS, source, progress)
    if old and (old.content, old.version, old.search) == (
        content,
        source.version,
        search.identity,
    ):
        return old.model_copy(update={"source": source.identity, "notes": list(source.notes)})
    dimensions = await _indexed(made, count, search, progress)
    with writing(made.parent):
        files = await asyncio.to_thread(digests, made)
    return Manifest(
        format=FORMAT,
        generation=made.name,
        source=source.identity,
        version=source.version,
        search=search.identity,
        content=content,
        chunks=count,
        dimensions=dimensions,
        notes=list(source.notes),
        files=files,
    )


async def _spooled(path: Path, source: Source, progress: Progress) -> tuple[str, int]:
    """Writes the passages to a file as they are read; their digest and how many they are."""
    place, digest = path.parent.parent, passages_digest()
    with writing(place):
        writer = ChunkWriter(path)
    batch: list[tuple[Chunk, bool]] = []
    try:
        async for passage in source.passages(progress):
            chunk = passage.chunk
            fold(digest, chunk.id, chunk.title, chunk.text, passage.catalogue)
            batch.append((chunk, passage.catalogue))
            if len(batch) >= _BATCH:
                with writing(place):
                    await asyncio.to_thread(writer.add, batch)
                batch = []
        with writing(place):
            await asyncio.to_thread(writer.add, batch)
            await asyncio.to_thread(writer.finish)
    finally:
        writer.close()
    return digest.hexdigest(), writer.count


def _embedded(progress: Progress, before: int, total: int, done: int) -> None:
    progress("embedding", before + done, total)


async def _indexed(made: Path, count: int, search: Search, progress: Progress) -> int:
    """Makes the indices of a file of texts; the dimensions of the vectors, 0 without any."""
    with writing(made.parent):
        texts = ChunkTexts(made / _TEXTS)
    try:
        with writing(made.parent):
            words = LexicalWriter(made / _WORDS) if search.lexical else None
            vectors = VectorWriter(made / _VECTORS) if search.embedder else None
        for start in range(0, count, _BATCH):
            chunks = await asyncio.to_thread(texts.stretch, start, start + _BATCH)
            if words is not None:
                with writing(made.parent):
                    await asyncio.to_thread(words.add, [(one.title, one.text) for one in chunks])
            if vectors is not None and search.embedder is not None:
                given = [f"{one.title}\n{one.text}" for one in chunks]
                step = partial(_embedded, progress, start, count)
                found = await unit_vectors(
                    search.embedder, given, dimensions=vectors.dimensions, step=step
                )
                with writing(made.parent):
                    await asyncio.to_thread(vectors.add, found)
            progress("indexing", min(count, start + _BATCH), count)
        for writer in (words, vectors):
            if writer is not None:
                with writing(made.parent):
                    await asyncio.to_thread(writer.finish)
    finally:
        texts.close()
    return vectors.dimensions if vectors is not None else 0


class Index(Closing):
    """Passages to be looked up; implements `factmark.runs.sources.Retriever`.

    Args:
        folder: of the index; `open_index` gives the others.

    Raises:
        OSError, ValueError, RuntimeError, sqlite3.Error: the files are no index.
    """

    def __init__(
        self, folder: Path, manifest: Manifest, search: Search, notes: tuple[str, ...] = ()
    ) -> None:
        self._manifest, self._search = manifest, search
        self.notes = (*notes, *manifest.notes)
        place = folder / manifest.generation
        self._texts = ChunkTexts(place / _TEXTS)
        self._words = LexicalIndex(place / _WORDS) if search.lexical else None
        self._vectors = VectorIndex(place / _VECTORS) if search.embedder else None

    def __len__(self) -> int:
        return self._texts.count

    @property
    def identity(self) -> str:
        """The texts, where they come from, and how they are searched."""
        made = self._manifest
        return f"{made.search} over {made.chunks} chunks {made.content[:12]} of {made.source}"

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
                self._search.embedder, [question],
                dimensions=self._manifest.dimensions, zeros=True,
            )  # fmt: skip
            vector = asked[0] if asked.any() else None
        return await asyncio.to_thread(self._found, question, vector, k)

    async def catalogue(self) -> tuple[Chunk, ...]:
        """The passages that describe the whole (datasets, not single patients), in fixed order."""
        return await asyncio.to_thread(self._texts.catalogue)

    async def close(self) -> None:
        """Closes the files; the embedder belongs to who opened it."""
        self._texts.close()

    def _found(self, question: str, vector: Floats | None, k: int) -> tuple[Chunk, ...]:
        both = self._words is not None and self._vectors is not None
        depth = max(_DEPTH, 5 * k) if both else k
        rankings: list[list[Hit]] = []
        if self._words is not None:
            rankings.append(self._words.search(question, depth))
        if self._vectors is not None:
            rankings.append([] if vector is None else self._vectors.search(vector, depth))
        hits = fused(rankings, k) if both else rankings[0]
        chunks = self._texts.get([number for _, number in hits])
        return tuple(replace(chunks[number], score=score) for score, number in hits)
