"""The passages of a store that a retriever searches: catalogue metadata and patients' summaries.

That is what the published RAG condition held, and no more: there is no summary of a cohort, so
that a question for a count has to be answered from single patients, as there.

    store ──► datasets, overview ──► patients, cohort by cohort, page by page
          └─► where there is neither, one passage per subject
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from factmark.ehds.catalogue import Dataset, heading, key, read_datasets
from factmark.ehds.describe import (
    TYPE,
    Field,
    dataset_fields,
    overview_fields,
    pieces,
    value,
    words,
)
from factmark.ehds.patients import PatientGraph, cohorts, distinct_patients, patients
from factmark.ehds.reader import StoreReader, anywhere
from factmark.model import Chunk
from factmark.passages.embedders import Search
from factmark.passages.retrieval import (
    Index,
    IndexedChunk,
    PassageSource,
    Progress,
    open_index_of,
    silent,
)
from factmark.stores.memory import is_settled
from factmark.stores.store import Store
from factmark.stores.terms import Term

VERSION = "1"
"""Changes when the same store would give other passages."""
MAX_SUBJECTS = 20_000
_PAGE = 100


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
    ) -> AsyncIterator[IndexedChunk]:
        """The passages, in an order and with ids that depend on the data alone.

        Memory holds the descriptions of the datasets and one page of patients at a time.

        Raises:
            FactmarkError: the store cannot be queried.
        """
        self.notes.clear()
        reader = StoreReader(store, timeout=self.timeout, notes=self.notes)
        ids = _Ids()
        held = await cohorts(reader)
        described = [dataset async for dataset in read_datasets(reader)]
        if not held and not described:
            async for passage in self._subjects(reader, ids, progress):
                yield passage
            return
        total = len(described) + sum(cohort.patients for cohort in held)
        async for passage in _catalogue(reader, described, held, ids):
            yield passage
        done = len(described)
        titles = {dataset.id: dataset.title for dataset in described}
        for cohort in held:
            title = titles.get(cohort.name, heading(cohort.name))
            async for page in patients(reader, cohort):
                for patient in page:
                    about = f"Patient {key(patient.iri)} in {title}"
                    base = ids.free(f"patient:{cohort.name}/{key(patient.iri)}")
                    for chunk in _chunks(base, about, patient.fields()):
                        yield IndexedChunk(chunk=chunk)
                done += len(page)
                progress("reading the store", done, total)

    async def _subjects(
        self, reader: StoreReader, ids: _Ids, progress: Progress
    ) -> AsyncIterator[IndexedChunk]:
        """Of a store of any shape: each subject with its labels and properties."""
        rows = await reader.rows(
            f"SELECT DISTINCT ?thing WHERE {{ {anywhere('?thing ?property ?value')} "
            f"FILTER(isIRI(?thing)) }} ORDER BY STR(?thing) LIMIT {self.max_subjects + 1}",
            most=self.max_subjects + 1,
        )
        subjects = [row[0].value for row in rows.rows if row[0] is not None]
        if len(subjects) > self.max_subjects:
            self.notes.append(
                f"the store holds neither datasets nor patients; the first {self.max_subjects:,} "
                "of its subjects are indexed"
            )
            del subjects[self.max_subjects :]
        for start in range(0, len(subjects), _PAGE):
            page = subjects[start : start + _PAGE]
            described = await reader.properties(page)
            values = (
                term
                for properties in described.values()
                for terms in properties.values()
                for term in terms
            )
            names = await reader.names([*page, *(t.value for t in values if "://" in t.value)])
            for iri, properties in described.items():
                base = ids.free(f"subject:{key(iri)}")
                fields = _subject_fields(properties, names)
                for chunk in _chunks(base, names.get(iri) or key(iri), fields):
                    yield IndexedChunk(chunk=chunk)
            progress("reading the store", start + len(page), len(subjects))


def _subject_fields(
    properties: Mapping[str, Sequence[Term]], names: Mapping[str, str]
) -> list[Field]:
    def shown(term: Term) -> str:
        name = names.get(term.value) or key(term.value) if term.kind == "iri" else term.value
        return value(name)

    return [
        Field(
            label="Type" if name == TYPE else words(key(name)).capitalize(),
            values=tuple(sorted(set(map(shown, properties[name])))),
        )
        for name in sorted(properties, key=lambda name: (name != TYPE, name))
    ]


def store_source(store: Store) -> PassageSource:
    """The passages of a store, as an index takes them."""
    reading = Chunking()
    return PassageSource(
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
    reader: StoreReader, described: Sequence[Dataset], held: Sequence[PatientGraph], ids: _Ids
) -> AsyncIterator[IndexedChunk]:
    """The overview, then each dataset."""
    known = [dataset.patients for dataset in described if dataset.patients is not None]
    memberships = sum(cohort.patients for cohort in held) if held else sum(known)
    fields = overview_fields(
        [dataset.title for dataset in described],
        memberships=memberships if held or known else None,
        patients=await distinct_patients(reader, held) if held else None,
    )
    for chunk in _chunks(ids.free("overview"), "Overview of the data space", fields):
        yield IndexedChunk(chunk=chunk, catalogue=True)
    for dataset in described:
        base = ids.free(f"dataset:{dataset.id}")
        for chunk in _chunks(base, dataset.title, dataset_fields(dataset)):
            yield IndexedChunk(chunk=chunk, catalogue=True)


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
