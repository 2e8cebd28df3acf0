"""The chart of graphs used for answering: what became of each system's answers, as stacked bars.

The pattern tells the verdict, the shade whether the context held the reference answer. As data;
`templates/graphrag-chart.html` draws it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from factmark.graphrag.core.outcomes import Outcome
from factmark.graphrag.core.results import GraphRagResults
from factmark.graphrag.core.scores import holds
from factmark.tables.bar_chart import Bar, stacked
from factmark.tables.shown_text import one_line

NO_VERDICT = "no verdict"
HELD = {True: "in context", False: "not in context", None: "untold"}
_KINDS = {"correct": "good", "abstained": "mid", "wrong": "bad"}
_SHADES = {True: "held", False: "without", None: "untold"}
TONES = {
    **{
        f"{verdict}, {HELD[held]}": f"{tone}-{shade}"
        for verdict, tone in _KINDS.items()
        for held, shade in _SHADES.items()
    },
    NO_VERDICT: "none",
}
"""What becomes of an answer, from the best on, and the tone that it is drawn in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChart:
    """A bar per system, and what occurs in any of them with its tone."""

    kinds: tuple[tuple[str, str], ...]
    bars: tuple[Bar, ...]


def answer_chart(results: GraphRagResults) -> AnswerChart:
    """The chart over all answers, also those that the report does not show as cards."""
    counts: dict[str, Counter[str]] = {system.name: Counter() for system in results.systems}
    for one in results.outcomes:
        counts[one.system][became(one)] += 1
    seen = sum(counts.values(), Counter())
    return AnswerChart(
        kinds=tuple((kind, tone) for kind, tone in TONES.items() if seen[kind]),
        bars=tuple(
            stacked(one_line(name), some, TONES, TONES.__getitem__) for name, some in counts.items()
        ),
    )


def became(outcome: Outcome) -> str:
    """What became of an answer: one of `TONES`."""
    if outcome.label is None:
        return NO_VERDICT
    said = "correct" if outcome.value else "abstained" if outcome.abstained else "wrong"
    return f"{said}, {HELD[holds(outcome)]}"
