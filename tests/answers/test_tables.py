"""One table in four formats."""

import csv
import dataclasses
import io
import re

import pytest
from rich.console import Console

from factmark.answers.core.records import Results
from factmark.answers.tables import score_table
from factmark.tables.latex import latex_table
from factmark.tables.layouts import csv_table, markdown_table, rich_table
from hostile import HOSTILE, hostile_results
from sample_results import sample_results


def printed(results: Results, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(rich_table(score_table(results)))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_rows_go_by_category_with_overall_last() -> None:
    table = score_table(sample_results())
    assert table.label_names == ("category", "condition")
    assert [row.labels for row in table.rows][:4] == [
        ("discovery", "baseline"),
        ("discovery", "rag"),
        ("discovery", "mcp"),
        ("policy", "baseline"),
    ]
    assert [len(rows) for rows in table.groups] == [3] * 5
    assert [row.overall for row in table.rows] == [False] * 12 + [True] * 3
    assert "example-model-8b" in table.title


def test_several_models_get_a_column() -> None:
    table = score_table(sample_results(models=("one", "two")))
    assert table.label_names == ("category", "model", "condition")
    assert table.rows[3].labels == ("discovery", "two", "baseline")
    assert "one" not in table.title


def test_without_conditions_there_is_no_such_column() -> None:
    results = sample_results()
    summaries = tuple(
        dataclasses.replace(summary, condition="")
        for summary in results.summaries
        if summary.condition == "mcp"
    )
    table = score_table(dataclasses.replace(results, summaries=summaries))
    assert table.label_names == ("category",)


def test_notes_tell_direction_interval_and_what_is_missing() -> None:
    notes = score_table(sample_results()).notes
    assert "H hallucination rate (lower is better)" in notes[0]
    assert notes[1] == "In brackets: 95 % interval (bootstrap over questions, 2000 resamples)."
    assert any(
        "rag: 1 of 14 questions without an answer; whatever they say, S lies in" in n for n in notes
    )


def test_a_dash_stands_where_there_is_no_value() -> None:
    results = sample_results()
    nothing = dataclasses.replace(
        results.summaries[0].completeness, value=None, low=None, high=None
    )
    first = dataclasses.replace(results.summaries[0], completeness=nothing)
    results = dataclasses.replace(results, summaries=(first, *results.summaries[1:]))
    table = score_table(results)
    assert "| discovery | baseline | – | 0.92" in markdown_table(table)
    assert "discovery & baseline & -- & 0.92" in latex_table(table)
    assert next(csv.DictReader(io.StringIO(csv_table(table))))["completeness"] == ""
    assert any(note.startswith("–: no value") for note in table.notes)


def test_terminal_at_100_columns_has_one_line_per_row() -> None:
    lines = printed(sample_results(), 100).splitlines()
    assert max(map(len, lines)) <= 100
    rows = [line for line in lines if re.search(r"\d\.\d\d \[\d\.\d\d–\d\.\d\d\]", line)]
    assert len(rows) == 15
    assert any("H (lower is better)" in line for line in lines)


@pytest.mark.parametrize("models", [("example-model-8b",), ("example-8b", "example-70b")])
def test_terminal_at_80_columns_keeps_every_number_whole(models: tuple[str, ...]) -> None:
    text = printed(sample_results(models=models), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert len(re.findall(r"\[\d\.\d\d–\d\.\d\d\]", text)) == 45 * len(models)
    assert "without an" in text


def test_markdown_has_as_many_cells_in_each_row() -> None:
    lines = markdown_table(score_table(sample_results())).splitlines()
    rows = [line for line in lines if line.startswith("|")]
    assert len(rows) == 17
    assert {line.count("|") for line in rows} == {8}
    assert "| discovery | baseline | 0.08 [0.00–0.25] |" in rows[2]
    assert rows[-3].startswith("| **overall** | **baseline** |")


def test_latex_is_a_booktabs_table() -> None:
    text = latex_table(score_table(sample_results()))
    assert text.count(r"\midrule") == 5
    assert r"\begin{tabular}{llrrrrr}" in text
    assert "0.08 [0.00--0.25]" in text
    assert r"95 \% interval" in text


def test_csv_keeps_unrounded_numbers() -> None:
    results = sample_results()
    rows = list(csv.DictReader(io.StringIO(csv_table(score_table(results)))))
    assert len(rows) == 15
    by_key = {(row["category"], row["condition"]): row for row in rows}
    for summary in results.summaries:
        row = by_key[summary.category, summary.condition]
        assert float(row["combined_score"]) == summary.combined_score.value
        assert float(row["completeness_high"]) == summary.completeness.high
        assert int(row["n_missing"]) == summary.n_missing


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_stays_in_its_cell(text: str) -> None:
    table = score_table(hostile_results(text[:200]))
    markdown = markdown_table(table)
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(table.rows)
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {9}
    assert "<script" not in markdown
    latex = latex_table(table)
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines()} == {0, 7}
    assert len(list(csv.reader(io.StringIO(csv_table(table))))) == 1 + len(table.rows)
    shown = printed(hostile_results(text[:200]), 80)
    for made in (markdown, latex, shown):
        made.encode()
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", made)


def test_no_summaries_make_an_empty_table() -> None:
    table = score_table(Results(benchmark="b", answers=(), summaries=()))
    assert table.rows == ()
    for render in (markdown_table, latex_table, csv_table):
        assert render(table)
    assert printed(Results(benchmark="b", answers=(), summaries=()), 80)


def test_latex_escapes_all_that_is_special() -> None:
    results = sample_results(models=(r"a_b&c%d$e#f{g}h~i^j\k<l>|[m]*", "x"))
    line = next(line for line in latex_table(score_table(results)).splitlines() if "a\\_b" in line)
    assert (
        r"a\_b\&c\%d\$e\#f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k"
        r"\textless{}l\textgreater{}\textbar{}[m]*"
    ) in line
