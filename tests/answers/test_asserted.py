"""Candidates in the question, and which of them an answer gives as its answer."""

from __future__ import annotations

import pytest

from factmark.answers.core.asserted import Asserted, asserted
from factmark.answers.core.elements.candidates import candidates_of
from factmark.answers.core.records import GivenAnswer, Question, ScoredAnswer
from factmark.answers.core.scores import score_answer

QUESTION = "Which of Orm, Skua and VX holds the most samples?"


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (QUESTION, ("Orm", "Skua", "VX")),
        ("Which lake is deeper, Lake Ruan or Lake Elm?", ("Lake Ruan", "Lake Elm")),
        ("Does Orm or Skua hold more?", ("Orm", "Skua")),
        ("Is it given more often in Orm or in Skua?", ("Orm", "Skua")),
        ("Among the arms — A1, B2, and C3 — which is largest?", ("A1", "B2", "C3")),
        ("Which is it? Choose one of the following options:\n - Orm\n - Skua", ("Orm", "Skua")),
        ("Which gene is linked? The given list is: ABC1, DEF2, GHI3", ("ABC1", "DEF2", "GHI3")),
        ("Between Orm and Skua, which is older?", ("Orm", "Skua")),
        ("Which samples are there?", ()),
        ("How many patients are there?", ()),
    ],
)
def test_the_candidates_that_a_question_names(question: str, names: tuple[str, ...]) -> None:
    assert candidates_of(question) == names


def choice(answer: str, truth: tuple[str, ...] = ("VX",), question: str = QUESTION) -> Asserted:
    row = ScoredAnswer(
        question=Question(query_id="1", category="x", text=question, ground_truth=truth),
        answer=GivenAnswer(id="1", query_id="1", text=answer),
        score=score_answer(question, truth, answer),
    )
    given = asserted(row)
    assert given is not None
    return given


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("VX.", ("VX",)),
        ("The answer is VX.", ("VX",)),
        ("Orm holds more than VX and Skua.", ("Orm",)),
        ("VX holds fewer than Orm.", ("Orm",)),
        ("It is Orm, not VX.", ("Orm",)),
        ("Among Orm, Skua and VX, VX holds the most.", ("VX",)),
        ("VX holds the most samples, Orm the fewest.", ("VX",)),
        ('{"answer": "VX"}', ("VX",)),
        ("- Orm: 12\n- Skua: 9\n- VX: 31\n\nTherefore, VX holds the most.", ("VX",)),
        ("I cannot tell.", ()),
    ],
)
def test_a_mention_is_no_choice(answer: str, names: tuple[str, ...]) -> None:
    assert choice(answer).chosen == names


def test_the_published_score_stays() -> None:
    answer = "Orm holds more than VX and Skua."
    score = score_answer(QUESTION, ["VX"], answer)
    assert (score.completeness, score.hallucination_rate) == (1, 0)
    assert choice(answer).combined_score == 0


def test_of_a_yes_or_no_it_is_the_verdict() -> None:
    given = choice("No, it is not.", ("yes",), "Is it held in Orm?")
    assert (given.chosen, given.completeness, given.hallucination_rate) == (("no",), 0, 1)


def test_a_candidate_in_the_ground_truth_matches_however_short() -> None:
    question = "Which of A, B and C is best?"
    assert score_answer(question, ["A"], "A is best.").completeness == 1
    assert score_answer(question, ["A"], "A study says so.").completeness == 0
