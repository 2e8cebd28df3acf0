"""The questions that retrieval is measured on are sound on their graphs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from asked import hides_its_middle, holds_answer
from factmark.files.problems import Problems
from factmark.graphrag.questions.reading import read_graph_questions
from factmark.graphs.ontologies.bundled import example_graph, example_questions
from factmark.graphs.triples.triples import read_triples

FOLDER = Path(__file__).parents[2] / "benchmarks" / "heldout_questions"
BUNDLED = example_graph() / "triples.csv"


@pytest.mark.parametrize(
    ("name", "graph", "one", "two"),
    [
        ("diabetes", BUNDLED, 30, 20),
        ("geography", FOLDER / "geography_triples.csv", 25, 15),
    ],
)
def test_heldout_questions(name: str, graph: Path, one: int, two: int) -> None:
    problems = Problems()
    questions = read_graph_questions(FOLDER / f"{name}.jsonl", problems)
    held = {(t.head, t.relation, t.tail) for t in read_triples(graph, problems)}
    assert problems.sentences() == ()
    assert Counter(question.strata["hops"] for question in questions) == {"1": one, "2": two}
    for question in questions:
        assert set(question.triples) <= held, question.id
        assert holds_answer(question), question.id
        assert len(question.triples) == 1 or hides_its_middle(question), question.id


def test_they_are_other_questions_than_the_bundled_ones() -> None:
    bundled = read_graph_questions(example_questions(), Problems())
    apart = read_graph_questions(FOLDER / "diabetes.jsonl", Problems())
    assert not {q.text for q in bundled} & {q.text for q in apart}
    assert not {q.triples for q in bundled} & {q.triples for q in apart}


def test_the_relations_of_the_second_graph_are_not_those_of_the_first() -> None:
    first, second = (
        {triple.relation for triple in read_triples(path, Problems())}
        for path in (BUNDLED, FOLDER / "geography_triples.csv")
    )
    assert not first & second
    assert len(second) == 21
