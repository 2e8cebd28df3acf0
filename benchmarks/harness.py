"""How fast models are run: 50 questions under three conditions, against the server's own limit.

    python benchmarks/harness.py

The server is the tests' agent, which takes 200 ms for each reply; the tools and the passages are
those of the replica. What the store and the index take to open is told apart. The first run pays
for what the agent and the queries behind the tools compute, which is not the harness's; the second
one does not.
"""

from __future__ import annotations

import asyncio
import os
import platform
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from factmark.answers.core.records import Question
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from factmark.runs.conditions import Condition
from factmark.runs.reading import opened
from factmark.runs.running import Ran, Subject, run_models
from factmark.runs.study_file import load_study

IN_FLIGHT = 32
SECONDS = 0.2
BOUND = 1.3


def main() -> None:
    from servers.agent import agent

    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}")
    with tempfile.TemporaryDirectory() as folder, agent(latency=SECONDS) as server:
        asyncio.run(measure(server.base_url, Path(folder)))


async def measure(base_url: str, folder: Path) -> None:
    begun = time.perf_counter()
    names = ["baseline", "rag", "mcp"]
    study = load_study(None, {"conditions": names}, models=["openai:agent"])
    async with opened(study, folder, asking=True) as (truth, made):
        print(f"store, index and tools opened in {time.perf_counter() - begun:.1f} s")
        for what in ("cold tools, a model that thinks", "tools and model have thought before"):
            ledger = folder / f"{what}.db"
            first, seconds, cpu = await timed(base_url, truth.questions, made, ledger)
            ideal = shortest(first)
            calls = first.spent[0].calls
            print(
                f"{len(first.answers)} answers, {calls} calls, {IN_FLIGHT} in flight, "
                f"{SECONDS * 1000:.0f} ms, {what}: {seconds:.2f} s, {seconds / ideal:.2f} times "
                f"the ideal of {ideal:.2f} s (bound {BOUND}); CPU {cpu:.2f} s"
            )
        again, seconds, cpu = await timed(base_url, truth.questions, made, ledger)
        assert again.answers == first.answers
        print(f"the same again: {again.spent[0].calls} calls, {seconds:.2f} s, CPU {cpu:.2f} s")


async def timed(
    base_url: str, questions: tuple[Question, ...], made: list[Condition], ledger: Path
) -> tuple[Ran, float, float]:
    """A run with its seconds, and those of this process's CPU."""
    spec = ModelSpec.parse("openai:agent", base_url=base_url)
    async with ChatClient(spec, rates=Rates(concurrency=IN_FLIGHT)) as client:
        one = Subject(name="agent", client=client)
        begun, used = time.perf_counter(), cpu_seconds()
        done = await run_models(questions, [one], made, ledger)
        return done, time.perf_counter() - begun, cpu_seconds() - used


def shortest(ran: Ran) -> float:
    """The time that the server needs at least: all its slots full, no conversation waiting."""
    rounds = [len(a.trace.calls) for a in ran.answers if a.trace is not None]
    longest = max(Counter(rounds))
    return max(-(-sum(rounds) // IN_FLIGHT), longest) * SECONDS


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
