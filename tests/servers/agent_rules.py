"""What the real services turn down in a conversation with tools, in about their words."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from servers.agent_wire import signature

Asked = Mapping[str, Any]
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def openai_complaint(asked: Asked, *, think: bool, odd: bool) -> str | None:
    """What chat completions find wrong, or None. They know no signed thinking."""
    del think
    return next(_openai_complaints(asked, odd), None)


def anthropic_complaint(asked: Asked, *, think: bool, odd: bool) -> str | None:
    """What the messages protocol finds wrong, or None."""
    return next(_anthropic_complaints(asked, think, odd), None)


def _openai_complaints(asked: Asked, odd: bool) -> Iterator[str]:
    if "tools" in asked and not asked["tools"]:
        yield (
            "Invalid 'tools': empty array. Expected an array with minimum length 1, but got an "
            "empty array instead."
        )
    if "tool_choice" in asked and "tools" not in asked:
        yield (
            "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are "
            "specified."
        )
    for at, tool in enumerate(asked.get("tools") or ()):
        if tool.get("type") != "function":
            yield f"Missing required parameter: 'tools[{at}].function'."
        yield from _pattern(f"tools[{at}].function.name", tool["function"]["name"], odd)
    open_calls: list[str] = []
    for at, message in enumerate(asked["messages"]):
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_calls:
                yield (
                    "Invalid parameter: messages with role 'tool' must be a response to a "
                    "preceeding message with 'tool_calls'."
                )
            open_calls.remove(message["tool_call_id"])
            if not isinstance(message.get("content"), str | list):
                yield f"Invalid value for 'content' of messages[{at}]: expected a string, got null."
            continue
        yield from _unanswered(open_calls)
        open_calls = [call.get("id") or "" for call in message.get("tool_calls") or ()]
        yield from _openai_turn(at, message, odd)
    yield from _unanswered(open_calls)


def _unanswered(open_calls: list[str]) -> Iterator[str]:
    if open_calls:
        yield (
            "An assistant message with 'tool_calls' must be followed by tool messages responding "
            "to each 'tool_call_id'. The following tool_call_ids did not have response messages: "
            + ", ".join(open_calls)
        )


def _openai_turn(at: int, message: Asked, odd: bool) -> Iterator[str]:
    calls = message.get("tool_calls")
    if calls is not None and not calls:
        yield f"Invalid 'messages[{at}].tool_calls': empty array. Expected a minimum length of 1."
    if not calls and message.get("content") is None:
        yield f"Invalid value for 'content' of messages[{at}]: expected a string, got null."
    for number, call in enumerate(calls or ()):
        where = f"messages[{at}].tool_calls[{number}]"
        if not call.get("id"):
            yield f"Missing required parameter: '{where}.id'."
        if call.get("type") != "function":
            yield f"Missing required parameter: '{where}.type'."
        if not isinstance(call["function"]["arguments"], str):
            yield f"Invalid type for '{where}.function.arguments': expected a string."
        yield from _pattern(f"{where}.function.name", call["function"]["name"], odd)


def _pattern(where: str, name: str, odd: bool) -> Iterator[str]:
    if not odd and not _NAME.fullmatch(name):
        yield (
            f"Invalid '{where}': string does not match pattern. Expected a string that matches "
            "the pattern '^[a-zA-Z0-9_-]+$'."
        )


def _anthropic_complaints(asked: Asked, think: bool, odd: bool) -> Iterator[str]:
    if not isinstance(asked.get("max_tokens"), int):
        yield "max_tokens: Field required"
    tools = asked.get("tools") or []
    names = [tool["name"] for tool in tools]
    if len(set(names)) < len(names):
        yield "tools: Tool names must be unique."
    for at, tool in enumerate(tools):
        if (tool.get("input_schema") or {}).get("type") != "object":
            yield f"tools.{at}.custom.input_schema.type: Field required"
        if not odd and not _NAME.fullmatch(tool["name"]):
            yield f"tools.{at}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    yield from _anthropic_order(asked["messages"], bool(tools))
    for at, message in enumerate(asked["messages"]):
        yield from _anthropic_turn(at, message, think, odd)


def _anthropic_order(messages: list[Asked], tools: bool) -> Iterator[str]:
    before: set[str] = set()
    role = "assistant"
    for at, message in enumerate(messages):
        if message["role"] not in ("user", "assistant"):
            yield f'messages: Unexpected role "{message["role"]}".'
        if message["role"] == role:
            yield (
                'messages: roles must alternate between "user" and "assistant", but found '
                f'multiple "{role}" roles in a row'
            )
        role = message["role"]
        results = [block["tool_use_id"] for block in _blocks(message, "tool_result")]
        leading = _leading_results(message)
        uses = [block.get("id") for block in _blocks(message, "tool_use")]
        if (results or uses) and not tools:
            yield "Requests which include `tool_use` or `tool_result` blocks must define tools."
        if len(set(uses)) < len(uses):
            yield f"messages.{at}: `tool_use` ids must be unique"
        if set(results) - before:
            yield (
                f"messages.{at}.content.0: unexpected `tool_use_id` found in `tool_result` blocks: "
                f"{', '.join(sorted(set(results) - before))}. Each `tool_result` block must have "
                "a corresponding `tool_use` block in the previous message."
            )
        if len(set(results)) < len(results):
            yield f"messages.{at}: each tool_use must have a single result"
        if before - leading:
            yield _without_result(at, before - leading)
        before = {str(one) for one in uses}
    if before:
        yield _without_result(len(messages), before)


def _without_result(at: int, ids: set[str]) -> str:
    return (
        f"messages.{at}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(sorted(ids))}. Each `tool_use` block must have a corresponding `tool_result` "
        "block in the next message."
    )


def _leading_results(message: Asked) -> set[str]:
    """Results count only where no text stands before them."""
    found = set()
    for block in message["content"] if isinstance(message["content"], list) else ():
        if block.get("type") != "tool_result":
            break
        found.add(block["tool_use_id"])
    return found


def _anthropic_turn(at: int, message: Asked, think: bool, odd: bool) -> Iterator[str]:
    if not message["content"]:
        yield (
            f"messages.{at}: all messages must have non-empty content except for the optional "
            "final assistant message"
        )
    for number, block in enumerate(_blocks(message, "text")):
        if not block["text"]:
            yield f"messages.{at}.content.{number}: text content blocks must be non-empty"
    for number, block in enumerate(_blocks(message, "tool_use")):
        where = f"messages.{at}.content.{number}.tool_use"
        if not block.get("id"):
            yield f"{where}.id: Field required"
        if not isinstance(block.get("input"), dict):
            yield f"{where}.input: Input should be a valid dictionary"
        if not odd and not _NAME.fullmatch(block["name"]):
            yield f"{where}.name: String should match pattern '^[a-zA-Z0-9_-]{{1,128}}$'"
    yield from _thinking(at, message, think)


def _thinking(at: int, message: Asked, think: bool) -> Iterator[str]:
    """Signed thinking comes back unchanged, and first, in a turn that calls tools."""
    for block in _blocks(message, "thinking"):
        if block.get("signature") != signature(str(block.get("thinking"))):
            yield f"messages.{at}.content.0: Invalid `signature` in `thinking` block"
    if think and _blocks(message, "tool_use"):
        first = message["content"][0]["type"]
        if first != "thinking":
            yield (
                f"messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`, but "
                f"found `{first}`. When `thinking` is enabled, a final `assistant` message must "
                "start with a thinking block (preceeding the lastmost set of `tool_use` and "
                "`tool_result` blocks)."
            )


def _blocks(message: Asked, kind: str) -> list[Any]:
    content = message["content"]
    if not isinstance(content, list):
        return []
    return [block for block in content if block.get("type") == kind]


def shape(asked: Any) -> str | None:
    """What is wrong with a request as such, or None."""
    if not isinstance(asked, dict) or not isinstance(asked.get("messages"), list):
        return "messages: Field required"
    if not asked["messages"]:
        return "messages: at least one message is required"
    json.dumps(asked)
    return None
