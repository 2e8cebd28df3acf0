"""A client against a real server: what goes over the wire, and all that can go wrong on it."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import web

from factmark.ask.budget import Account, Budget
from factmark.ask.chat import Failure, Reply, Request, Tool
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.pace import Rates
from factmark.ask.prices import Price
from factmark.errors import EndpointError, InputError
from factmark.http.retries import RetryPolicy
from factmark.http.secret import Secret
from factmark.redaction import redacted_bytes
from judging_setup import QUICK, at_once
from servers.model_server import Running
from servers.scripted import Answer, Scripted, says, scripted

CLAIM = "CLAIM 1: insulin lowers glucose"
SCHEMA = {"type": "object", "properties": {"verdict": {"type": "string"}}}
KEY = "sk-test-0123456789"
PROVIDERS = ["openai", "anthropic"]


def at(server: Running, provider: str = "openai", **parameters: Any) -> ModelSpec:
    return ModelSpec.parse(f"{provider}:judge", base_url=server.base_url, **parameters)


async def asked(
    spec: ModelSpec, request: Request | None = None, **options: Any
) -> Reply | Failure | None:
    options = {"faults": QUICK} | options
    async with ChatClient(spec, **options) as client:
        return await client.ask(request or Request.of(CLAIM, system="Judge."))


async def reply(spec: ModelSpec, request: Request | None = None, **options: Any) -> Reply:
    got = await asked(spec, request, **options)
    assert isinstance(got, Reply), got
    return got


async def failure(spec: ModelSpec, **options: Any) -> Failure:
    got = await asked(spec, **options)
    assert isinstance(got, Failure), got
    assert "\n" not in got.reason
    assert len(got.reason) < 600
    return got


async def test_what_is_sent_to_openai(server: Running) -> None:
    spec = at(server, temperature=0.5, top_p=0.9, seed=3, max_tokens=7, extra={"top_k": 1})
    request = replace(Request.of("Say", system="Sys"), schema=SCHEMA, sample=2)
    await reply(spec, request)
    assert server.stats()["last"] == {
        "model": "judge",
        "messages": [{"role": "system", "content": "Sys"}, {"role": "user", "content": "Say"}],
        "max_tokens": 7,
        "temperature": 0.5,
        "top_p": 0.9,
        "seed": 5,
        "top_k": 1,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "reply", "strict": True, "schema": SCHEMA},
        },
    }


async def test_what_is_sent_to_anthropic(server: Running) -> None:
    spec = at(server, "anthropic", temperature=None, max_tokens=7)
    await reply(spec, replace(Request.of("Say", system="Sys"), schema=SCHEMA))
    assert server.stats()["last"] == {
        "model": "judge",
        "system": "Sys",
        "messages": [{"role": "user", "content": "Say"}],
        "max_tokens": 7,
        "output_config": {"format": {"type": "json_schema", "schema": SCHEMA}},
    }


@pytest.mark.parametrize(
    "kind",
    ["500", "reset", "truncated", "malformed", "html", "empty"],
)
async def test_what_stays_fails_after_so_many_attempts(server: Running, kind: str) -> None:
    server.set(faults=[kind], fault_share=1.0)
    policy = RetryPolicy(attempts=3, longest_wait=5, sleep=at_once)
    got = await failure(at(server), faults=policy)
    assert got.attempts == 3
    assert server.stats()["requests"] == 3


def error(status: int, message: str = "no") -> Answer:
    body = json.dumps({"error": {"message": message}})
    return says(body, status=status, media="application/json")


def said(text: str | None, **fields: Any) -> Answer:
    body = {"choices": [{"message": {"content": text}}], **fields}
    return says(json.dumps(body), media="application/json")


async def outcomes(
    script: Sequence[Answer], number: int, *, schema: bool = False, **options: Any
) -> tuple[str, str, Scripted, tuple[str, ...]]:
    """What came of calls one after the other: `+` a reply, `-` a failure, `.` not asked."""
    signs = ""
    async with scripted(*script) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url)
        async with ChatClient(spec, faults=QUICK, **options) as client:
            for n in range(number):
                request = replace(Request.of(f"{n}"), schema=SCHEMA if schema else None)
                got = await client.ask(request)
                signs += "." if got is None else "+" if isinstance(got, Reply) else "-"
        return signs, client.account.exhausted, server, client.notes


@pytest.mark.parametrize("status", [401, 403, 404])
async def test_one_refusal_among_replies_is_that_calls_failure(status: int) -> None:
    signs, stopped, *_ = await outcomes([said("a"), error(status), said("b")], 4)
    assert (signs, stopped) == ("+-++", "")


async def test_a_refusal_before_any_reply_waits_for_calls_that_are_not_sent_yet() -> None:
    async with scripted(error(403), said("yes")) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url)
        async with ChatClient(spec) as client, client.slots:  # as one does that waits for its lease
            refused = asyncio.create_task(client.ask(Request.of("0")))
            await asyncio.wait([refused], timeout=0.3)
            assert isinstance(await client.ask_now(Request.of("1")), Reply)
        assert isinstance(await refused, Failure)


async def test_where_all_are_refused_before_any_reply_no_more_is_asked() -> None:
    async with scripted(error(403)) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url)
        async with ChatClient(spec, rates=Rates(concurrency=4)) as client:
            asking = (client.ask(Request.of(f"{n}")) for n in range(40))
            ends = await asyncio.gather(*asking, return_exceptions=True)
        assert {type(end) for end in ends} == {EndpointError}
        assert len(server.requests) == 4


async def test_so_many_failures_in_a_row_stop_whatever_they_are() -> None:
    script = [said("a"), error(401), error(403), said("b"), error(404), error(401), error(403)]
    signs, stopped, *_ = await outcomes(script, 9, max_failures=3)
    assert signs == "+--+---.."
    assert "3 calls in a row failed" in stopped
    assert "403" in stopped


async def test_a_server_that_hangs_stops_a_run_by_the_time_that_it_took() -> None:
    async def hanging(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(10)
        raise AssertionError("the client has gone")

    rates = Rates(timeout=0.05)
    signs, stopped, *_ = await outcomes([said("a"), hanging], 9, max_failures=20, rates=rates)
    assert signs == "+--......"
    assert "2 calls in a row failed" in stopped
    assert "within 0.05" in stopped


async def test_questions_that_a_server_finds_wrong_stop_nothing_once_it_has_replied() -> None:
    script = [said("a"), *[error(400, "too long")] * 6, said("b")]
    assert (await outcomes(script, 8, max_failures=3, schema=False))[0] == "+------+"
    signs, stopped, *_ = await outcomes([error(400, "too long")], 5, max_failures=3)
    assert (signs, "too long" in stopped) == ("---..", True)


@pytest.mark.parametrize("first", [True, False])
async def test_one_stray_400_does_not_end_structured_output(first: bool) -> None:
    stray, good = error(400, "bad gateway input"), said("{}")
    script = [stray, good] if first else [good, stray, good]
    signs, _, server, notes = await outcomes(script, 4, schema=True)
    assert (signs, notes) == ("++++", ())
    assert sum("response_format" in json.loads(body) for body in server.bodies) == 4


async def test_a_server_that_never_takes_a_schema_and_does_not_say_so_is_found_out() -> None:
    async def picky(request: web.Request) -> web.StreamResponse:
        asked = json.loads(await request.read())
        return await (error(400) if "response_format" in asked else said("a"))(request)

    signs, _, server, notes = await outcomes([picky], 10, schema=True)
    assert signs == "+" * 10
    assert sum("response_format" in json.loads(body) for body in server.bodies) == 3
    assert len(notes) == 1


@pytest.mark.parametrize("tokens", [10**30, 2**63, -5, True, "7", 1e300])
async def test_tokens_that_cannot_be_are_estimated(tokens: object) -> None:
    usage = {"prompt_tokens": tokens, "completion_tokens": tokens}
    async with scripted(said("yes", usage=usage)) as server:
        got = await reply(ModelSpec.parse("openai:m", base_url=server.url))
    assert got.usage is not None
    assert got.usage.estimated
    assert 0 < got.usage.input < 100


async def test_a_message_without_content_is_a_reply_without_an_answer() -> None:
    async with scripted(said(None)) as server:
        got = await reply(ModelSpec.parse("openai:m", base_url=server.url))
        assert (got.unanswered, len(server.requests)) == (True, 1)
    for blocks in ([], [{"type": "thinking", "thinking": "hm", "signature": "s"}]):
        body = says(json.dumps({"content": blocks}), media="application/json")
        async with scripted(body) as server:
            assert (await reply(ModelSpec.parse("anthropic:m", base_url=server.url))).unanswered
    cut = {"choices": [{"message": {"content": None}, "finish_reason": "length"}]}
    async with scripted(says(json.dumps(cut), media="application/json")) as server:
        assert (await reply(ModelSpec.parse("openai:m", base_url=server.url))).text == ""


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
@pytest.mark.parametrize("before", ["", "B", "Be", "Authorization: Bearer ", "Bearer "])
@pytest.mark.parametrize("after", ["", "\n", "xy"])
def test_a_key_is_struck_out_in_base64_too(
    encode: Callable[[bytes], bytes], before: str, after: str
) -> None:
    key = "sk-test~0123?>456789"
    echo = b"[" + encode(f"{before}{key}{after}".encode()) + b"]"
    Secret(key)
    hidden = redacted_bytes(echo)
    left = hidden.replace(b"***", b"")[1:-1]
    assert b"***" in hidden
    assert len(left) <= len(encode(f"{before}{after}".encode())) + 8  # what is at the seams
    assert redacted_bytes(b"eyJub3RoaW5nIjogMX0=") == b"eyJub3RoaW5nIjogMX0="


@pytest.mark.parametrize("scheme", ["", "Bearer ", "basic ", "Token  "])
def test_a_key_is_struck_out_without_its_scheme_and_plain_words_are_not(scheme: str) -> None:
    echo = f"wrong key: sk-test-0123456789 ({scheme})".encode()
    Secret(f"{scheme}sk-test-0123456789")
    assert b"0123456789" not in redacted_bytes(echo)
    for plain in ("none", "research", "no-key-needed"):
        Secret(f"{scheme}{plain}")
        assert redacted_bytes(plain.encode()) == plain.encode()


@pytest.mark.parametrize(
    ("status", "error", "told"),
    [
        (403, {"message": "no"}, "--key-env"),
        (404, {"message": "no"}, "--base-url"),
        (308, {}, "--base-url"),
    ],
)
async def test_what_cannot_work_says_what_to_do(
    status: int, error: dict[str, str], told: str
) -> None:
    body = says(json.dumps({"error": error}), status=status, media="application/json")
    async with scripted(body) as script:
        with pytest.raises(EndpointError, match=told):
            await asked(ModelSpec.parse("openai:m", base_url=script.url))
        assert len(script.requests) == 1


@pytest.mark.parametrize(
    ("provider", "said", "left_out"),
    [
        ("openai", "top_p is not supported", "top_p"),
        ("anthropic", "`top_p` is deprecated for this model.", "top_p"),
        ("openai", "tool_choice must be auto", "tool_choice"),
        ("openai", "response_format is not supported here", "response_format"),
    ],
)
async def test_what_a_server_does_not_take_is_left_out_from_then_on(
    provider: str, said: str, left_out: str
) -> None:
    refusal = says(json.dumps({"error": {"message": said}}), status=400, media="application/json")
    reply = {
        "openai": {"choices": [{"message": {"content": "yes"}}]},
        "anthropic": {"content": [{"type": "text", "text": "yes"}]},
    }[provider]
    good = says(json.dumps(reply), media="application/json")
    tool = Tool(name="look", description="", schema={"type": "object"})
    schema = SCHEMA if left_out == "response_format" else None
    request = replace(Request.of(CLAIM), tools=(tool,), closing=True, schema=schema)
    async with scripted(refusal, good) as script:
        spec = ModelSpec.parse(f"{provider}:m", base_url=script.url, top_p=0.5)
        async with ChatClient(spec) as client:
            for _ in range(2):
                assert isinstance(await client.ask(request), Reply)
            (note,) = client.notes
        sent = [left_out in json.loads(body) for body in script.bodies]
    assert left_out.replace("response_format", "JSON schema") in note
    assert sent == [True, False, False]


async def test_a_complaint_about_what_is_not_sent_is_not_answered_for_ever() -> None:
    error = {"error": {"message": "ByteDance/Seed-OSS-36B cannot do that"}}
    async with scripted(says(json.dumps(error), status=400, media="application/json")) as script:
        got = await asked(ModelSpec.parse("openai:m", base_url=script.url))
        assert isinstance(got, Failure)
        assert len(script.requests) == 2  # once without the seed


async def test_the_providers_own_address_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(InputError, match="OPENAI_API_KEY"):
        ChatClient(ModelSpec.parse("openai:gpt-4o"))


@pytest.mark.parametrize(
    "body",
    [
        "[]",
        "7",
        '"x"',
        "null",
        "{}",
        '{"choices": []}',
        '{"choices": null}',
        '{"choices": [{"message": {"content": 7}}]}',
        '{"choices": [{"message": "x"}]}',
        '{"choices": [7]}',
        '{"choices": [{"message": {"content": [7]}}]}',
        "[" * 100_000,
    ],
)
async def test_json_of_another_kind(body: str) -> None:
    async with scripted(says(body, media="application/json")) as script:
        for provider in PROVIDERS:
            await failure(ModelSpec.parse(f"{provider}:m", base_url=script.url))


async def test_so_many_at_a_time_and_no_more(server: Running) -> None:
    server.set(latency=0.02)
    async with ChatClient(at(server), rates=Rates(concurrency=5)) as client:
        await asyncio.gather(*(client.ask(Request.of(f"{n}")) for n in range(30)))
    assert server.stats()["most_in_flight"] == 5


async def test_a_bound_on_cost(server: Running) -> None:
    price = Price(input=1.0, output=100.0)  # 100 and 10 tokens: 0.0011 a call
    account = Account(Budget(max_cost=0.0111), price)
    async with ChatClient(at(server), account=account) as client:
        got = await asyncio.gather(*(client.ask(Request.of(f"{n}")) for n in range(50)))
    assert account.spend.cost == pytest.approx(0.011)
    assert sum(isinstance(g, Reply) for g in got) == 10
    assert "--max-cost" in account.exhausted


async def test_a_wrong_key_stops_at_once(server: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    server.set(key="another-key")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with ChatClient(at(server, key_env="OPENAI_API_KEY"), faults=QUICK) as client:
        for _ in range(2):
            with pytest.raises(EndpointError, match="OPENAI_API_KEY") as caught:
                await client.ask(Request.of(CLAIM))
            assert KEY not in repr(caught.value)
        assert KEY not in repr(vars(client))
    assert server.stats()["requests"] == 1
