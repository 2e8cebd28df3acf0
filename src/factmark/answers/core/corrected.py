"""C, H and S as people would have scored them, where people marked the facts of some answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from factmark.answers.core.averages import METRICS
from factmark.answers.core.records import CorrectedSummary, ScoredAnswer
from factmark.model import Estimate
from factmark.stats import corrected_mean


def correct_summaries(
    scored: Sequence[ScoredAnswer],
    people: Mapping[str, Mapping[str, float]],
    *,
    level: float = 0.95,
    rubric: str = "",
) -> tuple[CorrectedSummary, ...]:
    """Per model and condition, where people marked at least one answer.

    Answers are put in cells by the judge's score (0, up to a half, above, 1), and people's scores
    are averaged within each (`factmark.stats.corrected_mean`). The marked answers are to be drawn
    at random. Answers to one question are one cluster.

    Args:
        people: answer id -> metric -> its value by people.
    """
    groups: dict[tuple[str, str], list[ScoredAnswer]] = {}
    for row in scored:
        groups.setdefault((row.answer.model, row.answer.condition), []).append(row)
    out = []
    for (model, condition), rows in groups.items():
        marked = {
            place: people[row.answer.id]
            for place, row in enumerate(rows)
            if row.answer.id in people
        }
        if not marked:
            continue
        estimates = {metric: _corrected(rows, marked, metric, level, rubric) for metric in METRICS}
        out.append(
            CorrectedSummary(
                model=model, condition=condition, annotated=len(marked), answers=len(rows),
                **estimates,
            )
        )  # fmt: skip
    return tuple(out)


def _corrected(
    rows: Sequence[ScoredAnswer],
    marked: Mapping[int, Mapping[str, float]],
    metric: str,
    level: float,
    rubric: str,
) -> Estimate:
    value, _ = METRICS[metric]
    made = corrected_mean(
        [_cell(value(row.score)) for row in rows],
        {place: scores[metric] for place, scores in marked.items()},
        level=level,
        clusters=[row.answer.query_id for row in rows],
    )
    return replace(made, rubric=rubric)


def _cell(value: float) -> str:
    if value in (0, 1):
        return f"{value:g}"
    return "up to 1/2" if value <= 0.5 else "above 1/2"
