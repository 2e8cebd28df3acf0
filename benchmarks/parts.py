"""A study in parts: what 1 and 2 workers take, and what a model of that says of more.

    python benchmarks/parts.py measure [--pairs 40000]   # by rule, and by a server that waits
    python benchmarks/parts.py forecast                  # the table of docs/scale.md

Time is counted on the longest path: what the command itself takes, and what its busiest worker
takes, in seconds of processor (`measure` says nothing of a machine whose cores are lent to others).
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
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
        judge: to judge and keep, by one worker.
        merge: to merge, one part after another.
        results: to add up and write the results, once.
    """

    start: float
    read: float
    judge: float
    merge: float
    results: float

    def path(self, pairs: float, workers: int, parts_each: int = 1) -> float:
        """Returns the seconds of the longest path through a study.

        One worker is a process that judges all; several start, read all for each part, judge,
        and wait for the merge of what is ready last. The command reads before and adds up after.
        """
        once = self.start + pairs * (self.read + self.results)
        if workers == 1:
            return once + pairs * self.judge
        each = self.start + parts_each * pairs * self.read + pairs * self.judge / workers
        merging = pairs * self.merge  # by one process, while others judge
        return once + max(each + merging / (workers * parts_each), merging)


RULES = Costs(start=1.0, read=78e-6, judge=347e-6, merge=38e-6, results=77e-6)  # of 60,000 pairs
SERVER = Costs(start=60.0, read=78e-6, judge=1 / 25, merge=38e-6, results=77e-6)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["measure", "forecast"])
    parser.add_argument("--pairs", type=int, default=40_000)
    parser.add_argument("--json", action="store_true", help="also write each row")
    given = parser.parse_args()
    if given.what == "forecast":
        forecast()
        return
    with tempfile.TemporaryDirectory() as folder:
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
        env=dict(os.environ),
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
