"""The bundled questions are what their README says, and sound on the bundled graph."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from asked import hides_its_middle, holds_answer
from factmark.files.problems import Problems
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.questions.reading import read_graph_questions
from factmark.graphs.ontologies.bundled import example_graph, example_questions
from factmark.text.names import name_key


@pytest.fixture(scope="module")
def questions() -> tuple[GraphQuestion, ...]:
    problems = Problems()
    found = read_graph_questions(example_questions(), problems)
    assert problems.sentences() == ()
    return found


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    with (example_graph() / "triples.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_counts(questions: tuple[GraphQuestion, ...]) -> None:
    assert Counter(question.kind for question in questions) == {
        "text": 84, "choice": 46, "yes-no": 12,
    }  # fmt: skip
    assert Counter(question.strata.get("hops") for question in questions) == {
        "1": 96, "2": 33, None: 13,
    }  # fmt: skip
    assert Counter(question.answerable for question in questions) == {True: 129, False: 13}
    assert len({question.text for question in questions}) == len(questions)
    topics = Counter(question.strata["topic"] for question in questions)
    assert len(topics) == 8
    assert min(topics.values()) >= 10
    assert {question.strata["difficulty"] for question in questions} == {"easy", "medium", "hard"}
    assert Counter(q.references[0] for q in questions if q.kind == "yes-no")["no"] >= 3


def test_the_right_options_stand_at_all_places(questions: tuple[GraphQuestion, ...]) -> None:
    places = Counter(question.right for question in questions if question.kind == "choice")
    assert set(places) == set("ABCD")
    assert max(places.values()) - min(places.values()) <= 4


def test_each_named_triple_is_a_good_one_of_the_graph(
    questions: tuple[GraphQuestion, ...], rows: list[dict[str, str]]
) -> None:
    good = {
        (row["head"], row["relation"], row["tail"])
        for row in rows
        if (row["support"], row["validity"]) == ("SUPPORTED", "YES")
    }
    for question in questions:
        assert set(question.triples) <= good, question.id
        hops = question.strata.get("hops")
        assert len(question.triples) == (0 if hops is None else int(hops)), question.id
        assert (hops is None) == (question.answerable is False), question.id


def test_the_triples_hold_the_answer(questions: tuple[GraphQuestion, ...]) -> None:
    for question in questions:
        if question.triples and question.kind != "yes-no":
            assert holds_answer(question), question.id


def test_two_hops_join_in_an_entity_that_is_not_named(
    questions: tuple[GraphQuestion, ...],
) -> None:
    for question in questions:
        if question.strata.get("hops") == "2":
            assert hides_its_middle(question), question.id


def test_what_the_graph_cannot_answer_is_not_in_it(
    questions: tuple[GraphQuestion, ...], rows: list[dict[str, str]]
) -> None:
    entities = {name_key(row[end]) for row in rows for end in ("head", "tail")}
    for question in questions:
        if question.answerable is False and question.kind != "yes-no":
            held = {answer for answer in question.references if name_key(answer) in entities}
            assert not held, question.id
    # The one to be answered by yes: what it asks about is no entity at all.
    (yes,) = (q for q in questions if q.answerable is False and q.kind == "yes-no")
    assert "levothyroxine" in yes.text
    assert not any("levothyroxine" in entity for entity in entities)
