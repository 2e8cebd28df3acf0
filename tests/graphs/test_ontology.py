from __future__ import annotations

import pytest

from factmark.graphs.core.claims import Triple
from factmark.graphs.core.ontology import Concept, read_name, signature
from factmark.graphs.core.semantic_types import head_type, judge_types
from factmark.graphs.ontologies.bundled import bundled_ontology
from factmark.text.names import name_key
from graphs_data import THE_31, labelled_rows


@pytest.fixture(scope="module")
def ontology():
    return bundled_ontology()


def test_31_relations_each_with_a_definition_and_signatures(ontology):
    assert set(ontology.relations) == THE_31
    for relation in ontology.relations.values():
        assert relation.definition
        assert relation.allowed
        for side in relation.allowed:
            known = set(ontology.groups) | set(ontology.groups.values())
            assert side.heads | side.tails <= known


def test_inverses_point_at_each_other_and_mirror(ontology):
    pairs = 0
    for relation in ontology.relations.values():
        if relation.inverse and not relation.symmetric:
            other = ontology.relations[relation.inverse]
            assert other.inverse == relation.name
            assert [(s.heads, s.tails) for s in relation.allowed] == [
                (s.tails, s.heads) for s in other.allowed
            ]
            pairs += 1
    assert pairs == 16


def test_at_least_400_concepts_of_known_types(ontology):
    assert len(ontology.entries) >= 400
    assert all(concept.types <= set(ontology.type_names) for concept in ontology.entries)
    assert len({concept.id for concept in ontology.entries}) == len(ontology.entries)


@pytest.mark.parametrize(
    "name",
    [
        "diabetes mellitus",
        "Diabetes",
        "T2DM",
        "haemoglobin",
        "oedema",
        "foot ulcers",
        "islet of Langerhans",
        "Sulphonylureas",
    ],
)
def test_names_are_found_up_to_inflection_and_spelling(ontology, name):
    assert ontology.concepts(name)


def test_ambiguity_is_kept(ontology):
    assert {c.name for c in ontology.concepts("MI")} == {
        "myocardial infarction",
        "mitral insufficiency",
    }


def test_a_longer_name_is_read_by_its_core_and_an_unknown_one_by_its_ending(ontology):
    reading = read_name(ontology, "severe diabetic retinopathy of the left eye")
    assert (reading.how, reading.by) == ("part", "diabetic retinopathy")
    assert read_name(ontology, "zibotuximab").how == "ending"
    assert read_name(ontology, "quux").concepts == ()
    assert read_name(ontology, "").how == "none"


@pytest.mark.parametrize(
    ("head", "relation", "tail", "label"),
    [
        ("diabetes mellitus", "isa", "disease", "YES"),
        ("retina", "finding_site_of", "diabetic retinopathy", "YES"),
        ("diabetic retinopathy", "finding_site_of", "retina", "NO"),
        ("diabetic retinopathy", "has_finding_site", "screening", "NO"),
        ("blood sugar", "treats", "patient", "NO"),
        ("foot ulcer", "associated_with", "long-standing", "NO"),
        ("diabetes", "isa", "quux", None),
        ("insulin", "my_own_relation", "diabetes", None),
        ("MI", "treats", "stroke", "NO"),
    ],
)
def test_the_type_judge(ontology, head, relation, tail, label):
    verdict = judge_types(Triple(head=head, relation=relation, tail=tail), ontology)
    assert verdict.label == label
    assert verdict.reason


def test_head_type(ontology):
    named = Triple(head="metformin", relation="treats", tail="x")
    assert head_type(ontology, named.head, named.head_id) == "Organic Chemical"
    assert head_type(ontology, "quux") == ""


def test_signatures():
    assert signature("A B -> C").heads == {"A", "B"}
    with pytest.raises(ValueError, match="no signature"):
        signature("A B")


def test_spelling_keys():
    assert name_key("ischaemic oedema") == name_key("ischemic edema")
    assert name_key("type 1 diabetes") != name_key("type 2 diabetes")


class TwoReadings:
    """`bank` stands for two things; of one of them the ontology says that it may not."""

    def concepts(self, name):
        kinds = {"bank": ("shore", "firm"), "money": ("means",)}.get(name, ())
        return [Concept(id=kind, name=name, types=frozenset({kind})) for kind in kinds]

    def allows(self, relation, head, tail):
        return False if head.id == "shore" else None

    def types_by_ending(self, name):
        return frozenset()

    def type_name(self, code):
        return code


def test_maybe_is_for_what_is_doubtful_not_for_what_is_unknown():
    triple = Triple(head="bank", relation="lends", tail="money")
    assert judge_types(triple, TwoReadings()).label == "MAYBE"


@pytest.mark.parametrize(("which", "decided"), [("bundled", 456), ("separate", 56)])
def test_what_the_types_decide_agrees_with_hand_labels(ontology, which, decided):
    rows = labelled_rows(which)
    agreed = [
        label == row["validity"]
        for triple, _, row in rows
        if (label := judge_types(triple, ontology).label) is not None
    ]
    assert len(agreed) == decided
    assert sum(agreed) / len(agreed) >= 0.83
