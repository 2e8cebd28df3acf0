"""A model server over a real socket that really uses tools, as well or badly as it is told.

    cd tests; python -m servers.agent '{"latency": 0.05}'

speaks chat completions and Anthropic's messages, prints its address and serves until its input
closes. It picks tools whose words the question shares, fills their arguments from the question and
from earlier results, and quotes what they returned. Given passages instead of tools it quotes
those; given nothing it guesses. The same conversation, tools, temperature and seed bring the same
reply; the seed counts only at a temperature above 0.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from aiohttp import web

from servers.agent_mind import Talk, Wish, answer, any_call, wishes
from servers.agent_rules import anthropic_complaint, openai_complaint, shape
from servers.agent_wire import Say, Wanted, anthropic_says, openai_says, talk
from servers.model_server import ModelServer, Running, Settings, in_process, refusal, serve


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings(Settings):
    """How the agent behaves, beside what all model servers have.

    Attributes:
        tricks: how it misbehaves, one of them per question: `unknown-tool`, `odd-name` (one with
            control characters), `broken-json` and `wrong-type` (arguments, in its first round);
            `endless`: calls a tool until it may not; `duplicate-ids`, `no-ids` (of calls);
            `empty`: says nothing; `talking`: text beside calls; `many`: 20 calls at once;
            `refuse`; `length`: cut off.
        trick_share: of the questions, by their text.
        context: the most tokens that are read, the last ones; any number where 0.
        drops_tools: the template has no place for tools.
        counts_new: the prompt's tokens are those after what an earlier prompt began with.
        calls_as: what calls are written as in the text, with `{}` for each as JSON.
    """

    tricks: tuple[str, ...] = ()
    trick_share: float = 1.0
    context: int = 0
    drops_tools: bool = False
    counts_new: bool = False
    calls_as: str = ""


def trick_of(question: str, tricks: tuple[str, ...], share: float) -> str:
    """How the agent misbehaves at a question; empty where it does not."""
    drawn = int.from_bytes(sha256(f"trick:{question}".encode()).digest()[:4])
    if not tricks or drawn / 2**32 >= share:
        return ""
    return tricks[drawn % len(tricks)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """A protocol: what it turns down, how it replies, what its call ids begin with."""

    complaint: Callable[..., str | None]
    says: Callable[[Mapping[str, Any], Say, bool], dict[str, Any]]
    prefix: str


OPENAI = Wire(complaint=openai_complaint, says=openai_says, prefix="call_")
ANTHROPIC = Wire(complaint=anthropic_complaint, says=anthropic_says, prefix="toolu_")


class Agent(ModelServer):
    """The server: transport and faults are the model server's."""

    settings: AgentSettings

    def __init__(self, settings: AgentSettings) -> None:
        super().__init__(settings)
        self.replies = {"openai": OPENAI, "anthropic": ANTHROPIC}
        self._said: dict[tuple[str, str, str], Say] = {}
        self._read: set[str] = set()

    def _wrong(self, asked: Mapping[str, Any], key: str) -> web.Response | None:
        settings = self.settings
        if settings.rejects and settings.rejects in json.dumps(asked["messages"]):
            return refusal(400, "context_length_exceeded", "the prompt is too long")
        flat = {**asked, "messages": [{"content": ""}]}
        return super()._wrong(flat, key)

    def _answer(self, asked: Mapping[str, Any], reply: Any) -> web.Response:
        settings = self.settings
        odd = "odd-name" in settings.tricks
        wrong = shape(asked) or reply.complaint(asked, think=bool(settings.think), odd=odd)
        if wrong is not None:
            self.stats.complaints.append(wrong)
            return refusal(400, "invalid_request_error", wrong)
        if settings.drops_tools:
            asked = {name: value for name, value in asked.items() if name != "tools"}
        said = self._say(asked, reply.prefix)
        self.stats.tool_calls += len(said.calls)
        if settings.calls_as and said.calls:
            calls = [{"name": c.name, "arguments": json.loads(c.arguments)} for c in said.calls]
            text = "\n".join(settings.calls_as.replace("{}", json.dumps(call)) for call in calls)
            said = Say(text=text)
        payload = reply.says(asked, said, settings.usage)
        if settings.context or settings.counts_new:
            name = "prompt_tokens" if reply is OPENAI else "input_tokens"
            payload["usage"][name] = self._counted(asked, payload["usage"][name])
        return web.json_response(payload)

    def _counted(self, asked: Mapping[str, Any], tokens: int) -> int:
        """How many of a prompt's tokens the server says that it read."""
        tokens = min(tokens, self.settings.context or tokens)
        prompt = json.dumps([asked.get("tools"), asked.get("system"), asked["messages"]])
        known = max((_shared(prompt, text) for text in self._read), default=0)
        self._read.add(prompt)
        return max(1, tokens - known // 4) if self.settings.counts_new else tokens

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
    trick = trick_of(going.question, tuple(settings.tricks), settings.trick_share)
    think = f"{settings.think} ({going.rounds})" if settings.think else ""
    if trick == "refuse":
        return Say(text="I cannot help with that.", finish="refusal", think=think)
    if trick == "empty":
        return Say(text="", think=think)
    wanted = _tricked(going, wishes(going), trick)
    if wanted:
        text = "Let me look that up." if trick == "talking" else ""
        calls = _numbered(going, wanted, trick, prefix)
        return Say(text=text, calls=calls, finish="tools", think=think)
    text = answer(going)
    if trick == "length":
        return Say(text=text[: len(text) // 2], finish="length", think=think)
    return Say(text=text, finish=settings.finish, think=think)


def _tricked(going: Talk, wanted: tuple[Wish, ...], trick: str) -> tuple[Wish, ...]:
    """The calls, with what a trick does to them."""
    if not going.tools:
        return ()
    if trick == "endless" and going.free:
        return (any_call(going),)
    if not wanted or going.rounds:
        return wanted
    first = wanted[0]
    if trick == "many":
        return (first,) * 20
    if trick == "unknown-tool":
        return (replace(first, name="look_everything_up"),)
    if trick == "odd-name":
        return (replace(first, name=f"{first.name} \x1b[31m<b>"),)
    if trick == "wrong-type":
        wrong = {name: {"is": [value]} for name, value in first.arguments.items()}
        return (replace(first, arguments=wrong or {"limit": "many"}),)
    if trick == "duplicate-ids":
        return (first, first)
    return wanted


def _numbered(going: Talk, wanted: tuple[Wish, ...], trick: str, prefix: str) -> tuple[Wanted, ...]:
    """The calls with ids that follow from the conversation, and arguments as text."""
    calls = []
    for number, wish in enumerate(wanted):
        at = 0 if trick == "duplicate-ids" else number
        made = sha256(f"{going.seed}:{at}".encode()).hexdigest()[:24]
        text = json.dumps(wish.arguments)
        if trick == "broken-json" and not going.rounds:
            text = (text.removesuffix("}") + ', "more": ').replace("{, ", "{")
        call_id = None if trick == "no-ids" else prefix + made
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
