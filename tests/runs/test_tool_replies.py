"""Replies that want tools: what is made of them, and why some are no answers."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from factmark.answers.core.records import NoScore
from factmark.ask.chat import Reply, Request, Tool, ToolCall
from factmark.runs.tool_replies import UNREAD_CALL, with_calls

PORT = {"port": {"type": "string"}}
TIDE = Tool(name="tide_at", description="Tells tides.", schema={"properties": PORT})
ASKED = replace(Request.of("When is high water at Old Quay?"), tools=(TIDE,))
TEXT = '<tool_call>\n{"name": "tide_at", "arguments": {"port": "Old Quay"}}\n</tool_call>'


def call(name: str = "tide_at", arguments: str = '{"port": "Old Quay"}') -> ToolCall:
    return ToolCall(id="a", name=name, arguments=arguments)


def why(reply: Reply, request: Request = ASKED) -> str:
    """The reason of a reply that is no answer, which tells of a tool call."""
    lost = with_calls(reply, request)
    assert isinstance(lost, NoScore)
    assert lost.status == "unparsed"
    assert lost.reason.startswith(UNREAD_CALL)
    return lost.reason


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="", tool_calls=(call(),)),
        Reply(text="", tool_calls=(call("functions.tide_at<|channel|>commentary"),)),
        Reply(text="", tool_calls=(call(arguments='{"Port": "Old Quay"}'),)),
        Reply(text=TEXT),
        Reply(text=f"Let me look.\n{TEXT}"),
        Reply(text="", thinking=f"I need the tide.\n{TEXT}"),
        Reply(text='<function=tide_at>{"port": "Old Quay"}', finish_reason="tool_use_failed"),
    ],
)
def test_a_call_is_one_wherever_it_stands(reply: Reply) -> None:
    read = with_calls(reply, ASKED)
    assert isinstance(read, Reply)
    assert [(c.name, json.loads(c.arguments)) for c in read.tool_calls] == [
        ("tide_at", {"port": "Old Quay"})
    ]


def test_the_reason_names_what_to_change() -> None:
    assert "--tool-call-parser" in why(Reply(text="<tool_call>tide of Old Quay</tool_call>"))
    assert "--tool-call-parser" in why(Reply(text="", finish_reason="tool_calls"))
    assert "--tool-call-parser" in why(Reply(text="Let me look.", finish_reason="tool_calls"))
    assert "--tool-call-parser" in why(Reply(text="tide", finish_reason="tool_use_failed"))
    cut = call(arguments='{"port": "Ol')
    assert "--max-tokens" in why(Reply(text="", tool_calls=(cut,), finish_reason="length"))
    assert "--max-tokens" in why(Reply(text=TEXT[:30], finish_reason="length"))
    closing = replace(ASKED, closing=True)
    assert "--rounds" in why(Reply(text="", tool_calls=(call(),)), closing)
    assert "--rounds" in why(Reply(text=TEXT), closing)
    assert "no tools are offered" in why(Reply(text=TEXT), Request.of("When?"))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="At six."),
        Reply(text="At six.", finish_reason="tool_calls"),
        Reply(text="At six.", finish_reason="length"),
        Reply(text="", thinking=f"Not {TEXT} again. At six, then."),
        Reply(text=TEXT, refused=True),
        Reply(text=f"The answer is six; I sent `{TEXT[11:-12].strip()}`."),
    ],
)
def test_an_answer_stays_as_it_is(reply: Reply) -> None:
    assert with_calls(reply, ASKED) == reply


def test_a_tool_that_nobody_offers_stays_a_call_that_the_model_is_told_of() -> None:
    reply = Reply(text="", tool_calls=(call("moon_at"),))
    assert with_calls(reply, ASKED) == reply
