"""Tables of runs: what stands in them, and that nothing is cut off."""

from __future__ import annotations

from dataclasses import replace

import pytest

from factmark.answers.core.records import Results, Trace
from factmark.answers.core.run_measures import with_runs
from factmark.answers.run_tables import run_tables
from factmark.answers.tables import score_table
from factmark.cli.console import print_results
from factmark.tables.latex import latex_table
from factmark.tables.layouts import csv_table, markdown_table
from factmark.tables.terminal import broken
from hostile import HOSTILE, hostile_results
from traced import hostile_traces, question, traced, traced_results, unscored, use

A, B = question("A"), question("B")


def study() -> Results:
    """Two conditions, two answers to A under `mcp`, none that came to B."""
    rows = (
        traced(A, "30", Trace(tools=(use(),), cost=0.5, input_tokens=1_000), latency_seconds=1.0),
        traced(A, "31", Trace(sample=1, tools=(), cost=0.5, estimated=True), latency_seconds=3.0),
        traced(A, "nothing", Trace(cost=None), condition="baseline"),
    )
    bare = Results(benchmark="b", answers=rows, summaries=(), unscored=(unscored(B),))
    return with_runs(bare, [A, B], resamples=200)


def cells(results: Results) -> dict[str, dict[str, str]]:
    """Title -> 'line: column' -> text."""
    return {
        table.title.partition(": ")[2]: {
            f"{line.labels[-1]}: {column.name}": cell.text
            for line in table.lines
            for column, cell in zip(table.columns, line.cells, strict=True)
        }
        for table in run_tables(results)
    }


def test_values_and_what_is_missing() -> None:
    told = cells(study())
    assert told["grounding"]["mcp: tool accuracy"].startswith("0.50")
    assert told["grounding"]["baseline: tool accuracy"] == "–"
    effort = told["effort"]
    assert effort["mcp: seconds"] == "1.0"
    assert effort["mcp: p95"] == "3.0"
    assert (effort["mcp: tokens in"], effort["mcp: cost"]) == ("~1,000", "~$1.0000")
    assert effort["baseline: cost"] == "–"
    assert told["repeats"]["mcp: S differs by"].startswith("1.00")
    pairs = told["paired differences, on the questions that both have"]
    assert pairs["baseline − mcp: n"] == "1"
    assert pairs["baseline − mcp: C"].startswith("-0.50")
    notes = [note for table in run_tables(study()) for note in table.notes]
    assert any("m mcp, tool accuracy: 1 of 2" in note for note in notes)
    effort_notes = run_tables(study())[1].notes
    assert any("m mcp, calls: 1 of 2; m mcp, failed calls: 1 of 2; m mcp, out of rounds: 1 of 2"
               in note for note in effort_notes)  # fmt: skip
    assert not any("baseline, out of rounds" in note for note in effort_notes)
    assert any("m mcp: of 3 answers 1 without seconds, 1 without tokens" in n for n in notes)
    assert any(note.startswith("~: a server did not count") for note in notes)


def test_without_traces_there_are_no_tables() -> None:
    results = traced_results()
    assert run_tables(replace(results, runs=(), differences=())) == ()


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_no_value_is_cut_off(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    results = traced_results(models=("one-model-of-some-length", "two"), copies=2)
    print_results(results, "table")
    printed = capsys.readouterr().out
    for table in run_tables(results):
        for line in table.lines:
            for cell in line.cells:
                assert cell.value in printed
                assert cell.interval in printed
    for line in printed.splitlines():
        assert len(line) <= width


@pytest.mark.parametrize("width", [60, 80])
def test_heads_are_whole_and_names_break_where_they_may(
    width: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    results = traced_results(models=("openai:one-model-of-some-length-instruct", "two"), copies=2)
    print_results(results, "table")
    printed = capsys.readouterr().out
    words = set(printed.split())
    for table in (score_table(results), *run_tables(results)):
        for name in (*table.label_names, *(column.text for column in table.columns)):
            assert set(name.split()) <= words
        for note in table.notes:  # each once, though a table is in several parts
            assert " ".join(printed.split()).count(" ".join(note.split())) >= 1
    pieces = [word for word in words if word.startswith(("openai:", "instruct"))]
    assert pieces
    assert all(word.endswith(("-", ":", "instruct")) for word in pieces)


def test_a_name_without_breaks_is_broken_anywhere() -> None:
    assert broken("x" * 25, 10).split("\n") == ["x" * 10, "x" * 10, "x" * 5]
    assert broken("ehds_list_datasets", 10) == "ehds_list_\ndatasets"
    assert broken("", 5) == ""


def test_machines_get_all_categories_and_every_number() -> None:
    results = traced_results()
    grounding, effort, differences = run_tables(results)
    for table in (grounding, effort):
        assert len(table.records) == len(results.runs) == 15
    assert len(differences.records) == len(results.differences) == 9
    for table in (grounding, effort, differences):
        assert csv_table(table).count("\n") == len(table.records) + 1
        assert all(len(record) == len(table.record_names) for record in table.records)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_names_stay_one_line(text: str) -> None:
    for table in run_tables(hostile_traces(hostile_results(text), text)):
        for line in table.lines:
            assert all("\n" not in label and "\x1b" not in label for label in line.labels)
        assert "\x1b" not in markdown_table(table) + latex_table(table)
        heads = [row for row in markdown_table(table).split("\n") if row.startswith("| ")]
        assert len(heads) == len(table.lines) + 2


def test_markdown_has_the_tables_and_csv_one_alone(capsys: pytest.CaptureFixture[str]) -> None:
    results = traced_results()
    print_results(results, "markdown")
    assert capsys.readouterr().out.count("paired differences") == 1
    print_results(results, "csv")
    assert capsys.readouterr().out.startswith("category,model,condition,completeness")
