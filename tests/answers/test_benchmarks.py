"""Benchmarks from the bundled data and from files with the quirks of the published ones."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.core.records import Question
from factmark.answers.core.rows import question_item, read_question
from factmark.answers.questions.benchmarks import (
    benchmark_lines,
    load_benchmark,
    published_values,
    with_bundled_queries,
)
from factmark.ehds.replica.facts import COHORTS
from factmark.errors import InputError

HEADER = "id,category,query,ground_truth\n"
BARE = '{"id": "A", "question": "q?", "ground_truth": ["1"]}'
CONNECTOR = {
    f"ehds_{name}"
    for name in (
        "list_datasets",
        "describe_dataset",
        "check_policy",
        "search_datasets",
        "get_patients",
        "get_condition_stats",
        "query_clinical",
    )
}


def save(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_bundled_benchmark_has_the_50_questions() -> None:
    benchmark = load_benchmark("ehds")
    questions = benchmark.questions
    counts = {"D": 10, "P": 20, "C": 10, "X": 10}
    assert [q.query_id for q in questions] == [
        f"{x}{n + 1}" for x in counts for n in range(counts[x])
    ]
    categories = {"D": "discovery", "P": "policy", "C": "clinical", "X": "comparative"}
    for q in questions:
        assert q.category == categories[q.query_id[0]]
        assert q.sparql
        assert q.ground_truth is None
        assert "LIMIT" not in q.sparql or "ORDER BY" in q.sparql.partition("LIMIT")[0]
        assert q.expected_tools
        assert set(q.expected_tools) <= CONNECTOR
        if q.category == "policy" and q.query_id != "P17":
            assert "ehds_check_policy" in q.expected_tools
    assert {tool for q in questions for tool in q.expected_tools or ()} == CONNECTOR
    assert (benchmark.name, benchmark.warnings) == ("ehds", ())


def test_published_values_expand_to_titles() -> None:
    values = published_values()
    assert list(values) == [question.query_id for question in load_benchmark("ehds").questions]
    assert values["D1"] == tuple(cohort.title for cohort in COHORTS)
    assert values["P7"] == (
        "Synthetic Breast Cancer Cohort",
        "Synthetic Prostate Cancer Cohort",
        "Synthetic Colorectal Cancer Cohort",
        "Synthetic Osteoarthritis Cohort",
    )
    assert [key for key, value in values.items() if not value] == ["P11", "P16", "P18", "X1", "X2"]
    assert len(values["C4"]) == 20
    assert values["C5"] == ("female", "25", "male", "15")


def test_a_csv_benchmark_may_have_semicolons_as_answers_and_sheets_may(tmp_path: Path) -> None:
    text = HEADER.replace(",", ";") + 'D1;discovery;"Which; and why, then?";a|b\n'
    (question,) = load_benchmark(save(tmp_path, "b.csv", text)).questions
    assert (question.text, question.ground_truth) == ("Which; and why, then?", ("a", "b"))


def test_csv_with_unquoted_commas_in_the_last_column(tmp_path: Path) -> None:
    text = (
        HEADER + 'D1,discovery,"Which, and why?",a|b|a\n\nX1,comparative,None?,\n'
        "C4,clinical,What is measured?,Carbon dioxide, total|Height, standing\n"
    )
    benchmark = load_benchmark(save(tmp_path, "b.csv", text))
    assert [(q.text, q.ground_truth) for q in benchmark.questions] == [
        ("Which, and why?", ("a", "b")),
        ("None?", ()),
        ("What is measured?", ("Carbon dioxide, total", "Height, standing")),
    ]
    (warning,) = benchmark.warnings
    assert "line 5" in warning
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    other = load_benchmark(save(tmp_path, "windows.csv", windows))
    assert (other.questions, other.digest) == (benchmark.questions, benchmark.digest)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "id,query\nD1,Which?\n", "line 1: no column category"),
        ("a.csv", "id,category,query\nD1,d,Which?\n", "line 1: no column ground_truth"),
        ("a.csv", HEADER + "D1,d,Which?,a\nD1,d,Who?,b\n", "line 3: the id D1 stands in line 2"),
        ("a.csv", HEADER + 'D1,d,"Which?,a\n', "line 2: .*quotes"),
        ("a.csv", HEADER + "D1,d,,a\n", "line 2: the question has no"),
        ("a.csv", HEADER + 'D1,d,"Which\none?",a\nD2,d\n', r"line 4: 2 cells instead of 4"),
        ("a.csv", HEADER, "holds no questions"),
        ("a.csv", "", "line 1: no column id"),
        ("a.csv", "ground_truth,id,category,query\na,D1,d,Which, really?\n", "Put quotes"),
        ("a.csv", b"id,category\nD1,caf\xe9\n", "line 2: byte 0xe9 at offset 18 is not UTF-8"),
        ("a.csv", b"\xef\xbb\xbfid\n\xff", "line 2: byte 0xff at offset 6"),
        ("a.csv", "id".encode("utf-16")[:-1], "UTF-16"),
        ("a.jsonl", '{"id": "D1", "text": "Which?", "ground_', "line 1, column .*cut off"),
        ("a.jsonl", "\n[1]\n", "line 2: not a JSON object but list"),
        ("a.jsonl", '{"id": "D1", "text": "Which?"}', "neither a ground_truth nor a sparql"),
        ("a.jsonl", '{"text": "Which?", "ground_truth": []}', "no id or query_id"),
        ("a.jsonl", '{"id": ["D1"], "text": "?", "ground_truth": []}', "id must be text"),
        ("a.jsonl", '{"id": "D1", "text": "?", "ground_truth": 3}', "must be a list"),
        ("a.jsonl", '{"id": "D1", "text": "?", "ground_truth": [{}]}', "element must be text"),
        *(
            ("a.jsonl", BARE[:-1] + f', "expected_tools": {tools}}}', "line 1: expected_tools must")
            for tools in ("3", "true", '{"a": 1}', '["x", 1]')
        ),
        ("a.jsonl", "[" * 100_000, "line 1: nested too deeply"),
        ("a.jsonl", f'\n{{"id": {"1" * 5000}, "text": "?"}}', "line 2: a number is too long"),
        ("a.jsonl", r'{"id": "D1", "text": "\ud800", "ground_truth": []}', "line 1: .*surrogate"),
        ("a.jsonl", r'{"id": "1", "text": "?", "ground_truth": ["\udfff"]}', "line 1: .*surrogate"),
        ("a.txt", "", "is no benchmark"),
    ],
)
def test_broken_files_are_named(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        load_benchmark(save(tmp_path, name, content))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    for name, why in (("none.csv", "no such file"), ("folder.csv", "is a folder")):
        with pytest.raises(InputError, match=why):
            load_benchmark(str(tmp_path / name))


def test_json_lines_of_the_users_own(tmp_path: Path) -> None:
    records = [
        {"query_id": "1", "question": "Was ist das?\u2028", "ground_truth": ["a", 2, True]},
        {"id": 2, "category": "c", "text": "Which?", "sparql": "ASK {}"},
        {"id": "3", "query": "Who?", "ground_truth": "x|y", "ground_truth_sparql": "ASK {}"},
    ]
    lines = "\r\n\r\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    one, two, three = load_benchmark(save(tmp_path, "b.jsonl", lines)).questions
    assert (one.ground_truth, one.category) == (("a", "2", "true"), "other")
    assert (two.query_id, two.sparql, two.ground_truth) == ("2", "ASK {}", None)
    assert (three.text, three.sparql, three.ground_truth) == ("Who?", "ASK {}", ("x", "y"))


def test_the_published_form_borrows_the_bundled_queries(tmp_path: Path) -> None:
    text = HEADER + "D2,discovery,How many?,30\nP11,policy,Which?,\n"
    benchmark = with_bundled_queries(load_benchmark(save(tmp_path, "b.csv", text)))
    bundled = {q.query_id: q for q in load_benchmark("ehds").questions}
    for question in benchmark.questions:
        assert question.sparql == bundled[question.query_id].sparql
        assert question.expected_tools == bundled[question.query_id].expected_tools
    assert [q.ground_truth for q in benchmark.questions] == [("30",), ()]
    assert "2 questions" in benchmark.warnings[-1]
    for row in ("Q1,discovery,How many?,30\n", "D2,other,How many?,30\n"):
        other = load_benchmark(save(tmp_path, "b.csv", HEADER + row))
        assert with_bundled_queries(other) == other


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("b.jsonl", BARE[:-1] + ', "expected_tools": ["x","y"]}'),
        ("c.jsonl", BARE[:-1] + ', "tools": "x; y;"}'),
        ("b.csv", "id,category,question,ground_truth,expected_tools\nA,other,q?,1,x;y\n"),
    ],
)
def test_each_form_of_file_names_tools_which_are_in_no_identity(
    tmp_path: Path, name: str, content: str
) -> None:
    benchmark = load_benchmark(save(tmp_path, name, content))
    assert benchmark.questions[0].expected_tools == ("x", "y")
    assert benchmark.digest == load_benchmark(save(tmp_path, "d.jsonl", BARE)).digest


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


@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([".csv", ".jsonl", ".py"]), st.binary(max_size=200) | st.text().map(str.encode)
)
def test_no_content_breaks_a_loader(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / f"fuzz{suffix}"
    path.write_bytes(content)
    with pytest.raises(InputError):
        load_benchmark(str(path))


names = st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=4)


@settings(max_examples=50, deadline=None)
@given(names, names)
def test_lines_are_read_again(
    tmp_path_factory: pytest.TempPathFactory, truth: list[str], tools: list[str]
) -> None:
    def once(texts: list[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))

    asked = Question(
        query_id="A",
        category="c",
        text="q?",
        ground_truth=once(truth),
        expected_tools=once(tools) or None,
    )
    path = tmp_path_factory.getbasetemp() / "lines.jsonl"
    path.write_text(benchmark_lines([asked]), encoding="utf-8")
    assert load_benchmark(str(path)).questions == (asked,)


def test_cells_of_a_csv_file_may_hold_objects_in_json(tmp_path: Path) -> None:
    """As JSON Lines have them: elements with unit and aliases, rows, aliases by element."""
    truths = {
        "A": [{"value": "258", "unit": "s", "aliases": ["four minutes"]}, "7"],
        "B": [["Harbour Lights", 1969], ["Slow Rain", 1971]],
        "C": {"value": "Ann Weir"},
    }
    aliases = {"C": {"Ann Weir": ["A. M. Weir"]}}
    lines = [
        json.dumps(
            {"id": name, "category": "c", "question": "q?", "ground_truth": truth}
            | ({"aliases": aliases[name]} if name in aliases else {})
        )
        for name, truth in ({**truths, "C": [truths["C"]]}).items()
    ]
    by_lines = load_benchmark(save(tmp_path, "b.jsonl", "\n".join(lines)))
    cells = [
        [name, "c", "q?", json.dumps(truth), json.dumps(aliases[name]) if name in aliases else ""]
        for name, truth in truths.items()
    ]
    with (tmp_path / "b.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["id", "category", "query", "ground_truth", "aliases"], *cells])
    by_table = load_benchmark(str(tmp_path / "b.csv"))
    assert by_table.questions == by_lines.questions
    assert by_table.questions[0].units == {"258": "s"}
    assert by_table.questions[2].aliases == {"Ann Weir": ("A. M. Weir",)}


@pytest.mark.parametrize(
    ("cell", "elements"),
    [("[sic]|b", ("[sic]", "b")), ("{a}", ("{a}",)), ("[1]", ("[1]",)), ("[]", ("[]",))],
)
def test_a_cell_with_brackets_is_a_text_unless_it_opens_json(
    tmp_path: Path, cell: str, elements: tuple[str, ...]
) -> None:
    benchmark = load_benchmark(save(tmp_path, "b.csv", HEADER + f"A,c,q?,{cell}\n"))
    assert benchmark.questions[0].ground_truth == elements


@pytest.mark.parametrize(
    ("header", "cell", "told"),
    [
        ("ground_truth", '"[{""value"": 1"', "line 2: ground_truth begins as JSON and is none"),
        ("ground_truth,aliases", "a,b|c", "line 2: aliases must be an object.* CSV cell as JSON"),
    ],
)
def test_a_cell_that_is_no_json_is_told(tmp_path: Path, header: str, cell: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        load_benchmark(save(tmp_path, "b.csv", f"id,category,query,{header}\nA,c,q?,{cell}\n"))
