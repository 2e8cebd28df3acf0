"""Answers from files: every form, and every way they can be broken."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.core.evaluate import evaluate
from factmark.answers.core.records import GivenAnswer, Question
from factmark.answers.reading import read_answers
from factmark.errors import InputError


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_json_lines(tmp_path: Path) -> None:
    lines = (
        '{"query_id": "D1", "answer": "a", "model": "m", "condition": "rag", '
        '"latency_seconds": 1.5, "tools_called": ["x", "y"]}\n\n{"query_id": "D2", "answer": "b"}\n'
    )
    found = read_answers(write(tmp_path / "a.jsonl", lines), model="other", condition="none")
    assert found.answers == (
        GivenAnswer(
            id="",
            query_id="D1",
            text="a",
            model="m",
            condition="rag",
            latency_seconds=1.5,
            tools_called=("x", "y"),
        ),
        GivenAnswer(id="", query_id="D2", text="b", model="other", condition="none"),
    )
    assert found.problems == ()


def test_csv_with_bom_crlf_and_line_breaks_in_cells(tmp_path: Path) -> None:
    text = (
        "\ufeffid,query_id,answer,latency_seconds,tools_called\r\n"
        'x,D1,"two\r\nlines, ""quoted""",,a; b\r\n'
        "y,D2,plain,2,\r\n"
    )
    first, second = read_answers(write(tmp_path / "a.csv", text)).answers
    assert (first.id, first.text) == ("x", 'two\r\nlines, "quoted"')
    assert first.tools_called == ("a", "b")
    assert (second.latency_seconds, second.tools_called) == (2.0, None)


def test_tsv(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "query_id\tanswer\nD1\ta, b\n")
    assert read_answers(path).answers[0].text == "a, b"


def test_results_file_of_the_original_harness(tmp_path: Path) -> None:
    rows = [
        {
            "query_id": "D1",
            "condition": "mcp",
            "model": "m",
            "answer": "30",
            "tools_called": [],
            "completeness": 1.0,
            "hallucination_rate": 0.0,
            "combined_score": 1.0,
            "latency_seconds": 2.25,
        }
    ]
    for content in (rows, {"results": rows}):
        path = write(tmp_path / "a.json", json.dumps(content))
        (answer,) = read_answers(path).answers
        assert (answer.condition, answer.latency_seconds, answer.tools_called) == ("mcp", 2.25, ())


def test_null_answer_is_an_empty_one(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"query_id": "D1", "answer": null}\n')
    assert read_answers(path).answers[0].text == ""


@pytest.mark.parametrize(
    "lost",
    [
        {"answer": "ERROR: connection reset after 30 s"},
        {"answer": "[ERROR] 429"},
        {"answer": "Half an ans", "error": "the stream broke off"},
        {"answer": None, "error": "HTTP 500"},
    ],
)
def test_a_row_that_failed_is_a_missing_answer(tmp_path: Path, lost: dict[str, object]) -> None:
    rows = [{"query_id": "D1", "answer": "Error rates are 5 %.", "error": ""}]
    rows += [{"query_id": "D2", **lost}]
    found = read_answers(write(tmp_path / "a.json", json.dumps(rows)))
    assert [answer.query_id for answer in found.answers if answer.lost is None] == ["D1"]
    (problem,) = found.problems
    assert "1 row" in problem
    questions = [Question(query_id=q, category="c", text="?", ground_truth=("5",)) for q in _TWO]
    (average, *_) = evaluate("b", questions, found.answers).summaries
    assert average.n_missing == 1
    assert (average.completeness.worst, average.completeness.best) == (0.5, 1.0)


_TWO = ("D1", "D2")


def test_lone_surrogates_are_replaced_and_told(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", r'{"query_id": "D1", "answer": "a\ud800b \ud83d\ude00"}')
    found = read_answers(path)
    assert found.answers[0].text == "a\ufffdb 😀"
    assert "1 answer held broken characters" in found.problems[0]


def test_lone_surrogates_in_any_text_are_replaced_and_told(tmp_path: Path) -> None:
    row = {"query_id": "D\ud800", "answer": "a", "id": "\udfff", "model": "m\ud800"}
    row |= {"condition": "\ud800c", "tools_called": ["t\ud800"]}
    found = read_answers(write(tmp_path / "a.jsonl", json.dumps(row)))
    (answer,) = found.answers
    texts = (answer.query_id, answer.id, answer.model, answer.condition)
    assert texts == ("D\ufffd", "\ufffd", "m\ufffd", "\ufffdc")
    assert answer.tools_called == ("t\ufffd",)
    assert "1 answer held broken characters" in found.problems[0]


def test_unusual_line_breaks_in_a_cell_are_text(tmp_path: Path) -> None:
    text = "query_id,answer\nD1,a\u2028b\u0085c\x0cd\nD2,e\n"
    first, second = read_answers(write(tmp_path / "a.csv", text)).answers
    assert (first.text, second.text) == ("a\u2028b\u0085c\x0cd", "e")


LONG = "1" * 5_000


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", f'\n{{"query_id": {LONG}, "answer": "a"}}', "line 2: a number is too"),
        ("a.json", f'[\n{{"query_id": "D1", "answer": {LONG}}}]', "line 2: a number is too long"),
        ("a.jsonl", f'{{"query_id": "D1", "answer": "a", "tools_called": "[{LONG}]"}}', "tools"),
        ("a.csv", "query_id,answer,answer\nD1,a,b\n", "line 1: the column 'answer' stands twice"),
        (
            "a.jsonl",
            '{"query_id": "D1", "answer": "a"}\n{"query_id": "D2", "ans',
            "line 2.*cut off",
        ),
        ("a.jsonl", '{"query_id": "D1" "answer": 1}\n', r"line 1, column 19"),
        ("a.jsonl", '{"query_id": "D1"}\n', "line 1: no 'answer'. It has: query_id"),
        ("a.jsonl", '["D1"]\n', "line 1: an answer is an object"),
        ("a.jsonl", '{"query_id": "D1", "answer": {"text": "a"}}', "line 1: 'answer'"),
        ("a.jsonl", '{"query_id": "", "answer": "a"}', "line 1: 'query_id'"),
        (
            "a.jsonl",
            '{"query_id": "D1", "answer": "a", "latency_seconds": -1}',
            "'latency_seconds'",
        ),
        ("a.jsonl", b'{"query_id": "D1", "answer": "caf\xe9"}', "line 1: byte 0xe9"),
        ("a.jsonl", "", "holds no answers"),
        ("a.jsonl", "[" * 200_000, "line 1"),
        ("a.json", '{"query_id": "D1"}', "neither a list of answers"),
        ("a.json", '{"query_id": "D1"}\n{"query_id": "D2"}', r"name the file \.jsonl"),
        ("a.csv", "query,answer\nD1,a\n", "line 1: no column 'query_id'. Found: query, answer"),
        ("a.csv", "query_id,answer\nD1,a,b\n", "line 2: 3 cells under 2 columns"),
        ("a.csv", 'query_id,answer\nD1,"open\n', "quote missing"),
        ("a.csv", "query_id,answer\nD1,a\0b\n", "NUL"),
        ("a.csv", "\xff\xfe".encode("latin-1") + "query_id,answer".encode("utf-16-le"), "UTF-16"),
    ],
)
def test_broken_files(tmp_path: Path, name: str, content: str | bytes, message: str) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(InputError, match=message) as caught:
        read_answers(path)
    assert str(path) in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_answers(tmp_path / "nowhere.jsonl")


def test_other_encoding_when_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "query_id,answer\nD1,caf\xe9\n".encode("cp1252"))
    assert read_answers(path, encoding="cp1252").answers[0].text == "café"
    with pytest.raises(InputError, match="no such encoding"):
        read_answers(path, encoding="utf-99")


safe = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["D1", "P2"]), safe), min_size=1, max_size=5))
def test_json_lines_round_trip(rows: list[tuple[str, str]]) -> None:
    import tempfile

    text = "".join(json.dumps({"query_id": q, "answer": a}) + "\n" for q, a in rows)
    with tempfile.TemporaryDirectory() as folder:
        found = read_answers(write(Path(folder) / "a.jsonl", text))
    assert [(answer.query_id, answer.text) for answer in found.answers] == rows


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([".jsonl", ".csv", ".tsv", ".json"]))
def test_any_bytes_give_answers_or_a_clear_error(content: bytes, suffix: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder) / f"a{suffix}", content)
        with suppress(InputError):
            assert read_answers(path).answers
