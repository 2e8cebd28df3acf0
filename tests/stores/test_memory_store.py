"""Stores in this process: one answers as a worker does, one remembers what it was asked."""

from __future__ import annotations

import asyncio
import time

import pyoxigraph as ox
import pytest

from factmark.errors import QueryError, QueryTimeoutError, StoreError
from factmark.stores.memory import MemoryStore, RememberingStore, is_settled
from factmark.stores.store import Graphs
from factmark.stores.terms import Rows
from servers.stores import RUNAWAY, quads


@pytest.fixture
def store() -> MemoryStore:
    data = ox.Store()
    data.extend(quads(300))
    return MemoryStore(data, name="demo")


async def test_answers(store: MemoryStore) -> None:
    rows = await store.query("SELECT ?s { ?s <urn:label> ?o }")
    assert rows.rows[0][0] is not None
    assert rows.rows[0][0].value == "urn:x"
    assert (await store.query("ASK { ?s ?p ?o }")).boolean is True
    assert (await store.query("ASK FROM <urn:none> { ?s ?p ?o }")).boolean is False
    assert store.identity == "memory:demo@301"


async def test_limits(store: MemoryStore) -> None:
    endless = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
    assert (await store.query(endless, max_rows=7)).truncated
    started = time.monotonic()
    with pytest.raises(QueryTimeoutError):
        await store.query(endless, timeout=0.1, max_rows=10**9)
    assert time.monotonic() - started < 5


async def test_errors(store: MemoryStore) -> None:
    for query in ("SELECT * { ?s", "SELECT * { ?s ?p }", "DROP ALL"):
        with pytest.raises(QueryError):
            await store.query(query)
    async with store:
        pass
    with pytest.raises(StoreError, match="closed"):
        await store.query("ASK {}")


async def test_an_empty_store() -> None:
    async with MemoryStore() as store:
        assert (await store.query(RUNAWAY)).rows[0][0] is not None


DATA = b"<urn:a> <urn:p> 1 . <urn:b> <urn:p> 2 ."


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


ALL = "SELECT ?v { ?s <urn:p> ?v } ORDER BY ?v"


@pytest.fixture
def counting() -> Counting:
    held = ox.Store()
    held.load(DATA, format=ox.RdfFormat.TURTLE)
    return Counting(held)


async def test_many_at_once_ask_once(counting: Counting) -> None:
    known = RememberingStore(counting)
    every = await asyncio.gather(*(known.query(ALL) for _ in range(8)))
    assert counting.asked == 1
    assert all(rows == every[0] for rows in every)
    assert await known.query(ALL) == every[0]
    assert counting.asked == 1


async def test_limits_and_graphs_are_told_apart(counting: Counting) -> None:
    known = RememberingStore(counting)
    whole, one = await known.query(ALL), await known.query(ALL, max_rows=1)
    none = await known.query(ALL, graphs=Graphs(default=("urn:nowhere",)))
    assert counting.asked == 3
    assert (len(whole.rows), len(one.rows), len(none.rows)) == (2, 1, 0)


async def test_failures_are_asked_again(counting: Counting) -> None:
    known = RememberingStore(counting)
    for _ in range(2):
        with pytest.raises(QueryError):
            await known.query("SELECT nonsense")
    assert counting.asked == 2


async def test_the_oldest_are_forgotten_when_there_is_no_room(counting: Counting) -> None:
    known = RememberingStore(counting, cells=6)  # each of these takes three
    queries = [ALL, f"{ALL} #2", f"{ALL} #3"]
    for query in queries:
        await known.query(query)
    await known.query(queries[2])
    assert counting.asked == 3
    await known.query(queries[0])
    assert counting.asked == 4


async def test_one_who_gives_up_does_not_cost_the_others_their_rows(counting: Counting) -> None:
    known = RememberingStore(counting)
    first = asyncio.create_task(known.query(ALL))
    second = asyncio.create_task(known.query(ALL))
    await asyncio.sleep(0)
    first.cancel()
    assert len((await second).rows) == 2
    assert counting.asked == 1


def test_memory_is_not_settled(counting: Counting) -> None:
    assert not is_settled(counting)
