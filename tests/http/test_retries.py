"""How long, how often: without a clock that runs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from factmark.http.retries import RetryPolicy


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
