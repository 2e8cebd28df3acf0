"""No text makes the extractor fail, spans spell their facts, and time grows with the length."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factmark.answers.core.scores import score_answer
from hostile_pieces import PIECES

TRUTH = ["Synthetic Asthma Cohort", "use", "10", "2000-01-01", "Research and Development"]
texts = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from(PIECES), max_size=80).map("".join),
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=5)), max_size=40).map(" ".join),
)


@settings(max_examples=150, deadline=None)
@given(texts, st.lists(st.one_of(st.sampled_from(TRUTH), st.text(max_size=20)), max_size=6))
def test_never_fails_and_spans_spell_their_facts(answer: str, truth: list[str]) -> None:
    """A mark of a source inside a fact (`Rhine[1] delta`) is in its span and not in its text."""
    score = score_answer("Which cohort may I use?", truth, answer)
    assert score_answer("Which cohort may I use?", truth, answer) == score
    for fact in score.facts:
        assert 0 <= fact.start < fact.end <= len(answer)
        spelled = iter(answer[fact.start : fact.end])
        assert all(letter in spelled for letter in fact.text.replace(" ", ""))  # but for its marks
        assert fact.match is None or fact.match in truth
    matched = [fact.match for fact in score.facts if fact.match is not None]
    assert len(matched) == len(set(matched))
    assert 0 <= score.completeness <= 1
    assert 0 <= score.hallucination_rate <= 1
    assert 0 <= score.combined_score <= 1


@pytest.mark.parametrize("piece", PIECES)
def test_time_is_linear(piece: str) -> None:
    """Sixteen times the text takes about sixteen times as long; quadratic would be 256."""
    short, long = (piece * (size // len(piece) + 1) for size in (4_000, 64_000))

    def seconds(answer: str) -> float:
        begun = process_time()
        score_answer("Which cohort may I use?", TRUTH, answer)
        return process_time() - begun

    base = min(seconds(short) for _ in range(3))
    assert any(seconds(long) < 80 * base + 0.1 for _ in range(3))  # a busy machine takes its time


@pytest.mark.parametrize("piece", [" ", "\n", ". ", "a\n", "to it ", "say that ", "yes ", "- "])
def test_time_of_a_verdict_is_linear_in_what_is_left_out(piece: str) -> None:
    """Code, and what stands before the last step, are blanks to who looks for a yes or no."""

    def seconds(size: int) -> float:
        code = piece * (size // len(piece))
        answer = f"See:\n```\n{code}\n```\nIt. {code}\nObservation: {code}\nFinal answer: it lists"
        begun = process_time()
        score_answer("Is it listed?", ["yes"], answer)
        return process_time() - begun

    base = min(seconds(250) for _ in range(3))
    assert any(seconds(4_000) < 80 * base + 0.1 for _ in range(3))
