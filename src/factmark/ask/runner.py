"""Units × judge → verdicts. Killed at any moment it goes on; run again it costs nothing.

Each reply is in the ledger before it is read, and each verdict when its unit is done. Units that
the judge has judged are passed over; those whose call failed for good are asked about again.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
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
from factmark.ask.tasks import Job, Task, batches, count_votes
from factmark.errors import EndpointError
from factmark.http.async_tools import first_error, gather_all
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Item, Status, Unit, Verdict

_AHEAD = 256  # batches whose verdicts are looked up together
_REPORT_EVERY = 0.1  # seconds between two reports of progress


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
            return running.report()


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
        self._verdicts: Counter[Status] = Counter()  # those judged before among them
        self._judged_before = self._left = 0
        self._cut: set[str] = set()  # the calls whose reply was cut off at its limit
        self._broken: EndpointError | None = None
        self._start = self._reported = time.monotonic()

    async def through(self, batches: Iterator[list[Job]], again: bool) -> None:
        """Judges all batches, a bounded number of them at a time."""
        slots = asyncio.Semaphore(self._asker.client.ahead)
        try:
            async with asyncio.TaskGroup() as group:
                while not self._broken and (block := list(islice(batches, _AHEAD))):
                    for jobs in self._unjudged(block, again):
                        await slots.acquire()
                        if self._broken:
                            break
                        judging = group.create_task(self._judge(jobs))
                        judging.add_done_callback(lambda _: slots.release())
                    await asyncio.sleep(0)
                    self._report_in_time()
        except BaseExceptionGroup as errors:
            raise first_error(errors) from errors
        if self._broken is not None:
            raise self._broken

    def report(self) -> JudgingProgress:
        """Where it stands."""
        asked = self._asker.spend
        now = JudgingProgress(
            verdicts=dict(self._verdicts),
            left=self._left,
            in_flight=self._asker.client.account.in_flight,
            spend=replace(
                asked,
                judged_before=self._judged_before,
                seconds=time.monotonic() - self._start,
                notes=(*asked.notes, *self._notes()),
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

    def _notes(self) -> Iterator[str]:
        """What the user should know of the replies, in sentences."""
        if count := len(self._cut):
            were = (
                "1 reply of the judge was" if count == 1 else f"{count} replies of the judge were"
            )
            yield (
                f"{were} cut off at the limit of tokens; a label counts there only where it stands "
                "by itself or is declared, else the unit was asked about again"
            )

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
                self._verdicts.update(status for status in before if status != "failed")
                self._judged_before += len(jobs) - len(todo)
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
        verdicts = [count_votes([votes[unit.id] for votes in samples]) for unit in units]
        done = [(*job, verdict) for job, verdict in zip(jobs, verdicts, strict=True) if verdict]
        if done:
            await self._writer.write(lambda ledger: _add(ledger, done))
        self._verdicts.update(verdict.status for *_, verdict in done)
        self._left += len(jobs) - len(done)
        self._report_in_time()

    async def _votes(
        self, units: Sequence[Unit], sample: int, attempt: int = 0
    ) -> dict[str, Verdict | None]:
        """One sample's verdict on each unit, None where the budget has no room.

        Those that are missing in a reply are asked for again.
        """
        asked = await self._asker.ask(self._task.request(units, sample=sample, attempt=attempt))
        outcome, key = asked.outcome, asked.key
        if outcome is None:
            return dict.fromkeys(unit.id for unit in units)
        if isinstance(outcome, Failure):
            return self._without_label(units, "failed", outcome.reason, key)
        cut, alone = outcome.finish_reason in CUT, len(units) == 1
        if outcome.unanswered and alone and (cut or attempt):
            return self._without_label(units, "unparsed", UNANSWERED, key)
        if cut:
            self._cut.add(key)
        votes = {} if outcome.refused else self._read(units, outcome.text, key, cut)
        refused = outcome.refused or (not votes and replies.refuses(outcome.text))
        if not votes and not alone:
            attempt = attempt if refused else 1
            each = await gather_all([self._votes([unit], sample, attempt) for unit in units])
            return {name: vote for part in each for name, vote in part.items()}
        if refused:
            return self._without_label(units, "refused", outcome.text[:500], key)
        missing = [unit for unit in units if unit.id not in votes]
        if missing and not votes and attempt:
            why = "no label in the reply" + (", which was cut off at its limit" if cut else "")
            return self._without_label(units, "unparsed", why, key)
        return votes | await self._votes(missing, sample, 1) if missing else votes

    def _without_label(
        self, units: Sequence[Unit], status: Status, reason: str, call: str
    ) -> dict[str, Verdict | None]:
        judge = self._task.judge.id
        return {
            unit.id: Verdict(unit=unit.id, judge=judge, status=status, reason=reason, call=call)
            for unit in units
        }

    def _read(
        self, units: Sequence[Unit], text: str, call: str, cut: bool
    ) -> dict[str, Verdict | None]:
        """The verdicts that a reply holds."""
        task = self._task
        labels = task.parse(text, units, cut)
        reason = text.strip()[:500] if len(units) == 1 else ""
        return {
            unit.id: Verdict(
                unit=unit.id, judge=task.judge.id, label=label, value=task.values[label],
                reason=reason, call=call,
            )
            for unit, label in zip(units, labels, strict=False)
            if label is not None and label in task.values
        }  # fmt: skip


def _add(ledger: Ledger, done: Sequence[tuple[Item, Unit, Verdict]]) -> None:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    for item, unit, verdict in done:
        ledger.add_new_item(item)
        ledger.add_unit(unit)
        ledger.add_verdict(verdict, now)
