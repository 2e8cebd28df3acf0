"""The passages of a store that a retriever searches: catalogue metadata and patients' summaries.

That is what the published RAG condition held, and no more: there is no summary of a cohort, so
that a question for a count has to be answered from single patients, as there.

    store ──► datasets, overview ──► patients, cohort by cohort, page by page
          └─► where there is neither, one passage per subject
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from factmark.ehds.passages.catalogue import datasets, has_datasets
from factmark.ehds.passages.describe import (
    Dataset,
    Field,
    dataset_fields,
    heading,
    key,
    overview_fields,
    pieces,
)
from factmark.ehds.passages.patients import Cohort, cohorts, distinct_patients, patients
from factmark.ehds.passages.reading import Reader
from factmark.ehds.passages.subjects import subjects
from factmark.model import Chunk
from factmark.passages.embedders import Search
from factmark.passages.retrieval import Index, Passage, Progress, Source, open_index_of, silent
from factmark.stores.remembering import is_settled
from factmark.stores.store import Store

VERSION = "1"
"""Changes when the same store would give other passages."""
MAX_SUBJECTS = 20_000


@dataclass(slots=True, kw_only=True)
class Chunking:
    """How a store is made into passages, and what was noted while it was.

    Attributes:
        timeout: seconds for one query.
        max_subjects: of a store that holds neither datasets nor patients.
        notes: what was left out, a sentence each; filled while `passages` runs.
    """

    timeout: float = 120.0
    max_subjects: int = MAX_SUBJECTS
    notes: list[str] = field(default_factory=list)

    async def passages(
        self, store: Store, *, progress: Progress = silent
    ) -> AsyncIterator[Passage]:
        """The passages, in an order and with ids that depend on the data alone.

        Memory holds the descriptions of the datasets and one page of patients at a time.

        Raises:
            FactmarkError: the store cannot be queried.
        """
        self.notes.clear()
        reader = Reader(store, timeout=self.timeout, notes=self.notes)
        ids = _Ids()
        held = await cohorts(reader)
        if not held and not await has_datasets(reader):
            async for passage in self._subjects(reader, ids, progress):
                yield passage
            return
        described = [one async for one in datasets(reader)]
        total = len(described) + sum(cohort.patients for cohort in held)
        async for passage in _catalogue(reader, described, held, ids):
            yield passage
        done = len(described)
        titles = {one.name: one.title for one in described}
        for cohort in held:
            title = titles.get(cohort.name, heading(cohort.name))
            async for page in patients(reader, cohort):
                for patient in page:
                    about = f"Patient {key(patient.iri)} in {title}"
                    base = ids.free(f"patient:{cohort.name}/{key(patient.iri)}")
                    for chunk in _chunks(base, about, patient.fields()):
                        yield Passage(chunk=chunk)
                done += len(page)
                progress("reading the store", done, total)

    async def _subjects(
        self, reader: Reader, ids: _Ids, progress: Progress
    ) -> AsyncIterator[Passage]:
        done = 0
        async for page, total in subjects(reader, most=self.max_subjects):
            for subject in page:
                base = ids.free(f"subject:{key(subject.iri)}")
                for chunk in _chunks(base, subject.title, subject.fields):
                    yield Passage(chunk=chunk)
            done += len(page)
            progress("reading the store", done, total)


def store_source(store: Store) -> Source:
    """The passages of a store, as an index takes them."""
    reading = Chunking()
    return Source(
        identity=store.identity,
        version=f"passages-{VERSION}",
        settled=is_settled(store),
        passages=lambda progress: reading.passages(store, progress=progress),
        notes=reading.notes,
    )


async def open_index(
    store: Store, folder: Path, search: Search, *, progress: Progress = silent
) -> Index:
    """The index of a store's passages in a folder, made where it is missing or no longer fits.

    Raises:
        FactmarkError: the store cannot be read, the embedder fails, or the folder cannot be used.
    """
    return await open_index_of(store_source(store), folder, search, progress=progress)


async def _catalogue(
    reader: Reader, described: Sequence[Dataset], held: Sequence[Cohort], ids: _Ids
) -> AsyncIterator[Passage]:
    """The overview, then each dataset."""
    told = [one.population for one in described]
    known = [number for number in told if number is not None]
    memberships = sum(cohort.patients for cohort in held) if held else sum(known)
    fields = overview_fields(
        [one.title for one in described],
        memberships=memberships if held or known else None,
        patients=await distinct_patients(reader, held) if held else None,
    )
    for chunk in _chunks(ids.free("overview"), "Overview of the data space", fields):
        yield Passage(chunk=chunk, catalogue=True)
    for one in described:
        base = ids.free(f"dataset:{one.name}")
        for chunk in _chunks(base, one.title, dataset_fields(one)):
            yield Passage(chunk=chunk, catalogue=True)


def _chunks(base: str, title: str, fields: Sequence[Field]) -> Iterator[Chunk]:
    """The texts of one thing; ids beyond the first end in `#2`, `#3`, ..."""
    title = heading(title)
    for number, text in enumerate(pieces(title, fields), start=1):
        yield Chunk(id=base if number == 1 else f"{base}#{number}", title=title, text=text)


class _Ids:
    """Hands out ids that are unique: IRIs may share a local name."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def free(self, wanted: str) -> str:
        """The id, or, where it was given before, one that ends in `~2`, `~3`, ..."""
        base = wanted.replace("#", "_").replace("~", "_")
        self._seen[base] += 1
        count = self._seen[base]
        return base if count == 1 else f"{base}~{count}"
