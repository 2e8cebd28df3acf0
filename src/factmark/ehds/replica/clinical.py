"""The clinical graphs: FHIR resources as RDF, a piece of text for each.

Observations, which make nine tenths of all triples, fill prepared templates: 21 million triples
are a matter of seconds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate, count
from random import Random

from factmark.ehds.replica.facts import (
    COHORTS,
    COMMON_CONDITIONS,
    ENCOUNTER_REASONS,
    MEDICATIONS,
    NO_AI_TRAINING,
    OTHER_OBSERVATIONS,
    POLICIES,
    STROKE_OBSERVATIONS,
    Code,
    Cohort,
    ObservationType,
)
from factmark.ehds.replica.patients import Person, prescriptions
from factmark.ehds.replica.plan import Counts, pick, whole_below
from factmark.ehds.replica.writing import Writer, iri_of, text_literal

_VALUES = 40  # distinct values per type of observation


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """An encounter that other resources hang on: its IRI, its patient's IRI, its times."""

    iri: str
    patient: str
    start: str
    end: str


class CohortWriter:
    """Writes the clinical graph of one cohort.

    Args:
        cohort: one with patients.
        patients: its members.
        counts: how many resources it gets.
        seed: what is invented follows from it.
    """

    def __init__(
        self,
        cohort: Cohort,
        patients: Sequence[Person],
        counts: Counts,
        *,
        seed: int,
        writer: Writer,
    ) -> None:
        self._cohort = cohort
        self._patients = patients
        self._counts = counts
        self._rng = Random(f"{seed}/{cohort.id}")
        self._writer = writer
        index = COHORTS.index(cohort)
        self._labels = (f"_:{chr(97 + index % 26)}{index // 26}n{n}" for n in count())
        self._people = [writer.iri(f"patient:{patient.id}") for patient in patients]

    def resources(self) -> Iterator[str]:
        """The triples of one resource after the other."""
        for patient, iri in zip(self._patients, self._people, strict=True):
            yield self._patient(patient, iri)
        visits = self._visits()
        yield from map(self._encounter, visits)
        yield from self._conditions(visits)
        yield from self._requests(visits)
        yield from self._observations(visits)

    def _patient(self, patient: Person, iri: str) -> str:
        """Returns the triples of a patient."""
        writer = self._writer
        pairs = [
            ("rdf:type", writer.iri("fhir:Patient")),
            ("fhir:gender", text_literal(patient.gender)),
            ("fhir:birthDate", writer.typed(patient.birth_date, "date")),
            ("ehds:birthYear", writer.typed(patient.birth_year, "integer")),
            ("ehds:race", text_literal(patient.race)),
            ("ehds:ethnicity", text_literal(patient.ethnicity)),
        ]
        if patient.no_ai_training:
            pairs.append(("odrl:hasPolicy", writer.iri(f"ehds:{NO_AI_TRAINING}")))
        return writer.triples(iri, *pairs)

    def _visits(self) -> list[Visit]:
        """Each patient's first encounter, then the others dealt out unevenly."""
        rng = self._rng
        n = len(self._people)
        policy = next(policy for policy in POLICIES if policy.id == self._cohort.policy)
        first = date.fromisoformat(policy.start)
        last = date.fromisoformat(policy.end)
        weights = list(accumulate(0.5 + rng.random() for _ in range(n)))
        visits = []
        for i in range(self._counts.encounters):
            if i < n:
                owner = i
            else:
                owner = bisect_right(weights, rng.random() * weights[-1])
            day = first + timedelta(days=whole_below((last - first).days + 1, rng))
            hour = 7 + whole_below(10, rng)
            minute = whole_below(60, rng)
            visits.append(
                Visit(
                    iri=self._iri("encounter", i),
                    patient=self._people[owner],
                    start=f"{day}T{hour:02}:{minute:02}:00Z",
                    end=f"{day}T{hour + 1:02}:{minute:02}:00Z",
                )
            )
        return visits

    def _encounter(self, visit: Visit) -> str:
        """Returns the triples of an encounter, with its period and reason."""
        period = next(self._labels)
        reason = next(self._labels)
        writer = self._writer
        return (
            writer.triples(
                visit.iri,
                ("rdf:type", writer.iri("fhir:Encounter")),
                ("fhir:status", '"finished"'),
                ("fhir:subject", visit.patient),
                ("fhir:period", period),
                ("fhir:reasonCode", reason),
            )
            + writer.triples(visit.patient, ("fhir:encounter", visit.iri))
            + writer.triples(
                period,
                ("fhir:start", writer.typed(visit.start, "dateTime")),
                ("fhir:end", writer.typed(visit.end, "dateTime")),
            )
            + writer.coding(reason, pick(ENCOUNTER_REASONS, self._rng))
        )

    def _conditions(self, visits: Sequence[Visit]) -> Iterator[str]:
        """The cohort's own condition for each patient, then common ones."""
        own = Code(system="snomed", code=self._cohort.snomed, display=self._cohort.condition)
        for i in range(self._counts.conditions):
            first = i < len(self._people)
            if first:
                visit = visits[i]
            else:
                visit = pick(visits, self._rng)
            if first:
                code = own
            else:
                code = pick(COMMON_CONDITIONS, self._rng)
            coding = next(self._labels)
            yield self._resource(
                "Condition",
                self._iri("condition", i),
                visit,
                ("fhir:clinicalStatus", '"active"' if first else '"resolved"'),
                ("fhir:onsetDateTime", self._writer.typed(visit.start, "dateTime")),
                ("fhir:code", coding),
            ) + self._writer.coding(coding, code)

    def _requests(self, visits: Sequence[Visit]) -> Iterator[str]:
        """Yields the triples of each prescription, with its medication."""
        by_patient: dict[str, list[Visit]] = {iri: [] for iri in self._people}
        for visit in visits:
            by_patient[visit.patient].append(visit)
        requests = prescriptions(self._cohort.id, len(self._people), self._counts, self._rng)
        for i, (patient, number, coded) in enumerate(requests):
            visit = pick(by_patient[self._people[patient]], self._rng)
            medication = self._iri("medication", i)
            coding = next(self._labels)
            text = self._resource(
                "MedicationRequest",
                self._iri("request", i),
                visit,
                ("fhir:status", '"stopped"'),
                ("fhir:intent", '"order"'),
                ("fhir:authoredOn", self._writer.typed(visit.start, "dateTime")),
                ("fhir:medicationCode", coding) if coded else ("fhir:medication", medication),
            )
            if not coded:
                kind = self._writer.iri("fhir:Medication")
                text += self._writer.triples(medication, ("rdf:type", kind), ("fhir:code", coding))
            yield text + self._writer.coding(coding, MEDICATIONS[number], with_code=coded)

    def _observations(self, visits: Sequence[Visit]) -> Iterator[str]:
        """Yields the triples of each observation: each kind once, then drawn by weight."""
        types = STROKE_OBSERVATIONS
        if self._cohort.id != "stroke":
            types += OTHER_OBSERVATIONS
        templates = [template for kind in types for template in _templates(kind, self._writer)]
        weights = list(accumulate(template.weight for template in templates))
        opening = f"<{iri_of('observation:')}{self._cohort.id}-"
        random = self._rng.random
        n = len(visits)
        total = weights[-1]
        for i in range(self._counts.observations):
            if i < len(templates):
                nth = i
            else:
                nth = bisect_right(weights, random() * total)
            template = templates[nth]
            visit = visits[int(random() * n)]
            yield template.text.format(
                iri=f"{opening}{i + 1}>",
                patient=visit.patient,
                encounter=visit.iri,
                time=visit.start,
                node=next(self._labels),
                first=template.first[int(random() * len(template.first))],
                second=template.second[int(random() * len(template.second))],
            )

    def _iri(self, kind: str, i: int) -> str:
        """Returns the IRI of the i-th resource of a kind, counted from 0."""
        return self._writer.iri(f"{kind}:{self._cohort.id}-{i + 1}")

    def _resource(self, kind: str, iri: str, visit: Visit, *pairs: tuple[str, str]) -> str:
        """Returns the triples of a resource that a visit gave rise to."""
        return self._writer.resource(kind, iri, visit.patient, visit.iri, *pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The triples of one kind of observation, to be filled by `str.format`.

    Attributes:
        text: with the fields `iri`, `patient`, `encounter`, `time`, `node` (the start of its blank
            nodes' labels), `first` and `second`.
        weight: how often it is used, relative to the others.
        first, second: values to choose from.
    """

    text: str
    weight: float
    first: Sequence[str] = ("",)
    second: Sequence[str] = ("",)


def _templates(kind: ObservationType, writer: Writer) -> Iterator[Template]:
    """Yields the template of an observation, or of a coded question one per answer."""
    if kind.answers:
        for answer in kind.answers:
            text = _common_pairs(kind, writer, ("fhir:valueCodeableConcept", "{node}v"))
            text += _coding("{node}v", answer, writer)
            yield Template(text=text, weight=kind.weight / len(kind.answers))
    elif kind.components:
        first, second = kind.components
        text = _common_pairs(
            kind, writer, ("fhir:component", "{node}p"), ("fhir:component", "{node}q")
        )
        for part, (node, coding, quantity), value in (
            (first, "prs", "{first}"),
            (second, "qtu", "{second}"),
        ):  # a component is no observation by itself
            text += writer.triples(
                f"{{node}}{node}",
                ("fhir:code", f"{{node}}{coding}"),
                ("fhir:valueQuantity", f"{{node}}{quantity}"),
            )
            text += _coding(f"{{node}}{coding}", part.code, writer)
            text += _quantity(f"{{node}}{quantity}", value, part, writer)
        yield Template(
            text=text,
            weight=kind.weight,
            first=_spread_values(first),
            second=_spread_values(second),
        )
    else:
        text = _common_pairs(kind, writer, ("fhir:valueQuantity", "{node}v"))
        text += _quantity("{node}v", "{first}", kind, writer)
        yield Template(text=text, weight=kind.weight, first=_spread_values(kind))


def _common_pairs(kind: ObservationType, writer: Writer, *pairs: tuple[str, str]) -> str:
    """Returns what every observation has, ahead of its own pairs."""
    text = writer.resource(
        "Observation",
        "{iri}",
        "{patient}",
        "{encounter}",
        ("fhir:status", '"final"'),
        ("fhir:effectiveDateTime", writer.typed("{time}", "dateTime")),
        ("fhir:code", "{node}c"),
        *pairs,
    )
    return text + _coding("{node}c", kind.code, writer)


def _quantity(node: str, value: str, kind: ObservationType, writer: Writer) -> str:
    """Returns the triples of a measured value and its unit."""
    pairs = (
        ("fhir:value", writer.typed(value, "decimal")),
        ("fhir:unit", _escape_braces(f'"{kind.unit}"')),
    )
    return writer.triples(node, *pairs)


def _coding(node: str, code: Code, writer: Writer) -> str:
    """Returns a coding whose texts may hold braces; the node's own braces stay a field."""
    return _escape_braces(writer.coding("\0", code)).replace("\0", node)


def _escape_braces(text: str) -> str:
    """Returns a text that `str.format` gives back as it is."""
    return text.replace("{", "{{").replace("}", "}}")


def _spread_values(kind: ObservationType) -> list[str]:
    """Returns evenly spread values of a type as canonical decimals, one digit after the point at
    most.
    """
    step = (kind.high - kind.low) / (_VALUES - 1)
    numbers = (round(kind.low + i * step, 1) for i in range(_VALUES))
    values = []
    for n in numbers:
        values.append(str(int(n)) if n == int(n) else str(n))
    return values
