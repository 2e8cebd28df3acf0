"""Calls of tools as servers send them, and as they are kept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.ask.chat import Message, Reply, Request, Tool, ToolCall, request_key
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.table import kind_of_error
from factmark.ask.protocols.anthropic import body as anthropic_body
from factmark.ask.protocols.openai import body as openai_body
from factmark.ask.protocols.openai import read as openai_read
from factmark.ask.responses import (
    arguments_text,
    read_arguments,
    reply_of,
    sendable_arguments,
    unique_calls,
)
from factmark.http.client import Response
from factmark.ledger.calls import Call, add_calls, find_reply
from factmark.ledger.ledger import Ledger

SPEC = ModelSpec.parse("openai:m")
TOOL = Tool(name="look", description="Looks.", schema={"type": "object"})
ASKED = Message(role="user", content="q")
CALLED = Message(
    role="assistant",
    content="",
    tool_calls=(
        ToolCall(id="a", name="look", arguments="{"),
        ToolCall(id="b", name="look", arguments='{"x": 1}'),
    ),
    carry={
        "blocks": [
            {"type": "thinking", "thinking": "hm", "signature": "s"},
            {"type": "tool_use", "id": "a", "name": "look", "input": {}},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}},
        ]
    },
)
RESULTS = (
    Message(role="tool", content="broken", call_id="a", failed=True),
    Message(role="tool", content="found", call_id="b"),
)
names = st.text(max_size=8)


@given(st.lists(st.tuples(st.one_of(st.none(), names), names, st.text(max_size=5)), max_size=8))
def test_ids_differ_and_nothing_is_lost(calls: list[tuple[str | None, str, str]]) -> None:
    made = unique_calls(calls)
    assert len({call.id for call in made}) == len(calls)
    assert all(call.id for call in made)
    assert [(c.name, c.arguments) for c in made] == [(name, text) for _, name, text in calls]


@given(st.text())
def test_what_is_sent_back_is_always_an_object(text: str) -> None:
    assert isinstance(json.loads(sendable_arguments(text)), dict)
    known = read_arguments(text)
    assert known is None or json.loads(sendable_arguments(text)) == known


@pytest.mark.parametrize(
    ("sent", "text"),
    [('{"a": 1}', '{"a": 1}'), ({"a": 1}, '{"a": 1}'), (None, "{}"), ("", "{}"), ([1], "[1]")],
)
def test_arguments_come_as_text_or_parsed(sent: object, text: str) -> None:
    assert arguments_text(sent) == text


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": 1e999}', '{"a": -Infinity}', "[" * 100_000])
def test_what_is_no_json_is_none(text: str) -> None:
    assert read_arguments(text) is None
    assert sendable_arguments(text) == "{}"


def test_lone_surrogates_in_arguments_are_replaced() -> None:
    assert read_arguments('{"q\\ud800": "\\ud83d"}') == {"q\ufffd": "\ufffd"}
    assert sendable_arguments('{"q": "\\ud83d"}').encode() == '{"q": "\ufffd"}'.encode()


def test_a_call_without_arguments_or_name_is_a_call() -> None:
    calls = [{"id": "a", "function": {"name": "look"}}, {"id": "b", "function": {}}, {"id": "c"}]
    reply = openai_read({"choices": [{"message": {"content": None, "tool_calls": calls}}]})
    assert [(c.id, c.name, c.arguments) for c in reply.tool_calls] == [
        ("a", "look", "{}"),
        ("b", "", "{}"),
    ]


LOOK = {"name": "look", "arguments": '{"at": "sky"}'}


@pytest.mark.parametrize(
    "message",
    [
        {"tool_calls": [None, {"id": "a", "type": "function", "function": LOOK}]},
        {"tool_calls": [{"id": "a", **LOOK}]},
        {"tool_calls": {"id": "a", "function": LOOK}},
        {"tool_calls": json.dumps([{"id": "a", "function": LOOK}])},
        {"function_call": LOOK},
        {"content": [{"type": "tool_use", "id": "a", "name": "look", "input": {"at": "sky"}}]},
    ],
)
def test_a_call_is_found_wherever_servers_put_it(message: dict[str, object]) -> None:
    reply = openai_read({"choices": [{"message": {"content": None, **message}}]})
    assert [(c.name, json.loads(c.arguments)) for c in reply.tool_calls] == [
        ("look", {"at": "sky"})
    ]


@pytest.mark.parametrize(
    ("words", "remedy"),
    [
        ('"auto" tool choice requires --enable-auto-tool-choice', "--tool-call-parser"),
        ("tools param requires --jinja flag", "--jinja"),
        ("no endpoints found that support tool use", "another model"),
        ("library/m:latest does not support tools", "chat template"),
        ("`tool calling` is not supported with this model", "chat template"),
        ("unrecognized request argument supplied: tools", "chat template"),
        ("tool_choice is not supported", ""),
        ("the request is not supported", ""),
        ("tool messages must follow a call", ""),
    ],
)
def test_a_server_that_takes_no_tools_is_told_by_what_to_change(words: str, remedy: str) -> None:
    kind = kind_of_error(400, [], words)
    assert remedy in kind.advice
    assert (kind.name == "tools") == bool(remedy)


def test_a_call_that_its_server_refused_is_read_from_the_error() -> None:
    error = {"code": "tool_use_failed", "failed_generation": '<function=look>{"at": "sky"}'}
    response = Response(status=400, body=json.dumps({"error": error}).encode(), headers={})
    reply = reply_of(response, SPEC, openai_read)
    assert (reply.text, reply.finish_reason) == (error["failed_generation"], error["code"])


def test_anthropic_takes_results_of_one_reply_in_one_turn() -> None:
    request = Request(messages=(ASKED, CALLED, *RESULTS), tools=(TOOL,), closing=True)
    sent = anthropic_body(SPEC, request, frozenset())
    assert [turn["role"] for turn in sent["messages"]] == ["user", "assistant", "user"]
    thinking, first, redacted, second = sent["messages"][1]["content"]
    assert thinking == {"type": "thinking", "thinking": "hm", "signature": "s"}
    assert redacted == {"type": "redacted_thinking", "data": "x"}  # where it stood
    assert [first["id"], second["id"]] == ["a", "b"]  # under the ids that the results have
    assert first["input"] == {}  # what cannot be parsed cannot be sent back
    assert second["input"] == {"x": 1}
    assert [r.get("is_error", False) for r in sent["messages"][2]["content"]] == [True, False]
    assert sent["tool_choice"] == {"type": "none"}


def test_openai_takes_each_result_in_a_turn() -> None:
    request = Request(messages=(ASKED, CALLED, *RESULTS), tools=(TOOL,))
    sent = openai_body(SPEC, request, frozenset())
    assert [turn["role"] for turn in sent["messages"]] == ["user", "assistant", "tool", "tool"]
    assert [turn.get("tool_call_id") for turn in sent["messages"][2:]] == ["a", "b"]
    assert sent["messages"][1]["tool_calls"][0]["function"]["arguments"] == "{}"
    assert "tool_choice" not in sent


def test_what_some_providers_want_back_goes_back() -> None:
    call = {
        "id": "a",
        "type": "function",
        "function": {"name": "look", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "sig"}},
    }
    message = {"content": None, "tool_calls": [call], "reasoning_content": "so"}
    reply = openai_read({"choices": [{"message": message, "finish_reason": "tool_calls"}]})
    turn = Message(role="assistant", content="", tool_calls=reply.tool_calls, carry=reply.carry)
    sent = openai_body(SPEC, Request(messages=(ASKED, turn), tools=(TOOL,)), frozenset())
    assert sent["messages"][1]["tool_calls"][0]["extra_content"] == call["extra_content"]
    assert sent["messages"][1]["reasoning_content"] == "so"


def test_the_key_tells_tools_results_and_the_last_round_apart() -> None:
    plain = Request(messages=(ASKED,))
    kinds = [
        plain,
        Request(messages=(ASKED,), tools=(TOOL,)),
        Request(messages=(ASKED,), tools=(TOOL,), closing=True),
        Request(messages=(ASKED, CALLED, *RESULTS), tools=(TOOL,)),
        Request(messages=(ASKED, CALLED, *reversed(RESULTS)), tools=(TOOL,)),
    ]
    assert len({request_key({}, kind) for kind in kinds}) == len(kinds)


def test_keys_without_tools_are_those_of_earlier_versions() -> None:
    # printf '[{},[["user","q"]],null,0,0]' | sha256sum
    told = "88cd0d04dd744e101585809e1e81b8abac6ef924e1bfe5d0cba85ebedbeac0d2"
    assert request_key({}, Request(messages=(ASKED,))) == told


any_text = st.text(alphabet=st.characters(codec="utf-8"), max_size=20)
calls = st.builds(ToolCall, id=any_text, name=any_text, arguments=st.text(max_size=20))
values = st.recursive(st.none() | st.integers() | any_text, st.lists, max_leaves=4)
carries = st.dictionaries(any_text, values)


@given(st.lists(calls, min_size=1, max_size=3), carries)
@settings(max_examples=25)
def test_calls_of_tools_are_read_back_as_they_were(
    tmp_path_factory: pytest.TempPathFactory, wished: list[ToolCall], carry: dict[str, object]
) -> None:
    reply = Reply(text="t", tool_calls=tuple(wished), carry=carry)
    with Ledger(tmp_path_factory.mktemp("calls") / "l.db") as ledger:
        with ledger.writing():
            add_calls(ledger, [Call(key="k", judge="j", sample=0, outcome=reply, cost=None)])
        assert find_reply(ledger, "k") == reply
