"""How much a model's answers to the same question differ.

Over questions with k >= 2 scored answers, with a score x of each:

    difference   mean over its k (k - 1) / 2 pairs of answers of |x_i - x_j|, in [0, 1]
    same         [max S = min S]
    best, worst  max S, min S

each averaged over questions. The difference does not depend on k in expectation; best and worst do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import AnswerScore
from factmark.answers.core.run_records import Variation
from factmark.answers.core.tallies import Group, Row, by_question, score_of
from factmark.model import Estimate

_SAME = 1e-9  # scores that differ by less are equal


def spread(values: Sequence[float]) -> float:
    """The mean absolute difference of two of k >= 2 values.

    >>> spread([0, 1, 1])
    0.6666666666666666
    """
    pairs = list(combinations(values, 2))
    return sum(abs(a - b) for a, b in pairs) / len(pairs)


def variation(group: Group) -> Variation | None:
    """The differences; None where no question has several scored answers.

    A question that has several answers, of which fewer than two have a score, is missing.
    """
    asked = {question.query_id for question in group.asked}
    answers = {
        query_id: rows
        for query_id, rows in by_question(group.rows).items()
        if len(rows) > 1 and query_id in asked
    }
    scores = {
        query_id: [score for row in rows if (score := score_of(row)) is not None]
        for query_id, rows in answers.items()
    }
    sizes = [len(some) for some in scores.values() if len(some) > 1]
    if not sizes:
        return None

    def over(
        name: str,
        value: Callable[[AnswerScore], float],
        combine: Callable[[Sequence[float]], float],
        *,
        lower_is_better: bool = False,
    ) -> Estimate:
        told = {
            query_id: [combine([value(score) for score in some])] if len(some) > 1 else None
            for query_id, some in scores.items()
        }
        return _first_rows(group, answers).share(
            name,
            lambda row: told[row.question.query_id],
            among=lambda question: question.query_id in answers,
            lower_is_better=lower_is_better,
        )

    completeness, hallucination, combined = (METRICS[name][0] for name in METRICS)
    return Variation(
        completeness=over("differing C", completeness, spread, lower_is_better=True),
        hallucination_rate=over("differing H", hallucination, spread, lower_is_better=True),
        combined_score=over("differing S", combined, spread, lower_is_better=True),
        same=over("same S", combined, lambda some: float(max(some) - min(some) < _SAME)),
        best=over("best S", combined, max),
        worst=over("worst S", combined, min),
        answers=(min(sizes), max(sizes)),
    )


def _first_rows(group: Group, answers: dict[str, list[Row]]) -> Group:
    """The group with one answer for each question, which stands for all of them."""
    return replace(group, rows=tuple(rows[0] for rows in answers.values()))
