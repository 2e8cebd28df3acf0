"""Stores in this process: one answers as a worker does, one remembers what it was asked."""

from __future__ import annotations

import asyncio

import pyoxigraph as ox
import pytest

from factmark.errors import QueryError, QueryTimeoutError, StoreError
from factmark.stores.memory import MemoryStore, RememberingStore, is_settled
from factmark.stores.store import Graphs
from factmark.stores.terms import Rows
from servers.stores import quads

ALL = "SELECT ?v { ?s <urn:p> ?v } ORDER BY ?v"


class Counting(MemoryStore):
    """A real store that counts."""

    asked = 0

    async def query(
        self,
        sparql: str,
        *,
        timeout: float = 30.0,
        max_rows: int = 100_000,
        graphs: Graphs | None = None,
    ) -> Rows:
        self.asked += 1
        await asyncio.sleep(0)
        return await super().query(sparql, timeout=timeout, max_rows=max_rows, graphs=graphs)


@pytest.fixture
def counting() -> Counting:
    held = ox.Store()
    held.load(b"<urn:a> <urn:p> 1 . <urn:b> <urn:p> 2 .", format=ox.RdfFormat.TURTLE)
    return Counting(held)


async def test_a_store_in_memory() -> None:
    data = ox.Store()
    data.extend(quads(300))
    async with MemoryStore(data, name="demo") as store:
        assert (await store.query("ASK { ?s <urn:label> ?o }")).boolean is True
        assert (await store.query("ASK FROM <urn:none> { ?s ?p ?o }")).boolean is False
        assert (store.identity, is_settled(store)) == ("memory:demo@301", False)
        endless = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
        assert (await store.query(endless, max_rows=7)).truncated
        with pytest.raises(QueryTimeoutError):
            await store.query(endless, timeout=0.1, max_rows=10**9)
        for query in ("SELECT * { ?s", "SELECT * { ?s ?p }", "DROP ALL"):
            with pytest.raises(QueryError):
                await store.query(query)
    with pytest.raises(StoreError, match="closed"):
        await store.query("ASK {}")


async def test_many_at_once_ask_once(counting: Counting) -> None:
    known = RememberingStore(counting)
    first = asyncio.create_task(known.query(ALL))
    others = [asyncio.create_task(known.query(ALL)) for _ in range(8)]
    await asyncio.sleep(0)
    first.cancel()  # who gives up does not cost the others their rows
    every = await asyncio.gather(*others, known.query(ALL))
    assert {len(rows.rows) for rows in every} == {2}
    assert await known.query(ALL) == every[0]
    assert counting.asked == 1


async def test_limits_graphs_and_failures_are_told_apart(counting: Counting) -> None:
    known = RememberingStore(counting)
    whole, one = await known.query(ALL), await known.query(ALL, max_rows=1)
    none = await known.query(ALL, graphs=Graphs(default=("urn:nowhere",)))
    assert counting.asked == 3
    assert (len(whole.rows), len(one.rows), len(none.rows)) == (2, 1, 0)
    for _ in range(2):
        with pytest.raises(QueryError):
            await known.query("SELECT nonsense")
    assert counting.asked == 5


async def test_the_oldest_are_forgotten_when_there_is_no_room(counting: Counting) -> None:
    known = RememberingStore(counting, cells=6)  # each of these takes three
    queries = [ALL, f"{ALL} #2", f"{ALL} #3"]
    for query in (*queries, queries[2]):
        await known.query(query)
    assert counting.asked == 3
    await known.query(queries[0])
    assert counting.asked == 4
