"""`factmark score --extractor openai:MODEL` as a user runs it, against a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.model_server import Running, Settings, model_server

KEY = "sk-test-0123456789"
TRUTH = [
    {"query_id": f"Q{n}", "category": "one", "question": f"Which is {n}?",
     "ground_truth": [f"Name{n}"]}
    for n in range(6)
]  # fmt: skip
ANSWERS = [
    {"query_id": f"Q{n}", "condition": "rag", "answer": f"Name{n} and Other{n}."} for n in range(6)
]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with model_server() as server:
        yield server


@pytest.fixture
def server(running: Running) -> Running:
    running.set(**{name: getattr(Settings(), name) for name in Settings.__slots__})
    return running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, rows in (("truth.jsonl", TRUTH), ("answers.jsonl", ANSWERS)):
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def score(
    folder: Path, server: Running, *more: str, model: str = "openai:finder", **env: str
) -> subprocess.CompletedProcess[str]:
    given = ["answers.jsonl", "--benchmark", "truth.jsonl", "--extractor", model]
    return subprocess.run(
        [sys.executable, "-c", "from factmark.cli.main import main; main()", "score", *given,
         "--base-url", server.base_url, *more],
        capture_output=True, text=True, cwd=folder, timeout=120,
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", **env},
    )  # fmt: skip


@pytest.mark.parametrize("model", ["openai:finder", "anthropic:finder", "ollama:finder"])
def test_scored_kept_and_not_paid_twice(folder: Path, server: Running, model: str) -> None:
    server.set(key=KEY)
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    if model.startswith("ollama"):
        server.set(key="")
    first = score(folder, server, "--out", "out", "--json", model=model, **keys)
    assert first.returncode == 0, first.stderr
    assert "6 calls, 0 replies from the ledger; 600 tokens in, 60 out; cost 0" in first.stderr
    results = json.loads(first.stdout)
    assert [row["completeness"] for row in results["answers"]] == [1.0] * 6
    assert [row["hallucination_rate"] for row in results["answers"]] == [0.5] * 6
    asked = server.stats()["requests"]
    again = score(folder, server, "--out", "out", "--json", model=model, **keys)
    assert again.stdout == first.stdout
    assert "0 calls, 6 replies from the ledger" in again.stderr
    assert server.stats()["requests"] == asked
    written = b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())
    shown = first.stdout + first.stderr + again.stderr
    assert KEY.encode() not in written + shown.encode()


def test_missing_and_dropped_are_told(folder: Path, server: Running) -> None:
    server.set(refused=0.3, malformed=0.4, invented=0.9)
    done = score(folder, server, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "without a score, counted as missing" in done.stderr
    assert "quotes of openai:finder are not in the answer" in done.stderr
    results = json.loads((folder / "out" / "results.json").read_text("utf-8"))
    assert len(results["unscored"]) + len(results["answers"]) == 6
    overall = results["averages"][-1]
    assert overall["n_missing"] == len(results["unscored"]) > 0
    page = (folder / "out" / "report.html").read_text("utf-8")
    assert "counted as missing" in page


def test_without_a_ledger_nothing_is_kept_and_that_is_said(folder: Path, server: Running) -> None:
    before = set(folder.rglob("*"))
    done = score(folder, server)
    assert done.returncode == 0, done.stderr
    assert "neither --out nor --ledger" in done.stderr
    assert set(folder.rglob("*")) == before
    score(folder, server)
    assert server.stats()["requests"] == 12


def test_dry_run_asks_nothing(folder: Path, server: Running) -> None:
    before = set(folder.rglob("*"))
    done = score(folder, server, "--dry-run", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "6 calls, 0 known already" in done.stdout
    assert "Nothing was asked" in done.stdout
    told = json.loads(score(folder, server, "--dry-run", "--json").stdout)
    assert (told["calls"], told["cost"]) == (6, 0.0)
    assert server.stats()["requests"] == 0
    assert set(folder.rglob("*")) == before


def test_budget_and_prices(folder: Path, server: Running) -> None:
    (folder / "prices.toml").write_text('[models."finder"]\ninput = 100.0\noutput = 100.0\n')
    more = ("--ledger", "l.db", "--prices", "prices.toml", "--concurrency", "1", "--max-cost")
    done = score(folder, server, *more, "0.03")
    assert done.returncode == 0, done.stderr
    assert "--max-cost 0.03 reached" in done.stderr
    assert server.stats()["requests"] in (1, 2)  # 0.011 each, by a server that counts 110 tokens
    done = score(folder, server, *more, "1", "--json")
    assert server.stats()["requests"] == 6
    assert "unscored" not in json.loads(done.stdout)


@pytest.mark.parametrize(
    ("settings", "more", "message"),
    [
        ({"key": KEY}, (), "Put a valid API key into the environment (OPENAI_API_KEY)"),
        ({"model": "other"}, (), "Check the name of the model, 'finder'"),
        ({}, ("--temperature", "3"), "--temperature"),
        ({"key": KEY}, ("--key-env", "NOWHERE_SET"), "NOWHERE_SET is not set"),
        ({}, ("--base-url", "http://u:p@127.0.0.1/v1"), "may hold no user, password or key"),
        ({}, ("--prices", "truth.jsonl"), "truth.jsonl is not TOML"),
        ({}, ("--extractor", "openai:"), "names no model"),
        ({}, ("--extractor", "builtins:len", "--max-calls", "1"), "--extractor openai:MODEL"),
        ({}, ("--annotations", "truth.jsonl"), "not both"),
    ],
)
def test_what_cannot_work_is_status_2(
    folder: Path,
    server: Running,
    settings: dict[str, str],
    more: tuple[str, ...],
    message: str,
) -> None:
    server.set(**settings)
    done = score(folder, server, *more, OPENAI_API_KEY="sk-other-0000000000")
    assert "Traceback" not in done.stderr
    assert message in " ".join(done.stderr.split())
    assert done.returncode == 2
    assert "sk-other-0000000000" not in done.stderr + done.stdout


def test_a_missing_key_is_told_before_anything_is_asked(folder: Path) -> None:
    given = ["answers.jsonl", "--benchmark", "truth.jsonl", "--extractor", "openai:gpt-4o"]
    done = subprocess.run(
        [sys.executable, "-c", "from factmark.cli.main import main; main()", "score", *given],
        capture_output=True, text=True, cwd=folder, timeout=60,
        env={name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"},
    )  # fmt: skip
    assert done.returncode == 2
    assert "OPENAI_API_KEY is not set" in done.stderr
