"""What people's labels make of a comparison, in its tables and its sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import TypeVar

from factmark.model import Estimate, Measure
from factmark.report.columns import Column
from factmark.report.file_columns import FileColumn, attributes, prefixed_columns
from factmark.report.layouts import Cell
from factmark.stats.comparison import Comparison
from factmark.stats.contest import ComparedRow, Contest, LeaderBoard, Place
from factmark.text.shown_text import number

Row = TypeVar("Row")


def corrected_by(pair: Comparison, contest: Contest) -> str:
    """Returns that a comparison is corrected, by how many labels; empty where none is."""
    if pair.people is None:
        return ""
    labels = pair.people.difference.n_labels or 0
    items = pair.people.difference.n_items
    return f", corrected by {labels:,} of people's labels on {items:,} {contest.item}"


def test_in_words(contest: Contest, rows: Sequence[ComparedRow]) -> str:
    """Returns how p was made."""
    if any(row.comparison.people for row in rows):
        return "1 less the level at which the interval of A − B ends at 0"
    return f"permutation test, {contest.item} change sign as a whole"


CORRECTED_COLUMNS: tuple[FileColumn[ComparedRow], ...] = (
    *prefixed_columns("corrected", attrgetter("comparison.corrected"))[:3],
    *attributes("p_corrected", of="comparison", type="DOUBLE"),
    *attributes("n_labelled", of="comparison", type="BIGINT"),
)


def columns_of_labels(
    contest: Contest, rows: Sequence[ComparedRow]
) -> Iterator[Column[ComparedRow]]:
    """Yields the judge's own difference and how many items people labelled, where their labels
    correct some row."""
    if not any(row.comparison.people for row in rows):
        return
    yield Column(
        name="judge alone",
        value=lambda row: row.comparison.difference,
        show=difference_cell,
        meaning="Judge alone: A − B uncorrected. The others are what people would have said of "
        f"all {contest.unit}, by their labels of some; {contest.item} with labels of both systems "
        "tell most.",
    )
    yield Column(
        name="labelled",
        value=attrgetter("comparison.n_labelled"),
        meaning=f"Labelled: {contest.item} with labels.",
    )


def columns_of_corrected_places(board: LeaderBoard, score: Measure) -> Iterator[Column[Place]]:
    """Yields the judge's own value of each place, where people's labels correct the board."""
    if any(place.corrected for place in board.places):
        yield Column(
            name="judge alone",
            key="judge_alone",
            value=lambda place: place.value,
            estimate=True,
            meaning=f"Judge alone: {score.symbol} uncorrected. Ranks and groups go by what people "
            "would have said of all units, by their labels of some.",
        )


def difference_cell(estimate: Estimate) -> Cell:
    """A difference with its bounds in brackets, set apart by a comma: a dash would be a minus."""
    low = number(estimate.low)
    high = number(estimate.high)
    # a dash would be a minus
    bounds = ""
    if estimate.low is not None:
        bounds = f"[{low}, {high}]"
    return Cell(value=number(estimate.value), interval=bounds)


def count_of(of: Callable[[Row], Comparison], key: str, row: Row) -> int:
    """Returns the count of that name in a row's comparison."""
    return int(getattr(of(row), key))
