"""Results of graphs used for answering as files: every form, read back."""

from __future__ import annotations

import csv
import dataclasses
import json
import math
from pathlib import Path

import pytest

from factmark.graphrag.core.outcomes import NONE
from factmark.graphrag.core.results import summarise
from factmark.graphrag.results import graphrag_json, outcome_row, write_graphrag_results
from hostile import HOSTILE
from sample_graphrag import SYSTEMS, answer, hostile_graphrag, sample_graphrag


def no_constant(name: str) -> float:
    raise AssertionError(f"{name} is no JSON")


def test_every_form_holds_every_answer(tmp_path: Path) -> None:
    import duckdb

    results = sample_graphrag(12, people=True)
    paths = write_graphrag_results(results, tmp_path)
    assert [path.name for path in paths] == [
        f"graphrag.{end}" for end in ("json", "csv", "parquet", "html", "md", "tex")
    ]
    assert all(path.stat().st_size for path in paths)
    found = json.loads(paths[0].read_text("utf-8"), parse_constant=no_constant)
    assert list(found["scores"]) == list(SYSTEMS)
    overall = found["scores"]["diabetes"]["overall"]
    assert overall["score"] == overall["correct_answers"] / overall["total"]
    for key in ("score", "retrieval_accuracy", "generation_quality", "overall_performance",
                "num_queries", "correct_answers"):  # fmt: skip
        assert key in overall
    assert found["scores"][NONE]["overall"]["reasons"]["in_graph"] == "a control has no graph"
    assert found["published"][0]["accuracy"] == 50.2
    assert found["comparisons"][0]["told_apart"] in (True, False)
    assert found["leader_board"]["places"][0]["rank"] == 1
    assert found["signature"]["rubric"] == {"name": "answer", "version": 1}
    with paths[1].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12 * len(SYSTEMS)
    read = duckdb.sql(
        "SELECT question, system, value, held, context, carriers "
        f"FROM read_parquet('{paths[2]}')"
    ).fetchall()  # fmt: skip
    for row, outcome in zip(read, results.outcomes, strict=True):
        assert row[:3] == (outcome.question.id, outcome.system, outcome.value)
        assert json.loads(row[5]) == list(outcome.given.carriers)
        context = outcome.given.context
        if context is not None:
            told = [(one["head"], one["relation"], one["tail"]) for one in json.loads(row[4])]
            assert told == [
                (f.triple.head, f.triple.relation, f.triple.tail) for f in context.facts
            ]


def test_no_value_is_null_never_nan(tmp_path: Path) -> None:
    results = summarise([], systems=("g", NONE), model="m", judge="j")
    path = write_graphrag_results(results, tmp_path)[0]
    found = json.loads(path.read_text("utf-8"), parse_constant=no_constant)
    assert found["scores"]["g"]["overall"]["score"] is None
    assert found["comparisons"][0]["p_permutation"] is None
    base = answer(1, "diabetes")
    assert base.given.context is not None
    facts = tuple(dataclasses.replace(f, score=math.inf) for f in base.given.context.facts)
    given = dataclasses.replace(
        base.given, context=dataclasses.replace(base.given.context, facts=facts)
    )
    context = outcome_row(dataclasses.replace(base, given=given))["context"]
    assert {one["score"] for one in json.loads(context, parse_constant=no_constant)} == {None}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_is_written_and_read_back(text: str, tmp_path: Path) -> None:
    paths = write_graphrag_results(hostile_graphrag(text), tmp_path)
    found = json.loads(paths[0].read_text("utf-8"))
    assert found == json.loads(json.dumps(graphrag_json(hostile_graphrag(text))))
    with paths[1].open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 4
    assert {path.parent for path in tmp_path.rglob("*") if path.is_file()} == {tmp_path}
