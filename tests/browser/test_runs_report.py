"""How answers came about, in a real browser: passages open, hostile text shows as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from browsing import COLOURS, contrast, wait_for_count
from factmark.answers.html import render_html
from factmark.tables.shown_text import visible
from hostile import HOSTILE, hostile_results
from traced import hostile_traces, traced_results

pytestmark = pytest.mark.browser

Visits = Callable[..., Any]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def opened(visited: Any) -> None:
    visited.page.eval_on_selector_all("details", "all => all.forEach(one => one.open = true)")


def test_a_link_opens_the_passage(visit: Visits) -> None:
    visited = visit(render_html(traced_results()))
    passage = visited.page.locator("pre#passage-1")
    assert not passage.is_visible()
    visited.page.locator("#answer-2 summary", has_text="Chunks").click()
    visited.page.locator("#answer-2 a").click()
    passage.wait_for(state="visible", timeout=5000)
    assert passage.inner_text().startswith("Coastal Asthma Registry")
    assert (visited.console, visited.errors, len(visited.requests)) == ([], [], 1)


def test_a_link_lands_on_its_passage_and_leads_back(visit: Visits) -> None:
    visited = visit(render_html(traced_results(models=("a", "b"), copies=4)))
    visited.page.emulate_media(reduced_motion="no-preference")
    card = visited.page.locator("article[data-condition='=rag']").first
    card.locator("summary", has_text="Chunks").click()
    card.locator(".shared a").first.click()
    seen = (
        "id => { const at = document.querySelector(id).getBoundingClientRect().top; "
        "return at > -5 && at < innerHeight }"
    )
    visited.page.wait_for_function(seen, arg="#passage-1", timeout=5000)
    back = visited.page.locator(".passage p a").last
    back.click()
    visited.page.wait_for_function(seen, arg=back.get_attribute("href"), timeout=5000)


def test_filters_of_runs(visit: Visits) -> None:
    results = traced_results()
    visited = visit(render_html(results))
    unsaid = visited.page.locator("article[data-unsaid]").count()
    assert 0 < unsaid < 40
    visited.page.check("[name=unsaid]")
    wait_for_count(visited, f"{unsaid} of 40 answers")
    visited.page.uncheck("[name=unsaid]")
    visited.page.check("[name=failed]")
    wait_for_count(visited, "14 of 40 answers")  # each answer under mcp has a failed call


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_text_shows_as_text(visit: Visits, name: str) -> None:
    text = HOSTILE[name]
    visited = visit(
        render_html(hostile_traces(hostile_results(text), text)),
        viewport={"width": 390, "height": 800},
    )
    wait_for_count(visited, "4 answers")
    opened(visited)
    for selector in (".given .title", ".given pre"):
        found = visited.page.eval_on_selector_all(selector, "all => all.map(o => o.textContent)")
        assert any(visible(text)[:2000] == one for one in found) or len(text) > 200, selector
    assert visited.page.evaluate("document.scripts.length") == 1
    assert visited.page.locator("img").count() == 0
    assert visited.page.evaluate(OVERFLOW) <= 0
    assert (visited.dialogs, visited.errors, visited.console) == ([], [], [])
    assert len(visited.requests) == 1


@pytest.mark.parametrize("width", [360, 768])
def test_no_sideways_scrolling(visit: Visits, width: int) -> None:
    results = traced_results(models=("m" * 40, "two"))
    visited = visit(render_html(results), viewport={"width": width, "height": 740})
    opened(visited)
    assert visited.page.evaluate(OVERFLOW) <= 0
    for box in visited.page.locator("#answer-2 pre, #answer-3 pre, .passage pre").all():
        edges = box.bounding_box()
        assert edges["x"] >= 0
        assert edges["x"] + edges["width"] <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(visit: Visits, scheme: str) -> None:
    visited = visit(render_html(traced_results()), color_scheme=scheme)
    opened(visited)
    for selector in (".from", ".failed", ".given .size", ".title", ".given pre", ".shared a"):
        found = visited.page.eval_on_selector_all(selector, COLOURS)
        assert found, selector
        for text, behind in found:
            assert contrast(text, behind) >= 4.5, (selector, text, behind)
