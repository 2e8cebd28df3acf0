"""What comes of a call: whose fault an error is, whether waiting helps, and what was paid."""

from __future__ import annotations

import asyncio
import json
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from factmark.ask.asker import ask_about_each
from factmark.ask.budget import Budget
from factmark.ask.chat import Failure, Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.left_out import is_instance
from factmark.ask.outcomes.table import error_kinds
from factmark.ask.prices import Price
from factmark.ask.protocols.openai import read
from factmark.ask.responses import RejectedError, RunEndedError, reply_of
from factmark.errors import EndpointError
from factmark.http.client import Response
from factmark.http.retries import (
    AbsentServerError,
    RateLimitError,
    RetryPolicy,
    TransientError,
    retry_seconds,
)
from factmark.model import Judge
from judging_setup import QUICK, judged, rows
from servers.scripted import Answer, says, scripted

CASES = tomllib.loads(Path(__file__).with_name("outcome_cases.toml").read_text("utf-8"))["case"]
USAGE = {"prompt_tokens": 400, "completion_tokens": 30}
PRICE = Price(input=1.0, output=10.0)  # of a million tokens
EACH = (400 * 1.0 + 30 * 10.0) / 1e6  # dollars of a reply with that usage
SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["YES", "NO"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}
RAISED = {"turn": RateLimitError, "back": AbsentServerError, "soon": TransientError}


def error_body(body: object) -> bytes:
    given = body if isinstance(body, dict) else {"error": {"message": body}}
    return json.dumps(given).encode()


def raised_by(status: int, body: object, **headers: str) -> EndpointError:
    spec = ModelSpec.parse("openai:m", base_url="http://h/v1")
    response = Response(status=status, headers=headers, body=error_body(body))
    with pytest.raises(EndpointError) as caught:
        reply_of(response, spec, read)
    return caught.value


def as_json(payload: object, status: int = 200, **headers: str) -> Answer:
    return says(json.dumps(payload), status=status, media="application/json", **headers)


def completion(content: object, finish: str = "stop", **message: object) -> dict[str, Any]:
    choice = {"index": 0, "message": {"content": content, **message}, "finish_reason": finish}
    return {"choices": [choice], "usage": USAGE}


@pytest.mark.parametrize(
    "case", CASES, ids=lambda case: f"{case['kind']}: {str(case['body'])[:40]}"
)
def test_each_error_is_of_its_kind_and_treated_as_the_table_says(case: dict[str, Any]) -> None:
    kinds = [kind for kind in error_kinds() if kind.name == case["kind"]]
    kind = kinds[0]
    if kind.name == "refused":
        response = Response(status=case["status"], headers={}, body=error_body(case["body"]))
        reply = reply_of(response, ModelSpec.parse("openai:m", base_url="http://h/v1"), read)
        assert (reply.refused, reply.usage and reply.usage.output) == (True, 0)
        return
    error = raised_by(case["status"], case["body"])
    if kind.ends:
        assert isinstance(error, RunEndedError)
    elif kind.wait != "never":
        there = case["status"] == 200 and kind.wait == "back"
        assert type(error) is (TransientError if there else RAISED[kind.wait])
    elif kind.whose in ("request", "model"):
        assert isinstance(error, RejectedError)
        assert error.kind == kind.name
    else:
        assert type(error) is EndpointError
    assert any(each.advice.partition("{")[0] in str(error) for each in kinds)


def test_every_row_of_the_table_has_a_case() -> None:
    assert {kind.name for kind in error_kinds()} == {case["kind"] for case in CASES}


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("Please try again in 7m12s.", 432),
        ("Please try again in 1.2s", 1.2),
        ("please retry after 2 seconds", 2),
        ("try again in 350ms", 0.35),
        ("wait in 15m", 900),
        ("try again later", None),
    ],
)
def test_a_wait_in_words_is_kept_to(words: str, seconds: float | None) -> None:
    error = raised_by(429, f"slow: {words}")
    assert isinstance(error, RateLimitError)
    assert retry_seconds(error.retry_after) == seconds


def test_a_quota_says_when_it_may_go_on() -> None:
    error = raised_by(429, "tokens per day (TPD): Limit 9", **{"Retry-After": "864"})
    assert isinstance(error, RunEndedError)
    assert "may go on at" in str(error)
    assert isinstance(raised_by(429, "slow", **{"Retry-After": "90000"}), RunEndedError)


async def test_a_quota_at_its_end_ends_a_run_that_had_replies_and_leaves_the_rest(
    ledger: Path,
) -> None:
    full = as_json({"error": {"message": "requests per day (RPD): Limit 2, Used 2"}}, 429)
    good = as_json(completion("1: SUPPORTED"))
    async with scripted(good, good, full) as server:
        progress = await judged(server.url, ledger, 30, batch=1, concurrency=1)
    assert (progress.verdicts["ok"], progress.left) == (2, 28)
    assert "day's quota" in progress.spend.stopped
    assert len(server.requests) == 3


async def test_what_is_paid_is_booked_and_an_empty_reply_is_asked_for_once_more(
    ledger: Path,
) -> None:
    async with scripted(as_json(completion(None))) as server:
        progress = await judged(
            server.url,
            ledger,
            30,
            batch=1,
            price=PRICE,
            budget=Budget(max_cost=0.005),
            concurrency=1,
        )
        billed = len(server.requests) * EACH
    assert progress.spend.cost == pytest.approx(billed)
    assert billed <= 0.005
    asked = rows(ledger, "SELECT count(*), total(cost) FROM calls")
    assert asked == [(len(server.requests), pytest.approx(billed))]
    assert "ok" not in progress.verdicts


async def test_refusals_that_cost_nothing_tell_nothing_of_what_a_reply_costs(ledger: Path) -> None:
    filtered = as_json({"error": {"code": "content_filter", "message": "no"}}, 400)
    good = as_json(completion("1: SUPPORTED"))
    async with scripted(filtered, filtered, good) as server:
        budget = Budget(max_cost=0.005)
        progress = await judged(server.url, ledger, 60, batch=1, price=PRICE, budget=budget)
        billed = (len(server.requests) - 2) * EACH
    assert progress.verdicts["refused"] == 2
    assert progress.spend.cost == pytest.approx(billed)
    assert billed <= 0.005


@pytest.mark.parametrize(
    "payload",
    [
        completion("SUPPORTED would need", finish="error"),
        {**completion("SUPPORTED"), "error": {"message": "upstream broke off"}},
        {"choices": [7], "usage": USAGE},
    ],
)
async def test_a_reply_that_broke_off_is_paid_asked_once_more_and_no_verdict(
    ledger: Path, payload: dict[str, Any]
) -> None:
    async with scripted(as_json(payload)) as server:
        progress = await judged(server.url, ledger, 1, batch=1, price=PRICE)
        assert len(server.requests) == 2
    assert progress.verdicts == {"failed": 1}
    assert progress.spend.cost == pytest.approx(2 * EACH)
    assert rows(ledger, "SELECT total(cost) FROM calls") == [(pytest.approx(2 * EACH),)]


async def test_one_request_that_is_always_refused_does_not_hold_the_others() -> None:
    waits: list[float] = []
    loop = asyncio.get_running_loop()
    passed = 0.0
    real = loop.time

    async def sleep(seconds: float) -> None:
        nonlocal passed
        waits.append(seconds)
        passed += seconds
        await asyncio.sleep(0)

    async def picky(request: web.Request) -> web.StreamResponse:
        bad = "3" in json.loads(await request.read())["messages"][-1]["content"]
        answer = as_json({}, 503) if bad else as_json(completion("yes"))
        return await answer(request)

    loop.time = lambda: real() + passed  # type: ignore[method-assign]
    try:
        async with scripted(picky) as server:
            spec = ModelSpec.parse("openai:m", base_url=server.url)
            async with ChatClient(spec, faults=RetryPolicy(attempts=6, sleep=sleep)) as client:
                asked = (client.ask(Request.of(f"{n}")) for n in range(8))
                outcomes = await asyncio.gather(*asked)
    finally:
        loop.time = real  # type: ignore[method-assign]
    assert [type(outcome) for outcome in outcomes].count(Failure) == 1
    assert sum(waits) < 60


async def test_a_long_wait_is_said_with_its_end() -> None:
    lines: list[str] = []
    slow = as_json({"error": {"message": "slow"}}, 429, Retry_After="40")
    async with scripted(slow, as_json(completion("yes"))) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url)
        async with ChatClient(spec, faults=QUICK, tell=lines.append) as client:
            assert isinstance(await client.ask(Request.of("?")), Reply)
    assert [line for line in lines if "waiting until" in line]


async def exchanged(
    answer: Callable[[dict[str, Any]], Answer], request: Request, times: int = 1, **spec: Any
) -> tuple[list[Any], list[dict[str, Any]], tuple[str, ...]]:
    """The outcomes of requests, the bodies that were sent, and the notes."""
    bodies: list[dict[str, Any]] = []

    async def serve(sent: web.Request) -> web.StreamResponse:
        bodies.append(json.loads(await sent.read()))
        return await answer(bodies[-1])(sent)

    async with scripted(serve) as server:
        model = ModelSpec.parse("openai:m", base_url=server.url, **spec)
        async with ChatClient(model, faults=QUICK) as client:
            outcomes = [await client.ask(replace(request, sample=n)) for n in range(times)]
            return outcomes, bodies, client.notes


async def test_a_model_without_a_system_role_gets_it_in_the_users_turn() -> None:
    def answer(body: dict[str, Any]) -> Answer:
        if body["messages"][0]["role"] == "system":
            return as_json({"error": {"message": "System role not supported"}}, 500)
        return as_json(completion("yes"))

    outcomes, bodies, notes = await exchanged(answer, Request.of("Is it?", system="Judge."), 2)
    assert all(isinstance(outcome, Reply) for outcome in outcomes)
    assert bodies[1]["messages"] == [{"role": "user", "content": "Judge.\n\nIs it?"}]
    assert len(bodies) == 3  # the second request knows
    assert len(notes) == 1


@pytest.mark.parametrize("where", ["reasoning", "reasoning_content"])
async def test_json_in_the_reasoning_counts_and_three_such_drop_the_schema(where: str) -> None:
    def answer(body: dict[str, Any]) -> Answer:
        if "response_format" in body:
            return as_json(completion("", **{where: '{"verdict": "YES"}'}))
        return as_json(completion("YES"))

    request = replace(Request.of("?"), schema=SCHEMA)
    outcomes, bodies, notes = await exchanged(answer, request, 5)
    assert [outcome.text for outcome in outcomes] == ['{"verdict": "YES"}'] * 3 + ["YES"] * 2
    assert ["response_format" in body for body in bodies] == [True] * 3 + [False] * 2
    assert "reasoning" in notes[0]


@pytest.mark.parametrize(
    "thought", ["YES", '{"verdict": "PERHAPS"}', 'So {"verdict": "YES"}', "[]"]
)
async def test_reasoning_that_is_no_instance_of_the_schema_is_no_answer(thought: str) -> None:
    request = replace(Request.of("?"), schema=SCHEMA)
    (outcome,), _, _ = await exchanged(
        lambda _: as_json(completion("", reasoning_content=thought)), request
    )
    assert (outcome.unanswered, outcome.thinking) == (True, thought)
    assert "--max-tokens" not in outcome.why_unanswered


async def test_a_strict_schema_that_is_refused_is_sent_without_strict() -> None:
    def answer(body: dict[str, Any]) -> Answer:
        if "strict" in body["response_format"]["json_schema"]:
            return as_json({"error": {"message": "Unknown parameter: 'strict'"}}, 400)
        return as_json(completion('{"verdict": "NO"}'))

    outcomes, bodies, notes = await exchanged(answer, replace(Request.of("?"), schema=SCHEMA))
    assert outcomes[0].text == '{"verdict": "NO"}'
    assert bodies[-1]["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "strict" in notes[0]


@pytest.mark.parametrize(
    ("payload", "text"),
    [
        (completion({"verdict": "YES"}), '{"verdict": "YES"}'),
        (completion([{"type": "output_text", "text": "YES"}]), "YES"),
        ({"choices": [{"index": 0, "text": "YES", "finish_reason": "stop"}]}, "YES"),
        (
            {
                "choices": [
                    {"index": 1, "message": {"content": "NO"}},
                    *completion("YES")["choices"],
                ]
            },
            "YES",
        ),
        (
            completion(
                None,
                "tool_calls",
                tool_calls=[{"function": {"name": "json_tool_call", "arguments": '{"a": 1}'}}],
            ),
            '{"a": 1}',
        ),
    ],
)
async def test_answers_in_other_places_are_read(payload: dict[str, Any], text: str) -> None:
    request = replace(Request.of("?"), schema={"type": "object"})
    (outcome,), _, _ = await exchanged(lambda _: as_json(payload), request)
    assert outcome.text == text


def events(*data: object) -> bytes:
    lines = [f"data: {part if isinstance(part, str) else json.dumps(part)}\n\n" for part in data]
    return "".join(lines).encode()


def chunk(finish: str | None = None, **delta: object) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


STREAM = events(
    chunk(role="assistant", content=""),
    chunk(reasoning_content="hm"),
    chunk(content="Y"),
    chunk(content="ES"),
    chunk("stop"),
    {"choices": [], "usage": USAGE},
    "[DONE]",
)


async def test_a_stream_that_nobody_asked_for_is_put_together() -> None:
    (outcome,), _, _ = await exchanged(
        lambda _: says(STREAM, media="text/event-stream"), Request.of("?")
    )
    assert (outcome.text, outcome.thinking) == ("YES", "hm")
    assert (outcome.usage.input, outcome.usage.output) == (400, 30)


@pytest.mark.parametrize("end", range(0, len(STREAM), 7))
def test_a_stream_that_is_cut_off_is_no_reply_or_a_whole_one(end: int) -> None:
    response = Response(status=200, headers={}, body=STREAM[:end])
    spec = ModelSpec.parse("openai:m", base_url="http://h/v1")
    try:
        reply = reply_of(response, spec, read)
    except EndpointError:
        return
    assert reply.text == "YES"


def test_what_anthropic_streams_is_put_together() -> None:
    from factmark.ask.protocols import anthropic

    body = events(
        {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "NO"}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn"},
            "usage": {"output_tokens": 9},
        },
    )
    response = Response(status=200, headers={}, body=body)
    spec = ModelSpec.parse("anthropic:m", base_url="http://h/v1")
    reply = reply_of(response, spec, anthropic.read)
    assert (reply.text, reply.usage and reply.usage.output) == ("NO", 9)


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"verdict": "YES"}, True),
        ({"verdict": "YES", "more": 1}, False),
        ({}, False),
        ({"verdict": 1}, False),
        ("YES", False),
    ],
)
def test_what_is_an_instance_of_a_schema(value: object, fits: bool) -> None:
    assert is_instance(value, SCHEMA) is fits
    listed = {"type": "array", "items": {"type": "integer"}}
    assert is_instance([1, 2], listed)
    assert not is_instance([1, True], listed)


async def test_a_wrong_kind_of_error_is_named_with_the_users_own_fields() -> None:
    refusal = as_json({"error": {"message": "value 'medium' cannot be used"}}, 400)
    (outcome,), _, _ = await exchanged(
        lambda _: refusal, Request.of("?"), seed=None, extra={"reasoning_effort": "medium"}
    )
    assert isinstance(outcome, Failure)
    assert "--extra" in outcome.reason
    assert "reasoning_effort" in outcome.reason


async def test_texts_that_are_no_units_are_asked_once_more_too(ledger: Path) -> None:
    broken, good = as_json(completion("", finish="abort")), as_json(completion("yes"))
    async with scripted(broken, good) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url)
        async with ChatClient(spec, faults=QUICK) as client:
            judge = Judge.create("model", "m")
            answers, asker = await ask_about_each(
                ["a"], lambda asker, text: asker.ask(Request.of(text)), client, judge, ledger
            )
    assert answers["a"].outcome.text == "yes"
    assert asker.spend.failures == {}
