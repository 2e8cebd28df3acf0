"""Evidence looked for in a corpus, for claims that bring none: the k best passages of an index."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from factmark.claims.core.claim_rows import ClaimRow
from factmark.claims.options import ClaimsOptions
from factmark.cli.asking import tell_embedding
from factmark.files.temporary import temporary_folder
from factmark.model import Chunk
from factmark.passages.embedders import open_search
from factmark.passages.index import Index, open_index_of, open_made_index
from factmark.passages.passage_file import source_of_file

NOTHING_FOUND = "(No passage of the corpus has anything of this claim.)"


async def with_evidence(
    rows: Sequence[ClaimRow], index: Index, k: int, *, step: Callable[[], None] = lambda: None
) -> list[ClaimRow]:
    """Returns the rows, each that has no passage with the k that fit it best."""
    chunks: dict[str, Sequence[Chunk]] = {}
    complete = []
    for row in rows:
        if row.passage is None and row.unsplit is None:
            if row.text not in chunks:
                chunks[row.text] = await index.search(row.text, k)
            row = _with_chunks(row, chunks[row.text])
        complete.append(row)
        step()
    return complete


def _with_chunks(row: ClaimRow, chunks: Sequence[Chunk]) -> ClaimRow:
    """Returns a row with passages as its evidence; without any with a text that says so, since a
    claim that a corpus says nothing of is not supported by it, whatever is generally true."""
    texts = [f"{chunk.title}\n{chunk.text}".strip() for chunk in chunks]
    names = ", ".join(chunk.id for chunk in chunks)
    return replace(row, passage="\n\n".join(texts) or NOTHING_FOUND, passage_id=names)


@asynccontextmanager
async def open_corpus(given: ClaimsOptions) -> AsyncIterator[Index]:
    """Opens the corpus for a block: the index in a folder, or one made for now of a file of
    passages.

    Raises:
        InputError: it is neither, or the folder is searched otherwise than by this embedder.
    """
    assert given.corpus is not None  # noqa: S101 - asked for by the caller
    search = open_search(
        given.embedder, base_url=given.embedder_base_url, key_env=given.embedder_key_env
    )
    try:
        with temporary_folder() as folder:
            if given.corpus.is_dir():
                index = open_made_index(given.corpus, search, "--corpus")
            else:
                source = source_of_file(given.corpus, encoding=given.encoding)
                index = await open_index_of(source, folder / "index", search)
            async with index:
                yield index
    finally:
        await search.close()
        tell_embedding(search)
