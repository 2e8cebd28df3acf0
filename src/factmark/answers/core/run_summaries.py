"""What is told of runs, for every model and condition: by category, and over all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from factmark.answers.core.averages import OVERALL
from factmark.answers.core.effort import abstention, endings, latency, offer, tools, usage
from factmark.answers.core.paired import paired_differences
from factmark.answers.core.records import Question, Results
from factmark.answers.core.repeats import variation
from factmark.answers.core.retrieved import Given, given_to, retrieval
from factmark.answers.core.run_records import RunSummary
from factmark.answers.core.tallies import Group, Row
from factmark.stats.comparison import Options

MOST_RESAMPLES = 2_000  # for each of some thirty estimates a line


def with_runs(
    results: Results,
    questions: Sequence[Question],
    *,
    level: float = 0.95,
    resamples: int = MOST_RESAMPLES,
    seed: int = 0,
) -> Results:
    """The results with `runs` and `differences`, where an answer tells how it came about.

    It does if it has a trace; or, of answers from files, if it names the tools that were called
    and the benchmark those that are expected. Other results come back as they are.

    Args:
        questions: all of the benchmark; those without a ground truth do not count.
    """
    asked = tuple(question for question in questions if question.ground_truth is not None)
    rows: tuple[Row, ...] = (*results.answers, *results.unscored)
    if not any(_tells(row) for row in rows):
        return results
    how = min(resamples, MOST_RESAMPLES)
    given = given_to(rows)
    return replace(
        results,
        runs=tuple(
            run_summary(replace(group, level=level, resamples=how, seed=seed), given)
            for group in _groups(rows, asked)
        ),
        differences=paired_differences(
            results, asked, Options(level=level, resamples=resamples, seed=seed)
        ),
    )


def _tells(row: Row) -> bool:
    if row.answer.trace is not None:
        return True
    return bool(row.answer.tools_called and row.question.expected_tools)


def _groups(rows: Sequence[Row], asked: Sequence[Question]) -> list[Group]:
    by_system: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        by_system.setdefault((row.answer.model, row.answer.condition), []).append(row)
    offers = {system: offer(some) for system, some in by_system.items()}
    categories = [*dict.fromkeys(question.category for question in asked), OVERALL]
    return [
        Group(
            model=model,
            condition=condition,
            category=category,
            asked=tuple(q for q in asked if category in (q.category, OVERALL)),
            rows=tuple(row for row in given if category in (row.question.category, OVERALL)),
            offer=offers[model, condition],
        )
        for (model, condition), given in by_system.items()
        for category in categories
    ]


def run_summary(group: Group, given: Given | None = None) -> RunSummary:
    """All that is told of one model and condition in one category."""
    return RunSummary(
        model=group.model,
        condition=group.condition,
        category=group.category,
        abstained=abstention(group),
        tools=tools(group),
        retrieval=retrieval(group, given),
        endings=endings(group),
        latency=latency(group.rows),
        usage=usage(group),
        variation=variation(group),
        n_questions=len(group.asked),
        n_answers=len(group.rows),
    )
