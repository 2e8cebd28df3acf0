"""The report on graphs used for answering in a real browser: safe, silent, usable on a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from browsing import COLOURS, contrast, tab_to, wait_for_count
from factmark.graphrag.page import NAME, render_graphrag_html
from factmark.tables.shown_text import visible
from hostile import HOSTILE
from sample_graphrag import hostile_graphrag, sample_graphrag

pytestmark = pytest.mark.browser

Visits = Callable[..., Any]
PHONE = {"width": 360, "height": 740}
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def test_filters_pick_answers_and_the_questions_that_have_one(visit: Visits) -> None:
    results = sample_graphrag(20)
    visited = visit(render_graphrag_html(results))
    wait_for_count(visited, "20 questions")

    def fitting(system: str, verdict: str) -> set[str]:
        return {
            f"question-{1 + int(one.question.id[1:])}"
            for one in results.answers
            if one.system == system and (one.label or "no verdict") == verdict
        }

    visited.page.select_option("[name=system]", label="diabetes")
    visited.page.select_option("[name=verdict]", label="INCORRECT")
    wanted = fitting("diabetes", "INCORRECT")
    wait_for_count(visited, f"{len(wanted)} of 20 questions")
    assert set(visited.shown) == wanted
    parts = visited.page.locator(".part:not([hidden])")
    assert parts.count() == len(wanted)
    visited.page.select_option("[name=verdict]", label="All")
    visited.page.select_option("[name=context]", label="lacks it")
    tab_to(visited, "abstained")
    visited.page.keyboard.press("Space")
    silent = [
        one
        for one in results.answers
        if one.system == "diabetes" and one.abstained and one.given.held is False
    ]
    wait_for_count(visited, f"{len(silent)} of 20 questions")
    visited.page.click("button[type=reset]")
    wait_for_count(visited, "20 questions")
    visited.page.select_option("[name=kind]", label="yes-no")
    wait_for_count(visited, "3 of 20 questions")  # 0, 7 and 14
    assert len(visited.requests) == 1
    assert (visited.console, visited.errors, visited.dialogs) == ([], [], [])


def test_hostile_text_shows_as_text(visit: Visits) -> None:
    for text in HOSTILE.values():
        visited = visit(render_graphrag_html(hostile_graphrag(text), title=text), viewport=PHONE)
        wait_for_count(visited, "2 questions")
        for selector in ("h1", "h3 mark", ".part h4 > bdi", ".part .answer", ".reason bdi",
                         ".carrier > span:first-child", ".carries bdi", ".source", ".options bdi",
                         ".problems li", ".entities bdi"):  # fmt: skip
            found = visited.page.eval_on_selector_all(
                selector, "all => all.map(o => o.textContent)"
            )
            assert any(one.startswith(visible(text)[:NAME]) for one in found), selector
        assert visited.page.evaluate("document.scripts.length") == 1
        assert visited.page.locator("img").count() == 0
        assert visited.page.evaluate(OVERFLOW) <= 0
        assert (visited.dialogs, visited.errors, visited.console) == ([], [], [])
        assert len(visited.requests) == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_on_a_phone_without_sideways_scrolling(visit: Visits, scheme: str) -> None:
    html = render_graphrag_html(sample_graphrag(12))
    visited = visit(html, viewport=PHONE, color_scheme=scheme)
    assert visited.page.evaluate(OVERFLOW) <= 0
    for selector in ("mark.linked", ".verdict", ".flag", ".reason", ".carries", ".meta", ".size",
                     ".entities > span", ".facts-given li", ".source", ".options li",
                     ".part .answer", "summary", ".verdicts li", ".notes"):  # fmt: skip
        pairs = visited.page.eval_on_selector_all(selector, COLOURS)
        assert pairs, selector
        for text, behind in pairs:
            assert contrast(text, behind) >= 4.5, (selector, text, behind)
    assert visited.errors == []


def test_without_javascript_all_cards_are_there_and_no_filters(visit: Visits) -> None:
    visited = visit(render_graphrag_html(sample_graphrag(5)), java_script_enabled=False)
    assert visited.page.locator("article").count() == 5
    assert not visited.page.locator("#filters").is_visible()
    fold = visited.page.locator("details.fold").first
    fold.locator("summary").click()
    assert fold.get_attribute("open") is not None
