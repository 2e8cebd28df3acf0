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
