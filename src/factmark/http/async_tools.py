"""Several things at once in the event loop, and what is closed at the end of `async with`."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from types import TracebackType
from typing import Self, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def gather_all(work: Sequence[Coroutine[None, None, Result]]) -> list[Result]:
    """Awaits all at once and returns their results in order; after an error it waits for all to
    end.

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


async def for_each(
    items: Sequence[Item], work: Callable[[Item], Awaitable[Result]], at_once: int
) -> list[Result]:
    """Returns what `work` makes of each item, in order, `at_once` at a time; after an error no
    further one is begun.

    Raises:
        Exception: the first error of them, once those under way have ended.
    """
    results: dict[int, Result] = {}
    errors: list[Exception] = []
    left = iter(enumerate(items))

    async def work_on() -> None:
        for place, item in left:
            try:
                results[place] = await work(item)
            except Exception as error:
                errors.append(error)
            if errors:
                return

    await asyncio.gather(*(work_on() for _ in range(min(at_once, len(items)))))
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(items))]


def first_error(error: BaseException) -> BaseException:
    """The first error of nested groups, which is what the user should see; any other as it is."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class Closing(ABC):
    """Closes itself when the block ends, however it ends."""

    __slots__ = ()

    @abstractmethod
    async def close(self) -> None:
        """Closes what it holds; may be called twice."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
