"""Ground truths and answers as others publish them: what a list means, and who says so."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from factmark.answers.questions.benchmarks import Benchmark, load_benchmark
from factmark.answers.reading import read_answers
from factmark.errors import InputError
from shell import run

DBR = "http://dbpedia.org/resource/"
WD = "http://www.wikidata.org/entity/"


def saved(folder: Path, value: Any, name: str = "b.json") -> Path:
    """A file with this value as JSON, or of a row a line."""
    path = folder / name
    if name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in value), "utf-8")
    else:
        path.write_text(json.dumps(value), "utf-8")
    return path


def benchmark(folder: Path, value: Any, name: str = "b.json", **columns: str) -> Benchmark:
    """What is read of such a file."""
    return load_benchmark(str(saved(folder, value, name)), columns)


def bindings(*values: str) -> dict[str, Any]:
    """What SPARQL says of one variable."""
    rows = [{"uri": {"type": "uri", "value": value}} for value in values]
    return {"head": {"vars": ["uri"]}, "results": {"bindings": rows}}


def qald(**more: Any) -> dict[str, Any]:
    """A question in two languages, one of them twice."""
    texts = {"en": "Which mills are old?", "de": "Welche Mühlen sind alt?"}
    asked = [{"language": name, "string": text} for name, text in texts.items()]
    return {
        "id": 7,
        "question": [*asked, {"language": "de", "string": "Alte Mühlen?"}],
        "query": {"sparql": "SELECT ?uri WHERE { ?uri a <urn:Mill> }"},
        **more,
    }


def test_qald_names_its_iris_and_keeps_them_as_identifiers(tmp_path: Path) -> None:
    """An IRI is called by its page; a boolean is a yes or no; without answers the query is kept."""
    (iris, boolean, asked) = benchmark(
        tmp_path,
        {
            "questions": [
                qald(answers=[bindings(f"{DBR}Tide_Mill", f"{DBR}R%C3%BCningen_(mill)")]),
                qald(id="8", query={"sparql": "ASK {}"}, answers=[{"head": {}, "boolean": False}]),
                qald(id="9"),
            ]
        },
    ).questions
    assert (iris.query_id, iris.text) == ("7", "Which mills are old?")
    assert iris.ground_truth == ("Tide Mill", "Rüningen (mill)")
    assert iris.things["Tide Mill"].ids == (f"{DBR}Tide_Mill",)
    assert boolean.ground_truth == ("false",)
    assert (asked.ground_truth, bool(asked.sparql)) == (None, True)


def test_elements_that_are_ids_are_told(tmp_path: Path) -> None:
    read = benchmark(tmp_path, {"questions": [qald(answers=[bindings(f"{WD}Q42", f"{WD}Q7")])]})
    assert read.questions[0].ground_truth == ("Q42", "Q7")
    assert "2 of 2 elements are ids, as Q42" in read.warnings[-1]


def test_a_list_that_may_mean_two_things_is_asked_for(tmp_path: Path) -> None:
    """Each option of the refusal works, and they differ: two elements, or one with another name."""
    rows = [{"question": "When?", "answer": ["14 May 1921", "May 1921"]}]
    with pytest.raises(InputError) as refused:
        benchmark(tmp_path, rows, "b.jsonl")
    for field in ("ground_truth", "any_of"):
        assert f"--benchmark-column {field}=answer" in str(refused.value)
    (every,) = benchmark(tmp_path, rows, "b.jsonl", ground_truth="answer").questions
    assert (every.ground_truth, every.aliases) == (("14 May 1921", "May 1921"), {})
    (either,) = benchmark(tmp_path, rows, "b.jsonl", any_of="answer").questions
    assert either.ground_truth == ("14 May 1921",)
    assert either.aliases == {"14 May 1921": ("May 1921",)}


def test_a_list_whose_name_says_what_it_means_is_read(tmp_path: Path) -> None:
    """PopQA's possible answers stand in a cell as JSON."""
    path = tmp_path / "p.tsv"
    path.write_text('id\tquestion\tpossible_answers\n3\tWho?\t"[""Ann Weir"", ""A. Weir""]"\n')
    (question,) = load_benchmark(str(path)).questions
    assert (question.query_id, question.ground_truth) == ("3", ("Ann Weir",))
    assert question.aliases == {"Ann Weir": ("A. Weir",)}
    (single,) = benchmark(tmp_path, [{"question": "Who?", "answer": ["Ann"]}]).questions
    assert (single.query_id, single.ground_truth) == ("1", ("Ann",))


def test_bioasq_lists_elements_of_a_list_and_writings_of_a_factoid(tmp_path: Path) -> None:
    def asked(name: str, kind: str, answer: Any) -> dict[str, Any]:
        return {"id": name, "body": f"{name}?", "type": kind, "exact_answer": answer}

    summary = {"id": "s", "body": "s?", "type": "summary", "ideal_answer": ["Long."]}
    rows = [
        asked("l", "list", [["aspirin", "ASA"], ["ibuprofen"]]),
        asked("f", "factoid", [["TP53", "p53"]]),
        asked("y", "yesno", "yes"),
        summary,
    ]
    read = benchmark(tmp_path, {"questions": rows})
    by_list, factoid, decision = read.questions
    assert by_list.ground_truth == ("aspirin", "ibuprofen")
    assert by_list.aliases == {"aspirin": ("ASA",)}
    assert (factoid.ground_truth, factoid.aliases) == (("TP53",), {"TP53": ("p53",)})
    assert (decision.ground_truth, decision.category) == (("yes",), "yesno")
    assert "1 row without a question, or an answer or query: left out" in " ".join(read.warnings)


def test_of_truthfulqa_any_correct_answer_will_do(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    head = ["Type", "Category", "Question", "Best Answer", "Correct Answers", "Incorrect Answers"]
    long = "You keep the seeds that you eat for about one day"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, ["a", "Food", "Why?", "b", f"{long}; Nothing", "c"]])
    read = load_benchmark(str(path))
    assert read.questions[0].ground_truth == (long,)
    assert read.questions[0].aliases == {long: ("Nothing",)}
    assert "whole sentences" in read.warnings[-1]


def test_what_is_no_table_of_questions_says_all_that_it_lacks(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'question' and no column 'ground_truth'") as refused:
        benchmark(tmp_path, [{"a": 1, "b": 2}])
    assert "question=NAME --benchmark-column ground_truth=NAME" in str(refused.value)
    (read,) = benchmark(tmp_path, [{"a": "Who?", "b": "Ann"}], question="a", any_of="b").questions
    assert (read.text, read.ground_truth) == ("Who?", ("Ann",))
    with pytest.raises(InputError, match=r"--benchmark-column rows: no such field"):
        benchmark(tmp_path, [{"a": "Who?", "b": "Ann"}], rows="a")


def test_answers_may_stand_by_their_questions_ids(tmp_path: Path) -> None:
    """A null is a missing answer; how often a result has each value are its values."""
    given = {"a": "Ann", "b": ["x", True], "c": None, "d": {"y": 1, "z": 2}}
    read = read_answers(saved(tmp_path, given)).answers
    assert [(answer.query_id, answer.text) for answer in read if answer.lost is None] == [
        ("a", "Ann"),
        ("b", "x; true"),
        ("d", "y; z"),
    ]


def test_an_answer_may_be_what_a_query_found(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "answer": bindings("x", "y")},
        {"id": "2", "answer": {"head": {}, "boolean": False}},
        {"id": "3", "answer": bindings()},
        {"id": "4", "answer": {}},
    ]
    one, two, none, lost = read_answers(saved(tmp_path, rows)).answers
    assert (one.text, two.text, none.text) == ("x; y", "false", "")
    assert (none.lost, lost.lost is None) == (None, False)


def test_two_systems_in_a_row_are_asked_for_and_what_is_right_is_none(tmp_path: Path) -> None:
    rows = [{"id": "1", "ideal_answer": "x", "plain_answer": "y", "rag_answer": "z"}]
    with pytest.raises(InputError) as refused:
        read_answers(saved(tmp_path, rows))
    assert "--column answer=plain_answer" in str(refused.value)
    assert "--column answer=rag_answer" in str(refused.value)
    assert "answer=ideal_answer" not in str(refused.value)
    rows = [{"id": "1", "answer": "x", "gold_answer": "y", "raw_output": "z"}]
    assert read_answers(saved(tmp_path, rows)).answers[0].text == "x"


def test_advice_on_answers_names_all_that_is_needed_and_works(tmp_path: Path) -> None:
    """Neither a question, nor an address or a category is proposed for the answer."""
    row = {"kind": "a", "asked": "D1", "url": "x:1", "said": "It is the tide mill."}
    others = [{"kind": "a", "asked": f"D{n}", "url": f"x:{n}", "said": f"None {n}"} for n in (2, 3)]
    path = saved(tmp_path, [row, *others])
    with pytest.raises(InputError) as refused:
        read_answers(path)
    assert "--column query_id=asked --column answer=said." in str(refused.value)
    read = read_answers(path, columns={"query_id": "asked", "answer": "said"}).answers
    assert [answer.text for answer in read] == ["It is the tide mill.", "None 2", "None 3"]


def test_answers_name_their_question_by_its_text(tmp_path: Path) -> None:
    """Neither file has ids; a question that the benchmark does not ask is none of it."""
    saved(tmp_path, [{"question": "Who built it?", "any_of": ["Ann Weir"]}], "truth.json")
    rows = [
        {"question": "who built  it?", "answer": "Ann Weir"},
        {"question": "Why?", "answer": ""},
    ]
    saved(tmp_path, rows, "said.json")
    made = run("score", "said.json", "--benchmark", "truth.json", "--json", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    scored = json.loads(made.stdout)
    assert [row["query_id"] for row in scored["rows"]] == ["1"]
    told = " ".join(scored["problems"])
    assert "1 answer to questions that the benchmark does not have" in told


def test_a_ground_truth_of_objects_is_read_by_the_part_that_is_named(tmp_path: Path) -> None:
    """An object of which no part is known is no empty ground truth."""
    rows = [{"question": "Who?", "answer": [{"called": "Ann"}, {"called": "Ben"}], "sparql": "x"}]
    with pytest.raises(InputError, match=r"--benchmark-column ground_truth=answer\.called"):
        benchmark(tmp_path, rows)
    (read,) = benchmark(tmp_path, rows, ground_truth="answer.called").questions
    assert read.ground_truth == ("Ann", "Ben")


def test_a_system_may_write_its_answers_into_the_questions(tmp_path: Path) -> None:
    said = {"questions": [qald(answers=[bindings(f"{DBR}Tide_Mill")])]}
    (answer,) = read_answers(saved(tmp_path, said)).answers
    assert (answer.query_id, answer.text) == ("7", f"{DBR}Tide_Mill")


@pytest.mark.parametrize(
    ("row", "columns"),
    [
        ({"Question": "Who?", "Answer": "Ann", "Response": "Ben"}, ("Answer", "Response")),
        (
            {"question": "Who?", "plain": {"answer": "Ann"}, "rag": {"answer": "Ben"}},
            ("plain.answer", "rag.answer"),
        ),
    ],
)
def test_which_of_two_columns_is_a_systems_is_asked_for(
    tmp_path: Path, row: dict[str, Any], columns: tuple[str, str]
) -> None:
    """Each option works as it is written."""
    path = saved(tmp_path, [row])
    with pytest.raises(InputError) as refused:
        read_answers(path)
    for column, text in zip(columns, ("Ann", "Ben"), strict=True):
        assert f"--column answer={column}" in str(refused.value)
        assert read_answers(path, columns={"answer": column}).answers[0].text == text


def test_questions_in_yaml_are_read_as_they_are_written(tmp_path: Path) -> None:
    """YAML would make of `no` a false, of 1.10 a 1.1, of a day an object; an answer is a text."""
    path = tmp_path / "mills.yml"
    path.write_text(
        "dataset:\n  id: https://example.org/mills/\n"
        "questions:\n"
        '  - id: "1"\n    question: {en: Which mills are old?, de: Welche?}\n'
        "    query:\n      sparql: SELECT ?mill { ?mill a <urn:Mill> }\n",
        "utf-8",
    )
    (asked,) = load_benchmark(str(path)).questions
    assert (asked.query_id, asked.text) == ("1", "Which mills are old?")
    assert asked.sparql == "SELECT ?mill { ?mill a <urn:Mill> }"
    path.write_text(
        "- {id: a, question: Does it turn?, ground_truth: [no]}\n"
        "- {id: b, question: How far?, ground_truth: [1.10, 12:30, 2020-01-02]}\n"
        "- {id: c, question: Is it so?, ground_truth: true}\n",
        "utf-8",
    )
    truths = [question.ground_truth for question in load_benchmark(str(path)).questions]
    assert truths == [("no",), ("1.10", "12:30", "2020-01-02"), ("true",)]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [1\nb: 2\n", "line 2: is no YAML"),
        ("- !!python/object:os.system x\n", "line 1: is no YAML"),
        ("&a [*a]", "stand for more than the file holds"),
        ("a: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nquestions: [*b,*b,*b,*b]\n", "stand for more"),
        ("", "is no list of objects"),
    ],
)
def test_yaml_that_cannot_be_read_is_refused(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "b.yaml"
    path.write_text(text, "utf-8")
    with pytest.raises(InputError, match=why):
        load_benchmark(str(path))


def test_what_a_tool_says_of_answers_holds_them(tmp_path: Path) -> None:
    """The answers of deepeval's and promptfoo's files name their question by its text."""
    case = {"name": "c1", "input": "Which mills?", "actualOutput": "Tide mills."}
    case["metricsData"] = [{"name": "Faithfulness", "score": 1}]
    run_of_deepeval = {"testCases": [case], "metricsScores": [{"metric": "Faithfulness"}]}
    (answer,) = read_answers(saved(tmp_path, run_of_deepeval)).answers
    assert (answer.query_id, answer.text) == ("Which mills?", "Tide mills.")
    given = {"success": True, "score": 1, "vars": {"q": "Which mills?"}, "provider": {"id": "m"}}
    given["response"] = {"output": "Tide mills."}
    results = {"results": {"results": [given], "prompts": [{"id": "p"}]}}
    (answer,) = read_answers(saved(tmp_path, results)).answers
    assert (answer.query_id, answer.text, answer.model) == ("Which mills?", "Tide mills.", "m")


def test_several_lists_of_no_known_form_are_refused(tmp_path: Path) -> None:
    """`score` has no option for the path of the rows, and names none."""
    lists = {"runs": [{"a": 1}], "marks": [{"b": 2}]}
    with pytest.raises(InputError, match="several lists of rows") as refused:
        read_answers(saved(tmp_path, lists))
    assert "--rows" not in str(refused.value)


def test_results_of_queries_by_id_are_a_benchmark(tmp_path: Path) -> None:
    """As text2sparql publishes them: the values and how often a result has each; the id stands for
    the question."""
    given = {"t:1": {f"{DBR}Tide_Mill": 1, "12": 2}, "t:2": {}, "order_required": ["t:1"]}
    first, empty = benchmark(tmp_path, given).questions
    assert (first.query_id, first.text) == ("t:1", "t:1")
    assert first.ground_truth == ("Tide Mill", "12")
    assert (empty.ground_truth, empty.empty) == ((), True)
