"""What the page tells only after an answer: of a check, and the right answer in training."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from browsing import Tab, Tabs
from factmark.cli.annotate import protocol_of
from factmark.cli.unit_files import UnitFiles
from factmark.people.create import draft_campaign, keep_campaign
from factmark.people.options import CampaignOptions
from served_page import served

pytestmark = pytest.mark.browser

HOSTILE = "<img src=x onerror=alert(1)> 9 of 20 is not few"


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Two documents of one system, with a question and a unit to practise on."""
    rows = [{"article": f"Source {n} is long.", "x": f"It is {n}."} for n in range(2)]
    (tmp_path / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, row in {
        "check": {"question": "May you look up?", "options": "yes|no", "label": 2, "why": HOSTILE},
        "training": {
            "source": "Cats.",
            "summary": "Dogs.",
            "label": 0,
            "why": f"cats are no dogs {HOSTILE}",
        },
    }.items():
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerow(row)
    path = tmp_path / "c.db"
    options = CampaignOptions(
        files=UnitFiles(source=tmp_path / "s.jsonl"),
        annotators="Ada",
        ledger=path,
        check=tmp_path / "check.csv",
        training=tmp_path / "training.csv",
    )
    keep_campaign(draft_campaign(options, protocol_of), path)
    return path


def asides(tab: Tab) -> list[str]:
    """What is told beside the units of the page that is open."""
    found: list[str] = tab.page.locator("#units .aside:not([hidden])").all_inner_texts()
    return found


def test_it_is_told_after_the_answer_and_kept_over_a_reload(tab: Tabs, ledger: Path) -> None:
    with served(ledger, people=1) as page:
        one = tab(viewport={"width": 1280, "height": 720})
        one.page.goto(page.links["Ada"])
        one.page.wait_for_selector(".check")
        assert one.page.is_disabled("#start")
        one.page.check(".check input[value='1']")
        one.page.wait_for_selector(".check .aside:not([hidden])")
        assert (
            one.page.inner_text(".check .aside") == f"Not right. The right answer is: no. {HOSTILE}"
        )
        assert one.page.is_disabled(".check input[value='2']")
        one.page.click("#start")
        assert one.page.inner_text("#where").startswith("Training: ")
        assert asides(one) == []
        one.press("3")
        one.wait("saved")
        told = [f"The right answer is 0. cats are no dogs {HOSTILE}"]
        assert asides(one) == told
        one.press("n")
        assert asides(one) == []
        one.press("3")
        one.page.wait_for_selector(".unit.answered")
        one.wait("saved")
        assert asides(one) == []  # of no other unit the right answer is known
        one.press("p")
        assert asides(one) == told
        one.page.reload()
        one.page.wait_for_selector(".unit.answered")
        assert asides(one) == told
        assert one.page.locator("img").count() == 0
        assert one.errors == []
