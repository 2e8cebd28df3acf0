"""Places that clients get in turn, address by address."""

from __future__ import annotations

import asyncio

import pytest

from factmark.http.serving import Turns


async def served(order: list[str], cancel: frozenset[int] = frozenset()) -> list[str]:
    """The addresses in the order in which they got the one place; the first has it already."""
    turns, got, begin = Turns(1), [], asyncio.Event()

    async def client(address: str) -> None:
        async with turns.place_for(address):
            await begin.wait()
            got.append(address)

    tasks = []
    for address in order:
        tasks.append(asyncio.create_task(client(address)))
        await asyncio.sleep(0)
    for at in cancel:
        tasks[at].cancel()
    begin.set()
    await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), timeout=30)
    async with asyncio.timeout(30), turns.place_for("later"):  # the place is free again
        return got


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        (["a", "a", "a", "a", "b"], ["a", "a", "b", "a", "a"]),
        (["a", "a", "b", "b", "c"], ["a", "a", "b", "c", "b"]),
        (["a", "a", "a"], ["a", "a", "a"]),
    ],
)
async def test_each_address_has_its_turn(order: list[str], expected: list[str]) -> None:
    assert await served(order) == expected


async def test_a_client_that_leaves_loses_nobody_s_turn() -> None:
    assert await served(["a", "b", "c", "a"], frozenset({1})) == ["a", "c", "a"]
    assert await served(["a", "b", "c"], frozenset({0})) == ["b", "c"]
