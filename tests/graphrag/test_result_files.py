"""Results and contexts of graphs used for answering as files, read back by other programs."""

from __future__ import annotations

import csv
import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from factmark.files.flat_files import json_text
from factmark.files.text_files import without_surrogates
from factmark.graph_answers.contexts import CONTEXT_COLUMNS, write_contexts
from factmark.graph_answers.core.records import (
    NONE,
    TEXT,
    Given,
    GraphAnswer,
    GraphContext,
    GraphQuestion,
    Linked,
    RetrievedTriple,
)
from factmark.graph_answers.report import ROW_COLUMNS, graphrag_report
from factmark.graphs.core.claims import Triple, claim
from factmark.report.file_columns import file_rows
from factmark.report.files import RESULT_FILES
from hostile import HOSTILE
from sample_graphrag import SYSTEMS, answer, hostile_graphrag, sample_graphrag, summarised


def no_constant(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_form_holds_every_answer(tmp_path: Path) -> None:
    results = sample_graphrag(12, people=True)
    paths = graphrag_report(results).write_files(tmp_path)
    assert [path.name for path in paths] == [*RESULT_FILES]
    assert all(path.stat().st_size for path in paths)
    envelope = json.loads(paths[0].read_text("utf-8"), parse_constant=no_constant)
    written = envelope["details"]
    assert [(row["question"], row["system"], row["value"]) for row in envelope["rows"]] == [
        (answer.question.id, answer.system, answer.value) for answer in results.run.answers
    ]
    assert list(envelope["spent"]) == ["answering", "judging"]
    assert (
        envelope["averages"]["accuracy of diabetes"]["value"]
        == (written["scores"]["diabetes"]["overall"]["score"])
    )
    assert list(written["scores"]) == list(SYSTEMS)
    overall = written["scores"]["diabetes"]["overall"]
    assert overall["score"] == overall["correct_answers"] / overall["total"]
    assert {"retrieval_accuracy", "generation_quality", "overall_performance"} <= set(overall)
    assert written["scores"][NONE]["overall"]["reasons"]["named"] == "a control has no graph"
    assert written["published"][0]["accuracy"] == 50.2
    assert written["comparisons"][0]["told_apart"] in (True, False)
    assert written["leader_board"]["places"][0]["rank"] == 1
    assert envelope["signature"]["rubric"] == {"name": "answer", "version": 1}
    assert len(table(paths[1])) == 12 * len(SYSTEMS)
    rows = duckdb.sql(
        f"SELECT question, system, value, context, carriers FROM read_parquet('{paths[2]}')"
    ).fetchall()
    for row, made in zip(rows, results.run.answers, strict=True):
        assert row[:3] == (made.question.id, made.system, made.value)
        assert json.loads(row[4]) == list(made.given.carriers)
        if made.given.context is not None:
            heads = [fact["head"] for fact in json.loads(row[3])]
            assert heads == [fact.triple.head for fact in made.given.context.facts]


def test_no_value_is_null_never_nan(tmp_path: Path) -> None:
    path = graphrag_report(summarised([], ("g", NONE))).write_files(tmp_path)[0]
    written = json.loads(path.read_text("utf-8"), parse_constant=no_constant)["details"]
    assert written["scores"]["g"]["overall"]["score"] is None
    assert written["comparisons"][0]["p_permutation"] is None
    base = answer(1, "diabetes")
    assert base.given.context is not None
    facts = tuple(replace(fact, score=math.inf) for fact in base.given.context.facts)
    wild = replace(
        base, given=replace(base.given, context=replace(base.given.context, facts=facts))
    )
    (row,) = file_rows(ROW_COLUMNS, [wild])
    context = json.loads(row["context"], parse_constant=no_constant)
    assert {fact.get("score") for fact in context} == {None}
    write_contexts(tmp_path / "c.jsonl", [wild])
    for line in (tmp_path / "c.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=no_constant)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_is_written_and_read_back(text: str, tmp_path: Path) -> None:
    result = graphrag_report(hostile_graphrag(text))
    paths = result.write_files(tmp_path)
    written = json.loads(paths[0].read_text("utf-8"))
    assert written == json.loads(without_surrogates(json_text(result.as_json())))
    assert len(table(paths[1])) == 4
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path}


ASKED = GraphQuestion(
    id="q1",
    text="What lowers glucose?",
    kind="choice",
    references=("insulin",),
    options=("insulin", "salt"),
)


def fact(number: int, head: str, tail: str = "glucose", **fields: Any) -> RetrievedTriple:
    triple = Triple(head=head, relation="lowers", tail=tail, **fields)
    return RetrievedTriple(
        number=number, triple=triple, text=claim(triple), score=0.5 / number, hops=1
    )


CONTEXT = GraphContext(
    facts=(fact(1, "=cmd()", passage_id="p1", id="r7"), fact(2, "insulin")),
    linked=(Linked(start=12, end=19, name="glucose", how="name"),),
    reached=40,
)
ANSWERS = (
    GraphAnswer(
        question=ASKED,
        system="mine",
        given=Given(context=CONTEXT, held=True, carriers=(1,), named=True),
    ),
    GraphAnswer(question=ASKED, system="mine", sample=1, given=Given(context=CONTEXT)),
    GraphAnswer(
        question=ASKED,
        system="empty",
        given=Given(context=GraphContext(facts=()), held=False, named=False),
    ),
    GraphAnswer(
        question=ASKED,
        system=TEXT,
        given=Given(passages=(("p1", "Insulin does."),), held=True, carriers=(0,)),
    ),
    GraphAnswer(question=ASKED, system=NONE, given=Given()),
)


def test_contexts_have_a_row_for_each_rank(tmp_path: Path) -> None:
    write_contexts(tmp_path / "c.csv", ANSWERS)
    rows = table(tmp_path / "c.csv")
    assert list(rows[0]) == [column.name for column in CONTEXT_COLUMNS]
    assert rows[0]["head"] == "'=cmd()"  # no formula for a spreadsheet
    assert (rows[1]["claim"], rows[1]["carries"]) == ("Insulin lowers glucose", "True")
    assert (rows[3]["passage"], rows[3]["head"], rows[3]["named"]) == ("Insulin does.", "", "")
    path = tmp_path / "c.parquet"
    write_contexts(path, ANSWERS)
    columns = "system, rank, score, hops, carries, held, named, triple_id"
    assert duckdb.sql(f"SELECT {columns} FROM '{path}'").fetchall() == [
        ("mine", 1, 0.5, 1, False, True, True, "r7"),
        ("mine", 2, 0.25, 1, True, True, True, None),
        ("empty", None, None, None, None, False, False, None),
        (TEXT, 1, None, None, True, True, None, None),
        (NONE, None, None, None, None, None, None, None),
    ]


def test_json_lines_have_the_same_rows(tmp_path: Path) -> None:
    write_contexts(tmp_path / "c.jsonl", ANSWERS)
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()]
    assert [(row["system"], row["rank"]) for row in rows] == [
        ("mine", 1),
        ("mine", 2),
        ("empty", None),
        (TEXT, 1),
        (NONE, None),
    ]
    assert list(rows[1]) == [column.name for column in CONTEXT_COLUMNS]
    assert (rows[1]["tail"], rows[1]["question_id"]) == ("glucose", "q1")
