"""What the tables and charts of a judged graph and of judged claims share: a line for each score,
its columns, its bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from factmark.ask.budget import Spend
from factmark.graphs.core.scores import WITHOUT_LABEL, GraphScore
from factmark.report.charts import NO_VERDICT, BarChart, stacked_bar, tone
from factmark.report.columns import Column
from factmark.report.layouts import extremes_text
from factmark.report.page import Figure
from factmark.text.shown_text import count

BARS = 40  # parts that a chart shows
OVERALL = "overall"


class ScoreLine(NamedTuple):
    """A score, over what: a part (`overall`, `relation`) and its name."""

    part: str
    name: str
    score: GraphScore


def score_columns(
    score: GraphScore, units: str, beside: Iterable[Column[ScoreLine]] = ()
) -> Iterator[Column[ScoreLine]]:
    """Yields the columns of a table of scores; which there are depends on what is missing.

    Args:
        score: the one over all.
        units: what is counted in `n`, as a sentence ends: "claims that have a verdict".
        beside: columns that follow the score.
    """
    yield Column(name="over", key="part", value=lambda line: line.part, label=True)
    yield Column(name="of", key="name", value=lambda line: line.name, label=True)
    facts = score.measure == "factscore"
    yield Column(
        name="score",
        key="score",
        value=lambda line: line.score.estimate,
        estimate=True,
        meaning="Score: supported / n." if facts else "Score: (yes + maybe / 2) / n.",
    )
    yield from beside
    yield Column(
        name="n", key="n", value=lambda line: line.score.n_labelled, meaning=f"n: {units}."
    )
    for label in score.by_label:
        yield _count_column(label, label.lower().replace("_", " "))
    kinds = [kind for kind in WITHOUT_LABEL if score.missing[kind]]
    for kind in WITHOUT_LABEL:
        name = meaning = ""
        if kind in kinds:
            name = kind
        if [kind] == kinds[:1]:
            meaning = f"{', '.join(kinds).capitalize()}: without a verdict."
        yield _count_column(kind, name, meaning)
    if not kinds:
        yield Column(name="missing", value=lambda line: line.score.n_missing)
    else:
        yield Column(
            name="range",
            meaning="Range: where the score lies, whatever the missing would have said.",
            value=lambda line: extremes_text(line.score.estimate) or None,
        )


def _count_column(key: str, name: str, meaning: str = "") -> Column[ScoreLine]:
    """Returns a column of how many units have a label, or none for a reason; for machines alone if
    it has no name."""
    return Column(
        key=key.lower(),
        name=name,
        meaning=meaning,
        value=lambda line: {**line.score.by_label, **line.score.missing}[key],
    )


def score_chart(
    score: GraphScore,
    parts: Mapping[str, GraphScore],
    *,
    caption: str,
    whole: str,
    more: tuple[str, str],
    bars: int = BARS,
) -> BarChart:
    """Returns the chart of verdicts by part, those with the most units first, over all judged
    units.

    Args:
        whole: what the bar over all is called.
        more: the end of the sentence on one part that has no bar, and on several.
    """
    tones = {verdict: tone(verdict) for verdict in verdicts_of(score)}
    counts = {name: _verdict_counts(part) for name, part in parts.items()}
    ordered = sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
    return BarChart(
        caption=caption,
        label="Verdicts",
        tones=tones,
        total=stacked_bar(whole, _verdict_counts(score), tones),
        bars=tuple(stacked_bar(name, part, tones) for name, part in ordered[:bars]),
        note=f"{count(len(ordered) - bars, *more)}." if len(ordered) > bars else "",
    )


def verdicts_of(score: GraphScore) -> tuple[str, ...]:
    """Returns the measure's labels in order, then `no verdict` if any unit has none."""
    if score.n_missing:
        return (*score.by_label, NO_VERDICT)
    return tuple(score.by_label)


def _verdict_counts(score: GraphScore) -> Counter[str]:
    """Returns how many units have each label, and how many none."""
    return Counter({**score.by_label, NO_VERDICT: score.n_missing})


def count_figures(score: GraphScore) -> Iterator[Figure]:
    """Yields how many units have no verdict, with the reasons, as a large number of a page."""
    why = ", ".join(f"{n} {reason}" for reason, n in score.missing.items())
    yield Figure(name="Without a verdict", value=str(score.n_missing), note=why)


def stopped_words(spent: Spend, left: int, singular: str, many: str) -> str:
    """Returns why judging is not complete, in sentences; empty if it is.

    Args:
        left: units that stay to be judged.
        singular, many: what they are called, with their verb.
    """
    sentences = []
    if spent.stopped:
        sentences.append(f"Asking stopped before the end: {spent.stopped.rstrip('.')}.")
    if left:
        waiting = count(left, f"{singular} to be judged and is", f"{many} to be judged and are")
        sentences.append(f"{waiting} in no score.")
    return " ".join(sentences)
