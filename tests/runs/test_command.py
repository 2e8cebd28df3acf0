"""`factmark run` as a user runs it, on the replica, against a model server that uses tools."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from factmark.ehds.write import build_store
from servers.agent import agent
from servers.embedding_server import embedding_server
from servers.model_server import Running

CONDITIONS = "baseline,rag,mcp,context"
KEY = "sk-test-0123456789"
QUICK = ["--question", "D2,D6,P1", "--condition", "baseline,mcp"]
TIMES = ("latency_seconds", "seconds")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("run") / "ehds"
    build_store(path, scale=0.002)
    return path


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with agent() as server:
        yield server


@pytest.fixture
def server(running: Running) -> Running:
    running.set(latency=0.0, key="", tricks=(), rejects="")
    return running


def command(server: Running, store: Path, *more: str, study: str = "ehds") -> list[str]:
    return [
        sys.executable, "-c", "from factmark.cli.main import main; main()", "run", study,
        "--model", "openai:agent", "--base-url", server.base_url, "--store", str(store), *more,
    ]  # fmt: skip


def run(
    server: Running, store: Path, folder: Path, *more: str, study: str = "ehds", **env: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(server, store, *more, study=study), capture_output=True, text=True, cwd=folder,
        timeout=300, env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **env},
    )  # fmt: skip


def untimed(value: Any) -> Any:
    """A result without what differs between two runs: how long things took."""
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if k not in TIMES and "latency" not in k}
    return [untimed(one) for one in value] if isinstance(value, list) else value


def answers(folder: Path) -> list[dict[str, Any]]:
    told = json.loads((folder / "results.json").read_text())["answers"]
    return [untimed(answer) for answer in told]


def test_all_conditions_on_the_replica_killed_and_resumed_equal_the_uninterrupted_run(
    server: Running, store: Path, tmp_path: Path
) -> None:
    whole = run(server, store, tmp_path, "--condition", CONDITIONS, "--out", "whole")
    assert whole.returncode == 0, whole.stderr
    asked = server.stats()["replies"]
    server.set(latency=0.02)
    kept = 0
    for moment in (20, 90, 180):
        kept = _killed_at(moment, kept, server, store, tmp_path)
    server.set(latency=0.0)
    resumed = run(server, store, tmp_path, "--condition", CONDITIONS, "--out", "again")
    assert resumed.returncode == 0, resumed.stderr
    assert answers(tmp_path / "again") == answers(tmp_path / "whole")
    assert server.stats()["replies"] < asked - 90  # what was kept is not asked again
    server.set()
    third = run(server, store, tmp_path, "--condition", CONDITIONS, "--out", "again", "--json")
    assert third.returncode == 0
    assert server.stats()["requests"] == 0
    told = json.loads(third.stdout)
    assert {row["condition"] for row in told["averages"]} == set(CONDITIONS.split(","))
    for name in ("report.html", "results.json", "averages.csv", "answers.parquet", "ledger.db"):
        assert (tmp_path / "again" / name).stat().st_size


def _killed_at(moment: int, before: int, server: Running, store: Path, folder: Path) -> int:
    """Kills a run after so many replies in all; gives how many there were."""
    more = ("--condition", CONDITIONS, "--out", "again", "--concurrency", "4")
    start = server.stats()["replies"]
    child = subprocess.Popen(
        command(server, store, *more), cwd=folder, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while before + server.stats()["replies"] - start < moment:
        assert time.monotonic() < deadline
        assert child.poll() is None
        time.sleep(0.005)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    return before + int(server.stats()["replies"]) - start


def test_each_answer_has_the_fields_of_the_original_harness(
    server: Running, store: Path, tmp_path: Path
) -> None:
    done = run(server, store, tmp_path, *QUICK, "--json")
    assert done.returncode == 0, done.stderr
    fields = {
        "query_id", "condition", "model", "answer", "tools_called", "completeness",
        "hallucination_rate", "combined_score", "latency_seconds",
    }  # fmt: skip
    rows = json.loads(done.stdout)["answers"]
    assert len(rows) == 6
    assert all(fields <= row.keys() for row in rows)
    by_tools = {row["query_id"]: row for row in rows if row["condition"] == "mcp"}
    assert by_tools["P1"]["completeness"] == 1.0  # the agent quotes the policy that a tool told
    assert by_tools["P1"]["tool_calls"]
    assert (tmp_path / "ehds-run" / "report.html").is_file()


def test_a_study_file_runs_as_the_options_would(
    server: Running, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text(
        'questions = ["D2", "P1"]\nconditions = ["baseline", "rag"]\nrepeats = 2\nout = "done"\n'
        'judges = ["rules"]\n[rag]\nk = 3\n'
        f'[[models]]\nmodel = "openai:agent"\nname = "one"\nbase_url = "{server.base_url}"\n'
        f'[[models]]\nmodel = "anthropic:agent"\nname = "two"\nbase_url = "{server.base_url}"\n'
        f'[data]\nstore = "{store}"\n'
    )
    done = subprocess.run(
        [sys.executable, "-c", "from factmark.cli.main import main; main()", "run", "study.toml"],
        capture_output=True, text=True, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = answers(tmp_path / "done")
    assert len(rows) == 2 * 2 * 2 * 2
    assert {row["model"] for row in rows} == {"one", "two"}
    assert all(len(row["chunks_retrieved"]) == 3 for row in rows if row["condition"] == "rag")


def test_a_dry_run_makes_nothing_but_the_index(
    server: Running, store: Path, tmp_path: Path
) -> None:
    done = run(server, store, tmp_path, *QUICK, "--dry-run", "--json")
    assert done.returncode == 0, done.stderr
    assert server.stats()["requests"] == 0
    rows = json.loads(done.stdout)
    assert [(row["condition"], row["answers"], row["calls"]) for row in rows] == [
        ("baseline", 3, 3),
        ("mcp", 3, 9),
    ]
    assert not (tmp_path / "ehds-run" / "ledger.db").exists()


def test_the_budget_is_that_of_all_models(server: Running, store: Path, tmp_path: Path) -> None:
    more = ["--model", "anthropic:agent", "--max-calls", "4"]
    done = run(server, store, tmp_path, "--question", "D2,D6,P1", *more)
    assert done.returncode == 1
    assert server.stats()["requests"] == 4
    assert "--max-calls 4 reached" in done.stderr
    assert "empty" not in done.stderr  # what was not asked is no empty answer
    again = run(server, store, tmp_path, "--question", "D2,D6,P1", *more[:2])
    assert again.returncode == 0, again.stderr
    assert server.stats()["requests"] == 6


def test_keys_appear_nowhere(server: Running, store: Path, tmp_path: Path) -> None:
    server.set(key=KEY)
    done = run(server, store, tmp_path, *QUICK, "--key-env", "RUN_KEY", RUN_KEY=KEY)
    assert done.returncode == 0, done.stderr
    assert KEY not in done.stdout + done.stderr
    for path in (tmp_path / "ehds-run").rglob("*"):
        if path.is_file():
            assert KEY.encode() not in path.read_bytes(), path.name


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--condition", "rags"], "'rags' is none of 'baseline'"),
        (["--question", ","], "questions: should name at least one"),
        (["--model", "openai:agent"], "'openai:agent'"),
        (["--out", "/dev/null"], "--out /dev/null: is a file"),
        (["--question", "D99"], "has no question 'D99'"),
        (["--key-env", "RUN_KEY_MISSING"], "RUN_KEY_MISSING is not set"),
        ([], "401"),
        (["--condition", "mcp", "--mcp", "no-such-command-here"], "no-such-command-here"),
        (["--condition", "mcp", "--mcp", "http://127.0.0.1:9/mcp"], "http://127.0.0.1:9/mcp"),
        (["--condition", "rag", "--embedder", "nonsense"], "there is no such embedder"),
        (["--condition", "context", "--context-tokens", "10"], "--context-tokens"),
        (["--extractor", "nowhere:nothing"], "nowhere:nothing"),
        (["--extractor", "openai:judge"], "OPENAI_API_KEY"),
    ],
)
def test_what_cannot_work_is_told_and_ends_with_2(
    server: Running, store: Path, tmp_path: Path, more: list[str], said: str
) -> None:
    server.set(key=KEY)
    done = run(server, store, tmp_path, *more, RUN_KEY=KEY, OPENAI_API_KEY="")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr


ZOO = """<urn:lion> a <http://www.w3.org/ns/dcat#Dataset> ;
    <http://purl.org/dc/terms/title> "Lion Records" ; <urn:legs> 4 ."""


def test_a_benchmark_of_ones_own_mixes_given_truths_and_queries(
    server: Running, tmp_path: Path
) -> None:
    (tmp_path / "zoo.ttl").write_text(ZOO)
    questions = [
        {"id": "Z1", "category": "a", "question": "Which records are there?",
         "ground_truth": ["Lion Records"], "expected_tools": ["ehds_list_datasets"]},
        {"id": "Z2", "category": "b", "question": "How many legs has a lion?",
         "sparql": "SELECT ?n { ?s <urn:legs> ?n }"},
        {"id": "Z3", "category": "b", "question": "What does a lion eat?",
         "sparql": "SELECT ?n { broken"},
    ]  # fmt: skip
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(one) + "\n" for one in questions))
    zoo = tmp_path / "zoo.ttl"
    server.set()
    done = run(server, zoo, tmp_path, "--condition", "baseline,rag", "--json", study="q.jsonl")
    assert done.returncode == 1  # Z3 has no ground truth
    told = json.loads(done.stdout)
    assert any("no ground truth for Z3" in problem for problem in told["problems"])
    assert {row["query_id"] for row in told["answers"]} == {"Z1", "Z2"}
    assert server.stats()["requests"] == 4  # Z3 is not asked: it could not be scored
    rag = [row for row in told["answers"] if row["condition"] == "rag" and row["query_id"] == "Z1"]
    assert rag[0]["completeness"] == 1.0
    assert told["signature"]["models"]["openai:agent"]["temperature"] == 0.0
    assert told["signature"]["conditions"]["rag"]["k"] == 5


def test_refusals_state_nothing_whatever_words_they_come_in(
    server: Running, store: Path, tmp_path: Path
) -> None:
    server.set(tricks=("refuse",))
    done = run(server, store, tmp_path, "--question", "D2,D6", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert any("refusals" in problem for problem in told["problems"])
    for row in told["answers"]:
        assert row["answer"]
        assert row["ended"] == "refused"
        assert (row["facts"], row["completeness"], row["hallucination_rate"]) == ([], 0.0, 0.0)


def test_a_judge_that_is_gone_costs_itself_only(
    server: Running, store: Path, tmp_path: Path
) -> None:
    (tmp_path / "study.toml").write_text(
        'questions = ["D6"]\njudges = [{ name = "openai:j", base_url = "http://127.0.0.1:9/v1" }]\n'
        f'[[models]]\nmodel = "openai:agent"\nbase_url = "{server.base_url}"\n'
        f'[data]\nstore = "{store}"\n'
    )
    done = subprocess.run(
        [sys.executable, "-c", "from factmark.cli.main import main; main()", "run", "study.toml"],
        capture_output=True, text=True, cwd=tmp_path, timeout=200,
    )  # fmt: skip
    assert done.returncode == 1
    assert "openai:j judged nothing" in done.stderr
    assert (tmp_path / "ehds-run" / "report.html").is_file()


def test_interrupted_it_says_that_it_can_go_on(
    server: Running, store: Path, tmp_path: Path
) -> None:
    server.set(latency=3)  # so long that a busy machine sends the signal before the end
    child = subprocess.Popen(
        command(server, store, "--concurrency", "2"), cwd=tmp_path, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while server.stats()["replies"] < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "the same command goes on" in said
    assert "Traceback" not in said
    told = subprocess.run(
        [sys.executable, "-c", "from factmark.cli.main import main; main()", "report", "ehds-run"],
        capture_output=True, text=True, cwd=tmp_path, timeout=60,
    )  # fmt: skip
    assert told.returncode == 2
    assert "replies of a run that did not end" in told.stderr


def test_passages_by_an_embedder_cost_nothing_in_a_dry_run_and_are_told_after(
    server: Running, store: Path, tmp_path: Path
) -> None:
    with embedding_server(dimensions=16) as vectors:
        (tmp_path / "study.toml").write_text(
            'questions = ["D6"]\nconditions = ["rag"]\nmodels = [{ model = "openai:agent", '
            f'base_url = "{server.base_url}" }}]\n[data]\nstore = "{store}"\n'
            f'[rag]\nembedder = "openai:e"\nbase_url = "{vectors.base_url}"\n'
        )
        start = [sys.executable, "-c", "from factmark.cli.main import main; main()"]
        told, done = (
            subprocess.run(
                [*start, "run", "study.toml", *more], capture_output=True, text=True, cwd=tmp_path,
                timeout=120,
            )
            for more in (["--dry-run"], [])
        )  # fmt: skip
        assert told.returncode == 0, told.stderr
        assert "looked up by words here, not by openai:e" in told.stderr
        assert done.returncode == 0, done.stderr
        assert "embedding: " in done.stderr
        assert vectors.state.requests


def test_a_foreign_tool_server_is_used_over_stdio(server: Running, tmp_path: Path) -> None:
    script = Path(__file__).parents[1] / "servers" / "foreign_mcp.py"
    question = {
        "id": "Q1", "category": "sums", "question": "Which number adds up from a 20 and b 22?",
        "ground_truth": ["42"], "expected_tools": ["add"],
    }  # fmt: skip
    (tmp_path / "sums.jsonl").write_text(json.dumps(question) + "\n")
    (tmp_path / "study.toml").write_text(
        'benchmark = "sums.jsonl"\nconditions = ["mcp"]\n'
        f'[mcp]\nserver = "{sys.executable} {script} stdio"\ntools = ["add"]\n'
        f'[[models]]\nmodel = "openai:agent"\nbase_url = "{server.base_url}"\n'
    )
    done = subprocess.run(
        [sys.executable, "-c", "from factmark.cli.main import main; main()", "run", "study.toml",
         "--json"],
        capture_output=True, text=True, cwd=tmp_path, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(done.stdout)["answers"]
    assert answer["tools_called"][0] == "add"
    assert answer["tool_calls"][0]["status"] == "ok"
    assert answer["tool_calls"][0]["result"].isdigit()
