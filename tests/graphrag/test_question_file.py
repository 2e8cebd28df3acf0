"""Each form of question is read from each sort of file; what cannot be used is told."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graph_answers.core.records import GraphQuestion
from factmark.graph_answers.questions.question_file import read_graph_questions
from factmark.graph_answers.questions.question_options import (
    letter_of,
    option_places,
    split_options,
    without_labels,
)

OPTIONS = ["lens", "iris", "retina", "cornea"]


def jsonl(folder: Path, *rows: Any) -> Path:
    path = folder / "q.jsonl"
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def table(folder: Path, *rows: Any) -> Path:
    path = folder / "q.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def read(path: Path, **options: Any) -> tuple[tuple[GraphQuestion, ...], str]:
    problems = Problems()
    questions = read_graph_questions(path, problems, **options)
    return questions, "\n".join(problems.sentences())


def one(folder: Path, **row: Any) -> GraphQuestion:
    (question,), problems = read(jsonl(folder, row))
    assert problems == ""
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
    (first, second), problems = read(path)
    assert problems == ""
    assert first.text == "Which part bends light?"
    assert (first.options, first.references) == (("iris", "lens"), ("lens",))
    assert second.strata == {"hops": "1", "difficulty": "2"}
    assert (first.where, second.where) == ("line 2", "line 8")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("q.json", "", "is empty"),
        ("q.json", '[\n {"query": "Which?",', "line 2"),
        ("q.json", '{"query": "Which?", "answer": "x"}', "no list of objects"),
        ("q.json", '[{"question": 1e999999999}', "line 1"),
        ("q.json", json.dumps([choice(answer=1)]).encode("utf-16")[:-1], "UTF-16"),
        ("q.csv", "question,answer\nWho?,Best\n".encode("utf-16")[:-1], "UTF-16"),
        ("q.jsonl", '{"question": "Who?"}', "no question can be used. no answer: 1 left out"),
        ("q.jsonl", "", "It is empty"),
        ("q.csv", "topic,answer\ndrugs,x\n", "no question: 1 left out (line 2"),
        ("q.txt", "?", "no question can be used"),
        ("q.csv", None, "there is no such file"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(
    tmp_path: Path, name: str, content: str | bytes | None, why: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as error:
        read(path)
    assert why in str(error.value)


def test_another_encoding(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("question,answer\nWho?,Best\n", encoding="utf-16")
    assert read(path, encoding="utf-16")[0][0].references == ("Best",)
    assert read(path)[0][0].references == ("Best",), "its first bytes name the encoding"


def test_free_text_with_all_fields(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        id=7,
        query=" What treats it? ",
        answer="metformin",
        aliases=["Glucophage", ""],
        topic="drugs",
        level="easy",
        hops=1,
        strata={"source": "exam", "year": 2024, "odd": None},
        triples=[
            ["metformin", "treats", "T2DM"],
            {"Subject": "a", "predicate": "b", "object": "c"},
        ],
        answerable=True,
    )
    assert found == GraphQuestion(
        id="7",
        text="What treats it?",
        kind="text",
        references=("metformin", "Glucophage"),
        triples=(("metformin", "treats", "T2DM"), ("a", "b", "c")),
        answerable=True,
        strata={
            "topic": "drugs",
            "difficulty": "easy",
            "hops": "1",
            "source": "exam",
            "year": "2024",
        },
        where="line 1",
    )


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"references": ["x", "y", "x"]}, ("x", "y")),
        ({"answers": {"text": ["x", "y"], "answer_start": [1, 2]}}, ("x", "y")),
        ({"answer": {"value": "x", "aliases": "abc"}}, ("x", "abc")),
        ({"references": "A"}, ("A",)),
        ({"answer": "No treatment"}, ("No treatment",)),
        ({"answer": "a|b"}, ("a|b",)),
        ({"question": "How many are there?", "answer": "0"}, ("0",)),
    ],
)
def test_references(tmp_path: Path, field: dict[str, Any], expected: tuple[str, ...]) -> None:
    found = one(tmp_path, **{"question": "What?", **field})
    assert (found.kind, found.references) == ("text", expected)


def test_a_table_with_cells_of_several(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        ["Question", "Reference", "Aliases", "Topic", "Answerable", "Triples", "Strata"],
        [
            "What?",
            "metformin|biguanides",
            "Glucophage | G",
            "drugs",
            "yes",
            '[["m", "t", "d"]]',
            '{"source": "exam"}',
        ],
        ["Who?", "nobody", "", "", "", "", ""],
        ["Where?", "", "", "", "0", "", ""],
    )
    (first, second, third), problems = read(path)
    assert problems == ""
    assert first.references == ("metformin", "biguanides", "Glucophage", "G")
    assert first.triples == (("m", "t", "d"),)
    assert first.strata == {"topic": "drugs", "source": "exam"}
    assert (first.answerable, second.answerable, third.answerable) == (True, None, False)
    assert third.references == ()
    assert (third.id, third.where) == ("q3", "line 4")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('["glucose", "P(A|B)", 3]', ("glucose", "P(A|B)", "3")),
        ("['glucose', 'blood sugar']", ("glucose", "blood sugar")),
        ("[3H]glucose", ("[3H]glucose",)),
    ],
)
def test_a_cell_of_several_answers(tmp_path: Path, cell: str, expected: tuple[str, ...]) -> None:
    (found,), problems = read(table(tmp_path, ["question", "answer"], ["What?", cell]))
    assert (problems, found.kind, found.references) == ("", "text", expected)


@pytest.mark.parametrize(
    "row",
    [
        choice(answer=["C"]),
        choice(cop=2, subject_name="Anatomy"),
        choice(answer_idx="C", answer="retina"),
        choice(answer="C", label="hard"),
        choice(options={"A": "lens", "B": "iris", "C": "retina"}, answer="C"),
        choice(
            options=[{"key": "A", "value": "lens"}, {"key": "B", "value": "retina"}], answer="B"
        ),
        choice(options={"text": ["lens", "retina"], "label": ["1", "2"]}, answerKey="2"),
        choice(options={"text": ["lens", "retina"], "label": None}, answer="B"),
        choice(options=["A. lens", "B. retina"], answer="B"),
        {"question": "Which part?", "opa": "lens", "opb": "retina", "cop": 1},
        {"question": "Which part?", "A": "lens", "B": "retina", "C": "", "answer": "B"},
        {"question": "Which part?", "option_1": "lens", "option_2": "retina", "answer": 2},
        {"query": "Which part? A. lens B. iris C. retina", "answer": 2, "level": "easy"},
        {"query": "Which part? 1) lens 2) iris 3) retina", "answer": 3},
    ],
)
def test_multiple_choice(tmp_path: Path, row: dict[str, Any]) -> None:
    found = one(tmp_path, **row)
    assert (found.kind, found.text, found.references) == ("choice", "Which part?", ("retina",))
    assert found.options[0] == "lens"
    assert found.right == "ABCD"[found.options.index("retina")]


def test_multiple_choice_in_csv_and_parquet(tmp_path: Path) -> None:
    path = table(
        tmp_path,
        ["query", "option_a", "option_b", "option_c", "answer", "label"],
        ["Which?", "lens", "iris", "retina", "C", ""],
        ["Which?", "lens", "iris", "", "1", ""],
        ["Which?", "lens", "x|y", "", "x|y", "9"],
    )
    questions, problems = read(path)
    assert problems == ""
    references = [question.references for question in questions]
    assert references == [("retina",), ("iris",), ("x|y",)]
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
    for numbers in ((1, 3), (0, 2)):
        found, _ = read(jsonl(tmp_path, *({"query": asked, "answer": n} for n in numbers)))
        assert [question.references for question in found] == [("lens",), ("retina",)]
    path = jsonl(tmp_path, {"query": asked, "answer": 2})
    doubtful, problems = read(path)
    assert doubtful[0].references == ("iris",)
    assert "say --first-option 0" in problems
    settled, problems = read(path, first_option=0)
    assert (settled[0].references, problems) == (("retina",), "")


def test_a_file_that_counts_from_1_stops_the_reading_until_that_is_said(tmp_path: Path) -> None:
    path = jsonl(tmp_path, choice(answer=1), choice(answer=4))
    with pytest.raises(InputError, match=r"line 2: the answer is 4.*--first-option 1"):
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
        ({"answer": "False"}, "no"),
        ({"final_decision": "maybe", "long_answer": "It may.", "answer": "It may."}, "maybe"),
    ],
)
def test_yes_or_no(tmp_path: Path, row: dict[str, Any], expected: str) -> None:
    found = one(tmp_path, question="Does it?", **row)
    assert (found.kind, found.references, found.options) == ("yes-no", (expected,), ())
    options = one(tmp_path, question="Does it? (A) yes (B) no", answer="no")
    assert (options.kind, options.options, options.right) == ("choice", ("yes", "no"), "B")


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


FIELD = "a field cannot be read"


@pytest.mark.parametrize(
    ("row", "kind", "why"),
    [
        ({"answer": "x"}, "no question", "line 2"),
        ({"question": ["a"], "answer": "x"}, FIELD, "is a list"),
        ({"question": "Who?"}, "no answer", "name it as `answer`"),
        ({"question": "Who?", "answer": "C"}, "no options", "free text goes to `references`"),
        ({"question": "How many of the following?", "answer": 2}, "no options", "may name an"),
        ({"question": "W?", "answer": {"value": "x", "aliases": 1e400}}, FIELD, "inf"),
        ({"question": "W?", "answer": math.inf}, FIELD, "the answer is inf"),
        ({"question": "W?", "answer": {"value": "x", "aliases": [[]]}}, FIELD, "list"),
        (choice(options={"text": ["x", "y"], "label": 5}, answer="A"), FIELD, "write a list"),
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
        (choice(options="[1", answer="A"), "options", "1 options"),
        (choice(options=5, answer="A"), FIELD, "write a list"),
        ({"question": "W?", "A": "x", "C": "y", "answer": "A"}, FIELD, "leave"),
        ({"id": "first", "question": "W?", "answer": "x"}, "an id given twice", "at line 1"),
        ("{", "no JSON", "line 2"),
    ],
)
def test_rows_that_cannot_be_used_are_left_out_and_told(
    tmp_path: Path, row: dict[str, Any] | str, kind: str, why: str
) -> None:
    good = {"id": "first", "question": "Who?", "answer": "Best"}
    questions, problems = read(jsonl(tmp_path, good, row, {**good, "id": "last"}))
    assert [question.id for question in questions] == ["first", "last"]
    assert problems.startswith(f"{kind}: 1 left out (line 2")
    assert why in problems


@pytest.mark.parametrize(
    ("row", "why"),
    [
        ({"triples": [["a", "b"]]}, "not [head, relation, tail]"),
        ({"triples": "nothing"}, "triples is a str"),
        ({"answerable": "perhaps"}, "answerable is 'perhaps'"),
        ({"strata": [1]}, "strata is a list"),
        ({"aliases": [["x"]]}, "aliases is a list"),
    ],
)
def test_what_does_not_matter_for_the_answer_is_told_and_not_read(
    tmp_path: Path, row: dict[str, Any], why: str
) -> None:
    (question,), problems = read(jsonl(tmp_path, {"question": "Who?", "answer": "Best", **row}))
    assert question.references == ("Best",)
    assert (question.triples, question.answerable, question.strata) == ((), None, {})
    assert problems.startswith("a field is not read: 1 kept (line 1: ")
    assert why in problems


_KEYS = st.sampled_from(["text", "value", "label", "key", "aliases", "head", "relation", "tail"])
_VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 12)
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["A", "b)", "yes", "Which? A. x B. y C. z", "x|y", "[[", "{}", "\ud800"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5) | _KEYS, inner, max_size=3)
    ),
    max_leaves=5,
)
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
@settings(max_examples=30)
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


ASKED = "Where is insulin made?"
THREE = ("liver", "pancreas", "spleen")


@pytest.mark.parametrize(
    ("options", "first"),
    [
        ("\n(a) liver\n(b) pancreas\n(c) spleen\n", None),
        ("\r\n- **A.** liver\r\n- **B.** pancreas\r\n- **C.** spleen", None),
        (" A. liver B. pancreas C. spleen", None),
        (" a) liver, b) pancreas, or c) spleen", None),
        ("\nOptions:\n- liver\n- pancreas\n- spleen\nThe answer is", None),
        ("\nOption A: liver\nOption B: pancreas\nOption C: spleen", None),
        ("\nA.liver\nB.pancreas\nC.spleen\nAnswer with the letter of one, no more.", None),
        ("\n0) liver\n1) pancreas\n2) spleen", 0),
    ],
)
def test_options_in_the_text(options: str, first: int | None) -> None:
    assert split_options(ASKED + options) == (ASKED, THREE, first)


@pytest.mark.parametrize(
    "text",
    [
        ASKED,
        "Does hepatitis A. B. or C. lead to diabetes?",
        "Which is worse, type 1. or type 2. diabetes, or type 3. diabetes?",
        "Is it\n1.5 mg or\n2.5 mg?",
        "A. Smith asks: what is insulin?",
        "A. liver\nB. pancreas",  # no question is left
        f"{ASKED}\nA. liver",
        "Options:",
    ],
)
def test_texts_without_options(text: str) -> None:
    assert split_options(text) is None


@pytest.mark.parametrize(
    ("text", "asked", "options"),
    [
        ("What now?\nA. Stop it\nB. Give insulin", "What now?", ("Stop it", "Give insulin")),
        ("What now?\nOptions:\nStop it\nGive it", "What now?", ("Stop it", "Give it")),
        (
            "Is it safe?\nChoose from 'yes', \"no\" and 'maybe'.",
            "Is it safe?",
            ("yes", "no", "maybe"),
        ),
        ("Read.\nA. one\n   more\nB. two\n\nWhich?", "Read.\nWhich?", ("one more", "two")),
        ("1. ask 2. look.\nWhich?\nA. x\nB. y\nC. z", "1. ask 2. look.\nWhich?", ("x", "y", "z")),
    ],
)
def test_what_stands_around_options(text: str, asked: str, options: tuple[str, ...]) -> None:
    split = split_options(text)
    assert split is not None
    assert (split.text, split.options) == (asked, options)


def test_the_options_that_an_answer_can_mean() -> None:
    assert [letter_of(text) for text in ("c", "(c)", "C.", "**C**")] == ["C"] * 4
    assert [letter_of(text) for text in ("", "CD", "C retina")] == [None] * 3
    options = ("lens", "iris", "Retina")
    for answer in ("C. retina", "retina", "c"):
        assert option_places(answer, options) == {2}
    for answer in ("C. lens", "D", "cornea"):
        assert option_places(answer, options) == set()
    assert option_places("A", ("B", "A")) == {0, 1}
    assert option_places("X", ("one", "two"), ("X", "Y")) == {0}
    assert without_labels(["A. lens", "B) iris"]) == ("lens", "iris")
    for kept in (["B. lens", "A. iris"], ["A. lens", "iris"], ["lens", "iris"], ["A. lens"]):
        assert without_labels(kept) == tuple(kept)


QALD = {
    "questions": [
        {
            "id": 1,
            "question": [
                {"language": "de", "string": "Wer schrieb Emma?"},
                {"language": "en", "string": "Who wrote Emma?"},
            ],
            "answers": [
                {
                    "results": {
                        "bindings": [
                            {
                                "uri": {
                                    "type": "uri",
                                    "value": "http://dbpedia.org/resource/Jane_Austen",
                                }
                            }
                        ]
                    }
                }
            ],
        },
        {
            "id": 2,
            "question": [{"language": "en", "string": "Is Emma a novel?"}],
            "answers": [{"boolean": True}],
        },
    ],
    "dataset": {"id": "x"},
}
WEBQSP = {
    "Questions": [
        {
            "QuestionId": "1",
            "RawQuestion": "Who wrote Emma?",
            "Parses": [
                {
                    "TopicEntityName": "Emma",
                    "InferentialChain": ["book.author"],
                    "Answers": [{"AnswerArgument": "m.0", "EntityName": "Jane Austen"}],
                }
            ],
        }
    ]
}
PARAGRAPHS = [
    {"title": "Emma", "paragraph_text": "By Jane Austen.", "is_supporting": True},
    {"title": "Sanditon", "paragraph_text": "Unfinished.", "is_supporting": False},
]
HOTPOT = {
    "_id": "1",
    "question": "Who wrote Emma?",
    "answer": "Jane Austen",
    "supporting_facts": [["Emma", 0], ["Emma", 1]],
}
PUBLISHED: dict[str, tuple[str, object]] = {
    "QALD": ("q.json", QALD),
    "WebQSP": ("q.json", WEBQSP),
    "ComplexWebQuestions": (
        "q.json",
        [
            {
                "ID": "1",
                "compositionality_type": "conjunction",
                "question": "Who wrote Emma?",
                "answers": [{"answer": "Jane Austen", "aliases": ["A lady"]}],
            }
        ],
    ),
    "MuSiQue": (
        "q.jsonl",
        [
            {
                "id": "1",
                "question": "Who wrote Emma?",
                "answer": "Jane Austen",
                "paragraphs": PARAGRAPHS,
            }
        ],
    ),
    "HotpotQA": ("q.json", [HOTPOT]),
    "2WikiMultihopQA": ("q.json", [{**HOTPOT, "evidences": [["Emma", "author", "Jane Austen"]]}]),
    "MetaQA": ("q.txt", "who wrote [Emma]\tJane Austen\nwho acts in [Emma]\tAnya|Mia\n"),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_sets_are_read_as_they_are(tmp_path: Path, name: str) -> None:
    """Questions, answers, entities, paths, supports and triples, wherever a set has them."""
    file, content = PUBLISHED[name]
    path = tmp_path / file
    text = content if isinstance(content, str) else json.dumps(content)
    if file.endswith(".jsonl"):
        text = json.dumps(content[0])  # type: ignore[index]
    path.write_text(text, "utf-8")
    first, *others = read_graph_questions(path, Problems())
    assert first.text.casefold().rstrip("?") == "who wrote emma"
    assert first.references == ("Jane Austen",)
    if name in ("WebQSP", "MetaQA"):
        assert first.entities == ("Emma",)
    if name == "WebQSP":
        assert first.path == ("book.author",)
    if name in ("MuSiQue", "HotpotQA", "2WikiMultihopQA"):
        assert first.support == ("Emma",)
    if name == "2WikiMultihopQA":
        assert first.triples == (("Emma", "author", "Jane Austen"),)
    if name == "QALD":
        assert others[0].references == ("yes",)
    if name == "MetaQA":
        assert others[0].references == ("Anya", "Mia")
        assert others[0].is_set


def test_answers_that_are_ids_are_told(tmp_path: Path) -> None:
    """A graph of names holds none of them, so that nobody pays a model to find that out."""
    path = tmp_path / "q.jsonl"
    path.write_text('{"question": "Who?", "answers": ["http://www.wikidata.org/entity/Q36322"]}')
    problems = Problems()
    assert read_graph_questions(path, problems)[0].references == ("Q36322",)
    assert problems.odd == {"a field is not read": 1}
