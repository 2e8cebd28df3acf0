"""The SPARQL texts behind the MCP tools. Values enter as N-Triples terms, never as raw text.

A `StoreReader` puts the prefixes before them.
"""

from __future__ import annotations

from collections.abc import Iterable

from factmark.ehds.reader import query_iri, query_literal, values_block
from factmark.stores.terms import Term

# Of each kind of record its class, and the path from a record to its coding.
_RECORDS = {
    "conditions": "fhir:Condition ; fhir:code",
    "medications": "fhir:MedicationRequest ; (fhir:medicationCode|fhir:medication/fhir:code)",
    "observations": "fhir:Observation ; fhir:code",
}


def graph_exists(graph: str) -> str:
    """Returns the query that asks whether a named graph holds anything."""
    return f"ASK {{ GRAPH {query_iri(graph)} {{ ?s ?p ?o }} }}"


def record_counts(graph: str) -> str:
    """Returns the query for how many things of each class a graph holds."""
    return (
        f"SELECT ?class (COUNT(DISTINCT ?record) AS ?records) WHERE {{ "
        "VALUES ?class { fhir:Patient fhir:Condition fhir:Encounter fhir:Observation "
        f"fhir:MedicationRequest }} GRAPH {query_iri(graph)} {{ ?record a ?class }} }} "
        "GROUP BY ?class"
    )


def patient_pattern(
    graph: str | None,
    *,
    genders: Iterable[Term] | None = None,
    born_from: int | None = None,
    born_to: int | None = None,
    flags: Iterable[Term] | None = None,
) -> str:
    """Returns the pattern that binds `?patient`, with one of the values where some are named; of
    all graphs where None.
    """
    parts = ["?patient a fhir:Patient ."]
    for predicate, name, terms in (
        ("fhir:gender", "?sex", genders),
        ("odrl:hasPolicy", "?flag", flags),
    ):
        if terms is not None:
            values = ", ".join(query_literal(term.value) for term in terms)
            parts.append(f"?patient {predicate} {name} . FILTER(STR({name}) IN ({values}))")
    if born_from is not None or born_to is not None:
        parts.append("?patient fhir:birthDate ?born . BIND(SUBSTR(STR(?born), 1, 4) AS ?year)")
    for sign, year in ((">=", born_from), ("<=", born_to)):
        if year is not None:
            parts.append(f"FILTER(?year {sign} {query_literal(f'{year:04d}')})")
    return f"GRAPH {_graph_term(graph)} {{ {' '.join(parts)} }}"


def patient_values(predicate: str, graph: str | None) -> str:
    """Returns the query for the values that patients have of a predicate, which is written with a
    prefix.
    """
    return (
        f"SELECT DISTINCT ?value WHERE {{ GRAPH {_graph_term(graph)} "
        f"{{ ?patient a fhir:Patient ; {predicate} ?value }} }} ORDER BY ?value LIMIT 1000"
    )


def patient_totals(pattern: str, graph: str | None) -> str:
    """Returns the query for how many patients there are, and their first and last year of birth."""
    return (
        f"SELECT (COUNT(DISTINCT ?patient) AS ?patients) (MIN(?y) AS ?first) "
        f"(MAX(?y) AS ?last) WHERE {{ {pattern} OPTIONAL {{ GRAPH {_graph_term(graph)} "
        "{ ?patient fhir:birthDate ?b } BIND(SUBSTR(STR(?b), 1, 4) AS ?y) } }"
    )


def patient_groups(pattern: str, graph: str | None) -> str:
    """Returns the query for how many patients there are by gender, race, ethnicity and consent
    flag.
    """
    return (
        f"SELECT ?p ?value (COUNT(DISTINCT ?patient) AS ?patients) WHERE {{ {pattern} "
        "VALUES ?p { fhir:gender ehds:race ehds:ethnicity odrl:hasPolicy } "
        f"GRAPH {_graph_term(graph)} {{ ?patient ?p ?value }} }} GROUP BY ?p ?value "
        "ORDER BY ?p DESC(?patients) ?value"
    )


def patient_page(pattern: str, offset: int, limit: int) -> str:
    """Returns the query for the patients of one page."""
    return (
        f"SELECT DISTINCT ?patient WHERE {{ {pattern} }} "
        f"ORDER BY ?patient LIMIT {int(limit)} OFFSET {int(offset)}"
    )


def patient_details(patients: Iterable[str], graph: str | None) -> str:
    """Returns the query for what is said about some patients."""
    return (
        "SELECT DISTINCT ?patient ?p ?value "
        f"WHERE {{ VALUES ?patient {{ {values_block(patients)} }} "
        "VALUES ?p { fhir:gender fhir:birthDate ehds:race ehds:ethnicity odrl:hasPolicy } "
        f"GRAPH {_graph_term(graph)} {{ ?patient ?p ?value }} }} ORDER BY ?patient ?p ?value"
    )


def display_counts(kind: str, graph: str | None, containing: str | None) -> str:
    """Returns the query for patients and records by display of the coding, most patients first."""
    wanted = ""
    if containing is not None:
        wanted = f"FILTER(CONTAINS(LCASE(STR(?display)), {query_literal(containing.lower())}))"
    return (
        f"SELECT ?display (SAMPLE(?c) AS ?code) (COUNT(DISTINCT ?subject) AS ?patients)"
        f" (COUNT(DISTINCT ?record) AS ?records) WHERE {{ GRAPH {_graph_term(graph)} {{ "
        f"?record fhir:subject ?subject ; a {_RECORDS[kind]} ?coding . "
        f"?coding fhir:display ?display . OPTIONAL {{ ?coding fhir:code ?c }} {wanted} }} }} "
        "GROUP BY ?display ORDER BY DESC(?patients) ?display"
    )


def _graph_term(graph: str | None) -> str:
    """Returns a graph as a query names it; a variable, which takes every graph, where None."""
    if graph is None:
        return "?anywhere"
    return query_iri(graph)
