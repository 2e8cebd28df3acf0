"""The index of a graph in a folder: made once, made anew where its file or its settings changed."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import islice
from pathlib import Path

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import path_to_open, unreadable
from factmark.graph_answers.core.question_words import name_keys
from factmark.graph_answers.core.records import RetrievalLimits
from factmark.graph_answers.index.graph import VECTORS, StoredGraph
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graph_answers.index.passages import is_open, write_passages
from factmark.graph_answers.index.writing import GraphWriter
from factmark.graphs.core.claims import WORDINGS, claim
from factmark.graphs.core.ontology import Ontology
from factmark.graphs.core.opaque_names import UNREADABLE, UnreadableEnds
from factmark.graphs.triples.aliases import read_aliases
from factmark.graphs.triples.nodes.node_tables import may_be_nodes
from factmark.graphs.triples.triples import read_triples
from factmark.model import content_hash
from factmark.passages.embedders import Embedder, unit_vectors
from factmark.passages.index import Progress, no_progress
from factmark.passages.index_folder import Manifest, digests, open_or_make, store_errors
from factmark.passages.passage_file import Passages, read_passages
from factmark.passages.vectors import VectorWriter

VERSION = "graph-5"  # raise it when the same rows would be indexed otherwise
_BATCH = 1_000
_NAMED_BESIDE = "A table with their ids and names in the folder of the graph is read with it."


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphSource:
    """Where the triples of an index come from, and what else its nodes are called.

    Attributes:
        path, columns: as for `read_triples`.
        passages: a file with the texts of passages that triples name by their ids.
        aliases: a file of other names, see `read_aliases`.
        ontology: its synonyms become names of nodes; its identity tells it from others.
    """

    path: Path
    columns: Mapping[str, str] = field(default_factory=dict)
    encoding: str = "utf-8"
    passages: Path | None = None
    aliases: Path | None = None
    ontology: Ontology | None = None
    ontology_identity: str = ""

    def settings(self, embedder: Embedder | None) -> str:
        """All but the triples that could change the index."""
        aliases = ""
        if self.aliases:
            aliases = _digest(self.aliases)
        how = "lexical"
        if embedder:
            how = embedder.identity
        rest = [dict(self.columns), self.encoding, aliases, self.ontology_identity]
        if self.passages:
            rest.append(_digest(self.passages))
        return f"{how} {content_hash(*rest)[:12]}"


async def open_graph_index(
    source: GraphSource,
    folder: Path,
    *,
    embedder: Embedder | None = None,
    limits: RetrievalLimits | None = None,
    wordings: Mapping[str, str] = WORDINGS,
    progress: Progress = no_progress,
) -> TripleIndex:
    """The index of a graph, made where it is missing or of something else.

    Args:
        embedder: where given, triples are ranked by their vectors too, and both rankings fused.
        progress: told what is done, how far it is, and of how much (0 where that is not known).

    Raises:
        FactmarkError: the file cannot be read, it holds no triple, the embedder fails, or the
            folder cannot be used.
    """
    search = source.settings(embedder)
    content = cache(partial(_digest, source.path))  # taken before the file is read

    def fits(old: Manifest) -> bool:
        if any(UNREADABLE in note for note in old.notes) and _has_newer_names(source.path, folder):
            return False
        return (old.version, old.search, old.content) == (VERSION, search, content())

    async def make(place: Path, _: Manifest | None) -> Manifest:
        problems = Problems()
        await asyncio.to_thread(content)
        return Manifest(
            generation=place.name,
            source="triples",
            version=VERSION,
            search=search,
            content=content(),
            chunks=await asyncio.to_thread(_write, place, source, problems, progress),
            dimensions=0 if embedder is None else await _embed(place, embedder, progress),
            notes=list(problems.sentences()),
            files=await asyncio.to_thread(digests, place),
        )

    def opened(place: Path, manifest: Manifest, notes: tuple[str, ...]) -> TripleIndex:
        return TripleIndex(
            StoredGraph(place),
            f"{search} of {manifest.content[:12]}",
            limits=limits,
            wordings=wordings,
            notes=(*notes, *manifest.notes),
            embedder=embedder,
        )

    return await open_or_make(folder, fits, make, opened)


def _has_newer_names(path: Path, folder: Path) -> bool:
    """Whether a table beside a graph is newer than the index in a folder, so that it may name what
    only a database could read."""
    kept = folder / "manifest.json"
    if path.is_dir() or not kept.is_file():
        return False
    beside = filter(may_be_nodes, path.parent.iterdir())
    return any(file.stat().st_mtime > kept.stat().st_mtime for file in beside)


def _write(folder: Path, source: GraphSource, problems: Problems, progress: Progress) -> int:
    """Writes the triples of the file; how many rows they were.

    Raises:
        InputError: it cannot be read, or holds none.
    """
    aliases: dict[str, dict[str, None]] = {}
    if source.aliases:
        for name, alias in read_aliases(source.aliases, Problems(), source.encoding):
            aliases.setdefault(" ".join(name_keys(name)), {})[alias] = None
    triples = read_triples(source.path, problems, columns=source.columns, encoding=source.encoding)
    with store_errors(folder.parent):
        writer = GraphWriter(folder, ontology=source.ontology, aliases=aliases)
    ends = UnreadableEnds()
    while batch := list(islice(triples, _BATCH)):  # read apart: its errors are its own
        for triple in batch:
            ends.add(triple.head, triple.relation, triple.tail)
        with store_errors(folder.parent):
            writer.add(batch)
        progress("indexing", writer.count, 0)
    if not writer.count:
        why = " ".join(problems.sentences())
        raise InputError(f"{source.path}: holds no triple. {why}".strip())
    if sentence := ends.sentence("triples"):
        problems.remarks.append(f"{sentence} {_NAMED_BESIDE}")
    with store_errors(folder.parent):
        writer.finish()
    progress("indexing", writer.count, writer.count)
    graph = StoredGraph(folder)
    if is_open(graph):
        with _passages_of(source) as passages, store_errors(folder.parent):
            write_passages(folder, graph, passages.get)
    return writer.count


def _passages_of(source: GraphSource) -> Passages:
    """Returns the texts of passages: of their file, and of the triples' own.

    Raises:
        InputError: a file cannot be read.
    """
    problems = Problems()  # what is odd in these files is noted where they are read first
    passages = Passages()
    if source.passages:
        passages = read_passages(source.passages, problems, encoding=source.encoding)
    for triple in read_triples(
        source.path, problems, columns=source.columns, encoding=source.encoding
    ):
        if triple.passage_id and triple.passage:
            passages.add(triple.passage_id, triple.passage)
    return passages


async def _embed(folder: Path, embedder: Embedder, progress: Progress) -> int:
    """Writes the vectors of the triples as they read in plain language; their dimensions."""
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
        with store_errors(folder.parent):
            await asyncio.to_thread(vectors.add, table)
    with store_errors(folder.parent):
        await asyncio.to_thread(vectors.finish)
    return vectors.dimensions


def _digest(path: Path) -> str:
    """Returns the hash of a file; for a folder the hash of all its files.

    Raises:
        InputError: it cannot be read.
    """
    try:
        if path.is_dir():
            return content_hash(digests(path))
        with path_to_open(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from error
