"""Intervals of a share that was seen in n trials.

All take the share and n rather than counts, so that n may be an effective n (units over design
effect) and the share a weighted one; neither need be whole, nor the share a multiple of 1/n.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from factmark.stats.quantiles import beta_quantile, normal_quantile

ShareInterval = Callable[[float, float, float], tuple[float, float]]
"""Share, n and level to (low, high)."""


def wilson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The Wilson score interval (Wilson 1927, "Probable Inference", eq. 2).

    For a mean of values in [0, 1] the interval is conservative, since of all such variables with
    the same mean a yes/no one varies most. Its coverage is near the level on average over shares,
    and dips below it near 0 and 1 (Brown, Cai and DasGupta 2001, "Interval Estimation for a
    Binomial Proportion", section 3.1).

    Raises:
        ValueError: if n <= 0, or share or level are outside their range; so do all intervals here.
    """
    _check("wilson", share, n, level)
    z2 = normal_quantile((1 + level) / 2) ** 2
    spread = math.sqrt(z2 * share * (1 - share) / n + (z2 / (2 * n)) ** 2)
    centre = share + z2 / (2 * n)
    scale = 1 + z2 / n
    low = 0.0 if share == 0 else (centre - spread) / scale
    high = 1.0 if share == 1 else (centre + spread) / scale
    return _around(share, low, high)


def clopper_pearson(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The exact interval: coverage is never below the level, and often well above it.

    By the beta quantiles of the binomial tails (Clopper and Pearson 1934; Brown, Cai and DasGupta
    2001, section 4), which also read for a fractional number of successes (Korn and Graubard
    1998).
    """
    _check("clopper_pearson", share, n, level)
    hits, rest, tail = share * n, (1 - share) * n, (1 - level) / 2
    low = beta_quantile(tail, hits, rest + 1) if hits > 0 else 0.0
    high = 1 - beta_quantile(tail, rest, hits + 1) if rest > 0 else 1.0
    return _around(share, low, high)


def jeffreys(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The equal-tailed interval of the posterior under Jeffreys' prior, Beta(1/2, 1/2).

    With no success low is 0, with nothing but successes high is 1, lest the coverage go to 0 at the
    ends (Brown, Cai and DasGupta 2001, section 3.1).
    """
    _check("jeffreys", share, n, level)
    hits, rest, tail = share * n + 0.5, (1 - share) * n + 0.5, (1 - level) / 2
    low = beta_quantile(tail, hits, rest) if share > 0 else 0.0
    high = 1 - beta_quantile(tail, rest, hits) if share < 1 else 1.0
    return _around(share, low, high)


def agresti_coull(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """Wald's interval after z²/2 successes and as many failures more, cut to [0, 1].

    Agresti and Coull 1998, "Approximate is Better than 'Exact'", with z instead of their rounded 2;
    it has Wilson's centre and is never shorter (Brown, Cai and DasGupta 2001, section 3.1).
    """
    _check("agresti_coull", share, n, level)
    z = normal_quantile((1 + level) / 2)
    more = n + z * z
    centre = (share * n + z * z / 2) / more
    half = z * math.sqrt(centre * (1 - centre) / more)
    return _around(share, centre - half, centre + half)


def wald(share: float, n: float, level: float = 0.95) -> tuple[float, float]:
    """The textbook's share ± z sqrt(share (1 - share) / n), cut to [0, 1]; only to compare.

    Of width zero at 0 and 1, and below its level nearly everywhere (Brown, Cai and DasGupta 2001,
    section 2): nothing in the package reports it.
    """
    _check("wald", share, n, level)
    half = normal_quantile((1 + level) / 2) * math.sqrt(share * (1 - share) / n)
    return _around(share, share - half, share + half)


SHARE_INTERVALS: Mapping[str, ShareInterval] = MappingProxyType(
    {
        "wilson": wilson,
        "clopper-pearson": clopper_pearson,
        "jeffreys": jeffreys,
        "agresti-coull": agresti_coull,
        "wald": wald,
    }
)
"""All of them by name, the default first."""


def _check(name: str, share: float, n: float, level: float) -> None:
    if not (0 < n < math.inf and 0 <= share <= 1 and 0 < level < 1):
        raise ValueError(
            f"{name} needs n > 0, 0 <= share <= 1, 0 < level < 1: {share}, {n}, {level}"
        )


def _around(share: float, low: float, high: float) -> tuple[float, float]:
    """Cut to [0, 1] and, against rounding, held around the share."""
    return min(share, max(0.0, low)), max(share, min(1.0, high))
