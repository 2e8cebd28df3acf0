"""The Responses protocol, by which OpenAI serves its newest models, and tools of all that reason.

A conversation is a list of items: messages, reasoning, calls and their outputs. The provider stores
nothing (`store` is false), so that reasoning comes encrypted and goes back with the calls that
followed it. The protocol knows no seed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from factmark.ask.chat import (
    DECLINED,
    Message,
    Reply,
    Request,
    Tool,
    Usage,
    fields_to_send,
    token_count,
)
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.left_out import folded, schema_without
from factmark.ask.responses import (
    arguments_text,
    merged_fields,
    raise_token_limit,
    sendable_arguments,
    split_thinking,
    unique_calls,
)

_ENCRYPTED = "reasoning.encrypted_content"
# Fields of chat completions, which `--extra` may have, and where this protocol has them.
_MOVED: Mapping[str, tuple[str, ...]] = {
    "reasoning_effort": ("reasoning", "effort"),
    "verbosity": ("text", "verbosity"),
    "max_tokens": ("max_output_tokens",),
    "max_completion_tokens": ("max_output_tokens",),
}


def body(spec: ModelSpec, request: Request, omitted: Collection[str]) -> dict[str, Any]:
    """Returns the body of a request; what the model's parameters leave open is not in it."""
    if "system" in omitted:
        messages = folded(request.messages)
    else:
        messages = request.messages
    fields: dict[str, Any] = {
        "model": spec.model,
        "input": [item for message in messages for item in _message_items(message)],
        "max_output_tokens": spec.max_tokens,
        "store": False,
    }
    fields |= fields_to_send(omitted, temperature=spec.temperature, top_p=spec.top_p)
    if request.schema is not None and "schema" not in omitted:
        schema = schema_without(request.schema, omitted)
        form = {"type": "json_schema", "name": "reply", "strict": True, "schema": schema}
        fields["text"] = {"format": form}
    if request.tools:
        fields["tools"] = [_function_tool(tool, omitted) for tool in request.tools]
        fields |= fields_to_send(omitted, include=[_ENCRYPTED])
    if request.tools and request.closing and "tool_choice" not in omitted:
        fields["tool_choice"] = "none"
    return raise_token_limit(merged_fields(fields, _fields_of_protocol(spec.extra)), request)


def read(payload: Mapping[str, Any]) -> Reply:
    """Returns the reply in a response.

    Raises:
        ValueError, TypeError, KeyError: if it is no response of this protocol, or not a whole one.
    """
    items = payload["output"]
    if not isinstance(items, list):
        raise TypeError("the output is no list of items")
    messages = []
    for item in items:
        if item["type"] == "message":
            messages.append(item)
    answers = [item for item in messages if item.get("phase") != "commentary"] or messages
    text, aside = split_thinking("".join(_message_texts(answers, "output_text")))
    refusal = "".join(_message_texts(answers, "refusal"))
    thoughts = [*_reasoning_texts(items), aside]
    given = []
    for item in items:
        if item["type"] == "function_call":
            given.append(item)
    calls = unique_calls(
        (item.get("call_id"), item["name"], arguments_text(item.get("arguments"))) for item in given
    )
    finish = _finish_reason(payload, bool(calls))
    refused = bool(refusal) or finish in DECLINED
    return Reply(
        text=text or refusal,
        thinking="\n\n".join(filter(None, thoughts)),
        refused=refused,
        finish_reason=finish,
        usage=usage(payload),
        model=str(payload.get("model") or ""),
        tool_calls=calls,
        carry={"items": list(_items_to_send_back(items))} if calls else {},
    )


def _message_items(message: Message) -> Iterator[dict[str, Any]]:
    """Yields a message as items; one that calls tools as its reply had it, with its reasoning."""
    if message.role == "tool":
        output = {"call_id": message.call_id, "output": message.content}
        yield {"type": "function_call_output", **output}
        return
    calls = (
        {
            "type": "function_call",
            "call_id": call.id,
            "name": call.name,
            "arguments": sendable_arguments(call.arguments),
        }
        for call in message.tool_calls
    )
    known = message.carry.get("items")
    if isinstance(known, list):
        for item in known:
            yield next(calls) if item["type"] == "function_call" else item
        return
    if message.content or not message.tool_calls:
        yield {"type": "message", "role": message.role, "content": message.content}
    yield from calls


def _items_to_send_back(items: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yields what goes back with the calls of a turn, in its order; the calls as places for them.

    Ids would be looked up in what the provider stored, and it stored nothing. Reasoning that is
    neither encrypted nor in plain words (as vLLM gives it) cannot be sent back.
    """
    for item in items:
        match item["type"]:
            case "function_call":
                yield {"type": "function_call"}
            case "message" if text := "".join(_message_texts([item], "output_text")):
                phase = {}
                if item.get("phase"):
                    phase = {"phase": item["phase"]}
                yield {"type": "message", "role": "assistant", "content": text, **phase}
            case "reasoning" if item.get("encrypted_content"):
                yield _reasoning_item(item, "encrypted_content")
            case "reasoning" if item.get("content"):
                yield _reasoning_item(item, "content")


def _reasoning_item(item: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Returns reasoning as it goes back: OpenAI takes no plain words beside encrypted ones."""
    named = {}
    if item.get("id"):
        named = {"id": item["id"]}
    summary = item.get("summary") or []
    return {"type": "reasoning", **named, "summary": summary, field: item[field]}


def _function_tool(tool: Tool, omitted: Collection[str]) -> dict[str, Any]:
    """Returns a tool as the protocol's function, with `strict` off: it is on by default and refuses
    most schemas.
    """
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": schema_without(tool.schema, omitted),
        "strict": False,
    }


def _fields_of_protocol(extra: Mapping[str, object]) -> dict[str, Any]:
    """Returns the user's own fields, those of chat completions where this protocol has them."""
    fields: dict[str, Any] = {n: value for n, value in extra.items() if n not in _MOVED}
    for name, path in _MOVED.items():
        if name in extra:
            value: object = extra[name]
            for part in reversed(path):
                value = {part: value}
            fields = merged_fields(value if isinstance(value, dict) else {}, fields)
    return fields


def _message_texts(items: Iterable[Mapping[str, Any]], kind: str) -> Iterator[str]:
    """Yields the texts of a kind in messages."""
    name = "text"
    if kind == "refusal":
        name = "refusal"
    for item in items:
        for part in item["content"] or ():
            if part["type"] == kind:
                yield str(part[name] or "")


def _reasoning_texts(items: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yields what a model lets see of its reasoning: a summary of it, or all of it."""
    for item in items:
        if item["type"] == "reasoning":
            for part in (*(item.get("summary") or ()), *(item.get("content") or ())):
                yield str(part.get("text") or "")


def _finish_reason(payload: Mapping[str, Any], calls: bool) -> str:
    """Returns why the reply ends, in the words that the other protocols have for it."""
    if payload.get("status") != "incomplete":
        if calls:
            return "tool_calls"
        return "stop"
    details = payload.get("incomplete_details")
    reason = None
    if isinstance(details, Mapping):
        reason = details.get("reason")
    if reason == "max_output_tokens":
        return "length"
    return str(reason or "incomplete")


def usage(payload: Mapping[str, Any]) -> Usage | None:
    """Returns the tokens of a call, those from a cache among those of the prompt."""
    given = payload.get("usage")
    if not isinstance(given, Mapping) or not token_count(given.get("input_tokens")):
        return None
    asked = token_count(given["input_tokens"])
    details = given.get("input_tokens_details")
    parts = given.get("output_tokens_details")
    known: Mapping[Any, Any] = {}
    if isinstance(details, Mapping):
        known = details
    cached = min(token_count(known.get("cached_tokens")), asked)
    return Usage(
        input=asked,
        output=token_count(given.get("output_tokens")),
        cached=cached,
        written=min(token_count(known.get("cache_write_tokens")), asked - cached),
        thinking=token_count(parts.get("reasoning_tokens")) if isinstance(parts, Mapping) else 0,
    )
