"""When to stop labelling: rules that stay right although one looks after every label.

Whoever labels until an interval is narrow enough stops sooner when the first labels happen to
agree, and the interval of a fixed number of labels then misses too often: with a target of ±0.05
the HPD interval covers an accuracy of 0.9 in about 88 of 100 runs, not in 95. Two remedies:

- `stopping`, for yes/no labels of independent draws: Clopper and Pearson's interval with the error
  multiplied by `LOOK`, fixed so that the interval at the stop holds every accuracy with the level
  asked for. The paths to all stops are counted exactly, without simulation, for levels from 0.8 to
  0.99, targets from 0.01 to 0.2 and looks after every label to every 50th
  (`benchmarks/coverage/sampling.py`); the idea is that of Frey 2010, "Fixed-Width Sequential
  Confidence Intervals for a Proportion". It holds for who stops when the rule says so.
- confidence sequences, for who stops for any other reason; they hold at all times at once.
  `sequential_mean_intervals`, for yes/no labels and for values in [0, 1] such as the means of draws
  of two-stage sampling, needs a third to a half more labels; `sequential_interval` needs only a
  sum and a count, and about twice the labels.

What is not supported: stratified draws (the rule knows one accuracy; stop each stratum by itself,
or fix n by `allocate`), and units of one cluster as if they were independent (give the draws' means
to `stopping_of_means`). Draws without replacement have less variance than the rules assume.
Labels count in the order of the drawing, not of the labelling: who skips the hard ones has no
random sample.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from factmark.stats.intervals import clopper_pearson
from factmark.stats.quantiles import normal_quantile

Floats = NDArray[np.float64]

LOOK = {0.95: 0.7, 0.99: 0.6}
"""Levels up to this one -> what the error is multiplied by to make up for looking."""

FIRST = 30
_TUNED_FOR = 200
_GRID = 1_000
_BLOCK = 1_000_000  # numbers held at a time
_MOST = 0.75  # of the capital that one value can lose


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far labelling has come.

    Attributes:
        n: labels that came in.
        used: those that the numbers below rest on: up to the stop, or to the last look before it.
        estimate: their mean, or None before the first look.
        low, high: the interval of the rule; holds with the level once `done`.
        half_width: (high - low) / 2, which is compared with the target; 0.5 before the first look.
        done: whether the target was reached.
        anytime: the interval to report when stopping for another reason than `done`.
        expected_more: labels still to come, as the estimate has it; 0 when done.
    """

    n: int
    used: int
    estimate: float | None
    low: float
    high: float
    half_width: float
    done: bool
    anytime: tuple[float, float]
    expected_more: int


def stopping(
    labels: Sequence[bool],
    target: float,
    *,
    level: float = 0.95,
    first: int = FIRST,
    every: int = 1,
) -> Progress:
    """Whether yes/no labels suffice for an interval of this half-width.

    A function of the labels in the order of their drawing, so it does not matter when it is asked:
    labels after the stop are not used.

    Args:
        labels: of independent draws, in the order of the drawing. One that will never come can be
            left out only where that has nothing to do with what it would have been.
        target: the half-width to reach, from 0.01 to 0.2.
        level: from 0.8 to 0.99.
        first: the label after which the first look is taken, at least 10.
        every: looks are taken after so many labels more.
    """
    _check(target, level, first, every)
    error = _looking_error(level)
    z = normal_quantile(1 - error / 2)
    sums = list(accumulate(map(bool, labels), initial=0))
    last = 0
    for n in range(first, len(labels) + 1, every):
        last, share = n, sums[n] / n
        if z * math.sqrt(share * (1 - share) / n) > target:
            continue  # Wald's interval is never the wider one
        low, high = clopper_pearson(sums[n] / n, n, 1 - error)
        if (high - low) / 2 <= target:
            break
    if not last:
        more = max(first - len(labels), _expected(0.5, 0, target, z))
        return _unseen(len(labels), more)
    low, high = clopper_pearson(sums[last] / last, last, 1 - error)
    done = (high - low) / 2 <= target
    anytime = sequential_mean_intervals(labels[:last], target, level=level)[-1]
    share = (sums[last] + 1) / (last + 2)
    return Progress(
        n=len(labels), used=last, estimate=sums[last] / last, low=low, high=high,
        half_width=(high - low) / 2, done=done,
        anytime=(float(anytime[0]), float(anytime[1])),
        expected_more=0 if done else max(1, _expected(share, len(labels), target, z)),
    )  # fmt: skip


def stopping_of_means(
    values: Sequence[float], target: float, *, level: float = 0.95, first: int = FIRST
) -> Progress:
    """As `stopping`, for independent values in [0, 1]: means of draws, half credit.

    It stops by `sequential_mean_intervals`, so `low` and `high` are right at any time. They gain
    where the values vary less than yes/no labels of the same mean.
    """
    _check(target, level, first, 1)
    if len(values) < first:
        more = _expected(0.5, 0, target, normal_quantile((1 + level) / 2))
        return _unseen(len(values), max(first - len(values), more))
    bounds = sequential_mean_intervals(values, target, level=level)
    halves = (bounds[:, 1] - bounds[:, 0]) / 2
    reached = np.flatnonzero(halves[first - 1 :] <= target)
    used = first + int(reached[0]) if len(reached) else len(values)
    low, high = (float(bound) for bound in bounds[used - 1])
    half = float(halves[used - 1])
    more = math.ceil(used * ((half / target) ** 2 - 1))
    return Progress(
        n=len(values), used=used, estimate=math.fsum(values[:used]) / used, low=low, high=high,
        half_width=half, done=bool(len(reached)), anytime=(low, high),
        expected_more=0 if len(reached) else max(1, more),
    )  # fmt: skip


def sequential_interval(
    successes: float, n: int, *, level: float = 0.95, tuned_for: int = _TUNED_FOR
) -> tuple[float, float]:
    """An interval of a mean in [0, 1] that holds after every label at once.

    Of all sequences of labels at most 1 - level ever leave it (beta-binomial mixture: Howard et al.
    2021, "Time-uniform, nonparametric, nonasymptotic confidence sequences"; with
    the mixing distribution Beta(r p, r (1 - p)) around each p). Also right for values between 0 and
    1, with their sum for `successes`, though wide: of all of them yes/no varies most.

    Args:
        tuned_for: the number of labels at which it is to be narrow; fixed before the first label.
    """
    if n < 0 or not 0 <= successes <= n or tuned_for < 1 or not 0 < level < 1:
        raise ValueError(f"sequential_interval has no answer for {successes} of {n} at {level}")
    if not n:
        return 0.0, 1.0
    mass = max(1.0, tuned_for * 0.11)  # r; 0.11 minimises the normal mixture's boundary at n
    bar, mean = -math.log1p(-level), successes / n
    return (
        _crossing(lambda p: _evidence(p, successes, n, mass) - bar, 0.0, mean),
        _crossing(lambda p: _evidence(p, successes, n, mass) - bar, 1.0, mean),
    )


def _evidence(p: float, successes: float, n: int, mass: float) -> float:
    """The logarithm of the mixture martingale against p, 0 < p < 1."""
    a, b, failures = mass * p, mass * (1 - p), n - successes
    mixed = math.lgamma(a + successes) + math.lgamma(b + failures) - math.lgamma(mass + n)
    prior = math.lgamma(a) + math.lgamma(b) - math.lgamma(mass)
    return mixed - prior - successes * math.log(p) - failures * math.log1p(-p)


def _crossing(above: Callable[[float], float], end: float, inside: float) -> float:
    """Where a function that is positive at the end and negative inside crosses 0, from outside."""
    if inside == end:
        return end
    outer, inner = end, inside
    for _ in range(50):
        middle = (outer + inner) / 2
        if middle in (outer, inner):
            break
        if above(middle) > 0:
            outer = middle
        else:
            inner = middle
    return outer


def sequential_mean_intervals(
    values: Sequence[float], target: float, *, level: float = 0.95
) -> Floats:
    """Intervals of a mean in [0, 1] that hold after every value at once, shape (n, 2).

    The hedged capital of betting against each mean on a grid (Waudby-Smith and Ramdas 2024,
    "Estimating means of bounded random variables by betting"). Bets are target /
    variance, the variance being that of the values before: Kelly's for a mean that is off by the
    target, so the interval is narrow when it comes to that half-width. What was ruled out once
    stays so. Bounds are points of the grid of 0.001. Memory for 1,000 truth values a value.
    """
    x = np.asarray(values, dtype=np.float64)
    if not np.all((x >= 0) & (x <= 1)) or not 0 < level < 1:
        raise ValueError("values lie between 0 and 1, and so does the level")
    n = len(x)
    times = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(x)) / (times + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (times + 1)
    before = np.concatenate([[0.25], variances[:-1]])[:n]
    bets = (target / before)[:, None]
    grid = (np.arange(_GRID) + 0.5) / _GRID
    blocks = np.array_split(grid, min(_GRID, 1 + n * _GRID // _BLOCK))
    out = np.hstack([_ruled_out(x, bets, block, 1 - level) for block in blocks])
    low = np.where(out.all(axis=1), _GRID, np.argmin(out, axis=1) - 0.5) / _GRID
    high = np.where(out.all(axis=1), 0, _GRID + 0.5 - np.argmin(out[:, ::-1], axis=1)) / _GRID
    plain = np.cumsum(x) / times
    low, high = np.minimum(low, plain - 1 / _GRID), np.maximum(high, plain + 1 / _GRID)
    return np.clip(np.stack([low, high], axis=1), 0.0, 1.0)


def _ruled_out(x: Floats, bets: Floats, means: Floats, error: float) -> NDArray[np.bool_]:
    """Which of g means half the capital on each side has ruled out after each value, (n, g)."""
    away = x[:, None] - means
    up = np.cumsum(np.log1p(np.minimum(bets, _MOST / means) * away), axis=0)
    down = np.cumsum(np.log1p(-np.minimum(bets, _MOST / (1 - means)) * away), axis=0)
    lost = np.maximum(up, down) - math.log(2) >= -math.log(error)
    return np.asarray(np.logical_or.accumulate(lost, axis=0))


def _expected(share: float, n: int, target: float, z: float) -> int:
    """Labels beyond n until z sqrt(p q / n) + 1 / 2n, about the half-width, is the target."""
    spread = z * math.sqrt(share * (1 - share))
    return math.ceil(((spread + math.sqrt(spread**2 + 2 * target)) / (2 * target)) ** 2) - n


def _unseen(n: int, more: int) -> Progress:
    return Progress(
        n=n, used=0, estimate=None, low=0.0, high=1.0, half_width=0.5, done=False,
        anytime=(0.0, 1.0), expected_more=more,
    )  # fmt: skip


def _looking_error(level: float) -> float:
    return (1 - level) * next(part for top, part in LOOK.items() if level <= top)


def _check(target: float, level: float, first: int, every: int) -> None:
    if not 0.01 <= target <= 0.2 or not 0.8 <= level <= 0.99 or first < 10 or every < 1:
        raise ValueError(
            "the rule was checked for targets from 0.01 to 0.2, levels from 0.8 to 0.99, a first "
            f"look after 10 labels or more: got {target}, {level}, {first}, every {every}"
        )
