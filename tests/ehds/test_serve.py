"""`factmark serve sparql` as a process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from servers.stores import write_store

RUN = "import sys; from factmark.ehds.command import serve_app; serve_app()"


def start(*arguments: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, "sparql", *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serves_until_stopped(tmp_path: Path, number: signal.Signals) -> None:
    with start(str(write_store(tmp_path / "demo")), "--port", "0") as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Serving demo at http://127.0.0.1:")
        url = line.split()[3]
        with urllib.request.urlopen(f"{url}?query=ASK%7B?s%20?p%20?o%7D", timeout=20) as reply:
            assert json.load(reply) == {"head": {}, "boolean": True}
        process.send_signal(number)
        assert process.wait(timeout=20) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""


def test_a_store_that_is_none(tmp_path: Path) -> None:
    with start(str(tmp_path / "nowhere"), "--port", "0") as process:
        _, errors = process.communicate(timeout=20)
    assert process.returncode != 0
    assert "there is no store at" in errors
