"""The bundled questions find the triples that answer them, offline (bounds of the issue)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from factmark.files.problems import Problems
from factmark.graphrag.index.building import GraphSource, open_graph_index
from factmark.graphrag.questions.reading import read_graph_questions
from factmark.graphs.core.claims import Triple
from factmark.graphs.ontologies.bundled import example_graph, example_questions, open_ontology


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[bool]]:
    """Hops -> whether all answering triples are among the ten best, for each question."""
    folder: Path = tmp_path_factory.mktemp("example") / "index"
    with open_ontology(None, Problems()) as (ontology, identity):
        source = GraphSource(
            path=example_graph() / "triples.csv", ontology=ontology, ontology_identity=identity
        )
        index = asyncio.run(open_graph_index(source, folder))
    out: dict[str, list[bool]] = {}
    for question in read_graph_questions(example_questions(), Problems()):
        if question.triples:
            wanted = {Triple(head=h, relation=r, tail=t).key for h, r, t in question.triples}
            context = index.look_up(question.text, question.options)
            assert len(context.facts) <= 10
            held = wanted <= {fact.triple.key for fact in context.facts}
            out.setdefault(question.strata["hops"], []).append(held)
    return out


@pytest.mark.parametrize(("hops", "least", "questions"), [("1", 0.95, 60), ("2", 0.80, 25)])
def test_the_answering_triples_are_among_the_ten_best(
    found: dict[str, list[bool]], hops: str, least: float, questions: int
) -> None:
    assert len(found[hops]) >= questions
    assert sum(found[hops]) / len(found[hops]) >= least
