"""A tab of a real browser that shows the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Tab:
    """A page of a browser and what happened on it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("dialog", lambda dialog: (self.errors.append(dialog.message), dialog.dismiss()))
        page.on(
            "console",
            lambda told: self.errors.append(told.text) if "Security" in told.text else None,
        )

    def open(self, link: str) -> Tab:
        self.page.goto(link)
        self.page.wait_for_url("**/w/*/")
        self.page.wait_for_selector("#start:not([disabled])", state="attached")
        return self

    def start(self, link: str) -> Tab:
        self.open(link).page.click("#start")
        return self

    def wait(self, state: str) -> None:
        self.page.wait_for_selector(f"#state[data-state={state}]", timeout=15000)

    def press(self, keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def progress(self) -> str:
        return str(self.page.inner_text("#progress"))

    def choice(self, place: int, label: str) -> Any:
        return self.page.locator(".unit").nth(place).locator(f"[data-label='{label}']")

    def checked(self, place: int) -> str | None:
        chosen = self.page.locator(".unit").nth(place).locator("[data-label][aria-pressed=true]")
        return chosen.get_attribute("data-label") if chosen.count() else None


Tabs = Callable[..., Tab]
