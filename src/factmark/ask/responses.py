"""What a model server answered: a reply and its parts, an error that says what to do about it, or
that it does not take some field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from http import HTTPStatus
from math import isfinite
from typing import Any

from factmark.ask.chat import Reply, Request, ToolCall, estimate_tokens
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
    usage = reply.usage
    if usage and reply.thinking and not usage.thinking:  # most servers count all of it together
        thought = min(usage.output, estimate_tokens(reply.thinking))
        reply = replace(reply, usage=replace(usage, thinking=thought))
    return reply


def with_room(fields: dict[str, Any], request: Request) -> dict[str, Any]:
    """A request's body with its limit of tokens raised, wherever it stands, by the room given."""
    for name in ("max_tokens", "max_completion_tokens"):
        if request.room > 1 and isinstance(fields.get(name), int):
            fields[name] *= request.room
    return fields


def _failed(response: Response, spec: ModelSpec, error: Mapping[str, Any]) -> Reply:
    """Raises what the status means; the reply where a content filter spoke."""
    status, words = response.status, _message(error) or first_line(response.body)
    inner = error.get("innererror")
    inner_code = inner.get("code") if isinstance(inner, Mapping) else None
    codes = {str(code).lower() for code in (error.get("code"), error.get("type"), inner_code)}
    what = f"{spec.base_url} answered {status_text(status)}: {words}"
    if codes & _FILTERED:
        return Reply(text=words, refused=True, finish_reason="content_filter", model=spec.model)
    if codes & _NO_MONEY or status == HTTPStatus.PAYMENT_REQUIRED:
        raise EndpointError(f"{what}. The account has no credit left for this model.")
    if codes & _NO_MODEL or (status in _REJECTED and "invalid model" in words.lower()):
        raise EndpointError(f"{what}. Check the name of the model, {spec.model!r}.")
    if status in (401, 403):
        variable = spec.key_env or "a variable of your choice"
        raise EndpointError(f"{what}. Put a valid API key into the environment ({variable}).")
    if status in (404, 405) or 300 <= status < 400:
        raise EndpointError(
            f"{what}. Check the model, {spec.model!r}, and the address: --base-url is what comes "
            f"before /{spec.path}."
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


# Fields that some servers refuse: what a complaint of one says, and what the user is told.
_FIELDS = {
    "seed": ("seed", "the server takes no seed: it is not sent"),
    "temperature": (
        "temperature",
        "the server takes no such temperature: it is not sent, and the server's own holds",
    ),
    "top_p": ("top_p", "the server takes no such top_p: it is not sent"),
    "choice": (
        "tool_choice",
        "the server takes no tool_choice: a model is not kept from calling tools at the end",
    ),
}
_NO_SCHEMA = "the server takes no JSON schema: replies are read as free text"
_OF_SCHEMA = (
    "schema", "response_format", "response format", "output_config", "structured", "grammar",
)  # fmt: skip
_SURE = 3  # requests that a server took without a schema only, and never one with it


def to_leave_out(complaint: str, sent: AbstractSet[str], omitted: AbstractSet[str]) -> str | None:
    """What to leave out after a refusal (400 or 422); None when there is nothing.

    `max_tokens` means that the limit is sent as `max_completion_tokens`.

    Args:
        complaint: what the server said.
        sent: which of `schema`, `seed`, `temperature`, `top_p`, `choice` the request has.
        omitted: what was left out already.
    """
    words, left = complaint.lower(), sent - omitted
    if "max_completion_tokens" in words and "max_tokens" not in omitted:
        return "max_tokens"
    blamed = (name for name, (word, _) in _FIELDS.items() if name in left and word in words)
    return next(blamed, "schema" if "schema" in left else None)


class Refusals:
    """What a server turned out not to take, over a run. What it took once it takes for good.

    Attributes:
        omitted: what is sent to it no more, see `to_leave_out`.
    """

    def __init__(self) -> None:
        self.omitted: frozenset[str] = frozenset()
        self._taken: set[str] = set()
        self._vague = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """What is no longer sent, in words for the user."""
        notes = {"schema": _NO_SCHEMA} | {name: note for name, (_, note) in _FIELDS.items()}
        return tuple(note for name, note in notes.items() if name in self.omitted)

    def learn(
        self, omitted: AbstractSet[str], sent: AbstractSet[str], refusals: Collection[str]
    ) -> None:
        """Takes in what came of a request that was answered, after these refusals.

        A refusal that names nothing may have been of that one request. Only several make sure.
        """
        self._taken |= sent - omitted
        named = any(word in text.lower() for text in refusals for word in _OF_SCHEMA)
        vague = "schema" in omitted - self.omitted and not named
        self._vague += vague
        if not vague or self._vague >= _SURE:
            self.omitted |= omitted
        self.omitted -= self._taken


_OPEN = re.compile(
    r"\s*(?:<(think|thinking|thought|reasoning|seed:think)>|\[(THINK)\])", re.IGNORECASE
)
_ORPHAN = re.compile(r"</(?:think|thinking|seed:think)>", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str]:
    """The answer and the thinking of a reply that may begin with a thinking block.

    Some chat templates put the opening tag into the prompt, so that the reply has the closing one
    alone; a block that never closes (the reply was cut off) leaves no answer. Tags later in the
    text are the answer's own.
    """
    opened = _OPEN.match(text)
    if opened is None:
        closed = None if re.search(r"<think", text, re.IGNORECASE) else _ORPHAN.search(text)
        if closed is None:
            return text, ""
        return text[closed.end() :].strip(), text[: closed.start()].strip()
    name = opened.group(1) or opened.group(2)
    closing = rf"\[/{name}\]" if opened.group(2) else f"</{name}>"
    end = re.search(closing, text[opened.end() :], re.IGNORECASE)
    if end is None:
        return "", text[opened.end() :].strip()
    thought = text[opened.end() :][: end.start()].strip()
    answer, more = split_thinking(text[opened.end() :][end.end() :].strip())
    return answer, "\n\n".join(filter(None, (thought, more)))


def arguments_text(given: object) -> str:
    """The arguments of a call as JSON text; some servers send them parsed."""
    if isinstance(given, str):
        return given or "{}"
    return json.dumps({} if given is None else given, ensure_ascii=False)


def read_arguments(text: str) -> dict[str, object] | None:
    """The arguments of a call, or None where they are no JSON object; lone surrogates replaced.

    NaN and numbers beyond all bounds are no JSON.
    """
    try:
        given = sound(json.loads(text, parse_constant=_no_number, parse_float=_finite))
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if isfinite(number) else _no_number(text)


def sendable_arguments(text: str) -> str:
    """Arguments as they may be sent back: servers refuse a conversation with broken JSON in it."""
    given = read_arguments(text)
    return "{}" if given is None else json.dumps(given, ensure_ascii=False)


def unique_calls(given: Iterable[tuple[object, object, str]]) -> tuple[ToolCall, ...]:
    """Calls whose ids differ; one without an id, or with an earlier one's, gets a new one."""
    calls: dict[str, ToolCall] = {}
    for place, (name_of_call, name, arguments) in enumerate(given, 1):
        wished = str(name_of_call or "")
        key = wished if wished and wished not in calls else f"call_{place}"
        while key in calls:
            key += "x"
        calls[key] = ToolCall(id=key, name=str(name), arguments=arguments)
    return tuple(calls.values())
