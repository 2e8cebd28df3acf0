"""Slow, busy, limiting and absent servers, over sockets, by a clock that runs 100 times as fast."""

from __future__ import annotations

import asyncio
import json
import selectors
from collections import deque
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from factmark.ask.chat import Failure, Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from servers.scripted import Answer

SPEED = 100


class QuickSelector(selectors.DefaultSelector):
    def select(self, timeout: float | None = None) -> Any:
        return super().select(timeout / SPEED if timeout else timeout)


class QuickLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__(QuickSelector())

    def time(self) -> float:
        return super().time() * SPEED


@pytest.fixture(autouse=True)
def _connections_take_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factmark.http.client._CONNECT_SECONDS", 10.0 * SPEED)


def quickly(work: Coroutine[Any, Any, Any]) -> Any:
    with asyncio.Runner(loop_factory=QuickLoop) as runner:
        return runner.run(work)


@dataclass
class Busy:
    """A model server with so many slots, whose others wait, and so many requests a minute."""

    slots: int = 1_000
    seconds: float = 0.0
    rpm: int = 0
    after: dict[str, str] = field(default_factory=dict)
    absent: bool = False
    hangs: bool = False
    requests: int = 0
    most: int = 0
    _now: int = 0
    _sent: deque[float] = field(default_factory=deque)
    _places: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._places = asyncio.Semaphore(self.slots)

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        now = asyncio.get_running_loop().time()
        self.requests += 1
        if self.absent:
            return web.json_response({"error": {"message": "down"}}, status=503)
        while self._sent and self._sent[0] < now - 60:
            self._sent.popleft()
        if self.rpm and len(self._sent) >= self.rpm:
            return web.json_response({"error": {"message": "slow"}}, status=429, headers=self.after)
        self._sent.append(now)
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            async with self._places:
                await asyncio.sleep(1e6 if self.hangs else self.seconds)
        finally:
            self._now -= 1
        usage = {"prompt_tokens": 12, "completion_tokens": 128}
        message = {"content": "yes"}
        return web.json_response({"choices": [{"message": message}], "usage": usage})


@asynccontextmanager
async def served(answer: Answer, port: int = 0) -> AsyncIterator[str]:
    async def handle(request: web.Request) -> web.StreamResponse:
        return await answer(request)

    app = web.Application()
    app.router.add_post("/v1/chat/completions", handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


async def ask(
    url: str, number: int, tell: Callable[[str], None] = lambda _: None, **rates: Any
) -> tuple[list[Any], float, ChatClient]:
    """What came of so many requests, the seconds that they took, and their client."""
    loop = asyncio.get_running_loop()
    start = loop.time()
    spec = ModelSpec.parse("openai:m", base_url=url)
    async with ChatClient(spec, rates=Rates(**rates), tell=tell) as client:
        got = await asyncio.gather(*(client.ask(Request.of(f"{n}")) for n in range(number)))
    return got, loop.time() - start, client


def replies(got: list[Any]) -> int:
    return sum(isinstance(outcome, Reply) for outcome in got)


@pytest.mark.parametrize(
    ("slots", "seconds", "number", "rates"),
    [(1, 5.0, 20, {}), (4, 20.0, 20, {}), (1, 6.0, 40, {"concurrency": 64})],
)
def test_a_slow_server_loses_nothing(
    slots: int, seconds: float, number: int, rates: dict[str, Any]
) -> None:
    async def work() -> None:
        busy = Busy(slots=slots, seconds=seconds)
        async with served(busy) as url:
            got, _, _ = await ask(url, number, **rates)
        assert replies(got) == number
        assert rates or busy.most <= 4 * slots + 4

    quickly(work())


def test_more_are_asked_at_a_time_of_a_server_that_keeps_up() -> None:
    async def work() -> None:
        busy = Busy(seconds=30.0)
        async with served(busy) as url:
            await ask(url, 300)
        assert busy.most >= 16  # twice as many, twice; a busy machine is taken for a slow server

    quickly(work())


@pytest.mark.parametrize(
    ("after", "rates"),
    [
        ({}, {}),
        ({"Retry-After": "2.5"}, {}),
        ({"retry-after-ms": "4000"}, {}),
        ({}, {"concurrency": 64}),
        ({"Retry-After": "0"}, {"concurrency": 16}),
    ],
)
def test_few_requests_a_minute_lose_nothing(after: dict[str, str], rates: dict[str, Any]) -> None:
    async def work() -> None:
        busy, lines = Busy(rpm=30, after=after), []
        async with served(busy) as url:
            got, seconds, client = await ask(url, 60, lines.append, **rates)
        assert replies(got) == 60
        assert seconds < 20 * 60  # of 60 for each that is turned away once
        assert client.account.spend.calls == 60
        assert len(lines) <= 1

    quickly(work())


@pytest.mark.parametrize("rates", [{"rpm": 30}, {"tpm": 30 * 133}])
def test_a_given_rate_is_kept(rates: dict[str, int]) -> None:
    async def work() -> None:
        busy = Busy(rpm=30)
        async with served(busy) as url:
            got, seconds, _ = await ask(url, 34, **rates)
        assert (replies(got), busy.requests) == (34, 34)
        assert seconds > 60

    quickly(work())


@pytest.mark.parametrize("refused", [True, False])
def test_an_outage_is_waited_for_and_told(refused: bool) -> None:
    async def work() -> None:
        lines, busy = list[str](), Busy(seconds=5.0)
        async with served(busy) as url:
            asking = asyncio.create_task(ask(url, 200, lines.append))
            while busy.requests < 20:  # noqa: ASYNC110  # the server counts
                await asyncio.sleep(1)
            busy.absent = not refused
            while not (refused or lines or asking.done()):  # noqa: ASYNC110
                await asyncio.sleep(1)
            busy.absent = False
            got = None if refused else await asking
        if refused:
            while not (lines or asking.done()):  # noqa: ASYNC110
                await asyncio.sleep(1)
            async with served(Busy(), int(url.rpartition(":")[2].partition("/")[0])):
                got = await asking
        assert got is not None
        assert (replies(got[0]), got[2].account.exhausted) == (200, "")
        assert "waiting for it until" in lines[0]
        assert "answers again" in lines[-1]

    quickly(work())


def test_a_server_that_hangs_ends_a_run_within_minutes() -> None:
    async def work() -> None:
        async with served(Busy(hangs=True)) as url:
            got, seconds, client = await ask(url, 100)
        assert seconds < 1_800
        assert "in a row failed" in client.account.exhausted
        assert 2 <= sum(isinstance(outcome, Failure) for outcome in got) <= 4

    quickly(work())


def test_a_prompt_always_turned_away_is_one_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("factmark.ask.pace.pace._AWAY", 200.0)

    async def picky(request: web.Request) -> web.StreamResponse:
        asked = json.loads(await request.read())
        if asked["messages"][-1]["content"] == "7":
            return web.json_response({"error": {"message": "too many tokens"}}, status=429)
        await asyncio.sleep(1)
        return web.json_response({"choices": [{"message": {"content": "yes"}}]})

    async def work() -> None:
        async with served(picky) as url:
            got, _, client = await ask(url, 200, concurrency=4)
        assert replies(got) == 199
        assert client.account.exhausted == ""

    quickly(work())


def test_a_wait_of_hours_is_not_waited() -> None:
    async def work() -> None:
        busy = Busy(rpm=1, after={"Retry-After": "86400"})
        async with served(busy) as url:
            got, seconds, _ = await ask(url, 3)
        assert (replies(got), seconds < 3_600) == (1, True)

    quickly(work())
