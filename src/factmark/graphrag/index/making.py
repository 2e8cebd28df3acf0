"""Makes the segments of a graph's index: of a file, of what it grew by, of what is in no file."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphrag.index.graph import Graph
from factmark.graphrag.index.manifest import (
    FORMAT,
    GraphManifest,
    Part,
    has_grown,
    is_same,
    looked_at,
    sizes,
)
from factmark.graphrag.index.segment import VECTORS, Segment
from factmark.graphrag.index.writing import SegmentWriter
from factmark.graphs.core.claims import Triple, claim
from factmark.graphs.core.linking import name_keys
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.triples.aliases import read_aliases
from factmark.graphs.triples.triples import read_triples
from factmark.model import content_hash
from factmark.passages.embedders import Embedder, unit_vectors
from factmark.passages.index_folder import IndexFolder, writing
from factmark.passages.retrieval import Progress
from factmark.passages.vectors import VectorWriter

VERSION = 1  # raise it when the same rows would be indexed otherwise
MOST_PARTS = 16  # segments; with one more all are made into one
ADDED = "added.jsonl"  # beside a segment of triples that stand in no file
_BATCH = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSource:
    """Where the triples of an index come from, and what else its nodes are called.

    Attributes:
        path: as for `read_triples`.
        columns: field of `Triple` -> column of the file.
        aliases: a file of other names, see `read_aliases`.
        ontology: its synonyms become names of nodes.
        ontology_identity: what tells one ontology from another.
    """

    path: Path
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = "utf-8"
    aliases: Path | None = None
    ontology: Ontology | None = None
    ontology_identity: str = ""

    def settings(self, embedder: Embedder | None) -> str:
        """All but the triples that could change the index."""
        aliases = looked_at(self.aliases).digest if self.aliases else ""
        how = embedder.identity if embedder else "lexical"
        told = [VERSION, dict(self.columns), self.encoding, aliases, self.ontology_identity]
        return f"{how} {content_hash(*told)[:12]}"


class Making:
    """Writes segments into a folder that is locked."""

    def __init__(
        self,
        kept: IndexFolder,
        source: GraphSource,
        embedder: Embedder | None,
        progress: Progress,
    ) -> None:
        self._kept, self._source = kept, source
        self._embedder, self._progress = embedder, progress

    async def current(self, old: GraphManifest) -> GraphManifest:
        """The index of the file as it is now."""
        path, file = self._source.path, old.file
        if await asyncio.to_thread(is_same, path, file):
            return old
        if len(old.parts) >= MOST_PARTS or not await asyncio.to_thread(has_grown, path, file):
            return await self.anew(old)
        return await self._from_file(old.parts, file.read, old.added, ())

    async def anew(self, old: GraphManifest | None) -> GraphManifest:
        """The index of the file, and of what was added besides to an older index."""
        if old is None:
            return await self._from_file([], 0, "", ())
        files = [
            file
            for part in old.parts
            if (file := self._kept.path / part.generation / ADDED).is_file()
            and file.stat().st_size == part.files.get(ADDED)
        ]
        return await self._from_file([], 0, old.added if files else "", files)

    async def more(self, old: GraphManifest, triples: Iterable[Triple]) -> int:
        """Adds triples to an index; how many it did not have."""
        part, digest = await self._segment(old.parts, triples, keep=True)
        if part is not None:
            parts, added = [*old.parts, part], content_hash(old.added, digest)
            self._publish(old.model_copy(update={"parts": parts, "added": added}))
        return part.triples if part else 0

    async def _from_file(
        self, parts: list[Part], seen: int, added: str, files: Sequence[Path]
    ) -> GraphManifest:
        """Indexes the file from a row on, then what was added to an older index."""
        source, problems = self._source, Problems()
        # As it is before it is read: what comes in meanwhile makes it another file.
        looked = await asyncio.to_thread(looked_at, source.path)
        read = _Counted(
            read_triples(source.path, problems, columns=source.columns, encoding=source.encoding)
        )
        made, _ = await self._segment(parts, islice(read, seen, None))
        if not parts and made is None:
            told = " ".join(problems.sentences())
            raise InputError(f"{source.path}: holds no triple. {told}".strip())
        now = [*parts, made] if made else parts
        if files:
            more, _ = await self._segment(now, _kept_triples(files), keep=True)
            now = [*now, more] if more else now
        manifest = GraphManifest(
            format=FORMAT,
            settings=source.settings(self._embedder),
            file=looked.model_copy(update={"read": read.count}),
            parts=now,
            added=added,
            notes=list(problems.sentences()),
        )
        self._publish(manifest)
        return manifest

    def _publish(self, manifest: GraphManifest) -> None:
        with writing(self._kept.path):
            self._kept.publish(manifest, but=manifest.generations)

    async def _segment(
        self, parts: list[Part], triples: Iterable[Triple], *, keep: bool = False
    ) -> tuple[Part | None, str]:
        """A new segment after some others; None where there is nothing new. And the digest of what
        went in.

        Args:
            keep: whether the triples stand in no file, and are written down beside the segment.
        """
        path = self._kept.path
        made: Path | None = None
        done = False
        try:
            with writing(path):
                made = self._kept.new_generation()
            part, digest = await asyncio.to_thread(self._written, made, parts, triples, keep)
            if not part.triples:
                return None, digest
            if self._embedder is not None:
                await _embedded(made, part, parts, path, self._embedder, self._progress)
            with writing(path):
                files = await asyncio.to_thread(_synced, made)
            done = True
            return part.model_copy(update={"files": files}), digest
        finally:
            if made is not None and not done:
                self._kept.drop_unpublished(made)

    def _written(
        self, made: Path, parts: list[Part], triples: Iterable[Triple], keep: bool
    ) -> tuple[Part, str]:
        path, source = self._kept.path, self._source
        earlier = Graph(segments_of(path, parts)) if parts else None
        aliases = _aliases(source.aliases, source.encoding) if source.aliases else {}
        rest, digest = iter(triples), ""
        with ExitStack() as stack:
            with writing(path):
                writer = SegmentWriter(
                    made, earlier=earlier, ontology=source.ontology, aliases=aliases
                )
                stack.callback(_quietly, writer.close)
                notes = (
                    stack.enter_context((made / ADDED).open("w", encoding="utf-8"))
                    if keep
                    else None
                )
            while batch := list(islice(rest, _BATCH)):  # read apart: its errors are its own
                with writing(path):
                    writer.add(batch)
                    if notes is not None:
                        lines = [json.dumps(asdict(triple)) for triple in batch]
                        notes.write("\n".join(lines) + "\n")
                        digest = content_hash(digest, lines)
                self._progress("indexing", writer.count, 0)
            with writing(path):
                if notes is not None:
                    notes.flush()
                count, nodes = writer.finish()
        self._progress("indexing", writer.count, writer.count)
        first = earlier.nodes if earlier else 0
        return Part(generation=made.name, first=first, nodes=nodes, triples=count, files={}), digest


def _quietly(close: Callable[[], None]) -> None:
    with suppress(OSError):  # of a full disk, which was told before
        close()


class _Counted:
    """Triples, counted as they are read."""

    def __init__(self, triples: Iterator[Triple]) -> None:
        self._triples = triples
        self.count = 0

    def __iter__(self) -> Iterator[Triple]:
        for triple in self._triples:
            self.count += 1
            yield triple


def _kept_triples(files: Iterable[Path]) -> Iterator[Triple]:
    """The triples that were written down beside segments."""
    for file in files:
        with file.open(encoding="utf-8") as lines:
            for line in lines:
                yield Triple(**json.loads(line))


def _synced(folder: Path) -> dict[str, int]:
    """The sizes of the files of a segment, once they are on the disk for certain."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
    return sizes(folder)


def _aliases(path: Path, encoding: str) -> dict[str, tuple[str, ...]]:
    """Other names by the key of the name."""
    found: dict[str, dict[str, None]] = {}
    for name, alias in read_aliases(path, Problems(), encoding):
        found.setdefault(" ".join(name_keys(name)), {})[alias] = None
    return {key: tuple(names) for key, names in found.items()}


async def _embedded(
    made: Path,
    part: Part,
    parts: list[Part],
    path: Path,
    embedder: Embedder,
    progress: Progress,
) -> None:
    """Writes the vectors of a segment's triples as they read in plain language."""
    graph = Graph([*segments_of(path, parts), Segment(made, part.first)])
    with writing(path):
        vectors = VectorWriter(made / VECTORS)
    start = graph.triples - part.triples
    for low in range(start, graph.triples, _BATCH):
        numbers = range(low, min(low + _BATCH, graph.triples))
        texts = [claim(graph.triple(number)) for number in numbers]
        step = partial(_told, progress, low - start, part.triples)
        found = await unit_vectors(embedder, texts, dimensions=vectors.dimensions, step=step)
        with writing(path):
            await asyncio.to_thread(vectors.add, found)
    with writing(path):
        await asyncio.to_thread(vectors.finish)


def _told(progress: Progress, before: int, total: int, done: int) -> None:
    progress("embedding", before + done, total)


def segments_of(path: Path, parts: Iterable[Part]) -> list[Segment]:
    """The segments of an index, in their order."""
    return [Segment(path / part.generation, part.first) for part in parts]
