"""One question on its way to an answer: what was asked, called and looked up for it so far."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from time import perf_counter

from factmark.answers.core.records import (
    Ending,
    GivenAnswer,
    NoScore,
    Status,
    ToolUse,
    Trace,
)
from factmark.ask.asker import AskedCall, Asker, ask_until_answered, kept_reply
from factmark.ask.budget import Account
from factmark.ask.chat import (
    CUT,
    Failure,
    Reply,
    Request,
    Retriever,
    ToolResult,
    ToolServer,
    Usage,
)
from factmark.ask.model_spec import ModelSpec
from factmark.files.text_files import without_surrogates
from factmark.http.async_tools import gather_all
from factmark.ledger.calls import KeptResult, add_result, find_result
from factmark.ledger.ledger import Ledger, json_cell
from factmark.ledger.writer import LedgerWriter
from factmark.model import Chunk, content_hash
from factmark.runs.tool_replies import with_calls

__all__ = [  # what conditions are written with, graphrag's too
    "Conversation",
    "GivenAnswer",
    "LedgerDesk",
    "NoReply",
    "ReadingDesk",
    "Searches",
    "UnknownReply",
    "ending",
]

Searches = dict[str, asyncio.Task[KeptResult]]


class NoReply(Exception):  # noqa: N818  # it ends one question, and is caught where that began
    """A question that cannot go on."""

    def __init__(self, status: Status, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerDesk:
    """What all questions to a model share in a run: asks and calls, and keeps what comes.

    Attributes:
        slots: bounds how many tools run at a time.
        searches: those under way, by their keys, for all who want the same.
    """

    asker: Asker
    ledger: Ledger
    writer: LedgerWriter
    slots: asyncio.Semaphore
    searches: Searches

    @property
    def account(self) -> Account:
        """The account that the model's calls are paid from."""
        return self.asker.client.account

    async def ask(self, request: Request) -> AskedCall:
        """Asks the model, through the ledger."""
        return await self.asker.ask(request)

    def find(self, key: str) -> KeptResult | None:
        """Returns the result of a tool or a search that was kept; None without one."""
        return find_result(self.ledger, key)

    async def keep(self, key: str, result: KeptResult) -> KeptResult:
        """Keeps one before it is used; gives the one that counts, where another was first."""
        await self.writer.write(lambda book: add_result(book, key, result))
        return self.find(key) or result

    async def call(
        self, server: ToolServer, name: str, arguments: Mapping[str, object]
    ) -> ToolResult:
        """Calls a tool of a server."""
        async with self.slots:
            return await server.call(name, arguments)


class UnknownReply(Exception):  # noqa: N818  # it ends one question, and is caught where that began
    """The ledger has no more of a conversation."""


class ReadingDesk:
    """Reads a conversation in the ledger up to where it ends, and asks nobody.

    Raises:
        UnknownReply: where that is.
    """

    def __init__(self, spec: ModelSpec, ledger: Ledger | None) -> None:
        self.account = Account()
        self.searches: Searches = {}
        self.replies = 0
        self.last_request: Request | None = None
        self._spec = spec
        self._ledger = ledger

    async def ask(self, request: Request) -> AskedCall:
        """Returns a kept reply."""
        return await ask_until_answered(self._ask, request)

    async def _ask(self, request: Request) -> AskedCall:
        """Returns the kept reply to a request. UnknownReply: there is none."""
        self.last_request = request
        known = None
        if self._ledger is not None:
            known = kept_reply(self._ledger, self._spec, request)
        if known is None:
            raise UnknownReply
        self.replies += 1
        return known

    def find(self, key: str) -> KeptResult | None:
        """Returns a kept result."""
        if self._ledger is None:
            return None
        return find_result(self._ledger, key)

    async def keep(self, _key: str, result: KeptResult) -> KeptResult:
        """Returns the result, without keeping it."""
        return result

    async def call(self, _server: ToolServer, _name: str, _arguments: object) -> ToolResult:
        """Raises UnknownReply: no tool is called."""
        raise UnknownReply


class Conversation:
    """Asks, calls and looks up for one question, and adds up what it took.

    What tools and searches brought is kept in the ledger under what led to it, so that a run that
    was killed goes on with the same conversation.
    """

    def __init__(self, desk: LedgerDesk | ReadingDesk, sample: int) -> None:
        self._desk = desk
        self._sample = sample
        self._calls: list[str] = []
        self._usages: list[Usage] = []
        self._latency = 0.0
        self._rounds = 0

    async def ask(self, request: Request, called: Collection[str] = ()) -> Reply:
        """The model's reply, its text as the ledger holds it, with the calls of tools that it
        wrote in whatever form.

        Args:
            called: names of the tools that were called before.

        Raises:
            NoReply: none came, it has no answer, or the budget has no room.
            EndpointError: no call can work.
        """
        reply = with_calls(await self._reply(request), request, called)
        if isinstance(reply, Reply) and reply.unanswered and reply.finish_reason not in CUT:
            again = replace(request, attempt=1)
            reply = with_calls(await self._reply(again), again, called)
        self._rounds += 1
        if isinstance(reply, NoScore):
            raise NoReply(reply.status, reply.reason)
        if reply.unanswered:
            raise NoReply("unparsed", reply.why_unanswered)
        return replace(reply, text=without_surrogates(reply.text))

    async def _reply(self, request: Request) -> Reply:
        """The model's reply, if an empty one; adds up what it took.

        Raises:
            NoReply: none came, or the budget has no room.
        """
        asked = await self._desk.ask(request)
        for call in (*asked.before, asked):
            outcome = call.outcome
            if outcome is not None and outcome.usage:
                self._usages.append(outcome.usage)
            if isinstance(outcome, Reply):
                self._calls.append(call.key)
                self._latency += outcome.latency
        if asked.outcome is None:
            raise NoReply("left", self._desk.account.exhausted)
        if isinstance(asked.outcome, Failure):
            raise NoReply("failed", asked.outcome.reason)
        return asked.outcome

    async def call(
        self, server: ToolServer, wanted: Sequence[tuple[str, Mapping[str, object]]]
    ) -> list[ToolResult]:
        """Calls tools side by side; their results in the order of the calls.

        Raises:
            EndpointError: the server is gone.
        """
        start = self._calls[-1]
        results = await gather_all(
            [
                self._call_and_keep(server, name, given, start, n)
                for n, (name, given) in enumerate(wanted)
            ]
        )
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
                searches[key] = asyncio.create_task(
                    self._search_and_keep(key, retriever, question, k)
                )
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
    ) -> GivenAnswer:
        """The answer, with all that led to it; whose it is and to what is for the caller to add.

        Its latency is that of the model, the tools and the search; tools that ran side by side
        count once.
        """
        usages = self._usages
        price = self._desk.account.price
        trace = Trace(
            sample=self._sample,
            rounds=self._rounds,
            ended=ended,
            tools=None if tools is None else tuple(tools),
            offered=tuple(offered),
            chunks=chunks,
            input_tokens=sum(usage.input for usage in usages),
            output_tokens=sum(usage.output for usage in usages),
            estimated=any(usage.estimated for usage in usages),
            cost=sum(map(price.cost, usages)) if price and usages else None,
            calls=tuple(self._calls),
        )
        tools_called = None
        if tools is not None:
            tools_called = tuple(use.name for use in tools)
        chunks_retrieved = None
        if chunks is not None:
            chunks_retrieved = tuple(chunk.id for chunk in chunks)
        return GivenAnswer(
            id="",
            query_id="",
            text=text,
            latency_seconds=self._latency,
            tools_called=tools_called,
            chunks_retrieved=chunks_retrieved,
            trace=trace,
        )

    async def _search_and_keep(
        self, key: str, retriever: Retriever, question: str, k: int
    ) -> KeptResult:
        """Searches, and returns the passages as a result that is kept."""
        begun = perf_counter()
        chunks = await retriever.search(question, k)
        text = json.dumps([asdict(chunk) for chunk in chunks])
        result = ToolResult(text=text, seconds=perf_counter() - begun, size=len(text))
        return await self._desk.keep(
            key,
            KeptResult(server=retriever.identity, name="search", arguments=question, result=result),
        )

    async def _call_and_keep(
        self, server: ToolServer, name: str, given: Mapping[str, object], start: str, number: int
    ) -> ToolResult:
        """Returns the result of a call, from the ledger or from the server; it is kept."""
        key = content_hash("tool", server.identity, start, number, name, dict(given))
        kept = self._desk.find(key)
        if kept is None:
            result = await self._desk.call(server, name, given)
            result = replace(result, text=without_surrogates(result.text))
            arguments = json.dumps(dict(given), ensure_ascii=False)
            kept = await self._desk.keep(
                key,
                KeptResult(server=server.identity, name=name, arguments=arguments, result=result),
            )
        return kept.result


def ending(reply: Reply) -> Ending:
    """Returns why a reply is the last one."""
    if reply.refused:
        return "refused"
    if reply.finish_reason in CUT:
        return "length"
    return "answered"
