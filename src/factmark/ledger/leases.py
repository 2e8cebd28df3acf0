"""Several processes on one ledger: who asks what, so that no call is paid twice.

Each run takes a lease on a question before it asks, and tells every few seconds that it lives. Who
finds a question taken asks something else and comes back for the other's reply. A lease ends with
its call, or when its owner is gone (it was killed) or has not been heard of for a while, by this
run's own clock: another machine's may be wrong. Who waits for long says for whom.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from socket import gethostname
from typing import Self
from uuid import uuid4

from factmark.http.async_tools import Closing
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter

_LOG = logging.getLogger("factmark.leases")
_BEAT = 2.0  # seconds between two signs of life
_SILENCE = 10.0  # seconds after which a run counts as dead
_POLL = 0.1
_EACH = 0.005  # seconds between two looks at the ledger, however many calls wait
_PATIENCE = 3.0  # seconds of waiting before it is told for whom


class Leases(Closing):
    """This run's leases. Use it as an asynchronous context manager.

    Args:
        ledger: where other runs' leases are read.
        writer: of the same ledger.
    """

    def __init__(self, ledger: Ledger, writer: LedgerWriter) -> None:
        self._ledger, self._writer = ledger, writer
        self._id = uuid4().hex
        self._held: set[str] = set()
        self._beating: asyncio.Task[None] | None = None
        self._heard: dict[str, tuple[float, float]] = {}  # beat of a run, and when it came in
        self._told, self._waiting = False, 0

    async def __aenter__(self) -> Self:
        await self._writer.write(self._beat)
        self._beating = asyncio.create_task(self._keep_alive())
        return self

    async def close(self) -> None:
        """Ends this run and its leases."""
        if self._beating is not None:
            self._beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._beating
        await self._writer.write(self._end_dead_runs)

    async def take(self, key: str) -> bool:
        """Takes the lease on a question if no other living run has it; returns whether it did.

        The reply may be there by then: look it up before asking. `free` has to follow.
        """

        def insert(ledger: Ledger) -> None:
            if self._holder(ledger, key) is None:
                lease = (key, self._id)
                ledger.connection.execute("INSERT OR REPLACE INTO leases VALUES (?, ?)", lease)
                self._held.add(key)

        await self._writer.write(insert)
        return key in self._held

    def give_back(self, ledger: Ledger, key: str) -> None:
        """Ends a lease in the transaction that keeps the call; to be called inside
        `Ledger.writing`.
        """
        ledger.connection.execute("DELETE FROM leases WHERE key = ? AND owner = ?", (key, self._id))
        self._held.discard(key)

    async def free(self, key: str) -> None:
        """Ends a lease that was taken, if `give_back` did not."""
        if key in self._held:
            await self._writer.write(lambda ledger: self.give_back(ledger, key))

    async def wait(self, key: str) -> None:
        """Waits until no other living run has the lease on a question."""
        start = time.monotonic()
        self._waiting += 1
        try:
            while holder := self._holder(self._ledger, key):
                self._tell(*holder, since=start)
                await asyncio.sleep(max(_POLL, _EACH * self._waiting))
        finally:
            self._waiting -= 1

    async def _keep_alive(self) -> None:
        """Writes every few seconds that this run is alive."""
        while True:
            # A run that was killed cannot say so; it is known by its silence.
            await asyncio.sleep(_BEAT)
            await self._writer.write(self._beat)

    def _beat(self, ledger: Ledger) -> None:
        """Writes that this run is alive now."""
        ledger.connection.execute(
            "INSERT OR REPLACE INTO runs (id, host, pid, beat) VALUES (?, ?, ?, ?)",
            (self._id, gethostname(), os.getpid(), time.time()),
        )

    def _end_dead_runs(self, ledger: Ledger) -> None:
        """Removes this run and those that are dead, with their leases."""
        db = ledger.connection
        runs = db.execute("SELECT id, host, pid, beat FROM runs").fetchall()
        gone = [row[:1] for row in runs if row[0] == self._id or not self._is_alive(*row)]
        db.executemany("DELETE FROM runs WHERE id = ?", gone)
        db.execute("DELETE FROM leases WHERE owner NOT IN (SELECT id FROM runs)")

    def _holder(self, ledger: Ledger, key: str) -> tuple[str, int] | None:
        """Host and process id of another living run that has the lease; None without one."""
        row = ledger.rows(
            "SELECT id, host, pid, beat FROM leases JOIN runs ON id = owner "
            "WHERE key = ? AND id != ?",
            key,
            self._id,
        ).fetchone()
        return row[1:3] if row is not None and self._is_alive(*row) else None

    def _is_alive(self, run: str, host: str, pid: int, beat: float) -> bool:
        """Whether a run was heard of lately and, on this machine, whether its process is there.

        A time in the future counts from when this run first read it.
        """
        known, since = self._heard.get(run, (None, 0.0))
        if known != beat:
            since = time.monotonic()
            self._heard[run] = beat, since
        if beat < time.time() - _SILENCE or time.monotonic() - since > _SILENCE:
            return False
        if host == gethostname() and os.name == "posix":
            try:
                os.kill(pid, 0)
            except (ProcessLookupError, OverflowError):
                return False
            except PermissionError:  # somebody else's
                return True
        return True

    def _tell(self, host: str, pid: int, *, since: float) -> None:
        """Says once which run this one waits for, if it has waited for long."""
        if self._told or time.monotonic() - since < _PATIENCE:
            return
        self._told = True
        _LOG.warning(
            "%s: waits for another run on it (host %r, process %r)", self._ledger.path, host, pid
        )
