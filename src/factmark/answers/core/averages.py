"""Averages of scored answers, per model, condition and category (protocol 1, "Scores")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from factmark.answers.core.records import (
    AnswerScore,
    Question,
    ScoredAnswer,
    Summary,
    UnscoredAnswer,
)
from factmark.answers.core.tallies import seed_from
from factmark.model import Estimate
from factmark.stats.clusters import mean_over_clusters
from factmark.stats.intervals import RESAMPLES

OVERALL = "overall"

# A metric is a value per answer and whether less of it is better.
METRICS: dict[str, tuple[Callable[[AnswerScore], float], bool]] = {
    "completeness": (lambda score: score.completeness, False),
    "hallucination_rate": (lambda score: score.hallucination_rate, True),
    "combined_score": (lambda score: score.combined_score, False),
}


def summarise(
    scored: Sequence[ScoredAnswer],
    questions: Sequence[Question],
    unscored: Sequence[UnscoredAnswer] = (),
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    rubric: str = "",
) -> tuple[Summary, ...]:
    """Per model and condition: each category in the benchmark's order, then `overall`.

    A score is averaged per question first (a question may have several answers), then over
    questions. Questions of the benchmark without a scored answer are counted as missing; unscored
    answers beside scored ones widen the worst and the best case.

    Args:
        rubric: what found the facts, for the signatures.
    """
    how = _How(level=level, resamples=resamples, rubric=rubric)
    groups: dict[tuple[str, str], list[ScoredAnswer]] = {}
    for row in scored:
        groups.setdefault((row.answer.model, row.answer.condition), []).append(row)
    lost: dict[tuple[str, str], Counter[str]] = {}
    for lone in unscored:
        group = (lone.answer.model, lone.answer.condition)
        groups.setdefault(group, [])
        lost.setdefault(group, Counter())[lone.answer.query_id] += 1
    categories = list(dict.fromkeys(question.category for question in questions))
    out = []
    for (model, condition), rows in groups.items():
        for category in [*categories, OVERALL]:
            asked = [q.query_id for q in questions if category in (q.category, OVERALL)]
            given = [row for row in rows if category in (row.question.category, OVERALL)]
            start = seed_from(model, condition, category, seed)
            without = lost.get((model, condition), Counter())
            tallies = _Tallies(given=given, asked=asked, lost=without)
            out.append(_summary(model, condition, category, tallies, start, how))
    return tuple(out)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tallies:
    """What a summary is made of: scored answers, the ids of all questions, unscored answers."""

    given: Sequence[ScoredAnswer]
    asked: Sequence[str]
    lost: Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class _How:
    """How estimates are made."""

    level: float
    resamples: int
    rubric: str


def _summary(
    model: str,
    condition: str,
    category: str,
    rows: _Tallies,
    seed: int,
    how: _How,
) -> Summary:
    answered = {row.answer.query_id for row in rows.given}
    missing = sum(query_id not in answered for query_id in rows.asked)
    lost = {query_id: count for query_id, count in rows.lost.items() if query_id in answered}

    def estimate(metric: str) -> Estimate:
        value, lower_is_better = METRICS[metric]
        tallies: dict[str, list[float]] = {}
        for row in rows.given:
            tallies.setdefault(row.answer.query_id, []).append(value(row.score))
        made = mean_over_clusters(
            tallies,
            level=how.level,
            resamples=how.resamples,
            seed=seed,
            n_missing=missing,
            lost=lost,
            lower_is_better=lower_is_better,
        )
        return replace(made, rubric=how.rubric)

    return Summary(
        model=model,
        condition=condition,
        category=category,
        completeness=estimate("completeness"),
        hallucination_rate=estimate("hallucination_rate"),
        combined_score=estimate("combined_score"),
        n_questions=len(answered) + missing,
        n_answers=len(rows.given),
        n_missing=missing,
    )
