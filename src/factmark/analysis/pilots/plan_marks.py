"""How many questions people mark so that a difference between conditions is known closely."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from factmark.analysis.results import MarksNeeded
from factmark.answers.core.averages import METRICS, Metric, by_system
from factmark.answers.core.corrected import table_of_marks
from factmark.answers.core.instrument import FEWEST_MARKS, unseen
from factmark.answers.core.records import ScoredAnswer
from factmark.answers.results import Results
from factmark.errors import InputError
from factmark.evaluated.corrected import spread_of_line
from factmark.stats.intervals import normal_quantile


def marks_needed(results: Results, difference: float, level: float) -> MarksNeeded:
    """Returns how many questions bring the interval of each difference within this half-width; all
    there are, where no number of them is enough.

    The variance of a corrected difference is that of what a line in the judge's score leaves of
    people's, of both answers to a marked question, and that of the judge's differences over all
    questions. What the line leaves is pooled over conditions.

    Raises:
        InputError: there is one condition, or two that share fewer than twenty questions.
    """
    systems: list[dict[str, ScoredAnswer]] = []
    for rows in by_system(results.answers).values():
        systems.append({r.answer.query_id: r for r in rows if isinstance(r, ScoredAnswer)})
    if len(systems) < 2:
        raise InputError("--difference: these are answers of one system. Say --each instead.")
    spreads, by_marks = _spreads(results)
    z = normal_quantile((1 + level) / 2)
    most = min(len(a.keys() & b.keys()) for a, b in combinations(systems, 2))
    if most < FEWEST_MARKS:
        raise InputError(
            f"--difference: two systems share {most} questions, fewer than {FEWEST_MARKS}."
        )
    over_questions = list(_variances_over_questions(systems))

    def half_width(questions: int) -> float:
        widest = 0.0
        for key, variance in over_questions:
            of_marks = 2 * spreads[key] ** 2 / questions * (1 + 2 / questions)
            widest = max(widest, z * math.sqrt(of_marks + variance))
        return widest

    questions = FEWEST_MARKS
    while questions < most and half_width(questions) > difference:
        questions += 1
    return MarksNeeded(questions=questions, half_width=half_width(questions), by_marks=by_marks)


def _variances_over_questions(
    systems: Sequence[Mapping[str, ScoredAnswer]],
) -> Iterator[tuple[str, float]]:
    """Yields for every two systems and each metric its key, and the variance of the mean of the
    judge's differences."""
    for a, b in combinations(systems, 2):
        shared = sorted(a.keys() & b.keys())
        for key, metric in METRICS.items():
            gaps = np.array([metric.of(a[q].score) - metric.of(b[q].score) for q in shared])
            yield key, float(gaps.var()) / len(gaps)


def _spreads(results: Results) -> tuple[dict[str, float], bool]:
    """Returns metric -> how far people's scores lie off a line in the judge's (root mean square);
    and whether that goes by marks of these answers."""
    marked = [row for row in results.answers if row.answer.id in results.people]
    if len(marked) < FEWEST_MARKS:
        measured: Mapping[str, float] = unseen()["domain"]["spread"]
        return dict(measured), False
    return {key: _left(results, marked, metric) for key, metric in METRICS.items()}, True


def _left(results: Results, marked: Sequence[ScoredAnswer], metric: Metric) -> float:
    """Returns the root mean square of what a line leaves of the marked answers' scores."""
    answers = [(row.answer.query_id, row.score, results.people[row.answer.id]) for row in marked]
    return spread_of_line(table_of_marks(answers, metric), metric.key)
