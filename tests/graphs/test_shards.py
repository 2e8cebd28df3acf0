"""`--shard I/N`: parts of a study judged apart and merged come to what one process comes to."""

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
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from factmark.graphs.core.shared_calls import sharing
from servers.model_server import Running
from shell import Done, run

FUNCTION = """
def judge(unit):
    named = unit["tail"] in unit["evidence"]
    return ("SUPPORTED", "named") if named else ("NOT_SUPPORTED", "not named")
"""
RELATIONS = ("treats", "causes", "prevents")
N = 4


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Triples of 30 passages, four of each; every seventh row stands twice, one of them in other
    capitals."""
    with (tmp_path / "t.csv").open("w", newline="") as triples:
        write = csv.writer(triples).writerow
        write(["id", "head", "relation", "tail", "passage_id"])
        for n in range(120):
            row = [f"Drug {n // 3}", RELATIONS[n % 3], f"illness {n}", f"p{n // 4}"]
            write([f"r{n}", *row])
            if n % 7 == 0:
                write([f"again {n}", row[0].upper(), *row[1:]])
    with (tmp_path / "p.jsonl").open("w") as passages:
        for p in range(30):
            said = [f"Drug {n // 3} treats illness {n}." for n in range(4 * p, 4 * p + 3)]
            passages.write(json.dumps({"id": f"p{p}", "text": " ".join(said)}) + "\n")
    (tmp_path / "named.py").write_text(FUNCTION)
    return tmp_path


def judged(folder: Path, *more: object, measure: str = "factscore") -> Done:
    """The command on the graph."""
    passages = ("--passages", "p.jsonl") if measure == "factscore" else ()
    return run("graph", measure, "t.csv", *passages, *more, cwd=folder)


def results(folder: Path, ledger: str, *more: object, **measure: str) -> dict[str, Any]:
    """What the command prints as JSON, but how long it took."""
    done = judged(folder, *more, "--ledger", ledger, "--json", **measure)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    del found["spent"]
    return found


def exported(folder: Path, ledger: str) -> list[list[str]]:
    """What `ledger export` writes of each verdict but its time, in any order."""
    assert run("ledger", "export", ledger, f"{ledger}.csv", cwd=folder).returncode == 0
    with (folder / f"{ledger}.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert rows
    return sorted([*row[:13], *row[14:]] for row in rows) if header[13] == "time" else []


def in_parts(folder: Path, *more: object, order: str = "3142", **measure: str) -> None:
    """Has four parts judged, and merged in an order into all.db."""
    for part in range(1, N + 1):
        shard = ("--shard", f"{part}/{N}", "--ledger", f"part{part}.db")
        assert judged(folder, *more, *shard, **measure).returncode == 0
    parts = [f"part{part}.db" for part in order]
    done = run("ledger", "merge", *parts, "--out", "all.db", cwd=folder)
    assert done.returncode == 0, done.stderr


SAMPLE = ("--limit", "37", "--seed", "3")


@pytest.mark.parametrize(
    ("measure", "judge"),
    [
        ("factscore", ()),
        ("factscore", ("--judge", "named:judge")),
        ("factscore", SAMPLE),
        ("validity", ()),
        ("validity", (*SAMPLE, "--sample", "twcs")),
    ],
)
def test_parts_come_to_what_one_process_comes_to(
    graph: Path, measure: str, judge: tuple[str, ...]
) -> None:
    one = results(graph, "one.db", *judge, measure=measure)
    in_parts(graph, *judge, measure=measure)
    assert results(graph, "all.db", *judge, measure=measure) == one
    assert exported(graph, "all.db") == exported(graph, "one.db")


@pytest.mark.parametrize("batch", [1, 10])
@pytest.mark.parametrize("limit", [(), ("--limit", "50", "--sample", "relation")])
def test_a_model_is_asked_no_more_in_parts(
    graph: Path, server: Running, batch: int, limit: tuple[str, ...]
) -> None:
    asked = ("--judge", "openai:m", "--base-url", server.base_url, "--batch", batch, *limit)
    one = results(graph, "one.db", *asked)
    alone = server.stats()["requests"]
    server.reset()
    in_parts(graph, *asked)
    assert server.stats()["requests"] == alone
    assert results(graph, "all.db", *asked) == one
    assert server.stats()["requests"] == alone  # the whole run asked nothing
    assert exported(graph, "all.db") == exported(graph, "one.db")


@pytest.mark.parametrize("judge", ["rules", "named:judge", "openai:m"])
def test_parts_are_the_same_ledger_in_whatever_order_they_are_merged(
    graph: Path, server: Running, judge: str
) -> None:
    """All 24 orders, with batches, a sample and rows that stand twice."""
    asked: tuple[object, ...] = ("--judge", judge, "--limit", "50")
    if judge == "openai:m":
        asked += ("--base-url", server.base_url, "--batch", 10)
    figures = results(graph, "one.db", *asked)
    one = exported(graph, "one.db")
    alone = server.stats()["requests"]
    server.reset()
    in_parts(graph, *asked)
    for order in permutations(range(1, N + 1)):
        (graph / "all.db").unlink()
        parts = [f"part{part}.db" for part in order]
        assert run("ledger", "merge", *parts, "--out", "all.db", cwd=graph).returncode == 0
        assert exported(graph, "all.db") == one
        assert results(graph, "all.db", *asked) == figures
    assert server.stats()["requests"] == alone


def test_a_part_says_counts_and_writes_no_results(graph: Path) -> None:
    done = judged(graph, "--shard", "2/4", "--ledger", "part.db", "--json")
    told = json.loads(done.stdout)
    assert told["averages"] == {}
    assert told["details"]["part"] == "2/4"
    with closing(sqlite3.connect(graph / "part.db")) as db:
        (kept,) = db.execute("SELECT count(*) FROM verdicts").fetchone()
    assert told["details"]["units"] == kept < 120


def test_a_part_that_was_killed_goes_on_and_pays_at_most_the_calls_in_flight(
    graph: Path, server: Running
) -> None:
    server.set(latency=0.05)
    at_once = 4
    command = [
        *(sys.executable, "-m", "factmark", "graph", "factscore", "t.csv"),
        *("--passages", "p.jsonl", "--judge", "openai:m", "--base-url", server.base_url),
        *("--shard", "1/2", "--ledger", "part1.db", "--concurrency", str(at_once)),
    ]
    environment = {**os.environ, "OPENAI_API_KEY": "sk-none"}
    kills = 5
    for kill in range(kills):
        running = subprocess.Popen(command, cwd=graph, env=environment)
        wanted = 8 * (kill + 1)
        while running.poll() is None and server.stats()["requests"] < wanted:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
        running.wait()
    server_asked = server.stats()["requests"]
    assert server_asked >= 8 * kills  # it was killed in the middle, each time
    assert subprocess.run(command, cwd=graph, env=environment, check=False).returncode == 0
    with closing(sqlite3.connect(graph / "part1.db")) as db:
        (units,) = db.execute("SELECT count(*) FROM units").fetchone()
    assert server.stats()["requests"] <= units + kills * at_once


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--shard", "5/4", "--ledger", "p.db"), "write I/N"),
        (("--shard", "0/4", "--ledger", "p.db"), "write I/N"),
        (("--shard", "half", "--ledger", "p.db"), "write I/N"),
        (("--shard", "1/4"), "name the ledger"),
    ],
)
def test_a_part_that_is_none_is_bad_input(graph: Path, more: tuple[str, ...], words: str) -> None:
    done = judged(graph, *more)
    assert done.returncode == 2
    assert words in done.stderr


def test_triples_of_many_passages_share_calls(graph: Path, server: Running) -> None:
    """Twenty triples of twenty passages, ten in a call: two calls in place of twenty."""
    with (graph / "t.csv").open() as given:
        header, *rows = csv.reader(given)
    one_each = {row[4]: row for row in rows}
    with (graph / "t.csv").open("w", newline="") as written:
        csv.writer(written).writerows([header, *list(one_each.values())[:20]])
    asked = ("--judge", "openai:m", "--base-url", server.base_url)
    alone = results(graph, "one.db", *asked)
    assert server.stats()["requests"] == 20
    server.reset()
    together = results(graph, "ten.db", *asked, "--batch", 10)
    assert server.stats()["requests"] == 2
    assert together["averages"] == alone["averages"]


def test_a_call_holds_no_more_of_passages_than_a_model_reads() -> None:
    long = {f"{n}{'x' * 9_999}": 1 for n in range(3)}  # 10,000 characters each, at most 24,000
    first, second, third = long
    assert sharing(long, 10) == {first: first, second: first, third: third}
    huge = "y" * 60_000
    assert sharing({first: 1, huge: 25, second: 1}, 10) == {
        first: first,
        huge: huge,
        second: second,
    }
