"""What a model says, and how that is written as a reply of each protocol."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

_THOUGHT = "NOT_SUPPORTED at first sight. "  # of about eight tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A call as the reply has it.

    Attributes:
        id: None where it comes without one.
        arguments: JSON, or what is meant as such.
    """

    id: str | None
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """What a reply says, whatever the protocol.

    Attributes:
        finish: `stop`, `tools`, `length` or `refusal`, or another word of the protocol.
        think: what stands in front as thinking.
        thinks: tokens of thinking beside the reply.
        tokens: of the prompt and of the reply; None where they are not counted.
        cached: of the prompt's tokens, those from a cache.
    """

    text: str
    calls: tuple[Wanted, ...] = ()
    finish: str = "stop"
    think: str = ""
    thinks: int = 0
    tokens: tuple[int, int] | None = (100, 10)
    cached: int = 0


def signature(thinking: str) -> str:
    """What the service signs its thinking with."""
    return sha256(f"signed:{thinking}".encode()).hexdigest()


def openai_reply(asked: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """A chat completion."""
    text = f"<think>{say.think}</think>\n{say.text}" if say.think else say.text
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if say.calls:
        message["content"] = text or None
        message["tool_calls"] = [
            ({} if call.id is None else {"id": call.id})
            | {"type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in say.calls
        ]
    if say.finish == "refusal":
        message |= {"content": None, "refusal": say.text}
    if say.thinks:
        message["reasoning_content"] = _THOUGHT * (say.thinks // 8)
    finish = {"tools": "tool_calls", "refusal": "stop"}.get(say.finish, say.finish)
    reply = {
        "id": "c",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": f"{asked['model']}-0001",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if say.tokens is not None:
        read, written = say.tokens
        details = {"reasoning_tokens": min(written, say.thinks)}
        reply["usage"] = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
            "completion_tokens_details": details,
            "prompt_tokens_details": {"cached_tokens": min(read, say.cached)},
        }
    return reply


def responses_reply(asked: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """A response: reasoning, what is said, and calls, as items.

    Reasoning shows a summary, and comes encrypted to who includes that, as it is not stored.
    """
    items: list[dict[str, Any]] = []
    thought = say.think or _THOUGHT * (say.thinks // 8)
    if thought:
        summary = [{"type": "summary_text", "text": say.think}] if say.think else []
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary})
        if "reasoning.encrypted_content" in (asked.get("include") or ()):
            items[0]["encrypted_content"] = signature(thought)
    if say.text:
        part: dict[str, Any] = {"type": "output_text", "text": say.text, "annotations": []}
        if say.finish == "refusal":
            part = {"type": "refusal", "refusal": say.text}
        message = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed"}
        items.append({**message, "content": [part]})
    for at, call in enumerate(say.calls):
        named = {} if call.id is None else {"call_id": call.id}
        named |= {"id": f"fc_{at}", "name": call.name, "arguments": call.arguments}
        items.append({"type": "function_call", "status": "completed", **named})
    cut = say.finish == "length"
    reply = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "error": None,
        "model": f"{asked['model']}-0001",
        "output": items,
        "store": False,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
    }
    if say.tokens is not None:
        read, written = say.tokens
        reply["usage"] = {
            "input_tokens": read,
            "output_tokens": written,
            "total_tokens": read + written,
            "input_tokens_details": {
                "cached_tokens": min(read, say.cached),
                "cache_write_tokens": 0,
            },
            "output_tokens_details": {"reasoning_tokens": min(written, say.thinks)},
        }
    return reply


def anthropic_reply(asked: Mapping[str, Any], say: Say) -> dict[str, Any]:
    """A message; arguments that are no JSON object come as they are."""
    thoughts = [thought for thought in (say.think, _THOUGHT * (say.thinks // 8)) if thought]
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": thought, "signature": signature(thought)}
        for thought in thoughts
    ]
    if say.text:
        blocks.append({"type": "text", "text": say.text})
    for call in say.calls:
        try:
            given = json.loads(call.arguments)
        except ValueError:
            given = call.arguments
        named = {} if call.id is None else {"id": call.id}
        blocks.append({"type": "tool_use"} | named | {"name": call.name, "input": given})
    stops = {"stop": "end_turn", "tools": "tool_use", "length": "max_tokens"}
    reply = {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": f"{asked['model']}-0001",
        "content": blocks,
        "stop_reason": stops.get(say.finish, say.finish),
    }
    if say.tokens is not None:
        reply["usage"] = dict(zip(("input_tokens", "output_tokens"), say.tokens, strict=True))
    return reply


REPLIES = {
    "openai": openai_reply,
    "anthropic": anthropic_reply,
    "responses": responses_reply,
}
