"""What a reply wants of tools: in the fields for calls, in its text, in its thinking. Pure.

A call that cannot be carried out states nothing: the reply is no answer then, and the reason says
what to change, which most often is the server's.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from factmark.answers.core.records import NoScore
from factmark.ask.chat import CUT, Reply, Request, ToolCall
from factmark.ask.responses import read_arguments, unique_calls
from factmark.replies.tools.tool_calls import (
    WrittenCalls,
    fitting_arguments,
    offered_name,
    written_calls,
)
from factmark.replies.tools.tool_dialects import ToolSchemas

UNREAD_CALL = "a tool call"
"""What the reason begins with where a reply is a call that was not carried out."""
_START_SERVER = (
    "start the server with the tool parser of this model (vLLM --enable-auto-tool-choice "
    "--tool-call-parser NAME, SGLang --tool-call-parser NAME, llama.cpp --jinja)"
)
_ANNOUNCED = frozenset({"tool_calls", "tool_use", "function_call"})
_LEADS_TO_CALL = re.compile(r"\b(?:let me|let's|i'll|i will|i'm going to|i need to)\b|:\s*$", re.I)
_LONGEST_LEAD = 300
_SHOWN = 60


def with_calls(reply: Reply, request: Request, called: Collection[str] = ()) -> Reply | NoScore:
    """Returns the reply with its calls as the offered tools take them; why it is no answer, where
    it calls a tool and that cannot be carried out.

    Args:
        called: the tools that were called before in this conversation.
    """
    if reply.refused:
        return reply
    tools = {tool.name: tool.schema for tool in request.tools}
    is_cut = reply.finish_reason in CUT
    if reply.tool_calls:
        if is_cut and any(read_arguments(call.arguments) is None for call in reply.tool_calls):
            return _unread("that was cut off at the limit of tokens; raise --max-tokens")
        if request.closing and not reply.text.strip():
            return _late_call(reply.tool_calls[0].name)
        return replace(reply, tool_calls=tuple(_fitting(call, tools) for call in reply.tool_calls))
    written = _written(reply, request, tools, called)
    if written is None:
        return _lost_call(reply) or reply
    shown = " ".join(written.text.split())[:_SHOWN]
    if not request.tools:
        return _unread(f"in place of an answer, where no tools are offered: {shown}")
    if request.closing:
        return _late_call(shown)
    if is_cut:
        return _unread("that was cut off at the limit of tokens; raise --max-tokens")
    if not written.calls:
        return _unread(f"that came as text and cannot be read: {shown}; {_START_SERVER}")
    calls = unique_calls((None, name, arguments) for name, arguments in written.calls)
    return replace(reply, text="", tool_calls=calls)


def _unread(how: str) -> NoScore:
    """Returns why a reply that calls a tool is no answer."""
    return NoScore(status="unparsed", reason=f"{UNREAD_CALL} {how}")


def _late_call(shown: str) -> NoScore:
    """Returns why a reply is no answer that calls a tool where it must answer."""
    return _unread(
        f"in place of the answer after the last round of tools ({shown}); raise --rounds"
    )


def _fitting(call: ToolCall, tools: ToolSchemas) -> ToolCall:
    """Returns a call by the name and with the arguments that the meant tool has; as it is, where
    none is meant."""
    name = offered_name(call.name, tools)
    if name is None:
        written = written_calls(call.name, tools)  # arguments and all
        if written is None or not written.calls:
            return call
        name, arguments = written.calls[0]
        return replace(call, name=name, arguments=arguments)
    return replace(call, name=name, arguments=fitting_arguments(call.arguments, tools[name]))


def _written(
    reply: Reply, request: Request, tools: ToolSchemas, called: Collection[str]
) -> WrittenCalls | None:
    """Returns the calls in a reply's text; where it has none, those that its thinking ends with."""
    given = []
    for message in request.messages:
        if message.role != "assistant":
            given.append(message.content)
    if reply.text.strip():
        return written_calls(reply.text, tools, given, called)
    written = written_calls(reply.thinking, tools, given, called)
    is_last = written is not None and reply.thinking.rstrip().endswith(written.text.rstrip())
    if is_last:
        return written
    return None


def _lost_call(reply: Reply) -> NoScore | None:
    """Returns why a reply is no answer that ends, as its server says, with calls of tools, and has
    none; None where it does not.
    """
    if reply.finish_reason == "tool_use_failed":
        return _unread(f"that the server refused, since it is not well-formed; {_START_SERVER}")
    if reply.finish_reason not in _ANNOUNCED:
        return None
    text = reply.text.strip()
    if text and not (len(text) < _LONGEST_LEAD and _LEADS_TO_CALL.search(text)):
        return None
    return _unread(f"that the server announced and did not hand over; {_START_SERVER}")
