"""Small stores on disk and in memory, by the real engine."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox

from factmark.stores.engine import rows_of, run_query
from factmark.stores.store import Graphs, Store
from factmark.stores.terms import Rows

RUNAWAY = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l . ?m ?n2 ?o }"
"""A query whose cartesian product takes days."""


def write_store(folder: Path, *, size: int = 300) -> Path:
    """A folder store: `size` numbered subjects in the graph `urn:g`, one triple in `urn:h`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    store = ox.Store(str(folder))
    store.extend(quads(size))
    store.flush()
    del store  # gives the lock back
    return folder


def quads(size: int) -> list[ox.Quad]:
    """The quads of `write_store`."""
    value, graph = ox.NamedNode("urn:value"), ox.NamedNode("urn:g")
    numbered = [
        ox.Quad(ox.NamedNode(f"urn:s{i}"), value, ox.Literal(i), graph) for i in range(size)
    ]
    label = ox.Literal("Grüße", language="de")
    other = ox.Quad(ox.NamedNode("urn:x"), ox.NamedNode("urn:label"), label, ox.NamedNode("urn:h"))
    return [*numbered, other]


class MemoryStore(Store):
    """A store in this process, for queries that are quick."""

    def __init__(self, store: ox.Store | None = None, *, name: str = "memory") -> None:
        self._store = ox.Store() if store is None else store
        self._name = name

    @property
    def identity(self) -> str:
        """The name and the size."""
        return f"memory:{self._name}@{len(self._store)}"

    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        """The rows of a SELECT, or the boolean of an ASK."""
        message = run_query(
            self._store,
            sparql,
            union=graphs is None,
            max_rows=max_rows,
            max_bytes=2**28,
            default_graphs=None if graphs is None else graphs.default,
            named_graphs=None if graphs is None else graphs.named,
        )
        return rows_of(message, "the store")

    async def close(self) -> None:
        """The data belongs to the caller."""
