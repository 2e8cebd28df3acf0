"""The rule answerers, on other things than the graph that comes with the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.graph_answers.core.answer_from_text import extract_from_text
from factmark.graph_answers.core.answer_from_triples import extract
from factmark.graph_answers.core.records import GraphQuestion, RetrievedTriple
from factmark.graph_answers.index.lookup import TripleIndex
from factmark.graphs.core.claims import Triple, claim
from factmark.replies import DONT_KNOW
from graph_folder import opened, source

Row = tuple[str, str, str]
TRIPLES: list[Row] = [
    ("allopurinol", "treats", "gout"),
    ("colchicine", "treats", "gout"),
    ("hyperuricemia", "cause_of", "gout"),
    ("gout", "cause_of", "tophus"),
    ("gout", "has_symptom", "joint pain"),
    ("gout", "has_symptom", "swelling"),
    ("gout", "has_finding_site", "big toe"),
    ("allopurinol", "isa", "xanthine oxidase inhibitor"),
    ("xanthine oxidase", "part_of", "purine pathway"),
    ("thiazide", "cause_of", "hyperuricemia"),
    ("asthma", "due_to", "airway inflammation"),
    ("salbutamol", "treats", "asthma"),
    ("salbutamol", "not_treats", "gout"),
    ("pituitary gland", "regulates", "thyroid gland"),
    ("gut bacteria", "degrades", "urate"),
    ("low purine diet", "prevents", "gout"),
    ("SLE", "same_as", "systemic lupus erythematosus"),
    ("hydroxychloroquine", "treats", "systemic lupus erythematosus"),
    ("gout", "occurs_in", "middle age"),
    ("measurement of urate", "has_component", "uric acid"),
]
PASSAGES = [
    "Gout is a joint disease. Allopurinol is the usual drug that prevents attacks of gout.\n"
    "Colchicine relieves an attack.",
    "Asthma narrows the airways. Salbutamol relieves asthma within minutes. It does not cure it.",
    "Thiazides raise urate. Beta blockers do not raise urate.",
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> TripleIndex:
    folder = tmp_path_factory.mktemp("gout")
    rows = "\n".join(map(",".join, [("head", "relation", "tail"), *TRIPLES]))
    return opened(source(folder, rows), folder / "index")


def question(text: str, options: tuple[str, ...] = (), kind: Any = "text") -> GraphQuestion:
    kind = "choice" if options else kind
    return GraphQuestion(id="q", text=text, kind=kind, references=(), options=options)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("What treats gout?", "allopurinol, colchicine"),
        ("How is gout treated?", "allopurinol, colchicine"),
        ("What does colchicine treat?", "gout"),
        ("What causes gout?", "hyperuricemia"),
        ("What causes asthma?", "airway inflammation"),
        ("What are the symptoms of gout?", "joint pain, swelling"),
        ("Swelling is a symptom of which disease?", "gout"),
        ("Where is gout located?", "big toe"),
        ("Which part of the body does gout affect?", "big toe"),
        ("What is xanthine oxidase part of?", "purine pathway"),
        ("What regulates the thyroid gland?", "pituitary gland"),
        ("At what age does gout occur?", "middle age"),
        ("Which drug treats the disease that affects the big toe?", "allopurinol, colchicine"),
        ("What are the symptoms of the disease that colchicine treats?", "joint pain, swelling"),
        ("What treats migraine?", DONT_KNOW),
        ("Who discovered gout?", DONT_KNOW),
        ("", DONT_KNOW),
    ],
)
def test_free_text_from_triples(graph: TripleIndex, text: str, answer: str) -> None:
    assert extract(question(text), graph.look_up(text).facts) == answer


@pytest.mark.parametrize(
    ("text", "options", "answer"),
    [
        ("Which drug treats gout?", ("salbutamol", "colchicine", "insulin"), "B"),
        ("Which treats gout?", ("allopurinol", "colchicine"), DONT_KNOW),
        ("Which of these does not treat gout?", ("allopurinol", "aspirin", "colchicine"), "B"),
        ("Where does gout sit?", ("big toe", "spine"), "A"),
        ("Does allopurinol treat gout?", (), "yes"),
        ("Is gout treated with allopurinol?", (), "yes"),
        ("Does gout cause allopurinol?", (), DONT_KNOW),
        ("Does salbutamol treat gout?", (), "no"),
        ("Is it true that allopurinol does not treat gout?", (), "no"),
        ("Is allopurinol a xanthine oxidase inhibitor?", (), "yes"),
        ("Does airway inflammation cause asthma?", (), "yes"),
    ],
)
def test_choice_and_yes_no_from_triples(
    graph: TripleIndex, text: str, options: tuple[str, ...], answer: str
) -> None:
    facts = graph.look_up(text, options).facts
    assert extract(question(text, options, "yes-no"), facts) == answer


def retrieved(rows: Sequence[Row], hops: int = 1) -> list[RetrievedTriple]:
    triples = [Triple(head=head, relation=relation, tail=tail) for head, relation, tail in rows]
    return [
        RetrievedTriple(number=n, triple=each, text=claim(each), score=1 / (n + 1), hops=hops)
        for n, each in enumerate(triples)
    ]


def test_an_entity_under_another_name_is_what_most_facts_share() -> None:
    asked = question("What treats podagra?")
    assert extract(asked, retrieved(TRIPLES[:3])) == "allopurinol, colchicine"
    assert extract(asked, retrieved(TRIPLES[:1])) == DONT_KNOW
    assert extract(asked, retrieved(TRIPLES[:3], hops=0)) == DONT_KNOW


@pytest.mark.parametrize(
    ("text", "options", "kind", "answer"),
    [
        ("What prevents attacks of gout?", (), "text", PASSAGES[0][25:].split("\n")[0]),
        ("Which drug relieves asthma?", (), "text", "Salbutamol relieves asthma within minutes."),
        ("What narrows the airways?", (), "text", "Asthma narrows the airways."),
        ("What is the capital of France?", (), "text", DONT_KNOW),
        ("", (), "text", DONT_KNOW),
        ("Which drug relieves asthma?", ("colchicine", "salbutamol", "thiazides"), "", "B"),
        ("Which drug prevents attacks of gout?", ("allopurinol", "salbutamol"), "", "A"),
        ("Which drugs raise urate?", ("beta blockers", "thiazides"), "", "B"),
        ("Which drug relieves asthma?", ("aspirin", "insulin"), "", DONT_KNOW),
        ("Who discovered penicillin?", ("colchicine", "salbutamol"), "", DONT_KNOW),
        ("Do thiazides raise urate?", (), "yes-no", "yes"),
        ("Do beta blockers raise urate?", (), "yes-no", "no"),
        ("Is it true that beta blockers do not raise urate?", (), "yes-no", "yes"),
        ("Does aspirin cause asthma?", (), "yes-no", DONT_KNOW),
    ],
)
def test_answers_from_passages(text: str, options: tuple[str, ...], kind: str, answer: str) -> None:
    assert extract_from_text(question(text, options, kind), PASSAGES) == answer


names = st.sampled_from(["gout", "a b", "treats", "", " ", "the", "\n1. x", "a\ud800"])


@given(
    st.text(max_size=40),
    st.lists(st.tuples(names, names, names), max_size=6),
    st.lists(st.text(max_size=60), max_size=4),
)
@settings(max_examples=60, deadline=None)
def test_anything_is_read(text: str, rows: list[Row], passages: list[str]) -> None:
    free, choice = question(text), question(text, ("gout", "a b"))
    decision = question(text, kind="yes-no")
    some = retrieved(rows)
    assert extract(free, some)
    assert extract_from_text(free, passages)
    for read in (lambda q: extract(q, some), lambda q: extract_from_text(q, passages)):
        assert read(choice) in {"A", "B", DONT_KNOW}
        assert read(decision) in {"yes", "no", DONT_KNOW}
