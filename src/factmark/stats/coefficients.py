"""Coefficients of agreement as functions of summed tallies.

Each is a `Coefficient`: what a unit contributes, and how the sums over units make the value. What
a unit contributes is a row of numbers, so the rows of a cluster add up, and value, jackknife and
bootstrap use one function (`intervals.Combine`). All but tau have the form 1 - D / E, observed
over expected disagreement.

Written for c ratings of a unit that fall on label k as c_k, r of them in all, q labels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from factmark.stats.intervals import Combine, Floats

Codes = NDArray[np.int64]
"""Places of labels from 0, -1 where there is none, shape (units, raters)."""

Metric = Literal["nominal", "ordinal", "interval"]
Weights = Literal["identity", "linear", "quadratic", "ordinal"]

MOST_CATEGORIES = 21  # numbers on an interval scale up to which each is a label as any other
_COLUMNS = 5  # of ICC, before those of each rater: pairs, distance, ratings, units, their size
_LEAST = 1e-9  # of a variance on a scale of width 1: below it all ratings are alike
_NOTHING = 1e-9  # below it a tally is the rounding error of a difference, not a rating


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """How a coefficient is made.

    Attributes:
        name: as the field calls it.
        labels: how many there are on the scale, q.
        tally: codes of units, shape (n, raters), to rows, shape (n, d); a row of zeros is a unit
            that contributes nothing.
        combine: sums of rows to values, NaN where undefined.
        mass: the columns that add up to the weight of a row among rows that compare ratings.
        bounds: the least and the greatest value that is possible.
        two: whether it is of exactly two raters.
        ranks: whether only order counts, so that two ratings of the same label are nothing special.
        share: whether it is a plain share of units, with extremes by how many are missing.
        undefined: why there is no value although units have two ratings.
    """

    name: str
    labels: int
    tally: Callable[[Codes], Floats]
    combine: Combine
    mass: slice
    bounds: tuple[float, float]
    two: bool = False
    ranks: bool = False
    share: bool = False
    undefined: str = "all ratings carry one label"


def agreement_weights(kind: Weights, values: tuple[float, ...]) -> Floats:
    """Returns how much each two labels agree, from 0 to 1, shape (q, q), 1 on the diagonal.

    Linear and quadratic go by the labels' values, ordinal by their places (Gwet 2014, "Handbook of
    Inter-Rater Reliability", 4th ed., section 3.5; Cohen 1968 for the quadratic).
    """
    worth = np.array(values)
    apart = np.abs(worth[:, None] - worth)
    if kind == "identity":
        return np.eye(len(worth))
    if kind == "ordinal":
        steps = np.abs(np.subtract.outer(np.arange(len(worth)), np.arange(len(worth))))
        apart = (steps * (steps + 1) / 2).astype(np.float64)
    elif kind == "quadratic":
        apart = apart**2
    scaled: Floats = 1 - apart / max(float(apart.max()), 1e-300)
    return scaled


def labels_within(steps: int, q: int) -> Floats:
    """1 where two labels are at most `steps` places apart on the scale, else 0, shape (q, q)."""
    places = np.arange(q)
    near: Floats = (np.abs(places[:, None] - places) <= steps).astype(np.float64)
    return near


def label_counts(codes: Codes, q: int) -> Floats:
    """Returns how many raters gave each unit each label, shape (n, q)."""
    counted = np.zeros((len(codes), q))
    rows = np.arange(len(codes))
    for column in codes.T:
        given = column >= 0
        counted[rows[given], column[given]] += 1
    return counted


def coincidences(codes: Codes, q: int) -> Floats:
    """Returns each unit's (c_k c_l - [k = l] c_k) / (r - 1), shape (n, q²); a row adds up to r.

    Krippendorff's coincidence matrix, unit by unit; zero where r < 2.
    """
    c = label_counts(codes, q)
    pairs = c[:, :, None] * c[:, None, :]
    pairs[:, np.arange(q), np.arange(q)] -= c
    pairs /= np.maximum(c.sum(axis=1) - 1, 1)[:, None, None]
    flat: Floats = pairs.reshape(len(c), q * q)
    return flat


def pair_counts(codes: Codes, q: int) -> Floats:
    """Returns each unit's pair of labels by two raters as a one in its cell, shape (n, q²); zeros
    where a rating is missing.
    """
    cells = np.zeros((len(codes), q * q))
    both = np.flatnonzero((codes >= 0).all(axis=1))
    cells[both, codes[both, 0] * q + codes[both, 1]] = 1
    return cells


def alpha(metric: Metric, values: tuple[float, ...]) -> Coefficient:
    """Krippendorff's alpha: 1 - D_o / D_e of the coincidences o_kl and their margins n_k.

    D_o = sum o_kl d_kl / n and D_e = sum n_k n_l d_kl / (n (n - 1)). d is [k != l] (nominal), the
    squared difference of values (interval), or that of the labels' mid-ranks, which depends on n_k
    (ordinal). A unit with one rating is left out. Never below -1: a unit's ratings differ at most
    twice as much as all do. Undefined when only one label (one value) was given.

    Source: Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability"; Krippendorff 2019,
    "Content Analysis", 4th ed., chapter 12.
    """
    q = len(values)
    worth = np.array(values, dtype=np.float64) - min(values)
    worth /= max(float(worth.max()), 1e-300)
    if metric == "interval" and q > MOST_CATEGORIES:
        return _alpha_by_moments(worth)

    def combine(sums: Floats) -> Floats:
        o = _without_rounding_error(sums).reshape(-1, q, q)
        margins = o.sum(axis=2)
        n = margins.sum(axis=1)
        if metric == "nominal":
            d: Floats = 1 - np.eye(q)
        else:
            ranks = np.cumsum(margins, axis=1) - margins / 2
            if metric == "ordinal":
                scale = ranks
            else:
                scale = np.broadcast_to(worth, margins.shape)
            d = (scale[:, :, None] - scale[:, None, :]) ** 2
        seen = (o * d).sum(axis=(1, 2)) * (n - 1)
        expected = (margins[:, :, None] * margins[:, None, :] * d).sum(axis=(1, 2))
        value: Floats = 1 - _ratio(seen, expected)
        return value

    return Coefficient(
        name=f"Krippendorff's alpha ({metric})",
        labels=q,
        tally=lambda codes: coincidences(codes, q),
        combine=combine,
        mass=slice(None),
        bounds=(-1.0, 1.0),
    )


def _alpha_by_moments(worth: Floats) -> Coefficient:
    """Alpha on an interval scale from four sums in place of q² coincidences: the same number, and
    as fast for a hundred labels as for two.
    """

    def tally(codes: Codes) -> Floats:
        x = np.where(codes >= 0, worth[codes], 0.0)
        r = (codes >= 0).sum(axis=1)
        sums = x.sum(axis=1)
        squares = (x**2).sum(axis=1)
        apart = 2 * (r * squares - sums**2) / np.maximum(r - 1, 1)
        tallies: Floats = np.column_stack([r, sums, squares, apart]) * (r >= 2)[:, None]
        return tallies

    def combine(sums: Floats) -> Floats:
        n, total, squares, apart = sums.T
        value: Floats = 1 - _ratio(apart * (n - 1), 2 * (n * squares - total**2))
        return value

    return Coefficient(
        name="Krippendorff's alpha (interval)",
        labels=len(worth),
        tally=tally,
        combine=combine,
        mass=slice(0, 1),
        bounds=(-1.0, 1.0),
    )


def gwet(weights: Floats) -> Coefficient:
    """Gwet's AC1 (identity weights) or AC2: chance is sum(w) / (q (q - 1)) sum pi_k (1 - pi_k).

    pi_k is the mean of c_k / r over all units that were rated at all, so one with a single rating
    tells of the margins, and only of them; observed agreement is over units with two or more.
    AC2 can fall below -1 where weights are generous; its bound is that of no agreement where chance
    is at its highest, pi_k = 1 / q. Defined also when one label prevails, or is the only one.

    Source: Gwet 2008, "Computing inter-rater reliability and its variance in the presence of high
    agreement"; Gwet 2014, "Handbook of Inter-Rater Reliability", 4th ed., section 5.3.
    """
    q = len(weights)
    scale = float(weights.sum()) / (q * (q - 1))
    most = min(scale * (q - 1) / q, 1 - 1e-12)

    def chance(margins: Floats) -> Floats:
        by_chance: Floats = scale * (margins * (1 - margins)).sum(axis=1)
        return by_chance

    name = "Gwet's AC2"
    if np.array_equal(weights, np.eye(q)):
        name = "Gwet's AC1"
    return _chance_corrected(name, weights, chance, low=-most / (1 - most))


def fleiss(q: int) -> Coefficient:
    """Fleiss' kappa: chance is sum pi_k². Units with different numbers of ratings as in `gwet`.

    It has no lower bound when units with a single rating set the margins; with r ratings each it is
    -1 / (r - 1). Undefined when only one label was given.

    Source: Fleiss 1971, "Measuring nominal scale agreement among many raters"; for missing ratings
    Gwet 2014, section 2.5.
    """
    return _chance_corrected(
        "Fleiss' kappa", np.eye(q), lambda margins: (margins**2).sum(axis=1), low=-math.inf
    )


def share_within(steps: int, q: int) -> Coefficient:
    """Returns the coefficient "share of pairs of ratings at most `steps` places apart", averaged
    over units.

    Raises:
        ValueError: when all labels are that close, so the share could not but be 1.
    """
    if not 0 <= steps < q - 1:
        raise ValueError(f"of {q} labels, any two are within {q - 1} steps: choose 0 to {q - 2}")
    name = "exact agreement"
    if steps != 0:
        name = f"agreement within {steps}"
    return _chance_corrected(name, labels_within(steps, q), None, low=0.0)


def _chance_corrected(
    name: str, weights: Floats, chance: Callable[[Floats], Floats] | None, *, low: float
) -> Coefficient:
    """Returns a coefficient of observed agreement over what the shares of labels give by chance;
    without `chance` the observed agreement itself.

    A row is: the share of agreeing pairs of the unit, weighted; whether it has pairs; and, where
    chance matters, c_k / r, which a unit with a single rating has too.
    """
    q = len(weights)

    def tally(codes: Codes) -> Floats:
        c = label_counts(codes, q)
        r = c.sum(axis=1)
        near = (c[:, :, None] * weights).sum(axis=1)  # not `@`, which each processor rounds anew
        agreeing = (c * (near - 1)).sum(axis=1) / np.maximum(r * (r - 1), 1)
        agreeing = np.where(r >= 2, agreeing, 0.0)
        if chance:
            margins = c / np.maximum(r, 1)[:, None]
        else:
            margins = c[:, :0]
        return np.column_stack([agreeing, r >= 2, margins])

    def combine(sums: Floats) -> Floats:
        sums = _without_rounding_error(sums)
        seen = np.minimum(_ratio(sums[:, 0], sums[:, 1]), 1)
        if chance is None:
            return seen
        expected = chance(sums[:, 2:] / np.maximum(sums[:, 2:].sum(axis=1), _NOTHING)[:, None])
        return 1 - _ratio(1 - seen, 1 - expected)

    return Coefficient(
        name=name,
        labels=q,
        tally=tally,
        combine=combine,
        mass=slice(1, 2),
        bounds=(low, 1.0),
        share=chance is None,
    )


def cohen(kind: Weights, values: tuple[float, ...]) -> Coefficient:
    """Cohen's kappa of two raters: chance is sum w_kl p_k. p_.l, of units that both rated.

    Never below -1 with the weights here. Undefined when both gave one and the same label
    throughout.

    Source: Cohen 1960, "A coefficient of agreement for nominal scales"; Cohen 1968, "Weighted
    kappa".
    """
    q = len(values)
    apart = 1 - agreement_weights(kind, values)

    def combine(sums: Floats) -> Floats:
        cells = _without_rounding_error(sums).reshape(-1, q, q)
        n = cells.sum(axis=(1, 2))
        rows = cells.sum(axis=2)
        columns = cells.sum(axis=1)
        expected = np.einsum("rk,kl,rl->r", rows, apart, columns)
        return 1 - _ratio((cells * apart).sum(axis=(1, 2)) * n, expected)

    name = "Cohen's kappa"
    if kind != "identity":
        name = f"Cohen's kappa ({kind} weights)"
    return Coefficient(
        name=name,
        labels=q,
        tally=lambda codes: pair_counts(codes, q),
        combine=combine,
        mass=slice(None),
        bounds=(-1.0, 1.0),
        two=True,
        undefined="both raters gave one and the same label throughout",
    )


def tau_b(q: int) -> Coefficient:
    """Kendall's tau-b of two raters, from their table: (C - D) / sqrt((n0 - n1) (n0 - n2)).

    C and D count the pairs of units that both raters order alike and oppositely, n0 - n1 and
    n0 - n2 those that the one and the other does not tie. It is about order alone: a judge that is
    one step too harsh throughout has tau 1. Undefined when a rater gave one label throughout.

    Source: Kendall 1945, "The treatment of ties in ranking problems".
    """

    def combine(sums: Floats) -> Floats:
        cells = _without_rounding_error(sums).reshape(-1, q, q)
        n = cells.sum(axis=(1, 2))
        difference = (
            cells * (_units_below(cells) - _units_below(cells[:, :, ::-1])[:, :, ::-1])
        ).sum((1, 2))
        untied = []
        for axis in (1, 2):
            untied.append(n**2 - (cells.sum(axis=axis) ** 2).sum(axis=1))
        defined = np.minimum(*untied) > _NOTHING
        scale = np.sqrt(np.where(defined, untied[0] * untied[1], 1.0)) / 2
        return np.where(defined, np.clip(difference / scale, -1, 1), np.nan)

    return Coefficient(
        name="Kendall's tau-b",
        labels=q,
        tally=lambda codes: pair_counts(codes, q),
        combine=combine,
        mass=slice(None),
        bounds=(-1.0, 1.0),
        two=True,
        ranks=True,
        undefined="a rater gave one label throughout",
    )


def intraclass(values: tuple[float, ...], raters: int, *, mean: bool = False) -> Coefficient:
    """ICC(2,1), how reliable one rating is; with `mean` ICC(2,k), how reliable a unit's mean is.

    Two-way random effects, absolute agreement: a rating is unit + rater + rest, so a rater who is
    harsher throughout costs agreement. By moments: 1 - D / V, where D is half the mean squared
    difference of two ratings of one unit, which estimates the variance of raters and rest, and V
    that of ratings of two units by two raters, which estimates the whole variance. On complete
    ratings these are the estimates of the analysis of variance, digit for digit, so the coefficient
    is that of Shrout and Fleiss; and it is defined as well where not everybody rated everything.
    The interval is over clusters, for the raters there are. ICC(2,k) follows by Spearman and Brown,
    k being how many ratings a unit has on average, of those with two or more.

    Args:
        values: what each label is worth.
        raters: how many there are in the ratings.

    Source: Shrout and Fleiss 1979, "Intraclass Correlations: Uses in Assessing Rater Reliability";
    McGraw and Wong 1996, "Forming Inferences About Some Intraclass Correlation Coefficients".
    """
    low = min(values)
    span = max(max(values) - low, 1e-300)
    worth = (np.array(values, dtype=np.float64) - low) / span

    def tally(codes: Codes) -> Floats:
        if codes.shape[1] != raters:  # a pair of labels that further units could have
            codes = codes[:, np.arange(raters) % codes.shape[1]]
        given = codes >= 0
        x = np.where(given, worth[codes], 0.0)
        r = given.sum(axis=1)
        sums = x.sum(axis=1)
        squares = (x**2).sum(axis=1)
        several = r >= 2
        return np.column_stack(
            [
                r * (r - 1),
                2 * (r * squares - sums**2),
                r,
                several,
                r * several,
                given,
                x,
                x**2,
            ]
        ).astype(np.float64)

    def combine(sums: Floats) -> Floats:
        pairs, within, n, units, rated = sums[:, :_COLUMNS].T
        counts, totals, squares = np.split(sums[:, _COLUMNS:], 3, axis=1)
        apart = _distances(n, totals.sum(axis=1), squares.sum(axis=1)) - within
        apart -= _distances(counts, totals, squares).sum(axis=1)
        others = n**2 - n - pairs - (counts**2 - counts).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            inside = within / pairs
            whole = apart / others
            single = np.where(whole > _LEAST, 1 - inside / whole, np.nan)
            if not mean:
                return single
            k = rated / units
            shared = 1 + (k - 1) * single
            averaged: Floats = np.where(shared > _LEAST, k * single / shared, np.nan)
            return averaged

    return Coefficient(
        name="ICC(2,k)" if mean else "ICC(2,1)",
        labels=len(values),
        tally=tally,
        combine=combine,
        mass=slice(0, 1),
        bounds=(-math.inf, 1.0),
        undefined="ratings of different units do not differ",
    )


def _distances(n: Floats, sums: Floats, squares: Floats) -> Floats:
    """Returns the sum of the squared differences of all ordered pairs of n numbers."""
    distances: Floats = 2 * (n * squares - sums**2)
    return distances


def _units_below(cells: Floats) -> Floats:
    """Returns, for each cell of the table, how many units lie lower on both scales."""
    before = np.zeros_like(cells)
    before[:, 1:, 1:] = cells.cumsum(axis=1).cumsum(axis=2)[:, :-1, :-1]
    return before


def _without_rounding_error(sums: Floats) -> Floats:
    """Sets to zero what is only the rounding error of a difference."""
    return np.where(sums > _NOTHING, sums, 0.0)


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> Floats:
    """Returns the quotient; NaN where the divisor is zero but for rounding."""
    defined = below > _NOTHING
    return np.where(defined, above / np.where(defined, below, 1.0), np.nan)
