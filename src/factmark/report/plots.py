"""The chart of C, H and S: one panel per metric, a dot with its interval per line.

This is the chart as data; `templates/chart.html` draws it. Positions are percentages of the axis
from 0 to 1, so that the drawing is as wide as the reader's screen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import groupby

from factmark.answers.records import Results, Summary
from factmark.report.metrics import METRICS, Metric
from factmark.report.tables import OVERALL, in_order
from factmark.report.text import NO_VALUE, interval, number

COLOURS = 6
SHAPES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A dot and its interval.

    Attributes:
        label: the condition, with the model where there are several.
        series: counts model and condition pairs from 0; the same in all groups and panels.
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
    """The lines of one category."""

    category: str
    overall: bool
    lines: tuple[Line, ...]


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
    series = {key: at for at, key in enumerate(dict.fromkeys(map(_key, summaries)))}
    several = len({summary.model for summary in summaries}) > 1
    return tuple(
        Panel(
            metric=metric,
            groups=tuple(
                Group(
                    category=category,
                    overall=category == OVERALL,
                    lines=tuple(_line(made, metric, series[_key(made)], several) for made in group),
                )
                for category, group in groupby(summaries, key=lambda summary: summary.category)
            ),
        )
        for metric in METRICS
    )


def _key(summary: Summary) -> tuple[str, str]:
    return (summary.model, summary.condition)


def _line(summary: Summary, metric: Metric, series: int, several: bool) -> Line:
    estimate = metric.of(summary)
    bounds = interval(estimate)
    names = (summary.condition, summary.model) if several else (summary.condition or summary.model,)
    return Line(
        label=" · ".join(filter(None, names)) or NO_VALUE,
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
