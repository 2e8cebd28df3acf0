"""One question on its way to an answer: what was asked, called and looked up for it so far."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import perf_counter
from typing import Literal

from factmark.answers.core.records import Ending, ToolUse, Trace
from factmark.ask.asker import Answer as Asked
from factmark.ask.async_tools import gather_all
from factmark.ask.budget import Account
from factmark.ask.chat import CUT, Failure, Reply, Request, ToolResult
from factmark.ask.sources import Retriever, ToolServer
from factmark.files.text_files import storable
from factmark.ledger.calls import KeptResult
from factmark.ledger.damage import json_cell
from factmark.model import Chunk, content_hash

Searches = dict[str, asyncio.Task[KeptResult]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What came of a question.

    Attributes:
        text: the answer; empty where there is none.
        latency: seconds that the model, the tools and the search took; those of tools that ran
            side by side count once.
        status: `ok`; `failed`: no reply came; `left`: the budget had no room.
        reason: why there is no answer.
    """

    text: str
    trace: Trace
    latency: float
    status: Literal["ok", "failed", "left"] = "ok"
    reason: str = ""


class NoReply(Exception):  # noqa: N818  # it ends one question, and is caught where that began
    """A question that cannot go on."""

    def __init__(self, status: Literal["failed", "left"], reason: str) -> None:
        super().__init__(reason)
        self.status: Literal["failed", "left"] = status
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What all questions to a model share.

    Attributes:
        ask: asks the model, through the ledger.
        account: of the model.
        find: a result of a tool or a search that was kept, by its key.
        keep: keeps one, before it is used.
        call: calls a tool of a server; bounds how many run at a time.
        searches: those under way, by their keys, for all who want the same.
    """

    ask: Callable[[Request], Awaitable[Asked]]
    account: Account
    find: Callable[[str], KeptResult | None]
    keep: Callable[[str, KeptResult], Awaitable[None]]
    call: Callable[[ToolServer, str, Mapping[str, object]], Awaitable[ToolResult]]
    searches: Searches


class Session:
    """Asks, calls and looks up for one question, and adds up what it took.

    What tools and searches brought is kept in the ledger under what led to it, so that a run that
    was killed goes on with the same conversation.
    """

    def __init__(self, desk: Desk, sample: int) -> None:
        self._desk, self._sample = desk, sample
        self._calls: list[str] = []
        self._input = self._output = 0
        self._estimated = False
        self._costs: list[float | None] = []
        self._latency = 0.0

    async def ask(self, request: Request) -> Reply:
        """The model's reply, its text as the ledger holds it.

        Raises:
            NoReply: none came, or the budget has no room.
            EndpointError: no call can work.
        """
        answer = await self._desk.ask(request)
        outcome, account = answer.outcome, self._desk.account
        if outcome is None:
            raise NoReply("left", account.exhausted)
        if isinstance(outcome, Failure):
            raise NoReply("failed", outcome.reason)
        self._calls.append(answer.key)
        self._latency += outcome.latency
        if outcome.usage is not None:
            self._input += outcome.usage.input
            self._output += outcome.usage.output
            self._estimated |= outcome.usage.estimated
            self._costs.append(account.price.cost(outcome.usage) if account.price else None)
        return replace(outcome, text=storable(outcome.text))

    async def call(
        self, server: ToolServer, wanted: Sequence[tuple[str, Mapping[str, object]]]
    ) -> list[ToolResult]:
        """Calls tools side by side; their results in the order of the calls.

        Raises:
            EndpointError: the server is gone.
        """
        start = self._calls[-1]
        work = [self._one(server, name, given, start, n) for n, (name, given) in enumerate(wanted)]
        results = await gather_all(work)
        self._latency += max((result.seconds for result in results), default=0.0)
        return results

    async def search(self, retriever: Retriever, question: str, k: int) -> tuple[Chunk, ...]:
        """The passages that fit a question best.

        Raises:
            EndpointError: the question cannot be looked up.
        """
        key = content_hash("search", retriever.identity, question, k)
        kept = self._desk.find(key)
        if kept is None:
            searches = self._desk.searches
            if key not in searches:
                searches[key] = asyncio.create_task(self._searched(key, retriever, question, k))
                searches[key].add_done_callback(lambda _: searches.pop(key))
            kept = await asyncio.shield(searches[key])
        self._latency += kept.result.seconds
        return tuple(Chunk(**chunk) for chunk in json_cell(kept.result.text))

    def done(
        self,
        text: str,
        ended: Ending = "answered",
        *,
        tools: Sequence[ToolUse] | None = None,
        offered: Sequence[str] = (),
        chunks: tuple[Chunk, ...] | None = None,
    ) -> Attempt:
        """The answer, with all that led to it."""
        known = [cost for cost in self._costs if cost is not None]
        trace = Trace(
            sample=self._sample,
            rounds=len(self._calls),
            ended=ended,
            tools=None if tools is None else tuple(tools),
            offered=tuple(offered),
            chunks=chunks,
            input_tokens=self._input,
            output_tokens=self._output,
            estimated=self._estimated,
            cost=sum(known) if known and len(known) == len(self._costs) else None,
            calls=tuple(self._calls),
        )
        return Attempt(text=text, trace=trace, latency=self._latency)

    async def _searched(self, key: str, retriever: Retriever, question: str, k: int) -> KeptResult:
        begun = perf_counter()
        chunks = await retriever.search(question, k)
        text = json.dumps([asdict(chunk) for chunk in chunks])
        result = ToolResult(text=text, seconds=perf_counter() - begun, size=len(text))
        return await self._kept(
            key,
            KeptResult(server=retriever.identity, name="search", arguments=question, result=result),
        )

    async def _one(
        self, server: ToolServer, name: str, given: Mapping[str, object], start: str, number: int
    ) -> ToolResult:
        key = content_hash("tool", server.identity, start, number, name, dict(given))
        kept = self._desk.find(key)
        if kept is None:
            result = await self._desk.call(server, name, given)
            result = replace(result, text=storable(result.text))
            arguments = json.dumps(dict(given), ensure_ascii=False)
            kept = KeptResult(server=server.identity, name=name, arguments=arguments, result=result)
            kept = await self._kept(key, kept)
        return kept.result

    async def _kept(self, key: str, result: KeptResult) -> KeptResult:
        """The result that counts: another process may have been first."""
        await self._desk.keep(key, result)
        return self._desk.find(key) or result


def ending(reply: Reply) -> Ending:
    """Why a reply is the last one."""
    if reply.refused:
        return "refused"
    return "length" if reply.finish_reason in CUT else "answered"
