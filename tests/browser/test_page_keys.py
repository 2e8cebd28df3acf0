"""Keys that scroll only scroll, wherever the focus is; what rates is a digit, a click or Enter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from factmark.campaign_model import Shown
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import ratings_of
from page_campaign import make, rated, served
from page_tab import Tab, Tabs

pytestmark = pytest.mark.browser

FORMS = ("coarse", "fine", "support", "validity", "graphrag", "facts")
LONG = "Thirty hens were weighed each week, and fed on oats or barley. " * 120
DOWN = ("Space", "ArrowDown", "PageDown", "End")
UP = ("Shift+Space", "ArrowUp", "PageUp", "Home")
WIDE, NARROW = (1280, 720), (420, 740)
SCROLLERS = "[document.scrollingElement, source, units]"
# Where each part was scrolled to, once nothing has moved for six frames.
RESTED = f"""async () => {{
  let before, still = 0;
  while (still < 6) {{
    await new Promise(requestAnimationFrame);
    const now = {SCROLLERS}.map(one => Math.round(one.scrollTop)).join();
    still = now === before ? still + 1 : 0;
    before = now;
  }}
  return before;
}}"""


def campaign(tmp_path: Path, form: str, source: str, text: str) -> Path:
    path = tmp_path / f"{form}.db"
    shown = Shown(
        evidence=source,
        text=text,
        marked=(0, 11) if form == "fine" else None,
        elements=("oats", "barley") if form == "facts" else (),
    )
    several = 3 if form in ("coarse", "fine") else 1
    make(path, [(name, [shown] * several) for name in "de"], form=form, people=("Ada",))
    return path


def revisions(path: Path) -> int:
    with Ledger(path, read_only=True) as ledger:
        return len(ratings_of(ledger, campaign_named(ledger)))


def scroll(one: Tab, top: bool) -> None:
    """Puts every part at its beginning or its end, without a key."""
    one.page.evaluate(
        f"top => {SCROLLERS}.forEach(one => one.scrollTo("
        "{ top: top ? 0 : one.scrollHeight, behavior: 'instant' }))",
        top,
    )


def only_scrolls(one: Tab, most: int = 4) -> None:
    """Presses the first so many keys of each direction."""
    for keys in (DOWN, UP):
        for key in keys[:most]:
            scroll(one, top=keys is DOWN)
            before = one.page.evaluate(RESTED)
            one.page.keyboard.press(key)
            assert one.page.evaluate(RESTED) != before, key


def ways(form: str, one: Tab) -> dict[str, Any]:
    """Each way in which the focus comes to where it is; a rating among them is one revision."""
    keys = one.page.keyboard
    tab_to = {
        f"{count} Tab": lambda count=count: [keys.press("Tab") for _ in range(count)]
        for count in (1, 2)
    }
    if form == "facts":
        return {
            "tick": lambda: one.page.locator(".elements .choice").first.click(),
            "verdict": lambda: one.page.get_by_role("button", name="yes").click(),
            "done": lambda: one.page.get_by_role("button", name="Nothing more").click(),
            "absence": lambda: one.page.get_by_role("button", name="there is nothing").click(),
            "j": lambda: one.press("j"),
            "2 Tab": lambda: [keys.press("Tab") for _ in range(2)],  # past the words to type
        } | {"5 Tab": lambda: [keys.press("Tab") for _ in range(3)]}
    return {
        "j": lambda: one.press("j"),
        "k": lambda: one.press("k"),
        "digit": lambda: one.press("2"),
        "click": lambda: one.page.locator("[data-label]").first.click(),
        "Enter": lambda: keys.press("Enter"),
    } | tab_to


@pytest.mark.parametrize(
    ("form", "size"), [*((form, WIDE) for form in FORMS), ("coarse", NARROW), ("facts", NARROW)]
)
def test_keys_that_scroll_save_nothing(
    tab: Tabs, tmp_path: Path, form: str, size: tuple[int, int]
) -> None:
    path = campaign(tmp_path, form, LONG, LONG)
    width, height = size
    with served(path, people=1) as page:
        one = tab(viewport={"width": width, "height": height}, reduced_motion="reduce").start(
            page.links["Ada"]
        )
        only_scrolls(one)
        assert one.progress.startswith("0 of")
        for name, act in ways(form, one).items():
            act()
            one.page.wait_for_function(
                "() => !['sending', 'unsaved'].includes(state.dataset.state)"
            )
            before = revisions(path)
            only_scrolls(one, 2)
            one.page.keyboard.press("ArrowRight")
            one.page.keyboard.press("ArrowLeft")
            one.page.evaluate("dispatchEvent(new Event('pagehide'))")  # sends what it holds back
            one.page.wait_for_timeout(100)
            assert revisions(path) == before, name
    assert before == (3 if form == "facts" else 2)


def test_a_choice_that_tab_reached_is_taken_by_enter_and_once(tab: Tabs, tmp_path: Path) -> None:
    path = campaign(tmp_path, "coarse", LONG, LONG)
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        for key in ("Tab", "Tab", "Tab", "Space", "ArrowDown", "Enter", "Enter"):
            one.page.keyboard.press(key)
        one.choice(0, "2").dblclick()
        one.press("2")
        one.wait("saved")
        assert one.page.inner_text("#where") == "Document 1 of 2"
        one.press("3")
        one.wait("saved")
    assert [label for _, _, label, _ in rated(path)] == ["2", "3"]
