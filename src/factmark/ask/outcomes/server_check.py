"""What a model's server can do, by six small questions over its own protocol."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, replace

from factmark.ask.chat import CUT, Failure, Message, Reply, Request, Tool
from factmark.ask.client import ChatClient
from factmark.ask.outcomes.left_out import is_instance
from factmark.ask.prompt_check import least_tokens
from factmark.replies.tools.tool_calls import written_calls

_QUESTION = "Is Vienna in Austria? Answer with YES or NO."
_SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["YES", "NO"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
_IN_WORDS = 'Answer with a JSON object of the form {"verdict": "YES"} or {"verdict": "NO"}.'
_SUM = "How much is 17 times 23? Answer with the number alone."
_PLACE = "Hallstatt"
_RESULT = "742"
_TOOL = Tool(
    name="population_of",
    description="Tells how many people live in a place, from a register.",
    schema={
        "type": "object",
        "properties": {"place": {"type": "string"}},
        "required": ["place"],
    },
)
_COUNT = f"How many people live in {_PLACE}? Look it up in the register with the tool."
_LONG_WORDS = 2_500  # of the long prompt
_SEEN = 0.7  # of its tokens, at least, as servers count
_ROOM = 8  # times the tokens that a model thinks before a short answer
_START_PARSER = (
    "start the server with the tool parser of this model (vLLM --enable-auto-tool-choice "
    "--tool-call-parser NAME, llama.cpp --jinja)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFinding:
    """What a question showed.

    Attributes:
        works: whether a run gets what it wants of it; None where it could not be told.
        shows: what the server did.
        do: what the user does about it; empty where nothing is to be done.
        flag: the option to give, where there is one.
    """

    name: str
    works: bool | None
    shows: str
    do: str = ""
    flag: str = ""


async def check_server(client: ChatClient) -> AsyncIterator[ServerFinding]:
    """Yields what each of six questions shows, as it comes; the client learns what is not taken.

    Raises:
        EndpointError: no call can work: a wrong key, model or address.
    """
    tokens = client.spec.max_tokens
    outcome = await client.ask(Request.of(_QUESTION, system="Answer in English."))
    yield _finding("system message", outcome, lambda _: _of_system(client.left_out))
    outcome = await client.ask(replace(Request.of(f"{_QUESTION} {_IN_WORDS}"), schema=_SCHEMA))
    yield _finding("JSON schema", outcome, lambda reply: _of_schema(reply, client.left_out))
    outcome = await client.ask(Request.of(_SUM))
    yield _finding("thinking", outcome, lambda reply: _of_thinking(reply, tokens))
    asking = replace(Request.of(_COUNT), tools=(_TOOL,))
    called = await client.ask(asking)
    yield _finding("tools", called, _of_tools)
    if isinstance(called, Reply) and called.tool_calls:
        outcome = await client.ask(_with_results(asking, called))
        yield _finding("answer from a tool", outcome, _of_result)
    else:
        yield ServerFinding(name="answer from a tool", works=None, shows="not asked: none called")
    words = " ".join(map(str, range(_LONG_WORDS)))
    long = Request.of(f"{words}\n\n{_QUESTION}")
    outcome = await client.ask(long)
    yield _finding("long prompt", outcome, lambda reply: _of_usage(reply, least_tokens(long)))


Shown = tuple[bool | None, str, str, str]  # of a finding: works, shows, do, flag


def _finding(
    name: str, outcome: Reply | Failure | None, read: Callable[[Reply], Shown]
) -> ServerFinding:
    """Returns what a question shows; why it brought no reply, where it brought none."""
    if isinstance(outcome, Reply):
        works, shows, do, flag = read(outcome)
        return ServerFinding(name=name, works=works, shows=shows, do=do, flag=flag)
    why = "the budget has no room"
    if isinstance(outcome, Failure):
        why = outcome.reason
    return ServerFinding(name=name, works=False, shows=why)


def _of_system(left_out: frozenset[str]) -> Shown:
    """Returns what came of a question behind a system message."""
    if "system" in left_out:
        return True, "not taken: it stands at the head of the user's turn", "", ""
    return True, "taken", "", ""


def _of_schema(reply: Reply, left_out: frozenset[str]) -> Shown:
    """Returns what came of a question with a JSON schema."""
    if "schema" in left_out:
        return True, "not taken: replies are read as text", "", ""
    try:
        keeps = is_instance(json.loads(reply.text), _SCHEMA)
    except (ValueError, RecursionError):
        keeps = False
    return True, "kept to" if keeps else "taken, not kept to: replies are read as text", "", ""


def _of_thinking(reply: Reply, max_tokens: int) -> Shown:
    """Returns whether the model thinks before it answers, and whether there was room for it."""
    thought = 0
    if reply.usage:
        thought = reply.usage.thinking
    if reply.unanswered:
        is_cut = reply.finish_reason in CUT
        flag = ""
        if is_cut:
            flag = f"--max-tokens {_ROOM * max_tokens}"
        return False, "no answer", reply.why_unanswered, flag
    if not thought and not reply.thinking:
        return True, "none", "", ""
    wanted = _ROOM * thought
    flag = ""
    if wanted > max_tokens:
        flag = f"--max-tokens {wanted}"
    return True, f"about {thought:,} tokens before a short answer", "", flag


def _of_tools(reply: Reply) -> Shown:
    """Returns what came of a question that a tool answers."""
    if reply.tool_calls:
        return True, "called", "", ""
    written = written_calls(reply.text or reply.thinking, {_TOOL.name: _TOOL.schema})
    if written is None:
        return None, "not called", "ask a model that is made for tools", ""
    if written.calls:
        return True, "called as text, in a form that factmark reads", _START_PARSER, ""
    return False, "called as text, in a form that cannot be read", _START_PARSER, ""


def _with_results(asked: Request, reply: Reply) -> Request:
    """Returns the conversation after the calls of a reply, whose results it is to answer from."""
    turn = Message(
        role="assistant", content=reply.text, tool_calls=reply.tool_calls, carry=reply.carry
    )
    results = []
    for call in reply.tool_calls:
        results.append(Message(role="tool", content=_RESULT, call_id=call.id))
    return replace(asked, messages=(*asked.messages, turn, *results), closing=True)


def _of_result(reply: Reply) -> Shown:
    """Returns whether the model answers from what a tool gave."""
    has_it = _RESULT in reply.text
    return has_it, "given" if has_it else "not given", "", ""


def _of_usage(reply: Reply, least: int) -> Shown:
    """Returns whether tokens are counted, and whether a long prompt was seen as a whole.

    Args:
        least: tokens that it has at least.
    """
    if reply.usage is None or reply.usage.estimated:
        return None, "answered; the server counts no tokens, so costs are estimates", "", ""
    counted = reply.usage.input
    if counted >= _SEEN * least:
        return True, f"seen as a whole, {counted:,} tokens", "", ""
    do = "give the server a larger context (Ollama: OLLAMA_CONTEXT_LENGTH; llama.cpp: -c)"
    return False, f"cut off: {counted:,} tokens of {least:,} or more", do, ""
