"""The index of a graph in a folder: made once, made anew where its file or its settings changed."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from tokenize import TokenError
from typing import Any

from pydantic import BaseModel, ConfigDict

from factmark.errors import InputError, StoreError
from factmark.files.problems import Problems
from factmark.graphrag.core.question_words import name_keys
from factmark.graphrag.core.records import RetrievalLimits
from factmark.graphrag.index.graph import VECTORS, StoredGraph
from factmark.graphrag.index.lookup import TripleIndex
from factmark.graphrag.index.writing import GraphWriter
from factmark.graphs.core.claims import WORDINGS, claim
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.triples.aliases import read_aliases
from factmark.graphs.triples.triples import read_triples
from factmark.model import content_hash
from factmark.passages.embedders import Embedder, unit_vectors
from factmark.passages.index import Progress, silent
from factmark.passages.index_folder import UNREADABLE, IndexFolder, writing
from factmark.passages.vectors import VectorWriter

FORMAT = 2  # of the files on disk
VERSION = 1  # raise it when the same rows would be indexed otherwise
_BATCH = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSource:
    """Where the triples of an index come from, and what else its nodes are called.

    Attributes:
        path, columns: as for `read_triples`.
        aliases: a file of other names, see `read_aliases`.
        ontology: its synonyms become names of nodes; its identity tells it from others.
    """

    path: Path
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = "utf-8"
    aliases: Path | None = None
    ontology: Ontology | None = None
    ontology_identity: str = ""

    def settings(self, embedder: Embedder | None) -> str:
        """All but the triples that could change the index."""
        aliases = _state(self.aliases)[2] if self.aliases else ""
        how = embedder.identity if embedder else "lexical"
        rest = [VERSION, dict(self.columns), self.encoding, aliases, self.ontology_identity]
        return f"{how} {content_hash(*rest)[:12]}"


class GraphManifest(BaseModel):
    """What an index was made of.

    Attributes:
        settings: how rows were read and named: columns, encoding, ontology, aliases, embedder.
        size, modified, digest: the file, as it was before it was read.
        notes: what was odd in it.
        files: path within the generation -> size in bytes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    format: int
    generation: str
    settings: str
    size: int
    modified: int
    digest: str
    notes: list[str]
    files: dict[str, int]


async def open_graph_index(
    source: GraphSource,
    folder: Path,
    *,
    embedder: Embedder | None = None,
    limits: RetrievalLimits | None = None,
    wordings: Mapping[str, str] = WORDINGS,
    progress: Progress = silent,
) -> TripleIndex:
    """The index of a graph, made where it is missing or of something else.

    One process at a time works on a folder; another waits, and opens what was made.

    Args:
        embedder: where given, triples are ranked by their vectors too, and both rankings fused.
        progress: told what is done, how far it is, and of how much (0 where that is not known).

    Raises:
        FactmarkError: the file cannot be read, it holds no triple, the embedder fails, or the
            folder cannot be used.
    """
    kept = IndexFolder(folder)
    opened = partial(_opened, kept.path, embedder=embedder, limits=limits, wordings=wordings)
    async with kept.locked():
        old, damage = await asyncio.to_thread(_found, kept)
        if old and old.settings == source.settings(embedder):
            try:
                if await asyncio.to_thread(_is_same, source.path, old):
                    return await asyncio.to_thread(opened, old)
            except StoreError:
                damage = "its files cannot be read"
        manifest = await _make(kept, source, embedder, progress)
        index = await asyncio.to_thread(opened, manifest)
        if damage:
            index.notes = (f"the index was made anew: {damage}", *index.notes)
        return index


def _found(kept: IndexFolder) -> tuple[GraphManifest | None, str]:
    """The manifest of whole files, or what is wrong; what killed processes left goes."""
    manifest = kept.read(GraphManifest)
    if not isinstance(manifest, GraphManifest):
        kept.clear(but=())
        return None, manifest or ""
    kept.clear(but=(manifest.generation,))
    if manifest.format != FORMAT:
        return None, ""
    if _sizes(kept.path / manifest.generation) != manifest.files:
        return None, "its files are damaged or missing"
    return manifest, ""


def _opened(path: Path, manifest: GraphManifest, **settings: Any) -> TripleIndex:
    try:
        return TripleIndex(
            StoredGraph(path / manifest.generation),
            f"{manifest.settings} of {manifest.digest[:12]}",
            notes=tuple(manifest.notes),
            **settings,
        )
    except (*UNREADABLE, TokenError) as error:  # numpy raises that for a broken head of a file
        raise StoreError(
            f"{path}: the index cannot be opened ({error}). Remove the folder and try again."
        ) from error


async def _make(
    kept: IndexFolder, source: GraphSource, embedder: Embedder | None, progress: Progress
) -> GraphManifest:
    """Writes the index of the file as it is now, and makes it the current one."""
    problems = Problems()
    # As it is before it is read: what comes in meanwhile makes it another file.
    size, modified, digest = await asyncio.to_thread(_state, source.path)
    with writing(kept.path):
        folder = kept.new_generation()
    try:
        await asyncio.to_thread(_write, folder, source, problems, progress)
        if embedder is not None:
            await _embed(folder, embedder, progress)
        with writing(kept.path):
            manifest = GraphManifest(
                format=FORMAT,
                generation=folder.name,
                settings=source.settings(embedder),
                size=size,
                modified=modified,
                digest=digest,
                notes=list(problems.sentences()),
                files=await asyncio.to_thread(_sizes, folder, sync=True),
            )
            kept.publish(manifest, but=(folder.name,))
        return manifest
    finally:
        kept.drop_unpublished(folder)


def _write(folder: Path, source: GraphSource, problems: Problems, progress: Progress) -> None:
    """Writes the triples of the file.

    Raises:
        InputError: it cannot be read, or holds none.
    """
    aliases: dict[str, dict[str, None]] = {}
    if source.aliases:
        for name, alias in read_aliases(source.aliases, Problems(), source.encoding):
            aliases.setdefault(" ".join(name_keys(name)), {})[alias] = None
    triples = read_triples(source.path, problems, columns=source.columns, encoding=source.encoding)
    with writing(folder.parent):
        writer = GraphWriter(folder, ontology=source.ontology, aliases=aliases)
    with closing(writer):
        while batch := list(islice(triples, _BATCH)):  # read apart: its errors are its own
            with writing(folder.parent):
                writer.add(batch)
            progress("indexing", writer.count, 0)
        if not writer.count:
            why = " ".join(problems.sentences())
            raise InputError(f"{source.path}: holds no triple. {why}".strip())
        with writing(folder.parent):
            writer.finish()
    progress("indexing", writer.count, writer.count)


async def _embed(folder: Path, embedder: Embedder, progress: Progress) -> None:
    """Writes the vectors of the triples as they read in plain language."""
    graph = StoredGraph(folder)
    vectors = VectorWriter(folder / VECTORS, graph.triples)

    def embedded(before: int, done: int) -> None:
        progress("embedding", before + done, graph.triples)

    for low in range(0, graph.triples, _BATCH):
        numbers = range(low, min(low + _BATCH, graph.triples))
        texts = [claim(graph.triple(number)) for number in numbers]
        table = await unit_vectors(
            embedder, texts, dimensions=vectors.dimensions, step=partial(embedded, low)
        )
        with writing(folder.parent):
            await asyncio.to_thread(vectors.add, table)
    with writing(folder.parent):
        await asyncio.to_thread(vectors.finish)


def _sizes(folder: Path, *, sync: bool = False) -> dict[str, int]:
    """The files of a generation, once they are on the disk for certain; what tantivy locks or notes
    for itself is not among them."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    for file in files if sync else ():
        with file.open("rb") as opened:
            os.fsync(opened.fileno())
    return {
        file.relative_to(folder).as_posix(): file.stat().st_size
        for file in files
        if not file.name.endswith((".lock", ".managed.json"))
    }


def _is_same(path: Path, manifest: GraphManifest) -> bool:
    """Whether a file is as it was: untouched, or else with the same content."""
    if path.is_file():
        now = path.stat()
        if now.st_size != manifest.size or now.st_mtime_ns == manifest.modified:
            return now.st_size == manifest.size
    return _state(path)[2] == manifest.digest


def _state(path: Path) -> tuple[int, int, str]:
    """Size, time of change and digest of a file; of a folder over all files in it.

    Raises:
        InputError: it cannot be read.
    """
    if not path.exists():
        raise InputError(f"{path}: there is no such file.")
    try:
        files = [path]
        if path.is_dir():
            files = sorted(file for file in path.rglob("*") if file.is_file())
        stats = [file.stat() for file in files]
        digest = _digest(path) if path.is_file() else ""
        if not digest:
            named = "".join(f"{file.relative_to(path)}\0{_digest(file)}\0" for file in files)
            digest = hashlib.sha256(named.encode()).hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
    modified = max((stat.st_mtime_ns for stat in stats), default=0)
    return sum(stat.st_size for stat in stats), modified, digest


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
