"""Clients that send half a request, or read nothing, over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest

from factmark.http.addresses import host_name
from factmark.http.async_tools import Closing
from factmark.http.serving import Connection, Door, DoorLimits
from factmark.stores.server import ServerLimits, serve
from factmark.stores.terms import Rows, Term

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
UNFINISHED = (
    b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\n"
    b"Content-Length: 100\r\n\r\nASK"
)
HALF = b"GET /sparql HTTP/1.1\r\nHost: loc"
WHOLE = b"GET /sparql?query=big HTTP/1.1\r\nHost: localhost\r\n\r\n"
BIG = 24_000_000  # more than sockets take of a client that does not read


class Store(Closing):
    """Answers `big` with a long text, all else with true."""

    identity = "test"

    async def query(self, sparql: str, **_: Any) -> Rows:
        if sparql != "big":
            return Rows(boolean=True)
        return Rows(variables=("x",), rows=((Term(kind="literal", value="x" * BIG),),))

    async def close(self) -> None:
        pass


@asynccontextmanager
async def endpoint(door: DoorLimits, limits: ServerLimits | None = None) -> AsyncIterator[str]:
    started: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    task = asyncio.create_task(
        serve(Store(), port=0, limits=limits, door_limits=door, ready=started.set_result)
    )
    try:
        yield await started
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@asynccontextmanager
async def clients(url: str, number: int, sent: bytes) -> AsyncIterator[list[Streams]]:
    """Clients that send this, and read nothing by themselves."""
    port = int(url.split(":")[2].partition("/")[0])
    opened = []
    try:
        for _ in range(number):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            writer.write(sent)
            opened.append((reader, writer))
        yield opened
    finally:
        for _, writer in opened:
            writer.transport.abort()


async def asked(url: str, query: str = "ASK {}") -> int:
    async with aiohttp.ClientSession() as session:
        async with session.get(url, params={"query": query}) as response:
            await response.read()
            return response.status


async def is_closed(streams: Streams) -> bool:
    with contextlib.suppress(ConnectionError):
        async with asyncio.timeout(30):
            while await streams[0].read(100_000):
                pass
    return True


@pytest.mark.parametrize("sent", [HALF, UNFINISHED, b""])
async def test_who_sends_no_whole_request_makes_room(sent: bytes) -> None:
    limits = ServerLimits(in_flight=2, per_address=2)
    for door in (DoorLimits(connections=5), DoorLimits(per_address=5)):
        async with endpoint(door, limits) as url, clients(url, 20, sent) as opened:
            async with asyncio.timeout(30):
                assert await asked(url) == 200
                assert await is_closed(opened[0])


@pytest.mark.parametrize("sent", [HALF, UNFINISHED, b""])
async def test_a_connection_with_half_a_request_is_closed_in_time(sent: bytes) -> None:
    async with endpoint(DoorLimits(request_seconds=0.1)) as url:
        async with clients(url, 1, sent) as opened:
            assert await is_closed(opened[0])


async def test_a_slow_request_that_becomes_whole_is_answered() -> None:
    async with endpoint(DoorLimits(request_seconds=5)) as url, clients(url, 1, HALF) as opened:
        reader, writer = opened[0]
        await asyncio.sleep(0.1)
        writer.write(b"alhost\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 400")  # it has no query


async def test_an_unread_result_counts_until_its_reader_is_given_up() -> None:
    limits = ServerLimits(in_flight=1)
    async with endpoint(DoorLimits(write_seconds=0.5), limits) as url:
        async with clients(url, 1, WHOLE):
            async with asyncio.timeout(30):
                while await asked(url) != 503:  # until it is being written
                    pass
                while await asked(url) != 200:  # until its reader is given up
                    pass


async def test_a_slow_reader_gets_all() -> None:
    async with endpoint(DoorLimits(write_seconds=0.3)) as url, clients(url, 1, WHOLE) as opened:
        reader, size = opened[0][0], 0
        while size < BIG:
            size += len(await reader.read(2**20))
            await asyncio.sleep(0.0005)
        assert size >= BIG


async def test_unread_results_are_bounded_in_all_and_small_ones_still_served() -> None:
    limits = ServerLimits(unread_bytes=3 * BIG)
    async with endpoint(DoorLimits(), limits) as url, clients(url, 1, WHOLE) as opened:
        assert (await opened[0][0].readline()).startswith(b"HTTP/1.1 200")
        assert await asked(url, "big") == 503  # half of it is one address's
        assert await asked(url) == 200


def test_who_is_signed_in_is_put_out_last() -> None:
    async def run() -> list[int]:
        door = Door(DoorLimits(connections=3))
        closed: list[int] = []
        for number in range(5):
            connection = Connection(door, asyncio.Protocol())
            connection.connection_made(Wire(number, closed))
            connection.signed_in = number == 0
            if number == 1:
                connection.arrived()  # a request of it is being answered
        return closed

    assert asyncio.run(run()) == [2, 3]


class Wire(asyncio.Transport):
    """A transport that notes its end."""

    def __init__(self, number: int, closed: list[int]) -> None:
        super().__init__({"peername": ("10.0.0.1", number)})
        self._number, self._closed = number, closed

    def abort(self) -> None:
        self._closed.append(self._number)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("[::1].evil", ""),
        ("[::1]evil:80", ""),
        ("x[::1]", ""),
        ("[::1", ""),
        ("[::1]:80", "::1"),
        ("[::1]", "::1"),
        ("LocalHost:80", "localhost"),
        ("localhost:", "localhost"),
        ("localhost:x", ""),
        ("", ""),
    ],
)
def test_the_name_in_a_host_header(header: str, name: str) -> None:
    assert host_name(header) == name
