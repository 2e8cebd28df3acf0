"""How fast servers of many kinds are asked, in virtual time, beside who knows the server.

Nothing is lost, at most twice as long is needed and three times as many requests are sent.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from factmark.ask.chat import Failure, Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from factmark.http.client import Response
from servers.limiting import (
    Answer,
    Bucket,
    Chance,
    JumpingLoop,
    Knee,
    Line,
    Outages,
    Server,
    Slots,
    Windows,
    in_virtual_time,
    informed,
)

SERVERS: dict[str, tuple[int, Callable[[int], Server]]] = {
    "takes all, 5 ms": (1_000, lambda _: Server(0.005)),
    "takes all, 30 s": (600, lambda _: Server(30.0)),
    "long tail": (1_500, lambda seed: Server(0.3, spread=1.5, seed=seed)),
    "2 % refused for 10 s": (600, lambda seed: Chance(0.02, 0.1, after="10", seed=seed)),
    "15 % refused by 503": (800, lambda seed: Chance(0.15, 0.3, status=503, seed=seed)),
    "30 % refused by 529, spread": (
        1_000,
        lambda seed: Chance(0.3, 0.3, status=529, spread=1.0, seed=seed),
    ),
    "40 % refused for 1 s": (1_000, lambda seed: Chance(0.4, 0.02, after="1", seed=seed)),
    "40 % refused": (1_000, lambda seed: Chance(0.4, 0.5, seed=seed)),
    "40 % refused at once, of 5 s": (600, lambda seed: Chance(0.4, 5.0, quick=True, seed=seed)),
    "6 a minute": (40, lambda _: Bucket(6, 5, 1.0, after=False)),
    "30 a minute, one by one": (80, lambda _: Bucket(30, 1, 0.5)),
    "60 a minute, of 30 s": (200, lambda _: Bucket(60, 10, 30.0)),
    "300 a minute, one by one, without a word": (500, lambda _: Bucket(300, 1, 2.0, after=False)),
    "3,000 a minute": (1_500, lambda _: Bucket(3_000, 50, 0.3)),
    "600 a minute, as it tells": (900, lambda _: Bucket(600, 60, 1.0, told=True)),
    "900 a minute, then a quarter": (900, lambda _: Bucket(900, 30, 0.5, slower=(10, 40, 0.25))),
    "600 a minute, then three times": (
        1_200,
        lambda _: Bucket(1_800, 30, 0.5, slower=(0, 30, 0.33)),
    ),
    "300 each minute, then none": (800, lambda _: Windows(300, 60, 0.5, after=False)),
    "30 each minute, for as long": (130, lambda _: Windows(30, 60, 1.0, after=True)),
    "40 each 10 s": (300, lambda _: Windows(40, 10, 0.5, after=False)),
    "away for 20 s": (1_500, lambda seed: Outages([(2, 22)], 0.2, seed=seed)),
    "away for 1 s, again and again": (
        3_000,
        lambda seed: Outages([(6 * n + 2, 6 * n + 3) for n in range(9)], 0.2, seed=seed),
    ),
    "away, and 20 % refused": (
        2_000,
        lambda seed: Outages([(3, 9), (14, 18)], 0.3, status=529, share=0.2, seed=seed),
    ),
    "away at first": (800, lambda _: Outages([(0, 5)], 0.2)),
    "away for 5 minutes": (800, lambda _: Outages([(5, 305)], 1.0)),
    "1 slot, a queue of 4": (150, lambda _: Slots(1, 4, 0.5)),
    "2 slots, no queue": (150, lambda _: Slots(2, 0, 1.0)),
    "16 slots, a queue of 4": (1_000, lambda _: Slots(16, 4, 0.2)),
    "8 slots, a queue of 16, spread": (300, lambda seed: Slots(8, 16, 3.0, spread=0.7, seed=seed)),
    "10 slots, a queue without an end": (600, lambda _: Slots(10, 10**9, 0.2)),
    "slower beyond 3, squared": (600, lambda _: Knee(3, 2, 0.2)),
    "slower beyond 8": (1_000, lambda _: Knee(8, 1, 0.2)),
    "slower beyond 24, squared": (1_500, lambda _: Knee(24, 2, 0.3)),
    "slower beyond 40, squared": (1_500, lambda _: Knee(40, 2, 0.2)),
    "slower beyond 20, cubed": (1_500, lambda _: Knee(20, 3, 0.2)),
    "slower beyond 5, cubed, spread": (
        400,
        lambda seed: Knee(5, 3, 0.3, spread=0.3, seed=seed),
    ),
    "240 a minute, refused ones too": (240, lambda _: Bucket(240, 12, 0.5, strict=True)),
    "12 each 12 s": (120, lambda _: Windows(12, 12, 1.0, after=False)),
    "away for a second of three": (
        2_000,
        lambda seed: Outages([(3 * n + 1, 3 * n + 2) for n in range(20)], 0.2, seed=seed),
    ),
    "away, and 40 % refused": (
        2_000,
        lambda seed: Outages([(3, 13), (33, 43)], 0.3, share=0.4, seed=seed),
    ),
    "40 % fail by 500": (800, lambda seed: Chance(0.4, 0.2, status=500, seed=seed)),
}


def asked(
    server: Server, number: int, concurrency: Any, monkeypatch: pytest.MonkeyPatch
) -> tuple[list[Reply | Failure | None], float]:
    """What came of so many questions, and the virtual seconds that they took."""
    monkeypatch.setattr("factmark.ask.client.provider_http", lambda *_, **__: Line(server))

    async def work() -> list[Reply | Failure | None]:
        spec = ModelSpec.parse("openai:m", base_url="http://127.0.0.1:9/v1")
        async with ChatClient(spec, rates=Rates(concurrency=concurrency)) as client:
            places = asyncio.Semaphore(client.ahead)

            async def ask(name: int) -> Reply | Failure | None:
                async with places:
                    return await client.ask(Request.of(str(name)))

            return await asyncio.gather(*(ask(name) for name in range(number)))

    return in_virtual_time(work)


@pytest.mark.parametrize(("place", "kind"), list(enumerate(SERVERS)))
def test_nothing_is_lost_and_no_limit_stalls(
    place: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, start = SERVERS[kind]
    seed, concurrency = (1, "auto") if place % 2 else (2, 64)  # which are the same, see `MOST`
    random.seed(seed)
    server, known = start(seed), start(seed)
    _, ideal = in_virtual_time(lambda: informed(known, number))
    outcomes, seconds = asked(server, number, concurrency, monkeypatch)
    assert sum(isinstance(outcome, Reply) for outcome in outcomes) == number
    assert seconds <= 2 * ideal
    assert server.calls <= 3 * known.calls


@pytest.mark.parametrize(("knee", "power"), [(16, 2), (8, 3), (30, 2)])
def test_concurrency_ends_near_the_knee(
    knee: int, power: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Knee(knee, power, 0.2)
    in_flight: list[int] = []

    async def watched(text: str) -> Answer:
        in_flight.append(server.in_flight)
        return await Knee.answer(server, text)

    monkeypatch.setattr(server, "answer", watched)
    asked(server, 3_000, 64, monkeypatch)
    late = sorted(in_flight[2_000:-64])
    assert knee / 2 <= late[len(late) // 2] <= 1.5 * knee


def test_a_busy_client_asks_no_fewer_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes 4 ms over each reply, so that 13 in flight would keep it busy: what makes it slow,
    such as another program, may pass, and the server is to have work then."""
    server = Server(0.05)
    in_flight: list[int] = []
    send = Line.send

    async def busy(line: Line, *args: object, body: bytes, name: str) -> Response:
        in_flight.append(server.in_flight)
        response = await send(line, "POST", args, body=body, name=name)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, JumpingLoop)
        loop.work(0.004)
        return response

    monkeypatch.setattr(Line, "send", busy)
    asked(server, 3_000, 64, monkeypatch)
    late = sorted(in_flight[1_500:-64])
    assert late[len(late) * 9 // 10] >= 48  # as replies come together, fewer at other times


def test_a_maximum_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(0.1)
    asked(server, 400, 6, monkeypatch)
    assert server.most == 6


def test_a_question_that_is_refused_whatever_others_get_is_one_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = Server(1.0)

    async def picky(text: str) -> Answer:
        await asyncio.sleep(0.1)
        return (429, {}) if text == "7" else (200, {})

    monkeypatch.setattr(server, "answer", picky)
    outcomes, seconds = asked(server, 4_000, 4, monkeypatch)
    assert [n for n, outcome in enumerate(outcomes) if not isinstance(outcome, Reply)] == [7]
    assert seconds < 4_000 * 0.1 / 4 * 1.1  # others did not wait for it
