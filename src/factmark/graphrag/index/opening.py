"""Opens the index of a graph in a folder: made once, and added to where its file has grown."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from tokenize import TokenError

from factmark.errors import StoreError
from factmark.graphrag.core.contexts import Limits
from factmark.graphrag.index.index import TripleIndex
from factmark.graphrag.index.making import MOST_PARTS, GraphSource, Making, segments_of
from factmark.graphrag.index.manifest import FORMAT, GraphManifest, sizes
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.wordings import WORDINGS
from factmark.passages.embedders import Embedder
from factmark.passages.index_folder import UNREADABLE, IndexFolder
from factmark.passages.retrieval import Progress, silent


async def open_graph_index(
    source: GraphSource,
    folder: Path,
    *,
    embedder: Embedder | None = None,
    limits: Limits | None = None,
    wordings: Mapping[str, str] = WORDINGS,
    progress: Progress = silent,
) -> TripleIndex:
    """The index of a graph, made where it is missing or of something else.

    Where lines were added to the end of a table, only these are indexed. One process at a time
    works on a folder; another waits, and opens what was made.

    Args:
        embedder: where given, triples are ranked by their vectors too, and both rankings fused.
        progress: told what is done, how far it is, and of how much (0 where that is not known).

    Raises:
        FactmarkError: the file cannot be read, it holds no triple, the embedder fails, or the
            folder cannot be used.
    """
    kept = IndexFolder(folder)
    making = Making(kept, source, embedder, progress)
    async with kept.locked():
        old, damage = await asyncio.to_thread(_found, kept)
        if old and not damage and old.settings == source.settings(embedder):
            manifest = await making.current(old)
            try:
                return await asyncio.to_thread(
                    _opened, kept.path, manifest, embedder, limits, wordings
                )
            except StoreError:
                damage = "its files cannot be read"
        manifest = await making.anew(old)
        index = await asyncio.to_thread(_opened, kept.path, manifest, embedder, limits, wordings)
        if damage:
            index.notes = (f"the index was damaged and made anew: {damage}", *index.notes)
        return index


async def add_triples(
    folder: Path,
    source: GraphSource,
    triples: Iterable[Triple],
    *,
    embedder: Embedder | None = None,
    progress: Progress = silent,
) -> int:
    """Adds triples to an index without making it anew; how many it did not have.

    They stay when the source's file changes.

    Raises:
        StoreError: there is no index of this source in the folder.
    """
    kept = IndexFolder(folder)
    making = Making(kept, source, embedder, progress)
    async with kept.locked():
        old, damage = await asyncio.to_thread(_found, kept)
        if old is None or damage or old.settings != source.settings(embedder):
            raise StoreError(f"{folder}: holds no index to add to{damage and f' ({damage})'}.")
        if len(old.parts) >= MOST_PARTS:
            old = await making.anew(old)
        return await making.more(old, triples)


def _found(kept: IndexFolder) -> tuple[GraphManifest | None, str]:
    """The manifest, and what is wrong with it or its files; what killed processes left goes."""
    found = kept.read(GraphManifest)
    if not isinstance(found, GraphManifest):
        kept.clear(but=())
        return None, found or ""
    kept.clear(but=found.generations)
    if found.format != FORMAT:
        return None, ""
    if any(sizes(kept.path / part.generation) != part.files for part in found.parts):
        return found, "its files are damaged or missing"
    return found, ""


def _opened(
    path: Path,
    manifest: GraphManifest,
    embedder: Embedder | None,
    limits: Limits | None,
    wordings: Mapping[str, str],
) -> TripleIndex:
    try:
        return TripleIndex(
            segments_of(path, manifest.parts),
            f"{manifest.settings} of {manifest.identity}",
            limits=limits,
            wordings=wordings,
            notes=tuple(manifest.notes),
            embedder=embedder,
        )
    except (*UNREADABLE, TokenError) as error:  # numpy raises that for a broken head of a file
        raise StoreError(
            f"{path}: the index cannot be opened ({error}). Remove the folder and try again."
        ) from error
