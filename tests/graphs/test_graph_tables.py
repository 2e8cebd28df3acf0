"""The tables and the chart of a judged graph."""

import csv
import io
import re

import pytest
from rich.console import Console

from factmark.graphs.tables import graph_chart, graph_table, published_table
from factmark.tables.latex import latex_table
from factmark.tables.layouts import DataTable, csv_table, markdown_table, rich_table
from hostile import HOSTILE
from page import CONTROLS
from sample_graph import hostile_graph, sample_graph


def printed(table: DataTable, width: int) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(rich_table(table))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_overall_first_then_relations_then_types() -> None:
    table = graph_table(sample_graph())
    assert [line.labels for line in table.lines] == [
        ("overall", "pairs"),
        ("overall", "unique triples"),
        *(("relation", name) for name in ("cause_of", "due_to", "finding_site_of", "isa")),
        ("relation", "treats"),
        ("head type", "unknown"),
        ("head type", "drug"),
    ]
    assert [cell.value for cell in table.lines[0].cells] == [
        "0.50", "0.60", "0.55", "6", "3/1/2", "0/1/1/0", "0.38–0.62",
    ]  # fmt: skip


def test_validity_has_both_scores() -> None:
    values = [cell.value for cell in graph_table(sample_graph("validity")).lines[0].cells]
    assert values == ["0.67", "0.50", "6", "3/2/1", "0/1/1/0", "0.50–0.75"]


def test_undefined_values_are_dashes_with_their_reason() -> None:
    table = graph_table(sample_graph())
    assert "| due\\_to | – | – | – | 0 |" in markdown_table(table)
    assert ("–: no recall for cause_of: nothing is supported or not supported.") in table.notes
    assert table.notes[-1] == "2 units are not judged yet and in no score."
    row = next(r for r in csv.DictReader(io.StringIO(csv_table(table))) if r["name"] == "due_to")
    assert (row["score"], row["f1"], row["refused"]) == ("", "", "1")
    assert (row["score_worst"], row["score_best"]) == ("0.0", "1.0")


@pytest.mark.parametrize("measure", ["factscore", "validity"])
def test_terminal_at_80_columns_keeps_every_number_whole(measure: str) -> None:
    text = printed(graph_table(sample_graph(measure)), 80)
    assert max(map(len, text.splitlines())) <= 80
    assert "range" in text
    assert text.count("/1/") >= 3
    assert len(re.findall(r"(?<!\[)\d\.\d\d–\d\.\d\d(?!\])", text)) == 9


def test_published_figures_are_marked_as_doubtful() -> None:
    text = printed(published_table(), 80)
    assert "139,565" in text
    assert "69.8" in text
    markdown = markdown_table(published_table())
    assert "| GraphMERT | 139,565 | 109,293 | 69.8 | 72.2 | 68.8 / 18.3 / 10.8 | 2.1 | 1, 2 |" in (
        markdown
    )
    assert "Doubt 3: a summary in circulation calls it GPT-4" in markdown
    assert "not measured here" in markdown


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_stays_in_its_cell(text: str) -> None:
    table = graph_table(hostile_graph(text[:200]))
    markdown = markdown_table(table)
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {9}
    assert "<script" not in markdown
    latex = latex_table(table)
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines()} == {0, 7}
    assert len(list(csv.reader(io.StringIO(csv_table(table))))) == 1 + len(table.lines)
    for made in (markdown, latex, printed(table, 80)):
        made.encode()
        assert not CONTROLS.search(made)


def test_bars_add_up_and_rare_relations_are_left_to_the_table() -> None:
    chart = graph_chart(sample_graph())
    assert chart.verdicts == ("SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED", "no verdict")
    assert chart.overall.text == "3 SUPPORTED, 1 CONTRADICTED, 2 NOT_SUPPORTED, 2 no verdict"
    assert [bar.name for bar in chart.bars][:2] == ["isa", "treats"]
    for bar in (chart.overall, *chart.bars):
        assert sum(part.count for part in bar.segments) == bar.total
        widths = sum(float(part.width.rstrip("%")) for part in bar.segments)
        assert widths == pytest.approx(100, abs=0.02)
    assert graph_chart(sample_graph(), bars=2).rest == 3
