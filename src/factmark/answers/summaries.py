"""Averages of scored answers, per model, condition and category (protocol 1, "Scores")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from factmark.answers.records import AnswerScore, Question, ScoredAnswer, Summary
from factmark.model import Estimate, content_hash
from factmark.stats.clusters import RESAMPLES, mean_over_clusters

OVERALL = "overall"

# A metric is a value per answer and whether less of it is better.
_METRICS: dict[str, tuple[Callable[[AnswerScore], float], bool]] = {
    "completeness": (lambda score: score.completeness, False),
    "hallucination_rate": (lambda score: score.hallucination_rate, True),
    "combined_score": (lambda score: score.combined_score, False),
}


def summarise(
    scored: Sequence[ScoredAnswer],
    questions: Sequence[Question],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> tuple[Summary, ...]:
    """Per model and condition: each category in the benchmark's order, then `overall`.

    A score is averaged per question first (a question may have several answers), then over
    questions. Questions of the benchmark without an answer are counted as missing.
    """
    groups: dict[tuple[str, str], list[ScoredAnswer]] = {}
    for row in scored:
        groups.setdefault((row.answer.model, row.answer.condition), []).append(row)
    categories = list(dict.fromkeys(question.category for question in questions))
    out = []
    for (model, condition), rows in groups.items():
        for category in [*categories, OVERALL]:
            asked = [q.query_id for q in questions if category in (q.category, OVERALL)]
            given = [row for row in rows if category in (row.question.category, OVERALL)]
            name = content_hash(model, condition, category, seed)
            out.append(_summary(model, condition, category, asked, given, level, resamples, name))
    return tuple(out)


def _summary(
    model: str,
    condition: str,
    category: str,
    asked: Iterable[str],
    given: Sequence[ScoredAnswer],
    level: float,
    resamples: int,
    name: str,
) -> Summary:
    answered = {row.answer.query_id for row in given}
    missing = sum(query_id not in answered for query_id in asked)

    def estimate(metric: str) -> Estimate:
        value, lower_is_better = _METRICS[metric]
        tallies: dict[str, list[float]] = {}
        for row in given:
            tallies.setdefault(row.answer.query_id, []).append(value(row.score))
        return mean_over_clusters(
            tallies,
            level=level,
            resamples=resamples,
            seed=int(name, 16),
            n_missing=missing,
            lower_is_better=lower_is_better,
        )

    return Summary(
        model=model,
        condition=condition,
        category=category,
        completeness=estimate("completeness"),
        hallucination_rate=estimate("hallucination_rate"),
        combined_score=estimate("combined_score"),
        n_questions=len(answered) + missing,
        n_answers=len(given),
        n_missing=missing,
    )
