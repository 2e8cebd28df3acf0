"""A reading of a table as triples that its rows contradict is refused, with options that work."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from factmark.errors import InputError
from factmark.files.problems import Problems
from factmark.graphs.core.claims import Triple
from factmark.graphs.triples.triples import read_triples

PEOPLE = ("Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal", "Ida", "Jo", "Kim", "Lou")
PAIRS = [(head, tail) for head in PEOPLE for tail in PEOPLE if head < tail]


def read(path: Path, **columns: str) -> list[Triple]:
    return list(read_triples(path, Problems(), columns=columns))


def parts(path: Path, **columns: str) -> list[tuple[str, str, str]]:
    return [(t.head, t.relation, t.tail) for t in read(path, **columns)]


def table(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows), "utf-8")
    return path


def test_that_an_edge_has_no_direction_is_no_relation(tmp_path: Path) -> None:
    """A network of who stands beside whom says nothing of how; the user can say it."""
    rows: list[tuple[object, ...]] = [("Source", "Target", "Type", "weight")]
    rows += [(head, tail, "Undirected", 3) for head, tail in PAIRS]
    path = table(tmp_path / "e.tsv", rows)
    with pytest.raises(InputError, match="--column 'relation==related to'"):
        read(path)
    assert parts(path, relation="=meets")[0] == ("Ada", "meets", "Bo")


def test_the_id_of_an_edge_is_no_relation(tmp_path: Path) -> None:
    edges = [{"source": a, "target": b, "name": f"{a} (x) {b}", "kind": "knows"} for a, b in PAIRS]
    path = tmp_path / "g.json"
    path.write_text(json.dumps({"edges": edges}), "utf-8")
    assert parts(path)[0] == ("Ada", "knows", "Bo")
    for edge in edges:
        del edge["kind"]
    path.write_text(json.dumps({"edges": edges}), "utf-8")
    with pytest.raises(InputError, match="no column 'relation'"):
        read(path)


def test_of_several_lists_that_with_ends_is_advised_about(tmp_path: Path) -> None:
    """Nodes have no ends, edges lack only their relation, under whatever name it stands."""
    nodes = [{"data": {"id": a, "name": a, "rank": f"{a} first"}} for a in PEOPLE]
    edges = [{"data": {"source": a, "target": b, "how": "met"}} for a, b in PAIRS]
    path = tmp_path / "g.json"
    path.write_text(json.dumps({"elements": {"nodes": nodes, "edges": edges}}), "utf-8")
    with pytest.raises(InputError, match=r"example --column relation=data\.how"):
        read(path)
    assert parts(path, relation="data.how")[0] == ("Ada", "met", "Bo")


DOCUMENT = {
    "text": "Ada met Bo.",
    "labels": [{"h": 1, "r": "met", "t": 0}],
}


@pytest.mark.parametrize(
    "nodes",
    [
        ["Bo", "Ada"],
        [{"name": "Bo"}, {"name": "Ada"}],
        [[{"pos": [2, 3], "name": "Bo"}, {"name": "him"}], [{"pos": [0, 1], "name": "Ada"}]],
    ],
)
def test_ends_by_their_places_in_a_list_of_the_row_have_its_names(
    nodes: object, tmp_path: Path
) -> None:
    path = tmp_path / "d.json"
    other = {**DOCUMENT, "vertexSet": ["Cy", "Di"]}
    path.write_text(json.dumps([{**DOCUMENT, "vertexSet": nodes}, other]), "utf-8")
    assert parts(path) == [("Ada", "met", "Bo"), ("Di", "met", "Cy")]
    assert read(path)[0].passage == "Ada met Bo."


def test_ids_that_begin_anew_in_each_row_are_joined_within_it(tmp_path: Path) -> None:
    rows = []
    for first, second in (("Ada", "Bo"), ("Cy", "Di")):
        entities = [{"id": "T1", "text": first}, {"id": "T2", "text": second}]
        relations = [{"head": "T1", "type": "met", "tail": "T2"}]
        rows.append(json.dumps({"entities": entities, "relations": relations}))
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(rows), "utf-8")
    assert parts(path) == [("Ada", "met", "Bo"), ("Cy", "met", "Di")]


def test_the_types_of_nodes_are_not_their_names(tmp_path: Path) -> None:
    """Of two fields that names may stand in, the one with few values has types."""
    rows = []
    for a, b in PAIRS:
        entities = [
            {"id": "e1", "label": "PERSON", "text": a},
            {"id": "e2", "label": "X", "text": b},
        ]
        rows.append(
            {"entities": entities, "relations": [{"head": "e1", "type": "met", "tail": "e2"}]}
        )
    path = tmp_path / "d.json"
    path.write_text(json.dumps(rows), "utf-8")
    assert parts(path)[0] == ("Ada", "met", "Bo")


def test_numbers_that_no_list_of_the_row_names_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps([DOCUMENT, DOCUMENT]), "utf-8")
    with pytest.raises(InputError, match="something else in each row") as error:
        read(path)
    assert "--column head=labels.h --column tail=labels.t" in str(error.value)
    assert parts(path, head="labels.h", tail="labels.t")[0] == ("1", "met", "0")


def test_a_wide_table_without_a_head_has_the_relation_that_comes_again(tmp_path: Path) -> None:
    """Dates and scores beside a triple are none of its parts."""
    rows = [
        (a, "met" if n % 2 else "knows", b, f"2014-03-{n % 28 + 1:02}")
        for n, (a, b) in enumerate(PAIRS)
    ]
    assert parts(table(tmp_path / "t.txt", rows))[1] == ("Ada", "met", "Cy")


def test_a_wide_table_whose_relation_the_rows_do_not_show_is_asked_about(tmp_path: Path) -> None:
    """What people were said to do, before who it was: each column has another text in each row."""
    rows = [
        (f"{a} and {b} were seen {n} times in the park", f"saw {n} times", f"{a} {n}", f"{b} {n}")
        for n, (a, b) in enumerate([*PAIRS, PAIRS[0]])
    ]
    rows.append(rows[0])
    path = table(tmp_path / "t.txt", rows)
    with pytest.raises(InputError, match="can be read in 3 ways") as error:
        read(path)
    way = {"head": "column 3", "relation": "column 2", "tail": "column 4"}
    words = " ".join(f"--column {role}='{column}'" for role, column in way.items())
    assert words in str(error.value)
    assert parts(path, **way)[0] == ("Ada 0", "saw 0 times", "Bo 0")


def test_a_relation_stands_between_its_ends_and_qualifiers_behind_them(tmp_path: Path) -> None:
    """The rows bear out both columns of few values as relations; sets with qualifiers have these
    behind the triple."""
    rows = [
        (a, "met" if n % 2 else "knows", b, "since" if n % 3 else "until", 1990 + n % 7)
        for n, (a, b) in enumerate(PAIRS)
    ]
    assert parts(table(tmp_path / "t.txt", rows))[1] == ("Ada", "met", "Cy")


def test_of_a_set_with_ids_of_facts_the_ends_are_those_written_alike(tmp_path: Path) -> None:
    rows = [
        ("/a/[/r/Isa/,/c/en/rye/n/]", "/r/Isa", "/c/en/rye/n", "/c/en/cereal", "{}"),
        ("/a/[/r/Isa/,/c/de/hafer/]", "/r/Isa", "/c/de/hafer", "http://x.org/oat", "{}"),
        ("/a/[/r/Has/,/c/en/oat/]", "/r/Has", "/c/en/oat", "/c/en/beard/n", "{}"),
    ]
    assert parts(table(tmp_path / "t.csv", rows))[2] == ("oat", "Has", "beard")


def test_of_a_table_of_things_no_way_to_read_it_is_named(tmp_path: Path) -> None:
    """A name of its own in each row is no relation, and who has one no head of an edge."""
    lines = ["name,sex,cabin,port"]
    lines += [f"{a} {b},{'fm'[n % 2]},C{n % 30},{'SQC'[n % 3]}" for n, (a, b) in enumerate(PAIRS)]
    path = tmp_path / "p.csv"
    path.write_text("\n".join(lines), "utf-8")
    with pytest.raises(InputError, match="No other column can be it"):
        read(path)


def test_places_on_a_picture_are_no_ends(tmp_path: Path) -> None:
    rows = [{"x": n + 0.25, "y": n + 0.75, "name": "knows"} for n in range(12)]
    path = tmp_path / "p.json"
    path.write_text(json.dumps(rows), "utf-8")
    with pytest.raises(InputError, match="no column 'head'"):
        read(path)


def test_a_text_file_may_have_a_head_when_its_numbers_show_it(tmp_path: Path) -> None:
    rows = [("gene", "number", "pathway"), *((a, n, b) for n, (a, b) in enumerate(PAIRS))]
    with pytest.raises(InputError, match="Found: gene, number, pathway"):
        read(table(tmp_path / "t.txt", rows))
