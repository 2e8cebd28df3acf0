"""How far a judge of claims can be trusted, from the labels that people gave the same claims. Pure.

Balanced accuracy is the mean, over what people said, of the share of it that the judge says too: of
a claim that is supported or not by the score's two sides, and over all three labels where people
gave all three. A judge that says the same of every claim has 0.50 and 0.33.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from factmark.graphs.core.scores import why_no_score
from factmark.label_values import SUPPORT_LABELS, SUPPORTED
from factmark.model import Estimate
from factmark.stats.corrections import Correction
from factmark.stats.intervals import (
    Floats,
    Interval,
    bootstrap_interval,
    combine_all,
    no_estimate,
    wilson,
)

Labelled = tuple[str, str, str | None]
"""A claim that people labelled: its cluster, their label, the judge's label or None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeBesidePeople:
    """A judge of claims beside people.

    Attributes:
        judge: whose verdicts: the judge's name, or that of a column `verdict:NAME`.
        foreign: whether another program's.
        score: the share of claims that it calls supported, of all that it gave a label.
        balanced_accuracy: over supported and not; None where people labelled nothing.
        over_labels: over three labels; None unless people gave all three.
        labels: people's label -> the judge's label, or `""` for none -> claims.
        correction: the score as people would have given it.
    """

    judge: str
    foreign: bool = False
    score: Estimate
    balanced_accuracy: Estimate | None
    over_labels: Estimate | None
    labels: Mapping[str, Mapping[str, int]]
    correction: Correction | None

    @property
    def corrected(self) -> Estimate | None:
        """The corrected score, where people labelled claims."""
        if self.correction:
            return self.correction.corrected
        return None


def label_counts(rows: Iterable[Labelled]) -> dict[str, dict[str, int]]:
    """Returns people's label -> the judge's label, or `""` where it has none -> claims."""
    counts = Counter((people, judge or "") for _, people, judge in rows)
    given = {people for people, _ in counts}
    return {
        people: {judge: counts[people, judge] for judge in (*SUPPORT_LABELS, "")}
        for people in SUPPORT_LABELS
        if people in given
    }


def over_two_sides(rows: Iterable[Labelled]) -> list[Labelled]:
    """Returns the rows with labels that tell no more than whether a claim is supported."""
    side = {}
    for label in SUPPORT_LABELS:
        side[label] = label if label == SUPPORTED else ""
    sides = []
    for c, people, judge in rows:
        sides.append((c, side[people], side[judge] if judge else None))
    return sides


def balanced_accuracy(rows: Sequence[Labelled], *, level: float, least: float = 0.0) -> Estimate:
    """Returns the mean, over the labels that people gave, of the share of them that the judge gave
    too, with an interval from resampling clusters.

    Claims without a verdict are missing: all wrong in the worst case, all right in the best.

    Args:
        least: the share of the claims that must have a verdict for there to be a value.
    """
    sides = sorted({people for _, people, _ in rows})
    tallies: defaultdict[str, Floats] = defaultdict(lambda: np.zeros(2 * len(sides)))
    totals = Counter(people for _, people, _ in rows)
    for cluster, people, judge in rows:
        if judge is not None:
            place = 2 * sides.index(people)
            tallies[cluster][place : place + 2] += (judge == people, 1)
    n = sum(judge is not None for _, _, judge in rows)
    empty = partial(no_estimate, level, n_missing=len(rows) - n, n_units=n, n_items=len(tallies))
    if len(sides) < 2:
        return empty("none: people gave all claims the same label")
    table = np.array([tallies[name] for name in sorted(tallies)]).reshape(-1, 2 * len(sides))
    sums = table.sum(axis=0)
    right = sums[0::2]
    judged = sums[1::2]
    every = np.array([totals[side] for side in sides], dtype=float)
    worst, best = (float(np.mean(hits / every)) for hits in (right, right + every - judged))
    few = why_no_score(n, len(rows), least)
    if few or not judged.all():
        return empty(f"none: {few or 'of a label nothing has a verdict'}", extremes=(worst, best))
    value = combine_all(table, _mean_of_shares)
    interval = bootstrap_interval(table, _mean_of_shares, level=level, bounds=(0.0, 1.0))
    if interval is None:
        low, high = wilson(value, len(table), level)
        interval = Interval(low=low, high=high, method="wilson (all clusters agree)")
    shown = empty(interval.method, extremes=(worst, best))
    return replace(shown, value=value, low=interval.low, high=interval.high, seed=0)


def _mean_of_shares(sums: Floats) -> Floats:
    """Returns the mean of the ratios of neighbouring columns; not a number where one has nothing
    below its line: a `Combine`."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((sums[:, 0::2] / sums[:, 1::2]).mean(axis=1), dtype=float)
