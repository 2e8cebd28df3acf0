"""How a model is grounded: alone, with passages, with tools, with the whole catalogue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import ClassVar, Protocol

from factmark.answers.core.records import GivenAnswer, ToolUse
from factmark.ask.chat import (
    Message,
    Reply,
    Request,
    Retriever,
    Tool,
    ToolCall,
    ToolResult,
    ToolServer,
    estimate_prompt,
)
from factmark.ask.responses import read_arguments
from factmark.errors import InputError
from factmark.model import Chunk, ToolStatus, content_hash
from factmark.replies.rubric import RULE, fence
from factmark.runs.conversation import Conversation, ending

_AT_ONCE = 16  # calls of one reply that are made
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64  # the providers' limit


class AskedQuestion(Protocol):
    """What a condition is asked: the id of a question, and its text."""

    @property
    def query_id(self) -> str:
        """The id, which no other asked question has."""

    @property
    def text(self) -> str:
        """The question's words, as conditions are given them."""


class Condition(Protocol):
    """How a model is asked: alone, or with something to answer from."""

    @property
    def name(self) -> str:
        """The name in results."""

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model, as JSON values."""

    @property
    def most_replies(self) -> int:
        """The most replies of the model that one answer may take."""

    async def answer(self, question: str, sample: int, conversation: Conversation) -> GivenAnswer:
        """Returns the answer to a question; raises `NoReply`, or EndpointError where no question
        can be answered."""


def system_prompt(condition: str) -> str:
    """The bundled system prompt of a condition."""
    text = (files("factmark.data") / "prompts" / f"{condition}.txt").read_text("utf-8")
    return text.strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A system prompt and the question, nothing else."""

    system: str
    name: str = "baseline"
    most_replies: ClassVar[int] = 1

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model."""
        return {"system": self.system}

    async def answer(self, question: str, sample: int, conversation: Conversation) -> GivenAnswer:
        """Returns the model's answer to the question alone."""
        request = replace(Request.of(question, system=self.system), sample=sample)
        reply = await conversation.ask(request)
        return conversation.done(reply.text, ending(reply))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rag:
    """Retrieval-augmented generation (protocol 1: the top 5 chunks of a vector store).

    Attributes:
        retriever: where passages are looked up, by the question as it is asked.
        k: how many of them.
    """

    retriever: Retriever
    system: str
    k: int = 5
    name: str = "rag"
    most_replies: ClassVar[int] = 1

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model."""
        return {"system": self.system, "k": self.k, "index": self.retriever.identity}

    async def answer(self, question: str, sample: int, conversation: Conversation) -> GivenAnswer:
        """Returns the model's answer to the question with the passages that fit it best."""
        chunks = await conversation.search(self.retriever, question, self.k)
        request = _with_passages(self.system, question, chunks, "PASSAGE", sample)
        reply = await conversation.ask(request)
        return conversation.done(reply.text, ending(reply), chunks=chunks)


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeCatalogue:
    """`context`: all that describes the datasets, the same for each question.

    Attributes:
        chunks: the catalogue; it stands first, so that servers can reuse the beginning.
    """

    chunks: tuple[Chunk, ...]
    system: str
    name: str = "context"
    most_replies: ClassVar[int] = 1

    @classmethod
    async def read(cls, retriever: Retriever, most_tokens: int, system: str) -> WholeCatalogue:
        """Returns the condition with the catalogue of what is searched, if it is not too long.

        Raises:
            InputError: if it has more than `most_tokens` tokens, as `estimate_tokens` counts.
        """
        condition = cls(chunks=await retriever.catalogue(), system=system)
        tokens = estimate_prompt(condition._request("", 0))
        if tokens > most_tokens:
            raise InputError(
                f"The catalogue has about {tokens:,} tokens, more than the {most_tokens:,} of "
                "--context-tokens. Raise that, or leave the condition `context` out."
            )
        return condition

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model."""
        return {"system": self.system, "catalogue": content_hash([c.text for c in self.chunks])}

    async def answer(self, question: str, sample: int, conversation: Conversation) -> GivenAnswer:
        """Returns the model's answer to the question with all passages of the catalogue."""
        reply = await conversation.ask(self._request(question, sample))
        return conversation.done(reply.text, ending(reply), chunks=self.chunks)

    def _request(self, question: str, sample: int) -> Request:
        """Returns the request, its passages marked so that a provider may keep them between
        questions."""
        given = (self.system, question, self.chunks, "CATALOGUE", sample)
        return replace(_with_passages(*given, shared=True), earlier=_with_passages(*given))


def _with_passages(
    system: str,
    question: str,
    chunks: tuple[Chunk, ...],
    name: str,
    sample: int,
    *,
    shared: bool = False,
) -> Request:
    """A question after the passages that it is to be answered from, each in a fence of its own.

    Args:
        name: what a passage is, in capitals.
        shared: whether they are the same for all questions, and so are the marks of their fences.
    """
    besides: tuple[()] | tuple[str] = ()
    if not shared:
        besides = (question,)
    fences = [fence(name, f"{chunk.title}\n{chunk.text}", *besides) for chunk in chunks]
    start = "".join(f"{fence}\n\n" for fence in fences)
    asked = Request.of(f"{start}Question: {question}", system=f"{system} {RULE}")
    *before, last = asked.messages
    messages = (*before, replace(last, shared=len(start) if shared else 0))
    return replace(asked, messages=messages, sample=sample)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mcp:
    """An agent loop: the model calls tools, looks at what they return, and goes on (protocol 1).

    A round is a reply that calls tools, and their results. After the last one the model is asked
    once more and must answer with what it has.

    Attributes:
        server: whose tools are offered.
        rounds: how often the model may call tools.
    """

    server: ToolServer
    system: str
    rounds: int = 5
    name: str = "mcp"

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model."""
        return {"system": self.system, "rounds": self.rounds, "tools": self.server.identity}

    @property
    def most_replies(self) -> int:
        """A reply for each round of calls, and the last one."""
        return self.rounds + 1

    async def answer(self, question: str, sample: int, conversation: Conversation) -> GivenAnswer:
        """Returns the model's answer after the calls of tools that it asked for; without calls from
        the last round on."""
        offer = _offered_names(self.server.tools)
        tools = tuple(replace(tool, name=name) for name, tool in offer.items())
        request = replace(Request.of(question, system=self.system), sample=sample, tools=tools)
        uses: list[ToolUse] = []
        known: set[str] = set()
        for turn in range(1, self.rounds + 1):
            reply = await conversation.ask(request, {use.name for use in uses})
            if not reply.tool_calls or reply.refused:
                ended = ending(reply)
                break
            calls = _with_unique_ids(reply.tool_calls, known, turn)
            results = await self._results(conversation, calls, offer)
            for wish, call, result in zip(reply.tool_calls, calls, results, strict=True):
                uses.append(_tool_use(turn, offer.get(call.name, wish).name, call, result))
            request = replace(
                request, messages=(*request.messages, *_round_as_messages(reply, calls, results))
            )
        else:
            closing = replace(request, closing=True)
            reply = await conversation.ask(closing, {use.name for use in uses})
            ended = ending(reply)
            if ended == "answered":
                ended = "rounds"
        names = [tool.name for tool in self.server.tools]
        return conversation.done(reply.text, ended, tools=uses, offered=names)

    async def _results(
        self, conversation: Conversation, calls: Sequence[ToolCall], offer: Mapping[str, Tool]
    ) -> list[ToolResult]:
        """Returns the result of each call; for one that cannot be made, a sentence that says so."""
        refusals = [_refusal(call, place, offer) for place, call in enumerate(calls)]
        wanted = []
        for call, refusal in zip(calls, refusals, strict=True):
            if refusal is None:
                wanted.append((offer[call.name].name, read_arguments(call.arguments) or {}))
        results = iter(await conversation.call(self.server, wanted))
        return [refusal or next(results) for refusal in refusals]


def _offered_names(tools: Iterable[Tool]) -> dict[str, Tool]:
    """The tools by names that every provider takes, each of them once."""
    offer: dict[str, Tool] = {}
    for tool in tools:
        name = _sendable(tool.name)
        count = 2
        while name in offer:
            name = f"{name[: _LONGEST_NAME - 4]}_{count}"
            count += 1
        offer[name] = tool
    return offer


def _refusal(call: ToolCall, place: int, offer: Mapping[str, Tool]) -> ToolResult | None:
    """Why a call cannot be made, as the model is told it; None if it can."""
    status: ToolStatus = "invalid"
    if call.name not in offer:
        status = "unknown"
        text = f"There is no tool of that name. Tools: {', '.join(offer)}."
    elif read_arguments(call.arguments) is None:
        text = "The arguments are no JSON object. Call the tool again."
    elif place >= _AT_ONCE:
        text = f"Not called: at most {_AT_ONCE} calls at a time. Call it again."
    else:
        return None
    return ToolResult(text=text, status=status, size=len(text))


def _tool_use(turn: int, name: str, call: ToolCall, result: ToolResult) -> ToolUse:
    """A call and its result as the trace records it."""
    return ToolUse(
        round=turn,
        name=name,
        arguments=call.arguments,
        result=result.text,
        status=result.status,
        seconds=result.seconds,
        size=result.size,
    )


def _round_as_messages(
    reply: Reply, calls: tuple[ToolCall, ...], results: Iterable[ToolResult]
) -> Iterator[Message]:
    """A reply with its calls and their results, as messages of the next request."""
    carry = _provider_fields(reply, calls)
    yield Message(role="assistant", content=reply.text, tool_calls=calls, carry=carry)
    for call, result in zip(calls, results, strict=True):
        text = result.text or "(nothing was returned)"
        yield Message(role="tool", content=text, call_id=call.id, failed=result.status != "ok")


def _with_unique_ids(calls: Iterable[ToolCall], known: set[str], turn: int) -> tuple[ToolCall, ...]:
    """The calls with ids that no earlier round has, and names that can be sent back."""
    renamed = []
    for call in calls:
        key = call.id
        number = 0
        while key in known:
            number += 1
            key = f"call_{turn}_{number}"
        known.add(key)
        renamed.append(replace(call, id=key, name=_sendable(call.name)))
    return tuple(renamed)


def _sendable(name: str) -> str:
    """The name with signs that every provider takes, not too long."""
    return _UNSAFE.sub("_", name)[:_LONGEST_NAME] or "_"


def _provider_fields(reply: Reply, calls: Sequence[ToolCall]) -> dict[str, object]:
    """The fields of a reply that its provider needs returned, under the calls' new ids."""
    carry = dict(reply.carry)
    extras = carry.get("extra_content")
    if isinstance(extras, Mapping):
        carry["extra_content"] = {
            call.id: extras[old.id]
            for call, old in zip(calls, reply.tool_calls, strict=True)
            if old.id in extras
        }
    return carry
