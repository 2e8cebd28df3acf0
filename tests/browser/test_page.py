"""The page in a real browser: rated by click and by key, safe, on a phone."""

from __future__ import annotations

from pathlib import Path

import pytest

from browsing import COLOURS, contrast
from factmark.campaign_model import Shown
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import ratings_of
from hostile import HOSTILE
from page_campaign import make, rated, served, summaries
from page_tab import Tabs

pytestmark = pytest.mark.browser

LONG = "Forty adults with a first episode of gout took colchicine or a placebo. " * 80
SPRAWLING = "W" * 400 + " Pain fell in both groups, faster with colchicine. " * 12


def test_rates_by_click_and_by_key_comments_and_recalibrates(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().open(page.links["Ada"])
        assert page.token("Ada") not in one.page.url
        assert "all of this" in one.page.inner_text("#guidelines")
        assert one.progress == "0 of 9 done, batch 1 of 2"
        one.page.click("#start")
        one.choice(0, "3").click()
        one.choice(1, "3").focus()
        one.press("5j2")
        assert [one.checked(place) for place in range(3)] == ["3", "5", "2"]
        one.press("k0")  # back to the second one, changed
        one.press("c")
        one.page.keyboard.type("3.5 now, not 4")
        one.page.keyboard.press("Escape")
        assert one.checked(1) == "0"
        one.wait("saved")
        assert one.progress == "3 of 9 done, batch 1 of 2"
        one.press("n")
        assert one.page.inner_text("#where") == "Document 2 of 3"
        one.page.reload()
        one.page.wait_for_selector(".unit")
        assert one.page.inner_text("#where") == "Document 2 of 3"
        one.press("p")
        assert [one.checked(place) for place in range(3)] == ["3", "0", "2"]
        comment = one.page.locator(".unit textarea").nth(1)
        assert comment.input_value() == "3.5 now, not 4"
        one.press("4")  # the first one is the current one
        one.wait("saved")
        one.press("t")
        assert one.page.inner_text("#where") == "Document 2 of 3"
        assert one.errors == []
    assert [said[1:] for said in rated(ledger)] == [
        ("one-d0-0", "3", ""),
        ("one-d0-0", "4", ""),
        ("one-d0-1", "5", ""),
        ("one-d0-1", "0", ""),
        ("one-d0-1", "0", "3.5 now, not 4"),
        ("one-d0-2", "2", ""),
    ]
    with Ledger(ledger, read_only=True) as opened:
        found = ratings_of(opened, campaign_named(opened))
    assert [one.first for one in found] == [True, False, True, False, False, True]
    assert all(one.seconds is not None and 0 <= one.seconds < 120 for one in found)


def test_keys_can_be_switched_off(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("?")
        one.page.get_by_label("Use keys").uncheck()
        one.page.keyboard.press("Escape")
        one.page.reload()
        one.page.click("#start")
        one.press("4n?l")
        assert one.progress.startswith("0 of 9")
        assert one.page.locator("dialog[open]").count() == 0
        assert one.page.inner_text("#where") == "Document 1 of 3"
        assert "off" in one.page.inner_text("#keys-line")
        one.page.click("#to-keys")
        one.page.get_by_label("Use keys").check()
        one.page.keyboard.press("Escape")
        one.press("4")
        assert one.checked(0) == "4"


def test_the_hint_tells_the_answer_and_what_is_pointed_at_as_such(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        hint = one.page.locator(".meaning").first
        first = one.page.locator(".unit").first.locator(".choice")
        assert hint.inner_text().startswith("0: ")
        assert " … 5: " in hint.inner_text()
        one.choice(0, "0").focus()
        assert hint.inner_text().startswith("Enter chooses 0: ")
        assert one.page.locator(".unit").first.locator(".done").inner_text() == "to do"
        one.press("5")
        assert hint.inner_text().startswith("Your answer, 5: ")
        first.nth(2).hover()
        assert hint.inner_text().startswith("2 would mean: ")
        one.page.hover("h1")
        one.page.locator("#next").focus()
        assert hint.inner_text().startswith("Your answer, 5: ")


@pytest.mark.parametrize("size", [(360, 740), (1280, 720)])
def test_the_rating_is_in_view_beside_long_texts(
    tab: Tabs, tmp_path: Path, size: tuple[int, int]
) -> None:
    path = tmp_path / "long.db"
    make(path, summaries(1, source=LONG, text=SPRAWLING))
    width, height = size
    with served(path) as page:
        one = tab(viewport={"width": width, "height": height}).start(page.links["Ada"])
        rating = one.page.locator(".unit").first.locator(".rating")
        box = rating.bounding_box()
        assert box["y"] + box["height"] <= height
        assert one.page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
        for choice in rating.locator(".choice").all():
            edges = choice.bounding_box()
            assert edges["x"] >= 0
            assert edges["x"] + edges["width"] <= width
            assert min(edges["width"], edges["height"]) >= 32
        if width < 500:
            one.page.click("#show-source")
            assert one.page.locator("#evidence").is_visible()
            assert not one.page.locator("#units").is_visible()
            one.page.click("#show-units")
        rating.locator(".choice").nth(4).click()
        one.wait("saved")
    assert [label for _, _, label, _ in rated(path)] == ["4"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(tab: Tabs, ledger: Path, scheme: str) -> None:
    with served(ledger) as page:
        one = tab(color_scheme=scheme).start(page.links["Ada"])
        one.press("4")
        one.wait("saved")
        for selector in (
            "h1", "h2", "#progress", "#state", "button:not(:disabled)", ".text", ".question",
            ".label", ".done", ".meaning", ".field", "textarea", "#keys-line", "#source-head",
        ):  # fmt: skip
            found = one.page.eval_on_selector_all(selector, COLOURS)
            assert found, selector
            for text, behind in found:
                assert contrast(text, behind) >= 4.5, (selector, text, behind)
        page.process.kill()
        one.press("1")
        one.wait("unsaved")
        ((text, behind),) = one.page.eval_on_selector_all("#state", COLOURS)
        assert contrast(text, behind) >= 4.5


def test_what_a_screen_reader_is_told(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        session = one.page.context.new_cdp_session(one.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        told = [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in nodes
            if not node.get("ignored")
        ]
        for landmark in ("banner", "main", "navigation", "contentinfo"):
            assert [role for role, _ in told].count(landmark) == 1, landmark
        assert ("group", "Summary A to do") in told
        assert ("region", "Source") in told
        assert ("button", "4 : right but for little") in told
        assert (
            "group",
            "Summary B: How correct is this summary, by the source alone?",
        ) in told
        for role, name in told:
            if role in ("button", "textbox", "region", "group"):
                assert name, role


@pytest.mark.parametrize("name", list(HOSTILE))
def test_hostile_text_does_nothing(tab: Tabs, tmp_path: Path, name: str) -> None:
    text = HOSTILE[name].replace("\ud800", "").replace("\udfff", "")
    path = tmp_path / "hostile.db"
    shown = Shown(evidence=text, text=text, marked=(0, 3), likely=((0, 2),))
    make(path, [("d", [shown])], form="fine")
    with served(path) as page:
        one = tab().start(page.links["Ada"])
        content = one.page.text_content(".judged")
        assert "\u202e" not in content
        assert content.startswith(("[U+", text[0]))
        assert one.page.locator("img").count() == 0
        assert one.page.evaluate("document.scripts.length") == 1
        one.press("1")
        one.wait("saved")
        assert one.errors == []
    assert [label for _, _, label, _ in rated(path)] == ["YES"]
