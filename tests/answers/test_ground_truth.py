"""The 50 ground truths: equal to the published ones, and the same on two stores."""

from __future__ import annotations

import pyoxigraph
import pytest
import rdflib

from factmark.answers.benchmarks import load_benchmark, published_values
from factmark.answers.derive import ground_truth
from factmark.ehds.replica.generate import nquads
from factmark.ehds.replica.plan import plan
from factmark.ehds.write import memory_store
from factmark.stores.terms import Rows, Term

SCALE = 0.0001
QUERIES = {q.query_id: q.sparql or "" for q in load_benchmark("ehds").questions}
PREFIXES = QUERIES["D1"].partition("SELECT")[0]

# Other ways to ask the same, as a reader of the portal's documentation might.
VARIANTS = {
    "D3": "SELECT ?t { GRAPH graph:catalogue { ?d odrl:hasPolicy ehds:policy-p2-clinical-care ;"
    " dct:title ?t } }",
    "D5": "SELECT ?t { GRAPH graph:catalogue { ?d dct:title ?t ; dct:description ?text }"
    ' FILTER(CONTAINS(LCASE(?text), "oncology")) }',
    "D7": "SELECT ?t ?s { GRAPH graph:catalogue { ?d dct:title ?t ; dct:temporal ?p ."
    ' ?p dcat:startDate ?s } FILTER(?s < "2005-01-01"^^xsd:date) } ORDER BY ?s',
    "D8": "SELECT ?t ?e { GRAPH graph:catalogue { ?d dct:title ?t ; dct:temporal ?p ."
    " ?p dcat:endDate ?e } FILTER(YEAR(?e) < 2025) }",
    "D9": "SELECT ?t { GRAPH graph:catalogue { ?d dct:title ?t ; dct:description ?text }"
    ' FILTER(REGEX(?text, "respiratory", "i")) }',
    "D10": "SELECT (COUNT(?p) AS ?n) { GRAPH graph:dementia { ?p a fhir:Patient } }",
    "P3": "SELECT DISTINCT ?t { GRAPH graph:catalogue { ?d dct:title ?t ;"
    " odrl:hasPolicy/odrl:permission/odrl:constraint/odrl:rightOperand ehds:granted } }",
    "P4": "SELECT DISTINCT ?t { GRAPH graph:catalogue { ?d dct:title ?t ;"
    " odrl:hasPolicy/odrl:permission/odrl:constraint/odrl:rightOperand ehds:ClinicalCare } }",
    "P7": "SELECT ?t { VALUES ?p { ehds:policy-p6-oncology-restricted ehds:policy-p7-time-limited }"
    " GRAPH graph:catalogue { ?d dct:title ?t ; odrl:hasPolicy ?p } }",
    "P14": "SELECT ?t { GRAPH graph:catalogue { ?d dct:title ?t ; odrl:hasPolicy ?p ."
    " ?p odrl:permission ?r . ?r odrl:action odrl:derive } }",
    "P17": "SELECT (COUNT(?p) AS ?n) { GRAPH ?g { ?p a fhir:Patient ; odrl:hasPolicy ?o }"
    ' FILTER(CONTAINS(STR(?o), "no-ai-training")) }',
    "P19": "SELECT DISTINCT ?t { GRAPH graph:catalogue { ?d dct:title ?t ; odrl:hasPolicy ?p ."
    " ?p odrl:permission [ odrl:action odrl:distribute ; odrl:constraint"
    " [ odrl:rightOperand dpv:NonCommercialPurpose ] ] } }",
    "C1": "SELECT ?m (COUNT(DISTINCT ?p) AS ?n) { GRAPH graph:diabetes {"
    " ?r a fhir:MedicationRequest ; fhir:subject ?p ; fhir:medicationCode/fhir:display ?m } }"
    " GROUP BY ?m ORDER BY DESC(?n) LIMIT 1",
    "C4": "SELECT DISTINCT ?t { GRAPH graph:stroke { ?o a fhir:Observation ; fhir:code ?c ."
    " ?c fhir:display ?t } } LIMIT 20",
    "C6": "SELECT ?y { GRAPH graph:alzheimers { ?p a fhir:Patient ; ehds:birthYear ?y } }"
    " ORDER BY ?y LIMIT 1",
    "C8": "SELECT ?m (COUNT(DISTINCT ?p) AS ?n) { GRAPH graph:hypertension {"
    " ?r fhir:medication/fhir:code/fhir:display ?m ; fhir:subject ?p } }"
    " GROUP BY ?m ORDER BY DESC(?n) LIMIT 5",
    "X4": "SELECT ?t ?text { GRAPH graph:catalogue { ehds:dataset-metabolic-syndrome dct:title ?t ;"
    " dct:description ?text } }",
    "X5": "SELECT ?t ?s ?e { GRAPH graph:catalogue { ?d dct:title ?t ; dct:temporal ?p ."
    " ?p dcat:startDate ?s ; dcat:endDate ?e } } ORDER BY (?e - ?s) ?t LIMIT 3",
    "X10": "SELECT ?t { VALUES ?d { ehds:dataset-hypertension ehds:dataset-metabolic-syndrome"
    " ehds:dataset-obesity ehds:dataset-hyperlipidemia ehds:dataset-chronic-kidney-disease }"
    " GRAPH graph:catalogue { ?d dct:title ?t } }",
}


@pytest.fixture(scope="module")
def store() -> pyoxigraph.Store:
    return memory_store(scale=SCALE)


@pytest.fixture(scope="module")
def dataset() -> rdflib.Dataset:
    dataset = rdflib.Dataset()
    dataset.parse(data="".join(nquads(plan(SCALE))), format="nquads")
    return dataset


def term(value: object) -> Term | None:
    match value:
        case pyoxigraph.NamedNode(value=text):
            return Term(kind="iri", value=text)
        case pyoxigraph.Literal(value=text):
            return Term(kind="literal", value=text)
        case rdflib.URIRef():
            return Term(kind="iri", value=str(value))
        case rdflib.Literal():
            return Term(kind="literal", value=str(value))
    assert value is None, "a blank node is no answer"
    return None


def derive(store: pyoxigraph.Store, query: str, *, union: bool = False) -> tuple[str, ...]:
    solutions = store.query(query, use_default_graph_as_union=union)
    variables = tuple(variable.value for variable in solutions.variables)
    rows = tuple(tuple(term(s[v]) for v in variables) for s in solutions)
    return ground_truth(Rows(variables=variables, rows=rows))


@pytest.mark.parametrize("query_id", QUERIES)
def test_derived_is_published_whatever_the_default_graph_and_the_store(
    store: pyoxigraph.Store, dataset: rdflib.Dataset, query_id: str
) -> None:
    query = QUERIES[query_id]
    derived = derive(store, query)
    assert set(derived) == set(published_values()[query_id])
    assert set(derive(store, query, union=True)) == set(derived)
    rows = tuple(tuple(map(term, row)) for row in dataset.query(query))
    assert ground_truth(Rows(rows=rows)) == derived  # in the same order


@pytest.mark.parametrize("query_id", VARIANTS)
def test_other_ways_to_ask_give_the_same(store: pyoxigraph.Store, query_id: str) -> None:
    derived = derive(store, PREFIXES + VARIANTS[query_id])
    assert set(derived) == set(published_values()[query_id])
