"""Writing to a ledger from the event loop: a thread commits whatever has arrived, together."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

from factmark.errors import LedgerError
from factmark.http.async_tools import Closing
from factmark.ledger.ledger import Ledger

Write = Callable[[Ledger], None]
_Waiting = tuple[Write, asyncio.Future[None]]
_TOGETHER = 2_000


class LedgerWriter(Closing):
    """Takes writes in the event loop and runs them in a thread of its own, in their order.

    Use it as an asynchronous context manager. A write that was awaited has been committed and
    outlives the process.

    Args:
        path: the ledger's file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="ledger", daemon=True)

    async def write(self, write: Write) -> None:
        """Runs a write in the next transaction, and returns when that is committed.

        Raises:
            LedgerError: if the ledger cannot be written; nothing of that transaction is kept.
        """
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.put((write, done))
        await done

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        return self

    async def close(self) -> None:
        """Commits what is left, and ends the thread."""
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        try:
            with Ledger(self._path) as ledger:
                while waiting := self._arrived():
                    self._tell(waiting, _commit(ledger, [write for write, _ in waiting]))
        except BaseException as error:  # the ledger does not open: say so to all who wait
            while waiting := self._arrived():
                self._tell(waiting, error)

    def _arrived(self) -> list[_Waiting]:
        """Waits for a write, and takes all that are there; empty at the end."""
        first = self._queue.get()
        if first is None:
            return []
        arrived = [first]
        with contextlib.suppress(Empty):
            while len(arrived) < _TOGETHER:
                following = self._queue.get_nowait()
                if following is None:
                    self._queue.put(None)  # the end, again, for the next time
                    break
                arrived.append(following)
        return arrived

    def _tell(self, waiting: list[_Waiting], error: BaseException | None) -> None:
        futures = [done for _, done in waiting]
        with contextlib.suppress(RuntimeError):  # the loop is gone, and nobody waits
            self._loop.call_soon_threadsafe(_resolve, futures, error)


def _commit(ledger: Ledger, writes: list[Write]) -> BaseException | None:
    try:
        with ledger.writing():
            for write in writes:
                write(ledger)
    except Exception as error:
        return error if isinstance(error, LedgerError) else LedgerError(str(error))
    return None


def _resolve(futures: list[asyncio.Future[Any]], error: BaseException | None) -> None:
    for future in futures:
        if future.done():  # who waited has been cancelled
            continue
        if error is None:
            future.set_result(None)
        else:
            future.set_exception(error)
