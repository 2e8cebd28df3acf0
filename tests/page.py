"""A page of HTML as the tests look at it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from envelope import html_of
from factmark.answers.report import answers_report
from factmark.answers.results import Results

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Page(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


def answers_html(results: Results, title: str = "") -> str:
    """The page of scored answers."""
    return html_of(answers_report(results), title)
