"""Several processes on one ledger: who asks what, so that no call is paid twice.

A run tells every few seconds that it lives. As long as another one does, each takes a lease on a
question before it asks; who finds it taken waits for the other's reply. A lease ends with its call,
or when its owner has not been heard of for a while (it was killed). A run that is alone takes none.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from types import TracebackType
from typing import Self
from uuid import uuid4

from factmark.io.ledger import Ledger
from factmark.io.writer import LedgerWriter

_BEAT = 2.0  # seconds between two signs of life
_SILENCE = 10.0  # seconds after which a run counts as dead
_POLL = 0.1

_TAKE = """INSERT INTO leases (key, owner) VALUES (?, ?) ON CONFLICT (key)
    DO UPDATE SET owner = excluded.owner
    WHERE owner NOT IN (SELECT id FROM runs WHERE beat > ?)"""


class Leases:
    """This run's leases. Use it as an asynchronous context manager.

    Args:
        ledger: where other runs' leases are read.
        writer: of the same ledger.
    """

    def __init__(self, ledger: Ledger, writer: LedgerWriter) -> None:
        self._ledger, self._writer = ledger, writer
        self._id = uuid4().hex
        self._company = False
        self._beating: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self._writer.write(self._beat)
        self._beating = asyncio.create_task(self._live())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._beating is not None:
            self._beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._beating
        await self._writer.write(self._end)

    async def take(self, key: str) -> bool:
        """Takes the lease on a question, once no other run has it; False where there is no other.

        The reply may be there by then: look it up before asking.
        """
        if not self._company:
            return False
        while True:
            if not self._taken(key):
                await self._writer.write(lambda ledger: self._insert(ledger, key))
                if self._owner(key) == self._id:
                    return True
            await asyncio.sleep(_POLL)

    def give_back(self, ledger: Ledger, key: str) -> None:
        """Ends a lease that was taken; inside `Ledger.writing`."""
        ledger.connection.execute("DELETE FROM leases WHERE key = ? AND owner = ?", (key, self._id))

    def look(self, ledger: Ledger) -> None:
        """Looks whether another run is there; inside `Ledger.writing`."""
        others = ledger.connection.execute(
            "SELECT 1 FROM runs WHERE id != ? AND beat > ? LIMIT 1",
            (self._id, time.time() - _SILENCE),
        )
        self._company = others.fetchone() is not None

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            await self._writer.write(self._beat)

    def _beat(self, ledger: Ledger) -> None:
        ledger.connection.execute(
            "INSERT OR REPLACE INTO runs (id, beat) VALUES (?, ?)", (self._id, time.time())
        )
        self.look(ledger)

    def _end(self, ledger: Ledger) -> None:
        db = ledger.connection
        db.execute("DELETE FROM runs WHERE id = ?", (self._id,))
        db.execute("DELETE FROM runs WHERE beat < ?", (time.time() - _SILENCE,))
        db.execute("DELETE FROM leases WHERE owner NOT IN (SELECT id FROM runs)")

    def _insert(self, ledger: Ledger, key: str) -> None:
        ledger.connection.execute(_TAKE, (key, self._id, time.time() - _SILENCE))

    def _owner(self, key: str) -> str | None:
        rows = self._ledger.connection.execute("SELECT owner FROM leases WHERE key = ?", (key,))
        row = rows.fetchone()
        return None if row is None else str(row[0])

    def _taken(self, key: str) -> bool:
        rows = self._ledger.connection.execute(
            "SELECT 1 FROM leases JOIN runs ON id = owner WHERE key = ? AND beat > ?",
            (key, time.time() - _SILENCE),
        )
        return rows.fetchone() is not None
