"""`--engine`: parts judged side by side come to what one process comes to, within its bounds."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from servers.model_server import Running, model_server
from shell import run

PRICES = '[models."m"]\ninput = 10.0\noutput = 10.0\n'


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Forty triples of ten passages."""
    with (tmp_path / "t.csv").open("w", newline="") as triples:
        write = csv.writer(triples).writerow
        write(["head", "relation", "tail", "passage"])
        for n in range(40):
            write([f"Drug {n}", "treats", f"illness {n}", f"Passage {n // 4}: Drug {n} treats it."])
    return tmp_path


def command(*more: object) -> list[str]:
    """The command in a process of its own."""
    names = ("graph", "factscore", "t.csv", "--json", *more)
    return [sys.executable, "-m", "factmark", *map(str, names)]


def judged(folder: Path, *more: object) -> subprocess.CompletedProcess[str]:
    """The command, ended; workers are started as its own processes."""
    environment = {**os.environ, "OPENAI_API_KEY": "sk-none"}
    return subprocess.run(
        command(*more), cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def figures(text: str) -> dict[str, Any]:
    """What was printed, but what it took."""
    found: dict[str, Any] = json.loads(text)
    del found["spent"]
    return found


def calls_in(ledger: Path) -> tuple[int, float]:
    """How many calls a ledger keeps, and what they cost."""
    with closing(sqlite3.connect(ledger)) as db:
        count, cost = db.execute("SELECT count(*), total(cost) FROM calls").fetchone()
    return count, cost


def test_rules_in_two_processes_come_to_the_same(graph: Path) -> None:
    one = judged(graph, "--ledger", "one.db")
    two = judged(graph, "--ledger", "two.db", "--engine", "local:2")
    assert two.returncode == one.returncode, two.stderr
    assert figures(two.stdout) == figures(one.stdout)
    assert not (graph / "two.db.parts").exists()


def test_a_worker_killed_in_the_middle_goes_on_and_figures_are_the_same(graph: Path) -> None:
    with model_server(latency=0.1) as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url, "--concurrency", "4")
        one = figures(judged(graph, "--ledger", "one.db", *asked).stdout)
        alone = server.stats()["requests"]
        server.reset()
        more = ("--ledger", "two.db", "--engine", "local:2")
        running = subprocess.Popen(
            command(*asked, *more),
            cwd=graph,
            env={**os.environ, "OPENAI_API_KEY": "sk-none"},
            stdout=subprocess.PIPE,
            text=True,
        )
        worker = _asking_worker(running.pid, server)
        worker.send_signal(signal.SIGKILL)
        out, _ = running.communicate(timeout=120)
        assert running.returncode == 0
        assert figures(out) == one
        assert server.stats()["requests"] <= alone + 2  # that worker's calls in flight


def _asking_worker(parent: int, server: Running) -> psutil.Process:
    """A process that judges a part of which some is asked already."""
    deadline = time.monotonic() + 60
    while server.stats()["requests"] < 6 and time.monotonic() < deadline:
        time.sleep(0.02)
    for child in psutil.Process(parent).children(recursive=True):
        if any(link.status == psutil.CONN_ESTABLISHED for link in child.net_connections("tcp")):
            return child
    raise AssertionError("no process is asking")


@pytest.mark.parametrize("bound", [0.002, 0.005, 0.011])
def test_two_workers_pass_no_bound_on_cost(graph: Path, bound: float) -> None:
    (graph / "prices.toml").write_text(PRICES)
    with model_server(latency=0.01) as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url, "--prices", "prices.toml")
        judged(graph, "--ledger", "all.db", *asked, "--max-cost", "1000")
        count, cost = calls_in(graph / "all.db")
        done = judged(
            graph, "--ledger", "two.db", *asked, "--max-cost", bound, "--engine", "local:2"
        )
        assert done.returncode in (1, 3), done.stderr
        some, spent = calls_in(graph / "two.db")
        assert 0 < some < count
        dearest = 1.5 * cost / count
        assert spent <= bound + 2 * dearest


def test_two_workers_make_no_more_calls_than_allowed(graph: Path) -> None:
    with model_server() as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url, "--max-calls", "11")
        done = judged(graph, "--ledger", "two.db", *asked, "--engine", "local:2")
        assert done.returncode == 3, done.stderr
        assert server.stats()["requests"] == calls_in(graph / "two.db")[0] <= 11


def test_what_the_ledger_has_before_is_not_asked_again(graph: Path) -> None:
    with model_server() as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url, "--ledger", "two.db")
        judged(graph, *asked, "--max-calls", "15")
        done = judged(graph, *asked, "--engine", "local:2")
        assert done.returncode == 0, done.stderr
        assert server.stats()["requests"] == calls_in(graph / "two.db")[0] == 40
        again = judged(graph, *asked, "--engine", "local:2")
        assert figures(again.stdout) == figures(done.stdout)
        assert server.stats()["requests"] == 40


def parts_of_another_study(folder: Path) -> None:
    (folder / "two.db.parts").mkdir()
    (folder / "two.db.parts" / "1-of-8.db").write_bytes(b"")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--engine", "loca:2"), "write local:8"),
        (("--engine", "local:0"), "write local:8"),
        (("--engine", "local:2", "--shard", "1/2"), "--shard"),
        (("--engine", "local:2", "--reparse"), "--reparse"),
        (("--engine", "local:2", "--judge", "no_such_module:judge"), "no_such_module"),
    ],
)
def test_what_cannot_be_done_in_parts_is_bad_input(
    graph: Path, more: tuple[str, ...], words: str
) -> None:
    done = run("graph", "factscore", "t.csv", "--ledger", "two.db", *more, cwd=graph)
    assert done.returncode == 2
    assert words in done.stderr


def test_without_a_ledger_parts_have_no_place(graph: Path) -> None:
    done = run("graph", "factscore", "t.csv", "--engine", "local:2", cwd=graph)
    assert done.returncode == 2
    assert "name the ledger" in done.stderr


def test_parts_of_another_study_are_left_alone(graph: Path) -> None:
    parts_of_another_study(graph)
    done = run(
        "graph", "factscore", "t.csv", "--ledger", "two.db", "--engine", "local:2", cwd=graph
    )
    assert done.returncode == 2
    assert "another study" in done.stderr
    assert (graph / "two.db.parts" / "1-of-8.db").exists()


def test_nothing_of_it_is_loaded_without_it() -> None:
    code = "import sys, factmark.graphs.study; sys.exit('factmark.engine' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
