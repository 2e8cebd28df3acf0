"""The desk draws from a queue, takes up a changed list, and shows ratings to who decides."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from browsing import Tab, Tabs
from campaigns import HOSTILE
from campaigns import rated as answer
from factmark.cli.annotate import protocol_of
from factmark.ledger.campaigns import campaign_named, tasks_of
from factmark.ledger.ledger import Ledger
from factmark.people.changes.asked import draw
from factmark.people.verdicts import take_ratings
from served_page import served
from shell import run

pytestmark = pytest.mark.browser


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
        assert ada.page.title().startswith("Summarization Evaluation · ")
        assert ada.progress == "0 of 2 done, 2 in the queue"
        rate_document(ada, "5", "3")
        ada.page.wait_for_function("() => progress.textContent === '2 of 4 done, 1 in the queue'")
        assert ada.page.inner_text("#where") == "Document 2 of 2"
        with Ledger(queued) as ledger:
            known = campaign_named(ledger)
            assert draw(ledger, known, "A2")
            given = [
                answer(task.key, label, 1, comment=HOSTILE)
                for task, label in zip(tasks_of(ledger, known, "A2"), "13", strict=True)
            ]
            take_ratings(ledger, known, given, protocol_of)
        run("annotate", "reassign", queued, "--from", "Ada")  # what is open goes back
        ada.page.evaluate("dispatchEvent(new Event('focus'))")
        ada.page.wait_for_function("() => progress.textContent === '2 of 2 done, 2 in the queue'")
        ada.page.click("#open")  # and is drawn again
        ada.page.wait_for_function("() => progress.textContent === '2 of 4 done, 1 in the queue'")
        made = run("annotate", "adjudicate", queued, "--by", "Cleo", "--json")
        assert json.loads(made.stdout)["lists"][0]["name"] == "Cleo decides"
        links = run("annotate", "links", queued, "--base-url", page.base, "--json").stdout
        link = next(row["url"] for row in json.loads(links) if row["code"] == "D1")
        cleo = tab().start(link)
        assert not cleo.errors
        assert "count" in cleo.page.inner_text(".question", timeout=3000)
        given_by = cleo.page.locator(".unit .given li").all_inner_texts()
        units = cleo.page.locator(".unit").count()
        assert len(given_by) == 2 * units
        assert {text.split(":")[0] for text in given_by} == {"Rater 1", "Rater 2"}
        assert "<script>alert(1)</script>" in " ".join(given_by)
        assert "Ada" not in cleo.page.content()
        rate_document(cleo, *"2" * units)
        cleo.page.wait_for_function("() => document.body.innerText.includes('All done')")
        assert not [*ada.errors, *cleo.errors]
    told = run("annotate", "results", queued, "--resamples", "100", "--json")
    decided = json.loads(told.stdout)["adjudication"]
    assert (decided["disputed"], decided["decided"]) == (units, units)
