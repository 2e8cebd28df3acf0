"""Each form of question is read from each sort of file; what cannot be used is told."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.questions.reading import read_graph_questions

OPTIONS = ["lens", "iris", "retina", "cornea"]


def jsonl(folder: Path, *rows: Any) -> Path:
    path = folder / "q.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path: Path, **options: Any) -> tuple[tuple[GraphQuestion, ...], str]:
    problems = Problems()
    questions = read_graph_questions(path, problems, **options)
    return questions, "\n".join(problems.sentences())


def one(folder: Path, **row: Any) -> GraphQuestion:
    (question,), told = read(jsonl(folder, row))
    assert told == ""
    return question


def choice(**row: Any) -> dict[str, Any]:
    return {"question": "Which part?", "options": OPTIONS, **row}


INSTRUCTED = """Which part bends light?
A. iris
B. lens

Please select the correct answer from A, B. Put your answer in \\boxed{}.
"""


def test_a_json_list_with_options_in_the_text_and_hops(tmp_path: Path) -> None:
    rows = [
        {"query": INSTRUCTED, "answer": 1, "k_hop": 3, "level": None},
        {"query": INSTRUCTED.replace("bends", "blocks"), "answer": 0, "k_hop": 1, "level": "2"},
    ]
    path = tmp_path / "qa.json"
    path.write_text("\ufeff" + json.dumps(rows, indent=2), encoding="utf-8")
    (first, second), told = read(path)
    assert told == ""
    assert first.text == "Which part bends light?"
    assert (first.options, first.references) == (("iris", "lens"), ("lens",))
    assert first.strata == {"hops": "3"}
    assert second.strata == {"hops": "1", "difficulty": "2"}
    assert (first.where, second.where) == ("line 2", "line 8")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ('[\n {"query": "Which?",', "line 2"),
        ('{"query": "Which?", "answer": "x"}', "no list of objects"),
        ('[{"question": 1e999999999}', "line 1"),
        ('[{"asked": "Which?", "answer": "x"}]', "no question"),
        (json.dumps([choice(answer=1)]).encode("utf-16"), "UTF-16"),
    ],
)
def test_a_damaged_json_list_is_told(tmp_path: Path, content: str | bytes, words: str) -> None:
    path = tmp_path / "qa.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=words):
        read(path)


def test_free_text_with_all_fields(tmp_path: Path) -> None:
    found = one(
        tmp_path, id=7, question=" What treats it? ",
        answer="metformin", aliases=["Glucophage", ""],
        topic="drugs", level="easy", hops=1, strata={"source": "exam", "year": 2024, "odd": None},
        triples=[
            ["metformin", "treats", "T2DM"], {"Subject": "a", "predicate": "b", "object": "c"},
        ],
        answerable=True,
    )  # fmt: skip
    assert found == GraphQuestion(
        id="7", text="What treats it?", kind="text", references=("metformin", "Glucophage"),
        triples=(("metformin", "treats", "T2DM"), ("a", "b", "c")), answerable=True,
        strata={
            "topic": "drugs", "difficulty": "easy", "hops": "1", "source": "exam", "year": "2024",
        },
        where="line 1",
    )  # fmt: skip


@pytest.mark.parametrize("name", ["query", "Question"])
def test_names_of_the_question(tmp_path: Path, name: str) -> None:
    assert one(tmp_path, **{name: "Why?", "answer": "because"}).text == "Why?"


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"answer": "x"}, ("x",)),
        ({"references": ["x", "y", "x"]}, ("x", "y")),
        ({"answers": ["x"], "aliases": ["z"]}, ("x", "z")),
        ({"answers": {"text": ["x", "y"], "answer_start": [1, 2]}}, ("x", "y")),
        ({"answer": {"value": "x", "aliases": ["y"]}}, ("x", "y")),
        ({"answer": {"value": "x", "aliases": "abc"}}, ("x", "abc")),
        ({"references": "A"}, ("A",)),
        ({"answer": "No treatment"}, ("No treatment",)),
        ({"answer": "a|b"}, ("a|b",)),
    ],
)
def test_references(tmp_path: Path, field: dict[str, Any], expected: tuple[str, ...]) -> None:
    found = one(tmp_path, question="What?", **field)
    assert (found.kind, found.references) == ("text", expected)


def test_csv_with_cells_of_several(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text(
        "Question,Reference,Aliases,Topic,Answerable,Triples,Strata\n"
        "What treats it?,metformin|biguanides,Glucophage | G,drugs,yes,"
        '"[[""m"", ""treats"", ""d""]]","{""source"": ""exam""}"\n'
        "Who?,nobody,,,,,\n"
        "Where?,,,,0,,\n",
        encoding="utf-8",
    )
    questions, told = read(path)
    assert told == ""
    first, second, third = questions
    assert first.references == ("metformin", "biguanides", "Glucophage", "G")
    assert first.triples == (("m", "treats", "d"),)
    assert first.strata == {"topic": "drugs", "source": "exam"}
    assert (first.answerable, second.answerable, third.answerable) == (True, None, False)
    assert third.references == ()
    assert [question.id for question in questions] == ["q1", "q2", "q3"]
    assert [question.where for question in questions] == ["line 2", "line 3", "line 4"]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("glucose | sugar", ("glucose", "sugar")),
        ('["glucose", "P(A|B)", 3]', ("glucose", "P(A|B)", "3")),
        ("['glucose', 'blood sugar']", ("glucose", "blood sugar")),
        ("[3H]glucose", ("[3H]glucose",)),
    ],
)
@pytest.mark.parametrize("column", ["answer", "references"])
def test_a_cell_of_several_answers(
    tmp_path: Path, column: str, cell: str, expected: tuple[str, ...]
) -> None:
    path = tmp_path / "q.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["question", column], ["What?", cell]])
    (question,), told = read(path)
    assert told == ""
    assert (question.kind, question.references) == ("text", expected)


def test_the_answer_of_a_choice_is_not_split(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("question,option_a,option_b,answer\nWhich?,x|y,z,x|y\n")
    (question,), _ = read(path)
    assert (question.options, question.references) == (("x|y", "z"), ("x|y",))


@pytest.mark.parametrize(
    "row",
    [
        choice(answer="C"),
        choice(answer="C. retina"),
        choice(answer=["C"]),
        choice(answer=2),
        choice(cop=2, subject_name="Anatomy"),
        choice(answer_idx="C", answer="retina"),
        choice(answer="C", label="hard"),
        choice(options={"A": "lens", "B": "iris", "C": "retina"}, answer="C"),
        choice(
            options=[{"key": "A", "value": "lens"}, {"key": "B", "value": "retina"}], answer="B"
        ),
        choice(options={"text": ["lens", "retina"], "label": ["1", "2"]}, answerKey="2"),
        choice(options=["A. lens", "B. retina"], answer="B"),
        {"question": "Which part?", "opa": "lens", "opb": "retina", "cop": 1},
        {"question": "Which part?", "A": "lens", "B": "retina", "C": "", "answer": "B"},
        {"question": "Which part?", "option_1": "lens", "option_2": "retina", "answer": 2},
        {"query": "Which part? A. lens B. iris C. retina", "answer": 2, "level": "easy"},
        {"query": "Which part?\nOptions: lens, iris, retina", "answer": "2"},
        {"query": "Which part? 1) lens 2) iris 3) retina", "answer": 3},
    ],
)
def test_multiple_choice(tmp_path: Path, row: dict[str, Any]) -> None:
    found = one(tmp_path, **row)
    assert (found.kind, found.text, found.references) == ("choice", "Which part?", ("retina",))
    assert found.options[0] == "lens"
    assert found.right == "ABCD"[found.options.index("retina")]


def test_multiple_choice_in_csv_and_parquet(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text(
        "query,option_a,option_b,option_c,answer,label\n"
        "Which?,lens,iris,retina,C,\nWhich?,lens,iris,,1,\nWhich?,lens,iris,,iris,9\n"
    )
    csv_questions, told = read(path)
    assert told == ""
    assert [question.references for question in csv_questions] == [
        ("retina",),
        ("iris",),
        ("iris",),
    ]
    parquet = tmp_path / "q.parquet"
    duckdb.sql(
        "SELECT 'Which?' AS question, ['lens', 'iris'] AS options, 1 AS answer,"
        " [['a', 'r', 'b']] AS triples, NULL::BOOLEAN AS answerable"
    ).write_parquet(str(parquet))
    (found,), _ = read(parquet)
    assert (found.references, found.triples) == (("iris",), (("a", "r", "b"),))
    assert (found.where, found.answerable) == ("row 1", None)


def test_numbers_before_options_name_them_unless_an_answer_is_0(tmp_path: Path) -> None:
    asked = "Which? 1. lens 2. iris 3. retina"
    by_name, _ = read(jsonl(tmp_path, *({"query": asked, "answer": n} for n in (1, 3))))
    assert [question.references for question in by_name] == [("lens",), ("retina",)]
    by_place, _ = read(jsonl(tmp_path, *({"query": asked, "answer": n} for n in (0, 2))))
    assert [question.references for question in by_place] == [("lens",), ("retina",)]
    doubtful, told = read(jsonl(tmp_path, {"query": asked, "answer": 2}))
    assert doubtful[0].references == ("iris",)
    assert "say --first-option 0" in told
    said, told = read(jsonl(tmp_path, {"query": asked, "answer": 2}), first_option=0)
    assert (said[0].references, told) == (("retina",), "")


def test_a_file_that_counts_from_1_stops_the_reading_until_that_is_said(tmp_path: Path) -> None:
    path = jsonl(tmp_path, choice(answer=1), choice(answer=4))
    with pytest.raises(
        InputError,
        match=r"q\.jsonl, line 2: the answer is 4.*--first-option 1; else mend that answer",
    ):
        read(path)
    questions, _ = read(path, first_option=1)
    assert [question.references for question in questions] == [("lens",), ("cornea",)]
    path = jsonl(tmp_path, choice(answer=0), choice(answer=1))
    with pytest.raises(InputError, match=r"line 1: the answer is 0.*--first-option 0"):
        read(path, first_option=1)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({"answer": "Yes."}, "yes"),
        ({"answer": "Maybe"}, "maybe"),
        ({"answer": "False"}, "no"),
        ({"final_decision": "maybe", "long_answer": "It may.", "answer": "It may."}, "maybe"),
    ],
)
def test_yes_or_no(tmp_path: Path, row: dict[str, Any], expected: str) -> None:
    found = one(tmp_path, question="Does it?", **row)
    assert (found.kind, found.references, found.options) == ("yes-no", (expected,), ())


def test_yes_and_no_as_options_are_a_choice(tmp_path: Path) -> None:
    found = one(tmp_path, question="Does it? (A) yes (B) no", answer="no")
    assert (found.kind, found.options, found.right) == ("choice", ("yes", "no"), "B")


def test_unanswerable_questions_need_no_answer(tmp_path: Path) -> None:
    text, options, squad = read(
        jsonl(
            tmp_path,
            {"question": "Who?", "answerable": False},
            choice(answerable="no"),
            {"question": "Who?", "is_impossible": True, "answers": {"text": ["Best"]}},
        )
    )[0]
    assert (text.kind, text.references, text.answerable) == ("text", (), False)
    assert (options.kind, options.references, options.right) == ("choice", (), None)
    assert (squad.references, squad.answerable) == (("Best",), False)


@pytest.mark.parametrize(
    ("row", "kind", "why"),
    [
        ({"answer": "x"}, "no question", "line 2"),
        ({"question": ["a"], "answer": "x"}, "a field cannot be read", "is a list"),
        ({"question": "Who?"}, "no answer", "name it as `answer`"),
        ({"question": "Who?", "answer": "C"}, "no options", "free text goes to `references`"),
        ({"question": "How many of the following?", "answer": 2}, "no options", "may name an"),
        (
            {"question": "W?", "answer": {"value": "x", "aliases": 1e400}},
            "a field cannot be read",
            "inf",
        ),
        ({"question": "W?", "answer": math.inf}, "a field cannot be read", "the answer is inf"),
        (
            {"question": "W?", "answer": {"value": "x", "aliases": [[]]}},
            "a field cannot be read",
            "list",
        ),
        (
            choice(options={"text": ["x", "y"], "label": 5}, answer="A"),
            "a field cannot be read",
            "no list",
        ),
        ({"question": "Who?", "answer": ["yes", "no"]}, "answers that disagree", "line 2"),
        ({"question": "Who\u0000?", "answer": "x"}, "broken characters", "in the question"),
        ({"question": "Who?", "answer": "\ud800"}, "broken characters", "in the answer"),
        (choice(), "no answer", "name the right option"),
        (choice(answer="E"), "an answer that is no option", "'E' is none of its 4"),
        (choice(answer="C. lens"), "an answer that is no option", "line 2"),
        (choice(answer=["A", "B"]), "2 right options", "line 2"),
        (choice(answer_idx="C", answer="lens"), "answers that disagree", "not option C"),
        (choice(options=["2", "3", "1"], answer=1), "an answer of two meanings", "as a letter"),
        (choice(options=["lens", "Lens"], answer="A"), "options", "stands twice"),
        (choice(options=["lens"], answer="A"), "options", "1 options"),
        (choice(options=[f"o{n}" for n in range(11)], answer="A"), "options", "11 options"),
        (choice(options=["lens", ""], answer="A"), "options", "an option is empty"),
        (choice(options="[1", answer="A"), "a field cannot be read", "options is no JSON"),
        (choice(options=5, answer="A"), "a field cannot be read", "write a list"),
        ({"question": "W?", "A": "x", "C": "y", "answer": "A"}, "a field cannot be read", "leave"),
        ({"id": "first", "question": "W?", "answer": "x"}, "an id given twice", "at line 1"),
        ("{", "no JSON", "line 2"),
    ],
)
def test_rows_that_cannot_be_used_are_left_out_and_told(
    tmp_path: Path, row: dict[str, Any] | str, kind: str, why: str
) -> None:
    good = {"id": "first", "question": "Who?", "answer": "Best"}
    questions, told = read(jsonl(tmp_path, good, row, {**good, "id": "last"}))
    assert [question.id for question in questions] == ["first", "last"]
    assert told.startswith(f"{kind}: 1 left out (line 2")
    assert why in told


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"triples": [["a", "b"]]}, "not [head, relation, tail]"),
        ({"triples": "nothing"}, "triples is no JSON"),
        ({"answerable": "perhaps"}, "answerable is 'perhaps'"),
        ({"strata": [1]}, "strata is a list"),
        ({"aliases": [["x"]]}, "aliases is a list"),
    ],
)
def test_what_does_not_matter_for_the_answer_is_told_and_not_read(
    tmp_path: Path, row: dict[str, Any], why: str
) -> None:
    (question,), told = read(jsonl(tmp_path, {"question": "Who?", "answer": "Best", **row}))
    assert question.references == ("Best",)
    assert (question.triples, question.answerable, question.strata) == ((), None, {})
    assert told.startswith("a field is not read: 1 kept (line 1: ")
    assert why in told


@pytest.mark.parametrize("answer", [5, "0"])
@pytest.mark.parametrize("asked", ["How many are there?"])
def test_a_number_answers_what_asks_for_one(tmp_path: Path, asked: str, answer: object) -> None:
    found = one(tmp_path, question=asked, answer=answer)
    assert (found.kind, found.references) == ("text", (str(answer),))


def test_options_without_labels(tmp_path: Path) -> None:
    found = one(tmp_path, **choice(options={"text": ["x", "y"], "label": None}, answer="B"))
    assert (found.options, found.references) == (("x", "y"), ("y",))


@pytest.mark.parametrize("encoding", ["utf-16"])
@pytest.mark.parametrize("name", ["q.csv", "q.jsonl"])
def test_another_encoding_is_named(tmp_path: Path, name: str, encoding: str) -> None:
    path = tmp_path / name
    rows = {"q.csv": "question,answer\nWho?,Best\n", "q.jsonl": json.dumps({"q": 1})}
    path.write_text(rows[name], encoding=encoding)
    with pytest.raises(InputError, match=f"is {encoding.upper()}. Say --encoding {encoding}"):
        read(path)
    path.write_text('{"question": "Who?", "answer": "Best"}\n' * (name == "q.jsonl") or rows[name],
                    encoding=encoding)  # fmt: skip
    assert read(path, encoding=encoding)[0][0].references == ("Best",)


def test_nothing_to_use_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"no question can be used\. no answer: 1 left out \(line 1"
    ):
        read(jsonl(tmp_path, {"question": "Who?"}))
    with pytest.raises(InputError, match="It is empty"):
        read(jsonl(tmp_path))
    path = tmp_path / "q.csv"
    path.write_text("topic,answer\ndrugs,x\n")
    with pytest.raises(
        InputError, match=r"line 1: no column for the question\. Found: topic, answer"
    ):
        read(path)
    with pytest.raises(InputError, match="there is no such file"):
        read(tmp_path / "gone.jsonl")
    with pytest.raises(InputError, match="is a folder"):
        read(tmp_path)
    (tmp_path / "q.txt").write_text("?")
    with pytest.raises(InputError, match=r"ends in none of"):
        read(tmp_path / "q.txt")


_KEYS = st.sampled_from(["text", "value", "label", "key", "aliases", "head", "relation", "tail"])
_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 12) | st.floats() | st.text(max_size=8)
    | st.sampled_from(["A", "b)", "yes", "Which? A. x B. y C. z", "x|y", "[[", "{}", "\ud800"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5) | _KEYS, inner, max_size=3),
    max_leaves=5,
)  # fmt: skip
_NAMES = st.sampled_from(
    "id query answer answers answer_idx label options choices A B option_1 option_2 "
    "aliases topic strata hops triples answerable is_impossible final_decision".split()
)


_ROW = st.builds(
    lambda asked, fields: {"question": asked, **fields},
    st.sampled_from(["Why?", "Which? A. x B. y C. z", "Which? 1) a 2) b 3) c", "", None]),
    st.dictionaries(_NAMES, _VALUE, max_size=6),
)


@given(st.lists(_ROW, min_size=1, max_size=5))
def test_any_row_is_a_sound_question_or_is_told(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    problems = Problems()
    path = jsonl(tmp_path_factory.mktemp("any"), *rows)
    try:
        questions = read_graph_questions(path, problems)
    except InputError:
        return
    assert len(questions) + problems.n_dropped == len(rows)
    for question in questions:
        assert question.text
        assert question.references or question.answerable is False
        assert question.kind != "yes-no" or question.references[0] in ("yes", "no", "maybe")
        assert (question.kind == "choice") == bool(question.options)
        assert question.asked.encode()
        assert question.right is None or question.references[0] in question.options
