"""What a judge and people gave, as numbers: a design, weights, codes of clusters. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.stats.given_columns import Values, cluster_numbers, plain_list
from factmark.stats.intervals import Floats

Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How the labelled units were drawn, where that was not each by itself and alike.

    Attributes:
        clusters: the item of each unit, None where a unit is its own; units of one item are not
            independent.
        weights: for each unit, 1 over its probability of being labelled, up to a factor.
        strata: the stratum of each unit; without weights, labels are taken to be drawn at random
            within each.
        counts: for each unit how much it counts in the mean, up to a factor; None: all alike.
    """

    clusters: Values | None = None
    weights: Values | None = None
    strata: Values | None = None
    counts: Values | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSample:
    """All units and the labels of some, as numbers.

    Attributes:
        design: a constant for each side, then the standardised columns, for each unit.
        at: places of the labelled units.
        y: what people said of them.
        weights: how much of all units of its side each label stands for; of a side they add up
            to 1.
        counts: how much each unit counts in its side, up to a factor.
        clusters: a number for each unit's cluster; None where each is its own.
        sides: of a difference 0 where a unit counts for it, 1 where against; else all 0.
    """

    design: Floats
    at: Codes
    y: Floats
    weights: Floats
    counts: Floats
    clusters: Codes | None
    sides: Codes

    @property
    def n_sides(self) -> int:
        """One, or the two of a difference."""
        return int(self.sides.max(initial=0)) + 1

    @property
    def signs(self) -> Floats:
        """1 for each unit that counts for the value, -1 where it counts against."""
        return np.asarray(1.0 - 2.0 * self.sides, dtype=np.float64)

    @property
    def shares(self) -> Floats:
        """How much each unit counts in the value: of a side they add up to 1 or -1."""
        total = np.bincount(self.sides, self.counts)
        return np.asarray(self.signs * self.counts / total[self.sides], dtype=np.float64)

    @property
    def groups(self) -> int:
        """How many labels, or clusters with a label, there are."""
        if self.clusters is None:
            return len(self.at)
        return len(np.unique(self.clusters[self.at]))


def sample_of(
    columns: Sequence[Sequence[Any] | Floats], given: Mapping[int, float], how: Drawing
) -> JudgedSample:
    """Returns what was given as numbers."""
    units = len(columns[0])
    at = np.array(sorted(given), dtype=np.int64)
    strata = None
    if how.strata is not None:
        strata = plain_list(how.strata)
    design = []
    for column in columns:
        design.extend(judge_columns(column))
    if strata is not None:
        design += dummies_of(strata)
    counts = np.ones(units)
    if how.counts is not None:
        counts = np.array(plain_list(how.counts), dtype=np.float64)
    weights = label_weights(how.weights, strata, at) * counts[at]
    return JudgedSample(
        design=np.column_stack([np.ones(units), *standardised(design)]),
        at=at,
        y=np.array([given[place] for place in at.tolist()]),
        weights=weights / weights.sum(),
        counts=counts,
        clusters=None if how.clusters is None else cluster_codes(how.clusters),
        sides=np.zeros(units, dtype=np.int64),
    )


def judge_columns(column: Sequence[Any] | Floats) -> list[Floats]:
    """Returns a judge's column as numbers: itself where it has numbers, else one for each word but
    the most frequent; what is missing is told apart by a column of its own."""
    if isinstance(column, np.ndarray):
        numbers, missing = column, np.isnan(column)
    else:
        missing = np.array([value is None or value != value for value in column])
        if not all(isinstance(value, int | float) for value in column if value is not None):
            return dummies_of(
                ["" if gone else f"={value}" for value, gone in zip(column, missing, strict=True)]
            )
        numbers = np.array([math.nan if value is None else float(value) for value in column])
    known = numbers[~missing]
    if not np.isfinite(known).all():
        raise ValueError("the judge gave a number that is not finite")
    # Largest first, so that squares of huge numbers do not overflow.
    largest = float(np.abs(known).max(initial=0.0)) or 1.0
    numbers = numbers / largest
    if missing.any():
        middle = 0.0
        if len(known):
            middle = float((known / largest).mean())
        return [missing.astype(np.float64), np.where(missing, middle, numbers)]
    return [numbers]


def dummies_of(words: Sequence[Any]) -> list[Floats]:
    """Returns a column for each word but the most frequent: 1 where it stands, else 0."""
    names, codes, counts = np.unique(
        np.array([str(word) for word in words]), return_inverse=True, return_counts=True
    )
    order = np.argsort(-counts, kind="stable")[1:]
    dummies = []
    for place in order.tolist():
        if len(names) > 1:
            dummies.append((codes == place).astype(np.float64))
    return dummies


def standardised(design: Sequence[Floats]) -> list[Floats]:
    """Returns the columns that vary, each with mean 0 and variance 1 over all units, so that the
    ridge pulls at them alike."""
    columns = []
    for column in design:
        spread = float(column.std())
        if float(np.ptp(column)) > 0 and spread > 0:
            columns.append((column - column.mean()) / spread)
    return columns


def label_weights(given: Values | None, strata: Sequence[Any] | None, at: Codes) -> Floats:
    """Returns how much of all units each label stands for; they add up to 1."""
    if given is not None:
        column = plain_list(given)
        labelled = [column[place] for place in at.tolist()]
        weights = np.array([0.0 if value is None else float(value) for value in labelled])
        if not (np.isfinite(weights).all() and (weights > 0).all()):
            raise ValueError("the weight of a labelled unit is not a number above 0")
    elif strata is not None:
        codes = np.unique(np.array([str(name) for name in strata]), return_inverse=True)[1]
        counts = np.bincount(codes[at], minlength=int(codes.max()) + 1)
        if not counts.all():
            empty = strata[int(np.flatnonzero(codes == int(np.argmin(counts)))[0])]
            raise ValueError(f"people labelled no unit of stratum {empty!r}")
        weights = (np.bincount(codes) / counts)[codes[at]]
    else:
        weights = np.ones(len(at))
    weights = weights / weights.max()
    share: Floats = weights / weights.sum()
    return share


def cluster_codes(clusters: Values) -> Codes:
    """Returns a number for each cluster; a unit without one is a cluster of its own."""
    if isinstance(clusters, np.ndarray) and clusters.dtype.kind == "i":
        return cluster_numbers(clusters)
    numbers: dict[Any, int] = {}
    codes = []
    for place, name in enumerate(plain_list(clusters)):
        alone = name is None or name != name
        codes.append(numbers.setdefault((place,) if alone else str(name), len(numbers)))
    return np.array(codes, dtype=np.int64)
