"""What to say of a table without the needed columns: the options that would read it, each tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations
from shlex import quote

from factmark.graphs.triples.cells import NEEDED, holds_triples
from factmark.graphs.triples.named_columns import (
    TASK,
    NamedColumns,
    best_first,
    is_filled,
    is_relation,
    n_values,
    pairs_of,
    places_of,
)
from factmark.intake.columns import TableColumn, TableSample
from factmark.intake.heads import CELLS
from factmark.intake.mapping import TableMapping
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.text.shown_text import first_names

_TRIED = 6  # columns that advice is tried on


def what_is_lacking(
    table: TableFile,
    sample: TableSample,
    given: TableMapping,
    named: tuple[str, str] | None = None,
) -> str:
    """Returns the message for a table without the needed columns: what there is, and the options
    that a trial read accepts.

    Args:
        named: role and column that the user names and that is not there.
    """
    names = NamedColumns(sample)
    known = dict(given.columns)
    for pair in best_first(list(pairs_of(names, given)), sample)[:1]:
        known = {"head": (pair.head,), "tail": (pair.tail,), **known}
    ways = list(_ways(sample, replace(given, columns=known)))
    lacking = [role for role in NEEDED if role not in known]
    is_of_cells = table.path.suffix.casefold() in CELLS and table.has_head
    if is_of_cells and len(lacking) == len(sample.heads) == len(NEEDED):
        numbers = zip(NEEDED, "123", strict=True)
        words = " ".join(f"--column {role}={number}" for role, number in numbers)
        ways.append(f"{words} if line 1 is a triple itself")
    role, column = named or (lacking[0], lacking[0])
    held = first_names(sample.columns)
    message = f"{sample.source}: no column {column!r} for the {role}. Found: {held}."
    if ways:
        return f"{message} Say which it is, for example {'; or '.join(ways[:4])}."
    if named and not lacking:
        return f"{message} Without --column {role}={column} the file is read."
    return f"{message} No other column can be it: triples need names in three columns."


def _ways(sample: TableSample, given: TableMapping) -> Iterator[str]:
    """Yields the options that name columns for the parts that are lacking, each tried."""
    lacking = [role for role in NEEDED if role not in given.columns]
    taken = {name for names in given.columns.values() for name in names}
    for path, column in sample.columns.items():
        if len(lacking) == len(NEEDED) and column.filled and holds_triples(column.filled):
            yield f"--column triple={quote(path)}"
            return
    free = [column for column in free_names(sample, taken) if is_relation(column, sample)]
    for columns in _choices(free, len(lacking), sample):
        mapping = given.with_columns(
            {role: (column.path,) for role, column in zip(lacking, columns, strict=True)}
        )
        if is_filled(sample, *(mapping.column(role) for role in NEEDED)):
            words = zip(lacking, columns, strict=True)
            yield " ".join(f"--column {role}={quote(column.path)}" for role, column in words)


def _choices(
    free: Sequence[TableColumn], n_lacking: int, sample: TableSample
) -> Iterator[Sequence[TableColumn]]:
    """Yields the columns that may be the lacking parts, in the order of the parts: of whole triples
    in both directions, about a column that is called as relations are, or about one in the middle
    of three."""
    if n_lacking < len(NEEDED):
        yield from permutations(free[:_TRIED], n_lacking)
        return
    names = set(role_names(TASK)["relation"])
    relations = []
    for column in sample.columns.values():
        is_named = any(place.name in names for place in places_of(column.path, sample))
        if is_named and is_relation(column, sample) and column.filled:
            relations.append(column)
    if len(relations) == 1:
        columns = [column for column in sample.columns.values() if column.kind == "name"]
        ends = [column for column in columns if column not in relations][:_TRIED]
        for head, tail in permutations(ends, 2):
            yield head, relations[0], tail
        return
    for at in range(len(free) - 2):
        three = free[at : at + len(NEEDED)]
        yield three
        yield three[::-1]


def relations_among(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Returns which of three columns may be the relation: the one that shares no value with the
    others, which share some. Where none share any it is the one in the middle, as in all published
    sets of triples, or the last where that has fewer values."""
    if len(columns) != len(NEEDED):
        return []
    values = [set(column.texts) for column in columns]
    for place, (first, second) in enumerate(((1, 2), (0, 2), (0, 1))):
        shares = values[first] & values[second]
        if shares and not values[place] & (values[first] | values[second]):
            return [columns[place]]
    if n_values(columns[1]) <= n_values(columns[2]):
        return [columns[1]]
    return [columns[1], columns[2]]


def free_names(sample: TableSample, taken: Iterable[str]) -> list[TableColumn]:
    """Returns the columns of a table that hold names, and no role yet."""
    columns = []
    for path, column in sample.columns.items():
        if path in sample.heads and path not in taken and column.kind == "name":
            columns.append(column)
    return columns
