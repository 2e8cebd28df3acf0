"""The tables of a study of answers in each format, and that nothing in them is cut off."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace

import pytest
from rich.console import Console

from factmark.answers.core.records import Trace
from factmark.answers.core.run_measures import with_runs
from factmark.answers.report import answers_report
from factmark.answers.results import Results
from factmark.answers.run_tables import run_tables
from factmark.answers.score_tables import category_table, score_table
from factmark.cli.showing import show
from factmark.report.latex import latex_table
from factmark.report.layouts import csv_table, markdown_table, rich_table
from factmark.stats.comparison import Options
from hostile import HOSTILE, hostile_results
from sample_results import sample_results
from traced import hostile_traces, question, traced, traced_results, unscored, use

A, B = question("A"), question("B")


def printed(results: Results, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(rich_table(category_table(results)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_rows_go_by_category_with_overall_first() -> None:
    table = category_table(sample_results())
    assert table.label_names == ("category", "condition")
    assert [line.labels for line in table.lines][2:4] == [
        ("overall", "mcp"),
        ("discovery", "baseline"),
    ]
    assert [line.starts_group for line in table.lines] == [True, False, False] * 5
    assert [line.overall for line in table.lines] == [True] * 3 + [False] * 12
    assert "example-model-8b" in table.title
    notes = table.notes
    assert "H hallucination rate (lower is better)" in notes[0]
    scores = score_table(sample_results())
    assert [line.labels for line in scores.lines] == [("baseline",), ("rag",), ("mcp",)]
    assert any("rag: 1 of 9 questions without an answer" in note for note in scores.notes)


def test_columns_that_say_the_same_in_every_line_are_left_out() -> None:
    table = category_table(sample_results(models=("one", "two")))
    assert table.label_names == ("category", "model", "condition")
    assert table.lines[3].labels == ("overall", "two", "baseline")
    results = sample_results()
    alone = tuple(replace(row, condition="") for row in results.summaries if row.condition == "mcp")
    assert category_table(replace(results, summaries=alone)).label_names == ("category",)


def test_a_dash_stands_where_there_is_no_value() -> None:
    results = sample_results()
    nothing = replace(results.summaries[0].completeness, value=None, low=None, high=None)
    first = replace(results.summaries[0], completeness=nothing)
    table = category_table(replace(results, summaries=(first, *results.summaries[1:])))
    assert "| discovery | baseline | – | 0.83" in markdown_table(table)
    assert "discovery & baseline & -- & 0.83" in latex_table(table)
    rows = list(csv.DictReader(io.StringIO(csv_table(table))))
    assert next(row["completeness"] for row in rows if row["category"] == "discovery") == ""


@pytest.mark.parametrize("models", [("example-model-8b",), ("example-8b", "example-70b")])
def test_terminal_at_80_columns_keeps_every_number_whole(models: tuple[str, ...]) -> None:
    text = printed(sample_results(models=models), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert len(re.findall(r"\[\d\.\d\d–\d\.\d\d\]", text)) == 45 * len(models)


def test_csv_keeps_twelve_digits() -> None:
    """Files carry 12 significant digits, so that they are the same on every machine."""
    results = sample_results()
    rows = list(csv.DictReader(io.StringIO(csv_table(category_table(results)))))
    by_key = {(row["category"], row["condition"]): row for row in rows}
    assert len(rows) == len(by_key) == 15
    for summary in results.summaries:
        row = by_key[summary.category, summary.condition]
        written = float(row["combined_score"]), float(row["completeness_high"])
        values = summary.combined_score.value, summary.completeness.high
        assert written == pytest.approx(values, rel=1e-11)
        assert int(row["n_missing"]) == summary.n_missing


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_stays_in_its_cell(text: str) -> None:
    results = hostile_results(text[:200])
    table = category_table(results)
    markdown, latex = markdown_table(table), latex_table(table)
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(table.lines)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {9}
    assert "<script" not in markdown
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines()} == {0, 7}
    assert len(list(csv.reader(io.StringIO(csv_table(table))))) == 1 + len(table.lines)
    texts = [markdown, latex, printed(results, 80)]
    for runs in run_tables(hostile_traces(hostile_results(text), text)).values():
        texts += [markdown_table(runs), latex_table(runs)]
        heads = [row for row in texts[-2].split("\n") if row.startswith("| ")]
        assert len(heads) == len(runs.lines) + 2
    for made in texts:
        made.encode()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", made)


def test_no_summaries_make_an_empty_table() -> None:
    results = Results(benchmark="b", answers=(), summaries=())
    assert score_table(results).lines == ()
    assert all(render(score_table(results)) for render in (markdown_table, latex_table, csv_table))
    assert printed(results, 80)
    assert run_tables(sample_results()) == {}


def study() -> Results:
    """Two conditions, two answers to A under `mcp`, none that came to B."""
    rows = (
        traced(A, "30", Trace(tools=(use(),), cost=0.5, input_tokens=1_000), latency_seconds=1.0),
        traced(A, "31", Trace(sample=1, tools=(), cost=0.5, estimated=True), latency_seconds=3.0),
        traced(A, "nothing", Trace(cost=None), condition="baseline"),
    )
    bare = Results(benchmark="b", answers=rows, summaries=(), unscored=(unscored(B),))
    return with_runs(bare, [A, B], Options(resamples=200))


def test_values_of_runs_and_what_is_missing() -> None:
    tables = run_tables(study())
    assert list(tables) == ["grounding", "effort", "repeats", "differences"]
    cells = {
        f"{name}, {line.labels[-1]}: {column.name}": cell.text
        for table in tables.values()
        for name in [table.title.partition(": ")[2].partition(",")[0]]
        for line in table.lines
        for column, cell in zip(table.columns, line.cells, strict=True)
    }
    assert cells["grounding, mcp: tool accuracy"].startswith("0.50")
    assert cells["grounding, baseline: tool accuracy"] == "–"
    assert (cells["effort, mcp: seconds"], cells["effort, mcp: p95"]) == ("1.0", "3.0")
    assert cells["effort, mcp: tokens in"] == "~1,000"
    assert (cells["effort, mcp: cost"], cells["effort, baseline: cost"]) == ("~$1.0000", "–")
    assert cells["repeats, mcp: S differs by"].startswith("1.00")
    assert cells["paired differences, baseline − mcp: n"] == "1"
    assert cells["paired differences, baseline − mcp: C"].startswith("-0.50")
    notes = " ".join(tables["effort"].notes)
    missing = ("calls: 1 of 2", "failed calls: 1 of 2", "out of rounds: 1 of 2")
    assert "; ".join(f"m mcp, {part}" for part in missing) in notes
    assert "baseline, out of rounds" not in notes
    assert "m mcp: of 3 answers 1 without seconds, 1 without tokens" in notes
    assert "a server did not count" in notes


def test_no_value_and_no_head_is_cut_off(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    width = 60
    monkeypatch.setenv("COLUMNS", str(width))
    results = traced_results(models=("openai:one-model-of-some-length-instruct", "two"), copies=2)
    show(answers_report(results), show_all=True)
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= width
    words = set(text.split())
    for table in (score_table(results), *run_tables(results).values()):
        for name in (*table.label_names, *(column.text for column in table.columns)):
            assert set(name.split()) <= words
        for note in table.notes:
            assert " ".join(note.split()) in " ".join(text.split())
        for cell in (cell for line in table.lines for cell in line.cells):
            assert cell.value in text
            assert cell.interval in text


def test_the_first_screen_has_at_most_25_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One system, several, with runs, and more than fit: C, H and S of each that fits."""
    monkeypatch.setenv("COLUMNS", "80")
    many = traced_results(models=tuple(f"model-{n}" for n in range(9)))
    for results in (sample_results(), traced_results(), many):
        show(answers_report(results))
        lines = capsys.readouterr().out.splitlines()
        assert sum(max(1, -(-len(line) // 80)) for line in lines) <= 25
        assert "by category" not in " ".join(lines)
    assert "more lines" in " ".join(lines)


def test_machines_get_runs_by_category_and_differences_whole() -> None:
    tables = answers_report(traced_results()).tables
    grounding = {(row["condition"], row["category"]): row for row in tables["grounding"].rows()}
    assert len(grounding) == 3 * 5  # conditions; overall and four categories
    run = next(
        run for run in traced_results().runs if (run.condition, run.category) == ("rag", "overall")
    )
    assert run.retrieval is not None
    assert grounding["rag", "overall"]["retrieval_held_low"] == run.retrieval["held"].low
    assert grounding["baseline", "overall"]["retrieval_held"] is None
    gap = traced_results().differences[0].comparison
    row = tables["differences"].rows()[0]
    assert (row["a"], row["b"], row["between"]) == (gap.a, gap.b, "conditions")
    assert row["combined_score_high"] is not None
