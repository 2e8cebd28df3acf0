"""Anthropic's messages protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factmark.io.chat.abilities import Abilities
from factmark.io.chat.records import Reply, Request, Usage, count
from factmark.io.chat.secret import Secret
from factmark.io.chat.spec import ModelSpec
from factmark.io.chat.thinking import split_thinking


def headers(key: Secret) -> dict[str, str]:
    """The version of the protocol, and the key."""
    version = {"anthropic-version": "2023-06-01"}
    return version | ({"x-api-key": key.reveal()} if key else {})


def body(spec: ModelSpec, request: Request, able: Abilities) -> dict[str, Any]:
    """The body of a request. The protocol keeps system messages apart and knows no seed."""
    system = "\n\n".join(m.content for m in request.messages if m.role == "system")
    fields: dict[str, Any] = {
        "model": spec.model,
        "max_tokens": spec.max_tokens,
        "messages": [
            {"role": m.role, "content": m.content} for m in request.messages if m.role != "system"
        ],
    }
    if system:
        fields["system"] = system
    if spec.temperature is not None:
        fields["temperature"] = min(spec.temperature, 1.0)
    if spec.top_p is not None:
        fields["top_p"] = spec.top_p
    if request.schema is not None and able.schema:
        form = {"type": "json_schema", "schema": dict(request.schema)}
        fields["output_config"] = {"format": form}
    return fields | dict(spec.extra)


def read(payload: Mapping[str, Any]) -> Reply:
    """The reply in a response.

    Raises:
        ValueError, TypeError, KeyError: if it is no message.
    """
    blocks = payload["content"]
    if not isinstance(blocks, list):
        raise TypeError("the content is no list of blocks")
    said = "".join(str(block["text"]) for block in blocks if block["type"] == "text")
    thought = [str(block["thinking"]) for block in blocks if block["type"] == "thinking"]
    text, aside = split_thinking(said)
    stop = payload.get("stop_reason") or ""
    return Reply(
        text=text,
        thinking="\n\n".join(filter(None, (*thought, aside))),
        refused=stop == "refusal",
        finish_reason=str(stop),
        usage=_usage(payload.get("usage")),
        model=str(payload.get("model") or ""),
    )


def _usage(given: object) -> Usage | None:
    """Tokens; the protocol counts what was read from a cache or written to one apart."""
    if not isinstance(given, Mapping) or "input_tokens" not in given:
        return None
    cached = count(given.get("cache_read_input_tokens"))
    written = count(given.get("cache_creation_input_tokens"))
    return Usage(
        input=count(given["input_tokens"]) + cached + written,
        output=count(given.get("output_tokens")),
        cached=cached,
    )
