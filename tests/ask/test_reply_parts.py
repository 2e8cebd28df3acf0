"""Parts of what is sent and of what comes back: fields of bodies, arguments, tokens of thinking."""

from __future__ import annotations

import json
from typing import Any

import pytest

from factmark.ask.chat import Reply, Request, Usage
from factmark.ask.model_spec import ModelSpec
from factmark.ask.responses import arguments_text, merged_fields, raise_token_limit, reply_of
from factmark.http.client import Response

SPEC = ModelSpec.parse("openai:m", base_url="http://localhost:8000/v1")


@pytest.mark.parametrize(
    ("fields", "extra", "both"),
    [
        ({"a": 1}, {}, {"a": 1}),
        ({"a": 1}, {"a": 2, "b": 3}, {"a": 2, "b": 3}),
        ({"o": {"a": 1, "b": 2}}, {"o": {"b": 3, "c": 4}}, {"o": {"a": 1, "b": 3, "c": 4}}),
        ({"o": {"p": {"a": 1}}}, {"o": {"p": {"b": 2}}}, {"o": {"p": {"a": 1, "b": 2}}}),
        ({"o": {"a": 1}}, {"o": 5}, {"o": 5}),
        ({"o": 5}, {"o": {"a": 1}}, {"o": {"a": 1}}),
        ({"l": [1]}, {"l": [2]}, {"l": [2]}),
    ],
)
def test_fields_of_the_user_go_into_those_of_a_request(
    fields: dict[str, Any], extra: dict[str, Any], both: dict[str, Any]
) -> None:
    before = json.dumps([fields, extra])
    assert merged_fields(fields, extra) == both
    assert json.dumps([fields, extra]) == before, "neither is changed"


@pytest.mark.parametrize(
    ("room", "fields", "raised"),
    [
        (1, {"max_tokens": 100}, {"max_tokens": 100}),
        (2, {"max_tokens": 100, "seed": 3}, {"max_tokens": 200, "seed": 3}),
        (4, {"max_completion_tokens": 100}, {"max_completion_tokens": 400}),
        (4, {"max_output_tokens": 100}, {"max_output_tokens": 400}),
        (4, {"max_tokens": None}, {"max_tokens": None}),  # as --extra may say
        (4, {"seed": 3}, {"seed": 3}),
    ],
)
def test_a_reply_gets_more_room_where_its_limit_stands(
    room: int, fields: dict[str, Any], raised: dict[str, Any]
) -> None:
    assert raise_token_limit(fields, Request(messages=(), room=room)) == raised


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ('{"q": 1}', '{"q": 1}'),
        ("", "{}"),
        (None, "{}"),
        ({"q": "é"}, '{"q": "é"}'),
        ({}, "{}"),
        ([], "[]"),  # no object: whoever reads it says so
        (0, "0"),
    ],
)
def test_arguments_come_as_text_or_parsed(given: object, text: str) -> None:
    assert arguments_text(given) == text


@pytest.mark.parametrize(
    ("usage", "thinking", "counted"),
    [
        (Usage(input=9, output=100, thinking=30), "x" * 40, 30),  # the server's own figure
        (Usage(input=9, output=100), "x" * 40, 10),  # four characters a token
        (Usage(input=9, output=6), "x" * 40, 6),  # never more than it wrote in all
        (Usage(input=9, output=100), "", 0),
    ],
)
def test_tokens_of_thinking_are_the_servers_or_told_by_its_length(
    usage: Usage, thinking: str, counted: int
) -> None:
    response = Response(status=200, headers={}, body=b'{"ok": true}')
    reply = Reply(text="YES", usage=usage, thinking=thinking)
    read = reply_of(response, SPEC, lambda payload: reply)
    assert read.usage is not None
    assert (read.usage.thinking, read.usage.output) == (counted, usage.output)


def test_a_reply_without_usage_has_none() -> None:
    response = Response(status=200, headers={}, body=b'{"ok": true}')
    read = reply_of(response, SPEC, lambda payload: Reply(text="YES", thinking="hm"))
    assert (read.text, read.usage) == ("YES", None)
