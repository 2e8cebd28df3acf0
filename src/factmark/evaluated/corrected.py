"""What people would have said of all units: the one way to correct a judge by their labels. Pure.

A judge of words is corrected verdict by verdict (`stats.corrections`), one of ratings or scores by
a line in its numbers (`stats.judge_line`). All that corrects makes a table and asks here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from factmark.evaluated.beside_people import is_on
from factmark.evaluated.coding import NOTHING, CodedColumn
from factmark.evaluated.columns import ValueColumn
from factmark.evaluated.drawing import GroupRate, unequal_rates
from factmark.evaluated.table import Evaluated
from factmark.model import SHARE, Estimate, Scale, Target
from factmark.stats.cells import tabulate, verdicts_in_strata
from factmark.stats.corrections import Correction, correction
from factmark.stats.given_columns import Values, plain_list
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.difference import JudgedSide
from factmark.stats.judge_line.drawn_by_residuals import with_steps
from factmark.stats.judge_line.line import fit
from factmark.stats.judge_line.sample import Drawing, sample_of

_FEWEST = 20  # labels that tell a line through ratings
_MOST_OPEN = 0.1  # of the units, with a rating of which people labelled none


@dataclass(frozen=True, slots=True, kw_only=True)
class How:
    """How estimates are made.

    Attributes:
        level: of the intervals.
        target: what they speak for.
        scale: that people's values are on.
        half_width: that is wanted, in points of the scale.
        part: for just these units: the share of those at hand, a random part, of all that there
            are.
        by_verdict: whether labels were drawn at random within each verdict, or nobody knows how;
            each counts as many units as it stands for.
        by_stratum: whether they were drawn within each stratum; else that is tested.
    """

    level: float = 0.95
    target: Target = "process"
    scale: Scale = SHARE
    half_width: float = 0.03
    part: float = 1.0
    by_verdict: bool = False
    by_stratum: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleLabels:
    """What people said.

    Attributes:
        values: place of a unit -> their mean, as a share of the scale.
        drawing: how units were drawn for them.
        by_slice: the slices of which they labelled more or fewer units than of the others.
    """

    values: Mapping[int, float]
    drawing: Drawing
    by_slice: tuple[GroupRate, ...]


def people_labels(table: Evaluated, how: How) -> PeopleLabels:
    """Returns what people said of a table's units.

    Raises:
        ValueError: a value that is not on the scale.
    """
    labelled = ~np.isnan(table.people_means)
    by_slice, strata = _slices(table.stratum, labelled, how)
    means = table.people_by_place
    return PeopleLabels(
        values={place: _share(how.scale, mean) for place, mean in means.items()},
        drawing=Drawing(clusters=table.clusters, strata=strata, weights=_weights(table, labelled)),
        by_slice=tuple(by_slice),
    )


def corrected_mean_of(table: Evaluated, judge: str, how: How) -> Estimate:
    """Returns what people would have said of all units, as a share of the scale.

    Raises:
        ValueError: people labelled no unit, or said what is not on the scale.
    """
    return corrected_with(table.judges[judge], people_labels(table, how), how)[0]


def corrected_by_judges(table: Evaluated, judges: Sequence[str], how: How) -> Estimate:
    """Returns the same by one line in what several judges said.

    Raises:
        ValueError: as `corrected_mean_of`.
    """
    people = people_labels(table, how)
    return _by_line([table.judges[name].numbers for name in judges], people, how)


def spread_of_line(table: Evaluated, judge: str) -> float:
    """Returns how far people's values lie off a line in what a judge said, as a share of the scale
    from 0 to 1 (root mean square)."""
    people = people_labels(table, How())
    line = fit(sample_of([table.judges[judge].numbers], people.values, Drawing()))
    return math.sqrt(float(np.mean(line.residuals**2)))


def judged_side(table: Evaluated, judge: str, how: How) -> JudgedSide | None:
    """Returns a system's units with what judge and people said, as differences of systems take
    them; None where people labelled no unit.

    Raises:
        ValueError: people said what is not on the scale.
    """
    people = people_labels(table, how)
    if not people.values:
        return None
    column = table.judges[judge]
    weights = _known_weights(column, people, how)
    numbers = column.numbers.tolist()
    return JudgedSide(
        items=table.items,
        judge=[None if math.isnan(number) else number for number in numbers],
        people=[people.values.get(place) for place in range(len(table))],
        weights=None if weights is None else plain_list(weights),
    )


def corrected_with(
    column: ValueColumn, people: PeopleLabels, how: How
) -> tuple[Estimate, Correction | None]:
    """Returns the corrected mean as a share of the scale; of words with all that it rests on."""
    weights = people.drawing.weights
    is_by_line = not drawn_by_verdict(column, people)
    if not is_of_words(column):
        if weights is not None:
            drawing = with_steps(people.drawing, column.numbers, len(people.values))
            people = replace(people, drawing=drawing)
        return _by_line([column.numbers], people, how), None
    if is_by_line:
        return _by_line([column.texts], people, how), None
    by_cells = _by_cells(column, people, how)
    return by_cells.corrected, by_cells


def correction_of(table: Evaluated, judge: str, how: How) -> Correction | None:
    """Returns what people would have said of all units, verdict by verdict, with all that tells how
    far a judge of words or of few ratings can be trusted; None where people labelled no unit.

    Of ratings the corrected mean is that of a line in them, where there are labels enough for one.
    The cells are the units by verdict, whatever strata they are of.
    """
    column = table.judges[judge]
    people = people_labels(table, how)
    if not people.values:
        return None
    by_cells = _by_cells(column, people, how)
    if people.drawing.strata is not None:
        by_cells = replace(by_cells, cells=tabulate(column.texts, people.values))
    if column.kind == "word" or not _tells_a_line(column, people):
        return by_cells
    drawing = replace(people.drawing, weights=_known_weights(column, people, how))
    line = _by_line([column.numbers], replace(people, drawing=drawing), how)
    worth = line.n_effective or float(len(people.values))
    return replace(by_cells, corrected=line, effective_labels=worth)


def is_of_words(column: ValueColumn) -> bool:
    """Whether a judge is corrected verdict by verdict: of words, or of two numbers."""
    return column.kind == "word" or len(column.values) <= 2


def _share(scale: Scale, value: float) -> float:
    """Returns a value as a share of the scale; raises ValueError for one that is not on it."""
    if not scale.low <= value <= scale.high:
        ends = f"from {scale.low:g} to {scale.high:g}"
        raise ValueError(f"people gave {value:g}, which is not {ends}")
    return scale.share(value)


def _slices(
    column: CodedColumn | None, labelled: NDArray[np.bool_], how: How
) -> tuple[list[GroupRate], list[str | None] | None]:
    """Returns the slices that were labelled at another rate than the others, and each unit's slice
    where there are such, by which labels are weighted then."""
    if column is None:
        return [], None
    names = [str(cell) for cell in column.cells]
    rates: list[GroupRate] = []
    if not how.by_stratum:
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
    if (
        not len(drawn)
        or np.isnan(drawn).any()
        or not (drawn > 0).all()
        or math.isclose(drawn.min(), drawn.max())
    ):
        return None
    known = np.where(table.probability > 0, table.probability, 1.0)
    return [float(weight) for weight in 1 / known]


def _known_weights(column: ValueColumn, people: PeopleLabels, how: How) -> Values | None:
    """Returns the weights of the drawing, or for each unit of how many of its verdict a label of it
    stands, where labels were drawn so; else None."""
    if people.drawing.weights is not None or not how.by_verdict:
        return people.drawing.weights
    codes = column.codes.tolist()
    totals = Counter(codes)
    labelled = Counter(codes[place] for place in people.values)
    return [totals[code] / max(1, labelled[code]) for code in codes]


def _tells_a_line(column: ValueColumn, people: PeopleLabels) -> bool:
    """Whether labels tell a line through ratings: there are twenty of them and three ratings, and
    few units with a rating of which people labelled none, for which the line speaks then."""
    codes = column.codes.tolist()
    totals = Counter(codes)
    known = {codes[place] for place in people.values}
    without = sum(n for code, n in totals.items() if code not in known)
    return (
        len(people.values) >= _FEWEST
        and without <= _MOST_OPEN * len(codes)
        and len(totals.keys() - {NOTHING}) > 2
    )


def _by_line(judges: Sequence[Values], people: PeopleLabels, how: How) -> Estimate:
    """Returns the mean corrected by a line in what judges said."""
    return corrected_by_line(
        judges,
        people.values,
        drawing=people.drawing,
        level=how.level,
        target=how.target,
        part=how.part,
    )


def _by_cells(column: ValueColumn, people: PeopleLabels, how: How) -> Correction:
    """Returns the correction verdict by verdict, of verdict and stratum where labels were drawn by
    stratum."""
    worth = None
    if is_on(column, how.scale):
        shares = map(how.scale.share, column.values)
        worth = dict(zip(column.labels, shares, strict=True))
    verdicts = column.texts
    if people.drawing.strata is not None:
        verdicts, worth = _in_strata(verdicts, [*people.drawing.strata], people.values, worth)
    return correction(
        verdicts,
        people.values,
        level=how.level,
        clusters=people.drawing.clusters,
        judge_values=worth,
        target=how.target,
        part=how.part,
        by_verdict=how.by_verdict,
    )


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


def drawn_by_verdict(column: ValueColumn, people: PeopleLabels) -> bool:
    """Whether all labels of a verdict were drawn alike, so that it needs no weights."""
    if people.drawing.weights is None:
        return True
    drawn: dict[int, float] = {}
    listed = plain_list(people.drawing.weights)
    for place in people.values:
        first = drawn.setdefault(int(column.codes[place]), listed[place])
        if not math.isclose(first, listed[place]):
            return False
    return True
