"""What protocol 1 works on: questions, answers, their scores, and the results of a study.

Formulas (protocol 1): C = |F ∩ G| / |G|, H = |F \\ G| / |F| (0 when F is empty),
S = 2C(1-H) / (C + 1 - H) (0 when C and 1-H are both 0).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from factmark.answers.core.traces import Trace
from factmark.model import Estimate

if TYPE_CHECKING:  # they need what is slow to import, and few need them
    from factmark.answers.core.run_records import PairedDifference, RunSummary


Status = Literal["unparsed", "refused", "failed", "left"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of a benchmark.

    Attributes:
        query_id: for example `D1`; unique within its benchmark.
        category: for example `discovery`.
        text: the question as a model is asked it.
        sparql: the query that derives the ground truth, or None where the file gives none.
        ground_truth: the elements of G without duplicates, in the order of the result; None
            while it is not yet derived.
        expected_tools: the tools of which a sensible answer calls at least one; None where the
            benchmark does not say.
    """

    query_id: str
    category: str
    text: str
    sparql: str | None = None
    ground_truth: tuple[str, ...] | None = None
    expected_tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer of a model to one question.

    Attributes:
        id: unique within its file; empty where the file gives none, until it is scored.
        latency_seconds: how long the model took, where the file says so.
        tools_called: names of the tools in the order of their calls, where the file says so.
        chunks_retrieved: ids of what was retrieved for it, best first, where the file says so.
        trace: how it came about, where factmark ran the model.
        lost: why there is no answer; it is missing then, and no empty answer.
    """

    id: str
    query_id: str
    text: str
    model: str = ""
    condition: str = ""
    latency_seconds: float | None = None
    tools_called: tuple[str, ...] | None = None
    chunks_retrieved: tuple[str, ...] | None = None
    trace: Trace | None = None
    lost: NoScore | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One member of F(r).

    Attributes:
        text: the fact as the answer spells it: `answer[start:end]`.
        start, end: where it stands in the answer, in characters.
        match: the element of G that it covers, or None: then it is a hallucination.
        rule: the rule that decided the match, for example `M2`; empty when there is none.
    """

    text: str
    start: int
    end: int
    match: str | None = None
    rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScore:
    """The score of one answer.

    Attributes:
        facts: F(r) in the order of the text.
        missing: the elements of G that no fact covers.
        verdict: `yes`, `no` or None (E5).
        absence: whether the answer reports that there is nothing (decides C when G is empty).
    """

    facts: tuple[Fact, ...]
    missing: tuple[str, ...]
    verdict: str | None
    absence: bool
    completeness: float
    hallucination_rate: float
    combined_score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """An answer with its question and its score."""

    question: Question
    answer: Answer
    score: AnswerScore


@dataclass(frozen=True, slots=True, kw_only=True)
class NoScore:
    """Why an answer has no score: what was to find its facts brought none.

    Attributes:
        status: `left` where a budget had no room for it; else as of a verdict.
        reason: in a few words, for people.
    """

    status: Status
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedSummary:
    """The corrected means of a model and condition, over all its answers.

    Attributes:
        annotated: answers whose facts people marked.
        answers: all scored answers.
    """

    model: str
    condition: str
    completeness: Estimate
    hallucination_rate: Estimate
    combined_score: Estimate
    annotated: int
    answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnscoredAnswer:
    """An answer without a score; it counts as missing, never as an empty answer."""

    question: Question
    answer: Answer
    why: NoScore


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
class Results:
    """All that a report is made from.

    Attributes:
        benchmark: its name.
        answers: scored answers, ordered by question, model, condition.
        summaries: per model and condition: each category, then `overall`.
        problems: what was wrong with the input, one sentence each; nothing is dropped silently.
        signature: how the numbers were made (versions, judge, seed, data hashes).
        unscored: answers that should have a score and have none.
        corrections: per model and condition, where people marked some of its answers.
        people: answer id -> metric -> its value by people.
        runs: per model and condition: each category, then `overall`; where answers tell how they
            came about.
        differences: between conditions and between models, on the same questions; as `runs`.
    """

    benchmark: str
    answers: tuple[ScoredAnswer, ...]
    summaries: tuple[Summary, ...]
    problems: tuple[str, ...] = ()
    signature: Mapping[str, object] = field(default_factory=dict)
    unscored: tuple[UnscoredAnswer, ...] = ()
    corrections: tuple[CorrectedSummary, ...] = ()
    people: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    runs: tuple[RunSummary, ...] = ()
    differences: tuple[PairedDifference, ...] = ()
