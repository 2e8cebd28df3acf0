"""A judge's score corrected by people's labels of some units, with its interval. Pure.

A judge that errs moves a share; labels by people of a random part of the units tell by how much.
`mover`, the default, splits the labelled units by what the judge said, and weights each part as it
is among all units. It needs no assumption about the judge. The labelled units are drawn at random,
or at random among those with the same verdict.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from factmark.model import Estimate, Target, content_hash
from factmark.stats.cells import (
    ClusterEffects,
    Part,
    VerdictCell,
    Worth,
    cell_interval,
    cluster_effects,
    design_effect,
    mover_bounds,
    tabulate,
    value_by_name,
    variance_between,
    weighted_share,
    worth_of,
)
from factmark.stats.given_columns import (
    Values,
    cluster_numbers,
    plain_labels,
    values_by_place,
)
from factmark.stats.intervals import Floats, no_estimate, normal_quantile, t_quantile
from factmark.stats.scales import of_observed, share_observed

Codes = NDArray[np.int64]
Method = Literal["mover", "human-only", "judge-only"]
METHODS: tuple[Method, ...] = ("mover", "human-only", "judge-only")
_NO_LABELS = "none: no labels by people"


def corrected_share(
    judge_labels: Values,
    human_labels: Mapping[int, bool] | Values,
    *,
    level: float = 0.95,
    method: Method = "mover",
    clusters: Values | None = None,
    judge_values: Mapping[str, float] | None = None,
    target: Target = "process",
    part: float = 1.0,
) -> Estimate:
    """The share of all units that people would call true, estimated from a judge and some labels.

    Args:
        judge_labels: the judge's verdict on each unit; None, or a label of its own, where it gave
            none. Units without a verdict are a cell like the others. A list, an array or a column
            of a DataFrame, as `clusters` too.
        human_labels: place in `judge_labels` -> what a person said, also in words (YES, no,
            SUPPORTED); or a column as long, with a missing value where nobody labelled.
        method: `mover`: cells by verdict, see `mover`; `human-only` and `judge-only` leave the
            other out.
        clusters: the item of each unit; units of one item are not independent. None where each
            unit is an item of its own.
        judge_values: what a verdict is worth to `judge-only`; None reads the usual words, see
            `worth_of`.
        target: what it speaks for: the process that made the units, of which they are a sample,
            or just these units.
        part: for just these units: the share of those at hand, a random part, of all that there
            are.

    Raises:
        ValueError: for a place that is none, a word without a value, clusters of another length, a
            level outside (0, 1), an unknown method, or verdicts whose value has to be told.
    """
    return corrected_mean(
        judge_labels,
        human_labels,
        level=level,
        method=method,
        clusters=clusters,
        judge_values=judge_values,
        target=target,
        part=part,
    )


def corrected_mean(
    judge_labels: Values,
    human_values: Mapping[int, float] | Values,
    *,
    level: float = 0.95,
    method: Method = "mover",
    clusters: Values | None = None,
    judge_values: Mapping[str, float] | None = None,
    target: Target = "process",
    part: float = 1.0,
) -> Estimate:
    """The mean of the values in [0, 1] that people would give all units; allows half credit.

    As `corrected_share`, which see.

    A cell's values are taken as so many yes/no labels as have their mean and the standard error of
    their mean: n m(1 - m) / s² of them, m and s² with half a lowest and half a highest value added.
    For yes/no values that is n itself.
    """
    verdicts = plain_labels(judge_labels)
    given = _worth_of_people(values_by_place(human_values, len(judge_labels)))
    codes = None
    if clusters is not None:
        codes = cluster_numbers(clusters)
    _check(verdicts, given, judge_values or {}, level, method, codes)
    values = {}
    for place, value in sorted(given.items()):
        values[place] = float(value)
    cells = tabulate(verdicts, values)
    observed = share_observed(target, part)
    if not verdicts or (method != "judge-only" and not values):
        estimate = no_estimate(level, _NO_LABELS, extremes=(0.0, 1.0))
    elif method == "mover":
        wider = None
        if codes is not None:
            wider = cluster_effects(cells, verdicts, values, codes)
        estimate = mover(cells, level=level, observed=observed, wider=wider)
    elif method == "human-only":
        estimate = _mean_of_one_cell(values, codes, level, f"human-only, {len(values)} labels")
        estimate = of_observed(estimate, observed * len(values) / len(verdicts))
    else:
        alone = _judge_alone(verdicts, cells, judge_values, codes, level)
        estimate = of_observed(alone, observed)
    tallies = []
    for c in cells:
        tallies.append((c.label, c.total, c.labelled, c.sum, c.squares))
    if clusters is None or estimate.value is None:
        effect = None
    else:
        effect = estimate.design_effect
    n_labels = None
    if method != "judge-only":
        n_labels = len(values)
    return replace(
        estimate,
        n_units=len(verdicts),
        n_labels=n_labels,
        data=content_hash([*tallies, effect]),
        target=target,
    )


def _worth_of_people(labels: Mapping[int, Any]) -> dict[int, float]:
    """Returns place -> what a person's label is worth, a word as the usual words are read.

    Raises:
        ValueError: a word without a value.
    """
    values: dict[int, float] = {}
    for place, label in labels.items():
        if isinstance(label, str):
            value = value_by_name(label, {})
        else:
            value = label
        if value is None:
            raise ValueError(f"unit {place}: the label {label!r} has no value")
        values[place] = value
    return values


def _mean_of_one_cell(
    values: Mapping[int, float], clusters: Codes | None, level: float, method: str
) -> Estimate:
    """Returns the mean of some units' values, by place, with the interval of a single cell."""
    given = [*values.values()]
    cell = cell_of_values(given)
    if clusters is None:
        return mean_of_cell(cell, level, method)
    return _clustered_mean(cell, np.array(given), clusters[[*values]], level, method)


def _clustered_mean(
    cell: VerdictCell, values: Floats, clusters: Codes, level: float, method: str
) -> Estimate:
    """Returns the mean of a cell's values, of which those of a cluster go together."""
    effect = design_effect(values - cell.mean, clusters)
    return mean_of_cell(cell, level, method, effect, len(np.unique(clusters)))


def _judge_alone(
    verdicts: Sequence[str | None],
    cells: Sequence[VerdictCell],
    judge_values: Mapping[str, float] | None,
    clusters: Codes | None,
    level: float,
) -> Estimate:
    """Returns the mean of what the judge's verdicts are worth, as if it never erred."""
    worth, guessed = worth_of(cells, judge_values)
    read = ", ".join(f"{name} read as {worth[name]:g}" for name in guessed)
    how = f"judge-only, {len(verdicts)} verdicts{f' ({read})' if read else ''}"
    if clusters is None:
        return mean_of_cell(_cell_of_worth(cells, worth), level, how)
    cell = _cell_of_worth(cells, worth)
    judged = np.fromiter(map(worth.__getitem__, verdicts), np.float64, len(verdicts))
    return _clustered_mean(cell, judged, clusters, level, how)


def _cell_of_worth(cells: Sequence[VerdictCell], worth: Worth) -> VerdictCell:
    """Returns one cell of all units, each with what its verdict is worth."""
    units = sum(cell.total for cell in cells)
    parts = [(cell.total, worth[cell.label]) for cell in cells]
    return VerdictCell(
        label=None,
        total=units,
        labelled=units,
        sum=math.fsum(total * value for total, value in parts),
        squares=math.fsum(total * value * value for total, value in parts),
    )


def cell_of_values(values: Sequence[float]) -> VerdictCell:
    """Returns one cell of all units, each with its value."""
    return VerdictCell(
        label=None,
        total=len(values),
        labelled=len(values),
        sum=math.fsum(values),
        squares=math.fsum(value * value for value in values),
    )


def mean_of_cell(
    cell: VerdictCell, level: float, method: str, effect: float = 1.0, items: int | None = None
) -> Estimate:
    """Returns the mean of a cell's values with its interval.

    Args:
        effect: of clusters on the variance.
        items: how many clusters there are; None where each unit is one.
    """
    n = cell.labelled * cell.worth / effect
    low, high = cell_interval(cell.mean * n, n, level)
    return Estimate(
        value=cell.mean,
        low=min(low, cell.mean),
        high=max(high, cell.mean),
        level=level,
        method=method,
        n_items=cell.labelled if items is None else items,
        n_units=0,
        design_effect=effect,
    )


def _check(
    verdicts: Sequence[str | None],
    values: Mapping[int, float],
    worth: Mapping[str, float],
    level: float,
    method: str,
    clusters: Codes | None,
) -> None:
    """Raises ValueError for arguments that `corrected_share` does not take; says which."""
    if method not in METHODS:
        raise ValueError(f"method {method!r} is none of {', '.join(METHODS)}")
    if not 0 < level < 1:
        raise ValueError(f"the level must be between 0 and 1: {level}")
    if clusters is not None and len(clusters) != len(verdicts):
        raise ValueError(f"{len(verdicts)} verdicts but {len(clusters)} clusters")
    outside = []
    for place in values:
        if not 0 <= place < len(verdicts):
            outside.append(place)
    if outside:
        raise ValueError(f"a label for unit {outside[0]}, but there are {len(verdicts)} units")
    checked = [(f"unit {place}: {value} is", value) for place, value in values.items()]
    checked += [(f"the verdict {name!r} is worth {value},", value) for name, value in worth.items()]
    for what, value in checked:
        if not 0 <= value <= 1:
            raise ValueError(f"{what} not within 0 and 1")


def mover(
    cells: Sequence[VerdictCell],
    *,
    level: float = 0.95,
    observed: float = 0.0,
    wider: ClusterEffects | None = None,
) -> Estimate:
    """The mean over all cells with its interval, by the method of variance estimates recovery.

    With w_k the share of cell k among all N units, p_k the mean of people's values in it, and
    [l_k, u_k] its interval (`cell_interval`):

        value = Σ w_k p_k
        low = value - sqrt(Σ (w_k (p_k - l_k))² + z² V),  high likewise with u_k - p_k

    (Zou and Donner 2008, "Construction of confidence limits about effect measures", eq. 5, for a
    weighted sum). V is the variance of the value from the w_k being a sample's:
    (Σ w_k p_k² - value²) / N. Where the units are a share f of those that it speaks for, V shrinks
    by 1 - f and the distances of a cell by sqrt(1 - f n_k / N_k): what is left of the variances of
    both phases, of the units and of the labels (Cochran 1977, 12.2). A cell without labels is taken
    as 0.5 and may be anything: w_k/2 is added to both sides, outside the root.

    Args:
        cells: with a label at least.
        observed: that share f, 0 where it speaks for the process.
        wider: what clusters do to the variances, see `cluster_effects`.
    """
    clustered = wider or ClusterEffects()
    units = sum(cell.total for cell in cells)
    labelled = sum(cell.labelled for cell in cells)
    z = normal_quantile((1 + level) / 2)
    if clustered.df is None:
        t = z
    else:
        t = t_quantile((1 + level) / 2, clustered.df)
    parts = [
        Part(
            weight=cell.total / units,
            share=cell.mean,
            n=cell.labelled * cell.worth / clustered.design_effect * (z / t) ** 2,
            shrink=math.sqrt(1 - observed * cell.labelled / cell.total),
        )
        for cell in cells
    ]
    sampled = (1 - observed) * clustered.weights_effect * variance_between(parts) / units
    low, high = mover_bounds(parts, sampled, level=level, z=t)
    of_units = f"{'all ' if observed == 1 else ''}{units} units"
    return Estimate(
        value=weighted_share(parts),
        low=low,
        high=high,
        level=level,
        method=f"mover, {labelled} labels by people of {of_units}",
        n_items=clustered.clusters or labelled,
        n_units=units,
        design_effect=clustered.design_effect if wider else None,
    )


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
    cells: tuple[VerdictCell, ...]


def correction(
    judge_labels: Values,
    human_values: Mapping[int, float] | Values,
    *,
    level: float = 0.95,
    clusters: Values | None = None,
    judge_values: Mapping[str, float] | None = None,
    target: Target = "process",
    part: float = 1.0,
    by_verdict: bool = False,
) -> Correction:
    """The corrected mean of people's values in [0, 1], and how far the judge can be trusted.

    Args:
        by_verdict: whether the labelled units were drawn at random within each verdict, not among
            all; each counts as many units as it stands for.

    The others as in `corrected_share`, and so the errors.
    """
    judge_labels = plain_labels(judge_labels)
    human_values = values_by_place(human_values, len(judge_labels))
    corrected = corrected_mean(
        judge_labels,
        human_values,
        level=level,
        clusters=clusters,
        judge_values=judge_values,
        target=target,
        part=part,
    )
    cells = tabulate(judge_labels, human_values)
    worth, _ = worth_of(cells, judge_values)
    alone = None
    if not by_verdict:
        alone = corrected_mean(
            judge_labels,
            human_values,
            level=level,
            method="human-only",
            clusters=clusters,
            target=target,
            part=part,
        )
    return Correction(
        corrected=corrected,
        judge_only=corrected_mean(
            judge_labels,
            {},
            level=level,
            method="judge-only",
            clusters=clusters,
            judge_values={str(label): value for label, value in worth.items() if label is not None},
            target=target,
            part=part,
        ),
        human_only=alone,
        sensitivity=_rate(cells, worth, level, corrected, of_true=True, part=part),
        specificity=_rate(cells, worth, level, corrected, of_true=False, part=part),
        correlation=_correlation(cells, worth) if all(c.labelled for c in cells) else None,
        labels=len(human_values),
        effective_labels=effective_labels(cells),
        cells=cells,
    )


def _rate(
    cells: Sequence[VerdictCell],
    worth: Worth,
    level: float,
    like: Estimate,
    *,
    of_true: bool,
    part: float,
) -> Estimate | None:
    """Returns the sensitivity (with `of_true`) or specificity: the judge's mean worth over what
    people call true, or of 1 - worth over what they call false.

    A labelled unit weighs as many units as it stands for. The interval is that of a cell with the
    effective number of labels that has the linearised variance, over the design effect of `like`.
    For just these units it shrinks by the share of the verdict of which the fewest are labelled.
    """
    if not all(cell.labelled for cell in cells) or all(cell.label is None for cell in cells):
        return None
    rows = []
    for cell in cells:
        total = cell.sum
        squares = cell.squares
        verdict_worth = worth[cell.label]
        if not of_true:
            total = cell.labelled - total
            verdict_worth = 1 - verdict_worth
            squares = cell.labelled - 2 * cell.sum + squares
        weight = cell.total / cell.labelled
        rows.append((weight * total, weight * weight * squares, verdict_worth))
    mass = math.fsum(total for total, _, _ in rows)
    if mass <= 0:
        return None
    rate = min(
        1.0, max(0.0, math.fsum(total * verdict_worth for total, _, verdict_worth in rows) / mass)
    )
    variance = (
        math.fsum(square * (verdict_worth - rate) ** 2 for _, square, verdict_worth in rows)
        / mass**2
    )
    kish = mass**2 / math.fsum(square for _, square, _ in rows)
    n = kish
    if variance > 0 and 0 < rate < 1:  # alike but for rounding: as `VerdictCell.worth`
        n = min(rate * (1 - rate) / variance, kish * (kish + 1))
    n /= like.design_effect or 1.0
    low, high = cell_interval(rate * n, n, level)
    least = min(cell.labelled / cell.total for cell in cells)
    estimate = Estimate(
        value=rate,
        low=min(low, rate),
        high=max(high, rate),
        level=level,
        method=f"Jeffreys, exact at few events, {n:.4g} effective labels",
        n_items=like.n_items,
        n_units=like.n_units,
        n_labels=like.n_labels,
        data=like.data,
    )
    return of_observed(estimate, share_observed(like.target, part * least))


def _correlation(cells: Sequence[VerdictCell], worth: Worth) -> float | None:
    """Pearson's correlation of the judge's and people's values; None where either is constant."""
    seen = []
    for cell in cells:
        if cell.labelled:
            seen.append(cell)
    units = sum(cell.total for cell in seen)
    if not units:
        return None
    shares = []
    for cell in seen:
        shares.append((cell, cell.total / units, worth[cell.label]))
    f = math.fsum(share * verdict_worth for _, share, verdict_worth in shares)
    y = math.fsum(share * cell.mean for cell, share, _ in shares)
    both = math.fsum(
        share * (verdict_worth - f) * (cell.mean - y) for cell, share, verdict_worth in shares
    )
    var_f = math.fsum(share * (verdict_worth - f) ** 2 for _, share, verdict_worth in shares)
    var_y = math.fsum(share * cell.squares / cell.labelled for cell, share, _ in shares) - y * y
    # Constant but for rounding: the quotient would be noise over noise.
    if var_f <= 1e-12 or var_y <= 1e-12:
        return None
    return min(1.0, max(-1.0, both / math.sqrt(var_f * var_y)))


def effective_labels(cells: Sequence[VerdictCell]) -> float:
    """How many labels, drawn at random from all units, would tell as much without the judge.

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
