"""The rule answerer, on a graph about other things than the one that comes with the package."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.graphrag.core.answer_from_triples import extract
from factmark.graphrag.core.asking import cues
from factmark.graphrag.core.outcomes import Fact
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphs.core.claims import Triple, claim
from factmark.replies import DONT_KNOW

TRIPLES = [
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


def fact(n, triple, hops=1):
    made = Triple(head=triple[0], relation=triple[1], tail=triple[2])
    return Fact(number=n, triple=made, text=claim(made), score=1 / (n + 1), hops=hops)


FACTS = [fact(n, triple) for n, triple in enumerate(TRIPLES)]


def answer(text, facts=FACTS, **more):
    kind = "choice" if more.get("options") else more.pop("kind", "text")
    return extract(GraphQuestion(id="q", text=text, kind=kind, references=(), **more), facts)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What treats gout?", "allopurinol, colchicine"),
        ("How is gout treated?", "allopurinol, colchicine"),
        ("What does colchicine treat?", "gout"),
        ("What causes gout?", "hyperuricemia"),
        ("What does gout cause?", "tophus"),
        ("Which complication does gout have?", "tophus"),
        ("What leads to hyperuricemia?", "thiazide"),
        ("What causes asthma?", "airway inflammation"),
        ("What are the symptoms of gout?", "joint pain, swelling"),
        ("Swelling is a symptom of which disease?", "gout"),
        ("Where is gout located?", "big toe"),
        ("Which part of the body does gout affect?", "big toe"),
        ("What kind of drug is allopurinol?", "xanthine oxidase inhibitor"),
        ("Which drug is a xanthine oxidase inhibitor?", "allopurinol"),
        ("What is xanthine oxidase part of?", "purine pathway"),
        ("What regulates the thyroid gland?", "pituitary gland"),
        ("At what age does gout occur?", "middle age"),
        ("What does SLE stand for?", "systemic lupus erythematosus"),
        ("Which drug treats the disease that affects the big toe?", "allopurinol, colchicine"),
        ("What are the symptoms of the disease that colchicine treats?", "joint pain, swelling"),
        ("What prevents the disease that salbutamol treats?", DONT_KNOW),
        ("What treats migraine?", DONT_KNOW),
        ("Who discovered gout?", DONT_KNOW),
        ("", DONT_KNOW),
    ],
)
def test_free_text(text, said):
    assert answer(text) == said


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("Which drug treats gout?", ("salbutamol", "colchicine", "insulin"), "B"),
        ("What causes gout?", ("tophus", "hyperuricemia"), "B"),
        ("Which treats gout?", ("allopurinol", "colchicine"), DONT_KNOW),
        ("Which of these does not treat gout?", ("allopurinol", "aspirin", "colchicine"), "B"),
        ("Where does gout sit?", ("big toe", "spine"), "A"),
    ],
)
def test_choice(text, options, said):
    assert answer(text, options=options) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Does allopurinol treat gout?", "yes"),
        ("Is gout treated with allopurinol?", "yes"),
        ("Does gout cause allopurinol?", DONT_KNOW),
        ("Does salbutamol treat gout?", "no"),
        ("Is it true that allopurinol does not treat gout?", "no"),
        ("Is allopurinol a xanthine oxidase inhibitor?", "yes"),
        ("Does airway inflammation cause asthma?", "yes"),
    ],
)
def test_yes_no(text, said):
    assert answer(text, kind="yes-no") == said


def test_an_entity_under_another_name_is_what_most_facts_share():
    facts = FACTS[:3]
    assert answer("What treats podagra?", facts) == "allopurinol, colchicine"
    assert answer("What treats podagra?", [fact(0, TRIPLES[0])]) == DONT_KNOW
    apart = [fact(n, triple, hops=0) for n, triple in enumerate(TRIPLES[:3])]
    assert answer("What treats podagra?", apart) == DONT_KNOW


def test_cues_tell_the_end_that_is_asked_for():
    (cue,) = (c for c in cues("What treats gout?", ()) if c.weight == 1)
    assert (cue.asks(12), cue.asks(0), cue.asks(None)) == ("head", "tail", None)


names = st.sampled_from(["gout", "a b", "treats", "", " ", "the", "\n1. x", "a\ud800"])


@given(st.text(max_size=40), st.lists(st.tuples(names, names, names), max_size=6))
@settings(max_examples=100, deadline=None)
def test_any_graph_is_read(text, triples):
    facts = [fact(n, triple) for n, triple in enumerate(triples)]
    assert answer(text, facts)
    assert answer(text, facts, options=("gout", "a b")) in {"A", "B", DONT_KNOW}
    assert answer(text, facts, kind="yes-no") in {"yes", "no", DONT_KNOW}


def test_a_question_without_a_plain_cue_gets_the_best_fact_that_it_hints_at() -> None:
    """`government` is a word of the group that asks for capitals; `high` is of none."""
    triples = [("Switzerland", "currency", "franc"), ("Switzerland", "has_capital", "Bern")]
    facts = [fact(n, triple) for n, triple in enumerate(triples)]
    assert answer("Which city is the seat of government of Switzerland?", facts) == "Bern"
    assert answer("How high is Switzerland?", facts) == DONT_KNOW
