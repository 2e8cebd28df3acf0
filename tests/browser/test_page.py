"""The page in a real browser: rated by click and by key, saved once, safe, readable, on a phone."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browsing import COLOURS, Tab, Tabs, contrast
from campaigns import revised, summaries
from factmark.campaign_model import Shown
from factmark.ledger.campaigns import campaign_named, close_campaign
from factmark.ledger.ledger import Ledger
from hostile import HOSTILE
from served_page import make, rated, served

pytestmark = pytest.mark.browser

SOURCE = "Forty adults with a first episode of gout took colchicine or a placebo. " * 80
SPRAWLING = "W" * 400 + " Pain fell in both groups, faster with colchicine. " * 12
WIDE, NARROW = {"width": 1280, "height": 720}, {"width": 360, "height": 740}
SENT = "() => !Object.keys(localStorage).some(name => name.includes('/r/'))"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    make(path, summaries(3, source=SOURCE), batch=2)
    return path


def test_rates_by_click_and_by_key_comments_and_recalibrates(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().open(page.links["Ada"])
        assert page.token("Ada") not in one.page.url
        assert "all of this" in one.page.inner_text("#guidelines")
        assert one.progress == "0 of 9 done, batch 1 of 2"
        one.page.click("#start")
        one.choice(0, "3").click()
        one.choice(1, "3").focus()
        one.press("52")
        assert [one.checked(place) for place in range(3)] == ["3", "5", "2"]
        one.press("b0")  # the second one again, changed
        one.press("w")
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
        one.press("a4")
        one.wait("saved")
        one.press("t")
        assert one.page.inner_text("#where") == "Document 2 of 3"
        assert one.errors == []
    assert [said[1:] for said in rated(ledger)] == [
        ("d0-0", "3", ""),
        ("d0-0", "4", ""),
        ("d0-1", "5", ""),
        ("d0-1", "0", ""),
        ("d0-1", "0", "3.5 now, not 4"),
        ("d0-2", "2", ""),
    ]
    with Ledger(ledger, read_only=True) as opened:
        found = [last for _, last in revised(opened, campaign_named(opened))]
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


def test_the_rating_is_in_view_beside_long_texts(tab: Tabs, tmp_path: Path) -> None:
    path = tmp_path / "long.db"
    make(path, summaries(1, source=SOURCE, text=SPRAWLING))
    with served(path) as page:
        for name, size in (("Ada", WIDE), ("Ben", NARROW)):
            one = tab(viewport=size).start(page.links[name])
            rating = one.page.locator("#strip .rating").first
            box = rating.bounding_box()
            assert box["y"] + box["height"] <= size["height"]
            assert one.page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
            for choice in rating.locator(".choice").all():
                edges = choice.bounding_box()
                assert edges["x"] >= 0
                assert edges["x"] + edges["width"] <= size["width"]
                assert min(edges["width"], edges["height"]) >= 32
            if size is NARROW:
                one.page.click("#show-source")
                assert one.page.locator("#evidence").is_visible()
                assert not one.page.locator("#units").is_visible()
                one.page.click("#show-units")
            rating.locator(".choice").nth(4).click()
            one.wait("saved")
    assert [label for _, _, label, _ in rated(path)] == ["4", "4"]


def test_contrast_and_what_a_screen_reader_is_told(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        session = one.page.context.new_cdp_session(one.page)
        told = [
            (node["role"]["value"], node.get("name", {}).get("value", ""))
            for node in session.send("Accessibility.getFullAXTree")["nodes"]
            if not node.get("ignored")
        ]
        for landmark in ("banner", "main", "navigation", "contentinfo"):
            assert [role for role, _ in told].count(landmark) == 1, landmark
        assert ("group", "Summary A to do · a digit rates it") in told
        assert ("region", "Source") in told
        assert ("button", "4 : right but for little") in told
        for role, name in told:
            if role in ("button", "textbox", "region", "group"):
                assert name, role
        one.press("4")
        one.wait("saved")
        for scheme in ("light", "dark"):
            one.page.emulate_media(color_scheme=scheme)
            for selector in (
                "h1",
                "h2",
                "#progress",
                "#state",
                "button:not(:disabled)",
                ".text",
                ".question",
                ".label",
                ".done",
                ".meaning",
                ".field",
                "textarea",
                "#keys-line",
                "#source-head",
            ):
                pairs = one.page.eval_on_selector_all(selector, COLOURS)
                assert pairs, selector
                for text, behind in pairs:
                    assert contrast(text, behind) >= 4.5, (scheme, selector, text, behind)
        page.process.kill()
        one.press("a1")
        one.wait("unsaved")
        ((text, behind),) = one.page.eval_on_selector_all("#state", COLOURS)
        assert contrast(text, behind) >= 4.5


def test_hostile_text_does_nothing(tab: Tabs, tmp_path: Path) -> None:
    texts = [text.replace("\ud800", "").replace("\udfff", "") for text in HOSTILE.values()]
    path = tmp_path / "hostile.db"
    documents = [
        (f"d{at}", [Shown(evidence=text, text=text, clause=(0, 3), likely=((0, 2),))])
        for at, text in enumerate(texts)
    ]
    make(path, documents, form="fine", people=("Ada",))
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        for at, text in enumerate(texts, 1):
            one.page.wait_for_function(f"() => where.innerText.includes(' {at} of')")
            content = one.page.text_content(".judged")
            assert "\u202e" not in content
            assert content.startswith(("[U+", text[0])), text
            assert one.page.locator("img").count() == 0
            assert one.page.evaluate("document.scripts.length") == 1
            one.press("1n")
        one.wait("saved")
        assert one.errors == []
    assert [label for _, _, label, _ in rated(path)] == ["YES"] * len(texts)


ANSWER = "\U0001f9a0 In \U0001d4b3 there are\r\n12 datasets, \u202ein Graz and Wien. Graz!"


def facts(tmp_path: Path) -> Path:
    path = tmp_path / "facts.db"
    shown = Shown(evidence="How many?", text=ANSWER, elements=("12", "Graz"))
    make(path, [("d", [shown]), ("e", [shown])], form="facts", people=("Ada",))
    return path


def marks(path: Path) -> list[tuple[list[str], list[str], tuple[str, ...], str | None, bool]]:
    """The texts that were marked as grounded and not, and the rest, of each revision."""
    with Ledger(path, read_only=True) as ledger:
        found = [last.response.marking for _, last in revised(ledger, campaign_named(ledger))]
    return [
        (
            [ANSWER[start:end] for start, end in one.grounded],
            [ANSWER[start:end] for start, end in one.ungrounded],
            one.covered,
            one.verdict,
            one.absence,
        )
        for one in found
        if one is not None
    ]


SELECT = """([from, size]) => {
  const all = document.createTreeWalker(document.querySelector('.judged'), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (all.nextNode()) {
    const at = all.currentNode.data.indexOf(from);
    if (at < 0) continue;
    range.setStart(all.currentNode, at);
    range.setEnd(all.currentNode, at + size);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return;
  }
  throw new Error(from);
}"""


def test_facts_are_marked_at_the_places_of_the_text(tab: Tabs, tmp_path: Path) -> None:
    path = facts(tmp_path)
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        one.page.evaluate(SELECT, ["12 datasets", 11])
        one.page.get_by_role("button", name="grounded (g)", exact=True).click()
        one.page.evaluate(SELECT, ["Wien", 4])
        one.press("u")
        one.page.fill(".words", "graz")  # typed, without any selection
        one.page.get_by_role("button", name="grounded (g)", exact=True).click()
        one.page.fill(".words", "graz")  # its second place
        one.page.keyboard.press("Enter")
        one.page.fill(".words", "12")
        one.page.keyboard.press("Enter")
        assert "no such words" in one.page.inner_text(".marking [role=status]")
        one.page.get_by_role("button", name="Remove the mark on “Wien”").click()
        one.page.click(".elements .choice >> nth=0")
        one.page.get_by_role("button", name="yes").click()
        one.wait("saved")
        assert one.page.locator(".judged mark").all_text_contents() == [
            "12 datasets",
            "Graz",
            "Graz",
        ]
        one.page.reload()
        one.page.wait_for_selector(".judged mark")
        assert one.page.locator(".marks li").count() == 3
        assert one.errors == []
    found = marks(path)
    assert found[0] == (["12 datasets"], [], (), None, False)
    assert found[1] == (["12 datasets"], ["Wien"], (), None, False)
    assert found[-1] == (["12 datasets", "Graz", "Graz"], [], ("12",), "yes", False)


def test_grounded_marks_without_an_element_and_an_answer_without_facts(
    tab: Tabs, tmp_path: Path
) -> None:
    path = facts(tmp_path)
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        lacking = one.page.locator(".lacking")
        one.page.fill(".words", "Wien")
        one.page.keyboard.press("Shift+Enter")
        assert lacking.inner_text() == ""
        one.page.fill(".words", "Graz")
        one.page.keyboard.press("Enter")
        assert lacking.inner_text() == "Marked as grounded, but no element is ticked."
        one.page.click(".elements .choice >> nth=1")
        assert lacking.inner_text() == ""
        one.page.get_by_role("button", name="Nothing more to mark").click()
        assert "Noted already" in one.page.inner_text(".end")
        one.wait("saved")
        one.press("t")
        one.page.get_by_role("button", name="Nothing more to mark").click()
        assert "Noted: nothing more" in one.page.inner_text(".end")
        one.page.get_by_role("button", name="reports that there is nothing").click()
        one.wait("saved")
        assert one.progress == "2 of 2 done"
    assert marks(path)[-2:] == [([], [], (), None, False), ([], [], (), None, True)]


HENS = "Thirty hens were weighed each week, and fed on oats or barley. " * 120
# Where each part is scrolled to, two frames on.
PLACES = """() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>
  done([document.scrollingElement, source, units].map(one => one.scrollTop).join()))))"""


def campaign(tmp_path: Path, form: str) -> Path:
    path = tmp_path / f"{form}.db"
    elements = ("oats", "barley") if form == "facts" else ()
    shown = Shown(evidence=HENS, text=HENS, elements=elements)
    units = [shown] * (3 if form == "coarse" else 1)
    make(path, [(name, units) for name in "de"], form=form, people=("Ada",))
    return path


def only_scrolls(one: Tab) -> None:
    """Presses keys that scroll; wherever the focus is, there is room for them after a page up."""
    for key in ("PageUp", "Space", "ArrowUp"):
        before = one.page.evaluate(PLACES)
        for _ in range(5):  # Chromium may lose a key just after a jump of the page
            one.page.keyboard.press(key)
            if one.page.evaluate(PLACES) != before:
                break
        else:
            assert key == "PageUp", key


def ways(form: str, one: Tab) -> list[Callable[[], object]]:
    """Ways in which the focus comes to where it is; three of facts and two of others answer."""
    button = one.page.get_by_role
    if form == "facts":
        return [
            lambda: one.page.locator(".elements .choice").first.click(),
            lambda: button("button", name="yes").click(),
            lambda: button("button", name="there is nothing").click(),
            lambda: one.press("j"),
            lambda: [one.page.keyboard.press("Tab") for _ in range(2)],  # past the words to type
        ]
    return [
        lambda: one.press("j"),
        lambda: one.press("b2"),
        # The first click brings its summary into view, the second one rates it.
        lambda: [one.page.locator("[data-label]").first.click() for _ in range(2)],
        lambda: tab_to_choice(one, "0"),
    ]


def tab_to_choice(one: Tab, label: str) -> None:
    """Presses Tab, past the comments, until a rating of the first unit has the focus."""
    for _ in range(20):
        one.page.keyboard.press("Tab")
        if one.page.evaluate("document.activeElement.dataset.label") == label:
            return
    pytest.fail(f"{label} cannot be reached with Tab")


@pytest.mark.parametrize(("form", "size"), [("coarse", WIDE), ("facts", NARROW)])
def test_keys_that_scroll_save_nothing(
    tab: Tabs, tmp_path: Path, form: str, size: dict[str, int]
) -> None:
    path = campaign(tmp_path, form)
    with served(path, people=1) as page:
        one = tab(viewport=size, reduced_motion="reduce").start(page.links["Ada"])
        only_scrolls(one)
        assert one.progress.startswith("0 of")
        acts = ways(form, one)
        for act in acts:
            act()
            one.page.wait_for_selector("#state:not([data-state=sending], [data-state=unsaved])")
            before = len(rated(path))
            only_scrolls(one)
            for key in ("ArrowDown", "ArrowRight", "ArrowLeft"):
                one.page.keyboard.press(key)
            one.page.evaluate("dispatchEvent(new Event('pagehide'))")  # sends what it holds back
            one.page.wait_for_timeout(100)
            assert len(rated(path)) == before
    assert before == (3 if form == "facts" else 2)


def test_a_choice_that_tab_reached_is_taken_by_enter_and_once(tab: Tabs, tmp_path: Path) -> None:
    path = campaign(tmp_path, "coarse")
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        tab_to_choice(one, "2")
        for key in ("Space", "ArrowDown", "Enter", "Enter"):
            one.page.keyboard.press(key)
        one.choice(0, "2").dblclick()
        one.press("a2")
        one.wait("saved")
        assert one.page.inner_text("#where") == "Document 1 of 2"
        one.press("a3")
        one.wait("saved")
    assert [label for _, _, label, _ in rated(path)] == ["2", "3"]


def test_a_server_killed_between_key_and_save_loses_nothing(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("4")
        one.wait("saved")
        page.process.send_signal(signal.SIGKILL)
        page.process.wait()
        one.press("23")
        one.wait("unsaved")
        assert "will try again" in one.page.inner_text("#state")
    with served(ledger, port=page.port):
        one.wait("saved")
        one.page.wait_for_function(SENT, timeout=15000)
    assert [label for _, _, label, _ in rated(ledger)] == ["4", "2", "3"]


def test_what_was_not_sent_when_the_browser_closed_is_sent_next_time(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        lost = tab(one)
        # What a page sends as it is closed gets past a context that is offline.
        one.page.evaluate("() => void (window.fetch = () => Promise.reject())")
        one.press("4")
        one.page.fill(".unit:nth-of-type(1) textarea", "typed and closed at once")
        one.page.close()
        assert rated(ledger) == []
        lost.open(page.links["Ada"])
        lost.wait("saved")
        lost.page.wait_for_function(SENT, timeout=15000)
    assert rated(ledger)[-1][2:] == ("4", "typed and closed at once")


def test_an_answer_that_was_lost_on_the_way_back_counts_once(tab: Tabs, ledger: Path) -> None:
    def swallow(route: Any) -> None:
        route.fetch()  # the server took it
        route.abort()

    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.page.route("**/save", swallow, times=1)
        one.press("4")
        one.wait("unsaved")
        one.wait("saved")
    assert [label for _, _, label, _ in rated(ledger)] == ["4"]


def test_an_earlier_state_of_the_server_does_not_undo_what_was_saved_since(
    tab: Tabs, ledger: Path
) -> None:
    held: list[Any] = []
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.page.route("**/answers", lambda route: held.append((route, route.fetch())), times=1)
        with one.page.expect_request("**/answers"):
            one.page.evaluate("dispatchEvent(new Event('focus'))")
        one.press("5")
        one.wait("saved")
        ((route, earlier),) = held
        with one.page.expect_response(lambda reply: b"token" in reply.body()):
            route.fulfill(response=earlier)
        one.press("w")
        one.page.keyboard.type("so")
        one.wait("saved")
        assert one.checked(0) == "5"
    assert [said[2:] for said in rated(ledger)][-1] == ("5", "so")


def test_a_comment_comes_with_its_rating_and_keys_stay_text_in_it(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("w")
        one.page.keyboard.type("1 n l ? p 5")
        assert one.progress == "0 of 9 done, batch 1 of 2"
        assert one.page.locator("dialog[open]").count() == 0
        one.page.reload()
        one.page.click("#start")
        assert one.page.locator(".unit textarea").first.input_value() == "1 n l ? p 5"
        one.press("2")
        one.wait("saved")
    assert rated(ledger) == [("A1", "d0-0", "2", "1 n l ? p 5")]


def test_what_a_closed_campaign_did_not_take_is_kept_and_does_not_look_done(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("2")
        one.wait("saved")
        with Ledger(ledger) as opened:
            close_campaign(opened, campaign_named(opened))
        one.press("a4")
        one.wait("closed")
        one.page.wait_for_selector("#strip [data-place='0'][data-label='2'][aria-pressed=true]")
        one.press("a5")
        one.press("b3")
        for _ in range(2):
            assert "Not taken: the campaign is closed" in one.page.inner_text("#state")
            assert "closed" in one.page.inner_text("#notice")
            assert one.page.locator(".done").all_inner_texts() == [
                "✓ 2 · not taken: 5 (the campaign is closed)",
                "to do · not taken: 3 (the campaign is closed)",
                "to do",
            ]
            assert [one.checked(0), one.checked(1)] == ["2", None]
            assert one.progress.startswith("1 of 9")
            one.page.reload()
            one.page.wait_for_selector(".unit")
        with Ledger(ledger) as opened:
            close_campaign(opened, campaign_named(opened), closed=False)
        one.page.evaluate("dispatchEvent(new Event('focus'))")
        one.wait("saved")
        told = one.page.inner_text("#state")
        assert "open again: what was kept in this browser is saved" in told
        assert one.page.locator(".done").all_inner_texts() == ["✓ 5", "✓ 3", "to do"]
        one.choice(2, "1").click()
        one.page.wait_for_function("() => state.textContent === 'Saved'")
    assert [said[1:3] for said in rated(ledger)] == [
        ("d0-0", "2"),
        ("d0-0", "4"),
        ("d0-0", "5"),
        ("d0-1", "3"),
        ("d0-2", "1"),
    ]
