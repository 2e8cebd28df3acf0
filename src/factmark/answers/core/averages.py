"""Averages over questions, per model, condition and category (protocol 1, "Scores").

A question's answers are averaged first, then the questions. Of the questions that should have an
answer, one without any is missing; an answer without a score beside others widens the worst and
the best case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from factmark.answers.core.records import (
    AnswerScore,
    CorrectedSummary,
    Question,
    ScoredAnswer,
    Summary,
    UnscoredAnswer,
)
from factmark.model import Estimate, content_hash
from factmark.stats.clusters import mean_amount, mean_over_clusters
from factmark.stats.corrections import corrected_mean
from factmark.stats.intervals import RESAMPLES

OVERALL = "overall"

Row = ScoredAnswer | UnscoredAnswer
Values = Callable[[Row], Sequence[float] | None]
"""The values of an answer: none where the measure does not apply to it, None where it is missing"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One of C, H, S.

    Attributes:
        key: its name in files and records.
        formula: in plain Unicode, as protocol 1 gives it.
        meaning: one sentence for a reader who does not know the protocol.
    """

    symbol: str
    key: str
    name: str
    better: Literal["higher", "lower"]
    formula: str
    meaning: str

    @property
    def lower_is_better(self) -> bool:
        """Which way is good."""
        return self.better == "lower"

    def of(self, score: AnswerScore) -> float:
        """Its value in the score of an answer."""
        return float(getattr(score, self.key))

    def estimate(self, summary: Summary | CorrectedSummary) -> Estimate:
        """Its mean in an average."""
        estimate: Estimate = getattr(summary, self.key)
        return estimate


METRICS = {
    metric.key: metric
    for metric in (
        Metric(
            symbol="C",
            key="completeness",
            name="completeness",
            better="higher",
            formula="C = |F ∩ G| / |G|",
            meaning="How much of the ground truth the answer states.",
        ),
        Metric(
            symbol="H",
            key="hallucination_rate",
            name="hallucination rate",
            better="lower",
            formula="H = |F \\ G| / |F|",
            meaning="How much of what the answer states is not in the ground truth; 0 without "
            "facts.",
        ),
        Metric(
            symbol="S",
            key="combined_score",
            name="combined score",
            better="higher",
            formula="S = 2C(1 − H) / (C + 1 − H)",
            meaning="Both in one: the harmonic mean of C and 1 − H; 0 when both are 0.",
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How estimates are made: their nominal coverage, the bootstrap's resamples and its seed."""

    level: float = 0.95
    resamples: int = RESAMPLES
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGroup:
    """The answers of one model and condition in one category, with and without a score.

    Attributes:
        asked: the questions that should have an answer.
    """

    model: str
    condition: str
    category: str
    asked: tuple[Question, ...]
    rows: tuple[Row, ...]
    settings: Settings

    def share(
        self,
        name: str,
        values: Values,
        *,
        among: Callable[[Question], bool] = lambda _: True,
        lower_is_better: bool = False,
    ) -> Estimate:
        """The mean over questions of values in [0, 1] (`mean_over_clusters`).

        Args:
            name: what is measured, for the seed.
            among: the questions that it is measured over.
        """
        tallies, lost, missing = self._tally(values, among)
        return mean_over_clusters(
            tallies,
            level=self.settings.level,
            resamples=self.settings.resamples,
            seed=self._seed(name),
            n_missing=missing,
            lost=lost,
            lower_is_better=lower_is_better,
        )

    def amount(self, name: str, values: Values) -> Estimate:
        """The mean over questions of amounts, which have no upper bound (`mean_amount`)."""
        tallies, _, missing = self._tally(values, lambda _: True)
        return mean_amount(
            tallies,
            level=self.settings.level,
            resamples=self.settings.resamples,
            seed=self._seed(name),
            n_missing=missing,
        )

    def _seed(self, name: str) -> int:
        named = [name] if name else []
        return seed_from(self.model, self.condition, self.category, *named, self.settings.seed)

    def _tally(
        self, values: Values, among: Callable[[Question], bool]
    ) -> tuple[dict[str, list[float]], dict[str, int], int]:
        """Question -> its values; question -> answers that miss in these; questions missing."""
        wanted = {question.query_id for question in self.asked if among(question)}
        tallies: dict[str, list[float]] = {}
        lost: dict[str, int] = {}
        known = set()
        for row in self.rows:
            query_id = row.question.query_id
            if query_id not in wanted:
                continue
            measured = values(row)
            if measured is None:
                lost[query_id] = lost.get(query_id, 0) + 1
                continue
            known.add(query_id)
            if measured:
                tallies.setdefault(query_id, []).extend(measured)
        lost = {query_id: n for query_id, n in lost.items() if query_id in tallies}
        return tallies, lost, len(wanted - known)


def answer_groups(
    rows: Iterable[Row], questions: Sequence[Question], settings: Settings
) -> list[AnswerGroup]:
    """Per model and condition: each category in the benchmark's order, then `overall`."""
    systems: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        systems.setdefault((row.answer.model, row.answer.condition), []).append(row)
    return [
        AnswerGroup(
            model=model,
            condition=condition,
            category=category,
            asked=tuple(q for q in questions if category in (q.category, OVERALL)),
            rows=tuple(row for row in given if category in (row.question.category, OVERALL)),
            settings=settings,
        )
        for (model, condition), given in systems.items()
        for category in [*dict.fromkeys(question.category for question in questions), OVERALL]
    ]


def seed_from(*parts: object) -> int:
    """A seed of 52 bits for what is named so: what reads JSON may read numbers as doubles."""
    return int(content_hash(*parts)[:13], 16)


def score_of(row: Row) -> AnswerScore | None:
    """The score of an answer that has one."""
    return row.score if isinstance(row, ScoredAnswer) else None


def summarise(
    rows: Iterable[Row], questions: Sequence[Question], settings: Settings, *, rubric: str = ""
) -> tuple[Summary, ...]:
    """The averages of C, H and S (`answer_groups`).

    Args:
        questions: those that should have an answer.
        rubric: what found the facts, for the signatures.
    """
    return tuple(_summary(group, rubric) for group in answer_groups(rows, questions, settings))


def _summary(group: AnswerGroup, rubric: str) -> Summary:
    estimates = {
        key: replace(
            group.share("", partial(_value, metric), lower_is_better=metric.lower_is_better),
            rubric=rubric,
        )
        for key, metric in METRICS.items()
    }
    return Summary(
        model=group.model,
        condition=group.condition,
        category=group.category,
        n_questions=len(group.asked),
        n_answers=sum(isinstance(row, ScoredAnswer) for row in group.rows),
        n_missing=estimates["completeness"].n_missing,
        **estimates,
    )


def _value(metric: Metric, row: Row) -> list[float] | None:
    return [metric.of(row.score)] if isinstance(row, ScoredAnswer) else None


def correct_summaries(
    scored: Sequence[ScoredAnswer],
    people: Mapping[str, Mapping[str, float]],
    *,
    level: float = 0.95,
    rubric: str = "",
) -> tuple[CorrectedSummary, ...]:
    """C, H and S as people would have scored all answers, where they marked some of a system's.

    Answers are put in cells by the judge's score (0, up to a half, above, 1), and people's scores
    are averaged within each (`corrected_mean`). The marked answers are to be drawn at random.
    Answers to one question are one cluster.

    Args:
        people: answer id -> metric -> its value by people.
    """
    systems: dict[tuple[str, str], list[ScoredAnswer]] = {}
    for row in scored:
        systems.setdefault((row.answer.model, row.answer.condition), []).append(row)
    out = []
    for (model, condition), rows in systems.items():
        marked = {
            at: people[row.answer.id] for at, row in enumerate(rows) if row.answer.id in people
        }
        if not marked:
            continue
        estimates = {
            key: replace(_corrected(rows, marked, metric, level), rubric=rubric)
            for key, metric in METRICS.items()
        }
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
    metric: Metric,
    level: float,
) -> Estimate:
    return corrected_mean(
        [_cell(metric.of(row.score)) for row in rows],
        {place: scores[metric.key] for place, scores in marked.items()},
        level=level,
        clusters=[row.answer.query_id for row in rows],
    )


def _cell(value: float) -> str:
    if value in (0, 1):
        return f"{value:g}"
    return "up to 1/2" if value <= 0.5 else "above 1/2"
