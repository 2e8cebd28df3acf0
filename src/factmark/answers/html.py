"""The report on answers against the ground truth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from factmark.answers.core.averages import METRICS, OVERALL, Metric
from factmark.answers.core.records import Results, ScoredAnswer, Summary
from factmark.answers.run_tables import run_tables
from factmark.answers.tables import corrected_table, in_order, score_table
from factmark.answers.trace_tables import MOST_NAMES, TraceShown, shown_traces
from factmark.tables.charts import Dot, dot_of
from factmark.tables.page import Filters, render_page
from factmark.tables.shown_text import NO_VALUE

MISSING_SHOWN = 12


def render_html(results: Results, *, title: str = "Answers against the ground truth") -> str:
    """The report of a study as one HTML document, ready to be written as UTF-8.

    The same results give the same text. Works without JavaScript: then all answers are shown and
    there are no filters.

    Raises:
        ValueError: a fact lies outside its answer.
    """
    choices = _choices(results.answers)
    traces, passages = shown_traces(results.answers)
    ran = bool(results.runs) or any(traces)
    return render_page(
        "report.html",
        styles=("report.css", *["runs.css"] * ran),
        signature=results.signature,
        title=title,
        subject=results.benchmark,
        problems=results.problems,
        results=results,
        metrics=tuple(METRICS.values()),
        score_table=score_table(results),
        corrected_table=corrected_table(results) if results.corrections else None,
        run_tables=run_tables(results),
        traces=traces,
        passages=passages,
        panels=panels(results),
        choices=choices,
        filters=Filters(
            singular="answer",
            many="answers",
            text="h3, .meta, .answer, .missing bdi",
            hint="in question or answer",
            choices=choices,
            orders=(
                ("question", "question"),
                ("low", "S, lowest first"),
                ("high", "S, highest first"),
            ),
            score="S",
            flags=(
                ("hallucinated", "hallucinations"),
                ("missing", "missing elements"),
                *_flags(traces),
            ),
        ),
        shown=len(results.answers),
        missing_shown=MISSING_SHOWN,
        most_names=MOST_NAMES,
    )


def _flags(traces: Iterable[TraceShown | None]) -> tuple[tuple[str, str], ...]:
    """What else answers can be picked by: what some of them have."""
    shown = [one for one in traces if one is not None]
    flags = (
        ("unsaid", "elements retrieved, not said", any(one.unsaid for one in shown)),
        ("failed", "failed tool calls", any(one.failed for one in shown)),
        ("abstained", "nothing to check", any(one.abstained for one in shown)),
    )
    return tuple((name, meaning) for name, meaning, some in flags if some)


def _choices(answers: Iterable[ScoredAnswer]) -> dict[str, tuple[str, ...]]:
    """What the answers can be filtered by, each value once, in the order of the answers."""
    answers = tuple(answers)
    return {
        "category": tuple(dict.fromkeys(a.question.category for a in answers)),
        "condition": tuple(dict.fromkeys(a.answer.condition for a in answers)),
        "model": tuple(dict.fromkeys(a.answer.model for a in answers)),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartGroup:
    """The lines of one category.

    Attributes:
        parts: the lines model by model, each with the model's name; one part without a name when
            there is one model, or when the labels are the models.
    """

    category: str
    overall: bool
    parts: tuple[tuple[str, tuple[Dot, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """All categories in one metric."""

    metric: Metric
    groups: tuple[ChartGroup, ...]


def panels(results: Results) -> tuple[Panel, ...]:
    """The chart of a study; no panels when there are no summaries."""
    summaries = in_order(results.summaries)
    if not summaries:
        return ()
    by_model = len({summary.condition for summary in summaries}) == 1
    label = attrgetter("model" if by_model else "condition")
    several = not by_model and len({summary.model for summary in summaries}) > 1
    series = {name: at for at, name in enumerate(dict.fromkeys(map(label, summaries)))}

    def dot(summary: Summary, metric: Metric) -> Dot:
        name = label(summary) or summary.condition or NO_VALUE
        return dot_of(metric.estimate(summary), name, series[label(summary)])

    def group(category: str, members: list[Summary], metric: Metric) -> ChartGroup:
        key = attrgetter("model") if several else lambda _: ""
        parts = tuple(
            (name, tuple(dot(summary, metric) for summary in part))
            for name, part in groupby(members, key=key)
        )
        return ChartGroup(category=category, overall=category == OVERALL, parts=parts)

    categories = [
        (category, list(members))
        for category, members in groupby(summaries, key=attrgetter("category"))
    ]
    return tuple(
        Panel(
            metric=metric,
            groups=tuple(group(category, members, metric) for category, members in categories),
        )
        for metric in METRICS.values()
    )
