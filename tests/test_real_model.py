"""Each protocol with a real model: everything asked is counted, nothing is asked twice.

The model is weak and its labels mean nothing; what is tested is that nothing gets lost. One server,
few units, short replies: 330 tokens of a prompt take a slow core three seconds.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmark.ask.chat import Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from mcp_setup import command
from servers.real_model import real_model  # noqa: F401  # a fixture
from shell import Done, run

pytestmark = pytest.mark.real_model
ROOT = Path(__file__).parents[1]
MODEL = "openai:smollm2"
SHORT = ("--max-tokens", "60", "--concurrency", "2")
PASSAGE = "Metformin is given in type 2 diabetes. The pancreas makes the hormone insulin."
GRAPH = f"""head,relation,tail,passage
metformin,treats,type 2 diabetes,{PASSAGE}
insulin,treats,pancreas,{PASSAGE}
"""
QUESTION = {"id": "q1", "question": "What treats type 2 diabetes?", "answer": "metformin"}
SUMMARY = {"article": "Metformin is given in diabetes.", "a": "It is given."}
STORE = '<urn:lion> <http://purl.org/dc/terms/title> "Lion Records" .'
ONE = {"id": "Z1", "category": "a", "question": "Which records?", "ground_truth": ["Lion Records"]}
TOOLS = command(ROOT / "tests" / "servers" / "odd_mcp.py", "plain")  # one: a short prompt


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "g.csv").write_text(GRAPH)
    (tmp_path / "q.jsonl").write_text(json.dumps(QUESTION))
    (tmp_path / "s.jsonl").write_text(json.dumps(SUMMARY))
    (tmp_path / "lions.ttl").write_text(STORE)
    (tmp_path / "lions.jsonl").write_text(json.dumps(ONE))
    return tmp_path


def told(done: Done) -> dict[str, Any]:
    assert "Traceback" not in done.stderr
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout)


def counted(results: dict[str, Any]) -> int:
    """Units with a verdict and those without."""
    pairs = results["details"]["scores"]["pairs"]
    return pairs["estimate"]["n_units"] + sum(pairs["missing"].values())


def statuses(folder: Path, ledger: str) -> Counter[str]:
    """What became of the units that the model judged."""
    out = folder / "verdicts.csv"
    assert run("ledger", "export", ledger, out.name, cwd=folder).returncode == 0
    with out.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["judge_kind"] == "model"]
    return Counter(row["status"] for row in rows if row["newest"] == "True")


def test_factscore(real_model: str, folder: Path) -> None:  # noqa: F811
    ask = (
        "graph",
        "factscore",
        "g.csv",
        "--judge",
        MODEL,
        "--base-url",
        real_model,
        *SHORT,
        "--batch",
        "2",
        "--json",
    )
    assert counted(told(run(*ask, cwd=folder))) == 2
    assert sum(statuses(folder, "factmark.db").values()) == 2
    again = told(run(*ask, cwd=folder))
    assert (again["spent"]["judging"]["calls"], counted(again)) == (0, 2)


def test_validity(real_model: str, folder: Path) -> None:  # noqa: F811
    ask = (
        "graph",
        "validity",
        "g.csv",
        "--judge",
        MODEL,
        "--base-url",
        real_model,
        *SHORT,
        "--limit",
        "1",
        "--json",
    )
    assert counted(told(run(*ask, cwd=folder))) == 1
    assert told(run(*ask, cwd=folder))["spent"]["judging"]["calls"] == 0


def test_graphrag(real_model: str, folder: Path) -> None:  # noqa: F811
    ask = (
        "graph",
        "graphrag",
        "g.csv",
        "--questions",
        "q.jsonl",
        "--model",
        MODEL,
        "--judge",
        MODEL,
        "--base-url",
        real_model,
        *SHORT,
        "--control",
        "off",
        "--out",
        "out",
        "--json",
    )
    told(run(*ask, cwd=folder))
    ledger = "out/ledger.db"
    before = statuses(folder, ledger)
    assert before.total() > 0
    calls = run("ledger", "info", ledger, cwd=folder).stdout
    told(run(*ask, cwd=folder))
    assert statuses(folder, ledger) == before
    assert run("ledger", "info", ledger, cwd=folder).stdout == calls


def test_run(real_model: str, folder: Path) -> None:  # noqa: F811
    ask = (
        "run",
        "lions.jsonl",
        "--store",
        "lions.ttl",
        "--model",
        MODEL,
        "--base-url",
        real_model,
        *SHORT,
        "--condition",
        "baseline,rag,mcp",
        "--k",
        "1",
        "--mcp",
        TOOLS,
        "--json",
    )
    first = told(run(*ask, cwd=folder))
    assert {row["condition"] for row in first["rows"]} <= {"baseline", "rag", "mcp"}
    assert {"baseline", "rag"} <= {row["condition"] for row in first["rows"]}
    again = run(*ask, cwd=folder)
    assert told(again)["rows"] == first["rows"]
    assert "0 calls, " in again.stderr


def test_summaries(real_model: str, folder: Path) -> None:  # noqa: F811
    assert (
        run(
            "annotate", "create", "s.jsonl", "--annotators", "Ada", "--ledger", "c.db", cwd=folder
        ).returncode
        == 0
    )
    ask = ("annotate", "judge", "c.db", "--model", MODEL, "--base-url", real_model, *SHORT)
    for calls in (1, 0):
        done = run(*ask, cwd=folder)
        assert "Traceback" not in done.stderr
        assert f"{calls} call" in done.stdout + done.stderr
        assert statuses(folder, "c.db").total() == 1


def test_the_readme(real_model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    """Its commands for this model as they stand, but for a budget of one call.

    What the rules have judged before is known to the ledger, so that labels of it can come in.
    """
    section = (ROOT / "README.md").read_text("utf-8").split("## With a model")[1].split("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.S)
    block = next(text for text in blocks if "real.db" in text)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    commands = [
        shlex.split(line, comments=True)[1:]
        for line in block.splitlines()
        if line.startswith("factmark ")
    ]
    by_rule = run("graph", "factscore", "--limit", "70", "--ledger", "real.db", cwd=tmp_path)
    assert by_rule.returncode == 0
    screens = []
    for words in commands:
        budget = ("--max-calls", "1") if "--judge" in words else ()
        words = [re.sub(r"http://localhost:8080/v1", real_model, word) for word in words]
        done = run(*words, *budget, cwd=tmp_path)
        assert done.returncode in (0, 1, 3), done.stderr
        screens.append(done.stdout)
    assert "60 labels" in screens[1]
    assert "corrected by" in " ".join(screens[2].split())


async def test_structured_output(real_model: str) -> None:  # noqa: F811
    """A schema is kept to, and the same question has the same reply."""
    schema = {
        "type": "object",
        "properties": {"verdict": {"enum": ["SUPPORTED", "NOT_SUPPORTED"]}},
        "required": ["verdict"],
        "additionalProperties": False,
    }
    request = replace(Request.of("Is the sky blue?", system="Judge."), schema=schema)
    spec = ModelSpec.parse(MODEL, base_url=real_model, max_tokens=60)
    async with ChatClient(spec) as client:
        first, again = await client.ask(request), await client.ask(request)
        assert client.notes == ()
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert json.loads(first.text)["verdict"] in ("SUPPORTED", "NOT_SUPPORTED")
    assert (first.text, first.finish_reason) == (again.text, "stop")
    assert first.usage is not None
    assert not first.usage.estimated
    assert first.usage.output > 0


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_free_text_is_cut_at_its_limit(real_model: str, provider: str) -> None:  # noqa: F811
    spec = ModelSpec.parse(f"{provider}:smollm2", base_url=real_model, max_tokens=8)
    async with ChatClient(spec) as client:
        reply = await client.ask(Request.of("Write a long story."))
    assert isinstance(reply, Reply)
    assert reply.finish_reason in ("length", "max_tokens")
    assert reply.usage is not None
    assert reply.usage.output == 8
