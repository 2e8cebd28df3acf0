"""What decided a rating: words of the summary or of its source, kept in the ledger with it."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from browsing import Tab, Tabs
from campaigns import summaries
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import revisions_of
from served_page import make, served
from shell import run

pytestmark = pytest.mark.browser

SOURCE = "Of forty goats with a cough, twenty were fed on hay and coughed less."
TEXT = "Goats that were fed on straw coughed less."
SELECT = """([selector, start, end]) => {
    const walk = document.createTreeWalker(document.querySelector(selector), NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let at = 0;
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        const size = node.data.length;
        if (start >= at && start < at + size) range.setStart(node, start - at);
        if (end > at && end <= at + size) range.setEnd(node, end - at);
        at += size;
    }
    getSelection().removeAllRanges();
    getSelection().addRange(range);
}"""


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    make(path, summaries(1, source=SOURCE, text=TEXT), people=("Ada",))
    return path


def select(one: Tab, selector: str, text: str, words: str) -> None:
    start = text.index(words)
    one.page.evaluate(SELECT, [selector, start, start + len(words)])


def kept(path: Path) -> dict[str, tuple[tuple[str, int, int], ...]]:
    """Unit -> the evidence of its newest rating."""
    with Ledger(path, read_only=True) as ledger:
        known = campaign_named(ledger)
        units = {task.key: task.assignment.unit for task in tasks_of(ledger, known)}
        answers = revisions_of(ledger, known)
        return {units[key]: given[-1].response.evidence for key, given in answers.items()}


def test_marked_words_go_with_the_rating(tab: Tabs, ledger: Path) -> None:
    in_text = TEXT.index("straw")
    in_source = SOURCE.index("fed on hay")
    with served(ledger, people=1) as page:
        one = tab(viewport={"width": 1600, "height": 900}).start(page.links["Ada"])
        select(one, ".unit .judged", TEXT, "straw")
        one.press("m")  # before there is a rating: it waits for it
        assert "straw" in one.page.locator(".evidence-line").first.inner_text()
        one.press("1")
        one.press("a")  # back to the first, which is rated
        select(one, "#evidence", SOURCE, "fed on hay")
        one.press("m")
        one.wait("saved")
        assert "fed on hay" in one.page.locator(".evidence-line").first.inner_text()
    assert kept(ledger) == {
        "d0-0": (
            ("source", in_source, in_source + len("fed on hay")),
            ("text", in_text, in_text + len("straw")),
        )
    }
    out = ledger.with_name("out")
    assert run("annotate", "results", ledger, "--out", out, "--resamples", "100").returncode == 0
    with (out / "rows.csv").open(encoding="utf-8", newline="") as rows:
        (last,) = [row for row in csv.DictReader(rows) if row["final"].lower() == "true"]
    assert last["evidence"].startswith('[["source"')


def test_a_low_rating_asks_for_its_place_once(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport={"width": 1600, "height": 900}).start(page.links["Ada"])
        one.press("1")
        assert "where?" in one.page.inner_text("#unrated")
        one.press("a2")
        assert "where?" not in one.page.inner_text("#unrated")
        one.press("b5")
        assert "where?" not in one.page.inner_text("#unrated")
        one.wait("saved")
    assert set(kept(ledger).values()) == {()}


def test_what_was_marked_is_removed_by_a_button(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport={"width": 1600, "height": 900}).start(page.links["Ada"])
        select(one, ".unit .judged", TEXT, "straw")
        one.press("m")
        one.press("3")
        one.wait("saved")
        one.page.locator(".evidence-line button").first.click()
        one.wait("saved")
        one.page.wait_for_function("() => !document.querySelector('.evidence-line:not([hidden])')")
        one.page.wait_for_function(
            "() => document.getElementById('state').dataset.state === 'saved'"
        )
    assert kept(ledger)["d0-0"] == ()
