"""Graphs in the forms that tools publish them in: read with one command, or refused with an option
that reads them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.triples import read_triples

RYE = ("rye", "isa", "cereal")
OAT = ("oat", "grows in", "Norway")
NODES = [{"id": "n7", "name": "rye"}, {"id": "n8", "name": "cereal"}]
QUOTED = {"evidence": {"quote": "Rye is a cereal."}}
WRITTEN = {"isa": "isa", "IsA": "isa"}


def read(path: Path, **options: object) -> list[Triple]:
    return list(read_triples(path, Problems(), **options))  # type: ignore[arg-type]


def parts(triples: list[Triple]) -> set[tuple[str, str, str]]:
    return {(t.head, WRITTEN.get(t.relation, t.relation), t.tail) for t in triples}


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Writes files, and returns the first."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / next(iter(files))


def edge(head: object, relation: str, tail: object) -> dict[str, object]:
    return {"source": {"id": head}, "target": {"id": tail}, "type": relation}


FORMS: Mapping[str, Mapping[str, str]] = {
    "LangChain": {
        "g.json": json.dumps(
            [{"nodes": [{"id": "rye", "type": "Plant"}], "relationships": [edge(*RYE)]}]
        )
    },
    "a LangChain document alone": {
        "g.json": json.dumps(
            {"nodes": [{"id": "rye", "type": "Plant"}], "relationships": [edge(*RYE)]}
        )
    },
    "OpenIE of HippoRAG": {
        "o.json": json.dumps({"docs": [{"passage": "Rye.", "extracted_triples": [RYE]}]})
    },
    "a llama-index store": {
        "p.json": json.dumps(
            {
                "nodes": {"rye": {"name": "rye", "label": "PLANT"}},
                "relations": {"isa": {"label": "isa", "source_id": "rye", "target_id": "cereal"}},
                "triplets": [RYE],
            }
        )
    },
    "the older llama-index store": {
        "s.json": json.dumps({"graph_dict": {"rye": [["isa", "cereal"]]}})
    },
    "iText2KG": {
        "k.json": json.dumps(
            {
                "entities": [{"label": "Plant", "name": "rye"}],
                "relationships": [
                    {"name": "isa", "startEntity": {"name": "rye"}, "endEntity": {"name": "cereal"}}
                ],
            }
        )
    },
    "Neo4j's loader": {
        "r.csv": ":START_ID(P),:END_ID(P),:TYPE\nn7,n8,isa\n",
        "n.csv": "plant:ID(P),name:string,:LABEL\nn7,rye,P\nn8,cereal,P\n",
    },
    "APOC": {
        "a.json": '{"type":"node","id":"n7","properties":{"title":"rye"}}\n'
        '{"type":"node","id":"n8","properties":{"name":"cereal"}}\n'
        '{"type":"relationship","id":"1","label":"isa","start":{"id":"n7"},"end":{"id":"n8"}}\n'
    },
    "APOC's CSV": {
        "a.csv": "_id,_labels,name,_start,_end,_type\n7,:P,rye,,,\n8,:P,cereal,,,\n,,,7,8,isa\n"
    },
    "Neo4j's browser": {
        "q.json": json.dumps(
            [
                {
                    "a": {"identity": 7, "properties": {"name": "rye"}},
                    "r": {"start": 7, "end": 8, "type": "isa"},
                    "b": {"identity": 8, "properties": {"name": "cereal"}},
                }
            ]
        )
    },
    "an alignment": {
        "a.rdf": """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
xmlns="http://knowledgeweb.semanticweb.org/heterogeneity/alignment"><Cell>
<entity1 rdf:resource="http://x.org/rye"/><relation>&lt;</relation>
<entity2 rdf:resource="http://x.org/cereal"/><measure>0.5</measure></Cell></rdf:RDF>"""
    },
    "spans beside the numbers of entities": {
        "s.json": json.dumps(
            [
                {
                    "tokens": "Rye is a cereal.",
                    "relations": [
                        {
                            "head": 1,
                            "tail": 0,
                            "type": "isa",
                            "head_span": "rye",
                            "tail_span": "cereal",
                        }
                    ],
                }
            ]
        )
    },
    "a label of one end beside its id": {
        "s.tsv": "subject_id\tpredicate_id\tobject_id\tsubject_label\nM:0007\tisa\tcereal\trye\n"
    },
    "a quote within the evidence": {
        "e.json": json.dumps([{"source": "rye", "target": "cereal", "relation": "isa"} | QUOTED])
    },
    "columns with the numbers 1 and 2": {"n.csv": "plant_1,rel_type,plant_2\nrye,isa,cereal\n"},
    "three columns of which one has a name of its own": {
        "t.csv": "SUBJECT,RELATION,OBJECT_PROPERTY\nrye,isa,cereal\n"
    },
    "names in angle brackets": {"y.csv": "head,predicate,tail\n<rye>,<isa>,<cereal>\n"},
    "KGTK": {
        "k.tsv": "id\tnode1\tlabel\tnode2\ne1\tQ7\tP31\tQ8\nl1\tQ7\tlabel\t'rye'@en\n"
        "l2\tQ8\tlabel\t'Getreide'@de\nl3\tQ8\tlabel\t'cereal'@en\nl4\tP31\tlabel\t'isa'@en\n"
    },
    "KGTK with labels apart": {
        "e.tsv": "node1\tlabel\tnode2\nQ7\tP31\tQ8\n",
        "l.tsv": "node1\tlabel\tnode2\nQ7\tlabel\t'rye'@en\nQ8\tlabel\t'cereal'@en\n"
        "P31\tlabel\t'isa'@en\n",
    },
    "Hetionet": {
        "h.json": json.dumps(
            {
                "metanode_kinds": ["Plant"],
                "nodes": [
                    {"kind": "Plant", "identifier": 7, "name": "rye"},
                    {"kind": "Plant", "identifier": 8, "name": "cereal"},
                ],
                "edges": [{"source_id": ["Plant", 7], "target_id": ["Plant", 8], "kind": "isa"}],
            }
        )
    },
    "Hetionet's sif": {
        "e.sif": "source\tmetaedge\ttarget\nPlant::7\tisa\tPlant::8\n",
        "n.tsv": "id\tname\tkind\nPlant::7\trye\tPlant\nPlant::8\tcereal\tPlant\n",
    },
    "PrimeKG": {
        "k.csv": "relation,display_relation,x_index,x_name,y_index,y_name\np_p,isa,7,rye,8,cereal\n"
    },
    "ConceptNet": {
        "c.csv": '/a/[/r/IsA/,/c/en/rye/]\t/r/IsA\t/c/en/rye/n\t/c/en/cereal\t{"weight": 1.0}\n'
    },
    "REBEL": {"r.json": json.dumps([{"head": "rye", "type": "isa", "tail": "cereal"}])},
    "T-REx": {
        "t.json": json.dumps(
            [
                {
                    "triples": [
                        {
                            "subject": {"surfaceform": "rye", "uri": "Q7"},
                            "predicate": {"surfaceform": "isa"},
                            "object": {"surfaceform": "cereal", "uri": "Q8"},
                        }
                    ]
                }
            ]
        )
    },
    "triples without a head": {"t.txt": "rye\tisa\tcereal\n"},
    "triples with blanks between": {"t.txt": "rye isa cereal\n"},
    "ids of Freebase with names beside": {
        "t.txt": "/m/07\tisa\t/m/08\n",
        "entity2text.txt": "/m/07\trye\n/m/08\tcereal\n",
    },
    "senses of WordNet": {"t.txt": "rye.n.01\tisa\tcereal.n.01\n"},
    "networkx": {
        "n.json": json.dumps(
            {"nodes": NODES, "links": [{"source": "n7", "target": "n8", "relation": "isa"}]}
        )
    },
    "links by place": {
        "d.json": json.dumps(
            {
                "nodes": [{"name": "rye"}, {"name": "cereal"}],
                "links": [{"source": 0, "target": 1, "label": "isa"}],
            }
        )
    },
    "Cytoscape": {
        "c.json": json.dumps(
            {
                "elements": {
                    "nodes": [{"data": node} for node in NODES],
                    "edges": [{"data": {"source": "n7", "target": "n8", "interaction": "isa"}}],
                }
            }
        )
    },
    "nodes among the edges, by line": {
        "all.json": "\n".join(
            json.dumps(row)
            for row in (
                {"type": "node", "id": "0", "properties": {"symbol": "rye"}},
                {"type": "node", "id": "1", "properties": {"name": "cereal"}},
                {
                    "type": "edge",
                    "id": "0",
                    "label": "isa",
                    "start": {"id": "0"},
                    "end": {"id": "1"},
                },
            )
        )
    },
    "names of ends and relations beside": {
        "t.txt": "Q7\tP1\tQ8\nQ7\tP1\tQ8\n",
        "entity.txt": "Q7\trye\nQ8\tcereal\tgrain\tcereals\n",
        "relations.json": json.dumps({"P1": {"label": "isa", "description": "what it is"}}),
    },
    "nodes by kind beside, whose ids are readable": {
        "edges.csv": "~id,~from,~to,~label\ne1,plant_rye,kind_cereal,isa\n",
        "kinds.csv": "~id,~label,name\nkind_cereal,Kind,cereal\nkind_nut,Kind,nut\n",
        "plants.csv": "~id,~label,name\nplant_rye,Plant,rye\nplant_oat,Plant,oat\n",
    },
    "types of nodes beside": {
        "t.txt": "rye\tisa\tcereal\n",
        "nodes.csv": "rye,PLANT\ncereal,PLANT\noat,PLANT\n",
    },
    "the ids of facts before them": {
        "t.tsv": "id\tnode1\tlabel\tnode2\tnode1;label\tlabel;label\tnode2;label\n"
        "e1\tQ7\tP1\tcereal\trye\tisa\t\ne2\tQ7\tP1\tQ8\trye\tisa\tcereal\n"
    },
    "edges in a list that is empty at first": {
        "d.jsonl": json.dumps({"text": "Rye.", "relations": []})
        + "\n"
        + json.dumps({"relations": [{"head": "rye", "type": "isa", "tail": "cereal"}]})
    },
    "ends called by what they are": {
        "k.json": json.dumps(
            {
                "nodes": [{"name": "rye", "domain": "plants", "source": "a list"}],
                "relationships": [
                    {"source_crop": "rye", "target_crop": "cereal", "relationship_type": "isa"}
                ],
            }
        )
    },
    "labels that are types beside names": {
        "k.json": json.dumps(
            {
                "nodes": [
                    {"id": "n7", "label": "Plant", "properties": {"name": "rye"}},
                    {"id": "cereal", "label": "Kind", "properties": {"index": 0}},
                ],
                "relationships": [{"start_node_id": "n7", "end_node_id": "cereal", "type": "isa"}],
            }
        )
    },
    "JSON-LD in JSON": {
        "g.json": json.dumps([{"@id": "http://x.org/rye", "@type": ["http://x.org/cereal"]}])
    },
    "N3": {"g.n3": "<http://x.org/rye> a <http://x.org/cereal> ."},
    "an object as tail": {
        "o.json": json.dumps(
            [{"head": "rye", "relation": "isa", "tail": {"name": "cereal", "id": "n8"}}]
        )
    },
    "an object as tail, among texts": {
        "o.jsonl": json.dumps({"head": "rye", "relation": "isa", "tail": {"label": "cereal"}})
        + "\n"
        + json.dumps({"head": "rye", "relation": "isa", "tail": "cereal"})
    },
    "objects in a list as tails": {
        "o.json": json.dumps([{"head": "rye", "relation": "isa", "tail": [{"name": "cereal"}]}])
    },
    "an object written into a cell": {
        "t.csv": 'id,triple\n1,"{""head"": ""rye"", ""relation"": ""isa"", ""tail"": ""cereal""}"\n'
    },
    "objects of a database written into cells": {
        "t.csv": "n,r,m\n"
        '"{""identity"": 7, ""properties"": {""name"": ""rye""}}",'
        '"{""start"": 7, ""end"": 8, ""type"": ""isa""}",'
        '"{""identity"": 8, ""properties"": {""name"": ""cereal""}}"\n'
    },
    "a list in a cell": {"t.csv": "id,triples\n1,\"[('rye', 'isa', 'cereal')]\"\n"},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_published_form_is_read_without_an_option(form: str, tmp_path: Path) -> None:
    path = write(tmp_path, FORMS[form])
    assert parts(read(path)) == {RYE}


def options_in(message: str) -> list[dict[str, str]]:
    """Returns the columns of each way to read a file that a message names."""
    ways = re.findall(r"(?:--column (?:'[^']*'|[^\s;]+)\s?)+", message)
    columns = []
    for way in ways:
        words = shlex.split(way.replace("--column ", "").rstrip(" ."))
        columns.append(dict(word.split("=", 1) for word in words))
    return columns


@pytest.mark.parametrize(
    "files",
    [
        {"u.csv": "plant,place,kind\noat,Norway,grows in\n"},
        {"u.csv": "plant,wie,wo\noat,grows in,Norway\n"},
        {"u.csv": "n.name,type(r),m.name\noat,grows in,Norway\n"},
        {
            "u.json": json.dumps(
                [{"entity": "oat", "to": [{"entity": "Norway", "rel": "grows in"}]}]
            )
        },
        {"u.csv": "source,target,wie\noat,Norway,grows in\n"},
    ],
)
def test_what_cannot_be_told_is_refused_and_each_option_of_the_message_reads_it(
    files: Mapping[str, str], tmp_path: Path
) -> None:
    path = write(tmp_path, files)
    with pytest.raises(InputError) as error:
        read(path)
    ways = options_in(str(error.value))
    results = [parts(read(path, columns=columns)) for columns in ways]
    assert all(results)
    assert any(OAT in result for result in results), (str(error.value), results)


def test_a_column_of_one_value_is_no_end_unless_the_user_says_so(tmp_path: Path) -> None:
    rows = "".join(
        f"herb {a},eases,ache {b},a book\n" for a, b in ("12", "21", "34", "43", "15", "52")
    )
    path = write(tmp_path, {"t.csv": f"drug,relation,target,source\n{rows}"})
    with pytest.raises(InputError, match="--column head=drug; or --column head=source"):
        read(path)
    assert read(path, columns={"head": "drug"})[0].head == "herb 1"
    assert read(path, columns={"head": "source"})[0].head == "a book"


def test_all_rows_may_have_one_tail(tmp_path: Path) -> None:
    rows = "".join(f"herb {n},isa,plant,seen\n" for n in range(9))
    path = write(tmp_path, {"t.csv": f"head,relation,tail,note\n{rows}"})
    assert len(read(path)) == 9


def test_a_table_of_nodes_that_is_named_must_have_the_ends(tmp_path: Path) -> None:
    files = {"e.csv": "from,to,type\nn7,n8,isa\n", "x.csv": "id,name\nm1,oat\n"}
    path = write(tmp_path, files)
    assert parts(read(path)) == {("n7", "isa", "n8")}
    with pytest.raises(InputError, match="names 0% of the heads and tails"):
        read(path, nodes=[tmp_path / "x.csv"])
    nodes = write(tmp_path, {"far.csv": "id,name\nn7,rye\nn8,cereal\n"})
    (triple,) = read(path, nodes=[nodes])
    assert (triple.head, triple.head_id) == ("rye", "n7")


def test_several_tables_of_nodes_may_be_named(tmp_path: Path) -> None:
    """One has the plants, the other the countries, of which the first 2,000 edges name none."""
    edges = ["from,to,type"] + ["n7,n8,isa"] * 2_000 + ["n9,c1,grows in"]
    path = write(tmp_path, {"e.csv": "\n".join(edges)})
    folder = tmp_path / "far"
    folder.mkdir()
    plants = write(folder, {"plants.csv": "id,name\nn7,rye\nn8,cereal\nn9,oat\n"})
    countries = write(folder, {"countries.csv": "id,name\nc1,Norway\n"})
    assert parts(read(path, nodes=[plants, countries])) == {RYE, OAT}
    with pytest.raises(InputError, match=r"countries\.csv: names 0% of"):
        read(write(tmp_path, {"f.csv": "from,to,type\nn7,n8,isa\n"}), nodes=[countries])
    other = write(folder, {"other.csv": "id,name\nn8,wolf\n"})
    with pytest.raises(InputError, match=r"'n8' in two ways.*plants\.csv; or .*other\.csv"):
        read(path, nodes=[plants, other])


def test_numbers_that_another_table_has_too_name_no_nodes(tmp_path: Path) -> None:
    """The ids of customers are not those of nodes, though both are counted from 1."""
    files = {
        "e.csv": "source,relation,target\n1,isa,2\n3,isa,40\n41,isa,42\n",
        "customers.csv": "id,name\n1,Ada\n2,Bob\n3,Cem\n",
    }
    assert ("1", "isa", "2") in parts(read(write(tmp_path, files)))


def test_two_tables_that_name_a_node_otherwise_are_refused(tmp_path: Path) -> None:
    files = {
        "e.csv": "source,relation,target\nn7,isa,n8\n",
        "a.csv": "id,name\nn7,rye\nn8,cereal\n",
        "b.csv": "id,name\nn7,wolf\nn8,animal\n",
    }
    path = write(tmp_path, files)
    with pytest.raises(InputError, match=r"in two ways.*--nodes .*a\.csv; or --nodes .*b\.csv"):
        read(path)
    assert parts(read(path, nodes=[tmp_path / "b.csv"])) == {("wolf", "isa", "animal")}


def test_two_lists_of_edges_are_refused_and_each_can_be_named(tmp_path: Path) -> None:
    lists = {
        name: [{"source": head, "relation": "isa", "target": "x"}]
        for name, head in (("mined", "a"), ("known", "b"))
    }
    path = write(tmp_path, {"g.json": json.dumps(lists)})
    with pytest.raises(InputError, match="several lists of edges") as error:
        read(path)
    results = [parts(read(path, columns=columns)) for columns in options_in(str(error.value))]
    assert results == [{("a", "isa", "x")}, {("b", "isa", "x")}]


def test_cells_missing_at_the_end_of_a_line_are_empty(tmp_path: Path) -> None:
    path = write(tmp_path, {"t.tsv": "head\trelation\ttail\tnote\nrye\tisa\tcereal\n"})
    assert parts(read(path)) == {RYE}


def test_cells_missing_at_the_end_of_a_row_are_empty_and_counted(tmp_path: Path) -> None:
    """A short row is a triple where head, relation and tail are there; else it is left out."""
    path = tmp_path / "edges.csv"
    rows = "rye,isa,cereal\noat,grows in,Norway,Oat grows in Norway.,7\nrye,isa\n"
    path.write_text(f"head,relation,tail,passage,pmid\n{rows}", "utf-8")
    problems = Problems()
    triples = list(read_triples(path, problems))
    assert parts(triples) == {RYE, OAT}
    assert [triple.passage for triple in triples] == [None, "Oat grows in Norway."]
    assert problems.odd["cells missing at the end of a row"] == 2
    assert problems.dropped == {"no tail": 1}


def test_names_of_nodes_in_another_encoding_are_counted(tmp_path: Path) -> None:
    """A file of nodes that is not UTF-8 ends no run; its broken names are told, the others used."""
    path = tmp_path / "edges.csv"
    path.write_text("source_id,type,target_id\nn7,isa,n8\nn8,grows in,n9\n", "utf-8")
    nodes = "id,name\nn7,rye\nn8,cereal\nn9,Köln\n"
    (tmp_path / "nodes.csv").write_bytes(nodes.encode("cp1252"))
    problems = Problems()
    assert RYE in parts(list(read_triples(path, problems)))
    assert problems.odd == {"name of a node with broken characters": 1}


def test_dates_are_no_relations(tmp_path: Path) -> None:
    """Two columns of ids and one of dates are friends since then, and no triples."""
    path = tmp_path / "friends.csv"
    rows = [
        f"5d6435759cc7416c{n:04}8fb1,8141c00c942941cb{n:04}9782,1996-06-{n:02}" for n in range(1, 9)
    ]
    path.write_text("\n".join(rows), "utf-8")
    with pytest.raises(InputError, match="No other column can be it"):
        read(path)


def test_a_label_in_a_column_called_context_is_no_passage(tmp_path: Path) -> None:
    """Words for a condition are not the text that a triple was drawn from."""
    rows = [
        {"subject": f"rye {n}", "predicate": "isa", "object": "cereal", "context": f"field_{n}"}
        for n in range(6)
    ]
    path = tmp_path / "g.json"
    path.write_text(json.dumps(rows), "utf-8")
    assert {triple.passage for triple in read(path)} == {None}
    for row in rows:
        row["context"] = "Rye is a cereal."
    path.write_text(json.dumps(rows), "utf-8")
    assert {triple.passage for triple in read(path)} == {"Rye is a cereal."}
