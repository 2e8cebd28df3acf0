"""`mcp`: the model calls tools, looks at what they return, and goes on until it answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.answers.core.records import Ending, ToolUse
from factmark.ask.chat import Message, Reply, Request, Tool, ToolCall, ToolResult
from factmark.ask.responses import read_arguments
from factmark.ask.sources import ToolServer
from factmark.model import ToolStatus
from factmark.runs.session import Attempt, Session, ending

ROUNDS = 5
_AT_ONCE = 16  # calls of one reply that are made
_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64  # the providers' limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Mcp:
    """An agent loop (protocol 1: at most 5 rounds).

    A round is a reply that calls tools, and their results. After the last one the model is asked
    once more and must answer with what it has.

    Attributes:
        server: whose tools are offered.
        rounds: how often the model may call tools.
    """

    server: ToolServer
    system: str
    rounds: int = ROUNDS
    name: str = "mcp"

    @property
    def settings(self) -> dict[str, object]:
        """All that could change an answer, but for the model, as JSON values."""
        return {"system": self.system, "rounds": self.rounds, "tools": self.server.identity}

    @property
    def most_replies(self) -> int:
        """Of the model, for one answer."""
        return self.rounds + 1

    def request(self, question: str, sample: int) -> Request:
        """What is asked first."""
        told = Request.of(question, system=self.system)
        tools = tuple(replace(tool, name=name) for name, tool in self._offer().items())
        return Request(messages=told.messages, sample=sample, tools=tools)

    async def answer(self, question: str, sample: int, session: Session) -> Attempt:
        """The model's answer; raises as `Session.ask`, and `Session.call`."""
        offer = self._offer()
        request = self.request(question, sample)
        uses: list[ToolUse] = []
        known: set[str] = set()
        for turn in range(1, self.rounds + 1):
            reply = await session.ask(request)
            if not reply.tool_calls or reply.refused:
                return self._done(session, reply, ending(reply), uses)
            calls = _renamed(reply.tool_calls, known, turn)
            results = await self._results(session, calls, offer)
            uses += [
                _use(turn, wish, call, result, offer)
                for wish, call, result in zip(reply.tool_calls, calls, results, strict=True)
            ]
            said = Message(
                role="assistant", content=reply.text, tool_calls=calls, carry=_carry(reply, calls)
            )
            told = [_told(call, result) for call, result in zip(calls, results, strict=True)]
            request = replace(request, messages=(*request.messages, said, *told))
        reply = await session.ask(replace(request, closing=True))
        why = ending(reply)
        return self._done(session, reply, "rounds" if why == "answered" else why, uses)

    def _done(
        self, session: Session, reply: Reply, why: Ending, uses: Sequence[ToolUse]
    ) -> Attempt:
        names = [tool.name for tool in self.server.tools]
        return session.done(reply.text, why, tools=uses, offered=names)

    def _offer(self) -> dict[str, Tool]:
        """The tools by names that every provider takes, each of them once."""
        offer: dict[str, Tool] = {}
        for tool in self.server.tools:
            name = _sendable(tool.name)
            count = 2
            while name in offer:
                name = f"{name[: _LONGEST_NAME - 4]}_{count}"
                count += 1
            offer[name] = tool
        return offer

    async def _results(
        self, session: Session, calls: Sequence[ToolCall], offer: Mapping[str, Tool]
    ) -> list[ToolResult]:
        """What each call came to; those that cannot be made are told so."""
        wrong = {call.id: _wrong(call, place, offer) for place, call in enumerate(calls)}
        made = [call for call in calls if wrong[call.id] is None]
        wanted = [(offer[call.name].name, read_arguments(call.arguments) or {}) for call in made]
        done = dict(
            zip([call.id for call in made], await session.call(self.server, wanted), strict=True)
        )
        return [done.get(call.id) or wrong[call.id] or ToolResult(text="") for call in calls]


def _wrong(call: ToolCall, place: int, offer: Mapping[str, Tool]) -> ToolResult | None:
    """Why a call cannot be made, as the model is told it; None if it can."""
    if call.name not in offer:
        return _refusal("unknown", f"There is no tool of that name. Tools: {', '.join(offer)}.")
    if read_arguments(call.arguments) is None:
        return _refusal("invalid", "The arguments are no JSON object. Call the tool again.")
    if place >= _AT_ONCE:
        told = f"Not called: at most {_AT_ONCE} calls at a time. Call it again."
        return _refusal("invalid", told)
    return None


def _refusal(status: ToolStatus, text: str) -> ToolResult:
    return ToolResult(text=text, status=status, size=len(text))


def _use(
    turn: int, wish: ToolCall, call: ToolCall, result: ToolResult, offer: Mapping[str, Tool]
) -> ToolUse:
    return ToolUse(
        round=turn,
        name=offer.get(call.name, wish).name,
        arguments=call.arguments,
        result=result.text,
        status=result.status,
        seconds=result.seconds,
        size=result.size,
    )


def _told(call: ToolCall, result: ToolResult) -> Message:
    text = result.text or "(nothing was returned)"
    return Message(role="tool", content=text, call_id=call.id, failed=result.status != "ok")


def _renamed(calls: Iterable[ToolCall], known: set[str], turn: int) -> tuple[ToolCall, ...]:
    """The calls with ids that no earlier round has, and names that can be sent back."""
    out = []
    for call in calls:
        key, number = call.id, 0
        while key in known:
            number += 1
            key = f"call_{turn}_{number}"
        known.add(key)
        out.append(replace(call, id=key, name=_sendable(call.name)))
    return tuple(out)


def _sendable(name: str) -> str:
    return _UNSAFE.sub("_", name)[:_LONGEST_NAME] or "_"


def _carry(reply: Reply, calls: Sequence[ToolCall]) -> dict[str, object]:
    """What the provider wants back, under the calls' new ids."""
    carry = dict(reply.carry)
    extras = carry.get("extra_content")
    if isinstance(extras, Mapping):
        carry["extra_content"] = {
            call.id: extras[old.id]
            for call, old in zip(calls, reply.tool_calls, strict=True)
            if old.id in extras
        }
    return carry
