"""What the agent reads from a request of either protocol."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any

from servers.agent_mind import Result, Talk, Tool, Wish
from servers.replies import Say

_FENCED = re.compile(
    r"<<<(?P<name>[A-Z]+)(?: \d+)?(?: (?P<mark>\w+))?[^\n]*\n(?P<text>.*?)\n(?P=name)[^\n]*>>>"
    r"|<(?P<tag>passage|document|context|chunk)[^>]*>(?P<tagged>.*?)</(?P=tag)>"
    r"|```\w*\n(?P<ticked>.*?)```",
    re.DOTALL,
)
_LONG = 1_500
_SYSTEM = ("system", "developer")


def talk(asked: Mapping[str, Any]) -> Talk:
    """The conversation in a request of either protocol."""
    anthropic = any("input_schema" in tool for tool in asked.get("tools") or ())
    users = [texts(m) for m in asked["messages"] if m["role"] == "user"]
    users = [text for text in users if text.strip()]
    system = texts({"content": asked.get("system")})
    system += "\n".join(texts(m) for m in asked["messages"] if m["role"] in _SYSTEM)
    question = question_in(users)
    results = tuple(_results(asked["messages"]))
    choice = asked.get("tool_choice") or "auto"
    kind = choice.get("type") if isinstance(choice, dict) else choice
    heat = asked.get("temperature") or 0
    shown = [asked["messages"], asked.get("system"), asked.get("tools"), kind]
    shown += [heat, asked.get("seed")] if heat else []
    return Talk(
        question=question,
        passages=tuple(passages_in(users, system, question)),
        tools=tuple(_tool(tool, anthropic) for tool in asked.get("tools") or ()),
        results=results,
        rounds=sum(bool(_calls(message)) for message in asked["messages"]),
        free=kind != "none",
        seed=sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest(),
    )


def as_chat(asked: Mapping[str, Any]) -> dict[str, Any]:
    """A request to the Responses API as chat completions would have it; it must be a valid one."""
    messages: list[dict[str, Any]] = []
    for item in asked["input"]:
        match item["type"]:
            case "message":
                messages.append({"role": item["role"], "content": item["content"]})
            case "function_call":
                if not messages or messages[-1]["role"] != "assistant":
                    messages.append({"role": "assistant", "content": None})
                function = {"name": item["name"], "arguments": item["arguments"]}
                call = {"id": item["call_id"], "type": "function", "function": function}
                messages[-1].setdefault("tool_calls", []).append(call)
            case "function_call_output":
                answered = {"tool_call_id": item["call_id"], "content": item["output"]}
                messages.append({"role": "tool", **answered})
    fields = {name: value for name, value in asked.items() if name not in ("input", "text")}
    fields |= {"messages": messages, "max_tokens": asked.get("max_output_tokens") or 1_000_000}
    if "format" in asked.get("text", {}):
        fields["response_format"] = asked["text"]["format"]
    if "tools" in asked:
        fields["tools"] = [{"type": "function", "function": tool} for tool in asked["tools"]]
    return fields


def _tool(tool: Mapping[str, Any], anthropic: bool) -> Tool:
    told = tool if anthropic else tool["function"]
    schema = told.get("input_schema" if anthropic else "parameters") or {}
    return Tool(name=told["name"], description=told.get("description") or "", schema=schema)


def texts(message: Mapping[str, Any]) -> str:
    """The text of a message: a string, or its text blocks."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(one["text"]) for one in content if one.get("type") == "text")
    return content or ""


def question_in(users: list[str]) -> str:
    """The newest line of the user's that ends with a question mark, outside of fences; else all."""
    for text in reversed(users):
        fenced = re.search(r"<<<QUESTION[^\n]*\n(.*?)\nQUESTION[^\n]*>>>", text, re.DOTALL)
        if fenced:
            return fenced[1].strip()
        lines = [line.strip() for line in _FENCED.sub("", text).splitlines()]
        asking = [line for line in lines if line.endswith("?")]
        if asking:
            return re.sub(r"^question:\s*", "", asking[-1], flags=re.IGNORECASE)
    return users[0].strip() if users else ""


def passages_in(users: list[str], system: str, question: str) -> Iterator[str]:
    """What is fenced; else what the user says beside the question; else a long system message."""
    fenced = False
    for text in (system, *users):
        for found in _FENCED.finditer(text):
            held = found["text"] or found["tagged"] or found["ticked"] or ""
            if found["name"] != "QUESTION" and held.strip() != question:
                fenced = True
                yield held
    if fenced:
        return
    for text in users:
        beside = _FENCED.sub("", text).replace(question, "").strip()
        if len(beside) > _LONG // 5:
            yield beside
    if len(system) > _LONG:
        yield system


def _calls(message: Mapping[str, Any]) -> list[tuple[str, str, Any]]:
    """Id, name and arguments of each call in an assistant's message."""
    if message["role"] != "assistant":
        return []
    calls = message.get("tool_calls") or []
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    used = [block for block in blocks if block.get("type") == "tool_use"]
    return [
        (c["id"], c["function"]["name"], _object(c["function"]["arguments"])) for c in calls
    ] + [(block["id"], block["name"], block["input"]) for block in used]


def _object(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _results(messages: list[Mapping[str, Any]]) -> Iterator[Result]:
    calls: dict[str, tuple[str, Any]] = {}
    for message in messages:
        calls |= {call_id: (name, arguments) for call_id, name, arguments in _calls(message)}
        for call_id, text, failed in _answers(message):
            name, arguments = calls.get(call_id, ("", {}))
            failed = failed or text.casefold().lstrip().startswith(("error", '{"error"'))
            call = Wish(name=name, arguments=arguments)
            yield Result(call=call, text=text, failed=failed)


def _answers(message: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    content = message.get("content")
    if message["role"] == "tool":
        yield message["tool_call_id"], texts(message), False
    elif message["role"] == "user" and isinstance(content, list):
        for block in content:
            if block.get("type") == "tool_result":
                yield block["tool_use_id"], texts(block), bool(block.get("is_error"))


def tokens(asked: Mapping[str, Any], say: Say) -> tuple[int, int]:
    """Four characters a token, of the prompt and of the reply."""
    read = [asked["messages"], asked.get("system", ""), asked.get("tools", [])]
    written = say.text + say.think + "".join(call.name + call.arguments for call in say.calls)
    return 1 + len(json.dumps(read)) // 4, 1 + len(written) // 4
