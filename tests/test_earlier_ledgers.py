"""Ledgers that version 0.1.0 wrote still open, and what is in them is not asked again."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from shell import called, kept_ledger

GIVEN = Path(__file__).parent / "golden" / "given"
AS_THEN = ("--temperature", "0")  # which was sent unasked; without it the request is another
MODEL = ("--judge", "openai:test-model", "--base-url", "http://model.test/v1", *AS_THEN)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(GIVEN, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")


@pytest.mark.parametrize(
    ("name", "verdicts", "judges"),
    [("measured", 95, 7), ("scored", 40, 1), ("campaign", 13, 2)],
)
def test_every_verdict_is_exported(name: str, verdicts: int, judges: int) -> None:
    assert called("ledger", "export", kept_ledger(name, Path("l.db")), "rows.jsonl") == 0
    rows = [json.loads(line) for line in Path("rows.jsonl").read_text("utf-8").splitlines()]
    assert (len(rows), len({row["judge_id"] for row in rows})) == (verdicts, judges)


def test_a_graph_that_was_judged_is_not_asked_about_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ledger = kept_ledger("measured", Path("l.db"))
    given = ("graph", "factscore", "triples.csv", "--passages", "passages.jsonl")
    assert called(*given, "--ledger", ledger, "--json", *MODEL) == 0
    spent = json.loads(capsys.readouterr().out)["spent"]
    # Rows without a passage are asked about no more: who judges is another judge, who gets the same
    # replies.
    assert (spent["judging"]["calls"], spent["judging"]["cached"]) == (0, 10)


def test_answers_on_a_graph_are_not_asked_again(capsys: pytest.CaptureFixture[str]) -> None:
    ledger = kept_ledger("measured", Path("l.db"))
    questions = ("--questions", "questions.jsonl", "--passages", "passages.jsonl")
    given = ("graph", "graphrag", "triples.csv", *questions, "--model", "openai:test-model")
    assert called(*given, *MODEL, "--ledger", ledger, "--json") == 0
    spent = json.loads(capsys.readouterr().out)["spent"]
    assert (spent["answering"]["calls"], spent["answering"]["cached"]) == (0, 15)
    assert (spent["judging"]["calls"], spent["judging"]["judged_before"]) == (0, 9)


def test_a_run_that_was_made_asks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    ledger = kept_ledger("measured", Path("l.db"))
    given = ("run", "lions.jsonl", "--store", "lions.ttl", "--model", "openai:agent")
    more = ("--condition", "baseline,rag,context,mcp", "--ledger", ledger, "--out", "out", "--json")
    assert (
        called(*given, "--base-url", "http://agent.test/v1", *AS_THEN, *more) == 1
    )  # Z3 has no truth
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)["rows"]) == 8
    assert "openai:agent: 0 calls, 14 replies from the ledger" in printed.err


def test_a_scored_ledger_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    assert called("report", kept_ledger("scored", Path("l.db")), "--json") == 0
    assert len(json.loads(capsys.readouterr().out)["rows"]) == 7


def test_a_campaign_has_its_ratings(capsys: pytest.CaptureFixture[str]) -> None:
    ledger = kept_ledger("campaign", Path("l.db"))
    assert called("annotate", "results", ledger, "--resamples", "100", "--names", "--json") == 0
    (dimension,) = json.loads(capsys.readouterr().out)["details"]["dimensions"]
    answered = {person["name"]: person["n_answered"] for person in dimension["annotators"]}
    assert answered == {"Ada": 6, "Ben": 5}
