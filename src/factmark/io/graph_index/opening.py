"""Opens the index of a graph in a folder: made once, and added to where its file has grown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from factmark.errors import InputError, StoreError
from factmark.graphs.claims import Triple, claim
from factmark.graphs.contexts import Limits
from factmark.graphs.linking import name_keys
from factmark.graphs.ontology import Ontology
from factmark.graphs.wordings import WORDINGS
from factmark.io.aliases import read_aliases
from factmark.io.graph_index.graph import Graph
from factmark.io.graph_index.index import TripleIndex
from factmark.io.graph_index.manifest import (
    FORMAT,
    GraphManifest,
    Part,
    has_grown,
    is_same,
    looked_at,
    sizes,
)
from factmark.io.graph_index.segment import VECTORS, Segment
from factmark.io.graph_index.writing import SegmentWriter
from factmark.io.index.embedders import Embedder, unit_vectors
from factmark.io.index.folder import UNREADABLE, IndexFolder, writing
from factmark.io.index.vectors import VectorWriter
from factmark.io.problems import Problems
from factmark.io.triples import read_triples
from factmark.model import content_hash

VERSION = 1  # raise it when the same rows would be indexed otherwise
_MOST_PARTS = 8  # segments; with one more all are made into one
_BATCH = 1_000
Progress = Callable[[str, int, int], None]


def _silent(stage: str, done: int, total: int) -> None:
    """Tells nobody."""


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
        aliases = looked_at(self.aliases, 0).digest if self.aliases else ""
        how = embedder.identity if embedder else "lexical"
        told = [VERSION, dict(self.columns), self.encoding, aliases, self.ontology_identity]
        return f"{how} {content_hash(*told)[:12]}"


async def open_graph_index(
    source: GraphSource,
    folder: Path,
    *,
    embedder: Embedder | None = None,
    limits: Limits | None = None,
    wordings: Mapping[str, str] = WORDINGS,
    progress: Progress = _silent,
) -> TripleIndex:
    """The index of a graph, made where it is missing or of something else.

    Where lines were added to the end of the file, only these are indexed. One process at a time
    works on a folder; another waits, and opens what was made.

    Args:
        embedder: where given, triples are ranked by their vectors too, and both rankings fused.
        progress: told what is done, how far it is, and of how much (0 where that is not known).

    Raises:
        FactmarkError: the file cannot be read, it holds no triple, the embedder fails, or the
            folder cannot be used.
    """
    kept = IndexFolder(folder)
    async with kept.locked():
        old, damage = await asyncio.to_thread(_usable, kept, source, embedder)
        if old is None or not await asyncio.to_thread(_is_current, source.path, old):
            old = await _renewed(kept, old, source, embedder, progress)
        told = [f"the index was damaged and made anew: {damage}"] if damage else []
        return await asyncio.to_thread(
            _opened, kept.path, old, embedder, limits, wordings, (*told, *old.notes)
        )


async def add_triples(
    folder: Path,
    source: GraphSource,
    triples: Iterable[Triple],
    *,
    embedder: Embedder | None = None,
    progress: Progress = _silent,
) -> int:
    """Adds triples to an index without making it anew; how many it did not have.

    They are lost when the source's file changes otherwise than by growing.

    Raises:
        StoreError: there is no index of this source in the folder.
    """
    kept = IndexFolder(folder)
    async with kept.locked():
        old, damage = await asyncio.to_thread(_usable, kept, source, embedder)
        if old is None:
            raise StoreError(f"{folder}: holds no index to add to{damage and f' ({damage})'}.")
        made = await _written(kept, old.parts, triples, source, embedder, progress)
        manifest = old.model_copy(update={"parts": [*old.parts, made], "added": old.added + 1})
        await asyncio.to_thread(_publish, kept, manifest)
        return made.triples


def _usable(
    kept: IndexFolder, source: GraphSource, embedder: Embedder | None
) -> tuple[GraphManifest | None, str]:
    """The manifest of whole files that fits the settings, and what is wrong with one that does
    not; what killed processes left goes."""
    found = kept.read(GraphManifest)
    if isinstance(found, str):
        kept.clear(but=())
        return None, found
    kept.clear(but=found.generations if found else ())
    if found is None or found.format != FORMAT or found.settings != source.settings(embedder):
        return None, ""
    for part in found.parts:
        if sizes(kept.path / part.generation) != part.files:
            return None, "its files are damaged or missing"
    return found, ""


def _is_current(path: Path, manifest: GraphManifest) -> bool:
    return manifest.file is not None and is_same(path, manifest.file)


def _opened(
    path: Path,
    manifest: GraphManifest,
    embedder: Embedder | None,
    limits: Limits | None,
    wordings: Mapping[str, str],
    notes: tuple[str, ...],
) -> TripleIndex:
    try:
        return TripleIndex(
            _segments(path, manifest.parts),
            f"{manifest.settings} of {manifest.identity}",
            limits=limits,
            wordings=wordings,
            notes=notes,
            embedder=embedder,
        )
    except UNREADABLE as error:
        raise StoreError(
            f"{path}: the index cannot be opened ({error}). Remove the folder and try again."
        ) from error


def _segments(path: Path, parts: Iterable[Part]) -> list[Segment]:
    return [Segment(path / part.generation, part.first) for part in parts]


async def _renewed(
    kept: IndexFolder,
    old: GraphManifest | None,
    source: GraphSource,
    embedder: Embedder | None,
    progress: Progress,
) -> GraphManifest:
    """Reads the file, or what was added to it."""
    problems = Problems()
    rest = (
        old is not None
        and old.file is not None
        and len(old.parts) < _MOST_PARTS
        and await asyncio.to_thread(has_grown, source.path, old.file)
    )
    before = old if rest else None
    parts = before.parts if before else []
    seen = before.file.read if before and before.file else 0
    counted = _Counted(
        read_triples(source.path, problems, columns=source.columns, encoding=source.encoding)
    )
    made = await _written(kept, parts, islice(counted, seen, None), source, embedder, progress)
    if not parts and not made.triples:
        raise InputError(
            f"{source.path}: holds no triple. {' '.join(problems.sentences())}".strip()
        )
    manifest = GraphManifest(
        format=FORMAT,
        settings=source.settings(embedder),
        file=await asyncio.to_thread(looked_at, source.path, counted.count),
        parts=[*parts, made],
        added=before.added if before else 0,
        notes=list(problems.sentences()),
    )
    await asyncio.to_thread(_publish, kept, manifest)
    return manifest


class _Counted:
    """Triples, counted as they are read."""

    def __init__(self, triples: Iterator[Triple]) -> None:
        self._triples = triples
        self.count = 0

    def __iter__(self) -> Iterator[Triple]:
        for triple in self._triples:
            self.count += 1
            yield triple


def _publish(kept: IndexFolder, manifest: GraphManifest) -> None:
    with writing(kept.path):
        kept.publish(manifest, but=manifest.generations)


async def _written(
    kept: IndexFolder,
    parts: list[Part],
    triples: Iterable[Triple],
    source: GraphSource,
    embedder: Embedder | None,
    progress: Progress,
) -> Part:
    """A new segment after some others."""
    made: Path | None = None
    done = False
    try:
        with writing(kept.path):
            made = kept.new_generation()
        part = await asyncio.to_thread(_segment, kept.path, made, parts, triples, source, progress)
        if embedder is not None:
            await _embedded(made, part, parts, kept.path, embedder, progress)
        with writing(kept.path):
            files = await asyncio.to_thread(sizes, made)
        done = True
        return part.model_copy(update={"files": files})
    finally:
        if made is not None and not done:
            kept.drop_unpublished(made)


def _segment(
    path: Path,
    made: Path,
    parts: list[Part],
    triples: Iterable[Triple],
    source: GraphSource,
    progress: Progress,
) -> Part:
    before = Graph(_segments(path, parts))
    first = sum(part.nodes for part in parts)
    aliases = _aliases(source.aliases) if source.aliases else {}
    with writing(path):
        writer = SegmentWriter(
            made, first=first, known=before.node, ontology=source.ontology, aliases=aliases
        )
    rest = iter(triples)
    try:
        while batch := list(islice(rest, _BATCH)):  # read apart, so that its errors are its own
            with writing(path):
                writer.add(batch)
            progress("indexing", writer.count, 0)
        with writing(path):
            found = writer.finish(before.has)
    finally:
        writer.close()
    progress("indexing", writer.count, writer.count)
    return Part(
        generation=made.name,
        first=first,
        nodes=found["nodes"],
        triples=found["triples"],
        files={},
    )


def _aliases(path: Path) -> dict[str, tuple[str, ...]]:
    """Other names by the key of the name."""
    found: dict[str, dict[str, None]] = {}
    for name, alias in read_aliases(path, Problems()):
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
    graph = Graph([*_segments(path, parts), Segment(made, part.first)])
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
