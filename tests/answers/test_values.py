"""M5: equal in value is equal; dates; truths of ASK queries."""

from __future__ import annotations

import pytest

from factmark.answers.core.records import GivenAnswer, Question
from factmark.answers.core.rows import (
    answer_item,
    question_item,
    read_score,
    rule_judge,
    units_and_verdicts,
)
from factmark.answers.core.scores import score_answer


@pytest.mark.parametrize(
    ("element", "answer"),
    [
        ("97.3", "97.3 mg/dL"),
        ("12.5", "EUR 12.50"),
        ("12.5", "It costs €12.50."),
        ("62.5", "62.5%"),
        ("62.5", "62.5 percent"),
        ("1916", "1,916"),
        ("30", "30.0"),
        ("2400000", "2.4 million"),
        ("34.1", "34.1 °C"),
        ("812.50", "812.5 millimetres"),
        ("1887-05-03", "May 3rd, 1887"),
        ("1887-05-03", "It was on 1887/05/03."),
        ("1887-05-03", "3-May-1887"),
        ("1887-05-03", "03-05-1887"),
        ("1990-01", "January 1990"),
    ],
)
def test_equal_in_value_is_equal(element: str, answer: str) -> None:
    score = score_answer("Which value is it?", [element], answer)
    assert (score.completeness, score.hallucination_rate) == (1, 0), score.facts


@pytest.mark.parametrize(
    ("element", "answer"),
    [
        ("10 MG", "20 mg"),
        ("10 MG", "10"),
        ("2", "between 2% and 5%"),
        ("10", "lisinopril 10 mg"),
        ("007", "7"),
        ("30", "a dozen"),
        ("12.5", "125"),
        ("1887-05-03", "3 June 1887"),
    ],
)
def test_another_value_is_no_match(element: str, answer: str) -> None:
    assert score_answer("Which value is it?", [element], answer).completeness == 0


@pytest.mark.parametrize(
    "answer",
    [
        "It runs from January 1990 to December 2020.",
        "January 1990 – December 2020",
        "1990-01 to 2020-12",
    ],
)
def test_both_ends_of_a_range_of_months(answer: str) -> None:
    score = score_answer("Which period is covered?", ["1990-01", "2020-12"], answer)
    assert (score.completeness, score.hallucination_rate) == (1, 0), score.facts


def test_a_range_of_dates_that_g_does_not_hold_is_one_fact() -> None:
    facts = score_answer("Which period is covered?", [], "1 May 1990 to 3 May 1991").facts
    assert [fact.text for fact in facts] == ["1 May 1990 to 3 May 1991"]


@pytest.mark.parametrize(
    ("truth", "answer", "scores"),
    [
        ("true", "Yes, it is.", (1, 0)),
        ("false", "No.", (1, 0)),
        ("true", "No, it is not.", (0, 1)),
        ("false", "Yes.", (0, 1)),
        ("true", "I cannot tell.", (0, 0)),
        ("True", "True", (1, 0)),
        ("true", "Yes: it has 14 lanes and was built in 1904.", (1, 0)),
    ],
)
def test_the_truth_of_an_ask_query_is_the_verdict(
    truth: str, answer: str, scores: tuple[float, float]
) -> None:
    """E5: the verdict is the only fact of F; what explains it is not scored."""
    score = score_answer("Is the bridge open to cars?", [truth], answer)
    assert (score.completeness, score.hallucination_rate) == scores, score.facts
    assert score.missing == (() if scores[0] else (truth,))


@pytest.mark.parametrize("answer", ["Yes.", "Yes, since Palermo joined.", "No."])
def test_scores_of_an_ask_query_come_back_from_their_rows(answer: str) -> None:
    question = Question(
        query_id="Q", category="c", text="Is the bridge open?", ground_truth=("true",)
    )
    given = GivenAnswer(id="1", query_id="Q", text=answer)
    score = score_answer(question.text, ["true"], answer)
    item = answer_item(question_item("b", question), given)
    rows = list(units_and_verdicts(item, question, score, rule_judge()))
    assert read_score(question, given, rows).score == score


@pytest.mark.parametrize(
    ("answer", "truth"),
    [
        ("The lake is not in Norway; it lies in Sweden.", "false"),
        ("The lake lies in Norway.", "true"),
    ],
)
def test_a_statement_answers_an_ask_query(answer: str, truth: str) -> None:
    assert score_answer("Is the lake in Norway?", [truth], answer).completeness == 1
