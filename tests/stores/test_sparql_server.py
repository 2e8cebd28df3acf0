"""The endpoint that is served, seen by other clients."""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest
import pytest_asyncio
from SPARQLWrapper import CSV, JSON, POST, TSV, XML, SPARQLWrapper

from factmark.errors import EndpointError, QueryTimeoutError
from factmark.stores.endpoint import HttpEndpoint
from factmark.stores.folder import FolderStore
from factmark.stores.results import WRITERS
from factmark.stores.server import ServerLimits, create_app, preferred, serve
from servers.scripted import running
from servers.stores import RUNAWAY, write_store

pytestmark = pytest.mark.asyncio(loop_scope="module")
LABEL = "SELECT ?s ?l { ?s <urn:label> ?l }"
ALL = "SELECT * { ?s ?p ?o }"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(folder: Path) -> AsyncIterator[FolderStore]:
    async with FolderStore(folder, workers=2) as opened:
        yield opened


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def url(store: FolderStore) -> AsyncIterator[str]:
    limits = ServerLimits(timeout=60, max_rows=100)
    async with running(create_app(store, limits=limits)) as base:
        yield f"{base}/sparql"


@pytest_asyncio.fixture(loop_scope="module")
async def hasty(store: FolderStore) -> AsyncIterator[str]:
    limits = ServerLimits(timeout=0.7, in_flight=2)
    async with running(create_app(store, limits=limits)) as base:
        yield f"{base}/sparql"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def client() -> AsyncIterator[aiohttp.ClientSession]:
    async with aiohttp.ClientSession() as session:
        yield session


async def test_the_usual_python_client_reads_results(url: str) -> None:
    def ask(form: str, query: str = LABEL) -> object:
        wrapper = SPARQLWrapper(url)
        wrapper.setMethod(POST)
        wrapper.setQuery(query)
        wrapper.setReturnFormat(form)
        return wrapper.queryAndConvert()

    found = await asyncio.to_thread(ask, JSON)
    assert found == {
        "head": {"vars": ["s", "l"]},
        "results": {
            "bindings": [
                {
                    "s": {"type": "uri", "value": "urn:x"},
                    "l": {"type": "literal", "value": "Grüße", "xml:lang": "de"},
                }
            ]
        },
    }
    assert await asyncio.to_thread(ask, JSON, "ASK { ?s ?p ?o }") == {"head": {}, "boolean": True}
    document = await asyncio.to_thread(ask, XML)
    assert document.getElementsByTagName("literal")[0].firstChild.data == "Grüße"  # type: ignore[attr-defined]
    assert await asyncio.to_thread(ask, CSV) == "s,l\r\nurn:x,Grüße\r\n".encode()
    assert await asyncio.to_thread(ask, TSV) == '?s\t?l\n<urn:x>\t"Grüße"@de\n'.encode()


async def test_a_query_past_its_limits_is_not_sent_again(url: str, hasty: str) -> None:
    async with HttpEndpoint(hasty) as endpoint:
        begun = time.monotonic()
        with pytest.raises(QueryTimeoutError, match=r"503 .* the limit on its time"):
            await endpoint.query(RUNAWAY)
        assert time.monotonic() - begun < 2, "it was asked again, and would run late again"
    async with HttpEndpoint(url) as endpoint:
        with pytest.raises(EndpointError, match=r"400 .* does not take"):
            await endpoint.query("SELECT ?x { ?s ?p }")


async def test_a_cut_off_result_says_so_in_a_header(
    url: str, client: aiohttp.ClientSession
) -> None:
    async with client.get(url, params={"query": ALL}) as response:
        assert response.headers["X-Result-Truncated"] == "true; max-rows=100"
        assert len((await response.json(content_type=None))["results"]["bindings"]) == 100
    async with client.get(url, params={"query": LABEL}) as response:
        assert "X-Result-Truncated" not in response.headers
        assert "Access-Control-Allow-Origin" not in response.headers
        assert response.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("query=DROP+ALL", 400),
        ("", 400),
        ("query=ASK{}&query=ASK{}", 400),
        ("update=DROP+ALL", 400),
        ("query=ASK{}&default-graph-uri=urn:g", 200),
        ("query=ASK{}&named-graph-uri=file:///etc", 400),
        ("query=ASK{}&default-graph-uri=a%20b", 400),
        ("query=ASK{}&using-graph-uri=urn:g", 400),
    ],
)
async def test_a_request_needs_exactly_one_query_and_a_readable_dataset(
    url: str, client: aiohttp.ClientSession, query: str, status: int
) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    for response in (
        await client.get(f"{url}?{query}"),
        await client.post(url, data=query, headers=form),
    ):
        assert response.status == status, await response.text()
        if status != 200:
            assert response.content_type == "text/plain"
            assert len((await response.text()).strip()) > 10


@pytest.mark.parametrize(
    ("method", "media", "body", "status"),
    [
        ("PUT", None, b"", 405),
        ("POST", "application/sparql-update", b"DROP ALL", 415),
        ("POST", "application/sparql-query; charset=latin1", b"ASK {}", 415),
        ("POST", "application/sparql-query", b"ASK { ?s ?p '\xff' }", 400),
        ("POST", "application/sparql-query; charset=UTF-8", b"ASK {}", 200),
        ("POST", "application/sparql-query", b"ASK {} #" + b"x" * 5_000_000, 413),
        ("POST", "application/sparql-query", b"ASK {} #" + b"x" * 100_000, 400),
    ],
)
async def test_a_body_is_read_by_its_media_type_and_method(
    url: str,
    client: aiohttp.ClientSession,
    method: str,
    media: str | None,
    body: bytes,
    status: int,
) -> None:
    headers = {"Content-Type": media} if media else {}
    async with client.request(method, url, data=body, headers=headers) as response:
        assert response.status == status, await response.text()
        if status == 405:
            assert response.headers["Allow"] == "GET,HEAD,POST"
        if status != 200:
            assert response.content_type == "text/plain"


async def test_the_accept_header_chooses_the_format(
    url: str, client: aiohttp.ClientSession
) -> None:
    for accept, status, media in (
        ("text/csv", 200, "text/csv"),
        ("text/html,*/*;q=0.8", 200, "application/sparql-results+json"),
        ("image/png", 406, "text/plain"),
    ):
        async with client.get(url, params={"query": LABEL}, headers={"Accept": accept}) as response:
            assert (response.status, response.content_type) == (status, media)
    async with client.head(url, params={"query": "ASK {}"}) as response:
        assert response.status == 200


@pytest.mark.parametrize(
    ("accept", "media"),
    [
        ("", "application/sparql-results+json"),
        ("text/*", "text/csv"),
        ("*/*, application/*;q=0", "text/csv"),
        ("text/csv;q=0.1, text/tab-separated-values;q=0.2", "text/tab-separated-values"),
        ("text/csv;q=nonsense", None),
        ("TEXT/CSV ; q=1.0", "text/csv"),
    ],
)
async def test_of_accepted_types_the_most_exact_and_best_liked_wins(
    accept: str, media: str | None
) -> None:
    assert preferred(accept, WRITERS) == media


async def test_foreign_host_names_are_refused(url: str, client: aiohttp.ClientSession) -> None:
    port = url.split(":")[2].split("/")[0]
    for host, status in (
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("", 403),
        (f"localhost:{port}", 200),
        (f"[::1]:{port}", 200),
    ):
        async with client.get(url, params={"query": "ASK {}"}, headers={"Host": host}) as response:
            assert response.status == status, host


async def test_another_origin_may_read_results_only_if_it_is_named(
    store: FolderStore, client: aiohttp.ClientSession
) -> None:
    async with running(create_app(store, cors_origin="https://e.example")) as base:
        async with client.get(f"{base}/sparql", params={"query": "ASK {}"}) as response:
            assert response.headers["Access-Control-Allow-Origin"] == "https://e.example"


async def test_queries_beyond_the_limit_are_turned_away_until_places_are_free(
    hasty: str, client: aiohttp.ClientSession
) -> None:
    slow = [asyncio.create_task(client.get(hasty, params={"query": RUNAWAY})) for _ in range(2)]
    await asyncio.sleep(0.3)
    async with client.get(hasty, params={"query": "ASK {}"}) as response:
        assert response.status == 503
        assert response.headers["Retry-After"] == "2"
    for response in await asyncio.gather(*slow):
        assert response.status == 503
        assert response.headers["X-Query-Limit"] == "time"
    async with client.get(hasty, params={"query": "ASK {}"}) as response:
        assert response.status != 503


async def test_a_query_that_needs_too_much_memory_is_told(
    folder: Path, client: aiohttp.ClientSession
) -> None:
    hungry = "SELECT ?t { ?a ?b ?c . ?d ?e ?f BIND(CONCAT(STR(?a), STR(?d)) AS ?t) } ORDER BY ?t"
    async with FolderStore(folder, memory=100 * 2**20) as store:
        async with running(create_app(store)) as base:
            asked = client.get(f"{base}/sparql", params={"query": hungry})
            async with asked as response:
                assert response.status == 503, await response.text()
                assert response.headers["X-Query-Limit"] == "memory"
                assert "memory" in await response.text()


async def test_a_body_that_is_announced_too_long_is_not_waited_for(url: str) -> None:
    host, port = url.split("/")[2].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    head = "Content-Type: application/sparql-query\r\nContent-Length: 300000000\r\n\r\nASK"
    writer.write(f"POST /sparql HTTP/1.1\r\nHost: {host}\r\n{head}".encode())
    line = await asyncio.wait_for(reader.readline(), 3)
    writer.close()
    assert line.startswith(b"HTTP/1.1 413")


async def test_who_hangs_up_or_speaks_no_http_leaves_no_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """The result is too long for the buffers, so that the server still writes as the client ends
    the connection."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    async with FolderStore(write_store(tmp_path / "store", size=20_000)) as store:
        server = asyncio.create_task(serve(store, port=0, ready=address.set_result))
        host, port = (await address).split("/")[2].split(":")
        query = "SELECT%20*%20%7B%3Fs%20%3Fp%20%3Fo.%3Fa%20%3Fb%20%3Fc%7DLIMIT%2030000"
        ask = f"GET /sparql?query={query} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode()
        for sent, read in ((ask, 1_000), (ask, 0), (b"GET /\x16 nonsense\r\n\r\n", 10)):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(sent)
            assert not read or await asyncio.wait_for(reader.read(read), 120)
            linger = struct.pack("ii", 1, 0)  # it ends by a reset
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            writer.transport.abort()
        async with HttpEndpoint(f"http://{host}:{port}/sparql") as endpoint:
            assert (await endpoint.query("ASK {}")).boolean is True
        server.cancel()
        await asyncio.gather(server, return_exceptions=True)
    assert "Traceback" not in capfd.readouterr().err
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_client_that_leaves_ends_its_query(folder: Path) -> None:
    async with FolderStore(folder) as store:
        limits = ServerLimits(timeout=60)
        async with running(create_app(store, limits=limits)) as base:
            async with HttpEndpoint(f"{base}/sparql") as endpoint:
                with pytest.raises(EndpointError):
                    await endpoint.query(RUNAWAY, timeout=0.3)
                # With one worker this could not be answered were the other still running.
                assert (await endpoint.query("ASK { ?s ?p ?o }", timeout=20)).boolean is True


async def test_a_failing_store_is_told_without_its_path(
    folder: Path, client: aiohttp.ClientSession
) -> None:
    store = FolderStore(folder)
    await store.close()
    async with running(create_app(store)) as base:
        async with client.get(f"{base}/sparql", params={"query": "ASK {}"}) as response:
            assert response.status == 500
            assert str(folder) not in await response.text()
        async with client.get(f"{base}/") as response:
            assert "read-only" in await response.text()
        async with client.get(f"{base}/other") as response:
            assert response.status == 404
