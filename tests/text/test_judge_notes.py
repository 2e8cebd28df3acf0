"""What is told of a judge beside its figure: that it gave all one label, or judged its own work."""

from __future__ import annotations

import pytest

from factmark.ask.model_spec import PROVIDERS
from factmark.text.judge_notes import one_label_note, own_work_note, same_model


@pytest.mark.parametrize(
    ("counts", "n_units", "start"),
    [
        ({"YES": 70}, 70, "m said YES of all 70 units"),
        ({"YES": 69, "NO": 0}, 70, "m said YES of all 69 units"),
        ({"YES": 67, "NO": 3}, 70, "m said YES of 67 of the 70 units"),
        ({"YES": 66, "NO": 4}, 70, ""),  # 94 of 100: the judge does tell some from others
        ({"YES": 9}, 9, ""),  # nine alike happen by chance
        ({"YES": 20}, 60, ""),  # of most it said nothing at all
        ({}, 0, ""),
    ],
)
def test_a_judge_that_says_nearly_always_the_same_is_told(
    counts: dict[str, int], n_units: int, start: str
) -> None:
    note = one_label_note("m", counts, n_units)
    assert note.startswith(start)
    assert bool(note) == bool(start)


@pytest.mark.parametrize(
    ("name", "other", "same"),
    [
        ("openai:gpt-4o", "gpt-4o", True),
        ("openai:gpt-4o", "GPT_4o-2024-08-06", True),
        ("anthropic:claude-3-5-sonnet-20241022", "claude-3-5-sonnet-latest", True),
        ("openrouter:meta-llama/llama-3", "vllm:meta-llama/llama-3", True),
        ("openrouter:meta-llama/llama-3", "llama-3", True),
        ("ollama:mistral:7b", "mistral:7b", True),
        ("openai:gpt-4o", "gpt-4o-mini", False),
        ("ollama:mistral:7b", "7b", False),
        ("one/llama-3", "other/llama-3", False),
        ("openai:m", "", False),
        ("", "", False),
    ],
)
def test_one_model_by_other_names(name: str, other: str, same: bool) -> None:
    assert same_model(name, other) is same
    assert same_model(other, name) is same


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_is_read_past(provider: str) -> None:
    assert same_model(f"{provider}:m", "m")


def test_whose_work_is_its_own_is_named_and_others_are_not() -> None:
    note = own_work_note("openai:m", {"M-latest": "", "ours": "m", "theirs": "n"}, "answers")
    assert note.startswith("openai:m judges its own answers (M-latest and ours), and models tend")
    assert own_work_note("m", {"m": "m"}, "summaries").startswith("m judges its own summaries, and")
    assert own_work_note("openai:m", {"theirs": "n"}, "answers") == ""
