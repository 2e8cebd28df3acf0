"""The chart of C, H and S: one panel per metric, a dot with its interval per line.

This is the chart as data; `templates/chart.html` draws it. Positions are percentages of the axis
from 0 to 1, so that the drawing is as wide as the reader's screen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from factmark.answers.core.averages import METRICS, OVERALL, Metric
from factmark.answers.core.records import Results, Summary
from factmark.answers.tables import in_order
from factmark.model import Estimate
from factmark.tables.shown_text import NO_VALUE, interval, number

COLOURS = 6
SHAPES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A dot and its interval.

    Attributes:
        label: the condition, or the model where there are no several conditions.
        series: counts the labels from 0; the same in all groups and panels.
        value, interval: as text.
        at, low, high: positions as percentages, empty where there is no value or no interval.
    """

    label: str
    series: int
    value: str
    interval: str
    at: str
    low: str
    high: str

    @property
    def colour(self) -> int:
        """Which of the colours it has."""
        return self.series % COLOURS

    @property
    def shape(self) -> int:
        """Which of the shapes its dot has, so that colour is not all that tells them apart."""
        return self.series % SHAPES


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The lines of one category.

    Attributes:
        parts: the lines model by model, each with the model's name; one part without a name when
            there is one model, or when the labels are the models.
    """

    category: str
    overall: bool
    parts: tuple[tuple[str, tuple[Line, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """All categories in one metric."""

    metric: Metric
    groups: tuple[Group, ...]


def panels(results: Results) -> tuple[Panel, ...]:
    """The chart of a study; no panels when there are no summaries."""
    summaries = in_order(results.summaries)
    if not summaries:
        return ()
    by_model = len({summary.condition for summary in summaries}) == 1
    label = attrgetter("model" if by_model else "condition")
    several = not by_model and len({summary.model for summary in summaries}) > 1
    series = {name: at for at, name in enumerate(dict.fromkeys(map(label, summaries)))}

    def line(summary: Summary, metric: Metric) -> Line:
        name = label(summary) or summary.condition or NO_VALUE
        return _line(metric.of(summary), name, series[label(summary)])

    def group(category: str, members: list[Summary], metric: Metric) -> Group:
        key = attrgetter("model") if several else lambda _: ""
        parts = tuple(
            (name, tuple(line(summary, metric) for summary in part))
            for name, part in groupby(members, key=key)
        )
        return Group(category=category, overall=category == OVERALL, parts=parts)

    categories = [
        (category, list(members))
        for category, members in groupby(summaries, key=attrgetter("category"))
    ]
    return tuple(
        Panel(
            metric=metric,
            groups=tuple(group(category, members, metric) for category, members in categories),
        )
        for metric in METRICS
    )


def _line(estimate: Estimate, label: str, series: int) -> Line:
    bounds = interval(estimate)
    return Line(
        label=label,
        series=series,
        value=number(estimate.value),
        interval=bounds,
        at=_percent(estimate.value),
        low=_percent(estimate.low) if bounds else "",
        high=_percent(estimate.high) if bounds else "",
    )


def _percent(value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return ""
    return f"{min(max(value, 0.0), 1.0) * 100:.1f}%"
