"""A study in parts: what 1 and 2 workers take, and what a model of that says of more.

    python benchmarks/parts.py measure [--pairs 40000]   # by rule
    python benchmarks/parts.py forecast                  # the table of docs/scale.md
    python benchmarks/parts.py money [--runs 50]         # --max-cost of two workers, by a stand-in

Time is counted on the longest path, in seconds of processor: the command until its workers begin,
the longest worker, what is written after that, and the command from then on. On a machine whose
processors others use, wall time says nothing.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

# The command, and then what it took. Of workers: when they had begun, when the last part had ended
# and when the command had, what each process had used by then.
RUNNER = """
import json, os, resource, sys, time
from contextlib import contextmanager
from multiprocessing import active_children
from factmark.cli.main import main
from factmark.engine.local import LocalWorkers

def note(name):
    marks[name] = {"command": time.process_time()}
    for process in active_children():
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        used = int(fields[11]) + int(fields[12])
        kind = "desk" if "Manager" in process.name else process.name
        marks[name][kind] = used / os.sysconf("SC_CLK_TCK")

def noted_run(self, tasks, desk):
    parts = run(self, tasks, desk)
    note("begun")
    try:
        for task in parts:
            if task is not None:
                note("ended")
            yield task
    finally:
        parts.close()

@contextmanager
def noted_desk(self, **bounds):
    with desk(self, **bounds) as opened:
        yield opened
        note("kept")

marks = {}
run, desk = LocalWorkers.run, LocalWorkers.desk
LocalWorkers.run, LocalWorkers.desk = noted_run, noted_desk
try:
    main()
except SystemExit:
    pass
marks["done"] = {"command": time.process_time()}
for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
    marks.setdefault("MiB", []).append(resource.getrusage(who).ru_maxrss / 1024)
print(json.dumps(marks), file=sys.stderr)
"""
_PLACES = "Aachen Bern Caen Dover Essen Fermo Genoa Hilo Ithaca Jena".split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What a study takes, in seconds: of each pair where not said otherwise.

    Attributes:
        start: of a process, once.
        read: to read the files, which every part does whole.
        judge: to judge, by one worker.
        keep: to write a verdict into a ledger; by rule one process does it for all workers.
        results: to add up and write the results, once.
        merge: to merge, where each part has a ledger of its own; one part after another.
    """

    start: float
    read: float
    judge: float
    keep: float
    results: float
    merge: float = 0.0

    def path(self, pairs: float, workers: int, parts_each: int = 1) -> float:
        """Returns the seconds of the longest path through a study.

        One worker is a process that judges all. Several start, read all for each part and judge;
        one process keeps or merges what they judge, as it comes; then results are added up.
        """
        if workers == 1:
            return self.start + pairs * (self.read + self.judge + self.keep + self.results)
        each = self.start + parts_each * pairs * self.read + pairs * self.judge / workers
        if self.merge:
            each += pairs * self.keep / workers
            kept = pairs * self.merge
            last = kept / (workers * parts_each)
        else:
            kept = pairs * self.keep
            last = min(kept, _BLOCK * self.keep)
        return self.start + max(each + last, kept) + pairs * self.results


_BLOCK = 20_000  # verdicts of a worker that are written together
RULES = Costs(start=1.0, read=14e-6, judge=125e-6, keep=33e-6, results=22e-6)  # of 200,000 pairs
SERVER = Costs(start=60.0, read=14e-6, judge=1 / 25, keep=33e-6, results=22e-6, merge=10e-6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["measure", "forecast", "money"])
    parser.add_argument("--pairs", type=int, default=40_000)
    parser.add_argument("--json", action="store_true", help="also write each row")
    parser.add_argument("--runs", type=int, default=50)
    given = parser.parse_args()
    if given.what == "forecast":
        forecast()
        return
    with tempfile.TemporaryDirectory() as folder:
        if given.what == "money":
            spend(Path(folder), given.runs)
            return
        measure(Path(folder), given.pairs, ["--json"] if given.json else [])


def measure(folder: Path, pairs: int, more: Sequence[str]) -> None:
    """Prints what one process and two workers take for pairs by rule, beside the model."""
    write(folder / "t.csv", pairs)
    one = used(folder, "--ledger", "one.db", *more)
    alone = one["done"]["command"]
    print(f"one process: {alone:.1f} s, {one['MiB'][0]:.0f} MiB")
    again = used(folder, "--ledger", "one.db", *more)
    print(f"again, judged: {again['done']['command']:.1f} s")
    two = used(folder, "--ledger", "two.db", "--engine", "local:2", *more)
    path = longest_path(two)
    print(f"two workers: {sum(path.values()):.1f} s, {sum(path.values()) / alone:.2f} of one")
    print("  " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in path.items()))
    print(f"  the command {two['MiB'][0]:.0f} MiB, the larger worker {two['MiB'][1]:.0f} MiB")
    for workers, seconds in ((1, alone), (2, sum(path.values()))):
        forecast_ = RULES.path(pairs, workers)
        print(
            f"model, {workers}: {forecast_:.1f} s, {forecast_ / seconds:.2f} of what was measured"
        )


def spend(folder: Path, runs: int) -> None:
    """Prints by how many of their dearest calls two workers pass `--max-cost`, at most."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from servers.model_server import model_server

    write(folder / "t.csv", 60)
    (folder / "prices.toml").write_text('[models."m"]\ninput = 10.0\noutput = 10.0\n')
    draw = Random(40)
    passed = []
    with model_server(latency=0.01) as server:
        asked = ("--judge", "openai:m", "--base-url", server.base_url, "--prices", "prices.toml")
        for number in range(runs):
            bound = draw.uniform(0.001, 0.02)
            ledger = f"{number}.db"
            more = ("--max-cost", f"{bound:.5f}", "--concurrency", str(draw.choice((2, 8, 32))))
            used(folder, "--ledger", ledger, "--engine", "local:2", *asked, *more)
            with closing(sqlite3.connect(folder / ledger)) as db:
                query = "SELECT total(cost), max(cost), count(*) FROM calls"
                spent, dearest, calls = db.execute(query).fetchone()
            passed.append((spent - round(bound, 5)) / dearest)
            print(f"{bound:.5f}: {calls} calls, {spent:.5f}, {passed[-1]:+.2f} calls", flush=True)
    print(f"{runs} runs: {max(passed):+.2f} of the dearest call at most")


def longest_path(marks: dict[str, Any]) -> dict[str, float]:
    """Returns what lies on the longest path through a study by workers, in seconds of processor.
    What the command reads and the desk writes while workers judge does not."""
    ended = dict(marks["ended"])
    desk = ended.pop("desk")
    command = ended.pop("command")
    return {
        "the command before": marks["begun"]["command"],
        "the longest worker": max(ended.values()),
        "what the desk writes after": marks["kept"]["desk"] - desk,
        "the command after": marks["done"]["command"] - command,
    }


def used(folder: Path, *more: str) -> dict[str, Any]:
    """Returns what the command took, see `RUNNER`."""
    command = ("graph", "factscore", "t.csv", *more)
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, *command],
        cwd=folder,
        env={"OPENAI_API_KEY": "sk-none", **os.environ},
        capture_output=True,
        text=True,
        check=True,
    )
    marks: dict[str, Any] = json.loads(done.stderr.strip().splitlines()[-1])
    return marks


def write(path: Path, pairs: int) -> None:
    """Writes triples, ten for each passage, of which some are said there and some are not."""
    with path.open("w", newline="") as file:
        write_row = csv.writer(file).writerow
        write_row(["head", "relation", "tail", "passage"])
        for number in range(pairs // 10):
            facts = []
            for place in range(10):
                person = f"{_PLACES[place]} {number % 977} Moreau {number}"
                facts.append((person, "born in", f"{_PLACES[(place + number) % 10]} {number}"))
            said = " ".join(
                f"{head} was born in {tail}, as the records say." for head, _, tail in facts[:7]
            )
            for fact in facts:
                write_row([*fact, said])


def forecast() -> None:
    """Prints hours by judge, size and workers, as Markdown."""
    sizes = (515_460, 10_000_000, 1_000_000_000)
    for name, costs, each in (("Rules", RULES, 1), ("A model, 25 pairs/s a server", SERVER, 4)):
        print(f"| {name} | " + " | ".join(f"{size:,}" for size in sizes) + " |")
        print("| --- " * (len(sizes) + 1) + "|")
        for workers in (1, 2, 8, 64, 1000):
            cells = [str(workers)]
            for size in sizes:
                cells.append(f"{costs.path(size, workers, each) / 3600:,.2f}")
            print(f"| {' | '.join(cells)} |")
        print()


if __name__ == "__main__":
    main()
