"""Graphs in the forms in which they are published: mappings, ontologies, annotated documents, and
tables of IRIs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.graphs.core.claims import claim
from factmark.graphs.core.iri_names import readable_name, readable_relation
from graphs_data import parts, read

DBPEDIA = "http://dbpedia.org/resource"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f"{DBPEDIA}/Ada_Lovelace", "Ada Lovelace"),
        (f"<{DBPEDIA}/McDonald%27s>", "McDonald's"),
        (f"{DBPEDIA}/AC/DC", "AC/DC"),
        ("https://en.wikipedia.org/wiki/YouTube", "YouTube"),
        ("http://example.org/ns#FootUlcer", "Foot Ulcer"),
        ("dbr:Ada_Lovelace", "Ada Lovelace"),
        ("concept:city:new_york", "new york"),
        ("concept:river", "river"),
        ('"12"^^<http://www.w3.org/2001/XMLSchema#integer>', "12"),
        ('"Lyon"@fr', "Lyon"),
        ("MONDO:0005148", "MONDO:0005148"),
        ("<Albert_Einstein>", "Albert Einstein"),
        (r"<Jos\u00e9_Saramago>", "José Saramago"),
        ("http://yago-knowledge.org/resource/Apple_u0028_company_u0029_", "Apple(company)"),
        ("<Rock_x2019_n_x2019_roll>", "Rock’n’roll"),
        (r"<\ud800_\U7FFFFFFF>", r"\ud800 \U7FFFFFFF"),
        (r'"Jos\u00e9 \"Pepe\""@es', 'José "Pepe"'),
        ("p <0.05>", "p <0.05>"),
        ("Star Trek: Picard", "Star Trek: Picard"),
        ("a concept: city", "a concept: city"),
        ("10:30", "10:30"),
        ("see http://example.org/a", "see http://example.org/a"),
    ],
)
def test_iris_and_names_of_nell_are_names_and_other_texts_stay(text, name):
    assert readable_name(text)[0] == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("http://dbpedia.org/ontology/deathPlace", "death_place"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "isa"),
        ("rdfs:subClassOf", "isa"),
        ("skos:closeMatch", "possibly_equivalent_to"),
        ("biolink:treats", "treats"),
        ("concept:teamplaysincity", "teamplaysincity"),
        ("bornIn", "bornIn"),
        ("works: for", "works: for"),
    ],
)
def test_relations_that_are_iris(text, name):
    assert readable_relation(text) == name


def test_a_table_of_iris_reads_as_claims_and_keeps_the_iris(tmp_path):
    text = (
        "s,p,o,note\n"
        f"{DBPEDIA}/Ada_Lovelace,http://dbpedia.org/ontology/birthPlace,{DBPEDIA}/London,x\n"
        "Ada,knows,Ben,y\n"
    )
    triples, _ = read(tmp_path / "t.csv", text)
    assert [claim(t) for t in triples] == ["Ada Lovelace birth place London", "Ada knows Ben"]
    assert triples[0].head_id == f"{DBPEDIA}/Ada_Lovelace"
    assert dict(triples[0].given)["o"] == f"{DBPEDIA}/London"
    assert dict(triples[1].given) == {"note": "y"}


SSSOM = """# curie_map:
#   A: http://example.org/a/
# license: none
subject_id\tsubject_label\tpredicate_id\tpredicate_modifier\tobject_id\tobject_label\tconfidence
A:1\tgait\tskos:exactMatch\t\tB:1\twalk\t0.9
A:2\ttall\tskos:broadMatch\t\tB:2\t\t0.5
A:3\tshort\tskos:exactMatch\tNot\tB:3\tlow\t1
A:4\told\tskos:exactMatch\t\tsssom:NoTermFound\t\t1
"""


def test_sssom(tmp_path):
    triples, problems = read(tmp_path / "m.sssom.tsv", SSSOM)
    assert parts(triples) == [("gait", "same_as", "walk"), ("tall", "isa", "B:2")]
    assert (triples[0].head_id, triples[0].confidence, triples[0].where) == ("A:1", 0.9, "line 5")
    assert problems.dropped == {
        "a negated mapping, which makes no claim": 1,
        "a term without a match, which makes no claim": 1,
    }


OBO = "http://purl.obolibrary.org/obo"
OBO_GRAPH = {
    "graphs": [
        {
            "nodes": [
                {"id": f"{OBO}/X_1", "lbl": "hand", "type": "CLASS"},
                {"id": f"{OBO}/X_2", "lbl": "limb"},
                {"id": f"{OBO}/BFO_0000050", "lbl": "part of", "type": "PROPERTY"},
                {"lbl": "nameless"},
                {"id": f"{OBO}/X_3", "lbl": "wing", "meta": {"deprecated": True}},
            ],
            "edges": [
                {"sub": f"{OBO}/X_1", "pred": "is_a", "obj": f"{OBO}/X_2"},
                {"sub": f"{OBO}/X_1", "pred": f"{OBO}/BFO_0000050", "obj": f"{OBO}/X_2"},
                {"sub": f"{OBO}/X_1", "pred": "is_a"},
                {"sub": f"{OBO}/X_3", "pred": "is_a", "obj": f"{OBO}/X_2"},
            ],
        }
    ]
}


def test_obo_graphs(tmp_path):
    triples, problems = read(tmp_path / "o.json", json.dumps(OBO_GRAPH))
    assert parts(triples) == [("hand", "isa", "limb"), ("hand", "part_of", "limb")]
    assert (triples[0].head_id, problems.n_dropped) == (f"{OBO}/X_1", 2)
    with pytest.raises(InputError, match="holds no node and no edge"):
        read(tmp_path / "o.json", '{"graphs": []}')


PUBTATOR = """11|t|Zinc and colds.
11|a|Zinc (Zn) shortens colds.
11\t0\t4\tZinc\tChemical\tD1
11\t9\t14\tcolds\tDisease\tD2|D3
11\tNegative_Correlation\tD1\tD2\tNovel
11\tCID\tD1\tD9

12|t|Tea and sleep.
12\t0\t3\tTea\tChemical\tD4
12\t8\t13\tsleep\tDisease\tD5
12\tCID\tD4\tD5
"""


@pytest.mark.parametrize("name", ["t.pubtator", "t.PubTator", "t.txt"])
def test_pubtator(tmp_path, name):
    triples, problems = read(tmp_path / name, PUBTATOR)
    assert parts(triples) == [
        ("Zinc", "negatively_correlates_with", "colds"),
        ("Tea", "cause_of", "sleep"),
    ]
    assert triples[0].passage == "Zinc and colds.\nZinc (Zn) shortens colds."
    assert [(t.passage_id, t.head_id) for t in triples] == [("11", "D1"), ("12", "D4")]
    assert "'D9'" in problems.sentences()[0]
    _, problems = read(tmp_path / name, f"{PUBTATOR}12\tCID\tD4\n")
    assert problems.dropped["no PubTator line"] == 1


BIOC_JSON = {
    "documents": [
        {
            "id": "7",
            "passages": [
                {
                    "text": "Zinc and colds.",
                    "infons": {},
                    "annotations": [
                        {"id": "0", "infons": {"identifier": "D1"}, "text": "Zinc"},
                        {"id": "1", "infons": {"identifier": "D2;D3"}, "text": "colds"},
                    ],
                }
            ],
            "relations": [
                {"id": "R0", "infons": {"entity1": "D1", "entity2": "D3", "type": "Association"}},
                {
                    "id": "R1",
                    "infons": {
                        "role1": {"identifier": "D1"},
                        "role2": {"identifier": "D2"},
                        "type": "treats",
                    },
                    "nodes": [{"refid": "0", "role": "0,1"}],
                },
            ],
        }
    ]
}
BIOC_XML = """<?xml version="1.0"?>{head}<collection><source>x</source><document><id>7</id>
<passage><text>Zinc &amp; colds.</text>
<annotation id="T1"><infon key="type">Chemical</infon><text>Zinc</text></annotation>
<annotation id="T2"><text>colds</text></annotation></passage>
<relation id="R1"><infon key="type">treats</infon><node refid="T1" role="a"/>
<node refid="T2" role="b"/></relation></document></collection>"""


def test_bioc(tmp_path):
    for value in (BIOC_JSON, {"PubTator3": BIOC_JSON["documents"]}):
        triples, _ = read(tmp_path / "t.json", json.dumps(value))
        assert parts(triples) == [
            ("Zinc", "associated_with", "colds"),
            ("Zinc", "treats", "colds"),
        ]
        assert (triples[0].id, triples[0].passage) == ("R0", "Zinc and colds.")
    doctype = '<!DOCTYPE collection SYSTEM "BioC.dtd">'
    triples, _ = read(tmp_path / "t.xml", BIOC_XML.format(head=doctype))
    assert parts(triples) == [("Zinc", "treats", "colds")]
    assert (triples[0].passage, triples[0].passage_id) == ("Zinc & colds.", "7")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("t.xml", BIOC_XML.format(head='<!DOCTYPE c [<!ENTITY a "b">]>'), "declares entities"),
        ("t.xml", BIOC_XML.format(head="")[:-30], r"t\.xml, line 6: "),
        (
            "t.xml",
            BIOC_XML.format(head="").replace("?>", " encoding='foo'?>", 1),
            "cannot be read as XML",
        ),
        (
            "t.owl",
            '<!DOCTYPE r [<!ENTITY a "' + "b" * 999 + '"><!ENTITY c "&a;&a;">]><r/>',
            "stands",
        ),
        ("t.pubtator", "11|t|Zinc.\n", "holds 1 documents and no relation"),
        ("t.txt", "Zinc helps.\n", "its first line has 1 cells"),
    ],
)
def test_documents_that_cannot_be_read(tmp_path, name, text, message):
    with pytest.raises(InputError, match=message):
        read(tmp_path / name, text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.obo", "[Term]\nid: http://a/%zz\nrelationship: made_of ://x\n"),
        (
            "t.json",
            json.dumps(
                {
                    "graphs": [
                        {
                            "nodes": [{"id": "A:1", "lbl": "\ud800"}],
                            "edges": [{"sub": "://\ud800", "pred": "made_of", "obj": "A:1"}],
                            "domainRangeAxioms": [{"predicateId": " ", "domainClassIds": 5}],
                            "equivalentNodesSets": [{"nodeIds": [" ", 1]}],
                        }
                    ]
                }
            ),
        ),
    ],
)
def test_ids_that_are_no_iris_are_names(tmp_path, name, text):
    triples, _ = read(tmp_path / name, text)
    assert [triple.relation for triple in triples] == ["made_of"]


def test_what_bioc_says_in_the_wrong_place_is_nothing(tmp_path):
    relation = {"infons": ["x"], "nodes": [{"refid": "a"}, {"refid": "a"}]}
    passage = {"annotations": [{"id": "a", "infons": 5}], "relations": [relation]}
    documents = {"documents": [{"id": "1", "passages": [passage]}], "infons": {}}
    triples, problems = read(tmp_path / "t.json", json.dumps(documents))
    assert (triples, problems.n_dropped) == ([], 1)
    lone = json.dumps(BIOC_JSON).replace('"id": "', '"id": "\\ud800')
    triples, _ = read(tmp_path / "t.json", lone)
    assert all(triple.passage_id.startswith("\ufffd") for triple in triples)
    attributes = '<collection><document relations="x" infons="y"><infon key="k"/><relation/>'
    triples, problems = read(tmp_path / "t.xml", f"{attributes}</document></collection>")
    assert (triples, problems.n_dropped) == ([], 1)


def test_the_files_are_told_apart_from_tables_and_rdf(tmp_path: Path):
    rows = [{"head": "a", "relation": "isa", "tail": "b", "passages": ["x"]}]
    assert parts(read(tmp_path / "t.json", json.dumps(rows))[0]) == [("a", "isa", "b")]
