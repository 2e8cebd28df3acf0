"""One annotator in two tabs or on two devices: what is saved is the field that was changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from browsing import Tab, Tabs
from campaigns import summaries
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import refused_of
from served_page import make, rated, served

pytestmark = pytest.mark.browser

SIZE = {"width": 1920, "height": 1000}


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    make(path, summaries(2), people=("Ada",))
    return path


def stale(one: Tab) -> None:
    """From now on the tab hears of no change that is made elsewhere."""
    one.page.route("**/answers", lambda route: route.abort())


def test_a_comment_from_a_stale_tab_leaves_the_rating_that_was_given_elsewhere(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZE).start(page.links["Ada"])
        one.press("1")
        one.wait("saved")
        other = tab(viewport=SIZE).open(page.links["Ada"])
        other.press("a4")
        other.wait("saved")
        stale(one)
        assert one.checked(0) == "1"
        one.page.fill(".unit:nth-of-type(1) textarea", "3.5, rather")
        one.page.locator(".unit textarea").first.blur()
        one.page.wait_for_selector("#strip [data-place='0'][data-label='4'][aria-pressed=true]")
        one.wait("saved")
        assert one.page.locator(".elsewhere:not([hidden])").count() == 0
    assert rated(ledger)[-1][2:] == ("4", "3.5, rather")


@pytest.mark.parametrize("mine", [False, True])
def test_a_rating_from_a_stale_tab_is_asked_about(tab: Tabs, ledger: Path, mine: bool) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZE).start(page.links["Ada"])
        one.press("1")
        one.wait("saved")
        other = tab(viewport=SIZE).open(page.links["Ada"])
        other.press("a4")
        other.wait("saved")
        stale(one)
        one.press("a2")
        told = one.page.locator(".unit").first.locator(".elsewhere")
        told.wait_for()
        assert "Changed elsewhere to 4; here you chose 2" in told.inner_text()
        assert one.checked(0) == "4"
        assert [label for _, _, label, _ in rated(ledger)] == ["1", "4"]
        one.page.reload()  # it is asked until it is answered
        told.wait_for()
        told.get_by_role("button", name="Take 2" if mine else "Keep 4").click()
        told.wait_for(state="hidden")
        one.wait("saved")
        assert one.checked(0) == ("2" if mine else "4")
        assert one.errors == []
    assert [label for _, _, label, _ in rated(ledger)] == ["1", "4", *("2" * mine)]
    with Ledger(ledger, read_only=True) as opened:
        (lost,) = refused_of(opened, campaign_named(opened))
    assert '"2"' in lost.raw  # what did not count is written down all the same


def test_axe_finds_nothing_where_both_answers_are_shown(tab: Tabs, ledger: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZE, bypass_csp=True).start(page.links["Ada"])
        one.press("1")
        one.wait("saved")
        other = tab(viewport=SIZE).open(page.links["Ada"])
        other.press("a4")
        other.wait("saved")
        stale(one)
        one.press("a2")
        one.page.locator(".elsewhere").first.wait_for()
        found = axe.run(one.page).response["violations"]
        assert [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in found] == []


def test_offline_changes_of_one_tab_follow_each_other(tab: Tabs, ledger: Path) -> None:
    """Whatever its clock says meanwhile."""
    with served(ledger, people=1) as page:
        one = tab(viewport=SIZE).start(page.links["Ada"])
        one.page.context.set_offline(True)
        one.press("1")
        one.page.evaluate("() => { const now = Date.now; Date.now = () => now() - 9e7 }")
        one.press("a2a3")
        one.page.fill(".unit:nth-of-type(1) textarea", "so")
        one.page.wait_for_timeout(50)
        one.page.context.set_offline(False)
        one.page.evaluate("dispatchEvent(new Event('online'))")
        one.wait("saved")
        one.page.wait_for_function(
            "() => !Object.keys(localStorage).some(name => name.includes('/r/'))"
        )
    assert [said[2:] for said in rated(ledger)] == [("1", ""), ("2", ""), ("3", ""), ("3", "so")]
