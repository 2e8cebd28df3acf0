"""What came of a table that was analysed."""

from __future__ import annotations

from dataclasses import dataclass

from factmark.analysis.evaluations.reading import GivenTable
from factmark.evaluated.estimates import Evaluation, How


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """What came of a table.

    Attributes:
        given: the table, as it was read.
        evaluation: the judge beside people.
        how: the estimates were made.
    """

    given: GivenTable
    evaluation: Evaluation
    how: How
