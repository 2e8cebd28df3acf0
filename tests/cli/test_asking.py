"""Options of the commands that ask a model, as they become requests."""

from __future__ import annotations

import json

import pytest

from factmark.ask.chat import Failure, Request
from factmark.cli.asking import Asking
from factmark.errors import EndpointError, InputError
from servers.scripted import says, scripted

SECRET = "team-secret-123"


async def test_extra_fields_and_headers_are_sent_and_headers_are_shown_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TEAM", SECRET)
    echo = says(json.dumps({"error": {"message": f"no {SECRET} here"}}), status=400)
    async with scripted(echo) as server:
        asking = Asking(
            base_url=server.url,
            extra=["reasoning_effort=high", "top_k=7", "number=NaN"],
            header=["X-Team=env:TEAM", "X-Plain=plain-value"],
        )
        spec = asking.spec("openai:m")
        async with asking.client(spec) as client:
            outcome = await client.ask(Request.of("?"))
        headers, body = server.requests[-1].headers, json.loads(server.bodies[-1])
    assert (headers["X-Team"], headers["X-Plain"]) == (SECRET, "plain-value")
    assert (body["reasoning_effort"], body["top_k"], body["number"]) == ("high", 7, "NaN")
    assert isinstance(outcome, Failure)
    assert SECRET not in f"{outcome} {asking} {spec.parameters} {vars(client)}"
    assert spec.parameters["extra"] == {"reasoning_effort": "high", "top_k": 7, "number": "NaN"}


@pytest.mark.parametrize("model", ["openai:m", "anthropic:m"])
async def test_headers_go_with_batches_and_their_errors_hide_them(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEAM", f"Bearer {SECRET}")
    echo = says(json.dumps({"error": {"message": f"no {SECRET} here"}}), status=400)
    async with scripted(echo) as server:
        asking = Asking(base_url=server.url, header=["X-Team=env:TEAM"], batch_api=True)
        async with asking.client(asking.spec(model)) as client:
            with pytest.raises(EndpointError) as caught:
                await client.batches.newest()
        assert server.requests[-1].headers["X-Team"] == f"Bearer {SECRET}"
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"extra": ["model=x"]}, "itself"),
        ({"extra": ["effort"]}, "NAME=VALUE"),
        ({"header": ["X-Team=env:NOT_SET_AT_ALL"]}, "NOT_SET_AT_ALL"),
        ({"header": ["a b=c"]}, "letters"),
        ({"header": [f"X={SECRET}\r\nY: z"]}, "characters"),
    ],
)
def test_options_that_cannot_be_meant_are_told(options: dict[str, list[str]], word: str) -> None:
    asking = Asking(base_url="http://localhost:9", **options)
    with pytest.raises(InputError, match=word) as caught:
        asking.client(asking.spec("openai:m"))
    assert SECRET not in str(caught.value)
