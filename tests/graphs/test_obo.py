"""OBO files as ontologies and as graphs; what is damaged is told by its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.ontologies.rdf import RdfOntology, read_ontology
from factmark.graphs.triples.triples import read_triples

TERMS = r"""format-version: 1.4
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


def obo(folder: Path, text: str | bytes = TERMS) -> Path:
    path = folder / "boats.obo"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.fixture(params=["", "\ufeff"])
def ontology(tmp_path: Path, request: pytest.FixtureRequest) -> RdfOntology:
    problems = Problems()
    made = read_ontology(obo(tmp_path, request.param + TERMS), problems)
    assert problems.sentences() == ()
    return made


def test_is_a_is_all_that_is_above(ontology: RdfOntology) -> None:
    (dinghy,) = ontology.concepts("dinghy")
    base = "http://purl.obolibrary.org/obo/BT_"
    assert dinghy.types == {f"{base}1", f"{base}2", f"{base}3"}
    assert [ontology.type_name(code) for code in sorted(dinghy.types)] == [
        "vessel",
        "sailing boat",
        "dinghy",
    ]


def test_exact_synonyms_are_names_and_others_are_not(ontology: RdfOntology) -> None:
    (yacht,) = ontology.concepts("Yacht")
    assert (yacht.name, yacht.synonyms) == ("sailing boat", ("yacht",))
    assert ontology.concepts("ship") == ()


def test_an_obsolete_term_is_left_out(ontology: RdfOntology) -> None:
    assert ontology.concepts("raft") == ()


@pytest.mark.parametrize(
    ("head", "relation", "tail", "label"),
    [
        ("dinghy", "has part", "mast", "YES"),
        ("yacht", "has_part", "tiller", "YES"),
        ("tiller", "has_part", "dinghy", "NO"),
        ("tiller", "part_of", "dinghy", "YES"),
    ],
)
def test_relations_join_what_their_typedef_says(
    ontology: RdfOntology, head: str, relation: str, tail: str, label: str
) -> None:
    verdict = judge_types(Triple(head=head, relation=relation, tail=tail), ontology)
    assert verdict.label == label, verdict.reason


def test_a_relation_is_known_by_name_and_by_use(ontology: RdfOntology) -> None:
    beside = ontology.relation("lies beside")
    assert beside is not None
    assert beside.symmetric
    assert ontology.relation("steered_by") is not None
    assert ontology.relation("towed_by") is None


def test_as_a_graph_it_holds_the_hierarchy_and_the_relationships(tmp_path: Path) -> None:
    claims = {(t.head, t.relation, t.tail) for t in read_triples(obo(tmp_path), Problems())}
    assert claims == {
        ("sailing boat", "isa", "vessel"),
        ("dinghy", "isa", "sailing boat"),
        ("tiller", "isa", "mast"),
        ("dinghy", "has_part", "mast"),
        ("dinghy", "steered_by", "tiller"),
    }


def test_bad_lines_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    text = "[Term]\nid: B:1\nname: oar\nis_a:\nsynonym: blade EXACT\nis_obsol\n\n[Term]\nname: x\n"
    problems = Problems()
    made = read_ontology(obo(tmp_path, text), problems)
    assert [concept.name for concept in made.concepts("oar")] == ["oar"]
    told = " ".join(problems.sentences())
    assert all(f"line {number}" in told for number in (4, 5, 6, 8))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "no \\[Term\\]"),
        ("<html><body>gone</body></html>", "no \\[Term\\]"),
        ("[Term]\nidentifier: B:1\nname: oar\n", "no \\[Term\\]"),
        (TERMS.encode("utf-16"), "UTF-16"),
        (b"[Term]\nid: B:1\nname: \xe9\n", "line 3"),
    ],
)
def test_what_is_no_obo_file_is_told(tmp_path: Path, content: str | bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_ontology(obo(tmp_path, content), Problems())


@pytest.mark.parametrize("name", ["a b", "x<>{}", "é:1", "http://x.org/a b", "#", "::"])
def test_any_id_is_some_node(tmp_path: Path, name: str) -> None:
    made = read_ontology(obo(tmp_path, f"[Term]\nid: {name}\nname: oar\n"), Problems())
    assert len(made.concepts("oar")) == 1


def test_deprecated_classes_of_owl_are_left_out_too(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(
        "@prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <http://x.org/> .\n"
        "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        ':a rdfs:label "raft" ; owl:deprecated true . :b rdfs:label "mast" .'
    )
    made = read_ontology(path, Problems())
    assert made.concepts("raft") == ()
    assert len(made.concepts("mast")) == 1
