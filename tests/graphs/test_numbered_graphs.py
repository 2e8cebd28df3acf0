"""Graphs by numbers and ids of a set: OpenKE's folders, Wikidata's JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.triples import read_triples

ENTITIES = {"rye": 0, "cereal": 1, "oat": 2, "Norway": 3}
RELATIONS = {"isa": 0, "grows in": 1}


def read(path: Path, problems: Problems | None = None) -> list[Triple]:
    return list(read_triples(path, problems or Problems()))


def parts(path: Path) -> list[tuple[str, str, str]]:
    return [(t.head, t.relation, t.tail) for t in read(path)]


def names_beside(folder: Path) -> None:
    for name, numbers in (("entity2id.txt", ENTITIES), ("relation2id.txt", RELATIONS)):
        lines = [f"{word}\t{number}" for word, number in numbers.items()]
        (folder / name).write_text("\n".join([str(len(numbers)), *lines]), "utf-8")


def test_a_folder_of_openke_has_head_tail_and_relation(tmp_path: Path) -> None:
    names_beside(tmp_path)
    path = tmp_path / "train2id.txt"
    path.write_text("2\n0 1 0\n2 3 1\n", "utf-8")
    assert parts(path) == [("rye", "isa", "cereal"), ("oat", "grows in", "Norway")]


def test_which_column_numbers_relations_is_seen_by_their_numbers(tmp_path: Path) -> None:
    """Sets with times write head, relation, tail, time; entities go on where relations end."""
    names_beside(tmp_path)
    path = tmp_path / "train.txt"
    path.write_text("0\t0\t1\t24\n2\t1\t3\t48\n", "utf-8")
    assert parts(path) == [("rye", "isa", "cereal"), ("oat", "grows in", "Norway")]
    path.write_text("0\t7\t9\t24\n", "utf-8")
    with pytest.raises(InputError, match="neither its second nor its third column"):
        read(path)


def test_numbers_may_have_blanks_around_and_names_times_behind(tmp_path: Path) -> None:
    (tmp_path / "entity2id.txt").write_text("rye\t0\t1913-##-##\ncereal\t1\t####-##-##\n")
    (tmp_path / "relation2id.txt").write_text("isa\t0\nhas\t1\n")
    path = tmp_path / "test.txt"
    path.write_text("0  \t0   \t1  \t24\n", "utf-8")
    assert parts(path) == [("rye", "isa", "cereal")]


def test_the_files_of_a_folder_may_be_in_another_encoding(tmp_path: Path) -> None:
    for name, text in (("entity2id.txt", "Ähre\t0\nrye\t1\n"), ("relation2id.txt", "of\t0\n")):
        (tmp_path / name).write_text(text, "cp1252")
    path = tmp_path / "train2id.txt"
    path.write_text("1\n0 1 0\n", "cp1252")
    named = read_triples(path, Problems(), encoding="cp1252")
    assert [(t.head, t.relation, t.tail) for t in named] == [("Ähre", "of", "rye")]
    problems = Problems()
    assert [t.head for t in read(path, problems)] == ["0"]
    assert "--encoding cp1252" in next(iter(problems.examples.values()))[0]
    for file in tmp_path.iterdir():
        file.write_text(file.read_text("cp1252"), "utf-16")
    assert parts(path) == [("Ähre", "of", "rye")]


def snak(prop: str, kind: str, value: object) -> dict[str, object]:
    data = {"type": kind, "value": value}
    return {"mainsnak": {"snaktype": "value", "property": prop, "datavalue": data}}


ITEM = {
    "id": "Q1",
    "labels": {"de": {"value": "Roggen"}, "en": {"value": "rye"}},
    "claims": {
        "P31": [
            snak("P31", "wikibase-entityid", {"entity-type": "item", "numeric-id": 2}),
            {**snak("P31", "wikibase-entityid", {"id": "Q9"}), "rank": "deprecated"},
            {"mainsnak": {"snaktype": "novalue", "property": "P31"}},
        ],
        "P571": [snak("P571", "time", {"time": "+1869-00-00T00:00:00Z"})],
        "P2067": [snak("P2067", "quantity", {"amount": "+3"})],
    },
}
OTHERS = [
    {"id": "Q2", "labels": {"fr": {"value": "céréale"}}, "claims": {}},
    {"id": "P31", "labels": {"en": {"value": "isa"}}, "claims": {}},
]


@pytest.mark.parametrize("form", ["dump", "lines", "of the API", "list"])
def test_wikidata_has_the_names_of_its_own_labels(form: str, tmp_path: Path) -> None:
    entities = [ITEM, *OTHERS]
    lines = [json.dumps(entity, ensure_ascii=False) for entity in entities]
    text = {
        "dump": "[\n" + ",\n".join(lines) + "\n]\n",
        "lines": "\n".join(lines),
        "of the API": json.dumps({"entities": {str(e["id"]): e for e in entities}}, indent=1),
        "list": json.dumps(entities, indent=1),
    }[form]
    path = tmp_path / "w.json"
    path.write_text(text, "utf-8")
    problems = Problems()
    triples = read(path, problems)
    path.write_text(text, "utf-16")
    assert read(path) == triples
    assert [(t.head, t.relation, t.tail) for t in triples] == [
        ("rye", "isa", "céréale"),
        ("rye", "P571", "1869"),
        ("rye", "P2067", "3"),
    ]
    assert (triples[0].head_id, triples[0].tail_id) == ("Q1", "Q2")
    assert sum(problems.dropped.values()) == 2


def test_a_text_that_names_both_ends_is_the_passage(tmp_path: Path) -> None:
    """`input` may be anything; it is a passage where the rows show it, and else none."""
    path = tmp_path / "t.jsonl"
    for text, passage in (("Rye is a cereal.", "Rye is a cereal."), ("Say what is true.", None)):
        row = {"input": text + " " * 20, "subject": "rye", "relation": "isa", "object": "cereal"}
        path.write_text(json.dumps(row), "utf-8")
        assert [triple.passage for triple in read(path)] == [passage]


def test_a_small_table_that_names_all_tails_is_read_with_the_graph(tmp_path: Path) -> None:
    """Each kind of node may have its table: a few hundred fields of trade, thousands of firms."""
    firms = [f"60{n:04}" for n in range(40)]
    edges = [
        "firm_id,type,trade_id",
        *(f"{firm},trades in,t{n % 3}77777" for n, firm in enumerate(firms)),
    ]
    (tmp_path / "e.csv").write_text("\n".join(edges), "utf-8")
    (tmp_path / "firms.csv").write_text("\n".join(["id,name", *(f"{f},Firm {f}" for f in firms)]))
    (tmp_path / "trades.csv").write_text("id,name\nt077777,Tea\nt177777,Tin\nt277777,Oil\n")
    columns = {"head": "firm_id", "tail": "trade_id"}
    triples = list(read_triples(tmp_path / "e.csv", Problems(), columns=columns))
    assert (triples[0].head, triples[0].tail) == ("Firm 600000", "Tea")
    assert {triple.tail for triple in triples} == {"Tea", "Tin", "Oil"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.tsv", "id\tname\nQ1\trye\nQ2\tcereal\nP31\tis a kind of\n"),
        ("labels.csv", "iri,label\nhttp://x.org/Q1,rye\nhttp://x.org/Q2,cereal\n"),
        (
            "labels.nt",
            '<http://x.org/Q1> <http://www.w3.org/2000/01/rdf-schema#label> "rye"@en .\n'
            '<http://x.org/Q2> <http://www.w3.org/2000/01/rdf-schema#label> "cereal" .\n',
        ),
    ],
)
def test_labels_of_rdf_may_stand_in_another_file(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "g.nt"
    path.write_text("<http://x.org/Q1> <http://x.org/P31> <http://x.org/Q2> .\n", "utf-8")
    labels = tmp_path / name
    labels.write_text(text, "utf-8")
    (triple,) = read_triples(path, Problems(), nodes=[labels])
    assert (triple.head, triple.tail, triple.head_id) == ("rye", "cereal", "http://x.org/Q1")
    labels.write_text(text.replace("Q", "R"), "utf-8")
    if name == "labels.csv":
        with pytest.raises(InputError, match="names 0% of the heads and tails"):
            list(read_triples(path, Problems(), nodes=[labels]))
