"""Values of answers, tallied per question: what is known, what does not apply, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from factmark.answers.core.records import AnswerScore, Question, ScoredAnswer, UnscoredAnswer
from factmark.model import Estimate, content_hash
from factmark.stats.clusters import mean_amount, mean_over_clusters

Row = ScoredAnswer | UnscoredAnswer
Values = Callable[[Row], Sequence[float] | None]
"""The values of an answer: none where the measure does not apply to it, None where it is missing"""

Offer = Literal["traced", "named", "none"]
"""How it is known that tools were offered: by traces, by names in a file; or none were"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The answers of one model and condition in one category, and how estimates are made of them.

    Attributes:
        asked: the questions that should have an answer.
        rows: answers, with and without a score.
        offer: whether tools were offered, by the answers of all categories; None to go by `rows`.
    """

    model: str
    condition: str
    category: str
    asked: tuple[Question, ...]
    rows: tuple[Row, ...]
    offer: Offer | None = None
    level: float = 0.95
    resamples: int = 2_000
    seed: int = 0

    def share(
        self,
        name: str,
        values: Values,
        *,
        among: Callable[[Question], bool] = lambda question: True,
        lower_is_better: bool = False,
    ) -> Estimate:
        """The mean over questions of values in [0, 1] (`mean_over_clusters`).

        Args:
            name: what is measured, for the seed.
            among: the questions that it is measured over.
        """
        tally = self._tally(values, among)
        return mean_over_clusters(
            tally.values,
            level=self.level,
            resamples=self.resamples,
            seed=seed_from(self.model, self.condition, self.category, name, self.seed),
            n_missing=tally.missing,
            lost={query_id: n for query_id, n in tally.lost.items() if query_id in tally.values},
            lower_is_better=lower_is_better,
        )

    def amount(self, name: str, values: Values) -> Estimate:
        """The mean over questions of amounts, which have no upper bound (`mean_amount`)."""
        tally = self._tally(values, lambda question: True)
        return mean_amount(
            tally.values,
            level=self.level,
            resamples=self.resamples,
            seed=seed_from(self.model, self.condition, self.category, name, self.seed),
            n_missing=tally.missing,
        )

    def _tally(self, values: Values, among: Callable[[Question], bool]) -> _Tally:
        wanted = {question.query_id for question in self.asked if among(question)}
        tally = _Tally()
        seen = set()
        for row in self.rows:
            query_id = row.question.query_id
            if query_id not in wanted:
                continue
            found = values(row)
            if found is None:
                tally.lost[query_id] = tally.lost.get(query_id, 0) + 1
                continue
            seen.add(query_id)
            if found:
                tally.values.setdefault(query_id, []).extend(found)
        tally.missing = len(wanted - seen)
        return tally


@dataclass(slots=True, kw_only=True)
class _Tally:
    """Question -> its values; questions of which nothing is known; question -> lost answers."""

    values: dict[str, list[float]] = field(default_factory=dict)
    missing: int = 0
    lost: dict[str, int] = field(default_factory=dict)


def seed_from(*parts: object) -> int:
    """A seed of 52 bits for what is named so: what reads JSON may read numbers as doubles."""
    return int(content_hash(*parts)[:13], 16)


def score_of(row: Row) -> AnswerScore | None:
    """The score of an answer that has one."""
    return row.score if isinstance(row, ScoredAnswer) else None


def by_question(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The answers to each question."""
    out: dict[str, list[Row]] = {}
    for row in rows:
        out.setdefault(row.question.query_id, []).append(row)
    return out
