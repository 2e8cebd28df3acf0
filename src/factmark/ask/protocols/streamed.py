"""A reply that a server streams though it was asked for whole: its events, put together. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

_DATA = b"data:"
_WHOLE = ("response.completed", "response.incomplete", "response.failed")


def streamed_payload(body: bytes) -> dict[str, Any] | None:
    """Returns the JSON object that server-sent events come to, in the form of its protocol: a chat
    completion, a message of Anthropic's or a response; None where a body is no such stream, or
    broke off before its end."""
    if not body.lstrip().startswith((_DATA, b"event:", b":")):
        return None
    events = list(_events(body))
    for event in events:
        if event.get("type") in _WHOLE and isinstance(event.get("response"), dict):
            return dict(event["response"])
        if event.get("error"):
            return event
    if any(event.get("type") == "message_start" for event in events):
        return _message(events)
    return _completion(events)


def _events(body: bytes) -> Iterator[dict[str, Any]]:
    """Yields the JSON objects of the events."""
    for line in body.splitlines():
        if not line.startswith(_DATA):
            continue
        try:
            event = json.loads(line.removeprefix(_DATA))
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _completion(events: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Returns the chat completion that chunks come to; None without an end."""
    texts: dict[str, list[str]] = {"content": [], "reasoning_content": [], "refusal": []}
    calls: dict[object, dict[str, Any]] = {}
    whole: dict[str, Any] = {}
    finish = None
    for event in events:
        whole |= {name: event[name] for name in ("id", "model", "usage") if event.get(name)}
        choices = event.get("choices")
        first: Any | dict[Any, Any] = {}
        if isinstance(choices, list) and choices:
            first = choices[0]
        if not isinstance(first, Mapping):
            continue
        finish = first.get("finish_reason") or finish
        delta = first.get("delta") or first.get("message") or {}
        if "reasoning" in delta and "reasoning_content" not in delta:
            delta = {**delta, "reasoning_content": delta["reasoning"]}
        for name, parts in texts.items():
            if isinstance(delta.get(name), str):
                parts.append(delta[name])
        for call in delta.get("tool_calls") or ():
            _add_call(calls, call)
    if finish is None:
        return None
    message: dict[str, Any] = {name: "".join(parts) for name, parts in texts.items() if parts}
    message |= {"role": "assistant", "tool_calls": list(calls.values())}
    message.setdefault("content", None)
    return {**whole, "choices": [{"index": 0, "message": message, "finish_reason": finish}]}


def _add_call(calls: dict[object, dict[str, Any]], part: Mapping[str, Any]) -> None:
    """Adds a part of a tool call to those known, by its index."""
    given = part.get("function") or {}
    empty = {"id": part.get("id"), "type": "function", "function": {"name": "", "arguments": ""}}
    call = calls.setdefault(part.get("index", len(calls)), empty)
    call["function"]["name"] += given.get("name") or ""
    call["function"]["arguments"] += given.get("arguments") or ""


def _message(events: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Returns the message that Anthropic's events come to; None without an end."""
    message: dict[str, Any] = {}
    blocks: dict[object, dict[str, Any]] = {}
    arguments: dict[object, str] = {}
    for event in events:
        place = event.get("index")
        delta = event.get("delta") or {}
        match event.get("type"):
            case "message_start":
                message = dict(event["message"])
            case "content_block_start":
                blocks[place] = dict(event["content_block"])
            case "content_block_delta" if "partial_json" in delta:
                arguments[place] = arguments.get(place, "") + delta["partial_json"]
            case "content_block_delta" if place in blocks:
                for name in ("text", "thinking", "signature"):
                    if name in delta:
                        blocks[place][name] = blocks[place].get(name, "") + delta[name]
            case "message_delta":
                message |= delta
                message["usage"] = {**message.get("usage", {}), **(event.get("usage") or {})}
    for place, text in arguments.items():
        blocks[place]["input"] = text
    if not message.get("stop_reason"):
        return None
    return message | {"content": list(blocks.values())}
