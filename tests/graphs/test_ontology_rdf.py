from __future__ import annotations

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.ontologies.rdf import read_ontology

TURTLE = """@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
:treats a owl:ObjectProperty ; rdfs:domain :Drug ;
    rdfs:range [ owl:unionOf ( :Disease :Symptom ) ] ;
    skos:definition "Is given against." ; owl:inverseOf :treated_by .
:treated_by a owl:ObjectProperty .
:likes a owl:ObjectProperty .
:C7 a owl:ObjectProperty ; rdfs:label "has symptom" ; rdfs:range :Symptom .
:Biguanide rdfs:subClassOf :Drug .
:metformin a :Biguanide ; rdfs:label "metformin"@en, "Metformina"@es ; skos:altLabel "Glucophage" .
:Diabetes skos:broader :Disease ; skos:prefLabel "diabetes mellitus" .
:Disease skos:narrower :Gout .
:thirst a :Symptom .
:orphan rdfs:label "orphan" .
:ring rdfs:subClassOf :ring2 . :ring2 rdfs:subClassOf :ring .
"""


@pytest.fixture
def ontology(tmp_path):
    path = tmp_path / "o.ttl"
    path.write_text(TURTLE)
    return read_ontology(path, Problems())


@pytest.mark.parametrize(
    ("head", "relation", "tail", "label"),
    [
        ("metformin", "treats", "diabetes mellitus", "YES"),
        ("Glucophage", "treats", "gout", "YES"),
        ("metformin", "treats", "thirst", "YES"),
        ("thirst", "treats", "metformin", "NO"),
        ("gout", "treated_by", "metformin", "YES"),
        ("metformin", "treated by", "gout", "NO"),
        ("gout", "has_symptom", "thirst", "YES"),
        ("gout", "has symptom", "metformin", "NO"),
        ("orphan", "treats", "gout", None),
        ("metformin", "likes", "gout", None),
        ("metformin", "unheard", "gout", None),
        ("quux", "treats", "gout", None),
        ("http://example.org/metformin", "treats", "gout", "YES"),
        ("metformin", "isa", "Drug", "YES"),
        ("metformin", "http://www.w3.org/2000/01/rdf-schema#subClassOf", "Biguanide", "YES"),
        ("Biguanide", "is_a", "Disease", "NO"),
        ("Drug", "inverse_isa", "metformin", "YES"),
        ("Disease", "inverse_isa", "metformin", "NO"),
        ("orphan", "isa", "Drug", None),
        ("metformin", "isa", "quux", None),
    ],
)
def test_domain_range_and_subclasses_serve_as_types(ontology, head, relation, tail, label):
    verdict = judge_types(Triple(head=head, relation=relation, tail=tail), ontology)
    assert verdict.label == label, verdict.reason


def test_names_definitions_and_rings(ontology):
    (metformin,) = ontology.concepts("Metformin")
    assert metformin.synonyms == ("Glucophage",)
    assert ontology.relation("treats").definition == "Is given against."
    assert ontology.relation("treats").inverse == "treated_by"
    assert ontology.type_name("http://example.org/Biguanide") == "Biguanide"
    assert ontology.concepts("ring")[0].types == {
        "http://example.org/ring",
        "http://example.org/ring2",
    }


def test_files_that_do_not_serve(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        read_ontology(tmp_path / "gone.ttl", Problems())
    bad = tmp_path / "bad.txt"
    bad.write_text("x")
    with pytest.raises(InputError, match="ends in none"):
        read_ontology(bad, Problems())
