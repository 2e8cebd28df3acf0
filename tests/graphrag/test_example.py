"""The bundled and the held-out questions are sound on their graphs, and find what answers them."""

from __future__ import annotations

import asyncio
import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from factmark.files.problems import Problems
from factmark.graph_answers.core.records import GraphQuestion
from factmark.graph_answers.index.building import GraphSource, open_graph_index
from factmark.graph_answers.questions.question_file import read_graph_questions
from factmark.graphs.core.claims import Triple
from factmark.graphs.ontologies.bundled import example_graph, example_questions
from factmark.graphs.ontologies.opening import open_ontology
from factmark.graphs.triples.triples import read_triples
from factmark.text.names import name_key

HELD_OUT = Path(__file__).parents[2] / "benchmarks" / "heldout_questions"
BUNDLED, GEOGRAPHY = example_graph() / "triples.csv", HELD_OUT / "geography_triples.csv"


def read(path: Path) -> Sequence[GraphQuestion]:
    problems = Problems()
    questions = read_graph_questions(path, problems)
    assert problems.sentences() == ()
    return questions


@pytest.fixture(scope="module")
def questions() -> Sequence[GraphQuestion]:
    return read(example_questions())


def holds_answer(question: GraphQuestion) -> bool:
    """Whether an accepted answer is an entity of the question's triples."""
    ends = {name_key(end) for head, _, tail in question.triples for end in (head, tail)}
    return bool(ends & {name_key(answer) for answer in question.references})


def hides_its_middle(question: GraphQuestion) -> bool:
    """Whether its two triples share one entity, which it neither names nor asks for."""
    (head, _, tail), (other_head, _, other_tail) = question.triples
    (middle,) = map(name_key, {head, tail} & {other_head, other_tail})
    named = f" {middle} " in f" {name_key(question.asked)} "
    return not named and middle not in map(name_key, question.references)


def test_the_answering_triples_are_among_the_ten_best(
    questions: Sequence[GraphQuestion], tmp_path: Path
) -> None:
    with open_ontology(None, Problems()) as (ontology, identity):
        source = GraphSource(path=BUNDLED, ontology=ontology, ontology_identity=identity)
        index = asyncio.run(open_graph_index(source, tmp_path / "index"))
    held: dict[str, list[bool]] = {"1": [], "2": []}
    for question in questions:
        if question.triples:
            wanted = {Triple(head=h, relation=r, tail=t).key for h, r, t in question.triples}
            facts = index.look_up(question.text, question.options).facts
            assert len(facts) <= 10
            held[question.strata["hops"]].append(wanted <= {fact.triple.key for fact in facts})
    for hops, least, number in (("1", 0.95, 60), ("2", 0.80, 25)):
        assert len(held[hops]) >= number
        assert sum(held[hops]) / len(held[hops]) >= least


def test_the_bundled_questions_are_sound_on_their_graph(
    questions: Sequence[GraphQuestion],
) -> None:
    with BUNDLED.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    good = {
        (row["head"], row["relation"], row["tail"])
        for row in rows
        if (row["support"], row["validity"]) == ("SUPPORTED", "YES")
    }
    entities = {name_key(row[end]) for row in rows for end in ("head", "tail")}
    for question in questions:
        hops = question.strata.get("hops")
        assert set(question.triples) <= good, question.id
        assert len(question.triples) == int(hops or 0), question.id
        assert (hops is None) == (question.answerable is False), question.id
        if question.triples and question.kind != "yes-no":
            assert holds_answer(question), question.id
        if hops == "2":
            assert hides_its_middle(question), question.id
        if question.answerable is False and question.kind != "yes-no":
            assert not entities & set(map(name_key, question.references)), question.id
    # The one to be answered by yes: what it asks about is no entity at all.
    (yes,) = (q for q in questions if q.answerable is False and q.kind == "yes-no")
    assert "levothyroxine" in yes.text
    assert not any("levothyroxine" in entity for entity in entities)


@pytest.mark.parametrize(
    ("name", "graph", "one", "two"),
    [("diabetes", BUNDLED, 30, 20), ("geography", GEOGRAPHY, 25, 15)],
)
def test_heldout_questions(
    name: str, graph: Path, one: int, two: int, questions: Sequence[GraphQuestion]
) -> None:
    apart = read(HELD_OUT / f"{name}.jsonl")
    held = {(t.head, t.relation, t.tail) for t in read_triples(graph, Problems())}
    assert Counter(question.strata["hops"] for question in apart) == {"1": one, "2": two}
    for question in apart:
        assert set(question.triples) <= held, question.id
        assert holds_answer(question), question.id
        assert len(question.triples) == 1 or hides_its_middle(question), question.id
    assert not {q.text for q in questions} & {q.text for q in apart}
    assert not {q.triples for q in questions} & {q.triples for q in apart}
