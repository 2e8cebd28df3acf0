"""The SPARQL texts behind the MCP tools. Values enter as N-Triples terms, never as raw text.

Patterns stand under GRAPH and without it, since stores differ in whether their default graph holds
what the named graphs hold.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import Literal, NamedNode

from factmark.ehds.replica.namespaces import NAMESPACES
from factmark.errors import InputError
from factmark.stores.terms import Term

PREFIXES = " ".join(f"PREFIX {name}: <{iri}>" for name, iri in NAMESPACES.items())
"""On one line, so that the engine's line numbers are those of the text that follows."""

KINDS = {
    "conditions": ("fhir:Condition", "fhir:code"),
    "medications": (
        "fhir:MedicationRequest",
        "(fhir:medicationCode|fhir:medication/fhir:code)",
    ),
    "observations": ("fhir:Observation", "fhir:code"),
}
"""Of each kind of record its class, and the path from a record to its coding."""

_ABOUT = (
    "dct:title dct:description dct:identifier dct:license dcat:keyword hdcat:populationSize "
    "hdcat:healthCategory hdcat:dataStandard hdcat:namedGraph odrl:hasPolicy"
)


def iri(text: str) -> str:
    """An IRI as it stands in a query; raises InputError for what is none."""
    try:
        return str(NamedNode(text))
    except ValueError as error:
        raise InputError(f"{text[:200]!r} is no IRI: {error}") from error


def _anywhere(pattern: str) -> str:
    return f"{{ {{ {pattern} }} UNION {{ GRAPH ?graph {{ {pattern} }} }} }}"


def datasets() -> str:
    """Subject, property and value of what is said about each dataset."""
    pattern = f"VALUES ?p {{ {_ABOUT} }} ?dataset a dcat:Dataset ; ?p ?value ."
    return f"{PREFIXES} SELECT DISTINCT ?dataset ?p ?value WHERE {_anywhere(pattern)}"


def periods() -> str:
    """The temporal coverage of each dataset."""
    pattern = (
        "?dataset a dcat:Dataset ; dct:temporal ?period . "
        "OPTIONAL { ?period dcat:startDate ?start } OPTIONAL { ?period dcat:endDate ?end }"
    )
    return f"{PREFIXES} SELECT DISTINCT ?dataset ?start ?end WHERE {_anywhere(pattern)}"


def rules() -> str:
    """The rules of the datasets' policies, a row for each operand of each condition."""
    pattern = """
      ?dataset a dcat:Dataset ; odrl:hasPolicy ?policy .
      VALUES ?kind { odrl:permission odrl:prohibition odrl:obligation }
      ?policy ?kind ?rule . ?rule odrl:action ?action .
      OPTIONAL {
        ?rule odrl:constraint ?condition . ?condition odrl:rightOperand ?right .
        OPTIONAL { ?condition odrl:leftOperand ?left }
        OPTIONAL { ?condition odrl:operator ?operator }
      }
    """
    names = "?policy ?kind ?rule ?action ?condition ?left ?operator ?right"
    return f"{PREFIXES} SELECT DISTINCT {names} WHERE {_anywhere(pattern)}"


def graph_exists(graph: str) -> str:
    """Whether a named graph holds anything."""
    return f"ASK {{ GRAPH {iri(graph)} {{ ?s ?p ?o }} }}"


def record_counts(graph: str) -> str:
    """How many things of each class a graph holds."""
    return (
        f"{PREFIXES} SELECT ?class (COUNT(DISTINCT ?record) AS ?records) WHERE {{ "
        "VALUES ?class { fhir:Patient fhir:Condition fhir:Encounter fhir:Observation "
        f"fhir:MedicationRequest }} GRAPH {iri(graph)} {{ ?record a ?class }} }} GROUP BY ?class"
    )


def patient_pattern(
    graph: str | None,
    *,
    genders: Iterable[Term] | None = None,
    born_from: int | None = None,
    born_to: int | None = None,
    flags: Iterable[Term] | None = None,
) -> str:
    """What binds `?patient`, with one of the values where some are named; None for all graphs."""
    parts = ["?patient a fhir:Patient ."]
    if genders is not None:
        parts.append(f"?patient fhir:gender ?sex . FILTER(STR(?sex) IN ({_texts(genders)}))")
    if flags is not None:
        parts.append(f"?patient odrl:hasPolicy ?flag . FILTER(STR(?flag) IN ({_texts(flags)}))")
    if born_from is not None or born_to is not None:
        parts.append("?patient fhir:birthDate ?born . BIND(SUBSTR(STR(?born), 1, 4) AS ?year)")
        if born_from is not None:
            parts.append(f"FILTER(?year >= {Literal(f'{born_from:04d}')})")
        if born_to is not None:
            parts.append(f"FILTER(?year <= {Literal(f'{born_to:04d}')})")
    return f"GRAPH {_scope(graph)} {{ {' '.join(parts)} }}"


def _texts(terms: Iterable[Term]) -> str:
    return ", ".join(str(Literal(term.value)) for term in terms)


def patient_values(predicate: str, graph: str | None) -> str:
    """The values that patients have of a predicate, which is written with a prefix."""
    return (
        f"{PREFIXES} SELECT DISTINCT ?value WHERE {{ GRAPH {_scope(graph)} "
        f"{{ ?patient a fhir:Patient ; {predicate} ?value }} }} ORDER BY ?value LIMIT 1000"
    )


def patient_totals(pattern: str, graph: str | None) -> str:
    """How many patients there are, and their first and last year of birth."""
    return (
        f"{PREFIXES} SELECT (COUNT(DISTINCT ?patient) AS ?patients) (MIN(?y) AS ?first) "
        f"(MAX(?y) AS ?last) WHERE {{ {pattern} OPTIONAL {{ GRAPH {_scope(graph)} "
        "{ ?patient fhir:birthDate ?b } BIND(SUBSTR(STR(?b), 1, 4) AS ?y) } }"
    )


def patient_groups(pattern: str, graph: str | None) -> str:
    """Patients by gender, race, ethnicity and consent flag."""
    return (
        f"{PREFIXES} SELECT ?p ?value (COUNT(DISTINCT ?patient) AS ?patients) WHERE {{ {pattern} "
        "VALUES ?p { fhir:gender ehds:race ehds:ethnicity odrl:hasPolicy } "
        f"GRAPH {_scope(graph)} {{ ?patient ?p ?value }} }} GROUP BY ?p ?value "
        "ORDER BY ?p DESC(?patients) ?value"
    )


def patient_page(pattern: str, offset: int, limit: int) -> str:
    """The patients of one page."""
    return (
        f"{PREFIXES} SELECT DISTINCT ?patient WHERE {{ {pattern} }} "
        f"ORDER BY ?patient LIMIT {int(limit)} OFFSET {int(offset)}"
    )


def patient_details(patients: Iterable[str], graph: str | None) -> str:
    """What is said about some patients."""
    values = " ".join(iri(patient) for patient in patients)
    return (
        f"{PREFIXES} SELECT DISTINCT ?patient ?p ?value WHERE {{ VALUES ?patient {{ {values} }} "
        "VALUES ?p { fhir:gender fhir:birthDate ehds:race ehds:ethnicity odrl:hasPolicy } "
        f"GRAPH {_scope(graph)} {{ ?patient ?p ?value }} }} ORDER BY ?patient ?p ?value"
    )


def stats(kind: str, graph: str | None, containing: str | None) -> str:
    """Patients and records by display of the coding, most patients first."""
    record, path = KINDS[kind]
    wanted = ""
    if containing is not None:
        wanted = f"FILTER(CONTAINS(LCASE(STR(?display)), {Literal(containing.lower())}))"
    return (
        f"{PREFIXES} SELECT ?display (SAMPLE(?c) AS ?code) (COUNT(DISTINCT ?subject) AS ?patients)"
        f" (COUNT(DISTINCT ?record) AS ?records) WHERE {{ GRAPH {_scope(graph)} {{ "
        f"?record a {record} ; fhir:subject ?subject ; {path} ?coding . "
        f"?coding fhir:display ?display . OPTIONAL {{ ?coding fhir:code ?c }} {wanted} }} }} "
        "GROUP BY ?display ORDER BY DESC(?patients) ?display"
    )


def _scope(graph: str | None) -> str:
    return "?anywhere" if graph is None else iri(graph)
