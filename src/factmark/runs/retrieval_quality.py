"""How often retrieved passages hold the ground truth, with no model in between.

Per question, of the k best passages: whether all elements of G stand in them, and which share does
(`grounding.held_in`). A single passage can hold many elements, but a question with more elements
than passages is seldom held whole; its share tells more. Short elements (a count such as `30`) also
stand somewhere by chance, so the same share is measured in passages of another question.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.answers.core.averages import OVERALL, seed_from
from factmark.answers.core.grounding import held_in
from factmark.answers.core.records import Question
from factmark.model import Estimate
from factmark.stats.clusters import mean_over_clusters
from factmark.stats.intervals import RESAMPLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """What was retrieved for a question.

    Attributes:
        texts: the passages with their titles, best first.
    """

    question: Question
    texts: tuple[str, ...]

    @property
    def ground_truth(self) -> tuple[str, ...] | None:
        """The elements of G; None where it is not known."""
        return self.question.ground_truth

    @property
    def query_id(self) -> str:
        """The question's id."""
        return self.question.query_id

    @property
    def category(self) -> str:
        """The question's category."""
        return self.question.category


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
    """For each question and each k, which elements of G the k best passages hold."""
    return tuple(_elements_held(row, k) for row in rows if row.ground_truth for k in ks)


def _elements_held(row: Retrieved, k: int) -> QuestionHeld:
    """Which elements of a question's G stand in its k best passages."""
    marks = held_in(row.question, row.texts[:k]).items()
    return QuestionHeld(
        query_id=row.query_id,
        category=row.category,
        k=k,
        held=tuple(element for element, is_held in marks if is_held),
        missing=tuple(element for element, is_held in marks if not is_held),
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
    """The quality of retrieval for each category, then overall, and for every k.

    Args:
        rubric: what retrieved, for the signatures.
    """
    held_rows = questions_held(rows, ks)
    whole = {}
    for row in held_rows:
        whole[(row.query_id, row.k)] = float(not row.missing)
    shares = _held_shares(held_rows)
    by_chance = _held_shares(questions_held(_with_passages_of_another(rows), ks))

    def quality(category: str, k: int) -> Quality:
        asked = []
        for row in rows:
            if category in (row.category, OVERALL):
                asked.append(row)
        n_unknown = sum(row.ground_truth is None for row in asked)

        def estimate(values: Mapping[tuple[str, int], float]) -> Estimate:
            mean = mean_over_clusters(
                {row.query_id: [values[row.query_id, k]] for row in asked if row.ground_truth},
                level=level,
                resamples=resamples,
                seed=seed_from(f"{category} {k}", seed),
                n_missing=n_unknown,
            )
            return replace(mean, rubric=rubric)

        return Quality(
            category=category,
            k=k,
            whole=estimate(whole),
            elements=estimate(shares),
            by_chance=estimate(by_chance),
            n_questions=len(asked),
            n_empty=sum(row.ground_truth == () for row in asked),
            n_larger=sum(len(row.ground_truth or ()) > k for row in asked),
            n_unknown=n_unknown,
        )

    categories = [*dict.fromkeys(row.category for row in rows), OVERALL]
    return tuple(quality(category, k) for category in categories for k in ks)


def _held_shares(rows: Sequence[QuestionHeld]) -> dict[tuple[str, int], float]:
    """Question and k -> share of its elements that are held."""
    shares = {}
    for row in rows:
        shares[(row.query_id, row.k)] = len(row.held) / (len(row.held) + len(row.missing))
    return shares


def _with_passages_of_another(rows: Sequence[Retrieved]) -> list[Retrieved]:
    """Each question with the passages of the one that is half the list away."""
    half = len(rows) // 2
    passages = []
    for place, row in enumerate(rows):
        passages.append(replace(row, texts=rows[(place + half) % len(rows)].texts))
    return passages
