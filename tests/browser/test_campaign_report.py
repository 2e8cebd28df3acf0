"""The report on a campaign in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from browsing import COLOURS, contrast, wait_for_count
from factmark.people.report.campaign_html import render_campaign_html
from hostile import HOSTILE
from sample_campaign import sample_campaign

pytestmark = pytest.mark.browser

Visiting = Callable[..., Any]
PARTS = "all => all.filter(one => one.checkVisibility()).map(one => one.dataset.system)"


def parts(visited: Any) -> list[str]:
    found: list[str] = visited.page.eval_on_selector_all(".part", PARTS)
    return found


def test_filters_show_the_parts_that_fit(visit: Visiting) -> None:
    page = visit(render_campaign_html(sample_campaign()))
    assert len(parts(page)) == 9
    page.page.select_option("select[name=system]", label="model-b")
    wait_for_count(page, "3 documents")
    assert parts(page) == ["=model-b"] * 3
    page.page.select_option("select[name=annotator]", label="A2")
    wait_for_count(page, "2 of 3 documents")
    page.page.check("input[name=differs]")
    wait_for_count(page, "1 of 3 documents")
    assert page.shown == ["document-2"]
    page.page.click("button[type=reset]")
    wait_for_count(page, "3 documents")
    assert len(parts(page)) == 9
    page.page.fill("input[name=words]", "misspelt")
    wait_for_count(page, "1 of 3 documents")
    assert page.shown == ["document-3"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_on_a_phone_by_day_and_night(visit: Visiting, scheme: str) -> None:
    page = visit(
        render_campaign_html(sample_campaign()),
        viewport={"width": 380, "height": 800}, color_scheme=scheme,
    )  # fmt: skip
    assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    texts = "h4, .mean, .apart, .said-by span, .who, .comment, .source, figcaption, td, th, .notes"
    for text, behind in page.page.eval_on_selector_all(texts, COLOURS):
        assert contrast(text, behind) >= 4.5, (text, behind)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_runs_nothing_and_asks_for_nothing(visit: Visiting, text: str) -> None:
    page = visit(render_campaign_html(sample_campaign(text=text), title=text))
    assert len(page.requests) == 1
    assert (page.dialogs, page.errors, page.console) == ([], [], [])
