"""What is read from a model's answer to a question of a graph."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.graph_answers.core.answer_reply import read_answer
from factmark.graph_answers.core.records import GraphQuestion
from factmark.replies import abstains
from factmark.replies.plain import final_text
from graphrag import answer_reply_cases as cases


def choice(options, right=0):
    return GraphQuestion(
        id="q", text="Which one?", kind="choice", options=options, references=(options[right],)
    )


YES_NO = GraphQuestion(
    id="q", text="Does metformin treat type 2 diabetes?", kind="yes-no", references=("yes",)
)
TEXT = GraphQuestion(id="q", text="What treats it?", kind="text", references=("metformin",))
FOUR = [(cases.CHOICE_OPTIONS, *case) for case in cases.CHOICE]


@pytest.mark.parametrize(("options", "reply", "said"), [*FOUR, *cases.OTHER_OPTIONS])
def test_choice(options, reply, said):
    read = read_answer(choice(options), reply)
    if said is None:
        assert (read.abstained, read.unparsed) == (False, True), read
    elif said == "ABSTAIN":
        assert (read.abstained, read.unparsed) == (True, False), read
    else:
        assert (read.said, read.abstained) == (said, False), read


@pytest.mark.parametrize(("reply", "said"), cases.YES_NO)
def test_yes_no(reply, said):
    read = read_answer(YES_NO, reply)
    if said is None:
        assert read.unparsed
    elif said == "ABSTAIN":
        assert read.abstained
    else:
        assert (read.said, read.abstained) == (said, False)


@pytest.mark.parametrize(("reply", "abstained"), cases.TEXT)
def test_text(reply, abstained):
    read = read_answer(TEXT, reply)
    assert read.abstained is abstained
    assert not read.unparsed


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("<think>\nInsulin? No.\n</think>\n\nMetformin, a biguanide.\n", "Metformin, a biguanide."),
        ("\\boxed{\\text{Metformin}}", "Metformin"),
        ("Answer: Metformin", "Metformin"),
        ('{"answer": ["metformin", "insulin"]}', "metformin, insulin"),
        ('{"answer": 5}', "5"),
        ('{"answer": true}', "true"),
        ('{"answer": "insulin", "reason": "the first answer: metformin"}', "insulin"),
        ("{'answer': 'insulin'}", "insulin"),
        ('```json\n{"answer": ["a", "b"]}\n```', "a, b"),
        ('{"answer": {"drug": "metformin"}}', '{"answer": {"drug": "metformin"}}'),
        ('{"answer": "metfor', '{"answer": "metfor'),
        ("[1] metformin", "[1] metformin"),
        ("<answer>a</answer> or <answer>metformin</answer>", "metformin"),
        ("\\boxed 5", "5"),
    ],
)
def test_text_is_read_without_its_wrapping(reply, said):
    read = read_answer(TEXT, reply)
    assert (read.said, read.abstained) == (said, False)


@pytest.mark.parametrize("kind", ["text", "choice", "yes-no"])
@pytest.mark.parametrize("reply", ['{"answer": null}', '{"answer": [null]}', '{"answer": "N/A"}'])
def test_no_value_in_json_abstains(kind, reply):
    options = ("a", "b") if kind == "choice" else ()
    question = GraphQuestion(id="q", text="Which?", kind=kind, references=(), options=options)
    assert read_answer(question, reply).abstained


@given(st.text(max_size=60), st.integers(1, 10))
@settings(max_examples=150, deadline=None)
def test_only_an_option_or_nothing(reply, n):
    options = tuple(f"option number {n}" for n in range(n))
    read = read_answer(choice(options), reply)
    assert read.said == "" or read.abstained or read.said in "ABCDEFGHIJ"[:n]


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_is_read(text):
    abstains(text)
    assert read_answer(TEXT, text).said in (final_text(text), "")
