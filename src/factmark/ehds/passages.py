"""The passages of a store that a retriever searches: catalogue metadata and patients' summaries.

That is what the published RAG condition held, and no more: there is no summary of a cohort, so
that a question for a count has to be answered from single patients, as there.

    store ──► datasets, overview ──► patients, cohort by cohort, page by page
          └─► where there is neither, one passage per subject
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from factmark.ehds.catalogue import Dataset, heading, id_part, read_datasets
from factmark.ehds.describe import (
    TYPE,
    Field,
    dataset_fields,
    names_with_counts,
    property_label,
    shown_value,
    texts_of_fields,
    with_meaning,
)
from factmark.ehds.reader import StoreReader, anywhere, cell_number, values_of, within
from factmark.ehds.replica.writing import iri_of
from factmark.model import Chunk
from factmark.passages.embedders import Search
from factmark.passages.index import (
    Index,
    IndexedChunk,
    PassageSource,
    Progress,
    no_progress,
    open_index_of,
)
from factmark.stores.store import Store
from factmark.stores.terms import Term

VERSION = "1"
"""Changes when the same store would give other passages."""
MAX_SUBJECTS = 20_000
# in a page
_SUBJECTS = 100
_PATIENTS = 50
_SECONDS = 120.0  # for one query
_IN_GRAPHS = "{ GRAPH ?graph { ?thing a fhir:Patient FILTER(isIRI(?thing)) } }"
# What is told of a patient, in order.
_PERSONAL = {
    iri_of("fhir:gender"): "Gender",
    iri_of("fhir:birthDate"): "Date of birth",
    iri_of("ehds:birthYear"): "Year of birth",
    iri_of("ehds:race"): "Race",
    iri_of("ehds:ethnicity"): "Ethnicity",
    iri_of("odrl:hasPolicy"): "Consent policies",
}
_ENCOUNTERS = "Number of encounters"
_OBSERVATIONS = "Kinds of observations"
_RECORDS = {
    _ENCOUNTERS: "?record a fhir:Encounter ; fhir:subject ?thing",
    "Conditions": "?record a fhir:Condition ; fhir:subject ?thing ; fhir:code/fhir:display ?name",
    "Medications": "?record a fhir:MedicationRequest ; fhir:subject ?thing . ?record "
    "(fhir:medicationCode|fhir:medication/fhir:code)/fhir:display ?name",
    _OBSERVATIONS: "?record a fhir:Observation ; fhir:subject ?thing ; "
    "fhir:code/fhir:display ?name",
}

PatientGraph = tuple[str | None, int]
"""The IRI of a graph with patients, None for the default graph, and how many it has."""


async def store_passages(
    store: Store,
    notes: list[str],
    *,
    max_subjects: int = MAX_SUBJECTS,
    progress: Progress = no_progress,
) -> AsyncIterator[IndexedChunk]:
    """Yields the passages of a store, in an order and with ids that depend on the data alone.

    Memory holds the descriptions of the datasets and one page of patients at a time.

    Args:
        notes: gets a sentence for what is left out.
        max_subjects: of a store that holds neither datasets nor patients.

    Raises:
        FactmarkError: the store cannot be queried.
    """
    notes.clear()
    reader = StoreReader(store, timeout=_SECONDS, notes=notes)
    chunks = _Chunks()
    cohorts = await _patient_graphs(reader)
    datasets = [dataset async for dataset in read_datasets(reader)]
    if not cohorts and not datasets:
        async for passage in _subject_passages(reader, chunks, max_subjects, progress):
            yield passage
        return
    for passage in chunks.of(
        "overview",
        "Overview of the data space",
        await _overview_fields(reader, datasets, cohorts),
        catalogue=True,
    ):
        yield passage
    for dataset in datasets:
        about = dataset_fields(dataset)
        for passage in chunks.of(f"dataset:{dataset.id}", dataset.title, about, catalogue=True):
            yield passage
    done = len(datasets)
    total = len(datasets) + sum(patients for _, patients in cohorts)
    titles = {dataset.id: dataset.title for dataset in datasets}
    for graph, _ in cohorts:
        cohort = "patients"
        if graph is not None:
            cohort = id_part(graph)
        async for page in reader.pages(within(graph, "?thing a fhir:Patient"), _PATIENTS):
            for patient, fields in (await _patient_fields(reader, graph, page)).items():
                title = f"Patient {id_part(patient)} in {titles.get(cohort, heading(cohort))}"
                for passage in chunks.of(f"patient:{cohort}/{id_part(patient)}", title, fields):
                    yield passage
            done += len(page)
            progress("reading the store", done, total)


async def _subject_passages(
    reader: StoreReader, chunks: _Chunks, most: int, progress: Progress
) -> AsyncIterator[IndexedChunk]:
    """Yields, of a store of any shape, a passage for each subject with its labels and
    properties.
    """
    rows = await reader.rows(
        f"SELECT DISTINCT ?thing WHERE {{ {anywhere('?thing ?property ?value')} "
        f"FILTER(isIRI(?thing)) }} ORDER BY STR(?thing) LIMIT {most + 1}",
        most=most + 1,
    )
    subjects = []
    for row in rows.rows:
        if row[0] is not None:
            subjects.append(row[0].value)
    if len(subjects) > most:
        reader.notes.append(
            f"the store holds neither datasets nor patients; the first {most:,} "
            "of its subjects are indexed"
        )
        del subjects[most:]
    for start in range(0, len(subjects), _SUBJECTS):
        page = subjects[start : start + _SUBJECTS]
        described = await reader.properties(page)
        values = []
        for term in values_of(described):
            if "://" in term.value:
                values.append(term.value)
        names = await reader.names([*page, *values])
        for iri, properties in described.items():
            fields = _subject_fields(properties, names)
            for passage in chunks.of(
                f"subject:{id_part(iri)}", names.get(iri) or id_part(iri), fields
            ):
                yield passage
        progress("reading the store", start + len(page), len(subjects))


def _subject_fields(
    properties: Mapping[str, Sequence[Term]], names: Mapping[str, str]
) -> Iterator[Field]:
    """Yields the properties of a subject with their values, its class first."""

    def shown(term: Term) -> str:
        if term.kind == "iri":
            name = names.get(term.value) or id_part(term.value)
        else:
            name = term.value
        return shown_value(name)

    for name in sorted(properties, key=lambda name: (name != TYPE, name)):
        yield property_label(name), sorted(set(map(shown, properties[name])))


async def _patient_graphs(reader: StoreReader) -> list[PatientGraph]:
    """Returns the graphs that hold patients, by their names; the default graph where none of them
    does.
    """
    rows = await reader.rows(
        f"SELECT ?graph (COUNT(DISTINCT ?thing) AS ?n) WHERE {_IN_GRAPHS} GROUP BY ?graph"
    )
    graphs: list[PatientGraph] = []
    for graph, number in rows.rows:
        if graph is not None and graph.kind == "iri" and cell_number(number):
            graphs.append((graph.value, cell_number(number)))
    if graphs:
        return sorted(graphs)
    plain = await reader.number(
        "SELECT (COUNT(DISTINCT ?thing) AS ?n) WHERE "
        "{ ?thing a fhir:Patient FILTER(isIRI(?thing)) }"
    )
    if plain:
        return [(None, plain)]
    return []


async def _overview_fields(
    reader: StoreReader, datasets: Sequence[Dataset], cohorts: Sequence[PatientGraph]
) -> list[Field]:
    """Returns what is said of the whole: its datasets, and how many patients they hold."""
    sizes = [patients for _, patients in cohorts]
    known = sizes or [dataset.patients for dataset in datasets if dataset.patients is not None]
    distinct = None
    if sizes:
        distinct = sizes[0]
    if len(sizes) > 1:
        distinct = await reader.number(f"SELECT (COUNT(DISTINCT ?thing) AS ?n) WHERE {_IN_GRAPHS}")
    titles = [dataset.title for dataset in datasets]
    fields: list[Field] = [("Number of datasets", [str(len(titles))])]
    if known:
        fields.append(("Patients in sum over all datasets", [str(sum(known))]))
    if distinct is not None:
        fields.append(("Distinct patients in all datasets", [str(distinct)]))
    return [*fields, ("Titles of the datasets", titles)]


async def _patient_fields(
    reader: StoreReader, graph: str | None, page: Sequence[str]
) -> dict[str, list[Field]]:
    """Returns what a graph says of some patients, who they are first."""
    personal: dict[str, dict[str, set[str]]] = {patient: {} for patient in page}
    properties = " ".join(f"<{name}>" for name in _PERSONAL)
    query = (
        f"SELECT ?thing ?property ?value WHERE {{ VALUES ?thing {{ %s }} VALUES ?property "
        f"{{ {properties} }} {within(graph, '?thing ?property ?value')} FILTER(!isBlank(?value)) }}"
    )
    async for thing, name, term in reader.about(page, query):
        if thing is not None and name is not None and term is not None:
            if "://" in term.value:
                shown = with_meaning(term.value)
            else:
                shown = shown_value(term.value)
            personal[thing.value].setdefault(_PERSONAL[name.value], set()).add(shown)
    fields: dict[str, list[Field]] = {
        patient: [(label, sorted(values[label])) for label in _PERSONAL.values() if label in values]
        for patient, values in personal.items()
    }
    for label, pattern in _RECORDS.items():
        counts: dict[str, dict[str, int]] = {patient: {} for patient in page}
        group = "?thing"
        if "?name" in pattern:
            group = "?thing ?name"
        query = (
            f"SELECT {group} (COUNT(DISTINCT ?record) AS ?n) WHERE {{ VALUES ?thing {{ %s }} "
            f"{within(graph, pattern)} }} GROUP BY {group}"
        )
        async for thing, *names, number in reader.about(page, query):
            if thing is not None:
                counts[thing.value]["".join(name.value for name in names if name)] = cell_number(
                    number
                )
        for patient, by_name in counts.items():
            if label == _ENCOUNTERS:
                values = [str(sum(by_name.values()))]
            elif label == _OBSERVATIONS:
                values = sorted(map(shown_value, by_name))
            else:
                values = names_with_counts(by_name)
            fields[patient].append((label, values or ["none recorded"]))
    return fields


class _Chunks:
    """Makes chunks whose ids are unique: IRIs may share a local name."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def of(
        self, id: str, title: str, fields: Iterable[Field], *, catalogue: bool = False
    ) -> Iterator[IndexedChunk]:
        """The texts of one thing; ids beyond the first end in `#2`, `#3`, ..., and those of a
        second, third thing with that id in `~2`, `~3`, ..."""
        base = id.replace("#", "_").replace("~", "_")
        title = heading(title)
        self._seen[base] += 1
        if self._seen[base] > 1:
            base = f"{base}~{self._seen[base]}"
        for number, text in enumerate(texts_of_fields(title, fields), start=1):
            chunk = Chunk(id=base if number == 1 else f"{base}#{number}", title=title, text=text)
            yield IndexedChunk(chunk=chunk, catalogue=catalogue)


def store_source(store: Store) -> PassageSource:
    """Returns the passages of a store as an index takes them."""
    notes: list[str] = []
    return PassageSource(
        identity=store.identity,
        version=f"passages-{VERSION}",
        settled=store.is_settled,
        passages=lambda progress: store_passages(store, notes, progress=progress),
        notes=notes,
    )


async def open_index(
    store: Store, folder: Path, search: Search, *, progress: Progress = no_progress
) -> Index:
    """Returns the index of a store's passages in a folder, made where it is missing or no longer
    fits.

    Raises:
        FactmarkError: the store cannot be read, the embedder fails, or the folder cannot be used.
    """
    return await open_index_of(store_source(store), folder, search, progress=progress)
