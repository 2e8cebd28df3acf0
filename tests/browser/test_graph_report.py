"""The report on a graph in a real browser: safe, silent, usable by keyboard and on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from browsing import COLOURS, contrast, tab_to, wait_for_count
from factmark.graphs.report import render_graph_html
from factmark.tables.shown_text import visible
from hostile import HOSTILE
from sample_graph import PASSAGE, hostile_graph, sample_graph

pytestmark = pytest.mark.browser

Visits = Callable[..., Any]


def test_nothing_leaves_the_page_and_filters_work_by_keyboard(visit: Visits) -> None:
    visited = visit(render_graph_html(sample_graph()))
    wait_for_count(visited, "8 triples")
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
    wait_for_count(visited, "2 of 8 triples")
    tab_to(visited, "differs")
    keys.press("Space")
    wait_for_count(visited, "0 of 8 triples")
    assert visited.page.locator("#none-shown").is_visible()
    keys.press("Tab")
    keys.press("Enter")
    wait_for_count(visited, "8 triples")
    visited.page.select_option("[name=status]", label="refused")
    wait_for_count(visited, "1 of 8 triples")
    assert len(visited.requests) == 1
    assert (visited.console, visited.errors, visited.dialogs) == ([], [], [])


def test_hostile_text_shows_as_text(visit: Visits) -> None:
    for text in HOSTILE.values():
        visited = visit(
            render_graph_html(hostile_graph(text), title=text),
            viewport={"width": 360, "height": 740},
        )
        wait_for_count(visited, "2 triples")
        shown = visited.page.eval_on_selector(".answer", "one => one.textContent")
        assert shown == visible(f"{text} is {text}")
        for selector in ("h1", "h3 bdi:last-child", ".reason bdi", ".problems li", ".triple bdi"):
            found = visited.page.eval_on_selector_all(
                selector, "all => all.map(o => o.textContent)"
            )
            assert visible(text) in found, selector
        assert visited.page.evaluate("document.scripts.length") == 1
        assert visited.page.locator("img").count() == 0
        assert visited.page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
        assert (visited.dialogs, visited.errors, visited.console) == ([], [], [])
        assert len(visited.requests) == 1


@pytest.mark.parametrize("measure", ["factscore", "validity"])
def test_no_sideways_scrolling_on_a_phone(visit: Visits, measure: str) -> None:
    visited = visit(
        render_graph_html(sample_graph(measure)), viewport={"width": 360, "height": 740}
    )
    overflow = visited.page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0
    for box in visited.page.locator(".stack, article, .figures > div").all():
        edges = box.bounding_box()
        assert edges["x"] >= 0
        assert edges["x"] + edges["width"] <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Visits, scheme: str) -> None:
    visited = visit(render_graph_html(sample_graph()), color_scheme=scheme)
    for selector in ("mark.head", "mark.tail", "mark.cue", "mark.negation", ".verdict", ".reason",
                     ".interval", ".figures dt", ".spent dd", ".stopped", ".meta", ".line-name",
                     ".notes li", "label", "select", ".answer"):  # fmt: skip
        pairs = visited.page.eval_on_selector_all(selector, COLOURS)
        assert pairs, selector
        for text, behind in pairs:
            assert contrast(text, behind) >= 4.5, (selector, text, behind)
    borders = [
        visited.page.locator(f"mark.{role}").first.evaluate(
            "one => getComputedStyle(one).borderBottomStyle"
        )
        for role in ("head", "tail", "cue", "negation")
    ]
    assert borders == ["solid", "double", "dotted", "dashed"]
    label = "one => getComputedStyle(one, '::after').content"
    assert visited.page.locator("article mark.head").first.evaluate(label) == '"head"'


def test_marks_chart_and_landmarks_are_read_as_text(visit: Visits) -> None:
    visited = visit(render_graph_html(sample_graph()))
    assert visited.page.locator("#triple-3 .answer").evaluate("one => one.textContent") == PASSAGE
    bars = visited.page.locator(".bars li").all_text_contents()
    assert "8: 3 SUPPORTED, 1 CONTRADICTED, 2 NOT_SUPPORTED, 2 no verdict" in bars[0]
    visited.page.eval_on_selector_all(
        "article", "all => all.forEach(one => one.style.contentVisibility = 'visible')"
    )
    session = visited.page.context.new_cdp_session(visited.page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    roles = [node["role"]["value"] for node in nodes if not node.get("ignored")]
    for landmark in ("banner", "main", "contentinfo", "navigation", "search"):
        assert roles.count(landmark) == 1, landmark
    assert roles.count("article") == 8
    assert "negation" in {node.get("name", {}).get("value") for node in nodes}


def test_without_javascript_and_in_print_everything_is_there(visit: Visits) -> None:
    visited = visit(render_graph_html(sample_graph()), java_script_enabled=False)
    assert visited.page.locator("article:visible").count() == 8
    assert not visited.page.locator("#filters").is_visible()
    visited.page.emulate_media(media="print")
    assert visited.page.locator("#triple-1 .reason").is_visible()
    assert visited.page.pdf().startswith(b"%PDF")
