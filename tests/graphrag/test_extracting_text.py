"""The rule answerer for passages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.graphrag.core.answer_from_text import extract_from_text
from factmark.graphrag.core.questions import GraphQuestion
from factmark.replies import DONT_KNOW

PASSAGES = [
    "Gout is a joint disease. Allopurinol is the usual drug that prevents attacks of gout.\n"
    "Colchicine relieves an attack.",
    "Asthma narrows the airways. Salbutamol relieves asthma within minutes. It does not cure it.",
    "Thiazides raise urate. Beta blockers do not raise urate.",
]


def answer(text, passages=PASSAGES, **more):
    kind = "choice" if more.get("options") else more.pop("kind", "text")
    question = GraphQuestion(id="q", text=text, kind=kind, references=(), **more)
    return extract_from_text(question, passages)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What prevents attacks of gout?", PASSAGES[0][25:].split("\n")[0]),
        ("Which drug relieves asthma?", "Salbutamol relieves asthma within minutes."),
        ("What narrows the airways?", "Asthma narrows the airways."),
        ("What is the capital of France?", DONT_KNOW),
        ("Which enzyme does febuxostat inhibit?", DONT_KNOW),
        ("", DONT_KNOW),
    ],
)
def test_free_text(text, said):
    assert answer(text) == said


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("Which drug relieves asthma?", ("colchicine", "salbutamol", "thiazides"), "B"),
        ("Which drug prevents attacks of gout?", ("allopurinol", "salbutamol"), "A"),
        ("Which drugs raise urate?", ("beta blockers", "thiazides"), "B"),
        ("Which drug relieves asthma?", ("aspirin", "insulin"), DONT_KNOW),
        ("Who discovered penicillin?", ("colchicine", "salbutamol"), DONT_KNOW),
    ],
)
def test_choice(text, options, said):
    assert answer(text, options=options) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Do thiazides raise urate?", "yes"),
        ("Do beta blockers raise urate?", "no"),
        ("Is it true that beta blockers do not raise urate?", "yes"),
        ("Does aspirin cause asthma?", DONT_KNOW),
    ],
)
def test_yes_no(text, said):
    assert answer(text, kind="yes-no") == said


@given(st.text(max_size=40), st.lists(st.text(max_size=60), max_size=4))
@settings(max_examples=100, deadline=None)
def test_any_passages_are_read(text, passages):
    assert answer(text, passages)
    assert answer(text, passages, options=("gout", "a b")) in {"A", "B", DONT_KNOW}
    assert answer(text, passages, kind="yes-no") in {"yes", "no", DONT_KNOW}
