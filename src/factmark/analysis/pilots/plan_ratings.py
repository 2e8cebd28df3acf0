"""How many documents a study of ratings needs, by what people gave in an earlier one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import fmean, variance

from factmark.analysis.reading import RatedLedger, rated_ledger
from factmark.ledger.ledger import open_existing
from factmark.ledger.verdicts import judges_kept
from factmark.report.columns import Column, table_of
from factmark.report.layouts import DataTable
from factmark.stats.comparison import Units
from factmark.stats.intervals import normal_quantile
from factmark.text.shown_text import some

RATERS = (1, 2, 3, 5)
_Means = Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingNeed:
    """Documents for a half-width, where so many people rate each summary.

    Attributes:
        mean, difference: for the mean of one system, and for the difference of two on the same
            documents; None where the pilot does not tell.
    """

    score: str
    raters: int
    mean: int | None
    difference: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingPlan:
    """The ratings of a pilot, and what a study like it needs; at least one need."""

    rated: RatedLedger
    needs: tuple[RatingNeed, ...]


def rated_pilot(path: Path) -> RatedLedger | None:
    """The ratings of a ledger in which people alone said anything; None for any other."""
    with open_existing(path, read_only=True) as ledger:
        if any(judge.kind != "person" for judge in judges_kept(ledger)):
            return None
        return rated_ledger(ledger, decided=False)


def rating_needs(
    rated: RatedLedger, half_width: float, level: float = 0.95
) -> tuple[RatingNeed, ...]:
    """What each score needs for a half-width, in points of its scale.

    The variance of a document's mean is that of documents and, over the number of raters, that of
    people on one summary; the pilot tells both. n = z² s² / h², so a little fewer than Student's t
    would want of few documents.
    """
    z = normal_quantile((1 + level) / 2)
    needs = []
    for score in rated.scores:
        documents = (z * score.scale.span / half_width) ** 2  # for a variance of 1, of shares
        units = [scores[score.key] for scores in rated.systems.values()]
        means = [_means(some) for some in units]
        people = _spread_of_people(units)
        counts = [len(values) for some in units for values in _rated(some) if values]
        if not counts:
            continue
        singles = [variance(some.values()) for some in means if len(some) > 1]
        pairs = []
        for a, b in combinations(means, 2):
            if len(gaps := [a[name] - b[name] for name in a.keys() & b.keys()]) > 1:
                pairs.append(variance(gaps))
        # Where nobody rated what another did, what a second one would save is not known.
        for number in RATERS if max(counts) > 1 else RATERS[:1]:
            more = people * (1 / number - 1 / fmean(counts))
            sizes = [
                max(2, math.ceil(documents * max(0.0, fmean(some) + times * more)))
                if some
                else None
                for some, times in ((singles, 1), (pairs, 2))
            ]
            needs.append(
                RatingNeed(score=score.key, raters=number, mean=sizes[0], difference=sizes[1])
            )
    return tuple(needs)


def rating_needs_table(
    rated: RatedLedger, needs: Sequence[RatingNeed], half_width: float
) -> DataTable:
    """Documents for each score and number of raters."""
    scales = {score.scale: f"{score.scale.low:g} to {score.scale.high:g}" for score in rated.scores}
    columns: list[Column[RatingNeed]] = [
        Column(name="by", key="score", value=lambda row: row.score, label=True),
        Column(name="people per summary", key="raters", value=lambda row: row.raters),
        Column(name="documents, one system", key="mean", value=lambda row: row.mean),
        Column(name="ratings, one system", value=lambda row: row.mean and row.mean * row.raters),
        Column(name="documents, two compared", key="difference", value=lambda row: row.difference),
    ]
    shown = some(list(scales.values()))
    return table_of(
        f"Documents for an interval of ± {half_width:g} on a scale from {shown}",
        columns,
        needs,
        group=lambda row: row.score,
        notes=(
            f"± {half_width:g} is in points of the scale. One system: for its mean. Two compared: "
            "for their difference on the same documents. By the ratings of the ledger: how far "
            "documents differ, and how far people do on one summary.",
        ),
    )


def _rated(units: Units) -> list[list[float]]:
    """What each summary got."""
    return [
        [value for value in values if value is not None]
        for things in units.values()
        for values in things.values()
    ]


def _means(units: Units) -> _Means:
    """Document -> the mean of its summaries."""
    means = {}
    for cluster, things in units.items():
        rated = [fmean(some) for some in _rated({cluster: things}) if some]
        if rated:
            means[cluster] = fmean(rated)
    return means


def _spread_of_people(units: Sequence[Units]) -> float:
    """The mean variance of what people gave one summary; 0 where none has two ratings."""
    spreads = [variance(values) for some in units for values in _rated(some) if len(values) > 1]
    if spreads:
        return fmean(spreads)
    return 0.0
