"""What came of a table that was analysed."""

from __future__ import annotations

from dataclasses import dataclass, field

from factmark.analysis.evaluations.reading import GivenTable
from factmark.evaluated.estimates import Evaluation, How
from factmark.model import Estimate
from factmark.stats.judge_line.bias import BiasTest


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceRow:
    """A slice of a table.

    Attributes:
        corrected: what people would say of its units; the intervals of all slices hold at once.
        judge_alone: the mean of what the judge says; None where it says nothing.
        own: how much of the correction rests on its own labels; the rest on those of all.
    """

    name: str
    corrected: Estimate
    judge_alone: float | None
    own: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakdown:
    """A table by slices, and what the judge's error goes by.

    Attributes:
        by: the column that slices go by; empty where nobody asked.
        slices: the largest first.
        biases: a test for each column that was looked at.
    """

    by: str = ""
    slices: tuple[SliceRow, ...] = ()
    biases: tuple[BiasTest, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What came of a table.

    Attributes:
        given: the table, as it was read.
        evaluation: the judge beside people.
        how: the estimates were made.
        breakdown: by slices, and by what the judge errs, where that was asked for.
    """

    given: GivenTable
    evaluation: Evaluation
    how: How
    breakdown: Breakdown = field(default_factory=Breakdown)
