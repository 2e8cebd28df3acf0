"""What a model did for its answers, and what it took, beyond C, H and S.

Per question q the values of its answers are averaged, and then over questions:

    tool accuracy   mean over q with expected tools of [at least one of them was called]
    calls           mean over q of the number of calls
    failed          mean over q with calls of (calls whose status is not ok) / calls
    abstained       mean over q of [no facts, no yes or no, no report of absence; or refused]

A bracket is 1 where it holds and 0 where not. Seconds are by nearest rank over answers. Over
questions with k >= 2 scored answers, with a score x of each:

    variation of x  mean over its k (k - 1) / 2 pairs of answers of |x_i - x_j|, in [0, 1]
    same            [max S = min S]
    best, worst     max S, min S

The difference does not depend on k in expectation; best and worst do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Literal

from factmark.answers.core.averages import (
    METRICS,
    OVERALL,
    AnswerGroup,
    Values,
    answer_groups,
    paired_differences,
)
from factmark.answers.core.grounding import beyond_of, held_of, retrieval
from factmark.answers.core.records import (
    AnswerScore,
    GivenAnswer,
    Question,
    Row,
    Trace,
    UnscoredAnswer,
    score_of,
)
from factmark.answers.results import Results, RunSummary
from factmark.model import Estimate
from factmark.stats.clusters import nearest_rank
from factmark.stats.comparison import Options

MOST_RESAMPLES = 2_000  # for each of some thirty estimates a line
FAILURES = ("error", "unknown", "invalid", "timeout", "lost")
_SAME = 1e-9  # scores that differ by less are equal

Offer = Literal["traced", "named", "none"]
"""How it is known that tools were offered: by traces, by names in a file; or none were"""


def with_runs(results: Results, questions: Sequence[Question], settings: Options) -> Results:
    """The results with measures of runs and paired differences, where any answer has a trace.

    It does if it has a trace; or, of answers from files, if it names the tools that were called
    and the benchmark those that are expected. Other results come back as they are.

    Args:
        questions: all of the benchmark; those without a ground truth do not count.
    """
    asked = tuple(question for question in questions if question.ground_truth is not None)
    rows: tuple[Row, ...] = (*results.answers, *results.unscored)
    if not any(
        row.answer.trace or (row.answer.tools_called and row.question.expected_tools)
        for row in rows
    ):
        return results
    fewer = replace(settings, resamples=min(settings.resamples, MOST_RESAMPLES))
    groups = answer_groups(rows, asked, fewer)
    offers = {}
    for g in groups:
        if g.category == OVERALL:
            offers[(g.model, g.condition)] = offer(g.rows)
    given = held_of(rows)
    beyond = beyond_of(rows)
    return replace(
        results,
        runs=tuple(
            RunSummary(
                model=group.model,
                condition=group.condition,
                category=group.category,
                abstained=abstention(group),
                tools=tools(group, offers[group.model, group.condition]),
                retrieval=retrieval(group, given, beyond),
                endings=endings(group),
                latency=latency(group.rows),
                usage=usage(group),
                variation=variation(group),
                n_questions=len(group.asked),
                n_answers=len(group.rows),
            )
            for group in groups
        ),
        differences=paired_differences(rows, asked, settings),
    )


def called(answer: GivenAnswer) -> tuple[str, ...] | None:
    """The names of the tools that an answer called; None where none were offered, or it is not
    known."""
    if answer.trace is None:
        return answer.tools_called
    uses = answer.trace.tools
    if uses is None:
        return None
    return tuple(use.name for use in uses)


def offer(rows: Sequence[Row]) -> Offer:
    """`traced`, `named` or `none`: how it is known that tools were offered, if they were.

    `traced` where an answer tells what became of its calls, or never came and was offered tools
    (an empty `tools_called`). `named` where only a file tells which tools were called, if any
    answer called one: some files give an empty list under every condition. Else `none`.
    """
    if any(trace.tools is not None for trace in _traces(rows)):
        return "traced"
    if any(called(row.answer) for row in rows):
        return "named"
    offered = any(_never_came(row) and row.answer.tools_called is not None for row in rows)
    if offered:
        return "traced"
    return "none"


def _never_came(row: Row) -> bool:
    """Whether a model gave no reply at all: there is neither a text nor a trace."""
    return isinstance(row, UnscoredAnswer) and row.answer.trace is None and not row.answer.text


def tools(group: AnswerGroup, offered: Offer) -> dict[str, Any] | None:
    """Accuracy, calls and failed calls of tools in a group; None where none were offered.

    `failed` and `failed_by` a status are known of traces alone; `statuses` counts calls.
    """
    if offered == "none":
        return None

    def failed(name: str, statuses: Sequence[str]) -> Estimate:
        def values(row: Row) -> list[float] | None:
            trace = row.answer.trace
            if trace is None or trace.tools is None:
                return None
            return [float(use.status in statuses) for use in trace.tools]

        return group.share(name, values, lower_is_better=True)

    def of_names(value: Callable[[Row, tuple[str, ...]], float]) -> Values:
        def values(row: Row) -> list[float] | None:
            names = called(row.answer)
            if _never_came(row) or names is None:
                return None
            return [float(value(row, names))]

        return values

    accurate = of_names(lambda row, names: not set(names).isdisjoint(_expected_tools(row.question)))
    expects = any(map(_expected_tools, group.asked))
    traced = offered == "traced"
    uses = [use for trace in _traces(group.rows) for use in trace.tools or ()]
    return {
        "accuracy": group.share("tool accuracy", accurate, among=lambda q: bool(_expected_tools(q)))
        if expects
        else None,
        "calls": group.amount("calls", of_names(lambda _, names: len(names))),
        "failed": failed("failed", FAILURES) if traced else None,
        "failed_by": {name: failed(name, [name]) for name in FAILURES} if traced else {},
        "statuses": dict(sorted(Counter(use.status for use in uses).items())),
    }


def _expected_tools(question: Question) -> tuple[str, ...]:
    """The tools of which a sensible answer calls one; none where none are named."""
    return question.expected_tools or ()


def _traces(rows: Sequence[Row]) -> list[Trace]:
    """The traces of the answers that have one."""
    traces = []
    for row in rows:
        if (trace := row.answer.trace) is not None:
            traces.append(trace)
    return traces


def _measure_of_trace(value: Callable[[Trace], float | None]) -> Values:
    """A measure of answers from a figure of their traces; missing where there is no trace."""

    def values(row: Row) -> list[float] | None:
        measured = None
        if row.answer.trace is not None:
            measured = value(row.answer.trace)
        if measured is None:
            return None
        return [measured]

    return values


def abstained(row: Row) -> bool | None:
    """Whether an answer states nothing that can be checked; None where that is not known."""
    trace = row.answer.trace
    score = score_of(row)
    if trace is not None and trace.ended == "refused":
        return True
    if score is None:
        return None
    return not score.facts and score.verdict is None and not score.absence


def abstention(group: AnswerGroup) -> Estimate:
    """The share of questions whose answer states nothing that can be checked."""

    def values(row: Row) -> list[float] | None:
        states_nothing = abstained(row)
        if states_nothing is None:
            return None
        return [float(states_nothing)]

    return group.share("abstained", values, lower_is_better=True)


def endings(group: AnswerGroup) -> dict[str, Estimate] | None:
    """Shares of questions by how their answers ended (cut off, refused, ...); None without traces.

    `rounds` are replies of the model; `out_of_rounds`: it went on calling tools until it was told
    to answer without; `cut_off` at the limit of length.
    """
    if not _traces(group.rows):
        return None

    def share_that_ended(how: str) -> Estimate:
        return group.share(
            how, _measure_of_trace(lambda trace: float(trace.ended == how)), lower_is_better=True
        )

    return {
        "rounds": group.amount("replies", _measure_of_trace(lambda trace: trace.rounds)),
        "out_of_rounds": share_that_ended("rounds"),
        "cut_off": share_that_ended("length"),
        "refused": share_that_ended("refused"),
    }


def latency(rows: Sequence[Row]) -> dict[str, float] | None:
    """Median and 95th percentile of the seconds; None where no answer has any."""
    known = []
    for row in rows:
        if (s := row.answer.latency_seconds) is not None:
            known.append(s)
    if not known:
        return None
    return {
        "median": nearest_rank(known, 0.5),
        "p95": nearest_rank(known, 0.95),
        "n": len(known),
        "n_missing": len(rows) - len(known),
    }


def usage(group: AnswerGroup) -> dict[str, Any] | None:
    """Tokens and cost of the answers with a trace, of which there are `n`; None where none has.

    `estimated`: a server left some to be estimated. A cost is None if any price is not known.
    """
    traces = _traces(group.rows)
    if not traces:
        return None
    costs = []
    for trace in traces:
        if trace.cost is not None:
            costs.append(trace.cost)
    priced = len(costs) == len(traces)

    def mean(name: str) -> Estimate:
        return group.amount(name, _measure_of_trace(lambda trace: getattr(trace, name)))

    return {
        "input_tokens": sum(trace.input_tokens for trace in traces),
        "output_tokens": sum(trace.output_tokens for trace in traces),
        "input_per_answer": mean("input_tokens"),
        "output_per_answer": mean("output_tokens"),
        "estimated": any(trace.estimated for trace in traces),
        "cost": sum(costs) if priced else None,
        "cost_per_answer": mean("cost") if priced else None,
        "n": len(traces),
        "n_missing": len(group.rows) - len(traces),
    }


def spread(values: Sequence[float]) -> float:
    """The mean absolute difference of two of k >= 2 values.

    >>> spread([0, 1, 1])
    0.6666666666666666
    """
    pairs = list(combinations(values, 2))
    return sum(abs(a - b) for a, b in pairs) / len(pairs)


def variation(group: AnswerGroup) -> dict[str, Any] | None:
    """How much answers to one question differ; None where none has several scored answers.

    A question that has several answers, of which fewer than two have a score, is missing.
    `answers` are the fewest and the most that such a question has.
    """
    asked = {question.query_id for question in group.asked}
    answers: dict[str, list[Row]] = {}
    for row in group.rows:
        answers.setdefault(row.question.query_id, []).append(row)
    answers = {key: rows for key, rows in answers.items() if len(rows) > 1 and key in asked}
    several = {}
    for key, rows in answers.items():
        scores = [score for row in rows if (score := score_of(row)) is not None]
        if len(scores) > 1:
            several[key] = scores
    if not several:
        return None
    sizes = list(map(len, several.values()))
    # One answer of each question stands for all of them.
    firsts = replace(group, rows=tuple(rows[0] for rows in answers.values()))

    def over(
        name: str,
        value: Callable[[AnswerScore], float],
        combine: Callable[[Sequence[float]], float],
    ) -> Estimate:
        values = {}
        for key, scores in several.items():
            values[key] = [combine(list(map(value, scores)))]
        return firsts.share(
            name,
            lambda row: values.get(row.question.query_id),
            among=lambda question: question.query_id in answers,
            lower_is_better=combine is spread,
        )

    combined = METRICS["combined_score"].of
    return {
        **{key: over(f"differing {m.symbol}", m.of, spread) for key, m in METRICS.items()},
        "same": over("same S", combined, lambda values: float(max(values) - min(values) < _SAME)),
        "best": over("best S", combined, max),
        "worst": over("worst S", combined, min),
        "answers": (min(sizes), max(sizes)),
    }
