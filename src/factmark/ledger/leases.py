"""Several processes on one ledger: who asks what, so that no call is paid twice.

Each run takes a lease on a question before it asks, and tells every few seconds that it lives. Who
finds a question taken asks something else and comes back for the other's reply. A lease ends with
its call, or when its owner is gone: it was killed on this machine, or its sign of life has stayed
the same while this run gave several of its own. What time a sign names says nothing: another
machine's clock may be wrong. Who waits for long says for whom.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import time
from pathlib import Path
from socket import gethostname
from typing import Self
from uuid import uuid4

from factmark.http.async_tools import Closing
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter

_LOG = logging.getLogger("factmark.leases")
_BEAT = 2.0  # seconds between two signs of life
_SILENCE = 5  # signs of this run's own without one of another's, which then counts as dead
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
        self._ledger = ledger
        self._writer = writer
        self._id, self._place = uuid4().hex, process_place()
        self._held: set[str] = set()
        self._beating: asyncio.Task[None] | None = None
        self._beats = 0
        self._heard: dict[str, tuple[float, int]] = {}  # beat of a run; ours when it came in
        self._told = False
        self._waiting = 0

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
        """Writes that this run is alive now, and listens which others are."""
        ledger.connection.execute(
            "INSERT OR REPLACE INTO runs (id, host, pid, place, beat) VALUES (?, ?, ?, ?, ?)",
            (self._id, gethostname(), os.getpid(), self._place, time.time()),
        )
        # Beats are counted, not seconds: while the ledger is locked, or this process is stopped,
        # neither can others be heard.
        self._beats += 1
        for run, beat in ledger.rows("SELECT id, beat FROM runs"):
            self._is_heard(run, beat)

    def _end_dead_runs(self, ledger: Ledger) -> None:
        """Removes this run and those that are dead, with their leases."""
        db = ledger.connection
        runs = db.execute("SELECT id, place, pid, beat FROM runs").fetchall()
        gone = []
        for row in runs:
            if row[0] == self._id or not self._is_alive(*row):
                gone.append(row[:1])
        db.executemany("DELETE FROM runs WHERE id = ?", gone)
        db.execute("DELETE FROM leases WHERE owner NOT IN (SELECT id FROM runs)")

    def _holder(self, ledger: Ledger, key: str) -> tuple[str, int] | None:
        """Host and process id of another living run that has the lease; None without one."""
        row = ledger.rows(
            "SELECT host, id, place, pid, beat FROM leases JOIN runs ON id = owner "
            "WHERE key = ? AND id != ?",
            key,
            self._id,
        ).fetchone()
        if row is None or not self._is_alive(*row[1:]):
            return None
        return row[0], row[3]

    def _is_alive(self, run: str, place: str, pid: int, beat: float) -> bool:
        """Whether a run's sign of life changes and, where process ids say so, its process is there.

        A process id of another machine or container says nothing: here it is somebody else's.
        """
        if not self._is_heard(run, beat):
            return False
        if not place or place != self._place:
            return True
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return False
        except PermissionError:  # somebody else's
            return True
        return True

    def _is_heard(self, run: str, beat: float) -> bool:
        """Whether a run's sign of life has changed lately, counted in signs of this run's own; one
        that was never read before counts from now on."""
        known, since = self._heard.get(run, (None, 0))
        if known != beat:
            since = self._beats
            self._heard[run] = beat, since
        return self._beats - since <= _SILENCE

    def _tell(self, host: str, pid: int, *, since: float) -> None:
        """Says once which run this one waits for, if it has waited for long."""
        if self._told or time.monotonic() - since < _PATIENCE:
            return
        self._told = True
        _LOG.warning(
            "%s: waits for another run on it (host %r, process %r)", self._ledger.path, host, pid
        )


def process_place() -> str:
    """Returns the boot and the process namespace in which this process has its id; empty where the
    system does not tell, and no process id can be trusted."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
        return f"{boot} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return ""
