"""A judge beside people: how far they agree and lie apart, and how many labels are wanted. Pure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.agreement import LabelScale, RaterSides, ratings_of
from factmark.evaluated.columns import ValueColumn
from factmark.evaluated.table import Evaluated, Floats
from factmark.model import Estimate, Scale
from factmark.stats.agreement import estimate_agreement
from factmark.stats.coefficients import Coefficient, Metric, alpha, share_within
from factmark.stats.corrections import Correction
from factmark.stats.intervals import normal_quantile
from factmark.stats.planning import needs, pilot_strata

Places = NDArray[np.int64]

_RESAMPLES = 2_000  # of the agreement's intervals
_MOST_VALUES = 50  # different ones; of more hardly two are the same


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How far a judge agrees with people.

    Attributes:
        exact: the share of pairs of labels that are the same.
        alpha: Krippendorff's.
    """

    exact: Estimate
    alpha: Estimate


def agreement_of(
    column: ValueColumn,
    table: Evaluated,
    places: Places,
    scale: Scale,
    level: float,
) -> JudgeAgreement | None:
    """Returns how far a judge agrees with people, by the values of what they say; None where all
    say the same, where hardly two values are the same, or where the judge is not on people's scale.

    Args:
        places: of the units that people labelled.
    """
    if not is_on(column, scale):
        return None
    people = list(table.people.values())
    given = sorted({number for c in (column, *people) for number in _numbers_at(c, places)})
    if not 1 < len(given) <= _MOST_VALUES:
        return None
    metric: Metric = "interval"
    if len(given) == 2:
        metric = "nominal"
    labels = LabelScale(metric=metric, labels=tuple(map(_text_of, given)), values=tuple(given))
    sides = RaterSides(ones=[_by_value(column)], others=list(map(_by_value, people)))
    if table.clusters is None:
        table = replace(table, cluster=None)
    ratings = ratings_of(table, sides, labels, places)

    def estimate(coefficient: Coefficient) -> Estimate:
        return estimate_agreement(ratings, coefficient, level=level, resamples=_RESAMPLES)

    return JudgeAgreement(
        exact=estimate(share_within(0, len(given))), alpha=estimate(alpha(metric, ratings.worth))
    )


def _numbers_at(column: ValueColumn, places: Places) -> set[float]:
    """Returns the different numbers that a column holds of some units."""
    codes = np.unique(column.codes[places])
    return {column.values[code] for code in codes[codes >= 0].tolist()}


def _by_value(column: ValueColumn) -> ValueColumn:
    """Returns a column whose labels are its values as text."""
    return replace(column, labels=tuple(map(_text_of, column.values)))


def _text_of(value: float) -> str:
    """Returns a value as text, by which equal ones are one: no -0.0."""
    return str(value + 0.0)


def is_on(column: ValueColumn, scale: Scale) -> bool:
    """Whether all that a column holds lies on a scale."""
    if not column.values:
        return False
    return scale.low <= min(column.values) and max(column.values) <= scale.high


def distances_of(column: ValueColumn, means: Floats, places: Places) -> tuple[float, float] | None:
    """Returns the judge's numbers less people's, and how far they are apart, on average; None of
    words, and where no unit has both.

    Args:
        means: of people, for each unit.
        places: of the units that they labelled.
    """
    differences = (column.numbers - means)[places]
    differences = differences[~np.isnan(differences)]
    if column.kind == "word" or not len(differences):
        return None
    return float(differences.mean()), float(np.abs(differences).mean())


def correlation_of(column: ValueColumn, means: Floats, places: Places) -> float | None:
    """Returns Pearson's correlation of a judge's numbers and people's; None of words, and where
    either says the same of all.

    Args:
        means, places: as of `distances_of`.
    """
    judged, people = column.numbers[places], means[places]
    both = ~np.isnan(judged) & ~np.isnan(people)
    judged, people = judged[both], people[both]
    if column.kind == "word" or len(judged) < 2 or not (np.ptp(judged) > 0 < np.ptp(people)):
        return None
    return float(np.corrcoef(judged, people)[0, 1])


def labels_wanted(
    corrected: Estimate, by_cells: Correction | None, half_width: float
) -> int | None:
    """Returns how many labels a half-width takes, as the labels so far show it; None where no
    number is enough with so many units.

    Args:
        corrected: as a share of the scale.
        half_width: a share of the scale.
    """
    if not 0 < half_width < 0.5:
        return None
    if by_cells is not None:
        needed = needs(
            pilot_strata(by_cells.cells),
            half_width,
            verdicts=corrected.n_units,
            level=corrected.level,
            design_effect=max(1.0, corrected.design_effect or 1.0),
            target=corrected.target,
        )
        return needed[-1].labels
    if corrected.low is None or corrected.high is None or not corrected.n_labels:
        return None
    now = (corrected.high - corrected.low) / 2
    labels = math.ceil(corrected.n_labels * (now / half_width) ** 2)
    return labels if labels <= corrected.n_units else None


def labels_at_first(half_width: float, level: float, units: int) -> int | None:
    """Returns how many labels a half-width takes where nothing is known of the judge's errors: as
    many as people alone need for a share of a half; None where there are not so many units.

    Args:
        half_width: a share of the scale.
    """
    if not 0 < half_width < 0.5:
        return None
    labels = math.ceil((normal_quantile((1 + level) / 2) / half_width) ** 2 / 4)
    return labels if labels <= units else None
