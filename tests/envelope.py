"""The JSON of a result, and its page, as tests read them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from factmark.report.page import Page
from factmark.report.result import Result


def envelope_in(text: str) -> dict[str, Any]:
    """The envelope, with the protocol's own figures (`details`) beside its keys."""
    envelope: dict[str, Any] = json.loads(text)
    return {**envelope, **envelope.get("details", {})}


def written_in(folder: Path) -> dict[str, Any]:
    """The same, of a folder of results."""
    return envelope_in((folder / "results.json").read_text(encoding="utf-8"))


def page_of(result: Result, title: str = "") -> Page:
    """What the page of a result shows, under a title of its own."""
    assert result.page is not None
    page = result.page()
    return replace(page, title=title) if title else page


def html_of(result: Result, title: str = "") -> str:
    """The page of a result."""
    return result.as_html(page_of(result, title))
