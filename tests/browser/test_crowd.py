"""A crowd's way through in a browser, and the owner's page beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from browsing import Tab, Tabs
from campaigns import summaries
from mcp_setup import free_port
from people.test_crowd import CODE, Study, create, serving
from served_page import Client, make, rated, revision, served
from shell import run

pytestmark = pytest.mark.browser

LAPTOP, PHONE = {"width": 1280, "height": 720}, {"width": 360, "height": 740}
# The way out is shown, or other texts than these.
GOES_ON = """texts => {
  const now = [...document.querySelectorAll("#units .text")].map((one) => one.innerText);
  return !completion.hidden || now.join() !== texts.join();
}"""
HOSTILE = "Eve <img src=x onerror=alert(1)>"


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    options = ("--completion", CODE, "--per-person", "1", "--overlap", "1")
    create(tmp_path, *options, "--gold", str(tmp_path / "gold.csv"), "--screen", "0.6")
    with serving(tmp_path / "c.db") as one:
        yield one


def link(study: Study, number: int) -> str:
    ids = f"PROLIFIC_PID={number:024x}&STUDY_ID={1:024x}&SESSION_ID={number:024x}"
    return f"{study.links['c']}/?{ids}"


def agree(tab: Tabs, study: Study, number: int, size: dict[str, int], **options: Any) -> Tab:
    one = tab(viewport=size, **options)
    one.page.goto(link(study, number))
    one.page.click("text=I agree, and take part")
    one.page.wait_for_url("**/w/*/")
    one.page.click("#start:not([disabled])")
    one.page.wait_for_selector("#strip [data-place='0']")
    return one


def rate_all(one: Tab, label: str = "") -> None:
    """Rates until the way out is shown; gold as it is right, unless a label is given for all."""
    page = one.page
    for _ in range(6):
        texts = page.locator("#units .text").all_inner_texts()
        for place, text in enumerate(texts):
            right = "0" if "Green" in text else "5"
            one.press("ab"[place] + (label or right))
        page.wait_for_selector("#state:is([data-state=saved], [data-state=closed])")
        _go_on(one, texts)
        if page.is_visible("#completion"):
            return
    pytest.fail(f"no way out: {one.progress}")


def _go_on(one: Tab, texts: Sequence[str]) -> None:
    """Presses Enter until there are other texts or the way out: it first goes to what is due, and
    one that comes while the page draws itself anew is lost."""
    from playwright.sync_api import TimeoutError as NotInTimeError

    for _ in range(10):
        one.page.keyboard.press("Enter")
        with suppress(NotInTimeError):
            one.page.wait_for_function(GOES_ON, arg=texts, timeout=1_000)
            return
    pytest.fail(f"Enter goes nowhere: {one.progress}")


@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_from_consent_to_the_code(tab: Tabs, study: Study, size: dict[str, int]) -> None:
    one = agree(tab, study, 1, size)
    one.page.goto(f"{one.page.url}done")
    assert "Not yet" in one.page.inner_text("h1")
    one.page.click("text=Go on")
    one.page.click("#start:not([disabled])")
    assert not one.page.is_visible("#completion"), "there is work left"
    rate_all(one)
    shown = one.page.inner_text("body")
    assert "close this page" not in shown, "before they have their code"
    assert "which gives you your code" in one.page.inner_text("#completion")
    one.page.click("#completion a")
    assert one.page.inner_text("#code") == CODE
    back = one.page.get_attribute("#back", "href")
    assert back == f"https://app.prolific.com/submissions/complete?cc={CODE}"
    assert one.errors == []


def test_who_is_screened_out_is_shown_the_way_out(tab: Tabs, study: Study) -> None:
    one = agree(tab, study, 2, LAPTOP)
    rate_all(one, "2")
    one.page.click("#completion a")
    assert "The study ends here for you" in one.page.inner_text("main")
    assert CODE not in one.page.inner_text("main")
    one.page.goto(link(study, 2))  # by the same link
    one.page.wait_for_url("**/done")


def test_a_study_that_is_closed_early_says_so(tab: Tabs, study: Study, tmp_path: Path) -> None:
    """Who has work left is not sent back to it, nor told that they were screened out."""
    one = agree(tab, study, 1, LAPTOP)
    closed = run("annotate", "close", tmp_path / "c.db")
    assert closed.returncode == 0, closed.stderr
    one.press("a5")
    one.page.click("#completion a")
    text = one.page.inner_text("main")
    assert "closed before you were done" in text
    assert CODE not in text
    assert "Go on" not in text


def test_nothing_is_lost_by_a_kill_with_two_tabs_and_a_clock_set_back(
    tab: Tabs, tmp_path: Path
) -> None:
    """Both tabs know it in the end, also the one whose change the other has sent."""
    create(tmp_path, "--completion", CODE, "--per-person", "1", "--overlap", "0")
    port = free_port()
    with serving(tmp_path / "c.db", port) as study:
        one = agree(tab, study, 1, LAPTOP)
        other = tab(one)
        other.page.goto(link(study, 1))
        other.page.wait_for_url("**/w/*/")
        other.page.click("#start:not([disabled])")
        other.page.wait_for_selector("#strip [data-place='0']")
        one.press("a4")
        one.wait("saved")
        one.page.evaluate("() => { const now = Date.now; Date.now = () => now() - 9e7 }")
    one.press("a2")  # nobody is there
    one.wait("unsaved")
    other.press("b3")
    other.wait("unsaved")
    with serving(tmp_path / "c.db", port):
        for each in (one, other):  # whichever sends what both could not
            each.page.evaluate("dispatchEvent(new Event('online'))")
            each.wait("saved")
            each.page.wait_for_function(
                "() => !Object.keys(localStorage).some(name => name.includes('/r/'))"
            )
            each.page.wait_for_function("() => progress.textContent === '2 of 2 done'")
        labels = [label for _, _, label, _ in rated(tmp_path / "c.db")]
        assert sorted(filter(None, labels)) == ["2", "3", "4"]
        other.page.reload()
        other.page.wait_for_selector("#strip [aria-pressed=true]")
        assert other.checked(0) == "2"
        assert other.checked(1) == "3"
        other.page.keyboard.press("Enter")
        other.page.keyboard.press("Enter")
        other.page.click("#completion a")
        assert other.page.inner_text("#code") == CODE


def test_the_owners_page_keeps_itself_new(tab: Tabs, study: Study) -> None:
    """Without a reload: what stood on the page is still there when figures have changed."""
    owner = tab(viewport=LAPTOP)
    owner.page.goto(study.links["o"])
    owner.page.wait_for_url("**/owner/")
    owner.page.wait_for_selector("#figures dd")
    owner.page.evaluate("window.stayed = true")
    assert owner.page.locator("#people tbody tr").count() == 1
    one = agree(tab, study, 1, LAPTOP)
    rate_all(one)
    bad = agree(tab, study, 2, LAPTOP)
    rate_all(bad, "2")
    owner.page.wait_for_selector("#screened li", timeout=15000)
    people = owner.page.inner_text("#people")
    assert "A1 prolific-" in people
    assert CODE in people
    assert "A2: " in owner.page.inner_text("#screened")
    assert owner.page.evaluate("window.stayed")
    assert owner.errors == []


@pytest.fixture
def named(tmp_path: Path) -> Iterator[tuple[str, Any]]:
    """A campaign of two people, one of a hostile name, and the link of its owner."""
    path = tmp_path / "n.db"
    make(path, summaries(2), people=(HOSTILE, "Ben"))
    with served(path) as at:
        yield at.owner, at


def test_names_are_shown_as_text(tab: Tabs, named: tuple[str, Any]) -> None:
    url, at = named
    ben = Client(at, "Ben", "A2")
    ben.save(revision(ben.keys[0], "4"))
    owner = tab(viewport=LAPTOP)
    owner.page.goto(url)
    owner.page.wait_for_selector("#people tbody tr:nth-child(3)")
    lines = owner.page.locator("#people tbody tr").all_inner_texts()
    assert HOSTILE in lines[0]
    assert "A2 Ben" in lines[1]
    assert "1 of 2" in lines[1]
    assert owner.page.locator("#people img").count() == 0
    assert owner.errors == []


def test_who_is_no_owner_sees_nothing(tab: Tabs, named: tuple[str, Any]) -> None:
    url, at = named
    ben = tab(viewport=LAPTOP).open(at.links["Ben"])
    reply = ben.page.goto(f"{at.base}/owner/")
    assert reply.status == 403
    assert url.rpartition("/")[2] not in ben.page.content()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_axe_finds_nothing(tab: Tabs, study: Study, size: dict[str, int], scheme: str) -> None:
    """Of the consent text, the box with its way out, the end of who is done, has work left or is
    screened out, a stranger's page and the owner's; none is wider than the window."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()

    def check(one: Tab) -> None:
        found = axe.run(one.page).response["violations"]
        assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in found] == []
        wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert one.page.evaluate(wide) <= 0

    how: dict[str, Any] = {"color_scheme": scheme, "bypass_csp": True}
    consent = tab(viewport=size, **how)
    consent.page.goto(link(study, 3))
    check(consent)
    one = agree(tab, study, 1, size, **how)
    rate_all(one)
    check(one)
    one.page.click("#completion a")
    check(one)
    early = agree(tab, study, 2, size, **how)
    early.page.goto(f"{early.page.url}done")  # with work left
    check(early)
    early.page.click("text=Go on")
    early.page.click("#start:not([disabled])")
    early.page.wait_for_selector("#strip [data-place='0']")
    rate_all(early, "2")
    early.page.click("#completion a")  # screened out
    check(early)
    stranger = tab(viewport=size, **how)
    stranger.page.goto(f"{study.base}/c/{'0' * 64}/")
    check(stranger)
    owner = tab(viewport=size, **how)
    owner.page.goto(study.links["o"])
    owner.page.wait_for_selector("#people tbody tr:nth-child(2)")
    check(owner)
