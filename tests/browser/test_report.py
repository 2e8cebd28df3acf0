"""The report in a real browser: safe, silent, usable by keyboard, on a phone and in print."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from browsing import COLOURS, contrast, luminance, tab_to, wait_for_count
from factmark.answers.html import render_html
from factmark.tables.shown_text import visible
from hostile import HOSTILE, hostile_results
from sample_results import sample_results

pytestmark = pytest.mark.browser

Visits = Callable[..., Any]


def test_nothing_leaves_the_page_and_the_console_stays_empty(visit: Visits) -> None:
    visited = visit(render_html(sample_results()))
    wait_for_count(visited, "40 answers")
    assert len(visited.requests) == 1
    assert visited.console == []
    assert visited.errors == []
    assert len(visited.shown) == 40


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_text_shows_as_text(visit: Visits, name: str) -> None:
    text = HOSTILE[name]
    visited = visit(render_html(hostile_results(text), title=text))
    wait_for_count(visited, "4 answers")
    shown = visited.page.eval_on_selector(".answer", "one => one.textContent")
    assert shown == visible(f"{text} and {text}")
    for selector in ("h1", "h3 bdi:last-child", ".problems li", ".truth li", "pre", ".facts bdi"):
        found = visited.page.eval_on_selector_all(selector, "all => all.map(o => o.textContent)")
        assert visible(text) in found, selector
    assert visited.page.locator("option", has_text="other").count() == 2
    assert visited.page.evaluate("document.scripts.length") == 1
    assert visited.page.locator("img").count() == 0
    assert visited.page.evaluate(
        "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
    )
    assert (visited.dialogs, visited.errors, visited.console) == ([], [], [])
    assert len(visited.requests) == 1


def test_a_hostile_condition_can_be_filtered_by(visit: Visits) -> None:
    for text in (HOSTILE["attribute"], HOSTILE["lines"], HOSTILE["nul"], ""):
        visited = visit(render_html(hostile_results(text or "x")))
        visited.page.select_option("[name=condition]", index=1)
        wait_for_count(visited, "2 of 4 answers")


def test_filters_and_sort_by_keyboard_only(visit: Visits) -> None:
    visited = visit(render_html(sample_results()))
    keys = visited.page.keyboard
    keys.press("Tab")
    assert visited.page.evaluate("document.activeElement.className") == "skip"
    keys.press("Enter")
    assert visited.page.evaluate("document.activeElement.id") == "answers"

    tab_to(visited, "words")
    keys.type("STROKE registry")
    wait_for_count(visited, "10 of 40 answers")
    keys.press("Control+A")
    keys.press("Delete")
    wait_for_count(visited, "40 answers")

    tab_to(visited, "category")
    keys.press("ArrowDown")
    wait_for_count(visited, "12 of 40 answers")
    tab_to(visited, "condition")
    keys.press("ArrowDown")
    wait_for_count(visited, "4 of 40 answers")
    tab_to(visited, "order")
    keys.press("ArrowDown")
    visited.page.wait_for_function(
        "() => document.getElementById('answer-list').lastElementChild.dataset.s === '1.00'"
    )
    scores = visited.page.eval_on_selector_all("article", "all => all.map(o => +o.dataset.s)")
    assert scores == sorted(scores)
    tab_to(visited, "least")
    keys.type("0.1")
    wait_for_count(visited, "1 of 40 answers")
    tab_to(visited, "most")
    keys.type("0.2")
    wait_for_count(visited, "0 of 40 answers")
    assert visited.page.locator("#none-shown").is_visible()
    keys.press("Tab")
    keys.press("Space")
    keys.press("Tab")
    keys.press("Tab")
    assert visited.page.evaluate("document.activeElement.type") == "reset"
    keys.press("Enter")
    wait_for_count(visited, "40 answers")
    assert visited.shown == [f"answer-{n}" for n in range(1, 41)]


def test_each_filter_shows_what_it_says(visit: Visits) -> None:
    results = sample_results(models=("one", "two"))
    visited = visit(render_html(results))
    scores = [item.score for item in results.answers]
    wrong = sum(any(fact.match is None for fact in score.facts) for score in scores)
    incomplete = sum(bool(score.missing) for score in scores)
    page = visited.page
    page.check("[name=hallucinated]")
    wait_for_count(visited, f"{wrong} of 80 answers")
    page.uncheck("[name=hallucinated]")
    page.check("[name=missing]")
    wait_for_count(visited, f"{incomplete} of 80 answers")
    page.uncheck("[name=missing]")
    page.select_option("[name=model]", label="two")
    wait_for_count(visited, "40 of 80 answers")
    page.fill("[name=least]", "1")
    perfect = sum(round(score.combined_score, 2) == 1 for score in scores) // 2
    wait_for_count(visited, f"{perfect} of 80 answers")


def test_focus_is_visible(visit: Visits) -> None:
    visited = visit(render_html(sample_results()))
    for _ in range(14):
        visited.page.keyboard.press("Tab")
        width = visited.page.evaluate(
            "parseFloat(getComputedStyle(document.activeElement).outlineWidth)"
        )
        assert width >= 1


def test_the_query_is_one_click_away(visit: Visits) -> None:
    visited = visit(render_html(sample_results()))
    query = visited.page.locator("#answer-1 pre")
    assert not query.is_visible()
    visited.page.locator("#answer-1 summary", has_text="SPARQL query").click()
    assert query.is_visible()
    assert "COUNT(DISTINCT ?dataset)" in query.inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Visits, scheme: str) -> None:
    visited = visit(render_html(sample_results()), color_scheme=scheme)
    for selector in ("mark.hit", "mark.miss", ".soft", ".lead", ".meta", ".no-facts", ".size",
                     ".interval", "summary", "nav a", ".answer", ".problems li", "label",
                     "input", "select", "button", ".key .hit", ".key .miss"):  # fmt: skip
        for text, behind in visited.page.eval_on_selector_all(selector, COLOURS):
            assert contrast(text, behind) >= 4.5, (selector, text, behind)
    hit, miss = (visited.page.locator(f"mark.{kind}").first for kind in ("hit", "miss"))
    style = "one => getComputedStyle(one).borderBottomStyle"
    assert (hit.evaluate(style), miss.evaluate(style)) == ("solid", "dashed")
    dark = luminance(visited.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert (dark < 0.05) == (scheme == "dark")
    for colour in range(3):
        drawn, behind = visited.page.eval_on_selector_all(f".colour-{colour} .plot", COLOURS)[0]
        assert contrast(drawn, behind) >= 3


@pytest.mark.parametrize("width", [360, 768])
def test_no_sideways_scrolling(visit: Visits, width: int) -> None:
    visited = visit(
        render_html(sample_results(models=("m" * 40, "two"))),
        viewport={"width": width, "height": 740},
    )
    visited.page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")
    overflow = visited.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0
    for box in visited.page.locator("#answer-1, #answer-1 pre, #answer-80 .more > *").all():
        edges = box.bounding_box()
        assert edges["x"] >= 0
        assert edges["x"] + edges["width"] <= width


def test_print_shows_the_answers_and_hides_the_filters(visit: Visits) -> None:
    visited = visit(render_html(sample_results()))
    visited.page.select_option("[name=category]", label="policy")
    wait_for_count(visited, "11 of 40 answers")
    visited.page.emulate_media(media="print")
    assert not visited.page.locator("#filters").is_visible()
    assert not visited.page.locator("nav").is_visible()
    shown = visited.page.locator("article:visible")
    assert shown.count() == 11
    style = shown.first.evaluate(
        "one => [getComputedStyle(one).breakInside, getComputedStyle(one).contentVisibility]"
    )
    assert style == ["avoid", "visible"]
    mark = visited.page.locator("article:visible mark").first
    assert mark.evaluate("one => getComputedStyle(one).printColorAdjust") == "exact"
    assert visited.page.pdf().startswith(b"%PDF")


def test_without_javascript_everything_is_there(visit: Visits) -> None:
    visited = visit(render_html(sample_results()), java_script_enabled=False)
    assert visited.page.locator("article:visible").count() == 40
    assert not visited.page.locator("#filters").is_visible()
    assert visited.page.locator("#count").inner_text() == "40 answers"
    visited.page.locator("#answer-2 summary", has_text="SPARQL query").click()
    assert visited.page.locator("#answer-2 pre").is_visible()


def accessibility_tree(page: Any) -> list[dict[str, Any]]:
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [node for node in nodes if not node.get("ignored")]


def test_accessibility_tree(visit: Visits) -> None:
    visited = visit(render_html(sample_results()))
    visited.page.eval_on_selector_all(
        "article", "all => all.forEach(one => one.style.contentVisibility = 'visible')"
    )
    nodes = accessibility_tree(visited.page)
    roles = [node["role"]["value"] for node in nodes]
    for landmark in ("banner", "main", "contentinfo", "navigation", "search"):
        assert roles.count(landmark) == 1, landmark
    assert roles.count("article") == 40
    named = {"combobox", "searchbox", "spinbutton", "checkbox", "button", "link", "region",
             "article", "search", "navigation", "table", "figure", "group"}  # fmt: skip
    for node in nodes:
        role = node["role"]["value"]
        if role in named - {"group"}:
            assert node.get("name", {}).get("value"), node
    levels = [
        next(one["value"]["value"] for one in node["properties"] if one["name"] == "level")
        for node in nodes
        if node["role"]["value"] == "heading"
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), levels
    count = next(node for node in nodes if node["role"]["value"] == "status")
    live = {one["name"]: one["value"].get("value") for one in count["properties"]}
    assert live["live"] == "polite"
    descriptions = [node.get("description", {}).get("value", "") for node in nodes]
    assert any("matches “12”, rule M2" in text for text in descriptions)


def test_the_chart_is_read_as_text(visit: Visits) -> None:
    visited = visit(render_html(sample_results()))
    lines = visited.page.locator(".panel").first.locator("li").all_text_contents()
    assert re.sub(r"\s+", " ", lines[0]).strip() == "baseline 0.08 [0.00–0.25]"
    dots = visited.page.locator(".plot use")
    assert dots.count() == 45
    box = dots.nth(2).bounding_box()
    plot = visited.page.locator(".plot").nth(2).bounding_box()
    assert abs(box["x"] + box["width"] / 2 - (plot["x"] + plot["width"])) < 1


def test_two_thousand_answers_stay_responsive(visit: Visits) -> None:
    visited = visit(render_html(sample_results(copies=50)))
    wait_for_count(visited, "2000 answers")
    for act in (
        lambda: visited.page.fill("[name=words]", "metformin"),
        lambda: visited.page.select_option("[name=order]", "low"),
        lambda: visited.page.select_option("[name=condition]", label="mcp"),
    ):
        start = time.perf_counter()
        act()
        visited.page.evaluate("new Promise(d => setTimeout(() => requestAnimationFrame(d), 160))")
        assert time.perf_counter() - start < 10  # a busy machine takes its time
    assert visited.page.locator("#count").inner_text() == "50 of 2000 answers"
