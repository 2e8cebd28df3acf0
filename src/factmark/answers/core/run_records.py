"""What is told of runs beyond C, H and S: how models came to their answers, and at what price.

Every estimate is over questions: a question's answers are averaged first. Formulas stand where
each is computed: `effort`, `retrieved`, `repeats`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from factmark.model import Estimate
from factmark.stats.comparison import Comparison


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """What a model did with the tools that it was offered.

    Attributes:
        accuracy: share of questions where an expected tool was called; None where the benchmark
            expects none.
        calls: calls per question.
        failed: share of calls that failed, by questions; None where no file or trace tells.
        failed_by: the same by status: `error`, `unknown`, `invalid`, `timeout`, `lost`.
        statuses: how many calls ended in which way, over all answers.
    """

    accuracy: Estimate | None
    calls: Estimate
    failed: Estimate | None
    failed_by: Mapping[str, Estimate]
    statuses: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """Whether what a model was given held the ground truth, and whether it said it.

    Attributes:
        held: share of the elements of G that stood in what the model was given.
        both: share of the elements that were retrieved and said.
        unsaid: retrieved, but not said.
        unheld: said, but not retrieved.
        neither: the rest; the four add up to 1.
        whole: share of questions whose G was retrieved whole.
        completeness: C over the questions whose G was retrieved whole.
    """

    held: Estimate
    both: Estimate
    unsaid: Estimate
    unheld: Estimate
    neither: Estimate
    whole: Estimate
    completeness: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Endings:
    """How answers ended, as shares of questions; of answers with a trace.

    Attributes:
        rounds: replies of the model per question.
        out_of_rounds: went on calling tools until it was told to answer without.
        cut_off: cut off at the limit of length.
        refused: the model refused.
    """

    rounds: Estimate
    out_of_rounds: Estimate
    cut_off: Estimate
    refused: Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Seconds per answer, by nearest rank over all answers that have them.

    Attributes:
        n: answers with a latency.
        n_missing: answers without.
    """

    median: float
    p95: float
    n: int
    n_missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens and cost of the answers with a trace.

    Attributes:
        input_tokens, output_tokens: in total.
        input_per_answer, output_per_answer: means over questions.
        estimated: whether a server left (some) tokens to be estimated.
        cost, cost_per_answer: None if the price of any answer is not known.
        n: answers with a trace.
        n_missing: answers without, whose tokens and cost are in no total.
    """

    input_tokens: int
    output_tokens: int
    input_per_answer: Estimate
    output_per_answer: Estimate
    estimated: bool
    cost: float | None
    cost_per_answer: Estimate | None
    n: int
    n_missing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Variation:
    """How much a model's answers to the same question differ, over questions with several.

    Attributes:
        completeness, hallucination_rate, combined_score: the mean absolute difference between two
            answers to a question.
        same: share of questions whose answers all have the same S.
        best, worst: mean S if each question counted with its best, its worst answer. They move
            apart as there are more answers to a question.
        answers: the fewest and the most answers that such a question has.
    """

    completeness: Estimate
    hallucination_rate: Estimate
    combined_score: Estimate
    same: Estimate
    best: Estimate
    worst: Estimate
    answers: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSummary:
    """One model and condition in one category, or in all of them (`overall`).

    Attributes:
        abstained: share of questions whose answer states nothing that can be checked.
        tools: None where no tools were offered.
        retrieval, endings, usage: None where no answer has a trace; retrieval also where nothing
            was given to answer from.
        latency: None where no answer has one.
        variation: None where no question has several answers.
        n_answers: answers, with and without a score.
    """

    model: str
    condition: str
    category: str
    abstained: Estimate
    tools: Tools | None
    retrieval: Retrieval | None
    endings: Endings | None
    latency: Latency | None
    usage: Usage | None
    variation: Variation | None
    n_questions: int
    n_answers: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """Two systems on the same questions by one score.

    Attributes:
        between: what differs: two `conditions` of one model, or two `models` under one condition.
        of: that model, or that condition.
        score: `completeness`, `hallucination_rate` or `combined_score`.
        comparison: A - B, with Holm's p over all pairs of its kind by that score.
    """

    between: Literal["conditions", "models"]
    of: str
    score: str
    comparison: Comparison
