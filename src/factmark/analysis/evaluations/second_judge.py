"""What a second judge beside the first is worth in labels by people."""

from __future__ import annotations

import math

import numpy as np

from factmark.analysis.evaluations.reading import GivenTable
from factmark.analysis.evaluations.results import SecondJudge
from factmark.errors import InputError
from factmark.evaluated.coding import Coder
from factmark.evaluated.columns import value_column
from factmark.evaluated.estimates import How
from factmark.files.problems import Problems
from factmark.intake.column_reader import read_columns
from factmark.model import Estimate
from factmark.stats.judge_line.corrected import corrected_by_line
from factmark.stats.judge_line.sample import Drawing
from factmark.stats.scales import on_scale


def second_judge(given: GivenTable, how: How, name: str) -> SecondJudge | None:
    """Returns the corrected mean by two judges, and what labels are worth with one and with both;
    None where nobody asked for a second.

    Both go into one line, so that a second judge that errs like the first adds little.

    Raises:
        InputError: there is no such column, it says nothing of units, or people labelled nothing.
    """
    if not name:
        return None
    if name == given.judge or name not in given.file.sample.columns:
        known = ", ".join(column for column in given.file.sample.columns if column != given.judge)
        raise InputError(f"--second {name!r}: name another column than the judge's: {known}.")
    taken = read_columns(given.file, lambda: {name: Coder(name)}, Problems())
    coder = taken[name]
    column = value_column(coder.column()) if isinstance(coder, Coder) else None
    if column is None:
        raise InputError(f"--second {name!r}: says nothing of a unit that is known.")
    table = given.evaluated
    means = (table.people_means - how.scale.low) / how.scale.span
    people = {place: float(means[place]) for place in np.flatnonzero(~np.isnan(means)).tolist()}
    if not people:
        raise InputError("--second: people labelled nothing yet; --sheet draws units for them.")
    columns = []
    for numbers in (table.judges[given.judge].numbers, column.numbers):
        columns.append([None if math.isnan(number) else number for number in numbers.tolist()])

    def corrected(judges: list[list[float | None]]) -> Estimate:
        return corrected_by_line(
            judges,
            people,
            level=how.level,
            target=how.target,
            drawing=Drawing(clusters=table.clusters),
        )

    alone, both = corrected(columns[:1]), corrected(columns)
    return SecondJudge(
        name=name,
        corrected=on_scale(both, how.scale),
        worth_of_one=alone.n_effective or float(len(people)),
        worth_of_both=both.n_effective or float(len(people)),
    )
