"""A ridge line through people's labels, and the moments of the mean that it corrects. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from factmark.stats.intervals import Floats, normal_quantile, t_quantile
from factmark.stats.judge_line.sample import Codes, JudgedSample
from factmark.stats.rounding import CLOSE

_RIDGE = 2.0  # labels' worth of pull towards no slope
_SKEW_LABELS = 4.0  # labels' worth of pull towards no skewness
_MOST_SHIFT = 0.75  # of the interval, in standard errors; beyond, the expansion is none
_MOST_LEVERAGE = 0.9
_FEWEST_DF = 3
_STEP = 0.25  # of the range of people's values: the least distance that a label may lie off


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
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
    at: Codes
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
class Moments:
    """Of the value: its variance, its third central moment, and the degrees of freedom."""

    variance: float
    third: float
    df: int


def fit(sample: JudgedSample) -> Line:
    """Returns the weighted ridge line through the labels."""
    x = sample.design
    y = sample.y
    weights = sample.weights
    columns = x.shape[1] - 1
    labelled = x[sample.at]
    weighted = labelled * (len(y) * weights)[:, None]
    ridge = np.diag([0.0] + [_RIDGE] * columns)
    hat = np.linalg.solve(weighted.T @ labelled + ridge, weighted.T)
    slopes = hat @ y
    leverage = np.clip(np.einsum("ij,ji->i", labelled, hat), 0, _MOST_LEVERAGE)
    return Line(
        of_units=x @ slopes,
        at=sample.at,
        y=y,
        parts=x.mean(axis=0) @ hat + weights - weights @ labelled @ hat,
        residuals=(y - labelled @ slopes) / np.sqrt(1 - leverage),
        drawn=np.minimum(1.0, 1 / (len(x) * weights)),
        columns=columns,
    )


def variance_alone(sample: JudgedSample) -> float:
    """Returns the variance of the mean of as many labels, each drawn by itself, without a judge."""
    n = len(sample.y)
    away = sample.y - sample.weights @ sample.y
    return (float(sample.weights @ away**2) + _step(sample.y) ** 2 / 4 / n) / n


def moments_of(line: Line, clusters: Codes | None, observed: float) -> Moments:
    """Returns the moments of the value, the half labels at both ends included.

    Of just these units what was drawn of them is known: a label's part of the variance shrinks by
    its probability of being drawn, that of the line over the units by the share observed.
    """
    n = len(line.y)
    units = len(line.of_units)
    left = np.sqrt(np.maximum(0.0, 1 - observed * line.drawn))
    errors = line.parts * line.residuals * left
    away = (line.of_units - line.of_units.mean()) / units
    df = n - line.columns
    label = line.parts * left
    if clusters is not None:
        sizes = np.bincount(clusters[line.at])
        groups = int(np.count_nonzero(sizes))
        few = math.sqrt(groups / max(1, groups - 1))
        sums = np.bincount(clusters[line.at], errors)[sizes > 0]
        errors = np.asarray(few * sums, dtype=np.float64)
        away = np.bincount(clusters, away)
        # half a cluster at either end
        df = groups
        label = label * math.sqrt(n / groups)
    squares, cubes = _at_the_ends(line, label)
    return Moments(
        variance=float(errors @ errors) + squares + (1 - observed) * float(away @ away),
        third=float((errors**3).sum()) * n / (n + _SKEW_LABELS) + cubes,
        df=max(_FEWEST_DF, df),
    )


def _at_the_ends(line: Line, label: Floats) -> tuple[float, float]:
    """Returns what half a label at either end of the line adds to the second and third moment.

    Args:
        label: how much each label moves the value.
    """
    step = _step(line.y)
    value = line.value
    farthest = max(step, float(np.abs(line.residuals).max()))
    up = min(farthest, 1 - value)
    down = min(farthest, value)
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


def logit_interval(value: float, moments: Moments, n: int, level: float) -> tuple[float, float]:
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
    logit = math.log(p / (1 - p))
    unit = error / (p * (1 - p))
    low, high = ((1 + math.tanh((logit + unit * (shift + side)) / 2)) / 2 for side in (-t, t))
    return min(low, value), max(high, value)
