"""Averages over questions, per model, condition and category, and systems paired by question.

A question's answers are averaged first, then the questions. Of the questions that should have an
answer, one without any is missing; an answer without a score beside others widens the worst and
the best case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, Protocol, TypeVar

from factmark.answers.core.records import (
    AnswerScore,
    Question,
    Row,
    ScoredAnswer,
    score_of,
)
from factmark.answers.results import CorrectedSummary, PairedDifference, Summary
from factmark.model import Estimate, Measure, content_hash
from factmark.stats.clusters import mean_amount, mean_over_clusters
from factmark.stats.comparison import Options, Units, difference
from factmark.stats.contest import with_holm

OVERALL = "overall"


class Averaged(Protocol):
    """What stands in one category, or in all of them (`overall`)."""

    @property
    def category(self) -> str:
        """Its category."""


AnyAveraged = TypeVar("AnyAveraged", bound=Averaged)

Values = Callable[[Row], Sequence[float] | None]
"""The values of an answer: none where the measure does not apply to it, None where it is missing"""

ScoresOfQuestions = Mapping[str, Sequence[Mapping[str, float] | None]]
"""Question -> the scores of a system's answers to it by their keys; None without a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(Measure):
    """One of C, H, S, with its formula."""

    formula: str

    def of(self, score: AnswerScore) -> float:
        """Returns the metric's value in the score of an answer."""
        return float(getattr(score, self.key))

    def estimate(self, summary: Summary | CorrectedSummary) -> Estimate:
        """Returns the metric's mean in an average."""
        estimate: Estimate = getattr(summary, self.key)
        return estimate


_C = Metric(
    symbol="C",
    key="completeness",
    name="completeness",
    better="higher",
    formula="C = |F ∩ G| / |G|",
    meaning="How much of the ground truth the answer states.",
)
_H = Metric(
    symbol="H",
    key="hallucination_rate",
    name="hallucination rate",
    better="lower",
    formula="H = |F \\ G| / |F|",
    meaning="How much of what the answer states is not in the ground truth, true or not; 0 "
    "without facts.",
)
_S = Metric(
    symbol="S",
    key="combined_score",
    name="combined score",
    better="higher",
    formula="S = 2C(1 − H) / (C + 1 − H)",
    meaning="Both in one: the harmonic mean of C and 1 − H; 0 when both are 0.",
)
METRICS = {metric.key: metric for metric in (_C, _H, _S)}
SCORES: tuple[Measure, ...] = (_S, _C, _H)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerGroup:
    """The answers of a model and condition in a category, and the questions that should have one.

    Attributes:
        rows: with and without a score.
    """

    model: str
    condition: str
    category: str
    asked: tuple[Question, ...]
    rows: tuple[Row, ...]
    settings: Options

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
            target=self.settings.target,
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
            target=self.settings.target,
        )

    def _seed(self, name: str) -> int:
        """Returns the seed of a bootstrap of this group: the study's own, mixed with the group's
        names and that of the measure."""
        named = []
        if name:
            named = [name]
        return seed_from(self.model, self.condition, self.category, *named, self.settings.seed)

    def _tally(
        self, values: Values, among: Callable[[Question], bool]
    ) -> tuple[dict[str, list[float]], dict[str, int], int]:
        """Question -> its values; question -> answers that miss in these; questions missing."""
        wanted = set()
        for question in self.asked:
            if among(question):
                wanted.add(question.query_id)
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


def by_system(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    """Model and condition -> their answers, in the order in which they first occur."""
    systems: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        systems.setdefault((row.answer.model, row.answer.condition), []).append(row)
    return systems


def overall_rows(rows: Iterable[AnyAveraged]) -> list[AnyAveraged]:
    """Returns the rows over all categories, of those of each model and condition."""
    return [row for row in rows if row.category == OVERALL]


def answer_groups(
    rows: Iterable[Row], questions: Sequence[Question], settings: Options
) -> list[AnswerGroup]:
    """The groups of answers: per model and condition each category, then `overall`."""
    return [
        AnswerGroup(
            model=model,
            condition=condition,
            category=category,
            asked=tuple(q for q in questions if category in (q.category, OVERALL)),
            rows=tuple(row for row in given if category in (row.question.category, OVERALL)),
            settings=settings,
        )
        for (model, condition), given in by_system(rows).items()
        for category in [*dict.fromkeys(question.category for question in questions), OVERALL]
    ]


def seed_from(*parts: object) -> int:
    """Returns a seed that follows from the parts alone; of 52 bits, since JSON readers may take it
    as a double."""
    return int(content_hash(*parts)[:13], 16)


def summarise(
    rows: Iterable[Row], questions: Sequence[Question], settings: Options, *, rubric: str = ""
) -> tuple[Summary, ...]:
    """The averages of C, H and S per model, condition and category, then over all categories.

    Args:
        questions: those that should have an answer.
        rubric: what found the facts, for the signatures.
    """
    return tuple(
        _summary_of_group(group, rubric) for group in answer_groups(rows, questions, settings)
    )


def _summary_of_group(group: AnswerGroup, rubric: str) -> Summary:
    """The means of C, H and S over the questions of a group."""

    def estimate(metric: Metric) -> Estimate:
        def values(row: Row) -> list[float] | None:
            score = score_of(row)
            if score is None:
                return None
            return [metric.of(score)]

        share = group.share("", values, lower_is_better=metric.lower_is_better)
        return replace(share, rubric=rubric)

    estimates = {key: estimate(metric) for key, metric in METRICS.items()}
    return Summary(
        model=group.model,
        condition=group.condition,
        category=group.category,
        n_questions=len(group.asked),
        n_answers=sum(isinstance(row, ScoredAnswer) for row in group.rows),
        n_missing=estimates[_C.key].n_missing,
        **estimates,
    )


def question_units(given: ScoresOfQuestions, asked: Iterable[str], key: str) -> Units:
    """The values of a system by one score; each question is a cluster with itself as its unit.

    Args:
        asked: all questions; one that the system has no answer to is missing.
    """
    units = {}
    for query_id in asked:
        units[query_id] = {
            query_id: tuple(
                None if values is None else values[key] for values in given.get(query_id, [None])
            )
        }
    return units


def paired_differences(
    rows: Sequence[Row], questions: Sequence[Question], settings: Options
) -> tuple[PairedDifference, ...]:
    """Every two conditions of a model, and every two models under a condition, by each score.

    A is the later one in the rows, B the earlier. Holm's p is over all pairs of conditions, and
    over all pairs of models, by one score.

    Args:
        questions: those that should have an answer.
    """
    systems = {system: _scores_by_question(given) for system, given in by_system(rows).items()}
    models = list(dict.fromkeys(model for model, _ in systems))
    conditions = list(dict.fromkeys(condition for _, condition in systems))
    between_conditions = []
    for m in models:
        for b, a in combinations(conditions, 2):
            between_conditions.append((m, (m, a), (m, b), (a, b)))
    between_models = []
    for c in conditions:
        for b, a in combinations(models, 2):
            between_models.append((c, (a, c), (b, c), (a, b)))
    kinds: tuple[tuple[Literal["conditions", "models"], list[_Pair]], ...] = (
        ("conditions", between_conditions),
        ("models", between_models),
    )
    differences: list[PairedDifference] = []
    for between, pairs in kinds:
        known = []
        for pair in pairs:
            if pair[1] in systems and pair[2] in systems:
                known.append(pair)
        for score in SCORES:
            units = {}
            for system, given in systems.items():
                units[system] = question_units(given, [q.query_id for q in questions], score.key)
            options = replace(settings, lower_is_better=score.lower_is_better)
            comparisons = with_holm(
                [difference(units[a], units[b], names=n, options=options) for _, a, b, n in known]
            )
            for (of, *_), comparison in zip(known, comparisons, strict=True):
                differences.append(
                    PairedDifference(between=between, of=of, score=score.key, comparison=comparison)
                )
    return tuple(differences)


_Pair = tuple[str, tuple[str, str], tuple[str, str], tuple[str, str]]


def _scores_by_question(rows: Iterable[Row]) -> dict[str, list[Mapping[str, float] | None]]:
    """Question -> the scores of a system's answers to it."""
    scores: dict[str, list[Mapping[str, float] | None]] = {}
    for row in rows:
        score = score_of(row)
        values = None
        if score is not None:
            values = {}
            for key, m in METRICS.items():
                values[key] = m.of(score)
        scores.setdefault(row.answer.query_id, []).append(values)
    return scores
