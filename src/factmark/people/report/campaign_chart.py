"""The charts of a campaign: a dot with its interval per system, and how often each label was given.

As data; `templates/campaign-chart.html` draws them. Positions are percentages, so that the drawing
is as wide as the reader's screen.
"""

from __future__ import annotations

from dataclasses import dataclass

from factmark.people.core.forms import form_named
from factmark.people.ratings.annotators import labels_of
from factmark.people.ratings.entries import Measure
from factmark.people.ratings.results import CampaignResults
from factmark.people.ratings.systems import SystemScore, scaled
from factmark.people.report.rating_tables import system_name
from factmark.tables.bar_chart import Bar, Segment
from factmark.tables.interval_chart import Line
from factmark.tables.shown_text import interval, number

STEPS = 6  # colours from the least label to the greatest
_DIGIT = 0.025  # the share of a narrow bar that a digit takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """One measure: a line per system, and the numbers below its axis."""

    measure: Measure
    lines: tuple[Line, ...]
    ticks: tuple[str, ...]


def dots(results: CampaignResults) -> tuple[Dots, ...]:
    """Every measure over all systems; nothing where nothing is rated."""
    if not any(one.final.value is not None for one in results.scores):
        return ()
    return tuple(
        Dots(
            measure=measure,
            lines=tuple(
                _line(one, at)
                for at, one in enumerate(s for s in results.scores if s.measure == measure)
            ),
            ticks=("0", f"{measure.top / 2:g}", f"{measure.top:g}"),
        )
        for measure in results.measures
    )


def tones(results: CampaignResults) -> dict[str, str]:
    """Label -> the class of its colour, from the least to the greatest."""
    labels = labels_of(form_named(results.form))
    last = max(1, len(labels) - 1)
    return {label: f"step-{round(at * (STEPS - 1) / last)}" for at, label in enumerate(labels)}


def bars(results: CampaignResults) -> tuple[Bar, ...]:
    """How often each label was given, a bar per system; none where people mark a text."""
    tone = tones(results)
    counts: dict[str, dict[str, int]] = {}
    for one in results.shares:
        counts.setdefault(one.system, {})[one.label] = one.count
    return tuple(_bar(system_name(name), found, tone) for name, found in counts.items())


def _line(one: SystemScore, at: int) -> Line:
    part = scaled(one.final, 1 / one.measure.top)
    bounds = interval(one.final)
    return Line(
        label=system_name(one.system),
        series=at,
        value=number(one.final.value),
        interval=bounds,
        at=_percent(part.value),
        low=_percent(part.low) if bounds else "",
        high=_percent(part.high) if bounds else "",
    )


def _percent(value: float | None) -> str:
    return "" if value is None else f"{min(max(value, 0.0), 1.0) * 100:.1f}%"


def _bar(name: str, counts: dict[str, int], tone: dict[str, str]) -> Bar:
    total, before, segments = sum(counts.values()), 0, []
    for label, step in tone.items():
        if n := counts.get(label, 0):
            room = n / total >= _DIGIT * (len(str(n)) + 1)
            segments.append(
                Segment(
                    verdict=label, tone=step, count=n,
                    start=f"{100 * before / total:.2f}%",
                    width=f"{100 * n / total:.2f}%",
                    middle=f"{100 * (before + n / 2) / total:.2f}%" if room else "",
                )
            )  # fmt: skip
            before += n
    return Bar(name=name, total=total, segments=tuple(segments))
