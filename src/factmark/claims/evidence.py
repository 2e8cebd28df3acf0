"""Evidence looked for in a corpus, for claims that bring none: the k best passages of an index."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from factmark.claims.core.claim_rows import ClaimRow
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.model import Chunk
from factmark.passages.embedders import open_search
from factmark.passages.index import Index
from factmark.passages.index_folder import IndexFolder, Manifest, store_errors
from factmark.passages.passage_file import PassageSearch, read_passages

Find = Callable[[str], Awaitable[Sequence[Chunk]]]
"""Given a claim, the passages that fit it best."""


async def with_evidence(
    rows: Sequence[ClaimRow], find: Find, *, step: Callable[[], None] = lambda: None
) -> list[ClaimRow]:
    """Returns the rows, each that has no passage with those that are found for it."""
    chunks: dict[str, Sequence[Chunk]] = {}
    complete = []
    for row in rows:
        if row.passage is None and row.unsplit is None:
            if row.text not in chunks:
                chunks[row.text] = await find(row.text)
            row = _with_chunks(row, chunks[row.text])
        complete.append(row)
        step()
    return complete


def _with_chunks(row: ClaimRow, chunks: Sequence[Chunk]) -> ClaimRow:
    """Returns a row with passages as its evidence; as it is without any."""
    texts = [f"{chunk.title}\n{chunk.text}".strip() for chunk in chunks]
    names = ", ".join(chunk.id for chunk in chunks)
    return replace(row, passage="\n\n".join(texts) or None, passage_id=names)


def open_corpus(
    corpus: Path, k: int, embedder: str, problems: Problems, encoding: str
) -> AbstractAsyncContextManager[Find]:
    """Opens a corpus for a block: a folder with an index of passages, or a file of passages.

    Raises:
        InputError: it is neither, or the index is searched otherwise than by this embedder.
    """
    if corpus.is_dir():
        return _open_index(corpus, k, embedder)
    return _open_file(corpus, k, problems, encoding)


@asynccontextmanager
async def _open_file(
    corpus: Path, k: int, problems: Problems, encoding: str
) -> AsyncIterator[Find]:
    """Opens a file of passages, to be searched by words."""
    with (
        read_passages(corpus, problems, encoding=encoding) as passages,
        PassageSearch(passages) as searched,
    ):

        async def best(claim: str) -> list[Chunk]:
            names = searched.best(claim, k)
            return [Chunk(id=name, title="", text=passages.get(name) or "") for name in names]

        yield best


@asynccontextmanager
async def _open_index(corpus: Path, k: int, embedder: str) -> AsyncIterator[Find]:
    """Opens the index in a folder; a folder that is none stays as it is."""
    manifest = _manifest_of(corpus)
    search = open_search(embedder)
    try:
        if search.identity != manifest.search:
            raise InputError(
                f"--corpus {corpus}: is searched by {manifest.search}. Say how by --embedder."
            )
        with store_errors(corpus):
            index = Index(corpus / manifest.generation, manifest, (), search=search)
        async with index:
            yield lambda claim: index.search(claim, k)
    finally:
        await search.close()


def _manifest_of(corpus: Path) -> Manifest:
    """Returns what an index was made of; InputError for a folder without a whole one."""
    is_index = (corpus / "manifest.json").is_file()
    manifest = IndexFolder(corpus).read_manifest() if is_index else None
    if isinstance(manifest, Manifest):
        return manifest
    why = f"cannot be used: {manifest}" if manifest else "holds no index of passages"
    raise InputError(f"--corpus {corpus}: {why}. `factmark rag build` makes one; or name a file.")
