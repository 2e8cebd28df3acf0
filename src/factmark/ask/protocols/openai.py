"""The chat-completions protocol, which OpenAI, Azure, Gemini, OpenRouter, Ollama, vLLM speak."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from factmark.ask.chat import (
    DECLINED,
    Message,
    Reply,
    Request,
    Tool,
    ToolCall,
    Usage,
    fields_to_send,
    token_count,
)
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.left_out import folded, schema_without
from factmark.ask.protocols.tool_call_fields import calls_in_message
from factmark.ask.responses import (
    arguments_text,
    merged_fields,
    raise_token_limit,
    sendable_arguments,
    split_thinking,
    unique_calls,
)

_MOST_COST = 10_000  # dollars of one call


def body(spec: ModelSpec, request: Request, omitted: Collection[str]) -> dict[str, Any]:
    """Returns the body of a request; what the model's parameters leave open is not in it."""
    if "system" in omitted:
        messages = folded(request.messages)
    else:
        messages = request.messages
    fields: dict[str, Any] = {
        "model": spec.model,
        "messages": [_protocol_message(message) for message in messages],
        ("max_completion_tokens" if "max_tokens" in omitted else "max_tokens"): spec.max_tokens,
    }
    seed = None
    if spec.seed is not None:
        seed = spec.seed + request.sample
    fields |= fields_to_send(omitted, temperature=spec.temperature, top_p=spec.top_p, seed=seed)
    if request.schema is not None and "schema" not in omitted:
        fields["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": "reply",
                **fields_to_send(omitted, strict=True),
                "schema": schema_without(request.schema, omitted),
            },
        }
    if request.tools:
        fields["tools"] = [_tool(tool, omitted) for tool in request.tools]
    if request.tools and request.closing and "tool_choice" not in omitted:
        fields["tool_choice"] = "none"
    return raise_token_limit(merged_fields(fields, spec.extra), request)


def read(payload: Mapping[str, Any]) -> Reply:
    """Returns the reply in a response.

    Raises:
        ValueError, TypeError, KeyError, IndexError: if it is no chat completion.
    """
    tokens = usage(payload)
    choices = payload.get("choices")
    if choices is None and tokens is not None and not tokens.output:  # Gemini blocked the prompt
        return Reply(text="", refused=True, finish_reason="content_filter", usage=tokens)
    if choices == [] and tokens is not None:
        return Reply(text="", usage=tokens)
    choices = payload["choices"]
    choice = next((each for each in choices if each.get("index") == 0), choices[0])
    message = choice.get("message") or {"content": choice.get("text")}
    finish = str(choice.get("finish_reason") or "").partition(":")[0].lower()
    text, aside = split_thinking(_message_text(message.get("content")))
    refusal = message.get("refusal") or ""
    thinking = [message.get("reasoning_content") or message.get("reasoning") or "", aside]
    calls, carry = _tool_calls(message)
    refused = bool(refusal) or finish in DECLINED
    return Reply(
        text=text or str(refusal),
        thinking="\n\n".join(part for part in thinking if isinstance(part, str) and part),
        refused=refused,
        finish_reason=finish,
        usage=tokens,
        model=str(payload.get("model") or ""),
        tool_calls=calls,
        carry=carry,
    )


def _protocol_message(message: Message) -> dict[str, Any]:
    """Returns a message of a conversation in the form of chat completions."""
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
    fields: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        extras = message.carry.get("extra_content")
        known: Mapping[Any, Any] = {}
        if isinstance(extras, Mapping):
            known = extras
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


def _tool(tool: Tool, omitted: Collection[str]) -> dict[str, Any]:
    """Returns a tool as the protocol has it, without schema keywords that are left out."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": schema_without(tool.schema, omitted),
    }
    return {"type": "function", "function": function}


def _tool_calls(message: Mapping[str, Any]) -> tuple[tuple[ToolCall, ...], dict[str, object]]:
    """Returns the tool calls in a message, and what some providers want back with them.

    Gemini signs its calls (`extra_content`), DeepSeek wants its reasoning again.
    """
    given = calls_in_message(message)
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
    extras = {}
    for call, raw in zip(calls, given, strict=True):
        if raw.get("extra_content"):
            extras[call.id] = raw["extra_content"]
    if extras:
        carry["extra_content"] = extras
    if isinstance(message.get("reasoning_content"), str):
        carry["reasoning_content"] = message["reasoning_content"]
    return calls, carry


def _message_text(content: object) -> str:
    """Returns the text of a message: a string, or the text parts of a list."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        texts = (part for part in content if part.get("type") in ("text", "output_text"))
        return "".join(str(part["text"] or "") for part in texts)
    if isinstance(content, Mapping):  # a server that has read the JSON already
        return json.dumps(content, ensure_ascii=False)
    raise TypeError("the content is no text")


def usage(payload: Mapping[str, Any]) -> Usage | None:
    """Returns the tokens of a call, or None. Thinking that a provider (Gemini, Grok) counts in the
    total only is added to the output.
    """
    given = payload.get("usage")
    if not isinstance(given, Mapping) or not token_count(given.get("prompt_tokens")):
        return None
    asked = token_count(given["prompt_tokens"])
    answered = max(
        token_count(given.get("completion_tokens")), token_count(given.get("total_tokens")) - asked
    )
    details = given.get("prompt_tokens_details")
    known: Mapping[Any, Any] = {}
    if isinstance(details, Mapping):
        known = details
    cached = min(token_count(known.get("cached_tokens")), asked)
    written = min(token_count(known.get("cache_write_tokens")), asked - cached)
    parts = given.get("completion_tokens_details")
    charged = given.get("cost")
    cost = None
    if isinstance(charged, float | int) and 0 <= charged < _MOST_COST:
        cost = charged
    return Usage(
        input=asked,
        output=answered,
        cached=cached,
        written=written,
        thinking=token_count(parts.get("reasoning_tokens")) if isinstance(parts, Mapping) else 0,
        cost=cost,
    )
