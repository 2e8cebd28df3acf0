"""Evidence looked for in a corpus, for claims that bring none: the k best passages of an index."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from factmark.claim_support.core.claim_rows import ClaimRow
from factmark.claim_support.options import ClaimsOptions
from factmark.claim_support.splitting import Bar
from factmark.cli.asking import search_that_tells
from factmark.files.problems import Problems
from factmark.files.temporary import temporary_folder
from factmark.model import Chunk, Verdict
from factmark.passages.index import Index, open_index_of, open_made_index
from factmark.passages.passage_file import source_of_file

NOTHING_FOUND = "nothing in the corpus"
"""Why a claim of which the corpus has no word has no verdict."""


async def with_evidence(
    given: ClaimsOptions, rows: Sequence[ClaimRow], problems: Problems, bar: Bar
) -> tuple[Sequence[ClaimRow], Sequence[str]]:
    """Returns claims, those that have no evidence with what the corpus has for them, and what is to
    be known of the corpus; notes claims that stay without."""
    notes: Sequence[str] = ()
    if given.corpus is not None and any(row.passage is None for row in rows):
        chunks: dict[str, Sequence[Chunk]] = {}
        complete = []
        async with _open_corpus(given) as index:
            with bar("evidence", len(rows)) as step:
                for row in rows:
                    if row.passage is None and row.unjudged is None:
                        if row.text not in chunks:
                            chunks[row.text] = await index.search(row.text, given.k)
                        row = _with_chunks(given, row, chunks[row.text])
                    complete.append(row)
                    step()
        rows = complete
        notes = index.notes
    for row in rows:
        if row.passage is None and given.corpus is not None and not row.passage_id:
            problems.note(NOTHING_FOUND, row.place, repr(row.text[:60]))
        elif row.passage is None and row.unjudged is None:
            brings = ""
            if row.passage_id:
                brings = f"--passages FILE brings {row.passage_id!r}"
            problems.note(_without_evidence(given), row.place, brings or repr(row.text[:60]))
    return rows, notes


def _without_evidence(given: ClaimsOptions) -> str:
    """Returns what becomes of claims that have no evidence, by who judges them."""
    if given.asks_model and given.mode == "general":
        return "no evidence, judged by what is generally true"
    if given.asks_model or given.by_rules:
        return "no evidence, so no verdict (--mode general asks a model what is generally true)"
    return "no evidence"


def _with_chunks(given: ClaimsOptions, row: ClaimRow, chunks: Sequence[Chunk]) -> ClaimRow:
    """Returns a row with passages as its evidence; where there are none nobody judges it, unless by
    what is generally true."""
    if not chunks:
        if given.mode == "general":
            return row
        why = Verdict(unit="", judge="", status="undecided", reason=NOTHING_FOUND)
        return replace(row, unjudged=why)
    texts = [f"{chunk.title}\n{chunk.text}".strip() for chunk in chunks]
    names = ", ".join(chunk.id for chunk in chunks)
    return replace(row, passage="\n\n".join(texts), passage_id=names)


@asynccontextmanager
async def _open_corpus(given: ClaimsOptions) -> AsyncIterator[Index]:
    """Opens the corpus for a block: the index in a folder, or one made for now of a file of
    passages.

    Raises:
        InputError: it is neither, or the folder is searched otherwise than by this embedder.
    """
    assert given.corpus is not None  # noqa: S101 - asked for by the caller
    opening = search_that_tells(
        given.embedder, base_url=given.embedder_base_url, key_env=given.embedder_key_env
    )
    async with opening as search:
        with temporary_folder() as folder:
            if given.corpus.is_dir():
                index = open_made_index(given.corpus, search, "--corpus")
            else:
                source = source_of_file(given.corpus, encoding=given.encoding)
                index = await open_index_of(source, folder / "index", search)
            async with index:
                yield index
