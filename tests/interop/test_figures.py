"""Times, tokens and costs in logs are finite and not negative, or not used."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from factmark.answers.core.records import GivenAnswer
from factmark.answers.reading import AnswerFile
from factmark.errors import InputError
from factmark.interop.reading import read_answers

BAD = [float("nan"), -3, 10**400, "soon", [1]]


def repr_short(value: object) -> str:
    return repr(value)[:9]


def read(folder: Path, *, ours: dict[str, Any] | None = None, **more: Any) -> AnswerFile:
    sample = {"id": "A", "output": {"completion": "30"}, "messages": []} | more
    if ours is not None:
        sample["metadata"] = {"factmark": {"query_id": "A", "id": ""} | ours}
    told = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
    path = folder / "log.json"
    path.write_text(json.dumps(told | {"samples": [sample]}))
    return read_answers(path)


def one(found: AnswerFile) -> GivenAnswer:
    (answer,) = found.answers
    return answer


@pytest.mark.parametrize("bad", BAD, ids=repr_short)
@pytest.mark.parametrize("field", ["working_time", "total_time"])
def test_a_time_of_no_use_is_none_and_told(tmp_path: Path, field: str, bad: Any) -> None:
    found = read(tmp_path, **{field: bad})
    assert one(found).latency_seconds is None
    assert "(times, tokens, costs): 1; not used" in found.problems[0]


@pytest.mark.parametrize("bad", BAD, ids=repr_short)
def test_tokens_and_costs_of_no_use_are_told(tmp_path: Path, bad: Any) -> None:
    usage = {"input_tokens": bad, "input_tokens_cache_read": 10, "output_tokens": 3}
    found = read(tmp_path, model_usage={"m": usage | {"total_cost": bad}})
    trace = one(found).trace
    assert trace is not None
    assert (trace.input_tokens, trace.output_tokens, trace.cost) == (0, 3, None)
    assert ": 2; not used" in found.problems[0]


def test_figures_of_use_are_as_they_were(tmp_path: Path) -> None:
    usage = {"input_tokens": 1, "input_tokens_cache_read": 10, "output_tokens": 3}
    found = read(tmp_path, working_time=1.5, model_usage={"m": usage | {"total_cost": 0.25}})
    trace = one(found).trace
    assert trace is not None
    assert (one(found).latency_seconds, trace.input_tokens, trace.cost) == (1.5, 11, 0.25)
    assert found.problems == ()


@pytest.mark.parametrize("bad", BAD, ids=repr_short)
@pytest.mark.parametrize("field", ["latency_seconds", "cost", "input_tokens", "rounds"])
def test_our_own_notes_are_not_guessed_at(tmp_path: Path, field: str, bad: Any) -> None:
    ours = {field: bad} if field == "latency_seconds" else {"trace": {field: bad}}
    with pytest.raises(InputError, match=rf"sample 1: .*{field}"):
        read(tmp_path, ours=ours)


@pytest.mark.parametrize("epoch", [float("inf"), float("nan"), "x"])
def test_an_epoch_that_is_no_number_names_the_sample(tmp_path: Path, epoch: Any) -> None:
    with pytest.raises(InputError, match="sample 1"):
        read(tmp_path, epoch=epoch)
