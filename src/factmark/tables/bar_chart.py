"""The chart of a judged graph: how often each relation got each verdict, as stacked bars.

This is the chart as data; `templates/graph-chart.html` draws it. Positions are percentages of the
bar, so that the drawing is as wide as the reader's screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from factmark.replies.rubric import (
    CONTRADICTED,
    NO,
    SUPPORTED,
    YES,
)

NO_VERDICT = "no verdict"
TONES = {SUPPORTED: "good", YES: "good", CONTRADICTED: "bad", NO: "bad", NO_VERDICT: "none"}
_DIGIT = 0.025  # the share of a narrow bar that a digit takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
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
    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The bar in words."""
        return ", ".join(f"{part.count} {part.verdict}" for part in self.segments) or "nothing"


def tone(verdict: str) -> str:
    """`good`, `bad`, `none` or, between them, `mid`: what colour and pattern go by."""
    return TONES.get(verdict, "mid")


def stacked(
    name: str,
    counts: Counter[str],
    verdicts: Iterable[str],
    tone: Callable[[str], str] = tone,
) -> Bar:
    """The bar of these counts, in the order of the verdicts."""
    total, before, segments = counts.total(), 0, []
    for one in verdicts:
        if n := counts[one]:
            segments.append(
                Segment(
                    verdict=one,
                    tone=tone(one),
                    count=n,
                    start=f"{100 * before / total:.2f}%",
                    width=f"{100 * n / total:.2f}%",
                    middle=f"{100 * (before + n / 2) / total:.2f}%"
                    if n / total >= _room(n)
                    else "",
                )
            )
            before += n
    return Bar(name=name, total=total, segments=tuple(segments))


def _room(n: int) -> float:
    """The share of a bar from which on a number fits into it."""
    return _DIGIT * (len(str(n)) + 1)
