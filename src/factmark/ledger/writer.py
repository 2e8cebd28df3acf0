"""Writing to a ledger from the event loop: a thread commits whatever has arrived, together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from factmark.errors import LedgerError
from factmark.http.async_tools import Closing
from factmark.ledger.ledger import Ledger

Write = Callable[[Ledger], None]
# A commit waits for the disk whatever it holds, so writes share one; bounded, so none waits long.
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
        self._ledger: Ledger | None = None  # of the thread
        # One thread: SQLite lets one write at a time, and writes keep the order they came in.
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ledger")
        self._arrived: list[tuple[Write, asyncio.Future[None]]] = []
        self._committing: asyncio.Future[LedgerError | None] | None = None

    async def write(self, write: Write) -> None:
        """Runs a write in the next transaction; returns when that is committed.

        Raises:
            LedgerError: if the ledger cannot be written; nothing of that transaction is kept.
        """
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._arrived.append((write, done))
        if self._committing is None and len(self._arrived) == 1:
            loop.call_soon(self._commit)  # with what else arrives in this turn of the loop
        await done

    async def close(self) -> None:
        """Commits what is left, and ends the thread."""
        while self._arrived or self._committing is not None:
            await (asyncio.wait([self._committing]) if self._committing else asyncio.sleep(0))
        if self._ledger is not None:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._ledger.close)
            self._ledger = None
        self._thread.shutdown(wait=False)

    def _commit(self) -> None:
        """Starts a transaction, in the thread, with the writes that have arrived."""
        arrived = self._arrived[:_TOGETHER]
        self._arrived = self._arrived[_TOGETHER:]
        writes = [write for write, _ in arrived]
        loop = asyncio.get_running_loop()
        self._committing = loop.run_in_executor(self._thread, self._run_writes, writes)
        self._committing.add_done_callback(
            partial(self._tell_waiting, [done for _, done in arrived])
        )

    def _tell_waiting(
        self, waiting: list[asyncio.Future[None]], committed: asyncio.Future[LedgerError | None]
    ) -> None:
        """Ends the waiting of those whose writes were committed or failed, and starts the next
        transaction.
        """
        self._committing = None
        error = committed.result()
        for done in waiting:
            if done.done():  # who waited has been cancelled
                continue
            if error is None:
                done.set_result(None)
            else:
                done.set_exception(error)
        if self._arrived:
            self._commit()

    def _run_writes(self, writes: list[Write]) -> LedgerError | None:
        """Runs writes in one transaction; returns its error, or None."""
        try:
            self._ledger = self._ledger or Ledger(self._path)
            with self._ledger.writing():
                for write in writes:
                    write(self._ledger)
        except Exception as error:
            if isinstance(error, LedgerError):
                return error
            return LedgerError(str(error))
        return None
