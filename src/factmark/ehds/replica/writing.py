"""Triples as text: what all resources of a graph share."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.ehds.replica.codes import Code
from factmark.ehds.replica.syntax import Syntax, text_literal

_SYSTEMS = {
    "snomed": "http://snomed.info/sct",
    "loinc": "http://loinc.org",
    "rxnorm": "http://www.nlm.nih.gov/research/umls/rxnorm",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """How triples are written.

    Attributes:
        syntax: how terms are spelt.
        end: what closes a triple: ` .` within a graph's braces, or the graph's IRI and ` .`.
    """

    syntax: Syntax
    end: str

    def iri(self, curie: str) -> str:
        """The IRI of a CURIE."""
        return self.syntax.iri(curie)

    def moment(self, text: str) -> str:
        """A date and time."""
        return self.syntax.typed(text, "dateTime")

    def triples(self, subject: str, *pairs: tuple[str, str]) -> str:
        """Triples of one subject; predicates are CURIEs, subject and objects are terms."""
        return "".join(f"{subject} {self.iri(p)} {o}{self.end}" for p, o in pairs)

    def coding(self, node: str, code: Code, *, with_code: bool = True) -> str:
        """A Coding, typed by its concept too as FHIR's RDF form does; or a display alone."""
        pairs = [("rdf:type", self.iri("fhir:Coding"))]
        if with_code:
            pairs += [
                ("rdf:type", self.iri(f"{code.system}:{code.code}")),
                ("fhir:system", f"<{_SYSTEMS[code.system]}>"),
                ("fhir:code", text_literal(code.code)),
            ]
        return self.triples(node, *pairs, ("fhir:display", text_literal(code.display)))

    def resource(self, kind: str, link: str, iri: str, patient: str, encounter: str) -> str:
        """The start of a resource that an encounter gave rise to, with the patient's way back."""
        return self.triples(
            iri,
            ("rdf:type", self.iri(f"fhir:{kind}")),
            ("fhir:subject", patient),
            ("fhir:encounter", encounter),
        ) + self.triples(patient, (f"fhir:{link}", iri))
