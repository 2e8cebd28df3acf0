"""A mean of people's values corrected by a line in what a judge gave: ratings, scores. Pure.

A score is another number for nearly every unit, so that `corrections.mover`, which splits the
labelled units by verdict, would find one label in a part or none. A line in the judge's number
needs no parts, and need not be right: what it misses is added back from the labelled units.

    value = mean over all units of g + weighted mean over the labelled units of (y - g)

with y what people said and g a ridge line (the generalised regression estimator: Särndal, Swensson
and Wretman 1992, "Model Assisted Survey Sampling", 6.4). That is a sum of a_i y_i, so its variance
is that of the a_i r_i, where r are the residuals over sqrt(1 - leverage) (HC2: MacKinnon and White
1985), plus that of g over the units. Few labels may miss how far people's values can lie, so half
a label is added at either end of the line, half of it as far above as any was seen and half below.
The interval is Student's on the logit of the value, moved by the skewness of the sum (Johnson 1978;
Hall 1992, "On the removal of skewness by transformation").

Fewer than 20 labels tell a line badly: people alone count then, unless the judge explains half of
their variance.

Values are shares of a scale here, from 0 to 1; `scales.on_scale` puts the estimate on the scale.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate, Target, content_hash
from factmark.stats.corrections import corrected_mean
from factmark.stats.given_columns import Values, plain_list, values_by_place
from factmark.stats.intervals import Floats, normal_quantile, t_quantile
from factmark.stats.rounding import CLOSE
from factmark.stats.scales import of_observed, share_observed

_RIDGE = 2.0  # labels' worth of pull towards no slope
_SKEW_LABELS = 4.0  # labels' worth of pull towards no skewness
_MOST_SHIFT = 0.75  # of the interval, in standard errors; beyond, the expansion is none
_MOST_LEVERAGE = 0.9
_FEWEST_DF = 3
_STEP = 0.25  # of the range of people's values: the least distance that a label may lie off

_FEW_LABELS = 20
_HELPS = 0.5  # of the variance of few labels, which a judge explains that helps

_Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How the labelled units were drawn, where that was not each by itself and alike.

    Attributes:
        clusters: the item of each unit, None where a unit is its own; units of one item are not
            independent.
        weights: for each unit, 1 over its probability of being labelled, up to a factor.
        strata: the stratum of each unit; without weights, labels are taken to be drawn at random
            within each.
    """

    clusters: Values | None = None
    weights: Values | None = None
    strata: Values | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sample:
    """All units and the labels of some, as numbers.

    Attributes:
        design: a constant and the standardised columns, for each unit.
        at: places of the labelled units.
        y: what people said of them.
        weights: how much of all units each label stands for; they add up to 1.
        clusters: a number for each unit's cluster; None where each is its own.
    """

    design: Floats
    at: _Codes
    y: Floats
    weights: Floats
    clusters: _Codes | None

    @property
    def groups(self) -> int:
        """How many labels, or clusters with a label, there are."""
        if self.clusters is None:
            return len(self.at)
        return len(np.unique(self.clusters[self.at]))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line through the labels.

    Attributes:
        of_units: the line at each unit.
        at: places of the labelled units.
        y: what people said of them.
        parts: a_i, by which the value is the sum of a_i y_i.
        residuals: HC2.
        drawn: each label's probability of being drawn.
        columns: besides the constant.
    """

    of_units: Floats
    at: _Codes
    y: Floats
    parts: Floats
    residuals: Floats
    drawn: Floats
    columns: int

    @property
    def value(self) -> float:
        """The corrected mean."""
        return min(1.0, max(0.0, float(self.parts @ self.y)))

    @property
    def unexplained(self) -> float:
        """The share of the labels' variance that the line leaves."""
        away = self.y - self.y.mean()
        left = float(self.residuals @ self.residuals)
        return min(1.0, left / max(CLOSE, float(away @ away)))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moments:
    """Of the value: its variance, its third central moment, and the degrees of freedom."""

    variance: float
    third: float
    df: int


def corrected_by_line(
    judges: Sequence[Values],
    people: Mapping[int, float] | Values,
    *,
    level: float = 0.95,
    drawing: Drawing | None = None,
    target: Target = "process",
    part: float = 1.0,
) -> Estimate:
    """The mean of the values in [0, 1] that people would give all units, from a judge's numbers.

    Args:
        judges: a column of numbers or of words for each judge, all as long; None where it gave
            nothing, which counts as a word of its own. On any scale.
        people: place of a unit -> what people said; or a column, with None where nobody labelled.
        drawing: how the labelled units were drawn; None: at random among all.
        target, part: as in `corrections.corrected_mean`.

    Returns:
        The estimate; its `n_effective` is how many labels, drawn at random, would tell as much
        without the judge.

    Raises:
        ValueError: no label, a value outside 0 to 1, columns of unlike lengths, a number that is
            not finite, a weight that is not above 0, or a stratum without a label.
    """
    how = drawing or Drawing()
    columns = [plain_list(column) for column in judges]
    units = len(columns[0])
    given = {place: float(value) for place, value in values_by_place(people, units).items()}
    _check(columns, given, how, level)
    sample = _sample(columns, given, how)
    line = _fit(sample)
    observed = share_observed(target, part)
    alike = how.weights is None and how.strata is None
    if alike and sample.groups < _FEW_LABELS and 1 - line.unexplained < _HELPS:
        alone = corrected_mean(
            [None] * units,
            given,
            level=level,
            method="human-only",
            clusters=sample.clusters,
            target=target,
            part=part,
        )
        return replace(alone, design_effect=alone.design_effect or 1.0)
    moments = _moments(line, sample.clusters, observed)
    low, high = _interval(line.value, moments, len(line.y), level)
    estimate = Estimate(
        value=line.value,
        low=low,
        high=high,
        level=level,
        method=f"line in the judge's values, {len(line.y)} labels by people of {units} units",
        n_items=sample.groups,
        n_units=units,
        n_labels=len(line.y),
        design_effect=moments.variance / _variance_alone(sample),
        data=_hash(columns, given, how),
        target=target,
    )
    if observed * len(line.y) >= units:
        return of_observed(replace(estimate, design_effect=1.0), 1.0)
    return estimate


def _check(
    columns: Sequence[Sequence[Any]], given: Mapping[int, float], how: Drawing, level: float
) -> None:
    """Raises ValueError for what `corrected_by_line` does not take; says what."""
    units = len(columns[0])
    if not 0 < level < 1:
        raise ValueError(f"the level must be between 0 and 1: {level}")
    if not given:
        raise ValueError("people labelled none of the units")
    beside = {"clusters": how.clusters, "weights": how.weights, "strata": how.strata}
    lengths = {f"judge {place + 1}": len(column) for place, column in enumerate(columns)}
    lengths |= {name: len(column) for name, column in beside.items() if column is not None}
    for name, length in lengths.items():
        if length != units:
            raise ValueError(f"{units} units but {length} values of {name}")
    for place, value in given.items():
        if not 0 <= place < units:
            raise ValueError(f"a label for unit {place}, but there are {units} units")
        if not 0 <= value <= 1:
            raise ValueError(f"unit {place}: {value} is not within 0 and 1")


def _sample(columns: Sequence[Sequence[Any]], given: Mapping[int, float], how: Drawing) -> _Sample:
    """Returns what was given as numbers."""
    units = len(columns[0])
    at = np.array(sorted(given), dtype=np.int64)
    strata = None if how.strata is None else plain_list(how.strata)
    design = [numbers for column in columns for numbers in _numbers_of(column)]
    if strata is not None:
        design += _dummies(strata)
    return _Sample(
        design=_standardised(design, units),
        at=at,
        y=np.array([given[place] for place in at.tolist()]),
        weights=_weights(how.weights, strata, at),
        clusters=None if how.clusters is None else _cluster_codes(plain_list(how.clusters)),
    )


def _numbers_of(column: Sequence[Any]) -> list[Floats]:
    """Returns a judge's column as numbers: itself where it has numbers, else one for each word but
    the most frequent; what is missing is told apart by a column of its own."""
    missing = np.array([value is None or value != value for value in column])
    if not all(isinstance(value, int | float) for value in column if value is not None):
        return _dummies(
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
        middle = float((known / largest).mean()) if len(known) else 0.0
        return [missing.astype(np.float64), np.where(missing, middle, numbers)]
    return [numbers]


def _dummies(words: Sequence[Any]) -> list[Floats]:
    """Returns a column for each word but the most frequent: 1 where it stands, else 0."""
    names, codes, counts = np.unique(
        np.array([str(word) for word in words]), return_inverse=True, return_counts=True
    )
    order = np.argsort(-counts, kind="stable")[1:]
    return [(codes == place).astype(np.float64) for place in order.tolist() if len(names) > 1]


def _standardised(design: Sequence[Floats], units: int) -> Floats:
    """Returns a constant and the columns that vary, each with mean 0 and variance 1 over all
    units, so that the ridge pulls at them alike."""
    columns = [np.ones(units)]
    for column in design:
        spread = float(column.std())
        if float(np.ptp(column)) > 0 and spread > 0:
            columns.append((column - column.mean()) / spread)
    return np.column_stack(columns)


def _weights(given: Values | None, strata: Sequence[Any] | None, at: _Codes) -> Floats:
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


def _cluster_codes(clusters: Sequence[Any]) -> _Codes:
    """Returns a number for each cluster; a unit without one is a cluster of its own."""
    numbers: dict[Any, int] = {}
    codes = []
    for place, name in enumerate(clusters):
        alone = name is None or name != name
        codes.append(numbers.setdefault((place,) if alone else str(name), len(numbers)))
    return np.array(codes, dtype=np.int64)


def _fit(sample: _Sample) -> _Line:
    """Returns the weighted ridge line through the labels."""
    x, y, weights = sample.design, sample.y, sample.weights
    columns = x.shape[1] - 1
    labelled = x[sample.at]
    weighted = labelled * (len(y) * weights)[:, None]
    ridge = np.diag([0.0] + [_RIDGE] * columns)
    hat = np.linalg.solve(weighted.T @ labelled + ridge, weighted.T)
    slopes = hat @ y
    leverage = np.clip(np.einsum("ij,ji->i", labelled, hat), 0, _MOST_LEVERAGE)
    return _Line(
        of_units=x @ slopes,
        at=sample.at,
        y=y,
        parts=x.mean(axis=0) @ hat + weights - weights @ labelled @ hat,
        residuals=(y - labelled @ slopes) / np.sqrt(1 - leverage),
        drawn=np.minimum(1.0, 1 / (len(x) * weights)),
        columns=columns,
    )


def _variance_alone(sample: _Sample) -> float:
    """Returns the variance of the mean of as many labels, each drawn by itself, without a judge."""
    n, away = len(sample.y), sample.y - sample.weights @ sample.y
    return (float(sample.weights @ away**2) + _step(sample.y) ** 2 / 4 / n) / n


def _moments(line: _Line, clusters: _Codes | None, observed: float) -> _Moments:
    """Returns the moments of the value, the half labels at both ends included.

    Of just these units what was drawn of them is known: a label's part of the variance shrinks by
    its probability of being drawn, that of the line over the units by the share observed.
    """
    n, units = len(line.y), len(line.of_units)
    left = np.sqrt(np.maximum(0.0, 1 - observed * line.drawn))
    errors = line.parts * line.residuals * left
    away = (line.of_units - line.of_units.mean()) / units
    df, label = n - line.columns, line.parts * left
    if clusters is not None:
        sizes = np.bincount(clusters[line.at])
        groups = int(np.count_nonzero(sizes))
        few = math.sqrt(groups / max(1, groups - 1))
        errors = np.bincount(clusters[line.at], errors)[sizes > 0] * few
        away = np.bincount(clusters, away)
        df, label = groups, label * math.sqrt(n / groups)  # half a cluster at either end
    squares, cubes = _at_the_ends(line, label)
    return _Moments(
        variance=float(errors @ errors) + squares + (1 - observed) * float(away @ away),
        third=float((errors**3).sum()) * n / (n + _SKEW_LABELS) + cubes,
        df=max(_FEWEST_DF, df),
    )


def _at_the_ends(line: _Line, label: Floats) -> tuple[float, float]:
    """Returns what half a label at either end of the line adds to the second and third moment.

    Args:
        label: how much each label moves the value.
    """
    step, value = _step(line.y), line.value
    farthest = max(step, float(np.abs(line.residuals).max()))
    up, down = min(farthest, 1 - value), min(farthest, value)
    squared = max(up**2 + down**2, step**2) / 2
    cubed = (up**3 - down**3) / 2
    height = line.of_units[line.at]
    middle = float(np.median(height))
    upper = height > middle + CLOSE
    if not upper.any():  # half of the judge's ratings are the best
        upper = height > middle - CLOSE
    second = third = 0.0
    lower = ~upper
    if upper.all():  # the line is flat
        lower = upper
    for end in (label[lower], label[upper]):
        size = float(np.mean(end**2))
        second += size * squared / 2
        third += size**1.5 * cubed / 2
    # Half a label as far off weighs more in a cube than the one and a half that may come.
    return second, 1.5 * line.unexplained * third


def _step(y: Floats) -> float:
    """Returns how far off a label may lie that was not seen: the least distance of people's
    values, at least a quarter of their range; the whole scale where all are alike."""
    gaps = np.diff(np.sort(y))
    gaps = gaps[gaps > CLOSE]
    if not len(gaps):
        return 1.0
    return max(float(gaps.min()), _STEP * float(np.ptp(y)))


def _interval(value: float, moments: _Moments, n: int, level: float) -> tuple[float, float]:
    """Returns Student's interval on the logit, moved by the skewness.

    On the logit the sum is skew by 3 (2p - 1) se / (p (1 - p)) more to the first order; both
    together move the ends by a quadratic in z.
    """
    edge = 0.25 / (n + 1)
    p = min(max(value, edge), 1 - edge)
    z = normal_quantile((1 + level) / 2)
    t = t_quantile((1 + level) / 2, moments.df)
    error = math.sqrt(moments.variance)
    if error <= 0:
        return value, value
    skewness = moments.third / moments.variance**1.5
    bend = (1 - 2 * p) * error / (p * (1 - p))
    shift = skewness * (2 * z * z + 1) / 6 - bend * z * z / 2
    shift = max(-_MOST_SHIFT, min(_MOST_SHIFT, shift))
    logit, unit = math.log(p / (1 - p)), error / (p * (1 - p))
    low, high = ((1 + math.tanh((logit + unit * (shift + side)) / 2)) / 2 for side in (-t, t))
    return min(low, value), max(high, value)


def _hash(columns: Sequence[Sequence[Any]], given: Mapping[int, float], how: Drawing) -> str:
    """Returns a hash of all that the estimate depends on."""
    beside = [
        None if column is None else plain_list(column)
        for column in (how.clusters, how.weights, how.strata)
    ]
    return content_hash(repr([columns, sorted(given.items()), beside]))
