from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factmark.graphs.core.claims import (
    WORDINGS,
    Triple,
    claim,
    pair_unit,
    relation_key,
    triple_unit,
    wording_problem,
)

THE_31 = [
    "isa",
    "inverse_isa",
    "cause_of",
    "interprets",
    "associated_finding_of",
    "has_disposition",
    "focus_of",
    "is_interpreted_by",
    "has_associated_morphology",
    "causative_agent_of",
    "finding_site_of",
    "associated_morphology_of",
    "has_method",
    "has_finding_site",
    "possibly_equivalent_to",
    "has_component",
    "due_to",
    "has_part",
    "has_modification",
    "associated_with",
    "part_of",
    "plays_role",
    "occurs_before",
    "has_clinical_course",
    "occurs_in",
    "same_as",
    "has_causative_agent",
    "has_focus",
    "has_symptom",
    "treats",
    "prevents",
]
NAMES = st.text(min_size=1, max_size=30).filter(lambda text: text.strip())


def triple(
    head: str = "insulin", relation: str = "treats", tail: str = "diabetes", **more
) -> Triple:
    return Triple(head=head, relation=relation, tail=tail, **more)


def test_every_relation_has_a_wording_that_can_be_used():
    assert sorted(WORDINGS) == sorted(THE_31)
    assert all(wording_problem(wording) is None for wording in WORDINGS.values())


@pytest.mark.parametrize(
    ("head", "relation", "tail", "reads"),
    [
        ("diabetes mellitus", "isa", "disease", "Diabetes mellitus is a disease"),
        ("foot ulcer", "isa", "ulcer", "Foot ulcer is an ulcer"),
        ("disease", "inverse_isa", "diabetes", "Diabetes is a disease"),
        ("empagliflozin", "isa", "SGLT2 inhibitor", "Empagliflozin is an SGLT2 inhibitor"),
        ("mRNA", "is_part_of", "cell", "mRNA is part of cell"),
        ("islets", "isa", "clusters of cells", "Islets is clusters of cells"),
        ("insulin", "regulatesLevelOf", "glucose", "Insulin regulates level of glucose"),
        ("diabetes", "Has Symptom", "thirst", "Diabetes has thirst as a symptom"),
        ("x", "http://example.org/v#due-to", "y", "X is caused by y"),
    ],
)
def test_a_claim_in_plain_language(head, relation, tail, reads):
    assert claim(triple(head, relation, tail)) == reads


def test_own_wordings_win():
    assert (
        claim(triple(), {"treats": "{head} is given for {tail}"}) == "Insulin is given for diabetes"
    )


@pytest.mark.parametrize(
    "wording",
    ["{head} only", "{head} {tail} {other}", "{head", "{head.__class__} {tail}", "{0} {1}"],
)
def test_a_wording_that_cannot_be_used(wording):
    assert wording_problem(wording) is not None


@given(NAMES, NAMES, NAMES)
def test_any_triple_has_a_claim_and_a_stable_unit(head, relation, tail):
    one = triple(head, relation, tail, passage="p")
    assert claim(one)
    assert pair_unit(one) == pair_unit(triple(head, relation, tail, passage="p"))


@given(st.text())
def test_the_key_of_a_key_is_itself(name):
    assert relation_key(relation_key(name)) == relation_key(name)


def test_the_same_pair_and_the_same_triple_have_one_id():
    rows = [
        triple(passage="one"),
        triple(head=" Insulin ", passage="two"),
        triple(passage="one", id="again"),
        triple(tail="stroke", passage="one"),
    ]
    assert len({pair_unit(row).id for row in rows}) == 3
    assert len({triple_unit(row).id for row in rows}) == 2
