"""Intervals and quantiles that have a closed form or nearly so."""

from __future__ import annotations

import math
from statistics import NormalDist


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval of a share that was seen in n trials (Wilson 1927, eq. 2).

    `share` need not be a multiple of 1/n: for a mean of values in [0, 1] the interval is
    conservative, since of all such variables with the same mean a yes/no one varies most.

    Raises:
        ValueError: if n < 1, or share or level are outside their range.
    """
    if n < 1 or not 0 <= share <= 1 or not 0 < level < 1:
        raise ValueError(
            f"wilson needs n >= 1, 0 <= share <= 1, 0 < level < 1: {share}, {n}, {level}"
        )
    z = NormalDist().inv_cdf((1 + level) / 2)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    centre = share + z * z / (2 * n)
    scale = 1 + z * z / n
    low = 0.0 if share == 0 else (centre - spread) / scale
    high = 1.0 if share == 1 else (centre + spread) / scale
    return max(0.0, low), min(1.0, high)
