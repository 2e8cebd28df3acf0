"""Label Studio in a real browser: a newcomer signs up, rates, marks and thinks again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from campaigns import people, rating_campaign, revised
from factmark.campaign_model import Assignment, CampaignTask, Marking, Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named
from factmark.ledger.ledger import Ledger
from factmark.people.core.forms import FACTS, FINE, Form, check_response
from factmark.people.labelstudio.client import LabelStudio
from factmark.people.labelstudio.interface import label_config, read_result, task_data
from factmark.people.labelstudio.pull import pull
from factmark.people.labelstudio.push import PushResult, push
from servers.label_studio import RealServer

pytestmark = [pytest.mark.browser, pytest.mark.label_studio]

ANSWER = (
    "A 😀 and 😀\nline two <script>document.title = 'x'</script> Paris 𝒳 Berlin\r\n"
    "windows Rome\n\nafter Oslo é $text {{x}} &amp; <b>"
)
FACTS_SHOWN = Shown(
    evidence="Which cities? <img src=x onerror=alert(1)> $text",
    text=ANSWER,
    elements=("Paris", "<b>Rome</b> costs $text {{x}}", "Oslo"),
)
FINE_SHOWN = Shown(
    evidence="First. <script>alert(1)</script> Second & third.",
    text="One clause <i>, another clause.",
    clause=(16, 30),
    likely=((33, 48),),
)
# The place of a word within the unit's text on the page.
PLACE = """word => {
  const side = document.querySelectorAll('.fm-side')[1];
  const texts = document.createTreeWalker(side, NodeFilter.SHOW_TEXT);
  for (let node; node = texts.nextNode();) {
    const at = node.data.indexOf(word);
    if (at < 0) continue;
    const range = document.createRange();
    range.setStart(node, at); range.setEnd(node, at + word.length);
    const box = range.getBoundingClientRect();
    return [box.left, box.right, (box.top + box.bottom) / 2];
  }
}"""


def wait_for(work: Any) -> Any:
    """The result of a coroutine; in a thread, as the browser's own loop runs in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def box(server: RealServer, form: Form, shown: Shown) -> int:
    """A project with one task."""
    task = CampaignTask(
        key="k",
        shown=shown,
        assignment=Assignment(annotator="A1", batch=1, position=0, unit="u", document="d"),
    )
    async with LabelStudio(server.url, server.token) as client:
        made = await client.create_project(
            title=f"Box of {form.name}",
            description="",
            label_config=label_config(form),
            expert_instruction="<p>Read this.</p>",
        )
        await client.import_tasks(made.id, task_data(form, [task]))
        return made.id


async def answers(server: RealServer, project: int) -> list[Any]:
    async with LabelStudio(server.url, server.token) as client:
        return [a.result for t in (await client.snapshot(project)).tasks for a in t.annotations]


async def pushed(server: RealServer, path: Path) -> PushResult:
    with Ledger(path) as ledger:
        campaign = rating_campaign(ledger, annotators=people("Newcomer"), documents=1)
        async with LabelStudio(server.url, server.token) as client:
            return await push(ledger, campaign, client)


async def ratings(server: RealServer, path: Path) -> list[tuple[str | None, str]]:
    """Label and comment of each revision that a pull has brought."""
    with Ledger(path) as ledger:
        campaign = campaign_named(ledger)
        async with LabelStudio(server.url, server.token) as client:
            await pull(ledger, campaign, client, protocol_of)
        return [(r.response.label, r.response.comment) for _, r in revised(ledger, campaign)]


@pytest.fixture(scope="module")
def page(browser: Any, label_studio: RealServer) -> Iterator[Any]:
    """A page on which somebody has signed up by the invite link."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    outside: list[str] = []
    context.on(
        "request",
        lambda one: (
            outside.append(one.url)
            if not one.url.startswith((label_studio.url, "data:", "blob:"))
            else None
        ),
    )
    opened = context.new_page()
    opened.set_default_timeout(20_000)
    invite = label_studio.owner().done("GET", "/api/invite")["invite_url"]
    opened.goto(label_studio.url + invite)
    opened.fill("input[name=email]", "throwaway@example.org")
    opened.fill("input[name=password]", "throw-away-1")
    opened.click("button[type=submit]")
    opened.wait_for_url(lambda url: "/signup" not in url)
    yield opened
    context.close()
    assert outside == [], "nothing is asked of any other machine"


def until(page: Any, act: Callable[[], object], done: Callable[[], bool], what: str) -> None:
    """Acts as a person does whose click went to something that was just drawn anew: again where
    nothing has come of it in five seconds, and never while something may still come."""
    from playwright.sync_api import Error

    for quarter in range(160):
        if quarter % 20 == 0:
            with suppress(Error):
                act()
        page.wait_for_timeout(250)
        if done():
            return
    pytest.fail(what)


def until_chosen(page: Any, label: str, choose: Callable[[Any], None]) -> None:
    """Chooses a rating, again where the editor was not ready to take it: twice is not at all."""
    radio = page.locator(f'input[type=radio][name="{label}"]').first
    radio.wait_for(state="attached")
    until(page, lambda: choose(radio), radio.is_checked, f"the rating {label} is not chosen")


def open_row(page: Any, row: int, words: str) -> None:
    """Opens a task from the table, whose rows are drawn anew when one of them has changed."""
    rows = page.locator(".lsf-table__row-wrapper")
    shown = page.get_by_text(words).first
    rows.nth(row).wait_for()
    until(page, lambda: rows.nth(row).click(timeout=5000), shown.is_visible, f"no {words}")


def test_a_newcomer_rates_and_thinks_again(
    page: Any, label_studio: RealServer, tmp_path: Path
) -> None:
    path = tmp_path / "box.db"
    (done,) = wait_for(pushed(label_studio, path)).annotators
    page.goto(f"{label_studio.url}/projects/{done.project}/data")
    open_row(page, 0, "summary 1 of 3")
    until_chosen(page, "4", lambda radio: page.locator("label").filter(has=radio).click())
    rating = page.locator('input[type=radio][name="4"]').first.bounding_box()
    assert 0 <= rating["y"] < 900, "the rating is in view below a source of any length"
    submit(page)
    page.get_by_test_id("bottombar-update-button").wait_for()
    open_row(page, 1, "summary 2 of 3")
    until_chosen(page, "2", lambda radio: page.keyboard.press("2"))
    submit(page)
    page.get_by_test_id("bottombar-update-button").wait_for()
    assert wait_for(ratings(label_studio, path)) == [("4", ""), ("2", "")]
    open_row(page, 0, "summary 1 of 3")
    until_chosen(page, "3", lambda radio: page.keyboard.press("3"))
    box = page.get_by_test_id("textarea-input")
    box.fill("3.5, the dose is missing")
    box.press("Shift+Enter")
    submit(page, "update")
    found = wait_for(ratings(label_studio, path))
    assert (found[0], found[-1]) == (("4", ""), ("2", ""))
    assert ("3", "3.5, the dose is missing") in found


def opened(page: Any, server: RealServer, project: int) -> list[str]:
    """Opens the task and closes the instruction; dialogs that come up are listed."""
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.goto(f"{server.url}/projects/{project}/data?labeling=1")
    page.get_by_label("Close modal").click()
    page.wait_for_selector(".fm-bar")
    page.wait_for_function("document.querySelectorAll('.fm-side')[1].innerText.length > 20")
    return dialogs


def submit(page: Any, button: str = "submit") -> None:
    """Presses the button until the server has taken the answer; never again once it was asked."""
    asked: list[Any] = []
    replies: list[Any] = []

    def changes(request: Any) -> bool:
        return request.method in ("POST", "PATCH") and "/annotations" in request.url

    def note_request(request: Any) -> None:
        if changes(request):
            asked.append(request)

    def note_reply(reply: Any) -> None:
        if changes(reply.request):
            replies.append(reply)

    def press() -> None:
        if not asked:
            page.get_by_test_id(f"bottombar-{button}-button").click(timeout=5000)

    page.on("request", note_request)
    page.on("response", note_reply)
    until(page, press, lambda: bool(replies), f"nothing came of {button}")
    page.remove_listener("request", note_request)
    page.remove_listener("response", note_reply)
    assert [reply.ok for reply in replies] == [True]


def test_marks_are_where_they_were_made(page: Any, label_studio: RealServer) -> None:
    project = wait_for(box(label_studio, FACTS, FACTS_SHOWN))
    dialogs = opened(page, label_studio, project)
    sides = page.locator(".fm-side")
    assert "<img src=x onerror=alert(1)> $text" in sides.nth(0).inner_text()
    assert "<script>document.title = 'x'</script> Paris" in sides.nth(1).inner_text()
    assert "$text {{x}} &amp; <b>" in sides.nth(1).inner_text()
    for key, word in (("1", "Paris"), ("2", "windows Rome"), ("1", "Oslo"), ("2", "two")):
        left, right, middle = page.evaluate(PLACE, word)
        page.keyboard.press(key)
        page.mouse.move(left + 1, middle)
        page.mouse.down()
        page.mouse.move(right - 1, middle, steps=5)
        page.mouse.up()
    page.get_by_text("<b>Rome</b> costs", exact=False).last.click()
    page.keyboard.press("8")
    page.locator("textarea").first.fill("typed, not added")
    submit(page)
    (result,) = wait_for(answers(label_studio, project))
    found = check_response(FACTS, FACTS_SHOWN, read_result(FACTS, FACTS_SHOWN, result))

    def place(word: str) -> tuple[int, int]:
        return ANSWER.index(word), ANSWER.index(word) + len(word)

    assert found.marking == Marking(
        grounded=(place("Paris"), place("Oslo")),
        ungrounded=(place("two"), place("windows Rome")),
        covered=(FACTS_SHOWN.elements[1],),
        verdict="no",
    )
    assert found.comment == "typed, not added"
    assert dialogs == []
    assert page.title() != "x"


def test_clause_is_marked_and_answered_by_key(page: Any, label_studio: RealServer) -> None:
    project = wait_for(box(label_studio, FINE, FINE_SHOWN))
    dialogs = opened(page, label_studio, project)
    assert page.locator(".fm-side mark").all_inner_texts() == [
        FINE_SHOWN.evidence[33:48],
        FINE_SHOWN.text[16:30],
    ]
    assert "<script>alert(1)</script>" in page.locator(".fm-side").nth(0).inner_text()
    bar = page.locator(".fm-bar").bounding_box()
    assert bar["y"] + bar["height"] <= 900
    page.keyboard.press("2")
    submit(page)
    (result,) = wait_for(answers(label_studio, project))
    assert check_response(FINE, FINE_SHOWN, read_result(FINE, FINE_SHOWN, result)).label == "NO"
    assert dialogs == []
