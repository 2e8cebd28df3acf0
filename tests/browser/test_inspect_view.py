"""inspect_ai's own viewer shows an exported run."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmark.answers.core.records import ToolUse, Trace
from factmark.answers.results import Results
from factmark.interop.inspect_write import write_inspect_logs
from mcp_setup import free_port, listening
from sample_results import sample_results

pytestmark = pytest.mark.browser


def with_tools() -> Results:
    results = sample_results()
    use = ToolUse(round=1, name="run_sparql", arguments='{"limit": 7}', result="twelve of them")
    trace = Trace(rounds=2, tools=(use,), input_tokens=900, output_tokens=33)
    scored = tuple(
        replace(one, answer=replace(one.answer, trace=trace))
        for one in results.answers
        if one.answer.condition == "mcp"
    )
    return replace(results, answers=scored)


def test_the_viewer_shows_the_run_its_calls_and_its_facts(browser: Any, tmp_path: Path) -> None:
    write_inspect_logs(with_tools(), tmp_path)
    port = free_port()
    viewer = ["-m", "inspect_ai", "view", "start", "--log-dir", str(tmp_path), "--port", str(port)]
    with listening(viewer, port):
        page = browser.new_page()
        broken: list[str] = []
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.goto(f"http://127.0.0.1:{port}/")
        page.get_by_text(re.compile("data space/mcp")).first.click()
        page.get_by_text("hallucination_rate").first.wait_for()
        page.get_by_text("How many datasets does the catalogue hold?").first.click()
        page.get_by_text("twelve of them").first.wait_for()
        page.get_by_text("run_sparql").first.wait_for()
        page.get_by_role("tab", name="Scoring").first.click()
        page.get_by_text("Matched facts:").first.wait_for()
        assert broken == []
        page.close()
