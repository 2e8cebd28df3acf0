"""How late after its deadline a runaway query ends: `python benchmarks/runaway.py [TRIES]`.

A query whose cartesian product takes days is started on a small generated store, with deadlines
from 0.2 to 0.5 s. Measured is the time from the deadline to the error in the caller's hands; the
worker has then been killed and reaped. Exits with 1 when the worst of all tries is over 100 ms.
"""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

import pyoxigraph as ox

from factmark.errors import QueryTimeoutError
from factmark.stores.folder import FolderStore

LIMIT = 0.1
SHAPES = {
    "count of a product": "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }",
    "rows without end": "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
    "sort of a product": "SELECT ?a { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i } ORDER BY ?i",
    "slow to plan": "SELECT * {" + "".join(f" ?s ?p{i} ?o{i} ." for i in range(600)) + " }",
}


def build(folder: Path, size: int = 2_000) -> Path:
    """A store with one graph of `size` triples."""
    store = ox.Store(str(folder))
    predicate, graph = ox.NamedNode("urn:p"), ox.NamedNode("urn:g")
    store.extend(
        ox.Quad(ox.NamedNode(f"urn:s{i}"), predicate, ox.Literal(i), graph) for i in range(size)
    )
    store.flush()
    return folder


def alive(pid: int) -> bool:
    """Whether a process is still there (a reaped one is not)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def lateness(store: FolderStore, query: str, deadline: float) -> float:
    """Seconds from the deadline to the error."""
    await store.query("ASK {}")  # a worker is up
    [pid] = store.processes
    started = time.perf_counter()
    try:
        await store.query(query, timeout=deadline, max_rows=10**9)
    except QueryTimeoutError:
        late = time.perf_counter() - started - deadline
    else:
        raise SystemExit("the query ended by itself; make the store larger")
    if alive(pid):
        raise SystemExit(f"the worker {pid} outlived its query")
    return late


async def main(tries: int) -> int:
    """Prints a line per shape of query, and the worst of all."""
    print(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    worst = 0.0
    with tempfile.TemporaryDirectory() as folder:
        async with FolderStore(build(Path(folder) / "store")) as store:
            for name, query in SHAPES.items():
                late = [await lateness(store, query, 0.2 + 0.3 * n / tries) for n in range(tries)]
                worst = max(worst, *late)
                print(
                    f"{name:20} median {statistics.median(late) * 1000:6.1f} ms"
                    f"   max {max(late) * 1000:6.1f} ms   of {tries}"
                )
    print(f"worst {worst * 1000:.1f} ms (limit {LIMIT * 1000:.0f} ms)")
    return int(worst > LIMIT)


if __name__ == "__main__":
    raise SystemExit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)))
