"""What is closed at the end of an `async with`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Closing(ABC):
    """Closes itself when the block ends, however it ends."""

    __slots__ = ()

    @abstractmethod
    async def close(self) -> None:
        """Gives back what it holds; may be called twice."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()
