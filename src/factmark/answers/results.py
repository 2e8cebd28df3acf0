"""The record of a study's results, and of what it is made up: all that a report says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from factmark.answers.core.records import ScoredAnswer, UnscoredAnswer
from factmark.model import Estimate

if TYPE_CHECKING:  # slow to import, and few need it
    from factmark.stats.comparison import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The averages of one model and condition in one category, or in all of them (`overall`)."""

    model: str
    condition: str
    category: str
    completeness: Estimate
    hallucination_rate: Estimate
    combined_score: Estimate
    n_questions: int
    n_answers: int
    n_missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSummary:
    """How many rows of G the answers of one model and condition say together, over the questions
    whose ground truth has several columns."""

    model: str
    condition: str
    row_completeness: Estimate
    n_questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AssertedSummary:
    """What the answers of one model and condition give as their answer, over the questions that ask
    to choose: among candidates, or between yes and no."""

    model: str
    condition: str
    completeness: Estimate
    hallucination_rate: Estimate
    combined_score: Estimate
    n_questions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedSummary:
    """The averages over all `answers` of a model and condition, corrected by the `annotated`."""

    model: str
    condition: str
    completeness: Estimate
    hallucination_rate: Estimate
    combined_score: Estimate
    annotated: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """What is told of one model and condition in one category, or in all of them (`overall`).

    The parts are estimates, counts and totals by name, see the functions of their names in
    `run_measures`; None where nothing is known of one.

    Attributes:
        abstained: share of questions whose answer states nothing that can be checked.
        n_answers: answers, with and without a score.
    """

    model: str
    condition: str
    category: str
    abstained: Estimate
    tools: Mapping[str, Any] | None
    retrieval: Mapping[str, Estimate] | None
    endings: Mapping[str, Estimate] | None
    latency: Mapping[str, float] | None
    usage: Mapping[str, Any] | None
    variation: Mapping[str, Any] | None
    n_questions: int
    n_answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """Two systems on the same questions by one score.

    Attributes:
        between: what differs: two `conditions` of one model, or two `models` under one condition.
        of: that model, or that condition.
        comparison: A - B, with Holm's p over all pairs of its kind by that score.
    """

    between: Literal["conditions", "models"]
    of: str
    score: str
    comparison: Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedMeasure:
    """One measure of an extractor against people's marks.

    Attributes:
        name: of C, H and S the mean absolute error over questions; of the facts, over all answers,
            how many that it found people marked (precision), and the other way round (recall).
        value: with its interval over questions.
        extractor, people: the means by either; None of the facts.
    """

    name: str
    value: Estimate
    extractor: float | None = None
    people: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """All that a report is made from.

    Attributes:
        answers: scored answers, ordered by question, model, condition.
        summaries, runs: per model and condition: each category, then `overall`; runs only where
            answers tell how they came about, and so the differences.
        problems: what was wrong with the input, one sentence each; nothing is dropped silently.
        signature: how the numbers were made (versions, judge, seed, data hashes).
        by_rows: where a ground truth has rows of several columns.
        asserted: where questions name candidates.
        unscored: answers that should have a score and have none.
        corrections: per model and condition, where people marked some of its answers.
        people: answer id -> metric -> its value by people, and how many facts they marked.
        agreement: how far the judge agrees with them.
    """

    benchmark: str
    answers: tuple[ScoredAnswer, ...]
    summaries: tuple[Summary, ...]
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)
    unscored: tuple[UnscoredAnswer, ...] = ()
    by_rows: tuple[RowSummary, ...] = ()
    asserted: tuple[AssertedSummary, ...] = ()
    corrections: tuple[CorrectedSummary, ...] = ()
    people: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    agreement: tuple[MarkedMeasure, ...] = ()
    runs: tuple[RunSummary, ...] = ()
    differences: tuple[PairedDifference, ...] = ()
