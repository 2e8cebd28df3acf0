"""How far an extractor agrees with people who marked the facts of the same answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from factmark.answers.core.averages import METRICS, seed_from
from factmark.answers.core.records import Fact, ScoredAnswer
from factmark.answers.results import MarkedMeasure
from factmark.stats.clusters import mean_over_clusters, ratio_over_clusters
from factmark.stats.comparison import Options
from factmark.text.words import normalise

_ARTICLES = frozenset(("the", "a", "an"))
_FOUND = "facts_found"
_MARKED = "facts_marked"
_BOTH = "facts_both"


def fact_tally(extracted: Iterable[Fact], marked: Iterable[Fact]) -> dict[str, float]:
    """How many facts were extracted, how many people marked, and how many are in both."""
    tallies = []
    for facts in (extracted, marked):
        tallies.append(
            Counter(tuple(w for w in normalise(fact.text) if w not in _ARTICLES) for fact in facts)
        )
    both = (tallies[0] & tallies[1]).total()
    counts = (*(tally.total() for tally in tallies), both)
    return dict(zip((_FOUND, _MARKED, _BOTH), map(float, counts), strict=True))


def marked_agreement(
    scored: Sequence[ScoredAnswer], people: Mapping[str, Mapping[str, float]], settings: Options
) -> tuple[MarkedMeasure, ...]:
    """The errors of C, H and S, then precision, recall and F1 of the facts.

    Args:
        people: answer id -> metric -> its value, with a `fact_tally` of those that were scored.
    """
    pairs = [(row, people[row.answer.id]) for row in scored if row.answer.id in people]
    if not pairs:
        return ()
    measures = []
    for key, metric in METRICS.items():
        values = [(metric.of(row.score), marks[key]) for row, marks in pairs]
        errors: dict[str, list[float]] = {}
        for (row, _), (ours, theirs) in zip(pairs, values, strict=True):
            errors.setdefault(row.question.query_id, []).append(abs(ours - theirs))
        error = mean_over_clusters(
            errors,
            level=settings.level,
            resamples=settings.resamples,
            seed=seed_from("marked", key, settings.seed),
            lower_is_better=True,
        )
        means = []
        for column in zip(*values, strict=True):
            means.append(sum(column) / len(pairs))
        name = f"{metric.symbol}: mean absolute error"
        measures.append(MarkedMeasure(name=name, value=error, extractor=means[0], people=means[1]))
    if all(_BOTH in marks for _, marks in pairs):  # a ledger of an earlier version has no tallies
        measures += _fact_measures(pairs, settings.level)
    return tuple(measures)


def _fact_measures(
    pairs: Sequence[tuple[ScoredAnswer, Mapping[str, float]]], level: float
) -> list[MarkedMeasure]:
    """Precision, recall and F1 of the extracted facts against the marked ones."""
    sides = {"precision": (_FOUND,), "recall": (_MARKED,), "F1": (_FOUND, _MARKED)}
    measures = []
    for name, parts in sides.items():
        units: dict[str, list[float]] = {}
        for row, marks in pairs:
            both = len(parts) * int(marks[_BOTH])
            every = int(sum(marks[part] for part in parts))
            units.setdefault(row.question.query_id, []).extend(
                [1.0] * both + [0.0] * (every - both)
            )
        estimate = replace(ratio_over_clusters(units, level=level), rubric=name)
        measures.append(MarkedMeasure(name=f"facts: {name}", value=estimate))
    return measures
