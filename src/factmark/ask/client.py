"""A model behind a URL: bounded concurrency, repeated attempts, a budget."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from dataclasses import replace

from factmark.ask import anthropic, openai
from factmark.ask.budget import Account
from factmark.ask.chat import Failure, Reply, Request, Usage, estimate_prompt, estimate_tokens
from factmark.ask.model_spec import ModelSpec
from factmark.ask.responses import Refusals, RejectedError, reply_of, to_leave_out
from factmark.errors import EndpointError
from factmark.http.async_tools import Closing
from factmark.http.client import HttpClient, Response, TooLongError
from factmark.http.retries import GaveUpError, RetryPolicy, TransientError, repeat

FAULTS = RetryPolicy(attempts=6, first_wait=0.5, longest_wait=30.0)
LIMITS = RetryPolicy(attempts=8, first_wait=1.0, longest_wait=60.0)
MAX_FAILURES = 20
_LONGEST = 32 * 2**20  # bytes of a reply


class Poster:
    """Posts JSON to a model's address. Use it in one event loop, and close it.

    Args:
        seconds: the longest that one request may take.
        connections: how many at a time.

    Raises:
        InputError: the key that the server needs is not in the environment.
    """

    def __init__(self, spec: ModelSpec, *, seconds: float, connections: int) -> None:
        self._spec, self._key = spec, spec.key  # struck out of all that comes back
        self._headers = {"Content-Type": "application/json", **spec.headers(self._key)}
        self._http = HttpClient(seconds=seconds, max_bytes=_LONGEST, connections=connections)

    async def post(self, body: Mapping[str, object]) -> Response:
        """The response, whatever its status.

        Raises:
            TransientError: no connection, or no complete answer in time.
            EndpointError: no trusted certificate.
        """
        data = json.dumps(body, allow_nan=False).encode()
        name = self._spec.base_url
        try:
            response = await self._http.send(
                "POST", self._spec.url, headers=self._headers, body=data, name=name
            )
        except TooLongError as error:
            raise TransientError(str(error)) from error
        return replace(response, body=self._key.hide_in(response.body))

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.close()


class ChatClient(Closing):
    """Asks one model. Use it in one event loop, and close it.

    A call that fails is that call's failure. After `max_failures` in a row, or several that took
    twice `call_seconds` together, no more is asked. Requests that a server rejects (400) do not
    count once it has replied.

    Attributes:
        proven: whether a reply of this model is known, from this run or an earlier one; only
            without any can a wrong key, model or address be told from the fault of one call.
        ahead: how many units of work keep its connections busy.

    Args:
        account: counts what is spent and bounds it; an unbounded one where None.
        concurrency: requests at a time.
        faults: how failures that may pass are repeated: 5xx, resets, cut-off or foreign answers.
        limits: the same for 429 and 529.
        attempt_seconds: the longest that one request may take.
        call_seconds: the same for all attempts of a call and the waits between them.
        max_failures: calls that fail in a row before no more is asked.

    Raises:
        InputError: if the key that the provider needs is not in the environment.
    """

    def __init__(
        self,
        spec: ModelSpec,
        *,
        account: Account | None = None,
        concurrency: int = 64,
        faults: RetryPolicy = FAULTS,
        limits: RetryPolicy = LIMITS,
        attempt_seconds: float = 120.0,
        call_seconds: float = 300.0,
        max_failures: int = MAX_FAILURES,
    ) -> None:
        self.spec = spec
        self.account = account or Account()
        self.proven = False
        self._protocol = openai if spec.protocol == "openai" else anthropic
        self._poster = Poster(spec, seconds=attempt_seconds, connections=concurrency)
        self.ahead = 2 * concurrency
        self.slots = asyncio.Semaphore(concurrency)
        self._faults, self._limits = faults, limits
        self._call_seconds, self._max_failures = call_seconds, max_failures
        self._server = Refusals()
        self._broken: EndpointError | None = None
        self._failed_in_row = 0
        self._silent_since = math.inf

    @property
    def notes(self) -> tuple[str, ...]:
        """What the user should know of how the model is asked."""
        return self._server.notes

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
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            async with asyncio.timeout_at(start + self._call_seconds):
                outcome = await self._attempts(request, start)
        except TimeoutError:
            reason = f"{self.spec.base_url} gave no reply within {self._call_seconds:g} s"
            outcome = Failure(reason=reason, latency=loop.time() - start)
        if isinstance(outcome, Failure):
            self._count(outcome, start)
        elif outcome is not None:
            self.proven, self._failed_in_row, self._silent_since = True, 0, math.inf
        return outcome

    async def close(self) -> None:
        """Closes the connections."""
        await self._poster.close()

    def _count(self, failure: Failure, start: float) -> None:
        if failure.rejected and self.proven:
            return
        self._failed_in_row += 1
        self._silent_since = min(self._silent_since, start)
        silence = asyncio.get_running_loop().time() - self._silent_since
        is_silent = self._failed_in_row > 1 and silence >= 2 * self._call_seconds
        if is_silent or self._failed_in_row >= self._max_failures:
            time = f" in {silence:,.0f} s" if is_silent else ""
            self.account.stop(
                f"{self._failed_in_row} calls in a row failed{time}, so no more was asked "
                f"(--max-failures {self._max_failures}); the last: "
                f"{failure.reason.rstrip('.')}. "
                "The same command goes on from there"
            )

    async def _attempts(self, request: Request, start: float) -> Reply | Failure | None:
        loop = asyncio.get_running_loop()
        try:
            return await repeat(
                lambda: self._fitted(request),
                self._faults,
                limits=self._limits,
                deadline=start + self._call_seconds,
            )
        except GaveUpError as error:
            return Failure(reason=str(error), attempts=error.attempts, latency=loop.time() - start)
        except EndpointError as error:
            rejected = isinstance(error, RejectedError)
            if not (rejected or self.proven or self.account.in_flight):
                raise self._end(error) from error
            return Failure(reason=str(error), latency=loop.time() - start, rejected=rejected)

    def _end(self, error: EndpointError) -> EndpointError:
        """What all calls raise from now on: a set-up with which none has worked."""
        if self._failed_in_row:
            number = self._failed_in_row + 1
            error = EndpointError(f"{number} calls in a row failed; the last: {error}")
        self._broken = self._broken or error
        return self._broken

    async def _fitted(self, request: Request) -> Reply | None:
        """One request, sent again at once without what the server refuses to take."""
        omitted, sent = self._server.omitted, _sent(self.spec, request)
        refusals: list[str] = []
        while True:
            try:
                reply = await self._once(request, omitted)
            except RejectedError as error:
                field = to_leave_out(str(error), sent, omitted)
                if field is None:
                    raise
                omitted |= {field}
                refusals.append(str(error))
                continue
            if reply is not None:  # it was that, and not the question
                self._server.learn(omitted, sent, refusals)
                self._server.compare(request, reply, omitted)
            return reply

    async def _once(self, request: Request, omitted: frozenset[str]) -> Reply | None:
        prompt = estimate_prompt(request)
        reserved = await self.account.admit(prompt, request.room * self.spec.max_tokens)
        if reserved is None:
            return None
        usage: Usage | None = None
        loop = asyncio.get_running_loop()
        start = loop.time()
        try:
            response = await self._poster.post(self._protocol.body(self.spec, request, omitted))
            reply = reply_of(response, self.spec, self._protocol.read)
            usage = reply.usage or _guess(prompt, reply)
        finally:
            self.account.settle(reserved, usage)
        return replace(reply, usage=usage, latency=loop.time() - start)


def _sent(spec: ModelSpec, request: Request) -> set[str]:
    """Which of the things that some servers refuse are in a request."""
    openai_only = spec.protocol == "openai"
    given = {
        "schema": request.schema is not None,
        "seed": openai_only and spec.seed is not None,
        "temperature": spec.temperature is not None,
        "top_p": spec.top_p is not None,
        "cache": not openai_only and anthropic.caches(request),
        "choice": openai_only and bool(request.tools) and request.closing,
    }
    return {name for name, is_sent in given.items() if is_sent}


def _guess(prompt: int, reply: Reply) -> Usage:
    """The tokens of a call that the server did not count."""
    thought = estimate_tokens(reply.thinking)
    tokens = thought + estimate_tokens(reply.text)
    tokens += sum(estimate_tokens(call.name + call.arguments) for call in reply.tool_calls)
    return Usage(input=prompt, output=tokens, thinking=thought, estimated=True)
