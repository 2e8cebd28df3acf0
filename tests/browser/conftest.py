"""A real headless Chromium for the tests that need one (Debian's packages).

`chromium-headless-shell` is the same engine without the desktop's parts: it takes half the time.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import Tab

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-smooth-scrolling",  # a key scrolls at once, not over many frames
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium; without one the test is skipped, or fails if FACTMARK_REQUIRE_BROWSER=1."""
    names = ("chromium-headless-shell", "chromium", "chromium-browser")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        message = "no Chromium found; install Debian's package chromium-headless-shell"
        if os.environ.get("FACTMARK_REQUIRE_BROWSER") == "1":
            pytest.fail(message)
        pytest.skip(message)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield chromium
        chromium.close()


class Visit:
    """A page and what happened on it."""

    def __init__(self, page: Any, path: Path) -> None:
        self.page, self.path = page, path
        self.requests: list[str] = []
        self.console: list[str] = []
        self.dialogs: list[str] = []
        self.errors: list[str] = []

    def load(self, html: str) -> None:
        self.path.write_text(html, encoding="utf-8")
        self.requests.clear()
        self.page.goto(self.path.as_uri())

    @property
    def shown(self) -> list[str]:
        """The ids of the answers that are not filtered out, in the order of the page."""
        found: list[str] = self.page.eval_on_selector_all(
            "article:not([hidden])", "all => all.map(one => one.id)"
        )
        return found


@pytest.fixture
def visit(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Visit]]:
    """Opens HTML text as a file; options are those of a browser context."""
    contexts = []

    def open_page(html: str, **options: Any) -> Visit:
        path = tmp_path / f"page-{len(contexts)}.html"
        context = browser.new_context(**options)
        contexts.append(context)
        visited = Visit(context.new_page(), path)

        def route(handler: Any) -> None:
            visited.requests.append(handler.request.url)
            if handler.request.url == path.as_uri():
                handler.continue_()
            else:
                handler.abort()

        def dialog(found: Any) -> None:
            visited.dialogs.append(found.message)
            found.dismiss()

        context.route("**/*", route)
        visited.page.on("console", lambda message: visited.console.append(message.text))
        visited.page.on("pageerror", lambda error: visited.errors.append(str(error)))
        visited.page.on("dialog", dialog)
        visited.load(html)
        return visited

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Callable[..., Tab]]:
    """Opens a tab in a browser of its own, or in that of another tab."""
    contexts = []

    def made(beside: Tab | None = None, **options: Any) -> Tab:
        if beside is not None:
            return Tab(beside.page.context.new_page())
        contexts.append(browser.new_context(**options))
        return Tab(contexts[-1].new_page())

    yield made
    for context in contexts:
        context.close()
