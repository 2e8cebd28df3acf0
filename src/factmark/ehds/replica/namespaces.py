"""The namespaces of the replica, and names of single things in them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EHDS = "https://ehds-prototype.example.org/"

NAMESPACES: Mapping[str, str] = MappingProxyType(
    {
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
)

CATALOGUE_GRAPH = f"{EHDS}graph/catalogue"


def graph_iri(cohort: str) -> str:
    """The IRI of a cohort's clinical graph."""
    return f"{EHDS}graph/{cohort}"
