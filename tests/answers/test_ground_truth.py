"""The 50 ground truths: equal to the published ones, and the same on two stores."""

from __future__ import annotations

import pyoxigraph
import pytest
import rdflib

from factmark.answers.questions.benchmarks import load_benchmark, published_values
from factmark.answers.questions.ground_truths import ground_truth
from factmark.ehds.replica.generate import nquads
from factmark.ehds.replica.plan import plan
from factmark.ehds.write import memory_store
from factmark.stores.terms import Rows, Term

SCALE = 0.0001
QUERIES = {q.query_id: q.sparql or "" for q in load_benchmark("ehds").questions}


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
