"""What an OWL ontology says by class expressions, restrictions, groups of disjoint classes and
datatypes, and that it costs little to read where it is hostile."""

from __future__ import annotations

import json
import re
import tracemalloc
from pathlib import Path
from time import process_time

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.core.rubrics import ontology_entry
from factmark.graphs.core.semantic_types import judge_types
from factmark.graphs.ontologies.rdf import RdfOntology, read_ontology
from factmark.graphs.triples.triples import read_triples

PREFIXES = """@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
@prefix schema: <http://schema.org/> .
"""
KINDS = """:Cat rdfs:subClassOf :Animal . :Dog rdfs:subClassOf :Animal .
:Oak rdfs:subClassOf :Plant . :BrownBear rdfs:label "Ursus arctos" ;
rdfs:subClassOf :Animal . :Pet rdfs:subClassOf :Kept . :Wolf rdfs:subClassOf :Animal .
:tom a :Cat , :Pet . :rex a :Dog . :fang a :Wolf . :tree a :Oak . :stone a :Rock .
:x rdfs:label "x" .
"""
CLASSES = """:strokes rdfs:domain [ owl:unionOf ( :Plant
    [ owl:intersectionOf ( :Animal :Kept ) ] ) ] ; rdfs:range [ owl:unionOf ( :Animal :Plant ) ] .
:walks rdfs:range [ owl:intersectionOf ( :Animal [ owl:unionOf ( :Kept :Dog ) ] ) ] .
:greets rdfs:range [ owl:oneOf ( :tom :rex ) ] .
:odd rdfs:domain :Animal ; rdfs:range [ owl:complementOf :Animal ] .
:any rdfs:domain owl:Thing ; rdfs:range :Animal .
:Animal rdfs:subClassOf [ owl:onProperty :eats ; owl:allValuesFrom [ owl:unionOf ( :Animal :Plant )
  ] ] , [ owl:onProperty [ owl:inverseOf :chases ] ; owl:allValuesFrom :Dog ] .
:Dog owl:equivalentClass [ owl:intersectionOf ( :Animal [ owl:onProperty :guards ;
  owl:someValuesFrom :Kept ] [ owl:onProperty :has ; owl:qualifiedCardinality 1 ; owl:onClass :Tail
  ] ) ] . :tail a :Tail . :guards rdfs:domain :Nobody . :feeds rdfs:subPropertyOf :cares .
:Cat rdfs:subClassOf [ owl:onProperty :feeds ; owl:hasValue :tom ] .
:Furry owl:equivalentClass [ owl:unionOf ( :Cat :Dog ) ] . :Grown owl:unionOf ( :Oak :Cat ) .
[ owl:unionOf ( :Oak :Rock ) ] owl:equivalentClass :Still . :paints rdfs:range :Still .
:combs rdfs:range :Furry . :trims rdfs:range :Grown . :hugs a owl:SymmetricProperty ;
  rdfs:domain :Animal .
:Plant owl:equivalentClass [ owl:complementOf :Beast ] . :beast a :Beast .
:owns rdfs:domain :Animal ; owl:inverseOf :ownedBy , :heldBy . :keptBy owl:inverseOf :owns .
:ownedBy rdfs:domain :Plant . :heldBy rdfs:domain :Kept . :keeps owl:equivalentProperty :walks .
:Life owl:disjointUnionOf ( :Animal :Plant ) . [] a owl:AllDisjointClasses ;
  owl:members ( :Animal :Rock :Water ) . :Water rdfs:label "water" . :lone a :Rock .
"""
VALUES = """:age a owl:DatatypeProperty ; rdfs:domain :Animal ; rdfs:range xsd:nonNegativeInteger .
:born rdfs:range xsd:date . :note a owl:DatatypeProperty ; rdfs:domain :Animal .
:at schema:rangeIncludes schema:Text , schema:Place ; schema:domainIncludes :Animal .
:page rdfs:domain :Animal ; schema:rangeIncludes schema:URL , :Animal .
:legs rdfs:range [ a rdfs:Datatype ; owl:onDatatype xsd:integer ; owl:withRestrictions (
  [ xsd:minInclusive 0 ] [ xsd:maxExclusive 9 ] ) ] .
:mood rdfs:range [ owl:oneOf ( "glad" "sad" ) ] . :Paws a rdfs:Datatype ; owl:equivalentClass
  [ owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:maxInclusive 4 ] ) ] .
:paws rdfs:range :Paws . :Coat a rdfs:Datatype ; owl:equivalentClass [ owl:oneOf ( "red" ) ] .
:coat rdfs:range :Coat .
:Cat rdfs:subClassOf [ owl:onProperty :lives ; owl:allValuesFrom xsd:integer ] .
[] sh:targetClass :Dog ; sh:property [ sh:path :chip ; sh:datatype xsd:integer ] .
"""


def judged(ontology: RdfOntology, words: str) -> str | None:
    head, relation, tail = words.split(maxsplit=2)
    return judge_types(Triple(head=head, relation=relation, tail=tail), ontology).label


@pytest.fixture(scope="module")
def ontology(tmp_path_factory: pytest.TempPathFactory) -> RdfOntology:
    path = tmp_path_factory.mktemp("classes") / "o.ttl"
    path.write_text(PREFIXES + KINDS + CLASSES + VALUES)
    return read_ontology(path, Problems())


@pytest.mark.parametrize(
    ("triple", "label"),
    [
        ("tom strokes rex", "YES"),  # a pet is an animal and kept
        ("rex strokes tom", "NO"),  # is an animal, and not kept
        ("tree strokes tom", "YES"),
        ("tom strokes stone", "NO"),
        ("tom walks rex", "YES"),
        ("rex walks tom", "YES"),
        ("tom walks fang", "NO"),
        ("tom keeps fang", "NO"),  # an equivalent property
        ("fang greets tom", "YES"),
        ("fang greets fang", "NO"),
        ("tom odd stone", "YES"),  # complements are not read
        ("tom any rex", "YES"),
        ("tom any Life", None),  # some of what lives are animals
        ("BrownBear any brown bear", "YES"),  # by the name in its IRI
        ("tom any stone", "NO"),
        ("tom eats tree", "YES"),
        ("tom eats stone", "NO"),
        ("stone eats tom", None),  # nothing is said of what rocks eat
        ("tom eats x", None),
        ("rex chases tom", "YES"),
        ("fang chases tom", "NO"),
        ("rex guards tom", "YES"),  # what a class has may be, whatever the domain
        ("fang guards tom", "NO"),
        ("rex has tail", "YES"),
        ("tom feeds tom", "YES"),
        ("tom cares tom", "YES"),  # feeds says so
        ("tom feeds rex", None),
        ("fang combs tom", "YES"),
        ("fang combs fang", "NO"),
        ("fang trims tom", "YES"),
        ("tom paints stone", "YES"),
        ("tom paints rex", "NO"),
        ("tom hugs rex", "YES"),
        ("stone hugs rex", "NO"),
        ("rex hugs stone", "NO"),  # holds both ways
        ("beast same_as Oak", "NO"),
        ("tom owns tree", "NO"),  # owned and kept
        ("tom ownedBy tom", "NO"),
        ("Animal same_as Plant", "NO"),
        ("Oak isa Animal", "NO"),
        ("Oak isa Life", "YES"),
        ("water same_as Rock", "NO"),
        ("lone same_as stone", None),
        ("tom age 9", "YES"),
        ("tom age -9", "NO"),
        ("tom age old", "NO"),
        ("tom age 9.5", "NO"),
        ("tom age about 9", None),
        ("tom age " + "9" * 5_000, None),
        ("stone age 9", "NO"),
        ("tom born 2020-02-29", "YES"),
        ("tom born 2020-02-30", None),
        ("tom born May 2020", None),
        ("tom born 20", "NO"),
        ("tom born rex", "NO"),
        ("tom note as good as gold", "YES"),
        ("tom at home", "YES"),
        ("tom page http://x.org/tom", "YES"),
        ("tom page on paper", None),  # may be an animal's name
        ("tom page rex", "YES"),
        ("fang legs 4", "YES"),
        ("fang legs 9", "NO"),
        ("fang mood sad", "YES"),
        ("fang mood so-so", "NO"),
        ("fang paws 4", "YES"),
        ("fang paws 5", "NO"),
        ("fang coat red", "YES"),
        ("fang coat blue", "NO"),
        ("fang coat rex", "NO"),
        ("tom lives 9", "YES"),
        ("tom lives on", "NO"),
        ("rex chip 985", "YES"),
        ("rex chip lost", "NO"),
    ],
)
def test_what_expressions_restrictions_and_datatypes_say(
    ontology: RdfOntology, triple: str, label: str | None
) -> None:
    assert judged(ontology, triple) == label


def test_the_order_of_a_file_decides_nothing(tmp_path: Path) -> None:
    """Several inverses, and each of them said on either side."""
    lines = [
        ":p owl:inverseOf :q .",
        ":r owl:inverseOf :p .",
        ":q rdfs:domain :X ; rdfs:range :Y .",
    ]
    lines += [":ann a :Y . :bob a :X ."]
    shown = set()
    for number, order in enumerate((lines, lines[::-1], [*lines[1:], lines[0]])):
        path = tmp_path / f"{number}.ttl"
        path.write_text(PREFIXES + "\n".join(order))
        ontology = read_ontology(path, Problems())
        p = ontology.relation("p")
        assert p is not None
        shown.add((p.inverse, judged(ontology, "ann p bob"), judged(ontology, "bob p ann")))
    assert shown == {("q", "YES", "NO")}


def test_any_of_several_properties_of_one_name_may_be_meant(tmp_path: Path) -> None:
    path = tmp_path / "o.ttl"
    path.write_text(
        f"{PREFIXES}{KINDS} :eats rdfs:domain :Animal .\n"
        "<http://z.org/eats> a owl:ObjectProperty . :bites rdfs:domain :Cat .\n"
        "<http://z.org/bites> rdfs:domain :Dog ."
    )
    ontology = read_ontology(path, Problems())
    words = ("tom eats rex", "stone bites rex", "rex bites tom", "fang bites tom")
    assert [judged(ontology, triple) for triple in words] == ["YES", "NO", "YES", "NO"]
    eats = ontology.relation("eats")
    assert eats is not None
    assert eats.allowed


def test_a_prompt_shows_what_parts_are_expected_and_what_a_value_is(ontology: RdfOntology) -> None:
    entry = ontology_entry(Triple(head="tom", relation="strokes", tail="rex"), ontology)
    assert "expects of its head: Animal, Kept, Plant" in entry
    entry = ontology_entry(Triple(head="tom", relation="age", tail="9"), ontology)
    assert "Semantic types of the tail: Literal, non Negative Integer" in entry
    assert "expects of its tail: non Negative Integer" in entry


CHAINS = """:parent rdfs:domain :Animal ; rdfs:range :Animal . :brother rdfs:range :Animal .
:uncle rdfs:domain :Cat ; rdfs:range :Cat ; owl:propertyChainAxiom ( :parent :brother ) .
:kin rdfs:domain :Plant . :uncle rdfs:subPropertyOf :kin . :nephew owl:inverseOf :uncle .
:cousin owl:propertyChainAxiom ( :parent [ owl:inverseOf :parent ] ) . :odd rdfs:domain :Plant ;
  owl:propertyChainAxiom () . :in rdfs:domain :Rock ; rdfs:range :Rock ; owl:propertyChainAxiom
  ( :in :beside ) . :tom a :Cat . :Cat rdfs:subClassOf :Animal . :rex a :Animal . :oak a :Plant .
:gem a :Rock .
"""


@pytest.mark.parametrize(
    ("triple", "label"),
    [
        ("rex uncle rex", "YES"),  # what follows from a chain may be, whatever domain and range
        ("oak uncle rex", "NO"),
        ("rex uncle oak", "NO"),
        ("rex kin rex", "YES"),
        ("rex nephew tom", "YES"),
        ("oak nephew tom", "NO"),
        ("rex cousin tom", "YES"),
        ("rex cousin oak", None),  # a chain does not forbid
        ("rex odd rex", "NO"),
        ("gem in rex", None),  # of what a thing may be beside nothing is said
        ("rex in gem", "NO"),
    ],
)
def test_what_follows_from_a_chain_is_not_invalid(
    tmp_path: Path, triple: str, label: str | None
) -> None:
    (tmp_path / "o.ttl").write_text(PREFIXES + CHAINS)
    assert judged(read_ontology(tmp_path / "o.ttl", Problems()), triple) == label


def test_definitions_and_chains_of_obo(tmp_path: Path) -> None:
    """The same from a flat file and a graph; what a term is by two tags is one statement."""
    (tmp_path / "o.obo").write_text(
        "[Term]\nid: X:1\nname: leaf\n\n[Term]\nid: X:2\nname: tree\n"
        "\n[Term]\nid: X:3\nname: needle\nis_a: X:1\nintersection_of: X:1 ! leaf\n"
        'intersection_of: on X:2 {source="a b"} ! tree\nintersection_of: ! nothing\n'
        "\n[Typedef]\nid: on\ndomain: X:2\nrange: X:2\n"
        "\n[Typedef]\nid: upon\nis_a: on\n\n[Typedef]\nid: under\nrange: X:1\n"
        "\n[Typedef]\nid: beside\ndomain: X:1\nholds_over_chain: upon under\n"
        "\n[Typedef]\nid: near\ndomain: X:2\nrange: X:2\ntransitive_over: under ! it\n"
    )
    term, of = "http://purl.obolibrary.org/obo/", ("subPropertyOf", "upon", "on")
    graph = {
        "nodes": [
            *({"id": f"{term}X_{n}", "lbl": name} for n, name in ((1, "leaf"), (2, "tree"))),
            {"id": f"{term}X_3", "lbl": "needle"},
            *({"id": f"{term}{n}", "type": "PROPERTY"} for n in ("on", "upon", "beside", "near")),
        ],
        "edges": [
            {"sub": f"{term}{of[1]}", "pred": of[0], "obj": f"{term}{of[2]}"},
            {"sub": f"{term}X_3", "pred": "is_a", "obj": f"{term}X_1"},
        ],
        "logicalDefinitionAxioms": [
            {
                "definedClassId": f"{term}X_3",
                "genusIds": [f"{term}X_1"],
                "restrictions": [{"propertyId": f"{term}on", "fillerId": f"{term}X_2"}, {}],
            },
            {"genusIds": 3},
        ],
        "propertyChainAxioms": [
            {"predicateId": f"{term}beside", "chainPredicateIds": [f"{term}upon", f"{term}under"]},
            {"predicateId": f"{term}near", "chainPredicateIds": [f"{term}near", f"{term}under"]},
            {"predicateId": f"{term}near", "chainPredicateIds": []},
        ],
        "domainRangeAxioms": [
            {"predicateId": f"{term}{name}", f"{side}ClassIds": [f"{term}X_{number}"]}
            for name, side, number in (
                *(("on", "domain", 2), ("on", "range", 2), ("under", "range", 1)),
                *(("beside", "domain", 1), ("near", "domain", 2), ("near", "range", 2)),
            )
        ],
    }
    (tmp_path / "o.json").write_text(json.dumps({"graphs": [graph]}))
    words = {
        "needle isa leaf": "YES",
        "needle on tree": "YES",  # by its definition, whatever the domain
        "leaf on tree": None,
        "tree upon tree": "YES",
        "tree beside leaf": "YES",
        "needle near leaf": "NO",
        "tree near needle": "YES",
    }
    for name in ("o.obo", "o.json"):
        problems = Problems()
        ontology = read_ontology(tmp_path / name, problems)
        assert {triple: judged(ontology, triple) for triple in words} == words, name
        assert problems.n_dropped == (name == "o.obo")
        triples = [(t.head, t.relation, t.tail) for t in read_triples(tmp_path / name, Problems())]
        assert triples == [("needle", "isa", "leaf"), ("needle", "on", "tree")], name


def test_owl_and_obo_say_the_same_by_restrictions_and_by_relationships(tmp_path: Path) -> None:
    (tmp_path / "o.obo").write_text(
        "[Term]\nid: X:1\nname: leaf\nrelationship: BFO:0000050 X:2\nrelationship: has X:9\n"
        "\n[Term]\nid: X:2\nname: tree\n"
        "\n[Term]\nid: X:3\nname: needle\nis_a: X:1\n"
    )
    (tmp_path / "o.ttl").write_text(
        f'{PREFIXES}@prefix o: <http://purl.obolibrary.org/obo/> . o:X_1 rdfs:label "leaf" ;\n'
        "rdfs:subClassOf [ owl:onProperty o:BFO_0000050 ; owl:someValuesFrom o:X_2 ] ,\n"
        "[ owl:onProperty o:has ; owl:someValuesFrom o:X_9 ] .\n"
        'o:X_2 rdfs:label "tree" . o:X_3 rdfs:label "needle" ; rdfs:subClassOf o:X_1 .'
    )
    for name in ("o.obo", "o.ttl"):
        ontology = read_ontology(tmp_path / name, Problems())
        words = ("needle part_of tree", "X:3 part_of X:2", "X:3 has X:9", "tree part_of leaf")
        assert [judged(ontology, triple) for triple in words] == [*["YES"] * 3, None], name


def test_a_graph_beside_its_ontology_is_no_proof_of_itself(tmp_path: Path) -> None:
    (tmp_path / "g.ttl").write_text(PREFIXES + KINDS + ":tom :eats :stone .")
    assert judged(read_ontology(tmp_path / "g.ttl", Problems()), "tom eats stone") is None


def bounded(path: Path, seconds: float, mebibytes: int) -> RdfOntology:
    """Reads an ontology within processor time and memory of Python."""
    tracemalloc.start()
    started = process_time()
    try:
        ontology = read_ontology(path, Problems())
        assert tracemalloc.get_traced_memory()[1] < mebibytes * 2**20
    finally:
        tracemalloc.stop()
    assert process_time() - started < seconds
    return ontology


def test_many_disjoint_classes_are_kept_as_a_group(tmp_path: Path) -> None:
    names = " ".join(f":c{number}" for number in range(4_000))
    path = tmp_path / "o.ttl"
    path.write_text(
        f"{PREFIXES}[] a owl:AllDisjointClasses ; owl:members ( {names} ) .\n"
        ":a a :c7 . :c3999 a owl:Class ."
    )
    assert judged(bounded(path, 5, 20), "a isa c3999") == "NO"


def test_circles_and_depths_end(tmp_path: Path) -> None:
    deep = ":p rdfs:range " + "[ owl:unionOf ( :A " * 300 + ":A" + " ) ]" * 300 + " .\n"
    deep += (
        "".join(f":s{n} sh:node :s{n + 1} .\n" for n in range(2_000)) + ":s0 sh:targetClass :A ."
    )
    wide = "( " + "[ owl:intersectionOf ( :A :B ) ] " * 40 + ")"
    path = tmp_path / "o.ttl"
    path.write_text(
        f"{PREFIXES}{deep}:q rdfs:domain [ owl:unionOf {wide} ] . :q rdfs:range :A .\n"
        "_:u owl:unionOf _:l . _:l <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> _:u ;\n"
        "<http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> _:l . :r rdfs:range _:u .\n"
        "_:i owl:intersectionOf ( _:i :A ) . :A owl:equivalentClass _:i .\n"
        ":A rdfs:subClassOf :B . :B rdfs:subClassOf :A . :a a :A .\n"
        ":p rdfs:subPropertyOf :q . :q rdfs:subPropertyOf :p ; owl:inverseOf :q ."
    )
    ontology = bounded(path, 5, 60)
    assert [judged(ontology, f"a {name} a") for name in "pqr"] == ["YES", "YES", "YES"]


def test_expressions_that_share_parts_are_followed_once(tmp_path: Path) -> None:
    """Ten times the next level in each of twelve would be a million million expressions."""
    lists = [f"( {f':c{n + 1} ' * 10} )" for n in range(12)]
    levels = [f":c{n} owl:intersectionOf {of} ; owl:unionOf {of} ." for n, of in enumerate(lists)]
    path = tmp_path / "o.ttl"
    path.write_text(f"{PREFIXES}{' '.join(levels)} :p rdfs:range :c0 . :a a :c12 . :b a :x .")
    ontology = bounded(path, 5, 20)
    assert [judged(ontology, f"a p {name}") for name in "ab"] == ["YES", "NO"]


SEVERAL = """:Cat rdfs:subClassOf :Animal . :Dog rdfs:subClassOf :Animal .
:tom a :Cat , :Kept . :rex a :Dog . :oak a :Plant , :Kept . :pat a :Pet . :rock a :Stone .
_:pet owl:unionOf ( :Cat :Dog :Plant ) , ( :Kept :Wild ) . :strokes rdfs:range _:pet .
:holds rdfs:domain [ owl:unionOf ( :Animal :Plant ) ] , :Kept ; rdfs:range :Animal , :Kept .
:Pet owl:unionOf ( :Cat :Stone ) , ( :Kept :Stone ) . :walks rdfs:range :Pet .
_:both owl:unionOf ( :Cat :Dog ) ; owl:intersectionOf ( :Kept :Animal ) . :feeds rdfs:range _:both .
:Cat rdfs:subClassOf [ owl:onProperty :eats ; owl:allValuesFrom :Animal , :Kept ] .
:Stone rdfs:subClassOf [ owl:complementOf :Animal , :Plant ] .
:level rdfs:range [ owl:onDatatype xsd:integer ; owl:withRestrictions ( [ xsd:minInclusive 0 ] ) ,
  ( [ xsd:maxInclusive 9 , 5 ] ) ] . :level a owl:DatatypeProperty .
:shade rdfs:range :Shade . :Shade a rdfs:Datatype ; owl:oneOf ( "red" "blue" ) , ( "red" "green" ) .
"""


@pytest.mark.parametrize(
    ("triple", "label"),
    [
        ("tom strokes tom", "YES"),
        ("tom strokes rex", "NO"),  # of the first union alone
        ("tom strokes oak", "YES"),
        ("tom holds tom", "YES"),
        ("rex holds tom", "NO"),  # several domains are a conjunction
        ("tom holds rex", "NO"),
        ("tom holds oak", "NO"),
        ("tom walks tom", "YES"),
        ("tom walks rock", "YES"),
        ("tom walks pat", "YES"),  # by its name
        ("tom walks rex", "NO"),
        ("tom feeds tom", "YES"),
        ("tom feeds rex", "NO"),
        ("tom feeds oak", "NO"),
        ("tom eats tom", "YES"),
        ("tom eats rex", "NO"),
        ("tom eats oak", "NO"),
        ("rock same_as rex", "NO"),
        ("rock same_as oak", "NO"),
        ("tom level 3", "YES"),
        ("tom level 7", "NO"),
        ("tom level -1", "NO"),
        ("tom shade red", "YES"),
        ("tom shade blue", "NO"),
    ],
)
def test_of_several_statements_of_a_class_all_hold(
    several: RdfOntology, triple: str, label: str
) -> None:
    """One of two unions won; RDF says that both hold, whatever their order in the file."""
    assert judged(several, triple) == label


@pytest.fixture(scope="module", params=[1, -1])
def several(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> RdfOntology:
    path = tmp_path_factory.mktemp("several") / "o.ttl"
    path.write_text(
        PREFIXES + " .\n".join(SEVERAL.strip(" .\n").split(" .")[:: request.param]) + " ."
    )
    return read_ontology(path, Problems())


XML = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:o="http://x/">'


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("o.rdf", XML + "<o:A><o:p>" * 50_000),
        ("o.rdf", XML + "\n<o:A><o:p>" * 5_000 + "</o:p></o:A>" * 5_000 + "</rdf:RDF>"),
        ("o.jsonld", '{"http://x/a}":' * 50_000),
        ("o.ttl", "<a> <b> " + "<<( <a> <b> " * 50_000),
        ("o.nt", "<http://a/a> <http://a/b> " + "<<( <http://a/a> <http://a/b> " * 50_000),
    ],
)
def test_what_is_nested_too_deeply_is_refused(tmp_path: Path, name: str, text: str) -> None:
    """The parser would take hours, fill the memory, or end the process."""
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=r"line \d+: more than .* within each other"):
        bounded(path, 5, 60)


def test_long_files_and_brackets_in_texts_are_not_deep(tmp_path: Path) -> None:
    path = tmp_path / "o.rdf"
    path.write_text(XML + "<o:A/>" * 1_500 + "<!-- <a> <b> -->" * 2_000 + "</rdf:RDF>")
    bounded(path, 5, 60)
    path = tmp_path / "o.jsonld"
    path.write_text(f'{{"@id": "http://x/a", "http://x/p": "{"[{" * 2_000}"}}')
    bounded(path, 5, 60)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("o.rdf", XML + '<o:A rdf:about="http://x/a', r"o\.rdf: syntax error: tag not closed"),
        ("o.rdf", XML + "<!-- >" * 50_000, r"o\.rdf"),
        ("o.jsonld", '{"a": "' + "b" * 300_000, r"o\.jsonld"),
        ("o.jsonld", '{"a": "' + "b" * 300_000 + "\\", r"o\.jsonld"),
    ],
)
def test_a_file_that_is_cut_off_is_told_at_once(
    tmp_path: Path, name: str, text: str, words: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        bounded(path, 2, 60)


def test_blank_nodes_of_one_name_in_several_files_are_not_the_same(tmp_path: Path) -> None:
    """Programs that write N-Triples name them b0, b1, ... in every file."""
    owl, rdfs = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#"
    rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    for name, kind in (("p", "Cat"), ("q", "Rock")):
        lines = (
            f"<http://x.org/{name}> <{rdfs}domain> _:b0 .",
            f"_:b0 <{owl}unionOf> _:b1 .",
            f"_:b1 <{rdf}first> <http://x.org/{kind}> .",
            f"_:b1 <{rdf}rest> <{rdf}nil> .",
            f"<http://x.org/my_{kind}> <{rdf}type> <http://x.org/{kind}> .",
        )
        (tmp_path / f"{name}.nt").write_text("\n".join(lines))
    ontology = read_ontology(tmp_path, Problems())
    assert [judged(ontology, f"my_Cat {name} my_Cat") for name in "pq"] == ["YES", "NO"]
    assert [judged(ontology, f"my_Rock {name} my_Cat") for name in "pq"] == ["NO", "YES"]


def test_a_datatype_without_a_name_is_called_as_what_it_restricts(ontology: RdfOntology) -> None:
    """The id of its node is another one at each reading; it stood in reasons and prompts."""
    verdict = judge_types(Triple(head="fang", relation="legs", tail="4"), ontology)
    assert verdict.reason.endswith("4 (Literal, integer, string)")
    shown = ontology_entry(Triple(head="fang", relation="legs", tail="x"), ontology)
    assert "integer" in str(shown)
    assert not re.search(r"[0-9a-f]{16}", str(shown))
