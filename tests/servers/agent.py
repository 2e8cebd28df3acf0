"""A model server over a real socket that really uses tools, as well or badly as it is told.

    cd tests; python -m servers.agent '{"latency": 0.05}'

speaks chat completions, the Responses API and Anthropic's messages, prints its address and serves
until its input closes. It picks tools whose words the question shares, fills their arguments from
the question and from earlier results, and quotes what they returned. Given passages instead of
tools it quotes those; given nothing it guesses. The same conversation, tools, temperature and seed
bring the same reply; the seed counts only at a temperature above 0.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from aiohttp import web

from servers.agent_mind import Talk, Wish, answer, next_call, ranked
from servers.agent_rules import anthropic_mistakes, openai_mistakes
from servers.agent_wire import talk, tokens
from servers.model_server import ModelServer, Running, Settings, in_process, refusal, serve
from servers.replies import REPLIES, Say, Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings(Settings):
    """How the agent behaves, beside what all model servers have.

    Attributes:
        trick: how it misbehaves: `unknown-tool`, `odd-name` (one with control characters),
            `broken-json` and `wrong-type` (arguments, in its first round); `endless`: calls a tool
            until it may not; `duplicate-ids`, `no-ids` (of calls); `talking`: text beside calls;
            `many`: 20 calls at once; `text-calls` and `broken-calls`: as text, which can be read or
            not; `refuse`; `length`: cut off.
        context: the most tokens that are read, the last ones; any number where 0.
        drops_tools: the template has no place for tools.
        counts_new: the prompt's tokens are those after what an earlier prompt began with.
        calls_as: what calls are written as in the text, with `{}` for each as JSON.
    """

    trick: str = ""
    context: int = 0
    drops_tools: bool = False
    counts_new: bool = False
    calls_as: str = ""


# Protocol -> its rules, and what ids of calls begin with.
_RULES = {
    "openai": (openai_mistakes, "call_"),
    "anthropic": (anthropic_mistakes, "toolu_"),
    "responses": (openai_mistakes, "call_"),  # as chat completions; its own were kept before
}


class Agent(ModelServer):
    """The server: transport and faults are the model server's."""

    settings: AgentSettings

    def __init__(self, settings: AgentSettings) -> None:
        super().__init__(settings)
        self._said: dict[tuple[str, str, str], Say] = {}
        self._read: set[str] = set()

    def _wrong(self, asked: Mapping[str, Any], key: str) -> web.Response | None:
        settings = self.settings
        if settings.rejects and settings.rejects in json.dumps(asked["messages"]):
            return refusal(400, "context_length_exceeded", "the prompt is too long")
        flat = {**asked, "messages": [{"content": ""}]}
        return super()._wrong(flat, key)

    def _answer(self, asked: Mapping[str, Any], protocol: str) -> web.Response:
        settings = self.settings
        rules, prefix = _RULES[protocol]
        mistakes = rules(asked, think=bool(settings.think), odd=settings.trick == "odd-name")
        if mistakes:
            self.stats.complaints += mistakes
            return refusal(400, "invalid_request_error", "; ".join(mistakes))
        if settings.drops_tools:
            asked = {name: value for name, value in asked.items() if name != "tools"}
        say = self._say(asked, prefix)
        self.stats.tool_calls += len(say.calls)
        if settings.calls_as and say.calls:
            calls = [{"name": c.name, "arguments": json.loads(c.arguments)} for c in say.calls]
            text = "\n".join(settings.calls_as.replace("{}", json.dumps(call)) for call in calls)
            say = Say(text=text)
        counts = self._tokens(asked, say) if settings.usage else None
        return web.json_response(REPLIES[protocol](asked, replace(say, tokens=counts)))

    def _tokens(self, asked: Mapping[str, Any], say: Say) -> tuple[int, int]:
        """How many tokens of a prompt the server says that it read, and how many it wrote."""
        read, written = tokens(asked, say)
        read = min(read, self.settings.context or read)
        if not self.settings.counts_new:
            return read, written
        prompt = json.dumps([asked.get("tools"), asked.get("system"), asked["messages"]])
        known = max((_shared(prompt, text) for text in self._read), default=0)
        self._read.add(prompt)
        return max(1, read - known // 4), written

    def _say(self, asked: Mapping[str, Any], prefix: str) -> Say:
        """What it says, thought out once: a second time costs it no time."""
        key = (json.dumps(asked), prefix, repr(self.settings))
        if key not in self._said:
            self._said[key] = decide(talk(asked), self.settings, prefix)
        return self._said[key]


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with together."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def decide(going: Talk, settings: AgentSettings, prefix: str) -> Say:
    """What to say next in a conversation."""
    trick = settings.trick
    think = f"{settings.think} ({going.rounds})" if settings.think else ""
    if trick == "refuse":
        return Say(text="I cannot help with that.", finish="refusal", think=think)
    wanted = _wanted(going, trick)
    if wanted:
        text = "Let me look that up." if trick == "talking" else ""
        calls = _numbered(going, wanted, trick, prefix)
        if trick in ("text-calls", "broken-calls"):  # its server has no parser for them
            written = json.dumps({"name": wanted[0].name, "arguments": wanted[0].arguments})
            written = written if trick == "text-calls" else written[:-3]
            return Say(text=f"Let me look.\n<tool_call>\n{written}\n</tool_call>", think=think)
        return Say(text=text, calls=calls, finish="tools", think=think)
    text = answer(going)
    if trick == "length":
        return Say(text=text[: len(text) // 2], finish="length", think=think)
    return Say(text=text, finish=settings.finish, think=think)


def _wanted(going: Talk, trick: str) -> tuple[Wish, ...]:
    """The calls to make, with what a trick does to the first."""
    if trick == "endless":
        return tuple(ranked(going)[:1])  # needed or not, and made before or not
    call = next_call(going)
    if call is None:
        return ()
    if going.rounds:
        return (call,)
    if trick == "unknown-tool":
        return (replace(call, name="look_everything_up"),)
    if trick == "odd-name":
        return (replace(call, name=f"{call.name} \x1b[31m<b>"),)
    if trick == "wrong-type":
        wrong = {name: {"is": [value]} for name, value in call.arguments.items()}
        return (replace(call, arguments=wrong or {"limit": "many"}),)
    return (call,) * {"many": 20, "duplicate-ids": 2}.get(trick, 1)


def _numbered(going: Talk, wanted: tuple[Wish, ...], trick: str, prefix: str) -> tuple[Wanted, ...]:
    """The calls with ids that follow from the conversation, and arguments as text."""
    calls = []
    for number, wish in enumerate(wanted):
        at = 0 if trick == "duplicate-ids" else number
        digest = sha256(f"{going.seed}:{at}".encode()).hexdigest()[:24]
        text = json.dumps(wish.arguments)
        if trick == "broken-json" and not going.rounds:
            text = (text.removesuffix("}") + ', "more": ').replace("{, ", "{")
        call_id = None if trick == "no-ids" else prefix + digest
        calls.append(Wanted(id=call_id, name=wish.name, arguments=text))
    return tuple(calls)


@contextmanager
def agent(**settings: object) -> Iterator[Running]:
    """Runs the agent in a process of its own."""
    folder = Path(__file__).parents[1]
    with in_process("-m", "servers.agent", json.dumps(settings), folder=folder) as running:
        yield running


if __name__ == "__main__":
    asyncio.run(serve(Agent(AgentSettings(**json.loads(sys.argv[1]))).app()))
