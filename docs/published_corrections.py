"""Two published corrections of a judge's share, to be shown beside the package's own.

Both take what each unit's verdict is worth, in [0, 1], and place -> people's value of the labelled
ones, which are drawn at random among all. Their intervals are normal, as published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from factmark.model import Estimate
from factmark.stats.intervals import no_estimate, normal_quantile

LEVEL = 0.95


def ppi_plus_plus(worth: Sequence[float], people: Mapping[int, float]) -> Estimate:
    """Prediction-powered inference with its tuning (Angelopoulos, Duchi and Zrnic 2023, PPI++).

    With f the verdicts' worth, Y people's values of the n labelled units and N the other units:
    value = mean(Y) + λ (mean f of the others - mean f of the labelled),
    λ = Cov(Y, f) / ((1 + n/N) Var f), clipped to [0, 1], Cov over the labelled (divided by n), Var
    over all (divided by n + N - 1). Of no width where all labels agree.
    """
    everything, y = np.array(worth), np.array(list(people.values()))
    f, others = everything[list(people)], np.delete(everything, list(people))
    n, rest, spread = len(y), len(others), float(everything.var(ddof=1))
    covariance = float(np.mean(y * f) - y.mean() * f.mean())
    tuning = covariance / ((1 + n / rest) * spread) if rest and spread else 0.0
    tuning = min(1.0, max(0.0, tuning))
    value = float(y.mean()) + (tuning * float(others.mean() - f.mean()) if rest else 0.0)
    variance = float(np.var(y - tuning * f)) / n
    variance += tuning**2 * float(others.var()) / rest if rest else 0.0
    return _normal(value, variance, f"ppi++, lambda {tuning:.3g}, {n} labels", n)


def rogan_gladen(worth: Sequence[float], people: Mapping[int, float]) -> Estimate:
    """By the judge's sensitivity and specificity (Rogan and Gladen 1978, eq. 2), delta method.

    (q + specificity - 1) / (sensitivity + specificity - 1) with q the judge's share; of yes/no
    labels. None where the judge is no better than chance, or the labels are all alike. In the
    variance one success and one failure are added to each share, so that it is never 0.
    """
    trues = [worth[place] for place, value in people.items() if value]
    falses = [1 - worth[place] for place, value in people.items() if not value]
    if not trues or not falses:
        return no_estimate(LEVEL, "none: people's labels are all alike", ends=(0.0, 1.0))
    better = sum(trues) / len(trues) + sum(falses) / len(falses) - 1
    if better <= 0:
        return no_estimate(LEVEL, "none: the judge is no better than chance", ends=(0.0, 1.0))
    value = (sum(worth) / len(worth) + sum(falses) / len(falses) - 1) / better
    value = min(1.0, max(0.0, value))
    variance = _added(worth) + value**2 * _added(trues) + (1 - value) ** 2 * _added(falses)
    return _normal(value, variance / better**2, f"rogan-gladen, {len(people)} labels", len(people))


def _added(values: Sequence[float]) -> float:
    """The variance of a share with one success and one failure added."""
    n = len(values) + 2
    share = (sum(values) + 1) / n
    return share * (1 - share) / n


def _normal(value: float, variance: float, method: str, n: int) -> Estimate:
    half = normal_quantile((1 + LEVEL) / 2) * math.sqrt(variance)
    value = min(1.0, max(0.0, value))
    return Estimate(
        value=value,
        low=max(0.0, value - half),
        high=min(1.0, value + half),
        level=LEVEL,
        method=method,
        n_items=n,
        n_units=n,
        n_labels=n,
    )
