"""A study from file to results; facts by people and by functions in place of the rules."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from factmark.answers.core.corrected import summaries_by_people
from factmark.answers.core.evaluate import JudgedAnswers, sort_out
from factmark.answers.core.marked_agreement import fact_tally, marked_agreement
from factmark.answers.core.records import (
    Fact,
    GivenAnswer,
    Question,
    ScoredAnswer,
    Trace,
)
from factmark.answers.core.scores import score_facts
from factmark.answers.judges import JUDGED, marks_recipe, open_answer_judge
from factmark.answers.marks.annotations import open_annotations
from factmark.answers.questions.ground_truths import Truth
from factmark.answers.reading import AnswerFile, read_answers
from factmark.answers.report import answers_report
from factmark.answers.results import Results
from factmark.answers.study import judge_answers, score_study
from factmark.answers.verdicts import results_from_ledger
from factmark.ask.judges.recipe import Recipe
from factmark.cli.asking import Asking
from factmark.cli.judge_recipes import recipe_of
from factmark.errors import FactmarkError, InputError
from factmark.stats.comparison import Options
from traced import question as traced_question
from traced import traced

QUESTIONS = (
    Question(query_id="A", category="one", text="How many?", ground_truth=("30",), sparql="ASK {}"),
    Question(query_id="B", category="one", text="Which?", ground_truth=("lupus", "gout")),
    Question(query_id="C", category="two", text="Which lack it?", ground_truth=()),
    Question(query_id="D", category="two", text="Broken", ground_truth=None),
)
ROWS = [
    {"query_id": "A", "condition": "rag", "answer": "There are thirty.", "latency_seconds": 2},
    {"query_id": "A", "condition": "rag", "answer": "There are 31."},
    {"query_id": "B", "condition": "rag", "answer": "Lupus and asthma."},
    {"query_id": "B", "condition": "rag", "answer": "Lupus and asthma."},
    {"query_id": "C", "condition": "rag", "answer": "None."},
    {"query_id": "A", "condition": "mcp", "answer": "", "tools_called": ["x"]},
    {"query_id": "Z9", "condition": "rag", "answer": "lost"},
    {"query_id": "D", "condition": "rag", "answer": "lupus"},
]


def study(
    folder: Path,
    questions: tuple[Question, ...] = QUESTIONS,
    rows: object = ROWS,
    **changes: object,
) -> Results:
    path = folder / "answers.json"
    path.write_text(json.dumps(rows))
    truth = Truth(benchmark="test", questions=questions, problems=("told before",), source="here")
    answers = changes.pop("answers", None) or read_answers(path)
    assert isinstance(answers, AnswerFile)
    if isinstance(recipe := changes.pop("recipe", None), Recipe):
        judge = open_answer_judge(recipe)
        changes["judged"] = asyncio.run(judge_answers(judge, truth, answers.answers, None))
    arguments = {
        "truth": truth,
        "answers": answers,
        "judged": JudgedAnswers(),
        "settings": Options(resamples=200),
        "ledger": folder / "ledger.db",
    }
    return score_study(**(arguments | changes))  # type: ignore[arg-type]  # changed by name


def test_scores_and_averages(tmp_path: Path) -> None:
    results = study(tmp_path)
    assert [
        (row.answer.query_id, row.answer.condition, row.score.completeness)
        for row in results.answers
    ] == [
        ("A", "rag", 1.0),
        ("A", "rag", 0.0),
        ("A", "mcp", 0.0),
        ("B", "rag", 0.5),
        ("C", "rag", 1.0),
    ]
    averages = {(row.condition, row.category): row for row in results.summaries}
    # A was answered twice: 0.5 for it, 0.5 for B.
    assert averages["rag", "one"].completeness.value == 0.5
    assert averages["rag", "overall"].completeness.value == pytest.approx(2 / 3)
    assert (averages["rag", "overall"].n_answers, averages["rag", "overall"].n_missing) == (4, 0)
    assert averages["mcp", "overall"].n_missing == 2
    assert averages["mcp", "two"].completeness.value is None
    assert results_from_ledger(tmp_path / "ledger.db") == results


def test_nothing_is_dropped_silently(tmp_path: Path) -> None:
    problems = study(tmp_path).problems
    assert problems[0] == "told before"
    for part in (
        "does not have: not scored (Z9)",
        "without a ground truth: not scored (D)",
        "the same as an earlier one of its question, model and condition: left out (B)",
        "1 answer empty: scored, without facts (A)",
        "1 question has several answers by one model under one condition",
        "2 of 3 questions have no answer in mcp (B and C)",
    ):
        assert any(part in problem for problem in problems), part


def test_repeats_that_were_asked_for_are_no_note() -> None:
    asked = traced_question("A")
    rows = [traced(asked, "30", Trace(sample=at), id=f"{at}").answer for at in (0, 1)]
    lost = traced(asked, "", None, id="3").answer
    assert sort_out([*rows, lost, replace(lost, id="4")], {"A": asked})[1] == []
    (told,) = sort_out([rows[0], replace(rows[0], id="2")], {"A": asked})[1]
    assert told.startswith("1 question has several answers")


def test_a_message_in_place_of_an_answer_is_missing_and_no_empty_answer(tmp_path: Path) -> None:
    rows = [
        {"query_id": "A", "answer": "Error running the pipeline over HTTP."},
        {"query_id": "B", "answer": "None"},
        {"query_id": "C", "answer": "None"},  # where there is nothing, it says so
    ]
    results = study(tmp_path, rows=rows)
    assert [row.answer.query_id for row in results.answers] == ["C"]
    assert [(r.answer.query_id, r.why.status) for r in results.unscored] == [
        ("A", "failed"),
        ("B", "failed"),
    ]
    assert results.summaries[-1].n_missing == 2
    assert results_from_ledger(tmp_path / "ledger.db") == results


def test_what_the_ground_truth_says_is_an_answer_whatever_it_looks_like(tmp_path: Path) -> None:
    question = replace(QUESTIONS[0], ground_truth=("Internal Server Error",))
    row = {"query_id": "A", "answer": "Internal Server Error."}
    (scored,) = study(tmp_path, questions=(question,), rows=[row]).answers
    assert scored.score.completeness == 1


def test_one_text_on_many_questions_is_missing_or_told(tmp_path: Path) -> None:
    asked = [
        replace(QUESTIONS[0], query_id=f"Q{year}", ground_truth=(str(year),))
        for year in range(1904, 1908)
    ]

    def three(text: str) -> Results:
        rows = [{"query_id": q.query_id, "answer": text} for q in asked[:3]]
        rows.append({"query_id": "Q1907", "answer": "1907"})
        return study(tmp_path, questions=tuple(asked), rows=rows)

    failed = three("Backend fault 17: the index is unavailable")
    assert len(failed.unscored) == 3
    assert "in place of 3 answers" in failed.unscored[0].why.reason
    greeted = three("Welcome to the museum of mills, how can I help you today?")
    assert len(greeted.answers) == 4
    assert any("`error`" in note for note in greeted.problems)
    honest = three("I don't know, the passages do not say when it opened.")
    assert len(honest.answers) == 4
    assert not any("same text" in note for note in honest.problems)


def test_samples_with_ids_all_count(tmp_path: Path) -> None:
    said = ["30", "30", "30", "30", "7"]
    rows = [{"id": f"r{n}", "query_id": "A", "answer": text} for n, text in enumerate(said)]
    results = study(tmp_path, rows=rows)
    assert len(results.answers) == 5
    assert results.summaries[0].completeness.value == pytest.approx(0.8)


def test_nothing_to_score_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"None of the 1 answers could be scored.*nope"):
        study(tmp_path, rows=[{"query_id": "nope", "answer": "30"}])


def test_signature_tells_how_the_numbers_were_made(tmp_path: Path) -> None:
    signature = study(tmp_path).signature
    assert {"factmark", "benchmark", "ground_truth", "answers", "judge", "seed", "version"} <= set(
        signature
    )
    other = study(tmp_path, questions=(*QUESTIONS[:1], replace(QUESTIONS[1], ground_truth=("x",))))
    assert other.signature["ground_truth"] != signature["ground_truth"]


def marked(folder: Path, **changes: object) -> Path:
    """A file with what Anna marked in an answer to B."""
    row = {"query_id": "B", "answer": "Lupus and asthma.", "anna": {"facts": [{"quote": "Lupus"}]}}
    path = folder / "marked.jsonl"
    path.write_text(json.dumps(row | changes) + "\n")
    return path


def test_annotations_take_the_place_of_the_rules(tmp_path: Path) -> None:
    path = marked(tmp_path)
    marks = marks_recipe(path)
    identity = open_answer_judge(marks).named.identity
    assert (identity.kind, identity.name) == ("person", "anna")
    (row,) = study(tmp_path, answers=read_answers(path), recipe=marks).answers
    assert [fact.text for fact in row.score.facts] == ["Lupus"]
    assert (row.score.completeness, row.score.hallucination_rate) == (0.5, 0.0)
    with pytest.raises(InputError, match="holds no annotations of answer 1 to A"):
        study(tmp_path, recipe=marks)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"anna": {"facts": [{"quote": "gout"}]}}, "line 1: the quote 'gout' is not in the answer"),
        ({"anna": {"facts": "Lupus"}}, "line 1: 'facts' is not a list"),
        ({"anna": {"facts": [], "verdict": "maybe"}}, "verdict is yes, no or null"),
        ({"anna": None}, "no annotations under"),
        *(
            ({"answer": "100 patients", "anna": {"facts": [{"quote": "10", **place}]}}, "'10'")
            for place in (
                {"start": 1},
                {"start": -1},
                {"start": True},
                {"start": "0"},
                {"end": 2},
                {"start": 0, "end": 3},
                {"start": 0, "end": "2"},
                {"start": 99},
            )
        ),
    ],
)
def test_broken_annotations(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(FactmarkError, match=message):
        open_annotations(marked(tmp_path, **changes))


@pytest.mark.parametrize(
    ("answer", "facts", "starts"),
    [
        ("100 patients, 10 women", [{"quote": "10"}], [14]),
        ("10.5 and 1,10 and 10.", [{"quote": "10"}], [18]),
        ("30 here, 30 there", [{"quote": "30 here"}, {"quote": "30"}], [0, 9]),
        ("30 here, 130 there", [{"quote": "30 here"}, {"quote": "30"}], [0, 0]),
        ("x10 y10", [{"quote": "x10"}, {"quote": "10"}], [0, 5]),
        ("(a) b", [{"quote": "(a)"}, {"quote": "b"}], [0, 4]),
        ("100 patients, (12) 12", [{"quote": "10", "start": 0, "end": 2}], [0]),
        ("100 patients, (12) 12", [{"quote": "12", "start": 15}], [15]),
        ("a \ud800 10", [{"quote": "\ud800 10"}], [2]),
    ],
)
def test_a_quote_stands_at_whole_words_or_where_it_is_told(
    tmp_path: Path, answer: str, facts: list[dict[str, object]], starts: list[int]
) -> None:
    path = marked(tmp_path, answer=answer, anna={"facts": facts})
    score = open_annotations(path).score(QUESTIONS[1], read_answers(path).answers[0])
    assert score is not None
    assert [fact.start for fact in score.facts] == starts


def function(name: str) -> Recipe:
    """A function of the user's own as a judge of answers."""
    return recipe_of(JUDGED, name, Asking())


def test_a_function_of_the_users_own_finds_facts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine_extractor.py").write_text(
        "def words(question, truth, answer):\n"
        "    return [(0, 5)] if answer.startswith('Lupus') else ['30'] if '30' in answer else []\n"
        "def broken(question, truth, answer):\n    return ['not there']\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    results = study(tmp_path, recipe=function("mine_extractor:words"))
    assert [f.text for row in results.answers for f in row.score.facts] == [
        "thirty",  # the text is asked for elements of G, whoever finds facts
        "Lupus",
    ]
    with pytest.raises(InputError, match="failed on answer 1 to A"):
        study(tmp_path, recipe=function("mine_extractor:broken"))
    for wrong in ("nothing", "no_such_module_here:f", "mine_extractor:absent"):
        with pytest.raises(InputError, match=f"--judge {wrong}"):
            function(wrong)


def test_marks_of_people_correct_the_scores_and_are_kept(tmp_path: Path) -> None:
    facts = {"facts": [{"quote": "31"}], "verdict": None, "absence": False}
    path = marked(tmp_path, query_id="A", answer="There are 31.", anna=facts)
    results = study(tmp_path, people=open_annotations(path))
    (corrected,) = results.corrections
    assert (corrected.condition, corrected.annotated, corrected.answers) == ("rag", 1, 4)
    assert results.signature["people"] == "anna"
    assert corrected.completeness.rubric == "factmark rules"
    again = results_from_ledger(tmp_path / "ledger.db")
    assert again.corrections == results.corrections
    assert again.agreement == results.agreement
    details = answers_report(again).as_json()["details"]
    assert len(details["agreement"]) == len(results.agreement) == 6
    assert details["corrected"][0]["completeness"]["signature"]
    other = open_annotations(marked(tmp_path, answer="There are 310.", anna={"facts": []}))
    with pytest.raises(InputError, match="none of its answers"):
        study(tmp_path, people=other)


def scored_as(n: int, completeness: float) -> ScoredAnswer:
    score = replace(score_facts((), ("a", "b")), completeness=completeness)
    answer = GivenAnswer(id=f"a{n}", query_id=f"q{n}", condition="rag", model="m", text="x")
    return ScoredAnswer(question=QUESTIONS[1], answer=answer, score=score)


ZEROS = {"hallucination_rate": 0.0, "combined_score": 0.0}


def test_three_marks_are_too_few_to_tell_how_the_judge_errs() -> None:
    """Marks of 1, 0.5 and 0.25 have the mean 0.5833, whatever the judge gave the others."""
    rows = [scored_as(n, float(n < 6)) for n in range(10)]
    people = {id: ZEROS | {"completeness": c} for id, c in (("a0", 1.0), ("a1", 0.5), ("a6", 0.25))}
    (made,) = summaries_by_people(rows, people)
    assert made.completeness.value == pytest.approx(1.75 / 3)
    assert (made.annotated, made.answers) == (3, 10)
    assert made.hallucination_rate.high > 0  # type: ignore[operator]  # three zeros prove nothing
    assert summaries_by_people(rows, {}) == ()


def test_correction_by_hand() -> None:
    """As in test_judge_line: forty marks, of answers with C 0: 0.2 and 0.4, with C 1: 0.6 and 0.8;
    of 60 answers 20 have C 0. The ridge of 2 leaves 45/47 of the slope 0.4."""
    rows = [scored_as(n, float(n >= 20)) for n in range(60)]
    marks = dict(enumerate([0.2, 0.4] * 10 + [0.6, 0.8] * 10))
    people = {f"a{n}": ZEROS | {"completeness": c} for n, c in marks.items()}
    (made,) = summaries_by_people(rows, people)
    assert made.completeness.value == pytest.approx(0.5 + (2 / 3 - 1 / 2) * 0.4 * 45 / 47)


def test_agreement_with_marks_by_hand() -> None:
    def fact(text: str) -> Fact:
        return Fact(text=text, start=0, end=len(text))

    # Of three facts found two are marked, of three marked two are found: 2/3 each.
    first = fact_tally([fact("x cohorts"), fact("Y")], [fact("the x cohort"), fact("y"), fact("z")])
    second = fact_tally([fact("p")], [])
    assert list(first.values()) == [2, 3, 2]
    assert list(second.values()) == [1, 0, 0]
    score = replace(score_facts((), ("a", "b")), completeness=1.0)
    answers = [GivenAnswer(id=f"a{n}", query_id="AB"[n], text="x") for n in (0, 1)]
    rows = [
        ScoredAnswer(question=question, score=score, answer=answer)
        for question, answer in zip(QUESTIONS, answers, strict=False)
    ]
    zeros = {"hallucination_rate": 0.0, "combined_score": 0.0}
    people = {
        "a0": {"completeness": 0.5, **zeros, **first},
        "a1": {"completeness": 1.0, **zeros, **second},
        "unscored": {"completeness": 0.0, **zeros},
    }
    measures = {m.name: m for m in marked_agreement(rows, people, Options(resamples=200))}
    error = measures["C: mean absolute error"]
    assert (error.value.value, error.extractor, error.people) == (0.25, 1.0, 0.75)
    for name in ("precision", "recall", "F1"):
        assert measures[f"facts: {name}"].value.value == pytest.approx(2 / 3)
    assert len(marked_agreement(rows[:1], {"a0": zeros | {"completeness": 1.0}}, Options())) == 3


def test_a_study_of_no_file_takes_answers_as_they_are(tmp_path: Path) -> None:
    answers = AnswerFile(answers=(GivenAnswer(id="1", query_id="A", text="30"),))
    (row,) = study(tmp_path, answers=answers, ledger=None).answers
    assert row.score.combined_score == 1
    assert not (tmp_path / "ledger.db").exists()
