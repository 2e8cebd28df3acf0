"""How fast a server lets itself be asked, from what it refuses."""

from __future__ import annotations

import random

_GOOD = 1.5  # refusals that a reply weighs up: a server that refuses more than 60 % limits
_DOUBT = 12.0  # refusals beyond that, and beyond those in flight, which may yet bring replies
_PROBATION = 4.0  # refusals less than that, of a server that has just come back
_FASTER, _SLOWER = 0.95, 1.2  # times the gap, by a reply (more by each in a row), and a refusal
_UNHINDERED = 32  # requests in a row that did not have to wait for the gap
_SHORTEST = 1.0  # seconds that a rate is learnt from
_NOTHING = 6  # refusals in a row, with nothing in flight, after which the server is away
_FIRST_LOOK, _NEXT_LOOK = 0.5, 1.5  # seconds; times the pause before


class Throttle:
    """The least time between two requests, in one of three states.

    - Free: the server takes most of what it is sent. What it refuses is that request's own matter,
      and others are not held up.
    - Paced: most was refused. There is a gap between requests, at first the one that let
      through what got through; each reply shortens it, each refusal lengthens it, so that it
      settles where a little more is asked than taken. It ends where it holds nobody up any more.
    - Away: nothing got through. One request looks, then the next after a longer pause; a reply
      ends it.

    Most is refused where refusals outweigh replies by a sum that starts from zero whenever it
    comes there (Page's test, Biometrika 1954): the replies since then say what gets through.

    Attributes:
        gap: seconds between two requests; 0 where it is free.
        pause: seconds between two looks; 0 where it is not away.
        away_since: when it began to be away, if it is.
        due: when the next request may be sent.
    """

    def __init__(self, least: float = 0.0) -> None:
        self.gap = self.pause = 0.0
        self.away_since: float | None = None
        self.due = float("-inf")
        self._least = least
        self._doubt = 0.0
        self._replies = self._refusals = 0  # in a row
        self._shortened = self._lengthened = float("-inf")  # when the gap was
        self._since, self._through = float("-inf"), 0  # replies since the doubt began
        self._looked = float("-inf")
        self._unhindered = 0
        self._estimated = False

    def sent(self, now: float, least: float, *, waited: bool) -> None:
        """Takes in a request, behind which at least so many seconds are left."""
        if self._since == float("-inf"):
            self._since = now
        self.due = now + max(self.gap, self.pause, self._least, least)
        self._unhindered = 0 if waited else self._unhindered + 1
        if self._unhindered >= _UNHINDERED:
            self.gap = 0.0

    def estimate(self, a_minute: int, left: int, in_flight: int) -> None:
        """Takes the server's own word for its limit as the first gap, once it is nearly reached."""
        if a_minute > 0 and left <= in_flight and not (self._estimated or self.gap):
            self._estimated, self._unhindered = True, 0
            self.gap = 60 / a_minute

    def replied(self, start: float, now: float) -> bool:
        """Takes in a reply; whether the server was away and is back.

        Args:
            start: when the request was sent.
        """
        if self.away_since is not None:
            if start < self._looked:  # it was sent before
                return False
            self.away_since, self.pause, self.due = None, 0.0, now
            self._doubt, self._through = _DOUBT - _PROBATION, 1
            return True
        self._refusals = 0
        if now - self._shortened >= self.gap / 2:  # replies that come together tell of one pace
            self._replies, self._shortened = self._replies + 1, now
            self.gap *= _FASTER**self._replies
        self._through += 1
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
        self._replies, self._refusals = 0, self._refusals + 1
        if start >= self._lengthened:  # those sent before tell of a shorter gap
            self._lengthened = now
            self.gap *= _SLOWER
        if self._refusals >= _NOTHING and not in_flight:
            self.gap, self.away_since = 0.0, now
            self._look(now, asked, longest)
        elif self._doubt >= _DOUBT + in_flight:
            through = max(1, self._through + in_flight)
            self.gap = max(self.gap, max(_SHORTEST, now - self._since) / through)
            self._unhindered = 0
            self._begin(now)

    def _begin(self, now: float) -> None:
        self._doubt, self._since, self._through = 0.0, now, 0

    def _look(self, now: float, asked: float | None, longest: float) -> None:
        self.pause = min(longest, _NEXT_LOOK * self.pause or _FIRST_LOOK)
        wait = self.pause * (0.5 + 0.5 * random.random())
        self.due = self._looked = now + max(wait, asked or 0.0)
