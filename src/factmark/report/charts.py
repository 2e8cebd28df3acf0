"""Charts as data, which the templates draw: stacked bars, and dots with their intervals.

Positions are percentages of the bar, or of the axis from 0 to 1, so that a drawing is as wide as
the reader's screen.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from factmark.label_values import CONTRADICTED, NO, SUPPORTED, YES
from factmark.model import Estimate
from factmark.text.shown_text import interval, number

NO_VERDICT = "no verdict"
_TONES = {SUPPORTED: "good", YES: "good", CONTRADICTED: "bad", NO: "bad", NO_VERDICT: "none"}
_DIGIT = 0.025  # the share of a narrow bar that a digit takes
_COLOURS = 6
_SHAPES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BarSegment:
    """A part of a bar; `middle` is empty where its number has no room. Tones: see `tone`."""

    verdict: str
    tone: str
    count: int
    start: str
    width: str
    middle: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A relation, or all of them."""

    name: str
    total: int
    segments: tuple[BarSegment, ...]

    @property
    def text(self) -> str:
        """The bar in words."""
        return ", ".join(f"{part.count} {part.verdict}" for part in self.segments) or "nothing"


def tone(verdict: str) -> str:
    """`good`, `bad`, `none` or, between them, `mid`: what a verdict's colour and pattern go by."""
    return _TONES.get(verdict, "mid")


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Stacked bars with their legend, as `charts.html` draws them.

    Attributes:
        label: what the legend lists.
        tones: verdict -> its tone: what a pattern or, without `patterns`, a class is named by.
        meanings: what verdicts say; may be empty.
        total: the bar of all, if any.
        note: what stands below; may be empty.
    """

    caption: str
    label: str
    tones: Mapping[str, str]
    bars: tuple[Bar, ...]
    meanings: Mapping[str, str] = field(default_factory=dict)
    total: Bar | None = None
    note: str = ""
    patterns: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DotPanel:
    """The dots of one measure.

    Attributes:
        symbol: the measure's short name; may be empty.
        better: which direction is good.
        groups: name of a group -> name of a part of it -> dots; names may be empty.
        ticks: what stands below the axis, from its beginning to its end.
    """

    symbol: str = ""
    name: str = ""
    better: str = ""
    groups: Mapping[str, Mapping[str, Sequence[Dot]]]
    ticks: tuple[str, ...] = ("0", "0.5", "1")


@dataclass(frozen=True, slots=True, kw_only=True)
class DotChart:
    """Panels of dots with their intervals, as `charts.html` draws them."""

    caption: str
    panels: tuple[DotPanel, ...]


def stacked_bar(name: str, counts: Counter[str], tones: Mapping[str, str]) -> Bar:
    """Returns the bar of these counts, in the order of the verdicts that have a tone."""
    total = counts.total()
    before = 0
    segments = []
    for verdict, tone in tones.items():
        n = counts[verdict]
        if n:
            has_room = n / total >= _DIGIT * (len(f"{n:,}") + 1)
            segments.append(
                BarSegment(
                    verdict=verdict,
                    tone=tone,
                    count=n,
                    start=f"{100 * before / total:.2f}%",
                    width=f"{100 * n / total:.2f}%",
                    middle=f"{100 * (before + n / 2) / total:.2f}%" if has_room else "",
                )
            )
            before += n
    return Bar(name=name, total=total, segments=tuple(segments))


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
        """The number of the dot's colour."""
        return self.series % _COLOURS

    @property
    def shape(self) -> int:
        """The number of the dot's shape, so that colour is not all that tells series apart."""
        return self.series % _SHAPES


def dot_of(estimate: Estimate, label: str, series: int) -> Dot:
    """Returns an estimate in [0, 1] as a dot with its interval."""
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
    """Returns a value as a CSS percentage between 0 % and 100 %; empty where there is none."""
    if value is None or not math.isfinite(value):
        return ""
    return f"{min(max(value, 0.0), 1.0) * 100:.1f}%"
