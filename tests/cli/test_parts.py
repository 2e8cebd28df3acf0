"""`--shard` of claims and answers: parts ask a model no more, and figures are the same."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from campaigns import campaign_in, summaries
from factmark.ledger.ledger import Ledger
from servers.model_server import Running
from shell import run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Claims of which every fifth stands twice, and answers to three questions."""
    with (tmp_path / "claims.csv").open("w", newline="") as file:
        write = csv.writer(file).writerow
        write(["id", "claim", "passage", "system"])
        for n in range(40):
            row = [f"Town {n} has {n} bridges.", f"A passage about towns {n // 4}.", f"s{n % 2}"]
            write([n, *row])
            if n % 5 == 0:
                write([f"again {n}", *row])
    questions = [
        {"query_id": f"q{n}", "question": f"Which town {n}?", "ground_truth": [f"Town {n}"]}
        for n in range(3)
    ]
    answers = [
        {"query_id": f"q{n % 3}", "answer": f"It is Town {n}.", "model": f"m{n % 2}"}
        for n in range(24)
    ]
    for name, rows in (("questions", questions), ("answers", answers)):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{name}.jsonl").write_text(lines)
    return tmp_path


def figures(folder: Path, *command: object) -> dict[str, Any]:
    """What a command prints as JSON, but what it took."""
    done = run(*command, "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    del printed["spent"]
    return printed


@pytest.mark.parametrize(
    "command",
    [
        ("claims", "judge", "claims.csv"),
        ("claims", "judge", "claims.csv", "--batch", "10", "--limit", "30"),
        ("score", "answers.jsonl", "--benchmark", "questions.jsonl"),
    ],
    ids=["claims", "sample in batches", "answers"],
)
def test_parts_come_to_the_same_without_a_call_more(
    folder: Path, server: Running, command: tuple[str, ...]
) -> None:
    asked = (*command, "--judge", "openai:m", "--base-url", server.base_url)
    one = figures(folder, *asked, "--ledger", "one.db")
    alone = server.stats()["requests"]
    server.reset()
    for part in range(1, 4):
        more = ("--shard", f"{part}/3", "--ledger", f"p{part}.db")
        assert figures(folder, *asked, *more)["details"]["part"] == f"{part}/3"
    assert run("ledger", "merge", "p*.db", "--out", "all.db", cwd=folder).returncode == 0
    assert figures(folder, *asked, "--ledger", "all.db") == one
    assert server.stats()["requests"] == alone


def test_rules_judge_all_answers_at_once(folder: Path) -> None:
    command = ("score", "answers.jsonl", "--benchmark", "questions.jsonl", "--shard", "1/2")
    done = run(*command, "--ledger", "p.db", cwd=folder)
    assert done.returncode == 2
    assert "--shard" in done.stderr


def test_a_run_in_parts_asks_no_more(folder: Path, server: Running) -> None:
    asked = ("run", "questions.jsonl", "--model", "openai:m", "--base-url", server.base_url)
    asked = (*asked, "--condition", "baseline")
    one = figures(folder, *asked, "--out", "one")
    alone = server.stats()["requests"]
    server.reset()
    for part in (1, 2):
        figures(folder, *asked, "--out", f"p{part}", "--shard", f"{part}/2")
    merged = run("ledger", "merge", "p1", "p2", "--out", "all/ledger.db", cwd=folder)
    assert merged.returncode == 0, merged.stderr
    whole = figures(folder, *asked, "--out", "all")
    assert server.stats()["requests"] == alone
    assert whole["averages"] == one["averages"]
    assert [row["query_id"] for row in whole["rows"]] == [row["query_id"] for row in one["rows"]]


def test_a_campaign_is_judged_in_parts_by_copies_of_its_ledger(
    folder: Path, server: Running
) -> None:
    with Ledger(folder / "one.db") as ledger:
        campaign_in(ledger, summaries(6))
    for part in (1, 2):
        shutil.copy(folder / "one.db", folder / f"c{part}.db")
    by = ("--model", "openai:m", "--base-url", server.base_url)
    one = figures(folder, "annotate", "judge", "one.db", *by)
    alone = server.stats()["requests"]
    server.reset()
    for part in (1, 2):
        figures(folder, "annotate", "judge", f"c{part}.db", *by, "--shard", f"{part}/2")
    assert run("ledger", "merge", "c*.db", "--out", "all.db", cwd=folder).returncode == 0
    whole = figures(folder, "annotate", "judge", "all.db", *by)
    assert server.stats()["requests"] == alone
    assert (whole["averages"], whole["rows"]) == (one["averages"], one["rows"])
