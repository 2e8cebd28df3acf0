"""Several things at once in the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import TypeVar

Result = TypeVar("Result")


async def gathered(work: Sequence[Coroutine[None, None, Result]]) -> list[Result]:
    """Awaits all at once, in their order; after an error none goes on unseen.

    Raises:
        BaseException: the first error of them, once all have ended.
    """
    if len(work) == 1:
        return [await work[0]]
    results: list[Result] = []
    for result in await asyncio.gather(*work, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result
        results.append(result)
    return results


def first_of(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """The first error of a group, which is what the user should see."""
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
