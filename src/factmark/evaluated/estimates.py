"""What people would have said of all units, and how far a judge can be trusted. Pure.

A judge of words is corrected verdict by verdict (`stats.corrections`), one of ratings or scores by
a line in its numbers (`stats.judge_line`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.beside_people import (
    JudgeAgreement,
    agreement_of,
    correlation_of,
    distances_of,
    is_on,
    labels_at_first,
    labels_wanted,
)
from factmark.evaluated.coding import NOTHING, CodedColumn, Codes
from factmark.evaluated.columns import ValueColumn
from factmark.evaluated.drawing import GroupRate, unequal_rates
from factmark.evaluated.table import Evaluated
from factmark.model import SHARE, Estimate, Scale, Target
from factmark.stats.cells import verdicts_in_strata
from factmark.stats.corrections import (
    Correction,
    cell_of_values,
    corrected_mean,
    correction,
    mean_of_cell,
)
from factmark.stats.given_columns import Values, plain_list
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.sample import Drawing
from factmark.stats.scales import of_observed, on_scale, share_observed

_MOST_CELLS = 20  # verdicts that are told apart where the rates of labels are tested


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How estimates are made.

    Attributes:
        level: of the intervals.
        target: what they speak for.
        scale: that people's values are on.
        half_width: that is wanted, in points of the scale.
    """

    level: float = 0.95
    target: Target = "process"
    scale: Scale = SHARE
    half_width: float = 0.03


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


def corrected_values(
    labels: Sequence[Any],
    values: Mapping[int, float],
    drawing: Drawing,
    *,
    level: float,
    target: Target,
) -> Estimate:
    """Returns the corrected mean of people's values in [0, 1]: by a line where the judge gave
    numbers, more than two, or where labels have weights; else verdict by verdict.

    Args:
        labels: the judge's of all units; None where it has none.
        values: place of a unit -> what people said.

    Raises:
        ValueError: as `corrected_by_line` and `corrected_mean`.
    """
    numbers = numbers_of(labels)
    if numbers is not None or drawing.weights is not None:
        column = labels if numbers is None else numbers
        return corrected_by_line([column], values, level=level, drawing=drawing, target=target)
    verdicts = labels
    if drawing.strata is not None:
        words = [None if label is None else str(label) for label in labels]
        verdicts = verdicts_in_strata(words, [*drawing.strata], values)
    clusters = drawing.clusters
    if clusters is not None:
        clusters = [
            f"unit {place}" if name is None else f"item {name}"
            for place, name in enumerate(clusters)
        ]
    return corrected_mean(verdicts, values, level=level, clusters=clusters, target=target)


def numbers_of(labels: Sequence[Any]) -> list[float | None] | None:
    """Returns a judge's labels as numbers; None where they are words, or yes and no."""
    numbers: list[float | None] = []
    for label in labels:
        if isinstance(label, bool):
            return None
        try:
            numbers.append(None if label is None else float(label))
        except (TypeError, ValueError):
            return None
    if len({number for number in numbers if number is not None}) <= 2:
        return None
    return numbers


def evaluation_of(table: Evaluated, judge: str, how: How) -> Evaluation:
    """Returns a judge beside people.

    Raises:
        ValueError: people gave a value that is not on the scale.
    """
    column, clusters = table.judges[judge], table.clusters
    means, wanted = table.people_means, how.half_width / how.scale.span
    labelled = ~np.isnan(means)
    places = np.flatnonzero(labelled)
    values = {place: _share(how.scale, float(means[place])) for place in places.tolist()}
    if not values:
        first = labels_at_first(wanted, how.level, len(table))
        alone = _judge_alone(column, clusters, how)
        return Evaluation(judge=judge, judge_alone=alone, units=len(table), wanted=first)
    by_verdict = unequal_rates(*_cells_of(column), labelled)
    by_slice, strata = _slices(table.stratum, labelled)
    drawing = Drawing(clusters=clusters, strata=strata, weights=_weights(table, labelled))
    corrected, by_cells = _corrected(column, values, drawing, how)
    alone = _judge_alone(column, clusters, how, by_cells)
    people = None
    if not (by_verdict or by_slice or drawing.weights):
        people = _people_alone(values, len(table), clusters, how, by_cells)
    return Evaluation(
        judge=judge,
        judge_alone=alone,
        people_alone=people,
        corrected=_on(corrected, how.scale),
        correction=by_cells,
        worth=by_cells.effective_labels if by_cells else corrected.n_effective,
        agreement=agreement_of(column, table, places, clusters, how.scale, how.level),
        distances=distances_of(column, means, places) if is_on(column, how.scale) else None,
        correlation=correlation_of(column, means, places),
        labels=len(values),
        units=len(table),
        wanted=labels_wanted(corrected, by_cells, wanted),
        by_verdict=tuple(by_verdict),
        by_slice=tuple(by_slice),
    )


def _share(scale: Scale, value: float) -> float:
    """Returns a value as a share of the scale; raises ValueError for one that is not on it."""
    if not scale.low <= value <= scale.high:
        ends = f"from {scale.low:g} to {scale.high:g}"
        raise ValueError(f"people gave {value:g}, which is not {ends}")
    return scale.share(value)


def _on(estimate: Estimate, scale: Scale) -> Estimate:
    """Returns an estimate of a share of the scale as one on the scale."""
    if scale == SHARE:
        return estimate
    return on_scale(estimate, scale)


def _people_alone(
    values: Mapping[int, float],
    units: int,
    clusters: Sequence[str] | None,
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
    clusters: Sequence[str] | None,
    how: How,
    by_cells: Correction | None = None,
) -> Estimate | None:
    """Returns the mean of what a judge says; None where it is not on people's scale.

    Args:
        by_cells: that has it, if it was made.
    """
    if by_cells is not None and is_on(column, how.scale):
        return _on(by_cells.judge_only, how.scale)
    if not is_on(column, how.scale):
        return None
    if _is_of_words(column):
        shares = map(how.scale.share, column.values)
        alone = corrected_mean(
            column.texts,
            {},
            method="judge-only",
            level=how.level,
            clusters=clusters,
            judge_values=dict(zip(column.labels, shares, strict=True)),
            target=how.target,
        )
        return _on(alone, how.scale)
    filled = np.flatnonzero(column.codes >= 0)
    values = [how.scale.share(value) for value in column.numbers[filled].tolist()]
    method = f"judge-only, {len(filled)} verdicts"
    if clusters is None:
        cell = cell_of_values(values)
        alone = replace(mean_of_cell(cell, how.level, method), n_units=len(values))
        observed = share_observed(how.target)
        return _on(replace(of_observed(alone, observed), target=how.target), how.scale)
    within = [clusters[place] for place in filled.tolist()]
    alone = _people_alone(dict(enumerate(values)), len(filled), within, how)
    return replace(alone, method=method, n_labels=None)


def _is_of_words(column: ValueColumn) -> bool:
    """Whether a judge is corrected verdict by verdict: of words, or of two numbers."""
    return column.kind == "word" or len(column.values) <= 2


def _cells_of(column: ValueColumn) -> tuple[tuple[str, ...], Codes]:
    """Returns the names of a judge's verdicts and the place of each unit's; of many numbers two,
    below the middle and above."""
    if len(column.values) <= _MOST_CELLS:
        return column.labels, column.codes
    numbers = column.numbers
    middle = float(np.nanmedian(numbers))
    above = np.where(np.isnan(numbers), NOTHING, numbers > middle).astype(np.int32)
    return (f"up to {middle:g}", f"above {middle:g}"), above


def _slices(
    column: CodedColumn | None, labelled: NDArray[np.bool_]
) -> tuple[list[GroupRate], list[str | None] | None]:
    """Returns the slices that were labelled at another rate than the others, and each unit's slice
    where there are such, by which labels are weighted then."""
    if column is None:
        return [], None
    names = [str(cell) for cell in column.cells]
    rates = unequal_rates(names, column.codes, labelled)
    if not rates:
        return [], None
    return rates, [names[code] if code >= 0 else None for code in column.codes.tolist()]


def _weights(table: Evaluated, labelled: NDArray[np.bool_]) -> list[float] | None:
    """Returns for each unit 1 over the probability of a label; None where that is not known of all
    labels, or is the same for all."""
    if table.probability is None:
        return None
    drawn = table.probability[labelled]
    if np.isnan(drawn).any() or not (drawn > 0).all() or math.isclose(drawn.min(), drawn.max()):
        return None
    known = np.where(table.probability > 0, table.probability, 1.0)
    return [float(weight) for weight in 1 / known]


def _corrected(
    column: ValueColumn, values: Mapping[int, float], drawing: Drawing, how: How
) -> tuple[Estimate, Correction | None]:
    """Returns the corrected mean as a share of the scale; of words with all that it rests on."""
    judge: Values = column.texts
    weights = drawing.weights
    is_by_line = weights is not None and not _is_by_cell(column, weights, values)
    if not _is_of_words(column):
        judge, is_by_line = column.numbers, True
    if is_by_line:
        options: dict[str, Any] = {"level": how.level, "target": how.target}
        return corrected_by_line([judge], values, drawing=drawing, **options), None
    worth = None
    if is_on(column, how.scale):
        shares = map(how.scale.share, column.values)
        worth = dict(zip(column.labels, shares, strict=True))
    if drawing.strata is not None:
        judge, worth = _in_strata(column.texts, [*drawing.strata], values, worth)
    by_cells = correction(
        judge,
        values,
        level=how.level,
        clusters=drawing.clusters,
        judge_values=worth,
        target=how.target,
    )
    return by_cells.corrected, by_cells


def _in_strata(
    verdicts: Sequence[str | None],
    strata: Sequence[str | None],
    values: Mapping[int, float],
    worth: Mapping[str, float] | None,
) -> tuple[list[str | None], dict[str, float] | None]:
    """Returns the verdicts told apart by stratum, and what each of these is worth."""
    apart = verdicts_in_strata(verdicts, strata, values)
    if worth is None:
        return apart, None
    pairs = {new: old for new, old in zip(apart, verdicts, strict=True) if new is not None}
    return apart, {new: worth[old] if old is not None else 0.0 for new, old in pairs.items()}


def _is_by_cell(column: ValueColumn, weights: Values, values: Mapping[int, float]) -> bool:
    """Whether all labels of a verdict were drawn alike, so that it needs no weights."""
    drawn: dict[int, float] = {}
    listed = plain_list(weights)
    for place in values:
        first = drawn.setdefault(int(column.codes[place]), listed[place])
        if not math.isclose(first, listed[place]):
            return False
    return True
