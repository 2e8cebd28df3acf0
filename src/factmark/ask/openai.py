"""The chat-completions protocol: OpenAI, vLLM, Ollama, llama.cpp, LiteLLM and most others."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from factmark.ask.chat import CUT, Message, Reply, Request, Tool, ToolCall, Usage, count
from factmark.ask.model_spec import ModelSpec
from factmark.ask.responses import (
    arguments_text,
    sendable_arguments,
    split_thinking,
    unique_calls,
    with_room,
)
from factmark.http.secret import Secret


def headers(key: Secret) -> dict[str, str]:
    """The headers that carry the key."""
    return {"Authorization": f"Bearer {key.reveal()}"} if key else {}


def body(spec: ModelSpec, request: Request, omitted: Collection[str]) -> dict[str, Any]:
    """The body of a request; what the model's parameters leave open is not in it."""
    fields: dict[str, Any] = {
        "model": spec.model,
        "messages": [_message(message) for message in request.messages],
        ("max_completion_tokens" if "max_tokens" in omitted else "max_tokens"): spec.max_tokens,
    }
    if spec.temperature is not None and "temperature" not in omitted:
        fields["temperature"] = spec.temperature
    if spec.top_p is not None and "top_p" not in omitted:
        fields["top_p"] = spec.top_p
    if spec.seed is not None and "seed" not in omitted:
        fields["seed"] = spec.seed + request.sample
    if request.schema is not None and "schema" not in omitted:
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": dict(request.schema)},
        }
    if request.tools:
        fields["tools"] = [_tool(tool) for tool in request.tools]
    if request.tools and request.closing and "choice" not in omitted:
        fields["tool_choice"] = "none"
    return with_room(fields | dict(spec.extra), request)


def read(payload: Mapping[str, Any]) -> Reply:
    """The reply in a response.

    Raises:
        ValueError, TypeError, KeyError, IndexError: if it is no chat completion.
    """
    choice = payload["choices"][0]
    message = choice["message"]
    finish = choice.get("finish_reason") or ""
    text, aside = split_thinking(_text(message.get("content")))
    refusal = message.get("refusal") or ""
    thinking = [message.get("reasoning_content") or message.get("reasoning") or "", aside]
    calls, carry = _calls(message)
    refused = bool(refusal) or finish in ("content_filter", "refusal")
    if message.get("content") is None and not (calls or refused or finish in CUT):
        raise ValueError("a message without content")
    return Reply(
        text=text or str(refusal),
        thinking="\n\n".join(part for part in thinking if isinstance(part, str) and part),
        refused=refused,
        finish_reason=str(finish),
        usage=_usage(payload.get("usage")),
        model=str(payload.get("model") or ""),
        tool_calls=calls,
        carry=carry,
    )


def _message(message: Message) -> dict[str, Any]:
    """A turn as the protocol has it."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        extras = message.carry.get("extra_content")
        known = extras if isinstance(extras, Mapping) else {}
        fields["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": sendable_arguments(call.arguments)},
                **({"extra_content": known[call.id]} if call.id in known else {}),
            }
            for call in message.tool_calls
        ]
    if "reasoning_content" in message.carry:
        fields["reasoning_content"] = message.carry["reasoning_content"]
    return fields


def _tool(tool: Tool) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": dict(tool.schema),
    }
    return {"type": "function", "function": function}


def _calls(message: Mapping[str, Any]) -> tuple[tuple[ToolCall, ...], dict[str, object]]:
    """The calls in a message, and what some providers want back with them.

    Gemini signs its calls (`extra_content`), DeepSeek wants its reasoning again.
    """
    given = [
        call
        for call in message.get("tool_calls") or ()
        if isinstance(call.get("function"), Mapping)
    ]
    calls = unique_calls(
        (
            call.get("id"),
            call["function"].get("name") or "",
            arguments_text(call["function"].get("arguments")),
        )
        for call in given
    )
    if not calls:
        return (), {}
    carry: dict[str, object] = {}
    extras = {
        call.id: raw["extra_content"]
        for call, raw in zip(calls, given, strict=True)
        if raw.get("extra_content")
    }
    if extras:
        carry["extra_content"] = extras
    if isinstance(message.get("reasoning_content"), str):
        carry["reasoning_content"] = message["reasoning_content"]
    return calls, carry


def _text(content: object) -> str:
    """The text of a message: a string, or the text parts of a list."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(str(part["text"] or "") for part in content if part.get("type") == "text")
    raise TypeError("the content is no text")


def _usage(given: object) -> Usage | None:
    if not isinstance(given, Mapping) or not count(given.get("prompt_tokens")):
        return None
    details = given.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, Mapping) else 0
    asked = count(given["prompt_tokens"])
    answered = count(given.get("completion_tokens"))
    parts = given.get("completion_tokens_details")
    thought = count(parts.get("reasoning_tokens")) if isinstance(parts, Mapping) else 0
    return Usage(input=asked, output=answered, cached=min(cached, asked), thinking=thought)
