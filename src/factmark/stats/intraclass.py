"""Intraclass correlation: what share of the variance of ratings is between the units.

Two-way random effects, absolute agreement: a rating is unit + rater + rest, with units and raters
drawn from larger populations, so that a rater who is harsher throughout costs agreement.
"""

from __future__ import annotations

import math

import numpy as np

from factmark.stats.coefficients import Codes, Coefficient
from factmark.stats.intervals import Floats

_LEAST = 1e-9  # of the variance: below it all ratings are alike but for rounding
_COLUMNS = 5  # before those of each rater: pairs, their distance, ratings, rated units, their size


def intraclass(values: tuple[float, ...], raters: int, *, mean: bool = False) -> Coefficient:
    """ICC(2,1), how reliable one rating is; with `mean` ICC(2,k), how reliable a unit's mean is.

    By moments: 1 - D / V, where D is half the mean squared difference of two ratings of one unit,
    which estimates the variance of raters and rest, and V that of ratings of two units by two
    raters, which estimates the whole variance. On complete ratings these are the estimates of the
    analysis of variance, digit for digit, so the coefficient is that of Shrout and Fleiss; and it
    is defined as well where not everybody rated everything. ICC(2,k) follows by Spearman and Brown,
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
        r, sums, squares = given.sum(axis=1), x.sum(axis=1), (x**2).sum(axis=1)
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
            inside, whole = within / pairs, apart / others
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
