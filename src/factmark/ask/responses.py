"""What a model server answered: a reply and its parts, or an error that says what to do."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Any

from factmark.ask.chat import (
    BROKEN_OFF,
    Reply,
    Request,
    ToolCall,
    Usage,
    estimate_tokens,
    token_count,
)
from factmark.ask.model_spec import ModelSpec
from factmark.ask.outcomes.table import ErrorKind, kind_of_error
from factmark.ask.protocols.streamed import streamed_payload
from factmark.ask.protocols.tool_call_fields import failed_generation
from factmark.errors import EndpointError
from factmark.files.text_files import mend_texts, too_long_reason
from factmark.http.client import Response, first_line, status_text
from factmark.http.retries import (
    AbsentServerError,
    RateLimitError,
    TransientError,
    clock_time,
    retry_seconds,
)

_LATEST = 1_200.0  # seconds; a server that wants to be left alone for longer ends a run
_MOST_TEXTS = 200  # texts of an error that are looked at
_ECHOES = frozenset({"failed_generation", "flagged_input", "input", "prompt", "messages", "url"})
_ERROR_CODES = range(400, 600)

# What says that a model is not served by chat completions, as OpenAI, Azure and proxies word it.
_NOT_BY_CHAT = (
    "v1/responses",
    "responses api",
    "not a chat model",
    "chatcompletion operation does not work",
)
_NOT_BY_RESPONSES = ("responses api", "v1/responses", "chat/completions", "chat completions")
_PERHAPS_OTHER_PROTOCOL = frozenset({"address", "rejected", "tools", "faulty", "no model"})
NO_RESPONSES = " Where the server has no Responses API, --protocol chat asks by chat completions."


class RejectedError(EndpointError):
    """A request that the server finds wrong; asking it again as it is changes nothing.

    Attributes:
        complaint: the server's own words, and the parameter that it names.
        kind: the name of the row in the table of errors.
    """

    def __init__(self, message: str, complaint: str = "", kind: str = "rejected") -> None:
        super().__init__(message)
        self.complaint = complaint or message
        self.kind = kind


class RunEndedError(EndpointError):
    """What no request of this run gets past, though others had replies: a quota at its end."""


class UnusableError(EndpointError):
    """An answer of 200 without an answer: broken off, or of no form that is known. It may be paid.

    Attributes:
        usage: what the server told of it.
    """

    usage: Usage | None = None


class OtherProtocolError(EndpointError):
    """A model that is not served by the protocol that it was asked by.

    Attributes:
        tools_only: whether it is so for requests with tools alone.
    """

    def __init__(self, message: str, *, tools_only: bool = False) -> None:
        super().__init__(message)
        self.tools_only = tools_only


def payload_of(response: Response) -> dict[str, Any] | None:
    """Returns the JSON object in a response, put together where it was streamed; None without
    one."""
    payload = _json_object(response.body)
    if payload is not None:
        return payload
    try:
        return streamed_payload(response.body)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError):
        return None  # events of another form


def reply_of(
    response: Response, spec: ModelSpec, read: Callable[[Mapping[str, Any]], Reply]
) -> Reply:
    """Returns the reply in a response; see `reply_in`."""
    return reply_in(payload_of(response), response, spec, read)


def reply_in(
    payload: Mapping[str, Any] | None,
    response: Response,
    spec: ModelSpec,
    read: Callable[[Mapping[str, Any]], Reply],
) -> Reply:
    """Returns the reply in a response; one without text where the model gave none.

    Args:
        payload: see `payload_of`.
        read: takes the protocol's JSON apart.

    Raises:
        TransientError: worth another attempt: an overloaded or broken server, a cut-off body.
        UnusableError: 200 without an answer; worth one more attempt at most, as it may be paid.
        RejectedError: this request is wrong for this server.
        RunEndedError: nothing more can be asked for now.
        EndpointError: no request can work: the key, the model or the address is wrong.
    """
    error = _error_in(payload or {})
    if response.status != HTTPStatus.OK or error:
        return _raise_error(response, spec, error if isinstance(error, Mapping) else payload or {})
    if payload is None:
        raise TransientError(
            f"{spec.base_url} answered 200 with no complete JSON: {first_line(response.body)}"
        )
    broken = payload.get("error")
    if broken:
        why = _error_message({"error": broken})
        raise UnusableError(f"{spec.base_url} broke off in the middle of a reply: {why}")
    try:
        reply = read(payload)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as broken_form:
        raise UnusableError(
            f"{spec.base_url} answered 200 with JSON of another kind: {first_line(response.body)}"
        ) from broken_form
    if reply.finish_reason in BROKEN_OFF:
        raise UnusableError(
            f"{spec.base_url} broke off in the middle of a reply ({reply.finish_reason})"
        )
    why = too_long_reason(reply.text)
    if why:
        raise RejectedError(f"{spec.base_url} answered with {why.partition('.')[0]}.")
    return _with_thinking_counted(reply)


def _with_thinking_counted(reply: Reply) -> Reply:
    """Returns a reply whose tokens of thinking are estimated where the server counts all of it
    together."""
    usage = reply.usage
    if not usage or not reply.thinking or usage.thinking:
        return reply
    thought = min(usage.output, estimate_tokens(reply.thinking))
    return replace(reply, usage=replace(usage, thinking=thought))


def _error_in(payload: Mapping[str, Any]) -> object:
    """Returns the error in a payload without a reply, if any; OpenRouter's stands in a choice where
    a model broke off.
    """
    choices = payload.get("choices")
    if not choices:
        return payload.get("error")
    first = None
    if isinstance(choices, list):
        first = choices[0]
    if isinstance(first, Mapping):
        return first.get("error")
    return None


def _raise_error(response: Response, spec: ModelSpec, error: Mapping[str, Any]) -> Reply:
    """Raises what the table of errors says of an error; returns a reply where a content filter
    spoke."""
    status = response.status
    shown = status_text(response.status)
    if status == HTTPStatus.OK:
        status = _code_in(error)
        shown = "200 with an error"
    message = (_error_message(error) or first_line(response.body)).rstrip(".")
    words = _words_of(error) or message.lower()
    codes = _error_codes(error)
    kind = kind_of_error(status, codes, words)
    what = f"{spec.base_url} answered {shown}: {message}"
    unpaid = Reply(text=message, model=spec.model, usage=Usage(input=0, output=0))
    if kind.name == "refused":
        return replace(unpaid, refused=True, finish_reason="content_filter")
    if "tool_use_failed" in codes and (written := failed_generation(error)):
        return replace(unpaid, text=written, finish_reason="tool_use_failed")
    if kind.name in _PERHAPS_OTHER_PROTOCOL:
        _check_protocol(spec, status, words, what)
    asked = response.retry_after or _wait_in_body(error, words)
    advice = _advice(kind, spec)
    if advice:
        what += f". {advice}"
    parameter = error.get("param")
    if parameter:
        complaint = f"{message} ({parameter})"
    else:
        complaint = message
    raise _error_of_kind(kind, what, complaint, asked, response.status == HTTPStatus.OK)


def _error_of_kind(
    kind: ErrorKind, what: str, complaint: str, asked: str | None, answered: bool
) -> EndpointError:
    """Returns the error by which an error of a kind is dealt with.

    Args:
        answered: whether it came with 200: then the server is there, whatever is behind it.
    """
    seconds = retry_seconds(asked)
    if kind.ends or (kind.wait == "turn" and seconds is not None and seconds > _LATEST):
        if seconds is not None:
            what = f"{what.rstrip('.')}. It says that it may go on at {clock_time(seconds)}."
        return RunEndedError(f"{what.rstrip('.')}. The same command goes on from there.")
    if kind.wait == "turn":
        return RateLimitError(what, asked)
    if kind.wait == "back" and not answered:
        return AbsentServerError(what, asked)
    if kind.wait in ("soon", "back"):
        return TransientError(what, asked)
    if kind.whose in ("request", "model"):
        return RejectedError(what, complaint, kind.name)
    return EndpointError(what)


def _advice(kind: ErrorKind, spec: ModelSpec) -> str:
    """Returns what the user does next, as the table has it for such a model."""
    if kind.name == "rejected" and spec.extra:
        return f"What --extra adds ({', '.join(spec.extra)}) may be what it refuses."
    noun = "model"
    if spec.provider == "azure":
        noun = "deployment"
    places = {"model": repr(spec.model), "noun": noun, "path": spec.path, "key": _key_advice(spec)}
    advice = kind.advice.format(**places)
    if kind.name == "address" and spec.protocol == "responses":
        advice += NO_RESPONSES
    return advice


def _code_in(error: Mapping[str, Any]) -> int:
    """Returns the status that an error came with in place of that of HTTP; 200 where it has
    none."""
    code = error.get("code")
    if isinstance(code, str) and code.isdecimal():
        status = int(code)
    else:
        status = token_count(code)
    if status in _ERROR_CODES:
        return status
    return int(HTTPStatus.OK)


def _check_protocol(spec: ModelSpec, status: int, words: str, what: str) -> None:
    """Raises where an error says that the model is served by another protocol.

    Raises:
        OtherProtocolError: it does; the message names the way out.
    """
    if status not in {200, 400, 404, 405, 422, 501}:
        return
    if spec.protocol == "responses" and any(phrase in words for phrase in _NOT_BY_RESPONSES):
        raise OtherProtocolError(f"{what}. --protocol chat asks by chat completions.")
    if spec.protocol != "openai" or not any(phrase in words for phrase in _NOT_BY_CHAT):
        return
    tools_only = "tool" in words
    ways = []
    if spec.speaks == "chat":
        ways.append("Leave --protocol chat out, or give --protocol responses")
    if tools_only:
        how = "has the model call tools without reasoning"
        ways.append(f"--protocol chat --extra reasoning_effort=none {how}")
    raise OtherProtocolError(". ".join([what, *ways]) + ".", tools_only=tools_only)


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
    if isinstance(parsed, dict):
        return parsed
    return None


def _error_message(error: object) -> str:
    """Returns the server's own words on one line, bounded; what a provider behind OpenRouter said
    too.
    """
    for _ in range(4):
        if not isinstance(error, Mapping):
            break
        behind = error.get("metadata")
        raw = None
        if isinstance(behind, Mapping):
            raw = behind.get("raw")
        if isinstance(raw, str) and raw:
            error = (_json_object(raw.encode("utf-8", "replace")) or {}).get("error") or raw
        else:
            error = error.get("message") or error.get("detail") or error.get("error")
    if error:
        return first_line(str(error).encode("utf-8", "replace"))
    return ""


def _words_of(error: object) -> str:
    """Returns all texts in an error in lower case, without those that echo what was sent."""
    texts: list[str] = []
    waiting: list[object] = [error]
    while waiting and len(texts) < _MOST_TEXTS:
        part = waiting.pop(0)
        if isinstance(part, Mapping):
            waiting += [value for name, value in part.items() if name not in _ECHOES]
        elif isinstance(part, list):
            waiting += part[:_MOST_TEXTS]
        elif isinstance(part, str):
            texts.append(part[:2_000])
    return "\n".join(texts).lower()


def _objects_under(error: Mapping[str, Any], *names: str) -> list[Mapping[str, Any]]:
    """Returns the objects in an error under some names, alone or in a list."""
    given = [error.get(name) for name in names]
    flat: list[Any | None] = []
    for value in given:
        flat.extend(value if isinstance(value, list) else [value])
    return [part for part in flat if isinstance(part, Mapping)]


def _error_codes(error: Mapping[str, Any]) -> set[str]:
    """Returns all codes of an error in lower case: also Azure's inner one, Gemini's details,
    moderation.
    """
    parts = [error, *_objects_under(error, "innererror", "details")]
    parts += [quota for part in parts[1:] for quota in _objects_under(part, "violations")]
    parts += _objects_under(error, "provider_specific_fields")
    names = ("code", "type", "status", "reason", "quotaId")
    flagged = set()
    for part in _objects_under(error, "metadata"):
        for key in part:
            if key == "flagged_input":
                flagged.add(key)
    return {str(part[name]).lower() for part in parts for name in names if name in part} | flagged


_TRY_AGAIN = re.compile(
    r"(?:again|retry|wait|resets?)\s+(?:in|after)\s+(?:(\d{1,3})\s*h(?:ours?)?)?\s*"
    r"(?:(\d{1,4})\s*m(?:in(?:ute)?s?)?(?!s))?\s*(?:(\d{1,7}(?:\.\d{1,6})?)\s*(ms|s(?:ec(?:ond)?s?)?))?\b"
)


def _wait_in_body(error: Mapping[str, Any], words: str) -> str | None:
    """Returns the seconds that a server asks for in the body, as Gemini's field or in words."""
    for part in _objects_under(error, "details"):
        seconds = re.fullmatch(r"(\d{1,6}(?:\.\d+)?)s", str(part.get("retryDelay")))
        if seconds:
            return str(math.ceil(float(seconds[1])))
    asked = _TRY_AGAIN.search(words)
    if asked is None or not any(asked.groups()):
        return None
    hours, minutes, number, unit = asked.groups()
    last = float(number or 0) / (1000 if unit == "ms" else 1)
    return f"{3600 * int(hours or 0) + 60 * int(minutes or 0) + last:.3f}"


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
    both = {}
    for n in fields.keys() & extra.keys():
        both[n] = (fields[n], extra[n])
    inner = {}
    for name, (ours, theirs) in both.items():
        if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
            inner[name] = merged_fields(ours, theirs)
    return {**fields, **extra, **inner}


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
        closed = None
        if not re.search(r"<think", text, re.IGNORECASE):
            closed = _ORPHAN.search(text)
        if closed is None:
            return text, ""
        return text[closed.end() :].strip(), text[: closed.start()].strip()
    name = opened.group(1) or opened.group(2)
    if opened.group(2):
        closing = rf"\[/{name}\]"
    else:
        closing = f"</{name}>"
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
    if isinstance(given, dict):
        return given
    return None


def _refuse_constant(text: str) -> float:
    """Raises ValueError: NaN and Infinity are no JSON."""
    raise ValueError(f"{text} is no JSON")


def _finite_float(text: str) -> float:
    """Returns the number that a text is. Raises ValueError where it is beyond all bounds."""
    number = float(text)
    if math.isfinite(number):
        return number
    return _refuse_constant(text)


def sendable_arguments(text: str) -> str:
    """Returns arguments as they may be sent back: servers refuse a conversation with broken JSON in
    it.
    """
    given = read_arguments(text)
    if given is None:
        return "{}"
    return json.dumps(given, ensure_ascii=False)


def unique_calls(given: Iterable[tuple[object, object, str]]) -> tuple[ToolCall, ...]:
    """Returns calls whose ids differ; one without an id of its own gets one."""
    calls: dict[str, ToolCall] = {}
    for place, (name_of_call, name, arguments) in enumerate(given, 1):
        wished = str(name_of_call or "")
        if wished and wished not in calls:
            key = wished
        else:
            key = f"call_{place}"
        while key in calls:
            key += "x"
        calls[key] = ToolCall(id=key, name=str(name), arguments=arguments)
    return tuple(calls.values())
