"""The tables, the chart and the page of a judged graph: content, escaping, and a golden copy."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from envelope import html_of
from factmark.api import factscore
from factmark.ask.budget import Spend
from factmark.graphs.core.claims import EvidenceMark, Triple
from factmark.graphs.published import published_table
from factmark.graphs.report import first_sentence, graph_report, graph_table, verdict_chart
from factmark.graphs.results import GraphResults
from factmark.graphs.score_tables import score_chart
from factmark.report.latex import latex_table
from factmark.report.layouts import DataTable, csv_table, markdown_table, rich_table
from factmark.report.page import spent_figures
from factmark.report.terminal import fitting_tables
from factmark.stats import correction
from factmark.text.shown_text import NO_VALUE, visible
from golden_text import check_page
from hostile import HOSTILE
from page import CONTROLS, Page
from sample_graph import hostile_graph, sample_graph
from triple_verdicts import scores_of, verdict_on


def page_html(results: GraphResults, title: str = "") -> str:
    return html_of(graph_report(results), title)


def printed(table: DataTable, width: int = 80) -> str:
    console = Console(width=width, file=io.StringIO(), color_system=None)
    console.print(rich_table(table))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_golden() -> None:
    check_page("page_graph.txt", page_html(sample_graph(), "Golden"))


def test_overall_first_then_relations_then_types() -> None:
    table = graph_table(sample_graph())
    assert [line.labels for line in table.lines] == [
        ("overall", "pairs"),
        ("overall", "unique triples"),
        *(("relation", name) for name in ("isa", "treats", "cause_of", "due_to")),
        ("relation", "finding_site_of"),
        ("head type", "unknown"),
        ("head type", "drug"),
    ]
    assert [cell.value for cell in table.lines[0].cells] == [
        "0.50",
        "0.60",
        "0.55",
        "6",
        "3",
        "1",
        "2",
        "1",
        "1",
        "0.38–0.62",
    ]
    values = [cell.value for cell in graph_table(sample_graph("validity")).lines[0].cells]
    assert values == ["0.67", "0.50", "6", "3", "2", "1", "1", "1", "0.50–0.75"]


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
    parts = fitting_tables(graph_table(sample_graph(measure)), 80)
    console = Console(width=80, file=io.StringIO(), color_system=None)
    for part in parts:
        console.print(part)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert len(re.findall(r"(?<!\[)\d\.\d\d–\d\.\d\d(?!\])", text)) == 9


def test_the_page_begins_with_the_result() -> None:
    html = page_html(sample_graph())
    sentence = html.index(
        '<p class="result">FActScore* is 0.50 [0.12–0.88]: that share of the 6 of 8 '
    )
    assert sentence < html.index("<nav") < html.index('class="figures"')


def test_the_sentence_says_what_the_share_is_of_and_what_is_missing() -> None:
    """3 of 6 supported, 2 of 8 without a verdict, 2 of 10 not judged; 3 yes and 2 maybe of 6."""
    assert first_sentence(sample_graph()).sentence == (
        "FActScore* is 0.50 [0.12–0.88]: that share of the 6 of 8 triples with a verdict is "
        "supported by its passage, judged by rules (in brackets the 95 % interval); 2 of 10 not "
        "judged yet."
    )
    valid = first_sentence(sample_graph("validity")).sentence
    assert valid.startswith("ValidityScore is 0.67 [")
    assert "uses its relation as the ontology allows, a maybe counted half, judged by" in valid


def test_a_score_by_people_is_told_as_theirs() -> None:
    labels = [row.label for row in sample_graph().rows]
    corrected = correction(labels, {0: 1.0, 3: 0.0, 6: 0.0})
    sentence = first_sentence(replace(sample_graph(), correction=corrected)).sentence
    value = f"{corrected.corrected.value:.2f}"
    assert sentence.startswith(f"FActScore* is {value} [")
    assert "of 8 triples" in sentence
    made_of = "estimated from people's labels of 3 of them and the verdicts of rules, which left 2"
    assert made_of in sentence


def test_without_a_score_the_sentence_says_why() -> None:
    nothing = replace(sample_graph(), scores=scores_of("factscore", []))
    assert first_sentence(nothing).sentence.startswith("There is no FActScore* by rules: ")


@pytest.mark.parametrize(("others", "is_told"), [(0, True), (2, False)])
def test_a_judge_that_supports_everything_is_told_beside_the_figure_without_any_label_of_people(
    others: int, is_told: bool
) -> None:
    labels = ["SUPPORTED"] * 12 + ["CONTRADICTED"] * others
    pairs = [
        verdict_on(Triple(head=f"h{n}", relation="isa", tail="t"), label)
        for n, label in enumerate(labels)
    ]
    results = replace(sample_graph(), scores=scores_of("factscore", pairs), judge="m")
    note = "m said SUPPORTED of all 12 units that it gave a label"
    assert any(note in caution for caution in results.cautions) is is_told
    html = page_html(replace(results, problems=results.cautions))
    assert html.count(note) == is_told
    assert html.find(note) < html.index('class="figures"')


def test_bars_add_up_and_rare_relations_are_left_to_the_table() -> None:
    chart = verdict_chart(sample_graph())
    assert chart.total is not None
    assert chart.total.text == "3 SUPPORTED, 1 CONTRADICTED, 2 NOT_SUPPORTED, 2 no verdict"
    assert [bar.name for bar in chart.bars][:2] == ["isa", "treats"]
    for bar in (chart.total, *chart.bars):
        assert sum(part.count for part in bar.segments) == bar.total
        widths = sum(float(part.width.rstrip("%")) for part in bar.segments)
        assert widths == pytest.approx(100, abs=0.02)
    scores, more = sample_graph().scores, ("rarer is not shown", "rarer are not shown")
    few = score_chart(scores.main, scores.by_relation, caption="c", whole="all", more=more, bars=2)
    assert (len(few.bars), few.note) == (2, "3 rarer are not shown.")


@pytest.mark.parametrize("measure", ["factscore", "validity"])
def test_nothing_is_loaded_and_no_id_is_twice(measure: str) -> None:
    page = Page(page_html(sample_graph(measure)))
    for name, value in page.attributes:
        if name in ("src", "href", "action", "data", "poster", "srcset", "xlink:href"):
            assert value is not None
            assert value.startswith(("#", "data:"))
    identifiers = [value for name, value in page.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))
    assert page.tags.count("article") == 8
    assert ("mark" in page.tags) == (measure == "factscore")


def test_a_mark_outside_its_passage_is_an_error() -> None:
    row = sample_graph().rows[0]
    bad = replace(row, marks=(EvidenceMark(role="head", start=3, end=10_000),))
    with pytest.raises(ValueError, match=r"head.* at 3-10000"):
        page_html(replace(sample_graph(), rows=(bad,)))


def test_a_graph_without_rows_has_no_score_and_says_why() -> None:
    empty = GraphResults(
        measure="factscore",
        graph="g",
        judge="rules",
        rows=(),
        scores=scores_of("factscore", ()),
        spent=Spend(cost=None, estimated_usage=True),
    )
    html = page_html(empty)
    for text in ("<b>–</b>", "no units", "nothing was judged", "for want of a price", "about 0 in"):
        assert text in html


def test_of_a_large_graph_the_first_rows_are_shown_and_it_says_so() -> None:
    large = sample_graph(copies=3)
    html = page_html(replace(large, rows=large.rows[:10]))
    assert Page(html).tags.count("article") == 10
    assert "Of 24 triples the first 10 are shown" in html
    assert "9 SUPPORTED, 3 CONTRADICTED, 6 NOT_SUPPORTED, 6 no verdict" in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_stays_where_it_is_put(text: str) -> None:
    table = graph_table(hostile_graph(text[:200]))
    markdown, latex = markdown_table(table), latex_table(table)
    rows = [line for line in markdown.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in rows} == {11}
    assert "<script" not in markdown
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    assert {len(re.findall(r"(?<!\\)&", line)) for line in body.splitlines()} == {0, 9}
    assert len(list(csv.reader(io.StringIO(csv_table(table))))) == 1 + len(table.lines)
    results = hostile_graph(text)
    harmless = "plain"
    if "\n\n" in text:  # of several sentences the one that decides stands before the passage
        harmless = "plain\n\nplain"
    plain, html = (page_html(hostile_graph(t), t) for t in (harmless, text))
    expected, page = Page(plain), Page(html)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    rows_of_text = tuple(replace(row, label=text) for row in results.rows)
    labels = Page(page_html(replace(results, rows=rows_of_text)))
    assert ("data-verdict", f"={visible(text)}") in labels.attributes
    for made in (markdown, latex, printed(table), html):
        made.encode()
        assert not CONTROLS.search(made)


def test_what_does_not_apply_is_not_among_the_figures_of_judging() -> None:
    """Rules call nobody: `Calls 0` tells a reader nothing. A model's calls are shown, also none."""
    assert spent_figures("Judging", Spend(seconds=1.0)).values == [("Time", "1.0 s")]
    asked = dict(spent_figures("Judging", Spend(seconds=1.0, cached=3, judged_before=2)).values)
    assert list(asked) == ["Calls", "Replies read back", "Judged before", "Tokens", "Cost", "Time"]
    assert asked["Calls"] == "0"


@pytest.mark.parametrize(("relation", "is_shown"), [("has_symptom", True), ("treats", False)])
def test_figures_of_medicine_stand_beside_graphs_of_medicine(relation: str, is_shown: bool) -> None:
    results = sample_graph(copies=2)
    rows = tuple(replace(row, relation=relation) for row in results.rows)
    assert ("GraphMERT" in page_html(replace(results, rows=rows))) == is_shown


def test_a_graph_of_another_field_has_short_notes(tmp_path: Path) -> None:
    """One note for all relations without a score, no types of a medical ontology, and the columns'
    meanings behind their heads."""
    relations = ("causes", "capital_of", "prevents", "born_in", "made_of")
    rows = "".join(f"exercise,{name},obesity,Nothing of it.\n" for name in relations)
    (tmp_path / "g.csv").write_text(f"head,relation,tail,passage\n{rows}", encoding="utf-8")
    measured = factscore(tmp_path / "g.csv")
    measured.report(tmp_path / "o")
    html = (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert html.count(f"<li>{NO_VALUE}: ") == 1
    assert "head type" not in html.replace("relations and head types go over pairs", "")
    assert "GraphMERT" not in html
    assert "<summary>What the columns mean</summary>" in html
    assert 'title="Recall: supported / (supported + not supported)."' in html


def test_a_triple_in_several_passages_is_told() -> None:
    valid = " ".join(graph_table(sample_graph("validity")).notes)
    scores = sample_graph("validity").scores
    words = f"are {scores.unique.n_units} unique triples"
    assert (words in valid) == (scores.unique.n_units != scores.pairs.n_units)


def test_both_counts_of_graphmert_are_explained_where_they_are_printed() -> None:
    text = printed(published_table(), 200)
    assert "138,201" in text
    assert "109,293" in text
    (note,) = [note for note in published_table().notes if "109,293" in note]
    assert "1,364 repeat passage, head, relation and tail" in note  # 139,565 - 138,201
