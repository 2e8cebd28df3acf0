"""Asking through the ledger: what was asked before is read back, what is new is kept at once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Hashable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from factmark.ask.batch_api.batched_calls import BatchedCalls
from factmark.ask.budget import Spend
from factmark.ask.chat import CUT, Failure, Reply, Request, request_key
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prompt_check import PromptCheck
from factmark.http.async_tools import Closing, for_each
from factmark.ledger.calls import (
    Call,
    add_calls,
    find_reply,
    keep_left_out,
    left_out_before,
)
from factmark.ledger.leases import Leases
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter
from factmark.model import Judge

Subject = TypeVar("Subject", bound=Hashable)
Answer = TypeVar("Answer")

_REASONS = 20  # different reasons of failures that are counted apart
_MOST_ROOM = 8  # times the limit of tokens, for a reply that was cut off while the model thought
_AT_ZERO = (
    "the ledger has replies of this model at temperature 0, which earlier checkouts sent unasked: "
    "--temperature 0 goes on with those; without it the model was asked anew"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """What came of a question.

    Attributes:
        key: of the call in the ledger.
        outcome: None where the budget has no room for the call.
        before: the same question before: with less room, as its replies were cut off before the
            answer, or answered without a reply.
    """

    key: str
    outcome: Reply | Failure | None
    before: tuple[AskedCall, ...] = ()


async def ask_until_answered(
    ask: Callable[[Request], Awaitable[AskedCall]], request: Request
) -> AskedCall:
    """Asks; once more where the server answers without a reply, and with more room where only
    thinking comes. Returns the last outcome.

    It ends with an answer, at eight times the model's limit of tokens, or where the server takes
    no longer one; then the last reply, which has no answer, is what came of it.
    """
    asked = await ask(request)
    before = list[AskedCall]()
    if isinstance(asked.outcome, Failure) and asked.outcome.unusable:
        before.append(asked)
        asked = await ask(request)
    while _is_cut_while_thinking(asked.outcome) and request.room < _MOST_ROOM:
        request = replace(request, room=2 * request.room)
        longer = await ask(request)
        if isinstance(longer.outcome, Failure) and longer.outcome.rejected:
            break
        before.append(asked)
        asked = longer
    return replace(asked, before=tuple(before))


def _is_cut_while_thinking(outcome: Reply | Failure | None) -> bool:
    """Returns whether a reply was cut off before its answer began."""
    return isinstance(outcome, Reply) and outcome.unanswered and outcome.finish_reason in CUT


def kept_reply(
    ledger: Ledger, spec: ModelSpec, request: Request, key: str = ""
) -> AskedCall | None:
    """Returns what the ledger has on a request, in today's form or as earlier versions sent it;
    None where it has nothing.

    Args:
        key: of the request, where it is known already.
    """
    key = key or request_key(spec.parameters, request)
    reply = find_reply(ledger, key)
    if reply:
        return AskedCall(key=key, outcome=reply)
    if request.earlier is None:
        return None
    return kept_reply(ledger, spec, replace(request.earlier, room=request.room))


class Asker(Closing):
    """Asks a model each question once. A reply is in the ledger before it is returned.

    Args:
        ledger: where replies are looked up.
        writer: of the same ledger.
        leases: keep two processes from asking the same.
        judge: the id of the judge that asks, for the record.
    """

    def __init__(
        self,
        client: ChatClient,
        ledger: Ledger,
        writer: LedgerWriter,
        leases: Leases,
        judge: str,
    ) -> None:
        self.client = client
        self.failures: Counter[str] = Counter()
        self.cached = 0
        self._lacking: dict[str, bool] = {}  # questions cut off in thought, whether to the end
        self._before = client.account.spend
        self._ledger = ledger
        self._writer = writer
        client.know(left_out_before(ledger, client.spec))
        self._left_out = client.left_out
        self._leases = leases
        self._judge = judge
        api = client.batches
        direct = self._ask_in_turn
        self._batched = BatchedCalls(client, api, ledger, writer, judge, direct) if api else None
        self._prompts = PromptCheck(client.ask_now)
        self._flying: dict[str, asyncio.Task[AskedCall]] = {}
        self._at_zero: bool | None = None  # whether the ledger has replies at temperature 0

    @property
    def spend(self) -> Spend:
        """What this asker took; what the ledger had is not in it, but for `cached`."""
        notes = [*self.client.notes, *self._thinking_notes()]
        if self._at_zero:
            notes.append(_AT_ZERO)
        return replace(
            self.client.account.spend.since(self._before),
            cached=self.cached,
            failures=dict(self.failures.most_common()),
            notes=tuple(notes),
        )

    async def ask(self, request: Request) -> AskedCall:
        """The reply to a request, from the ledger or from the model; see `ask_until_answered`.

        Raises:
            EndpointError: no call can work.
            LedgerError: the reply cannot be kept.
        """
        asked = await ask_until_answered(self._ask, request)
        cut = []
        for call in (*asked.before, asked):
            if _is_cut_while_thinking(call.outcome):
                cut.append(call)
        if cut:
            self._lacking[cut[0].key] = _is_cut_while_thinking(asked.outcome)
        if isinstance(asked.outcome, Failure) and asked.outcome.unusable:
            self._count_failure(asked.outcome.reason)
        return asked

    def _thinking_notes(self) -> Iterator[str]:
        """What became of replies that were cut off before the answer."""
        if self._lacking:
            without = sum(self._lacking.values())
            rest = ""
            if without:
                rest = f"; {without} have no answer even so: raise --max-tokens"
            yield (
                f"asked again, with up to {_MOST_ROOM} times --max-tokens, as the model was still "
                f"thinking where its reply was cut off: {len(self._lacking)}{rest}"
            )

    async def _ask(self, request: Request) -> AskedCall:
        """Returns what comes of a question: from a call under way, from the ledger, or from a new
        call."""
        key = request_key(self.client.spec.parameters, request)
        flying = self._flying.get(key)
        if flying is not None:
            asked = await asyncio.shield(flying)
            self.cached += isinstance(asked.outcome, Reply)
            return asked
        known = self._find_kept(key, request)
        if known is not None:
            return known
        task = asyncio.create_task(self._leased(key, request))
        self._flying[key] = task
        task.add_done_callback(partial(self._forget_call, key))
        return await asyncio.shield(task)

    async def close(self) -> None:
        """Ends calls that nobody waits for any more, as those of a run that broke."""
        left = list(self._flying.values())
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self._batched:
            await self._batched.close()

    def _forget_call(self, key: str, task: asyncio.Task[AskedCall]) -> None:
        """Forgets a call that has ended."""
        del self._flying[key]
        if not task.cancelled():
            task.exception()  # who asked is told; where nobody waits any more it is not told again

    def _find_kept(self, key: str, request: Request) -> AskedCall | None:
        """Returns the reply that the ledger has to a request; None without one. Notes whether it
        has one that was asked at temperature 0."""
        known = kept_reply(self._ledger, self.client.spec, request, key)
        if known is not None:
            self.cached += 1
            self.client.proven = True
        elif self._at_zero is None and self.client.spec.temperature is None:
            zero = replace(self.client.spec, temperature=0.0)
            self._at_zero = kept_reply(self._ledger, zero, request) is not None
        return known

    async def _leased(self, key: str, request: Request) -> AskedCall:
        """Asks, unless another process does or has done; its reply is waited for."""
        while True:
            asked = await self._ask_or_find(key, request)
            if asked:
                return asked
            await self._leases.wait(key)
            known = self._find_kept(key, request)
            if known:
                return known

    async def _ask_or_find(self, key: str, request: Request) -> AskedCall | None:
        """What came of the question; None where another process has the lease on it.

        The place is given back before the reply is written: the disk keeps no request waiting.
        """
        is_taken = False
        try:
            async with nullcontext() if self._batched else self.client.slots:
                is_taken = await self._leases.take(key)
                if not is_taken:
                    return None
                if known := self._find_kept(key, request):
                    return known
                if self._batched is None:
                    outcome = await self._checked(request)
                else:
                    outcome = await self._batched.ask(key, request)
            return await self._asked(key, request, outcome)
        finally:
            if is_taken:
                await self._leases.free(key)

    async def _asked(
        self, key: str, request: Request, outcome: Reply | Failure | None
    ) -> AskedCall:
        """What came of a call, kept in the ledger; a batch has kept its own."""
        if outcome is None:
            return AskedCall(key=key, outcome=None)
        if self._batched is None:
            await self._write(key, request, outcome)
        if isinstance(outcome, Failure):
            has_short_one = outcome.rejected and request.room > 1
            if not (outcome.unusable or has_short_one):
                self._count_failure(outcome.reason)
        await self._keep_left_out()
        first = find_reply(self._ledger, key)  # another process may have been first
        return AskedCall(key=key, outcome=first or outcome)

    async def _keep_left_out(self) -> None:
        """Keeps what the server turned out not to take, where that is news."""
        left_out = self.client.left_out
        if left_out != self._left_out:
            self._left_out = left_out
            spec = self.client.spec
            await self._writer.write(lambda ledger: keep_left_out(ledger, spec, left_out))

    async def _ask_in_turn(self, key: str, request: Request) -> Reply | Failure | None:
        """What comes of a call that a batch leaves over, which holds no place; it is kept."""
        async with self.client.slots:
            outcome = await self._checked(request)
        if outcome is not None:
            await self._write(key, request, outcome)
        return outcome

    async def _checked(self, request: Request) -> Reply | Failure | None:
        """What comes of a call; a failure where the model was not shown the whole prompt."""
        outcome = await self.client.ask_now(request)
        if isinstance(outcome, Reply):
            return await self._prompts.checked(request, outcome)
        return outcome

    async def _write(self, key: str, request: Request, outcome: Reply | Failure) -> None:
        """Keeps what came of a call, and gives the lease back."""
        usage = outcome.usage
        cost = None
        if usage:
            cost = self.client.account.cost_of(usage)
        call = Call(key=key, judge=self._judge, sample=request.sample, outcome=outcome, cost=cost)
        await self._writer.write(lambda ledger: self._keep(ledger, call))

    def _keep(self, ledger: Ledger, call: Call) -> None:
        """Writes a call to the ledger and gives its lease back."""
        add_calls(ledger, [call])
        self._leases.give_back(ledger, call.key)

    def _count_failure(self, reason: str) -> None:
        """Counts a failure by its reason; from some number of reasons on, as one of the other
        reasons."""
        if reason not in self.failures and len(self.failures) >= _REASONS:
            reason = "other reasons"
        self.failures[reason] += 1


async def ask_about_each(
    asked: Sequence[Subject],
    ask: Callable[[Asker, Subject], Awaitable[Answer]],
    client: ChatClient,
    judge: Judge,
    ledger: Path,
    step: Callable[[], None] = lambda: None,
) -> tuple[dict[Subject, Answer], Asker]:
    """Asks about texts that are no units, several at a time, through the ledger; returns what came
    of each, and the asker, which knows what it took.

    Args:
        ask: asks about one.
        step: called after each.

    Raises:
        EndpointError: no call can work; what came in is kept.
        LedgerError: the ledger cannot be read or written.
    """

    async def ask_about(subject: Subject) -> Answer:
        answer = await ask(asker, subject)
        step()
        return answer

    with Ledger(ledger) as opened:
        async with LedgerWriter(ledger) as writer, Leases(opened, writer) as leases:
            await writer.write(lambda book: book.add_judge(judge))
            async with Asker(client, opened, writer, leases, judge.id) as asker:
                answers = await for_each(asked, ask_about, client.ahead)
    return dict(zip(asked, answers, strict=True)), asker
