"""A judge beside people: alone, corrected, and how far it can be trusted. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from factmark.evaluated.beside_people import (
    JudgeAgreement,
    Places,
    agreement_of,
    correlation_of,
    distances_of,
    is_on,
    labels_at_first,
    labels_wanted,
)
from factmark.evaluated.coding import NOTHING, Codes
from factmark.evaluated.columns import ValueColumn
from factmark.evaluated.corrected import How, corrected_with, is_of_words, people_labels
from factmark.evaluated.drawing import GroupRate, unequal_rates
from factmark.evaluated.table import Evaluated
from factmark.model import SHARE, Estimate, Scale
from factmark.stats.corrections import (
    Correction,
    cell_of_values,
    corrected_mean,
    mean_of_cell,
)
from factmark.stats.scales import of_observed, on_scale, share_observed

_MOST_CELLS = 20  # verdicts that are told apart where the rates of labels are tested


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A judge beside people.

    Attributes:
        judge: the judge's name.
        judge_alone: as if it never erred; None where it is not on people's scale.
        people_alone: people's labels without the judge; None where there are none, or where more
            were drawn of some verdicts or slices.
        corrected: what people would have said of all units; None without labels.
        correction: what it rests on, verdict by verdict; None of ratings and scores.
        worth: how many labels drawn at random tell as much without the judge.
        agreement: of judge and people; None where they cannot be compared.
        distances: the judge's numbers less people's, and how far they are apart, on average; None
            of words, and of another scale.
        correlation: of the judge's numbers and people's.
        labels, units: how many.
        wanted: labels for the half-width; None where no number is enough.
        by_verdict, by_slice: groups of which people labelled more or fewer than of the others.
    """

    judge: str
    judge_alone: Estimate | None
    people_alone: Estimate | None = None
    corrected: Estimate | None = None
    correction: Correction | None = None
    worth: float | None = None
    agreement: JudgeAgreement | None = None
    distances: tuple[float, float] | None = None
    correlation: float | None = None
    labels: int = 0
    units: int
    wanted: int | None = None
    by_verdict: tuple[GroupRate, ...] = ()
    by_slice: tuple[GroupRate, ...] = ()


def evaluation_of(table: Evaluated, judge: str, how: How) -> Evaluation:
    """Returns a judge beside people.

    Raises:
        ValueError: people gave a value that is not on the scale.
    """
    column, clusters = table.judges[judge], table.clusters
    means, wanted = table.people_means, how.half_width / how.scale.span
    people = people_labels(table, how)
    values, drawing = people.values, people.drawing
    if not values:
        first = labels_at_first(wanted, how.level, len(table))
        alone = _judge_alone(column, clusters, how)
        return Evaluation(judge=judge, judge_alone=alone, units=len(table), wanted=first)
    labelled = ~np.isnan(means)
    places = np.flatnonzero(labelled)
    by_verdict = unequal_rates(*_cells_of(column), labelled)
    corrected, by_cells = corrected_with(column, people, how)
    alone = _judge_alone(column, clusters, how, by_cells)
    people_alone = None
    if not (by_verdict or people.by_slice or drawing.weights):
        people_alone = _people_alone(values, len(table), clusters, how, by_cells)
    return Evaluation(
        judge=judge,
        judge_alone=alone,
        people_alone=people_alone,
        corrected=_on(corrected, how.scale),
        correction=by_cells,
        worth=by_cells.effective_labels if by_cells else corrected.n_effective,
        agreement=agreement_of(column, table, places, how.scale, how.level),
        distances=distances_of(column, means, places) if is_on(column, how.scale) else None,
        correlation=correlation_of(column, means, places),
        labels=len(values),
        units=len(table),
        wanted=labels_wanted(corrected, by_cells, wanted),
        by_verdict=tuple(by_verdict),
        by_slice=people.by_slice,
    )


def _on(estimate: Estimate, scale: Scale) -> Estimate:
    """Returns an estimate of a share of the scale as one on the scale."""
    if scale == SHARE:
        return estimate
    return on_scale(estimate, scale)


def _people_alone(
    values: Mapping[int, float],
    units: int,
    clusters: Places | None,
    how: How,
    by_cells: Correction | None = None,
) -> Estimate:
    """Returns the mean of people's labels as if there were no judge.

    Args:
        by_cells: that has it, if it was made.
    """
    if by_cells is not None and by_cells.human_only is not None:
        return _on(by_cells.human_only, how.scale)
    alone = corrected_mean(
        [None] * units,
        values,
        method="human-only",
        level=how.level,
        clusters=clusters,
        target=how.target,
    )
    return _on(alone, how.scale)


def _judge_alone(
    column: ValueColumn,
    clusters: Places | None,
    how: How,
    by_cells: Correction | None = None,
) -> Estimate | None:
    """Returns the mean of what a judge says, of the units of which it says something; None where it
    is not on people's scale.

    Args:
        by_cells: that has it, if it was made.
    """
    if not is_on(column, how.scale):
        return None
    filled = np.flatnonzero(column.codes >= 0)
    if by_cells is not None and len(filled) == len(column.codes):
        return _on(by_cells.judge_only, how.scale)
    within = None
    if clusters is not None:
        within = clusters[filled]
    if is_of_words(column):
        shares = map(how.scale.share, column.values)
        alone = corrected_mean(
            column.at(filled).texts,
            {},
            method="judge-only",
            level=how.level,
            clusters=within,
            judge_values=dict(zip(column.labels, shares, strict=True)),
            target=how.target,
        )
        return _on(alone, how.scale)
    values = [how.scale.share(value) for value in column.numbers[filled].tolist()]
    method = f"judge-only, {len(filled)} verdicts"
    if within is None:
        cell = cell_of_values(values)
        alone = replace(mean_of_cell(cell, how.level, method), n_units=len(values))
        observed = share_observed(how.target)
        return _on(replace(of_observed(alone, observed), target=how.target), how.scale)
    alone = _people_alone(dict(enumerate(values)), len(filled), within, how)
    return replace(alone, method=method, n_labels=None)


def _cells_of(column: ValueColumn) -> tuple[tuple[str, ...], Codes]:
    """Returns the names of a judge's verdicts and the place of each unit's; of many numbers two,
    below the middle and above."""
    if len(column.values) <= _MOST_CELLS:
        return column.labels, column.codes
    numbers = column.numbers
    middle = float(np.nanmedian(numbers))
    above = np.where(np.isnan(numbers), NOTHING, numbers > middle).astype(np.int32)
    return (f"up to {middle:g}", f"above {middle:g}"), above
