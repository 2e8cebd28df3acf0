"""The report on a campaign as text: structure, escaping, and a golden copy."""

import re

import pytest

from factmark.people.report.campaign_html import render_campaign_html
from factmark.people.report.rating_tables import campaign_tables
from factmark.tables.layouts import markdown_table
from golden_text import check_page
from hostile import HOSTILE
from page import CONTROLS, Page
from sample_campaign import rated, sample_campaign


def test_golden() -> None:
    check_page("page_campaign.txt", render_campaign_html(sample_campaign(), title="Golden"))


def test_what_the_owner_must_know_is_there() -> None:
    html = render_campaign_html(sample_campaign())
    for text in (
        "8/9", "6/6", "Mean rating per system", "Leader board by mean rating",
        "Agreement of annotators", "Judges beside people", "Refused, and in no number",
        "it has the label &#39;7&#39;", "spaces before punctuation", "fell . → fell.",
        "human: the longest in 9 of 10 documents", "model-b 1.00 to 2.67",
        '<span class="first">3</span>', "finer 3.5", "not rated",
        '<span class="first">not known</span>', "It says 4 % where the source says 0.4 %.",
        "RESULTS. Vitamin D did not change",
    ):  # fmt: skip
        assert text in html


def test_a_campaign_that_nobody_answered_says_so() -> None:
    html = render_campaign_html(rated({("A1", "d1", "s"): None, ("A1", "d1", "t"): None}))
    assert "Nothing is rated yet" in html
    assert "0/2" in html
    assert html.count("not rated</span>") == 2


def test_of_a_large_campaign_the_first_documents_are_shown_and_it_says_so() -> None:
    html = render_campaign_html(sample_campaign(), cards=2)
    assert Page(html).tags.count("article") == 2
    assert "Of 3 documents the first 2 are shown" in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=list(HOSTILE))
def test_hostile_text_adds_no_element_and_no_attribute(text: str) -> None:
    plain, html = (render_campaign_html(sample_campaign(text=t), title=t) for t in ("plain", text))
    html.encode("utf-8")
    expected, page = Page(plain), Page(html)
    assert page.tags == expected.tags
    assert [name for name, _ in page.attributes] == [name for name, _ in expected.attributes]
    assert not CONTROLS.search(html)


def test_hostile_comments_stay_in_their_cell() -> None:
    table = campaign_tables(sample_campaign(text="a | b\n| c | `x` <script>"))["comments"]
    lines = markdown_table(table).split("\n")
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 7 for line in lines if line.startswith("|"))
    assert "<script>" not in "\n".join(lines)
