"""How many requests a server is sent at a time: as many as bring more replies a second."""

from __future__ import annotations

FIRST = 4
_PAYS = 0.25  # of the replies a second that a larger limit would bring if the server kept up
_SURE = 32  # replies, before it is believed that more in flight bring nothing
_DOUBLE, _STEP = 2.0, 1.5  # times as many: as long as each doubling has paid, and from then on
_RESTS, _MOST_RESTS = 2, 32  # rounds between two tries
_BUSY = 0.1  # of a latency, that is this program's own, from which on it is what bounds
_NO_LESS = 0.8  # of the replies a second, as they differ by chance


class Concurrency:
    """Climbs to the smallest limit at which a server gives the most replies a second.

    A round is as many replies as may be in flight. Its replies a second (what was in flight on
    average, by the mean latency of what was sent in it) are compared with those of the limit
    before: twice as many in flight stay where they bring clearly more, else the limit
    before is taken up again. From time to time more are tried, and then fewer, since servers
    change. Latency alone decides nothing: it grows at a server that has a queue and at one that
    breaks down, and only the second gives fewer replies. Where this program is late to take replies
    in, since it is busy or the machine is, more in flight may bring nothing for that: then those
    stay that do not bring less.

    Attributes:
        limit: requests that may be in flight now.
        most: those that may ever be.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.restart()

    def restart(self, now: float = 0.0) -> None:
        """Begins with few again, as after an outage: all at once may bring it back."""
        self.limit = min(FIRST, self.most)
        self._known: float | None = None  # replies a second at this limit
        self._before: tuple[int, float] | None = None  # what a try is compared with
        self._up, self._factor = True, _DOUBLE
        self._rest, self._rests = 0, _RESTS
        self.begin_round(now)

    def overloaded(self, now: float) -> None:
        """Takes half as many, as after a reply that never came."""
        self.limit = max(1, self.limit // 2)
        self._known = self._before = None
        self._rest = self._rests
        self.begin_round(now)

    def begin_round(self, now: float) -> None:
        """Forgets the round, as where something else than the limit bounded what was in flight."""
        self._began = self._moved = now
        self._area = self._latency = self._lag = 0.0
        self._replies = self._lags = 0

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
        if start < self._began:
            return
        self._replies += 1
        self._latency += now - start
        if self._replies >= self.limit and self._latency and now > self._began:
            in_flight = self._area / (now - self._began)
            self._end_round(in_flight * self._replies / self._latency, now)

    def _end_round(self, throughput: float, now: float) -> None:
        if self._before is None:
            known = throughput if self._known is None else (self._known + throughput) / 2
            self._rest -= 1
            self._settle(self.limit, known, now, go_on=self._rest <= 0)
            return
        (few, slow), (many, fast) = sorted([self._before, (self.limit, throughput)])
        pays = fast / slow - 1 >= _PAYS * (many / few - 1)
        if self._lags and self._lag / self._lags >= _BUSY * self._latency / self._replies:
            pays = fast >= _NO_LESS * slow
        if not pays and self._replies < _SURE * min(1.0, fast / slow):
            return
        if (many if pays else few) == self.limit:
            self._rests = _RESTS
            self._settle(self.limit, throughput, now, go_on=True)
        else:
            self._up, self._factor = not self._up, _STEP
            self._rest, self._rests = self._rests, min(2 * self._rests, _MOST_RESTS)
            self._settle(*self._before, now, go_on=False)

    def _settle(self, limit: int, throughput: float, now: float, *, go_on: bool) -> None:
        """Takes a limit, of which so many replies a second are known; the next try from there."""
        self.limit, self._known, self._before = limit, throughput, None
        self.begin_round(now)
        if go_on and self.most > 1:
            self._up = limit == 1 or (self._up and limit < self.most)
            factor = self._factor if self._up else 1 / _STEP
            step = max(1, round(abs(limit * factor - limit)))
            self._before = (limit, throughput)
            self.limit = min(self.most, limit + step) if self._up else limit - step
