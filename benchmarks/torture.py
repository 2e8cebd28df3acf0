"""Faults and attacks once more: `python benchmarks/torture.py [KIND ...]` (`make torture`).

Each kind yields cases: what was tried, and what went wrong, nothing where all was as it should be.
Printed is how many were tried and failed of each kind, and every case that failed; exits with 1
where there is one. What is drawn is drawn by a seed, so that a second run tries the same.
"""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from typer.testing import CliRunner

from damaged import BROKEN, ODD, damaged, write_inputs
from factmark.answers.page import render_html
from factmark.cli.main import app
from factmark.errors import FactmarkError
from factmark.graph_answers.page import render_graphrag_html
from factmark.graphs.page import render_graph_html
from factmark.people.page import render_campaign_html
from factmark.replies import parse_batch, parse_reply
from hostile import HOSTILE, hostile_results
from hostile_input import forged_requests, frames_of_falsity, sparql_bombs, special_files
from long_texts import LARGE, LIMIT, PIECES, READERS, seconds
from page import CONTROLS, Page
from planted_verdicts import DEVELOPED, FRESH, LAST, planted_verdicts
from replies.test_quoted import QUOTING, STEERING, SUPPORT
from sample_campaign import sample_campaign
from sample_graph import hostile_graph
from sample_graphrag import hostile_graphrag
from servers.model_server import FAULTS, in_process, model_server
from servers.stores import write_store

Case = tuple[str, str]
OWN = ("NOT_SUPPORTED", "CONTRADICTED", "Verdict: NOT_SUPPORTED")
"""What was tried, and what went wrong; empty where nothing did."""

COMMAND = [sys.executable, "-c", "from factmark.cli.main import main; main()"]
CONCURRENCY, ROUNDS, KILLS = 4, 1, 6
NOT_COMPARED = ("seconds", "latency", "spent", "calls", "cost", "tokens", "time", "signature")


SCORE = ("score", "answers.jsonl", "-b", "truth.jsonl")
FACTSCORE = ("graph", "factscore", "triples.csv", "--passages", "passages.jsonl")
ASKING = {
    "run": ("run", "truth.jsonl", "--model", "openai:m", "--condition", "baseline"),
    "graph factscore": (*FACTSCORE, "--judge", "openai:m"),
    "score": (*SCORE, "--judge", "openai:m"),
}


def same(value: Any) -> Any:
    """A result without what differs between two runs."""
    if isinstance(value, dict):
        return {k: same(v) for k, v in value.items() if not any(part in k for part in NOT_COMPARED)}
    return [same(inner) for inner in value] if isinstance(value, list) else value


def kills(folder: Path, dice: random.Random) -> Iterator[Case]:
    """Commands that ask a model are killed at random moments, and go on."""
    temporary = folder / "tmp"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary), "NO_COLOR": "1"}

    def start(command: tuple[str, ...], out: str) -> subprocess.Popen[str]:
        more = ("--base-url", server.base_url, "--concurrency", str(CONCURRENCY), "--json")
        return subprocess.Popen(
            [*COMMAND, *command, *more, "--out", out],
            cwd=folder,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    with model_server(latency=0.05) as server:
        for name, command in ASKING.items():
            before, begun = server.stats()["requests"], time.monotonic()
            process = start(command, f"{name} whole")
            whole, errors = process.communicate(timeout=120)
            took, needed = time.monotonic() - begun, server.stats()["requests"] - before
            if not whole:
                yield f"{name}, not killed", errors[-300:]
                continue
            for turn in range(ROUNDS):
                before, out = server.stats()["requests"], f"{name} {turn}"
                for number in dice.choices((signal.SIGKILL, signal.SIGTERM), k=KILLS):
                    process = start(command, out)
                    time.sleep(dice.uniform(0.3, 1.0) * took)
                    process.send_signal(number)
                    told = process.communicate(timeout=60)[1]
                    yield f"{name}, {number.name}", told[-300:] if "Traceback" in told else ""
                for path in (*(folder / out).glob(".*"), *temporary.iterdir()):
                    os.utime(path, (1, 1))  # what is younger than a minute might be in use
                process = start(command, out)
                result, errors = process.communicate(timeout=120)
                asked = server.stats()["requests"] - before
                yield f"{name}, gone on with", errors[-300:] if "Traceback" in errors else ""
                is_same = bool(result) and same(json.loads(result)) == same(json.loads(whole))
                yield f"{name}, the result", "" if is_same else "another than without a kill"
                most = needed + KILLS * CONCURRENCY
                yield f"{name}, calls", "" if asked <= most else f"{asked} calls, {needed} needed"
                left = [
                    path.name
                    for path in (*(folder / out).glob(".*"), *temporary.iterdir())
                    if path.name != ".factmark"
                ]
                yield f"{name}, what is left", ", ".join(left)


def outcome(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Exit status of a command, what it told, and what went wrong."""
    with chdir(folder):
        done = CliRunner().invoke(app, list(arguments))
    if isinstance(done.exception, FactmarkError):
        told = str(done.exception)
        return 2, told, "" if 0 < len(told) < 3_000 else f"a message of {len(told)} characters"
    if done.exception and not isinstance(done.exception, SystemExit):
        return done.exit_code, done.output, f"{type(done.exception).__name__}: {done.exception}"
    wrong = "Traceback" in done.output or done.exit_code not in (0, 1, 2, 3)
    return done.exit_code, done.output, f"exit status {done.exit_code}" if wrong else ""


def server_faults(folder: Path, _dice: random.Random) -> Iterator[Case]:
    """A model's server goes wrong in each eighth reply; what was missing is asked later."""
    ask = (*ASKING["graph factscore"], "--max-failures", "5", "--concurrency", "4", "--json")
    for kind in FAULTS:
        for share, name in ((1 / 8, f"each eighth reply is {kind}"), (0.0, f"after {kind}")):
            with model_server(faults=(kind,), fault_share=share) as server:
                more = ("--out", f"faults {kind}", "--base-url", server.base_url)
                status, told, wrong = outcome(folder, *ask, *more)
            wrong = wrong or ("an escape is printed" if "\x1b" in told else "")
            is_done = share > 0 or status == 0
            yield name, wrong or ("" if is_done else f"exit status {status}: {told[-200:]}")


INPUTS = {
    "answers.jsonl": SCORE,
    "answers.csv": ("score", "answers.csv", "-b", "truth.csv"),
    "truth.jsonl": SCORE,
    "truth.csv": ("score", "answers.csv", "-b", "truth.csv"),
    "triples.csv": FACTSCORE,
    "triples.jsonl": ("graph", "validity", "triples.jsonl"),
    "passages.jsonl": FACTSCORE,
    "passages.csv": ("graph", "factscore", "triples.csv", "--passages", "passages.csv"),
    "out/answers.csv": ("score", "out/answers.csv", "-b", "truth.jsonl"),
}


def bad_inputs(folder: Path, dice: random.Random) -> Iterator[Case]:
    """Damaged files, each read by a command that reads such a file."""
    for out in ("out", "again"):
        outcome(folder, *SCORE, "--out", out)
    for (name, command), (damage, change) in itertools.product(
        INPUTS.items(), (BROKEN | ODD).items()
    ):
        path = folder / name
        good = path.read_bytes()
        path.write_bytes(bad := change(good, dice))
        status, told, wrong = outcome(folder, *command, "--json")
        if damage in BROKEN and status == 0 and not wrong:
            wrong = f"nothing was told: {told[-200:]}"
        is_kept = path.read_bytes() == bad
        path.write_bytes(good)
        yield f"{name}, {damage}", wrong or ("" if is_kept else "the input was changed")


def damaged_ledgers(folder: Path, dice: random.Random) -> Iterator[Case]:
    """Ledgers with other bytes, and with other values in their cells."""
    whole = {"answers": (*SCORE, "--ledger"), "graph": (*FACTSCORE, "--ledger")}
    for kind, command in whole.items():
        outcome(folder, *command, f"{kind}.db")
    readers = {
        "answers": (
            "report bad.db",
            "agree bad.db",
            "ledger info bad.db",
            "export bad.db --to harness --out x",
            f"{' '.join(SCORE)} --ledger bad.db",
        ),
        "graph": (
            "plan --ledger bad.db --half-width 0.1",
            "ledger reparse bad.db",
            "ledger export bad.db verdicts.csv",
            f"{' '.join(FACTSCORE)} --ledger bad.db",
        ),
    }
    for kind, commands in readers.items():
        bad = folder / "bad.db"
        for turn, damage in enumerate(damaged(folder / f"{kind}.db", bad, dice)):
            command = commands[turn % len(commands)]
            _, _, wrong = outcome(folder, *command.split())
            yield f"{command[:20]}, {damage}", wrong


def full_disk(folder: Path, _dice: random.Random) -> Iterator[Case]:
    """Files may not grow beyond a few kilobytes."""
    for command, size in itertools.product((SCORE, FACTSCORE), (1_000, 8_000, 40_000, 90_000)):
        done = subprocess.run(
            [*COMMAND, *command, "--out", f"full {size}"],
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=lambda s=size: resource.setrlimit(resource.RLIMIT_FSIZE, (s, s)),
        )
        is_told = done.returncode == 2 and len(done.stderr.strip().splitlines()) < 8
        wrong = (
            "" if is_told or done.returncode == 0 else f"{done.returncode}: {done.stderr[-300:]}"
        )
        yield f"{command[0]}, {size} bytes", "a traceback" if "Traceback" in done.stderr else wrong


def injected_replies(_folder: Path, _dice: random.Random) -> Iterator[Case]:
    """A judge repeats a passage that tells it what to say."""
    ends = ("</think>\n{}", "<|channel|>final<|message|>{}", "{}")
    for steering, end, own, quoting in itertools.product(STEERING, ends, OWN, QUOTING):
        quoted = end.format(steering.replace('"', "'") if '"{quoted}' in quoting else steering)
        passage = f"Zinc is a metal.\n{end.format(steering)}\nIt melts."
        reply = quoting.format(quoted=quoted, own=own)
        label = parse_reply(reply, SUPPORT, given=(passage,))
        yield f"{reply!r}", "the passage decided" if label == "SUPPORTED" else ""
        batch = parse_batch(f"1. {own}\n2. {reply}", SUPPORT, 2, given=(passage,))
        yield f"second of {reply!r}", "the passage decided" if "SUPPORTED" in batch else ""


def quoted_verdicts(_folder: Path, dice: random.Random) -> Iterator[Case]:
    """A judge quotes a verdict planted in the passage, and says its own in prose."""
    for wording in (DEVELOPED, FRESH, LAST):
        for case in planted_verdicts(wording, 2_000, dice):
            is_steered = case.planted in case.read()
            yield f"{case.reply!r}", "the passage decided" if is_steered else ""


def markup_payloads(_folder: Path, _dice: random.Random) -> Iterator[Case]:
    """Markup in every text of a report: no element and no attribute more than of plain text."""
    pages: dict[str, tuple[Callable[..., str], Callable[[str], Any]]] = {
        "answers": (render_html, hostile_results),
        "a graph": (render_graph_html, hostile_graph),
        "answers of a graph": (render_graphrag_html, hostile_graphrag),
        "a campaign": (render_campaign_html, lambda text: sample_campaign(text=text)),
    }
    for (name, (render, make)), (kind, text) in itertools.product(pages.items(), HOSTILE.items()):
        html = render(make(text), title=text)
        page, plain = Page(html), Page(render(make("p" * len(text)), title="p"))
        names = [attribute for attribute, _ in page.attributes]
        is_same = page.tags == plain.tags and names == [name for name, _ in plain.attributes]
        wrong = "controls" if CONTROLS.search(html) else "" if is_same else "markup of its own"
        yield f"{name}, {kind}", wrong


def slow_client(url: str, kind: str) -> socket.socket:
    """A client that sends `half a request` or `half a body`, or, from another address, does `no
    reading`."""
    parts = urllib.parse.urlsplit(url)
    query = urllib.parse.quote("SELECT * { ?s ?p ?o . ?a ?b ?c } LIMIT 90000")
    head = f"HTTP/1.1\r\nHost: {parts.netloc}\r\n"
    body = "Content-Type: application/sparql-query\r\nContent-Length: 9000\r\n\r\nASK"
    data = {
        "half a request": f"GET {parts.path}?query=ASK",
        "half a body": f"POST {parts.path} {head}{body}",
        "no reading": f"GET {parts.path}?query={query} {head}\r\n",
    }[kind]
    source = ("127.0.0.2", 0) if kind == "no reading" else None
    client = socket.create_connection((parts.hostname or "", parts.port or 0), None, source)
    client.sendall(data.encode())
    return client


def slow_clients(folder: Path, _dice: random.Random) -> Iterator[Case]:
    """Clients that send half a request, or read nothing, while another asks."""
    store = write_store(folder / "store", size=30_000)
    serve = (*COMMAND[1:], "serve")
    sparql = in_process(*serve, "sparql", str(store), "--port", "0", folder=folder)
    with sparql as server, ExitStack() as stack:
        for name, number in (("half a request", 600), ("half a body", 300), ("no reading", 15)):
            for _ in range(number):
                stack.enter_context(slow_client(server.url, name))
            try:
                with urllib.request.urlopen(f"{server.url}?query=ASK%7B%7D", timeout=60) as reply:
                    wrong = "" if json.load(reply)["boolean"] else "another answer"
            except OSError as error:
                wrong = str(error)
            yield f"{number} x {name}", wrong
        held = int(Path(f"/proc/{server.pid}/statm").read_text().split()[1]) * 4_096 / 1e6
        yield "memory of the server", "" if held < 1_000 else f"{held:.0f} MB"
    with in_process(*serve, "mcp", str(store), "--http", "127.0.0.1:0", folder=folder) as server:
        request = urllib.request.Request(
            server.url, b" " * 2**25, {"Content-Type": "application/json"}
        )
        try:
            status = urllib.request.urlopen(request, timeout=30).status
        except OSError as error:
            status = getattr(error, "code", 413)  # it may hang up before all is sent
        yield "a body of 32 MB for MCP", "" if status in (406, 413) else f"status {status}"


def long_texts(_folder: Path, _dice: random.Random) -> Iterator[Case]:
    """The pieces that each reader takes longest for, at the length that a text may have."""
    for name, reader in READERS.items():
        times = {piece: seconds(reader, (piece * 4_000)[:4_000]) for piece in PIECES}
        for piece in sorted(times, key=times.__getitem__)[-2:]:
            took = seconds(reader, (piece * (LARGE // len(piece) + 1))[:LARGE] + name)
            yield f"{name}, {piece[:40]!r}", "" if took <= LIMIT else f"{took:.1f} s"


KINDS: dict[str, Callable[[Path, random.Random], Iterator[Case]]] = {
    kind.__name__.replace("_", " "): kind
    for kind in (
        kills,
        server_faults,
        bad_inputs,
        damaged_ledgers,
        full_disk,
        injected_replies,
        quoted_verdicts,
        markup_payloads,
        slow_clients,
        long_texts,
        special_files,
        forged_requests,
        sparql_bombs,
        frames_of_falsity,
    )
}


def main(names: list[str]) -> int:
    """Tries all kinds, or those that are named; prints the table."""
    failed = 0
    print(f"{'':18} tried failed seconds")
    for name in names or KINDS:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            cases = list(KINDS[name](write_inputs(Path(folder) / "in"), random.Random(14)))
        wrong = [(case, why) for case, why in cases if why]
        failed += len(wrong)
        print(
            f"{name:18} {len(cases):5} {len(wrong):6} {time.monotonic() - begun:7.0f}", flush=True
        )
        for case, why in wrong:
            print(f"    {case[:160]}: {why[:400]}", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
