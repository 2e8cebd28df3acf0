"""Who may ask a model's server now, and how long an answer is waited for."""

from __future__ import annotations

import asyncio
import math
import random
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from factmark.ask.pace.concurrency import Concurrency
from factmark.ask.pace.throttle import EARLY, Throttle
from factmark.http.client import Response, UnsentError, clean_line
from factmark.http.retries import (
    TELL,
    RateLimitError,
    Sleep,
    TransientError,
    TurnedAwayError,
    clock_time,
    retry_seconds,
)

MOST = 64  # requests in flight

# seconds for a reply
_LEAST = 300.0
_LONGEST = 900.0
_TIMES = 4  # the slowest reply

_LONG = 10.0  # seconds of a wait that the user hears of
_LATELY = 10  # replies
_LEFT_BEHIND = 60.0  # seconds that a refused request waits where others were answered since
_AWAY = 1_200.0  # seconds without a reply before a server that turns requests away is given up
# the longest between two looks
_WAIT = 15.0
_LIMITED_WAIT = 60.0
# seconds of a refused request's own wait
_ALONE = 0.5
_LONGER = 1.2
_LONGEST_ALONE = 15.0
_LUCK = 8  # refusals that are bad luck, at a server that takes most
# of this program's own lag: in a latency; the least seconds
_PROBES = 8
_BETWEEN_PROBES = 0.01
_GLANCE = 0.25  # seconds of a wait at a time, as others may bring news that ends it


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """What the user fixes of how fast a server is asked; the rest follows from what is measured.

    Attributes:
        concurrency: the most requests in flight; `auto` is 64.
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

    A request that is turned away waits `aside`, without a place, and comes back before others.
    How many have a place is decided by `Concurrency`, how soon they are sent by `Throttle`.

    Attributes:
        most: requests that may ever be in flight.
        replies, refusals, faults: that came; faults are counted by who asks.
        underway: calls that hold a place, also those not sent yet, or wait aside.
        changed: is set whenever a call has ended.

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
        self._rates = rates
        self._name = name
        self._tell = tell
        self._sleep = sleep
        if rates.concurrency == "auto":
            self.most = MOST
        else:
            self.most = rates.concurrency
        self._concurrency = Concurrency(self.most)
        self._throttle = Throttle(60 / rates.rpm if rates.rpm else 0.0)
        self.replies = self.refusals = self.faults = 0
        self.underway = self._held = 0
        self.changed = asyncio.Event()
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._gate = asyncio.Lock()
        self._slowest = self._latest = 0.0  # seconds of a reply
        self._is_probing = False
        self._timers: dict[asyncio.Timeout, float] = {}
        self._shrunk = float("-inf")
        self._answered = float("-inf")  # when the last that was answered had been sent
        self._lately: deque[float] = deque(maxlen=_LATELY)  # when replies came
        self._told_until = float("-inf")
        self._told: set[str] = set()
        self._headers: Mapping[str, str] = {}  # of the latest response

    async def __aenter__(self) -> None:
        await self._take(first=False)
        self.underway += 1

    async def __aexit__(self, *_error: object) -> None:
        self.underway -= 1
        self.changed.set()
        self._give_back()

    @asynccontextmanager
    async def aside(self) -> AsyncIterator[None]:
        """Gives the place to others while the block runs, and takes one again at its end."""
        self._give_back()
        try:
            yield
            await self._take(first=True)
        except BaseException:
            self._held += 1  # that it is given back once more
            raise

    async def _take(self, *, first: bool) -> None:
        """Takes a place; where none is free, it is handed over by who gives one back."""
        if self._held < self._concurrency.limit and (first or not self._waiting):
            self._held += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.appendleft(place) if first else self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place in self._waiting:
                self._waiting.remove(place)
            else:
                self._give_back()
            raise

    def _give_back(self) -> None:
        """Gives a place back."""
        self._held -= 1
        self._wake()

    def _wake(self) -> None:
        """Hands free places to those that wait."""
        while self._held < self._concurrency.limit and self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                self._held += 1
                place.set_result(None)

    def may_another_reply(self, refused: int) -> bool:
        """Whether a call is underway beside so many that hold a place and were refused."""
        return refused < min(self.underway, self._concurrency.limit)

    @property
    def patience(self) -> float:
        """Seconds after which a reply is given up."""
        if self._rates.timeout is not None:
            return self._rates.timeout
        return min(max(_LEAST, _TIMES * self._slowest), _LONGEST)

    async def turn(self, tokens: int) -> None:
        """Waits until a request of so many tokens may be sent."""
        loop = asyncio.get_running_loop()
        throttle = self._throttle
        async with self._gate:  # in order, and one that watches the clock
            now = began = loop.time()
            while (wait := throttle.due - now) > 0:
                await self._sleep(min(wait, _GLANCE))
                now = max(loop.time(), now + min(wait, _GLANCE))
            per_token = 0.0
            if self._rates.tpm:
                per_token = 60 / self._rates.tpm
            throttle.sent(now, tokens * per_token, waited=now > began)
        if now > began:
            self._concurrency.begin_round(now)

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
                self._concurrency.moved(start, len(self._timers))
                self._timers[timer] = start
                self._probe()
                yield
        except TimeoutError as error:
            self._shrink(start, loop.time())
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
            self._concurrency.moved(loop.time(), len(self._timers))
            self._timers.pop(timer, None)
        self._replied(start, loop.time())

    def _probe(self) -> None:
        """Measures, as long as something is in flight, how late a reply would be taken in.

        A reply is taken in by two turns of the event loop: one that reads it, one that goes on.
        """
        if self._is_probing or not self._timers:
            return
        loop = asyncio.get_running_loop()
        between = max(_BETWEEN_PROBES, self._latest / _PROBES)
        due = loop.time() + between * random.uniform(0.5, 1.5)  # replies may keep time

        def taken_in() -> None:
            self._concurrency.lagged(loop.time() - due)
            self._is_probing = False
            self._probe()

        self._is_probing = True
        loop.call_at(due, loop.call_soon, taken_in)

    def _shrink(self, start: float, now: float) -> None:
        """Halves how many may be in flight, once for all requests that were sent before."""
        if start >= self._shrunk:
            self._shrunk = now
            self._concurrency.overloaded(now)

    def _replied(self, start: float, now: float) -> None:
        """Takes in a reply: patience, limit and throttle learn from it, and the user is told when
        the server is back."""
        self._latest = latency = now - start
        self._answered = max(self._answered, start)
        self._lately.append(now)
        self.replies += 1
        if latency > self._slowest:
            before = self.patience
            self._slowest = latency
            if self.patience > before:
                for timer, began in self._timers.items():
                    timer.reschedule(began + self.patience)
        since = self._throttle.away_since
        if self._throttle.replied(start, now):
            self._concurrency.restart(now)
            if since is not None and "away" in self._told:
                self._tell(f"{self._name} answers again after {now - since:,.0f} s")
                self._told.discard("away")
        elif self._held == self._concurrency.limit:
            self._concurrency.replied(start, now)
            self._wake()
        else:
            self._concurrency.begin_round(now)

    def heed(self, response: Response) -> None:
        """Takes the limit that a response tells as a first estimate."""
        headers = self._headers = response.headers
        limit = headers.get("x-ratelimit-limit-requests", "")
        left = headers.get("x-ratelimit-remaining-requests", "")
        if limit.isdecimal() and left.isdecimal() and len(limit + left) < 20:
            self._throttle.estimate(int(limit), int(left), len(self._timers))

    @property
    def limits(self) -> dict[str, str]:
        """What the latest response told of limits: names and values of headers."""
        named = {}
        for name, value in self._headers.items():
            named[name.lower()] = clean_line(value)
        return {name: value for name, value in named.items() if "ratelimit" in name}

    def waits_for(self, error: TransientError) -> bool:
        """Whether a failed request came back undone, so that it is no failure of its own."""
        elsewhere = isinstance(error, UnsentError) and not self.replies  # a wrong address
        return isinstance(error, TurnedAwayError) and not elsewhere

    def tell_wait(self, why: str, seconds: float) -> None:
        """Tells the user of a long wait and of its end, unless it is within one that was told."""
        end = asyncio.get_running_loop().time() + seconds
        if seconds <= _LONG or end <= self._told_until + _LONG:
            return
        self._told_until = end
        self._tell(f"{why.rstrip('.')}: waiting until {clock_time(seconds)}")

    def turned_away(self, error: TransientError, times: int, since: float) -> float | None:
        """Seconds that a request waits which was turned away so many times, of the time `since`.

        Returns:
            None where it is not waited for any longer.
        """
        now = asyncio.get_running_loop().time()
        self.refusals += 1
        limited = isinstance(error, RateLimitError)
        asked = retry_seconds(error.retry_after)
        if limited:
            longest = _LIMITED_WAIT
        else:
            longest = _WAIT
        throttle = self._throttle
        throttle.refused(now - error.seconds, now, len(self._timers), asked, longest)
        self._say(error, limited, now)
        if throttle.away_since is not None and throttle.due > throttle.away_since + _AWAY:
            throttle.due = now  # the others end as soon
            return None
        if asked is not None and asked > _AWAY:
            return None
        if asked is not None:
            left = math.inf
        else:
            left = self._time_left(since, limited)
        if left <= 0:
            return None
        longer = _LONGER ** max(0, times - _LUCK)
        alone = min(_LONGEST_ALONE, _ALONE * longer) * random.uniform(0.5, 1.0)
        if asked is None:
            return min(alone, left)
        if throttle.is_free:
            return asked * (1 + 0.1 * random.random())
        return max(alone, EARLY * asked)  # it is sent when its turn comes

    def _time_left(self, since: float, limited: bool) -> float:
        """Seconds that a request of the time `since` may wait which is among the last few, since
        the others were answered: the server is there, and what it turns away is this request."""
        now = asyncio.get_running_loop().time()
        is_ending = self.underway < self.most / 2 and 3 * self.underway <= self.replies
        if not is_ending or self._answered < since:
            return math.inf
        first = self._lately[0]
        last = self._lately[-1]
        if limited:
            longest = _LEFT_BEHIND
        else:
            longest = _LEFT_BEHIND / 2
        return last + max(longest, 3 * (last - first) / len(self._lately)) - now

    def _say(self, error: TransientError, limited: bool, now: float) -> None:
        """Tells the user, once each, that the server limits or that it is away, where the wait is
        long."""
        since = self._throttle.away_since
        due = self._throttle.due
        if max(self._throttle.gap, due - now) < TELL:
            return
        if limited and "limited" not in self._told:
            self._told.add("limited")
            self._tell(f"{error}: asking slower, as fast as it lets us (--rpm sets it)")
        elif not limited and since is not None and "away" not in self._told:
            self._told.add("away")
            self._tell(
                f"{error}: waiting for it until {clock_time(_AWAY - (now - since))} at most. "
                "Ctrl-C ends; the same command goes on from there"
            )
            self._told_until = since + _AWAY
