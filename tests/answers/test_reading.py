"""Answers from files: every form, those of the original harness and our own, and what is broken."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.core.evaluate import evaluate
from factmark.answers.core.records import GivenAnswer, NoScore, Question
from factmark.answers.reading import AnswerFile, read_answers
from factmark.answers.report import answers_report
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
LONG = "1" * 5_000


def read(folder: Path, content: Any, name: str = "a.json", **options: str) -> AnswerFile:
    """What is read of a file with this content: bytes, text, or a value as JSON."""
    text = content if isinstance(content, str | bytes) else json.dumps(content)
    (folder / name).write_bytes(text.encode() if isinstance(text, str) else text)
    return read_answers(folder / name, **options)


def test_json_lines(tmp_path: Path) -> None:
    lines = (
        '{"query_id": "D1", "answer": "a", "model": "m", "condition": "rag", '
        '"latency_seconds": 1.5, "tools_called": ["x", "y"]}\n\n{"query_id": "D2", "answer": ""}'
    )
    found = read(tmp_path, lines, "a.jsonl", model="other", condition="none")
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
        GivenAnswer(id="", query_id="D2", text="", model="other", condition="none"),
    )
    assert found.problems == ()


@pytest.mark.parametrize("written", ["null", "NaN"])
def test_no_value_in_place_of_an_answer_is_missing(tmp_path: Path, written: str) -> None:
    lines = '{"query_id": "D1", "answer": "a"}\n{"query_id": "D2", "answer": %s, "model": %s}'
    lost = read(tmp_path, lines % (written, written), "a.jsonl").answers[1]
    assert lost.lost == NoScore(
        status="failed", reason="no value (null or NaN) in place of the answer"
    )
    assert (lost.text, lost.model) == ("", "")


def test_tables(tmp_path: Path) -> None:
    text = (
        "\ufeffid,query_id,answer,latency_seconds,tools_called,chunks_retrieved\r\n"
        'x,D1,"two\r\nlines, ""quoted""",,a; b,c1|c2\r\n'
        "y,D2,a\u2028b\u0085c\x0cd,2,,\r\n"
    )
    first, second = read(tmp_path, text, "a.csv").answers
    assert (first.id, first.text) == ("x", 'two\r\nlines, "quoted"')
    assert (first.tools_called, first.chunks_retrieved) == (("a", "b"), ("c1", "c2"))
    assert (second.text, second.latency_seconds) == ("a\u2028b\u0085c\x0cd", 2.0)
    assert second.tools_called is None
    (answer,) = read(tmp_path, "query_id\tanswer\nD1\ta, b\n", "a.tsv").answers
    assert answer.text == "a, b"
    latin = "query_id,answer\nD1,caf\xe9\n".encode("cp1252")
    assert read(tmp_path, latin, "a.csv", encoding="cp1252").answers[0].text == "café"
    with pytest.raises(InputError, match="no such encoding"):
        read(tmp_path, latin, "a.csv", encoding="utf-99")


def test_lone_surrogates_in_any_text_are_replaced_and_told(tmp_path: Path) -> None:
    row = {"query_id": "D\ud800", "answer": "a\ud800b 😀", "id": "\udfff", "model": "m\ud800"}
    found = read(tmp_path, [row | {"condition": "\ud800c", "tools_called": ["t\ud800"]}])
    (answer,) = found.answers
    texts = (answer.query_id, answer.text, answer.id, answer.model, answer.condition)
    assert texts == ("D\ufffd", "a\ufffdb 😀", "\ufffd", "m\ufffd", "\ufffdc")
    assert answer.tools_called == ("t\ufffd",)
    assert "1 answer held broken characters" in found.problems[0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", f'\n{{"query_id": {LONG}, "answer": "a"}}', "line 2: a number is too"),
        ("a.json", f'[\n{{"query_id": "D1", "answer": {LONG}}}]', "line 2: a number is too long"),
        ("a.jsonl", f'{{"query_id": "D1", "answer": "a", "tools_called": "[{LONG}]"}}', "tools"),
        ("a.csv", "query_id,answer,answer\nD1,a,b\n", "line 1: the column 'answer' stands twice"),
        ("a.jsonl", '{"query_id": "D1", "answer": "a"}\n{"query_id": "D2", "a', "line 2.*cut off"),
        ("a.jsonl", '{"query_id": "D1" "answer": 1}\n', r"line 1, column 19"),
        ("a.jsonl", '{"query_id": "D1"}\n', "no column 'answer'. Found: query_id"),
        ("a.jsonl", '["D1"]\n', "line 1: an answer is an object"),
        ("a.jsonl", '{"query_id": "D1", "answer": {"text": "a"}}', "line 1: 'answer'"),
        ("a.jsonl", '{"query_id": "", "answer": "a"}', "line 1: 'query_id'"),
        ("a.jsonl", '{"query_id": "D1", "answer": "", "latency_seconds": -1}', "latency_seconds"),
        ("a.jsonl", b'{"query_id": "D1", "answer": "caf\xe9"}', "line 1: byte 0xe9"),
        ("a.jsonl", "", "holds no answers"),
        ("a.jsonl", "[" * 200_000, "line 1"),
        ("a.json", '{"query_id": "D1"}', "neither a list of answers"),
        ("a.json", '{"query_id": "D1"}\n{"query_id": "D2"}', "no column 'answer'"),
        ("a.csv", "about,answer\nD1,a\n", "line 1: no column 'query_id'. Found: about, answer"),
        ("a.csv", "query_id,answer\nD1,a,b\n", "line 2: 3 cells under 2 columns"),
        ("a.csv", 'query_id,answer\nD1,"open\n', "check the quotes"),
        ("a.csv", "query_id,answer\nD1,a\0b\n", "NUL"),
        ("a.csv", "query_id,answer\nD1,a".encode("utf-16")[:-1], "UTF-16"),
        ("a.json", [{"query_id": "D1", "results": {"rag_m": {"reply": ""}}}], "answer 1, rag_m: "),
        *(
            ("a.json", [ROW | {"tools_called": given}], "answer 1: ")
            for given in ({"a": 1}, [{"x": 1}], [[1]], [{"name": {"x": 1}}])
        ),
    ],
)
def test_broken_files(tmp_path: Path, name: str, content: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read(tmp_path, content, name)
    assert str(tmp_path / name) in str(caught.value)


def test_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read_answers(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", '{"asked": "D1", "Said": "a", "query_id": ""}\n'),
        ("a.json", [{"asked": "D1", "Said": "a"}]),
        ("a.csv", "query_id,asked,Said\n9,D1,a\n"),
    ],
)
def test_columns_of_other_names_are_told_and_taken(tmp_path: Path, name: str, content: Any) -> None:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    with pytest.raises(InputError, match="--column answer=Said"):
        read_answers(path, columns={"query_id": "asked"})
    columns = {"query_id": "asked", "answer": "Said"}
    (answer,) = read_answers(path, columns=columns).answers
    assert (answer.query_id, answer.text) == ("D1", "a")
    with pytest.raises(InputError, match=r"--column question: no such field\. There are query_id"):
        read_answers(path, columns={"question": "Said"})


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("tools_called", [{"name": "a", "arguments": {}}, {"tool": "b"}], ("a", "b")),
        ("tools_called", [{"type": "function", "function": {"name": "a"}}], ("a",)),
        ("tools_called", [{"tool_name": "a"}, "b"], ("a", "b")),
        ("tools_called", [], ()),
        ("tools_called", None, None),
        ("tools_called", '["a", "b"]', ("a", "b")),
        ("chunks_retrieved", ["c1", 2], ("c1", "2")),
        ("chunks_retrieved", [{"id": "c1", "text": "long"}, {"title": "T"}], ("c1", "T")),
        ("chunks_retrieved", [{"text": "x" * 900}], ("x" * 200,)),
        ("chunks_retrieved", [{"id": "", "title": "T"}], ("T",)),
        ("tools_called", 0, None),
        ("tools_called", "5", None),
        ("chunks_retrieved", 5.0, None),
    ],
)
def test_tools_and_chunks_in_their_many_forms(
    tmp_path: Path, field: str, value: Any, expected: Any
) -> None:
    """A number tells how many and not which: it is told, and no name is invented."""
    found = read(tmp_path, {"results": [ROW | {field: value}]})
    assert getattr(found.answers[0], field) == expected
    counted = expected is None and value is not None
    assert ["number of tools" in problem for problem in found.problems] == [True] * counted


def test_scores_that_people_filled_in_are_told_and_not_used(tmp_path: Path) -> None:
    rows = [ROW, ROW | {"completeness": 0.5}, ROW | {"hallucination_rate": 0, "completeness": 1}]
    (problem,) = read(tmp_path, {"results": rows}).problems
    assert problem.startswith("a.json: 2 answers with scores of their own")


def test_our_own_results_are_answers_again(tmp_path: Path) -> None:
    results = sample_results()
    found = read(tmp_path, answers_report(results).as_json())
    assert found.problems == ()
    for answer, row in zip(found.answers, results.answers, strict=True):
        assert answer == row.answer


def asked(**results: Any) -> dict[str, Any]:
    """A question as the original harness writes it, with what each condition gave."""
    return {"query_id": "D1", "query": "How many?", "ground_truth": ["30"], "results": results}


def gave(answer: str | None, **more: Any) -> dict[str, Any]:
    return {"answer": answer, "tools_called": [], "latency_seconds": 0.5, **more}


@pytest.mark.parametrize("name", ["results.json", "results.jsonl"])
def test_a_question_with_its_results_by_condition_and_model(tmp_path: Path, name: str) -> None:
    entry = asked(
        baseline_small=gave("twelve"),
        rag_big_one={"answer": "30", "chunks_retrieved": ["Set A: …"], "latency_seconds": 2},
        mcp_small=gave("thirty", tools_called=[{"tool": "list_sets"}], hallucination=0.0),
    )
    found = read(tmp_path, [entry, asked()] if name.endswith(".json") else entry, name)
    assert [(a.query_id, a.condition, a.model, a.text) for a in found.answers] == [
        ("D1", "baseline", "small", "twelve"),
        ("D1", "rag", "big_one", "30"),
        ("D1", "mcp", "small", "thirty"),
    ]
    assert found.answers[1].chunks_retrieved == ("Set A: …",)
    assert found.answers[2].tools_called == ("list_sets",)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (gave("ERROR: no route to host", error="no route to host"), "no route to host"),
        (gave("ERROR: time is up"), "time is up"),
        (gave("[ERROR] 429"), "429"),
        (gave("Error code: 429 - {'message': 'slow'}"), "Error code: 429 - {'message': 'slow'}"),
        (gave("503 Server Error: for url x"), "503 Server Error: for url x"),
        (gave("openai.RateLimitError: slow down"), "openai.RateLimitError: slow down"),
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
    assert "1 row" in found.problems[0]
    question = Question(query_id="D1", category="c", text="How many?", ground_truth=("30",))
    results = evaluate("b", [question], found.answers)
    means = {s.condition: s.completeness for s in results.summaries if s.category == "overall"}
    assert (means["rag"].value, means["mcp"].value, means["mcp"].n_missing) == (1.0, None, 1)
    with pytest.raises(InputError, match="holds no answers"):
        read(tmp_path, [asked(mcp_small=row)])


@pytest.mark.parametrize(
    "text",
    [
        "Error code: 429 means that too many requests came in.",
        "Error: there is no such data set.",
        "KeyError: that is what it raises.",
        "requests: 30",
    ],
)
def test_an_answer_that_speaks_of_errors_is_one(tmp_path: Path, text: str) -> None:
    (answer,) = read(tmp_path, [asked(rag_small=gave(text))]).answers
    assert (answer.text, answer.lost) == (text, None)


@pytest.mark.parametrize("none", ["", None, "nan", "None", False, float("nan")])
def test_an_error_field_that_says_none_leaves_the_answer(tmp_path: Path, none: Any) -> None:
    (answer,) = read(tmp_path, [asked(rag_small=gave("Error rates: 30", error=none))]).answers
    assert (answer.text, answer.lost) == ("Error rates: 30", None)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=200), st.sampled_from([".jsonl", ".csv", ".tsv", ".json"]))
def test_any_bytes_give_answers_or_a_clear_error(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, suffix: str
) -> None:
    with suppress(InputError):
        assert read(tmp_path_factory.getbasetemp(), content, f"fuzz{suffix}").answers


@settings(max_examples=40, deadline=None)
@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=1, max_size=5))
def test_json_lines_round_trip(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    lines = "".join(json.dumps({"query_id": "D1", "answer": text}) + "\n" for text in texts)
    with suppress(InputError):  # each tells of an error
        found = read(tmp_path_factory.getbasetemp(), lines, "round.jsonl").answers
        assert [a.text for a in found if a.lost is None] == [
            text for a, text in zip(found, texts, strict=True) if a.lost is None
        ]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", "question_id;model_name;Response\nD1;m;30 sets\nD2;m;None.\n"),
        ("a.jsonl", '{"qid": "D1", "llm": "m", "prediction": "30 sets"}\n'),
        (
            "a.json",
            '{"QueryID": "D1", "llm": "m", "reply": "30 sets"}\n{"QueryID": 2, "reply": ""}\n',
        ),
    ],
)
def test_fields_have_the_names_of_many_tools(tmp_path: Path, name: str, content: str) -> None:
    """What is read as what is told, and a file of objects, one a line, may be named .json."""
    found = read(tmp_path, content, name)
    answer = found.answers[0]
    assert (answer.query_id, answer.model, answer.text) == ("D1", "m", "30 sets")
    assert "query_id '" in found.problems[0]


def test_an_answer_beside_a_models_is_asked_for(tmp_path: Path) -> None:
    """`answer` may be the right one; each option of the error works."""
    path = tmp_path / "a.csv"
    path.write_text("query_id,answer,prediction\nD1,30,31\n")
    with pytest.raises(InputError) as refused:
        read_answers(path)
    for column, text in (("answer", "30"), ("prediction", "31")):
        assert f"--column answer={column}" in str(refused.value)
        assert read_answers(path, columns={"answer": column}).answers[0].text == text


def test_a_column_of_questions_is_none_of_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("query,id,reply\nWhich data sets are there?,D1,30\n")
    assert read_answers(path).answers[0].query_id == "D1"
