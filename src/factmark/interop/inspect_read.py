"""Answers from logs of inspect_ai, our own and others', who may write anything there."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from factmark.answers.core.records import Ending, GivenAnswer, ToolUse, Trace
from factmark.answers.reading import AnswerFile
from factmark.errors import InputError
from factmark.files.text_files import too_long_reason, without_surrogates
from factmark.intake.inspect_logs import json_samples, log_head, log_samples
from factmark.intake.messages import content_text
from factmark.interop.runs import condition_of
from factmark.model import ToolStatus
from factmark.text.shown_text import count

_STATUSES: Mapping[str, ToolStatus] = {"timeout": "timeout", "parsing": "invalid"}
_ENDINGS: Mapping[str, Ending] = {
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "refused",
}
# Tokens of the prompt; those of a cache are counted apart in a log.
_INPUT = ("input_tokens", "input_tokens_cache_read", "input_tokens_cache_write")
_MOST = 2**53  # of any figure
_NO_SAMPLE = (
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    RecursionError,
    OverflowError,
)
_ANSWER = TypeAdapter(GivenAnswer)


class UnfitError(ValueError):
    """Why a sample is not read."""


def answers_of_log(
    path: Path, log: Mapping[str, Any] | None = None, *, model: str = "", condition: str = ""
) -> AnswerFile:
    """Returns the answers of a log.

    Args:
        log: what a `.json` log holds; None of an `.eval` log, which is read a sample at a time.

    Raises:
        InputError: if it is no such log.
    """
    if log is None:
        return _answers_of_samples(path, log_head(path), log_samples(path), model, condition)
    return _answers_of_samples(path, log, json_samples(path, log), model, condition)


def _answers_of_samples(
    path: Path, header: Any, samples: Iterable[tuple[str, Any]], model: str, condition: str
) -> AnswerFile:
    """Returns the answers of the first epoch, then those of the second, and so on."""
    spec = None
    if isinstance(header, Mapping):
        spec = header.get("eval")
    if not isinstance(spec, Mapping):
        raise InputError(f"{path}: has no 'eval'; it is no log of inspect_ai.")
    run = (
        *_model_and_condition(spec, model, condition),
        _clean_text(spec.get("eval_id")) or _clean_text(path.stem),
    )
    answers: list[tuple[int, GivenAnswer]] = []
    unanswered = 0
    odd = 0
    for where, sample in samples:
        try:
            answered = _answer(sample, *run)
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
        epoch, answer, unusable = answered
        why = too_long_reason(answer.text)
        if why:
            raise InputError(f"{path}, {where}: its answer has {why}.")
        answer = replace(
            answer, model=answer.model or model, condition=answer.condition or condition
        )
        answers.append((epoch, answer))
        odd += unusable
    return AnswerFile(
        answers=tuple(answer for _, answer in sorted(answers, key=lambda pair: pair[0])),
        problems=tuple(
            f"{path.name}: {problem}"
            for problem in _problems(header, len(answers), unanswered, odd)
        ),
    )


def _model_and_condition(spec: Mapping[str, Any], model: str, condition: str) -> tuple[str, str]:
    """Returns model and condition: the task's argument, what is given, or else what its name ends
    with.

    A model that nobody named is the given one.
    """
    arguments = spec.get("task_args")
    named = None
    if isinstance(arguments, Mapping):
        named = arguments.get("condition")
    guess = _clean_text(named) or condition or condition_of(_clean_text(spec.get("task")))
    return _clean_text(spec.get("model")) or model, guess


def _problems(header: Mapping[str, Any], answered: int, unanswered: int, odd: int) -> Iterator[str]:
    """Yields what a reader of the log must know, one sentence each."""
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
            "the run that it logs did not end well "
            f"(its status is {_clean_text(status)!r}); answers "
            "may be missing"
        )


def _answer(
    sample: Mapping[str, Any], model: str, condition: str, log: str
) -> tuple[int, GivenAnswer, int] | None:
    """Returns a sample's epoch and answer, and how many figures are of no use; None where an error
    left no answer.

    An answer that factmark noted is read as it was. Others' get an id, so that equal texts of two
    epochs or logs are two answers. A sample that a later log took over (a retried run) keeps its
    own, and is one answer.
    """
    output = sample.get("output") or {}
    choices = output.get("choices") or []
    if sample.get("error") is not None and not choices:
        return None
    text = output.get("completion")
    if not isinstance(text, str):
        text = ""
        if choices:
            text = _message_text(choices[0]["message"])
    epoch = int(sample.get("epoch", 1))
    metadata = sample.get("metadata")
    noted = None
    if isinstance(metadata, Mapping):
        noted = metadata.get("factmark")
    if isinstance(noted, Mapping) and "query_id" in noted:
        _check_figures(noted)
        return epoch, _ANSWER.validate_python({**noted, "text": text}), 0
    messages = sample.get("messages") or []
    figures = _figures(sample, messages)
    usable = {}
    for name, value in figures.items():
        if _is_figure(value):
            usable[name] = value
    n_unusable = len(figures) - len(usable)
    latency = usable.pop("latency_seconds", None)
    tools = tuple(_tool_uses(messages))
    query_id = _clean_text(sample["id"])
    of = _clean_text(sample.get("uuid")) or log
    answer = GivenAnswer(
        id=f"{model}/{condition}/{query_id}/{epoch}/{of}",
        query_id=query_id,
        text=text,
        model=model,
        condition=condition,
        latency_seconds=latency,
        tools_called=tuple(use.name for use in tools) or None,
        trace=Trace(
            ended=_ENDINGS.get(choices[0].get("stop_reason") if choices else "", "answered"),
            tools=tools or None,
            **usable,
        ),
    )
    return epoch, answer, n_unusable


def _tool_uses(messages: Sequence[Any]) -> Iterator[ToolUse]:
    """Yields the calls in a conversation with their results; one without a result was lost.

    A result is that of the last call before it with its id: some servers number calls anew in
    each reply.
    """
    calls: list[tuple[Any, int]] = []
    results: dict[int, Any] = {}
    waiting: dict[Any, int] = {}
    number = 0
    seen = set()
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
        yield _tool_use(call, results.get(place), asked)


def _tool_use(call: Mapping[str, Any], result: Mapping[str, Any] | None, number: int) -> ToolUse:
    """Returns a call with its result, as a trace has it."""
    text: str = ""
    if result is not None:
        text = _message_text(result)
    error = (result or {}).get("error") or {}
    if error:
        status = _STATUSES.get(_clean_text(error.get("type")), "error")
    else:
        status = "ok"
    return ToolUse(
        round=number,
        name=_clean_text(call.get("function")),
        arguments=json.dumps(call.get("arguments") or {}, ensure_ascii=False),
        result=text or _clean_text(error.get("message")),
        status="lost" if result is None else status,
        size=len(text),
    )


def _message_text(message: Mapping[str, Any]) -> str:
    """Returns the text of a message without lone surrogates."""
    return _clean_text(content_text(message))


def _clean_text(value: object) -> str:
    """Returns any value as text without lone surrogates; empty for None."""
    if value is None:
        return ""
    return without_surrogates(value if isinstance(value, str) else str(value))


def _is_figure(value: object) -> bool:
    """Returns whether a value is a number that a trace can hold: neither negative nor
    without end.
    """
    return isinstance(value, int | float) and 0 <= value <= _MOST


def _check_figures(noted: object, name: str = "") -> None:
    """Raises UnfitError where what factmark noted holds an impossible figure.

    Raises:
        UnfitError: for a figure that is negative, infinite or too large; a score may be negative.
    """
    if isinstance(noted, Mapping):
        for key, part in noted.items():
            _check_figures(part, key)
    elif isinstance(noted, list):
        for part in noted:
            _check_figures(part, name)
    elif isinstance(noted, int | float) and not _is_figure(
        abs(noted) if name == "score" else noted
    ):
        raise UnfitError(f"its {name!r} is no figure")


def _figures(sample: Mapping[str, Any], messages: Sequence[Any]) -> dict[str, Any]:
    """Returns latency (without the waiting for a free place, if that is told), tokens and so on:
    those that others noted, of use or not.
    """
    worked = sample.get("working_time")
    usage = []
    for model in (sample.get("model_usage") or {}).values():
        if isinstance(model, Mapping):
            usage.append(model)
    figures = {
        "latency_seconds": sample.get("total_time") if worked is None else worked,
        "sample": int(sample.get("epoch", 1)) - 1,
        "rounds": max(1, sum(message.get("role") == "assistant" for message in messages)),
        "input_tokens": _sum_of_figures(
            [model.get(kind) for model in usage for kind in _INPUT], int
        ),
        "output_tokens": _sum_of_figures([model.get("output_tokens") for model in usage], int),
    }
    costs = [model.get("total_cost") for model in usage]
    if None in costs or not costs:
        figures["cost"] = None
    else:
        figures["cost"] = _sum_of_figures(costs, int | float)
    return {name: value for name, value in figures.items() if value is not None}


def _sum_of_figures(values: Sequence[object], kind: Any) -> float:
    """Returns the sum of figures of a kind; NaN where one is none. None counts as nothing."""
    given = []
    for value in values:
        if value is not None:
            given.append(value)
    is_sum = all(isinstance(value, kind) and _is_figure(value) for value in given)
    return sum(given) if is_sum else nan  # type: ignore[arg-type]  # figures then
