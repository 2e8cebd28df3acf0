"""What an estimate is on, the scale of a measure, and what it speaks for, its target.

All statistics are made of shares of a scale: a rating of 4 on a scale from 1 to 5 is three quarters
of it. Estimates of such shares lie in [0, 1], and so do their intervals; on the scale they lie
between its least and its greatest value.

All intervals are first made for the process, of which the units are a sample. For just these units
they shrink by what was observed of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from factmark.model import SHARE, Estimate, Scale, Target

ALL_OBSERVED = "every unit observed"
"""How an interval was made that has no width, since nothing was drawn."""

_PARTS = ("value", "low", "high", "worst", "best")


def on_scale(estimate: Estimate, scale: Scale) -> Estimate:
    """Returns an estimate of a share of a scale as one of a value of the scale."""
    return replace(_each(estimate, scale.value), scale=scale)


def difference_on_scale(estimate: Estimate, scale: Scale) -> Estimate:
    """Returns an estimate of the difference of two shares of a scale, in the scale's points."""
    return replace(_each(estimate, lambda share: scale.span * share), scale=scale.of_differences)


def share_of_scale(estimate: Estimate) -> Estimate:
    """Returns an estimate on a scale as one of a share of it, for charts."""
    return replace(_each(estimate, estimate.scale.share), scale=SHARE)


def times(estimate: Estimate, factor: float) -> Estimate:
    """Returns an estimate and its scale multiplied by a factor above 0."""
    low, high = estimate.scale
    scaled = _each(estimate, lambda value: factor * value)
    return replace(scaled, scale=Scale(factor * low, factor * high))


def share_observed(target: Target, part: float = 1.0) -> float:
    """Returns the share of the units that an estimate speaks for which are at hand: of just these
    units a part, all unless they were drawn; of what the process could make none to speak of."""
    if target == "units":
        return min(1.0, part)
    return 0.0


def of_observed(estimate: Estimate, observed: float) -> Estimate:
    """Returns an estimate for the process as one for the units of which this share, a random part,
    was observed; unchanged for 0.

    The distances to both bounds shrink by sqrt(1 - observed), the finite population correction
    (Cochran 1977, "Sampling Techniques", 2.6). Where all were observed, none is left.
    """
    if not observed:
        return estimate
    value = estimate.value
    low = estimate.low
    high = estimate.high
    if value is None or (observed < 1 and (low is None or high is None)):
        return replace(estimate, target="units")
    if observed >= 1 or low is None or high is None:
        return replace(estimate, low=value, high=value, method=ALL_OBSERVED, target="units")
    left = math.sqrt(1 - observed)
    return replace(
        estimate,
        low=value - left * (value - low),
        high=value + left * (high - value),
        method=f"{estimate.method}, {observed:.0%} of all units observed",
        target="units",
    )


def _each(estimate: Estimate, change: Callable[[float], float]) -> Estimate:
    """Returns an estimate with all values changed that are known."""
    known = {name: getattr(estimate, name) for name in _PARTS}
    changed: dict[str, Any] = {}
    for name, value in known.items():
        if value is not None:
            changed[name] = change(value)
    return replace(estimate, **changed)
