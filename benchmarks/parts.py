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
from dataclasses import dataclass
from pathlib import Path

# The command, and then the seconds of processor that it took itself, and all that it started.
RUNNER = """
import json, resource, sys
from factmark.cli.main import main
try:
    main()
except SystemExit:
    pass
used = []
for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
    usage = resource.getrusage(who)
    used.append(usage.ru_utime + usage.ru_stime)
    used.append(usage.ru_maxrss / 1024)
print(json.dumps(used), file=sys.stderr)
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
    given = parser.parse_args()
    if given.what == "forecast":
        forecast()
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), given.pairs)


def measure(folder: Path, pairs: int) -> None:
    """Prints what one process and two workers take for pairs by rule, beside the model."""
    write(folder / "t.csv", pairs)
    one = used(folder, "--ledger", "one.db")
    again = used(folder, "--ledger", "one.db")
    two = used(folder, "--ledger", "two.db", "--engine", "local:2")
    print(f"one process: {one[0]:.1f} s, {one[1]:.0f} MiB; again, judged: {again[0]:.1f} s")
    longest = two[0] + two[2] / 2
    print(
        f"two workers: the command {two[0]:.1f} s, {two[1]:.0f} MiB, both workers {two[2]:.1f} s, "
        f"the larger {two[3]:.0f} MiB; longest path {longest:.1f} s, {longest / one[0]:.2f} of one"
    )
    for workers, seconds in ((1, one[0]), (2, longest)):
        forecast_ = RULES.path(pairs, workers)
        print(
            f"model, {workers}: {forecast_:.1f} s, {forecast_ / seconds:.2f} of what was measured"
        )


def used(folder: Path, *more: str) -> list[float]:
    """Returns seconds and MiB of the command, and of all that it started."""
    command = ("graph", "factscore", "t.csv", "--json", *more)
    done = subprocess.run(
        [sys.executable, "-c", RUNNER, *command],
        cwd=folder,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=True,
    )
    seconds: list[float] = json.loads(done.stderr.strip().splitlines()[-1])
    return seconds


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
