"""What the real services turn down in a conversation with tools: rule by rule, for each turn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any

from servers.replies import signature

Asked = Mapping[str, Any]
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def openai_mistakes(asked: Asked, *, think: bool, odd: bool) -> list[str]:
    """The rules of chat completions that a request breaks. They know no signed thinking.

    Args:
        odd: whether calls may have any name.
    """
    del think
    tools = asked.get("tools")
    rules = {
        "tools are there, or are not named": tools != [],
        "tool_choice needs tools": bool(tools) or "tool_choice" not in asked,
        "tools are functions": all(tool.get("type") == "function" for tool in tools or ()),
        "names of tools": _named((tool["function"] for tool in tools or ()), odd),
    }
    waiting: list[str] = []
    for at, message in enumerate(asked["messages"]):
        calls, content = message.get("tool_calls"), message.get("content")
        if message["role"] == "tool":
            answered = message.get("tool_call_id")
            rules[f"{at}: a result answers a call"] = answered in waiting
            rules[f"{at}: a result has content"] = isinstance(content, str | list)
            if answered in waiting:
                waiting.remove(answered)
            continue
        rules |= {
            f"{at}: calls before are answered": not waiting,
            f"{at}: calls or content": bool(calls) or (calls is None and content is not None),
            f"{at}: calls are whole": all(
                call.get("id")
                and call.get("type") == "function"
                and isinstance(call["function"]["arguments"], str)
                for call in calls or ()
            ),
            f"{at}: names of calls": _named((call["function"] for call in calls or ()), odd),
        }
        waiting = [call.get("id") or "" for call in calls or ()]
    rules["the last calls are answered"] = not waiting
    return [rule for rule, is_kept in rules.items() if not is_kept]


_RESPONSES = frozenset(
    {"model", "input", "max_output_tokens", "store", "temperature", "top_p", "text", "tools"}
    | {"tool_choice", "include", "reasoning", "instructions", "metadata"}
)


def responses_mistakes(asked: Asked, *, think: bool, odd: bool) -> list[str]:
    """The rules of the Responses API that a request breaks, where nothing is stored."""
    tools, form = asked.get("tools"), asked.get("text", {}).get("format", {"type": "text"})
    rules = {f"Unknown parameter: '{name}'.": name in _RESPONSES for name in asked} | {
        "nothing is stored": asked.get("store") is False,
        "tools are there, or are not named": tools != [],
        "tool_choice needs tools": bool(tools) or "tool_choice" not in asked,
        "tools are functions, strict or not": all(
            tool.get("type") == "function" and tool.get("strict") is False and "parameters" in tool
            for tool in tools or ()
        ),
        "names of tools": _named(tools or (), odd),
        "text.format has a name and a schema": form["type"] == "text"
        or form.keys() == {"type", "name", "schema", "strict"},
    }
    waiting: list[str] = []
    before = ""
    for at, item in enumerate(asked["input"]):
        kind = item.get("type")
        if kind == "function_call_output":
            rules[f"{at}: an output answers a call"] = item.get("call_id") in waiting
            rules[f"{at}: an output is text"] = isinstance(item.get("output"), str)
            waiting = [call for call in waiting if call != item.get("call_id")]
        elif kind == "function_call":
            rules[f"{at}: a call is whole"] = all(
                isinstance(item.get(name), str) for name in ("call_id", "name", "arguments")
            )
            rules[f"{at}: names of calls"] = _named([item], odd)
            rules[f"{at}: ids of calls are unique"] = item["call_id"] not in waiting
            rules[f"{at}: 'function_call' without its required 'reasoning' item"] = (
                not think or before in ("reasoning", "assistant", "function_call")
            )
            waiting.append(item["call_id"])
        elif kind == "reasoning":
            rules[f"{at}: reasoning is encrypted, and ours"] = bool(
                re.fullmatch("[0-9a-f]{64}", item.get("encrypted_content") or "")
            )
        else:
            rules[f"{at}: an item is a message"] = kind == "message" and bool(item.get("content"))
        if kind != "function_call_output" and before == "function_call_output":
            rules[f"{at}: calls before are answered"] = not set(waiting) - {item.get("call_id")}
        rules[f"{at}: 'reasoning' without its required following item"] = (
            before != "reasoning" or kind in ("function_call", "message")
        )
        before = str(item["role"] if kind == "message" else kind)
    rules["the last calls are answered"] = not waiting
    return [rule for rule, is_kept in rules.items() if not is_kept]


def anthropic_mistakes(asked: Asked, *, think: bool, odd: bool) -> list[str]:
    """The rules of the messages protocol that a request breaks."""
    tools = asked.get("tools") or []
    rules = {
        "max_tokens": isinstance(asked.get("max_tokens"), int),
        "names of tools are unique": len({tool["name"] for tool in tools}) == len(tools),
        "arguments are objects": all(
            (tool.get("input_schema") or {}).get("type") == "object" for tool in tools
        ),
        "names of tools": _named(tools, odd),
    }
    role, calls = "assistant", set[str]()
    for at, message in enumerate(asked["messages"]):
        content, uses = message["content"], _blocks(message, "tool_use")
        results = [block["tool_use_id"] for block in _blocks(message, "tool_result")]
        first = takewhile(lambda block: block.get("type") == "tool_result", _blocks(message))
        ids = {str(block.get("id")) for block in uses}
        rules |= {
            f"{at}: turns alternate": {role, message["role"]} == {"user", "assistant"},
            f"{at}: calls and results need tools": bool(tools) or not (results or uses),
            f"{at}: ids of calls are unique": len(ids) == len(uses),
            f"{at}: a call has one result": len(set(results)) == len(results),
            f"{at}: results are of the turn before": calls >= set(results),
            f"{at}: results come before text": calls <= {block["tool_use_id"] for block in first},
            f"{at}: something is said": bool(content),
            f"{at}: texts are not empty": all(b["text"] for b in _blocks(message, "text")),
            f"{at}: calls are whole": all(
                block.get("id") and isinstance(block.get("input"), dict) for block in uses
            ),
            f"{at}: names of calls": _named(uses, odd),
            f"{at}: thinking is signed": all(
                block.get("signature") == signature(str(block.get("thinking")))
                for block in _blocks(message, "thinking")
            ),
            f"{at}: calls begin with thinking": not (think and uses)
            or content[0]["type"] == "thinking",
        }
        role, calls = message["role"], ids
    rules["the last calls are answered"] = not calls
    return [rule for rule, is_kept in rules.items() if not is_kept]


def _named(rows: Iterable[Asked], odd: bool) -> bool:
    return odd or all(_NAME.fullmatch(row["name"]) for row in rows)


def _blocks(message: Asked, kind: str = "") -> list[Any]:
    """The blocks of a message, or those of a kind."""
    content = message["content"] if isinstance(message["content"], list) else []
    return [block for block in content if kind in ("", block.get("type"))]
