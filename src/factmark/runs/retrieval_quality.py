"""How often retrieved passages hold the ground truth, with no model in between.

Per question, of the k best passages: whether all elements of G stand in them, and which share does
(`grounding.held`). A single passage can hold many elements, but a question with more elements than
passages is seldom held whole; its share tells more. Short elements (a count such as `30`) also
stand somewhere by chance, so the same share is measured in passages of another question.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.answers.core.averages import OVERALL, seed_from
from factmark.answers.core.grounding import held
from factmark.model import Estimate
from factmark.stats.clusters import mean_over_clusters
from factmark.stats.intervals import RESAMPLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What was retrieved for a question.

    Attributes:
        ground_truth: G; None where it is not known.
        texts: the passages with their titles, best first.
    """

    query_id: str
    category: str
    ground_truth: tuple[str, ...] | None
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How good the k best passages are, over the questions of a category.

    Attributes:
        whole: share of questions whose G is held whole.
        elements: mean share of the elements of G that are held.
        by_chance: the same share in the passages of another question of the benchmark.
        n_questions: of the category.
        n_empty: those of them whose G is empty, so that nothing can be held; in no share.
        n_larger: those of them with more elements than passages.
        n_unknown: those of them whose G is not known; missing in each share.
    """

    category: str
    k: int
    whole: Estimate
    elements: Estimate
    by_chance: Estimate
    n_questions: int
    n_empty: int
    n_larger: int
    n_unknown: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionHeld:
    """Which elements of one question's G the k best passages hold."""

    query_id: str
    category: str
    k: int
    held: tuple[str, ...]
    missing: tuple[str, ...]


def questions_held(rows: Sequence[Retrieved], ks: Sequence[int]) -> tuple[QuestionHeld, ...]:
    """Per question with elements and per k, what is held; questions in their order."""
    return tuple(
        QuestionHeld(
            query_id=row.query_id,
            category=row.category,
            k=k,
            held=tuple(e for e, found in zip(row.ground_truth, marks, strict=True) if found),
            missing=tuple(e for e, found in zip(row.ground_truth, marks, strict=True) if not found),
        )
        for row in rows
        if row.ground_truth
        for k in ks
        for marks in [held(row.ground_truth, row.texts[:k])]
    )


def retrieval_quality(
    rows: Sequence[Retrieved],
    ks: Sequence[int],
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
    rubric: str = "",
) -> tuple[Quality, ...]:
    """Each category in the questions' order, then `overall`; within each, every k.

    Args:
        rubric: what retrieved, for the signatures.
    """
    found = _by_k(questions_held(rows, ks))
    chance = _by_k(questions_held(_swapped(rows), ks))

    def estimate(asked: Sequence[Retrieved], values: Mapping[str, float], name: str) -> Estimate:
        made = mean_over_clusters(
            {row.query_id: [values[row.query_id]] for row in asked if row.ground_truth},
            level=level,
            resamples=resamples,
            seed=seed_from(name, seed),
            n_missing=sum(row.ground_truth is None for row in asked),
        )
        return replace(made, rubric=rubric)

    out = []
    for category in [*dict.fromkeys(row.category for row in rows), OVERALL]:
        asked = [row for row in rows if category in (row.category, OVERALL)]
        for k in ks:
            name = f"{category} {k}"
            shares = {query_id: _share(one) for query_id, one in found[k].items()}
            whole = {query_id: float(not one.missing) for query_id, one in found[k].items()}
            others = {query_id: _share(one) for query_id, one in chance[k].items()}
            out.append(
                Quality(
                    category=category,
                    k=k,
                    whole=estimate(asked, whole, name),
                    elements=estimate(asked, shares, name),
                    by_chance=estimate(asked, others, name),
                    n_questions=len(asked),
                    n_empty=sum(row.ground_truth == () for row in asked),
                    n_larger=sum(len(row.ground_truth or ()) > k for row in asked),
                    n_unknown=sum(row.ground_truth is None for row in asked),
                )
            )
    return tuple(out)


def _by_k(rows: Sequence[QuestionHeld]) -> defaultdict[int, dict[str, QuestionHeld]]:
    found: defaultdict[int, dict[str, QuestionHeld]] = defaultdict(dict)
    for row in rows:
        found[row.k][row.query_id] = row
    return found


def _share(one: QuestionHeld) -> float:
    return len(one.held) / (len(one.held) + len(one.missing))


def _swapped(rows: Sequence[Retrieved]) -> list[Retrieved]:
    """Each question with the passages of the one that is half the list away."""
    half = len(rows) // 2
    return [
        replace(row, texts=rows[(place + half) % len(rows)].texts) for place, row in enumerate(rows)
    ]
