"""Models of today: the Responses API, chosen by a refusal or an option, over a real socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

import shell
from envelope import envelope_in
from factmark.ask.chat import Failure, Message, Request, Tool, canonical_json, request_key
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from factmark.ask.protocols.anthropic import body as anthropic_body
from factmark.ask.protocols.openai import body as chat_body
from factmark.ask.protocols.openai_responses import body, read
from factmark.errors import InputError
from servers.agent import agent
from servers.model_server import NOT_BY_CHAT, Running, model_server
from servers.scripted import says, scripted
from shell import Done

SCHEMA = {
    "type": "object",
    "properties": {"label": {"type": "string"}},
    "required": ["label"],
    "additionalProperties": False,
}
LOOK = Tool(name="look", description="", schema={"type": "object"})
SPEC = ModelSpec.parse("openai:m")
STRUCTURED = replace(Request.of("Say", system="Sys"), schema=SCHEMA)


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with model_server() as started:
        yield started


@pytest.fixture(scope="module")
def agents() -> Iterator[Running]:
    with agent() as started:
        yield started


@pytest.fixture
def tools(agents: Running) -> Running:
    agents.reset()
    return agents


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    rows = [f"t{n},drug {n},treats,disease {n % 7},p{n % 5}" for n in range(12)]
    lines = ["id,head,relation,tail,passage_id", *rows, ""]
    (tmp_path / "g.csv").write_text("\n".join(lines))
    passages = [{"id": f"p{n}", "text": f"Drug {n} treats disease {n}."} for n in range(5)]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(p) + "\n" for p in passages))
    return tmp_path


def judge(graph: Path, server: Running, *more: str, model: str = "openai:judge") -> Done:
    asked = ("--judge", model, "--base-url", server.base_url, "--json")
    return shell.run(
        *("graph", "factscore", "g.csv", "--passages", "p.jsonl", *asked, *more), cwd=graph
    )


def of(done: Done) -> Any:
    assert done.returncode == 0, done.stderr
    return envelope_in(done.stdout)


@pytest.mark.parametrize("words", [name for name in NOT_BY_CHAT if name != "no tools"])
def test_a_model_that_chat_does_not_serve_judges_by_the_responses_api(
    graph: Path, server: Running, words: str
) -> None:
    expected = of(judge(graph, server, "--ledger", "chat.db"))
    server.set(chat=words, cached=60)
    first = judge(graph, server, "--ledger", "l.db")
    results, stats = of(first), server.stats()
    assert results["scores"] == expected["scores"]
    assert (stats["responses"], stats["complaints"]) == (12, [])
    assert stats["requests"] - stats["responses"] <= 4  # only what was in flight at first
    assert stats["last"]["text"]["format"]["type"] == "json_schema"
    assert "Responses API" in first.stderr
    assert results["spent"]["judging"]["cached_tokens"] == 12 * 60
    again = of(judge(graph, server, "--ledger", "l.db"))
    assert (again["spent"]["judging"]["calls"], again["scores"]) == (0, results["scores"])
    # It is the same judge: a model keeps its replies however its provider comes to serve it.
    assert of(judge(graph, server, "--ledger", "chat.db"))["spent"]["judging"]["calls"] == 0


def test_the_responses_api_from_the_start_is_another_judge(graph: Path, server: Running) -> None:
    of(judge(graph, server, "--ledger", "l.db"))
    given = ("--ledger", "l.db", "--protocol", "responses")
    server.set()
    results, stats = of(judge(graph, server, *given)), server.stats()
    assert stats["responses"] == stats["requests"] == results["spent"]["judging"]["calls"] == 12
    assert results["signature"]["protocol"] == "responses"
    assert of(judge(graph, server, *given))["spent"]["judging"]["calls"] == 0
    chat = of(judge(graph, server, "--ledger", "l.db", "--protocol", "chat"))
    assert (chat["spent"]["judging"]["calls"], chat["signature"]["protocol"]) == (0, "openai")


def test_refusals_of_a_protocol_name_the_cause_and_the_way_out(
    graph: Path, server: Running
) -> None:
    server.set(chat="no")
    kept_to_chat = judge(graph, server, "--protocol", "chat")
    assert kept_to_chat.returncode == 2
    assert "only supported in v1/responses" in kept_to_chat.stderr
    assert "Leave --protocol chat out" in kept_to_chat.stderr
    assert server.stats()["responses"] == 0

    server.set(chat="no", responses=False)
    neither = judge(graph, server)
    assert neither.returncode == 2
    assert "404" in neither.stderr
    assert "only supported in v1/responses" in neither.stderr
    assert "--protocol chat" not in neither.stderr  # that would not help

    server.set(responses=False)
    absent = judge(graph, server, "--protocol", "responses")
    assert absent.returncode == 2
    assert "--protocol chat" in absent.stderr

    foreign = judge(graph, server, "--protocol", "chat", model="anthropic:m")
    assert (foreign.returncode, "Leave it out" in foreign.stderr) == (2, True)


def test_declined_and_cut_replies_are_counted_as_by_chat(graph: Path, server: Running) -> None:
    settings = {"refused": 0.2, "malformed": 0.6, "thinks": 40}
    server.set(**settings)
    by_chat = of(judge(graph, server, "--ledger", "chat.db", "--max-tokens", "64"))
    server.set(**settings, chat="no")
    by_responses = of(judge(graph, server, "--ledger", "l.db", "--max-tokens", "64"))
    assert by_responses["scores"] == by_chat["scores"]
    missing = by_responses["scores"]["pairs"]["missing"]
    assert missing["refused"]
    assert missing["unparsed"]
    server.set(thinks=100, chat="no")
    cut = of(judge(graph, server, "--ledger", "cut.db", "--max-tokens", "64"))
    assert (
        cut["scores"]
        == of(judge(graph, server, "--ledger", "cut.db", "--max-tokens", "64"))["scores"]
    )
    assert cut["scores"]["pairs"]["correct_facts"]  # asked again with twice the room
    assert server.stats()["last"]["max_output_tokens"] == 128


@pytest.mark.parametrize("given", [(), ("--protocol", "responses")])
def test_batches_of_the_responses_api(graph: Path, server: Running, given: tuple[str, ...]) -> None:
    server.set(chat="yes" if given else "no", batch_looks=1)
    results = of(judge(graph, server, "--batch-api", "--ledger", "l.db", *given))
    stats = server.stats()
    assert (stats["batches"], stats["responses"], stats["complaints"]) == ([11], 1, [])
    assert results["scores"]["pairs"]["missing"]["failed"] == 0
    direct = of(judge(graph, server, "--ledger", "l.db", *given))
    assert (direct["spent"]["judging"]["calls"], direct["scores"]) == (0, results["scores"])


def asked_with_tools(
    server: Running, replica: Path, folder: Path, *more: str, conditions: str = "baseline,mcp"
) -> Done:
    given = ("--base-url", server.base_url, "--store", str(replica), "--question", "D2,D6,P1")
    return shell.run(
        *("run", "ehds", "--model", "openai:agent", *given, "--condition", conditions),
        *("--json", *more),
        cwd=folder,
    )


def texts(done: Done) -> dict[tuple[str, str], Any]:
    return {(a["query_id"], a["condition"]): a["answer"] for a in of(done)["rows"]}


def test_tools_that_chat_refuses_are_called_by_the_responses_api_with_the_reasoning_kept(
    tools: Running, replica: Path, tmp_path: Path
) -> None:
    by_chat = texts(asked_with_tools(tools, replica, tmp_path, "--out", "chat"))
    tools.set(chat="no tools", think="Which tool fits?")
    done = asked_with_tools(tools, replica, tmp_path, "--out", "tools")
    stats = tools.stats()
    assert stats["complaints"] == []  # the server turns down calls without their reasoning
    assert stats["tool_calls"] >= 3
    assert stats["responses"] < stats["replies"]  # the baseline has no tools: it stays with chat
    by_responses = texts(done)
    mcp = [key for key in by_chat if key[1] == "mcp"]
    assert mcp
    assert [by_responses[key] for key in mcp] == [by_chat[key] for key in mcp]
    assert "what has tools is asked by the Responses API" in done.stdout
    tools.set(chat="no tools", think="Which tool fits?")
    assert texts(asked_with_tools(tools, replica, tmp_path, "--out", "tools")) == by_responses
    assert tools.stats()["requests"] == 0

    chat = ("--out", "c", "--protocol", "chat")
    kept_to_chat = asked_with_tools(tools, replica, tmp_path, *chat, conditions="mcp")
    assert kept_to_chat.returncode == 2
    assert "--extra reasoning_effort=none" in kept_to_chat.stderr


def test_what_is_sent_to_the_responses_api() -> None:
    spec = replace(SPEC, temperature=0.5, top_p=0.9, max_tokens=7, speaks="responses")
    assert body(spec, STRUCTURED, ()) == {
        "model": "m",
        "input": [
            {"type": "message", "role": "system", "content": "Sys"},
            {"type": "message", "role": "user", "content": "Say"},
        ],
        "max_output_tokens": 7,
        "store": False,
        "temperature": 0.5,
        "top_p": 0.9,
        "text": {
            "format": {"type": "json_schema", "name": "reply", "strict": True, "schema": SCHEMA}
        },
    }
    closing = replace(Request.of("Say"), tools=(LOOK,), closing=True, room=2)
    sent = body(spec, closing, ())
    assert sent["tools"] == [
        {
            "type": "function",
            "name": "look",
            "description": "",
            "parameters": {"type": "object"},
            "strict": False,
        }
    ]
    assert (sent["tool_choice"], sent["max_output_tokens"]) == ("none", 14)
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert "include" not in body(spec, closing, {"include"})


def test_fields_of_chat_completions_stand_where_the_responses_api_has_them() -> None:
    extra = {
        "reasoning_effort": "high",
        "verbosity": "low",
        "max_completion_tokens": 9,
        "user": "u",
    }
    sent = body(replace(SPEC, extra=extra), STRUCTURED, ())
    assert sent["reasoning"] == {"effort": "high"}
    assert sent["text"]["verbosity"] == "low"
    assert sent["text"]["format"]["schema"] == SCHEMA
    assert (sent["max_output_tokens"], sent["user"]) == (9, "u")
    assert not {"reasoning_effort", "verbosity", "max_completion_tokens"} & sent.keys()


THOUGHT = {
    "type": "reasoning",
    "id": "rs_1",
    "status": None,
    "encrypted_content": "gAAA",
    "summary": [{"type": "summary_text", "text": "Look first."}],
}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "look",
    "arguments": '{"n": 1}',
    "status": "completed",
}


def words(text: str, **fields: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return {"type": "message", "id": "m1", "role": "assistant", "content": [part], **fields}


def test_reasoning_goes_back_with_its_calls_in_their_order_and_without_ids_of_what_is_stored() -> (
    None
):
    plain = {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": None}
    spoken = words("I will look.", phase="commentary")
    reply = read({"output": [THOUGHT, spoken, CALL, plain, CALL], "status": "completed"})
    assert [call.id for call in reply.tool_calls] == ["c1", "call_2"]
    assert (reply.thinking, reply.finish_reason) == ("Look first.", "tool_calls")
    turn = Message(
        role="assistant", content=reply.text, tool_calls=reply.tool_calls, carry=reply.carry
    )
    result = Message(role="tool", content="7", call_id="c1")
    sent = body(SPEC, Request(messages=(turn, result), tools=(LOOK,)), ())["input"]
    call = {"type": "function_call", "name": "look", "arguments": '{"n": 1}'}
    assert sent == [
        {
            "type": "reasoning",
            "id": "rs_1",
            "summary": THOUGHT["summary"],
            "encrypted_content": "gAAA",
        },
        {
            "type": "message",
            "role": "assistant",
            "content": "I will look.",
            "phase": "commentary",
        },
        {**call, "call_id": "c1"},
        {**call, "call_id": "call_2"},
        {"type": "function_call_output", "call_id": "c1", "output": "7"},
    ]
    # The same conversation by chat completions, where a provider serves both.
    chat = chat_body(SPEC, Request(messages=(turn, result), tools=(LOOK,)), ())["messages"]
    assert [c["id"] for c in chat[0]["tool_calls"]] == ["c1", "call_2"]


def test_open_models_reason_in_plain_words_and_get_them_back() -> None:
    content = [{"type": "reasoning_text", "text": "Hm."}]
    thought = {"type": "reasoning", "id": "rs_1", "summary": [], "content": content}
    reply = read({"output": [thought, CALL]})
    assert reply.thinking == "Hm."
    turn = Message(role="assistant", content="", tool_calls=reply.tool_calls, carry=reply.carry)
    assert body(SPEC, Request(messages=(turn,)), ())["input"][0] == thought


@pytest.mark.parametrize(
    ("payload", "text", "finish", "refused"),
    [
        ({"output": [words("YES")]}, "YES", "stop", False),
        (
            {
                "output": [
                    words("Let me see.", phase="commentary"),
                    words("YES", phase="final_answer"),
                ]
            },
            "YES",
            "stop",
            False,
        ),
        (
            {
                "output": [words("YE")],
                "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"},
            },
            "YE",
            "length",
            False,
        ),
        (
            {
                "output": [],
                "status": "incomplete",
                "incomplete_details": {"reason": "content_filter"},
            },
            "",
            "content_filter",
            True,
        ),
        (
            {"output": [{**words(""), "content": [{"type": "refusal", "refusal": "No."}]}]},
            "No.",
            "stop",
            True,
        ),
    ],
)
def test_how_a_response_ends(
    payload: dict[str, Any], text: str, finish: str, refused: bool
) -> None:
    reply = read(payload)
    assert (reply.text, reply.finish_reason, reply.refused) == (text, finish, refused)


@pytest.mark.parametrize("items", [[], [THOUGHT]])
def test_a_response_without_a_message_has_no_answer(items: list[dict[str, Any]]) -> None:
    assert read({"output": items}).unanswered


@pytest.mark.parametrize("payload", [{"output": "YES"}, {}])
def test_what_is_no_response_is_no_reply(payload: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        read(payload)


async def test_a_model_without_encrypted_reasoning_is_asked_without_it() -> None:
    error = {"message": "Encrypted content is not supported with this model.", "param": "include"}
    refusal = says(json.dumps({"error": error}), status=400, media="application/json")
    good = says(json.dumps({"output": [words("yes")]}), media="application/json")
    async with scripted(refusal, good) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url).speaking("responses")
        async with ChatClient(spec) as client:
            await client.ask(replace(Request.of("?"), tools=(LOOK,)))
            await client.ask(replace(Request.of("!"), tools=(LOOK,)))
            (note,) = client.notes
        assert ["include" in json.loads(sent) for sent in server.bodies] == [True, False, False]
    assert "encrypted reasoning" in note


def test_azure_has_the_responses_api_beside_its_deployments() -> None:
    spec = ModelSpec.parse("azure:d", base_url="https://n.openai.azure.com?api-version=2024-10-21")
    assert str(spec.speaking("responses").url) == "https://n.openai.azure.com/openai/v1/responses"
    with pytest.raises(InputError, match="protocol of their own"):
        ModelSpec.parse("anthropic:m").speaking("responses")


def test_vllm_by_name() -> None:
    spec = ModelSpec.parse("vllm:Qwen/Qwen3-32B")
    assert str(spec.url) == "http://localhost:8000/v1/chat/completions"
    assert (spec.key_env, spec.local, spec.name) == (None, True, "vllm:Qwen/Qwen3-32B")
    named = ModelSpec.parse("openai:Qwen/Qwen3-32B", base_url="http://localhost:8000/v1")
    assert spec.parameters == named.parameters  # what was asked under that name is not asked again


@pytest.mark.parametrize(
    ("write", "extra", "at"),
    [
        (anthropic_body, {"output_config": {"effort": "high"}}, ("output_config", "format")),
        (chat_body, {"response_format": {"x": 1}}, ("response_format", "json_schema")),
        (body, {"text": {"verbosity": "low"}}, ("text", "format")),
    ],
)
def test_extra_fields_stand_beside_the_schema(
    write: Any, extra: dict[str, Any], at: tuple[str, str]
) -> None:
    sent = write(replace(SPEC, extra=extra), STRUCTURED, ())
    outer, inner = at
    assert sent[outer].keys() > extra[outer].keys()
    assert "schema" in sent[outer][inner]


def test_replies_from_when_extra_fields_took_the_schemas_place_are_not_read() -> None:
    def key_then(spec: ModelSpec, request: Request) -> str:
        """As it was before fields were merged."""
        turns = [[message.role, message.content] for message in request.messages]
        return sha256(canonical_json([spec.parameters, turns, request.schema, 0, 0])).hexdigest()

    beside = replace(SPEC, extra={"output_config": {"effort": "high"}})
    elsewhere = replace(SPEC, extra={"reasoning_effort": "high"})
    plain = Request.of("?")
    for spec, request, same in (
        (beside, STRUCTURED, False),
        (beside, plain, True),
        (elsewhere, STRUCTURED, True),
    ):
        assert (request_key(spec.parameters, request) == key_then(spec, request)) == same
    assert beside.signature["extra_merged"]
    assert "extra_merged" not in elsewhere.signature


# --- what of a refusal is learned, and what temperature is sent ---


@pytest.mark.parametrize(
    ("complaint", "schema"),
    [
        ("Unsupported value: 'reasoning_effort' does not support 'max' with this model.", True),
        ("Your organization must be verified to use the model `m`.", True),
        ("messages: text content blocks must be non-empty", True),
        ("Unknown parameter: 'top_k'.", True),
        ("Invalid 'user': string too short.", True),
        ("The tool result includes no text.", True),
        ("Failed to generate JSON. Please adjust your prompt.", False),
        ("Provider returned error", False),
        ("Request contains an invalid argument.", False),
        ("response_format is not supported here", False),
        ("This model does not support structured outputs.", False),
    ],
)
async def test_a_400_that_speaks_of_something_else_leaves_structured_output_on(
    complaint: str, schema: bool
) -> None:
    async def picky(request: web.Request) -> web.StreamResponse:
        asked = json.loads(await request.read())
        no = json.dumps({"error": {"message": complaint}})
        yes = json.dumps({"choices": [{"message": {"content": "{}"}}]})
        refused = schema or "response_format" in asked
        answer = says(no if refused else yes, status=400 if refused else 200)
        return await answer(request)

    async with scripted(picky) as server:
        spec = ModelSpec.parse("openai:m", base_url=server.url, seed=None)
        async with ChatClient(spec, max_failures=99) as client:
            outcomes = [await client.ask(replace(STRUCTURED, sample=n)) for n in range(6)]
            assert {isinstance(outcome, Failure) for outcome in outcomes} == {schema}
        with_schema = ["response_format" in json.loads(sent) for sent in server.bodies]
        assert all(with_schema) == schema


def test_a_temperature_is_sent_where_it_is_asked_for_and_told(graph: Path, server: Running) -> None:
    unasked = of(judge(graph, server, "--ledger", "l.db", model="gemini:gemini-3-pro"))
    assert "temperature" not in server.stats()["last"]
    assert unasked["signature"]["temperature"] == "default"
    server.set()
    zero = judge(graph, server, "--ledger", "l.db", "--temperature", "0")
    asked, told_unasked = of(zero), "--temperature 0 goes on"
    assert told_unasked not in zero.stderr
    assert server.stats()["last"]["temperature"] == 0.0
    assert (asked["signature"]["temperature"], asked["spent"]["judging"]["calls"]) == (0.0, 12)
    # As on a ledger of an earlier checkout: what it has is told, and costs nothing with the option.
    anew = judge(graph, server, "--ledger", "l.db")
    assert of(anew)["spent"]["judging"]["calls"] == 12
    assert told_unasked in anew.stderr
