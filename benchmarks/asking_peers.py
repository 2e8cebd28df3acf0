"""How long factmark and other evaluation frameworks take to judge the same claims.

    python benchmarks/asking_peers.py [--peers PYTHON ...]

A thousand claims, each with its passage and one call, 64 in flight, on a local server that takes
50 ms. Each framework is used as its documentation says, in a process of its own that is counted
as a whole, start-up included; the server is another. The others are looked for in each PYTHON (this
interpreter, unless told), as they seldom agree on their dependencies; one that is installed in
none of them is left out. factmark keeps its ledger; the caches, telemetry and
uploads of the others are off where they can be.

The server words its reply as each framework reads it: a line for factmark and inspect_ai, a JSON
object for ragas (`DiscreteMetric`) and deepeval (`GEval` with its steps given). What they make of
it is compared with the verdicts that the server meant.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

UNITS = 1_000
CONCURRENCY = 64
LATENCY = 0.05
PATIENCE = 900.0
"""Seconds after which a process is ended."""

LABELS = ("SUPPORTED", "NOT_SUPPORTED")
QUESTION = "Does the passage support the claim?"
CLAIM = re.compile(r"CLAIM 1: (substance \d+ treats condition \d+)")
KEY = "none-needed"
ENVIRONMENT = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "DEEPEVAL_UPDATE_WARNING_OPT_IN": "NO",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "ERROR_REPORTING": "NO",
    "RAGAS_DO_NOT_TRACK": "true",
    "OPENAI_API_KEY": KEY,
    "DO_NOT_TRACK": "1",
    "NO_PROXY": "127.0.0.1,localhost",
    "no_proxy": "127.0.0.1,localhost",
}

Units = list[dict[str, str]]
Judged = list[str | None]
Ready = Callable[[], Judged]
"""Judges; what a framework gives once it is imported."""


def with_factmark(base_url: str, units: Units, folder: Path) -> Ready:
    from factmark.ledger.ledger import Ledger
    from judging_setup import judged, spec, task

    def ready() -> Judged:
        path = folder / "ledger.sqlite"
        asyncio.run(judged(base_url, path, len(units), concurrency=CONCURRENCY))
        with Ledger(path) as ledger:
            judge = task(spec(base_url), batch=1, samples=1).judge.id
            newest = ledger.newest(judge, [unit["id"] for unit in units])
        return [newest[unit["id"]].label if unit["id"] in newest else None for unit in units]

    return ready


def with_inspect_ai(base_url: str, units: Units, folder: Path) -> Ready:
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.scorer import pattern
    from inspect_ai.solver import generate, system_message

    def ready() -> Judged:
        samples = [
            Sample(id=n, input=f"{unit['passage']}\nCLAIM 1: {unit['claim']}", target=LABELS[0])
            for n, unit in enumerate(units)
        ]
        task = Task(
            dataset=MemoryDataset(samples),
            solver=[system_message("Judge each claim."), generate(cache=False)],
            scorer=pattern(r"^1: (SUPPORTED|NOT_SUPPORTED)$"),
        )
        (log,) = evaluate(
            task,
            model="openai-api/local/judge",
            model_base_url=base_url,
            model_args={"api_key": KEY},
            max_connections=CONCURRENCY,
            max_samples=CONCURRENCY,
            display="none",
            log_dir=str(folder),
        )
        if log.status != "success":
            raise SystemExit(str(log.error))
        found: Judged = [None] * len(units)
        for sample in log.samples or []:
            found[int(sample.id)] = (sample.scores or {})["pattern"].answer
        return found

    return ready


def with_ragas(base_url: str, units: Units, folder: Path) -> Ready:
    from openai import AsyncOpenAI
    from ragas.llms import llm_factory
    from ragas.metrics import DiscreteMetric

    metric = DiscreteMetric(
        name="support",
        prompt=QUESTION + "\n{passage}\nCLAIM 1: {claim}",
        allowed_values=list(LABELS),
    )

    async def judge_all() -> Judged:
        llm = llm_factory("judge-ragas", client=AsyncOpenAI(base_url=base_url, api_key=KEY))
        gate = asyncio.Semaphore(CONCURRENCY)

        async def judge(unit: Mapping[str, str]) -> str | None:
            async with gate:
                result = await metric.ascore(llm=llm, passage=unit["passage"], claim=unit["claim"])
            value: str | None = result.value
            return value

        return list(await asyncio.gather(*map(judge, units)))

    return lambda: asyncio.run(judge_all())


def with_deepeval(base_url: str, units: Units, folder: Path) -> Ready:
    from deepeval import evaluate
    from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
    from deepeval.metrics import GEval
    from deepeval.models import LocalModel
    from deepeval.test_case import LLMTestCase, LLMTestCaseParams

    def ready() -> Judged:
        metric = GEval(
            name="support",
            evaluation_steps=[QUESTION, "Score 10 if it does and 0 if it does not."],
            evaluation_params=[LLMTestCaseParams.INPUT, LLMTestCaseParams.ACTUAL_OUTPUT],
            model=LocalModel(model="judge-deepeval", base_url=base_url, api_key=KEY),
        )
        cases = [
            LLMTestCase(
                name=str(n), input=unit["passage"], actual_output=f"CLAIM 1: {unit['claim']}"
            )
            for n, unit in enumerate(units)
        ]
        told = evaluate(
            cases,
            [metric],
            async_config=AsyncConfig(run_async=True, max_concurrent=CONCURRENCY, throttle_value=0),
            cache_config=CacheConfig(write_cache=False, use_cache=False),
            display_config=DisplayConfig(
                show_indicator=False, print_results=False, inspect_after_run=False
            ),
            error_config=ErrorConfig(ignore_errors=True),
        )
        found: Judged = [None] * len(units)
        for result in told.test_results:
            for data in result.metrics_data or []:
                if data.score is not None:
                    found[int(result.name)] = LABELS[data.score < 0.5]
        return found

    return ready


PEERS: dict[str, Callable[[str, Units, Path], Ready]] = {
    "factmark": with_factmark,
    "inspect_ai": with_inspect_ai,
    "ragas": with_ragas,
    "deepeval": with_deepeval,
}
FORMS: dict[str, Callable[[str], dict[str, Any]]] = {
    "judge-ragas": lambda label: {"value": label, "reason": ""},
    "judge-deepeval": lambda label: {"score": 10 if label == LABELS[0] else 0, "reason": ""},
}
"""What a reply holds, by the model that is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a process used.

    Attributes:
        judging: seconds without those for imports.
        in_flight: calls at once, at most.
        peak: its resident memory at most, in MiB.
        right: units whose verdict is the one that the server gave.
    """

    wall: float
    judging: float
    cpu: float
    peak: float
    calls: int
    in_flight: int
    right: int


def main() -> None:
    parser = argparse.ArgumentParser(description="Times factmark beside other frameworks.")
    parser.add_argument("--peers", nargs="+", metavar="PYTHON", default=[sys.executable])
    given = parser.parse_args().peers
    pythons = [str(Path(name).absolute()) if os.sep in name else name for name in given]
    print(f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}")
    units, truth = the_units()
    with worded_server() as server, tempfile.TemporaryDirectory() as folder:
        Path(folder, "units.json").write_text(json.dumps(units))
        base = measured("factmark", sys.executable, server, Path(folder), truth)
        if base is None:
            raise SystemExit("factmark did not finish")
        show("factmark", metadata.version("factmark"), base, base)
        for name in list(PEERS)[1:]:
            found = installed(name, pythons)
            if found is None:
                print(f"{name}: not installed, left out")
                continue
            python, version = found
            used = measured(name, python, server, Path(folder), truth)
            if used is not None:
                show(name, version, used, base)


def the_units() -> tuple[Units, Judged]:
    """What is judged, and the verdicts that the server gives."""
    from judging_setup import jobs
    from servers.model_server import verdict_of

    units = [
        {"id": unit.id, "passage": f"Passage {item.id}.", "claim": unit.text}
        for item, unit in jobs(UNITS)
    ]
    return units, [verdict_of(unit["claim"]) for unit in units]


def installed(name: str, pythons: list[str]) -> tuple[str, str] | None:
    """The first interpreter that has a framework, and the framework's version."""
    asked = f"import importlib.metadata as m; print(m.version({name!r}))"
    for python in pythons:
        done = subprocess.run([python, "-c", asked], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return python, done.stdout.strip()
    return None


def measured(name: str, python: str, server: Any, folder: Path, truth: Judged) -> Used | None:
    """Judges in a process of its own; None, with what it said last, if it fails."""
    own = folder / name
    own.mkdir()
    server.set(latency=LATENCY)
    arguments = [str(Path(__file__).resolve()), "--judge", name, server.base_url, str(own)]
    environment = os.environ | ENVIRONMENT | {"HOME": str(own)}
    with (own / "output.txt").open("w+") as output:
        start = time.perf_counter()
        process = subprocess.Popen(
            [python, *arguments],
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=own,
            env=environment,
        )
        timer = threading.Timer(PATIENCE, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        said = output.read()
    if process.returncode:
        print(f"{name}: ended with {process.returncode} after {wall:.1f} s\n{said[-2000:]}")
        return None
    stats = server.stats()
    told = json.loads((own / "judged.json").read_text())
    return Used(
        wall=wall,
        judging=told["seconds"],
        cpu=used.ru_utime + used.ru_stime,
        peak=used.ru_maxrss / 1024,
        calls=stats["requests"],
        in_flight=stats["most_in_flight"],
        right=sum(label == true for label, true in zip(told["labels"], truth, strict=True)),
    )


def show(name: str, version: str, used: Used, base: Used) -> None:
    print(
        f"{name} {version}: {used.wall:.2f} s ({used.wall / base.wall:.1f} × factmark), "
        f"{used.judging:.2f} s beyond imports ({used.judging / base.judging:.1f} ×), "
        f"{used.cpu:.2f} s of CPU ({used.cpu / base.cpu:.1f} ×), "
        f"{used.peak:.0f} MiB ({used.peak / base.peak:.1f} ×); {used.calls:,} calls, "
        f"at most {used.in_flight} at once, "
        f"{used.right:,} of {UNITS:,} verdicts as the server gave them",
        flush=True,
    )


def judge(name: str, base_url: str, folder: str) -> None:
    """In a process of its own: judges the units and leaves the labels in a file."""
    units: Units = json.loads(Path(folder).with_name("units.json").read_text())
    ready = PEERS[name](base_url, units, Path(folder))
    start = time.perf_counter()
    judged = ready()
    seconds = time.perf_counter() - start
    told = {"labels": judged, "seconds": seconds}
    Path(folder, "judged.json").write_text(json.dumps(told))


@contextmanager
def worded_server() -> Iterator[Any]:
    """Runs the model server, with replies in every framework's wording, in its own process."""
    from servers.model_server import Running

    process = subprocess.Popen(
        [sys.executable, __file__, "--serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield Running(url=process.stdout.readline().strip(), pid=process.pid)
    finally:
        process.stdin.close()
        process.kill()
        process.wait()
        process.stdout.close()


async def serve() -> None:
    from aiohttp import web

    from servers.model_server import ModelServer, Settings, verdict_of

    class Worded(ModelServer):
        def _text(self, asked: Mapping[str, Any]) -> tuple[str, bool]:
            form = FORMS.get(asked["model"])
            claim = CLAIM.search(json.dumps(asked["messages"]))
            if form is None or claim is None:
                return super()._text(asked)
            return json.dumps(form(verdict_of(claim[1]))), False

    runner = web.AppRunner(Worded(Settings()).app(), access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve())
    elif sys.argv[1:2] == ["--judge"]:
        judge(*sys.argv[2:])
    else:
        main()
