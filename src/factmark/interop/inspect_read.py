"""Answers from logs of inspect_ai, our own and others'."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from factmark.answers.core.records import GivenAnswer, ToolUse, Trace
from factmark.answers.reading import AnswerFile
from factmark.errors import InputError
from factmark.files.text_files import why_too_long, without_surrogates
from factmark.files.zip_members import Room, json_members, member_json
from factmark.interop.inspect_values import Attachments, UnfitError, checked, total, usable
from factmark.interop.runs import condition_of
from factmark.model import Chunk
from factmark.tables.shown_text import count

_Found = tuple[int, GivenAnswer, tuple[str, ...]]
_STATUSES = {"timeout": "timeout", "parsing": "invalid"}
_ENDINGS = {"max_tokens": "length", "model_length": "length", "content_filter": "refused"}
_NO_SAMPLE = (
    ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError,
)  # fmt: skip


def read_eval(path: Path, *, model: str = "", condition: str = "") -> AnswerFile:
    """The answers of an `.eval` log, a sample at a time.

    Raises:
        InputError: if it is no such log.
    """
    opened, members = json_members(path)
    with opened:
        room = Room()
        head = members.get("header.json") or members.get("_journal/start.json")
        if head is None:
            raise InputError(f"{path}: holds no header.json; it is no log of inspect_ai.")
        header = member_json(path, opened, head, room)
        names = sorted(name for name in members if name.startswith("samples/"))
        samples = ((name, member_json(path, opened, members[name], room)) for name in names)
        return _answers(path, header, samples, model, condition)


def answers_of_log(
    path: Path, log: Mapping[str, Any], *, model: str = "", condition: str = ""
) -> AnswerFile:
    """The answers of a `.json` log.

    Raises:
        InputError: if it is no such log.
    """
    samples = log.get("samples")
    rows = samples if isinstance(samples, list) else []
    named = ((f"sample {number}", row) for number, row in enumerate(rows, start=1))
    return _answers(path, log, named, model, condition)


def _answers(
    path: Path,
    header: Any,
    samples: Iterable[tuple[str, Any]],
    model: str,
    condition: str,
) -> AnswerFile:
    spec = header.get("eval") if isinstance(header, Mapping) else None
    if not isinstance(spec, Mapping):
        raise InputError(f"{path}: has no 'eval'; it is no log of inspect_ai.")
    run = (*_run(spec, model, condition), _text(spec.get("eval_id")) or _text(path.stem))
    answers, unanswered, odd = [], 0, 0
    attachments = Attachments()
    for where, sample in samples:
        try:
            found = _answer(attachments.whole(sample), *run)
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(f"{path}, {where}: {first['loc']}: {first['msg']}.") from error
        except UnfitError as error:
            raise InputError(f"{path}, {where}: {error}.") from error
        except _NO_SAMPLE as error:
            raise InputError(f"{path}, {where}: is no sample ({error!r}).") from error
        if found is not None and (why := why_too_long(found[1].text)):
            raise InputError(f"{path}, {where}: its answer has {why}.")
        unanswered += found is None
        answers += [found[:2]] if found is not None else []
        odd += 0 if found is None else len(found[2])
    return AnswerFile(
        answers=_ordered(answers), problems=_problems(path, header, len(answers), unanswered, odd)
    )


def _ordered(answers: Sequence[tuple[int, GivenAnswer]]) -> tuple[GivenAnswer, ...]:
    """The answers of the first epoch, then those of the second, and so on."""
    return tuple(answer for _, answer in sorted(answers, key=lambda one: one[0]))


def _run(spec: Mapping[str, Any], model: str, condition: str) -> tuple[str, str]:
    """Model and condition: factmark's own note, the task's argument, its name, else what is given.

    A model that nobody named is the given one.
    """
    ours = _ours(spec)
    if "model" in ours:
        return _text(ours["model"]) or model, _text(ours.get("condition")) or condition
    arguments = spec.get("task_args")
    told = arguments.get("condition") if isinstance(arguments, Mapping) else None
    found = _text(told) or condition or condition_of(_text(spec.get("task")))
    return _text(spec.get("model")) or model, found


def _ours(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What factmark noted in a log or sample."""
    metadata = given.get("metadata")
    ours = metadata.get("factmark") if isinstance(metadata, Mapping) else None
    return ours if isinstance(ours, Mapping) else {}


def _problems(
    path: Path, header: Mapping[str, Any], answered: int, unanswered: int, odd: int
) -> tuple[str, ...]:
    problems = []
    if not answered and not unanswered:
        problems.append(
            f"{path.name}: holds no samples; they are in a log only where log_samples was on"
        )
    if odd:
        problems.append(
            f"{path.name}: figures that are no number, negative or without end (times, tokens, "
            f"costs): {odd}; not used"
        )
    if unanswered:
        ended = count(unanswered, "sample", "samples")
        problems.append(f"{path.name}: {ended} ended in an error, without an answer")
    status = header.get("status", "started")
    if status != "success":
        problems.append(
            f"{path.name}: the run that it logs did not end well (its status is "
            f"{_text(status)!r}); answers may be missing"
        )
    return tuple(problems)


def _answer(sample: Mapping[str, Any], model: str, condition: str, log: str) -> _Found | None:
    """A sample's answer; None where it has none, because of an error.

    Others' answers get an id, so that equal texts of two epochs or logs are two answers. A sample
    that a later log took over (a retried run) keeps its own, and is one answer.
    """
    ours = _ours(sample)
    output = sample.get("output") or {}
    choices = output.get("choices") or []
    if sample.get("error") is not None and not choices:
        return None
    messages = sample.get("messages") or []
    text = output.get("completion")
    if not isinstance(text, str):
        text = _content(choices[0]["message"]) if choices else ""
    tools = tuple(_uses(messages))
    query_id = _text(ours.get("query_id")) or _text(sample["id"])
    epoch, of = int(sample.get("epoch", 1)), _text(sample.get("uuid")) or log
    figures, odd = _figures(sample, ours)
    answer = GivenAnswer(
        id=_text(ours.get("id")) or f"{model}/{condition}/{query_id}/{epoch}/{of}",
        query_id=query_id,
        text=text,
        model=model,
        condition=condition,
        latency_seconds=figures.pop("latency_seconds"),
        tools_called=_names(ours, "tools_called", tuple(use.name for use in tools)),
        chunks_retrieved=_names(ours, "chunks_retrieved", ()),
        trace=_trace(messages, ours, tools, choices, figures),
    )
    return epoch, answer, odd


def _figures(
    sample: Mapping[str, Any], ours: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Latency, tokens and so on, and the names of those that are of no use.

    The time is, in others' logs, without the waiting for a free place, if that is told.
    """
    if "query_id" in ours:
        latency = checked({"latency_seconds": ours.get("latency_seconds")})
        return dict(latency), ()
    times = (sample.get(name) for name in ("working_time", "total_time"))
    usage = [one for one in (sample.get("model_usage") or {}).values() if isinstance(one, Mapping)]
    costs = [one.get("total_cost") for one in usage]
    messages = sample.get("messages") or []
    return usable(
        {
            "latency_seconds": next((one for one in times if one is not None), None),
            "sample": int(sample.get("epoch", 1)) - 1,
            "rounds": max(1, sum(one.get("role") == "assistant" for one in messages)),
            "input_tokens": total(one.get(kind) for one in usage for kind in _INPUT),
            "output_tokens": total(one.get("output_tokens") for one in usage),
            "cost": None if None in costs or not costs else total(costs),
        }
    )


# Tokens of the prompt; those of a cache are counted apart in a log.
_INPUT = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")


def _names(
    ours: Mapping[str, Any], field: str, otherwise: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Names that factmark noted; in others' logs those found, and None for none."""
    if field not in ours:
        return otherwise or None
    return None if ours[field] is None else tuple(_text(one) for one in ours[field])


def _trace(
    messages: Sequence[Any],
    ours: Mapping[str, Any],
    tools: tuple[ToolUse, ...],
    choices: Sequence[Any],
    figures: Mapping[str, Any],
) -> Trace | None:
    if "query_id" in ours:
        told = ours.get("trace")
        if not isinstance(told, Mapping):
            return None
        chunks = None if told.get("chunks") is None else tuple(_chunks(messages))
        uses = None if told.get("tools") is None else tools
        return _TRACE.validate_python({**checked(told), "chunks": chunks, "tools": uses})
    known = {name: value for name, value in figures.items() if value is not None}
    return Trace(ended=_ending(choices), tools=tools or None, **known)


_TRACE = TypeAdapter(Trace)


def _ending(choices: Sequence[Any]) -> Any:
    return _ENDINGS.get(choices[0].get("stop_reason"), "answered") if choices else "answered"


def _uses(messages: Sequence[Any]) -> Iterator[ToolUse]:
    """The calls in a conversation with their results; one without a result was lost.

    A result is that of the last call before it with its id: some servers number calls anew in
    each reply.
    """
    calls: list[tuple[Any, int]] = []
    results: dict[int, Any] = {}
    waiting: dict[Any, int] = {}
    number, seen = 0, set()
    for message in messages:
        if message.get("role") == "tool":
            place = waiting.pop(message.get("tool_call_id"), None)
            if place is not None:
                results[place] = message
        if message.get("role") != "assistant" or message.get("id") in seen:
            continue
        seen.add(message.get("id") or id(message))
        number += 1
        for call in message.get("tool_calls") or ():
            waiting[call.get("id")] = len(calls)
            calls.append((call, number))
    for place, (call, asked) in enumerate(calls):
        yield _use(call, results.get(place), asked)


def _use(call: Mapping[str, Any], result: Mapping[str, Any] | None, number: int) -> ToolUse:
    told = (result or {}).get("metadata") or {}
    ours = told.get("use") if isinstance(told, Mapping) else None
    name = _text(call.get("function"))
    text = "" if result is None else _content(result)
    if isinstance(ours, Mapping):
        return _USE.validate_python({"name": name, "result": text, **checked(ours)})
    error = (result or {}).get("error") or {}
    status = _STATUSES.get(_text(error.get("type")), "error") if error else "ok"
    arguments = json.dumps(call.get("arguments") or {}, ensure_ascii=False)
    return _USE.validate_python(
        {
            "round": number,
            "name": name,
            "arguments": arguments,
            "result": text or _text(error.get("message")),
            "status": "lost" if result is None else status,
            "size": len(text),
        }
    )


_USE = TypeAdapter(ToolUse)


def _chunks(messages: Sequence[Any]) -> Iterator[Chunk]:
    for message in messages:
        told = message.get("metadata") or {}
        if message.get("role") == "system" and "chunk" in told:
            about = told["chunk"]
            text = _content(message).removeprefix(f"{about['title']}\n\n")
            yield _CHUNK.validate_python({**checked(about), "text": text})


_CHUNK = TypeAdapter(Chunk)


def _content(message: Mapping[str, Any]) -> str:
    """The text of a message: a string, or the text among its parts."""
    content = message.get("content")
    if isinstance(content, list):
        parts = [one for one in content if isinstance(one, Mapping) and one.get("type") == "text"]
        return "\n".join(_text(one.get("text")) for one in parts)
    return _text(content)


def _text(value: object) -> str:
    if value is None:
        return ""
    return without_surrogates(value if isinstance(value, str) else str(value))
