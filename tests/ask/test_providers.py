"""What each provider demands and answers, by exchanges over a socket; and keys, proxies, caches."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from factmark.ask.budget import Account
from factmark.ask.chat import CUT, Failure, Message, Reply, Request, Tool, ToolCall
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import PROVIDERS as OURS
from factmark.ask.model_spec import ModelSpec
from factmark.ask.prices import Price
from factmark.errors import EndpointError, InputError
from factmark.http.retries import RetryPolicy
from judging_setup import at_once
from servers.providers import (
    KEY,
    PROVIDERS,
    Answer,
    Playing,
    completion,
    playing,
)
from servers.scripted import says, scripted

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["SUPPORTED", "NOT_SUPPORTED"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
PLAIN = Request.of("Does the passage support it?", system="Judge.")
STRUCTURED = replace(PLAIN, schema=SCHEMA)
PRICE = Price(input=1.0, output=10.0, cached=0.1, written=1.25)
EACH = pytest.mark.parametrize("name", PROVIDERS)


def having(case: str) -> pytest.MarkDecorator:
    """The providers that have such a case."""
    return pytest.mark.parametrize("name", [n for n, p in PROVIDERS.items() if case in p.answers])


class Asked:
    """What came of requests to a provider."""

    def __init__(self, client: ChatClient, server: Playing, waits: list[float]) -> None:
        self.client, self.server, self.waits = client, server, waits

    async def reply(self, request: Request = PLAIN) -> Reply:
        outcome = await self.client.ask(request)
        assert isinstance(outcome, Reply), outcome
        return outcome


@pytest.fixture
def ask(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Asks a provider that gives some answers, and looks that it understood all requests."""
    monkeypatch.setenv("THE_KEY", KEY)
    for variable in ("OPENAI_API_VERSION", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(variable, raising=False)

    @asynccontextmanager
    async def asking(
        name: str, *answers: str | Answer, picky: bool = False, **parameters: Any
    ) -> Any:
        provider, waits = PROVIDERS[name], []
        script = [provider.answers[a] if isinstance(a, str) else a for a in answers]

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        async with playing(provider, *script, picky=picky) as server:
            named = "THE_KEY" if provider.key[1] else None
            spec = ModelSpec.parse(provider.model, base_url=server.url, key_env=named, **parameters)
            spec = spec.speaking(provider.speaks)
            policy = RetryPolicy(sleep=sleep, jitter=lambda: 0.0)
            account = Account(price=PRICE)
            async with ChatClient(spec, account=account, faults=policy) as client:
                yield Asked(client, server, waits)
            assert server.wrong == []

    return asking


def test_every_provider_is_played() -> None:
    behind_servers = {name for name, provider in OURS.items() if not provider.in_process}
    assert {provider.model.partition(":")[0] for provider in PROVIDERS.values()} == behind_servers


KINDS = ("plain", "refusal", "filter", "cut", "context full")


@pytest.mark.parametrize(
    ("name", "case"),
    [(n, kind) for n, p in PROVIDERS.items() for kind in KINDS if kind in p.answers],
)
async def test_each_kind_of_reply(ask: Any, name: str, case: str) -> None:
    async with ask(name, case) as asked:
        reply = await asked.reply(STRUCTURED if case == "filter" else PLAIN)
        assert reply.refused == (case in ("refusal", "filter"))
        assert (reply.finish_reason in CUT) == (case in ("cut", "context full"))
        assert case != "filter" or reply.finish_reason == "content_filter"
        assert len(asked.server.bodies) == 1
        if case == "plain":
            assert (reply.text, reply.model) == ("SUPPORTED", "m-0001")
            assert (reply.usage.input, reply.usage.output) == (20, 4)
            assert asked.client.notes == ()


@EACH
async def test_a_structured_reply_in_each_ones_own_form(ask: Any, name: str) -> None:
    async with ask(name, "structured") as asked:
        assert json.loads((await asked.reply(STRUCTURED)).text) == {"verdict": "SUPPORTED"}
        assert {"response_format", "output_config", "text"} & asked.server.bodies[0].keys()
        assert asked.client.notes == ()


@EACH
async def test_a_server_that_does_not_keep_to_the_schema_is_told_once(ask: Any, name: str) -> None:
    async with ask(name, "plain") as asked:
        for number in range(3):
            assert (await asked.reply(replace(STRUCTURED, sample=number))).text == "SUPPORTED"
        (note,) = asked.client.notes
        assert "does not keep to it" in note


@having("rate limit")
async def test_a_rate_limit_is_waited_for_as_long_as_it_says(ask: Any, name: str) -> None:
    async with ask(name, "rate limit", "plain") as asked:
        await asked.reply()
        assert asked.waits == [pytest.approx(1.0, abs=0.2)]


@pytest.mark.parametrize(
    ("name", "case"), [*((name, "overload") for name in PROVIDERS), ("openrouter", "broken off")]
)
async def test_an_overloaded_server_is_asked_again(ask: Any, name: str, case: str) -> None:
    async with ask(name, case, "plain") as asked:
        assert (await asked.reply()).text == "SUPPORTED"
        assert len(asked.waits) == 1


FINAL = {"bad key": "THE_KEY", "no money": "no credit|quota is used up", "no model": "Check the"}


@pytest.mark.parametrize(
    ("name", "case"),
    [(n, case) for n, p in PROVIDERS.items() for case in FINAL if case in p.answers],
)
async def test_what_no_request_can_get_past_is_no_wait(ask: Any, name: str, case: str) -> None:
    async with ask(name, case) as asked:
        with pytest.raises(EndpointError, match=FINAL[case]) as caught:
            await asked.client.ask(STRUCTURED)
        assert KEY not in str(caught.value)
        assert len(asked.server.bodies) == 1


@pytest.mark.parametrize(
    ("name", "case"), [*((name, "too long") for name in PROVIDERS), ("anthropic", "too large")]
)
async def test_a_prompt_that_is_too_long_fails_alone_and_is_not_sent_again(
    ask: Any, name: str, case: str
) -> None:
    async with ask(name, case, "structured") as asked:
        outcome = await asked.client.ask(STRUCTURED)
        assert isinstance(outcome, Failure)
        assert outcome.rejected
        assert len(asked.server.bodies) == 1
        assert not (await asked.reply(STRUCTURED)).refused
        assert asked.client.notes == ()


@pytest.mark.parametrize("name", [n for n, p in PROVIDERS.items() if p.refuses])
async def test_what_a_provider_refuses_is_left_out_and_told_once(ask: Any, name: str) -> None:
    refused = set(PROVIDERS[name].refuses)
    async with ask(name, "structured", picky=True, temperature=0.0) as asked:
        for number in range(2):
            await asked.reply(replace(STRUCTURED, sample=number))
        *_, before, last = asked.server.bodies
        assert len(asked.server.bodies) == 2 + len(refused)
        assert not refused & (before.keys() | last.keys())
        assert [
            any(field in note for note in asked.client.notes) for field in refused - {"max_tokens"}
        ] == [True]
        assert {"response_format", "output_config", "text"} & last.keys()


async def test_keywords_of_schemas_that_gemini_does_not_know_are_left_out(ask: Any) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"$schema": {"type": "string"}},
    }
    where = "tools[0].function_declarations[0].parameters"
    error = {
        "code": 400,
        "status": "INVALID_ARGUMENT",
        "message": (
            f"Invalid JSON payload received. Unknown name \"$schema\" at '{where}': "
            "Cannot find field."
        ),
    }
    request = replace(PLAIN, tools=(Tool(name="look", description="", schema=schema),))
    async with ask("gemini", Answer(status=400, body=[{"error": error}]), "plain") as asked:
        await asked.reply(request)
        sent = asked.server.bodies[-1]["tools"][0]["function"]["parameters"]
    assert sent == {"type": "object", "properties": {"$schema": {"type": "string"}}}


@EACH
async def test_cached_and_thought_tokens_are_in_the_cost(ask: Any, name: str) -> None:
    provider = PROVIDERS[name]
    async with ask(name, "usage") as asked:
        assert (await asked.reply()).usage == provider.usage
        spend = asked.client.account.spend
        assert spend.cost == pytest.approx(provider.cost)
        assert spend.cached_tokens == provider.usage.cached


async def test_what_openrouter_charged_is_the_cost_where_no_price_is_known() -> None:
    provider = PROVIDERS["openrouter"]
    async with playing(provider, provider.answers["usage"], provider.answers["plain"]) as server:
        spec = ModelSpec.parse(provider.model, base_url=server.url)
        async with ChatClient(spec, account=Account()) as client:
            assert client.account.spend.cost is None
            await client.ask(PLAIN)
            assert client.account.spend.cost == 0.95
            await client.ask(STRUCTURED)
            assert client.account.spend.cost is None  # it told nothing of that one


def marks(body: Any) -> int:
    """How often something is to be cached."""
    return json.dumps(body).count("cache_control")


async def test_anthropic_is_asked_to_cache_what_requests_share(ask: Any) -> None:
    long = Request.of("Question?", system="rule " * 500)
    tool = Tool(name="look", description="words " * 500, schema={"type": "object"})
    call = ToolCall(id="1", name="look", arguments="{}")
    turns = (
        *PLAIN.messages,
        Message(role="assistant", content="", tool_calls=(call,)),
        Message(role="tool", content="a result", call_id="1"),
    )
    calling = replace(PLAIN, messages=turns, tools=(tool,))
    text = "passage " * 500 + "Question?"
    given = replace(PLAIN, messages=(Message(role="user", content=text, shared=4_000),))
    async with ask("anthropic", "plain") as asked:
        for request in (PLAIN, long, calling, replace(calling, closing=True), given):
            await asked.reply(request)
        *bodies, passages = asked.server.bodies
        short, shared, going, closing = bodies
    start, rest = passages["messages"][0]["content"]
    assert (start["text"], rest) == (text[:4_000], {"type": "text", "text": "Question?"})
    assert start["cache_control"] == {"type": "ephemeral"}
    assert [marks(body) for body in (short, shared, going, closing)] == [0, 1, 2, 1]
    assert shared["system"][-1]["cache_control"] == {"type": "ephemeral"}
    assert going["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    assert closing["system"] == going["system"]


async def test_a_server_that_knows_no_cache_control_gets_none(ask: Any) -> None:
    error = {"type": "invalid_request_error", "message": "system.0.cache_control: Extra inputs"}
    refusal = Answer(status=400, body={"type": "error", "error": error})
    async with ask("anthropic", refusal, "plain") as asked:
        await asked.reply(Request.of("Question?", system="rule " * 500))
        assert [marks(body) for body in asked.server.bodies] == [1, 0]
        assert "cache_control" in asked.client.notes[0]


async def through_proxy(
    base_url: str, monkeypatch: pytest.MonkeyPatch, user: str = ""
) -> tuple[Any, list[str], list[Any]]:
    """The outcome of a request where HTTP_PROXY is set; the proxy's URLs and headers."""
    body = json.dumps(completion("YES"))
    async with scripted(says(body, media="application/json")) as proxy:
        address = proxy.url.removesuffix("/sparql").replace("http://", f"http://{user}")
        monkeypatch.setenv("HTTP_PROXY", address)
        policy = RetryPolicy(attempts=1, sleep=at_once)
        spec = ModelSpec.parse("openai:m", base_url=base_url)
        async with ChatClient(spec, faults=policy) as client:
            (outcome,) = await asyncio.gather(client.ask(PLAIN), return_exceptions=True)
        return outcome, [str(r.url) for r in proxy.requests], [r.headers for r in proxy.requests]


async def test_the_proxy_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "netrc").write_text("default login me password sesame\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    url = "http://models.invalid:8000/v1"
    outcome, urls, (headers,) = await through_proxy(url, monkeypatch, "me:sesame@")
    assert (outcome.text, urls) == ("YES", [f"{url}/chat/completions"])
    assert "Proxy-Authorization" in headers
    assert "Authorization" not in headers  # nothing of .netrc


@pytest.mark.parametrize("no_proxy", ["models.invalid", "*"])
async def test_no_proxy_is_kept_to(monkeypatch: pytest.MonkeyPatch, no_proxy: str) -> None:
    monkeypatch.setenv("NO_PROXY", no_proxy)
    outcome, urls, _ = await through_proxy("http://models.invalid/v1", monkeypatch)
    assert isinstance(outcome, EndpointError)
    assert urls == []


async def test_this_machines_servers_are_never_asked_by_a_proxy(
    monkeypatch: pytest.MonkeyPatch, ask: Any
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://me:sesame@127.0.0.1:9")
    async with ask("ollama", "plain") as asked:
        await asked.reply()
    policy = RetryPolicy(attempts=1, sleep=at_once)
    spec = ModelSpec.parse("openai:m", base_url="http://models.invalid/v1")
    async with ChatClient(spec, faults=policy) as client:
        with pytest.raises(EndpointError, match=r"by the proxy http://127\.0\.0\.1:9") as error:
            await client.ask(PLAIN)
    assert "sesame" not in str(error.value)
    monkeypatch.setenv("HTTP_PROXY", "socks5://127.0.0.1:9")
    async with ChatClient(spec, faults=policy) as client:
        with pytest.raises(InputError, match="HTTP_PROXY"):
            await client.ask(PLAIN)
