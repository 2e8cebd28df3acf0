"""`factmark run` as a user runs it, on the replica, against a model server that uses tools."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import shell
from factmark.ledger.ledger import Ledger
from factmark.ledger.verdicts import judges_kept
from mcp_setup import FOREIGN
from servers.embedding_server import embedding_server
from servers.model_server import Running
from shell import Done

CONDITIONS = "baseline,rag,mcp,context"
KEY = "sk-test-0123456789"
FEW = ("--question", "D2,D6,P1", "--condition", "baseline,mcp")
TIMES = ("latency_seconds", "seconds")


ZOO = """<urn:lion> a <http://www.w3.org/ns/dcat#Dataset> ;
    <http://purl.org/dc/terms/title> "Lion Records" ; <urn:legs> 4 ."""
QUESTIONS = (
    {
        "id": "Z1",
        "category": "a",
        "question": "Which records are there?",
        "ground_truth": ["Lion Records"],
        "expected_tools": ["ehds_list_datasets"],
    },
    {
        "id": "Z2",
        "category": "b",
        "question": "How many legs has a lion?",
        "sparql": "SELECT ?n { ?s <urn:legs> ?n }",
    },
    {
        "id": "Z3",
        "category": "b",
        "question": "What does a lion eat?",
        "sparql": "SELECT ?n { broken",
    },
)


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    """A small store; the questions on it lie beside it, in q.jsonl."""
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in QUESTIONS))
    (tmp_path / "zoo.ttl").write_text(ZOO)
    return tmp_path / "zoo.ttl"


def command(server: Running, replica: Path, *more: str, study: str = "ehds") -> list[str]:
    model = ("--model", "openai:agent", "--base-url", server.base_url, "--store", str(replica))
    return ["run", study, *model, *more]


def run(
    server: Running, replica: Path, folder: Path, *more: str, study: str = "ehds", **env: str
) -> Done:
    return shell.run(*command(server, replica, *more, study=study), cwd=folder, **env)


def started(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    program = [sys.executable, "-c", "from factmark.cli.main import main; main()"]
    return subprocess.Popen([*program, *arguments], cwd=folder, stderr=subprocess.PIPE, text=True)


def wait_for_replies(server: Running, child: subprocess.Popen[str], number: int) -> None:
    deadline = time.monotonic() + 120
    while server.stats()["replies"] < number:
        assert time.monotonic() < deadline
        assert child.poll() is None
        time.sleep(0.005)


def untimed(value: Any) -> Any:
    """A result without what differs between two runs: how long things took."""
    if isinstance(value, dict):
        return {k: untimed(v) for k, v in value.items() if k not in TIMES and "latency" not in k}
    return [untimed(entry) for entry in value] if isinstance(value, list) else value


def answers(folder: Path) -> list[dict[str, Any]]:
    results = json.loads((folder / "results.json").read_text())
    return [untimed(answer) for answer in results["rows"]]


def test_killed_and_resumed_under_all_conditions_equals_the_uninterrupted_run(
    server: Running, zoo: Path, tmp_path: Path
) -> None:
    # No question for which the model writes a query of its own: those wait for a turn, in vain on
    # a busy machine, and the answer would tell of that.
    more = ("--question", "Z1,Z2", "--condition", CONDITIONS, "--concurrency", "2")
    whole = run(server, zoo, tmp_path, *more, "--out", "whole", study="q.jsonl")
    assert whole.returncode == 0, whole.stderr
    asked = server.stats()["replies"]
    server.set(latency=0.5)
    child = started(command(server, zoo, *more, "--out", "again", study="q.jsonl"), tmp_path)
    wait_for_replies(server, child, 4)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    server.set(latency=0.0)
    resumed = run(server, zoo, tmp_path, *more, "--out", "again", study="q.jsonl")
    assert resumed.returncode == 0, resumed.stderr
    assert answers(tmp_path / "again") == answers(tmp_path / "whole")
    assert 0 < server.stats()["replies"] <= asked - 2  # what was kept is not asked again
    server.set()
    third = run(server, zoo, tmp_path, *more, "--out", "again", "--json", study="q.jsonl")
    assert third.returncode == 0
    assert server.stats()["requests"] == 0
    scores = json.loads(third.stdout)["tables"]["scores"]
    assert {row["condition"] for row in scores} == set(CONDITIONS.split(","))
    for name in ("report.html", "results.json", "tables.md", "rows.parquet", "ledger.db"):
        assert (tmp_path / "again" / name).stat().st_size


def test_answers_have_the_fields_of_the_original_harness_and_keys_appear_nowhere(
    server: Running, replica: Path, tmp_path: Path
) -> None:
    server.set(key=KEY)
    done = run(server, replica, tmp_path, *FEW, "--json", "--key-env", "RUN_KEY", RUN_KEY=KEY)
    assert done.returncode == 0, done.stderr
    fields = {
        "query_id",
        "condition",
        "model",
        "answer",
        "tools_called",
        "completeness",
        "hallucination_rate",
        "combined_score",
        "latency_seconds",
    }
    rows = json.loads(done.stdout)["rows"]
    assert len(rows) == 6
    assert all(fields <= row.keys() for row in rows)
    by_tools = {row["query_id"]: row for row in rows if row["condition"] == "mcp"}
    assert by_tools["P1"]["completeness"] == 1.0  # the agent quotes the policy that a tool told
    assert by_tools["P1"]["tool_calls"]
    assert KEY not in done.stdout + done.stderr
    files = [path for path in (tmp_path / "ehds-run").rglob("*") if path.is_file()]
    assert not [path.name for path in files if KEY.encode() in path.read_bytes()]


def study_file(folder: Path, text: str) -> None:
    (folder / "study.toml").write_text(text)


def test_a_study_file_runs_as_the_options_would_and_a_judge_that_is_gone_costs_itself_only(
    server: Running, replica: Path, tmp_path: Path
) -> None:
    server.set(key=KEY)
    base = f'base_url = "{server.base_url}"'
    study_file(
        tmp_path,
        'questions = ["D2", "P1"]\nconditions = ["baseline", "rag"]\nrepeats = 2\nout = "done"\n'
        f'judges = ["rules", {{ name = "openai:j", {base}, key_env = "NO_KEY" }}]\n[rag]\nk = 3\n'
        f'[[models]]\nmodel = "openai:agent"\nname = "one"\n{base}\nkey_env = "RUN_KEY"\n'
        f'[[models]]\nmodel = "anthropic:agent"\nname = "two"\n{base}\nkey_env = "RUN_KEY"\n'
        f'[data]\nstore = "{replica}"\n',
    )
    done = shell.run("run", "study.toml", cwd=tmp_path, RUN_KEY=KEY, NO_KEY="sk-another-key")
    assert done.returncode == 3  # the same command goes on
    assert "openai:j judged nothing" in done.stderr
    rows = answers(tmp_path / "done")
    assert len(rows) == 2 * 2 * 2 * 2
    assert {row["model"] for row in rows} == {"one", "two"}
    assert all(len(row["chunks_retrieved"]) == 3 for row in rows if row["condition"] == "rag")
    assert (tmp_path / "done" / "report.html").is_file()


def test_the_report_rests_on_the_first_judge_and_the_ledger_has_all(
    server: Running, zoo: Path, tmp_path: Path
) -> None:
    (tmp_path / "first.py").write_text("def facts(question, truth, answer):\n    return []\n")
    more = ("--condition", "baseline", "--judge", "first:facts", "--judge", "rules", "--json")
    done = run(server, zoo, tmp_path, *more, study="q.jsonl")
    assert done.returncode == 1, done.stderr  # a question has no ground truth
    assert json.loads(done.stdout)["signature"]["judge"] == "first:facts"
    with Ledger(tmp_path / "q-run" / "ledger.db", read_only=True) as ledger:
        names = {judge.name for judge in judges_kept(ledger)}
    assert names >= {"first:facts", "factmark rules"}


def test_a_dry_run_makes_nothing(server: Running, zoo: Path, tmp_path: Path) -> None:
    more = ("--condition", "baseline,mcp", "--dry-run", "--json")
    done = run(server, zoo, tmp_path, *more, study="q.jsonl")
    assert done.returncode == 0, done.stderr
    assert server.stats()["requests"] == 0
    assert "no ground truth for Z3" in done.stderr  # it would not be asked
    rows = json.loads(done.stdout)["rows"]
    assert [(row["condition"], row["answers"], row["calls"], row["cost"]) for row in rows] == [
        ("baseline", 2, 2, 0.0),
        ("mcp", 2, 6, 0.0),
    ]
    assert not (tmp_path / "q-run" / "ledger.db").exists()


def test_a_question_whose_query_finds_nothing_is_told_of_once(
    server: Running, zoo: Path, tmp_path: Path
) -> None:
    hollow = QUESTIONS[1] | {"id": "E2", "sparql": "SELECT ?n { ?s <urn:wings> ?n }"}
    (tmp_path / "e.jsonl").write_text("".join(json.dumps(q) + "\n" for q in (QUESTIONS[0], hollow)))
    done = run(server, zoo, tmp_path, "--condition", "baseline", study="e.jsonl")
    assert done.returncode == 1
    assert server.stats()["requests"] == 1
    assert done.stderr.count("E2") == 1
    assert "note: no ground truth for E2" in done.stderr


def test_the_budget_is_that_of_all_models(server: Running, zoo: Path, tmp_path: Path) -> None:
    more = ["--question", "Z1,Z2", "--model", "anthropic:agent"]
    done = run(server, zoo, tmp_path, *more, "--max-calls", "3", study="q.jsonl")
    assert done.returncode == 3
    assert server.stats()["requests"] == 3
    assert "--max-calls 3 reached" in done.stderr
    assert "not answered yet" in done.stderr
    assert "failed. The same" not in done.stderr
    assert "empty" not in done.stderr  # what was not asked is no empty answer
    again = run(server, zoo, tmp_path, *more, study="q.jsonl")
    assert again.returncode == 0, again.stderr
    assert server.stats()["requests"] == 4


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--out", "/dev/null"], "/dev/null"),
        (["--question", "D99"], "'D99'"),
        (["--key-env", "RUN_KEY_MISSING"], "RUN_KEY_MISSING"),
        ([], "401"),
        (["--condition", "mcp", "--mcp", "no-such-command-here"], "no-such-command-here"),
        (["--condition", "rag", "--embedder", "nonsense"], "embedder"),
        (["--condition", "context", "--context-tokens", "10"], "--context-tokens"),
        (["--judge", "nowhere:nothing"], "nowhere:nothing"),
        (["--judge", "openai:judge"], "OPENAI_API_KEY"),
    ],
)
def test_what_cannot_work_is_told_and_ends_with_2(
    server: Running, zoo: Path, tmp_path: Path, more: list[str], said: str
) -> None:
    server.set(key=KEY)
    done = run(server, zoo, tmp_path, *more, study="q.jsonl", OPENAI_API_KEY="")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr


def test_a_benchmark_of_ones_own_mixes_given_truths_and_queries(
    server: Running, zoo: Path, tmp_path: Path
) -> None:
    server.set()
    more = ("--condition", "baseline,rag", "--json")
    done = run(server, zoo, tmp_path, *more, study="q.jsonl")
    assert done.returncode == 1  # Z3 has no ground truth
    results = json.loads(done.stdout)
    assert any("no ground truth for Z3" in problem for problem in results["problems"])
    assert server.stats()["requests"] == 4  # Z3 is not asked: it could not be scored
    rows = {(row["query_id"], row["condition"]): row for row in results["rows"]}
    assert {name for name, _ in rows} == {"Z1", "Z2"}
    assert rows["Z1", "rag"]["completeness"] == 1.0
    assert results["signature"]["models"]["openai:agent"]["temperature"] == "default"
    assert results["signature"]["conditions"]["rag"]["k"] == 5


def test_refusals_state_nothing_whatever_words_they_come_in(
    server: Running, replica: Path, tmp_path: Path
) -> None:
    server.set(trick="refuse")
    done = run(server, replica, tmp_path, "--question", "D2,D6", "--json")
    assert done.returncode == 0, done.stderr
    results = json.loads(done.stdout)
    assert any("refusals" in problem for problem in results["problems"])
    for row in results["rows"]:
        assert row["answer"]
        assert row["ended"] == "refused"
        assert (row["facts"], row["completeness"], row["hallucination_rate"]) == ([], 0.0, 0.0)


def test_interrupted_it_says_that_it_can_go_on(
    server: Running, replica: Path, tmp_path: Path
) -> None:
    server.set(latency=0.5)  # so long that a busy machine sends the signal before the end
    child = started(command(server, replica, "--concurrency", "2"), tmp_path)
    wait_for_replies(server, child, 4)  # two more than are on their way: the first two are kept
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "the same command goes on" in told
    assert "Traceback" not in told
    report = shell.run("report", "ehds-run", cwd=tmp_path)
    assert report.returncode == 2
    assert "replies of a run that did not end" in report.stderr


def test_passages_by_an_embedder_cost_nothing_in_a_dry_run_and_are_told_after(
    server: Running, zoo: Path, tmp_path: Path
) -> None:
    with embedding_server(dimensions=16) as vectors:
        study_file(
            tmp_path,
            'benchmark = "q.jsonl"\nquestions = ["Z1"]\nconditions = ["rag"]\n'
            f'models = [{{ model = "openai:agent", base_url = "{server.base_url}" }}]\n'
            f'[data]\nstore = "{zoo}"\n'
            f'[rag]\nembedder = "openai:e"\nbase_url = "{vectors.base_url}"\n',
        )
        planned = shell.run("run", "study.toml", "--dry-run", cwd=tmp_path)
        assert planned.returncode == 0, planned.stderr
        assert "looked up by words here, not by openai:e" in planned.stderr
        assert not vectors.state.requests
        done = shell.run("run", "study.toml", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "embedding: " in done.stderr
        assert vectors.state.requests


def test_a_foreign_tool_server_is_used_over_stdio(server: Running, tmp_path: Path) -> None:
    question = {
        "id": "Q1",
        "category": "sums",
        "question": "Which number adds up from a 20 and b 22?",
        "ground_truth": ["42"],
        "expected_tools": ["add"],
    }
    (tmp_path / "sums.jsonl").write_text(json.dumps(question) + "\n")
    command = shlex.join([sys.executable, str(FOREIGN), "stdio"])
    study_file(
        tmp_path,
        'benchmark = "sums.jsonl"\nconditions = ["mcp"]\n'
        f'[mcp]\nserver = {json.dumps(command)}\ntools = ["add"]\n'
        f'[[models]]\nmodel = "openai:agent"\nbase_url = "{server.base_url}"\n',
    )
    done = shell.run("run", "study.toml", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (answer,) = json.loads(done.stdout)["rows"]
    assert answer["tools_called"][0] == "add"
    assert answer["tool_calls"][0]["status"] == "ok"
    assert answer["tool_calls"][0]["result"].isdigit()
