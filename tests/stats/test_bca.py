"""The bootstrap's interval held against scipy's, where the acceleration decides where it lies."""

from __future__ import annotations

import math

import numpy as np
import pytest

from factmark.stats.intervals import bootstrap_interval, ratio, t_quantile
from later import later

stats = later("scipy.stats")


SKEWED = np.random.default_rng(7).exponential(size=25)


@pytest.mark.parametrize("values", [SKEWED, -SKEWED], ids=["to the right", "to the left"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_acceleration_is_scipys(values: np.ndarray, level: float) -> None:
    """Ours has tails as wide as Student's t makes them: scipy is asked for the level at which the
    normal's are as wide. Without acceleration, or with its sign turned, both bounds lie elsewhere
    by several times what two simulations differ by.
    """
    m = len(values)
    z = t_quantile((1 + level) / 2, m - 1) * math.sqrt(m / (m - 1))
    draws = {"confidence_level": 2 * stats.norm.cdf(z) - 1, "n_resamples": 40_000, "rng": 1}
    theirs = stats.bootstrap((values,), np.mean, method="BCa", **draws).confidence_interval
    plain = stats.bootstrap((values,), np.mean, method="percentile", **draws).confidence_interval
    tallies = np.column_stack([values, np.ones(m)])
    ours = bootstrap_interval(tallies, ratio, level=level, resamples=40_000, seed=2)
    assert ours is not None
    near = 0.035 * (theirs.high - theirs.low)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=near)
    moved = min(abs(theirs.low - plain.low), abs(theirs.high - plain.high))
    assert moved > near / 2, "else the percentiles themselves would pass"


def test_a_statistic_undefined_without_some_cluster_is_accelerated_by_the_others() -> None:
    """Leaving out the one cluster with a count makes 0 / 0, which must not spoil the interval."""
    tallies = np.array([[1.0, 1.0], [0.0, 2.0], [2.0, 2.0], [1.0, 3.0], [0.0, 0.0]])
    ours = bootstrap_interval(tallies, ratio, resamples=2_000, bounds=(0.0, 1.0))
    assert ours is not None
    assert 0 <= ours.low < 4 / 8 < ours.high <= 1
