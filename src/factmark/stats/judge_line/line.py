"""A ridge line through people's labels, and the moments of the mean that it corrects. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from factmark.stats.intervals import Floats, normal_quantile, t_quantile
from factmark.stats.judge_line.sample import Codes, JudgedSample
from factmark.stats.rounding import CLOSE

_RIDGE = 2.0  # labels' worth of pull towards no slope
SKEW_LABELS = 4.0  # labels' worth of pull towards no skewness
_MOST_SHIFT = 0.75  # of the interval, in standard errors; beyond, the expansion is none
_MOST_LEVERAGE = 0.9
_FEWEST_DF = 3
_NOTHING = 1e-300
_STEP = 0.25  # of the range of people's values: the least distance that a label may lie off


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line through the labels.

    Attributes:
        of_units: the line at each unit.
        away: how far each unit moves the value away from what its side is on the line.
        at: places of the labelled units.
        y: what people said of them.
        parts: a_i, by which the value is the sum of a_i y_i.
        residuals: HC2.
        drawn: each label's probability of being drawn.
        columns: besides the constants.
        least: that the value can be: 0, or -1 of a difference.
    """

    of_units: Floats
    away: Floats
    at: Codes
    y: Floats
    parts: Floats
    residuals: Floats
    drawn: Floats
    columns: int
    least: float = 0.0

    @property
    def value(self) -> float:
        """The corrected mean, or the difference of two."""
        return min(1.0, max(self.least, float(self.parts @ self.y)))

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
    df: float


def fit(sample: JudgedSample) -> Line:
    """Returns the weighted ridge line through the labels."""
    x = sample.design
    y = sample.y
    sides = sample.sides
    shares = sample.shares
    columns = x.shape[1] - sample.n_sides
    labelled = x[sample.at]
    labels = np.bincount(sides[sample.at])[sides[sample.at]]
    weighted = labelled * (labels * sample.weights)[:, None]
    ridge = np.diag([0.0] * sample.n_sides + [_RIDGE] * columns)
    hat = np.linalg.solve(weighted.T @ labelled + ridge, weighted.T)
    slopes = hat @ y
    leverage = np.clip(np.einsum("ij,ji->i", labelled, hat), 0, _MOST_LEVERAGE)
    of_units = x @ slopes
    middle = np.bincount(sides, sample.counts * of_units) / np.bincount(sides, sample.counts)
    stands_for = sample.signs[sample.at] * sample.weights
    return Line(
        of_units=of_units,
        away=shares * (of_units - middle[sides]),
        at=sample.at,
        y=y,
        parts=shares @ x @ hat + stands_for - stands_for @ labelled @ hat,
        residuals=(y - labelled @ slopes) / np.sqrt(1 - leverage),
        drawn=np.minimum(1.0, np.abs(shares)[sample.at] / sample.weights),
        columns=columns,
        least=1.0 - sample.n_sides,
    )


def variance_alone(sample: JudgedSample) -> float:
    """Returns the variance of the mean of as many labels, each drawn by itself, without a judge."""
    n = len(sample.y)
    away = sample.y - sample.weights @ sample.y
    return (float(sample.weights @ away**2) + step_of(sample.y) ** 2 / 4 / n) / n


def sums_by(groups: Codes, values: Floats) -> Floats:
    """Returns the sum of the values of each group, by its number."""
    return np.asarray(np.bincount(groups, values), dtype=np.float64)


def moments_of(line: Line, clusters: Codes | None, observed: float) -> Moments:
    """Returns the moments of the value, the half labels at both ends included.

    Of just these units what was drawn of them is known: a label's part of the variance shrinks by
    its probability of being drawn, that of the line over the units by the share observed.
    """
    n = len(line.y)
    left = np.sqrt(np.maximum(0.0, 1 - observed * line.drawn))
    errors = line.parts * line.residuals * left
    away = line.away
    df = n - line.columns
    label = line.parts * left
    if clusters is not None:
        sizes = np.bincount(clusters[line.at])
        groups = int(np.count_nonzero(sizes))
        few = math.sqrt(groups / max(1, groups - 1))
        sums = np.bincount(clusters[line.at], errors)[sizes > 0]
        errors = np.asarray(few * sums, dtype=np.float64)
        away = sums_by(clusters, away)
        # half a cluster at either end
        df = groups
        label = label * math.sqrt(n / groups)
    ends = Ends(
        label=label,
        residuals=line.residuals,
        height=line.of_units[line.at],
        step=step_of(line.y),
        value=line.value,
        least=0.0,
    )
    squares, cubes = at_the_ends(ends)
    return Moments(
        variance=float(errors @ errors) + squares + (1 - observed) * float(away @ away),
        # Half a label as far off weighs more in a cube than the one and a half that may come.
        third=float((errors**3).sum()) * n / (n + SKEW_LABELS) + 1.5 * line.unexplained * cubes,
        df=degrees_of_freedom(errors, squares, df),
    )


def degrees_of_freedom(errors: Floats, squares: float, most: int) -> float:
    """Returns Student's degrees of freedom of a sum of squares that few errors may make up.

    A sum of m squares of normal errors has 3 (sum of squares)² / (sum of fourth powers), about m,
    in the mean; where a judge is mostly right and rarely far off, it has fewer (Satterthwaite
    1946, "An approximate distribution of estimates of variance components").

    Args:
        squares: of the half labels at both ends, as if one error.
        most: by the number of labels.
    """
    second = float(errors @ errors) + squares
    fourth = float((errors**4).sum()) + squares**2
    if fourth <= 0:
        return max(_FEWEST_DF, most)
    return max(_FEWEST_DF, min(most, 3 * second**2 / fourth))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """What tells how far labels may lie off that were not seen.

    Attributes:
        label: how much each label moves the value.
        residuals: of each, in people's values.
        height: of each on the line.
        step: the least distance that a label may lie off.
        value, least: of the mean, and the least that it can be.
    """

    label: Floats
    residuals: Floats
    height: Floats
    step: float
    value: float
    least: float


def at_the_ends(ends: Ends) -> tuple[float, float]:
    """Returns what half a label at either end of the line adds to the second and third moment."""
    farthest = max(ends.step, float(np.abs(ends.residuals).max()))
    up = min(farthest, 1 - ends.value)
    down = min(farthest, ends.value - ends.least)
    squared = max(up**2 + down**2, ends.step**2) / 2
    cubed = (up**3 - down**3) / 2
    middle = float(np.median(ends.height))
    upper = ends.height > middle + CLOSE
    if not upper.any():  # half of the judge's ratings are the best
        upper = ends.height > middle - CLOSE
    second = third = 0.0
    lower = ~upper
    if upper.all():  # the line is flat
        lower = upper
    for end in (ends.label[lower], ends.label[upper]):
        # What was not seen is a share of the units, so a label counts by how many it stands for.
        size = float((np.abs(end) ** 3).sum()) / max(_NOTHING, float(np.abs(end).sum()))
        second += size * squared / 2
        third += size**1.5 * cubed / 2
    return second, third


def step_of(y: Floats) -> float:
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
