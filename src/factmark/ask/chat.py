"""What is asked of a model and what comes back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol

from factmark.model import Chunk, ToolStatus

Role = Literal["system", "user", "assistant", "tool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that a model may call.

    Attributes:
        schema: the JSON schema of its arguments, an object.
    """

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model's wish to call a tool.

    Attributes:
        id: by which its result is told from those of other calls.
        arguments: as the model wrote them: JSON, or what was meant as such.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What came of a tool call.

    Attributes:
        text: at most as long as the limit that the server's reader was given.
        seconds: from the call to its result.
        size: characters of the whole result.
    """

    text: str
    status: ToolStatus = "ok"
    seconds: float = 0.0
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation.

    Attributes:
        tool_calls: of an assistant's turn.
        call_id: of a tool's turn, the call that it answers.
        failed: of a tool's turn, whether the content is an error.
        carry: of an assistant's turn, what the provider wants back with it, as its reply had it.
        shared: characters at its beginning that other requests have too, for caches of prompts.
    """

    role: Role
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    call_id: str = ""
    failed: bool = False
    carry: Mapping[str, object] = field(default_factory=dict)
    shared: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question to a model.

    Attributes:
        messages: the conversation so far.
        schema: the JSON schema that the reply should follow, or None for free text. A server that
            has no structured output gets the question without it, so say the form in words too.
        sample: which of several independent replies to the same question this is; from 0.
        attempt: 0, or how often the question was asked before without a usable reply.
        tools: what the model may call.
        closing: whether it must answer now, without calling any of them.
        earlier: the same question as earlier versions asked it; a reply to that counts.
        room: how many times the model's own limit of tokens the reply may have.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, object] | None = None
    sample: int = 0
    attempt: int = 0
    tools: tuple[Tool, ...] = ()
    closing: bool = False
    room: int = 1
    earlier: Request | None = None

    @classmethod
    def of(
        cls, prompt: str, *, system: str = "", schema: Mapping[str, object] | None = None
    ) -> Request:
        """A request of one user message, after a system message where there is one."""
        before: tuple[Message] | tuple[()] = ()
        if system:
            before = (Message(role="system", content=system),)
        return cls(messages=(*before, Message(role="user", content=prompt)), schema=schema)

    def asked_again(self, reminder: str) -> Request:
        """The same question once more, with a reminder at its end."""
        *before, last = self.messages
        reminded = replace(last, content=f"{last.content}\n\n{reminder}")
        return replace(self, messages=(*before, reminded), attempt=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one call.

    Attributes:
        input: tokens of the prompt, those read from a cache included.
        output: tokens of the reply, its thinking included.
        cached: those of the prompt that the server read from its cache.
        written: those that it wrote there, where that has a price of its own.
        cost: what the server charged, in US dollars, where it tells that (OpenRouter).
        thinking: those of the reply before the answer, as the server or the text's length tells.
        estimated: whether the server told nothing and this is a guess from the texts' lengths.
    """

    input: int
    output: int
    cached: int = 0
    written: int = 0
    cost: float | None = None
    thinking: int = 0
    estimated: bool = False


_AROUND_SCHEMA = ("output_config", "response_format")
_MOST_TOKENS = 10**9  # of one call
CUT = (
    *("length", "max_tokens", "max_output_tokens"),
    *("model_length", "model_context_window_exceeded"),
)
"""Reasons for a text's end that tell that it was cut off at its limit."""
DECLINED = frozenset(
    {"content_filter", "content_filtered", "refusal", "guardrail_intervened"}
    | {"safety", "recitation", "blocklist", "prohibited_content", "spii"}  # Gemini's own words
)
"""Those that tell that the model or its provider declined to answer."""
BROKEN_OFF = frozenset(
    {"error", "failed", "abort", "aborted", "cancelled", "canceled", "timeout", "load", "unload"}
    | {"network_error", "server_error", "insufficient_system_resource", "engine_overloaded"}
)
"""Those that tell that the server ended it: what there is of it is no answer."""
UNANSWERED = "the model was still thinking where its reply ended, see --max-tokens"
NOTHING = "the model gave no answer, though it was asked twice"
ONLY_THOUGHT = (
    "the server gave the model's reasoning and no answer, though it was asked twice; where it "
    "takes the answer for reasoning, switch its reasoning parser or the thinking off"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model answered.

    Attributes:
        text: the answer without the thinking.
        thinking: what the model thought aloud before, if the server showed it.
        refused: whether the model or its provider declined to answer.
        finish_reason: the server's word for why the text ends; empty when it told none.
        usage: tokens, or None when they are not known.
        latency: seconds of the request that brought it.
        model: the model's name as the server reports it.
        tool_calls: what it wants to call before it goes on.
        carry: what the provider wants back with this turn, as JSON values (signed thinking).
    """

    text: str
    thinking: str = ""
    refused: bool = False
    finish_reason: str = ""
    usage: Usage | None = None
    latency: float = 0.0
    model: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    carry: Mapping[str, object] = field(default_factory=dict)

    @property
    def unanswered(self) -> bool:
        """Whether there is no answer in it, though it was paid: none began for want of room, or
        the model gave nothing."""
        return not (self.text.strip() or self.tool_calls or self.refused)

    @property
    def why_unanswered(self) -> str:
        """Why there is no answer, where there is none and it was asked for once more."""
        if self.finish_reason in CUT:
            return UNANSWERED
        if self.thinking:
            return ONLY_THOUGHT
        return NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """No reply, after all attempts.

    Attributes:
        reason: what went wrong last, in one line.
        attempts: requests that were sent.
        latency: seconds in all.
        rejected: whether the server found the request itself wrong (400).
        unusable: whether the server answered without an answer: once more may bring one.
        usage: what it told of such an answer, which is paid; None where it told nothing.
    """

    reason: str
    attempts: int = 1
    latency: float = 0.0
    rejected: bool = False
    unusable: bool = False
    usage: Usage | None = None


class ToolServer(Protocol):
    """Tools that a model may call."""

    @property
    def identity(self) -> str:
        """What was offered, for signatures and keys: never a credential or a path."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools, in the server's order."""

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Calls a tool that is offered. Ends in time, with a result or with what went wrong.

        Raises:
            EndpointError: the server is gone and does not come back; no later call can work.
        """


class Retriever(Protocol):
    """Passages, looked up by a question."""

    @property
    def identity(self) -> str:
        """What is searched and how, for signatures: never a credential or a path."""

    async def search(self, question: str, k: int) -> tuple[Chunk, ...]:
        """The k best passages, best first; fewer where there are no more.

        Raises:
            EndpointError: the question cannot be embedded, since its server is gone.
        """

    async def catalogue(self) -> tuple[Chunk, ...]:
        """The passages that describe the whole (datasets, not single patients), in fixed order."""


def canonical_json(value: object) -> bytes:
    """Returns the value as JSON in one form only: sorted names, no spaces, ASCII."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def request_key(parameters: Mapping[str, object], request: Request) -> str:
    """Returns the SHA-256 of all that could change the reply, in hexadecimal.

    Args:
        parameters: of the model, see `ModelSpec.parameters`.
    """
    messages = [_message_for_key(message) for message in request.messages]
    parts: list[object] = [dict(parameters), messages, request.schema]
    parts += [request.sample, request.attempt]
    if request.tools:
        tools = [_tool_for_key(tool) for tool in request.tools]
        parts += [tools, request.closing]
    if request.room > 1:
        parts.append({"room": request.room})
    if request.schema is not None and merges_schema(parameters.get("extra")):
        parts.append({"extra": "merged"})
    return hashlib.sha256(canonical_json(parts)).hexdigest()


def merges_schema(extra: object) -> bool:
    """Returns whether a user's own fields stand in the object that the schema is in.

    They took the schema's place until version 0.1; replies from then are to other requests.
    """
    if isinstance(extra, Mapping):
        given = extra
    else:
        given = {}
    return any(isinstance(given.get(name), Mapping) for name in _AROUND_SCHEMA)


def _tool_for_key(tool: Tool) -> list[object]:
    """Returns a tool as it enters the key of a request."""
    return [tool.name, tool.description, dict(tool.schema)]


def _message_for_key(message: Message) -> list[object]:
    """Returns a message as it enters the key of a request. What tools add comes after, so that the
    keys of other requests stay.
    """
    parts: list[object] = [message.role, message.content]
    if message.tool_calls or message.call_id:
        calls = []
        for call in message.tool_calls:
            calls.append([call.id, call.name, call.arguments])
        parts.extend((calls, message.call_id, message.failed, dict(message.carry)))
    return parts


def estimate_tokens(text: str) -> int:
    """Returns about how many tokens a text has: four ASCII characters or one and a half others
    each.
    """
    if text.isascii():
        ascii_only = len(text)
    else:
        ascii_only = sum(char < "\x80" for char in text)
    return -(-ascii_only // 4) + -(-2 * (len(text) - ascii_only) // 3)


def estimate_prompt(request: Request) -> int:
    """Returns about how many tokens a request's messages and tools have."""
    texts = [message.content for message in request.messages]
    for message in request.messages:
        for call in message.tool_calls:
            texts.append(call.arguments)
    texts += [canonical_json(_tool_for_key(tool)).decode() for tool in request.tools]
    return sum(4 + estimate_tokens(text) for text in texts)


def fields_to_send(omitted: Collection[str], **fields: object) -> dict[str, object]:
    """Returns those fields of a request that have a value and are not left out."""
    return {n: value for n, value in fields.items() if value is not None and n not in omitted}


def token_count(given: object) -> int:
    """Returns a number of tokens as servers tell it; 0 for anything that is none."""
    if not isinstance(given, int) or isinstance(given, bool):
        return 0
    if 0 < given < _MOST_TOKENS:
        return given
    return 0
