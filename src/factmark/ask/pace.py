"""How fast a model's server is asked: requests in flight and a minute, and how long is waited."""

from __future__ import annotations

import asyncio
import math
import random
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from factmark.http.client import UnsentError
from factmark.http.retries import (
    TELL,
    RateLimitError,
    Sleep,
    TransientError,
    TurnedAwayError,
    retry_seconds,
)

MOST = 64  # requests in flight
_FIRST = 4
_HOLDS = 1.5  # latency that counts as held, in that with half as many in flight
_STAYS = 4  # rounds before more are tried again

_LEAST, _LONGEST = 300.0, 900.0  # seconds for a reply
_TIMES = 4  # the slowest reply

_AWAY = 1_200.0  # seconds without a reply before a server that turns requests away is given up
_WAIT, _LIMITED_WAIT = 15.0, 60.0  # the longest between two looks
_FASTER = 0.9  # of the gap that was measured: by which a server that takes more is found out


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What the user fixes of how fast a server is asked; the rest follows from what is measured.

    Attributes:
        concurrency: requests in flight.
        timeout: seconds for a reply.
        rpm, tpm: the most requests, and tokens in and out, a minute.
    """

    concurrency: int | Literal["auto"] = "auto"
    timeout: float | None = None
    rpm: int | None = None
    tpm: int | None = None


class SilentError(TransientError):
    """No reply in time."""


class Pace:
    """Who may ask a server now. Use it in one event loop; `async with` holds a place.

    Requests in flight double as long as latency holds, and halve where the server is overloaded or
    limits. Where it turns requests away, all wait together, a bounded time without any reply.

    Attributes:
        most: requests that may ever be in flight.
        limit: those that may be in flight now.
        replies: that came.
        held: places that are taken, also by calls that are not sent yet.
        changed: is set whenever a place is given back.

    Args:
        name: of the server, for `tell`: which hears why nothing happens.
    """

    def __init__(
        self,
        rates: Rates,
        name: str,
        tell: Callable[[str], None],
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._rates, self._name, self._tell, self._sleep = rates, name, tell, sleep
        self._fixed = rates.concurrency != "auto"
        self.most = MOST if rates.concurrency == "auto" else rates.concurrency
        self.limit = self.most if self._fixed else _FIRST
        self.replies = 0
        self.held = 0
        self.changed = asyncio.Event()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._round: list[float] = []  # latencies at this limit
        self._round_began = -math.inf
        self._half: tuple[int, float] | None = None  # the limit before, and its latency
        self._stays = 0
        self._slowest = 0.0  # seconds of a reply
        self._timers: dict[asyncio.Timeout, float] = {}
        self._gap = 60 / rates.rpm if rates.rpm else 0.0
        self._next = self._until = -math.inf
        self._away: float | None = None  # since when it turns requests away
        self._pause = 0.0
        self._looked = -math.inf
        self._limited = -math.inf
        self._since_limited = 0
        self._told: set[str] = set()

    async def __aenter__(self) -> None:
        while self.held >= self.limit:
            place = asyncio.get_running_loop().create_future()
            self._waiting.append(place)
            try:
                await place
            except asyncio.CancelledError:
                self._waiting.remove(place) if place in self._waiting else self._wake()
                raise
        self.held += 1

    async def __aexit__(self, *_error: object) -> None:
        self.held -= 1
        self.changed.set()
        self._wake()

    def _wake(self) -> None:
        free = self.limit - self.held
        while free > 0 and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)
                free -= 1

    @property
    def patience(self) -> float:
        """Seconds that a reply is waited for."""
        if self._rates.timeout is not None:
            return self._rates.timeout
        return min(max(_LEAST, _TIMES * self._slowest), _LONGEST)

    async def turn(self, tokens: int) -> None:
        """Waits until a request of so many tokens may be sent."""
        loop = asyncio.get_running_loop()
        slept = -math.inf
        while (due := max(self._next, self._until)) > max(loop.time(), slept):
            slept = due
            await self._sleep(due - loop.time())
        per_token = 60 / self._rates.tpm if self._rates.tpm else 0.0
        self._next = loop.time() + max(self._gap, tokens * per_token)

    @asynccontextmanager
    async def request(self) -> AsyncIterator[None]:
        """Bounds a request by the patience of the moment, and learns from how long it took.

        Raises:
            SilentError: no reply in time.
        """
        loop = asyncio.get_running_loop()
        start = loop.time()
        timer = asyncio.timeout_at(start + self.patience)
        try:
            async with timer:
                self._timers[timer] = start
                yield
        except TimeoutError as error:
            self._shrink(start)
            silent = SilentError(
                f"{self._name} gave no complete answer within {self.patience:.3g} s (--timeout "
                "waits longer)"
            )
            silent.seconds = loop.time() - start
            raise silent from error
        except TransientError as error:
            error.seconds = loop.time() - start
            raise
        finally:
            self._timers.pop(timer, None)
        self._replied(start, loop.time())

    def _replied(self, start: float, now: float) -> None:
        latency = now - start
        self.replies += 1
        if latency > self._slowest:
            before, self._slowest = self.patience, latency
            if self.patience > before:
                for timer, began in self._timers.items():
                    timer.reschedule(began + self.patience)
        self._since_limited += 1
        if not self._rates.rpm:
            self._gap *= 0.99
        if self._away is not None and start >= self._looked:
            if "away" in self._told:
                self._tell(f"{self._name} answers again after {now - self._away:,.0f} s")
                self._told.discard("away")
            self._away, self._pause = None, 0.0
        if start >= self._round_began:
            self._round.append(latency)
            if len(self._round) >= self.limit:
                self._next_round(sum(self._round) / len(self._round), now)

    def _next_round(self, latency: float, now: float) -> None:
        """More in flight where latency held; as many as before where it did not."""
        if not self._fixed:
            self._stays -= 1
            if self._half is not None and latency > _HOLDS * self._half[1]:
                self.limit, self._half, self._stays = self._half[0], None, _STAYS
            elif self._stays <= 0 and self.limit < self.most:
                self._half = (self.limit, latency)
                self.limit = min(2 * self.limit, self.most)
            else:
                self._half = None
        self._round, self._round_began = [], now
        self._wake()

    def _shrink(self, start: float) -> None:
        """Half as many in flight, once for all requests that were sent before."""
        if not self._fixed and start >= self._round_began:
            self.limit = max(1, self.limit // 2)
            self._half, self._stays = None, _STAYS
            self._round, self._round_began = [], asyncio.get_running_loop().time()

    def turned_away(self, error: TransientError) -> bool | None:
        """Whether a request came back undone, and is sent again after a wait that all share.

        Returns:
            None where it is not waited for any longer.
        """
        limited = isinstance(error, RateLimitError)
        elsewhere = isinstance(error, UnsentError) and not self.replies  # a wrong address
        if elsewhere or not isinstance(error, TurnedAwayError):
            return False
        now = asyncio.get_running_loop().time()
        start = now - error.seconds
        self._shrink(start)
        if self._away is not None and start < self._looked:
            return True
        self._away = now if self._away is None else self._away
        self._looked = now
        asked = retry_seconds(error.retry_after)
        again, self._pause = self._pause > 0, max(1.0, 2 * self._pause)
        self._pause = min(self._pause, _LIMITED_WAIT if limited else _WAIT)
        wait = self._pause * (0.5 + 0.5 * random.random())
        if asked is not None:
            wait = max(asked, wait) if again else asked
        if now + wait > self._away + _AWAY:
            return None
        self._until = now + wait
        if limited and not again:
            self._learn(now)
        self._say(error, limited, wait)
        return True

    def _learn(self, now: float) -> None:
        """The gap between requests, from what was let in since the last time they were limited."""
        if self._since_limited > 1 and now > self._limited > -math.inf and not self._rates.rpm:
            self._gap = _FASTER * (now - self._limited) / self._since_limited
        self._limited, self._since_limited = now, 0

    def _say(self, error: TransientError, limited: bool, wait: float) -> None:
        left = _AWAY - (self._until - wait - (self._away or 0.0))
        until = time.strftime("%H:%M:%S", time.localtime(time.time() + left))
        if max(self._pause, wait) < TELL:
            return
        if limited and "limited" not in self._told:
            self._told.add("limited")
            self._tell(f"{error}: asking slower, as fast as it lets us (--rpm sets it)")
        elif not limited and "away" not in self._told:
            self._told.add("away")
            self._tell(
                f"{error}: waiting for it until {until} at most. Ctrl-C ends; the same command "
                "goes on from there"
            )
