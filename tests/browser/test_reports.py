"""The reports in a real browser: safe, silent, usable by keyboard, on a phone and in print."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from browsing import COLOURS, contrast, luminance, tab_to, wait_for_count
from envelope import html_of
from factmark.graph_answers.cards import NAME
from factmark.graph_answers.report import graphrag_report
from factmark.graphs.report import graph_report
from factmark.text.shown_text import visible
from hostile import HOSTILE, hostile_results
from page import answers_html
from sample_campaign import campaign_html, sample_campaign
from sample_graph import PASSAGE, hostile_graph, sample_graph
from sample_graphrag import hostile_graphrag, sample_graphrag
from sample_results import sample_results
from traced import hostile_traces, traced_results

pytestmark = pytest.mark.browser

Visits = Callable[..., Any]
PHONE = {"width": 360, "height": 740}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
OPEN = "all => all.forEach(one => one.open = true)"
LOOK = f"""selectors => {{
    document.querySelectorAll("details").forEach(one => one.open = true);
    const all = selectors.map(one => [...document.querySelectorAll(one)]);
    const texts = all.map(found => found.map(one => one.textContent.slice(0, 999)));
    return [texts, document.scripts.length, document.images.length, {OVERFLOW}];
}}"""
REPORTS: dict[str, Callable[[], str]] = {
    "answers": lambda: answers_html(sample_results(models=("m" * 40,))),
    "runs": lambda: answers_html(traced_results(models=("m" * 40, "two"))),
    "graph": lambda: html_of(graph_report(sample_graph())),
    "validity": lambda: html_of(graph_report(sample_graph("validity"))),
    "graphrag": lambda: html_of(graphrag_report(sample_graphrag(12))),
    "campaign": lambda: campaign_html(sample_campaign()),
}
WITH_HOSTILE: dict[str, Callable[[str], str]] = {
    "answers": lambda text: answers_html(hostile_results(text), title=text),
    "runs": lambda text: answers_html(hostile_traces(hostile_results(text), text), title=text),
    "graph": lambda text: html_of(graph_report(hostile_graph(text)), text),
    "graphrag": lambda text: html_of(graphrag_report(hostile_graphrag(text)), text),
    "campaign": lambda text: campaign_html(sample_campaign(text=text), title=text),
}
SHOWN = {
    "answers": ("h1", "h3 bdi:last-child", ".problems li", ".truth li", "pre", ".facts bdi"),
    "runs": ("h1", ".given .title", ".given pre"),
    "graph": ("h1", "h3 bdi:last-child", ".reason bdi", ".problems li", ".triple bdi"),
    "graphrag": (
        "h1",
        "h3 mark",
        ".part h4 > bdi",
        ".part .answer",
        ".reason bdi",
        ".carrier > span:first-child",
        ".carries bdi",
        ".source",
        ".options bdi",
        ".problems li",
        ".entities bdi",
    ),
    "campaign": ("h1", ".comment"),
}
"""Where hostile text has to stand as text, of each report."""
READ = {
    "answers": (
        "mark.hit",
        "mark.miss",
        ".lead",
        ".meta",
        ".no-facts",
        ".size",
        ".interval",
        "summary",
        "nav a",
        ".answer",
        ".problems li",
        "label",
        "input",
        "select",
        "button",
        ".key .hit",
        ".key .miss",
    ),
    "runs": (".from", ".failed", ".given .size", ".title", ".given pre", ".shared a"),
    "graph": (
        "mark.head",
        "mark.tail",
        "mark.cue",
        "mark.negation",
        ".verdict",
        ".reason",
        ".interval",
        ".figures dt",
        ".spent dd",
        ".stopped",
        ".meta",
        ".line-name",
        ".notes li",
        "label",
        "select",
        ".answer",
    ),
    "validity": (".verdict", ".reason"),
    "graphrag": (
        "mark.linked",
        ".verdict",
        ".flag",
        ".reason",
        ".carries",
        ".meta",
        ".size",
        ".entities > span",
        ".facts-given li",
        ".source",
        ".options li",
        ".part .answer",
        "summary",
        ".verdicts li",
        ".notes",
    ),
    "campaign": (
        "h4",
        ".mean",
        ".apart",
        ".said-by span",
        ".who",
        ".comment",
        ".source",
        "figcaption",
        "td",
        "th",
        ".notes",
    ),
}
"""Text that has to be readable, of each report."""


def silent(visited: Any) -> None:
    """Nothing left the page, and nothing ran that should not have."""
    assert (visited.dialogs, visited.errors, visited.console) == ([], [], [])
    assert len(visited.requests) == 1


@pytest.mark.parametrize("report", WITH_HOSTILE)
def test_hostile_text_shows_as_text(visit: Visits, report: str) -> None:
    text = "".join(HOSTILE.values())
    visited = visit(WITH_HOSTILE[report](text), viewport=PHONE)
    texts, scripts, images, overflow = visited.page.evaluate(LOOK, SHOWN[report])
    for selector, shown in zip(SHOWN[report], texts, strict=True):
        assert any(one.startswith(visible(text)[:NAME]) for one in shown), selector
    assert (scripts, images, overflow <= 0) == (1, 0, True)
    silent(visited)


@pytest.mark.parametrize("report", REPORTS)
def test_it_can_be_read_by_day_and_night_and_on_a_phone(visit: Visits, report: str) -> None:
    visited = visit(REPORTS[report](), viewport=PHONE)
    visited.page.eval_on_selector_all("details", OPEN)
    assert visited.page.evaluate(OVERFLOW) <= 0
    for scheme in ("light", "dark"):
        visited.page.emulate_media(color_scheme=scheme)
        background = visited.page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (luminance(background) < 0.05) == (scheme == "dark")
        for selector in READ[report]:
            pairs = visited.page.eval_on_selector_all(selector, COLOURS)
            assert pairs, selector
            for text, behind in pairs:
                assert contrast(text, behind) >= 4.5, (scheme, selector, text, behind)
    silent(visited)


@pytest.mark.parametrize(
    ("report", "cards"), [("answers", 25), ("graph", 8), ("graphrag", 12), ("campaign", 3)]
)
def test_without_javascript_and_in_print_everything_is_there(
    visit: Visits, report: str, cards: int
) -> None:
    visited = visit(REPORTS[report](), java_script_enabled=False)
    assert visited.page.locator("article:visible").count() == cards
    assert not visited.page.locator("#filters").is_visible()
    visited.page.emulate_media(media="print")
    assert visited.page.locator("article:visible").count() == cards
    assert visited.page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize(("report", "cards"), [("answers", 25), ("graph", 8)])
def test_what_a_screen_reader_is_told(visit: Visits, report: str, cards: int) -> None:
    visited = visit(REPORTS[report]())
    visited.page.eval_on_selector_all(
        "article", "all => all.forEach(one => one.style.contentVisibility = 'visible')"
    )
    session = visited.page.context.new_cdp_session(visited.page)
    tree = session.send("Accessibility.getFullAXTree")["nodes"]
    nodes = [node for node in tree if not node.get("ignored")]
    roles = [node["role"]["value"] for node in nodes]
    for landmark in ("banner", "main", "contentinfo", "navigation", "search"):
        assert roles.count(landmark) == 1, landmark
    assert roles.count("article") == cards
    named = {
        "combobox",
        "searchbox",
        "spinbutton",
        "checkbox",
        "button",
        "link",
        "region",
        "article",
        "search",
        "navigation",
        "table",
        "figure",
    }
    for node in nodes:
        if node["role"]["value"] in named:
            assert node.get("name", {}).get("value"), node
    levels = [
        next(one["value"]["value"] for one in node["properties"] if one["name"] == "level")
        for node in nodes
        if node["role"]["value"] == "heading"
    ]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels
    status = next(node for node in nodes if node["role"]["value"] == "status")
    live = {one["name"]: one["value"].get("value") for one in status["properties"]}
    assert live["live"] == "polite"


def test_answers_are_filtered_and_sorted_by_keyboard_only(visit: Visits) -> None:
    visited = visit(answers_html(sample_results()))
    page, keys = visited.page, visited.page.keyboard
    keys.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    keys.press("Enter")
    assert page.evaluate("document.activeElement.id") == "answers"
    tab_to(visited, "words")
    assert page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 1
    keys.type("STROKE registry")
    wait_for_count(visited, "4 of 25 answers")
    keys.press("Control+A")
    keys.press("Delete")
    tab_to(visited, "category")
    keys.press("ArrowDown")
    wait_for_count(visited, "6 of 25 answers")
    tab_to(visited, "condition")
    keys.press("ArrowDown")
    wait_for_count(visited, "2 of 25 answers")
    tab_to(visited, "order")
    keys.press("ArrowDown")
    page.wait_for_function(
        "() => document.getElementById('answer-list').lastElementChild.dataset.s === '1.00'"
    )
    scores = page.eval_on_selector_all("article", "all => all.map(o => +o.dataset.s)")
    assert scores == sorted(scores)
    tab_to(visited, "least")
    keys.type("0.1")
    wait_for_count(visited, "1 of 25 answers")
    tab_to(visited, "most")
    keys.type("0.2")
    wait_for_count(visited, "0 of 25 answers")
    assert page.locator("#none-shown").is_visible()
    page.click("button[type=reset]")
    wait_for_count(visited, "25 answers")
    assert visited.shown == [f"answer-{n}" for n in range(1, 26)]
    silent(visited)


def test_each_filter_of_answers_shows_what_it_says(visit: Visits) -> None:
    results = traced_results(models=("one", "two"))
    visited = visit(answers_html(results))
    scores = [item.score for item in results.answers]
    page = visited.page
    for name, fitting in {
        "hallucinated": sum(any(f.match is None for f in score.facts) for score in scores),
        "missing": sum(bool(score.missing) for score in scores),
        "unsaid": page.locator("article[data-unsaid]").count(),
        "failed": 18,  # each answer under mcp has a failed call
    }.items():
        page.check(f"[name={name}]")
        wait_for_count(visited, f"{fitting} of 50 answers")
        page.uncheck(f"[name={name}]")
    page.select_option("[name=model]", label="two")
    wait_for_count(visited, "25 of 50 answers")
    page.fill("[name=least]", "1")
    perfect = sum(round(score.combined_score, 2) == 1 for score in scores) // 2
    wait_for_count(visited, f"{perfect} of 50 answers")
    text = "".join(HOSTILE[name] for name in ("attribute", "lines", "nul"))
    visited = visit(answers_html(hostile_results(text)))
    visited.page.select_option("[name=condition]", index=1)
    wait_for_count(visited, "2 of 4 answers")


def test_an_answer_opens_its_query_its_passage_and_its_chart(visit: Visits) -> None:
    visited = visit(answers_html(traced_results()))
    page = visited.page
    query, passage = page.locator("#answer-1 pre").first, page.locator("pre#passage-1")
    assert not query.is_visible()
    page.locator("#answer-1 summary", has_text="SPARQL query").click()
    assert "COUNT(DISTINCT ?dataset)" in query.inner_text()
    assert not passage.is_visible()
    page.locator("#answer-2 summary", has_text="Chunks").click()
    page.locator("#answer-2 a").first.click()
    passage.wait_for(state="visible", timeout=5000)
    assert passage.inner_text().startswith("Coastal Asthma Registry")
    back = page.locator(".passage p a").first
    back.click()
    page.wait_for_function(
        "id => { const at = document.querySelector(id).getBoundingClientRect().top; "
        "return at > -5 && at < innerHeight }",
        arg=back.get_attribute("href"),
        timeout=5000,
    )
    lines = page.locator(".panel").first.locator("li").all_text_contents()
    discovery = 3  # lines, after those of all questions
    assert re.sub(r"\s+", " ", lines[discovery]).strip() == "baseline 0.17 [0.01–0.76]"
    mcp = discovery + 2
    dot, plot = page.locator(".plot use").nth(mcp), page.locator(".plot").nth(mcp).bounding_box()
    box = dot.bounding_box()
    assert abs(box["x"] + box["width"] / 2 - (plot["x"] + plot["width"])) < 1
    for colour in range(3):
        drawn, behind = page.eval_on_selector_all(f".colour-{colour} .plot", COLOURS)[0]
        assert contrast(drawn, behind) >= 3


def test_a_thousand_answers_stay_responsive(visit: Visits) -> None:
    visited = visit(answers_html(sample_results(copies=40)))
    wait_for_count(visited, "1000 answers")
    for act in (
        lambda: visited.page.fill("[name=words]", "metformin"),
        lambda: visited.page.select_option("[name=order]", "low"),
        lambda: visited.page.select_option("[name=condition]", label="mcp"),
    ):
        start = time.perf_counter()
        act()
        visited.page.evaluate("new Promise(d => setTimeout(() => requestAnimationFrame(d), 160))")
        assert time.perf_counter() - start < 10  # a busy machine takes its time
    assert visited.page.locator("#count").inner_text() == "40 of 1000 answers"


def test_triples_are_filtered_and_marked(visit: Visits) -> None:
    visited = visit(html_of(graph_report(sample_graph())))
    keys = visited.page.keyboard
    tab_to(visited, "words")
    keys.type("WEIGHT gain")
    wait_for_count(visited, "8 triples")  # it is in every passage
    keys.type(" asthma")
    wait_for_count(visited, "1 of 8 triples")
    keys.press("Control+A")
    keys.press("Delete")
    tab_to(visited, "verdict")
    keys.press("ArrowDown")
    wait_for_count(visited, "3 of 8 triples")
    assert visited.shown == ["triple-1", "triple-2", "triple-8"]
    tab_to(visited, "relation")
    keys.type("isa")
    tab_to(visited, "differs")
    keys.press("Space")
    wait_for_count(visited, "0 of 8 triples")
    keys.press("Tab")
    keys.press("Enter")
    visited.page.select_option("[name=status]", label="refused")
    wait_for_count(visited, "1 of 8 triples")
    visited.page.click("button[type=reset]")
    assert (
        visited.page.locator("#triple-3 details .answer").evaluate("one => one.textContent")
        == PASSAGE
    )
    bars = visited.page.locator(".bars li").all_text_contents()
    assert "8: 3 SUPPORTED, 1 CONTRADICTED, 2 NOT_SUPPORTED, 2 no verdict" in bars[0]
    border = "one => getComputedStyle(one).borderBottomStyle"  # not by colour alone
    assert [
        visited.page.locator(f"mark.{role}").first.evaluate(border)
        for role in ("head", "tail", "cue", "negation")
    ] == ["solid", "double", "dotted", "dashed"]
    silent(visited)


def test_filters_pick_graphrag_answers_and_the_questions_that_have_one(visit: Visits) -> None:
    results = sample_graphrag(20)
    visited = visit(html_of(graphrag_report(results)), viewport={"width": 1100, "height": 900})
    wider = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    assert visited.page.eval_on_selector_all(".scroll", wider) == 0  # tables fit: heads wrap
    mine = [one for one in results.run.answers if one.system == "diabetes"]
    wrong = {f"question-{1 + int(o.question.id[1:])}" for o in mine if o.label == "INCORRECT"}
    visited.page.select_option("[name=system]", label="diabetes")
    visited.page.select_option("[name=verdict]", label="INCORRECT")
    wait_for_count(visited, f"{len(wrong)} of 20 questions")
    assert set(visited.shown) == wrong
    assert visited.page.locator(".part:not([hidden])").count() == len(wrong)
    visited.page.select_option("[name=verdict]", label="All")
    visited.page.select_option("[name=context]", label="lacks it")
    tab_to(visited, "abstained")
    visited.page.keyboard.press("Space")
    abstained = [one for one in mine if one.abstained and one.given.held is False]
    wait_for_count(visited, f"{len(abstained)} of 20 questions")
    visited.page.click("button[type=reset]")
    visited.page.select_option("[name=kind]", label="yes-no")
    wait_for_count(visited, "3 of 20 questions")  # 0, 7 and 14
    silent(visited)


def test_filters_of_a_campaign_show_the_parts_that_fit(visit: Visits) -> None:
    visited = visit(campaign_html(sample_campaign()))
    seen = "all => all.filter(one => one.checkVisibility()).map(one => one.dataset.system)"
    assert len(visited.page.eval_on_selector_all(".part", seen)) == 9
    visited.page.select_option("select[name=system]", label="model-b")
    wait_for_count(visited, "3 documents")
    assert visited.page.eval_on_selector_all(".part", seen) == ["=model-b"] * 3
    visited.page.select_option("select[name=annotator]", label="A2")
    wait_for_count(visited, "2 of 3 documents")
    visited.page.check("input[name=differs]")
    wait_for_count(visited, "1 of 3 documents")
    assert visited.shown == ["document-2"]
    visited.page.click("button[type=reset]")
    visited.page.fill("input[name=words]", "misspelt")
    wait_for_count(visited, "1 of 3 documents")
    assert visited.shown == ["document-3"]
    silent(visited)
