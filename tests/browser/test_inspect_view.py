"""inspect_ai's own viewer shows an exported run."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest

from factmark.answers.core.records import Results, ToolUse, Trace
from factmark.interop.inspect_write import write_inspect_logs
from sample_results import sample_results

pytestmark = pytest.mark.browser


@contextmanager
def viewer(folder: Path) -> Iterator[str]:
    """The viewer in a process of its own; gives its address once it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/"
    command = [sys.executable, "-m", "inspect_ai", "view", "start", "--log-dir", str(folder)]
    process = subprocess.Popen(
        [*command, "--host", "127.0.0.1", "--port", str(port)], stdout=subprocess.DEVNULL
    )
    try:
        end = time.monotonic() + 120
        while not _answers(url):
            assert process.poll() is None, "the viewer did not start"
            assert time.monotonic() < end, "the viewer does not answer"
            time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url, timeout=1).close()
    except (URLError, OSError):
        return False
    return True


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
    with viewer(tmp_path) as url:
        page = browser.new_page()
        broken: list[str] = []
        page.on("pageerror", lambda error: broken.append(str(error)))
        page.goto(url)
        page.get_by_text(re.compile("data space/mcp")).first.click()
        page.get_by_text("hallucination_rate").first.wait_for()
        page.get_by_text("How many datasets does the catalogue hold?").first.click()
        page.get_by_text("twelve of them").first.wait_for()
        page.get_by_text("run_sparql").first.wait_for()
        page.get_by_role("tab", name="Scoring").first.click()
        page.get_by_text("Matched facts:").first.wait_for()
        assert broken == []
        page.close()
