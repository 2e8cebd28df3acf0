"""Means of slices corrected by one line in a judge's numbers; their intervals hold at once. Pure.

A line through all labels serves every slice; what it misses in a slice is added back from the
slice's own labels (a difference estimator: Särndal, Swensson and Wretman 1992, 6.3). Slices with
few labels are pooled in part: what their labels miss is drawn towards what all labels miss, the
more the fewer they are and the less slices differ (Fay and Herriot 1979, "Estimates of income for
small places"), and a few labels' worth of how far all labels lie off is added to their own. What
pooling may hide widens the interval.

Whoever reads K intervals reads the worst of them, so each is made with the level whose K-th power
is the level asked for: that of the largest of K independent errors (max-t), and no less than it for
errors that go together (Šidák 1967, "Rectangular confidence regions").
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from factmark.model import Estimate, Target, content_hash
from factmark.stats.given_columns import Values, plain_list, values_by_place
from factmark.stats.intervals import Floats
from factmark.stats.judge_line.line import (
    Line,
    Moments,
    fit,
    logit_interval,
    moments_of,
)
from factmark.stats.judge_line.sample import Codes, Drawing, JudgedSample, sample_of
from factmark.stats.rounding import CLOSE
from factmark.stats.scales import share_observed

_MANY = 25  # labels of a slice that need no others
_FEWEST = 2  # labels of a slice, and slices that are pooled
_PULL = 4.0  # labels' worth of pull towards what all labels miss, at most
_LENT = 3.0  # labels' worth of how far all labels lie off


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceEstimate:
    """A slice's corrected mean.

    Attributes:
        name: of the slice.
        estimate: with an interval that holds together with those of the other slices.
        own: how much of what its labels miss is its own; the rest is that of all labels.
    """

    name: str
    estimate: Estimate
    own: float


@dataclass(frozen=True, slots=True, kw_only=True)
class _Missed:
    """A slice: what its labels miss of the line.

    Attributes:
        line: of the slice alone.
        moments: of its corrected mean.
        variance: of what its labels miss, by how far all labels lie off.
        missed: their mean distance from the line.
    """

    line: Line
    moments: Moments
    variance: float
    missed: float


class _Pooled(NamedTuple):
    """A slice: how much of what it misses is its own, its value, and the value's moments."""

    own: float
    value: float
    moments: Moments


def corrected_slices(
    judge: Values,
    people: Mapping[int, float] | Values,
    slices: Values,
    *,
    drawing: Drawing | None = None,
    level: float = 0.95,
    target: Target = "process",
    part: float = 1.0,
) -> tuple[SliceEstimate, ...]:
    """The mean of the values in [0, 1] that people would give the units of each slice.

    Args:
        judge: the judge's number for each unit.
        slices: the slice of each.
        drawing: how the labelled units were drawn; its strata do not count here, since each slice
            weighs its own labels.

    Returns:
        The slices by size; one with fewer than two labels has no value.

    Raises:
        ValueError: as `corrected_by_line`.
    """
    how = drawing or Drawing()
    values = plain_list(judge)
    given = dict(values_by_place(people, len(values)))
    column = np.array([str(name) for name in plain_list(slices)])
    names, codes, sizes = np.unique(column, return_inverse=True, return_counts=True)
    sample = sample_of([values], given, replace(how, strata=None))
    line = fit(sample)
    observed = share_observed(target, part)
    labelled = np.bincount(codes[sample.at], minlength=len(names)).tolist()
    order = np.argsort(-sizes, kind="stable").tolist()
    enough = [place for place in order if labelled[place] >= _FEWEST]
    parts = [_of_slice(line, sample, codes == place, observed) for place in enough]
    pooled = dict(zip(enough, _pooled(parts), strict=True))
    sure = level ** (1 / max(1, len(enough)))
    data = content_hash(repr([values, sorted(given.items()), column.tolist()]))
    estimates = []
    for place in order:
        none = Estimate(
            value=None,
            low=None,
            high=None,
            level=level,
            method="none: fewer than two labels by people",
            n_items=labelled[place],
            n_units=int(sizes[place]),
            n_labels=labelled[place],
            data=data,
            target=target,
        )
        estimates.append(_estimate_of(str(names[place]), none, pooled.get(place), sure))
    return tuple(estimates)


def _estimate_of(name: str, none: Estimate, pooled: _Pooled | None, sure: float) -> SliceEstimate:
    """Returns a slice's estimate, its interval made with the level `sure`.

    Args:
        none: what is known of a slice without a value.
    """
    if pooled is None:
        return SliceEstimate(name=name, estimate=none, own=0.0)
    value = min(1.0, max(0.0, pooled.value))
    low, high = logit_interval(value, pooled.moments, none.n_items, sure)
    estimate = replace(
        none,
        value=value,
        low=low,
        high=high,
        method=f"line in the judge's values, {none.n_labels} labels by people of "
        f"{none.n_units} units, with the other slices",
    )
    return SliceEstimate(name=name, estimate=estimate, own=pooled.own)


def _of_slice(line: Line, sample: JudgedSample, inside: Codes, observed: float) -> _Missed:
    """Returns a slice's line, and what its labels miss."""
    chosen = inside[sample.at]
    weights = sample.weights[chosen] / sample.weights[chosen].sum()
    units = line.of_units[inside]
    places = np.cumsum(inside) - 1
    middle = units - units.mean()
    plain = line.y[chosen] - line.of_units[sample.at][chosen]
    own = Line(
        of_units=units,
        away=middle / len(units),
        at=places[sample.at[chosen]],
        y=line.y[chosen],
        parts=weights,
        residuals=line.residuals[chosen],
        drawn=np.minimum(1.0, 1 / (len(units) * weights)),
        columns=0,
    )
    clusters = None
    if sample.clusters is not None:
        clusters = sample.clusters[inside]
    missed = float(weights @ plain)
    spread = float(sample.weights @ line.residuals**2)
    return _Missed(
        line=own,
        moments=moments_of(own, clusters, observed),
        variance=spread * float(weights @ weights),
        missed=missed,
    )


def _pooled(parts: Sequence[_Missed]) -> list[_Pooled]:
    """Returns the slices, those with few labels pooled in part."""
    if not parts:
        return []
    missed = np.array([part.missed for part in parts])
    variances = np.array([part.variance for part in parts])
    between, middle = _between(missed, variances)
    pooled = []
    for part, off in zip(parts, (missed - middle).tolist(), strict=True):
        n = len(part.line.y)
        middle_of_slice = float(part.line.of_units.mean())
        if n >= _MANY or len(parts) <= _FEWEST:
            pooled.append(_Pooled(1.0, middle_of_slice + part.missed, part.moments))
            continue
        own = max(between / max(CLOSE, between + part.variance), n / (n + _PULL))
        seen = (n * part.moments.variance + _LENT * part.variance) / (n + _LENT)
        of_units = float(part.line.away @ part.line.away)
        hidden = (1 - own) ** 2 * max(between, off**2)
        moments = Moments(
            variance=own**2 * seen + (1 - own**2) * of_units + hidden,
            third=own**3 * part.moments.third,
            df=part.moments.df + _LENT,
        )
        pooled.append(_Pooled(own, middle_of_slice + part.missed - (1 - own) * off, moments))
    return pooled


def _between(missed: Floats, variances: Floats) -> tuple[float, float]:
    """Returns how far slices differ in what they miss (the variance, DerSimonian and Laird 1986,
    and its standard error on top), and their mean."""
    weights = 1 / np.maximum(variances, CLOSE)
    middle = float(weights @ missed / weights.sum())
    degrees = len(missed) - 1
    if degrees < 1:
        return 1.0, middle
    q = float(weights @ (missed - middle) ** 2)
    scale = float(weights.sum() - (weights @ weights) / weights.sum())
    return max(0.0, q - degrees + math.sqrt(2 * degrees)) / scale, middle
