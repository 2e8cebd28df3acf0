"""Ontologies, the bundled one and those in RDF and OBO files, and the type judge on them."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.ontology import Concept, read_name
from factmark.graphs.core.semantic_types import head_type, judge_types
from factmark.graphs.ontologies.bundled import bundled_ontology
from factmark.graphs.ontologies.rdf import RdfOntology, read_ontology
from graphs_data import THE_7, THE_31, labelled_rows, parts, read

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
:orphan rdfs:label "orphan" . :raft rdfs:label "raft" ; owl:deprecated true .
:ring rdfs:subClassOf :ring2 . :ring2 rdfs:subClassOf :ring .
"""
OBO = r"""format-version: 1.4
ontology: boats

[Term]
id: BT:1
name: vessel
def: "A thing that carries \"people\" on water." [BT:me]

[Term]
id: BT:2
name: sailing boat
synonym: "yacht" EXACT layperson [BT:me]
synonym: "ship" RELATED []
is_a: BT:1 {source="BT:me"} ! vessel

[Term]
id: BT:3
name: dinghy
is_a: BT:2 ! sailing boat
relationship: has_part BT:5 ! mast
relationship: steered_by BT:6

[Term]
id: BT:4
name: raft
is_a: BT:1
is_obsolete: true

[Term]
id: BT:5
name: mast

[Term]
id: BT:6
name: tiller
is_a: BT:5

[Typedef]
id: has_part
name: has part
domain: BT:1
range: BT:5
inverse_of: part_of ! part of

[Typedef]
id: beside
name: lies beside
is_symmetric: true
"""


def obo(folder: Path, text: str | bytes = OBO) -> Path:
    path = folder / "boats.obo"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ontologies")
    (path / "o.ttl").write_text(TURTLE)
    return obo(path, "\ufeff" + OBO).parent


@pytest.fixture(scope="module")
def drugs(folder: Path) -> RdfOntology:
    return read_ontology(folder / "o.ttl", Problems())


@pytest.fixture(scope="module")
def boats(folder: Path) -> RdfOntology:
    problems = Problems()
    ontology = read_ontology(folder / "boats.obo", problems)
    assert problems.sentences() == ()
    return ontology


@pytest.mark.parametrize(
    ("which", "head", "relation", "tail", "label"),
    [
        ("bundled", "diabetes mellitus", "isa", "disease", "YES"),
        ("bundled", "retina", "finding_site_of", "diabetic retinopathy", "YES"),
        ("bundled", "diabetic retinopathy", "finding_site_of", "retina", "NO"),
        ("bundled", "blood sugar", "treats", "patient", "NO"),
        ("bundled", "diabetes", "isa", "quux", None),
        ("bundled", "insulin", "my_own_relation", "diabetes", None),
        ("bundled", "MI", "treats", "stroke", "NO"),
        ("drugs", "metformin", "treats", "diabetes mellitus", "YES"),
        ("drugs", "Glucophage", "treats", "gout", "YES"),
        ("drugs", "metformin", "treats", "thirst", "YES"),
        ("drugs", "thirst", "treats", "metformin", "NO"),
        ("drugs", "gout", "treated_by", "metformin", "YES"),
        ("drugs", "metformin", "treated by", "gout", "NO"),
        ("drugs", "gout", "has symptom", "metformin", "NO"),
        ("drugs", "orphan", "treats", "gout", None),
        ("drugs", "metformin", "likes", "gout", None),
        ("drugs", "http://example.org/metformin", "treats", "gout", "YES"),
        ("drugs", "metformin", "isa", "Drug", "YES"),
        ("drugs", "metformin", "http://www.w3.org/2000/01/rdf-schema#subClassOf", "Drug", "YES"),
        ("drugs", "Biguanide", "is_a", "Disease", "NO"),
        ("drugs", "Drug", "inverse_isa", "metformin", "YES"),
        ("drugs", "orphan", "isa", "Drug", None),
        ("boats", "dinghy", "has part", "mast", "YES"),
        ("boats", "yacht", "has_part", "tiller", "YES"),
        ("boats", "tiller", "has_part", "dinghy", "NO"),
        ("boats", "tiller", "part_of", "dinghy", "YES"),
    ],
)
def test_the_type_judge(
    drugs: RdfOntology,
    boats: RdfOntology,
    which: str,
    head: str,
    relation: str,
    tail: str,
    label: str | None,
) -> None:
    ontology = {"bundled": bundled_ontology(), "drugs": drugs, "boats": boats}[which]
    verdict = judge_types(Triple(head=head, relation=relation, tail=tail), ontology)
    assert verdict.label == label, verdict.reason
    assert verdict.reason


class TwoReadings:
    """`bank` stands for two things; of one of them the ontology says that it may not."""

    def concepts(self, name):
        kinds = {"bank": ("shore", "firm"), "money": ("means",)}.get(name, ())
        return [Concept(id=kind, name=name, types=frozenset({kind})) for kind in kinds]

    def allows(self, relation, head, tail):
        return False if head.id == "shore" else None

    def value(self, relation, text, node=""):
        return None

    def types_by_ending(self, name):
        return frozenset()

    def type_name(self, code):
        return code


def test_maybe_is_for_what_is_doubtful_not_for_what_is_unknown():
    triple = Triple(head="bank", relation="lends", tail="money")
    assert judge_types(triple, TwoReadings()).label == "MAYBE"


@pytest.mark.parametrize(("which", "decided"), [("bundled", 456), ("separate", 56)])
def test_what_the_types_decide_agrees_with_hand_labels(which: str, decided: int) -> None:
    agreed = [
        label == row["validity"]
        for triple, _, row in labelled_rows(which)
        if (label := judge_types(triple, bundled_ontology()).label) is not None
    ]
    assert len(agreed) == decided
    assert sum(agreed) / len(agreed) >= 0.83


def test_the_bundled_ontology_is_whole() -> None:
    ontology = bundled_ontology()
    assert set(ontology.relations) == THE_31 | THE_7
    known = set(ontology.groups) | set(ontology.groups.values())
    for relation in ontology.relations.values():
        assert relation.definition
        for side in relation.allowed:
            assert side.heads
            assert side.tails
            assert side.heads | side.tails <= known
        if relation.inverse and not relation.symmetric:
            other = ontology.relations[relation.inverse]
            assert other.inverse == relation.name
            assert [(s.heads, s.tails) for s in relation.allowed] == [
                (s.tails, s.heads) for s in other.allowed
            ]
    assert len({concept.id for concept in ontology.entries}) == len(ontology.entries) >= 400
    assert all(concept.types <= set(ontology.type_names) for concept in ontology.entries)


def test_names_of_the_bundled_ontology() -> None:
    ontology = bundled_ontology()
    for name in ("Diabetes", "T2DM", "haemoglobin", "foot ulcers", "islet of Langerhans"):
        assert ontology.concepts(name), name
    names = {concept.name for concept in ontology.concepts("MI")}
    assert names == {"myocardial infarction", "mitral insufficiency"}
    _, part = read_name(ontology, "severe diabetic retinopathy of the left eye")
    assert part == "'diabetic retinopathy'"
    assert read_name(ontology, "zibotuximab")[1] == "its ending"
    assert read_name(ontology, "quux") == read_name(ontology, "") == ((), "")
    assert head_type(ontology, "metformin") == "Organic Chemical"
    assert head_type(ontology, "quux") == ""


def test_names_and_definitions_of_rdf(drugs: RdfOntology) -> None:
    (metformin,) = drugs.concepts("Metformin")
    assert metformin.synonyms == ("Glucophage",)
    treats = drugs.relation("treats")
    assert treats is not None
    assert (treats.definition, treats.inverse) == ("Is given against.", "treated_by")
    assert drugs.type_name("http://example.org/Biguanide") == "Biguanide"
    assert len(drugs.concepts("ring")[0].types) == 2
    assert drugs.concepts("raft") == ()  # deprecated


def test_names_and_relations_of_obo(boats: RdfOntology) -> None:
    (dinghy,) = boats.concepts("dinghy")
    names = [boats.type_name(code) for code in sorted(dinghy.types)]
    assert names == ["vessel", "sailing boat", "dinghy"]
    (yacht,) = boats.concepts("Yacht")
    assert (yacht.name, yacht.synonyms) == ("sailing boat", ("yacht",))
    assert boats.concepts("ship") == boats.concepts("raft") == ()
    beside = boats.relation("lies beside")
    assert beside is not None
    assert beside.symmetric
    assert boats.relation("steered_by") is not None
    assert boats.relation("towed_by") is None


def test_obo_as_a_graph_holds_the_hierarchy_and_the_relationships(folder: Path) -> None:
    triples, _ = read(folder / "boats.obo")
    assert set(parts(triples)) == {
        ("sailing boat", "isa", "vessel"),
        ("dinghy", "isa", "sailing boat"),
        ("tiller", "isa", "mast"),
        ("dinghy", "has_part", "mast"),
        ("dinghy", "steered_by", "tiller"),
    }


def test_bad_lines_of_obo_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    text = "[Term]\nid: B:1\nname: oar\nis_a:\nsynonym: blade EXACT\nis_obsol\n\n[Term]\nname: x\n"
    problems = Problems()
    assert len(read_ontology(obo(tmp_path, text), problems).concepts("oar")) == 1
    places = " ".join(problems.sentences())
    assert all(f"line {number}" in places for number in (4, 5, 6, 8))


@pytest.mark.parametrize("name", ["a b", "x<>{}", "é:1", "http://x.org/a b", "#", "::"])
def test_any_id_is_some_node(tmp_path: Path, name: str) -> None:
    ontology = read_ontology(obo(tmp_path, f"[Term]\nid: {name}\nname: oar\n"), Problems())
    assert len(ontology.concepts("oar")) == 1


def test_a_byte_order_mark_tells_the_encoding(tmp_path: Path) -> None:
    (tmp_path / "b.obo").write_bytes(OBO.encode("utf-16"))
    (tmp_path / "c.obo").write_text(OBO, "utf-8")
    marked, plain = (read_ontology(tmp_path / name, Problems()) for name in ("b.obo", "c.obo"))
    assert marked.concepts("vessel") == plain.concepts("vessel")
    assert len(marked.concepts("vessel")) > 0


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("b.obo", b"<html><body>gone</body></html>", r"no \[Term\]"),
        ("b.obo", b"[Term]\nidentifier: B:1\nname: oar\n", r"no \[Term\]"),
        ("b.obo", b"[Term]\nid: B:1\nname: \xe9\n", "line 3"),
        ("b.txt", b"x", "ends in none"),
        ("b.ttl", b"<a> <b", r"b\.ttl, line 1"),
        ("b.ttl", None, "no such file"),
    ],
)
def test_files_that_do_not_serve(
    tmp_path: Path, name: str, content: bytes | None, words: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_ontology(tmp_path / name, Problems())
