"""Model servers that limit, refuse, queue and break down, in virtual time.

Nothing waits: the loop's clock goes forward to whatever comes next. A server is a coroutine from a
request's text to a status and headers. `informed` is a client that knows what the server does: its
seconds are what can be reached at best.
"""

from __future__ import annotations

import asyncio
import json
import random
import selectors
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from factmark.http.client import Response

T = TypeVar("T")
Answer = tuple[int, dict[str, str]]
TAKEN: Answer = (200, {})
MOST = 64


class JumpingLoop(asyncio.SelectorEventLoop):
    """A loop whose clock stands while there is work, and jumps to the next timer then."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_Jumping(self.work))

    def time(self) -> float:
        return self._now

    def work(self, seconds: float) -> None:
        """Lets time go by in which nothing else of this program runs."""
        self._now += seconds


class _Jumping(selectors.DefaultSelector):
    def __init__(self, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout:
            self._jump(timeout)
        return ready


def in_virtual_time(work: Callable[[], Coroutine[Any, Any, T]]) -> tuple[T, float]:
    """What a coroutine gives, and the virtual seconds that it took."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        result = runner.run(work())
        return result, runner.get_loop().time()


class Server:
    """A server that takes everything.

    Attributes:
        places: requests that are best in flight.
        calls, taken: requests that came, and that were answered.
    """

    places = MOST

    def __init__(self, seconds: float, *, spread: float = 0.0, seed: int = 0) -> None:
        self.seconds, self.spread = seconds, spread
        self.dice = random.Random(seed)
        self.calls = self.taken = self.in_flight = self.most = 0

    async def __call__(self, text: str) -> Answer:
        self.calls += 1
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            answer = await self.answer(text)
            self.taken += answer[0] == 200
            return answer
        finally:
            self.in_flight -= 1

    async def answer(self, _text: str) -> Answer:
        await self.work()
        return TAKEN

    async def work(self, times: float = 1.0) -> None:
        """Takes the time of a reply: log-normal around its median, where there is a spread."""
        factor = self.dice.lognormvariate(0.0, self.spread) if self.spread else 1.0
        await asyncio.sleep(self.seconds * times * factor)

    async def ready(self) -> None:
        """Waits until a request will be taken, for who knows the server."""


class Chance(Server):
    """Refuses a share of requests whatever is done, at once or after the time of a reply."""

    def __init__(
        self,
        share: float,
        seconds: float,
        *,
        status: int = 429,
        after: str = "",
        quick: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(seconds, **options)
        self.share, self.status, self.after, self.quick = share, status, after, quick

    async def answer(self, _text: str) -> Answer:
        refused = self.dice.random() < self.share
        await self.work(0.01 if refused and self.quick else 1.0)
        return (
            (self.status, {"Retry-After": self.after} if self.after else {}) if refused else TAKEN
        )


class Bucket(Server):
    """Lets so many a minute through, and a burst before: tokens that come back steadily.

    Args:
        slower: from when to when the rate is which share.
        strict: whether refused requests take tokens too, of the next ones.
    """

    def __init__(
        self,
        rpm: float,
        burst: float,
        seconds: float,
        *,
        after: bool = True,
        strict: bool = False,
        slower: tuple[float, float, float] = (0, 0, 1),
        told: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(seconds, **options)
        self.rate, self.burst, self.after, self.strict = rpm / 60, burst, after, strict
        self.slower, self.told, self.tokens, self._filled = slower, told, burst, 0.0

    def fill(self) -> float:
        now = asyncio.get_running_loop().time()
        begin, end, share = self.slower
        rate = self.rate * (share if begin <= now < end else 1)
        self.tokens = min(self.burst, self.tokens + (now - self._filled) * rate)
        self._filled = now
        return rate

    async def ready(self) -> None:
        while (rate := self.fill()) and self.tokens < 1 - 1e-6:  # noqa: ASYNC110  # the clock jumps
            await asyncio.sleep((1 - self.tokens) / rate)

    async def answer(self, _text: str) -> Answer:
        rate = self.fill()
        if self.tokens < 1 - 1e-6:
            wait = (1 - self.tokens) / rate
            self.tokens -= self.strict and self.tokens > -self.burst
            await asyncio.sleep(0.03)
            return 429, {"Retry-After": str(max(1, -(-wait // 1)))} if self.after else {}
        self.tokens -= 1
        headers = {}
        if self.told:
            headers["x-ratelimit-limit-requests"] = str(round(60 * self.rate))
            headers["x-ratelimit-remaining-requests"] = str(int(self.tokens))
        await self.work()
        return 200, headers


class Windows(Server):
    """Lets so many through in each window of so many seconds, and none until the next one."""

    def __init__(self, number: int, window: float, seconds: float, *, after: bool, **options: Any):
        super().__init__(seconds, **options)
        self.number, self.window, self.after = number, window, after
        self.current, self.sent = 0, 0

    def left(self) -> float:
        """Seconds that the next window is away; 0 where this one has room."""
        now = asyncio.get_running_loop().time()
        if now // self.window != self.current:
            self.current, self.sent = int(now // self.window), 0
        return 0.0 if self.sent < self.number else (self.current + 1) * self.window - now + 1e-6

    async def ready(self) -> None:
        while left := self.left():  # noqa: ASYNC110  # the clock jumps
            await asyncio.sleep(left)

    async def answer(self, _text: str) -> Answer:
        if left := self.left():
            await asyncio.sleep(0.03)
            return 429, {"Retry-After": str(int(left) + 1)} if self.after else {}
        self.sent += 1
        await self.work()
        return TAKEN


class Outages(Server):
    """Is not there in some spans of time; a share is refused in the rest."""

    def __init__(
        self,
        spans: list[tuple[float, float]],
        seconds: float,
        *,
        status: int = 503,
        share: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__(seconds, **options)
        self.spans, self.status, self.share = spans, status, share

    def left(self) -> float:
        now = asyncio.get_running_loop().time()
        return next((end - now for begin, end in self.spans if begin <= now < end), 0.0)

    async def ready(self) -> None:
        await asyncio.sleep(self.left())

    async def answer(self, _text: str) -> Answer:
        if self.left() or self.dice.random() < self.share:
            await asyncio.sleep(0.02)
            return self.status, {}
        await self.work()
        return TAKEN


class Slots(Server):
    """Works on so many at a time; so many more wait, and 503 is what the others get."""

    def __init__(self, places: int, queue: int, seconds: float, **options: Any) -> None:
        super().__init__(seconds, **options)
        self.places, self.queue = places, queue
        self.free = asyncio.Semaphore(places)

    async def answer(self, _text: str) -> Answer:
        if self.in_flight > self.places + self.queue:
            await asyncio.sleep(0.005)
            return 503, {}
        async with self.free:
            await self.work()
        return TAKEN


class Knee(Server):
    """Is slower by a power of what is in flight beyond its knee."""

    def __init__(self, knee: int, power: float, seconds: float, **options: Any) -> None:
        super().__init__(seconds, **options)
        self.places, self.power = knee, power

    async def answer(self, _text: str) -> Answer:
        await self.work(max(1.0, self.in_flight / self.places) ** self.power)
        return TAKEN


async def informed(server: Server, number: int) -> None:
    """Asks so many questions as fast as who knows the server can."""
    free, turn = asyncio.Semaphore(server.places), asyncio.Lock()

    async def ask(name: int) -> None:
        while True:
            async with free:
                async with turn:  # else all that wait look at each token
                    await server.ready()
                status, headers = await server(str(name))
            if status == 200:
                return
            await asyncio.sleep(float(headers.get("Retry-After", 0.5)))

    await asyncio.gather(*(ask(name) for name in range(number)))


class Line:
    """The connection to a server, in the place of an HTTP client's."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def send(self, _method: str, _url: object, *, body: bytes, name: str) -> Response:
        text = json.loads(body)["messages"][-1]["content"]
        status, headers = await self._server(text)
        reply = {"choices": [{"message": {"content": f"yes, {text}"}}]}
        refusal = {"error": {"message": f"{name} is busy"}}
        return Response(
            status=status,
            headers=_Names(headers),
            body=json.dumps(reply if status == 200 else refusal).encode(),
        )

    async def close(self) -> None:
        pass


class _Names(dict[str, str]):
    """Headers, whose names compare without case."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        super().__init__({name.lower(): value for name, value in headers.items()})

    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name.lower(), default)
