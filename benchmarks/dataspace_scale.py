"""The replica at full size, and against rdflib.

    python benchmarks/dataspace_scale.py full [--scale 1.0] [--folder DIR]
    python benchmarks/dataspace_scale.py rdflib [--scale 0.094]

`full` generates and loads the store in a process of its own and prints seconds, peak memory, size
on disk, the time to reopen it read-only and the time of each of the 50 queries.
`rdflib` loads the same data (2 million triples by default) into pyoxigraph's and rdflib's memory
stores and prints the time of the 50 queries in each, with the ratio. It takes several minutes.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from multiprocessing import get_context
from pathlib import Path

from pyoxigraph import Store

from factmark.answers.questions.benchmarks import load_benchmark
from factmark.ehds.replica.generate import nquads
from factmark.ehds.replica.plan import plan
from factmark.ehds.write import build_store, memory_store

MIB = 1024
REPEATS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["full", "rdflib"])
    parser.add_argument("--scale", type=float)
    parser.add_argument(
        "--folder", type=Path, help="where the store goes; a temporary one if not given"
    )
    arguments = parser.parse_args()
    print(
        f"machine: {os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"
    )
    if arguments.what == "rdflib":
        against_rdflib(arguments.scale or 0.094)
        return
    with tempfile.TemporaryDirectory() as temporary:
        full(arguments.scale or 1.0, (arguments.folder or Path(temporary)) / "ehds")


def full(scale: float, target: Path) -> None:
    context = get_context("spawn")
    with context.Pool(1) as pool:
        triples, seconds, peak = pool.apply(build, (str(target), scale))
        size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
        print(f"triples: {triples:,}")
        print(f"generated and loaded: {seconds:.1f} s ({triples / seconds:,.0f} triples/s)")
        print(f"peak memory: {peak / MIB:.0f} MiB; on disk: {size / 2**30:.2f} GiB")
    with context.Pool(1) as pool:
        opened, times = pool.apply(reopen_and_query, (str(target),))
    print(f"reopened read-only: {opened * 1000:.0f} ms")
    for query_id, (first, best) in times.items():
        print(
            f"{query_id:4} first {first * 1000:8.1f} ms   best of {REPEATS} {best * 1000:8.1f} ms"
        )
    slowest = max(times, key=lambda query_id: times[query_id][0])
    print(f"slowest: {slowest}, {times[slowest][0]:.2f} s")


def build(target: str, scale: float) -> tuple[int, float, int]:
    """Triples, seconds and peak memory in KiB; runs in a process of its own."""
    start = time.perf_counter()
    triples = build_store(target, scale=scale)
    seconds = time.perf_counter() - start
    return triples, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def reopen_and_query(target: str) -> tuple[float, dict[str, tuple[float, float]]]:
    """Seconds to open, and per query the first and the best run."""
    start = time.perf_counter()
    store = Store.read_only(target)
    opened = time.perf_counter() - start
    times = {}
    for query_id, sparql in queries().items():
        runs = [timed(lambda sparql=sparql: list(store.query(sparql))) for _ in range(REPEATS)]
        times[query_id] = (runs[0], min(runs))
    return opened, times


def against_rdflib(scale: float) -> None:
    import rdflib

    warnings.simplefilter("ignore", DeprecationWarning)
    ours = memory_store(scale=scale)
    print(f"triples: {len(ours):,}")
    theirs = rdflib.Dataset()
    start = time.perf_counter()
    theirs.parse(data="".join(nquads(plan(scale))), format="nquads")
    print(f"rdflib parsed them in {time.perf_counter() - start:.0f} s")
    list(theirs.query("SELECT * WHERE { ?s <http://example.org/none> ?o }"))  # loads its engine
    ratios, totals = [], [0.0, 0.0]
    for query_id, sparql in queries().items():
        fast = median_time(lambda sparql=sparql: list(ours.query(sparql)))
        slow = median_time(lambda sparql=sparql: list(theirs.query(sparql)))
        ratios.append(slow / fast)
        totals = [totals[0] + fast, totals[1] + slow]
        print(f"{query_id:4} pyoxigraph {fast * 1000:8.2f} ms   rdflib {slow * 1000:9.1f} ms")
    print(f"all 50: pyoxigraph {totals[0]:.3f} s, rdflib {totals[1]:.2f} s")
    print(f"ratio of the sums {totals[1] / totals[0]:.0f}, median {statistics.median(ratios):.0f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory of both together: {peak / MIB:.0f} MiB")


def queries() -> dict[str, str]:
    return {q.query_id: q.sparql or "" for q in load_benchmark("ehds").questions}


def median_time(action: Callable[[], object]) -> float:
    """Seconds, the median of some runs."""
    return statistics.median(timed(action) for _ in range(REPEATS))


def timed(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
