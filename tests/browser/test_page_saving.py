"""What is rated on the page reaches the ledger, once, through crashes, closing and two tabs."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest

from factmark.ledger.campaigns import campaign_named, close_campaign
from factmark.ledger.ledger import Ledger
from page_campaign import rated, served
from page_tab import Tabs

pytestmark = pytest.mark.browser


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
        one.page.wait_for_selector(".unit:nth-of-type(1) [data-label='2'][aria-pressed=true]")
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
        one.choice(2, "1").click()
        one.page.wait_for_function("() => state.textContent === 'Saved'")
    assert [said[1:3] for said in rated(ledger)] == [
        ("one-d0-0", "2"),
        ("one-d0-0", "4"),
        ("one-d0-0", "5"),
        ("one-d0-1", "3"),
        ("one-d0-2", "1"),
    ]
