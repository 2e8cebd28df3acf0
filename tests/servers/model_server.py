"""A model server over a real socket that speaks three protocols, as well or badly as it is told.

    python tests/servers/model_server.py '{"latency": 0.05}'

prints its address and serves until its input closes. What it replies is a function of the prompt:
each line `CLAIM n: ...` gets a verdict that follows from the claim's text, and a fenced ANSWER the
list of its capitalised words and numbers as its facts; a fenced SENTENCE is cut into claims at each
`and`. Beside the protocols:
GET /_stats tells what it was asked; POST /_settings changes what it does (?anew: from what it was
started with).
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from aiohttp import web

sys.path.insert(0, str(Path(__file__).parents[1]))

from servers.agent_rules import responses_mistakes
from servers.agent_wire import as_chat
from servers.batches import Batches
from servers.replies import REPLIES, Say, openai_reply

LABELS = ("SUPPORTED", "NOT_SUPPORTED")
_ANSWER = re.compile(r"^<<<ANSWER (\w+)\n(.*)\nANSWER \1>>>$", re.MULTILINE | re.DOTALL)
_SENTENCE = re.compile(r"^<<<SENTENCE (\w+)\n(.*)\nSENTENCE \1>>>$", re.MULTILINE | re.DOTALL)
_FACT = re.compile(r"\b(?:[A-Z]\w*|\d+)\b")
_CLAIM = re.compile(r"^CLAIM (\d+): (.*)$", re.MULTILINE)
_FENCED = re.compile(
    r"<<<(?P<name>CLAIM|TRIPLE|SUMMARY|CLAUSE)(?: (?P<number>\d+))? (?P<mark>[0-9a-f]{16})\n"
    r"(?P<text>.*?)\n"
    r"(?P=name)(?: \d+)? (?P=mark)>>>",
    re.DOTALL,
)
_OFFERED = re.compile(r"only one label (?:and nothing else|out of): ([A-Z0-9_, ]+)\.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How the server behaves.

    Attributes:
        latency: seconds before each answer.
        faults: what goes wrong, in turn; see `FAULTS`.
        fault_share: of the requests: at 1/3 each third one.
        malformed, refused: share of the claims, or answers, whose reply holds no verdict, or no
            facts, or is a refusal.
        invented: share of the answers whose facts are one more than the answer holds.
        finish: why a reply ends, as OpenAI's servers tell it.
        per_reply: the most verdicts in one reply.
        usage, schema: whether the server has them.
        cached: tokens of each prompt that come from a cache.
        chat: whether chat completions serve the model: `yes`, or how they refuse it, see
            `NOT_BY_CHAT`.
        responses: whether there is a Responses API.
        key: the only key that is let in; any where empty.
        model: the only model that is known; any where empty.
        think: what stands in a <think> block before each reply.
        thinks: tokens of thinking beside each reply; a limit that is not above it ends there.
        longest: the highest limit of tokens that is no bad request (400); any where 0.
        rejects: a word that makes a prompt a bad request (400).
        no_batches: whether there is no batch API.
        batch_looks: looks at a batch before one that tells its end.
        batch_problem: why batches are refused as a whole, once they are made.
        expires: a word in the prompts that a batch does not come to.
        hang: the beginning of `METHOD /path` of a batch API that is never answered.
        loses: the same, whose next answer is lost on the way.
    """

    latency: float = 0.0
    faults: tuple[str, ...] = ()
    fault_share: float = 0.0
    malformed: float = 0.0
    refused: float = 0.0
    invented: float = 0.0
    finish: str = "stop"
    per_reply: int = 1_000
    usage: bool = True
    schema: bool = True
    cached: int = 0
    chat: str = "yes"
    responses: bool = True
    key: str = ""
    model: str = ""
    think: str = ""
    thinks: int = 0
    longest: int = 0
    rejects: str = ""
    no_batches: bool = False
    batch_looks: int = 0
    batch_problem: str = ""
    expires: str = ""
    hang: str = ""
    loses: str = ""


@dataclass(slots=True)
class Stats:
    """What the server was asked and did; `complaints` are the conversations it turned down."""

    requests: int = 0
    responses: int = 0
    replies: int = 0
    faults: int = 0
    most_in_flight: int = 0
    tool_calls: int = 0
    hanging: int = 0
    batches: list[int] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    last: dict[str, Any] = field(default_factory=dict)


NOT_BY_CHAT = {  # status, message and parameter, as users met them
    "no": (
        404,
        "This model is only supported in v1/responses and not in v1/chat/completions.",
        "model",
    ),
    "no chat model": (
        404,
        "This is not a chat model and thus not supported in the v1/chat/completions endpoint. "
        "Did you mean to use v1/completions?",
        "model",
    ),
    "azure no": (
        400,
        "The chatCompletion operation does not work with the specified model, judge. Please "
        "choose different model and try again.",
        None,
    ),
    "no tools": (
        400,
        "Function tools with reasoning_effort are not supported for agent in "
        "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort "
        "to 'none'.",
        "reasoning_effort",
    ),
}


def verdict_of(claim: str, labels: tuple[str, ...] = LABELS) -> str:
    """The verdict on a claim: the first label in six of ten, else one of the others."""
    drawn = _draw(claim, "verdict")
    return labels[0] if drawn >= 0.4 else labels[1 + int(drawn / 0.4 * (len(labels) - 1))]


def is_malformed(claim: str, share: float) -> bool:
    """Whether the reply on a claim holds no verdict."""
    return _draw(claim, "malformed") < share


def is_refused(claim: str, share: float) -> bool:
    """Whether the model declines to judge a claim."""
    return _draw(claim, "refused") < share


def facts_in(answer: str) -> list[str]:
    """The facts of an answer."""
    return _FACT.findall(answer)


def is_invented(answer: str, share: float) -> bool:
    """Whether the facts of an answer come with one that it does not hold."""
    return _draw(answer, "invented") < share


def _draw(claim: str, what: str) -> float:
    return int.from_bytes(sha256(f"{what}:{claim}".encode()).digest()[:4]) / 2**32


class ModelServer:
    """The server's state and handlers."""

    def __init__(self, settings: Settings) -> None:
        self.settings = self._first = settings
        self.stats = Stats()
        self._batches = Batches(self)
        self._due = 0.0  # of a fault
        self._in_flight = 0
        self._turn = 0

    def app(self) -> web.Application:
        """The routes."""
        app = web.Application(client_max_size=2**26)
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_post("/v1/responses", self._responses)
        self._batches.add_routes(app)
        app.router.add_get("/_stats", self._tell)
        app.router.add_post("/_settings", self._set)
        return app

    async def _tell(self, _request: web.Request) -> web.Response:
        return web.json_response(asdict(self.stats))

    async def _set(self, request: web.Request) -> web.Response:
        before = self._first if request.query else self.settings
        self.settings = replace(before, **await request.json())
        self.stats = Stats()
        self._due, self._turn = 0.0, 0
        return web.json_response({})

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return await self._serve(request, given, "openai")

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        if not self.settings.responses:
            return web.json_response({"detail": "Not Found"}, status=404)
        self.stats.responses += 1
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        return await self._serve(request, given, "responses")

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("anthropic-version") is None:
            return refusal(400, "invalid_request_error", "anthropic-version: header is required")
        return await self._serve(request, request.headers.get("x-api-key", ""), "anthropic")

    async def _serve(self, request: web.Request, key: str, protocol: str) -> web.StreamResponse:
        self.stats.requests += 1
        self._in_flight += 1
        self.stats.most_in_flight = max(self.stats.most_in_flight, self._in_flight)
        try:
            asked = await request.json()
            self.stats.last = asked
            if self.settings.latency:
                await asyncio.sleep(self.settings.latency)
            bad = self._not_so(asked, protocol)
            if bad is None:
                asked = as_chat(asked) if protocol == "responses" else asked
                bad = self._wrong(asked, key)
            if bad is not None:
                return bad
            self._due += self.settings.fault_share
            if self.settings.faults and self._due >= 1:
                self._due -= 1
                self.stats.faults += 1
                self._turn += 1
                kinds = self.settings.faults
                return await _fault(request, kinds[self._turn % len(kinds)])
            self.stats.replies += 1
            return self._answer(asked, protocol)
        finally:
            self._in_flight -= 1

    def carried_out(self, asked: Mapping[str, Any], protocol: str) -> tuple[int, Any]:
        """Status and body of a call in a batch; 0 for one that the batch does not come to."""
        bad = self._not_so(asked, protocol)
        if bad is not None:
            return bad.status, json.loads(bad.text or "")
        asked = as_chat(asked) if protocol == "responses" else asked
        if self.settings.expires and self.settings.expires in json.dumps(asked["messages"]):
            return 0, None
        answer = self._wrong(asked, self.settings.key) or self._answer(asked, protocol)
        return answer.status, json.loads(answer.text or "")

    def _not_so(self, asked: Mapping[str, Any], protocol: str) -> web.Response | None:
        """The refusal of a request that this protocol does not serve, or that breaks its rules."""
        if protocol == "openai" and (complaint := NOT_BY_CHAT.get(self.settings.chat)):
            status, message, parameter = complaint
            if self.settings.chat == "no tools" and not asked.get("tools"):
                return None
            error = {"message": message, "type": "invalid_request_error", "param": parameter}
            return web.json_response({"error": {**error, "code": None}}, status=status)
        if protocol != "responses":
            return None
        mistakes = responses_mistakes(asked, think=bool(self.settings.think), odd=False)
        self.stats.complaints += mistakes
        return refusal(400, "invalid_request_error", "; ".join(mistakes)) if mistakes else None

    def _wrong(self, asked: Mapping[str, Any], key: str) -> web.Response | None:
        settings = self.settings
        if settings.key and key != settings.key:
            return refusal(401, "invalid_api_key", f"Incorrect API key provided: {key}")
        if settings.model and asked["model"] != settings.model:
            return refusal(404, "model_not_found", f"The model {asked['model']} does not exist")
        if not settings.schema and ("response_format" in asked or "output_config" in asked):
            return refusal(400, "invalid_request_error", "response_format is not supported here")
        if settings.longest and asked["max_tokens"] > settings.longest:
            return refusal(400, "invalid_request_error", "max_tokens is too large for this model")
        if settings.rejects and settings.rejects in asked["messages"][-1]["content"]:
            return refusal(400, "context_length_exceeded", "the prompt is too long")
        return None

    def _answer(self, asked: Mapping[str, Any], protocol: str) -> web.Response:
        settings = self.settings
        text, is_refusal = self._text(asked)
        finish, written = "refusal" if is_refusal else settings.finish, 10 + settings.thinks
        if settings.thinks and asked["max_tokens"] <= settings.thinks:
            text, finish, written = "", "length", asked["max_tokens"]
        say = Say(
            text=text,
            finish=finish,
            think=settings.think,
            thinks=settings.thinks,
            tokens=(100, written) if settings.usage else None,
            cached=settings.cached,
        )
        return web.json_response(REPLIES[protocol](asked, say))

    def _text(self, asked: Mapping[str, Any]) -> tuple[str, bool]:
        """What is replied, and whether it is a refusal."""
        settings = self.settings
        prompt = asked["messages"][-1]["content"]
        if sentence := _SENTENCE.search(prompt):
            return _claims(sentence[2], settings)
        answer = _ANSWER.search(prompt)
        claims = [("1", answer[2])] if answer else _CLAIM.findall(prompt) or fenced_claims(prompt)
        offered = _OFFERED.search(prompt)
        labels = tuple(offered[1].split(", ")) if offered else LABELS
        if any(is_refused(text, settings.refused) for _, text in claims):
            return "I will not judge this.", True
        if answer:
            return _facts(answer[2], settings), False
        lines = [
            f"{number}: {verdict_of(text, labels)}"
            for number, text in claims
            if not is_malformed(text, settings.malformed)
        ]
        return "\n".join(lines[: settings.per_reply]) or "That is hard to tell.", False


def _claims(sentence: str, settings: Settings) -> tuple[str, bool]:
    """The claims of a sentence as a reply, and whether that is a refusal."""
    if is_refused(sentence, settings.refused):
        return "I will not split this.", True
    if is_malformed(sentence, settings.malformed):
        return "There is much to say here.", False
    return json.dumps({"claims": sentence.rstrip(".").split(" and ")}), False


def _facts(answer: str, settings: Settings) -> str:
    if is_malformed(answer, settings.malformed):
        return "That is hard to tell."
    invented = ["made up"] if is_invented(answer, settings.invented) else []
    return json.dumps({"facts": facts_in(answer) + invented})


def fenced_claims(prompt: str) -> list[tuple[str, str]]:
    """The claims of a rubric's prompt, with their numbers; a single one is number 1."""
    return [(found["number"] or "1", found["text"]) for found in _FENCED.finditer(prompt)]


def refusal(status: int, code: str, message: str) -> web.Response:
    """An answer that tells what is wrong."""
    return web.json_response(
        {"error": {"message": message, "type": code, "code": code}}, status=status
    )


def _changed(asked: Mapping[str, Any], **changes: Any) -> web.Response:
    """A good reply, with other values for some of its fields, or for its content."""
    answer = openai_reply(asked, Say(text="NOT_SUPPORTED"))
    if "content" in changes:
        answer["choices"][0]["message"]["content"] = changes.pop("content")
    return web.json_response(answer | changes)


def _soon(seconds: int) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


FAULTS: dict[str, Callable[[Mapping[str, Any]], web.Response]] = {
    **{
        str(status): lambda _, s=status: refusal(s, "no", "no")
        for status in (400, 401, 402, 403, 404, 503)
    },
    **{
        str(status): lambda _, s=status: web.Response(status=s, text="<html><title>Oops</title>")
        for status in (500, 529)
    },
    "429": lambda _: web.json_response({}, status=429, headers={"Retry-After": "1"}),
    "429-date": lambda _: web.json_response({}, status=429, headers={"Retry-After": _soon(1)}),
    "redirect": lambda _: web.Response(status=302, headers={"Location": "http://localhost:1/"}),
    "html": lambda _: web.Response(text="<html><title>Sign in</title>", content_type="text/html"),
    "empty": lambda _: web.Response(body=b"", content_type="application/json"),
    "malformed": lambda _: web.Response(body=b'{"choices": [', content_type="application/json"),
    "no JSON": lambda _: web.Response(body=b"\xff\xfe<html>"),
    "error-200": lambda _: web.json_response({"error": {"message": "upstream is busy"}}),
    "another shape": lambda _: web.json_response({"choices": [[{}], 3]}),
    "deep": lambda _: web.Response(body=b'{"choices":' + b"[" * 200_000),
    "null content": lambda asked: _changed(asked, content=None),
    "content is a number": lambda asked: _changed(asked, content=7),
    "absurd usage": lambda asked: _changed(asked, usage={"prompt_tokens": 10**30}),
    "negative usage": lambda asked: _changed(asked, usage={"prompt_tokens": -5}),
    "a long reply": lambda asked: _changed(asked, content="a " * 1_000_000),
    "escapes": lambda asked: _changed(asked, content="\x1b]0;\x07", model="\x1b[2J"),
}
"""What goes wrong with an answer, beside those that break off: `reset`, `truncated`, `slow`."""


async def _fault(request: web.Request, kind: str) -> web.StreamResponse:
    """Goes wrong in one of the ways that servers do."""
    if kind in FAULTS:
        return FAULTS[kind](await request.json())
    assert request.transport is not None
    if kind == "reset":
        request.transport.abort()
        return web.Response()
    return await _unfinished(request, slow=kind == "slow")


async def _unfinished(request: web.Request, *, slow: bool) -> web.StreamResponse:
    """A body that breaks off, or that comes a byte at a time and never ends."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = 5_000
    await response.prepare(request)
    await response.write(b'{"choices": [')
    while slow:
        await asyncio.sleep(0.05)
        await response.write(b" ")
    assert request.transport is not None
    request.transport.close()
    return response


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A server in a process of its own."""

    url: str
    pid: int

    @property
    def base_url(self) -> str:
        """What clients are given."""
        return f"{self.url}/v1"

    def stats(self) -> dict[str, Any]:
        """What it was asked since its settings were changed last."""
        with urllib.request.urlopen(f"{self.url}/_stats", timeout=60) as answer:
            told: dict[str, Any] = json.load(answer)
            return told

    def set(self, **settings: object) -> None:
        """Changes settings and starts counting anew."""
        self._post("/_settings", settings)

    def reset(self) -> None:
        """Brings back the settings that it was started with, and starts counting anew."""
        self._post("/_settings?anew", {})

    def _post(self, path: str, settings: Mapping[str, object]) -> None:
        request = urllib.request.Request(
            f"{self.url}{path}", json.dumps(settings).encode(), method="POST"
        )
        urllib.request.urlopen(request, timeout=60).close()


@contextmanager
def model_server(**settings: object) -> Iterator[Running]:
    """Runs the server in a process of its own."""
    with in_process(str(Path(__file__)), json.dumps(settings)) as running:
        yield running


@contextmanager
def in_process(*arguments: str, folder: Path | None = None) -> Iterator[Running]:
    """Runs Python in a process of its own, in a folder, until it prints what address it serves."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        addresses = (re.search(r"http://\S+", line) for line in process.stdout)
        address = next(filter(None, addresses), None)
        assert address, "the server did not start"
        yield Running(url=address[0], pid=process.pid)
    finally:
        process.stdin.close()
        process.kill()
        process.wait()
        process.stdout.close()


async def serve(app: web.Application) -> None:
    """Serves until standard input closes; prints the address."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(ModelServer(Settings(**json.loads(sys.argv[1]))).app()))
