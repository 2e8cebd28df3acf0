"""The report as text: structure, escaping, policy, golden copies; traces and chart."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from dataclasses import replace

import pytest

from factmark.answers.core.records import Fact, ScoredAnswer, Trace
from factmark.answers.page import (
    MOST_NAMES,
    MOST_SHOWN,
    excerpt,
    mark_facts,
    panels,
    render_html,
    trace_cards,
)
from factmark.answers.results import Results
from factmark.text.shown_text import visible
from golden_text import check_page
from hostile import HOSTILE, hostile_results
from page import CONTROLS, Page
from sample_results import sample_results
from traced import CATALOGUE, chunk, hostile_traces, question, traced, traced_results, use


def page_of(*rows: ScoredAnswer) -> str:
    return render_html(Results(benchmark="b", answers=rows, summaries=()))


def test_golden() -> None:
    for results, questions, name in (
        (sample_results(), ("D2", "P4"), "page_report.txt"),
        (traced_results(), ("P3",), "page_runs.txt"),
    ):
        answers = tuple(row for row in results.answers if row.question.query_id in questions)
        kept = ("discovery", "overall") if len(questions) > 1 else ("overall",)
        summaries = tuple(s for s in results.summaries if s.category in kept)
        small = replace(results, answers=answers, summaries=summaries)
        check_page(name, render_html(small, title="Golden"))


def test_nothing_is_loaded_from_elsewhere() -> None:
    html = render_html(sample_results())
    page = Page(html)
    for name, value in page.attributes:
        if name in ("src", "href", "action", "data", "poster", "srcset", "xlink:href"):
            assert value is not None
            assert value.startswith(("#", "data:"))
    assert "style" not in {name for name, _ in page.attributes}
    assert not {"iframe", "object", "embed", "img", "base"} & set(page.tags)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert policy[1].startswith("default-src &#39;none&#39;;")
    for tag in ("style", "script"):
        (inline,) = re.findall(rf"<{tag}>(.*?)</{tag}>", html, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy[1].replace("&#43;", "+")


def test_every_answer_with_its_marks_query_and_ground_truth() -> None:
    results = sample_results()
    html = render_html(results)
    page = Page(html)
    assert page.tags.count("article") == page.tags.count("pre") == len(results.answers)
    assert page.tags.count("mark") == sum(len(row.score.facts) for row in results.answers)
    assert page.tags.count("h1") == 1
    identifiers = [value for name, value in page.attributes if name == "id"]
    assert len(identifiers) == len(set(identifiers))
    for text in (
        "H = |F \\ G| / |F|",
        "Lower is better.",
        ">Notes</h2>",
        "question D99 is not in the benchmark",
        "{&#34;resamples&#34;: 2000",
        "The answer is empty.",
        "<summary>and 2 more</summary>",
        "<dt>Reports absence</dt><dd>yes</dd>",
        "Ground truth is empty",
    ):
        assert text in html
    assert '"#passages"' not in html
    assert '"#runs"' not in html


def test_a_fact_is_marked_with_its_element_and_rule() -> None:
    facts = (
        Fact(text="30", start=0, end=2, match="30", rule="M1"),
        Fact(text="oncology", start=15, end=23),
    )
    assert mark_facts("30 datasets on oncology", facts) == (
        '<mark class="hit" title="matches “30”, rule M1">30</mark> datasets on '
        '<mark class="miss" title="not in the ground truth">oncology</mark>'
    )


def test_what_is_missing_of_a_study_or_question_is_told() -> None:
    html = render_html(Results(benchmark="b", answers=(), summaries=()))
    assert "no answers were scored" in html
    assert "0 answers" in html
    asked = question("A", sparql=None)
    row = traced(asked, "```sparql\nSELECT ?x\nWHERE {}\n```\n", None)
    html = page_of(replace(row, question=replace(asked, ground_truth=None)))
    assert "No SPARQL query given" in html
    assert "Ground truth not derived" in html
    assert "a SPARQL query of 2 lines" in html  # what of an answer was not read


def test_many_answers_make_a_file_of_reasonable_size() -> None:
    results = traced_results(models=("a", "b"), copies=3)  # 150 answers, 102 with a catalogue
    assert len(results.answers) == 150
    assert len(render_html(results).encode()) < 1_000_000


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    html, plain = (
        render_html(hostile_traces(hostile_results(some), some), title=some)
        for some in (text, "p" * len(text))
    )
    html.encode("utf-8")
    page, expected = Page(html), Page(plain)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    assert ("title", f"matches “{visible(text)}”, rule {visible(text)}") in page.attributes
    assert not CONTROLS.search(html)


def test_a_text_is_bounded_and_tells_how_much_more_there_is() -> None:
    long = "x" * (MOST_SHOWN + 1)
    assert (excerpt(long).more, len(excerpt(long).text)) == (1, MOST_SHOWN)
    assert excerpt("abc", size=9_003).more == 9_000  # of a result that was cut before
    trace = Trace(tools=(use(result=long), use("find", result="y" * 5_000)))
    html = page_of(traced(question("A"), "30", trace))
    assert "1 more character<" in html
    assert "3,000 more characters<" in html
    assert long not in html


def test_what_several_answers_were_given_stands_once() -> None:
    results = traced_results(models=("one", "two"))
    cards, (shared,) = trace_cards(results.answers)
    assert (shared.title, shared.excerpt.text) == ("Catalogue", CATALOGUE[:MOST_SHOWN])
    assert len(shared.places) == sum(bool(card and card.where) for card in cards) == 34
    html = render_html(results)
    assert html.count(CATALOGUE[:MOST_SHOWN]) == html.count('id="passage-1"') == 1
    assert html.count('href="#passage-1"') == 34
    assert "and 22 more" in html
    assert '<a href="#passages">Passages</a>' in html
    assert '<a href="#runs">How the answers came about</a>' in html
    back = html.partition('<details class="passage">')[2]
    place = back.partition('<a href="#answer-')[2].partition('"')[0]
    assert f'<article id="answer-{place}"' in html
    # Texts that begin alike and differ in length are two.
    given = [Trace(chunks=(chunk("z" * size),)) for size in (3_000, 4_000)]
    rows = [traced(question("A"), "30", trace) for trace in given * 2]
    assert [shared.excerpt.more for shared in trace_cards(rows)[1]] == [1_000, 2_000]


def test_elements_are_marked_as_retrieved_or_not() -> None:
    asked = question("A", ("lupus", "gout", "asthma"))
    html = page_of(traced(asked, "lupus", Trace(chunks=(chunk("lupus and gout"),))))
    assert '<li class="unsaid"><bdi>gout</bdi>' in html
    assert html.count("in the chunks, but not said") == 1
    # The filter by words reads the elements, not what is told of them.
    assert 'data-text="h3, .meta, .answer, .missing bdi"' in html
    assert "<li><bdi>asthma</bdi></li>" in html
    assert '<bdi>lupus</bdi> <span class="from">retrieved</span>' in html
    assert '<bdi>asthma</bdi> <span class="from">not retrieved</span>' in html
    assert "data-unsaid" in html
    for name in ("keys", "items", "__class__", "get"):  # an element is just a word
        asked = question("A", (name, "other"))
        assert "but not said" not in page_of(traced(asked, "30", Trace(chunks=(chunk("x"),))))


def test_a_tool_that_is_called_often_is_named_once_and_names_are_bounded() -> None:
    asked = question("A")
    html = page_of(
        traced(asked, "30", Trace(tools=(use("list_it"),) * 20 + (use("y" * 5_000),))),
        traced(asked, "31", Trace(sample=1, tools=tuple(use(f"t{n}") for n in range(50)))),
        traced(asked, "32", Trace(chunks=(chunk("z" * 300, "T" * 5_000),)), model="M" * 5_000),
        traced(asked, "33", Trace(chunks=(chunk("z" * 300, "T" * 5_000),))),
    )
    side, other = (part.partition("</dd>")[0] for part in html.split("<dt>Tools</dt>")[1:3])
    assert side.count("list_<wbr>it") == 1
    assert "list_<wbr>it</bdi> × 20" in side
    assert "and 38 more" in other
    assert other.count('class="tool"') == MOST_NAMES + 1
    assert "y" * 201 not in html
    assert "T" * 201 not in html
    assert f"<bdi>{'M' * 200}…</bdi>" in html


def test_the_chart_has_a_panel_per_metric_and_positions_inside_the_axis() -> None:
    charts = panels(sample_results())
    assert [metric.symbol for metric, _ in charts] == ["C", "H", "S"]
    for _, groups in charts:
        names = [category for category, _ in groups]
        assert names == ["overall", "discovery", "policy", "clinical", "comparative"]
        for _, [(model, lines)] in groups:
            assert model == ""
            assert [(line.label, line.series) for line in lines] == [
                ("baseline", 0),
                ("rag", 1),
                ("mcp", 2),
            ]
            for line in lines:
                low, at, high = (float(text.rstrip("%")) for text in (line.low, line.at, line.high))
                assert 0 <= low <= at <= high <= 100
                assert abs(float(line.value) * 100 - at) < 1
    assert panels(Results(benchmark="b", answers=(), summaries=())) == []


def test_without_a_value_nothing_is_drawn() -> None:
    results = sample_results()
    for value in (None, math.nan):
        nothing = replace(results.summaries[0].completeness, value=value)
        first = replace(results.summaries[0], completeness=nothing)
        _, [(_, [(_, [line])])] = panels(replace(results, summaries=(first,)))[0]
        assert (line.at, line.low, line.high, line.value) == ("", "", "", "–")


def test_the_chart_tells_several_models_apart() -> None:
    results = sample_results(models=("m1", "m2"))
    _, [(_, parts), *_] = panels(results)[0]
    assert [(model, [line.series for line in lines]) for model, lines in parts] == [
        ("m1", [0, 1, 2]),
        ("m2", [0, 1, 2]),
    ]
    one = tuple(summary for summary in results.summaries if summary.condition == "mcp")
    _, [(_, [(name, lines)]), *_] = panels(replace(results, summaries=one))[0]
    assert (name, [(line.label, line.series) for line in lines]) == ("", [("m1", 0), ("m2", 1)])
