"""What tests of a page in a browser share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

# For each element: its text colour and the background behind it, nearest first.
COLOURS = """all => all.map(one => {
  const behind = [];
  for (let at = one; at; at = at.parentElement) behind.push(getComputedStyle(at).backgroundColor);
  return [getComputedStyle(one).color, behind.find(c => !c.endsWith(', 0)'))];
})"""


def wait_for_count(visited: Any, text: str) -> None:
    visited.page.evaluate("new Promise(done => setTimeout(done, 151))")  # keys are waited for
    visited.page.wait_for_function(
        "text => document.getElementById('count').textContent === text", arg=text, timeout=5000
    )


def luminance(colour: str) -> float:
    """Relative luminance of `rgb(r, g, b)` (WCAG 2.2)."""
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def tab_to(visited: Any, name: str) -> None:
    """Presses Tab until the control of that name has the focus."""
    for _ in range(40):
        visited.page.keyboard.press("Tab")
        if visited.page.evaluate("document.activeElement.name") == name:
            return
    pytest.fail(f"{name} cannot be reached with Tab")


# Until nothing of the desk has moved for some frames, however long a frame takes.
RESTED = """async () => {
  await window.turned;
  for (let calm = 0, before = ""; calm < 6;) {
    await new Promise(requestAnimationFrame);
    const now = [scrollY, source.scrollTop, units.scrollTop].join();
    calm = now === before ? calm + 1 : 0;
    before = now;
  }
}"""
TURNS = """() => void (window.turned = new Promise((done) =>
  addEventListener("wheel", done, { capture: true, once: true, passive: true })))"""


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

    def rest(self) -> None:
        """Waits until the desk has come to rest."""
        self.page.evaluate(RESTED)

    def wheel(self, pixels: int) -> None:
        """Turns the wheel where the pointer is, until the desk has come to rest."""
        self.page.evaluate(TURNS)
        self.page.mouse.wheel(0, pixels)
        self.rest()

    def press(self, keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def progress(self) -> str:
        return str(self.page.inner_text("#progress"))

    def choice(self, place: int, label: str) -> Any:
        return self.page.locator(f"#strip [data-place='{place}'][data-label='{label}']")

    def checked(self, place: int) -> str | None:
        chosen = self.page.locator(f"#strip [data-place='{place}'][aria-pressed=true]")
        return chosen.get_attribute("data-label") if chosen.count() else None


Tabs = Callable[..., Tab]
