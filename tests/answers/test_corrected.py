"""C, H and S corrected by the answers that people marked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factmark.answers.core.averages import correct_summaries
from factmark.answers.core.records import GivenAnswer, Question, ScoredAnswer
from factmark.answers.core.scores import score_facts

QUESTION = Question(query_id="q", category="c", text="Which?", ground_truth=("a", "b"))


def scored(n: int, completeness: float) -> ScoredAnswer:
    answer = GivenAnswer(id=f"a{n}", query_id=f"q{n}", condition="rag", model="m", text="x")
    made = score_facts((), ("a", "b"), verdict=None, absence=False)
    return ScoredAnswer(
        question=QUESTION, answer=answer, score=replace(made, completeness=completeness)
    )


def said(completeness: float) -> dict[str, float]:
    return {"completeness": completeness, "hallucination_rate": 0.0, "combined_score": 0.0}


def test_by_hand() -> None:
    # Six answers that the judge gave 1 and four that it gave 0. People marked two of the first
    # (1 and 0.5: mean 0.75) and one of the others (0.25): 0.6 * 0.75 + 0.4 * 0.25 = 0.55.
    rows = [scored(n, 1.0 if n < 6 else 0.0) for n in range(10)]
    (made,) = correct_summaries(rows, {"a0": said(1.0), "a1": said(0.5), "a6": said(0.25)})
    assert made.completeness.value == pytest.approx(0.55)
    assert (made.annotated, made.answers) == (3, 10)
    assert 0 <= made.completeness.low < 0.55 < made.completeness.high <= 1  # type: ignore[operator]
    assert made.hallucination_rate.high > 0  # type: ignore[operator]  # three zeros prove nothing


def test_only_where_people_marked_something() -> None:
    assert correct_summaries([scored(0, 1.0)], {}) == ()
