"""The tools that a benchmark expects: from each form of file, and never in an identity."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.answers.benchmarks import load_benchmark, with_bundled_queries
from factmark.answers.core.records import Question
from factmark.answers.core.rows import question_item, read_question
from factmark.answers.derive import benchmark_lines
from factmark.errors import InputError

CONNECTOR = {
    f"ehds_{name}"
    for name in (
        "list_datasets", "describe_dataset", "check_policy", "search_datasets", "get_patients",
        "get_condition_stats", "query_clinical",
    )
}  # fmt: skip
FORMS = {
    "b.jsonl": '{"id": "A", "question": "q?", "ground_truth": ["1"], "expected_tools": ["x","y"]}',
    "c.jsonl": '{"id": "A", "question": "q?", "ground_truth": ["1"], "tools": "x; y;"}',
    "b.csv": "id,category,question,ground_truth,expected_tools\nA,other,q?,1,x;y\n",
    "b.py": 'QUERIES = [{"id": "A", "query": "q?", "ground_truth": "1", "tools": ["x", "y", "x"]}]',
}
BARE = '{"id": "A", "question": "q?", "ground_truth": ["1"]}'


def saved(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_every_bundled_question_expects_tools_of_the_published_connector() -> None:
    questions = load_benchmark("ehds").questions
    assert all(q.expected_tools and set(q.expected_tools) <= CONNECTOR for q in questions)
    assert {tool for q in questions for tool in q.expected_tools or ()} == CONNECTOR
    policy = [q for q in questions if q.category == "policy" and q.query_id != "P17"]
    assert all("ehds_check_policy" in (q.expected_tools or ()) for q in policy)


@pytest.mark.parametrize("name", FORMS)
def test_each_form_of_file_names_them(tmp_path: Path, name: str) -> None:
    benchmark = load_benchmark(saved(tmp_path, name, FORMS[name]))
    assert benchmark.questions[0].expected_tools == ("x", "y")
    assert benchmark.digest == load_benchmark(saved(tmp_path, "d.jsonl", BARE)).digest


@pytest.mark.parametrize("value", [3, True, {"a": 1}, ["x", 1]])
def test_what_is_no_list_of_names_is_told(tmp_path: Path, value: object) -> None:
    text = json.dumps({**json.loads(BARE), "expected_tools": value})
    with pytest.raises(InputError, match=r"b.jsonl, line 1: expected_tools must be a list"):
        load_benchmark(saved(tmp_path, "b.jsonl", text))


def test_the_published_form_borrows_them(tmp_path: Path) -> None:
    text = "id,category,query,ground_truth\nD1,discovery,Which?,a\n"
    benchmark = with_bundled_queries(load_benchmark(saved(tmp_path, "b.csv", text)))
    assert benchmark.questions[0].expected_tools == ("ehds_list_datasets",)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4))
def test_lines_are_read_again(tmp_path_factory: pytest.TempPathFactory, names: list[str]) -> None:
    tools = tuple(dict.fromkeys(name.strip() for name in names if name.strip())) or None
    asked = Question(
        query_id="A", category="c", text="q?", ground_truth=("1",), expected_tools=tools
    )
    path = tmp_path_factory.mktemp("lines") / "b.jsonl"
    path.write_text(benchmark_lines([asked]), encoding="utf-8")
    assert load_benchmark(str(path)).questions == (asked,)


def test_the_id_of_a_question_in_a_ledger_stays() -> None:
    plain = Question(query_id="A", category="c", text="q?", ground_truth=("1",))
    item = question_item("b", plain)
    # As the commit before expected tools wrote it: older ledgers know the question by this name.
    assert item.id == "question:04449fb7e2a360ef1aabc2d7542abd51"
    assert "expected_tools" not in item.data
    named = replace(plain, expected_tools=("x",))
    assert question_item("b", named).id == item.id
    assert read_question(question_item("b", named)) == named
    assert read_question(item) == plain
