"""A table by its slices, and what the judge's error goes by: length, position, system, slice."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from factmark.analysis.evaluations.reading import GivenTable
from factmark.analysis.evaluations.results import Breakdown, SliceRow
from factmark.analysis.options import AnalyseOptions
from factmark.errors import InputError
from factmark.evaluated.beside_people import is_on
from factmark.evaluated.coding import Coder
from factmark.evaluated.corrected import How, PeopleLabels, drawn_by_verdict, people_labels
from factmark.evaluated.table import Evaluated, Floats
from factmark.files.problems import Problems
from factmark.intake.column_reader import read_columns
from factmark.intake.columns import TableSample
from factmark.intake.tools import named_columns
from factmark.stats.judge_line.bias import BiasTest, ErrorBand, bias_tests
from factmark.stats.judge_line.slices import corrected_slices
from factmark.stats.scales import difference_on_scale, on_scale

ALL = "all"
_NO_SLICE = "none"
_TEXTS = ("response", "claim")
_GROUPS = ("system", "stratum")


class _Lengths:
    """Takes texts as their lengths in characters."""

    def __init__(self) -> None:
        self.values: list[float | None] = []

    def add(self, cells: Sequence[Any]) -> None:
        """Takes the next cells; of an empty one no length is known."""
        self.values += [None if cell in (None, "") else float(len(str(cell))) for cell in cells]


def breakdown_of(given: GivenTable, how: How, options: AnalyseOptions) -> Breakdown:
    """Returns the slices that `--by` asks for, and the tests of `--bias`; nothing where neither
    does.

    Raises:
        InputError: there is no such column, or people labelled nothing yet.
    """
    if not options.by and not options.bias:
        return Breakdown()
    table = given.evaluated
    people = people_labels(table, how)
    if not people.values:
        asked = "--by" if options.by else "--bias"
        raise InputError(
            f"{asked}: people labelled none of {options.table} yet. --sheet draws units."
        )
    judge = _on_peoples_scale(table, given.judge, how)
    columns = _columns(given, options)
    rows: tuple[SliceRow, ...] = ()
    if options.by:
        rows = tuple(_slices(judge, people, columns[options.by], how))
    factors = {name: column for name, column in columns.items() if _is_factor(name, options)}
    tests = bias_tests(
        judge,
        people.values,
        factors,
        clusters=table.clusters,
        level=how.level,
        is_drawn=not people.by_slice and drawn_by_verdict(table.judges[given.judge], people),
    )
    return Breakdown(
        by=options.by, slices=rows, biases=tuple(_on_scale(test, how) for test in tests)
    )


def _is_factor(name: str, options: AnalyseOptions) -> bool:
    """Whether a column is looked at by `--bias`."""
    wanted = options.bias or ()
    return name in wanted or (ALL in wanted and name != "")


def _on_peoples_scale(table: Evaluated, judge: str, how: How) -> list[float | None]:
    """Returns a judge's numbers as shares of people's scale, None where it said nothing; of one on
    another scale by the line that brings them nearest to people's."""
    column = table.judges[judge]
    shares = (column.numbers - how.scale.low) / how.scale.span
    if not is_on(column, how.scale):
        shares = _nearest(column.numbers, (table.people_means - how.scale.low) / how.scale.span)
    return [None if math.isnan(share) else share for share in shares.tolist()]


def _nearest(numbers: Floats, means: Floats) -> Floats:
    """Returns numbers on the line through people's values that least squares give."""
    both = ~np.isnan(numbers) & ~np.isnan(means)
    if np.count_nonzero(both) < 2 or np.ptp(numbers[both]) <= 0:
        return numbers
    x, y = numbers[both], means[both]
    slope = float(np.cov(x, y, bias=True)[0, 1] / x.var())
    return np.asarray(y.mean() + slope * (numbers - x.mean()), dtype=np.float64)


def _columns(given: GivenTable, options: AnalyseOptions) -> dict[str, list[Any]]:
    """Returns name -> a value for each unit, of all columns that are asked for: a text's length.

    Raises:
        InputError: there is no such column.
    """
    wanted = [name for name in (options.by, *(options.bias or ())) if name not in ("", ALL)]
    sample = given.file.sample
    for name in wanted:
        if name not in sample.columns:
            known = ", ".join(sample.columns)
            raise InputError(f"{options.table}: no column {name!r}. It has {known}.")
    if ALL in (options.bias or ()):
        wanted += _usual(given)
    paths = list(dict.fromkeys(wanted))

    def takers() -> dict[str, Any]:
        return {path: _taker(sample, path) for path in paths}

    taken: Mapping[str, Any] = read_columns(given.file, takers, Problems())
    return {path: _values_of(taken[path]) for path in paths}


def _usual(given: GivenTable) -> Iterator[str]:
    """Yields the columns that an error often goes by: the text that was judged, its system and its
    slice, as far as the table has them."""
    for role in _GROUPS:
        if given.mapping.column(role):
            yield given.mapping.column(role)
    named = named_columns("analyse", given.file.sample)
    for role in _TEXTS:
        for column in named[role]:
            if column.kind == "text":
                yield column.path
                return


def _taker(sample: TableSample, path: str) -> Coder | _Lengths:
    """Returns what takes a column: texts as their lengths."""
    if sample.columns[path].kind == "text":
        return _Lengths()
    return Coder(path)


def _values_of(taker: Coder | _Lengths) -> list[Any]:
    """Returns a value for each unit, None where a cell is empty."""
    if isinstance(taker, _Lengths):
        return taker.values
    column = taker.column()
    return [column.cells[code] if code >= 0 else None for code in column.codes.tolist()]


def _slices(
    judge: Sequence[float | None], people: PeopleLabels, column: Sequence[Any], how: How
) -> Iterator[SliceRow]:
    """Yields the slices, the largest first, with what the judge alone says of each."""
    names = [_NO_SLICE if name is None else str(name) for name in column]
    estimates = corrected_slices(
        judge,
        people.values,
        names,
        drawing=people.drawing,
        level=how.level,
        target=how.target,
    )
    sums: dict[str, list[float]] = {}
    for name, share in zip(names, judge, strict=True):
        if share is not None:
            sums.setdefault(name, []).append(share)
    for each in estimates:
        shares = sums.get(each.name, [])
        alone = how.scale.value(math.fsum(shares) / len(shares)) if shares else None
        estimate = each.estimate
        if estimate.value is not None:
            estimate = on_scale(estimate, how.scale)
        yield SliceRow(name=each.name, corrected=estimate, judge_alone=alone, own=each.own)


def _on_scale(test: BiasTest, how: How) -> BiasTest:
    """Returns a test with its effect and errors in points of people's scale."""
    bands = tuple(
        ErrorBand(name=band.name, error=difference_on_scale(band.error, how.scale))
        for band in test.bands
    )
    among = None
    if test.among is not None:
        among = how.scale.value(test.among)
    effect = difference_on_scale(test.effect, how.scale)
    return replace(test, effect=effect, bands=bands, among=among)
