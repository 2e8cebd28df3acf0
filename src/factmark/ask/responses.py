"""Judging what a model server answered: a reply, or an error that says what to do about it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from factmark.ask.chat import Reply
from factmark.ask.model_spec import ModelSpec
from factmark.errors import EndpointError
from factmark.files.text_files import sound, why_too_long
from factmark.http.client import Response, first_line, status_text
from factmark.http.retries import RateLimitError, TransientError

_WAIT = frozenset({408, 409, 425, 429})
_REJECTED = frozenset({400, 413, 422})
_NO_MODEL = frozenset({"model_not_found", "invalid_model", "model_not_available"})
_NO_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_FILTERED = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
)


class RejectedError(EndpointError):
    """A request that the server finds wrong (400, 413, 422); asking it again changes nothing."""


def reply_of(
    response: Response, spec: ModelSpec, read: Callable[[Mapping[str, Any]], Reply]
) -> Reply:
    """The reply in a response.

    Args:
        read: takes the protocol's JSON apart.

    Raises:
        TransientError: worth another attempt: an overloaded or broken server, a cut-off body.
        RejectedError: this request is wrong for this server.
        EndpointError: no request can work: the key, the model or the address is wrong.
    """
    payload = _json(response.body)
    error = payload.get("error") if payload else None
    if response.status != HTTPStatus.OK:
        return _failed(response, spec, error if isinstance(error, Mapping) else payload or {})
    if payload is None:
        raise TransientError(
            f"{spec.base_url} answered 200 with no complete JSON: {first_line(response.body)}"
        )
    if error and "choices" not in payload:
        raise TransientError(f"{spec.base_url} answered 200 with an error: {_message(error)}")
    try:
        reply = read(payload)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as broken:
        raise TransientError(
            f"{spec.base_url} answered 200 with JSON of another kind: {first_line(response.body)}"
        ) from broken
    if why := why_too_long(reply.text):
        raise RejectedError(f"{spec.base_url} answered with {why.partition('.')[0]}.")
    return reply


def _failed(response: Response, spec: ModelSpec, error: Mapping[str, Any]) -> Reply:
    """Raises what the status means; the reply where a content filter spoke."""
    status, said = response.status, _message(error) or first_line(response.body)
    codes = {str(error.get(name)).lower() for name in ("code", "type")} | _inner_codes(error)
    what = f"{spec.base_url} answered {status_text(status)}: {said}"
    if codes & _FILTERED:
        return Reply(text=said, refused=True, finish_reason="content_filter", model=spec.model)
    if codes & _NO_MONEY or status == HTTPStatus.PAYMENT_REQUIRED:
        raise EndpointError(f"{what}. The account has no credit left for this model.")
    if codes & _NO_MODEL or (status in _REJECTED and "invalid model" in said.lower()):
        raise EndpointError(f"{what}. Check the name of the model, {spec.model!r}.")
    if status in (401, 403):
        variable = spec.key_env or "a variable of your choice"
        raise EndpointError(f"{what}. Put a valid API key into the environment ({variable}).")
    if status in (404, 405) or 300 <= status < 400:
        raise EndpointError(
            f"{what}. Check the model, {spec.model!r}, and the address: --base-url is what comes "
            f"before {spec.url.path.removeprefix(_path(spec))}."
        )
    if status in (429, 529):
        raise RateLimitError(what, response.retry_after)
    if status in _WAIT or status >= 500:
        raise TransientError(what, response.retry_after)
    raise RejectedError(what)


def _json(body: bytes) -> dict[str, Any] | None:
    """The JSON object that a body is, lone surrogates replaced; None for anything else."""
    try:
        parsed = sound(json.loads(body))
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def _message(error: object) -> str:
    """The server's own words on one line, bounded."""
    if isinstance(error, Mapping):
        error = error.get("message") or error.get("detail") or error.get("error") or ""
    return first_line(str(error).encode("utf-8", "replace")) if error else ""


def _inner_codes(error: Mapping[str, Any]) -> set[str]:
    inner = error.get("innererror")
    return {str(inner.get("code")).lower()} if isinstance(inner, Mapping) else set()


def _path(spec: ModelSpec) -> str:
    return spec.url.path.rpartition("/chat/")[0] or spec.url.path.rpartition("/messages")[0]
