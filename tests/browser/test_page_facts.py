"""The form of facts in a real browser: marks, elements, what is told of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from factmark.campaign_model import Shown
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.ledger.ratings import ratings_of
from page_campaign import make, served
from page_tab import Tabs

pytestmark = pytest.mark.browser

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


def test_an_answer_without_facts_can_be_said_to_be_done(tab: Tabs, tmp_path: Path) -> None:
    path = facts(tmp_path)
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        one.page.get_by_role("button", name="Nothing more to mark").click()
        assert "Noted: nothing more" in one.page.inner_text(".end")
        one.wait("saved")
        assert one.progress == "1 of 2 done"
        one.press("t")
        one.page.get_by_role("button", name="reports that there is nothing").click()
        one.wait("saved")
    assert marks(path) == [([], [], (), None, False), ([], [], (), None, True)]


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
        one.page.click(".elements .choice >> nth=1")
        assert lacking.inner_text() == ""
        one.wait("saved")
        one.page.get_by_role("button", name="Nothing more to mark").click()
        assert "Noted already" in one.page.inner_text(".end")
    assert len(marks(path)) == 3
