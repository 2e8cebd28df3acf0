"""From shares of a scale, which all statistics are made of, to the values of a measure and back.

A rating of 4 on a scale from 1 to 5 is three quarters of it. Estimates of such shares lie in
[0, 1], and so do their intervals; on the scale they lie between its least and its greatest value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from factmark.model import SHARE, Estimate, Scale

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


def _each(estimate: Estimate, change: Callable[[float], float]) -> Estimate:
    """Returns an estimate with all values changed that are known."""
    known = {name: getattr(estimate, name) for name in _PARTS}
    changed: dict[str, Any] = {
        name: change(value) for name, value in known.items() if value is not None
    }
    return replace(estimate, **changed)
