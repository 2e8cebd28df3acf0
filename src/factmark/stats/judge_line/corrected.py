"""A mean of people's values corrected by a line in what a judge gave: ratings, scores. Pure.

A score is another number for nearly every unit, so that `corrections.mover`, which splits the
labelled units by verdict, would find one label in a part or none. A line in the judge's number
needs no parts, and need not be right: what it misses is added back from the labelled units.

    value = mean over all units of g + weighted mean over the labelled units of (y - g)

with y what people said and g a ridge line (the generalised regression estimator: Särndal, Swensson
and Wretman 1992, "Model Assisted Survey Sampling", 6.4). That is a sum of a_i y_i, so its variance
is that of the a_i r_i, where r are the residuals over sqrt(1 - leverage) (HC2: MacKinnon and White
1985), plus that of g over the units. Few labels may miss how far people's values can lie, so half
a label is added at either end of the line, half of it as far above as any was seen and half below.
The interval is Student's on the logit of the value, moved by the skewness of the sum (Johnson 1978;
Hall 1992, "On the removal of skewness by transformation").

Fewer than 20 labels tell a line badly: people alone count then, unless the judge explains half of
their variance.

Values are shares of a scale here, from 0 to 1; `scales.on_scale` puts the estimate on the scale.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

import numpy as np

from factmark.model import Estimate, Target, content_hash
from factmark.stats.corrections import corrected_mean
from factmark.stats.given_columns import Values, plain_list, values_by_place
from factmark.stats.intervals import Floats
from factmark.stats.judge_line.line import fit, logit_interval, moments_of, variance_alone
from factmark.stats.judge_line.sample import Drawing, sample_of
from factmark.stats.scales import of_observed, share_observed

_FEW_LABELS = 20
_HELPS = 0.5  # of the variance of few labels, which a judge explains that helps


def corrected_by_line(
    judges: Sequence[Values],
    people: Mapping[int, float] | Values,
    *,
    level: float = 0.95,
    drawing: Drawing | None = None,
    target: Target = "process",
    part: float = 1.0,
) -> Estimate:
    """The mean of the values in [0, 1] that people would give all units, from a judge's numbers.

    Args:
        judges: a column of numbers or of words for each judge, all as long; None where it gave
            nothing, which counts as a word of its own. On any scale.
        people: place of a unit -> what people said; or a column, with None where nobody labelled.
        drawing: how the labelled units were drawn; None: at random among all.
        target, part: as in `corrections.corrected_mean`.

    Returns:
        The estimate; its `n_effective` is how many labels, drawn at random, would tell as much
        without the judge.

    Raises:
        ValueError: no label, a value outside 0 to 1, columns of unlike lengths, a number that is
            not finite, a weight that is not above 0, or a stratum without a label.
    """
    how = drawing or Drawing()
    columns = [_as_column(column) for column in judges]
    units = len(columns[0])
    given = {}
    for place, value in values_by_place(people, units).items():
        given[place] = float(value)
    _check(columns, given, how, level)
    sample = sample_of(columns, given, how)
    line = fit(sample)
    observed = share_observed(target, part)
    alike = how.weights is None and how.strata is None
    if alike and sample.groups < _FEW_LABELS and 1 - line.unexplained < _HELPS:
        alone = corrected_mean(
            [None] * units,
            given,
            level=level,
            method="human-only",
            clusters=sample.clusters,
            target=target,
            part=part,
        )
        return replace(alone, design_effect=alone.design_effect or 1.0)
    moments = moments_of(line, sample.clusters, observed)
    low, high = logit_interval(line.value, moments, len(line.y), level)
    estimate = Estimate(
        value=line.value,
        low=low,
        high=high,
        level=level,
        method=f"line in the judge's values, {len(line.y)} labels by people of {units} units",
        n_items=sample.groups,
        n_units=units,
        n_labels=len(line.y),
        design_effect=moments_of(line, sample.clusters, 0.0).variance / variance_alone(sample),
        data=_hash(columns, given, how),
        target=target,
    )
    if observed * len(line.y) >= units:
        return of_observed(replace(estimate, design_effect=1.0), 1.0)
    return estimate


def _as_column(column: Values) -> Sequence[Any] | Floats:
    """Returns a judge's column as a list; an array of numbers, not a number where there is none, as
    it is: a million of them take a tenth of the time."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "fi":
        return column
    return plain_list(column)


def _check(
    columns: Sequence[Sequence[Any] | Floats],
    given: Mapping[int, float],
    how: Drawing,
    level: float,
) -> None:
    """Raises ValueError for what `corrected_by_line` does not take; says what."""
    units = len(columns[0])
    if not 0 < level < 1:
        raise ValueError(f"the level must be between 0 and 1: {level}")
    if not given:
        raise ValueError("people labelled none of the units")
    beside = {"clusters": how.clusters, "weights": how.weights, "strata": how.strata}
    lengths = {f"judge {place + 1}": len(column) for place, column in enumerate(columns)}
    lengths |= {name: len(column) for name, column in beside.items() if column is not None}
    for name, length in lengths.items():
        if length != units:
            raise ValueError(f"{units} units but {length} values of {name}")
    for place, value in given.items():
        if not 0 <= place < units:
            raise ValueError(f"a label for unit {place}, but there are {units} units")
        if not 0 <= value <= 1:
            raise ValueError(f"unit {place}: {value} is not within 0 and 1")


def _hash(
    columns: Sequence[Sequence[Any] | Floats], given: Mapping[int, float], how: Drawing
) -> str:
    """Returns a hash of all that the estimate depends on."""
    beside: list[Any] = []
    for given_column in (how.clusters, how.weights, how.strata):
        beside.append(None if given_column is None else _as_hashed(_as_column(given_column)))
    parts = []
    for column in columns:
        hashed = _as_hashed(column)
        parts.append(hashed if isinstance(hashed, str) else repr(hashed))
    return content_hash(repr([parts, sorted(given.items()), beside]))


def _as_hashed(column: Sequence[Any] | Floats) -> Sequence[Any] | str:
    """Returns a column as a hash has it: an array in short."""
    if isinstance(column, np.ndarray):
        return sha256(column.tobytes()).hexdigest()
    return column
