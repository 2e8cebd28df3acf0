"""Several processes on one ledger: who asks what, so that no call is paid twice.

A run tells every few seconds that it lives. As long as another one does, each takes a lease on a
question before it asks; who finds it taken asks something else and comes back for the other's
reply. A lease ends with its call, or when its owner is gone (it was killed) or has not been heard
of for a while, by this run's own clock: another machine's may be wrong. A run that is alone takes
none; when it finds that it is so no longer, it takes those of its calls under way, and a run that
comes to others waits until each has looked. Who waits for long says for whom.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
from functools import partial
from pathlib import Path
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

_TAKE = """INSERT INTO leases (key, owner) VALUES (?, ?) ON CONFLICT (key)
    DO UPDATE SET owner = excluded.owner WHERE owner NOT IN (SELECT id FROM runs)"""


class Leases(Closing):
    """This run's leases. Use it as an asynchronous context manager.

    Args:
        ledger: where other runs' leases are read.
        writer: of the same ledger.
    """

    def __init__(self, ledger: Ledger, writer: LedgerWriter) -> None:
        self._ledger, self._writer = ledger, writer
        self._id = uuid4().hex
        self._company = False
        self._under_way: set[str] = set()  # calls that were begun without a lease
        self._leased: set[str] = set()  # those of them that got one meanwhile
        self._lock = threading.Lock()  # of these three: the writer's thread looks, the loop asks
        self._beating: asyncio.Task[None] | None = None
        self._heard: dict[str, tuple[float, float]] = {}  # beat of a run, and when it came in
        self._told, self._waiting = False, 0

    async def __aenter__(self) -> Self:
        met: dict[str, float] = {}
        await self._writer.write(partial(self._beat, met=met))
        self._beating = asyncio.create_task(self._live())
        try:
            await self._seen_by(met)
        except BaseException:
            await self.close()
            raise
        return self

    async def close(self) -> None:
        """Ends this run and its leases."""
        if self._beating is not None:
            self._beating.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._beating
        await self._writer.write(self._end)

    @property
    def alone(self) -> bool:
        """Whether no other run was there when this one looked last."""
        return not self._company

    def begin(self, key: str) -> bool:
        """Begins a call without a lease, as long as this run is alone; whether it is.

        `end` has to follow.
        """
        with self._lock:
            if not self._company:
                self._under_way.add(key)
            return not self._company

    async def end(self, key: str) -> None:
        """Ends a call that was begun without a lease, and the lease if it got one meanwhile."""
        with self._lock:
            self._under_way.discard(key)
            leased = key in self._leased
            self._leased.discard(key)
        if leased:
            await self._writer.write(lambda ledger: self.give_back(ledger, key))

    async def take(self, key: str) -> bool:
        """Takes the lease on a question if no living run has it; whether it did.

        The reply may be there by then: look it up before asking.
        """
        if self._holder(key) is not None:
            return False

        def insert(ledger: Ledger) -> None:
            self.look(ledger)
            ledger.connection.execute(_TAKE, (key, self._id))

        await self._writer.write(insert)
        query = "SELECT owner FROM leases WHERE key = ?"
        owner = self._ledger.connection.execute(query, (key,)).fetchone()
        return bool(owner == (self._id,))

    async def wait(self, key: str) -> None:
        """Waits until no living run has the lease on a question."""
        start = time.monotonic()
        self._waiting += 1
        try:
            while holder := self._holder(key):
                self._tell(*holder, since=start)
                await asyncio.sleep(max(_POLL, _EACH * self._waiting))
        finally:
            self._waiting -= 1

    def give_back(self, ledger: Ledger, key: str) -> None:
        """Ends a lease that was taken; inside `Ledger.writing`."""
        ledger.connection.execute("DELETE FROM leases WHERE key = ? AND owner = ?", (key, self._id))

    def look(self, ledger: Ledger) -> dict[str, float]:
        """The other living runs and when they were last heard of; strikes out the dead.

        Inside `Ledger.writing`.
        """
        db = ledger.connection
        runs = db.execute("SELECT host, pid, beat, id FROM runs WHERE id != ?", (self._id,))
        others = {}
        for host, pid, beat, run in runs.fetchall():
            if self._lives(run, host, pid, beat):
                others[run] = beat
            else:
                db.execute("DELETE FROM runs WHERE id = ?", (run,))
        with self._lock:
            came = bool(others) and not self._company
            self._company = bool(others)
            keys = [*self._under_way] if others else []
            self._leased.update(keys)
        db.executemany(_TAKE, ((key, self._id) for key in keys))
        if came:
            db.execute("UPDATE runs SET beat = ? WHERE id = ?", (time.time(), self._id))
        return others

    async def _seen_by(self, others: dict[str, float]) -> None:
        """Waits until each of these has looked again, and so seen this run, or is gone."""
        start = time.monotonic()
        while others:
            rows = self._ledger.connection.execute("SELECT id, host, pid, beat FROM runs")
            now = {run: (host, pid, beat) for run, host, pid, beat in rows}
            others = {
                run: beat
                for run, beat in others.items()
                if run in now and now[run][2] == beat and self._lives(run, *now[run])
            }
            if others:
                host, pid, _ = now[next(iter(others))]
                self._tell(host, pid, since=start)
                await asyncio.sleep(_POLL)

    async def _live(self) -> None:
        while True:
            await asyncio.sleep(_BEAT)
            await self._writer.write(self._beat)

    def _beat(self, ledger: Ledger, met: dict[str, float] | None = None) -> None:
        ledger.connection.execute(
            "INSERT OR REPLACE INTO runs (id, host, pid, beat) VALUES (?, ?, ?, ?)",
            (self._id, gethostname(), os.getpid(), time.time()),
        )
        others = self.look(ledger)
        if met is not None:
            met.update(others)

    def _end(self, ledger: Ledger) -> None:
        db = ledger.connection
        db.execute("DELETE FROM runs WHERE id = ?", (self._id,))
        self.look(ledger)
        db.execute("DELETE FROM leases WHERE owner NOT IN (SELECT id FROM runs)")

    def _holder(self, key: str) -> tuple[str, int] | None:
        """Host and process of another living run that has the lease."""
        rows = self._ledger.connection.execute(
            "SELECT id, host, pid, beat FROM leases JOIN runs ON id = owner "
            "WHERE key = ? AND id != ?",
            (key, self._id),
        )
        row = rows.fetchone()
        return row[1:3] if row is not None and self._lives(*row) else None

    def _lives(self, run: str, host: str, pid: int, beat: float) -> bool:
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
        """Says once for whom this run waits, if it has waited for long."""
        if self._told or time.monotonic() - since < _PATIENCE:
            return
        self._told = True
        _LOG.warning(
            "%s: waits for another run on it (host %r, process %r); if that is gone, stop this "
            "command and give it --take-over", self._ledger.path, host, pid,
        )  # fmt: skip


def take_over(path: Path) -> None:
    """Forgets all runs that a ledger knows of; one that still lives is heard of again.

    Raises:
        LedgerError: the ledger cannot be written.
    """
    if path.exists():
        with Ledger(path) as ledger, ledger.writing() as db:
            db.execute("DELETE FROM leases")
            db.execute("DELETE FROM runs")
