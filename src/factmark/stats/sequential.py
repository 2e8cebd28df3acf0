"""When to stop labelling: a rule that stays right although one looks after every label.

Whoever labels until an interval is narrow enough stops sooner when the first labels happen to
agree, and the interval of a fixed number of labels then misses too often: with a target of ±0.05
the HPD interval covers an accuracy of 0.9 in about 88 of 100 runs, not in 95. `stopping` takes
Clopper and Pearson's interval with the error multiplied by `LOOK`, fixed so that the interval at
the stop holds every accuracy with the level asked for. The paths to all stops are counted exactly,
without simulation, for levels from 0.8 to 0.99, targets from 0.01 to 0.2 and looks after every
label to every 50th (`benchmarks/coverage/sampling.py`); the idea is that of Frey 2010, "Fixed-Width
Sequential Confidence Intervals for a Proportion". It holds for who stops when the rule says so;
who stops for another reason reports `sequential_interval`, which holds at all times at once.

It is for yes/no labels of independent draws, in the order of the drawing: who skips the hard ones
has no random sample. Units of one cluster are not independent, and of strata each is stopped by
itself. Draws without replacement have less variance than the rule assumes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from factmark.stats.intervals import clopper_pearson, normal_quantile

LOOK = {0.95: 0.7, 0.99: 0.6}
"""Levels up to this one -> what the error is multiplied by to make up for looking."""

FIRST = 30
_TUNED_FOR = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class LabellingProgress:
    """How far labelling has come.

    Attributes:
        n: labels that came in.
        used: those that the numbers below rest on: up to the stop, or to the last look before it.
        estimate: their mean, or None before the first look.
        low, high: the interval of the rule; holds with the level once `done`.
        done: whether the target was reached.
        anytime: the interval to report when stopping for another reason than `done`.
        expected_more: labels still to come, as the estimate has it; 0 when done.
        reached: the half-width with a label on every unit, where there are too few units for the
            target, as the estimate has it; then `expected_more` is all that are left.
    """

    n: int
    used: int
    estimate: float | None
    low: float
    high: float
    done: bool
    anytime: tuple[float, float]
    expected_more: int
    reached: float | None = None

    @property
    def half_width(self) -> float:
        """Half of the rule's interval, which is compared with the target; 0.5 before the first
        look.
        """
        return (self.high - self.low) / 2


def stopping(
    labels: Sequence[bool], target: float, *, level: float = 0.95, units: int | None = None
) -> LabellingProgress:
    """How far labelling is, and whether the labels suffice for an interval of this half-width.

    A function of the labels in the order of their drawing, so it does not matter when it is asked:
    labels after the stop are not used.

    Args:
        labels: of independent draws, in the order of the drawing. One that will never come can be
            left out only where that has nothing to do with what it would have been.
        target: the half-width to reach, from 0.01 to 0.2.
        level: from 0.8 to 0.99.
        units: that there are to label, these included; None where there is no end of them.

    The first look is taken after 30 labels.
    """
    if not 0.01 <= target <= 0.2 or not 0.8 <= level <= 0.99:
        raise ValueError(
            "the rule was checked for targets from 0.01 to 0.2 and levels from 0.8 to 0.99: got "
            f"{target}, {level}"
        )
    error = (1 - level) * next(part for top, part in LOOK.items() if level <= top)
    z = normal_quantile(1 - error / 2)
    sums = list(accumulate(map(bool, labels), initial=0))
    used = 0
    low = 0.0
    high = 1.0
    for n in range(FIRST, len(labels) + 1):
        used = n
        share = sums[n] / n
        if z * math.sqrt(share * (1 - share) / n) > target:
            continue  # Wald's interval is never the wider one
        low, high = clopper_pearson(share, n, 1 - error)
        if (high - low) / 2 <= target:
            break
    if used:
        low, high = clopper_pearson(sums[used] / used, used, 1 - error)
    done = (high - low) / 2 <= target
    share = (sums[used] + 1) / (used + 2)
    least = 1
    if not used:
        least = FIRST - len(labels)
    more = 0
    if not done:
        more = max(least, _expected_labels(share, target, z) - len(labels))
    reached = None
    if units is not None and more > (left := units - len(labels)):
        more = left
        low_end, high_end = clopper_pearson(share, units, 1 - error)
        reached = (high_end - low_end) / 2
    estimate = None
    if used:
        estimate = sums[used] / used
    return LabellingProgress(
        n=len(labels),
        used=used,
        estimate=estimate,
        low=low,
        high=high,
        done=done,
        anytime=sequential_interval(sums[used], used, level=level),
        expected_more=more,
        reached=reached,
    )


def sequential_interval(
    successes: int, n: int, *, level: float = 0.95, tuned_for: int = _TUNED_FOR
) -> tuple[float, float]:
    """Returns an interval of a share that holds at all numbers of labels at once.

    Of all sequences of labels at most 1 - level ever leave it (beta-binomial mixture: Howard et al.
    2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences"; with the mixing
    distribution Beta(r p, r (1 - p)) around each p). It needs about twice the labels of a number
    that is fixed beforehand.

    Args:
        tuned_for: the number of labels at which it is to be narrow; fixed before the first label.
    """
    if n < 0 or not 0 <= successes <= n or tuned_for < 1 or not 0 < level < 1:
        raise ValueError(f"sequential_interval has no answer for {successes} of {n} at {level}")
    if not n:
        return 0.0, 1.0
    mass = max(1.0, tuned_for * 0.11)  # r; 0.11 minimises the normal mixture's boundary at n
    bar = -math.log1p(-level)

    def bound(end: float) -> float:
        """Between the end and the mean, where the evidence against a share reaches the bar."""
        outer = end
        inner = successes / n
        while (middle := (outer + inner) / 2) not in (outer, inner):
            ruled_out = _evidence(middle, successes, n, mass) > bar
            if ruled_out:
                outer, inner = (middle, inner)
            else:
                outer, inner = (outer, middle)
        return outer

    return bound(0.0), bound(1.0)


def _evidence(p: float, successes: int, n: int, mass: float) -> float:
    """Returns the logarithm of the mixture martingale against p, 0 < p < 1."""
    a = mass * p
    b = mass * (1 - p)
    failures = n - successes
    mixed = math.lgamma(a + successes) + math.lgamma(b + failures) - math.lgamma(mass + n)
    prior = math.lgamma(a) + math.lgamma(b) - math.lgamma(mass)
    return mixed - prior - successes * math.log(p) - failures * math.log1p(-p)


def _expected_labels(share: float, target: float, z: float) -> int:
    """How many labels make z sqrt(p q / n) + 1 / 2n, about the half-width, reach the target."""
    spread = z * math.sqrt(share * (1 - share))
    return math.ceil(((spread + math.sqrt(spread**2 + 2 * target)) / (2 * target)) ** 2)


def level_at_any_time(n: int, *, level: float = 0.95, tuned_for: int = _TUNED_FOR) -> float:
    """Returns the level of an interval of n labels with which the intervals of all numbers of
    labels hold at once: whoever looks after each label and stops when they like reports this one.

    By the boundary of a normal mixture (Robbins 1970, "Statistical methods related to the law of
    the iterated logarithm"), whose variance makes it narrowest at `tuned_for`: with r = n v it is
    sqrt((1 + 1/r) log((r + 1) / a²)) standard errors, a = 1 - level. It holds for means that are
    about normal at the first look (asymptotic confidence sequences: Waudby-Smith et al. 2021), so
    look from 30 labels on.

    Args:
        tuned_for: the number of labels at which it is to be narrow; fixed before the first label.
    """
    if n < 1 or tuned_for < 1 or not 0 < level < 1:
        raise ValueError(f"level_at_any_time has no answer for {n} labels at {level}")
    alpha = 1 - level
    bar = -2 * math.log(alpha)
    r = n * (bar + math.log1p(bar)) / tuned_for
    errors = math.sqrt((1 + 1 / r) * math.log((r + 1) / alpha**2))
    return math.erf(errors / math.sqrt(2))
