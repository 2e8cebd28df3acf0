"""The sentence that a report on answers begins with, worked by hand on small studies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factmark.answers.core.averages import OVERALL
from factmark.answers.core.evaluate import evaluate
from factmark.answers.core.records import GivenAnswer, Question
from factmark.answers.report import first_sentence, own_answers_cautions
from factmark.answers.results import CorrectedSummary, Results
from factmark.stats.comparison import Options
from page import answers_html
from sample_results import sample_results

TRUTH = ("Lion Counts", "Lynx Counts")
HALF = "The catalogue has the Lion Counts and the Zebra Counts."  # C 1/2, H 1/2, S 1/2


def study(*texts: str, model: str = "", judge: str = "", questions: int = 2) -> Results:
    """Answers to as many questions with the same ground truth, the first ones first."""
    asked = [
        Question(query_id=f"Q{n}", category="c", text="Which counts are there?", ground_truth=TRUTH)
        for n in range(questions)
    ]
    answers = [
        GivenAnswer(id=f"a{n}", query_id=f"Q{n}", condition="", model=model, text=text)
        for n, text in enumerate(texts)
    ]
    signature = {"judge_model": judge} if judge else {}
    settings = Options(resamples=100)
    return evaluate("b", asked, answers, signature=signature, settings=settings)


def test_several_conditions_are_told_the_best_first_with_what_is_missing() -> None:
    sentence = first_sentence(sample_results()).sentence
    overall = {s.condition: s for s in sample_results().summaries if s.category == OVERALL}
    value = {name: f"{s.combined_score.value:.2f}" for name, s in overall.items()}
    assert value == {"baseline": "0.17", "rag": "0.64", "mcp": "0.88"}
    assert sentence.startswith("On 9 questions example-model-8b scores 0.88 [")
    assert sentence.index("of 1 under mcp, 0.64") < sentence.index("under rag and 0.17")
    assert sentence.endswith("; 2 of 27 answers missing.")  # 25 answers to 9 questions, thrice


def test_a_single_system_is_told_with_what_it_leaves_out_and_what_it_invents() -> None:
    sentence = first_sentence(study(HALF, HALF, model="m")).sentence
    assert sentence.startswith("On 2 questions m scores 0.50 [")
    assert "of 1: its answers say 0.50 [" in sentence
    assert "of the ground truth, and of what they state 0.50 [" in sentence
    nameless = first_sentence(study(HALF, HALF)).sentence
    assert nameless.startswith("On 2 questions the answers score 0.50 [")


def test_a_system_with_few_answers_is_told_by_how_many_questions_it_answered() -> None:
    sentence = first_sentence(study(HALF, model="m", questions=4)).sentence
    assert sentence.startswith("On 1 of 4 questions m scores 0.50 [")
    assert sentence.endswith("; 3 of 4 answers missing.")


def test_without_a_single_score_it_says_so() -> None:
    lost = replace(study(HALF), answers=())
    empty = study(questions=2, model="m")
    for results in (empty, replace(lost, summaries=())):
        assert "there is no score" in first_sentence(results).sentence


def test_where_people_marked_answers_of_each_system_their_figures_are_told() -> None:
    results = study(HALF, HALF, model="m")
    (row,) = [summary for summary in results.summaries if summary.category == OVERALL]
    better = replace(row.combined_score, value=0.9, low=0.8, high=1.0)
    by_people = CorrectedSummary(
        model="m",
        condition="",
        completeness=row.completeness,
        annotated=1,
        answers=2,
        hallucination_rate=row.hallucination_rate,
        combined_score=better,
    )
    sentence = first_sentence(replace(results, corrections=(by_people,))).sentence
    assert "m scores 0.90 [0.80–1.00] of 1" in sentence
    assert "as people would score them" in sentence
    elsewhere = replace(by_people, model="another")
    assert "scores 0.50" in first_sentence(replace(results, corrections=(elsewhere,))).sentence


@pytest.mark.parametrize(
    ("signature", "is_own"),
    [
        ({"judge_model": "m"}, True),
        ({"judge_model": "M-2024-08-06"}, True),
        ({"judge_model": "n"}, False),
        ({}, False),  # rules
        ({"judge_model": "gpt", "models": {"m": {"model": "gpt"}}}, True),  # a name of one's own
    ],
)
def test_a_model_that_finds_the_facts_in_its_own_answers_is_told(
    signature: dict[str, object], is_own: bool
) -> None:
    note = "".join(own_answers_cautions(signature, ["m", "other"]))
    assert ("judges its own answers" in note) is is_own


def test_the_page_tells_result_and_cautions_before_formulas_and_once() -> None:
    own = own_answers_cautions({"judge_model": "m"}, ["m"])
    results = replace(study(HALF, HALF, model="m", judge="m"), problems=(*own, "A row is odd."))
    page = answers_html(results)
    result, caution = page.index('<p class="result">On 2 questions m'), page.index(own[0])
    assert result < caution < page.index("A row is odd.") < page.index("C = |F")
    assert page.count(own[0]) == 1
