"""The clinical graphs: FHIR resources as RDF, one resource after another.

Every resource is one piece of text. Observations, which make nine tenths of all triples, fill
prepared templates: 21 million triples are a matter of seconds.
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
)
from factmark.ehds.replica.medications import requests
from factmark.ehds.replica.observations import observation_templates
from factmark.ehds.replica.patients import Person
from factmark.ehds.replica.plan import Counts, pick, whole
from factmark.ehds.replica.writing import Writer, text_literal


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
        writer: how triples are written.
    """

    def __init__(
        self, cohort: Cohort, patients: Sequence[Person], counts: Counts,
        *, seed: int, writer: Writer,
    ) -> None:  # fmt: skip
        self._cohort, self._patients, self._counts = cohort, patients, counts
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
        for visit in visits:
            yield self._encounter(visit)
        by_patient: dict[str, list[Visit]] = {iri: [] for iri in self._people}
        for visit in visits:
            by_patient[visit.patient].append(visit)
        yield from self._conditions(visits)
        yield from self._requests(by_patient)
        yield from self._observations(visits)

    # Patients and encounters

    def _patient(self, patient: Person, iri: str) -> str:
        pairs = [
            ("rdf:type", self._writer.iri("fhir:Patient")),
            ("fhir:gender", text_literal(patient.gender)),
            ("fhir:birthDate", self._writer.syntax.typed(patient.birth_date, "date")),
            ("ehds:birthYear", self._writer.syntax.typed(patient.birth_year, "integer")),
            ("ehds:race", text_literal(patient.race)),
            ("ehds:ethnicity", text_literal(patient.ethnicity)),
        ]
        if patient.no_ai_training:
            pairs.append(("odrl:hasPolicy", self._writer.iri(f"ehds:{NO_AI_TRAINING}")))
        return self._writer.triples(iri, *pairs)

    def _visits(self) -> list[Visit]:
        """Each patient's first encounter, then the others dealt out unevenly."""
        rng, n = self._rng, len(self._people)
        policy = next(policy for policy in POLICIES if policy.id == self._cohort.policy)
        first, last = date.fromisoformat(policy.start), date.fromisoformat(policy.end)
        weights = list(accumulate(0.5 + rng.random() for _ in range(n)))
        visits = []
        for i in range(self._counts.encounters):
            owner = i if i < n else bisect_right(weights, rng.random() * weights[-1])
            day = first + timedelta(days=whole((last - first).days + 1, rng))
            hour, minute = 7 + whole(10, rng), whole(60, rng)
            visits.append(
                Visit(
                    iri=self._writer.iri(f"encounter:{self._cohort.id}-{i + 1}"),
                    patient=self._people[owner],
                    start=f"{day}T{hour:02}:{minute:02}:00Z",
                    end=f"{day}T{hour + 1:02}:{minute:02}:00Z",
                )
            )
        return visits

    def _encounter(self, visit: Visit) -> str:
        period, reason = next(self._labels), next(self._labels)
        return (
            self._writer.triples(
                visit.iri,
                ("rdf:type", self._writer.iri("fhir:Encounter")),
                ("fhir:status", '"finished"'),
                ("fhir:subject", visit.patient),
                ("fhir:period", period),
                ("fhir:reasonCode", reason),
            )
            + self._writer.triples(visit.patient, ("fhir:encounter", visit.iri))
            + self._writer.triples(
                period,
                ("fhir:start", self._writer.moment(visit.start)),
                ("fhir:end", self._writer.moment(visit.end)),
            )
            + self._writer.coding(reason, pick(ENCOUNTER_REASONS, self._rng))
        )

    # Conditions and medication requests

    def _conditions(self, visits: Sequence[Visit]) -> Iterator[str]:
        """The cohort's own condition for each patient, then common ones."""
        own = Code(
            system="snomed",
            code=self._cohort.snomed,
            display=self._cohort.condition,
        )
        for i in range(self._counts.conditions):
            first = i < len(self._people)
            visit = visits[i] if first else pick(visits, self._rng)
            code = own if first else pick(COMMON_CONDITIONS, self._rng)
            iri, coding = (
                self._writer.iri(f"condition:{self._cohort.id}-{i + 1}"),
                next(self._labels),
            )
            yield (
                self._writer.resource("Condition", "condition", iri, visit.patient, visit.iri)
                + self._writer.triples(
                    iri,
                    ("fhir:clinicalStatus", '"active"' if first else '"resolved"'),
                    ("fhir:onsetDateTime", self._writer.moment(visit.start)),
                    ("fhir:code", coding),
                )
                + self._writer.coding(coding, code)
            )

    def _requests(self, by_patient: dict[str, list[Visit]]) -> Iterator[str]:
        wanted = requests(self._cohort.id, len(self._people), self._counts, self._rng)
        for i, request in enumerate(wanted, start=1):
            visit = pick(by_patient[self._people[request.patient]], self._rng)
            iri = self._writer.iri(f"request:{self._cohort.id}-{i}")
            medication = self._writer.iri(f"medication:{self._cohort.id}-{i}")
            code, coding = MEDICATIONS[request.medication], next(self._labels)
            yield (
                self._writer.resource(
                    "MedicationRequest", "medicationRequest", iri, visit.patient, visit.iri
                )
                + self._writer.triples(
                    iri,
                    ("fhir:status", '"stopped"'),
                    ("fhir:intent", '"order"'),
                    ("fhir:authoredOn", self._writer.moment(visit.start)),
                    ("fhir:medicationCode", coding) if request.coded
                    else ("fhir:medication", medication),
                )
                + ("" if request.coded else self._writer.triples(
                    medication,
                    ("rdf:type", self._writer.iri("fhir:Medication")),
                    ("fhir:code", coding),
                ))
                + self._writer.coding(coding, code, with_code=request.coded)
            )  # fmt: skip

    def _observations(self, visits: Sequence[Visit]) -> Iterator[str]:
        types = STROKE_OBSERVATIONS
        if self._cohort.id != "stroke":
            types += OTHER_OBSERVATIONS
        templates = observation_templates(types, self._writer)
        weights = list(accumulate(template.weight for template in templates))
        opening = f"{self._writer.syntax.open('observation')}{self._cohort.id}-"
        close, random, n, total = (
            self._writer.syntax.close,
            self._rng.random,
            len(visits),
            weights[-1],
        )
        for i in range(self._counts.observations):
            nth = i if i < len(templates) else bisect_right(weights, random() * total)
            template, visit = templates[nth], visits[int(random() * n)]
            yield template.text.format(
                iri=f"{opening}{i + 1}{close}",
                patient=visit.patient,
                encounter=visit.iri,
                time=visit.start,
                node=next(self._labels),
                first=template.first[int(random() * len(template.first))],
                second=template.second[int(random() * len(template.second))],
            )
