"""A query's dataset, named outside of the query: nothing in the query reaches past it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from aiohttp.test_utils import TestServer

from factmark.errors import QueryError
from factmark.stores.endpoint import HttpEndpoint
from factmark.stores.folder import FolderStore
from factmark.stores.server import create_app
from factmark.stores.store import Graphs, Store

pytestmark = pytest.mark.asyncio(loop_scope="module")
DATA = "".join(f'<urn:s> <urn:p> "in {g}" <urn:{g}> .\n' for g in "abc")
PLAIN = "SELECT ?o { ?s ?p ?o } ORDER BY ?o"
ANY = "SELECT ?o { GRAPH ?g { ?s ?p ?o } } ORDER BY ?o"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Store]:
    """Three graphs in a worker, behind our own endpoint."""
    file = tmp_path_factory.mktemp("graphs") / "three.nq"
    file.write_text(DATA)
    async with FolderStore(file) as folder:
        server = TestServer(create_app(folder))
        await server.start_server()
        async with HttpEndpoint(str(server.make_url("/sparql"))) as endpoint:
            yield endpoint
        await server.close()


async def values(store: Store, query: str, graphs: Graphs | None) -> list[str]:
    rows = await store.query(query, graphs=graphs)
    return [cell.value for row in rows.rows for cell in row if cell is not None]


QUERIES = [
    PLAIN,
    ANY,
    "SELECT ?o FROM <urn:b> FROM NAMED <urn:b> { ?s ?p ?o }",
    "SELECT ?o FROM NAMED <urn:b> FROM NAMED <urn:c> { GRAPH ?g { ?s ?p ?o } }",
    "SELECT ?o { { GRAPH <urn:b> { ?s ?p ?o } } UNION { ?s ?p ?o } }",
    "SELECT ?o { ?s ?p ?o FILTER NOT EXISTS { GRAPH <urn:c> { ?s ?x ?y } } }",
    "SELECT ?o { { SELECT ?o { GRAPH ?g { ?s ?p ?o } } } }",
    "SELECT ?o { VALUES ?g { <urn:a> <urn:b> } GRAPH ?g { ?s ?p ?o } }",
]


async def test_one_graph_and_no_other(store: Store) -> None:
    for query in QUERIES:
        assert await values(store, query, Graphs.only("urn:a")) == ["in a"], query
    assert await values(store, PLAIN, Graphs.only("urn:nowhere")) == []
    assert await values(store, PLAIN, None) == ["in a", "in b", "in c"]


async def test_default_and_named_graphs_are_told_apart(store: Store) -> None:
    graphs = Graphs(default=("urn:a", "urn:b"), named=("urn:c",))
    assert await values(store, PLAIN, graphs) == ["in a", "in b"]
    assert await values(store, ANY, graphs) == ["in c"]
    assert await values(store, PLAIN, Graphs(named=("urn:c",))) == []
    assert await values(store, ANY, Graphs(default=("urn:c",))) == []


@pytest.mark.parametrize("iri", ["", "a b", "file:///etc/passwd", "urn:a> <urn:b", "relative"])
async def test_a_graph_whose_name_could_be_fetched_is_refused(iri: str) -> None:
    with pytest.raises(QueryError):
        Graphs.only(iri)
