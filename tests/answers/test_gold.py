"""The extractor against annotated answers of our own (benchmarks/gold.py shows the worst).

The bounds are those that the project asks of answers that the rules were not written on.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "answers", "bounds"),
    [
        ("answers_annotated", 136, {"C": 0.03, "H": 0.05, "S": 0.04, "F1": 0.80}),
        ("answers_in_forms", 156, {"C": 0.03, "H": 0.05, "S": 0.05, "F1": 0.80}),
    ],
)
def test_quality_on_annotated_answers(name: str, answers: int, bounds: dict[str, float]) -> None:
    spec = importlib.util.spec_from_file_location("gold", ROOT / "benchmarks" / "gold.py")
    assert spec is not None
    assert spec.loader is not None
    gold = importlib.util.module_from_spec(spec)
    sys.modules["gold"] = gold  # dataclasses look their module up
    spec.loader.exec_module(gold)
    rows = gold.compare_file(ROOT / "tests" / "data" / f"{name}.jsonl")
    figures = gold.summary(rows)
    assert len(rows) == answers
    for metric in "CHS":
        assert figures[metric] <= bounds[metric]
    assert figures["F1"] >= bounds["F1"]
