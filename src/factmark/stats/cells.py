"""Units by the judge's verdict: what people said of those that they labelled. Pure.

A cell holds the units of which the judge said the same. People's values are in [0, 1] here.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from factmark.evaluated.words import number_of, worth_of_word
from factmark.stats.given_columns import Values, cluster_numbers
from factmark.stats.intervals import Floats, beta_quantile
from factmark.stats.rounding import CLOSE

HARDLY_ANY = 1e-3
"""Of events: the lower bound of fewer is 0 in floating point."""

Worth = Mapping[str | None, float]
"""What each verdict is worth, in [0, 1]."""

PRIOR_CORRELATION = 0.3
PRIOR_CLUSTERS = 20

CellInterval = Callable[[float, float, float], tuple[float, float]]
"""Successes, n and level to (low, high)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictCell:
    """The units of one verdict.

    Attributes:
        label: the verdict; None for units without one.
        total: all units of the verdict.
        labelled: those of them that people labelled.
        sum, squares: of people's values in [0, 1], and of their squares.
    """

    label: str | None
    total: int
    labelled: int
    sum: float
    squares: float

    @property
    def mean(self) -> float:
        """The mean of people's values; 0.5, the middle of the range, if nobody labelled a unit."""
        if self.labelled:
            return self.sum / self.labelled
        return 0.5

    @property
    def smoothed(self) -> float:
        """The mean with half a 0 and half a 1 added, so that it is never 0 or 1."""
        return (self.sum + 0.5) / (self.labelled + 1)

    @property
    def variance(self) -> float:
        """The variance of people's values, with half a 0 and half a 1 added; never 0."""
        return max((self.squares + 0.5) / (self.labelled + 1) - self.smoothed**2, 1e-12)

    @property
    def worth(self) -> float:
        """How many yes/no labels tell as much as one label; 1 where all values are 0 or 1."""
        return self.smoothed * (1 - self.smoothed) / self.variance


def tabulate(
    verdicts: Sequence[str | None], values: Mapping[int, float]
) -> tuple[VerdictCell, ...]:
    """Returns a cell for each verdict, the largest first, from all verdicts and the people's values
    by place.
    """
    labels: defaultdict[str | None, list[float]] = defaultdict(list)
    for place, value in values.items():
        labels[verdicts[place]].append(value)
    totals = Counter(verdicts)
    return tuple(
        VerdictCell(
            label=verdict,
            total=totals[verdict],
            labelled=len(labels[verdict]),
            sum=math.fsum(labels[verdict]),
            squares=math.fsum(value * value for value in labels[verdict]),
        )
        for verdict in sorted(totals, key=lambda v: (-totals[v], v is not None, str(v)))
    )


def verdicts_in_strata(
    verdicts: Sequence[str | None], strata: Sequence[str | None], labelled: Collection[int]
) -> list[str | None]:
    """Returns the verdicts, told apart by stratum where people labelled units of both, for labels
    of which more were drawn in some strata.

    Units of a verdict and stratum without a label stay with the rest of their verdict. Where labels
    were drawn by verdict alone, or at random, this is as right as the verdicts themselves.

    Args:
        labelled: places of the units that people labelled.
    """
    pairs = list(zip(verdicts, strata, strict=True))
    known = {pairs[place] for place in labelled}
    return [
        verdict
        if stratum is None or (verdict, stratum) not in known
        else f"{verdict or 'no verdict'}, {stratum}"
        for verdict, stratum in pairs
    ]


def worth_of(
    cells: Sequence[VerdictCell], given: Mapping[str, float] | None = None
) -> tuple[Worth, tuple[str, ...]]:
    """The value of each verdict: that of `given` if it names the verdict, else by the usual words.

    Those are supported, yes, true and the like (1), maybe (0.5), their opposites and no verdict
    (0), and numbers from 0 to 1. A verdict of another name is worth 1 where people called at least
    half of its units true, else 0; these names are the second part of what is returned.
    """
    named = {cell.label: value_by_name(cell.label, given or {}) for cell in cells}
    worth = {}
    for cell in cells:
        for value in [named[cell.label]]:
            worth[cell.label] = float(cell.mean >= 0.5 - CLOSE) if value is None else value
    return worth, tuple(str(label) for label, value in named.items() if value is None)


def value_by_name(label: str | None, given: Mapping[str, float]) -> float | None:
    """Returns the value in [0, 1] that a verdict's name means; None if the name says nothing."""
    if label is None:
        return 0.0
    if label in given:
        return float(given[label])
    worth = worth_of_word(label)
    number = number_of(label)
    if worth is None and number is not None and 0 <= number <= 1:
        return number
    return worth


@lru_cache(maxsize=65_536)
def cell_interval(successes: float, n: float, level: float) -> tuple[float, float]:
    """Returns an interval for the share of true units in a cell, between Jeffreys' and Clopper and
    Pearson's.

    Both take their bounds from beta distributions, the upper one from Beta(x + g, n - x + 1 - g)
    with g = 1/2 (Jeffreys) or g = 1 (exact). Jeffreys' falls short of its level where a bound rests
    on few events, so g = 1/2 + 1/2 / (1 + events) with the failures as events of the upper bound
    and the successes of the lower one. `n` may be an effective number; without labels it is [0, 1].
    """
    tail = (1 - level) / 2
    failures = max(0.0, n - successes)
    return _lower(successes, failures, tail), 1 - _lower(failures, successes, tail)


def _lower(events: float, others: float, tail: float) -> float:
    """Returns the lower bound of a share of `events` in `events + others`, exceeded with 1 -
    `tail`; 0 where there is hardly an event.
    """
    if events < HARDLY_ANY:
        return 0.0
    part = 0.5 / (1 + events)
    return beta_quantile(tail, events * (1 + part), others + 0.5 + part)  # events + 1 - g, exactly


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the units: its weight among them, its share of true ones, seen in `n` labels.

    `shrink` is what is left of its distances where much of it is labelled.
    """

    weight: float
    share: float
    n: float = 0.0
    shrink: float = 1.0


def weighted_share(parts: Sequence[Part]) -> float:
    """Returns the sum of the weighted shares, kept within [0, 1] in spite of rounding."""
    return min(1.0, math.fsum(part.weight * part.share for part in parts))


def variance_between(parts: Sequence[Part]) -> float:
    """Returns the variance of the parts' shares, weighted by their units."""
    value = weighted_share(parts)
    return math.fsum(part.weight * (part.share - value) ** 2 for part in parts)


def mover_bounds(
    parts: Sequence[Part],
    sampled: float,
    *,
    level: float,
    z: float,
    interval: CellInterval = cell_interval,
) -> tuple[float, float]:
    """Returns the bounds of a weighted sum of shares (Zou and Donner 2008, eq. 5), within [0, 1].

    A part without labels can be anything. That is no error that others cancel, so its distances
    are added to the root, not under it.

    Args:
        sampled: the variance that comes from the weights, counted z² times.
    """
    low_end = high_end = weighted_share(parts)
    below = above = z * z * sampled
    for part in parts:
        if not part.n:
            low_end -= part.weight * part.share
            high_end += part.weight * (1 - part.share)
            continue
        low, high = interval(part.share * part.n, part.n, level)
        weight = part.weight * part.shrink
        below += (weight * max(0.0, part.share - low)) ** 2
        above += (weight * max(0.0, high - part.share)) ** 2
    return max(0.0, low_end - math.sqrt(below)), min(1.0, high_end + math.sqrt(above))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterEffects:
    """How much wider clusters make an interval.

    Attributes:
        design_effect: of people's labels within the cells: how many times the variance is that of
            independent units; at least 1.
        weights_effect: the same of the cells' shares among all units.
        clusters: those with a label.
        df: degrees of freedom of the variance; None without clusters.
    """

    design_effect: float = 1.0
    weights_effect: float = 1.0
    clusters: int = 0
    df: int | None = None


def cluster_effects(
    cells: Sequence[VerdictCell],
    verdicts: Sequence[str | None],
    values: Mapping[int, float],
    clusters: Values,
) -> ClusterEffects:
    """How much clusters widen the interval, through the labels and through the cells' weights.

    A labelled unit of cell k counts w_k / n_k (y - p_k), any unit (p_k - value) / N.
    """
    units = len(verdicts)
    codes = cluster_numbers(clusters)
    cell_of = {cell.label: cell for cell in cells}
    mean = sum(cell.total * cell.mean for cell in cells) / max(1, units)
    labels = []
    for place, value in values.items():
        for cell in [cell_of[verdicts[place]]]:
            labels.append(cell.total / units / cell.labelled * (value - cell.mean))
    away = {label: cell.mean - mean for label, cell in cell_of.items()}
    weights = np.fromiter(map(away.__getitem__, verdicts), np.float64, units)
    labelled = codes[[*values]]
    n_clusters = len(np.unique(labelled))
    return ClusterEffects(
        design_effect=design_effect(np.array(labels), labelled),
        weights_effect=design_effect(weights, codes),
        clusters=n_clusters,
        df=max(1, n_clusters - 1 + PRIOR_CLUSTERS),
    )


def design_effect(parts: Floats, clusters: Values) -> float:
    """Returns how many times the variance of a sum is that of independent units; at least 1.

    The sums by cluster, squared, times m / (m - 1), over the sum of squares (Cochran 1977,
    "Sampling Techniques", 9A.1; Kish 1965, 8.2). Few clusters tell it badly, fewer still where
    nearly all units agree; so it is pulled towards 1 + (b - 1) 0.3, the design effect of an
    intra-cluster correlation of 0.3, with b the units of a unit's cluster. That prior weighs as
    much as twenty clusters, which is also what it adds to the degrees of freedom.

    Args:
        parts: what each unit adds to the linearised estimate; their sum is 0.
        clusters: of each unit.
    """
    if not len(parts):
        return 1.0
    codes = cluster_numbers(clusters)
    sums = np.bincount(codes, parts)  # one after another, as they stand: the same anywhere
    sizes = np.bincount(codes)
    return shrunk_design_effect(
        clusters=len(sums),
        mates=int((sizes * sizes).sum()) / len(parts),
        together=math.fsum((sums * sums).tolist()),
        alone=math.fsum((parts * parts).tolist()),
    )


def shrunk_design_effect(*, clusters: int, mates: float, together: float, alone: float) -> float:
    """Returns the design effect seen, shrunk towards the expected one; see `design_effect`.

    Args:
        mates: the units of a unit's cluster, on average over units.
        together, alone: the sums of squares by cluster and by unit.
    """
    expected = 1 + (mates - 1) * PRIOR_CORRELATION
    if clusters < 2 or alone <= 0:
        return expected
    seen = clusters / (clusters - 1) * together / alone
    return max(1.0, (clusters * seen + PRIOR_CLUSTERS * expected) / (clusters + PRIOR_CLUSTERS))
