"""What came of a table that was analysed."""

from __future__ import annotations

from dataclasses import dataclass, field

from factmark.analysis.evaluations.reading import GivenTable
from factmark.evaluated.corrected import How
from factmark.evaluated.estimates import Evaluation
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
class SecondJudge:
    """A second judge beside the first.

    Attributes:
        name: of its column.
        corrected: the mean that people would give, by both judges.
        worth_of_one, worth_of_both: how many labels without a judge tell as much as people's with
            the first, and with both.
    """

    name: str
    corrected: Estimate
    worth_of_one: float
    worth_of_both: float

    @property
    def saved(self) -> float:
        """The share of the labels that the second judge saves; below 0 where it costs some."""
        return 1 - self.worth_of_one / self.worth_of_both


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
        second: a second judge, where one was named.
        at_any_time: the corrected mean with an interval that holds however often one looks, where
            that was asked for and thirty labels are there.
    """

    given: GivenTable
    evaluation: Evaluation
    how: How
    breakdown: Breakdown = field(default_factory=Breakdown)
    second: SecondJudge | None = None
    at_any_time: Estimate | None = None
