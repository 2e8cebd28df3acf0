"""What a model server answered: a reply and its parts, an error that says what to do about it, or
that it does not take some field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from math import isfinite
from typing import Any, Self

from factmark.ask.chat import Reply, ToolCall
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


# What a complaint says where the fault is a field's.
_SCHEMA = ("schema", "response_format", "response format", "output_config", "structured", "grammar")
_WORDS = {"seed": "seed", "temperature": "temperature", "top_p": "top_p", "choice": "tool_choice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What is sent of the things that some servers refuse.

    Attributes:
        schema: structured output by JSON schema.
        seed: the field `seed`.
        new_limit: whether the limit is called `max_completion_tokens`.
        temperature, top_p: the fields of these names.
        choice: that no tool may be called any more.
    """

    schema: bool = True
    seed: bool = True
    new_limit: bool = False
    temperature: bool = True
    top_p: bool = True
    choice: bool = True

    def without(self, complaint: str, sent: Collection[str]) -> Self | None:
        """What to send after a refusal (400 or 422); None when there is nothing to leave out.

        Args:
            complaint: what the server said.
            sent: which of `schema`, `seed`, `temperature`, `top_p`, `choice` were in the request.
        """
        told = complaint.lower()
        if "max_completion_tokens" in told and not self.new_limit:
            return replace(self, new_limit=True)
        for name, word in _WORDS.items():
            if name in sent and getattr(self, name) and word in told:
                return replace(self, **{name: False})
        if "schema" in sent and self.schema:
            return replace(self, schema=False)
        return None

    def also(self, other: Self) -> Self:
        """What either leaves out."""
        return replace(
            self,
            schema=self.schema and other.schema,
            seed=self.seed and other.seed,
            new_limit=self.new_limit or other.new_limit,
            temperature=self.temperature and other.temperature,
            top_p=self.top_p and other.top_p,
            choice=self.choice and other.choice,
        )

    def told(self) -> tuple[str, ...]:
        """What is no longer sent, in words for the user."""
        return tuple(note for name, note in _NOTES.items() if not getattr(self, name))


_NOTES = {
    "schema": "the server takes no JSON schema: replies are read as free text",
    "seed": "the server takes no seed: it is not sent",
    "temperature": (
        "the server takes no such temperature: it is not sent, and the server's own holds"
    ),
    "top_p": "the server takes no such top_p: it is not sent",
    "choice": "the server takes no tool_choice: a model is not kept from calling tools at the end",
}
_SURE = 3  # requests that a server took without a schema only, and never one with it


class Knowledge:
    """What a server turned out to take, over a run. What it took once it takes for good."""

    def __init__(self) -> None:
        self.able = Abilities()
        self._taken: set[str] = set()
        self._vague = 0

    def learn(self, able: Abilities, sent: Collection[str], refusals: Collection[str]) -> None:
        """Takes in what came of a request that was answered.

        A refusal that names nothing may have been of that one request. Only several make sure.

        Args:
            able: what was sent in the end.
            sent: as for `Abilities.without`.
            refusals: what the server said before.
        """
        self._taken |= {name for name in sent if getattr(able, name)}
        vague = self.able.schema and not able.schema
        vague = vague and not any(word in text.lower() for text in refusals for word in _SCHEMA)
        self._vague += vague
        if not vague or self._vague >= _SURE:
            self.able = self.able.also(able)
        self.able = replace(self.able, **dict.fromkeys(self._taken, True))


_OPEN = re.compile(r"\s*(?:<(think|thinking|reasoning)>|\[(THINK)\])", re.IGNORECASE)
_ORPHAN = re.compile(r"</(?:think|thinking)>", re.IGNORECASE)


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
