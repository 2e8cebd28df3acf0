"""What people would have said of all units, from a judge's labels of all and theirs of some."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from factmark.analysis.options import CorrectOptions
from factmark.cli.python import python_function
from factmark.cli.records import options_of
from factmark.errors import InputError
from factmark.model import Estimate
from factmark.stats.cells import value_by_name
from factmark.stats.corrections import corrected_mean
from factmark.stats.given_columns import Values, labels_by_unit


@python_function(CorrectOptions)
def correct(
    judge: Mapping[Any, str | None] | Values,
    people: Mapping[Any, str | float | bool] | Values,
    **options: Any,
) -> Estimate:
    """What people would have said of all units, from a judge's labels of all and theirs of some.

    Args:
        judge: unit -> the judge's label, None where it has none; or a column of a frame, a pandas
            one by its index.
        people: unit -> a person's label (YES, NO, SUPPORTED, MAYBE and the like), or its value from
            0 to 1; or a column, where what is missing is no label. The units are a random part of
            the judge's, or random within each label.
        options: `level` of the interval; `population`: whether these units are all there are, and
            not a sample.

    Returns:
        The mean of people's values; see `stats.corrected_mean`, method `mover`.

    Raises:
        InputError: no labels, one that has no value or lies outside 0 to 1, or a unit that the
            judge does not have.
    """
    how = options_of(CorrectOptions, options)
    try:
        given, labels = labels_by_unit(judge), labels_by_unit(people)
    except (TypeError, ValueError) as error:
        raise InputError(f"correct(): {error}.") from None
    values = _values_by_place(given, labels)
    if not values:
        raise InputError(
            "correct(): people labelled none of the units. Have them label some, drawn at random "
            "(`factmark plan` says how many), and give unit -> label."
        )
    return corrected_mean(list(given.values()), values, level=how.level, population=how.population)


def _values_by_place(given: Mapping[Any, Any], labels: Mapping[Any, Any]) -> dict[int, float]:
    """Returns place among the judge's units -> the value that people gave; raises InputError for
    what is no such unit or value."""
    places = {unit: place for place, unit in enumerate(given)}
    values = {}
    for unit, label in labels.items():
        if label is None:
            continue
        if unit not in places:
            raise InputError(f"people's unit {unit!r}: no unit of the judge's.")
        values[places[unit]] = _value(unit, label)
    return values


def _value(unit: Any, label: Any) -> float:
    """Returns what a person's label is worth, from 0 to 1."""
    value = None
    if isinstance(label, str):
        value = value_by_name(label, {})
    else:
        try:
            value = float(label)
        except (TypeError, ValueError):
            value = None
    if value is None:
        raise InputError(
            f"people's unit {unit!r}: label {label!r} has no value. Give YES, NO, SUPPORTED and "
            "the like, or a number from 0 to 1."
        )
    if not 0.0 <= value <= 1.0:
        raise InputError(f"people's unit {unit!r}: {label!r} is not from 0 to 1.")
    return value
