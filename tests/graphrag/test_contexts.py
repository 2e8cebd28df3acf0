"""The table of contexts, read back by other programs: csv, json, DuckDB."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace

import duckdb
import pytest

from factmark.errors import InputError
from factmark.graphrag.contexts_file import COLUMNS, context_rows, write_contexts
from factmark.graphrag.core.contexts import Context, Fact, Linked
from factmark.graphrag.core.outcomes import NONE, TEXT, Given, Outcome
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.results import outcome_row
from factmark.graphs.core.claims import Triple, claim

ASKED = GraphQuestion(
    id="q1", text="What lowers glucose?", kind="choice", references=("insulin",),
    options=("insulin", "salt"),
)  # fmt: skip


def fact(number: int, head: str, **fields) -> Fact:
    triple = Triple(head=head, relation="lowers", tail="glucose", **fields)
    return Fact(number=number, triple=triple, text=claim(triple), score=0.5 / number, hops=1)


CONTEXT = Context(
    facts=(fact(1, "=cmd()", passage_id="p1", passage="Half \ud800, \"quoted\"\nlines", id="r7"),
           fact(2, "insulin")),
    linked=(Linked(start=12, end=19, name="glucose", how="name"),),
    reached=40,
)  # fmt: skip
OUTCOMES = (
    Outcome(question=ASKED, system="mine", given=Given(
        context=CONTEXT, held=True, carriers=(1,), in_graph=True)),
    Outcome(question=ASKED, system="mine", sample=1, given=Given(context=CONTEXT)),
    Outcome(question=ASKED, system="empty", given=Given(
        context=Context(facts=()), held=False, in_graph=False)),
    Outcome(question=ASKED, system=TEXT, given=Given(
        passages=(("p1", "Insulin does."),), held=True, carriers=(0,))),
    Outcome(question=ASKED, system=NONE, given=Given()),
)  # fmt: skip
RANKS = [("mine", 1), ("mine", 2), ("empty", None), (TEXT, 1), (NONE, None)]


def test_csv_has_a_row_for_each_rank(tmp_path):
    path = tmp_path / "contexts.csv"
    write_contexts(path, OUTCOMES)
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(COLUMNS)
    assert [(row["system"], int(row["rank"]) if row["rank"] else None) for row in rows] == RANKS
    assert rows[0]["head"] == "'=cmd()"  # no formula for a spreadsheet
    assert rows[0]["passage"] == 'Half \ufffd, "quoted"\nlines'
    assert (rows[1]["claim"], rows[1]["carries"], rows[1]["passage_id"]) == (
        "Insulin lowers glucose", "True", "",
    )  # fmt: skip
    assert (rows[3]["passage"], rows[3]["head"], rows[3]["in_graph"]) == ("Insulin does.", "", "")


def test_parquet_has_types_and_nulls(tmp_path):
    path = tmp_path / "contexts.parquet"
    write_contexts(path, OUTCOMES)
    rows = duckdb.sql(
        f"SELECT system, rank, score, hops, carries, held, in_graph, triple_id FROM '{path}'"
    ).fetchall()
    assert rows == [
        ("mine", 1, 0.5, 1, False, True, True, "r7"),
        ("mine", 2, 0.25, 1, True, True, True, None),
        ("empty", None, None, None, None, False, False, None),
        (TEXT, 1, None, None, True, True, None, None),
        (NONE, None, None, None, None, None, None, None),
    ]


def test_json_lines_nest_the_facts(tmp_path):
    path = tmp_path / "contexts.jsonl"
    write_contexts(path, OUTCOMES)
    found = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [(one["system"], len(one["facts"])) for one in found] == [
        ("mine", 2), ("empty", 0), (TEXT, 1), (NONE, 0),
    ]  # fmt: skip
    first = found[0]
    assert (first["question_id"], first["references"], first["options"]) == (
        "q1", ["insulin"], ["insulin", "salt"],
    )  # fmt: skip
    assert first["linked"] == [{"start": 12, "end": 19, "name": "glucose", "how": "name"}]
    assert (first["reached"], first["facts"][1]["tail"], first["facts"][1]["rank"]) == (
        40, "glucose", 2,
    )  # fmt: skip


def test_a_score_that_is_no_number_is_null(tmp_path):
    wild = [replace(fact(1, "insulin"), score=value) for value in (math.inf, math.nan)]
    one = Outcome(question=ASKED, system="mine", given=Given(context=Context(facts=(*wild,))))
    for name in ("c.jsonl", "c.parquet"):
        write_contexts(tmp_path / name, [one])

    def refuse(name):
        raise AssertionError(name)

    (line,) = (tmp_path / "c.jsonl").read_text().splitlines()
    found = json.loads(line, parse_constant=refuse)
    assert [each["score"] for each in found["facts"]] == [None, None]
    assert duckdb.sql(f"SELECT score FROM '{tmp_path}/c.parquet'").fetchall() == [(None,), (None,)]


def test_what_is_held_is_the_same_in_both_tables(tmp_path):
    nobody = GraphQuestion(id="n", text="Who?", kind="text", references=(), answerable=False)
    yes = GraphQuestion(id="y", text="Is it?", kind="yes-no", references=("yes",))
    outcomes = [
        Outcome(question=question, system="mine", reply="so", label="INCORRECT",
                given=Given(context=Context(facts=()), held=held))
        for question, held in ((nobody, False), (nobody, None), (yes, None), (ASKED, False))
    ]  # fmt: skip
    for one in outcomes:
        assert {row["held"] for row in context_rows(one)} == {outcome_row(one)["held"]}


def test_nothing_is_a_table_without_rows(tmp_path):
    for name in ("c.csv", "c.jsonl", "c.parquet"):
        write_contexts(tmp_path / name, [])
    assert (tmp_path / "c.csv").read_text().strip() == ",".join(COLUMNS)
    assert duckdb.sql(f"SELECT * FROM '{tmp_path}/c.parquet'").fetchall() == []


def test_another_suffix_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"contexts are written to \.csv"):
        write_contexts(tmp_path / "c.xlsx", OUTCOMES)
