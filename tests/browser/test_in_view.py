"""What is in view is what is rated: by wheel, keys, reload, resize, zoom, and on a phone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browsing import Tab, Tabs
from campaigns import summaries
from served_page import make, rated, served

pytestmark = pytest.mark.browser

LONG = "Of forty adults with gout, twenty took colchicine and slept better. " * 60
SIZES = {
    "laptop": {"width": 1280, "height": 720},
    "wide": {"width": 1920, "height": 1000},
    "phone": {"width": 360, "height": 740},
    "zoomed": {"width": 640, "height": 360},  # 1280 x 720 at 200 %
}
# The letter of the summary that fills most of the middle of what is seen of the summaries.
SEEN = """() => {
  const strip = document.querySelector('#strip').getBoundingClientRect().top;
  const wide = getComputedStyle(units).overflowY === 'auto';
  const top = wide ? units.getBoundingClientRect().top : parts.getBoundingClientRect().bottom;
  const shares = [...document.querySelectorAll('.judged')].map(one => {
    const box = one.getBoundingClientRect();
    return Math.max(0, Math.min(box.bottom, strip) - Math.max(box.top, top));
  });
  return shares.indexOf(Math.max(...shares));
}"""
CURRENT = "() => [...document.querySelectorAll('.unit')].findIndex(n => n.matches('.current'))"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    make(path, summaries(2, source=LONG, text=LONG), people=("Ada",))
    return path


def settled(one: Tab) -> None:
    one.page.evaluate("new Promise(d => requestAnimationFrame(() => requestAnimationFrame(d)))")


def wheel(one: Tab, pixels: int) -> None:
    """Turns the wheel over the summaries, and waits until the page has moved."""
    box = one.page.locator("#units").bounding_box()
    one.page.mouse.move(box["x"] + 40, max(150, box["y"] + 60))
    one.wheel(pixels)


def shown(one: Tab) -> tuple[int, int]:
    """The summary that is seen best, and the current one."""
    return one.page.evaluate(SEEN), one.page.evaluate(CURRENT)


@pytest.mark.parametrize("name", ["laptop", "phone", "zoomed"])
def test_after_the_wheel_a_digit_rates_what_is_seen(tab: Tabs, ledger: Path, name: str) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES[name]).start(page.links["Ada"])
        height = round(one.page.locator(".unit").first.bounding_box()["height"])
        wheel(one, round(one.page.locator(".unit").nth(1).bounding_box()["y"]) - 120)
        assert shown(one) == (1, 1)
        one.press("2")
        one.wait("saved")
        wheel(one, 2 * height)
        assert shown(one) == (2, 2)
        one.press("5")
        one.page.wait_for_function("() => progress.textContent.startsWith('2 of')")
        one.wait("saved")
    assert [label[1:3] for label in rated(ledger)] == [("d0-1", "2"), ("d0-2", "5")]


@pytest.mark.parametrize("name", list(SIZES))
def test_at_every_place_of_the_wheel_the_current_one_is_in_view(
    tab: Tabs, ledger: Path, name: str
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES[name]).start(page.links["Ada"])
        for _ in range(12):
            wheel(one, 350)
            seen, current = shown(one)
            text = one.page.locator(".judged").nth(current).bounding_box()
            strip = one.page.locator("#strip").bounding_box()
            assert text["y"] < strip["y"]
            assert text["y"] + text["height"] > 0
            if name != "wide":  # side by side all three are
                assert current == seen or text["height"] > 0


def test_a_key_for_what_is_out_of_view_brings_it_there_and_rates_nothing(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["laptop"]).start(page.links["Ada"])
        port = one.page.locator("#units").bounding_box()
        wheel(one, round(one.page.locator(".unit").nth(1).bounding_box()["y"] - port["y"]) - 120)
        one.page.mouse.click(port["x"] + 60, port["y"] + 20)  # the last words of the first one
        assert shown(one) == (1, 0)
        one.press("4")
        assert "Nothing was rated" in one.page.inner_text("#said")
        assert one.progress.startswith("0 of")
        assert shown(one) == (0, 0)
        one.press("4")
        one.wait("saved")
    assert [label[1:3] for label in rated(ledger)] == [("d0-0", "4")]


def test_while_the_source_is_shown_on_a_phone_a_key_rates_nothing(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["phone"]).start(page.links["Ada"])
        one.page.click("#show-source")
        one.press("4")
        assert "Nothing was rated" in one.page.inner_text("#said")
        assert one.progress.startswith("0 of")
        assert one.page.locator(".judged").first.is_visible()
        one.press("4")
        one.wait("saved")
    assert [label[1:3] for label in rated(ledger)] == [("d0-0", "4")]


def test_a_click_on_a_rating_out_of_view_brings_its_summary_and_rates_nothing(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["laptop"]).start(page.links["Ada"])
        one.choice(2, "4").click()
        assert shown(one) == (2, 2)
        assert one.progress.startswith("0 of")
        one.choice(2, "4").click()
        one.wait("saved")
    assert [label[1:3] for label in rated(ledger)] == [("d0-2", "4")]


@pytest.mark.parametrize("name", ["laptop", "phone", "zoomed"])
def test_a_resumed_document_opens_at_the_unit_that_is_due(
    tab: Tabs, ledger: Path, name: str
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES[name]).start(page.links["Ada"])
        one.press("3j4")
        one.wait("saved")
        one.page.reload()
        one.page.wait_for_selector(".unit")
        settled(one)
        assert shown(one) == (2, 2)
        one.press("5")
        one.wait("saved")
    assert [label[1:3] for label in rated(ledger)] == [("d0-0", "3"), ("d0-1", "4"), ("d0-2", "5")]


def test_in_a_window_of_another_size_the_same_one_stays_in_view(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["laptop"]).start(page.links["Ada"])
        one.press("j")
        for name in ("zoomed", "phone", "wide", "laptop", "phone"):
            one.page.set_viewport_size(SIZES[name])
            settled(one)
            assert one.page.evaluate(CURRENT) == 1, name
            if name != "wide":
                assert one.page.evaluate(SEEN) == 1, name
        one.press("2")
        one.wait("saved")
    assert [label[1:3] for label in rated(ledger)] == [("d0-1", "2")]


def test_zoomed_in_with_two_fingers_only_what_is_on_the_screen_is_rated(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZES["phone"], has_touch=True, is_mobile=True).start(page.links["Ada"])
        session: Any = one.page.context.new_cdp_session(one.page)
        session.send("Emulation.setPageScaleFactor", {"pageScaleFactor": 3})
        settled(one)
        one.press("4")
        if one.progress.startswith("0 of"):
            assert "Nothing was rated" in one.page.inner_text("#said")
        else:
            scale = one.page.evaluate("visualViewport.scale")
            text = one.page.locator(".judged").first.bounding_box()
            top = one.page.evaluate("visualViewport.offsetTop")
            assert text["y"] < top + 740 / scale
