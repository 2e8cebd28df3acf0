"""Results files of the original harness, and our own results.json, as answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factmark.errors import InputError
from factmark.io.files import AnswerFile, read_answers
from factmark.io.results import results_json
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
