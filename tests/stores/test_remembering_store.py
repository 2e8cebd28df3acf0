"""A store that remembers: asked once, forgets when full, never remembers a failure."""

from __future__ import annotations

import asyncio

import pyoxigraph
import pytest

from factmark.errors import QueryError
from factmark.stores.memory import MemoryStore, RememberingStore, is_settled
from factmark.stores.store import Graphs
from factmark.stores.terms import Rows

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
def store() -> Counting:
    held = pyoxigraph.Store()
    held.load(DATA, format=pyoxigraph.RdfFormat.TURTLE)
    return Counting(held)


async def test_many_at_once_ask_once(store: Counting) -> None:
    known = RememberingStore(store)
    every = await asyncio.gather(*(known.query(ALL) for _ in range(8)))
    assert store.asked == 1
    assert all(rows == every[0] for rows in every)
    assert await known.query(ALL) == every[0]
    assert store.asked == 1


async def test_limits_and_graphs_are_told_apart(store: Counting) -> None:
    known = RememberingStore(store)
    whole, one = await known.query(ALL), await known.query(ALL, max_rows=1)
    none = await known.query(ALL, graphs=Graphs(default=("urn:nowhere",)))
    assert store.asked == 3
    assert (len(whole.rows), len(one.rows), len(none.rows)) == (2, 1, 0)


async def test_failures_are_asked_again(store: Counting) -> None:
    known = RememberingStore(store)
    for _ in range(2):
        with pytest.raises(QueryError):
            await known.query("SELECT nonsense")
    assert store.asked == 2


async def test_the_oldest_are_forgotten_when_there_is_no_room(store: Counting) -> None:
    known = RememberingStore(store, cells=6)  # each of these takes three
    queries = [ALL, f"{ALL} #2", f"{ALL} #3"]
    for query in queries:
        await known.query(query)
    await known.query(queries[2])
    assert store.asked == 3
    await known.query(queries[0])
    assert store.asked == 4


async def test_one_who_gives_up_does_not_cost_the_others_their_rows(store: Counting) -> None:
    known = RememberingStore(store)
    first = asyncio.create_task(known.query(ALL))
    second = asyncio.create_task(known.query(ALL))
    await asyncio.sleep(0)
    first.cancel()
    assert len((await second).rows) == 2
    assert store.asked == 1


def test_memory_is_not_settled(store: Counting) -> None:
    assert not is_settled(store)
