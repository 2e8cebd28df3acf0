"""A dot with its interval, as data; `templates/chart.html` draws it.

Positions are percentages of the axis from 0 to 1, so that the drawing is as wide as the reader's
screen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from factmark.model import Estimate
from factmark.tables.shown_text import interval, number

COLOURS = 6
SHAPES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
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


def dot_of(estimate: Estimate, label: str, series: int) -> Dot:
    """An estimate in [0, 1] as a dot with its interval."""
    bounds = interval(estimate)
    return Dot(
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
