"""Hosted providers, played over a socket: strict about requests, with answers in each one's form.

The exchanges are our own, made after what the providers document and what users met.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web

from factmark.ask.chat import Usage
from servers.scripted import running

KEY = "sk-test-0123456789"
_CHAT = frozenset(
    {"model", "messages", "max_tokens", "max_completion_tokens", "temperature", "top_p", "seed"}
    | {"response_format", "tools", "tool_choice"}
)
_MESSAGES = frozenset(
    {"model", "messages", "system", "max_tokens", "temperature", "top_p", "output_config"}
    | {"tools", "tool_choice"}
)
_IN_RESPONSES = frozenset(
    {"model", "input", "max_output_tokens", "store", "temperature", "top_p", "text"}
    | {"tools", "tool_choice", "include", "reasoning"}
)
_LIMITS = {"max_tokens", "max_completion_tokens", "max_output_tokens"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a provider answers."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """How a provider speaks.

    Attributes:
        model: as the user writes it.
        base: of the address, below the host.
        path: of requests.
        key: the header that has the key, and what it holds.
        answers: by case.
        refuses: what it answers where a field is in the body.
        speaks: as `--protocol` has it.
        usage, cost: of the case `usage`, at 1, 10, 0.1 and 1.25 a million.
    """

    model: str
    base: str
    path: str
    key: tuple[str, str] = ("Authorization", f"Bearer {KEY}")
    answers: Mapping[str, Answer]
    refuses: Mapping[str, Answer] = field(default_factory=dict)
    usage: Usage
    cost: float
    speaks: Literal["auto", "responses"] = "auto"


def completion(text: str | None, finish: str = "stop", **fields: Any) -> dict[str, Any]:
    """A chat completion."""
    usage = fields.pop("usage", {"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24})
    message = {"role": "assistant", "content": text, **fields}
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-0001",
        "choices": [choice],
        "usage": usage,
    }


def message(text: str | None, stop: str = "end_turn", **usage: int) -> dict[str, Any]:
    """A message of Anthropic's."""
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m-0001",
        "content": [] if text is None else [{"type": "text", "text": text}],
        "stop_reason": stop,
        "stop_sequence": None,
        "usage": {"input_tokens": 20, "output_tokens": 4} | usage,
    }


def _openai(status: int, text: str, code: str | None = None, **more: Any) -> Answer:
    headers = more.pop("headers", {})
    error = {"message": text, "type": "invalid_request_error", "param": None, "code": code, **more}
    return Answer(status=status, body={"error": error}, headers=headers)


def _anthropic(status: int, kind: str, text: str, **headers: str) -> Answer:
    body = {"type": "error", "error": {"type": kind, "message": text}, "request_id": "req_1"}
    return Answer(status=status, body=body, headers=headers)


def _gemini(code: int, status: str, text: str, *details: Mapping[str, Any]) -> Answer:
    error = {"code": code, "message": text, "status": status, "details": list(details)}
    return Answer(status=code, body=[{"error": error}])


def _openrouter(code: int, text: str, *, status: int | None = None, **more: Any) -> Answer:
    headers = more.pop("headers", {})
    body = {"error": {"message": text, "code": code, "metadata": more}, "user_id": "user_1"}
    return Answer(status=status or code, body=body, headers=headers)


def response(text: str | None, cut: str = "", **fields: Any) -> dict[str, Any]:
    """A response of the Responses API, with reasoning before it."""
    usage = fields.pop("usage", {"input_tokens": 20, "output_tokens": 4, "total_tokens": 24})
    part = fields.pop("part", {"type": "output_text", "text": text, "annotations": []})
    said = {"type": "message", "id": "msg_1", "role": "assistant", "content": [part]}
    thought = {"type": "reasoning", "id": "rs_1", "summary": []}
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m-0001",
        "error": None,
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": cut} if cut else None,
        "output": [thought] if text is None else [thought, said],
        "usage": usage,
        **fields,
    }


_CACHED = {
    "prompt_tokens": 2006,
    "completion_tokens": 300,
    "total_tokens": 2306,
    "prompt_tokens_details": {"cached_tokens": 1920, "audio_tokens": 0},
    "completion_tokens_details": {"reasoning_tokens": 256},
}
_CACHED_USAGE = Usage(input=2006, output=300, cached=1920, thinking=256)
_REASONING = {
    "max_tokens": _openai(
        400,
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
        "'max_completion_tokens' instead.",
        "unsupported_parameter",
    ),
    "temperature": _openai(
        400,
        "Unsupported value: 'temperature' does not support 0.0 with this model. Only the default "
        "(1) value is supported.",
        "unsupported_value",
    ),
}
_OPENAI = {
    "plain": Answer(body=completion("SUPPORTED", refusal=None, annotations=[])),
    "structured": Answer(body=completion('{"verdict":"SUPPORTED"}', refusal=None)),
    "refusal": Answer(body=completion(None, refusal="I can't help with that.")),
    "cut": Answer(body=completion("SUPPO", "length")),
    "rate limit": _openai(
        429,
        "Rate limit reached for m on requests per min (RPM): Limit 3, Used 3, Requested 1.",
        "rate_limit_exceeded",
        headers={"Retry-After": "1", "x-ratelimit-remaining-requests": "0"},
    ),
    "overload": _openai(503, "The engine is currently overloaded, please try again later"),
    "bad key": _openai(401, f"Incorrect API key provided: {KEY}.", "invalid_api_key"),
    "no model": _openai(404, "The model `m` does not exist.", "model_not_found"),
    "too long": _openai(
        400,
        "This model's maximum context length is 8192 tokens. However, your messages resulted "
        "in 9001 tokens.",
        "context_length_exceeded",
    ),
    "filter": _openai(
        400,
        "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
        "invalid_prompt",
    ),
    "no money": _openai(
        429,
        "You exceeded your current quota, please check your plan and billing details.",
        "insufficient_quota",
    ),
    "usage": Answer(body=completion("YES", usage=_CACHED)),
}
_RESPONSES = _OPENAI | {
    "plain": Answer(body=response("SUPPORTED")),
    "structured": Answer(body=response('{"verdict":"SUPPORTED"}')),
    "refusal": Answer(body=response("", part={"type": "refusal", "refusal": "I can't help."})),
    "cut": Answer(body=response(None, "max_output_tokens")),
    "filter": Answer(body=response(None, "content_filter")),
    "overload": Answer(
        body=response(
            None,
            status="failed",
            error={"code": "server_error", "message": "The model failed to generate a response."},
        )
    ),
    "usage": Answer(
        body=response(
            "YES",
            usage={
                "input_tokens": 2006,
                "output_tokens": 300,
                "total_tokens": 2306,
                "input_tokens_details": {"cached_tokens": 1920},
                "output_tokens_details": {"reasoning_tokens": 256},
            },
        )
    ),
}
_AZURE = _OPENAI | {
    "refusal": Answer(body=completion("", "content_filter")),
    "rate limit": _openai(
        429,
        "Requests to the ChatCompletions_Create Operation have exceeded call rate limit of "
        "your current OpenAI S0 pricing tier.",
        "429",
        headers={"Retry-After": "1"},
    ),
    "overload": Answer(status=500, body={"statusCode": 500, "message": "Internal server error"}),
    "bad key": Answer(
        status=401,
        body={
            "error": {
                "code": "401",
                "message": "Access denied due to invalid subscription key or wrong API endpoint.",
            }
        },
    ),
    "no model": Answer(
        status=404,
        body={
            "error": {
                "code": "DeploymentNotFound",
                "message": "The API deployment for this resource does not exist.",
            }
        },
    ),
    "filter": _openai(
        400,
        "The response was filtered due to the prompt triggering Azure OpenAI's content "
        "management policy.",
        "content_filter",
        innererror={
            "code": "ResponsibleAIPolicyViolation",
            "content_filter_result": {"violence": {"filtered": True, "severity": "high"}},
        },
    ),
}
_ANTHROPIC = {
    "plain": Answer(body=message("SUPPORTED")),
    "structured": Answer(body=message('{"verdict":"SUPPORTED"}')),
    "refusal": Answer(body=message(None, "refusal")),
    "cut": Answer(body=message("SUPPO", "max_tokens")),
    "context full": Answer(body=message("SUPPO", "model_context_window_exceeded")),
    "rate limit": _anthropic(
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit.",
        **{"retry-after": "1", "anthropic-ratelimit-requests-remaining": "0"},
    ),
    "overload": _anthropic(529, "overloaded_error", "Overloaded"),
    "bad key": _anthropic(401, "authentication_error", "invalid x-api-key"),
    "no model": _anthropic(404, "not_found_error", "model: claude-none"),
    "too long": _anthropic(
        400, "invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"
    ),
    "too large": _anthropic(413, "request_too_large", "Request exceeds the maximum size"),
    "filter": _anthropic(
        400, "invalid_request_error", "Output blocked by content filtering policy"
    ),
    "no money": _anthropic(
        400, "invalid_request_error", "Your credit balance is too low to access the API."
    ),
    "usage": Answer(
        body=message(
            "YES",
            input_tokens=50,
            output_tokens=100,
            cache_read_input_tokens=1800,
            cache_creation_input_tokens=200,
        )
    ),
}
_QUOTA = "type.googleapis.com/google.rpc.QuotaFailure"
_GEMINI = {
    "plain": _OPENAI["plain"],
    "structured": _OPENAI["structured"],
    "refusal": Answer(
        body={
            **completion(None),
            "choices": [{"index": 0, "finish_reason": "SAFETY", "message": {"role": "assistant"}}],
        }
    ),
    "cut": Answer(body=completion(None, "length")),
    "rate limit": _gemini(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota, please check your plan and billing details.",
        {
            "@type": _QUOTA,
            "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}],
        },
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.6s"},
    ),
    "overload": _gemini(503, "UNAVAILABLE", "The model is overloaded. Please try again later."),
    "bad key": _gemini(
        400,
        "INVALID_ARGUMENT",
        "API key not valid. Please pass a valid API key.",
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"},
    ),
    "no model": _gemini(404, "NOT_FOUND", "models/gemini-none is not found for API version v1main"),
    "too long": _gemini(
        400,
        "INVALID_ARGUMENT",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    ),
    "filter": Answer(
        body={
            "object": "chat.completion",
            "created": 1,
            "model": "m-0001",
            "usage": {"prompt_tokens": 1396, "completion_tokens": 0, "total_tokens": 1396},
        }
    ),
    "no money": _gemini(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota.",
        {
            "@type": _QUOTA,
            "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}],
        },
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "40s"},
    ),
    "usage": Answer(
        body=completion(
            "YES",
            usage={
                "prompt_tokens": 1396,
                "completion_tokens": 20,
                "total_tokens": 1500,
                "prompt_tokens_details": {"cached_tokens": 1024},
            },
        )
    ),
}
_OPENROUTER = _OPENAI | {
    "rate limit": _openrouter(
        429,
        "Provider returned error",
        headers={"Retry-After": "1"},
        raw="m:free is temporarily rate-limited upstream.",
        provider_name="Acme",
    ),
    "overload": _openrouter(502, "Provider returned error", status=200, provider_name="Acme"),
    "broken off": Answer(
        body={
            **completion("SUP"),
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "error",
                    "message": {"role": "assistant", "content": "SUP"},
                    "error": {"code": 502, "message": "Upstream error"},
                }
            ],
        }
    ),
    "bad key": _openrouter(401, "No auth credentials found"),
    "no model": _openrouter(400, "acme/none is not a valid model ID"),
    "too long": _openrouter(
        400,
        "This endpoint's maximum context length is 8192 tokens. However, you requested about "
        "9001 tokens.",
        provider_name=None,
    ),
    "filter": _openrouter(
        403,
        "Your input was flagged",
        reasons=["violence"],
        flagged_input="a blow",
        provider_name="OpenAI",
    ),
    "no money": _openrouter(402, "Insufficient credits. Add more on your credits page."),
    "usage": Answer(
        body=completion(
            "YES",
            usage={
                "prompt_tokens": 194,
                "completion_tokens": 2,
                "total_tokens": 196,
                "cost": 0.95,
                "prompt_tokens_details": {"cached_tokens": 50, "cache_write_tokens": 100},
            },
        )
    ),
}
_OLLAMA = {
    "plain": _OPENAI["plain"],
    "structured": _OPENAI["structured"],
    "cut": _OPENAI["cut"],
    "overload": Answer(status=500, body={"error": "llama runner process has terminated"}),
    "no model": Answer(
        status=404,
        body={
            "error": {
                "message": 'model "none" not found, try pulling it first',
                "type": "api_error",
            }
        },
    ),
    "too long": Answer(status=400, body={"error": "the input length exceeds the context length"}),
    "usage": Answer(
        body=completion(
            "YES", usage={"prompt_tokens": 30, "completion_tokens": 5, "total_tokens": 35}
        )
    ),
}
_VLLM = _OLLAMA | {
    "overload": Answer(status=503, body={"error": "Service Unavailable"}),
    "no model": Answer(
        status=404,
        body={
            "error": {
                "message": "The model `none` does not exist.",
                "type": "NotFoundError",
                "code": 404,
            }
        },
    ),
    "too long": Answer(
        status=400,
        body={
            "error": {
                "message": "This model's maximum context length is 4096 tokens. "
                "However, you requested 9001 tokens.",
                "type": "BadRequestError",
                "code": 400,
            }
        },
    ),
}

_PATH = "/chat/completions"
PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        model="openai:gpt-5-mini",
        base="/v1",
        path=f"/v1{_PATH}",
        answers=_OPENAI,
        refuses=_REASONING,
        usage=_CACHED_USAGE,
        cost=0.003278,
    ),
    "azure": Provider(
        model="azure:deployed",
        base="",
        path=f"/openai/v1{_PATH}",
        key=("api-key", KEY),
        answers=_AZURE,
        refuses=_REASONING,
        usage=_CACHED_USAGE,
        cost=0.003278,
    ),
    "azure-deployments": Provider(
        model="azure:deployed",
        base="?api-version=2024-10-21",
        key=("api-key", KEY),
        path=f"/openai/deployments/deployed{_PATH}?api-version=2024-10-21",
        answers=_AZURE,
        usage=_CACHED_USAGE,
        cost=0.003278,
    ),
    "anthropic": Provider(
        model="anthropic:claude-opus-5",
        base="",
        path="/v1/messages",
        key=("x-api-key", KEY),
        answers=_ANTHROPIC,
        usage=Usage(input=2050, output=100, cached=1800, written=200),
        refuses={
            "temperature": _anthropic(
                400, "invalid_request_error", "`temperature` is deprecated for this model."
            )
        },
        cost=0.00148,
    ),
    "gemini": Provider(
        model="gemini:gemini-2.5-flash",
        base="/v1beta/openai",
        path=f"/v1beta/openai{_PATH}",
        answers=_GEMINI,
        usage=Usage(input=1396, output=104, cached=1024),
        cost=0.0015144,
        refuses={
            "seed": _gemini(
                400,
                "INVALID_ARGUMENT",
                'Invalid JSON payload received. Unknown name "seed": Cannot find field.',
            )
        },
    ),
    "openrouter": Provider(
        model="openrouter:openai/gpt-4o",
        base="/api/v1",
        path=f"/api/v1{_PATH}",
        answers=_OPENROUTER,
        usage=Usage(input=194, output=2, cached=50, written=100, cost=0.95),
        refuses={
            "temperature": _openrouter(
                400,
                "Provider returned error",
                provider_name="OpenAI",
                raw=json.dumps(_REASONING["temperature"].body),
            )
        },
        cost=0.000194,
    ),
    "openai-responses": Provider(
        model="openai:gpt-5-codex",
        base="/v1",
        path="/v1/responses",
        speaks="responses",
        answers=_RESPONSES,
        usage=_CACHED_USAGE,
        cost=0.003278,
        refuses={
            "temperature": _openai(
                400,
                "Unsupported parameter: 'temperature' is not supported with this model.",
                param="temperature",
            )
        },
    ),
    "vllm": Provider(
        model="vllm:Qwen/Qwen3-32B",
        base="/v1",
        path=f"/v1{_PATH}",
        key=("Authorization", ""),
        answers=_VLLM,
        usage=Usage(input=30, output=5),
        cost=0.00008,
    ),
    "ollama": Provider(
        model="ollama:llama3.2",
        base="/v1",
        path=f"/v1{_PATH}",
        key=("Authorization", ""),
        answers=_OLLAMA,
        usage=Usage(input=30, output=5),
        cost=0.00008,
    ),
}


@dataclass(slots=True, kw_only=True)
class Playing:
    """A running provider.

    Attributes:
        url: what the user gives as its address.
        bodies: of requests, in order.
        wrong: what a request had that the provider would not have understood.
    """

    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


@asynccontextmanager
async def playing(
    provider: Provider, *answers: Answer, picky: bool = False
) -> AsyncIterator[Playing]:
    """Serves answers in turn, the last for ever.

    Args:
        picky: whether fields that the provider refuses are refused.
    """
    state, left = Playing(), list(answers)

    async def answer(request: web.Request) -> web.Response:
        body = await request.json()
        state.bodies.append(body)
        state.wrong += _mistakes(request, body, provider)
        refused = [name for name in provider.refuses if name in body] if picky else []
        given = provider.refuses[refused[0]] if refused else left[0]
        if not refused and len(left) > 1:
            left.pop(0)
        return web.json_response(given.body, status=given.status, headers=given.headers)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    async with running(app) as url:
        state.url = f"{url}{provider.base}"
        yield state


def _mistakes(request: web.Request, body: Mapping[str, Any], provider: Provider) -> list[str]:
    """What the provider would answer 400, 401 or 404 to."""
    header, value = provider.key
    others = {"Authorization", "api-key", "x-api-key"} - {header}
    messages = provider.path.endswith("/messages")
    responses = provider.path.endswith("/responses")
    roles = [turn["role"] for turn in body["input" if responses else "messages"]]
    form = body.get("response_format") or body.get("output_config", {}).get("format") or {}
    form = form or body.get("text", {}).get("format") or {}
    fields = _MESSAGES if messages else _IN_RESPONSES if responses else _CHAT
    schema = form.get("json_schema", form).get("schema")
    checks = {
        f"path {request.path_qs}": request.path_qs == provider.path,
        "method": request.method == "POST",
        "content type": request.content_type == "application/json",
        f"key in {header}": request.headers.get(header, "") == value,
        "another key": not others & {name for name in others if name in request.headers},
        "version": not messages or request.headers.get("anthropic-version") == "2023-06-01",
        f"fields {sorted(body)}": body.keys() <= fields,
        "limit": bool(_LIMITS & body.keys()),
        "model": body["model"] == provider.model.partition(":")[2],
        f"roles {roles}": not messages or ("system" not in roles and roles[0] == "user"),
        "form": not form or (form["type"] == "json_schema" and schema is not None),
        "strict schema": schema is None
        or (
            schema.get("additionalProperties") is False
            and sorted(schema["required"]) == sorted(schema["properties"])
        ),
    }
    return [name for name, fine in checks.items() if not fine]
