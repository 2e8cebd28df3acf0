"""How fast a server lets itself be asked, from what it refuses."""

from __future__ import annotations

import random
from collections import deque

_GOOD = 1.5  # refusals that a reply weighs up: a server that refuses more than 60 % limits
_DOUBT = 12.0  # refusals beyond that, and beyond those in flight, which may yet bring replies
_PROBATION = 4.0  # refusals less than that, of a server that has just come back
# times the gap, by a reply (more by each in a row), and a refusal
_FASTER = 0.97
_SLOWER = 1.2
_BEYOND = 1.5  # times as often as replies came lately, at most
_LATELY = 10  # replies
_BELIEF = 8  # replies after which the longest gap is halved, and twice as many each time
_UNHINDERED = 32  # requests in a row that did not have to wait for the gap
_SHORTEST = 1.0  # seconds that a rate is learnt from
_NOTHING = 6  # refusals in a row, with nothing in flight, after which the server is away
# seconds; times the pause before
_FIRST_LOOK = 0.25
_NEXT_LOOK = 1.3
EARLY = 0.3  # of the time that a server wants to be left alone, as some ask for too much


class Throttle:
    """The least time between two requests, in one of three states.

    - Free: the server takes most of what it is sent. What it refuses is that request's own matter,
      and others are not held up.
    - Paced: most was refused. There is a gap between requests, at first the one that let
      through what got through; each reply shortens it, each refusal lengthens it, so that it
      settles where a little more is asked than taken. It never asks half as often again as
      replies came lately, since some servers count what they refuse; and never less often than
      what was learnt last, which is believed less with time, since refusals may be chance. It ends
      where it holds nobody up any more.
    - Away: nothing got through. One request looks, then the next after a longer pause; a reply
      ends it. A gap stays if replies came by it, or if more was refused than taken from one such
      time to the next: then that was no outage but a limit, whose rate is what was taken.

    Most is refused where refusals outweigh replies by a sum that starts from zero whenever it
    comes there (Page's test, Biometrika 1954): the replies since then say what gets through.

    Attributes:
        gap: seconds between two requests; 0 where it is free.
        pause: seconds between two looks; 0 where it is not away.
        away_since: when it began to be away, if it is.
        due: when the next request may be sent.
    """

    def __init__(self, least: float = 0.0) -> None:
        self.gap = self.pause = self._longest = 0.0
        self.away_since: float | None = None
        self.due = float("-inf")
        self._least = least
        self._lately: deque[float] = deque(maxlen=_LATELY)  # when replies came
        self._alarmed = float("-inf")  # when the gap was learnt
        self._confirmed = False  # whether replies came by it
        self._belief = _BELIEF
        self._kept = 0
        # replies, refusals since it was away
        self._stay = 0.0
        self._taken = 0
        self._turned = 0
        self._doubt = 0.0
        self._replies = self._refusals = 0  # in a row
        self._shortened = self._lengthened = float("-inf")  # when the gap was
        # replies since the doubt began
        self._since = float("-inf")
        self._through = 0
        self._looked = float("-inf")
        self._unhindered = 0
        self._estimated = False

    @property
    def is_free(self) -> bool:
        """Whether what is refused is that request's own matter."""
        return not self.gap and self.away_since is None

    def sent(self, now: float, least: float, *, waited: bool) -> None:
        """Takes in a request, behind which at least so many seconds are left."""
        if self._since == float("-inf"):
            self._since = self._stay = now
        self.due = now + max(self.gap, self.pause, self._least, least)
        if waited:
            self._unhindered = 0
        else:
            self._unhindered = self._unhindered + 1
        if self._unhindered >= _UNHINDERED:
            self.gap = 0.0

    def estimate(self, a_minute: int, left: int, in_flight: int) -> None:
        """Takes the server's own word for its limit as the first gap, once it is nearly reached."""
        if a_minute > 0 and left <= in_flight and not (self._estimated or self.gap):
            self._estimated = True
            self._unhindered = 0
            self.gap = self._longest = 60 / a_minute

    def replied(self, start: float, now: float) -> bool:
        """Takes in a reply. Returns True if the server was away and this is the sign that it is
        back.

        Args:
            start: when the request was sent.
        """
        self._taken += 1
        if self.away_since is not None:
            if start < self._looked:  # it was sent before
                return False
            self.away_since = None
            self.pause = 0.0
            self.due = now + self.gap
            self._begin(now)
            self._doubt = _DOUBT - _PROBATION
            self._through = 1
            self._refusals = 0
            self._confirmed = True
            return True
        self._refusals = 0
        if now - self._shortened >= self.gap / 2:  # replies that come together tell of one pace
            self._replies = self._replies + 1
            self._shortened = now
            self.gap *= _FASTER**self._replies
        if self.gap:
            self._confirmed |= start >= self._alarmed
            self._lately.append(now)
            self._kept += 1
            if self._kept >= self._belief:
                self._longest = self._longest / 2
                self._kept = 0
                self.gap = min(self.gap, self._longest)
            self.gap = max(self.gap, min(self._between(now) / _BEYOND, self._longest))
        self._through += start >= self._since
        self._doubt -= _GOOD
        if self._doubt <= 0:
            self._begin(now)
        return False

    def refused(
        self, start: float, now: float, in_flight: int, asked: float | None, longest: float
    ) -> None:
        """Takes in a request that was turned away.

        Args:
            in_flight: the others that have no answer yet.
            asked: seconds that the server wants to be left alone.
            longest: seconds between two looks at it.
        """
        if self.away_since is not None:
            if start >= self._looked:
                self._look(now, asked, longest)
            return
        self._doubt += 1
        self._replies = 0
        self._refusals = self._refusals + 1
        if self.gap and start >= self._lengthened:  # those sent before tell of a shorter gap
            self._lengthened = now
            self.gap = min(max(self.gap * _SLOWER, self._between(now)), self._longest)
        self._turned += 1
        if self._refusals >= _NOTHING and not in_flight:
            self._leave(now)
            self._look(now, asked, longest)
        elif self._doubt >= _DOUBT + in_flight:
            through = max(1, self._through + in_flight)
            self._pace(max(_SHORTEST, now - self._since) / through, now)
            self._confirmed = self._through > 0
            self._begin(now)

    def _pace(self, gap: float, now: float) -> None:
        """Sets the gap between requests: the one given, or that of the latest replies where a gap
        was kept before."""
        if not self.gap:
            self._belief, self._lately = _BELIEF, deque([now], maxlen=_LATELY)
        else:
            self._belief *= 2
            if len(self._lately) == _LATELY:
                gap = self._between(now)
        self.gap = self._longest = max(gap, self.gap)
        self._alarmed = now
        self._kept = 0
        self._unhindered = 0

    def _leave(self, now: float) -> None:
        """Stops asking for a while, as nothing gets through: for a limit's sake, or since the
        server is away."""
        if self._turned >= self._taken > 0:
            self._pace((now - self._stay) / self._taken, now)
            self._confirmed = True
        elif not self._confirmed:
            self.gap = 0.0
        self.away_since = self._stay = now
        self._turned = self._taken = 0

    def _between(self, now: float) -> float:
        """Returns the mean seconds between the latest replies."""
        if self._lately:
            return (now - self._lately[0]) / len(self._lately)
        return 0.0

    def _begin(self, now: float) -> None:
        """Begins to count refusals anew."""
        self._doubt = 0.0
        self._since = now
        self._through = 0

    def _look(self, now: float, asked: float | None, longest: float) -> None:
        """Sets when the server is asked next: the pause doubles each time, up to the longest."""
        self.pause = min(longest, _NEXT_LOOK * self.pause or _FIRST_LOOK)
        wait = self.pause * (0.5 + 0.5 * random.random())
        self.due = self._looked = now + max(wait, EARLY * (asked or 0.0))
