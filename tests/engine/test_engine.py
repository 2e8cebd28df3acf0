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
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from campaigns import campaign_in, summaries
from factmark.errors import InputError
from factmark.graphs.study import factscore
from factmark.ledger.ledger import Ledger
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


def judged(
    folder: Path,
    *more: object,
    by: tuple[str, ...] = ("graph", "factscore", "t.csv"),
    **variables: str,
) -> subprocess.CompletedProcess[str]:
    """The command, ended; workers are started as its own processes."""
    environment = {**os.environ, "OPENAI_API_KEY": "sk-none", **variables}
    names = map(str, (*by, "--json", *more))
    return subprocess.run(
        [sys.executable, "-m", "factmark", *names],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
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


@pytest.mark.parametrize("times", [1, 5])
def test_a_worker_killed_in_the_middle_goes_on_and_figures_are_the_same(
    graph: Path, times: int
) -> None:
    with model_server(latency=0.4) as server:
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
        for time_ in range(times):
            worker = _asking_worker(running.pid, server, 4 + 4 * time_)
            worker.send_signal(signal.SIGKILL)
        out, _ = running.communicate(timeout=240)
        assert running.returncode == 0
        assert figures(out) == one
        assert server.stats()["requests"] <= alone + 2 * times  # that worker's calls in flight


def kill_while_asking(
    graph: Path, server: Running, options: tuple[str, ...], asked: int = 6
) -> None:
    """Kills a command whose two workers ask, once so many questions were asked."""
    running = subprocess.Popen(
        command(*options, "--concurrency", "2", "--engine", "local:2"),
        cwd=graph,
        env={**os.environ, "OPENAI_API_KEY": "sk-none"},
        stdout=subprocess.DEVNULL,
    )
    _asking_worker(running.pid, server, asked)
    running.kill()
    running.wait()


def _asking_worker(parent: int, server: Running, asked: int = 6) -> psutil.Process:
    """A process that is asking, once so many questions were asked."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if server.stats()["requests"] >= asked:
            for child in psutil.Process(parent).children(recursive=True):
                with suppress(psutil.Error):
                    links = child.net_connections("tcp")
                    if any(link.status == psutil.CONN_ESTABLISHED for link in links):
                        return child
        time.sleep(0.02)
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


def test_without_a_ledger_parts_of_rules_are_judged_in_a_temporary_place(graph: Path) -> None:
    one = judged(graph)
    two = judged(graph, "--engine", "local:2")
    assert two.returncode == one.returncode, two.stderr
    assert figures(two.stdout) == figures(one.stdout)
    assert not list(graph.glob("*.db*"))


def test_parts_that_lie_there_are_taken_in_whatever_their_study_was(graph: Path) -> None:
    """They belong to the ledger; one that was begun and holds nothing stops nobody."""
    (graph / "two.db.parts").mkdir()
    first = ("--ledger", "two.db.parts/1-of-8.db", "--limit", "7", "--shard", "1/1")
    assert judged(graph, *first).returncode == 0
    (graph / "two.db.parts" / "2-of-8.db").write_bytes(b"")
    done = judged(graph, "--ledger", "two.db", "--engine", "local:2")
    assert done.returncode == 0, done.stderr
    assert not (graph / "two.db.parts" / "1-of-8.db").exists()
    with Ledger(graph / "two.db") as ledger:
        (verdicts,) = ledger.rows("SELECT count(*) FROM verdicts").fetchone()
    assert verdicts == 40
    assert json.loads(done.stdout)["spent"]["judging"]["judged_before"] == 40


def test_parts_that_were_more_or_fewer_are_taken_up(graph: Path) -> None:
    """Whoever goes on with other workers pays nothing twice."""
    with model_server(latency=0.05) as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url, "--ledger", "two.db")
        kill_while_asking(graph, server, asked)
        _wait_for_end(graph / "two.db.parts")
        done = judged(graph, *asked, "--concurrency", "2", "--engine", "local:3")
        assert done.returncode == 0, done.stderr
        assert server.stats()["requests"] <= 40 + 2  # those in flight
    assert calls_in(graph / "two.db")[0] >= 40
    assert not (graph / "two.db.parts").exists()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Claims of which every fifth stands twice, responses, and answers to three questions."""
    with (tmp_path / "claims.csv").open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["id", "claim", "passage"])
        for n in range(30):
            row = [f"Town {n} has {n} bridges.", f"A passage about towns {n // 4}."]
            write([n, *row])
            if n % 5 == 0:
                write([f"again {n}", *row])
    with (tmp_path / "responses.csv").open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["id", "response", "passage"])
        for n in range(12):
            write([n, f"Town {n} has bridges and it has {n} ships.", f"About towns {n}."])
    questions = []
    answers = []
    for n in range(24):
        if n < 3:
            question = {
                "query_id": f"q{n}",
                "question": f"Town {n}?",
                "ground_truth": [f"Town {n}"],
            }
            questions.append(question)
        answers.append(
            {"query_id": f"q{n % 3}", "answer": f"It is Town {n}.", "model": f"m{n % 2}"}
        )
    for name, rows in (("questions", questions), ("answers", answers)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    (tmp_path / "mine.py").write_text(
        "def judge(unit):\n    return 'SUPPORTED' if '1' in unit['claim'] else 'NOT_SUPPORTED'\n"
    )
    return tmp_path


CLAIMS = ("claims", "judge", "claims.csv")
SCORE = ("score", "answers.jsonl", "--benchmark", "questions.jsonl")


@pytest.mark.parametrize(
    "by",
    [
        CLAIMS,
        (*CLAIMS, "--batch", "10", "--limit", "25"),
        ("claims", "judge", "responses.csv", "--split", "openai:m"),
        SCORE,
    ],
    ids=["claims", "sample in batches", "responses", "answers"],
)
def test_a_model_in_two_processes_is_asked_no_more(texts: Path, by: tuple[str, ...]) -> None:
    with model_server() as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url)
        one = judged(texts, *asked, "--ledger", "one.db", by=by)
        alone = server.stats()["requests"]
        server.reset()
        two = judged(texts, *asked, "--ledger", "two.db", "--engine", "local:2", by=by)
        assert two.returncode == one.returncode == 0, two.stderr
        assert figures(two.stdout) == figures(one.stdout)
        assert server.stats()["requests"] == alone > 0
        assert calls_in(texts / "two.db")[0] == alone


@pytest.mark.parametrize("judge", ["rules", "mine:judge"])
def test_claims_by_rules_and_functions_come_to_the_same(texts: Path, judge: str) -> None:
    by = (*CLAIMS, "--judge", judge)
    one = judged(texts, "--ledger", "one.db", by=by)
    two = judged(texts, "--ledger", "two.db", "--engine", "local:2", by=by)
    assert two.returncode == one.returncode == 0, two.stderr
    assert figures(two.stdout) == figures(one.stdout)


def test_a_campaign_is_judged_side_by_side(tmp_path: Path) -> None:
    for name in ("one.db", "two.db"):
        with Ledger(tmp_path / name) as ledger:
            campaign_in(ledger, summaries(6))
    with model_server() as server:
        asked = ("--model", "openai:m", "--base-url", server.base_url)
        one = judged(tmp_path, *asked, by=("annotate", "judge", "one.db"))
        alone = server.stats()["requests"]
        server.reset()
        by = ("annotate", "judge", "two.db")
        two = judged(tmp_path, *asked, "--engine", "local:2", by=by)
        assert two.returncode == one.returncode == 0, two.stderr
        parts = [json.loads(done.stdout) for done in (one, two)]
        assert [part["rows"] for part in parts] == [parts[0]["rows"]] * 2
        assert [part["averages"] for part in parts] == [parts[0]["averages"]] * 2
        assert server.stats()["requests"] == alone > 0


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ((*CLAIMS, "--ledger", "l.db", "--shard", "1/2"), "--shard"),
        ((*CLAIMS, "--ledger", "l.db", "--judge", "verdict:other"), "verdicts of a column"),
        ((*SCORE, "--ledger", "l.db"), "rules and functions judge all answers at once"),
        ((*SCORE, "--judge", "openai:m", "--base-url", "http://127.0.0.1:1/v1"), "name the ledger"),
        ((*CLAIMS, "--ledger", "l.db", "--judge", "vllm:m"), "no program 'vllm'"),
    ],
)
def test_what_cannot_be_judged_side_by_side_is_bad_input(
    texts: Path, by: tuple[str, ...], words: str
) -> None:
    done = judged(texts, "--engine", "local:2", by=by)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr


def test_a_function_of_this_process_alone_is_bad_input(graph: Path) -> None:
    with pytest.raises(InputError, match="of this process alone"):
        factscore(
            graph / "t.csv",
            judge=lambda unit: "SUPPORTED",
            engine="local:2",
            ledger=graph / "two.db",
        )


def test_a_part_by_a_newer_factmark_stops_before_anything_is_asked(graph: Path) -> None:
    with model_server(latency=0.05) as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url, "--ledger", "two.db")
        kill_while_asking(graph, server, asked, 4)
        parts = sorted((graph / "two.db.parts").glob("*.db"))
        _wait_for_end(parts[0].parent)
        with closing(sqlite3.connect(parts[0])) as db:
            db.execute("PRAGMA user_version = 9999")
        before = server.stats()["requests"]
        done = judged(graph, *asked, "--concurrency", "2", "--engine", "local:2")
        assert done.returncode == 2
        assert "newer factmark" in done.stderr
        assert server.stats()["requests"] == before


def _wait_for_end(folder: Path) -> None:
    """Waits until the workers of a command that was killed have ended."""
    deadline = time.monotonic() + 60
    size = -1
    while time.monotonic() < deadline:
        now = sum(path.stat().st_size for path in folder.glob("*.db*"))
        if now == size:
            return
        size = now
        time.sleep(2.0)


STAND_IN = """#!{python}
import json, os, sys, time
sys.path[:0] = {paths!r}
from pathlib import Path
from servers.model_server import model_server
from aiohttp import web

model, port = sys.argv[2], int(sys.argv[-1])
Path({log!r}).open("a").write(f"{{model}} {{os.getpid()}}\\n")
with model_server() as server:
    async def passed_on(request):
        import aiohttp

        if request.path == "/health":
            return web.Response()
        async with aiohttp.ClientSession() as session:
            url = server.base_url.removesuffix("/v1") + request.path
            given = await request.json()
            async with session.post(url, json=given) as answer:
                return web.json_response(await answer.json(), status=answer.status)

    app = web.Application()
    app.router.add_route("*", "/{{tail:.*}}", passed_on)
    web.run_app(app, host="127.0.0.1", port=port, print=None)
"""


@pytest.fixture
def vllm(tmp_path: Path) -> dict[str, str]:
    """The environment in which a program `vllm` stands in for vLLM: it serves and writes down each
    start."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "vllm"
    paths = [str(Path(__file__).parents[1])]
    log = str(tmp_path / "starts")
    program.write_text(STAND_IN.format(python=sys.executable, paths=paths, log=log))
    program.chmod(0o755)
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def test_each_worker_keeps_one_server_over_its_parts(graph: Path, vllm: dict[str, str]) -> None:
    done = judged(graph, "--judge", "vllm:m", "--ledger", "two.db", "--engine", "local:2", **vllm)
    assert done.returncode == 0, done.stderr
    assert calls_in(graph / "two.db")[0] == 40
    starts = (graph / "starts").read_text().splitlines()
    assert 1 <= len(starts) <= 2  # eight parts; the second worker may come too late
    with model_server() as server:
        asked = ("--judge", "vllm:m", "--base-url", server.base_url, "--ledger", "one.db")
        one = figures(judged(graph, *asked).stdout)
    assert figures(done.stdout)["averages"] == one["averages"]
    deadline = time.monotonic() + 20
    running = {int(line.split()[1]) for line in starts}
    while running & set(psutil.pids()) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not running & set(psutil.pids())


def test_a_server_that_does_not_start_is_bad_input(graph: Path, vllm: dict[str, str]) -> None:
    Path(vllm["PATH"].split(os.pathsep)[0], "vllm").write_text(
        "#!/bin/sh\necho no such model >&2\nexit 3\n"
    )
    done = judged(graph, "--judge", "vllm:m", "--ledger", "two.db", "--engine", "local:2", **vllm)
    assert done.returncode == 2
    assert "no such model" in done.stderr


def test_nothing_of_it_is_loaded_without_it() -> None:
    code = "import sys, factmark.graphs.study; sys.exit('factmark.engine' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
