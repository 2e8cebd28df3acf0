"""Units × judge → verdicts. Killed at any moment it goes on; run again it costs nothing.

Each reply is in the ledger before it is read, and each verdict when its unit is done. Units that
the judge has judged are passed over; those whose call failed for good are asked about again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from factmark import replies
from factmark.ask.asker import Asker
from factmark.ask.budget import Spend
from factmark.ask.chat import CUT, UNANSWERED, Failure
from factmark.ask.client import ChatClient
from factmark.ask.tasks import Job, Tally, Task, Vote, batches, count_votes
from factmark.errors import EndpointError
from factmark.http.async_tools import first_error, gather_all
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Item, Status, Unit, Verdict

_AHEAD = 256  # batches whose verdicts are looked up together
_TELL_EVERY = 0.1  # seconds between two reports of progress


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingProgress:
    """Where judging stands, and at its end what it came to.

    Attributes:
        verdicts: units by the status of their verdict, those judged before among them.
        left: units that stay to be judged, for want of budget.
        in_flight: requests that the server has not answered yet.
        spend: what was asked for it.
    """

    verdicts: Mapping[Status, int]
    left: int
    in_flight: int
    spend: Spend

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
        return new / self.spend.seconds if self.spend.seconds > 0 else 0.0


async def run(
    jobs: Iterable[Job],
    task: Task,
    client: ChatClient,
    ledger: Path,
    *,
    batch: int = 1,
    samples: int = 1,
    again: bool = False,
    progress: Callable[[JudgingProgress], None] | None = None,
) -> JudgingProgress:
    """Asks a model about units and keeps its verdicts.

    Args:
        jobs: units, each with the item that it belongs to; read as they are needed, so there may
            be millions.
        ledger: the file where calls and verdicts are kept.
        batch: units in one request.
        samples: independent replies to each request; most votes win.
        again: whether units that the judge has judged are judged anew from the kept replies.
        progress: is told where the run stands, ten times a second at most, and at the end.

    Raises:
        EndpointError: no call can work (a wrong key, model or address); what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """
    with Ledger(ledger) as opened:
        async with LedgerWriter(ledger) as writer, Leases(opened, writer) as leases:
            await writer.write(lambda book: book.add_judge(task.judge))
            async with Asker(client, opened, writer, leases, task.judge.id) as asker:
                running = _Run(task, asker, opened, writer, samples, progress)
                await running.through(batches(jobs, task, batch), again)
            return running.tell()


class _Run:
    """The state of one run."""

    def __init__(
        self,
        task: Task,
        asker: Asker,
        ledger: Ledger,
        writer: LedgerWriter,
        samples: int,
        progress: Callable[[JudgingProgress], None] | None,
    ) -> None:
        self._task, self._asker = task, asker
        self._ledger, self._writer = ledger, writer
        self._samples = samples
        self._progress = progress
        self._tally = Tally()
        self._broken: EndpointError | None = None
        self._start = self._told = time.monotonic()

    async def through(self, batches: Iterator[list[Job]], again: bool) -> None:
        """Judges all batches, a bounded number of them at a time."""
        slots = asyncio.Semaphore(self._asker.client.ahead)
        try:
            async with asyncio.TaskGroup() as group:
                while not self._stopped() and (block := list(islice(batches, _AHEAD))):
                    for jobs in self._unjudged(block, again):
                        await slots.acquire()
                        if self._stopped():
                            break
                        judging = group.create_task(self._judge(jobs))
                        judging.add_done_callback(lambda _: slots.release())
                    await asyncio.sleep(0)
                    self._tell_in_time()
        except BaseExceptionGroup as errors:
            raise first_error(errors) from errors
        if self._broken is not None:
            raise self._broken

    def tell(self) -> JudgingProgress:
        """Where it stands; reports it, if it is time."""
        tally, seconds = self._tally, time.monotonic() - self._start
        asked = self._asker.spend
        now = JudgingProgress(
            verdicts=dict(tally.verdicts),
            left=tally.left,
            in_flight=self._asker.client.account.in_flight,
            spend=replace(
                asked,
                judged_before=tally.judged_before,
                seconds=seconds,
                notes=(*asked.notes, *tally.told),
            ),
        )
        if self._progress is not None:
            self._progress(now)
        return now

    def _tell_in_time(self) -> None:
        """Reports progress, unless it was reported just now."""
        if self._progress is not None and time.monotonic() - self._told >= _TELL_EVERY:
            self._told = time.monotonic()
            self.tell()

    def _stopped(self) -> bool:
        return self._broken is not None

    def _unjudged(self, block: list[list[Job]], again: bool) -> Iterator[list[Job]]:
        """The batches without the units that need nothing; batches keep their bounds.

        Bounds that do not depend on what was judged before let a resumed run ask the same.
        """
        ids = [unit.id for jobs in block for _, unit in jobs]
        known = {} if again else self._ledger.statuses(self._task.judge.id, ids)
        for jobs in block:
            todo = [job for job in jobs if known.get(job[1].id, "failed") == "failed"]
            if len(todo) < len(jobs):
                before = [status for _, unit in jobs if (status := known.get(unit.id))]
                self._tally.verdicts.update(status for status in before if status != "failed")
                self._tally.judged_before += len(jobs) - len(todo)
                self._asker.client.proven = True
            if todo:
                yield todo

    async def _judge(self, jobs: list[Job]) -> None:
        units = [unit for _, unit in jobs]
        try:
            samples = await gather_all(
                [self._votes(units, number) for number in range(self._samples)]
            )
        except EndpointError as error:
            self._broken = self._broken or error
            return
        verdicts = [
            count_votes([votes[unit.id] for votes in samples], unit, self._task) for unit in units
        ]
        done = [(*job, verdict) for job, verdict in zip(jobs, verdicts, strict=True) if verdict]
        if done:
            await self._writer.write(lambda ledger: _add(ledger, done))
        self._tally.verdicts.update(verdict.status for *_, verdict in done)
        self._tally.left += len(jobs) - len(done)
        self._tell_in_time()

    async def _votes(self, units: Sequence[Unit], sample: int, attempt: int = 0) -> dict[str, Vote]:
        """One sample's vote on each unit; those missing in a reply are asked for again."""
        request = self._task.request(units, sample=sample, attempt=attempt)
        answer = await self._asker.ask(request)
        outcome = answer.outcome
        if outcome is None:
            return {unit.id: Vote(status=None) for unit in units}
        if isinstance(outcome, Failure):
            failed = Vote(status="failed", reason=outcome.reason, call=answer.key)
            return {unit.id: failed for unit in units}
        cut = outcome.finish_reason in CUT
        if outcome.unanswered and len(units) == 1 and (cut or attempt):
            thought = Vote(status="unparsed", reason=UNANSWERED, call=answer.key)
            return {units[0].id: thought}
        self._tally.cut.update([answer.key] if cut else [])
        votes = {} if outcome.refused else self._read(units, outcome.text, answer.key, cut)
        if outcome.refused or (not votes and replies.refuses(outcome.text)):
            if len(units) > 1:
                return await self._one_by_one(units, sample, attempt)
            refused = Vote(status="refused", reason=outcome.text[:500], call=answer.key)
            return {units[0].id: refused}
        missing = [unit for unit in units if unit.id not in votes]
        if not missing:
            return votes
        if votes:
            return votes | await self._votes(missing, sample, 1)
        if len(units) > 1:
            return await self._one_by_one(units, sample, 1)
        if not attempt:
            return await self._votes(units, sample, 1)
        why = "no label in the reply" + (", which was cut off at its limit" if cut else "")
        return {units[0].id: Vote(status="unparsed", reason=why, call=answer.key)}

    async def _one_by_one(
        self, units: Sequence[Unit], sample: int, attempt: int
    ) -> dict[str, Vote]:
        votes: dict[str, Vote] = {}
        for part in await gather_all([self._votes([unit], sample, attempt) for unit in units]):
            votes |= part
        return votes

    def _read(self, units: Sequence[Unit], text: str, call: str, cut: bool) -> dict[str, Vote]:
        """The votes that a reply holds."""
        labels = self._task.parse(text, units, cut)
        reason = self._task.reason(text) if len(units) == 1 else ""
        return {
            unit.id: Vote(status="ok", label=label, reason=reason, call=call)
            for unit, label in zip(units, labels, strict=False)
            if label in self._task.values
        }


def _add(ledger: Ledger, done: Sequence[tuple[Item, Unit, Verdict]]) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for item, unit, verdict in done:
        ledger.add_new_item(item)
        ledger.add_unit(unit)
        ledger.add_verdict(verdict, now)
