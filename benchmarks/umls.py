"""The UMLS index at full size: time to build, size, memory, time of a look-up.

    python benchmarks/umls.py [--names 5000000] [--folder DIR]

Writes RRF files of that many English names (three a concept) with the tests' generator, builds the
index, opens it anew, and looks up 10,000 names that are there and 10,000 that are not.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from factmark.graphs.ontologies.umls import Umls, open_umls

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from rrf_files import concept_names, write_rrf

LOOKUPS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--names", type=int, default=5_000_000)
    parser.add_argument("--folder", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        measure(arguments.folder or Path(temporary), arguments.names // 3)


def measure(folder: Path, concepts: int) -> None:
    source = folder / "rrf"
    write_rrf(source, concepts)
    size = sum(path.stat().st_size for path in source.iterdir())
    print(f"names: {concepts * 3:,} of {concepts:,} concepts, files {size / 2**20:,.0f} MiB")
    started = time.perf_counter()
    open_umls(source, folder / "index").close()
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    index = folder / "index" / "umls.sqlite"
    print(
        f"index: {seconds:.0f} s ({concepts * 3 / seconds:,.0f} names/s), "
        f"{index.stat().st_size / 2**20:,.0f} MiB, peak memory {peak:,.0f} MiB"
    )
    started = time.perf_counter()
    umls = open_umls(source, folder / "index")
    print(f"opened again: {(time.perf_counter() - started) * 1000:.0f} ms")
    step = max(1, concepts // LOOKUPS)
    there = [concept_names(number)[1].upper() for number in range(0, concepts, step)]
    report(umls, "known names", there)
    report(umls, "unknown names", [f"{name} zzz" for name in there])


def report(umls: Umls, title: str, names: list[str]) -> None:
    times, found = [], 0
    for name in names:
        started = time.perf_counter()
        found += bool(umls.concepts(name))
        times.append(time.perf_counter() - started)
    p99 = statistics.quantiles(times, n=100)[98]
    print(
        f"{title}: {found:,} of {len(names):,} found, median {statistics.median(times) * 1e6:.0f}"
        f" us, 99th percentile {p99 * 1e6:.0f} us"
    )


if __name__ == "__main__":
    main()
