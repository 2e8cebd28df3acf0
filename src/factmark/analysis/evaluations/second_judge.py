"""What a second judge beside the first is worth in labels by people."""

from __future__ import annotations

from dataclasses import replace

from factmark.analysis.evaluations.reading import GivenTable
from factmark.analysis.evaluations.results import SecondJudge
from factmark.errors import InputError
from factmark.evaluated.coding import Coder
from factmark.evaluated.columns import value_column
from factmark.evaluated.corrected import How, corrected_by_judges, people_labels
from factmark.files.problems import Problems
from factmark.intake.column_reader import read_columns
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
    table = replace(table, judges={given.judge: table.judges[given.judge], name: column})
    labels = len(people_labels(table, how).values)
    if not labels:
        raise InputError("--second: people labelled nothing yet; --sheet draws units for them.")
    alone = corrected_by_judges(table, [given.judge], how)
    both = corrected_by_judges(table, [given.judge, name], how)
    return SecondJudge(
        name=name,
        corrected=on_scale(both, how.scale),
        worth_of_one=alone.n_effective or float(labels),
        worth_of_both=both.n_effective or float(labels),
    )
