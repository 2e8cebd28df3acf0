"""A newcomer in Label Studio, in a real browser: sign up, open the box, rate, think again."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from servers.label_studio import RealServer

pytestmark = [pytest.mark.browser, pytest.mark.label_studio]
COMMAND = [sys.executable, "-c", "from factmark.cli.main import main; main()"]
SUMMARIES = Path(__file__).parents[2] / "examples" / "summaries" / "summaries.jsonl"


def factmark(folder: Path, server: RealServer, *arguments: str) -> str:
    done = subprocess.run(
        [*COMMAND, "annotate", *arguments],
        cwd=folder,
        env={**os.environ, "LABEL_STUDIO_API_KEY": server.token},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def ratings(folder: Path, server: RealServer) -> list[tuple[str, str]]:
    """Label and comment of each revision that a pull has brought, the oldest first."""
    factmark(folder, server, "pull", "box.db")
    factmark(folder, server, "results", "box.db", "--out", "out")
    with (folder / "out" / "ratings.csv").open(encoding="utf-8", newline="") as file:
        return [(row["label"], row["comment"]) for row in csv.DictReader(file)]


def until_chosen(page: Any, label: str, choose: Callable[[Any], None]) -> None:
    """Chooses a rating, again while the editor is not ready to take it."""
    radio = page.locator(f'input[type=radio][name="{label}"]').first
    radio.wait_for(state="attached")
    for _ in range(40):
        choose(radio)
        page.wait_for_timeout(250)
        if radio.is_checked():
            return
    pytest.fail(f"the rating {label} is not chosen")


def test_a_newcomer_signs_up_rates_and_thinks_again(
    browser: Any, label_studio: RealServer, tmp_path: Path
) -> None:
    factmark(
        tmp_path, label_studio, "create", str(SUMMARIES), "--annotators", "Newcomer", "--ledger",
        "box.db",
    )  # fmt: skip
    told = json.loads(
        factmark(tmp_path, label_studio, "push", "box.db", "--url", label_studio.url, "--json")
    )
    outside: list[str] = []
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    context.on(
        "request",
        lambda one: (
            outside.append(one.url)
            if not one.url.startswith((label_studio.url, "data:", "blob:"))
            else None
        ),
    )
    page = context.new_page()
    page.set_default_timeout(20_000)

    page.goto(told["invite"])
    page.fill("input[name=email]", "throwaway@example.org")
    page.fill("input[name=password]", "throw-away-1")
    page.click("button[type=submit]")
    page.goto(f"{label_studio.url}/projects/")
    page.get_by_text("Newcomer — Summarization Evalua").first.click()
    rows = page.locator(".lsf-table__row-wrapper")
    rows.first.click()

    until_chosen(page, "4", lambda radio: radio.click(force=True))
    rating = page.locator('input[type=radio][name="4"]').first.bounding_box()
    assert rating is not None
    assert 0 <= rating["y"] < 900, "the rating is in view below a source of any length"
    page.get_by_test_id("bottombar-submit-button").click()
    page.get_by_test_id("bottombar-update-button").wait_for()
    assert ratings(tmp_path, label_studio) == [("4", "")]

    rows.nth(1).click()
    page.get_by_text("summary 2 of 3").first.wait_for()
    until_chosen(page, "2", lambda radio: page.keyboard.press("2"))
    page.get_by_test_id("bottombar-submit-button").click()
    page.get_by_test_id("bottombar-update-button").wait_for()
    assert ratings(tmp_path, label_studio) == [("4", ""), ("2", "")]

    rows.first.click()
    page.get_by_text("summary 1 of 3").first.wait_for()
    until_chosen(page, "3", lambda radio: page.keyboard.press("3"))
    box = page.get_by_test_id("textarea-input")
    box.fill("3.5, the dose is missing")
    box.press("Shift+Enter")
    page.get_by_test_id("bottombar-update-button").click()
    again = ("3", "3.5, the dose is missing")
    for _ in range(100):  # what the page says of it is gone in a moment
        if again in (found := ratings(tmp_path, label_studio)):
            break
        page.wait_for_timeout(200)
    assert found[0] == ("4", "")
    assert again in found
    assert outside == [], "nothing is asked of any other machine"
    context.close()
