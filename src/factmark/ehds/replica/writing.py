"""Triples as text: the namespaces, how a term is spelt, and what all resources of a graph share.

Terms are spelt in full, as N-Triples, N-Quads and TriG all take them.
"""

from __future__ import annotations

from dataclasses import dataclass

from factmark.ehds.replica.facts import Code

EHDS = "https://ehds-prototype.example.org/"
NAMESPACES = {
    "ehds": EHDS,
    "graph": f"{EHDS}graph/",
    "patient": f"{EHDS}data/Patient/",
    "condition": f"{EHDS}data/Condition/",
    "observation": f"{EHDS}data/Observation/",
    "request": f"{EHDS}data/MedicationRequest/",
    "medication": f"{EHDS}data/Medication/",
    "encounter": f"{EHDS}data/Encounter/",
    "fhir": "http://hl7.org/fhir/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dct": "http://purl.org/dc/terms/",
    "odrl": "http://www.w3.org/ns/odrl/2/",
    "dpv": "https://w3id.org/dpv#",
    "hdcat": "https://healthdcat-ap.github.io/healthdcat-ap/release/5/",
    "foaf": "http://xmlns.com/foaf/0.1/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "snomed": "http://snomed.info/id/",
    "loinc": "http://loinc.org/rdf/",
    "rxnorm": "http://www.nlm.nih.gov/research/umls/rxnorm/",
}
CATALOGUE_GRAPH = f"{EHDS}graph/catalogue"
_SYSTEMS = {
    "snomed": "http://snomed.info/sct",
    "loinc": "http://loinc.org",
    "rxnorm": "http://www.nlm.nih.gov/research/umls/rxnorm",
}


def iri_of(curie: str) -> str:
    """Returns the IRI of a name such as `dct:title`."""
    prefix, _, name = curie.partition(":")
    return NAMESPACES[prefix] + name


def graph_iri(cohort: str) -> str:
    """Returns the IRI of a cohort's clinical graph."""
    return f"{EHDS}graph/{cohort}"


def text_literal(text: str) -> str:
    """Returns a plain literal, escaped for all four syntaxes."""
    escaped = (
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    )
    return f'"{escaped}"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """How triples are written.

    Attributes:
        end: what closes a triple: ` .` within a graph's braces, or the graph's IRI and ` .`.
    """

    end: str

    def iri(self, curie: str) -> str:
        """An IRI of a known namespace, given as `prefix:name`; the name must need no escapes."""
        return f"<{iri_of(curie)}>"

    def typed(self, value: object, datatype: str) -> str:
        """A literal of an XML Schema datatype, for example `typed(40, "integer")`."""
        return f'"{value}"^^{self.iri(f"xsd:{datatype}")}'

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

    def resource(
        self, kind: str, iri: str, patient: str, encounter: str, *pairs: tuple[str, str]
    ) -> str:
        """A resource that an encounter gave rise to, with the patient's way back."""
        head = (
            ("rdf:type", self.iri(f"fhir:{kind}")),
            ("fhir:subject", patient),
            ("fhir:encounter", encounter),
        )
        back = (f"fhir:{kind[0].lower()}{kind[1:]}", iri)
        return self.triples(iri, *head) + self.triples(patient, back) + self.triples(iri, *pairs)
