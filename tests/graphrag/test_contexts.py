"""The table of contexts, read back by other programs: csv, json, DuckDB."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from factmark.cli.main import app
from factmark.graphrag.core.outcomes import NONE, TEXT, Context, Fact, Given, Linked, Outcome
from factmark.graphrag.core.questions import GraphQuestion
from factmark.graphrag.options import GraphragOptions
from factmark.graphrag.results import (
    CONTEXT_COLUMNS,
    with_passages,
    write_contexts,
)
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
    assert list(rows[0]) == list(CONTEXT_COLUMNS)
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


TREATED_BY = GraphQuestion(id="q1", text="What treats DKA?", kind="text", references=("insulin",))


def outcome(system: str, where: str, passage_id: str = "", tail: str = "DKA") -> Outcome:
    triple = Triple(
        head="insulin", relation="treats", tail=tail, passage_id=passage_id, where=where
    )
    fact = Fact(number=0, triple=triple, text=claim(triple), score=1.0, hops=1)
    return Outcome(question=TREATED_BY, system=system, given=Given(context=Context(facts=(fact,))))


def told(options: GraphragOptions, *outcomes: Outcome) -> list[str | None]:
    found = []
    for one in with_passages(outcomes, options):
        context = one.given.context
        found.append(context.facts[0].triple.passage if context else "no context")
    return found


def test_texts_beside_triples_and_by_id_stand_at_their_own_rows(tmp_path: Path) -> None:
    named, beside = tmp_path / "named.csv", tmp_path / "beside.csv"
    named.write_text("head,relation,tail,pmid\ninsulin,treats,DKA,7\ninsulin,treats,DKA,8\n")
    beside.write_text("head,relation,tail,text\ninsulin,treats,DKA,It does.\n")
    passages = tmp_path / "p.jsonl"
    passages.write_text('{"id": "7", "text": "Seven."}\n')
    assert told(
        GraphragOptions(graph=[f"named={named}", f"beside={beside}"], passages=passages),
        outcome("named", passage_id="7", where="line 2"),
        outcome("named", passage_id="8", where="line 3"),  # in no file
        outcome("beside", where="line 2"),
        outcome("beside", where="line 2", tail="fever"),
        outcome("gone", where="line 2"),
        Outcome(question=TREATED_BY, system=NONE, given=Given()),
    ) == ["Seven.", None, "It does.", None, None, "no context"]


def test_a_run_writes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.tsv").write_text("subject\trel\tobject\tpmid\ninsulin\ttreats\tDKA\t7\n")
    Path("p.csv").write_text("id,text\n7,Insulin is given in DKA.\n")
    Path("q.jsonl").write_text(json.dumps({"question": TREATED_BY.text, "answer": "insulin"}))
    given = ("t.tsv", "--questions", "q.jsonl", "--passages", "p.csv", "--contexts", "c.csv")
    app(["graph", "graphrag", *given], standalone_mode=False)
    with Path("c.csv").open() as file:
        rows = {row["system"]: row for row in csv.DictReader(file)}
    assert {name: row["passage"] for name, row in rows.items()} == {
        "t": "Insulin is given in DKA.",
        "text": "Insulin is given in DKA.",
    }
