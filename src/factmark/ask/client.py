"""A model behind a URL: bounded concurrency, repeated attempts, a budget."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace

from factmark.ask.batch_api.provider_batches import BatchApi
from factmark.ask.budget import Account
from factmark.ask.chat import (
    CUT,
    NOTHING,
    Failure,
    Reply,
    Request,
    Usage,
    estimate_prompt,
    estimate_tokens,
)
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.left_out import Refusals, field_to_leave_out
from factmark.ask.pace import Pace, Rates, SilentError
from factmark.ask.prices import Price
from factmark.ask.protocols import anthropic
from factmark.ask.protocols.route import PROTOCOLS, Route
from factmark.ask.provider_http import Sender, post_json, provider_http
from factmark.ask.responses import (
    OtherProtocolError,
    RejectedError,
    RunEndedError,
    UnusableError,
    payload_of,
    reply_in,
)
from factmark.ask.weights.llama_server import AT_ONCE, LlamaServer
from factmark.errors import EndpointError
from factmark.http.async_tools import Closing
from factmark.http.client import UnsentError
from factmark.http.retries import (
    GaveUpError,
    RetryPolicy,
    TransientError,
    TurnedAwayError,
)
from factmark.http.secret import Secret

FAULTS = RetryPolicy(attempts=6, first_wait=0.5, longest_wait=30.0)
MAX_FAILURES = 20
_NO_TEXT = Failure(reason=NOTHING)
_UNLUCKY = 20.0  # replies that a call would have got by the luck of others, and was turned away
_MOST_IN_BATCHES = 50_000  # units that are asked about at a time, by batches


class ChatClient(Closing):
    """Asks one model. Use it in one event loop, and close it.

    A call that fails is that call's failure. After `max_failures` in a row that brought no answer,
    or two that the server left without one, no more is asked; nor after an error that ends a run.
    Requests that it rejects do not count once it has replied. What is paid is booked, readable or
    not.

    Attributes:
        proven: whether a reply of this model is known, from this run or an earlier one; only
            without any can a wrong key, model or address be told from the fault of one call.
        slots: who may ask now, see `Pace`.
        ahead: how many units of work keep its connections busy.

    Args:
        account: counts what is spent and bounds it; an unbounded one where None.
        rates: what is fixed of how fast it is asked.
        headers: further ones of each request.
        faults: how failures that may pass are repeated: 5xx, resets, cut-off or foreign answers.
        max_failures: calls that fail in a row before no more is asked.
        tell: hears what the run waits for.
        batches: by which those ask that ask with a ledger; None to make each call directly.

    Raises:
        InputError: if the key that the provider needs is not in the environment.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        account: Account | None = None,
        rates: Rates | None = None,
        headers: Mapping[str, Secret] | None = None,
        faults: RetryPolicy = FAULTS,
        max_failures: int = MAX_FAILURES,
        tell: Callable[[str], None] = lambda _text: None,
        batches: BatchApi | None = None,
    ) -> None:
        self.spec = spec
        self.account = account or Account()
        self.batches = batches
        self.proven = False
        self._route = Route(spec)
        self.slots = Pace(_rates_of(spec, rates or Rates()), spec.base_url, tell, faults.sleep)
        if batches is None:
            self.ahead = 2 * self.slots.most
        else:
            self.ahead = _MOST_IN_BATCHES
        self._http = _sender(spec, self.slots.most, headers)
        self.faults = faults
        self._max_failures = max_failures
        self._server = Refusals()
        self._broken: EndpointError | None = None
        self._failed_in_row = self._silent_in_row = 0
        self._refused = 0  # calls that wait for what others bring

    @property
    def left_out(self) -> frozenset[str]:
        """What the server turned out not to take, see `Refusals.omitted`."""
        return self._server.omitted

    def know(self, left_out: frozenset[str]) -> None:
        """Takes in what the server is known not to take: it is not sent."""
        self._server.omitted |= left_out

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of how the model is asked."""
        return (*self._route.notes, *self._server.notes)

    async def ask(self, request: Request) -> Reply | Failure | None:
        """The model's reply; None where the account admits no call any more.

        Raises:
            EndpointError: no call has worked, and none can: a wrong key, model or address. All
                later calls raise it too.
        """
        async with self.slots:
            return await self.ask_now(request)

    async def ask_now(self, request: Request) -> Reply | Failure | None:
        """As `ask`, for those who hold one of the `slots` already."""
        if self._broken is not None:
            raise self._broken
        start = asyncio.get_running_loop().time()
        try:
            reply = await self._try_until_it_works(request)
        except EndpointError as error:
            return await self._failed(error, start)
        if reply is None:
            return None
        self.proven = True
        self._silent_in_row = 0
        if reply.unanswered and reply.finish_reason not in CUT:
            self._count(_NO_TEXT, silent=False)
        else:
            self._failed_in_row = 0
        return reply

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()
        if self.batches is not None:
            await self.batches.close()

    def body(self, request: Request) -> dict[str, object]:
        """A request as it is sent, without what the server turned out not to take."""
        return self._route.body(request, self._server.omitted)

    @property
    def price(self) -> Price | None:
        """The price of a call as it is made here; None if it is not known."""
        price = self.account.price
        if price and self.batches:
            return price.batched()
        return price

    def _count(self, failure: Failure, *, silent: bool) -> None:
        """Counts a failed call; stops the account once too many failed in a row, or two of them
        without any answer."""
        if failure.rejected and self.proven:
            return
        self._failed_in_row += 1
        self._silent_in_row += silent
        if self._silent_in_row > 1 or self._failed_in_row >= self._max_failures:
            self.account.stop(
                f"{self._failed_in_row} calls in a row failed, so no more was asked "
                f"(--max-failures {self._max_failures}); the last: {failure.reason.rstrip('.')}"
            )

    async def _try_until_it_works(self, request: Request) -> Reply | None:
        """Returns the reply, trying again after each failure that may pass.

        Raises:
            GaveUpError: it did not pass.
            EndpointError: the server finds the request, or all of them, wrong.
        """
        pace = self.slots
        times = 0
        spent = 0.0
        luck = 0.0
        fault = 0.0
        replies = pace.replies
        refusals = pace.refusals
        faults = pace.faults
        begun = asyncio.get_running_loop().time()
        for attempt in itertools.count(1):
            try:
                return await self._send_what_it_takes(request)
            except TransientError as error:
                if pace.waits_for(error):
                    times += 1
                    wait = pace.turned_away(error, times, begun)
                    taken = pace.replies - replies
                    refused = pace.refusals - refusals
                    luck += taken / (taken + refused)
                else:
                    pace.faults = pace.faults + 1
                    spent = spent + error.seconds
                    fault += _share_of_blame(pace.faults - faults, pace.replies - replies)
                    wait = self.faults.wait(max(1, int(fault)), error.retry_after)
                replies = pace.replies
                refusals = pace.refusals
                faults = pace.faults
                bound = pace.patience * (2 if pace.replies else 1)
                if wait is None or luck > _UNLUCKY or spent >= bound:
                    raise GaveUpError(error, attempt) from error
                pace.tell_wait(str(error), wait)
            async with pace.aside():
                await self.faults.sleep(wait)
        raise AssertionError("the loop ends by returning or raising")

    async def _failed(self, error: EndpointError, start: float) -> Failure | None:
        """Returns a failed call as data; None where the run ends with it and the call is left.

        Before any reply, a refusal is that one call's only if another call brings a reply: it is
        known when all that hold a place have ended or were refused too.

        Raises:
            EndpointError: no call has worked, and none can.
        """
        seconds = asyncio.get_running_loop().time() - start
        rejected = isinstance(error, RejectedError)
        attempts = 1
        if isinstance(error, GaveUpError):
            attempts = error.attempts
        unusable = None
        if isinstance(error, UnusableError):
            unusable = error
        usage = None
        if unusable is not None:
            usage = unusable.usage
        failure = Failure(
            reason=str(error),
            attempts=attempts,
            latency=seconds,
            rejected=rejected,
            unusable=unusable is not None,
            usage=usage,
        )
        if self.proven and isinstance(error, RunEndedError):
            self.account.stop(str(error))
            return None
        self._count(failure, silent=isinstance(error.__cause__, SilentError))
        if self.proven:
            return failure
        if isinstance(error.__cause__, UnsentError) and not self.slots.replies:
            raise self._end(error) from error
        if rejected or unusable or isinstance(error, GaveUpError):
            return failure
        if not await self._another_replies():
            raise self._end(error) from error
        return failure

    async def _another_replies(self) -> bool:
        """Waits until another call that holds a place brings a reply; False where all
        were refused."""
        self._refused += 1
        self.slots.changed.set()
        try:
            while self.slots.may_another_reply(self._refused) and not (self.proven or self._broken):
                self.slots.changed.clear()
                await self.slots.changed.wait()
        finally:
            self._refused -= 1
        return self.proven

    def _end(self, error: EndpointError) -> EndpointError:
        """Returns the error that all calls raise from now on, since no call has worked."""
        if self._failed_in_row > 1:
            error = EndpointError(f"{self._failed_in_row} calls in a row failed; the last: {error}")
        self._broken = self._broken or error
        return self._broken

    async def _send_what_it_takes(self, request: Request) -> Reply | None:
        """Sends a request and returns the reply; fields that the server refuses are left out, and
        it is sent again at once."""
        omitted = self._server.omitted
        refusals = list[str]()
        while True:
            spec = self._route.spec_of(request)
            sent = _refusable_fields(spec, request)
            try:
                reply = await self._send_once(request, spec, omitted)
            except RejectedError as error:
                field = field_to_leave_out(error, sent, omitted)
                if field is None:
                    raise
                omitted |= {field}
                refusals.append(error.complaint)
                continue
            except EndpointError as error:
                if isinstance(error, OtherProtocolError) and self._route.leaves_chat(
                    error, spec, request
                ):
                    continue
                raise self._route.explained(error, spec, request) from error.__cause__
            if reply is not None:  # it was that, and not the question
                self._server.note_answered(omitted, sent, refusals)
                reply = self._server.settled(request, reply, omitted)
            return reply

    async def _send_once(
        self, request: Request, spec: ModelSpec, omitted: frozenset[str]
    ) -> Reply | None:
        """Sends a request once and returns the reply, with its tokens and seconds; None where the
        budget has no room."""
        prompt = estimate_prompt(request)
        await self.slots.turn(prompt + self.account.usual_output)
        reserved = await self.account.admit(prompt, request.room * self.spec.max_tokens)
        if reserved is None:
            return None
        usage: Usage | None = None
        calls = 1
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            async with self.slots.request():
                protocol = PROTOCOLS[spec.protocol]
                body = protocol.body(spec, request, omitted)
                response = await post_json(self._http, spec, body)
                self.slots.heed(response)
                payload = payload_of(response)
                usage = protocol.usage(payload or {})  # before all else: it is paid
                reply = reply_in(payload, response, spec, protocol.read)
                usage = reply.usage or usage or _estimated_usage(prompt, reply)
        except TurnedAwayError:
            calls = 0
            raise
        except UnusableError as error:
            error.usage = usage
            raise
        finally:
            self.account.settle(reserved, usage, calls=calls)
        return replace(reply, usage=usage, latency=loop.time() - start)


def _rates_of(spec: ModelSpec, rates: Rates) -> Rates:
    """Returns how fast a model is asked: one in this process by few requests at a time, and it is
    waited for as long as it computes. It cannot fall silent, and what it began it ends: a request
    that is given up would keep its successors waiting until they were given up, too.
    """
    if spec.file is None:
        return rates
    if rates.concurrency == "auto":
        most = AT_ONCE
    else:
        most = min(AT_ONCE, rates.concurrency)
    timeout = rates.timeout
    if timeout is None:
        timeout = math.inf
    return replace(rates, concurrency=most, timeout=timeout)


def _sender(spec: ModelSpec, connections: int, headers: Mapping[str, Secret] | None) -> Sender:
    """Returns what sends requests to a model: to its server, or to its weights here."""
    if spec.file is None:
        return provider_http(spec, seconds=None, connections=connections, headers=headers)
    return LlamaServer(spec.file, **spec.running)


def _share_of_blame(faults: int, replies: int) -> float:
    """Returns how far a failure counts as the request's own, from 0 to 1: six of 1 end it.

    At a server where two of five requests fail, a request is not to blame for failing like others:
    all of what ends it together would happen by chance to one in a million.

    Args:
        faults, replies: of all requests since it was sent before, itself included.
    """
    share = faults / (faults + replies)
    if replies:
        return min(1.0, -math.log10(share))
    return 1.0


def _refusable_fields(spec: ModelSpec, request: Request) -> set[str]:
    """Returns which of the fields that some servers refuse are in a request."""
    protocol = spec.protocol
    tools = bool(request.tools)
    given = {
        "system": protocol != "anthropic" and any(m.role == "system" for m in request.messages),
        "schema": request.schema is not None,
        "strict": protocol == "openai" and request.schema is not None,
        "seed": protocol == "openai" and spec.seed is not None,
        "temperature": spec.temperature is not None,
        "top_p": spec.top_p is not None,
        "cache_control": protocol == "anthropic" and anthropic.has_cacheable_start(request),
        "tool_choice": protocol != "anthropic" and tools and request.closing,
        "include": protocol == "responses" and tools,
    }
    return {name for name, is_sent in given.items() if is_sent}


def _estimated_usage(prompt: int, reply: Reply) -> Usage:
    """Returns an estimate of the tokens of a call that the server did not count."""
    thought = estimate_tokens(reply.thinking)
    tokens = thought + estimate_tokens(reply.text)
    tokens += sum(estimate_tokens(call.name + call.arguments) for call in reply.tool_calls)
    return Usage(input=prompt, output=tokens, thinking=thought, estimated=True)
