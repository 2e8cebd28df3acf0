"""Agreement between raters, each coefficient with an interval from resampling clusters.

Report alpha and AC1 side by side: when one label prevails alpha and kappa fall towards 0 however
often raters agree, since chance would agree as often, while AC1 stays high (Feinstein and Cicchetti
1990, "High agreement but low kappa"). Either alone misleads; the shares of the labels say which.

A unit with fewer than two ratings compares nothing; it is in `n_missing`. Fleiss' kappa and Gwet's
coefficients still take the shares of labels from it, as their author does.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from factmark.model import Estimate, content_hash
from factmark.stats import coefficients
from factmark.stats.coefficients import Coefficient, Metric, Weights, agreement_weights
from factmark.stats.quantiles import normal_quantile
from factmark.stats.ratings import Codes, Label, Ratings
from factmark.stats.resampling import (
    RESAMPLES,
    Floats,
    Interval,
    bootstrap_interval,
    combined,
    standard_error,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """All that says how far raters agree.

    Attributes:
        alpha: Krippendorff's, in the metric of the scale; to be read beside `ac1`.
        ac1: Gwet's AC1.
        ac2: Gwet's AC2, by ordinal weights on an ordinal scale, quadratic on an interval one.
        exact: the share of pairs of ratings that are the same.
        within_one: the share at most one step apart.
        fleiss: Fleiss' kappa.
        cohen, cohen_linear, cohen_quadratic: Cohen's kappa, of two raters.
        tau_b: Kendall's, of two raters.
        raters, labels: whose ratings, and the scale.
        confusion: shape (q, q). Of two raters: how many units the first (row) and the second
            (column) gave which labels. Of more: Krippendorff's coincidences, symmetric.
        shares: label -> its share of all ratings.
        n_units: units with two or more ratings.
        n_left_out: units with fewer.

    On a nominal scale, or with two labels, what weighs how far apart labels are is None; so is what
    is of two raters when there are more, or fewer.
    """

    alpha: Estimate
    ac1: Estimate
    ac2: Estimate | None
    exact: Estimate
    within_one: Estimate | None
    fleiss: Estimate
    cohen: Estimate | None
    cohen_linear: Estimate | None
    cohen_quadratic: Estimate | None
    tau_b: Estimate | None
    raters: tuple[str, ...]
    labels: tuple[Label, ...]
    confusion: tuple[tuple[float, ...], ...]
    shares: Mapping[Label, float]
    n_units: int
    n_left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Resampling:
    level: float
    resamples: int
    seed: int


def krippendorff_alpha(
    ratings: Ratings,
    metric: Metric = "nominal",
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Krippendorff's alpha, in [-1, 1]; see `coefficients.alpha`."""
    how = _Resampling(level=level, resamples=resamples, seed=seed)
    return _estimate(ratings, ratings.codes, coefficients.alpha(metric, ratings.worth), how)


def gwet_ac(
    ratings: Ratings,
    weights: Weights = "identity",
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Gwet's AC1, or with other than identity weights AC2; see `coefficients.gwet`."""
    how = _Resampling(level=level, resamples=resamples, seed=seed)
    matrix = agreement_weights(weights, ratings.worth)
    return _estimate(ratings, ratings.codes, coefficients.gwet(matrix), how)


def cohen_kappa(
    ratings: Ratings,
    weights: Weights = "identity",
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """Cohen's kappa of exactly two raters, in [-1, 1]; see `coefficients.cohen`.

    Raises:
        ValueError: when there are not two raters.
    """
    how = _Resampling(level=level, resamples=resamples, seed=seed)
    return _estimate(ratings, ratings.codes, coefficients.cohen(weights, ratings.worth), how)


def fleiss_kappa(
    ratings: Ratings, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Fleiss' kappa of any number of raters; see `coefficients.fleiss`."""
    how = _Resampling(level=level, resamples=resamples, seed=seed)
    return _estimate(ratings, ratings.codes, coefficients.fleiss(len(ratings.labels)), how)


def percent_agreement(
    ratings: Ratings,
    within: int = 0,
    *,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The share of pairs of ratings at most `within` steps apart: a unit's pairs, then the mean.

    In the worst case all pairs of the units that lack ratings would disagree, in the best agree.
    """
    how = _Resampling(level=level, resamples=resamples, seed=seed)
    return _estimate(ratings, ratings.codes, coefficients.percent(within, len(ratings.labels)), how)


def kendall_tau_b(
    ratings: Ratings, *, level: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Estimate:
    """Kendall's tau-b of exactly two raters, in [-1, 1]; see `coefficients.tau_b`.

    Raises:
        ValueError: when there are not two raters.
    """
    how = _Resampling(level=level, resamples=resamples, seed=seed)
    return _estimate(ratings, ratings.codes, coefficients.tau_b(len(ratings.labels)), how)


def measure_agreement(
    ratings: Ratings,
    *,
    scale: Metric = "nominal",
    level: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Agreement:
    """All coefficients that apply to the ratings on their scale."""
    how = _Resampling(level=level, resamples=resamples, seed=seed)
    q, worth, codes = len(ratings.labels), ratings.worth, ratings.codes
    raters = ratings.raters
    two, ordered = len(raters) == 2, scale != "nominal" and q > 2
    weighted = agreement_weights("ordinal" if scale == "ordinal" else "quadratic", worth)

    def estimate(coefficient: Coefficient) -> Estimate:
        return _estimate(ratings, codes, coefficient, how)

    ranked = two and scale != "nominal"
    given = coefficients.counts(codes, q).sum(axis=0)
    pairs = coefficients.table(codes, q) if two else coefficients.coincidences(codes, q)
    paired = int(((codes >= 0).sum(axis=1) >= 2).sum())
    return Agreement(
        alpha=estimate(coefficients.alpha(scale, worth)),
        ac1=estimate(coefficients.gwet(np.eye(q))),
        ac2=estimate(coefficients.gwet(weighted)) if ordered else None,
        exact=estimate(coefficients.percent(0, q)),
        within_one=estimate(coefficients.percent(1, q)) if ordered else None,
        fleiss=estimate(coefficients.fleiss(q)),
        cohen=estimate(coefficients.cohen("identity", worth)) if two else None,
        cohen_linear=estimate(coefficients.cohen("linear", worth)) if two and ordered else None,
        cohen_quadratic=(
            estimate(coefficients.cohen("quadratic", worth)) if two and ordered else None
        ),
        tau_b=estimate(coefficients.tau_b(q)) if ranked else None,
        raters=raters,
        labels=ratings.labels,
        confusion=tuple(tuple(map(float, row)) for row in pairs.sum(axis=0).reshape(q, q)),
        shares={
            label: float(share)
            for label, share in zip(ratings.labels, given / max(given.sum(), 1), strict=True)
        },
        n_units=paired,
        n_left_out=len(codes) - paired,
    )


def _estimate(
    ratings: Ratings, codes: Codes, coefficient: Coefficient, how: _Resampling
) -> Estimate:
    """A coefficient with its interval; without one where it is undefined, and why in `method`.

    `n_items` are the clusters whose units contribute, `n_units` the units with two ratings or more,
    `n_missing` all others.
    """
    if coefficient.two and codes.shape[1] > 2:
        raise ValueError(
            f"{coefficient.name} is of two raters and there are {codes.shape[1]}: choose two by "
            "Ratings.only, or pair two groups by Ratings.crossed"
        )
    rated = (codes >= 0).sum(axis=1)
    paired = int((rated >= 2).sum())
    missing = len(codes) - paired
    if not paired:
        return Estimate(
            value=None, low=None, high=None, level=how.level, n_items=0, n_units=0,
            n_missing=missing, method="none (no unit has two ratings)",
        )  # fmt: skip
    units = coefficient.tally(codes)
    used = np.flatnonzero(units.any(axis=1)).tolist()
    names = [ratings.clusters[unit] for unit in used]
    tallies = _summed(units[used], names)
    value = combined(tallies, coefficient.value)
    data = content_hash(coefficient.name, ratings.worth, tallies.astype("<f8").tobytes().hex())
    if not math.isfinite(value):
        return Estimate(
            value=None, low=None, high=None, level=how.level, n_items=len(tallies), n_units=paired,
            n_missing=missing, data=data, method=f"none (undefined: {coefficient.undefined})",
        )  # fmt: skip
    design_effect = _design_effect(tallies, units[used], coefficient)
    clusters = float(np.count_nonzero(tallies[:, coefficient.mass].sum(axis=1) > 0))
    effective = max(clusters, paired / max(1.0, design_effect) if design_effect else 0.0)
    interval = _interval(tallies, coefficient, codes, how, value=value, effective=effective)
    worst, best = _extremes(coefficient, value, paired, missing)
    return Estimate(
        value=value,
        low=interval.low,
        high=interval.high,
        level=how.level,
        method=interval.method,
        n_items=len(tallies),
        n_units=paired,
        n_missing=missing,
        worst=worst,
        best=best,
        design_effect=design_effect,
        seed=how.seed if "resamples" in interval.method else None,
        data=data,
    )


def _summed(units: Floats, names: Sequence[str]) -> Floats:
    """The rows of each cluster's units together, clusters sorted by name, shape (m, d)."""
    places = {name: place for place, name in enumerate(sorted(set(names)))}
    cluster = np.array([places[name] for name in names])
    columns = [np.bincount(cluster, weights=column) for column in units.T]
    return np.column_stack(columns)


def _interval(
    tallies: Floats,
    coefficient: Coefficient,
    codes: Codes,
    how: _Resampling,
    *,
    value: float,
    effective: float,
) -> Interval:
    """The bootstrap's interval, widened to what few more units could make of the value.

    Resampling knows only what was seen: when two units of fifty tell of the rarer label, its
    interval is far too narrow (a nominal 95 % held the truth in half of simulated samples); when
    raters never differ, it has no width. The Wilson interval of a share that was never seen in n
    ends where z² more would all have shown it. So here: the interval holds every value that the
    coefficient would have if z² more effective units had all got the same two labels. With more
    than a few units of each sort that lies within the bootstrap's anyway. What it gains and costs
    is measured in benchmarks/coverage/agreement.py.

    Args:
        effective: how many independent units those with two ratings are worth; where that is not
            known, in how many clusters they are.
    """
    found = bootstrap_interval(
        tallies, coefficient.value, level=how.level, resamples=how.resamples, seed=how.seed,
        bounds=coefficient.bounds,
    )  # fmt: skip
    share = normal_quantile((1 + how.level) / 2) ** 2 / effective
    inner = found or Interval(low=value, high=value, method="resampling cannot tell")
    low, high = inner.low, inner.high
    for pairs in _sorts(codes, coefficient):
        imagined = _imagined(tallies, coefficient, pairs, share)
        low, high = min([low, *imagined]), max([high, *imagined])
        if high - low > 1e-9:
            break
    low, high = max(coefficient.bounds[0], low), min(coefficient.bounds[1], high)
    wider = low < inner.low or high > inner.high
    method = f"{inner.method}, widened by z² more units" if wider else inner.method
    return Interval(low=low, high=high, method=method)


def _sorts(codes: Codes, coefficient: Coefficient) -> Iterator[Codes]:
    """Which two labels units could get, shape (pairs, 2): likely ones first, at last any.

    First the pairs that some unit got, and two of the same for each label that some rater gave
    (where order alone counts those are no likelier than others); then any two of the labels that
    were given; then any two on the scale.
    """
    q = coefficient.labels
    unit = coefficients.table if coefficient.two else coefficients.coincidences
    seen = unit(codes, q).sum(axis=0).reshape(q, q) > 0
    given = np.unique(codes[codes >= 0])
    if not coefficient.ranks:
        seen[given, given] = True
    yield np.argwhere(seen)
    yield np.array([(one, other) for one in given for other in given])
    yield np.argwhere(np.ones((q, q)))


def _imagined(tallies: Floats, coefficient: Coefficient, pairs: Codes, share: float) -> list[float]:
    """The values if the units were more by a share, all of one pair of labels: one value a pair."""
    rows = coefficient.tally(pairs)
    more = share * tallies[:, coefficient.mass].sum()
    rows *= (more / rows[:, coefficient.mass].sum(axis=1))[:, None]
    values = coefficient.value(tallies.sum(axis=0) + rows)
    return [float(value) for value in values if math.isfinite(value)]


def _extremes(
    coefficient: Coefficient, value: float, paired: int, missing: int
) -> tuple[float | None, float | None]:
    """The worst and the best case of a share; other coefficients have none that is simple."""
    if not coefficient.share:
        return None, None
    total = paired + missing
    return value * paired / total, (value * paired + missing) / total


def _design_effect(tallies: Floats, units: Floats, coefficient: Coefficient) -> float | None:
    """The variance over clusters relative to that over units, by the jackknife."""
    if len(tallies) == len(units):
        return 1.0
    ours = standard_error(tallies, coefficient.value)
    independent = standard_error(units, coefficient.value)
    return (ours / independent) ** 2 if ours > 0 and independent > 0 else None
