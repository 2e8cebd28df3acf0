"""What a model did for its answers, and what it took: tools, rounds, seconds, tokens, cost.

Per question q the values of its answers are averaged, and then over questions:

    tool accuracy   mean over q with expected tools of [at least one of them was called]
    calls           mean over q of the number of calls
    failed          mean over q with calls of (calls whose status is not ok) / calls
    abstained       mean over q of [no facts, no yes or no, no report of absence; or refused]

A bracket is 1 where it holds and 0 where not. Seconds are by nearest rank over answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from factmark.answers.core.records import Answer, Question, UnscoredAnswer
from factmark.answers.core.run_records import Endings, Latency, Tools, Usage
from factmark.answers.core.tallies import Group, Offer, Row, Values, score_of
from factmark.answers.core.traces import ToolUse
from factmark.model import Estimate
from factmark.stats.clusters import nearest_rank

FAILURES = ("error", "unknown", "invalid", "timeout", "lost")


def called(answer: Answer) -> tuple[str, ...] | None:
    """The names of the tools that were called; None where none were offered, or nobody tells."""
    if answer.trace is not None:
        tools = answer.trace.tools
        return None if tools is None else tuple(use.name for use in tools)
    return answer.tools_called


def sensible(question: Question, answer: Answer) -> bool | None:
    """Whether an expected tool was called; None where none is expected, or none was offered."""
    names = called(answer)
    if names is None or not question.expected_tools:
        return None
    return bool(set(names) & set(question.expected_tools))


def abstained(row: Row) -> bool | None:
    """Whether an answer states nothing that can be checked; None where that is not known."""
    trace, score = row.answer.trace, score_of(row)
    if trace is not None and trace.ended == "refused":
        return True
    if score is None:
        return None
    return not score.facts and score.verdict is None and not score.absence


def abstention(group: Group) -> Estimate:
    """The share of questions whose answer states nothing that can be checked."""
    return group.share("abstained", lambda row: _one(abstained(row)), lower_is_better=True)


def offer(rows: Sequence[Row]) -> Offer:
    """Whether tools were offered, judged by all answers of a model and condition.

    `traced` where an answer tells what became of its calls, or never came and was offered tools
    (an empty `tools_called`). `named` where only a file tells which tools were called, if any
    answer called one: some files give an empty list under every condition. Else `none`.
    """
    answers = [row.answer for row in rows]
    if any(one.trace is not None and one.trace.tools is not None for one in answers):
        return "traced"
    if any(called(one) for one in answers):
        return "named"
    if any(_never_came(row) and row.answer.tools_called is not None for row in rows):
        return "traced"
    return "none"


def _never_came(row: Row) -> bool:
    return isinstance(row, UnscoredAnswer) and row.answer.trace is None and not row.answer.text


def tools(group: Group) -> Tools | None:
    """What was done with tools; None where the model was offered none under this condition."""
    how = offer(group.rows) if group.offer is None else group.offer
    if how == "none":
        return None
    offered = how == "traced"
    traced = [row.answer.trace for row in group.rows if row.answer.trace is not None]
    expects = any(question.expected_tools for question in group.asked)
    accuracy = group.share(
        "tool accuracy",
        lambda row: None if _never_came(row) else _one(sensible(row.question, row.answer)),
        among=lambda question: bool(question.expected_tools),
    )
    statuses = Counter(use.status for trace in traced for use in trace.tools or ())
    return Tools(
        accuracy=accuracy if expects else None,
        calls=group.amount(
            "calls", lambda row: None if _never_came(row) else _length(called(row.answer))
        ),
        failed=group.share("failed", lambda row: _failures(row, FAILURES), lower_is_better=True)
        if offered
        else None,
        failed_by={
            status: group.share(status, _failing(status), lower_is_better=True)
            for status in FAILURES
        }
        if offered
        else {},
        statuses=dict(sorted(statuses.items())),
    )


def endings(group: Group) -> Endings | None:
    """How the answers ended; None where no answer has a trace."""
    if not any(row.answer.trace for row in group.rows):
        return None

    def ended(how: str) -> Estimate:
        return group.share(how, lambda row: _ended(row, how), lower_is_better=True)

    return Endings(
        rounds=group.amount(
            "replies", lambda row: None if row.answer.trace is None else [row.answer.trace.rounds]
        ),
        out_of_rounds=ended("rounds"),
        cut_off=ended("length"),
        refused=ended("refused"),
    )


def latency(rows: Sequence[Row]) -> Latency | None:
    """Median and 95th percentile of the seconds; None where no answer has any."""
    known = [s for row in rows if (s := row.answer.latency_seconds) is not None]
    if not known:
        return None
    return Latency(
        median=nearest_rank(known, 0.5),
        p95=nearest_rank(known, 0.95),
        n=len(known),
        n_missing=len(rows) - len(known),
    )


def usage(group: Group) -> Usage | None:
    """Tokens and cost; None where no answer has a trace."""
    traces = [row.answer.trace for row in group.rows if row.answer.trace is not None]
    if not traces:
        return None
    costs = [trace.cost for trace in traces if trace.cost is not None]
    priced = len(costs) == len(traces)

    def mean(name: str) -> Estimate:
        return group.amount(
            name,
            lambda row: None if row.answer.trace is None else [getattr(row.answer.trace, name)],
        )

    return Usage(
        input_tokens=sum(trace.input_tokens for trace in traces),
        output_tokens=sum(trace.output_tokens for trace in traces),
        input_per_answer=mean("input_tokens"),
        output_per_answer=mean("output_tokens"),
        estimated=any(trace.estimated for trace in traces),
        cost=sum(costs) if priced else None,
        cost_per_answer=mean("cost") if priced else None,
        n=len(traces),
        n_missing=len(group.rows) - len(traces),
    )


def _one(value: bool | None) -> list[float] | None:
    return None if value is None else [float(value)]


def _length(names: Sequence[str] | None) -> list[float] | None:
    return None if names is None else [float(len(names))]


def _failures(row: Row, statuses: Sequence[str]) -> list[float] | None:
    uses: tuple[ToolUse, ...] | None = None if (t := row.answer.trace) is None else t.tools
    return None if uses is None else [float(use.status in statuses) for use in uses]


def _failing(status: str) -> Values:
    return lambda row: _failures(row, (status,))


def _ended(row: Row, how: str) -> list[float] | None:
    trace = row.answer.trace
    return None if trace is None else [float(trace.ended == how)]
