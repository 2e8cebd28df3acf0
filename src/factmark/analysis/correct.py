"""What people would have said of all units, from a judge's labels of all and theirs of some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, SupportsFloat

import numpy as np

from factmark.analysis.options import CorrectOptions
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.evaluated.coding import coded
from factmark.evaluated.columns import ValueColumn, value_column
from factmark.evaluated.corrected import How, corrected_mean_of
from factmark.evaluated.table import JUDGE, Evaluated, table_of_judge
from factmark.evaluated.words import number_of, worth_of_word
from factmark.model import SHARE, Estimate, Scale
from factmark.stats.given_columns import Values, labels_by_unit
from factmark.stats.scales import on_scale


@python_function(CorrectOptions)
def correct(
    judge: Mapping[Any, str | float | None] | Values,
    people: Mapping[Any, str | float | bool] | Values,
    *,
    clusters: Mapping[Any, Any] | Values | None = None,
    weights: Mapping[Any, float] | Values | None = None,
    strata: Mapping[Any, Any] | Values | None = None,
    scale: tuple[float, float] = (0.0, 1.0),
    **options: Any,
) -> Estimate:
    """What people would have said of all units, from a judge's labels of all and theirs of some.

    A judge of words, or of two numbers (yes and no), is corrected verdict by verdict (`mover`); one
    of ratings or scores by a line in its numbers, on any scale (`stats.judge_line`). The estimate's
    `n_effective` is then how many labels would tell as much without the judge.

    Args:
        judge: unit -> the judge's label or number, None where it has none; or a column of a frame,
            a pandas one by its index.
        people: unit -> a person's label (YES, NO, SUPPORTED, MAYBE and the like), or its value on
            `scale`; or a column, where what is missing is no label. The units are a random part of
            the judge's, or random within each label of words, unless `weights` or `strata` say
            how they were drawn.
        clusters: unit -> the item that it belongs to: a question, a document; a unit without one
            is an item of its own. Units of one item are not independent.
        weights: unit -> 1 over the probability with which people were given it, up to a factor.
        strata: unit -> the stratum within which units were drawn for people.
        scale: the least and the greatest value that people could give: (1, 5) for stars.
        options: `level` of the interval; `target`: "units" where these units are all there are,
            "process" where they are a sample.

    Returns:
        The mean of people's values, on their scale.

    Raises:
        InputError: no labels, one that has no value or lies outside the scale, a unit that the
            judge does not have, a stratum without a label, or a weight that is not above 0.
    """
    how = options_of(CorrectOptions, options)
    of_people = _scale(scale)
    try:
        given = labels_by_unit(judge)
        labels = labels_by_unit(people)
        columns = {
            name: None if column is None else _beside(given, labels_by_unit(column), name)
            for name, column in (("clusters", clusters), ("weights", weights), ("strata", strata))
        }
    except (TypeError, ValueError) as error:
        raise InputError(f"correct(): {error}.") from None
    values = _values_by_place(given, labels, of_people)
    if not values:
        raise InputError(
            "correct(): people labelled none of the units. Have them label some, drawn at random "
            "(`factmark plan` says how many), and give unit -> label."
        )
    try:
        table = _table(list(given.values()), values, columns)
        by = How(level=how.level, target=how.target, by_stratum=True)
        estimate = corrected_mean_of(table, JUDGE, by)
    except ValueError as error:
        raise InputError(f"correct(): {error}.") from None
    if of_people == SHARE:
        return estimate
    return on_scale(estimate, of_people)


def _table(
    labels: Sequence[Any],
    people: Mapping[int, float],
    beside: Mapping[str, Sequence[Any] | None],
) -> Evaluated:
    """Returns the judge's labels and people's values as a table.

    Args:
        beside: `clusters`, `weights` and `strata`, as far as they are given.

    Raises:
        ValueError: the weight of a labelled unit is no number above 0.
    """
    column = coded(JUDGE, labels)
    judge = value_column(column)
    if judge is None:  # words of the caller's own; what they are worth does not count here
        words = tuple(map(str, column.cells))
        worth = (0.0,) * len(words)
        judge = ValueColumn(name=JUDGE, kind="word", labels=words, values=worth, codes=column.codes)
    table = table_of_judge(judge, people, clusters=beside["clusters"], strata=beside["strata"])
    weights = beside["weights"]
    if weights is None:
        return table
    probability = np.full(len(labels), np.nan)
    for place in people:
        weight = weights[place]
        if weight is None or not 0 < float(weight) < float("inf"):
            raise ValueError("the weight of a labelled unit is not a number above 0")
        probability[place] = 1 / float(weight)
    return replace(table, probability=probability)


def _scale(given: tuple[float, float]) -> Scale:
    """Returns the scale that people used; raises InputError for what is none."""
    try:
        low, high = (float(end) for end in given)
    except (TypeError, ValueError):
        low = high = 0.0
    if not 0 < high - low < float("inf"):
        raise InputError(
            f"correct(): scale={given!r} is not the least and the greatest value, such as (1, 5)."
        )
    return Scale(low, high)


def _beside(units: Mapping[Any, Any], column: Mapping[Any, Any], name: str) -> list[Any]:
    """Returns a column's value for each of the judge's units, None where it has none; raises
    ValueError where it holds none of them."""
    if not column.keys() & units.keys():
        raise ValueError(f"{name} name none of the judge's units")
    return [column.get(unit) for unit in units]


def _values_by_place(
    given: Mapping[Any, Any], labels: Mapping[Any, Any], scale: Scale
) -> dict[int, float]:
    """Returns place among the judge's units -> the value that people gave, as a share of the scale;
    raises InputError for what is no such unit or value."""
    places = {unit: place for place, unit in enumerate(given)}
    values = {}
    for unit, label in labels.items():
        if label is None:
            continue
        if unit not in places:
            raise InputError(f"people's unit {unit!r}: no unit of the judge's.")
        values[places[unit]] = scale.share(_value(unit, label, scale))
    return values


def _value(unit: Any, label: Any, scale: Scale) -> float:
    """Returns what a person's label is worth on the scale."""
    value: float | None = None
    if isinstance(label, str):
        value = number_of(label)
        if value is None and scale == SHARE:
            value = worth_of_word(label)
    elif isinstance(label, SupportsFloat):
        value = float(label)
    between = f"from {scale.low:g} to {scale.high:g}"
    if value is None:
        raise InputError(
            f"people's unit {unit!r}: label {label!r} has no value. Give YES, NO, SUPPORTED and "
            f"the like on a scale from 0 to 1, or a number {between}."
        )
    if not scale.low <= value <= scale.high:
        raise InputError(
            f"people's unit {unit!r}: {label!r} is not {between}. Say what people could give: "
            "scale=(LEAST, GREATEST)."
        )
    return value
