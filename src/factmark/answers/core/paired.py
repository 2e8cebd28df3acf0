"""Systems paired by question: what `compare` reads from files, and what one study holds itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from factmark.answers.core.averages import METRICS, Row, score_of
from factmark.answers.core.records import PairedDifference, Question
from factmark.stats.comparison import Comparison, Options, Units, difference
from factmark.stats.contest import Score, adjusted

SCORES = tuple(
    Score(
        key=metric.key, symbol=metric.symbol, name=metric.name, per="item",
        lower_is_better=metric.lower_is_better,
    )
    for metric in (METRICS[key] for key in ("combined_score", "completeness", "hallucination_rate"))
)  # fmt: skip

Given = Mapping[str, Sequence[Mapping[str, float] | None]]
"""Question -> the scores of a system's answers to it by their keys; None without a score."""


def question_units(given: Given, asked: Iterable[str], key: str) -> Units:
    """The values of a system by one score; each question is a cluster with itself as its unit.

    Args:
        asked: all questions; one that the system has no answer to is missing.
    """
    return {
        query_id: {
            query_id: tuple(
                None if values is None else values[key] for values in given.get(query_id, [None])
            )
        }
        for query_id in asked
    }


def paired_differences(
    rows: Sequence[Row], questions: Sequence[Question], options: Options
) -> tuple[PairedDifference, ...]:
    """Every two conditions of a model, and every two models under a condition, by each score.

    A is the later one in the rows, B the earlier. Holm's p is over all pairs of conditions, and
    over all pairs of models, by one score.

    Args:
        questions: those that should have an answer.
    """
    systems = _systems(rows)
    asked = [question.query_id for question in questions]
    models = list(dict.fromkeys(model for model, _ in systems))
    conditions = list(dict.fromkeys(condition for _, condition in systems))
    between_conditions = [
        (model, (model, a), (model, b), (a, b))
        for model in models
        for b, a in combinations(conditions, 2)
    ]
    between_models = [
        (condition, (a, condition), (b, condition), (a, b)) for condition in conditions
        for b, a in combinations(models, 2)
    ]  # fmt: skip
    made: list[PairedDifference] = []
    kinds: tuple[tuple[Literal["conditions", "models"], list[_Pair]], ...] = (
        ("conditions", between_conditions),
        ("models", between_models),
    )
    for between, pairs in kinds:
        known = [pair for pair in pairs if pair[1] in systems and pair[2] in systems]
        for score in SCORES:
            compared = adjusted([_compared(systems, asked, pair, score, options) for pair in known])
            made += [
                PairedDifference(between=between, of=pair[0], score=score.key, comparison=one)
                for pair, one in zip(known, compared, strict=True)
            ]
    return tuple(made)


_System = tuple[str, str]
_Pair = tuple[str, _System, _System, tuple[str, str]]


def _compared(
    systems: Mapping[_System, Given],
    asked: Sequence[str],
    pair: _Pair,
    score: Score,
    options: Options,
) -> Comparison:
    _, a, b, names = pair
    how = Options(
        per=score.per,
        lower_is_better=score.lower_is_better,
        level=options.level,
        resamples=options.resamples,
        draws=options.draws,
        seed=options.seed,
    )
    of_a, of_b = (question_units(systems[one], asked, score.key) for one in (a, b))
    return difference(of_a, of_b, names=names, options=how)


def _systems(rows: Sequence[Row]) -> dict[_System, dict[str, list[Mapping[str, float] | None]]]:
    """Model and condition -> question -> the scores of its answers."""
    systems: dict[_System, dict[str, list[Mapping[str, float] | None]]] = {}
    for row in rows:
        score = score_of(row)
        values = (
            None if score is None else {key: metric.of(score) for key, metric in METRICS.items()}
        )
        given = systems.setdefault((row.answer.model, row.answer.condition), {})
        given.setdefault(row.answer.query_id, []).append(values)
    return systems
