"""Answers from logs of inspect_ai, our own and others', who may write anything there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from factmark.answers.core.records import GivenAnswer, ToolUse, Trace
from factmark.answers.reading import AnswerFile
from factmark.errors import InputError
from factmark.files.text_files import why_too_long, without_surrogates
from factmark.files.zip_members import ZippedJson
from factmark.interop.runs import condition_of
from factmark.model import Chunk
from factmark.tables.shown_text import count

SAMPLE_LIMIT, LOG_LIMIT = 2**26, 2**28  # characters of long texts that are put back
_ATTACHED = "attachment://"
_MAX_DEPTH = 60
_READ = (
    "id", "epoch", "uuid", "output", "messages", "metadata", "model_usage", "error",
    "working_time", "total_time",
)  # fmt: skip
_STATUSES = {"timeout": "timeout", "parsing": "invalid"}
_ENDINGS = {"max_tokens": "length", "model_length": "length", "content_filter": "refused"}
# Tokens of the prompt; those of a cache are counted apart in a log.
_INPUT = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
_NO_SAMPLE = (
    ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError,
)  # fmt: skip
_TRACE, _USE, _CHUNK = TypeAdapter(Trace), TypeAdapter(ToolUse), TypeAdapter(Chunk)

_Count = Annotated[int, Field(ge=0, le=2**53)]
_Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class UnfitError(ValueError):
    """Why a sample is not read."""


def read_eval(path: Path, *, model: str = "", condition: str = "") -> AnswerFile:
    """The answers of an `.eval` log, a sample at a time.

    Raises:
        InputError: if it is no such log.
    """
    log = ZippedJson(path)
    with log.zip:
        head = "header.json" if "header.json" in log.members else "_journal/start.json"
        if head not in log.members:
            raise InputError(f"{path}: holds no header.json; it is no log of inspect_ai.")
        header = log.value(head)
        names = sorted(name for name in log.members if name.startswith("samples/"))
        samples = ((name, log.value(name)) for name in names)
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
    path: Path, header: Any, samples: Iterable[tuple[str, Any]], model: str, condition: str
) -> AnswerFile:
    """The answers of the first epoch, then those of the second, and so on."""
    spec = header.get("eval") if isinstance(header, Mapping) else None
    if not isinstance(spec, Mapping):
        raise InputError(f"{path}: has no 'eval'; it is no log of inspect_ai.")
    run = (*_run(spec, model, condition), _text(spec.get("eval_id")) or _text(path.stem))
    answers: list[tuple[int, GivenAnswer]] = []
    unanswered, odd = 0, 0
    attachments = Attachments()
    for where, sample in samples:
        try:
            answered = _answer(attachments.whole(sample), *run)
        except ValidationError as error:
            first = error.errors()[0]
            raise InputError(f"{path}, {where}: {first['loc']}: {first['msg']}.") from error
        except UnfitError as error:
            raise InputError(f"{path}, {where}: {error}.") from error
        except _NO_SAMPLE as error:
            raise InputError(f"{path}, {where}: is no sample ({error!r}).") from error
        if answered is None:
            unanswered += 1
            continue
        epoch, answer, bad = answered
        if why := why_too_long(answer.text):
            raise InputError(f"{path}, {where}: its answer has {why}.")
        answers.append((epoch, answer))
        odd += len(bad)
    return AnswerFile(
        answers=tuple(answer for _, answer in sorted(answers, key=lambda pair: pair[0])),
        problems=tuple(
            f"{path.name}: {problem}"
            for problem in _problems(header, len(answers), unanswered, odd)
        ),
    )


def _run(spec: Mapping[str, Any], model: str, condition: str) -> tuple[str, str]:
    """Model and condition: factmark's own note, the task's argument, its name, else what is given.

    A model that nobody named is the given one.
    """
    ours = _ours(spec)
    if "model" in ours:
        return _text(ours["model"]) or model, _text(ours.get("condition")) or condition
    arguments = spec.get("task_args")
    named = arguments.get("condition") if isinstance(arguments, Mapping) else None
    guess = _text(named) or condition or condition_of(_text(spec.get("task")))
    return _text(spec.get("model")) or model, guess


def _ours(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """What factmark noted in a log or sample."""
    metadata = given.get("metadata")
    ours = metadata.get("factmark") if isinstance(metadata, Mapping) else None
    return ours if isinstance(ours, Mapping) else {}


def _problems(header: Mapping[str, Any], answered: int, unanswered: int, odd: int) -> Iterator[str]:
    if not answered and not unanswered:
        yield "holds no samples; they are in a log only where log_samples was on"
    if odd:
        yield (
            "figures that are no number, negative or without end (times, tokens, costs): "
            f"{odd}; not used"
        )
    if unanswered:
        yield f"{count(unanswered, 'sample', 'samples')} ended in an error, without an answer"
    status = header.get("status", "started")
    if status != "success":
        yield (
            f"the run that it logs did not end well (its status is {_text(status)!r}); answers "
            "may be missing"
        )


def _answer(
    sample: Mapping[str, Any], model: str, condition: str, log: str
) -> tuple[int, GivenAnswer, Sequence[str]] | None:
    """A sample's epoch and answer, and its figures of no use; None where an error left no answer.

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
    trace: Trace | None
    bad: Sequence[str] = ()
    if "query_id" in ours:
        latency = checked({"latency_seconds": ours.get("latency_seconds")})["latency_seconds"]
        trace = _own_trace(ours.get("trace"), messages, tools)
    else:
        figures, bad = usable(_figures(sample, messages))
        latency = figures.pop("latency_seconds")
        stop = choices[0].get("stop_reason") if choices else ""
        known = {name: value for name, value in figures.items() if value is not None}
        ended: Any = _ENDINGS.get(stop, "answered")
        trace = Trace(ended=ended, tools=tools or None, **known)
    answer = GivenAnswer(
        id=_text(ours.get("id")) or f"{model}/{condition}/{query_id}/{epoch}/{of}",
        query_id=query_id,
        text=text,
        model=model,
        condition=condition,
        latency_seconds=latency,
        tools_called=_names(ours, "tools_called", tuple(use.name for use in tools)),
        chunks_retrieved=_names(ours, "chunks_retrieved", ()),
        trace=trace,
    )
    return epoch, answer, bad


def _names(
    ours: Mapping[str, Any], field: str, otherwise: tuple[str, ...]
) -> tuple[str, ...] | None:
    """Names that factmark noted; in others' logs those found, and None for none."""
    if field not in ours:
        return otherwise or None
    return None if ours[field] is None else tuple(_text(name) for name in ours[field])


def _own_trace(noted: Any, messages: Sequence[Any], tools: tuple[ToolUse, ...]) -> Trace | None:
    """The trace that factmark wrote, with the calls and chunks of the conversation."""
    if not isinstance(noted, Mapping):
        return None
    chunks = None if noted.get("chunks") is None else tuple(_chunks(messages))
    uses = None if noted.get("tools") is None else tools
    return _TRACE.validate_python({**checked(noted), "chunks": chunks, "tools": uses})


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
    metadata = (result or {}).get("metadata") or {}
    ours = metadata.get("use") if isinstance(metadata, Mapping) else None
    text = "" if result is None else _content(result)
    use: dict[str, Any] = {"name": _text(call.get("function")), "result": text}
    if isinstance(ours, Mapping):
        return _USE.validate_python(use | dict(checked(ours)))
    error = (result or {}).get("error") or {}
    status = _STATUSES.get(_text(error.get("type")), "error") if error else "ok"
    use |= {
        "round": number,
        "arguments": json.dumps(call.get("arguments") or {}, ensure_ascii=False),
        "result": text or _text(error.get("message")),
        "status": "lost" if result is None else status,
        "size": len(text),
    }
    return _USE.validate_python(use)


def _chunks(messages: Sequence[Any]) -> Iterator[Chunk]:
    for message in messages:
        metadata = message.get("metadata") or {}
        if message.get("role") == "system" and "chunk" in metadata:
            about = metadata["chunk"]
            text = _content(message).removeprefix(f"{about['title']}\n\n")
            yield _CHUNK.validate_python({**checked(about), "text": text})


def _content(message: Mapping[str, Any]) -> str:
    """The text of a message: a string, or the text among its parts."""
    content = message.get("content")
    if not isinstance(content, list):
        return _text(content)
    parts = [part for part in content if isinstance(part, Mapping) and part.get("type") == "text"]
    return "\n".join(_text(part.get("text")) for part in parts)


def _text(value: object) -> str:
    if value is None:
        return ""
    return without_surrogates(value if isinstance(value, str) else str(value))


class Attachments:
    """Puts long texts, which a log keeps apart, back sample by sample, as far as they fit."""

    def __init__(self) -> None:
        self._in_log = 0

    def whole(self, sample: Mapping[str, Any]) -> dict[str, Any]:
        """What is read of a sample, with its long texts and without lone surrogates.

        Raises:
            UnfitError: if it is nested too deeply, or more than 64 Mi characters in a sample or
                256 Mi in a log would be put back: one long text may be named many times.
        """
        given = sample.get("attachments") or {}
        texts = {
            _ATTACHED + name: without_surrogates(text)
            for name, text in given.items()
            if isinstance(text, str)
        }
        before, limit = self._in_log, min(SAMPLE_LIMIT, LOG_LIMIT - self._in_log)

        def put_back(value: Any, depth: int = 1) -> Any:
            if depth > _MAX_DEPTH:
                raise UnfitError("is nested too deeply")
            if isinstance(value, dict):
                return {key: put_back(inner, depth + 1) for key, inner in value.items()}
            if isinstance(value, list):
                return [put_back(inner, depth + 1) for inner in value]
            if not isinstance(value, str) or value not in texts:
                return without_surrogates(value) if isinstance(value, str) else value
            self._in_log += len(texts[value])
            if self._in_log - before > limit:
                raise UnfitError("its attachments are named so often that they do not fit")
            return texts[value]

        return {name: put_back(sample[name]) for name in _READ if name in sample}


class _FigureFields(BaseModel):
    """All figures of an answer, a call or a chunk; other fields are not looked at."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    latency_seconds: _Amount | None = None
    sample: _Count | None = None
    rounds: _Count | None = None
    input_tokens: _Count | None = None
    output_tokens: _Count | None = None
    cost: _Amount | None = None
    round: _Count | None = None
    seconds: _Amount | None = None
    size: _Count | None = None
    score: Annotated[float, Field(allow_inf_nan=False)] | None = None


def checked(noted: Mapping[str, Any]) -> Mapping[str, Any]:
    """What factmark noted, as it is.

    Raises:
        ValidationError: for a figure that is negative, infinite, too large or no number.
    """
    _FigureFields.model_validate(dict(noted))
    return noted


def usable(noted: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The figures that others noted, None for those of no use, and the names of these."""
    bad: tuple[str, ...] = ()
    try:
        figures = _FigureFields.model_validate(dict(noted))
    except ValidationError as error:
        bad = tuple(dict.fromkeys(str(problem["loc"][0]) for problem in error.errors()))
        figures = _FigureFields.model_validate({**noted, **dict.fromkeys(bad)})
    return {name: getattr(figures, name) for name in noted}, bad


def _figures(sample: Mapping[str, Any], messages: Sequence[Any]) -> dict[str, Any]:
    """Latency (without the waiting for a free place, if that is told), tokens and so on."""
    times = (sample.get(name) for name in ("working_time", "total_time"))
    usage = [
        model for model in (sample.get("model_usage") or {}).values() if isinstance(model, Mapping)
    ]
    costs = [model.get("total_cost") for model in usage]
    return {
        "latency_seconds": next((time for time in times if time is not None), None),
        "sample": int(sample.get("epoch", 1)) - 1,
        "rounds": max(1, sum(message.get("role") == "assistant" for message in messages)),
        "input_tokens": _total(model.get(kind) for model in usage for kind in _INPUT),
        "output_tokens": _total(model.get("output_tokens") for model in usage),
        "cost": None if None in costs or not costs else _total(costs),
    }


def _total(values: Iterable[object]) -> float:
    """The sum of figures, whole where they are; NaN where one is none. None counts as nothing."""
    given = [0 if value is None else value for value in values]
    numbers = [value for value in given if isinstance(value, int | float) and value >= 0]
    try:
        return sum(numbers) if len(numbers) == len(given) else nan
    except OverflowError:
        return nan
