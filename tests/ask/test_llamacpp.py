"""`llamacpp:FILE.gguf`: weights that run in this process, asked as a model behind a server is."""

from __future__ import annotations

import asyncio
import csv
import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmark.ask.chat import Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from factmark.errors import InputError
from servers.real_model import FILE
from shell import Done, run
from tiny_gguf import tiny_gguf

LABELS = {"SUPPORTED", "CONTRADICTED", "NOT_SUPPORTED"}
GRAPH = """id,head,relation,tail,passage
r1,Ada,knows,Ben,Ada knows Ben.
r2,Ben,knows,Cem,Ben knows nobody.
"""
ONE_THREAD = ("--extra", "n_threads=1")  # several wait actively for each other on a busy machine


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "g.csv").write_text(GRAPH)
    tiny_gguf(tmp_path / "tiny.gguf")
    return tmp_path


def judged(folder: Path, file: str, *more: str, status: int = 0) -> dict[str, Any]:
    """What `graph factscore --json` prints, judged by the weights in a file."""
    asked = ("graph", "factscore", "g.csv", "--judge", f"llamacpp:{file}", *ONE_THREAD)
    done = run(*asked, "--out", "o", "--json", *more, cwd=folder)
    assert done.returncode == status, done.stderr
    results: dict[str, Any] = json.loads(done.stdout)
    return results


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "o" / "rows.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_grammar_makes_every_reply_a_label(folder: Path) -> None:
    """Random weights would never write one by themselves."""
    results = judged(folder, "tiny.gguf")
    assert {row["status"] for row in rows(folder)} == {"ok"}
    assert {row["label"] for row in rows(folder)} <= LABELS
    assert (results["judge"], results["spent"]["judging"]["calls"]) == ("llamacpp:tiny", 2)
    assert results["spent"]["judging"]["cost"] == 0
    assert results["signature"]["temperature"] == 0.0
    assert str(folder) not in json.dumps(results)


def test_it_is_known_by_its_weights(folder: Path) -> None:
    """Moved and renamed it is the same judge, which is asked nothing again; how many threads
    compute changes nothing either. Other weights are another judge."""
    first = judged(folder, "tiny.gguf")
    (folder / "elsewhere").mkdir()
    (folder / "tiny.gguf").rename(folder / "elsewhere" / "other.gguf")
    again = judged(folder, "elsewhere/other.gguf", "--extra", "n_ctx=4096")
    assert again["signature"]["judge_id"] == first["signature"]["judge_id"]
    judging = again["spent"]["judging"]
    assert (judging["calls"], judging["judged_before"]) == (0, 2)
    tiny_gguf(folder / "tiny.gguf", seed=1)
    changed = judged(folder, "tiny.gguf")
    assert changed["signature"]["judge_id"] != first["signature"]["judge_id"]
    assert changed["spent"]["judging"]["calls"] == 2


def test_a_prompt_that_is_too_long_is_that_calls_failure(folder: Path) -> None:
    """A judge that cannot be shown the passage says so, and never judges by a part of it."""
    (folder / "g.csv").write_text(GRAPH + f"r3,Cem,knows,Dor,{'Cem knows Dor. ' * 300}\n")
    results = judged(folder, "tiny.gguf", "--extra", "n_ctx=2048", status=3)
    assert [row["status"] for row in rows(folder)] == ["ok", "ok", "failed"]
    (problem,) = [text for text in results["problems"] if "failed" in text]
    assert "llama.cpp answered 400" in problem
    assert "exceeds the available context size" in problem


async def test_signals_stay_with_this_program(folder: Path) -> None:
    """Some versions of llama.cpp take Ctrl-C and the request to end for themselves."""
    spec = ModelSpec.parse(f"llamacpp:{folder / 'tiny.gguf'}", extra={"n_threads": 1}, max_tokens=8)
    caught: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: caught.append(number))
    try:
        async with ChatClient(spec) as client:
            reply = await client.ask(Request.of("Is the sky blue?"))
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0)
            assert isinstance(reply, Reply)
            assert isinstance(await client.ask(Request.of("Is it green?")), Reply)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert caught == [signal.SIGTERM]


def test_a_program_may_end_without_closing_it(folder: Path) -> None:
    """An open server of llama.cpp would keep the process from ending."""
    program = """
import asyncio, sys
from yarl import URL
from pathlib import Path
from factmark.ask.weights.llama_server import LlamaServer
server = LlamaServer(Path(sys.argv[1]), n_threads=1)
body = b'{"messages": [{"role": "user", "content": "a"}], "max_tokens": 1}'
print(asyncio.run(server.send("POST", URL("x"), body=body, name="")).status)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, folder / "tiny.gguf"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.strip() == "200"


def test_a_forecast_loads_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    asked = ("graph", "factscore", "g.csv", "--judge", "llamacpp:tiny.gguf")
    done = run(*asked, "--dry-run", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert "2 calls" in done.stdout
    done = run(*asked, cwd=folder)
    assert done.returncode == 2
    assert "needs the package xllamacpp: pip install 'factmark[llamacpp]'" in told(done)


def told(done: Done) -> str:
    return " ".join(done.stderr.split())


def cut_off(folder: Path) -> None:
    content = (folder / "tiny.gguf").read_bytes()
    (folder / "tiny.gguf").write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "tiny.gguf").unlink(), "there is no such file"),
        (lambda folder: (folder / "tiny.gguf").write_text("no weights"), "is no GGUF file"),
        (lambda folder: (folder / "tiny.gguf").write_bytes(b"GGUF\3\0\0\0"), "damaged or cut off"),
        (cut_off, "damaged or cut off"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(
    spoil: Callable[[Path], object], message: str, folder: Path
) -> None:
    spoil(folder)
    done = run("graph", "factscore", "g.csv", "--judge", "llamacpp:tiny.gguf", cwd=folder)
    assert done.returncode == 2
    assert message in told(done)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--base-url", "http://localhost:1/v1"), "runs in this process"),
        (("--protocol", "responses"), "speak a protocol of their own"),
        (("--batch-api",), "runs in this process and has none"),
        (("--extra", "n_ctx=long"), "--extra n_ctx=long: is a whole number from 1 to"),
        (("--extra", f"n_ctx={10**12}"), "is a whole number from 1 to 10,000,000"),
        (("--extra", "n_threads=0"), "--extra n_threads=0: is a whole number from 1 to"),
    ],
)
def test_options_that_are_for_servers_are_refused(
    options: tuple[str, ...], message: str, folder: Path
) -> None:
    asked = ("graph", "factscore", "g.csv", "--judge", "llamacpp:tiny.gguf")
    done = run(*asked, *options, cwd=folder)
    assert done.returncode == 2
    assert message in told(done)


def test_it_is_waited_for_as_long_as_it_computes(folder: Path) -> None:
    """Weights here cannot fall silent: two slow replies would end a run. --timeout bounds them."""
    spec = ModelSpec.parse(f"llamacpp:{folder / 'tiny.gguf'}")
    assert ChatClient(spec).slots.patience == math.inf
    assert ChatClient(spec, rates=Rates(timeout=9.0)).slots.patience == 9.0


def test_it_gives_no_vectors(folder: Path) -> None:
    from factmark.passages.embedders import open_search

    with pytest.raises(InputError, match="gives no vectors"):
        open_search(f"llamacpp:{folder / 'tiny.gguf'}")


@pytest.mark.real_model
@pytest.mark.skipif(
    not FILE.is_file() and os.environ.get("FACTMARK_REQUIRE_REAL_MODEL") != "1",
    reason="no weights of a real model; `make real-model` fetches them (93 MB)",
)
async def test_a_real_model(tmp_path: Path) -> None:
    """A real tokenizer and a real template: a short question, as loading takes long enough."""
    schema = {
        "type": "object",
        "properties": {"verdict": {"enum": sorted(LABELS)}},
        "required": ["verdict"],
        "additionalProperties": False,
    }
    spec = ModelSpec.parse(f"llamacpp:{FILE}", extra={"n_threads": 1}, max_tokens=32)
    async with ChatClient(spec) as client:
        reply = await client.ask(replace(Request.of("Is the sky blue?"), schema=schema))
    assert isinstance(reply, Reply)
    assert reply.finish_reason == "stop"
    assert json.loads(reply.text)["verdict"] in LABELS
    assert reply.usage is not None
    assert (reply.usage.estimated, reply.usage.input > 10) == (False, True)
