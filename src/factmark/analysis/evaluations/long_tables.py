"""Tables whose rows are not the units: long ones, and those that end in their own mean.

In a long table each row says what one of several metrics or judges says of a case. The mean of all
rows is a mean of nothing; a case becomes a row, and each metric an object of its own columns:
`Faithfulness.score`, `Faithfulness.reason`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import fsum

from factmark.analysis.evaluations.columns import said_columns
from factmark.errors import InputError
from factmark.evaluated.words import number_of, worth_of_word
from factmark.files.problems import Problems
from factmark.files.rows import Row
from factmark.intake.columns import TableColumn, TableSample, folded
from factmark.intake.shapes import AS_IT_STANDS, Placed
from factmark.intake.table_file import TableFile
from factmark.intake.tools import is_beside, role_names
from factmark.text.shell import quote
from factmark.text.shown_text import first_names

_MOST = 30  # metrics
_FEWEST = 3  # rows of which some may sum up the others
_MOST_ENDS = 9  # rows that do
_NEAR = 0.005  # of a sum, as rounded means are
_TEXTS = ("name", "number", "text")
_ALIKE = 0.8  # of the values that a column of the case has under all metrics, those under each


def without_summary(file: TableFile) -> TableFile:
    """Returns a table without rows at its ends that sum up the others: one of them is called so,
    and one of its numbers is their mean or sum; what is called a spread stands beside it."""
    sample = file.sample
    if not sample.is_whole or len(sample.rows) < _FEWEST:
        return file
    places = [*_called_so(sample.rows), *_called_so(sample.rows[::-1])]
    others = [row for where, row in sample.rows if where not in places]
    ends = [row for where, row in sample.rows if where in places]
    names = set(role_names("analyse", "words")["summary"])
    sums = [row for row in ends if _names_in(row) & names and _sums_up(row, others)]
    if not sums or any(_names_in(row) & names for row in others):
        return file

    def rows(problems: Problems) -> Iterator[Placed]:
        for place, each in file.rows(problems):
            if place in places:
                problems.drop("sums up the others", place)
            else:
                yield place, each

    return replace(file, stream=rows, shape=AS_IT_STANDS)


def _called_so(rows: Sequence[Placed]) -> list[str]:
    """Returns the places of the first rows that are called a sum or a spread, each another; none
    where several are called alike, as kinds of questions are."""
    words = role_names("analyse", "words")
    known = {*words["summary"], *words["spread"]}
    places = []
    names: list[str] = []
    for where, row in rows[:_MOST_ENDS]:
        called = _names_in(row) & known
        if not called:
            break
        places.append(where)
        names += called
    return places if len(names) == len(set(names)) else []


def _names_in(row: Row) -> set[str]:
    """Returns the texts of a row as names are compared."""
    return {folded(cell) for cell in row.values() if isinstance(cell, str)}


def _sums_up(row: Row, others: Sequence[Row]) -> bool:
    """Whether a number of a row is the mean or the sum of those of the others."""
    for name, cell in row.items():
        number = number_of(str(cell))
        numbers = [number_of(str(other.get(name))) for other in others]
        given = [n for n in numbers if n is not None]
        if number is None or len(given) < 2:
            continue
        total = fsum(given)
        near = abs(total) * _NEAR
        if abs(number - total) <= near or abs(number * len(given) - total) <= near:
            return True
    return False


def in_wide_form(file: TableFile, stratum: str) -> TableFile:
    """Returns a table with a row for each case where its rows are of several metrics; another as it
    is.

    Args:
        stratum: the column that the user names for slices; of a metric's it says that all rows are
            to be taken together.

    Raises:
        InputError: rows of several metrics are of the same cases, and nothing tells which.
    """
    sample = file.sample
    if file.form is not None:
        return file
    for column in sample.named(role_names("analyse", "words")["metric"]):
        if column.path == stratum or not _has_names(column, sample):
            continue
        case = [path for path in _texts(sample) if _is_of_case(sample.columns[path], column)]
        if not any(sample.columns[path].n_distinct > 1 for path in case):
            continue
        if _are_told_apart(sample, [*case, column.path]):
            shape = replace(file.shape, case=tuple(case), event=(column.path,))
            return replace(file, shape=shape)
        raise InputError(
            f"{file.path}: its rows are of several {column.path!r}: "
            f"{first_names(sorted(set(column.texts)))}, and no columns tell which rows are of one "
            f"case. To take all of them together: --column stratum={quote(column.path)}."
        )
    return file


def _has_names(column: TableColumn, sample: TableSample) -> bool:
    """Whether a column has a few names, which are no verdicts."""
    if column.path not in sample.heads or column.kind != "name":
        return False
    is_few = 1 < column.n_distinct <= _MOST
    return is_few and any(worth_of_word(text) is None for text in set(column.texts))


def _texts(sample: TableSample) -> list[str]:
    """Returns the columns of a sample that hold names or texts, or tell which a case is: those that
    say something of it are the metrics'."""
    values = said_columns(sample, "")
    texts = []
    for path, column in sample.columns.items():
        if column.kind in _TEXTS and (path not in values or is_beside(path)):
            texts.append(path)
    return texts


def _is_of_case(column: TableColumn, metric: TableColumn) -> bool:
    """Whether a column tells something of the case: it has the same values under each metric."""
    if column.path == metric.path:
        return False
    values: dict[str, set[str]] = {}
    for name, cell in zip(metric.cells, column.cells, strict=True):
        values.setdefault(str(name), set()).add(str(cell))
    every = set().union(*values.values())
    return all(len(given) >= _ALIKE * len(every) for given in values.values())


def _are_told_apart(sample: TableSample, paths: Sequence[str]) -> bool:
    """Whether no two rows of a sample are alike in some columns."""
    cells = [sample.columns[path].cells for path in paths]
    rows = sorted(tuple(map(str, row)) for row in zip(*cells, strict=True))
    return all(row != following for row, following in pairwise(rows))
