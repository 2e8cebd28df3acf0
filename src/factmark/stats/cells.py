"""Units by the judge's verdict: what people said of those that they labelled. Pure.

A cell holds the units of which the judge said the same. People's values are in [0, 1] here.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from factmark.stats.quantiles import beta_quantile

HARDLY_ANY = 1e-3
"""Of events: the lower bound of fewer is 0 in floating point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """The units of one verdict.

    Attributes:
        label: the verdict; None for units without one.
        total: all units of the verdict.
        labelled: those of them that people labelled.
        sum, squares: of people's values in [0, 1], and of their squares.
    """

    label: str | None
    total: int
    labelled: int
    sum: float
    squares: float

    @property
    def mean(self) -> float:
        """Of people's values; 0.5, the middle of what it may be, where there are none."""
        return self.sum / self.labelled if self.labelled else 0.5

    @property
    def smoothed(self) -> float:
        """The mean with half a 0 and half a 1 added, so that it is never 0 or 1."""
        return (self.sum + 0.5) / (self.labelled + 1)

    @property
    def variance(self) -> float:
        """Of people's values with half a 0 and half a 1 added; never 0."""
        return max((self.squares + 0.5) / (self.labelled + 1) - self.smoothed**2, 1e-12)

    @property
    def worth(self) -> float:
        """How many yes/no labels one label tells as much as; 1 where the values are yes and no."""
        return self.smoothed * (1 - self.smoothed) / self.variance


def tabulate(verdicts: Sequence[str | None], values: Mapping[int, float]) -> tuple[Cell, ...]:
    """The cells, largest first: units counted, values of the labelled ones summed."""
    said: defaultdict[str | None, list[float]] = defaultdict(list)
    for place, value in values.items():
        said[verdicts[place]].append(value)
    totals = Counter(verdicts)
    return tuple(
        Cell(
            label=label,
            total=total,
            labelled=len(said[label]),
            sum=math.fsum(said[label]),
            squares=math.fsum(value * value for value in said[label]),
        )
        for label, total in sorted(
            totals.items(), key=lambda kv: (-kv[1], kv[0] is not None, str(kv[0]))
        )
    )


@lru_cache(maxsize=65_536)
def cell_interval(successes: float, n: float, level: float) -> tuple[float, float]:
    """An interval for the share of a cell, between Jeffreys' and Clopper and Pearson's.

    Both take their bounds from beta distributions, the upper one from Beta(x + g, n - x + 1 - g)
    with g = 1/2 (Jeffreys) or g = 1 (exact). Jeffreys' falls short of its level where a bound rests
    on few events, so g = 1/2 + 1/2 / (1 + events) with the failures as events of the upper bound
    and the successes of the lower one: exact where there are none, Jeffreys' where there are many.
    `n` may be an effective number. Without any label it is [0, 1].
    """
    tail = (1 - level) / 2
    failures = max(0.0, n - successes)
    return _lower(successes, failures, tail), 1 - _lower(failures, successes, tail)


def _lower(events: float, others: float, tail: float) -> float:
    if events < HARDLY_ANY:
        return 0.0
    part = 0.5 / (1 + events)
    return beta_quantile(tail, events * (1 + part), others + 0.5 + part)  # events + 1 - g, exactly
