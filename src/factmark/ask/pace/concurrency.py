"""How many requests a server is sent at a time: as many as bring more replies a second."""

from __future__ import annotations

import math
from statistics import fmean

FIRST = 4
_PAYS = 0.25  # of the replies a second that a larger limit would bring if the server kept up
_SURE = 32  # replies, before it is believed that more in flight bring nothing
_MORE = 16  # places at most in one step
# times as many, in a try; after one that brought nothing
_STEP = 1.5
_SMALL_STEP = 1.2
# rounds between two tries
_RESTS = 2
_MOST_RESTS = 32
_LATE = math.log(1.5)  # a latency, beyond that with fewer in flight
_SURELY = 2.0  # of such logarithms, at a server whose latency does not vary, that end a climb
_AGAIN = 8  # places that a reply brings, up to a limit that was known before an outage
_BUSY = 0.1  # of a latency, that is this program's own, from which on it is what bounds
_NO_LESS = 0.8  # of the replies a second, as they differ by chance


class Concurrency:
    """Climbs to the smallest limit at which a server gives the most replies a second.

    At first it takes twice as many, or 16 more, with each round of replies, until replies come
    late: by half and more beyond the latency with fewer in flight. As latencies differ by chance,
    the logarithms of what is beyond have to come to a sum (Page's test) that grows with their
    variance.

    From then on rounds are compared, of as many replies as may be in flight, by their replies a
    second (what was in flight on average, by the mean latency of what was sent in it). From time
    to time more are tried, and then fewer, since servers change: more stay where they bring
    clearly more. Latency alone does not decide that: it grows at a server that has a queue and at
    one that breaks down, and only the second gives fewer replies. To a larger limit it climbs by a
    place for each reply in time, so that a try costs little at a server that breaks down. Where
    this program is late to take replies in, since it is busy or the machine is, more in flight may
    bring nothing for that: then those stay that do not bring less.

    Attributes:
        limit: requests that may be in flight now.
        most: those that may ever be.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = min(FIRST, most)
        self._is_starting = True
        self._by = 1
        self._goal = self.limit
        self._known: float | None = None  # replies a second at this limit
        self._fewer = (
            _Latencies()
        )  # of requests sent with fewer in flight, from when on, until when
        self._since = 0.0
        self._tried = math.inf
        self._before: tuple[int, float] | None = None  # what a try is compared with
        self._up = True
        self._factor = _STEP
        self._rest = 1
        self._rests = _RESTS
        self._doubt = 0.0
        self.begin_round(0.0)

    def restart(self, now: float) -> None:
        """Begins with few again after an outage, as all at once may bring it back."""
        self._settle_at(self.limit, now)
        self.limit = min(FIRST, self.limit)
        self._by = _AGAIN

    def overloaded(self, now: float) -> None:
        """Takes half as many, as after a reply that never came."""
        self._rest = self._rests
        self._settle_at(max(1, self.limit // 2), now)

    def begin_round(self, now: float) -> None:
        """Starts to measure anew."""
        self._began = self._moved = now
        self._area = self._lag = 0.0
        self._lags = 0
        self._latencies: list[float] = []  # of the round's replies

    def moved(self, now: float, in_flight: int) -> None:
        """Takes in that so many were in flight until now."""
        self._area += in_flight * (now - self._moved)
        self._moved = now

    def lagged(self, seconds: float) -> None:
        """Takes in how late this program came to something that was due."""
        self._lag += seconds
        self._lags += 1

    def replied(self, start: float, now: float) -> None:
        """Takes in a reply, with when it was asked for."""
        latency = now - start
        climbs = self.limit < self._goal
        if start < self._tried:
            if start >= self._since:
                self._fewer.take(latency)
        elif self._is_late(latency):
            self._give_up(now)
            return
        if climbs and not self._doubt:
            self.limit = min(self._goal, self.limit + self._by)
        if climbs and self.limit == self._goal:
            self.begin_round(now)
        elif not climbs and start >= self._began:
            self._latencies.append(latency)
            self._judge(now)

    def _is_late(self, latency: float) -> bool:
        """Whether replies come later than with fewer in flight, by Page's test."""
        if not self._fewer.number or self._is_busy(latency):
            return False
        beyond = _logarithm(latency) - self._fewer.mean - _LATE
        self._doubt = max(0.0, self._doubt + beyond)
        return self._doubt > _SURELY * (1 + self._fewer.variance)

    def _judge(self, now: float) -> None:
        """Decides how to go on, once enough replies are known of this limit."""
        latency = sum(self._latencies)
        if len(self._latencies) < self.limit or not latency or now <= self._began:
            return
        if self._is_starting and self.limit < self.most:
            if self._doubt and not self._is_busy(fmean(self._latencies)):  # the slowest come last
                return
            if self._tried < math.inf:
                for reply in self._latencies:
                    self._fewer.take(reply)
            self._tried = now
            self._doubt = 0.0
            self.limit = self._goal = min(2 * self.limit, self.limit + _MORE, self.most)
            self.begin_round(now)
        else:
            in_flight = self._area / (now - self._began)
            self._end_round(in_flight * len(self._latencies) / latency, now)

    def _is_busy(self, latency: float) -> bool:
        """Whether this program takes replies in so late that their latency says little of the
        server."""
        return bool(self._lags) and self._lag / self._lags >= _BUSY * latency

    def _give_up(self, now: float) -> None:
        """Ends a doubling or a try that brought too few replies."""
        if self._is_starting:
            self._is_starting = self._up = False
            self._settle_at(max(1, self._goal // 2, self._goal - _MORE), now)
        elif self._before is not None:
            self._fail(self._before, now)

    def _end_round(self, throughput: float, now: float) -> None:
        """Compares the throughput of a round with that before the try, and keeps the
        better limit."""
        self._is_starting = False
        if self._before is None:
            if self._known is None:
                known = throughput
            else:
                known = (self._known + throughput) / 2
            self._rest -= 1
            self._settle(self.limit, known, now, go_on=self._rest <= 0)
            return
        (few, slow), (many, fast) = sorted([self._before, (self.limit, throughput)])
        pays = fast / slow - 1 >= _PAYS * (many / few - 1)
        if self._is_busy(fmean(self._latencies)):
            pays = fast >= _NO_LESS * slow
        if not pays and len(self._latencies) < _SURE * min(1.0, fast / slow):
            return
        if (many if pays else few) == self.limit:
            self._rests = _RESTS
            self._factor = _STEP
            self._settle(self.limit, throughput, now, go_on=True)
        else:
            self._fail(self._before, now)

    def _fail(self, before: tuple[int, float], now: float) -> None:
        """Goes back to the limit before a try, and tries the other direction later."""
        if self._up:
            self._factor = _SMALL_STEP
        self._up = not self._up
        self._rest, self._rests = self._rests, min(2 * self._rests, _MOST_RESTS)
        self._settle(*before, now, go_on=False)

    def _settle_at(self, limit: int, now: float) -> None:
        """Takes a limit of which nothing is known."""
        self.limit = self._goal = limit
        self._by = 1
        self._doubt = 0.0
        self._known = self._before = None
        self._fewer = _Latencies()
        self._since = now
        self._tried = math.inf
        self.begin_round(now)

    def _settle(self, limit: int, throughput: float, now: float, *, go_on: bool) -> None:
        """Takes a limit, of which so many replies a second are known; the next try from there."""
        fewer = self._fewer
        since = self._since
        if self._before is not None:
            fewer = _Latencies()
            since = self._began
            for latency in self._latencies:
                fewer.take(latency)
        is_same = limit == self.limit
        self._settle_at(limit, now)
        self._known = throughput
        if is_same:
            self._fewer = fewer
            self._since = since
        if not go_on or self.most == 1:
            return
        self._before = (limit, throughput)
        self._up = limit == 1 or (self._up and limit < self.most)
        if self._up:
            factor = self._factor
        else:
            factor = 1 / _STEP
        step = min(_MORE, max(1, round(abs(limit * factor - limit))))
        if self._up:
            self._tried = now
            self._goal = min(self.most, limit + step)
        else:
            self.limit = self._goal = limit - step


class _Latencies:
    """The number, mean and variance of latencies' logarithms.

    The variance begins with a guess, as the replies that come first are those alike.
    """

    def __init__(self) -> None:
        self.number = 0
        self.mean = 0.0
        self._squares = 2.0

    @property
    def variance(self) -> float:
        """The variance, mixed with a first guess that weighs as much as four latencies."""
        return self._squares / (self.number + 4)

    def take(self, latency: float) -> None:
        """Takes in one more (Welford's method)."""
        self.number += 1
        value = _logarithm(latency)
        away = value - self.mean
        self.mean += away / self.number
        self._squares += away * (value - self.mean)


def _logarithm(latency: float) -> float:
    """Returns the logarithm of a latency in seconds; zero counts as a nanosecond."""
    return math.log(max(latency, 1e-9))
