"""Results files of the original harness, and our own results.json, as answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factmark.answers.core.evaluate import evaluate
from factmark.answers.core.records import NoScore, Question
from factmark.answers.reading import AnswerFile, read_answers
from factmark.answers.results import results_json
from factmark.errors import InputError
from sample_results import sample_results

ROW: dict[str, Any] = {
    "query_id": "D1",
    "condition": "mcp",
    "model": "m",
    "answer": "thirty",
    "tools_called": [],
    "chunks_retrieved": [],
    "completeness": None,
    "hallucination_rate": None,
    "combined_score": None,
    "latency_seconds": 1.5,
}


def read(folder: Path, value: Any, name: str = "results.json") -> AnswerFile:
    path = folder / name
    path.write_text(json.dumps(value))
    return read_answers(path)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["a", "b"], ("a", "b")),
        ([{"name": "a", "arguments": {}}, {"tool": "b"}], ("a", "b")),
        ([{"type": "function", "id": "x", "function": {"name": "a"}}], ("a",)),
        ([{"tool_name": "a"}, "b"], ("a", "b")),
        ([], ()),
        (None, None),
        ("a; b", ("a", "b")),
        ('["a", "b"]', ("a", "b")),
    ],
)
def test_tools_in_their_many_forms(tmp_path: Path, given: Any, expected: Any) -> None:
    found = read(tmp_path, {"results": [ROW | {"tools_called": given}]})
    assert found.answers[0].tools_called == expected
    assert found.problems == ()


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["c1", 2], ("c1", "2")),
        ([{"id": "c1", "text": "long"}, {"title": "T"}, {"source": "s"}], ("c1", "T", "s")),
        ([{"text": "x" * 900}], ("x" * 200,)),
        ([{"id": "", "title": "T"}], ("T",)),
    ],
)
def test_chunks_in_their_many_forms(tmp_path: Path, given: Any, expected: Any) -> None:
    found = read(tmp_path, {"results": [ROW | {"chunks_retrieved": given}]})
    assert found.answers[0].chunks_retrieved == expected


@pytest.mark.parametrize("field", ["tools_called", "chunks_retrieved"])
@pytest.mark.parametrize("count", [0, 3, 5.0, "5"])
def test_a_number_is_told_and_no_name_is_invented(tmp_path: Path, field: str, count: Any) -> None:
    found = read(tmp_path, [ROW | {field: count}, ROW])
    assert getattr(found.answers[0], field) is None
    assert found.problems == (
        "results.json: 1 answer says how many tools or chunks there were, and not which; these "
        "numbers are not used",
    )


def test_scores_that_people_filled_in_are_told_and_not_used(tmp_path: Path) -> None:
    rows = [ROW, ROW | {"completeness": 0.5}, ROW | {"hallucination_rate": 0, "completeness": 1}]
    found = read(tmp_path, {"results": rows})
    assert len(found.answers) == 3
    assert found.problems == (
        "results.json: 2 answers come with scores of their own; these are not used, each answer "
        "is scored anew",
    )


def test_cells_of_a_spreadsheet(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query_id,answer,tools_called,chunks_retrieved,combined_score\nD1,x,2,c1|c2,\n")
    found = read_answers(path)
    assert found.answers[0].tools_called is None
    assert found.answers[0].chunks_retrieved == ("c1", "c2")
    assert len(found.problems) == 1


def test_our_own_results_are_answers_again(tmp_path: Path) -> None:
    results = sample_results()
    found = read(tmp_path, results_json(results))
    told = [(one.id, one.text, one.model, one.tools_called) for one in found.answers]
    assert told == [
        (row.answer.id, row.answer.text, row.answer.model, row.answer.tools_called)
        for row in results.answers
    ]
    assert found.problems == ()


@pytest.mark.parametrize("given", [{"a": 1}, [{"x": 1}], [[1]], [{"name": {"x": 1}}]])
def test_what_is_no_list_of_tools_names_the_row(tmp_path: Path, given: Any) -> None:
    with pytest.raises(InputError, match="answer 1: "):
        read(tmp_path, [ROW | {"tools_called": given}])


def asked(**results: Any) -> dict[str, Any]:
    """A question as the original harness writes it, with what each condition gave."""
    return {"query_id": "D1", "query": "How many?", "ground_truth": ["30"], "results": results}


def gave(answer: str | None, **more: Any) -> dict[str, Any]:
    return {"answer": answer, "tools_called": [], "latency_seconds": 0.5, **more}


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_a_question_with_its_results_by_condition_and_model(tmp_path: Path, name: str) -> None:
    called = [{"tool": "list_sets", "args": {"page": 1}}]
    entry = asked(
        baseline_small=gave("twelve"),
        rag_big_one={"answer": "30", "chunks_retrieved": ["Set A: …"], "latency_seconds": 2},
        mcp_small=gave("thirty", tools_called=called, completeness=1.0, hallucination=0.0),
    )
    path = tmp_path / name
    path.write_text(json.dumps([entry, asked()] if name.endswith(".json") else entry))
    found = read_answers(path)
    read_back = [(a.query_id, a.condition, a.model, a.text) for a in found.answers]
    assert read_back == [
        ("D1", "baseline", "small", "twelve"),
        ("D1", "rag", "big_one", "30"),
        ("D1", "mcp", "small", "thirty"),
    ]
    assert found.answers[1].chunks_retrieved == ("Set A: …",)
    assert found.answers[2].tools_called == ("list_sets",)


def test_a_damaged_result_is_told_with_its_question_and_name(tmp_path: Path) -> None:
    entry = asked(rag_small={"reply": "30"})
    with pytest.raises(InputError, match=r"answer 1, rag_small: no 'answer'"):
        read(tmp_path, [entry])


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (gave("ERROR: no route to host", error="no route to host"), "no route to host"),
        (gave("ERROR: time is up"), "time is up"),
        (gave("half an ans", error={"message": "reset"}), "reset"),
        (gave(None, error="HTTP 500"), "HTTP 500"),
    ],
)
def test_a_row_that_failed_is_missing_and_no_fact(
    tmp_path: Path, row: dict[str, Any], reason: str
) -> None:
    found = read(tmp_path, [asked(mcp_small=row, rag_small=gave("30"))])
    lost, kept = found.answers
    assert lost.lost == NoScore(status="failed", reason=reason)
    assert (lost.text, lost.latency_seconds, lost.tools_called) == ("", None, None)
    assert kept.lost is None
    question = Question(query_id="D1", category="c", text="How many?", ground_truth=("30",))
    results = evaluate("b", [question], found.answers)
    means = {s.condition: s.completeness for s in results.summaries if s.category == "overall"}
    assert means["rag"].value == 1.0
    assert means["mcp"].value is None
    assert means["mcp"].n_missing == 1


@pytest.mark.parametrize("none", ["", None, "nan", "None", False, float("nan")])
def test_an_error_field_that_says_none_leaves_the_answer(tmp_path: Path, none: Any) -> None:
    (answer,) = read(tmp_path, [asked(rag_small=gave("Error rates: 30", error=none))]).answers
    assert (answer.text, answer.lost) == ("Error rates: 30", None)


def test_errors_alone_are_no_answers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no answers"):
        read(tmp_path, [asked(rag_small=gave("ERROR: x"), mcp_small=gave(None, error="y"))])
