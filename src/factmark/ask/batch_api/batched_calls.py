"""Calls that are gathered, submitted as batches and waited for, so that a killed command goes on.

A batch is in the ledger before it is submitted, and leaves it in the same step that keeps its
replies. One that was killed in between is looked for at the provider, by the name it was given or,
where it has none, by its number of calls among those made since; only what is not there is
submitted again. The first call of a run is made directly, so that a wrong key, model or parameter
shows at once, and what the server does not take is left out of all the others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from dataclasses import replace
from typing import TypeVar
from uuid import uuid4

from factmark.ask.batch_api.provider_batches import BatchApi, BatchState
from factmark.ask.budget import Reserved
from factmark.ask.chat import Failure, Reply, Request, Usage, estimate_prompt, estimate_tokens
from factmark.ask.client import ChatClient
from factmark.errors import EndpointError
from factmark.http.retries import LIMITS, GaveUpError, TransientError, repeat
from factmark.ledger.calls import Call, PendingBatch, add_batch, end_batch, pending_batches
from factmark.ledger.ledger import Ledger
from factmark.ledger.writer import LedgerWriter

_LOG = logging.getLogger("factmark.batches")
_QUIET = 0.2  # seconds in which nothing more is asked before a batch is submitted
_FIRST_LOOK = 1.0  # seconds between the first two looks at a batch; later ones are further apart

Outcome = Reply | Failure | None
T = TypeVar("T")


class BatchedCalls:
    """Asks by batches, through the ledger, which has each reply before it is returned.

    Args:
        client: whose model, budget and parameters they are.
        api: of its provider.
        judge: the id of the judge that asks, for the record.
        direct: makes a call by itself, and keeps it.
    """

    def __init__(
        self,
        client: ChatClient,
        api: BatchApi,
        ledger: Ledger,
        writer: LedgerWriter,
        judge: str,
        direct: Callable[[str, Request], Awaitable[Outcome]],
    ) -> None:
        self._client = client
        self._api = api
        self._writer = writer
        self._judge = judge
        self._direct = direct
        self._wanted: dict[str, tuple[Request, asyncio.Future[Outcome]]] = {}
        self._gathered: list[str] = []
        self._reserved: dict[str, Reserved] = {}
        self._known = {
            key: batch
            for batch in pending_batches(ledger, client.spec.base_url)
            for key in batch.calls
        }
        self._followed: set[str] = set()  # our ids of those that are waited for
        self._others: set[str] = set()  # the provider's ids of batches that are somebody else's
        self._tasks: set[asyncio.Task[None]] = set()
        self._gathering = self._proven = False

    async def ask(self, key: str, request: Request) -> Outcome:
        """The reply to a question, once its batch has ended; None where the budget has no room.

        Raises:
            EndpointError: no call can work, or the provider took the batch for wrong.
            LedgerError: the ledger cannot be written.
        """
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._wanted[key] = (request, future)
        batch = self._known.get(key)
        if batch is None:
            self._gather([key])
        elif batch.id not in self._followed:
            self._followed.add(batch.id)
            self._start(self._take_up(batch), batch.calls)
        return await future

    async def close(self) -> None:
        """Waits for nothing any more; batches go on at the provider."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[None, None, None], keys: Collection[str]) -> None:
        """Does work beside others; its error is that of the calls that wait for it."""

        async def guarded() -> None:
            try:
                await work
            except Exception as error:
                for key in list(keys):
                    future = self._take_future(key)
                    if future:
                        future.set_exception(error)

        task = asyncio.create_task(guarded())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _gather(self, keys: Collection[str]) -> None:
        """Adds calls to those that are submitted together, and has them submitted."""
        self._gathered += keys
        if not self._gathering:
            self._gathering = True
            self._start(self._submit_all(), self._wanted)

    async def _submit_all(self) -> None:
        """Submits what was gathered, whenever nothing more comes."""
        try:
            while self._gathered:
                count = 0
                while count != len(self._gathered):
                    count = len(self._gathered)
                    await asyncio.sleep(_QUIET)
                # none that failed
                keys = []
                for key in self._gathered:
                    if key in self._wanted:
                        keys.append(key)
                self._gathered.clear()
                await self._submit(keys)
        finally:
            self._gathering = False

    async def _submit(self, keys: list[str]) -> None:
        """Submits calls in batches as large as the provider takes.

        The first call of a run, and one that is alone, are made directly.
        """
        while keys and (not self._proven or len(keys) == 1):
            key = keys.pop(0)
            outcome = await self._direct(key, self._wanted[key][0])
            self._proven = outcome is None or isinstance(outcome, Reply)
            self._give(key, outcome)
        calls: dict[str, int] = {}
        lines: list[bytes] = []
        size = 0
        for key in keys:
            request, _ = self._wanted[key]
            reserved = self._client.account.admit_batched(
                estimate_prompt(request), request.room * self._client.spec.max_tokens
            )
            if reserved is None:
                self._give(key, None)
                continue
            self._reserved[key] = reserved
            line = self._api.line(key, self._client.body(request))
            if calls and (len(calls) >= self._api.most or size + len(line) > self._api.largest):
                await self._send(calls, lines)
                calls = {}
                lines = []
                size = 0
            calls[key] = request.sample
            lines.append(line)
            size += len(line)
        if calls:
            await self._send(calls, lines)

    async def _send(self, calls: Mapping[str, int], lines: list[bytes]) -> None:
        """Submits one batch, which is in the ledger before."""
        batch = PendingBatch(
            id=uuid4().hex,
            url=self._client.spec.base_url,
            before=await self._send_until_it_works(self._api.newest),
            calls=calls,
        )
        await self._writer.write(lambda ledger: add_batch(ledger, batch))
        attempts = 0

        async def create() -> BatchState:
            nonlocal attempts
            attempts += 1  # the answer to an earlier one may be lost, and the batch be there
            existing = None
            if attempts > 1:
                existing = await self._remote_state(batch)
            return existing or await self._api.create(batch.id, lines)

        try:
            state = await self._send_until_it_works(create)
        except GaveUpError:
            raise  # it may be there: the same command looks for it
        except EndpointError:
            await self._writer.write(lambda ledger: end_batch(ledger, batch.id, []))
            raise
        _LOG.warning(
            "batch %s: %s calls submitted to %s. It goes on there if this command ends, and the "
            "same command takes it up",
            state.id,
            f"{len(calls):,}",
            batch.url,
        )
        self._start(self._follow(batch, state.id), calls)

    async def _take_up(self, batch: PendingBatch) -> None:
        """Goes on with a batch of an earlier run; its calls are asked anew where it is none."""
        if not batch.remote:
            state = await self._send_until_it_works(lambda: self._remote_state(batch))
            if state is None:  # it was killed before it was submitted
                await self._writer.write(lambda ledger: end_batch(ledger, batch.id, []))
                for key in batch.calls:
                    self._known.pop(key, None)
                self._gather([key for key in batch.calls if key in self._wanted])
                return
            batch = replace(batch, remote=state.id)
        _LOG.warning("batch %s: taken up, %s calls", batch.remote, f"{len(batch.calls):,}")
        for key in batch.calls:
            self._reserved[key] = self._client.account.take(Reserved(batched=True))
        await self._follow(batch, batch.remote)

    async def _remote_state(self, batch: PendingBatch) -> BatchState | None:
        """The batch at the provider, if it is there."""
        taken = self._others | {known.remote for known in self._known.values()}
        for state in reversed(await self._api.since(batch.before)):
            alike = not self._api.has_names and state.calls == len(batch.calls)
            if (alike or state.name == batch.id) and state.id not in taken:
                return state
        return None

    async def _follow(self, batch: PendingBatch, remote: str) -> None:
        """Waits for a batch to end, and keeps what it brought."""
        batch = replace(batch, remote=remote)
        await self._writer.write(lambda ledger: add_batch(ledger, batch))
        state = await self._wait_for_end(batch)
        outcomes = await self._send_until_it_works(lambda: self._api.results(state))
        if outcomes and not (outcomes.keys() & batch.calls.keys()):
            self._others.add(state.id)  # somebody else's, of as many calls
            for key in batch.calls:
                self._client.account.settle(self._reserved.pop(key), None)
            await self._take_up(replace(batch, remote=""))
            return
        calls = []
        for key, sample in batch.calls.items():
            ended = Failure(reason=f"{batch.url}: the batch ended without a reply to this call")
            outcome: Failure | Reply
            if state.problem:
                outcome = ended
            else:
                outcome = outcomes.get(key, ended)
            usage = _tokens_used(outcome)
            reserved = self._reserved.pop(key)
            if usage and not reserved.prompt:  # of an earlier run, whose prompts are not at hand
                reserved = replace(reserved, prompt=usage.input)
            cost = self._client.account.settle(reserved, usage)
            if isinstance(outcome, Reply):
                outcome = replace(outcome, usage=usage)
            calls.append(
                Call(key=key, judge=self._judge, sample=sample, outcome=outcome, cost=cost)
            )
        await self._writer.write(lambda ledger: end_batch(ledger, batch.id, calls))
        if state.problem:
            raise EndpointError(f"{batch.url} refused the batch {state.id}: {state.problem}")
        _LOG.warning("batch %s: ended", state.id)
        for call in calls:
            self._give(call.key, call.outcome)

    async def _wait_for_end(self, batch: PendingBatch) -> BatchState:
        """Waits until a batch has ended, logs how much is done, and returns its last state."""
        done = 0
        pause = min(_FIRST_LOOK, self._api.poll_seconds)
        is_gone = False
        while True:
            try:
                state = await self._api.look(batch.remote)
            except TransientError as error:  # for as long as it takes: the batch is there
                if not is_gone:
                    _LOG.warning("batch %s: %s; asked again", batch.remote, error)
                is_gone = True
            else:
                if state.ended:
                    return state
                is_gone = False
                if state.done - done > len(batch.calls) / 20:
                    done = state.done
                    _LOG.warning("batch %s: %s of %s done", state.id, done, len(batch.calls))
            await asyncio.sleep(pause)
            pause = min(2 * pause, self._api.poll_seconds)

    async def _send_until_it_works(self, send: Callable[[], Awaitable[T]]) -> T:
        """Returns what `send` gives, once it works; failures that may pass are repeated."""
        faults = self._client.faults
        limits = replace(LIMITS, jitter=faults.jitter, sleep=faults.sleep)
        return await repeat(send, faults, limits=limits)

    def _give(self, key: str, outcome: Outcome) -> None:
        """Hands an outcome to whoever waits for the call."""
        future = self._take_future(key)
        if future:
            future.set_result(outcome)

    def _take_future(self, key: str) -> asyncio.Future[Outcome] | None:
        """Returns the future of whoever still waits for a call, and forgets it; None where nobody
        does."""
        _, future = self._wanted.pop(key, (None, None))
        if future is None or future.done():
            return None
        return future


def _tokens_used(outcome: Reply | Failure) -> Usage | None:
    """Returns the tokens that a call in a batch used; None for a failed one."""
    if isinstance(outcome, Failure):
        return outcome.usage
    output = estimate_tokens(outcome.thinking + outcome.text)
    return outcome.usage or Usage(input=0, output=output, estimated=True)
