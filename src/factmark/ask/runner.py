"""Units × judge → verdicts. Killed at any moment it goes on; run again it costs nothing.

Each reply is in the ledger before it is read, and each verdict when its unit is done. Units that
the judge has judged are passed over; those whose call failed for good are asked about again.

Who judges, and where, is no business of the runner: rules, a model, a shard on another machine are
all a `UnitJudge` (`judges/unit_judge.py`).
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from factmark.ask.budget import Spend
from factmark.ask.judges.unit_judge import OpenJudge, UnitJudge
from factmark.ask.tasks import Job, batches
from factmark.errors import EndpointError
from factmark.http.async_tools import first_error
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Item, Judge, Status, Unit, Verdict

_AHEAD = 256  # units, or batches of several, whose verdicts are looked up together
_REPORT_EVERY = 0.1  # seconds between two reports of progress
_KEEP_EVERY = 1.0  # seconds that a verdict waits for others of its batch before it is kept


Known = Mapping[str, tuple[Status, str | None, str]]
"""Unit -> status, label and reason of its verdict."""

Judged = tuple[Item, Unit, Verdict]
Keep = Callable[[Sequence[Judged]], None]
"""Takes verdicts, and keeps them elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingProgress:
    """Where judging stands, and at its end what it came to.

    Attributes:
        judge: who judges.
        verdicts: units by the status of their verdict, those judged before among them.
        left: units that stay to be judged, for want of budget.
        spend: what was asked for it.
        known: the verdicts, where all units were judged before; else nothing.
    """

    judge: Judge
    verdicts: Mapping[Status, int]
    left: int
    spend: Spend
    known: Known = field(default_factory=dict, repr=False)  # asyncio.run calls repr of its result

    @property
    def done(self) -> int:
        """Units with a verdict."""
        return sum(self.verdicts.values())

    @property
    def units(self) -> int:
        """All that were given so far."""
        return self.done + self.left

    @property
    def rate(self) -> float:
        """Verdicts a second, of those that are new."""
        new = self.done - self.spend.judged_before
        if self.spend.seconds > 0:
            return new / self.spend.seconds
        return 0.0


JudgingLine = Callable[[int], AbstractContextManager[Callable[[JudgingProgress], None] | None]]
"""Given a number of units, opens what is called with the progress of judging them."""


def no_judging_line(_total: int) -> AbstractContextManager[None]:
    """Shows nothing while units are judged: a `JudgingLine`."""
    return nullcontext()


async def run(
    jobs: Iterable[Job],
    open_judge: OpenJudge,
    ledger: Path,
    *,
    again: bool = False,
    keep: bool | Keep = True,
    ids: Callable[[], Sequence[str]] | None = None,
    group: Callable[[Unit], object] | None = None,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgingProgress:
    """Has a judge go through units and keeps its verdicts; returns where that ended.

    Args:
        jobs: units, each with the item that it belongs to; read as they are needed, so there may
            be millions.
        open_judge: who judges: rules, somebody's function, a model.
        ledger: the file where calls and verdicts are kept.
        ids: gives the ids of all units of the jobs; where they are judged, no job is read.
        group: only neighbours of the same group share a call; the judge says it where this does
            not.
        again: whether units that the judge has judged are judged anew; a model's from the kept
            replies.
        keep: whether verdicts are kept here, or what keeps them elsewhere; where they are not,
            whoever calls keeps what came of the units, and all are judged.
        progress: is told where the run stands, ten times a second at most, and at the end.

    Raises:
        EndpointError: no call can work (a wrong key, model or address); what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    with Ledger(ledger) as opened:
        async with LedgerWriter(ledger) as writer, open_judge(opened, writer) as judge:
            await writer.write(lambda book: book.add_judge(judge.identity))
            running = _Run(judge, opened, writer if keep is True else None, progress)
            if callable(keep):
                running.keep_elsewhere = keep
            if again or ids is None or not running.count_if_judged(ids()):
                handed = batches(jobs, group or judge.group, judge.batch)
                await running.through(handed, again or not keep)
            done = running.report()
            if done.spend.calls:
                await writer.write(lambda book: _write_spend(book, done))
            return done


async def run_at_hand(
    jobs: Iterable[Job],
    judge: UnitJudge,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgingProgress:
    """Has a judge go through units that needs nothing opened; whoever calls keeps what came of it,
    and no ledger is touched. See `run`."""
    running = _Run(judge, None, None, progress)
    await running.through(batches(jobs, judge.group, judge.batch), again=True)
    return running.report()


class _Run:
    """The state of one run; without a ledger nothing is known before, and nothing is kept.

    Attributes:
        keep_elsewhere: takes verdicts in place of the ledger.
    """

    keep_elsewhere: Keep | None = None

    def __init__(
        self,
        judge: UnitJudge,
        ledger: Ledger | None,
        writer: LedgerWriter | None,
        progress: Callable[[JudgingProgress], None] | None,
    ) -> None:
        self._judge = judge
        self._ledger = ledger
        self._writer = writer
        self._progress = progress
        self._verdicts: Counter[Status] = Counter()  # those judged before among them
        self._held: list[Judged] = []  # wait to be kept together
        self._judged_before = self._left = 0
        self._known: Known = {}
        self._broken: EndpointError | None = None
        self._start = self._reported = self._kept = time.monotonic()

    def count_if_judged(self, units: Sequence[str]) -> bool:
        """Counts the units as judged if all of them are; returns whether they were."""
        if self._ledger is None:
            return False
        known = self._ledger.labels(self._judge.identity.id, units)
        counts = Counter(status for status, _, _ in known.values())
        if len(known) < len(units) or counts["failed"]:
            return False
        self._known = known
        self._verdicts.update(counts)
        self._judged_before += len(units)
        return True

    async def through(self, batches: Iterator[list[Job]], again: bool) -> None:
        """Judges all batches, a bounded number of them at a time."""
        slots = asyncio.Semaphore(self._judge.at_once)
        ahead = max(1, _AHEAD // self._judge.batch)
        try:
            async with asyncio.TaskGroup() as group:
                while not self._broken and (block := list(islice(batches, ahead))):
                    for jobs in self._unjudged(block, again):
                        await slots.acquire()
                        if self._broken:
                            break
                        judging = group.create_task(self._judge_batch(jobs))
                        judging.add_done_callback(lambda _: slots.release())
                    await asyncio.sleep(0)
                    self._report_in_time()
        except BaseExceptionGroup as errors:
            raise first_error(errors) from errors
        finally:
            await self._write_held()
        if self._broken is not None:
            raise self._broken

    def report(self) -> JudgingProgress:
        """Where it stands."""
        now = JudgingProgress(
            judge=self._judge.identity,
            verdicts=dict(self._verdicts),
            left=self._left,
            known=self._known,
            spend=replace(
                self._judge.spend(),
                judged_before=self._judged_before,
                seconds=time.monotonic() - self._start,
            ),
        )
        if self._progress is not None:
            self._progress(now)
        return now

    def _report_in_time(self) -> None:
        """Reports progress, unless it was reported just now."""
        if self._progress is not None and time.monotonic() - self._reported >= _REPORT_EVERY:
            self._reported = time.monotonic()
            self.report()

    def _unjudged(self, block: list[list[Job]], again: bool) -> Iterator[list[Job]]:
        """The batches without the units that need nothing; batches keep their bounds.

        Bounds that do not depend on what was judged before let a resumed run ask the same.
        """
        ids = [unit.id for jobs in block for _, unit in jobs]
        known: dict[str, Status] = {}
        if self._ledger is not None and not again:
            known = self._ledger.statuses(self._judge.identity.id, ids)
        for jobs in block:
            todo = []
            for job in jobs:
                if known.get(job[1].id, "failed") == "failed":
                    todo.append(job)
            if len(todo) < len(jobs):
                before = []
                for _, unit in jobs:
                    if status := known.get(unit.id):
                        before.append(status)
                self._verdicts.update(status for status in before if status != "failed")
                self._judged_before += len(jobs) - len(todo)
            if todo:
                yield todo

    async def _judge_batch(self, jobs: list[Job]) -> None:
        """Keeps the verdicts on a batch as they come; units without one are left."""
        waiting = {unit.id: (item, unit) for item, unit in jobs}
        judged: list[Judged] = []
        kept_at = time.monotonic()
        try:
            # A unit that the batch names twice is handed over, and gets its verdict, once.
            async for verdict in self._judge.judge([unit for _, unit in waiting.values()]):
                judged.append((*waiting.pop(verdict.unit), verdict))
                if time.monotonic() - kept_at >= _KEEP_EVERY:
                    await self._keep(judged)
                    judged = []
                    kept_at = time.monotonic()
        except EndpointError as error:
            self._broken = self._broken or error
        await self._keep(judged)
        self._left += len(waiting)
        self._report_in_time()

    async def _keep(self, judged: Sequence[Judged]) -> None:
        """Writes verdicts to the ledger, where they are kept, with those that wait for others, and
        counts them by status."""
        self._held.extend(judged)
        waited = time.monotonic() - self._kept
        if len(self._held) >= self._judge.kept_together or waited >= self._judge.kept_within:
            await self._write_held()
        self._verdicts.update(verdict.status for *_, verdict in judged)

    async def _write_held(self) -> None:
        """Writes the verdicts that wait to be kept."""
        held = self._held
        self._held = []
        self._kept = time.monotonic()
        if held and self.keep_elsewhere is not None:
            self.keep_elsewhere(held)
        elif held and self._writer is not None:
            await self._writer.write(lambda ledger: _write_verdicts(ledger, held))


def _write_spend(ledger: Ledger, done: JudgingProgress) -> None:
    """Writes what a run took, a row a run, so that several ledgers' runs can be summed."""
    spend = done.spend
    ledger.add_spend(
        done.judge,
        calls=spend.calls,
        tokens=spend.input_tokens + spend.output_tokens,
        cost=spend.cost,
        seconds=spend.seconds,
    )


def _write_verdicts(ledger: Ledger, done: Sequence[Judged]) -> None:
    """Writes verdicts with their units and items into the ledger."""
    ledger.add_judged(done, datetime.now(UTC).isoformat(timespec="seconds"))
