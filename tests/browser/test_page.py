"""The page in a real browser: rated by click and by key, kept through crashes, safe, on a phone."""

from __future__ import annotations

import http.server
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from browsing import COLOURS, contrast
from factmark.campaigns import Shown
from factmark.io.campaigns import campaign_named, close_campaign
from factmark.io.ledger import Ledger
from factmark.io.ratings import ratings_of
from hostile import HOSTILE
from page_campaign import Served, make, rated, served, summaries

pytestmark = pytest.mark.browser

LONG = "Forty adults with a first episode of gout took colchicine or a placebo. " * 80
SPRAWLING = "W" * 400 + " Pain fell in both groups, faster with colchicine. " * 12


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

    def checked(self, place: int) -> str | None:
        radio = self.page.locator(".unit").nth(place).locator("input[type=radio]:checked")
        return radio.get_attribute("value") if radio.count() else None


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


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    make(path, summaries(3, source=LONG), batch=2)
    return path


Tabs = Callable[..., Tab]


def test_rates_by_click_and_by_key_comments_and_recalibrates(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().open(page.links["Ada"])
        assert page.token("Ada") not in one.page.url
        assert "all of this" in one.page.inner_text("#guidelines")
        assert one.progress == "0 of 9 done, batch 1 of 2"
        one.page.click("#start")
        one.page.locator(".unit").nth(0).locator("input[value='3']").click()
        one.page.locator(".unit").nth(1).locator("input[value='3']").focus()
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


def test_keys_stay_on_the_unit_that_they_rated(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("43c")
        one.page.keyboard.type("so")
        one.page.keyboard.press("Escape")
        assert [one.checked(place) for place in range(3)] == ["3", None, None]
        one.page.keyboard.press("Enter")
        one.press("1")
        one.page.locator(".unit").nth(0).locator(".judged").click()
        one.press("0t2")  # the first one anew, then past the second one, which is done
        assert [one.checked(place) for place in range(3)] == ["0", "1", "2"]
        one.page.keyboard.press("Enter")
        assert one.page.inner_text("#where") == "Document 2 of 3"
        one.wait("saved")
        assert "stay" in one.page.inner_text("#keys-line")
    newest = {unit: (label, comment) for _, unit, label, comment in rated(ledger)}
    assert newest == {"one-d0-0": ("0", "so"), "one-d0-1": ("1", ""), "one-d0-2": ("2", "")}


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
        one.press("k")  # the focus goes to the first, which is not chosen
        assert hint.inner_text().startswith("0 would mean: ")
        assert one.page.locator(".unit").first.locator(".done").inner_text() == "to do"
        one.press("5")
        assert hint.inner_text().startswith("Your answer, 5: ")
        first.nth(2).hover()
        assert hint.inner_text().startswith("2 would mean: ")
        one.page.hover("h1")
        one.page.locator("#where").focus()
        assert hint.inner_text().startswith("Your answer, 5: ")


def test_the_end_is_told_in_every_tab(tab: Tabs, tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    make(path, summaries(1))
    with served(path) as page:
        one = tab().start(page.links["Ada"])
        other = tab(one).start(page.links["Ada"])
        one.press("1j2")
        assert one.page.locator("#open").is_visible()
        assert one.page.inner_text("#finished") == ""
        one.press("t3")
        one.wait("saved")
        assert one.page.inner_text("#finished").startswith("All done. You can close this page")
        assert not one.page.locator("#open").is_visible()
        other.page.evaluate("dispatchEvent(new Event('focus'))")
        other.page.wait_for_function("() => progress.textContent === '3 of 3 done'")
        assert other.page.inner_text("#finished").startswith("All done")


def test_a_server_killed_between_key_and_save_loses_nothing(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("4")
        one.wait("saved")
        page.process.send_signal(signal.SIGKILL)
        page.process.wait()
        one.press("j2j3")
        one.wait("unsaved")
        assert "will try again" in one.page.inner_text("#state")
    with served(ledger, port=page.port):
        one.wait("saved")
        one.page.wait_for_function(
            "() => !Object.keys(localStorage).some(name => name.includes('/r/'))", timeout=15000
        )
    assert [label for _, _, label, _ in rated(ledger)] == ["4", "2", "3"]


def test_what_was_not_sent_when_the_browser_closed_is_sent_next_time(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        lost = tab(one)
        one.page.route("**/save", lambda route: route.abort())
        one.press("4")
        one.page.fill(".unit:nth-of-type(1) textarea", "typed and closed at once")
        one.page.close()
        assert rated(ledger) == []
        lost.open(page.links["Ada"])
        lost.wait("saved")
        lost.page.wait_for_function(
            "() => !Object.keys(localStorage).some(name => name.includes('/r/'))", timeout=15000
        )
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


def test_what_a_proxy_says_is_no_word_of_the_server(tab: Tabs, ledger: Path) -> None:
    replies = [(200, "{}"), (413, "{}"), (400, "<h1>Bad</h1>"), (400, "<h1>Bad</h1>")]

    def proxy(route: Any) -> None:
        status, body = replies.pop()
        route.fulfill(status=status, body=body)

    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.page.route("**/save", proxy, times=len(replies))
        one.press("4")
        one.wait("unsaved")
        while replies:
            with one.page.expect_response("**/save"):
                one.page.evaluate("dispatchEvent(new Event('online'))")
        one.wait("saved")
        assert one.errors == []
    assert [label for _, _, label, _ in rated(ledger)] == ["4"]


def test_long_comments_in_other_scripts_arrive_after_a_lost_connection(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.page.route("**/save", lambda route: route.abort())
        one.press("1j2j3")
        for place in range(3):
            one.page.locator(".unit textarea").nth(place).fill("字" * 8000)
        one.wait("unsaved")
        one.page.unroute("**/save")
        one.page.evaluate("dispatchEvent(new Event('online'))")
        one.wait("saved")
    assert [said[2:] for said in rated(ledger) if said[3]] == [(n, "字" * 8000) for n in "123"]


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
        one.press("c")
        one.page.keyboard.type("so")
        one.wait("sending")
        one.wait("saved")
        assert one.checked(0) == "5"
    assert [said[2:] for said in rated(ledger)][-1] == ("5", "so")


def test_what_others_left_in_the_browser_stops_nothing(tab: Tabs, ledger: Path) -> None:
    spoil = """box => { for (const [name, text] of [["r/a", "{"], ["r/b", '{"id": "c"}'],
        ["r/c", "null"], ["place", '"x"'], ["t/0", "[]"], ["d/", "1"]])
        localStorage.setItem(box + name, text); }"""
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        found = one.page.evaluate("Object.keys(localStorage).find(name => name.endsWith('place'))")
        one.page.evaluate(spoil, found.removesuffix("place"))
        one.page.reload()
        one.page.click("#start")
        one.press("4")
        one.wait("saved")
        assert one.errors == []
    assert [label for _, _, label, _ in rated(ledger)] == ["4"]


def test_two_annotators_in_one_browser_and_two_tabs_of_one(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        ada = tab().start(page.links["Ada"])
        ben = tab(ada).start(page.links["Ben"])
        again = tab(ada).start(page.links["Ada"])
        ben.press("1")
        ben.wait("saved")
        ada.press("5")
        ada.wait("saved")
        again.page.evaluate("dispatchEvent(new Event('focus'))")
        again.page.wait_for_selector(".unit:nth-of-type(1) input[value='5']:checked")
        assert ben.checked(0) == "1"
        assert ada.errors + ben.errors + again.errors == []
    assert sorted(rated(ledger)) == [("A1", "one-d0-0", "5", ""), ("A2", "one-d0-0", "1", "")]


def test_a_comment_comes_with_its_rating_and_keys_stay_text_in_it(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("c")
        one.page.keyboard.type("1 n l ? p 5")
        assert one.progress == "0 of 9 done, batch 1 of 2"
        assert one.page.locator("dialog[open]").count() == 0
        one.page.reload()
        one.page.click("#start")
        assert one.page.locator(".unit textarea").first.input_value() == "1 n l ? p 5"
        one.press("2")
        one.wait("saved")
    assert rated(ledger) == [("A1", "one-d0-0", "2", "1 n l ? p 5")]


def test_a_link_in_a_page_of_another_site_opens_the_box(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        body = f'<a href="{page.links["Ada"]}">Rate</a>'.encode()

        class Mail(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mail) as mail:
            threading.Thread(target=mail.serve_forever, daemon=True).start()
            one = tab()
            one.page.goto(f"http://localhost:{mail.server_port}/")  # another site than 127.0.0.1
            one.page.click("a")
            one.page.wait_for_url("**/w/A1/")
            one.page.wait_for_selector("#start:not([disabled])")
            assert one.page.inner_text("#progress").startswith("0 of 9")
            mail.shutdown()


@pytest.mark.parametrize("reload", [False, True])
def test_what_a_closed_campaign_did_not_take_is_kept_and_does_not_look_done(
    tab: Tabs, ledger: Path, reload: bool
) -> None:
    with served(ledger) as page:
        one = tab().start(page.links["Ada"])
        one.press("2")
        one.wait("saved")
        with Ledger(ledger) as opened:
            close_campaign(opened, campaign_named(opened))
        one.press("4")
        one.wait("closed")
        one.page.wait_for_selector(".unit:nth-of-type(1) input[value='2']:checked")
        one.press("5")
        one.press("j3")
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
        if reload:
            one.page.reload()
        else:
            one.page.evaluate("dispatchEvent(new Event('focus'))")
        one.wait("saved")
        told = one.page.inner_text("#state")
        assert "open again: what was kept in this browser is saved" in told
        assert one.page.locator(".done").all_inner_texts() == ["✓ 5", "✓ 3", "to do"]
        one.press("1")
        one.page.wait_for_function("() => state.textContent === 'Saved'")
    assert [said[1:3] for said in rated(ledger)] == [
        ("one-d0-0", "2"),
        ("one-d0-0", "4"),
        ("one-d0-0", "5"),
        ("one-d0-1", "3"),
        ("one-d0-2", "1"),
    ]


def test_all_of_it_by_keyboard_alone(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        one = tab().open(page.links["Ada"])
        keys = one.page.keyboard
        assert one.page.evaluate("scrollY") == 0  # the guidelines are read from their beginning
        for _ in range(5):  # past the link that skips, and three buttons
            keys.press("Tab")
        assert one.page.evaluate("document.activeElement.id") == "start"
        keys.press("Enter")
        seen = []
        for _ in range(14):
            keys.press("Tab")
            at = one.page.evaluate(
                """() => { const at = document.activeElement;
                const shown = at.closest('.choice') ?? at;
                return [at.id || at.name || at.tagName, getComputedStyle(shown).outlineStyle]; }"""
            )
            seen.append(at[0])
            assert at[1] != "none", at
            if at[0].startswith("answer-"):
                break
        assert {"next", "open", "source"} <= set(seen)
        keys.press("Space")
        keys.press("ArrowRight")  # the next radio, as browsers do: no other document
        assert one.checked(0) == "1"
        assert one.page.inner_text("#where") == "Document 1 of 3"
        one.wait("saved")
        keys.press("l")
        assert "Document 1: 1 of 3 done" in one.page.inner_text("#list")
        keys.press("Escape")
        keys.press("?")
        assert "more right than wrong" in one.page.inner_text("#keys")
        keys.press("Escape")
        one.press("n" * 5)
        assert one.page.inner_text("#where") == "Document 3 of 3"
    assert [label for _, _, label, _ in rated(ledger)][-1] == "1"


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
        rating.locator("input").nth(4).click()
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
        assert ("radio", "4 : right but for little") in told
        assert (
            "radiogroup",
            "Summary B: How correct is this summary, by the source alone?",
        ) in told
        for role, name in told:
            if role in ("button", "radio", "textbox", "region", "group", "radiogroup"):
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


ANSWER = "\U0001f9a0 In \U0001d4b3 there are\r\n12 datasets, \u202ein Graz and Wien. Graz!"


def facts(tmp_path: Path) -> Path:
    path = tmp_path / "facts.db"
    shown = Shown(evidence="How many?", text=ANSWER, elements=("12", "Graz"))
    make(path, [("d", [shown]), ("e", [shown])], form="facts", people=("Ada",))
    return path


def marks(path: Path) -> list[tuple[list[str], list[str], tuple[str, ...], str | None, bool]]:
    """The texts that were marked as grounded and not, and the rest, of each revision."""
    with Ledger(path, read_only=True) as ledger:
        found = [one.response.marking for one in ratings_of(ledger, campaign_named(ledger))]
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
        one.page.check(".elements input >> nth=0")
        one.page.get_by_label("yes").check()
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


def test_an_answer_without_facts_can_be_said_to_be_done(tab: Tabs, tmp_path: Path) -> None:
    path = facts(tmp_path)
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        one.page.get_by_role("button", name="Nothing more to mark").click()
        assert "Noted: nothing more" in one.page.inner_text(".end")
        one.wait("saved")
        assert one.progress == "1 of 2 done"
        one.press("t")
        one.page.get_by_label("The answer reports that there is nothing").check()
        one.wait("saved")
    assert marks(path) == [([], [], (), None, False), ([], [], (), None, True)]


@pytest.mark.parametrize("width", [1280, 375])
def test_every_element_of_the_ground_truth_is_in_view(
    tab: Tabs, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "facts.db"
    names = tuple(f"element {n} with a name of some length, as data sets have" for n in range(12))
    make(path, [("d", [Shown(evidence="Which?", text=ANSWER, elements=names)])], form="facts")
    with served(path) as page:
        one = tab(viewport={"width": width, "height": 800}).start(page.links["Ada"])
        around = one.page.locator(".elements")
        assert around.evaluate(
            "at => at.scrollWidth <= at.clientWidth && at.scrollHeight <= at.clientHeight"
        )
        outer, before = around.bounding_box(), 0.0
        for choice in around.locator(".choice").all():
            inner = choice.bounding_box()
            assert inner["x"] >= outer["x"]
            assert inner["x"] + inner["width"] <= outer["x"] + outer["width"] + 0.5
            assert inner["y"] >= max(before, outer["y"])
            before = inner["y"] + inner["height"] - 0.5
            assert before <= outer["y"] + outer["height"]
        for box in around.locator("input").all():
            box.check()  # by mouse, so each can be scrolled to and nothing lies over it
        one.wait("saved")
    assert marks(path)[-1][2] == names


def test_grounded_marks_without_an_element_are_told(tab: Tabs, tmp_path: Path) -> None:
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
        one.wait("saved")
        one.page.check(".elements input >> nth=1")
        assert lacking.inner_text() == ""
        one.wait("saved")
        one.page.get_by_role("button", name="Nothing more to mark").click()
        assert "Noted already" in one.page.inner_text(".end")
    assert len(marks(path)) == 3


@pytest.mark.parametrize("form", ["support", "validity", "graphrag", "fine"])
def test_labels_by_number(tab: Tabs, tmp_path: Path, form: str) -> None:
    path = tmp_path / f"{form}.db"
    make(path, [("d", [Shown(evidence="Passage.", text="A claim.")])], form=form)
    labels = {"support": "NOT_SUPPORTED", "validity": "NO", "graphrag": "INCORRECT", "fine": "NO"}
    with served(path) as page:
        one = tab().start(page.links["Ada"])
        one.press("1")
        one.press("3" if form in ("support", "validity") else "2")
        one.wait("saved")
    assert [label for _, _, label, _ in rated(path)][-1] == labels[form]


def test_pages_that_open_nothing_say_so(tab: Tabs, ledger: Path) -> None:
    with served(ledger) as page:
        served_page: Served = page
        one = tab()
        one.page.goto(f"{served_page.base}/a/{'0' * 64}")
        assert "does not open a box" in one.page.inner_text("h1")
        assert one.page.evaluate("document.styleSheets.length") == 1
