"""The model server of the tests is strict: a conversation with loose ends is turned down."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from servers.agent import agent
from servers.model_server import Running

PATHS = {"openai": "chat/completions", "anthropic": "messages"}
SCHEMA = {"type": "object", "properties": {}}
TOOLS: dict[str, list[dict[str, Any]]] = {
    "openai": [{"type": "function", "function": {"name": "t", "parameters": SCHEMA}}],
    "anthropic": [{"name": "t", "input_schema": SCHEMA}],
}
USER = {"role": "user", "content": "Which?"}
CALL = {"id": "call_1", "type": "function", "function": {"name": "t", "arguments": "{}"}}
TURN = {"role": "assistant", "content": None, "tool_calls": [CALL]}
USED = {"type": "tool_use", "id": "toolu_1", "name": "t", "input": {}}
USES = {"role": "assistant", "content": [USED]}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}
RESULTS = {"role": "user", "content": [RESULT]}


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with agent() as running:
        yield running


def complaint(server: Running, protocol: str, messages: list[Any], **more: Any) -> str:
    body = {"model": "m", "max_tokens": 100, "messages": messages, "tools": TOOLS[protocol]} | more
    body = {name: value for name, value in body.items() if value}
    headers = {"Content-Type": "application/json", "anthropic-version": "2023-06-01"}
    url = f"{server.base_url}/{PATHS[protocol]}"
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    with refused.value as error:
        message = str(json.load(error)["error"]["message"])
    assert error.code == 400
    assert server.stats()["complaints"][-1] == message
    return message


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([USER, TURN, USER], "did not have response messages: call_1"),
        ([USER, {"role": "tool", "tool_call_id": "call_1", "content": ""}], "preceeding"),
        ([USER, TURN | {"tool_calls": [CALL | {"id": ""}]}], "tool_calls[0].id"),
        ([USER, {"role": "assistant", "content": None}], "got null"),
    ],
)
def test_chat_completions(server: Running, messages: list[Any], words: str) -> None:
    assert words in complaint(server, "openai", messages)


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        ([USER, USES, USER], "without `tool_result` blocks immediately after: toolu_1"),
        ([USER, {"role": "assistant", "content": "x"}, RESULTS], "unexpected `tool_use_id`"),
        ([USER, USER], "roles must alternate"),
        ([USER, {"role": "assistant", "content": [USED | {"input": "{"}]}, RESULTS], "dictionary"),
        ([USER, {"role": "assistant", "content": [USED, USED]}, RESULTS], "ids must be unique"),
        ([USER, {"role": "assistant", "content": [{"type": "text", "text": ""}]}], "non-empty"),
    ],
)
def test_messages(server: Running, messages: list[Any], words: str) -> None:
    assert words in complaint(server, "anthropic", messages)


def test_tools_that_are_spoken_of_must_be_offered(server: Running) -> None:
    assert "only allowed when" in complaint(
        server, "openai", [USER], tools=None, tool_choice="none"
    )
    assert "must define tools" in complaint(server, "anthropic", [USER, USES, RESULTS], tools=None)


def test_thinking_comes_back_as_it_was_signed(server: Running) -> None:
    server.set(think="hm")
    assert "Expected `thinking`" in complaint(server, "anthropic", [USER, USES, RESULTS])
    forged = {"type": "thinking", "thinking": "hm", "signature": "x"}
    turn = {"role": "assistant", "content": [forged, USED]}
    assert "Invalid `signature`" in complaint(server, "anthropic", [USER, turn, RESULTS])
