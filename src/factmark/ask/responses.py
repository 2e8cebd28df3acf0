"""What a model server answered: a reply and its parts, an error that says what to do about it, or
that it does not take some field.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from factmark.ask.chat import CUT, Reply, Request, ToolCall, estimate_tokens, token_count
from factmark.ask.model_spec import ModelSpec
from factmark.ask.protocols.tool_call_fields import failed_generation, remedy_for_tools
from factmark.errors import EndpointError
from factmark.files.text_files import mend_texts, too_long_reason
from factmark.http.client import Response, first_line, status_text
from factmark.http.retries import AbsentServerError, RateLimitError, TransientError

_WAIT = frozenset({408, 409, 425})
_REJECTED = frozenset({400, 413, 422})

# What errors mean, by the codes that providers give in lower case, and by their words.
_FILTERED = frozenset(
    {"content_filter", "content_policy_violation", "responsibleaipolicyviolation"}
    | {"invalid_prompt", "flagged_input"}
)
_FILTER_WORDS = "content filtering policy"
_NO_MONEY = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_error"})
_NO_MONEY_WORDS = ("credit balance is too low", "specified api usage limits")
_NO_MODEL = frozenset(
    {"model_not_found", "invalid_model", "model_not_available", "deploymentnotfound"}
)
_NO_MODEL_WORDS = ("invalid model", "not a valid model")
_NO_KEY = frozenset({"invalid_api_key", "api_key_invalid"})
_DAILY = re.compile(r"per-?day")
_TOO_LONG = re.compile(
    "context (length|size|window)|too long|maximum context|input token count|too many tokens"
)
_LONG = frozenset({"context_length_exceeded", "request_too_large"})


# What says that a model is not served by chat completions, as OpenAI, Azure and proxies word it.
_NOT_BY_CHAT = (
    "v1/responses",
    "responses api",
    "not a chat model",
    "chatcompletion operation does not work",
)
_NOT_BY_RESPONSES = ("responses api", "v1/responses", "chat/completions", "chat completions")


class RejectedError(EndpointError):
    """A request that the server finds wrong (400, 413, 422); asking it again changes nothing.

    Attributes:
        complaint: the server's own words, and the parameter that it names.
    """

    def __init__(self, message: str, complaint: str = "") -> None:
        super().__init__(message)
        self.complaint = complaint or message


class OtherProtocolError(EndpointError):
    """A model that is not served by the protocol that it was asked by.

    Attributes:
        tools_only: whether it is so for requests with tools alone.
    """

    def __init__(self, message: str, *, tools_only: bool = False) -> None:
        super().__init__(message)
        self.tools_only = tools_only


def reply_of(
    response: Response, spec: ModelSpec, read: Callable[[Mapping[str, Any]], Reply]
) -> Reply:
    """Returns the reply in a response.

    Args:
        read: takes the protocol's JSON apart.

    Raises:
        TransientError: worth another attempt: an overloaded or broken server, a cut-off body.
        RejectedError: this request is wrong for this server.
        EndpointError: no request can work: the key, the model or the address is wrong.
    """
    payload = _json_object(response.body)
    error = _error_in(payload or {})
    if response.status != HTTPStatus.OK or error:
        return _raise_error(response, spec, error if isinstance(error, Mapping) else payload or {})
    if payload is None:
        raise TransientError(
            f"{spec.base_url} answered 200 with no complete JSON: {first_line(response.body)}"
        )
    try:
        reply = read(payload)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as broken:
        raise TransientError(
            f"{spec.base_url} answered 200 with JSON of another kind: {first_line(response.body)}"
        ) from broken
    if why := too_long_reason(reply.text):
        raise RejectedError(f"{spec.base_url} answered with {why.partition('.')[0]}.")
    usage = reply.usage
    if usage and reply.thinking and not usage.thinking:  # most servers count all of it together
        thought = min(usage.output, estimate_tokens(reply.thinking))
        reply = replace(reply, usage=replace(usage, thinking=thought))
    return reply


def raise_token_limit(fields: dict[str, Any], request: Request) -> dict[str, Any]:
    """Returns a request's body with its limit of tokens raised, wherever it stands, by the room
    given.
    """
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        if request.room > 1 and isinstance(fields.get(name), int):
            fields[name] *= request.room
    return fields


def merged_fields(fields: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the fields of a body with further ones, object by object; what both name is as
    `extra` has it.
    """
    both = {n: (fields[n], extra[n]) for n in fields.keys() & extra.keys()}
    inner = {
        name: merged_fields(ours, theirs)
        for name, (ours, theirs) in both.items()
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping)
    }
    return {**fields, **extra, **inner}


def _error_in(payload: Mapping[str, Any]) -> object:
    """Returns the error in a payload, if any; OpenRouter's stands in a choice where a model broke
    off.
    """
    choices = payload.get("choices")
    if not choices:
        return payload.get("error")
    first = choices[0] if isinstance(choices, list) else None
    return first.get("error") if isinstance(first, Mapping) else None


def _raise_error(response: Response, spec: ModelSpec, error: Mapping[str, Any]) -> Reply:
    """Raises the error that a payload means; returns a reply where a content filter spoke."""
    status, shown = response.status, status_text(response.status)
    if status == HTTPStatus.OK:
        code = token_count(error.get("code"))
        if error.get("code") == "rate_limit_exceeded":  # of a response that has failed
            code = int(HTTPStatus.TOO_MANY_REQUESTS)
        status, shown = code if 400 <= code < 600 else 502, "200 with an error"
    message = (_error_message(error) or first_line(response.body)).rstrip(".")
    codes, words = _error_codes(error), message.lower()
    what = f"{spec.base_url} answered {shown}: {message}"
    if codes & _FILTERED or _FILTER_WORDS in words:
        return Reply(text=message, refused=True, finish_reason="content_filter", model=spec.model)
    if written := failed_generation(error):
        return Reply(text=written, finish_reason="tool_use_failed", model=spec.model)
    if remedy := remedy_for_tools(words):
        raise RejectedError(f"{what}. {remedy}.", f"{message} ({error.get('param') or 'tools'})")
    if (
        _is_of_kind(codes, words, _NO_MONEY, _NO_MONEY_WORDS)
        or status == HTTPStatus.PAYMENT_REQUIRED
    ):
        raise EndpointError(f"{what}. The account has no credit left for this model.")
    if status == HTTPStatus.TOO_MANY_REQUESTS and any(map(_DAILY.search, (*codes, words))):
        raise EndpointError(f"{what}. The day's quota is used up; the same command goes on then.")
    if _is_of_kind(codes, words if status in _REJECTED else "", _NO_MODEL, _NO_MODEL_WORDS):
        noun = "deployment" if spec.provider == "azure" else "model"
        raise EndpointError(f"{what}. Check the name of the {noun}, {spec.model!r}.")
    _check_protocol(spec, status, words, what)
    if status in (401, 403) or codes & _NO_KEY:
        raise EndpointError(f"{what}. {_key_advice(spec)}")
    if status in (404, 405) or 300 <= status < 400:
        raise EndpointError(
            f"{what}. Check the model, {spec.model!r}, and the address: --base-url is what comes "
            f"before /{spec.path}.{NO_RESPONSES if spec.protocol == 'responses' else ''}"
        )
    if status in (429, 529):
        raise RateLimitError(what, response.retry_after or _wait_in_body(error))
    if status in (502, 503):
        raise AbsentServerError(what, response.retry_after)
    if status in _WAIT or status >= 500:
        raise TransientError(what, response.retry_after)
    if codes & _LONG or status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE or _TOO_LONG.search(words):
        what += ". The prompt is too long for this model."
    parameter = error.get("param")
    raise RejectedError(what, f"{message} ({parameter})" if parameter else message)


NO_RESPONSES = " Where the server has no Responses API, --protocol chat asks by chat completions."


def _check_protocol(spec: ModelSpec, status: int, words: str, what: str) -> None:
    """Raises where an error says that the model is served by another protocol.

    Raises:
        OtherProtocolError: it does; the message names the way out.
    """
    if status not in {400, 404, 405, 422, 501}:
        return
    if spec.protocol == "responses" and any(phrase in words for phrase in _NOT_BY_RESPONSES):
        raise OtherProtocolError(f"{what}. --protocol chat asks by chat completions.")
    if spec.protocol != "openai" or not any(phrase in words for phrase in _NOT_BY_CHAT):
        return
    tools_only = "tool" in words
    ways = ["Leave --protocol chat out, or give --protocol responses"] * (spec.speaks == "chat")
    if tools_only:
        how = "has the model call tools without reasoning"
        ways.append(f"--protocol chat --extra reasoning_effort=none {how}")
    raise OtherProtocolError(". ".join([what, *ways]) + ".", tools_only=tools_only)


def _is_of_kind(
    codes: Collection[str], words: str, known: AbstractSet[str], say: Iterable[str]
) -> bool:
    """Returns whether an error is of a kind: by one of its codes, or by a phrase in its words."""
    return not known.isdisjoint(codes) or any(phrase in words for phrase in say)


def _key_advice(spec: ModelSpec) -> str:
    """Returns what to do where the server refuses the key."""
    if spec.key_env:
        return f"Put a valid API key into the environment ({spec.key_env})."
    return (
        "No key was sent: one goes to its provider's own address only, unless --key-env names "
        "the environment variable that holds it."
    )


def _json_object(body: bytes) -> dict[str, Any] | None:
    """Returns the JSON object that a body is, lone surrogates replaced; None for anything else.

    Gemini answers errors as a list of one.
    """
    try:
        parsed = mend_texts(json.loads(body))
    except (ValueError, RecursionError):
        return None
    if isinstance(parsed, list) and parsed and isinstance(parsed[0], dict) and "error" in parsed[0]:
        parsed = parsed[0]
    return parsed if isinstance(parsed, dict) else None


def _error_message(error: object) -> str:
    """Returns the server's own words on one line, bounded; what a provider behind OpenRouter said
    too.
    """
    for _ in range(4):
        if not isinstance(error, Mapping):
            break
        behind = error.get("metadata")
        raw = behind.get("raw") if isinstance(behind, Mapping) else None
        if isinstance(raw, str) and raw:
            error = (_json_object(raw.encode("utf-8", "replace")) or {}).get("error") or raw
        else:
            error = error.get("message") or error.get("detail") or error.get("error")
    return first_line(str(error).encode("utf-8", "replace")) if error else ""


def _objects_under(error: Mapping[str, Any], *names: str) -> list[Mapping[str, Any]]:
    """Returns the objects in an error under some names, alone or in a list."""
    given = [error.get(name) for name in names]
    flat = [part for value in given for part in (value if isinstance(value, list) else [value])]
    return [part for part in flat if isinstance(part, Mapping)]


def _error_codes(error: Mapping[str, Any]) -> set[str]:
    """Returns all codes of an error in lower case: also Azure's inner one, Gemini's details,
    moderation.
    """
    parts = [error, *_objects_under(error, "innererror", "details")]
    parts += [quota for part in parts[1:] for quota in _objects_under(part, "violations")]
    names = ("code", "type", "status", "reason", "quotaId")
    flagged = {
        key for part in _objects_under(error, "metadata") for key in part if key == "flagged_input"
    }
    return {str(part[name]).lower() for part in parts for name in names if name in part} | flagged


def _wait_in_body(error: Mapping[str, Any]) -> str | None:
    """Returns the seconds that Gemini asks for, in the body instead of a header."""
    for part in _objects_under(error, "details"):
        seconds = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)s", str(part.get("retryDelay")))
        if seconds:
            return str(math.ceil(float(seconds[1])))
    return None


# Fields that some servers refuse, and complain of by this name, and what the user is told.
_FIELDS = {
    "seed": "the server takes no seed: it is not sent",
    "temperature": (
        "the server takes no such temperature: it is not sent, and the server's own holds"
    ),
    "top_p": "the server takes no such top_p: it is not sent",
    "tool_choice": (
        "the server takes no tool_choice: a model is not kept from calling tools at the end"
    ),
    "cache_control": "the server takes no cache_control: prompts are not cached",
    "include": "the model gives no encrypted reasoning: none goes back with its calls of tools",
}
# Where a field's bare name is a common word: what names it for sure.
_NAMED_AS = {"include": ("(include)", "'include'", "encrypted content", "encrypted_content")}
_NO_SCHEMA = "the server takes no JSON schema: replies are read as free text"
_UNHEEDED = (
    "the server takes the JSON schema and does not keep to it: replies are read as free text"
)
_OF_SCHEMA = (
    "schema",
    "response_format",
    "response format",
    "output_config",
    "structured",
    "grammar",
    "text.format",
    "guided",
    "json mode",
    "json_object",
)
_PERHAPS_OF_SCHEMA = ("json_validate", "generate json", "validate json", "valid json")
_VAGUE = frozenset(  # words of refusals that blame nothing, so that it may be the schema
    "a an and any argument arguments bad be body cannot client contains could entity error field "
    "fields format gateway generic has input invalid is it json malformed no not of one or "
    "parameter parameters permitted process processed provider request returned server something "
    "supported the this try again unable unknown unprocessable unsupported upstream validation "
    "value values went with wrong your".split()
)
_SURE = 3  # requests that a server took without a schema only, and never one with it
_UNKNOWN = re.compile(r"Unknown name [\\\"]*([$\w]+)[\\\"]* at '[^']*(?:schema|parameters)")
KEYWORD = "keyword:"
"""Before a keyword of JSON schemas that a server does not know, among what is left out."""


def field_to_leave_out(
    complaint: str, sent: AbstractSet[str], omitted: AbstractSet[str]
) -> str | None:
    """Returns what to leave out after a refusal (400 or 422); None when there is nothing.

    `max_tokens` means that the limit is sent as `max_completion_tokens`.

    Args:
        complaint: what the server said.
        sent: which of `schema` and the fields that some servers refuse the request has.
        omitted: what was left out already.
    """
    words, left = complaint.lower(), sent - omitted
    if "max_completion_tokens" in words and "max_tokens" not in omitted:
        return "max_tokens"
    keyword = _UNKNOWN.search(complaint)
    if keyword and f"{KEYWORD}{keyword[1]}" not in omitted:
        return f"{KEYWORD}{keyword[1]}"
    if _TOO_LONG.search(words):
        return None
    blamed = (name for name in _FIELDS if name in left and _names_field(words, name))
    of_schema = (*_OF_SCHEMA, *_PERHAPS_OF_SCHEMA)
    about_schema = any(phrase in words for phrase in of_schema) or _is_vague(words)
    return next(blamed, "schema" if "schema" in left and about_schema else None)


def _names_field(words: str, field: str) -> bool:
    """Returns whether a complaint names a field, by any of the names that servers have for it."""
    return any(name in words for name in _NAMED_AS.get(field, (field,)))


def _is_vague(words: str) -> bool:
    """Returns whether a complaint names nothing: then it may be of the schema, else it is not."""
    return set(re.findall(r"[^\W\d_]+", words)) <= _VAGUE


def schema_without(schema: object, omitted: Collection[str]) -> Any:
    """Returns a JSON schema without the keywords that a server does not know, see `KEYWORD`."""
    if not any(name.startswith(KEYWORD) for name in omitted):
        return schema
    if isinstance(schema, list):
        return [schema_without(part, omitted) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    parts: dict[str, Any] = {}
    for name, part in schema.items():
        if name == "properties" and isinstance(part, Mapping):  # whose names are no keywords
            parts[name] = {key: schema_without(value, omitted) for key, value in part.items()}
        elif f"{KEYWORD}{name}" not in omitted:
            parts[name] = schema_without(part, omitted)
    return parts


class Refusals:
    """What a server turned out not to take, over a run. What it took once it takes for good.

    Attributes:
        omitted: what is sent to it no more, see `to_leave_out`.
    """

    def __init__(self) -> None:
        self.omitted: frozenset[str] = frozenset()
        self._taken: set[str] = set()
        self._vague = 0
        self._unheeded = 0  # replies outside the schema, less those in it
        self._whole = self._thoughts = 0  # replies; those with thinking

    @property
    def notes(self) -> tuple[str, ...]:
        """What is no longer sent, or sent in vain, in words for the user."""
        notes = {"schema": _NO_SCHEMA, **_FIELDS}
        unheeded = (_UNHEEDED,) if self._unheeded > 0 and "schema" not in self.omitted else ()
        return (*(note for name, note in notes.items() if name in self.omitted), *unheeded)

    def note_answered(
        self, omitted: AbstractSet[str], sent: AbstractSet[str], refusals: Collection[str]
    ) -> None:
        """Notes which fields the server took or refused, from a request that it answered after
        refusals.

        A refusal that names nothing may have been of that one request. Only several make sure.
        """
        self._taken |= sent - omitted
        named = any(word in text.lower() for text in refusals for word in _OF_SCHEMA)
        vague = "schema" in omitted - self.omitted and not named
        self._vague += vague
        if not vague or self._vague >= _SURE:
            self.omitted |= omitted
        self.omitted -= self._taken

    def compare(self, request: Request, reply: Reply, omitted: AbstractSet[str]) -> Reply:
        """Takes in whether a whole reply is in the form that was asked for, and has thinking.

        Returns the reply; where a model that always thinks was cut off in a block that its chat
        template opened in the prompt, it is all thinking.
        """
        if reply.finish_reason in CUT and not reply.thinking and 0 < self._whole == self._thoughts:
            return replace(reply, text="", thinking=reply.text)
        whole = reply.text and not (reply.refused or reply.tool_calls or reply.finish_reason in CUT)
        self._whole += bool(whole)
        self._thoughts += bool(whole and reply.thinking)
        if request.schema is not None and whole and "schema" not in omitted:
            parsed, required = read_arguments(reply.text), request.schema.get("required")
            keys = required if isinstance(required, list) else []
            self._unheeded += 1 if parsed is None or not set(keys) <= parsed.keys() else -1
        return reply


_OPEN = re.compile(
    r"\s*(?:<(think|thinking|thought|reasoning|seed:think)>|\[(THINK)\])", re.IGNORECASE
)
_ORPHAN = re.compile(r"</(?:think|thinking|seed:think)>", re.IGNORECASE)


def split_thinking(text: str) -> tuple[str, str]:
    """Returns the answer and the thinking of a reply that may begin with a thinking block.

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
    """Returns the arguments of a call as JSON text; some servers send them parsed."""
    if isinstance(given, str):
        return given or "{}"
    return json.dumps({} if given is None else given, ensure_ascii=False)


def read_arguments(text: str) -> dict[str, object] | None:
    """Returns the arguments of a call, or None where they are no JSON object; lone surrogates
    replaced.

    NaN and numbers beyond all bounds are no JSON.
    """
    try:
        given = mend_texts(
            json.loads(text, parse_constant=_refuse_constant, parse_float=_finite_float)
        )
    except (ValueError, RecursionError):
        return None
    return given if isinstance(given, dict) else None


def _refuse_constant(text: str) -> float:
    """Raises ValueError: NaN and Infinity are no JSON."""
    raise ValueError(f"{text} is no JSON")


def _finite_float(text: str) -> float:
    """Returns the number that a text is. Raises ValueError where it is beyond all bounds."""
    number = float(text)
    return number if math.isfinite(number) else _refuse_constant(text)


def sendable_arguments(text: str) -> str:
    """Returns arguments as they may be sent back: servers refuse a conversation with broken JSON in
    it.
    """
    given = read_arguments(text)
    return "{}" if given is None else json.dumps(given, ensure_ascii=False)


def unique_calls(given: Iterable[tuple[object, object, str]]) -> tuple[ToolCall, ...]:
    """Returns calls whose ids differ; one without an id of its own gets one."""
    calls: dict[str, ToolCall] = {}
    for place, (name_of_call, name, arguments) in enumerate(given, 1):
        wished = str(name_of_call or "")
        key = wished if wished and wished not in calls else f"call_{place}"
        while key in calls:
            key += "x"
        calls[key] = ToolCall(id=key, name=str(name), arguments=arguments)
    return tuple(calls.values())
