"""Texts that are longer than the readers are made for are refused where they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.answers.questions.benchmarks import load
from factmark.answers.reading import read_answers
from factmark.ask.chat import Reply
from factmark.ask.model_spec import ModelSpec
from factmark.ask.responses import RejectedError, Response, reply_of
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.files.text_files import LONGEST
from factmark.graph_answers.questions.question_file import read_graph_questions
from factmark.graphs.triples.edges import LIGHTRAG_CHUNKS, lightrag_chunks
from factmark.graphs.triples.triples import read_triples
from factmark.interop.inspect_read import answers_of_log
from factmark.passages.passage_file import read_passages
from factmark.people.reading import SummaryColumns, read_documents

LONG = "word " * (LONGEST // 5)
"""As long as a text may be."""


def answers(path: Path, *texts: str) -> Path:
    rows = [{"query_id": f"Q{n}", "answer": text} for n, text in enumerate(texts)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_an_answer_may_have_a_million_characters_and_no_more(tmp_path: Path) -> None:
    found = read_answers(answers(tmp_path / "a.jsonl", "short", LONG))
    assert len(found.answers[1].text) == LONGEST
    with pytest.raises(InputError, match=r"b\.jsonl, line 2: .*1,000,001 characters"):
        read_answers(answers(tmp_path / "b.jsonl", "short", LONG + "x"))


def test_an_answer_in_a_log_of_inspect(tmp_path: Path) -> None:
    def log(text: str) -> dict[str, object]:
        output = {"model": "m", "choices": [{"message": {"role": "assistant", "content": text}}]}
        sample = {
            "id": "Q1",
            "epoch": 1,
            "input": "Which?",
            "target": "A",
            "output": output,
            "messages": [],
        }
        return {"version": 2, "eval": {"task": "t", "model": "m"}, "samples": [sample]}

    assert len(answers_of_log(tmp_path / "a.json", log(LONG)).answers[0].text) == LONGEST
    with pytest.raises(InputError, match=r"a\.json, sample 1: .*1,000,001 characters"):
        answers_of_log(tmp_path / "a.json", log(LONG + "x"))


def test_longer_passages_and_chunks_are_left_out_and_told(tmp_path: Path) -> None:
    texts = {"p1": LONG, "p2": LONG + "x"}
    path = tmp_path / "passages.jsonl"
    path.write_text("".join(json.dumps({"id": n, "text": t}) + "\n" for n, t in texts.items()))
    (tmp_path / LIGHTRAG_CHUNKS).write_text(
        json.dumps({n: {"content": t} for n, t in texts.items()})
    )
    problems, more = Problems(), Problems()
    chunks = lightrag_chunks(tmp_path, more)
    assert chunks is not None
    with read_passages(path, problems) as passages, chunks:
        assert [name for name, _ in passages] == [name for name, _ in chunks] == ["p1"]
    assert "line 2: 1,000,001 characters" in problems.sentences()[0]
    assert "'p2'" in more.sentences()[0]


def test_a_longer_summary_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "summaries.csv"
    path.write_text(f"id,article,one\nd1,text,{LONG}\nd2,text,{LONG}x\n")
    with pytest.raises(InputError, match=r"summaries\.csv, line 3: 'one' has 1,000,001 characters"):
        read_documents(path, SummaryColumns(systems=("one",)))


def test_a_line_that_is_too_long_is_refused_before_it_is_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("factmark.files.text_files.LONGEST_LINE", 1_000)
    first = {"a.jsonl": '{"query_id": "Q", "answer": "x"}', "passages.csv": "id,text"}
    for name, line in first.items():
        (tmp_path / name).write_text(f"{line}\n" + "x" * 10_000)
    with pytest.raises(InputError, match=r"a\.jsonl, line 2: is longer than 1,000"):
        read_answers(tmp_path / "a.jsonl")
    with pytest.raises(InputError, match=r"passages\.csv, line 2: is longer than 1,000"):
        read_passages(tmp_path / "passages.csv", Problems())


def test_longer_questions_and_passages_of_triples_are_told(tmp_path: Path) -> None:
    row = json.dumps({"id": "q", "category": "c", "question": LONG + "x", "ground_truth": ["1"]})
    (tmp_path / "b.jsonl").write_text(row + "\n")
    with pytest.raises(InputError, match=r"b\.jsonl, line 1: question has 1,000,001 characters"):
        load(str(tmp_path / "b.jsonl"))
    problems = Problems()
    (tmp_path / "q.jsonl").write_text(json.dumps({"question": LONG + "x", "answer": "1"}) + "\n")
    with pytest.raises(InputError, match=r"1,000,001 characters"):
        read_graph_questions(tmp_path / "q.jsonl", problems)
    (tmp_path / "t.csv").write_text(f"head,relation,tail,passage\na,isa,b,{LONG}x\na,isa,c,c\n")
    problems = Problems()
    assert [triple.tail for triple in read_triples(tmp_path / "t.csv", problems)] == ["c"]
    assert "line 2: in passage: 1,000,001 characters" in problems.sentences()[0]


def test_a_longer_reply_of_a_model_is_that_calls_failure() -> None:
    spec = ModelSpec.parse("openai:m", base_url="http://localhost:1/v1")
    response = Response(status=200, headers={}, body=b"{}")
    assert reply_of(response, spec, lambda _: Reply(text=LONG)).text == LONG
    with pytest.raises(RejectedError, match=r"with 1,000,001 characters; .*1,000,000\.$"):
        reply_of(response, spec, lambda _: Reply(text=LONG + "x"))


def test_a_message_that_quotes_a_file_stays_short() -> None:
    told = str(InputError(f"a.jsonl, line 3: no 'answer'. It has: {'x' * LONGEST}."))
    assert told.startswith("a.jsonl, line 3: no 'answer'.")
    assert told.endswith("x.")
    assert len(told) < 2_000
