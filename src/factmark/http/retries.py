"""Trying again: how often, how long, and after which wait. The clock and the dice are given.

Which answers are worth another try is for each protocol to say, by raising one of these errors:
for models `ask/responses.py`, for SPARQL `stores/endpoint.py`, for Label Studio
`people/labelstudio/http.py`.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import math
import random
import re
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TypeVar

from factmark.errors import EndpointError

Sleep = Callable[[float], Awaitable[None]]
T = TypeVar("T")

_LOG = logging.getLogger("factmark.retries")
TELL = 5.0
"""Seconds of a wait that are told."""


class TransientError(EndpointError):
    """A failure that may pass: worth another attempt.

    Args:
        retry_after: what the server asked for in its header, if it did.

    Attributes:
        seconds: that the request took.
    """

    seconds: float = 0.0

    def __init__(self, message: str, retry_after: str | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TurnedAwayError(TransientError):
    """The request was not carried out: it is no fault of its own, and costs nothing."""


class RateLimitError(TurnedAwayError):
    """The server asks to be asked less often (429, 529)."""


class AbsentServerError(TurnedAwayError):
    """The server, or the one behind it, is not there for now (502, 503)."""


class GaveUpError(EndpointError):
    """All attempts failed; the cause is the last failure.

    Args:
        attempts: requests that were sent.
    """

    def __init__(self, error: TransientError, attempts: int) -> None:
        tries = "1 attempt"
        if attempts != 1:
            tries = f"{attempts} attempts"
        super().__init__(f"{error} (gave up after {tries})")
        self.attempts = attempts


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How a failed request is repeated.

    Attributes:
        attempts: requests in all, the first included.
        first_wait: seconds before the second attempt; each later wait may be twice as long.
        longest_wait: the most seconds between two attempts. A server that asks for more (by
            Retry-After) is not asked again.
        jitter: gives a number in [0, 1); a wait is between half and all of its length.
        sleep: waits for so many seconds.
    """

    attempts: int = 4
    first_wait: float = 0.5
    longest_wait: float = 10.0
    jitter: Callable[[], float] = random.random
    sleep: Sleep = asyncio.sleep

    def wait(self, attempt: int, retry_after: str | None = None) -> float | None:
        """Returns the seconds to wait after attempt number `attempt` (from 1); None to give up.

        Args:
            retry_after: the header of that name, seconds or a date; nonsense is ignored.
        """
        if attempt >= self.attempts:
            return None
        asked = retry_seconds(retry_after)
        if asked is not None:
            if asked <= self.longest_wait:
                return asked
            return None
        longest: float = min(self.longest_wait, self.first_wait * 2.0 ** (attempt - 1))
        return longest * (0.5 + 0.5 * self.jitter())


# For a server that turns requests away: about 15 to 20 minutes in all.
LIMITS = RetryPolicy(attempts=25, first_wait=1.0, longest_wait=60.0)


async def repeat(
    send: Callable[[], Awaitable[T]],
    policy: RetryPolicy,
    *,
    limits: RetryPolicy | None = None,
    deadline: float = math.inf,
) -> T:
    """Returns the result of `send`, which is called again after failures that may pass.

    Args:
        limits: for servers that are busy or not there for now, counted apart; None for the same.
        deadline: in the event loop's time; nothing is waited for beyond it.

    Raises:
        GaveUpError: all attempts failed.
        EndpointError: whatever else `send` raises.
    """
    loop = asyncio.get_running_loop()
    failures: Counter[bool] = Counter()
    for attempt in itertools.count(1):
        try:
            return await send()
        except TransientError as error:
            busy = isinstance(error, RateLimitError | AbsentServerError)
            limited = limits is not None and busy
            if limited and limits:
                chosen = limits
            else:
                chosen = policy
            failures[limited] += 1
            wait = chosen.wait(failures[limited], error.retry_after)
            if wait is None or loop.time() + wait >= deadline:
                raise GaveUpError(error, attempt) from error
            if limited and wait >= TELL:
                _LOG.warning("%s: asked again in %.0f s", error, wait)
        await chosen.sleep(wait)
    raise AssertionError("the loop ends by returning or raising")


def clock_time(seconds: float) -> str:
    """Returns the local time in so many seconds, with the day where that is not today."""
    now = datetime.now()
    moment = now + timedelta(seconds=seconds)
    day = ""
    if moment.date() != now.date():
        day = f"{moment:%Y-%m-%d} "
    return f"{day}{moment:%H:%M:%S}"


def retry_seconds(retry_after: str | None) -> float | None:
    """Returns the seconds that a Retry-After asks for, as a number or a date; None for nonsense."""
    if retry_after is None:
        return None
    text = retry_after.strip()
    if re.fullmatch(r"[0-9]+(\.[0-9]*)?", text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text[:100])
    except (ValueError, TypeError, IndexError, OverflowError):  # what its parser lets through
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())
