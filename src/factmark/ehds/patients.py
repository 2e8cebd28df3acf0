"""Reading patients: who they are, and what was recorded of them, cohort by cohort."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

from factmark.ehds.catalogue import key
from factmark.ehds.describe import PERSONAL, Field, counted, named, value
from factmark.ehds.reader import StoreReader, count, iri, within

_PAGE = 50
_PERSONAL = " ".join(iri(name) for name in PERSONAL)
_RECORDS = {
    "Conditions": "?record a fhir:Condition ; fhir:subject ?thing ; fhir:code/fhir:display ?name",
    "Medications": "?record a fhir:MedicationRequest ; fhir:subject ?thing . ?record "
    "(fhir:medicationCode|fhir:medication/fhir:code)/fhir:display ?name",
    "Kinds of observations": "?record a fhir:Observation ; fhir:subject ?thing ; "
    "fhir:code/fhir:display ?name",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PatientGraph:
    """A graph with patients.

    Attributes:
        graph: its IRI; None for the default graph.
        patients: how many it has.
    """

    graph: str | None
    patients: int

    @property
    def name(self) -> str:
        """Its local name."""
        return "patients" if self.graph is None else key(self.graph)


@dataclass(slots=True, kw_only=True)
class PatientRecord:
    """What one graph tells of a patient.

    Attributes:
        personal: the IRI of a property -> its values.
        records: the label of a kind of record -> what was recorded, and how often.
    """

    iri: str
    personal: dict[str, set[str]] = field(default_factory=dict)
    records: dict[str, dict[str, int]] = field(default_factory=dict)
    encounters: int = 0

    def fields(self) -> list[Field]:
        """The summary, who the patient is first."""
        fields = []
        for name, label in PERSONAL.items():
            if self.personal.get(name):
                values = tuple(map(_personal, sorted(self.personal[name])))
                fields.append(Field(label=label, values=values))
        fields.append(Field(label="Number of encounters", values=(str(self.encounters),)))
        for label in _RECORDS:
            names = self.records.get(label, {})
            kinds = tuple(sorted(map(value, names))) if "Kinds" in label else counted(names)
            fields.append(Field(label=label, values=kinds or ("none recorded",)))
        return fields


def _personal(text: str) -> str:
    return named(text) if "://" in text else value(text)


async def cohorts(reader: StoreReader) -> list[PatientGraph]:
    """The graphs that hold patients, by their names; the default graph where none of them does."""
    rows = await reader.rows(
        "SELECT ?graph (COUNT(DISTINCT ?thing) AS ?n) WHERE "
        "{ GRAPH ?graph { ?thing a fhir:Patient FILTER(isIRI(?thing)) } } GROUP BY ?graph"
    )
    graphs = [
        PatientGraph(graph=graph.value, patients=count(number))
        for graph, number in rows.rows
        if graph is not None and graph.kind == "iri" and count(number)
    ]
    if graphs:
        return sorted(graphs, key=lambda cohort: cohort.graph or "")
    plain = await reader.number(
        "SELECT (COUNT(DISTINCT ?thing) AS ?n) WHERE "
        "{ ?thing a fhir:Patient FILTER(isIRI(?thing)) }"
    )
    return [PatientGraph(graph=None, patients=plain)] if plain else []


async def distinct_patients(reader: StoreReader, held: Sequence[PatientGraph]) -> int:
    """How many patients all cohorts have together, each counted once."""
    if len(held) == 1:
        return held[0].patients
    return await reader.number(
        "SELECT (COUNT(DISTINCT ?thing) AS ?n) WHERE "
        "{ GRAPH ?graph { ?thing a fhir:Patient FILTER(isIRI(?thing)) } }"
    )


async def patients(reader: StoreReader, cohort: PatientGraph) -> AsyncIterator[list[PatientRecord]]:
    """The patients of a cohort in the order of their IRIs, page by page."""
    async for page in reader.pages(within(cohort.graph, "?thing a fhir:Patient"), _PAGE):
        yield await _records(reader, cohort.graph, page)


async def _records(reader: StoreReader, graph: str | None, page: list[str]) -> list[PatientRecord]:
    records = {patient: PatientRecord(iri=patient) for patient in page}
    query = (
        f"SELECT ?thing ?property ?value WHERE {{ VALUES ?thing {{ %s }} VALUES ?property "
        f"{{ {_PERSONAL} }} {within(graph, '?thing ?property ?value')} FILTER(!isBlank(?value)) }}"
    )
    async for thing, name, term in reader.about(page, query):
        if thing is not None and name is not None and term is not None:
            records[thing.value].personal.setdefault(name.value, set()).add(term.value)
    for label, pattern in _RECORDS.items():
        query = (
            f"SELECT ?thing ?name (COUNT(DISTINCT ?record) AS ?n) WHERE {{ VALUES ?thing {{ %s }} "
            f"{within(graph, pattern)} }} GROUP BY ?thing ?name"
        )
        async for thing, name, number in reader.about(page, query):
            if thing is not None and name is not None:
                records[thing.value].records.setdefault(label, {})[name.value] = count(number)
    query = (
        f"SELECT ?thing (COUNT(DISTINCT ?record) AS ?n) WHERE {{ VALUES ?thing {{ %s }} "
        f"{within(graph, '?record a fhir:Encounter ; fhir:subject ?thing')} }} GROUP BY ?thing"
    )
    async for thing, number in reader.about(page, query):
        if thing is not None:
            records[thing.value].encounters = count(number)
    return list(records.values())
