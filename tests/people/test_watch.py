"""Pulling again and again: what is told, and when it ends."""

from __future__ import annotations

import pytest

from factmark.errors import EndpointError
from factmark.people.labelstudio.http import TokenError
from factmark.people.labelstudio.pull import Pulled, PulledFrom, watch


def pulled(answered: int, new: int = 0, **more: object) -> Pulled:
    part = {
        "code": "A1", "name": "Ada", "projects": (1,), "user": "", "tasks": 2, "refused": (),
        "gone": (), "missing": 0, "problem": "", "answered": answered, "new": new,
    }  # fmt: skip
    ada = PulledFrom(**(part | more))  # type: ignore[arg-type]  # as the field wants
    return Pulled(url="http://s", annotators=(ada,), refused_new=0)


async def lines_of(*turns: Pulled | Exception) -> list[str]:
    told: list[str] = []
    left = iter(turns)

    async def pull() -> Pulled:
        turn = next(left)
        if isinstance(turn, Exception):
            raise turn
        return turn

    async def sleep() -> None:
        pass

    assert (await watch(pull, sleep=sleep, tell=told.append)).done
    return told


async def test_tells_changes_and_outlives_an_absence() -> None:
    away = EndpointError("http://s cannot be reached.")
    told = await lines_of(
        pulled(0), pulled(1, 1), pulled(1), away, away,
        pulled(1, problem="nobody knows who"), pulled(1, problem="nobody knows who"), pulled(2, 1),
    )  # fmt: skip
    assert told == [
        "A1 Ada: 0 of 2",
        "A1 Ada: 1 of 2, 1 new or changed",
        "http://s cannot be reached. Trying again.",
        "http://s answers again.",
        "A1 Ada: 1 of 2; nobody knows who",
        "A1 Ada: 2 of 2, 1 new or changed",
    ]


async def test_ends_with_a_token_that_is_not_taken() -> None:
    with pytest.raises(TokenError):
        await lines_of(pulled(0), TokenError("past its time"))
