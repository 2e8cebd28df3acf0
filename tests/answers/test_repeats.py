"""Differences between answers to the same question: by hand, and in a simulation."""

from __future__ import annotations

import numpy as np
import pytest

from factmark.answers.core.run_measures import variation
from traced import group, question, scored, unscored

A, B, C = question("A"), question("B"), question("C")


def test_mean_absolute_difference_over_pairs_and_questions() -> None:
    rows = [scored(A, s, n) for n, s in enumerate((0.0, 0.5, 1.0))]
    rows += [scored(B, 0.25, n) for n in range(2)]
    found = variation(group([*rows, scored(C, 1.0)]))
    assert found is not None
    # A: (0.5 + 1 + 0.5) / 3; B: 0; C has one answer and is not among them.
    assert found.combined_score.value == pytest.approx(1 / 3)
    assert found.completeness.value == pytest.approx(1 / 3)
    assert found.hallucination_rate.value == pytest.approx(1 / 3)
    assert (found.combined_score.n_items, found.combined_score.n_missing) == (2, 0)
    assert found.same.value == 0.5
    assert (found.best.value, found.worst.value) == (0.625, 0.125)
    assert found.answers == (2, 3)


def test_a_question_left_with_one_score_is_missing() -> None:
    found = variation(group([scored(A, 1.0), scored(A, 1.0, 1), scored(B, 1.0), unscored(B)]))
    assert found is not None
    assert (found.same.value, found.same.n_items, found.same.n_missing) == (1, 1, 1)
    assert found.same.worst == 0.5


def test_one_answer_each_does_not_vary() -> None:
    assert variation(group([scored(A, 1.0), scored(B, 0.0)])) is None


def test_coverage() -> None:
    """Yes/no scores with p uniform: two answers differ with 2p(1-p), 1/3 on average."""
    random = np.random.default_rng(7)
    asked = [question(f"Q{n}") for n in range(40)]
    held, values = 0, []
    for _ in range(120):
        drawn = random.random((40, 3)) < random.random((40, 1))
        rows = [
            scored(one, float(s), n)
            for one, some in zip(asked, drawn, strict=True)
            for n, s in enumerate(some)
        ]
        found = variation(group(rows))
        assert found is not None
        made = found.combined_score
        assert made.value is not None
        assert made.low is not None
        assert made.high is not None
        held += made.low <= 1 / 3 <= made.high
        values.append(made.value)
    assert np.mean(values) == pytest.approx(1 / 3, abs=0.015)  # 1/3 ± 3 standard errors
    assert held >= 107  # of 120 at 95 % six miss on average, more than 13 in one of 300 such runs
