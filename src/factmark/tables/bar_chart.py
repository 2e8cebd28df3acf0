"""The chart of a judged graph: how often each relation got each verdict, as stacked bars.

This is the chart as data; `templates/graph-chart.html` draws it. Positions are percentages of the
bar, so that the drawing is as wide as the reader's screen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from factmark.graphs.core.results import GraphResults, GraphRow
from factmark.graphs.core.scores import FactScore, Validity
from factmark.replies.triple_labels import (
    CONTRADICTED,
    MAYBE,
    NO,
    NOT_SUPPORTED,
    SUPPORT_LABELS,
    SUPPORTED,
    VALIDITY_LABELS,
    YES,
)

NO_VERDICT = "no verdict"
BARS = 40
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """All bars, the most frequent relation first; `rest` counts the relations left out."""

    verdicts: tuple[str, ...]
    overall: Bar
    bars: tuple[Bar, ...]
    rest: int


def verdicts_of(results: GraphResults) -> tuple[str, ...]:
    """The labels of the measure in order, then what stands for none if any row has none."""
    labels = SUPPORT_LABELS if results.measure == "factscore" else VALIDITY_LABELS
    return (*labels, NO_VERDICT) if _over_all(results).missing.total else labels


def verdict(row: GraphRow) -> str:
    """The row's label, or what stands for none."""
    return row.label or NO_VERDICT


def tone(verdict: str) -> str:
    """`good`, `bad`, `none` or, between them, `mid`: what colour and pattern go by."""
    return TONES.get(verdict, "mid")


def judged_units(results: GraphResults) -> int:
    """How many units have been judged, with a verdict or without: pairs, for validity triples."""
    return _counts(_over_all(results)).total()


def _over_all(results: GraphResults) -> FactScore | Validity:
    scores = results.scores
    return scores.pairs if isinstance(scores.pairs, FactScore) else scores.unique


def _counts(score: FactScore | Validity) -> Counter[str]:
    """How many units got each verdict, and how many none."""
    if isinstance(score, FactScore):
        counts = (score.correct_facts, score.contradicted, score.not_supported)
        verdicts = dict(zip((SUPPORTED, CONTRADICTED, NOT_SUPPORTED), counts, strict=True))
    else:
        counts = (score.yes_count, score.maybe_count, score.no_count)
        verdicts = dict(zip((YES, MAYBE, NO), counts, strict=True))
    return Counter({**verdicts, NO_VERDICT: score.missing.total})


def graph_chart(results: GraphResults, *, bars: int = BARS) -> Chart:
    """The chart over all judged units, also over those that the report does not show as cards."""
    verdicts = verdicts_of(results)
    relations = {name: _counts(score) for name, score in results.scores.by_relation.items()}
    ordered = sorted(relations.items(), key=lambda item: (-item[1].total(), item[0]))
    return Chart(
        verdicts=verdicts,
        overall=stacked("all relations", _counts(_over_all(results)), verdicts),
        bars=tuple(stacked(name, counts, verdicts) for name, counts in ordered[:bars]),
        rest=max(0, len(ordered) - bars),
    )


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
