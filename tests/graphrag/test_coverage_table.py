"""The table of coverage: one line for each topic and one for all; hostile names do no harm."""

from __future__ import annotations

import csv
from io import StringIO

from factmark.graphrag.core.coverage import coverage
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.report.coverage_table import coverage_table
from factmark.graphs.core.claims import Triple
from factmark.tables.layouts import csv_table, markdown_table

GRAPH = [Triple(head="a", relation="r", tail="b"), Triple(head="b", relation="s", tail="c")]


def question(id: str, topic: str, hops: str) -> GraphQuestion:
    strata = {name: value for name, value in (("topic", topic), ("hops", hops)) if value}
    return GraphQuestion(
        id=id, text="?", kind="text", references=("b",), triples=(("a", "r", "b"),), strata=strata
    )


QUESTIONS = [question("1", "drugs", "1"), question("2", "drugs", "2"), question("3", "", "")]


def test_lines_and_records_say_the_same() -> None:
    table = coverage_table(coverage(QUESTIONS, GRAPH))
    assert [line.labels for line in table.lines] == [("drugs",), ("no topic",), ("all",)]
    assert [line.overall for line in table.lines] == [False, False, True]
    heads = [column.name for column in table.columns]
    assert heads[4:7] == ["1 hop", "2 hops", "hops not said"]
    shown = dict(zip(heads, (cell.value for cell in table.lines[0].cells), strict=True))
    assert (shown["questions"], shown["free text"], shown["1 hop"], shown["triples"]) == (
        "2", "2", "1", "1",
    )  # fmt: skip
    rows = list(csv.DictReader(StringIO(csv_table(table))))
    assert [row["topic"] for row in rows] == ["drugs", "", "all"]
    assert [row["questions"] for row in rows] == ["2", "1", "3"]
    assert (rows[2]["hops_none"], rows[2]["unknown"], rows[2]["foreign_triples"]) == ("1", "3", "0")
    assert "of 2 triples and 2 relations of the graph" in table.notes[0]


def test_triples_that_the_graph_has_not_are_told() -> None:
    assert (
        "1 named triple is not in the graph."
        in coverage_table(coverage(QUESTIONS, GRAPH[1:])).notes
    )
    assert "No graph was given" in coverage_table(coverage(QUESTIONS)).notes[0]


def test_hostile_names() -> None:
    asked = [question("1", "\x1b[31m<b>\n| x", "\u202e<i>")]
    text = markdown_table(coverage_table(coverage(asked, GRAPH)))
    for piece in ("\x1b", "\u202e", "<b>", "<i>"):
        assert piece not in text
