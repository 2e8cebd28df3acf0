"""How long, how often: without a clock that runs."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from factmark.errors import EndpointError
from factmark.http.retries import (
    AbsentServerError,
    GaveUpError,
    RateLimitError,
    RetryPolicy,
    TransientError,
    repeat,
)


def test_waits_grow_to_a_bound_and_attempts_end() -> None:
    policy = RetryPolicy(attempts=7, first_wait=1, longest_wait=5, jitter=lambda: 1.0)
    assert [policy.wait(attempt) for attempt in range(1, 8)] == [1, 2, 4, 5, 5, 5, None]


def test_jitter_shortens_a_wait_to_half_at_most() -> None:
    assert RetryPolicy(first_wait=1, jitter=lambda: 0.0).wait(1) == 0.5


@pytest.mark.parametrize(
    ("asked", "wait"),
    [
        ("3", 3.0),
        (" 0 ", 0.0),
        ("11", None),
        ("9" * 400, None),
        ("soon", 0.5),
        ("-1", 0.5),
        ("Thu, 99 Jan 99999999999 00:00:00 GMT", 0.5),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
        ("Thu, 01 Jan 1970 00:00:00 -0000", 0.0),
    ],
)
def test_a_wait_that_the_server_asks_for_is_kept(asked: str, wait: float | None) -> None:
    assert RetryPolicy(first_wait=1, jitter=lambda: 0.0).wait(1, asked) == wait


def test_a_date_to_retry_after_becomes_seconds() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=6), usegmt=True)
    wait = RetryPolicy().wait(1, soon)
    assert wait is not None
    assert 3 < wait <= 6


class Server:
    """Fails so often, then answers; counts what it was asked, and what was waited for it."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.asked = 0
        self.waits: list[float] = []

    async def send(self) -> str:
        self.asked += 1
        if self.failures:
            raise self.failures.pop(0)
        return "answer"

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def policy(self, attempts: int, first_wait: float) -> RetryPolicy:
        return RetryPolicy(
            attempts=attempts,
            first_wait=first_wait,
            longest_wait=60,
            jitter=lambda: 1.0,
            sleep=self.sleep,
        )


BUSY, ABSENT, FAULT = RateLimitError("busy"), AbsentServerError("absent"), TransientError("fault")


@pytest.mark.parametrize(
    ("failures", "waits"),
    [
        ((), []),
        ((FAULT, FAULT), [1, 2]),  # by the policy
        ((BUSY, ABSENT, BUSY), [10, 20, 40]),  # by the limits
        ((FAULT, BUSY, FAULT, BUSY), [1, 10, 2, 20]),  # each is counted for itself
        ((RateLimitError("busy", "7"), FAULT), [7, 1]),  # the server says how long
    ],
)
async def test_a_busy_server_is_waited_for_longer_than_a_faulty_one(
    failures: Sequence[Exception], waits: list[float]
) -> None:
    server = Server(*failures)
    faults, limits = server.policy(3, 1), server.policy(5, 10)
    assert await repeat(server.send, faults, limits=limits) == "answer"
    assert server.waits == waits


async def test_without_limits_of_its_own_a_busy_server_has_the_same_policy() -> None:
    server = Server(BUSY, FAULT)
    assert await repeat(server.send, server.policy(3, 1)) == "answer"
    assert server.waits == [1, 2]


@pytest.mark.parametrize(
    ("failures", "asked"),
    [
        ([FAULT] * 9, 3),
        ([BUSY] * 9, 5),
        ([BUSY, FAULT, BUSY, FAULT, FAULT, FAULT], 5),  # the third fault; two busy ones beside them
    ],
)
async def test_whoever_gives_up_says_after_how_many_attempts(
    failures: Sequence[Exception], asked: int
) -> None:
    server = Server(*failures)
    with pytest.raises(GaveUpError, match=f"gave up after {asked} attempts") as given_up:
        await repeat(server.send, server.policy(3, 1), limits=server.policy(5, 10))
    assert given_up.value.attempts == server.asked == asked


async def test_what_no_wait_mends_is_raised_at_once() -> None:
    server = Server(EndpointError("no such model"))
    with pytest.raises(EndpointError, match="no such model"):
        await repeat(server.send, server.policy(3, 1))
    assert (server.asked, server.waits) == (1, [])


@pytest.mark.parametrize(("left", "asked"), [(2.0, 1), (30.0, 2), (math.inf, 3)])
async def test_nothing_is_waited_for_beyond_the_deadline(left: float, asked: int) -> None:
    """Waits of 10 and 50 s that pass in no time."""
    server = Server(*(TransientError("fault", seconds) for seconds in ("10", "50")))
    now = asyncio.get_running_loop().time()
    if asked < 3:
        with pytest.raises(GaveUpError):
            await repeat(server.send, server.policy(9, 1), deadline=now + left)
    else:
        assert await repeat(server.send, server.policy(9, 1), deadline=now + left) == "answer"
    assert server.asked == asked


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (RateLimitError("slow down", "30"), ["slow down: asked again in 30 s"]),
        (RateLimitError("slow down", "1"), []),  # too short to be told
    ],
)
async def test_a_long_wait_for_a_busy_server_is_told(
    error: Exception, says: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    server = Server(error)
    with caplog.at_level(logging.WARNING, "factmark.retries"):
        await repeat(server.send, server.policy(3, 1), limits=server.policy(3, 1))
    assert [record.getMessage() for record in caplog.records] == says
