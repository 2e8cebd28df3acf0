"""Anthropic's messages protocol."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from factmark.ask.chat import (
    CUT,
    Message,
    Reply,
    Request,
    ToolCall,
    Usage,
    count,
    estimate_prompt,
    sent,
)
from factmark.ask.model_spec import ModelSpec
from factmark.ask.responses import (
    arguments_text,
    merged,
    sendable_arguments,
    split_thinking,
    unique_calls,
    with_room,
)

_THINKING = ("thinking", "redacted_thinking")
_CACHE = {"cache_control": {"type": "ephemeral"}}
_CACHED = 512  # tokens, the least that any model caches; marks on less cost nothing


def body(spec: ModelSpec, request: Request, omitted: Collection[str]) -> dict[str, Any]:
    """The body of a request. The protocol keeps system messages apart and knows no seed."""
    system = "\n\n".join(m.content for m in request.messages if m.role == "system")
    fields: dict[str, Any] = {
        "model": spec.model,
        "max_tokens": spec.max_tokens,
        "messages": _turns(m for m in request.messages if m.role != "system"),
    }
    if system:
        fields["system"] = system
    temperature = None if spec.temperature is None else min(spec.temperature, 1.0)
    fields |= sent(omitted, temperature=temperature, top_p=spec.top_p)
    if request.schema is not None and "schema" not in omitted:
        form = {"type": "json_schema", "schema": dict(request.schema)}
        fields["output_config"] = {"format": form}
    if request.tools:
        fields["tools"] = [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": dict(tool.schema),
            }
            for tool in request.tools
        ]
    if request.tools and request.closing:
        fields["tool_choice"] = {"type": "none"}
    if caches(request) and "cache_control" not in omitted:
        _mark(fields, request)
    return with_room(merged(fields, spec.extra), request)


def caches(request: Request) -> bool:
    """Whether the beginning that requests share is long enough for a prompt cache."""
    start = (
        message if message.role == "system" else replace(message, content=_start(message))
        for message in request.messages
        if message.role == "system" or message.shared
    )
    return estimate_prompt(replace(request, messages=tuple(start))) >= _CACHED


def _start(message: Message) -> str:
    return message.content[: message.shared]


def _mark(fields: dict[str, Any], request: Request) -> None:
    """Has cached what requests share, and a conversation with tools so far that goes on."""
    if "system" in fields:
        fields["system"] = [{"type": "text", "text": fields["system"], **_CACHE}]
    elif request.tools:
        fields["tools"][-1] |= _CACHE
    first = next(message for message in request.messages if message.role != "system")
    if first.shared:
        rest = {"type": "text", "text": first.content[first.shared :]}
        start = {"type": "text", "text": _start(first), **_CACHE}
        fields["messages"][0]["content"] = [start, rest]
    if request.tools and not request.closing:
        last = fields["messages"][-1]
        if isinstance(last["content"], str):
            last["content"] = [{"type": "text", "text": last["content"]}]
        last["content"][-1] |= _CACHE


def read(payload: Mapping[str, Any]) -> Reply:
    """The reply in a response.

    Raises:
        ValueError, TypeError, KeyError: if it is no message.
    """
    blocks = payload["content"]
    if not isinstance(blocks, list):
        raise TypeError("the content is no list of blocks")
    visible = "".join(str(block["text"]) for block in blocks if block["type"] == "text")
    thought = [str(block["thinking"]) for block in blocks if block["type"] == "thinking"]
    text, aside = split_thinking(visible)
    stop = payload.get("stop_reason") or ""
    calls = _calls(blocks)
    if stop not in ("refusal", *CUT) and all(block["type"] in _THINKING for block in blocks):
        raise ValueError("a message without content")
    return Reply(
        text=text,
        thinking="\n\n".join(filter(None, (*thought, aside))),
        refused=stop == "refusal",
        finish_reason=str(stop),
        usage=_usage(payload.get("usage")),
        model=str(payload.get("model") or ""),
        tool_calls=calls,
        carry={"blocks": blocks} if calls and _has_thinking(blocks) else {},
    )


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The turns as the protocol has them: results of tools are one turn of the user's."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool":
            result = {
                "type": "tool_result",
                "tool_use_id": message.call_id,
                "content": message.content,
                **({"is_error": True} if message.failed else {}),
            }
            if turns and turns[-1]["role"] == "user" and isinstance(turns[-1]["content"], list):
                turns[-1]["content"].append(result)
            else:
                turns.append({"role": "user", "content": [result]})
        elif message.tool_calls:
            turns.append({"role": "assistant", "content": _calling(message)})
        else:
            turns.append({"role": message.role, "content": message.content})
    return turns


def _calling(message: Message) -> list[object]:
    """An assistant's turn that calls tools. Signed thinking goes back as and where it stood."""
    calls = [
        {
            "type": "tool_use",
            "id": call.id,
            "name": call.name,
            "input": json.loads(sendable_arguments(call.arguments)),
        }
        for call in message.tool_calls
    ]
    known = message.carry.get("blocks")
    if isinstance(known, list):
        left = iter(calls)
        return [
            next(left) if block["type"] == "tool_use" else block
            for block in known
            if block["type"] != "text" or block["text"].strip()
        ]
    words = [{"type": "text", "text": message.content}] if message.content.strip() else []
    return [*words, *calls]


def _has_thinking(blocks: Iterable[Mapping[str, Any]]) -> bool:
    return any(block["type"] in _THINKING for block in blocks)


def _calls(blocks: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    return unique_calls(
        (block.get("id"), block["name"], arguments_text(block.get("input")))
        for block in blocks
        if block["type"] == "tool_use"
    )


def _usage(given: object) -> Usage | None:
    """Tokens; the protocol counts what was read from a cache or written to one apart."""
    if not isinstance(given, Mapping) or "input_tokens" not in given:
        return None
    cached = count(given.get("cache_read_input_tokens"))
    written = count(given.get("cache_creation_input_tokens"))
    parts = given.get("output_tokens_details")
    return Usage(
        input=count(given["input_tokens"]) + cached + written,
        output=count(given.get("output_tokens")),
        cached=cached,
        written=written,
        thinking=count(parts.get("thinking_tokens")) if isinstance(parts, Mapping) else 0,
    )
