"""Whether a context holds the reference answer, and where."""

import pytest

from factmark.graph_answers.core.holding import held_by
from factmark.graph_answers.core.records import GraphQuestion
from factmark.graphs.core.claims import Triple, claim

GRAPH = [
    Triple(head="metformin", relation="treats", tail="type 2 diabetes"),
    Triple(head="sulfonylurea", relation="cause_of", tail="hypoglycaemia"),
    Triple(head="diabetic retinopathy", relation="has_finding_site", tail="retina"),
    Triple(head="diabetes mellitus", relation="has_symptom", tail="polyuria"),
    Triple(head="diabetes mellitus", relation="has_symptom", tail="polydipsia"),
    Triple(head="insulin resistance", relation="cause_of", tail="type 2 diabetes"),
    Triple(head="GLP-1", relation="same_as", tail="glucagon-like peptide-1"),
]
TEXTS = [claim(triple) for triple in GRAPH]
PASSAGES = [
    "Metformin, a biguanide, remains the usual first-line drug for type 2 diabetes.",
    "The retina is a layer of the eye. Cameras have a sensor.",
    "In ketoacidosis a deficiency of insulin lets fat be broken down.",
    "Fat becomes ketone bodies, which acidify the blood.",
]


def asked(text, *references, **more):
    kind = "choice" if more.get("options") else more.pop("kind", "text")
    return GraphQuestion(id="q", text=text, kind=kind, references=references, **more)


@pytest.mark.parametrize(
    ("question", "held"),
    [
        (asked("What treats type 2 diabetes?", "Metformin"), (True, (0,))),
        (asked("What treats type 2 diabetes?", "aspirin"), (False, ())),
        (asked("What can it cause?", "hypoglycemia"), (True, (1,))),
        (asked("What hormone is it?", "insulin"), (False, ())),
        (asked("What are the symptoms?", "polyuria and polydipsia"), (True, (3, 4))),
        (asked("What are they?", "polyuria, polydipsia, weight loss, thirst"), (True, (3, 4))),
        (asked("What are they?", "polyuria, tremor, weight loss"), (False, ())),
        (asked("Which, metformin or insulin?", "metformin"), (None, ())),
        (asked("Which?", "retina", options=("kidney", "retina")), (True, (2,))),
        (asked("Is it?", "yes", kind="yes-no"), (None, ())),
        (asked("What is the cure?"), (None, ())),
        (asked("Which peptide?", "glucagon-like peptide-1 (GLP-1)"), (True, (6,))),
    ],
)
def test_in_triples(question, held):
    assert held_by(question, TEXTS, GRAPH) == held


def held_in(question, *triples):
    graph = [Triple(head=head, relation=relation, tail=tail) for head, relation, tail in triples]
    return held_by(question, [claim(one) for one in graph], graph)[0]


@pytest.mark.parametrize(
    ("reference", "end"),
    [
        ("beta cells", "β-cells"),
        ("TNF-alpha", "TNF-α"),
        ("SGLT2 inhibitors", "SGLT-2 inhibitor"),
        ("GLP-1 RA", "GLP-1 receptor agonist"),
        ("glucagon-like peptide-1 (GLP-1) agonists", "GLP-1 agonist"),
        ("Sjögren's syndrome", "Sjogren syndrome"),
        ("kidney failure", "failure of the kidneys"),
        ("Asia and North America", "Asia and North America"),
    ],
)
def test_an_end_may_be_written_otherwise(reference, end):
    assert held_in(asked("What is it?", reference), ("x", "isa", end)) is True


@pytest.mark.parametrize(
    ("reference", "end"),
    [
        ("beta cells", "alpha cells"),
        ("insulin", "insulin resistance"),
        ("pancreas", "tail of pancreas"),
        ("diabetes", "pre-diabetes"),
        ("6.5%", "HbA1c of 5.7% or more"),
        ("retinopathy", "no retinopathy"),
    ],
)
def test_an_end_that_is_something_else(reference, end):
    assert held_in(asked("What is it?", reference), ("x", "isa", end)) is False


def named(*triples, **more):
    return asked("What?", "anything", triples=triples, **more)


@pytest.mark.parametrize(
    ("triples", "held"),
    [
        ([("Metformin", "treats", "type 2  diabetes")], (True, (0,))),
        ([("type 2 diabetes", "treats", "metformin")], (False, ())),
        ([("hypoglycaemia", "due_to", "sulfonylurea")], (True, (1,))),
        ([("sulfonylurea", "due_to", "hypoglycaemia")], (False, ())),
        ([("glucagon-like peptide-1", "same_as", "GLP-1")], (True, (6,))),
        (
            [
                ("insulin resistance", "cause_of", "type 2 diabetes"),
                ("metformin", "treats", "type 2 diabetes"),
            ],
            (True, (0, 5)),
        ),
        (
            [
                ("metformin", "treats", "type 2 diabetes"),
                ("metformin", "treats", "obesity"),
            ],
            (False, ()),
        ),
    ],
)
def test_named_triples_must_all_be_there(triples, held):
    assert held_by(named(*triples), TEXTS, GRAPH) == held
    assert held_by(named(*triples, kind="yes-no"), TEXTS, GRAPH) == held


def test_nodes_with_ids_are_found_by_their_names():
    graph = [Triple(head="metformin", relation="treats", tail="T2D", head_id="C1", tail_id="C2")]
    question = named(("Metformin", "treats", "t2d"))
    assert held_by(question, ["Metformin treats T2D"], graph) == (True, (0,))


LONG = "Insulin deficiency lets fat be broken down into ketone bodies, which acidify the blood."


@pytest.mark.parametrize(
    ("question", "held"),
    [
        (asked("What treats type 2 diabetes?", "metformin"), (True, (0,))),
        (asked("Where is diabetic retinopathy found?", "retina"), (False, ())),
        (asked("What treats type 2 diabetes?", "form"), (False, ())),
        (asked("Why does ketoacidosis occur?", LONG), (True, (2,))),
        (asked("Is it?", "yes", kind="yes-no"), (None, ())),
    ],
)
def test_in_passages(question, held):
    assert held_by(question, PASSAGES, None) == held


def test_two_texts_may_hold_a_long_reference_together():
    long = "alpha1 alpha2 alpha3 alpha4 alpha5 alpha6 alpha7 alpha8 alpha9 alpha10"
    texts = ["alpha1 alpha2 alpha3", "nothing", "alpha4 alpha5", "alpha1 alpha2"]
    assert held_by(asked("Why?", long), texts, None) == (True, (0, 2))
    assert held_by(asked("Why?", long), texts[1:], None) == (False, ())


def test_an_empty_context_holds_nothing():
    assert held_by(asked("What?", "metformin"), [], []) == (False, ())
    assert held_by(named(("a", "b", "c")), [], []) == (False, ())
    assert held_by(asked("Why?", LONG), [], None) == (False, ())
