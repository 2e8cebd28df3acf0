"""Files of a study with traces: the original harness's fields, ours beside them, flat rows."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from factmark.analysis.compare import read_results
from factmark.answers.core.averages import Settings
from factmark.answers.core.records import Results, Trace
from factmark.answers.core.run_measures import with_runs
from factmark.answers.results import (
    RUN_COLUMNS,
    answer_rows,
    difference_rows,
    results_json,
    run_rows,
    write_results,
)
from sample_results import sample_results
from traced import chunk, question, traced, traced_results, unscored, use

HARNESS = (
    "query_id", "condition", "model", "answer", "tools_called", "chunks_retrieved", "completeness",
    "hallucination_rate", "combined_score", "latency_seconds",
)  # fmt: skip


def test_each_answer_tells_how_it_came_about() -> None:
    asked = question("A", ("lupus", "gout"))
    trace = Trace(
        sample=2, rounds=3, ended="rounds", tools=(use(result="x" * 900), use("find", "timeout")),
        chunks=(chunk("lupus", "T", 0.5),), input_tokens=7, output_tokens=5, cost=0.25,
    )  # fmt: skip
    row = traced(asked, "gout", trace, latency_seconds=1.5)
    told = results_json(Results(benchmark="b", answers=(row,), summaries=()))["answers"][0]
    assert all(name in told for name in HARNESS)
    assert told["tools_called"] == ["list", "find"]
    assert told["chunks_retrieved"] == ["id T"]
    assert told["tool_calls"][0]["result"] == "x" * 900
    assert told["tool_calls"][1] == {
        "round": 1, "name": "find", "arguments": '{"page": 1}', "result": "", "status": "timeout",
        "seconds": 0.25, "size": 0,
    }  # fmt: skip
    assert told["chunks"] == [{"id": "id T", "title": "T", "score": 0.5}]
    ours = {"sample": 2, "rounds": 3, "ended": "rounds", "input_tokens": 7, "output_tokens": 5,
            "cost": 0.25, "retrieved": ["lupus"], "abstained": False}  # fmt: skip
    assert {name: told[name] for name in ours} == ours


def test_results_without_traces_stay_as_they_are() -> None:
    results = sample_results()
    found = results_json(results)
    assert not {"runs", "differences"} & set(found)
    assert not {"sample", "chunks", "retrieved", "abstained"} & set(found["answers"][0])
    assert with_runs(results, [row.question for row in results.answers], Settings()) is results
    assert "sample" not in answer_rows(results)[0]


def test_runs_as_flat_rows_are_the_runs_in_json() -> None:
    results = traced_results()
    rows = {(r["condition"], r["category"], r["measure"]): r for r in run_rows(results)}
    runs = {(r["condition"], r["category"]): r for r in results_json(results)["runs"]}
    held = runs["rag", "overall"]["retrieval"]["held"]
    flat = rows["rag", "overall", "retrieval.held"]
    assert {name: flat[name] for name in ("value", "low", "high", "n_missing")} == {
        name: held[name] for name in ("value", "low", "high", "n_missing")
    }
    assert rows["mcp", "overall", "tools.statuses.error"]["value"] == 14
    assert rows["mcp", "policy", "latency.p95"]["value"] > 0
    assert ("baseline", "overall", "retrieval.held") not in rows
    assert all(tuple(row) == tuple(RUN_COLUMNS) for row in rows.values())


def test_files(tmp_path: Path) -> None:
    results = traced_results(copies=2)
    results = replace(results, unscored=(unscored(results.answers[0].question),))
    written = {path.name for path in write_results(results, tmp_path)}
    assert {"runs.csv", "runs.parquet", "differences.csv", "differences.parquet", "runs.md",
            "runs.tex"} <= written  # fmt: skip
    with (tmp_path / "runs.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert len(lines) == len(run_rows(results))
    for name, rows in (("runs", run_rows(results)), ("differences", difference_rows(results))):
        found = (
            duckdb.connect().execute(f"SELECT count(*) FROM '{tmp_path / name}.parquet'").fetchone()
        )
        assert found == (len(rows),)
    (cell,) = duckdb.connect().execute(
        f"SELECT tool_calls FROM '{tmp_path}/answers.parquet' WHERE condition = 'mcp' LIMIT 1"
    ).fetchone() or ("",)
    assert json.loads(cell)[0]["name"] == "list_datasets"
    assert (tmp_path / "runs.md").read_text().count("**North Sea") == 4
    # What is written can be compared with another study's.
    assert len(read_results(tmp_path / "results.json").rows) == len(results.answers) + 1


def test_a_study_without_traces_writes_no_files_of_runs(tmp_path: Path) -> None:
    written = {path.name for path in write_results(sample_results(), tmp_path)}
    assert not any(name.startswith(("runs", "differences")) for name in written)


def test_paired_differences_are_those_of_compare() -> None:
    """A is the later condition; by hand over the two questions that both have."""
    a, b, c = question("A"), question("B"), question("C")
    rows = (
        traced(a, "31", Trace(), condition="baseline"),
        traced(b, "30", Trace(), condition="baseline"),
        traced(a, "30", Trace()),
        traced(b, "30", Trace()),
        traced(c, "30", Trace()),
    )
    results = with_runs(Results(benchmark="b", answers=rows, summaries=()), [a, b, c], Settings())
    told = {row.score: row for row in results.differences}
    assert set(told) == {"completeness", "hallucination_rate", "combined_score"}
    made = told["completeness"].comparison
    assert (told["completeness"].of, made.a, made.b) == ("m", "mcp", "baseline")
    assert made.difference.value == pytest.approx(0.5)  # (1 - 0 + 1 - 1) / 2
    assert (made.n_both, made.only_a, made.wins, made.ties) == (2, 1, 1, 1)
    assert told["hallucination_rate"].comparison.difference.value == pytest.approx(-0.5)
    assert made.p_adjusted == made.p_permutation  # one pair alone


def test_holm_is_over_all_pairs_of_a_kind() -> None:
    results = traced_results(models=("one", "two"))
    kinds = [row.between for row in results.differences if row.score == "completeness"]
    assert (kinds.count("conditions"), kinds.count("models")) == (6, 3)
    pairs = [row.comparison for row in results.differences
             if row.between == "conditions" and row.score == "completeness"]  # fmt: skip
    least = min(pairs, key=lambda one: one.p_permutation or 1)
    assert least.p_adjusted == pytest.approx(6 * (least.p_permutation or 1))


def test_half_of_a_surrogate_pair_stops_no_file(tmp_path: Path) -> None:
    asked = question("A")
    bad = replace(use(result="x\ud83d"), arguments='{"q": "\ud83d"}', name="na\udc00me")
    row = traced(asked, "30 \ud83d", Trace(tools=(bad,)))
    results = with_runs(
        Results(benchmark="b", answers=(row,), summaries=()), [asked], Settings(resamples=100)
    )
    write_results(results, tmp_path)
    told = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["answers"][0]
    assert (told["answer"], told["tools_called"]) == ("30 \ufffd", ["na\ufffdme"])
    assert "30 \ufffd" in (tmp_path / "answers.csv").read_text(encoding="utf-8")
    kept = duckdb.sql(f"SELECT answer FROM '{tmp_path / 'answers.parquet'}'").fetchall()
    assert kept == [("30 \ufffd",)]
