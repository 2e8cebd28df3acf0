"""Queries on a folder: answers, limits, and every way in which a worker can end."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pyoxigraph as ox
import pytest
import pytest_asyncio

from factmark.errors import InputError, QueryError, QueryTimeoutError, StoreError
from factmark.stores.folder import FolderStore
from factmark.stores.open_store import open_store
from factmark.stores.process import WorkerProcess
from factmark.stores.terms import Term
from factmark.stores.worker import open_read_only
from mcp_setup import soon_gone
from servers.stores import RUNAWAY, quads, write_store

pytestmark = pytest.mark.asyncio(loop_scope="module")
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
COUNT = "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def store(folder: Path) -> AsyncIterator[FolderStore]:
    async with FolderStore(folder) as opened:
        yield opened


async def number(store: FolderStore, query: str = COUNT) -> str:
    rows = (await store.query(query)).rows
    assert rows[0][0] is not None
    return rows[0][0].value


async def pid(store: FolderStore) -> int:
    await store.query("ASK {}")
    return store.processes[0]


async def test_every_kind_of_term_comes_back(store: FolderStore) -> None:
    rows = await store.query(
        "SELECT ?s ?label ?n ?missing ?plain ?blank "
        "{ ?s <urn:label> ?label . <urn:s7> ?p ?n BIND('x' AS ?plain) BIND(BNODE() AS ?blank) }"
    )
    assert rows.variables == ("s", "label", "n", "missing", "plain", "blank")
    assert not rows.truncated
    [row] = rows.rows
    assert row[:5] == (
        Term(kind="iri", value="urn:x"),
        Term(kind="literal", value="Grüße", language="de"),
        Term(kind="literal", value="7", datatype="http://www.w3.org/2001/XMLSchema#integer"),
        None,
        Term(kind="literal", value="x"),
    )
    assert row[5] is not None
    assert row[5].kind == "bnode"
    assert (await store.query("ASK { <urn:s1> ?p ?o }")).boolean is True
    assert (await store.query("ASK { <urn:nobody> ?p ?o }")).boolean is False


async def test_patterns_outside_graph_match_the_union_unless_told_otherwise(
    folder: Path, store: FolderStore
) -> None:
    assert await number(store) == "301"
    assert await number(store, "SELECT (COUNT(*) AS ?n) FROM <urn:h> { ?s ?p ?o }") == "1"
    assert await number(store, "SELECT (COUNT(*) AS ?n) { GRAPH <urn:g> { ?s ?p ?o } }") == "300"
    async with FolderStore(folder, union_default_graph=False) as plain:
        assert await number(plain) == "0"


async def test_a_row_limit_sets_truncated_only_if_it_cuts(store: FolderStore) -> None:
    assert (await store.query(ENDLESS, max_rows=1234)).truncated
    for most, rows, truncated in ((301, 301, False), (300, 300, True), (0, 0, True)):
        result = await store.query("SELECT ?s { ?s ?p ?o }", max_rows=most)
        assert (len(result.rows), result.truncated) == (rows, truncated)


ENDLESS = "SELECT * { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"  # rows, and no end of them


@pytest.mark.parametrize("query", [RUNAWAY, ENDLESS])
async def test_a_runaway_query_is_killed_and_the_next_one_runs(
    store: FolderStore, query: str
) -> None:
    old = await pid(store)
    started = time.monotonic()
    with pytest.raises(QueryTimeoutError, match=r"0\.3 s"):
        await store.query(query, timeout=0.3, max_rows=10**9)
    assert 0.3 <= time.monotonic() - started < 30  # the query takes days
    assert soon_gone(old)
    assert await number(store) == "301"


async def test_a_worker_that_dies_is_told_and_replaced(store: FolderStore) -> None:
    old = await pid(store)
    task = asyncio.create_task(store.query(RUNAWAY))
    await asyncio.sleep(0.1)
    os.kill(old, signal.SIGKILL)
    with pytest.raises(StoreError, match="signal 9"):
        await task
    assert await number(store) == "301"
    os.kill(await pid(store), signal.SIGKILL)  # while idle: nobody should notice
    await asyncio.sleep(0.2)
    assert await number(store) == "301"


async def test_a_query_that_needs_too_much_memory_fails_and_the_next_works(folder: Path) -> None:
    hungry = (
        "SELECT ?t { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i "
        "BIND(CONCAT(STR(?a), STR(?d), STR(?g)) AS ?t) } ORDER BY ?t"
    )
    async with FolderStore(folder, memory=200 * 2**20) as store:
        with pytest.raises(StoreError, match="memory"):
            await store.query(hungry, timeout=60)
        assert await number(store) == "301"


async def test_wrong_queries_leave_the_worker_alone(store: FolderStore) -> None:
    old = await pid(store)
    for query in (
        "INSERT DATA {}",
        "SELECT * { ?s ?p ?o FILTER(<urn:unknown>(?o)) }",
        "SELECT (<<( <urn:a> <urn:b> 1 )>> AS ?t) {}",
    ):
        with pytest.raises(QueryError):
            await store.query(query)
    assert await pid(store) == old


async def test_the_worker_opens_no_socket(folder: Path) -> None:
    """The second wall: were SERVICE let through, the kernel would refuse."""
    if sys.platform != "linux":
        pytest.skip("a Linux filter")
    code = (
        "import os, socket\n"
        "from factmark.stores.worker import confine\n"
        "confine(os.getppid(), 0)\n"
        "try:\n    socket.socket()\nexcept PermissionError:\n    print('refused')\n"
    )
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", code],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "refused\n", done.stderr


async def test_several_coroutines_share_the_workers(folder: Path) -> None:
    async with FolderStore(folder, workers=2) as store:
        await asyncio.gather(number(store), number(store))
        both = set(store.processes)
        runaway = asyncio.create_task(store.query(RUNAWAY, timeout=60))
        counts = await asyncio.gather(*(number(store) for _ in range(9)))
        assert (set(counts), runaway.done()) == ({"301"}, False)
        assert set(store.processes) == both
        runaway.cancel()


async def test_close_ends_running_queries(folder: Path) -> None:
    store = FolderStore(folder)
    old = await pid(store)
    task = asyncio.create_task(store.query(RUNAWAY))
    await asyncio.sleep(0.1)
    await store.close()
    await store.close()
    with pytest.raises(StoreError):
        await task
    assert soon_gone(old)
    with pytest.raises(StoreError, match="closed"):
        await store.query(COUNT)


async def test_close_while_a_worker_starts(folder: Path) -> None:
    store = FolderStore(folder)
    task = asyncio.create_task(store.query(COUNT))
    await asyncio.sleep(0)
    await store.close()
    with pytest.raises(StoreError, match="closed"):
        await task
    assert store.processes == ()


async def test_a_damaged_store_is_reported_by_the_first_query(folder: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(folder, tmp_path / "copy"))
    for victim in copy.glob("MANIFEST-*"):  # noqa: ASYNC240
        victim.write_bytes(b"garbage")
    async with FolderStore(copy) as store:
        with pytest.raises(StoreError, match="cannot be opened"):
            await store.query(COUNT)


async def test_a_store_that_is_being_written_is_refused(tmp_path: Path) -> None:
    writer = ox.Store(str(tmp_path / "busy"))
    writer.add(quads(1)[0])
    writer.flush()
    async with FolderStore(tmp_path / "busy") as store:
        with pytest.raises(StoreError, match="written by another process"):
            await store.query(COUNT)
        del writer
        assert await number(store) == "1"


async def test_an_rdf_file_is_queried_and_a_broken_one_reported(tmp_path: Path) -> None:
    data = tmp_path / "data.nq"
    data.write_bytes(ox.serialize(quads(5), format=ox.RdfFormat.N_QUADS) or b"")
    async with open_store(path=data) as store:
        assert len((await store.query("SELECT * { ?s ?p ?o }")).rows) == 6
        assert store.identity.startswith("file:data.nq@")
    broken = tmp_path / "broken.ttl"
    broken.write_text("<urn:a> <urn:b> .")
    async with open_store(path=broken) as store:
        with pytest.raises(StoreError, match="no valid RDF"):
            await store.query(COUNT)


@pytest.mark.parametrize("name", ["data.nq.gz", "data.nq.bz2", "data.NQ.GZ"])
async def test_a_packed_rdf_file_is_queried_and_a_broken_one_reported(
    tmp_path: Path, name: str
) -> None:
    plain = ox.serialize(quads(5), format=ox.RdfFormat.N_QUADS) or b""
    pack = bz2.compress if name.endswith("bz2") else gzip.compress
    data = tmp_path / name
    data.write_bytes(pack(plain))
    async with open_store(path=data) as store:
        assert await number(store) == "6"
        assert store.identity.startswith(f"file:{name}@")
    for broken, told in ((pack(plain)[:-9], "cannot be opened"), (b"<urn:a> <urn:b> .", "opened")):
        data.write_bytes(broken)
        async with open_store(path=data) as store:
            with pytest.raises(StoreError, match=told):
                await store.query(COUNT)
    data.write_bytes(pack(b"no RDF"))
    async with open_store(path=data) as store:
        with pytest.raises(StoreError, match="no valid RDF"):
            await store.query(COUNT)


async def test_a_packed_file_names_its_format_first(tmp_path: Path) -> None:
    (tmp_path / "data.gz").write_bytes(gzip.compress(b""))
    with pytest.raises(StoreError, match=r"packed ones end in \.gz or \.bz2 after that"):
        open_store(path=tmp_path / "data.gz")


async def test_a_file_that_ends_in_owl_is_read_as_rdf_xml(tmp_path: Path) -> None:
    space = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    thing = f'<rdf:RDF xmlns:rdf="{space}"><rdf:Bag rdf:about="urn:b"/></rdf:RDF>'
    (tmp_path / "data.owl").write_text(thing)
    async with open_store(path=tmp_path / "data.owl") as store:
        assert await number(store) == "1"


async def test_a_prefix_that_is_not_declared_is_named(store: FolderStore) -> None:
    query = "PREFIX a: <urn:a> SELECT ?s { ?s foaf:name ?n ; a:b _:x ; dc:title 'x:y' }"
    with pytest.raises(QueryError, match=r"uses foaf:, dc: and .* add PREFIX foaf: <…>"):
        await store.query(query)
    with pytest.raises(QueryError, match="error at 1:39"):
        await store.query("PREFIX a: <urn:a> SELECT ?s { ?s a:b }")


async def test_a_crash_of_the_engine_is_told(folder: Path) -> None:
    """The guard refuses queries that crash it: the signal is sent instead."""
    request = {"query": RUNAWAY, "union": True, "max_rows": 1, "max_bytes": 1}
    worker = await WorkerProcess.start(folder, memory=0)
    asyncio.get_running_loop().call_later(0.2, os.kill, worker.pid, signal.SIGSEGV)
    with pytest.raises(StoreError, match="crashed"):
        await worker.ask(request, timeout=30)
    assert not worker.alive


async def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\n"
        "from factmark.stores.folder import FolderStore\n"
        "async def main():\n"
        "    store = FolderStore(sys.argv[1])\n"
        "    await store.query('ASK {}')\n"
        "    print(store.processes[0], flush=True)\n"
        "    await store.query(sys.argv[2], timeout=60)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen(  # noqa: ASYNC220
        [sys.executable, "-c", code, str(write_store(tmp_path / "demo")), RUNAWAY],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        text=True,
    ) as parent:
        assert parent.stdout is not None
        worker = int(await asyncio.to_thread(parent.stdout.readline))
        await asyncio.sleep(0.2)
        parent.kill()
    assert soon_gone(worker)


async def test_a_path_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    for name, reason in (("nowhere", "no such store"), ("empty", "no store"), ("notes.txt", "RDF")):
        with pytest.raises(StoreError, match=reason):
            FolderStore(tmp_path / name)


async def test_open_store_wants_one_place() -> None:
    for place in ({}, {"path": "x", "url": "http://e/"}):
        with pytest.raises(InputError):
            open_store(**place)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress])
async def test_a_byte_order_mark_is_passed_over(tmp_path: Path, pack: Callable) -> None:  # type: ignore[type-arg]
    ending = {gzip.compress: ".gz", bz2.compress: ".bz2"}.get(pack, "")
    path = tmp_path / f"a.ttl{ending}"
    path.write_bytes(pack("\ufeff<http://a/b> <http://a/c> 1 .".encode()))
    assert len(open_read_only(path)) == 1
    path.write_bytes(pack("<http://a/b> <http://a/c> 1 .".encode("utf-16")))
    with pytest.raises(StoreError, match=r"a.ttl.*: is UTF-16. Save it as UTF-8."):
        open_read_only(path)
