"""A model as a judge: it is asked about a batch of units, and its replies are read as votes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from factmark import replies
from factmark.ask.asker import Asker
from factmark.ask.budget import Spend
from factmark.ask.chat import CUT, Failure
from factmark.ask.client import ChatClient
from factmark.ask.judges.unit_judge import NamedJudge, UnitJudge
from factmark.ask.tasks import Task, count_votes
from factmark.http.async_tools import gather_all
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Status, Unit, Verdict
from factmark.text.shown_text import count


def asking_judge(client: ChatClient, task: Task, *, batch: int = 1, samples: int = 1) -> NamedJudge:
    """Returns a judge that asks a model about units, each question once: earlier replies are read
    back.

    Args:
        client: closed by who opened it.
        task: what it is asked, and how its replies are read.
        batch: units in one request.
        samples: independent replies to each request; most votes win.
    """

    @asynccontextmanager
    async def opened(ledger: Ledger, writer: LedgerWriter) -> AsyncIterator[UnitJudge]:
        # A model that has judged before is set up as it should be: faults are of single calls.
        client.proven = client.proven or ledger.has_judged(task.judge.id)
        async with (
            Leases(ledger, writer) as leases,
            Asker(client, ledger, writer, leases, task.judge.id) as asker,
        ):
            voting = _Voting(task, asker, samples)
            yield UnitJudge(
                identity=task.judge,
                judge=voting.judge,
                batch=batch,
                group=task.group,
                at_once=client.ahead,
                spend=voting.spend,
            )

    return NamedJudge(identity=task.judge, opening=opened)


class _Voting:
    """Asks about units as often as there are votes, and counts them."""

    def __init__(self, task: Task, asker: Asker, samples: int) -> None:
        self._task = task
        self._asker = asker
        self._samples = samples
        self._cut: set[str] = set()  # the calls whose reply was cut off at its limit

    async def judge(self, units: Sequence[Unit]) -> AsyncIterator[Verdict]:
        """The verdicts on units of one request; none on those that the budget has no room for.

        Those that nobody is asked about are undecided."""
        asked = []
        for unit in units:
            why = self._task.unasked(unit)
            if why:
                judge = self._task.judge.id
                yield Verdict(unit=unit.id, judge=judge, status="undecided", reason=why)
            else:
                asked.append(unit)
        if not asked:
            return
        samples = await gather_all([self._votes(asked, number) for number in range(self._samples)])
        for unit in asked:
            verdict = count_votes([votes[unit.id] for votes in samples])
            if verdict is not None:
                yield verdict

    def spend(self) -> Spend:
        """What was asked, with what the user should know of the replies."""
        asked = self._asker.spend
        return replace(asked, notes=(*asked.notes, *self._notes()))

    def _notes(self) -> Iterator[str]:
        """Yields a sentence on replies that were cut off, if any were."""
        times = len(self._cut)
        if times:
            were = count(times, "reply of the judge was", "replies of the judge were")
            yield (
                f"{were} cut off at the limit of tokens; a label counts there only where it stands "
                "by itself or is declared, else the unit was asked about again"
            )

    async def _votes(
        self, units: Sequence[Unit], sample: int, attempt: int = 0
    ) -> dict[str, Verdict | None]:
        """One sample's verdict on each unit, None where the budget has no room.

        Those that are missing in a reply are asked for again.
        """
        asked = await self._asker.ask(self._task.request(units, sample=sample, attempt=attempt))
        outcome = asked.outcome
        key = asked.key
        if outcome is None:
            return dict.fromkeys(unit.id for unit in units)
        alone = len(units) == 1
        if isinstance(outcome, Failure):
            if outcome.rejected and not alone:  # perhaps one of them is what it will not have
                return await self._one_by_one(units, sample, attempt)
            return self._without_label(units, "failed", outcome.reason, key)
        cut = outcome.finish_reason in CUT
        if outcome.unanswered and alone and (cut or attempt):
            return self._without_label(units, "unparsed", outcome.why_unanswered, key)
        if cut:
            self._cut.add(key)
        votes = {}
        if not outcome.refused:
            votes = self._read(units, outcome.text, key, cut)
        refused = outcome.refused or (not votes and replies.refuses(outcome.text))
        if not votes and not alone:
            if not refused:
                attempt = 1
            return await self._one_by_one(units, sample, attempt)
        if refused:
            return self._without_label(units, "refused", outcome.text[:500], key)
        missing = []
        for unit in units:
            if unit.id not in votes:
                missing.append(unit)
        if missing and not votes and attempt:
            why = "no label in the reply" + (", which was cut off at its limit" if cut else "")
            return self._without_label(units, "unparsed", why, key)
        if missing:
            return votes | await self._votes(missing, sample, 1)
        return votes

    async def _one_by_one(
        self, units: Sequence[Unit], sample: int, attempt: int
    ) -> dict[str, Verdict | None]:
        """One sample's verdict on each unit, each of them asked about by itself."""
        each = await gather_all([self._votes([unit], sample, attempt) for unit in units])
        return {name: vote for part in each for name, vote in part.items()}

    def _without_label(
        self, units: Sequence[Unit], status: Status, reason: str, call: str
    ) -> dict[str, Verdict | None]:
        """Returns a verdict without a label for each unit: why there is none."""
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
        reason = ""
        if len(units) == 1:
            reason = text.strip()[:500]
        return {
            unit.id: Verdict(
                unit=unit.id,
                judge=task.judge.id,
                label=label,
                value=task.values[label],
                reason=reason,
                call=call,
            )
            for unit, label in zip(units, labels, strict=False)
            if label is not None and label in task.values
        }
