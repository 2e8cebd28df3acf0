from __future__ import annotations

import pytest

import graphs_data
from factmark.errors import InputError
from factmark.passages.passage_file import Passages

PREFIXES = """@prefix : <http://example.org/> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix prov: <http://www.w3.org/ns/prov#> .
"""


@pytest.fixture
def read(tmp_path):
    return lambda name, text, prefixes=PREFIXES, **options: graphs_data.read(
        tmp_path / name, prefixes + text, **options
    )


def said(triples):
    return sorted((t.head, t.relation, t.tail, t.passage, t.passage_id) for t in triples)


def test_labels_make_it_readable_wherever_they_stand(read):
    triples, _ = read(
        "t.ttl",
        """:C1 :has-symptom :C2 ; a :Disease, owl:Class ; rdfs:comment "no claim" .
        :C1 rdfs:label "Zuckerkrankheit"@de, "diabetes"@en . :C2 skos:prefLabel "thirst" .
        :C1 rdfs:subClassOf :EndocrineDisorder ; :named "sugar disease" .""",
    )
    assert [(t.head, t.relation, t.tail) for t in triples] == [
        ("diabetes", "has_symptom", "thirst"),
        ("diabetes", "isa", "Disease"),
        ("diabetes", "isa", "Endocrine Disorder"),
        ("diabetes", "named", "sugar disease"),
    ]
    assert triples[0].head_id == "http://example.org/C1"


def test_a_named_graph_is_the_passage(read):
    passages = Passages()
    passages.add("p7", "Insulin treats diabetes.")
    triples, problems = read(
        "t.trig", ":p7 { :insulin :treats :diabetes } :p8 { :a :isa :b }", passages=passages
    )
    assert said(triples) == [
        ("a", "isa", "b", None, "http://example.org/p8"),
        ("insulin", "treats", "diabetes", "Insulin treats diabetes.", "p7"),
    ]
    assert problems.odd == {"unknown passage": 1}


def test_reification_old_and_new(read):
    triples, problems = read(
        "t.ttl",
        """[] a rdf:Statement ; rdf:subject :a ; rdf:predicate :treats ; rdf:object :b ;
              dct:source :p1 ; :confidence 0.25 .
        :a :treats :b .
        :c :treats :d {| prov:wasDerivedFrom :p1, "A whole text." |} .
        << :e :treats :f >> :confidence "high" .
        :p1 rdf:value "The passage." .
        [] a rdf:Statement ; rdf:subject :a .""",
    )
    assert said(triples) == [
        ("a", "treats", "b", "The passage.", "http://example.org/p1"),
        ("c", "treats", "d", "A whole text.", ""),
        ("c", "treats", "d", "The passage.", "http://example.org/p1"),
        ("e", "treats", "f", None, ""),
    ]
    assert [t.confidence for t in triples if t.head == "a"] == [0.25]
    assert problems.n_dropped == 1


def test_bad_lines_of_n_triples_are_told_and_the_rest_is_read(read):
    good = "<http://x/a> <http://x/isa> <http://x/b{}> .\n"
    text = (
        good.format(1) + "this is no triple\n" + good.format(2) + '<http://x/a> <http://x/p> "cut'
    )
    triples, problems = read("t.nt", text, prefixes="")
    assert [t.tail for t in triples] == ["b1", "b2"]
    assert [e.split(":")[0] for e in problems.examples["no RDF statement"]] == ["line 2", "line 4"]


@pytest.mark.parametrize("name", ["t.nt", "t.nq"])
def test_iris_without_a_base_are_names_and_literals_keep_their_signs(read, name):
    text = '<rye> <grows_in> <Norway> .\n<rye> <says> "as <oat> \\"does\\"" .\n<rye> <isa> .\n'
    triples, problems = read(name, text, prefixes="")
    assert [(t.head, t.relation, t.tail) for t in triples] == [
        ("rye", "grows_in", "Norway"),
        ("rye", "says", 'as <oat> "does"'),
    ]
    assert [e.split(":")[0] for e in problems.examples["no RDF statement"]] == ["line 3"]


def test_a_turtle_that_does_not_parse_names_its_line(read):
    with pytest.raises(InputError, match=r"t\.ttl, line 9"):
        read("t.ttl", "\n:a :b")


def test_rdf_xml_and_json_ld(read):
    xml = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
      xmlns:e="http://example.org/"><rdf:Description rdf:about="http://example.org/a">
      <e:treats rdf:resource="http://example.org/b"/></rdf:Description></rdf:RDF>"""
    assert said(read("t.rdf", xml, prefixes="")[0]) == [("a", "treats", "b", None, "")]
    json_ld = '{"@id": "http://x/a", "http://x/treats": {"@id": "http://x/b"}}'
    assert said(read("t.jsonld", json_ld, prefixes="")[0]) == [("a", "treats", "b", None, "")]


def test_a_node_without_a_name_is_told(read):
    triples, problems = read("t.ttl", '[] :treats :b . [ rdfs:label "x" ] :treats :b .')
    assert [t.head for t in triples] == ["x"]
    assert problems.n_dropped == 1


NANOPUB = """@prefix np: <http://www.nanopub.org/nschema#> .
:head { :np1 a np:Nanopublication ; np:hasAssertion :a ; np:hasProvenance :p . }
:a { :zinc :treats :colds . }
:p { :a prov:wasDerivedFrom :doc1 ; dct:description "Zinc helped." ; :checkedBy :me . }
:info { :np1 :madeBy :me . }
"""


def test_of_a_nanopublication_the_assertion_alone_is_a_claim(read):
    passages = Passages()
    passages.add("doc1", "Zinc helped all of them.")
    for known, passage in ((None, "Zinc helped."), (passages, "Zinc helped all of them.")):
        triples, _ = read("t.trig", NANOPUB, passages=known)
        assert [(t.head, t.relation, t.tail, t.passage) for t in triples] == [
            ("zinc", "treats", "colds", passage)
        ]
        assert triples[0].passage_id.endswith("doc1")


def test_a_nanopublication_that_names_no_source_has_no_passage_rather_than_its_own_name(read):
    passages = Passages()
    passages.add("a", "Zinc helped.")
    text = NANOPUB.replace("prov:wasDerivedFrom", ":checkedBy").replace("dct:description", ":x")
    for known, source in ((None, ""), (Passages(), ""), (passages, "a")):
        triples, _ = read("t.trig", text, passages=known)
        assert [(t.head, t.passage_id) for t in triples] == [("zinc", source)]


def test_a_file_without_a_claim_says_so(read):
    editors = '<http://purl.obolibrary.org/obo/IAO_0000117> "Ann" '
    text = f':a rdfs:label "A" ; a owl:Class ; {editors}.'
    triples, problems = read("t.ttl", text)
    assert not triples
    assert problems.dropped == {"a file without a claim": 1}


def test_what_annotation_properties_say_is_no_claim_and_mappings_are(read):
    text = """:likes a owl:ObjectProperty ; :checked "2020" . :checked a owl:AnnotationProperty .
        <http://x/onto> a owl:Ontology ; :page :here . skos:exactMatch a owl:AnnotationProperty .
        :ann :likes :ben ; :checked "2021" ; skos:exactMatch :anna ."""
    triples, _ = read("t.ttl", text)
    assert {t.relation for t in triples} == {"likes", "same_as"}


def test_rdf_star_in_n_triples_and_a_text_that_is_said_of_a_statement(read):
    statement = "<< <http://x/a> <http://x/treats> <http://x/b> >>"
    text = (
        f'{statement} <http://x/sentence> "A treats b." .\n'
        "no statement\n"
        "<http://x/c> <http://x/treats> <http://x/d> .\n"
    )
    triples, problems = read("t.nt", text, prefixes="")
    assert said(triples) == [
        ("a", "treats", "b", "A treats b.", ""),
        ("c", "treats", "d", None, ""),
    ]
    assert problems.n_dropped == 1


def test_properties_of_wikidata_are_called_as_their_entities_are(read):
    text = """@prefix wd: <http://www.wikidata.org/entity/> .
        @prefix wdt: <http://www.wikidata.org/prop/direct/> .
        @prefix wikibase: <http://wikiba.se/ontology#> .
        @prefix schema: <http://schema.org/> .
        wd:Q1 wdt:P17 wd:Q2 ; wdt:P31 wd:Q3 ; rdfs:label "Lyon"@en ; schema:description "a city" .
        wd:Q2 rdfs:label "France"@en . wd:Q3 rdfs:label "city"@en .
        wd:P17 a wikibase:Property ; rdfs:label "country"@en ; wikibase:directClaim wdt:P17 ."""
    triples, _ = read("t.ttl", text)
    assert [(t.head, t.relation, t.tail) for t in triples] == [
        ("Lyon", "country", "France"),
        ("Lyon", "isa", "city"),
    ]


def test_a_blank_node_has_no_id_beyond_its_file(read):
    """It is another one at each reading, and may be another thing's in another file."""
    first, _ = read("a.ttl", '[] rdfs:label "zinc" ; :treats [ rdfs:label "flu" ] .')
    again, _ = read("a.ttl", '[] rdfs:label "zinc" ; :treats [ rdfs:label "flu" ] .')
    other, _ = read("b.ttl", '_:a rdfs:label "iron" ; :treats _:b . _:b rdfs:label "flu" .')
    assert first[0].key == again[0].key == ("zinc", "treats", "flu")
    assert other[0].key == ("iron", "treats", "flu")


@pytest.mark.parametrize("name", ["t.ttl", "t.nt"])
def test_a_byte_order_mark_is_no_statement(read, tmp_path, name):
    text = "<http://x.org/a> <http://x.org/treats> <http://x.org/b> .\r\n"
    triples, problems = read(name, text, prefixes="\ufeff")
    assert [(t.head, t.relation, t.tail) for t in triples] == [("a", "treats", "b")]
    assert not problems.dropped
    (tmp_path / name).write_bytes(text.encode("utf-16"))
    with pytest.raises(InputError, match="is UTF-16"):
        graphs_data.read(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("t.owl", "@prefix : <http://x.org/> .", "name Turtle .ttl"),
        ("t.jsonld", '{"@context": "https://schema.org/", "@id": "x"}', "Write it into the file"),
    ],
)
def test_what_is_in_another_form_says_what_to_do(read, name, text, match):
    with pytest.raises(InputError, match=match):
        read(name, text, prefixes="")


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        (':a :p "" .', "an empty text as tail"),
        (':a :p " "@en .', "an empty text as tail"),
        (":a :p [] .", "a node without a name"),
        ("[] :p :b .", "a node without a name"),
    ],
)
def test_what_has_no_name_is_told_as_what_it_is(read, statement, kind):
    triples, problems = read("t.ttl", f":c :p :d . {statement}")
    assert len(triples) == 1
    assert problems.dropped == {kind: 1}
