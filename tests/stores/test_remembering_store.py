"""A store that remembers what it was asked."""

from __future__ import annotations

import asyncio
from typing import Any

import pyoxigraph as ox
import pytest

from factmark.errors import QueryError
from factmark.stores.remembering import RememberingStore
from factmark.stores.store import Graphs
from factmark.stores.terms import Rows
from servers.stores import MemoryStore

ALL = "SELECT ?v { ?s <urn:p> ?v } ORDER BY ?v"


class Counting(MemoryStore):
    """A real store that counts."""

    asked = 0

    async def query(self, sparql: str, **options: Any) -> Rows:
        self.asked += 1
        await asyncio.sleep(0)
        return await super().query(sparql, **options)


@pytest.fixture
def counting() -> Counting:
    held = ox.Store()
    held.load(b"<urn:a> <urn:p> 1 . <urn:b> <urn:p> 2 .", format=ox.RdfFormat.TURTLE)
    return Counting(held)


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
