"""`factmark doctor`: six questions to a server, and what a later run knows from it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aiohttp import web

from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.server_check import ServerFinding, check_server
from factmark.ledger.calls import left_out_before
from factmark.ledger.ledger import Ledger
from judging_setup import QUICK, judged
from servers.scripted import says, scripted

ANSWER = {"role": "assistant", "content": "YES"}


def completion(message: dict[str, Any], tokens: int, **usage: Any) -> dict[str, Any]:
    finish = "tool_calls" if message.get("tool_calls") else "stop"
    counted = {"prompt_tokens": tokens, "completion_tokens": 9, **usage}
    return {"choices": [{"message": message, "finish_reason": finish}], "usage": counted}


def able(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """A server that does all of it, whose model thinks."""
    *_, last = body["messages"]
    tokens = 3 * len(json.dumps(body["messages"]).split())
    if last["role"] == "tool":
        return 200, completion({"content": f"There are {last['content']}."}, tokens)
    if "tools" in body:
        function = {"name": "population_of", "arguments": '{"place": "Hallstatt"}'}
        call = {"id": "a", "type": "function", "function": function}
        return 200, completion({"content": None, "tool_calls": [call]}, tokens)
    if "response_format" in body:
        return 200, completion({"content": '{"verdict": "YES"}'}, tokens)
    thought = {"completion_tokens_details": {"reasoning_tokens": 600}}
    return 200, completion(ANSWER | {"reasoning_content": "Hm."}, tokens, **thought)


def poor(body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """One without a system role, schemas and tools, with a context of 100 tokens."""
    if body["messages"][0]["role"] == "system":
        return 400, {"error": {"message": "System role not supported"}}
    if "response_format" in body:
        return 400, {"error": {"message": "response_format is not supported"}}
    if "tools" in body:
        return 400, {"error": {"message": "tiny does not support tools"}}
    return 200, completion(ANSWER, 100)


def served(behaviour: Any, bodies: list[dict[str, Any]]) -> Any:
    async def serve(request: web.Request) -> web.StreamResponse:
        bodies.append(json.loads(await request.read()))
        status, payload = behaviour(bodies[-1])
        told = {"x_ratelimit_limit_requests": "60"}
        answer = says(json.dumps(payload), status=status, media="application/json", **told)
        return await answer(request)

    return scripted(serve)


async def findings_of(behaviour: Any) -> tuple[dict[str, ServerFinding], ChatClient, int]:
    bodies: list[dict[str, Any]] = []
    async with served(behaviour, bodies) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url)
        async with ChatClient(spec, faults=QUICK) as client:
            findings = {finding.name: finding async for finding in check_server(client)}
    return findings, client, len(bodies)


async def test_a_server_that_does_all_of_it() -> None:
    findings, client, requests = await findings_of(able)
    assert requests == 6
    assert {finding.works for finding in findings.values()} == {True}
    assert findings["JSON schema"].shows == "kept to"
    assert findings["thinking"].flag == "--max-tokens 4800"  # eight times the 600 that it thought
    assert findings["answer from a tool"].shows == "given"
    assert client.left_out == frozenset()
    assert client.slots.limits == {"x-ratelimit-limit-requests": "60"}


async def test_a_server_that_does_little_says_what_to_change() -> None:
    findings, client, _ = await findings_of(poor)
    assert client.left_out >= {"system", "schema"}
    assert "not taken" in findings["system message"].shows
    assert findings["tools"].works is False
    assert "does not support tools" in findings["tools"].shows
    assert findings["answer from a tool"].works is None
    assert findings["long prompt"].works is False
    assert "context" in findings["long prompt"].do


async def test_what_a_run_learns_of_a_server_a_later_run_knows(ledger: Path) -> None:
    bodies: list[dict[str, Any]] = []
    async with served(poor, bodies) as server:
        await judged(server.url, ledger, 1, batch=1, concurrency=1)
        first = len(bodies)
        await judged(server.url, ledger, 3, batch=1, concurrency=1)
        spec = ModelSpec.parse("openai:judge", base_url=server.url)
    with Ledger(ledger) as opened:
        assert "system" in left_out_before(opened, spec)
        other = ModelSpec.parse("openai:other", base_url=server.url)
        assert left_out_before(opened, other) == frozenset()
    assert all(body["messages"][0]["role"] != "system" for body in bodies[first:])
