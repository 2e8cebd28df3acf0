"""How far a judge can be trusted, seen from people's labels of a part of the units. Pure.

What stands beside a corrected number: sensitivity and specificity, correlation with people, how
many labels the judge saves, and what either side alone would have said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from factmark.model import Estimate
from factmark.stats.cells import Cell, cell_interval, tabulate
from factmark.stats.classic_corrections import Worth, worth_of
from factmark.stats.correction import corrected_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A corrected mean and what it rests on.

    Attributes:
        corrected: by `mover`; what people would have said of all units.
        judge_only: the judge as if it never erred.
        human_only: people's labels alone; None where they were drawn by verdict, for then their
            mean is no estimate of anything.
        sensitivity: how much of what people call true the judge calls true; None where people
            called nothing true, or labelled no unit of some verdict.
        specificity: how much of what they call false it calls false.
        correlation: Pearson's, of the judge's and people's values; None where either is constant.
        labels: units that people labelled.
        effective_labels: how many labels at random would tell as much without the judge.
        cells: the units by verdict.
    """

    corrected: Estimate
    judge_only: Estimate
    human_only: Estimate | None
    sensitivity: Estimate | None
    specificity: Estimate | None
    correlation: float | None
    labels: int
    effective_labels: float
    cells: tuple[Cell, ...]


def correction(
    judge_labels: Sequence[str | None],
    human_values: Mapping[int, float],
    *,
    level: float = 0.95,
    clusters: Sequence[str] | None = None,
    judge_values: Mapping[str, float] | None = None,
    population: bool = False,
    by_verdict: bool = False,
) -> Correction:
    """The corrected mean of people's values in [0, 1], with how far the judge can be trusted.

    Args:
        by_verdict: whether the labelled units were drawn at random within each verdict, not among
            all; each counts as many units as it stands for.

    The others as in `corrected_share`, and so the errors.
    """
    corrected = corrected_mean(
        judge_labels, human_values, level=level, clusters=clusters, judge_values=judge_values,
        population=population,
    )  # fmt: skip
    cells = tabulate(judge_labels, human_values)
    worth, _ = worth_of(cells, judge_values)
    alone = None
    if not by_verdict:
        alone = corrected_mean(
            judge_labels, human_values, level=level, method="human-only", clusters=clusters
        )
    return Correction(
        corrected=corrected,
        judge_only=corrected_mean(
            judge_labels, {}, level=level, method="judge-only", clusters=clusters,
            judge_values={str(label): value for label, value in worth.items() if label is not None},
        ),
        human_only=alone,
        sensitivity=_rate(cells, worth, level, corrected, of_true=True),
        specificity=_rate(cells, worth, level, corrected, of_true=False),
        correlation=_correlation(cells, worth) if all(c.labelled for c in cells) else None,
        labels=len(human_values),
        effective_labels=effective_labels(cells),
        cells=cells,
    )  # fmt: skip


def _rate(
    cells: Sequence[Cell], worth: Worth, level: float, like: Estimate, *, of_true: bool
) -> Estimate | None:
    """The judge's mean worth over what people call true (or of 1 - worth, over what is false).

    A labelled unit weighs as many units as it stands for. The interval is that of a cell with the
    effective number of labels that has the linearised variance, over the design effect of `like`.
    """
    if not all(cell.labelled for cell in cells):
        return None
    rows = []
    for cell in cells:
        weight = cell.total / cell.labelled
        if of_true:
            total, squares, said = cell.sum, cell.squares, worth[cell.label]
        else:
            total = cell.labelled - cell.sum
            squares = cell.labelled - 2 * cell.sum + cell.squares
            said = 1 - worth[cell.label]
        rows.append((weight * total, weight * weight * squares, said))
    mass = math.fsum(total for total, _, _ in rows)
    if mass <= 0:
        return None
    rate = min(1.0, max(0.0, math.fsum(total * said for total, _, said in rows) / mass))
    variance = math.fsum(square * (said - rate) ** 2 for _, square, said in rows) / mass**2
    kish = mass**2 / math.fsum(square for _, square, _ in rows)
    n = kish
    if variance > 0 and 0 < rate < 1:  # alike but for rounding: at most what `Cell.worth` allows
        n = min(rate * (1 - rate) / variance, kish * (kish + 1))
    n /= like.design_effect or 1.0
    low, high = cell_interval(rate * n, n, level)
    return Estimate(
        value=rate, low=min(low, rate), high=max(high, rate), level=level,
        method=f"Jeffreys, exact at few events, {n:.4g} effective labels",
        n_items=like.n_items, n_units=like.n_units, n_labels=like.n_labels, data=like.data,
    )  # fmt: skip


def _correlation(cells: Sequence[Cell], worth: Worth) -> float | None:
    seen = [cell for cell in cells if cell.labelled]
    units = sum(cell.total for cell in seen)
    if not units:
        return None
    shares = [(cell, cell.total / units, worth[cell.label]) for cell in seen]
    f = math.fsum(share * said for _, share, said in shares)
    y = math.fsum(share * cell.mean for cell, share, _ in shares)
    both = math.fsum(share * (said - f) * (cell.mean - y) for cell, share, said in shares)
    var_f = math.fsum(share * (said - f) ** 2 for _, share, said in shares)
    var_y = math.fsum(share * cell.squares / cell.labelled for cell, share, _ in shares) - y * y
    if var_f <= 1e-12 or var_y <= 1e-12:
        return None
    return min(1.0, max(-1.0, both / math.sqrt(var_f * var_y)))


def effective_labels(cells: Sequence[Cell]) -> float:
    """How many labels drawn at random among all would tell as much without the judge.

    The variance of people's values over all, over the variance of the corrected mean; both with
    half a lowest and half a highest value added to each cell. A cell without labels has the
    greatest variance that there is, 1/4.
    """
    units = sum(cell.total for cell in cells)
    if not units or not any(cell.labelled for cell in cells):
        return 0.0
    value = sum(cell.total * cell.smoothed for cell in cells) / units
    between = sum(cell.total * (cell.smoothed - value) ** 2 for cell in cells) / units
    within = sum(cell.total * cell.variance for cell in cells) / units
    corrected = between / units + math.fsum(
        (cell.total / units) ** 2 * (cell.variance / cell.labelled if cell.labelled else 1 / 4)
        for cell in cells
    )
    return (between + within) / corrected
