"""Anthropic's messages protocol."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from factmark.ask.chat import (
    DECLINED,
    Message,
    Reply,
    Request,
    ToolCall,
    Usage,
    estimate_prompt,
    fields_to_send,
    token_count,
)
from factmark.ask.model_spec import ModelSpec
from factmark.ask.responses import (
    arguments_text,
    merged_fields,
    raise_token_limit,
    sendable_arguments,
    split_thinking,
    unique_calls,
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
    temperature = None
    if spec.temperature is not None:
        temperature = min(spec.temperature, 1.0)
    fields |= fields_to_send(omitted, temperature=temperature, top_p=spec.top_p)
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
    if has_cacheable_start(request) and "cache_control" not in omitted:
        _mark_for_cache(fields, request)
    return raise_token_limit(merged_fields(fields, spec.extra), request)


def has_cacheable_start(request: Request) -> bool:
    """Returns whether the beginning that requests share is long enough for a prompt cache."""
    start = (
        message if message.role == "system" else replace(message, content=_shared_start(message))
        for message in request.messages
        if message.role == "system" or message.shared
    )
    return estimate_prompt(replace(request, messages=tuple(start))) >= _CACHED


def _shared_start(message: Message) -> str:
    """Returns the part of a message that other requests begin with too."""
    return message.content[: message.shared]


def _mark_for_cache(fields: dict[str, Any], request: Request) -> None:
    """Marks in a body what the provider should cache: the shared beginning, and a conversation with
    tools so far, which the next request goes on with.
    """
    if "system" in fields:
        fields["system"] = [{"type": "text", "text": fields["system"], **_CACHE}]
    elif request.tools:
        fields["tools"][-1] |= _CACHE
    first = next(message for message in request.messages if message.role != "system")
    if first.shared:
        rest = {"type": "text", "text": first.content[first.shared :]}
        start = {"type": "text", "text": _shared_start(first), **_CACHE}
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
    thought = []
    for block in blocks:
        if block["type"] == "thinking":
            thought.append(str(block["thinking"]))
    text, aside = split_thinking(visible)
    stop = payload.get("stop_reason") or ""
    calls = _tool_calls(blocks)
    return Reply(
        text=text,
        thinking="\n\n".join(filter(None, (*thought, aside))),
        refused=stop in DECLINED,
        finish_reason=str(stop),
        usage=usage(payload),
        model=str(payload.get("model") or ""),
        tool_calls=calls,
        carry={"blocks": blocks} if calls and _has_thinking(blocks) else {},
    )


def _turns(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Returns the messages as turns; results of tools become one turn of the user's."""
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
            turns.append({"role": "assistant", "content": _turn_with_calls(message)})
        else:
            turns.append({"role": message.role, "content": message.content})
    return turns


def _turn_with_calls(message: Message) -> list[object]:
    """Returns an assistant's turn that calls tools; signed thinking goes back as it was and where
    it stood.
    """
    calls = []
    for call in message.tool_calls:
        calls.append(
            {
                "type": "tool_use",
                "id": call.id,
                "name": call.name,
                "input": json.loads(sendable_arguments(call.arguments)),
            }
        )
    known = message.carry.get("blocks")
    if isinstance(known, list):
        left = iter(calls)
        return [
            next(left) if block["type"] == "tool_use" else block
            for block in known
            if block["type"] != "text" or block["text"].strip()
        ]
    words = []
    if message.content.strip():
        words = [{"type": "text", "text": message.content}]
    return [*words, *calls]


def _has_thinking(blocks: Iterable[Mapping[str, Any]]) -> bool:
    """Returns whether any block of a turn is thinking."""
    return any(block["type"] in _THINKING for block in blocks)


def _tool_calls(blocks: Iterable[Mapping[str, Any]]) -> tuple[ToolCall, ...]:
    """Returns the tool calls in the blocks of a reply, each with an id of its own."""
    return unique_calls(
        (block.get("id"), block["name"], arguments_text(block.get("input")))
        for block in blocks
        if block["type"] == "tool_use"
    )


def usage(payload: Mapping[str, Any]) -> Usage | None:
    """Returns the tokens of a call, None where none are told; the protocol counts those read from a
    cache or written to one apart.
    """
    given = payload.get("usage")
    if not isinstance(given, Mapping) or "input_tokens" not in given:
        return None
    cached = token_count(given.get("cache_read_input_tokens"))
    written = token_count(given.get("cache_creation_input_tokens"))
    parts = given.get("output_tokens_details")
    return Usage(
        input=token_count(given["input_tokens"]) + cached + written,
        output=token_count(given.get("output_tokens")),
        cached=cached,
        written=written,
        thinking=token_count(parts.get("thinking_tokens")) if isinstance(parts, Mapping) else 0,
    )
