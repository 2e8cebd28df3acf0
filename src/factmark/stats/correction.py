"""What people would have said of all units, from a judge of all and people's labels of some. Pure.

A judge that errs moves a share; labels by people of a random part of the units tell by how much.
`mover`, the default, splits the labelled units by what the judge said, and weights each part as it
is among all units. It needs no assumption about the judge. The labelled units are drawn at random,
or at random among those with the same verdict.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from factmark.model import Estimate, content_hash
from factmark.stats import classic_corrections as classic
from factmark.stats.cells import Cell, cell_interval, tabulate
from factmark.stats.clustered_cells import Spread, spread
from factmark.stats.quantiles import normal_quantile, t_quantile

Method = Literal["mover", "ppi++", "rogan-gladen", "human-only", "judge-only"]
Interval = Callable[[float, float, float], tuple[float, float]]
METHODS: tuple[Method, ...] = ("mover", "ppi++", "rogan-gladen", "human-only", "judge-only")


def corrected_share(
    judge_labels: Sequence[str | None],
    human_labels: Mapping[int, bool],
    *,
    level: float = 0.95,
    method: Method = "mover",
    clusters: Sequence[str] | None = None,
    judge_values: Mapping[str, float] | None = None,
    population: bool = False,
) -> Estimate:
    """The share of units that people would call true.

    Args:
        judge_labels: the judge's verdict on each unit; None, or a label of its own, where it gave
            none. Units without a verdict are a cell like the others.
        human_labels: place in `judge_labels` -> what a person said.
        method: `mover`: cells by verdict, see `mover`. `ppi++`: prediction-powered inference with
            its tuning (Angelopoulos, Duchi and Zrnic 2023). `rogan-gladen`: by sensitivity and
            specificity (Rogan and Gladen 1978). `human-only` and `judge-only` leave the other out.
        clusters: the item of each unit; units of one item are not independent. None where each
            unit is an item of its own.
        judge_values: what a verdict is worth where a method needs to know (all but `mover` and
            `human-only`); None reads the usual words, see `judge_values_of`.
        population: whether the units are all there are. If not they are a sample themselves, and
            the interval is for what they were drawn from.

    Raises:
        ValueError: for a place that is none, clusters of another length, a level outside (0, 1),
            an unknown method, or verdicts whose value has to be told.
    """
    values = {place: float(value) for place, value in human_labels.items()}
    return corrected_mean(
        judge_labels,
        values,
        level=level,
        method=method,
        clusters=clusters,
        judge_values=judge_values,
        population=population,
    )


def corrected_mean(
    judge_labels: Sequence[str | None],
    human_values: Mapping[int, float],
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
    method: Method = "mover",
    clusters: Sequence[str] | None = None,
    judge_values: Mapping[str, float] | None = None,
    population: bool = False,
) -> Estimate:
    """The mean of the values that people would give: half credit, ratings, anything within bounds.

    As `corrected_share`, which see. `judge_values` is in the units of people's values.

    A cell's values are taken as so many yes/no labels as have their mean and the standard error of
    their mean: n m(1 - m) / s² of them, m and s² with half a lowest and half a highest value added.
    For yes/no values that is n itself.
    """
    _check(judge_labels, human_values, bounds, level, method, clusters)
    _check_worth(judge_values or {}, bounds)
    low, width = bounds[0], bounds[1] - bounds[0]
    scaled = {place: (value - low) / width for place, value in sorted(human_values.items())}
    worth = {name: (value - low) / width for name, value in (judge_values or {}).items()}
    cells = tabulate(judge_labels, scaled)
    if method == "mover":
        wider = None if clusters is None else spread(cells, judge_labels, scaled, clusters)
        found = mover(cells, level=level, population=population, wider=wider)
    else:
        found = _classic(method, cells, judge_labels, scaled, level, clusters, worth)
    tallies = [(c.label, c.total, c.labelled, c.sum, c.squares) for c in cells]
    effect = None if clusters is None or found.value is None else found.design_effect
    made = replace(
        found,
        n_units=len(judge_labels),
        n_labels=None if method == "judge-only" else len(human_values),
        data=content_hash([*tallies, effect]),
    )
    return made if bounds == (0.0, 1.0) else _in_bounds(made, low, width)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the units: its weight among them, its share of true ones, seen in `n` labels.

    `shrink` is what is left of its distances where much of it is labelled.
    """

    weight: float
    share: float
    n: float
    shrink: float = 1.0


def weighted(parts: Sequence[Part]) -> float:
    """The sum of the weighted shares; rounding does not take it out of [0, 1]."""
    return min(1.0, math.fsum(part.weight * part.share for part in parts))


def between(parts: Sequence[Part]) -> float:
    """The variance of the parts' shares over the units."""
    value = weighted(parts)
    return math.fsum(part.weight * (part.share - value) ** 2 for part in parts)


def recovered(
    parts: Sequence[Part],
    sampled: float,
    *,
    level: float,
    z: float,
    interval: Interval = cell_interval,
) -> tuple[float, float]:
    """The bounds of a weighted sum of shares (Zou and Donner 2008, eq. 5), within [0, 1].

    A part without labels can be anything. That is no error that others cancel, so its distances
    are added to the root, not under it.

    Args:
        sampled: the variance that comes from the weights, counted z² times.
        interval: of a part, from its successes, n and level.
    """
    value = weighted(parts)
    below = above = z * z * sampled
    low_end = high_end = value
    for part in parts:
        if not part.n:
            low_end -= part.weight * part.share
            high_end += part.weight * (1 - part.share)
            continue
        low, high = interval(part.share * part.n, part.n, level)
        weight = part.weight * part.shrink
        below += (weight * max(0.0, part.share - low)) ** 2
        above += (weight * max(0.0, high - part.share)) ** 2
    return max(0.0, low_end - math.sqrt(below)), min(1.0, high_end + math.sqrt(above))


def mover(
    cells: Sequence[Cell],
    *,
    level: float = 0.95,
    population: bool = False,
    wider: Spread | None = None,
) -> Estimate:
    """The mean over all cells with its interval, by the method of variance estimates recovery.

    With w_k the share of cell k among all N units, p_k the mean of people's values in it, and
    [l_k, u_k] its interval (`cell_interval`):

        value = Σ w_k p_k
        low = value - sqrt(Σ (w_k (p_k - l_k))² + z² V),  high likewise with u_k - p_k

    (Zou and Donner 2008, "Construction of confidence limits about effect measures", eq. 5, for a
    weighted sum). V is the variance of the value from the w_k being a sample's:
    (Σ w_k p_k² - value²) / N. Where the units are all there are, V is 0 and the distances of a cell
    shrink by sqrt(1 - n_k / N_k). A cell without labels is taken as 0.5 and may be anything: w_k/2
    is added to both sides, outside the root.

    Args:
        wider: what clusters do to the variances, see `spread`.
    """
    clustered = wider or Spread()
    units = sum(cell.total for cell in cells)
    labelled = sum(cell.labelled for cell in cells)
    if not labelled:
        return classic.no_estimate(level, "no labels by people")
    z = normal_quantile((1 + level) / 2)
    t = z if clustered.df is None else t_quantile((1 + level) / 2, clustered.df)
    parts = [
        Part(
            weight=cell.total / units,
            share=cell.mean,
            n=cell.labelled * cell.worth / clustered.design_effect * (z / t) ** 2,
            shrink=math.sqrt(1 - cell.labelled / cell.total) if population else 1.0,
        )
        for cell in cells
    ]
    value = weighted(parts)
    sampled = 0.0 if population else clustered.weights_effect * between(parts) / units
    low, high = recovered(parts, sampled, level=level, z=t)
    return Estimate(
        value=value,
        low=low,
        high=high,
        level=level,
        method=f"mover, {labelled} labels by people of {'all ' if population else ''}{units} units",
        n_items=clustered.clusters or labelled,
        n_units=units,
        design_effect=clustered.design_effect if wider else None,
    )


def _classic(
    method: Method,
    cells: Sequence[Cell],
    verdicts: Sequence[str | None],
    values: Mapping[int, float],
    level: float,
    clusters: Sequence[str] | None,
    given: Mapping[str, float],
) -> Estimate:
    if not verdicts or (method != "judge-only" and not values):
        return classic.no_estimate(level, "no labels by people")
    if method == "human-only":
        return classic.human_only(cells, level, values, clusters)
    worth, guessed = classic.worth_of(cells, given)
    if method == "judge-only":
        found = classic.judge_only(cells, worth, verdicts, level, clusters)
    elif method == "ppi++":
        found = classic.ppi_plus_plus(cells, worth, verdicts, level, values, clusters)
    else:
        found = classic.rogan_gladen(cells, worth, verdicts, level, values, clusters)
    read = ", ".join(f"{name} read as {worth[name]:g}" for name in guessed)
    return replace(found, method=f"{found.method} ({read})") if read else found


def _in_bounds(found: Estimate, low: float, width: float) -> Estimate:
    def back(part: float | None) -> float | None:
        return None if part is None else low + width * part

    return replace(
        found,
        value=back(found.value),
        low=back(found.low),
        high=back(found.high),
        worst=back(found.worst),
        best=back(found.best),
    )


def _check(
    verdicts: Sequence[str | None],
    values: Mapping[int, float],
    bounds: tuple[float, float],
    level: float,
    method: str,
    clusters: Sequence[str] | None,
) -> None:
    if method not in METHODS:
        raise ValueError(f"method {method!r} is none of {', '.join(METHODS)}")
    if not 0 < level < 1:
        raise ValueError(f"the level must be between 0 and 1: {level}")
    if not bounds[0] < bounds[1]:
        raise ValueError(f"the bounds must be apart: {bounds}")
    if clusters is not None and len(clusters) != len(verdicts):
        raise ValueError(f"{len(verdicts)} verdicts but {len(clusters)} clusters")
    for place, value in values.items():
        if not 0 <= place < len(verdicts):
            raise ValueError(f"a label for unit {place}, but there are {len(verdicts)} units")
        if not bounds[0] <= value <= bounds[1]:
            raise ValueError(f"unit {place}: {value} is not within {bounds}")


def _check_worth(worth: Mapping[str, float], bounds: tuple[float, float]) -> None:
    for verdict, value in worth.items():
        if not bounds[0] <= value <= bounds[1]:
            raise ValueError(f"the verdict {verdict!r} is worth {value}, not within {bounds}")
