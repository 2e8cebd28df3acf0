"""How fast a model is asked, against the limit that the server sets.

    python benchmarks/asking.py

Each run is a process of its own, so that start-up, CPU and memory are counted; the server is
another. Prints seconds, ratios to the ideal, CPU seconds and peak memory. The command that a user
types, `factmark graph factscore`, is run five times, beside its own start-up (`--help`); the load
of the machine is told with it.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from servers.model_server import Running

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

MIB = 1024
MANY = 100_000
CLAIMS, RUNS = 1_000, 5
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"


def main() -> None:
    from servers.model_server import model_server

    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder, model_server() as server:
        server.set(latency=0.05)
        command(server, Path(folder))
        for latency in (0.05, 0.2):
            server.set(latency=latency)
            ledger, ideal = f"{folder}/{latency}.sqlite", math.ceil(1000 / 64) * latency
            for name in ("first run", "second run"):
                told = judge(server.base_url, ledger, 1000, 1, 64)
                show(f"1,000 units, 64 in flight, {latency * 1000:.0f} ms, {name}", told, ideal)
        server.set(latency=0.05)
        told = judge(server.base_url, f"{folder}/batch.sqlite", 1000, 5, 64)
        show("1,000 units, 5 in a call", told, math.ceil(200 / 64) * 0.05)
        server.set(latency=0.0)
        ledger = f"{folder}/many.sqlite"
        show(
            f"{MANY:,} units, 10 in a call, no latency",
            judge(server.base_url, ledger, MANY, 10, 64),
        )
        show(f"{MANY:,} units judged before", judge(server.base_url, ledger, MANY, 10, 64))
        print(f"ledger: {Path(ledger).stat().st_size / 2**20:.0f} MiB")


def command(server: Running, folder: Path) -> None:
    """Runs the whole command on claims that no model has judged; prints the best of the runs."""
    _write_graph(folder)
    start_up = min(_timed("graph", "factscore", "--help")[0] for _ in range(RUNS))
    given = (
        "graph",
        "factscore",
        str(folder / "triples.csv"),
        "--passages",
        str(folder / "p.jsonl"),
    )
    asked = ("--judge", "openai:m", "--base-url", server.base_url, "--concurrency", "64")
    runs = [_timed(*given, *asked, "--ledger", str(folder / f"{n}.db")) for n in range(RUNS)]
    (wall, _), (_, cpu) = min(runs), min(runs, key=lambda run: run[1])
    ideal = math.ceil(CLAIMS / 64) * 0.05
    print(
        f"`graph factscore` of {CLAIMS:,} claims, 64 in flight, 50 ms, best of {RUNS}: "
        f"{wall:.2f} s, {cpu:.2f} s of CPU; {(wall - start_up) / ideal:.2f} × the ideal "
        f"{ideal:.2f} s beyond start-up, {start_up:.2f} s; "
        f"{server.stats()['most_in_flight']} in flight at most; load {os.getloadavg()[0]:.1f}"
    )


def _timed(*arguments: str) -> tuple[float, float]:
    """Wall and CPU seconds of a command, its modules compiled before, as installed ones are."""
    compiled = {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    run = [sys.executable, "-m", "factmark", *arguments]
    silent = subprocess.DEVNULL
    subprocess.run(run, stdout=silent, stderr=silent, check=True, env=compiled)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write_graph(folder: Path) -> None:
    """Claims, ten of each passage, which are said there in other words."""
    numbers = range(CLAIMS)
    rows = [f"substance {n},may_treat,condition {n % 7},p{n // 10}" for n in numbers]
    (folder / "triples.csv").write_text("\n".join(["head,relation,tail,passage_id", *rows]))
    tried = [
        f"Substance {n} was tried against condition {n % 7} in a trial of {n % 10 + 20} adults, "
        "most of whom felt better."
        for n in numbers
    ]
    texts = (" ".join(tried[first : first + 10]) for first in numbers[::10])
    lines = (json.dumps({"id": f"p{n}", "text": text}) for n, text in enumerate(texts))
    (folder / "p.jsonl").write_text("\n".join(lines))


def judge(base_url: str, ledger: str, units: int, batch: int, concurrency: int) -> dict[str, Any]:
    """Judges in a process of its own; gives what that process told, and its seconds in all."""
    arguments = map(str, (base_url, ledger, units, batch, concurrency))
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, __file__, *arguments], stdout=subprocess.PIPE, check=True
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return told | {"process": time.perf_counter() - start}


def show(name: str, told: dict[str, Any], ideal: float | None = None) -> None:
    asked = told["seconds"]
    ratio = f" ({asked / ideal:.2f} × the ideal {ideal:.2f} s)" if ideal and told["calls"] else ""
    print(
        f"{name}: {told['calls']} calls, {asked:.2f} s{ratio}; whole process "
        f"{told['process']:.2f} s, {told['cpu']:.2f} s of CPU, {told['peak'] / MIB:.0f} MiB"
    )


def work(base_url: str, ledger: str, units: str, batch: str, concurrency: str) -> None:
    from judging_setup import judged

    summary = asyncio.run(
        judged(base_url, Path(ledger), int(units), batch=int(batch), concurrency=int(concurrency))
    )
    if summary.verdicts != {"ok": int(units)}:
        raise SystemExit(f"not all was judged: {summary}")
    used = resource.getrusage(resource.RUSAGE_SELF)
    told = {
        "calls": summary.spend.calls,
        "seconds": summary.spend.seconds,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    work(*sys.argv[1:]) if len(sys.argv) > 1 else main()
