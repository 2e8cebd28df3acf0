"""Columns of a user's table that are not read."""

from __future__ import annotations

import datetime
import json

import pytest

from factmark.errors import InputError
from factmark.files.own_columns import columns_beside, foreign_columns


def test_foreign_judges_are_named_by_header_and_by_option() -> None:
    header = ["id", "verdict:gpt", "Verdict: Qwen 3", "verdicts"]
    judges = foreign_columns(header, {"verdict:gemma": "answer", "head": "h"})
    assert judges == {"gpt": "verdict:gpt", "Qwen 3": "Verdict: Qwen 3", "gemma": "answer"}


def test_a_foreign_judge_needs_a_name() -> None:
    with pytest.raises(InputError, match="verdict:NAME"):
        foreign_columns(["verdict:"], {})


def test_what_passes_through_can_be_written_as_json() -> None:
    row = {"head": "a", "day": datetime.date(2020, 1, 2), "nan": float("nan"), "n": {"a": [1]}}
    beside = columns_beside(row, {"head"})
    assert json.loads(json.dumps(beside, allow_nan=False)) == beside
    assert beside == {"day": "2020-01-02", "nan": None, "n": {"a": [1]}}
