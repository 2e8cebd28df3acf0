"""GraphML and GEXF: as LightRAG has networkx write it, as others do, and as nobody should."""

from __future__ import annotations

import json

import pytest

import graphs_data
from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import claim
from factmark.graphs.triples.edges import LIGHTRAG_CHUNKS, lightrag_chunks
from graphs_data import parts

HEAD = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns \
http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
"""
LIGHTRAG = (
    HEAD
    + """  <key id="d8" for="edge" attr.name="source_id" attr.type="string" />
  <key id="d7" for="edge" attr.name="keywords" attr.type="string" />
  <key id="d6" for="edge" attr.name="description" attr.type="string" />
  <key id="d5" for="edge" attr.name="weight" attr.type="double" />
  <key id="d2" for="node" attr.name="description" attr.type="string" />
  <key id="d1" for="node" attr.name="entity_type" attr.type="string" />
  <key id="d0" for="node" attr.name="entity_id" attr.type="string" />
  <graph edgedefault="undirected">
    <node id="Insulin">
      <data key="d0">Insulin</data>
      <data key="d1">drug</data>
      <data key="d2">A hormone.&lt;SEP&gt;A drug.</data>
    </node>
    <node id="&quot;GLUCOSE&quot;">
      <data key="d0">"GLUCOSE"</data>
    </node>
    <edge source="Insulin" target="&quot;GLUCOSE&quot;">
      <data key="d5">9.0</data>
      <data key="d6">Insulin lowers glucose &amp; more.&lt;SEP&gt;It acts on glucose.</data>
      <data key="d7">regulation, hormone</data>
      <data key="d8">chunk-1&lt;SEP&gt;chunk-2</data>
    </edge>
    <edge source="&quot;GLUCOSE&quot;" target="Insulin">
      <data key="d5">1.0</data>
      <data key="d7">releases</data>
    </edge>
  </graph>
</graphml>
"""
)


@pytest.fixture
def read(tmp_path):
    path = tmp_path / "graph_chunk_entity_relation.graphml"
    return lambda text, **options: graphs_data.read(path, text, **options)


def graph(edges: str, keys: str = "", kind: str = "directed") -> str:
    return f'{HEAD}{keys}<graph edgedefault="{kind}">{edges}</graph></graphml>'


def test_lightrag_with_its_chunks(read, tmp_path):
    chunks = {"chunk-1": {"tokens": 3, "content": "One.", "full_doc_id": "d"}, "chunk-3": {}}
    (tmp_path / LIGHTRAG_CHUNKS).write_text(json.dumps(chunks))
    triples, problems = read(LIGHTRAG)
    assert parts(triples) == [
        ("Insulin", "related_to", "GLUCOSE"),
        ("Insulin", "related_to", "GLUCOSE"),
        ("GLUCOSE", "releases", "Insulin"),
    ]
    assert claim(triples[0]) == "Insulin lowers glucose & more. It acts on glucose."
    assert [(t.passage_id, t.passage) for t in triples] == [
        ("chunk-1", "One."),
        ("chunk-2", None),
        ("", None),
    ]
    first = triples[0]
    assert (first.where, first.confidence, first.head_id, first.tail_id) == (
        "line 19",
        None,
        "",
        '"GLUCOSE"',
    )
    assert problems.odd == {"unknown passage": 1, "passage without text": 1}
    assert problems.rows == 2


def test_a_folder_of_lightrag(read, tmp_path):
    read(LIGHTRAG)
    assert len(graphs_data.read(tmp_path)[0]) == 3


def test_a_plain_graph_with_labels_defaults_and_a_multigraph(read):
    keys = """<key id="n" for="node" attr.name="label" attr.type="string"/>
    <key id="r" for="edge" attr.name="Relation" attr.type="string"><default>isa</default></key>
    <key id="c" for="edge" attr.name="confidence" attr.type="double"/>
    <key id="p" for="edge" attr.name="pmid" attr.type="string"/>"""
    triples, problems = read(
        graph(
            """<edge source="n0" target="n1" id="e0"/>
            <node id="n0"><data key="n">insulin</data></node>
            <node id="n1"><data key="n"> hormone </data></node>
            <edge source="n0" target="n1" id="e1"><data key="r">acts_as</data>
              <data key="c">0.25</data><data key="p">123</data></edge>
            <edge source="n0" target="nowhere"><data key="c">high</data></edge>
            <edge source="n0" target=""/>""",
            keys,
        )
    )
    assert parts(triples) == [
        ("insulin", "isa", "hormone"),
        ("insulin", "acts_as", "hormone"),
        ("insulin", "isa", "nowhere"),
    ]
    second = triples[1]
    assert (second.id, second.confidence, second.passage_id) == ("e1", 0.25, "123")
    assert (second.head_id, second.tail_id) == ("n0", "n1")
    assert problems.odd == {"confidence is no number": 1}
    assert problems.dropped == {"no tail": 1}


def test_attributes_of_ones_own(read):
    keys = '<key id="a" for="all" attr.name="Rôle"/><key id="b" for="node" attr.name="kurz"/>'
    text = graph(
        '<node id="1"><data key="b">x</data></node><node id="2"><data key="b">y</data></node>'
        '<edge source="1" target="2"><data key="a">causes</data></edge>',
        keys,
    )
    assert parts(read(text, columns={"relation": "rôle", "head": "kurz"})[0]) == [
        ("x", "causes", "y")
    ]
    with pytest.raises(InputError, match="no field 'verb' to map"):
        read(text, columns={"verb": "rôle"})


def test_a_label_beside_a_name_is_a_type(read):
    keys = '<key id="l" for="all" attr.name="label"/><key id="n" for="node" attr.name="name"/>'
    text = graph(
        '<node id="1"><data key="l">Drug</data><data key="n">insulin</data></node>'
        '<node id="2"><data key="l">Fever</data><data key="n">fever</data></node>'
        '<edge source="1" target="2"><data key="l">TREATS</data></edge>',
        keys,
    )
    triples, problems = read(text)
    assert parts(triples) == [("insulin", "TREATS", "fever")]
    assert not any("have their names" in remark for remark in problems.remarks)
    triples, problems = read(text, columns={"head": "label"})
    assert parts(triples) == [("Drug", "TREATS", "Fever")]
    assert problems.odd == {}


EDGE = '<edge source="{}" target="{}" label="KNOWS"/>'


@pytest.mark.parametrize(
    ("text", "triples", "odd"),
    [
        (
            graph('<node id="a"/><node id="b"/>' + EDGE.format("a", "b") * 3, kind="undirected"),
            [("a", "KNOWS", "b")] * 3,
            {"undirected graph": 1},
        ),
        (
            graph('<node id="a"/><node id="b"/><edge source="a" target="b"/>'),
            [("a", "related_to", "b")],
            {"edge without words": 1},
        ),
    ],
    ids=["told once", "kept and told"],
)
def test_what_is_odd_is_told(read, text, triples, odd):
    found, problems = read(text)
    assert parts(found) == triples
    assert problems.odd == odd


BOMB = '<!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>\n' + HEAD.split("\n", 1)[1]
REFUSED = {
    "line 1: a document type": BOMB + "<graph><node id='&b;'/></graph></graphml>",
    "line 2: a document type": "<?xml version='1.0'?>\n<!DOCTYPE g SYSTEM 'file:///etc/passwd'><g/>",
    "line 1: is no GraphML or GEXF": "<svg><graph/></svg>",
    "line 3: no XML: mismatched tag": HEAD.rstrip("\n").replace("?>\n", "?>\n\n") + "<graph></x>",
    "no XML: no element found": HEAD + "<graph><node id='a'>",
    "more than 100 deep": HEAD + "<graph><node id='a'>" * 101,
    "hyperedge": graph("<hyperedge/>"),
    "no XML: undefined entity": graph("<node id='a'>&x;</node>"),
    "line 1: no XML": b"\x00\x01\x02",
    "longer than 16 MiB": HEAD + f"<graph><node id='{'x' * (2 << 20)}'",
    "a text is longer": graph(f"<edge><data key='d'>{'x' * (2 << 20)}</data></edge>"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_hostile_files_are_refused_with_their_line(read, why, monkeypatch):
    monkeypatch.setattr("factmark.graphs.formats.xml_graphs.MAX_CELL", 1 << 20)
    with pytest.raises(InputError, match=why):
        read(REFUSED[why])


@pytest.mark.parametrize("text", ["[1, 2]", "", '{"a" 1}', "{1: 2}", '{"a": ' + "[" * 99_999])
def test_chunks_that_are_no_json_object_are_refused(tmp_path, text):
    (tmp_path / LIGHTRAG_CHUNKS).write_text(text)
    with pytest.raises(InputError, match=LIGHTRAG_CHUNKS):
        lightrag_chunks(tmp_path, Problems())


GEXF = """<?xml version='1.0' encoding='utf-8'?>
<gexf xmlns="http://gexf.net/1.2draft" version="1.2"><graph defaultedgetype="directed">
<attributes class="edge"><attribute id="0" title="Verb"><default>isa</default></attribute>
  <attribute id="1" title="pmid" type="string"/></attributes>
<attributes class="node"><attribute id="0" title="name" type="string"/></attributes>
<nodes><node id="n1" label="n1"><attvalues><attvalue for="0" value="insulin"/></attvalues></node>
  <node id="n2" label="n2"><attvalues><attvalue for="0" value="glucose"/></attvalues></node></nodes>
<edges><edge id="0" source="n1" target="n2" weight="2"><attvalues>
    <attvalue for="0" value="lowers"/><attvalue for="1" value="12"/></attvalues></edge>
  <edge id="1" source="n1" target="n2"/></edges></graph></gexf>"""


def test_gexf_has_the_names_of_its_nodes_and_the_defaults_of_its_edges(tmp_path):
    path = tmp_path / "g.gexf"
    triples, _ = graphs_data.read(path, GEXF)
    assert parts(triples) == [("insulin", "lowers", "glucose"), ("insulin", "isa", "glucose")]
    assert [(t.head_id, t.id, t.passage_id) for t in triples] == [
        ("n1", "0", "12"),
        ("n1", "1", ""),
    ]
    assert triples[0].where == "line 8"
    unsaid, problems = graphs_data.read(path, GEXF.replace("Verb", "thickness"))
    assert [t.relation for t in unsaid] == ["related_to", "related_to"]
    assert problems.odd == {"edge without words": 2}


def test_an_attribute_of_edges_that_is_called_edge_is_the_relation(read):
    keys = '<key id="r" for="edge" attr.name="edge"/>'
    edges = '<edge source="a" target="b"><data key="r">{}</data></edge>'
    assert read(graph(edges.format("shot"), keys))[0][0].relation == "shot"
    assert read(graph(edges.format("edge"), keys))[0][0].relation == "related_to"
