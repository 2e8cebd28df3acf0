"""The report on a graph as text: structure, escaping, and a golden copy."""

import dataclasses
import re

import pytest

from factmark.ask.spend import Spend
from factmark.graphs.core.evidence import EvidenceMark
from factmark.graphs.core.scores import fact_scores
from factmark.graphs.report import render_graph_html
from factmark.graphs.results import GraphResults
from factmark.tables.shown_text import visible
from golden_text import check_page
from hostile import HOSTILE
from page import CONTROLS, Page
from sample_graph import hostile_graph, sample_graph


def test_golden() -> None:
    check_page("page_graph.txt", render_graph_html(sample_graph(), title="Golden"))


def test_nothing_is_loaded_and_nothing_is_twice() -> None:
    for measure in ("factscore", "validity"):
        page = Page(render_graph_html(sample_graph(measure)))
        for name, value in page.attributes:
            if name in ("src", "href", "action", "data", "poster", "srcset", "xlink:href"):
                assert value is not None
                assert value.startswith(("#", "data:"))
        assert "style" not in {name for name, _ in page.attributes}
        identifiers = [value for name, value in page.attributes if name == "id"]
        assert len(identifiers) == len(set(identifiers))
        assert page.tags.count("article") == 8
        assert page.tags.count("h1") == 1


def test_what_a_reader_must_know_is_there() -> None:
    html = render_graph_html(sample_graph(), title="My graph")
    for text in (
        "<title>My graph · diabetes</title>",
        ">Notes</h2>",
        "<b>0.50</b>",
        "0 undecided, 1 unparsed, 1 refused, 0 failed",
        "<b>88 %</b>",
        "the budget of $1.50 is spent",
        "2 units stay to be judged and are in no score",
        "<dd>123,456 in, 789 out</dd>",
        "<dd>$1.50</dd>",
        "<dd>1 min 15 s</dd>",
        "3 SUPPORTED, 1 CONTRADICTED, 2 NOT_SUPPORTED, 2 no verdict",
        "✕ differs",
        "Doubt 1:",
        "{&#34;name&#34;: &#34;support&#34;",
    ):
        assert text in html


def test_each_mark_is_in_its_passage() -> None:
    html = render_graph_html(sample_graph())
    assert '<mark class="negation" data-role="negation">not</mark>' in html
    assert '<mark class="tail" data-role="tail + cue">type 2</mark>' in html
    row = sample_graph().rows[0]
    bad = dataclasses.replace(row, marks=(EvidenceMark(role="head", start=3, end=10_000),))
    with pytest.raises(ValueError, match="mark of the head at 3-10000"):
        render_graph_html(dataclasses.replace(sample_graph(), rows=(bad,)))


def test_validity_has_no_passages() -> None:
    html = render_graph_html(sample_graph("validity"))
    assert "<mark" not in html
    assert "ValidityScore over pairs" in html
    assert "MAYBE" in html


def test_a_graph_without_rows_has_no_score_and_says_why() -> None:
    empty = GraphResults(
        measure="factscore", graph="g", judge="rules", scores=fact_scores(()), rows=(),
        spent=Spend(cost=None, estimated_usage=True),
    )  # fmt: skip
    html = render_graph_html(empty)
    for text in ("<b>–</b>", "no units", "nothing was judged", "not known, for want of a price",
                 "about 0 in"):  # fmt: skip
        assert text in html


def test_of_a_large_graph_the_first_rows_are_shown_and_it_says_so() -> None:
    large = sample_graph(copies=3)
    html = render_graph_html(dataclasses.replace(large, rows=large.rows[:10]))
    assert Page(html).tags.count("article") == 10
    assert "24 pairs judged" in html
    assert "Of 24 pairs the first 10 are shown" in html
    assert "24<span" in html  # beside the bar of all relations
    assert "9 SUPPORTED, 3 CONTRADICTED, 6 NOT_SUPPORTED, 6 no verdict" in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    plain, html = (render_graph_html(hostile_graph(t), title=t) for t in ("plain", text))
    html.encode("utf-8")
    expected, page = Page(plain), Page(html)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    assert not CONTROLS.search(html)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_labels_show_as_text(text: str) -> None:
    results = hostile_graph("plain")
    rows = tuple(dataclasses.replace(row, label=text) for row in results.rows)
    html = render_graph_html(dataclasses.replace(results, rows=rows))
    assert ("data-verdict", f"={visible(text)}") in Page(html).attributes
    assert not re.search(r"<script>alert|<img", html)
