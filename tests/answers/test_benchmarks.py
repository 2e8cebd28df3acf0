"""Benchmarks from the bundled data and from files with the quirks of the published ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.benchmarks import load_benchmark, published_values, with_bundled_queries
from factmark.ehds.replica.facts import COHORTS
from factmark.errors import InputError

HEADER = "id,category,query,ground_truth\n"


def save(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def test_bundled_benchmark_has_the_50_questions() -> None:
    benchmark = load_benchmark("ehds")
    ids = [question.query_id for question in benchmark.questions]
    counts = {"D": 10, "P": 20, "C": 10, "X": 10}
    assert ids == [f"{letter}{n + 1}" for letter, count in counts.items() for n in range(count)]
    categories = {"D": "discovery", "P": "policy", "C": "clinical", "X": "comparative"}
    assert all(q.category == categories[q.query_id[0]] for q in benchmark.questions)
    assert all(q.sparql and q.ground_truth is None for q in benchmark.questions)
    assert benchmark.name == "ehds"
    assert benchmark.warnings == ()


def test_limits_of_bundled_queries_follow_an_order() -> None:
    for question in load_benchmark("ehds").questions:
        sparql = question.sparql or ""
        assert "LIMIT" not in sparql or "ORDER BY" in sparql.partition("LIMIT")[0]


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


def test_csv_with_unquoted_commas_in_the_last_column(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        "b.csv",
        HEADER + 'D1,discovery,"Which, and why?",a|b|a\n\nX1,comparative,None?,\n'
        "C4,clinical,What is measured?,Carbon dioxide, total|Height, standing\n",
    )
    benchmark = load_benchmark(path)
    d1, x1, c4 = benchmark.questions
    assert d1.text == "Which, and why?"
    assert d1.ground_truth == ("a", "b")
    assert x1.ground_truth == ()
    assert c4.ground_truth == ("Carbon dioxide, total", "Height, standing")
    (warning,) = benchmark.warnings
    assert "line 5" in warning
    assert "unquoted commas" in warning


def test_bom_and_crlf_change_nothing(tmp_path: Path) -> None:
    text = HEADER + "D1,discovery,Which?,a|b\nD2,discovery,How many?,2\n"
    plain = load_benchmark(save(tmp_path, "plain.csv", text))
    windows = b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
    other = load_benchmark(save(tmp_path, "windows.csv", windows))
    assert other.questions == plain.questions
    assert other.digest == plain.digest


def test_a_quoted_cell_over_several_lines_keeps_line_numbers_right(tmp_path: Path) -> None:
    text = HEADER + 'D1,discovery,"Which\none?",a\nD2,discovery\n'
    with pytest.raises(InputError, match=r"b\.csv, line 4: 2 cells instead of 4"):
        load_benchmark(save(tmp_path, "b.csv", text))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "id,query\nD1,Which?\n", "line 1: no column category"),
        ("a.csv", "id,category,query\nD1,d,Which?\n", "line 1: no column ground_truth"),
        ("a.csv", HEADER + "D1,d,Which?,a\nD1,d,Who?,b\n", "line 3: the id D1 stands in line 2"),
        ("a.csv", HEADER + 'D1,d,"Which?,a\n', "line 2: .*quotes"),
        ("a.csv", HEADER + "D1,d,,a\n", "line 2: the question has no"),
        ("a.csv", HEADER, "holds no questions"),
        ("a.csv", "", "line 1: no column id"),
        ("a.csv", "ground_truth,id,category,query\na,D1,d,Which, really?\n", "Put quotes"),
        ("a.csv", b"id,category\nD1,caf\xe9\n", "line 2: byte 0xe9 at offset 18 is not UTF-8"),
        ("a.csv", b"\xef\xbb\xbfid\n\xff", "line 2: byte 0xff at offset 6"),
        ("a.csv", "id".encode("utf-16"), "UTF-16"),
        ("a.jsonl", '{"id": "D1", "text": "Which?", "ground_', "line 1: broken JSON"),
        ("a.jsonl", "\n[1]\n", "line 2: not a JSON object but list"),
        ("a.jsonl", '{"id": "D1", "text": "Which?"}', "neither a ground_truth nor a sparql"),
        ("a.jsonl", '{"text": "Which?", "ground_truth": []}', "no id or query_id"),
        ("a.jsonl", '{"id": ["D1"], "text": "?", "ground_truth": []}', "id must be text"),
        ("a.jsonl", '{"id": "D1", "text": "?", "ground_truth": 3}', "must be a list"),
        ("a.jsonl", '{"id": "D1", "text": "?", "ground_truth": [{}]}', "element must be text"),
        ("a.jsonl", "[" * 100_000, "line 1: broken JSON"),
        ("a.py", "QUERIES = [", "line 1: no valid Python"),
        ("a.py", "X = 1\n", "sets no list QUERIES"),
        ("a.py", "QUERIES = {}\n", "line 1: QUERIES must be a list"),
        ("a.py", "QUERIES = [\n  3]\n", "must be a dict"),
        ("a.py", "QUERIES = [\n\n  {'id': open('x')}]\n", "line 3: .*is no constant"),
        ("a.py", "QUERIES = [{'id': NAME}]\n", "name NAME is no text"),
        ("a.py", "QUERIES = [{'id': f'{1:>3}'}]\n", "format in an f-string"),
        ("a.py", "QUERIES = [{1: 'x'}]\n", "key of a dict must be text"),
        ("a.py", "QUERIES = " + "(" * 5000, "a.py"),
        ("a.py", "QUERIES = '\0'", "a.py"),
        ("a.txt", "", "is no benchmark"),
        (
            "a.jsonl",
            f'\n{{"id": {"1" * 5000}, "text": "?"}}',
            "line 2: broken JSON .a number is too",
        ),
        ("a.py", f"QUERIES = [\n{{'id': 0x{'f' * 5000}}}]", "line 2: a number is too long"),
        ("a.jsonl", r'{"id": "D1", "text": "\ud800", "ground_truth": []}', "line 1: .*surrogate"),
        ("a.jsonl", r'{"id": "1", "text": "?", "ground_truth": ["\udfff"]}', "line 1: .*surrogate"),
        ("a.jsonl", r'{"id": "1", "text": "?", "sparql": "\udfff"}', "line 1: .*surrogate"),
        (
            "a.py",
            r"QUERIES = [{'id': '\ud800', 'query': '?', 'sparql': 'q'}]",
            "line 1: .*surrogate",
        ),
    ],
)
def test_broken_files_are_named(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        load_benchmark(save(tmp_path, name, content))


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        load_benchmark(str(tmp_path / "none.csv"))
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="cannot be read"):
        load_benchmark(str(tmp_path / "folder.csv"))


PYTHON = '''
"""A benchmark with the habits of the published one."""
import os

GRAPH = "https://example.org/g"
PREFIXES = (
    "PREFIX a: <http://a#> "
    "PREFIX b: <http://b#>\\n"
)
HEAD = PREFIXES + """SELECT ?x
"""
os.system("touch RAN")

def run():
    return QUERIES

QUERIES: list[dict] = [
    {
        "id": "D1", "category": "discovery", "query": "Which?",
        "ground_truth_sparql": HEAD + f"WHERE {{ GRAPH <{GRAPH}> {{ ?x a b:C }} }}",
        "ground_truth": ["one", "two", "one"],
    },
    {
        "id": "D2", "category": "discovery", "query": "How "
        "many?",
        "ground_truth_sparql": ("""
            ASK {}
        """).strip(),
        "ground_truth": "3|4",
    },
]
QUERIES += [dict_made_here := {"id": "D3"}] if False else []
'''


def test_python_form_is_read(tmp_path: Path) -> None:
    source = PYTHON.replace('QUERIES += [dict_made_here := {"id": "D3"}] if False else []\n', "")
    benchmark = load_benchmark(save(tmp_path, "benchmark.py", source))
    d1, d2 = benchmark.questions
    assert d1.sparql == (
        "PREFIX a: <http://a#> PREFIX b: <http://b#>\nSELECT ?x\n"
        "WHERE { GRAPH <https://example.org/g> { ?x a b:C } }"
    )
    assert d1.ground_truth == ("one", "two")
    assert d2.text == "How many?"
    assert d2.sparql == "ASK {}"
    assert d2.ground_truth == ("3", "4")


def test_python_form_is_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match="is no constant"):
        load_benchmark(save(tmp_path, "benchmark.py", PYTHON))
    assert [entry.name for entry in tmp_path.iterdir()] == ["benchmark.py"]


def test_python_lists_add_up_and_names_are_taken_as_they_stand(tmp_path: Path) -> None:
    source = """
A = "first"
MORE = [{"id": "X1", "category": "c", "query": A, "ground_truth": (1, -2, 3.5, True)}]
A = "second"
QUERIES = [{"id": "X2", "category": "c", "query": A, "ground_truth": [["r", 1], ["s", 2]]}]
QUERIES += MORE
"""
    x2, x1 = load_benchmark(save(tmp_path, "b.py", source)).questions
    assert (x1.text, x2.text) == ("first", "second")
    assert x1.ground_truth == ("1", "-2", "3.5", "true")
    assert x2.ground_truth == ("r", "1", "s", "2")


def test_python_constants_cannot_grow_without_end(tmp_path: Path) -> None:
    source = "A = 'x' * 1\nB = '" + "x" * 1000 + "'\n" + "B = B + B\n" * 60
    source += "QUERIES = [{'id': B}]\n"
    with pytest.raises(InputError, match="B is no text"):
        load_benchmark(save(tmp_path, "b.py", source))


def test_json_lines_of_the_users_own(tmp_path: Path) -> None:
    records = [
        {"query_id": "1", "question": "Was ist das?\u2028", "ground_truth": ["a", 2, True]},
        {"id": 2, "category": "c", "text": "Which?", "sparql": "ASK {}"},
        {"id": "3", "query": "Who?", "ground_truth": "x|y", "ground_truth_sparql": "ASK {}"},
    ]
    lines = "\r\n\r\n".join(json.dumps(record, ensure_ascii=False) for record in records)
    one, two, three = load_benchmark(save(tmp_path, "b.jsonl", lines)).questions
    assert one.ground_truth == ("a", "2", "true")
    assert one.category == "other"
    assert (two.query_id, two.sparql, two.ground_truth) == ("2", "ASK {}", None)
    assert (three.text, three.sparql, three.ground_truth) == ("Who?", "ASK {}", ("x", "y"))


def test_the_published_form_borrows_the_bundled_queries(tmp_path: Path) -> None:
    text = HEADER + "D2,discovery,How many?,30\nP11,policy,Which?,\n"
    benchmark = with_bundled_queries(load_benchmark(save(tmp_path, "b.csv", text)))
    bundled = {q.query_id: q.sparql for q in load_benchmark("ehds").questions}
    assert [q.sparql for q in benchmark.questions] == [bundled["D2"], bundled["P11"]]
    assert [q.ground_truth for q in benchmark.questions] == [("30",), ()]
    assert "2 questions" in benchmark.warnings[-1]


@pytest.mark.parametrize("row", ["Q1,discovery,How many?,30\n", "D2,other,How many?,30\n"])
def test_another_benchmark_borrows_nothing(tmp_path: Path, row: str) -> None:
    benchmark = load_benchmark(save(tmp_path, "b.csv", HEADER + row))
    assert with_bundled_queries(benchmark) == benchmark


@settings(max_examples=150, deadline=None)
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


@settings(max_examples=50, deadline=None)
@given(
    st.lists(
        st.lists(st.text(st.characters(codec="utf-8", exclude_characters="|")), max_size=4),
        min_size=1, max_size=4,
    )
)  # fmt: skip
def test_json_lines_round_trip(
    tmp_path_factory: pytest.TempPathFactory, truths: list[list[str]]
) -> None:
    path = tmp_path_factory.getbasetemp() / "round.jsonl"
    records = [{"id": f"q{i}", "text": "?", "ground_truth": t} for i, t in enumerate(truths)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    expected = [tuple(dict.fromkeys(s.strip() for s in t if s.strip())) for t in truths]
    assert [q.ground_truth for q in load_benchmark(str(path)).questions] == expected
