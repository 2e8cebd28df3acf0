"""The difference of two systems' means, corrected by a line in what a judge gave. Pure.

Both systems were judged on the same items, and people labelled some of their units. A judge that
errs alike on both of an item errs little in their difference; one that favours a system errs in
all of it. The line is one for both systems, with a constant for each: in how far the judge's number
lies off the mean of its item, and in that mean (Mundlak 1978, "On the pooling of time series and
cross section data"). Where both units of an item are labelled, that is a regression of differences.

    value = A's corrected mean - B's corrected mean, both as in `corrected`

Items are what varies: what the labels of an item leave in both systems adds up before it is
squared, and half an item is added at either end, as `corrected` adds half a label.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from factmark.model import Estimate, content_hash
from factmark.stats.intervals import Floats
from factmark.stats.judge_line.line import (
    SKEW_LABELS,
    Ends,
    Line,
    Moments,
    at_the_ends,
    degrees_of_freedom,
    fit,
    logit_interval,
    step_of,
    sums_by,
)
from factmark.stats.judge_line.sample import (
    Codes,
    JudgedSample,
    cluster_codes,
    judge_columns,
    label_weights,
    standardised,
)

FEW_ITEMS = 20
_HELPS = 0.5  # of the variance of few items, which a judge explains that helps
_STEPS = 40  # of a bisection for p
_LEAST_P = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSide:
    """A system's units, by place. Each item counts alike, and so do the units of an item.

    Attributes:
        items: what is the same in both systems: a question, a document.
        judge: the judge's number of each, None where it gave none.
        people: what people said of it, from 0 to 1; None where nobody labelled.
        weights: for each unit 1 over its probability of being labelled, up to a factor; None where
            labels were drawn at random.
    """

    items: Sequence[str]
    judge: Sequence[float | None]
    people: Sequence[float | None]
    weights: Sequence[float] | None = None

    @property
    def labelled_items(self) -> int:
        """How many items have a label."""
        pairs = zip(self.items, self.people, strict=True)
        return len({item for item, label in pairs if label is not None})

    @property
    def counts(self) -> list[float]:
        """How much each unit counts."""
        units = Counter(self.items)
        return [1 / units[item] for item in self.items]


class DifferenceTest(NamedTuple):
    """A difference, and the p of there being none: the level at which the interval ends at 0."""

    estimate: Estimate
    p: float


def corrected_difference(a: JudgedSide, b: JudgedSide, *, level: float = 0.95) -> DifferenceTest:
    """The mean of the values in [0, 1] that people would give A's units, less that of B's.

    Returns:
        The estimate, between -1 and 1. Its items are those with a label; its `n_effective` is how
        many labels would tell as much without the judge.

    Raises:
        ValueError: a system without a label, or a value outside 0 to 1.
    """
    sample = _sample_of(a, b)
    by_judge = fit(sample)
    alone = fit(replace(sample, design=sample.design[:, :2]))
    items = np.unique(_items_of_labels(sample), return_inverse=True)[1]
    n_items = int(items.max()) + 1
    line = by_judge
    if n_items < FEW_ITEMS and _left(by_judge, items) > _HELPS * _left(alone, items):
        line = alone
    moments = _moments_of(line, items, sample)
    low, high = _interval(line.value, moments, n_items, level)
    estimate = Estimate(
        value=line.value,
        low=low,
        high=high,
        level=level,
        method=f"line in the judge's values, {len(line.y)} labels by people of "
        f"{len(sample.sides)} units",
        n_items=n_items,
        n_units=len(sample.sides),
        n_labels=len(line.y),
        design_effect=moments.variance / _moments_of(alone, items, sample).variance,
        data=content_hash(repr([a, b])),
    )
    return DifferenceTest(estimate, _p_of(line.value, moments, n_items))


def _sample_of(a: JudgedSide, b: JudgedSide) -> JudgedSample:
    """Returns both systems' units as numbers, A's first."""
    values = [*a.judge, *b.judge]
    people = [*a.people, *b.people]
    at = np.array(
        [place for place, label in enumerate(people) if label is not None], dtype=np.int64
    )
    y = np.array([label for label in people if label is not None], dtype=np.float64)
    sides = np.repeat([0, 1], [len(a.items), len(b.items)])
    if len(np.unique(sides[at])) < 2:
        raise ValueError("people labelled no unit of one of the systems")
    if not ((y >= 0) & (y <= 1)).all():
        raise ValueError("a label is not within 0 and 1")
    items = cluster_codes([*a.items, *b.items])
    sizes = np.bincount(items)
    columns = []
    for column in judge_columns(values):
        of_item = (np.bincount(items, column) / sizes)[items]
        columns += [column - of_item, of_item]
    counts = np.array([*a.counts, *b.counts])
    weights = counts[at]
    if a.weights is not None and b.weights is not None:
        weights = weights * label_weights([*a.weights, *b.weights], None, at)
    return JudgedSample(
        design=np.column_stack([1.0 - sides, 1.0 * sides, *standardised(columns)]),
        at=at,
        y=y,
        weights=weights / np.bincount(sides[at], weights)[sides[at]],
        counts=counts,
        clusters=items,
        sides=sides,
    )


def _items_of_labels(sample: JudgedSample) -> Codes:
    """Returns the item of each label."""
    if sample.clusters is None:
        return sample.at
    return sample.clusters[sample.at]


def _errors(line: Line, items: Codes) -> Floats:
    """Returns how far the labels of each item move the value by what the line leaves of them."""
    return sums_by(items, line.parts * line.residuals)


def _left(line: Line, items: Codes) -> float:
    """Returns the sum of the squares that a line leaves, item by item."""
    return float((_errors(line, items) ** 2).sum())


def _moments_of(line: Line, items: Codes, sample: JudgedSample) -> Moments:
    """Returns the moments of the difference, half an item at both ends included."""
    errors = _errors(line, items)
    upwards = sums_by(items, np.maximum(line.parts, 0))
    downwards = sums_by(items, np.maximum(-line.parts, 0))
    moved = np.maximum(upwards, downwards)
    ends = Ends(
        label=moved,
        residuals=errors / moved,
        height=sums_by(items, line.parts * line.of_units[line.at]) / moved,
        step=step_of(line.y),
        value=line.value,
        least=-1.0,
    )
    second, third = at_the_ends(ends)
    away = line.away
    if sample.clusters is not None:
        away = sums_by(sample.clusters, line.away)
    n = len(errors)
    return Moments(
        variance=float(errors @ errors) + second + float(away @ away),
        third=float((errors**3).sum()) * n / (n + SKEW_LABELS) + 1.5 * line.unexplained * third,
        df=degrees_of_freedom(errors, second, n - line.columns),
    )


def _interval(value: float, moments: Moments, n_items: int, level: float) -> tuple[float, float]:
    """Returns the interval of a difference, by that of (1 + value) / 2."""
    half = Moments(variance=moments.variance / 4, third=moments.third / 8, df=moments.df)
    low, high = logit_interval((1 + value) / 2, half, n_items, level)
    return 2 * low - 1, 2 * high - 1


def _p_of(value: float, moments: Moments, n_items: int) -> float:
    """Returns 1 less the greatest level whose interval does not hold 0."""
    apart = _LEAST_P
    together = 1.0
    for _ in range(_STEPS):
        middle = math.sqrt(apart * together)
        low, high = _interval(value, moments, n_items, 1 - middle)
        if low > 0 or high < 0:
            together = middle
        else:
            apart = middle
    return together
