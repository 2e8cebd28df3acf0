"""The wire format against a real model server (llama.cpp) with random weights."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec

import pytest

from factmark.ask.chat import Reply, Request
from factmark.ask.client import ChatClient
from factmark.ask.model_spec import ModelSpec
from judging_setup import VALUES
from servers.random_model import random_model

if find_spec("xllamacpp") is None or find_spec("gguf") is None:
    if os.environ.get("FACTMARK_REQUIRE_MODEL_SERVER") == "1":
        pytest.fail("xllamacpp and gguf are not installed; the extra `dev` has them")
    pytest.skip(
        "xllamacpp and gguf are not installed; the extra `dev` has them", allow_module_level=True
    )

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"enum": sorted(VALUES)}},
    "required": ["verdict"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def base_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with random_model(tmp_path_factory.mktemp("model")) as url:
        yield url


def spec(base_url: str, provider: str = "openai") -> ModelSpec:
    return ModelSpec.parse(f"{provider}:random", base_url=base_url, max_tokens=96)


async def test_structured_output(base_url: str) -> None:
    request = replace(Request.of("Is the sky blue?", system="Judge."), schema=SCHEMA)
    async with ChatClient(spec(base_url)) as client:
        first, again = await client.ask(request), await client.ask(request)
        assert client.notes == ()
    assert isinstance(first, Reply)
    assert isinstance(again, Reply)
    assert json.loads(first.text)["verdict"] in VALUES
    assert json.loads(first.text) == json.loads(again.text)
    assert first.finish_reason == "stop"
    assert first.usage is not None
    assert not first.usage.estimated
    assert first.usage.output > 0


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_free_text_is_cut_at_its_limit(base_url: str, provider: str) -> None:
    model = replace(spec(base_url, provider), max_tokens=8)
    async with ChatClient(model) as client:
        reply = await client.ask(Request.of("Hello"))
    assert isinstance(reply, Reply)
    assert reply.finish_reason in ("length", "max_tokens")
    assert reply.usage is not None
    assert reply.usage.output == 8
