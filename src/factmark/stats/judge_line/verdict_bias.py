"""Whether a judge of yes and no errs by a factor: tested where people say yes, where they say no,
and over both. Pure.

Such a judge often favours, say, long answers only of those that people call false, where it can
err upwards, and there are few of these; over all units the bias is faint then. So the verdicts
are compared with the factor among units of which people say the same, which also keeps apart what
goes by the factor because people's values do. Each sum of (factor - its mean)(verdict - its mean)
has the variance that permuting the verdicts gives it (Mantel 1963, "Chi-square tests with one
degree of freedom"; Landis, Heyman and Koch 1978, "Average partial association"), or with clusters
that of their sums. A judge that favours turns some of its noes into yes, or some of its yeses into
no, or errs by as much on any scale of odds: the efficient weights of the two sums are 1 over the
share of yes, 1 over the share of no, and 1. The statistic is the rarest of the three, and its p
comes from their joint normal distribution.

What nobody labelled tells, too: of each verdict it tells how the factor lies over all units, so
that by how much the labelled ones lie elsewhere by chance is taken off the sums, as far as the
verdict tells of it (a control variate, as in Angelopoulos and others 2023, "Prediction-powered
inference"). So a bias shows that labels alone do not tell. It holds where labels were drawn at
random, or at random within each verdict; where the labelled units lie further off than by chance,
and where units share clusters, the labels stand alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from factmark.stats.intervals import Floats, beta_cdf
from factmark.stats.judge_line.sample import Codes
from factmark.stats.rounding import CLOSE

_DIRECTIONS = 720  # of the integral
_LEAST = 1e-300
_NOT_BY_CHANCE = 0.005  # the p of how far off the labelled units of a verdict lie


class VerdictBias(NamedTuple):
    """The p of no bias, and people's value among whose units it shows most; None: over both."""

    p: float
    among: float | None


class JudgedUnits(NamedTuple):
    """All units that a judge judged.

    Attributes:
        judge, factor: of each, as of the labelled ones.
        labelled: their places, in the order of the labels.
    """

    judge: Floats
    factor: Floats
    labelled: Codes


def verdict_bias(
    judge: Floats,
    people: Floats,
    factor: Floats,
    clusters: Codes,
    units: JudgedUnits | None = None,
) -> VerdictBias | None:
    """Returns the test of whether verdicts go by a factor where people say the same; None where
    judge or people gave another number of values than two.

    Args:
        judge, people: their values of the labelled units.
        factor: columns for each unit: the rank of its length, or one for each level but one.
        clusters: a code for each unit's cluster, from 0.
        units: all that were judged, of which the labelled ones are a random part within each
            verdict; None where that is not known.
    """
    values = np.unique(people)
    if len(values) != 2 or len(np.unique(judge)) != 2:
        return None
    groups = [people == value for value in values]
    sums = None
    if units is not None and int(clusters.max()) + 1 == len(judge):
        sums = _by_all_units(judge, groups, clusters, units)
    if sums is None:
        sums = _sums(judge, groups, factor, clusters)
    df = max(1, int(clusters.max()) - 1)
    weights = _weights(judge, groups)
    least = min(_p_along(each, sums, df) for each in weights)
    return VerdictBias(p=_p_of_least(least, sums[1], weights), among=_most_among(values, sums, df))


def _weights(judge: Floats, groups: Sequence[NDArray[np.bool_]]) -> Floats:
    """Returns the weights of the groups' sums: where noes become yes, where yeses become no, and
    where the odds change alike."""
    yes = judge == judge.max()
    shares = np.array([(yes[inside].sum() + 0.5) / (inside.sum() + 1) for inside in groups])
    return np.array([1 / shares, 1 / (1 - shares), np.ones(len(groups))])


def _p_along(weights: Floats, sums: tuple[Floats, Floats], df: int) -> float:
    """Returns the p of the groups' sums with these weights."""
    total, covariance = sums
    contrast = np.kron(weights[:, None], np.eye(len(total) // len(weights)))
    return p_of_all_zero(contrast.T @ total, contrast.T @ covariance @ contrast, df)


def _most_among(values: Floats, sums: tuple[Floats, Floats], df: int) -> float | None:
    """Returns people's value of the group that shows most; None where both together do."""
    first, second, both = (
        _p_along(np.array(weights), sums, df) for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
    )
    if both < min(first, second) * (1 - CLOSE):
        return None
    return float(values[int(second < first * (1 - CLOSE))])


def _sums(
    judge: Floats, groups: Sequence[NDArray[np.bool_]], factor: Floats, clusters: Codes
) -> tuple[Floats, Floats]:
    """Returns for each group of units the sums over them, column by column, and their covariance
    if verdicts do not go by the factor."""
    k = factor.shape[1]
    parts = np.zeros((len(judge), len(groups) * k))
    covariance = np.zeros((len(groups) * k, len(groups) * k))
    for place, inside in enumerate(groups):
        columns = slice(place * k, (place + 1) * k)
        away = factor[inside] - factor[inside].mean(axis=0)
        errors = judge[inside] - judge[inside].mean()
        parts[inside, columns] = away * errors[:, None]
        spread = float(errors @ errors) / max(1, len(errors) - 1)
        covariance[columns, columns] = spread * away.T @ away
    n = int(clusters.max()) + 1
    if n < len(judge):
        by_cluster = np.zeros((n, len(groups) * k))
        np.add.at(by_cluster, clusters, parts)
        covariance = n / max(1, n - 1) * by_cluster.T @ by_cluster
    return parts.sum(axis=0), covariance


def _errors(judge: Floats, groups: Sequence[NDArray[np.bool_]]) -> Floats:
    """Returns for each unit a column for each group: how far its verdict lies from the group's
    mean; 0 for units of another group."""
    errors = np.zeros((len(judge), len(groups)))
    for place, inside in enumerate(groups):
        errors[inside, place] = judge[inside] - judge[inside].mean()
    return errors


def _by_all_units(
    judge: Floats, groups: Sequence[NDArray[np.bool_]], clusters: Codes, units: JudgedUnits
) -> tuple[Floats, Floats] | None:
    """Returns the sums less what chance alone put into them, by how the factor lies over all units
    of each verdict, and their covariance; None where that is no chance."""
    factor = units.factor[units.labelled]
    total, alone = _sums(judge, groups, factor, clusters)
    errors = _errors(judge, groups)
    covariance = alone.copy()
    tells = []
    for verdict in np.unique(judge):
        inside = judge == verdict
        everywhere = units.factor[units.judge == verdict]
        off = (factor[inside] - everywhere.mean(axis=0)).sum(axis=0)
        spread = np.cov(everywhere.T, bias=True).reshape(len(off), len(off))
        spread = spread * inside.sum() * (1 - inside.sum() / len(everywhere))
        if p_of_all_zero(off, spread, len(everywhere)) < _NOT_BY_CHANCE:
            return None
        tells.append(errors[inside].mean(axis=0))
        total = total - np.kron(tells[-1], off)
        covariance += np.kron(np.outer(tells[-1], tells[-1]), spread)
    step = np.outer(np.ones(len(groups)), tells[1] - tells[0])
    shared = alone @ np.kron(step, np.eye(factor.shape[1]))
    covariance -= (1 - len(judge) / len(units.judge)) * (shared + shared.T)
    estimated = len(tells) * len(groups)  # of what a verdict tells
    covariance *= len(judge) / (len(judge) - estimated)
    variances, axes = np.linalg.eigh(covariance)
    return total, (axes * np.clip(variances, 0, None)) @ axes.T


def p_of_all_zero(values: Floats, covariance: Floats, df: int) -> float:
    """Returns the p of estimates of which all are 0: Wald's statistic over their number as F; 1
    where none varies.

    Args:
        covariance: with so many degrees of freedom, for which F is Hotelling's.
    """
    k = int(np.linalg.matrix_rank(covariance, tol=CLOSE))
    if not k:
        return 1.0
    statistic = float(values @ np.linalg.pinv(covariance, rcond=CLOSE) @ values)
    rest = max(1.0, df - k + 1.0)
    f = max(0.0, statistic) * rest / df / k
    return beta_cdf(rest / (rest + k * f), rest / 2, k / 2)


def _p_of_least(least: float, covariance: Floats, weights: Floats) -> float:
    """Returns how likely the least p of the weighted sums is as small where there is no bias: as if
    of normal values that go together as the sums do, on average over the factor's columns.

    In each direction of the plane the values pass the bound at some radius, and a normal point lies
    beyond that with the probability exp(-radius² / 2).
    """
    n = weights.shape[1]
    k = len(covariance) // n
    together = covariance.reshape(n, k, n, k).trace(axis1=1, axis2=3)
    variances, axes = np.linalg.eigh(together)
    along = weights @ (axes * np.sqrt(np.clip(variances, 0, None)))
    lengths = np.sqrt((along**2).sum(axis=1))
    if lengths.min() <= CLOSE:
        return least
    largest = -NormalDist().inv_cdf(max(_LEAST, least / 2))
    angles = (np.arange(_DIRECTIONS) + 0.5) * math.pi / _DIRECTIONS
    directions = np.stack([np.cos(angles), np.sin(angles)])
    farthest = np.abs(along @ directions / lengths[:, None]).max(axis=0)
    outside = np.exp(-((largest / np.maximum(farthest, _LEAST)) ** 2) / 2)
    return min(1.0, len(weights) * least, max(least, float(outside.mean())))
