"""All coverage simulations: `make coverage` writes docs/coverage.md and docs/coverage.csv.

python benchmarks/coverage [--quick] [--out FOLDER]

Parts run side by side, each seeded by what it simulates, so that the figures do not depend on how
many processors there are. `--quick` has a fiftieth of the runs.
"""

from __future__ import annotations

import argparse
import csv
import importlib
import os
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from coverage_page import COLUMNS, page

HERE = Path(__file__).resolve().parent
Row = dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A part of the simulations, and how many runs of each of its settings."""

    module: str
    function: str = "rows"
    runs: int
    given: Mapping[str, object] = field(default_factory=dict)


JOBS = (  # the long ones first
    Job(module="clusters", runs=1_000),
    Job(module="sampling", runs=1_000),
    *(
        Job(module="correction", function="rows_of_clusters", runs=20_000, given={"shares": (p,)})
        for p in (0.5, 0.7, 0.9, 0.95, 0.99)
    ),
    Job(module="agreement", runs=1_000),
    Job(module="correction", function="rows_of_kinds", runs=10_000),
    Job(module="correction", function="rows_of_bar", runs=20_000),
    *(Job(module="judge_line", runs=2_000, given={"part": part, "parts": 4}) for part in range(4)),
    Job(module="targets", runs=2_000),
    Job(module="differences", runs=1_000),
    Job(module="differences", function="rows_of_answers", runs=1_000),
    Job(module="differences", function="rows_of_slices", runs=400),
    Job(module="differences", function="rows_of_bias", runs=500),
    Job(module="drawing", runs=200),
    Job(module="comparison", runs=2_000),
)
QUICK = 50


def work(job: Job, runs: int) -> list[Row]:
    """The rows of a job, with the number of runs where the row has none."""
    rows = getattr(importlib.import_module(job.module), job.function)(runs, **job.given)
    return [finished(job.module, dict(row), runs) for row in rows]


def finished(module: str, row: Row, runs: int) -> Row:
    """Every row with the same columns: whether the package uses the method, and the runs."""
    kind = str(row.get("kind", ""))
    if module == "clusters" and row["statistic"] == "share":
        kind = "exact"
    row["runs"] = kind.removesuffix(" runs") or row.get("runs", runs)
    if (level := row.get("level", 0.95)) != 0.95:
        row["method"] = f"{row['method']} at {level:.0%}"
        row["used"] = False  # it is, but the figures are of another level
    row.setdefault("used", used(str(row["method"])))
    row["module"] = module
    return {column: row.get(column) for column in COLUMNS}


def used(method: str) -> bool:
    """Whether the package uses the method, where the row does not say."""
    compared = ("BCa alone", "Student's t alone", "peeking", "fixed n", "McNemar")
    return not method.startswith(compared)


def collected(quick: bool) -> list[Row]:
    """All rows, in the order of the jobs."""
    begun = time.perf_counter()
    found: dict[int, list[Row]] = {}
    with ProcessPoolExecutor(max_workers=os.cpu_count()) as pool:
        waiting = {
            pool.submit(work, job, max(20, job.runs // QUICK) if quick else job.runs): place
            for place, job in enumerate(JOBS)
        }
        for done in as_completed(waiting):
            place = waiting[done]
            found[place] = done.result()
            job, passed = JOBS[place], time.perf_counter() - begun
            told = f"{job.module}.{job.function}: {len(found[place])} rows"
            print(f"{passed:6.0f} s  {len(found)}/{len(JOBS)}  {told}", file=sys.stderr, flush=True)
    return [row for place in range(len(JOBS)) for row in found[place]]


def write_csv(path: Path, rows: list[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow(
                "" if value is None else f"{value:.5g}" if isinstance(value, float) else value
                for value in row.values()
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few runs: to see that it works")
    parser.add_argument("--out", type=Path, default=HERE.parents[1] / "docs")
    given = parser.parse_args()
    rows = collected(given.quick)
    write_csv(given.out / "coverage.csv", rows)
    (given.out / "coverage.md").write_text(page(rows, quick=given.quick), "utf-8")
    print(f"wrote {given.out / 'coverage.md'} and coverage.csv", file=sys.stderr)


if __name__ == "__main__":
    main()
