"""Requests to a model's server: with its key and its address, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

from yarl import URL

from factmark.ask.model_spec import ModelSpec
from factmark.ask.named_keys import filled_fields
from factmark.http.client import HttpClient, Response, TooLongError
from factmark.http.retries import TransientError
from factmark.http.secret import Secret

_LONGEST = 32 * 2**20  # bytes of a reply


def provider_http(
    spec: ModelSpec,
    *,
    seconds: float | None,
    connections: int,
    headers: Mapping[str, Secret] | None = None,
    max_bytes: int = _LONGEST,
) -> HttpClient:
    """Returns a client for a model's server: its requests carry the key, and no copy of it comes
    back.

    Raises:
        InputError: the key that the server needs is not in the environment.
    """
    every = {"Content-Type": "application/json", **spec.headers(), **(headers or {})}
    return HttpClient(headers=every, seconds=seconds, connections=connections, max_bytes=max_bytes)


class Sender(Protocol):
    """What sends a request to a model: an `HttpClient`, or what runs the model here."""

    async def send(self, method: str, url: URL, *, body: bytes, name: str) -> Response:
        """Sends a request once and returns the response, whatever its status."""

    async def close(self) -> None:
        """Closes what it holds; may be called twice."""


async def post_json(http: Sender, spec: ModelSpec, body: Mapping[str, object]) -> Response:
    """Posts a body to a model's server and returns the response, whatever its status; raises as
    `HttpClient.send`.
    """
    keys = filled_fields({name: body[name] for name in spec.extra if name in body})
    data = json.dumps({**body, **keys}, allow_nan=False).encode()
    try:
        return await http.send("POST", spec.url, body=data, name=spec.base_url)
    except TooLongError as error:
        raise TransientError(str(error)) from error
