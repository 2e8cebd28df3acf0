"""The store in this process answers as the one in a worker does."""

from __future__ import annotations

import time

import pyoxigraph as ox
import pytest

from factmark.errors import QueryError, QueryTimeoutError, StoreError
from factmark.stores.memory import MemoryStore
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
