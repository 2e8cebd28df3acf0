"""What a question set asks of a graph is counted by group, kind and hops."""

from __future__ import annotations

from typing import Any

from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.coverage import coverage_table
from factmark.graphs.core.claims import Triple
from factmark.tables.layouts import DataTable, markdown_table

GRAPH = [
    Triple(head="metformin", relation="treats", tail="diabetes"),
    Triple(head="Metformin", relation="Treats", tail="diabetes "),  # the same
    Triple(head="metformin", relation="isa", tail="biguanide"),
    Triple(head="retina", relation="part_of", tail="eye"),
]


def question(id: str, **fields: Any) -> GraphQuestion:
    return GraphQuestion(**{"id": id, "text": "?", "kind": "text", "references": ("x",), **fields})


QUESTIONS = [
    question(
        "1", strata={"topic": "drugs", "hops": "1"}, answerable=True,
        triples=(("METFORMIN", "treats", "diabetes"),),
    ),
    question(
        "2", kind="yes-no", references=("yes",), strata={"topic": "drugs", "hops": "2"},
        answerable=True,
        triples=(("metformin", "treats", "diabetes"), ("metformin", "isa", "biguanide")),
    ),
    question("3", strata={"topic": "drugs"}, answerable=False),
    question(
        "4", kind="choice", options=("x", "y"), strata={"topic": "anatomy", "hops": "1"},
        triples=(("retina", "part_of", "head"),),
    ),
    question("5"),
]  # fmt: skip


def rows(table: DataTable) -> dict[str, dict[str, object]]:
    """Label of a line -> what machines are given of it."""
    found = [dict(zip(table.record_names, record, strict=True)) for record in table.records]
    return {line.labels[0]: row for line, row in zip(table.lines, found, strict=True)}


def test_counts_by_topic() -> None:
    table = coverage_table(QUESTIONS, GRAPH)
    found = rows(table)
    assert list(found) == ["anatomy", "drugs", "no topic", "all"]
    assert found["drugs"] == {
        "topic": "drugs", "questions": 3, "text": 2, "choice": 0, "yes-no": 1, "hops_1": 1,
        "hops_2": 1, "hops_none": 1, "answerable": 2, "unanswerable": 1, "unknown": 0,
        "with_triples": 2, "triples": 2, "relations": 2, "foreign_triples": 0,
    }  # fmt: skip
    assert (found["anatomy"]["triples"], found["anatomy"]["foreign_triples"]) == (0, 1)
    assert (found["all"]["questions"], found["all"]["foreign_triples"]) == (5, 1)
    shown = dict(zip((h.name for h in table.columns), table.lines[1].cells, strict=True))
    assert (shown["questions"].value, shown["1 hop"].value, shown["2 hops"].value) == (
        "3",
        "1",
        "1",
    )
    assert [line.overall for line in table.lines] == [False, False, False, True]
    notes = " ".join(table.notes)
    assert "3 triples and 3 relations" in notes
    assert "1 named triple is not in the graph" in notes


def test_another_stratum_and_no_graph() -> None:
    table = coverage_table(QUESTIONS, by="hops")
    found = rows(table)
    assert {name: row["questions"] for name, row in found.items()} == {
        "1": 2, "2": 1, "no hops": 2, "all": 5,
    }  # fmt: skip
    assert (found["all"]["triples"], found["all"]["foreign_triples"]) == (0, 3)
    assert "No graph was given" in table.notes[0]
    assert rows(coverage_table([], GRAPH))["all"]["questions"] == 0


def test_hostile_names() -> None:
    strata = {"topic": "\x1b[31m<b>\n| x", "hops": "\u202e<i>"}
    text = markdown_table(coverage_table([question("1", strata=strata)], GRAPH))
    for piece in ("\x1b", "\u202e", "<b>", "<i>"):
        assert piece not in text
