"""The reading desk: a sentence is found again, marked, and the place is kept; documents are drawn
from a queue, and somebody decides where ratings differ."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from browsing import Tab, Tabs
from campaigns import rated as answered
from campaigns import summaries
from factmark.campaign_model import Shown
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.changes.queue import draw
from factmark.people.verdicts import take_ratings
from hostile import HOSTILE
from served_page import make, rated, served
from shell import run

pytestmark = pytest.mark.browser

LAPTOP, WIDE = {"width": 1280, "height": 720}, {"width": 1920, "height": 1000}
PHONE, ZOOMED = {"width": 360, "height": 740}, {"width": 640, "height": 360}
FILLER = "Sheep number {n} was weighed on a Monday and fed on hay for a week. "
SOURCE = (
    "Background\n\n"
    + "".join(FILLER.format(n=n) for n in range(1, 60))
    + "\n\nMethods and animals\n\nForty adults with gout took colchicine. "
    + "".join(FILLER.format(n=n) for n in range(60, 120))
    + "Pain fell by half after two days. "
    + "".join(FILLER.format(n=n) for n in range(120, 160))
)
SECTIONS = ("Background", "Aims", "Methods and animals")
SUMMARY = "Forty adults had gout. Pain had fallen by half after two days."
IN_VIEW = """selector => {
  const box = document.querySelector(selector).getBoundingClientRect();
  const port = document.querySelector('#source').getBoundingClientRect();
  return box.top >= port.top - 1 && box.bottom <= Math.min(port.bottom, innerHeight) + 1;
}"""

# Past all of the source, never at rest for long.
PASS_OVER = """async () => {
  for (let step = 0; step < 60; step += 1) {
    source.scrollBy(0, source.clientHeight * 0.8);
    await new Promise(requestAnimationFrame);
  }
}"""

FIRST = """() => {
  const edge = source.getBoundingClientRect().top;
  const all = [...document.querySelectorAll('.sentence')];
  return all.findIndex(one => one.getBoundingClientRect().bottom > edge);
}"""


def shown(text: str = SUMMARY, **more: Any) -> Shown:
    return Shown(evidence=SOURCE, text=text, **more)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    documents = [(name, [shown(sections=SECTIONS)] * 3) for name in "de"]
    make(path, documents, people=("Ada",))
    return path


def clauses(path: Path) -> Path:
    """Two clauses of one source, with its likely sentences."""
    at = [SOURCE.index("Forty adults"), SOURCE.index("Pain fell")]
    likely = [((start, SOURCE.index(".", start) + 1),) for start in at]
    spans = [(0, 22), (23, len(SUMMARY))]
    units = [shown(clause=span, likely=places) for span, places in zip(spans, likely, strict=True)]
    make(path, [("d", [units[0]]), ("e", [units[1]])], form="fine", people=("Ada",))
    return path


def test_headings_numbers_and_names_of_sections_are_shown(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        assert one.page.locator("#evidence h4").all_inner_texts() == [
            "Background",
            "Methods and animals",
        ]
        # Of the sections that the file names, the one whose place is not known.
        assert "Its sections: Aims." in one.page.inner_text("#sections")
        numbers = one.page.eval_on_selector_all(
            ".sentence[data-number]", "all => all.map(one => Number(one.dataset.number))"
        )
        assert numbers == list(range(1, len(numbers) + 1))
        assert one.page.text_content("#evidence").startswith("BackgroundSheep number 1 was")


def test_words_are_found_one_after_the_other_and_counted(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        one.press("/")
        one.page.keyboard.type("number 1")  # 1, 10 to 19, 100 to 159
        count = one.page.locator("#find-count")
        assert count.inner_text() == "1 of 71"
        one.page.keyboard.press("Shift+Enter")
        assert count.inner_text() == "71 of 71"
        assert one.page.evaluate("source.scrollTop") > 500
        one.page.keyboard.press("Enter")
        one.page.keyboard.press("Enter")
        assert count.inner_text() == "2 of 71"
        one.page.fill("#find", "PAIN   fell")
        assert count.inner_text() == "1 of 1"
        assert one.page.evaluate("CSS.highlights.get('here').size") == 1
        one.page.fill("#find", "(.*")
        assert count.inner_text() == "none"
        one.page.keyboard.press("Escape")
        one.press("4")
        assert one.checked(0) == "4"


def test_a_click_or_h_goes_to_the_likely_places_one_by_one(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        second = one.page.locator(".unit").nth(1).locator(".statement").nth(1)
        second.click()
        places = set()
        for _ in range(3):
            assert one.page.evaluate(IN_VIEW, ".sentence.hit")
            places.add(one.page.inner_text(".sentence.hit"))
            assert "Likely place" in one.page.inner_text("#said")
            one.press("h")
        assert any("Pain fell by half" in place for place in places)
        assert "chosen" in second.get_attribute("class")
        one.press("S")  # the sentence before it
        places = {one.page.inner_text(".sentence.hit")}
        for _ in range(2):
            one.press("h")
            places.add(one.page.inner_text(".sentence.hit"))
        assert any("Forty adults with gout" in place for place in places)
        assert one.progress.startswith("0 of")


def test_the_place_is_kept_from_clause_to_clause_and_over_a_reload(
    tab: Tabs, tmp_path: Path
) -> None:
    path = clauses(tmp_path / "fine.db")
    with served(path, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        one.press("h")
        assert "Forty adults with gout" in one.page.inner_text(".sentence.hit")
        there = one.page.evaluate("source.scrollTop")
        assert there > 500
        one.press("1n")
        assert one.page.inner_text("#where") == "Clause 2 of 2"
        assert one.page.evaluate("source.scrollTop") == there
        assert one.page.locator(".likely").last.inner_text().startswith("Pain fell")
        one.wait("saved")
        one.page.reload()
        one.page.wait_for_selector(".unit")
        assert abs(one.page.evaluate("source.scrollTop") - there) <= 1
        one.page.set_viewport_size({"width": 1000, "height": 600})
        one.rest()
        before = one.page.evaluate(FIRST)
        one.press("p")
        assert one.page.evaluate(FIRST) == before


def test_the_place_is_kept_on_a_phone(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=PHONE).start(page.links["Ada"])
        one.page.click("#show-source")
        one.page.evaluate("scrollTo(0, 2500)")
        one.rest()
        first = FIRST.replace(
            "source.getBoundingClientRect().top", "tools.getBoundingClientRect().bottom"
        )
        there = one.page.evaluate(first)
        one.page.click("#show-units")
        one.page.reload()
        one.page.click("#start")
        one.page.click("#show-source")
        assert there > 10
        assert abs(one.page.evaluate(first) - there) <= 1


SELECT = """([from, to]) => {
  const all = [...document.querySelectorAll('.sentence')];
  const range = document.createRange();
  range.setStart(all.find(one => one.textContent.includes(from)).firstChild, 0);
  range.setEndAfter(all.find(one => one.textContent.includes(to)));
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


def test_own_marks_last_are_listed_and_can_be_saved_as_a_file(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        sent: list[str] = []
        one.page.on("request", lambda request: sent.append(request.url))
        one.page.evaluate(SELECT, ["number 3 ", "number 4 "])
        one.press("m")
        one.page.evaluate(SELECT, ["number 8 ", "number 8 "])
        one.page.click("#mark")
        assert one.page.inner_text("#to-marks") == "Marks (2)"
        one.press("b4")
        one.wait("saved")
        one.page.reload()
        one.page.wait_for_selector(".unit")
        assert one.page.evaluate("CSS.highlights.get('mine').size") == 2
        one.page.evaluate(SELECT, ["number 8 ", "number 8 "])
        one.press("m")  # marked again, the mark is gone
        assert one.page.inner_text("#to-marks") == "Marks (1)"
        one.page.click("#to-marks")
        rows = one.page.locator("#marks-list button")
        assert rows.all_inner_texts() == [
            f"1, sentence 3: {FILLER.format(n=3)}{FILLER.format(n=4)}".strip()
        ]
        with one.page.expect_download() as download:
            one.page.click("#export")
        text = Path(download.value.path()).read_text("utf-8")
        (row,) = csv.DictReader(io.StringIO(text))
        assert SOURCE[int(row["start"]) : int(row["end"])] == row["text"]
        assert row["sentence"] == "3"
        rows.first.click()
        assert one.page.evaluate("source.scrollTop") >= 0
        assert one.errors == []
        # Marks are sent nowhere.
        assert {url.rpartition("/")[2] for url in sent} <= {
            *("", "save", "answers", "tasks", "page.css"),
            *(file.name for file in STATIC.iterdir()),
        } | {url.rpartition("/")[2] for url in sent if url.startswith("blob:")}


STATIC = Path(__file__).parents[2] / "src" / "factmark" / "people" / "desk" / "static"


def test_summaries_stand_side_by_side_where_there_is_room(tab: Tabs, ledger: Path) -> None:
    def rows(one: Tab) -> int:
        tops = one.page.eval_on_selector_all(
            ".unit", "all => all.map(one => Math.round(one.getBoundingClientRect().top))"
        )
        return len(set(tops))

    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        assert rows(one) == 3
        one.press("v")
        assert rows(one) == 1
        assert not one.page.locator("#source").is_visible()
        one.press("h")  # shows the source again
        assert one.page.locator("#source").is_visible()
        one.page.set_viewport_size(WIDE)
        assert rows(one) == 1
        strip = one.page.locator("#strip .rating").all()
        assert len({round(rating.bounding_box()["y"]) for rating in strip}) == 1


def test_before_a_document_is_done_the_strip_asks_once_for_a_last_look(
    tab: Tabs, ledger: Path
) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        ask = one.page.locator(".ask")
        one.press("34")
        assert not ask.is_visible()
        one.press("3")
        assert "A 3 · B 4 · C 3" in ask.inner_text()
        one.press("l")
        assert "recalibrate?" in one.page.locator("#documents button").first.inner_text()
        one.page.keyboard.press("Escape")
        one.page.keyboard.press("Enter")  # no page is left unasked
        assert one.page.inner_text("#where") == "Document 1 of 2"
        one.choice(2, "2").click()
        assert "C 2" in ask.inner_text()
        one.page.click("#stand")
        assert one.page.inner_text("#where") == "Document 2 of 2"
        one.press("p")
        assert not ask.is_visible()
        one.press("a5")  # nor is it asked again
        assert not ask.is_visible()
        one.press("n111")
        assert one.page.inner_text("#finished") == ""
        one.page.keyboard.press("Enter")
        one.page.keyboard.press("Enter")
        one.page.wait_for_function("() => finished.textContent.startsWith('All done. You')")
        one.wait("saved")
    assert len(rated(ledger)) == 8


def test_the_time_of_each_step_is_told_beside_the_suggested_one(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP)
        one.page.clock.install()
        one.start(page.links["Ada"])

        def work(seconds: int) -> list[str]:
            for _ in range(seconds // 30):
                one.page.mouse.move(100, 300)
                one.page.mouse.move(110, 300)
                one.page.clock.run_for(30_000)
            return list(one.page.locator("#pace span").all_inner_texts())

        assert work(750)[0] == "reading: 12 min (10–15)"
        one.press("3")
        assert work(330)[1] == "rating: 5 min (5)"
        one.press("44")
        told = work(270)
        assert told[0].startswith("reading: 12 min")
        assert told[2] == "recalibrating: 4 min (5)"
        assert one.page.inner_text("#pace .now") == told[2]


@pytest.mark.parametrize("size", [ZOOMED, PHONE])
def test_in_a_small_window_the_strip_leaves_the_summary_in_view(
    tab: Tabs, tmp_path: Path, size: dict[str, int]
) -> None:
    path = tmp_path / "small.db"
    make(path, summaries(1, source=SOURCE, text=SUMMARY * 20), people=("Ada",))
    with served(path, people=1) as page:
        one = tab(viewport=size).start(page.links["Ada"])
        top = one.page.locator(".judged").first.bounding_box()["y"]
        strip = one.page.locator("#strip").bounding_box()
        assert strip["y"] - max(top, 0) >= 100  # four lines, at the least
        assert one.page.evaluate(
            "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
        one.press("4")
        assert one.checked(0) == "4"


def test_a_hostile_source_is_only_text(tab: Tabs, tmp_path: Path) -> None:
    texts = [text.replace("\ud800", "").replace("\udfff", "") for text in HOSTILE.values()]
    path = tmp_path / "hostile.db"
    source = "\n\n".join(texts)
    shown = Shown(evidence=source, text=" ".join(texts), sections=tuple(texts))
    make(path, [("d", [shown] * 3)], people=("Ada",))
    with served(path, people=1) as page:
        one = tab().start(page.links["Ada"])
        one.press("/")
        one.page.keyboard.type("<script>")
        one.page.keyboard.press("Escape")
        for statement in one.page.locator(".unit:first-child .statement").all()[:20]:
            statement.dispatch_event("click")
            one.press("m")
        one.page.click("#to-marks")
        assert one.page.locator("img").count() == 0
        assert one.page.evaluate("document.scripts.length") == 1
        assert one.errors == []


AXE = "axe_playwright_python"


@pytest.mark.parametrize(
    ("size", "scheme"),
    [(LAPTOP, "light"), (PHONE, "light"), (ZOOMED, "light"), (LAPTOP, "dark")],  # the same colours
)
def test_axe_finds_nothing(tab: Tabs, tmp_path: Path, size: dict[str, int], scheme: str) -> None:
    """On a source that scrolls; its time is that of its sentences."""
    axe = pytest.importorskip(f"{AXE}.sync_playwright").Axe()
    source = re.sub(r"Sheep number \d*[1-79] .*?week\. ", "", SOURCE)
    documents = [(name, [replace(shown(sections=SECTIONS), evidence=source)] * 3) for name in "de"]
    make(tmp_path / "ledger.db", documents, people=("Ada",))
    with served(tmp_path / "ledger.db", people=1) as page:
        one = tab(viewport=size, color_scheme=scheme, bypass_csp=True).open(page.links["Ada"])

        def check(where: str) -> None:
            found = axe.run(one.page).response["violations"]
            assert [(where, rule["id"], rule["nodes"][0]["html"][:200]) for rule in found] == []

        check("guidelines")
        one.page.click("#start")
        one.press("s")
        inside, port = one.page.evaluate("[source.scrollHeight, source.clientHeight]")
        assert inside > port or size != LAPTOP
        check("source" if size != LAPTOP else "desk")
        one.press("a3b4c5")
        check("rated")
        one.press("2")
        assert one.page.locator("#unrated").is_visible()
        check("warned")
        one.press("/")
        one.page.keyboard.type("sheep")
        check("search")
        one.page.keyboard.press("Escape")
        for dialog in ("to-list", "to-keys", "to-texts", "to-marks"):
            if one.page.locator(f"#{dialog}").is_visible():
                one.page.click(f"#{dialog}")
                check(dialog)
                one.page.keyboard.press("Escape")


def test_a_walk_without_keys_of_the_page_and_without_a_pointer(tab: Tabs, ledger: Path) -> None:
    """With Tab, Enter and Escape alone: read, search, go to a likely place, rate, go on."""
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).open(page.links["Ada"])

        def to(what: str) -> None:
            for _ in range(60):
                one.page.keyboard.press("Tab")
                if one.page.evaluate("what => document.activeElement.matches(what)", what):
                    return
            pytest.fail(f"{what} cannot be reached with Tab")

        to("#to-keys")
        one.page.keyboard.press("Enter")
        to("#use-keys")
        one.page.keyboard.press("Space")
        one.page.keyboard.press("Escape")
        to("#start")
        one.page.keyboard.press("Enter")
        to("#find")
        one.page.keyboard.type("colchicine")
        one.page.keyboard.press("Enter")
        assert one.page.inner_text("#find-count") == "1 of 1"
        to("#hint")
        one.page.keyboard.press("Enter")
        assert "Likely place 1 of" in one.page.inner_text("#said")
        for place in range(3):
            to(f"[data-place='{place}'][data-label='4']")
            one.page.keyboard.press("Enter")
            assert one.checked(place) == "4"
        assert "Recalibrate?" in one.page.inner_text("#said")
        to("#stand")
        one.page.keyboard.press("Enter")
        assert one.page.inner_text("#where") == "Document 2 of 2"
        one.wait("saved")
    assert [label for _, _, label, _ in rated(ledger)] == ["4"] * 3


@pytest.fixture
def queued(tmp_path: Path) -> Path:
    """Three documents of two summaries in a queue, the first of them for two people."""
    rows = [
        {"id": f"d{n}", "article": f"Source {n}.", "s": f"It is {n}.", "t": f"It was {n}."}
        for n in range(3)
    ]
    source = tmp_path / "s.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = tmp_path / "c.db"
    made = ("--annotators", "Ada,Ben,Cleo", "--overlap", "0.3", "--ledger", path)
    assert run("annotate", "create", source, *made, "--deal", "queue").returncode == 0
    return path


SCRIPT = "<script>alert(1)</script>"


def rate_document(tab: Tab, *labels: str) -> None:
    """Rates the summaries of the open document by keys, and says that the ratings stand."""
    for place, label in enumerate(labels):
        tab.page.wait_for_selector(f".unit:nth-of-type({place + 1}).current")
        tab.press(label)
        tab.wait("saved")
        tab.page.keyboard.press("Enter")
    tab.page.keyboard.press("Enter")


def test_from_the_queue_to_a_decision(tab: Tabs, queued: Path) -> None:
    with served(queued, people=3) as page:
        ada = tab(viewport={"width": 1280, "height": 720}).start(page.links["Ada"])
        ada.page.wait_for_selector("#work:not([hidden])")
        assert ada.page.title().startswith("Ada — Summarization Evaluation · ")
        assert ada.progress == "0 of 2 done, 2 in the queue"
        rate_document(ada, "5", "3")
        ada.page.wait_for_function("() => progress.textContent === '2 of 4 done, 1 in the queue'")
        assert ada.page.inner_text("#where") == "Document 2 of 2"
        with Ledger(queued) as ledger:
            known = campaign_named(ledger)
            assert draw(ledger, known, "A2")
            given = [
                answered(task.key, label, 1, comment=SCRIPT)
                for task, label in zip(tasks_of(ledger, known, "A2"), "13", strict=True)
            ]
            take_ratings(ledger, known, given, protocol_of)
        run("annotate", "reassign", queued, "--from", "Ada")  # what is open goes back
        ada.page.evaluate("dispatchEvent(new Event('focus'))")
        ada.page.wait_for_function("() => progress.textContent === '2 of 2 done, 2 in the queue'")
        ada.page.click("#open")  # and is drawn again
        ada.page.wait_for_function("() => progress.textContent === '2 of 4 done, 1 in the queue'")
        made = run("annotate", "adjudicate", queued, "--by", "Cleo", "--json")
        assert json.loads(made.stdout)["rows"][0]["name"] == "Cleo decides"
        links = run("annotate", "links", queued, "--base-url", page.base, "--json").stdout
        link = next(row["url"] for row in json.loads(links)["rows"] if row["code"] == "D1")
        cleo = tab().start(link)
        assert not cleo.errors
        assert "count" in cleo.page.inner_text(".question", timeout=3000)
        given_by = cleo.page.locator(".unit .given li").all_inner_texts()
        units = cleo.page.locator(".unit").count()
        assert len(given_by) == 2 * units
        assert {text.split(":")[0] for text in given_by} == {"Rater 1", "Rater 2"}
        assert SCRIPT in " ".join(given_by)
        assert "Ada" not in cleo.page.content()
        rate_document(cleo, *"2" * units)
        cleo.page.wait_for_function("() => document.body.innerText.includes('All done')")
        assert not [*ada.errors, *cleo.errors]
    told = run("annotate", "results", queued, "--resamples", "100", "--json")
    decided = json.loads(told.stdout)["details"]["dimensions"][0]["adjudication"]
    assert (decided["disputed"], decided["decided"]) == (units, units)


def test_the_outline_and_where_in_the_source_one_is(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport=LAPTOP).start(page.links["Ada"])
        where = one.page.locator("#whereabouts")
        options = one.page.locator("#outline option").all_inner_texts()
        assert options == ["Sections", "Background", "Methods and animals"]
        text = where.inner_text()
        assert text.startswith("Background · ")
        assert 0 < int(text.split(" % seen")[0].rpartition(" ")[2]) < 50
        one.page.select_option("#outline", label="Methods and animals")
        one.page.wait_for_function(
            "() => whereabouts.textContent.startsWith('Methods and animals')"
        )
        assert one.page.evaluate(IN_VIEW, "#evidence h4:nth-of-type(2)")
        one.page.evaluate(PASS_OVER)
        one.page.wait_for_function("() => /sentence 1[3-6]. of 161/.test(whereabouts.textContent)")
        assert " 100 %" not in where.inner_text()  # what was passed over was not seen
        there = where.inner_text()
        one.page.reload()
        one.page.click("#start")
        assert where.inner_text().rpartition("·")[2] == there.rpartition("·")[2]


def test_texts_in_the_size_and_measure_that_one_chose(tab: Tabs, ledger: Path) -> None:
    size = "parseFloat(getComputedStyle(document.querySelector('.judged')).fontSize)"
    with served(ledger, people=1) as page:
        one = tab(viewport=WIDE).start(page.links["Ada"])
        usual = one.page.evaluate(size)
        one.page.click("#to-texts")
        one.page.select_option("#text-size", "large")
        one.page.select_option("#text-measure", "short")
        one.page.keyboard.press("Escape")
        assert one.page.evaluate(size) > usual
        width = one.page.evaluate("evidence.getBoundingClientRect().width")
        one.page.reload()
        one.page.click("#start")
        assert one.page.evaluate(size) > usual
        assert one.page.evaluate("evidence.getBoundingClientRect().width") == width
        assert width <= 34 * 16
        assert one.errors == []
