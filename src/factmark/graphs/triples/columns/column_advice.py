"""What to say of a table without the needed columns: the options that would read it, each tried."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import permutations

from factmark.graphs.triples.cells import NEEDED, holds_triples
from factmark.graphs.triples.columns.named_columns import (
    ENDS,
    TASK,
    NamedColumns,
    best_first,
    common_object,
    is_called,
    is_filled,
    is_relation,
    pairs_of,
    places_of,
)
from factmark.graphs.triples.columns.row_evidence import (
    bear_out,
    may_be_relation,
    numbers_the_rows,
    settles,
)
from factmark.intake.columns import TableColumn, TableSample, folded
from factmark.intake.heads import CELLS
from factmark.intake.mapping import TableMapping
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.text.shell import quote
from factmark.text.shown_text import first_names

_TRIED = 6  # columns that advice is tried on
_MOST_WAYS = 4
_MANY = 10  # rows by which a reading is borne out


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
    source = sample.source.removesuffix(", line 1")
    message = f"{source}, line 1: no column {column!r} for the {role}. Found: {held}."
    if lacking == ["relation"]:
        same = f"--column {quote('relation==related to')}"
        ways = [*ways[:_MOST_WAYS], f"{same} where no column names it, in your words"]
    if ways:
        return f"{message} Say which it is, for example {'; or '.join(ways[: _MOST_WAYS + 1])}."
    if named and not lacking:
        return f"{message} Without --column {role}={quote(column)} the file is read."
    return f"{message} No other column can be it: triples need names in three columns."


def _ways(sample: TableSample, given: TableMapping) -> Iterator[str]:
    """Yields the options that name columns for the parts that are lacking, each tried."""
    lacking = [role for role in NEEDED if role not in given.columns]
    taken = {name for names in given.columns.values() for name in names}
    for path, column in sample.columns.items():
        if len(lacking) == len(NEEDED) and column.filled and holds_triples(column.filled):
            yield f"--column triple={quote(path)}"
            return
    if lacking == ["relation"]:
        relations = _relations_between(sample, given)
        yield from (f"--column relation={quote(column.path)}" for column in relations)
        return
    free = []
    for column in free_names(sample, taken):
        if is_relation(column, sample) and not numbers_the_rows(column):
            free.append(column)
    for columns in _choices(free, len(lacking), sample):
        mapping = given.with_columns(
            {role: (column.path,) for role, column in zip(lacking, columns, strict=True)}
        )
        if is_filled(sample, *(mapping.column(role) for role in NEEDED)):
            words = zip(lacking, columns, strict=True)
            yield " ".join(f"--column {role}={quote(column.path)}" for role, column in words)


def _relations_between(sample: TableSample, given: TableMapping) -> list[TableColumn]:
    """Returns the columns beside a head and a tail that may be their relation: those first that
    neither end settles alone, as it does its type."""
    paths = [given.column(end) for end in ENDS]
    if not all(path in sample.columns for path in paths):
        return []
    ends = [sample.columns[path] for path in paths]
    within = common_object(sample, *paths)
    relations = []
    for path, column in sample.columns.items():
        beside = path in sample.heads or path.rpartition(".")[0] == within
        is_name = column.kind == "name" and len(column.filled) * 2 >= len(column.cells)
        of_end = path in paths or any(_is_of(path, end) for end in paths)
        may_be = is_relation(column, sample) and may_be_relation(column, ends)
        if beside and is_name and may_be and not of_end:
            relations.append(column)
    return sorted(relations, key=lambda column: any(settles(end, column) for end in ends))


def _is_of(path: str, end: str) -> bool:
    """Whether a column is called as something of an end, as `start_type` beside `start_id`."""
    first, second = (folded(name.rpartition(".")[2]) for name in (path, end))
    stem = second.rpartition("_")[0] or second
    return first.startswith(f"{stem}_") or first == stem


def _choices(
    free: Sequence[TableColumn], n_lacking: int, sample: TableSample
) -> Iterator[Sequence[TableColumn]]:
    """Yields the columns that may be the lacking parts, in the order of the parts: of whole triples
    in both directions, about a column that is called as relations are, or about one in the middle
    of three; those that the rows bear out where they are many."""
    if n_lacking < len(NEEDED):
        yield from permutations(free[:_TRIED], n_lacking)
        return
    names = set(role_names(TASK)["relation"])
    relations = []
    for column in sample.columns.values():
        is_named = any(place.name in names for place in places_of(column.path, sample))
        is_weak = is_called(column, sample, "weak")
        may_be = is_relation(column, sample) and may_be_relation(column, (), is_weak=is_weak)
        if is_named and may_be and column.filled:
            relations.append(column)
    if len(relations) == 1:
        columns = [column for column in sample.columns.values() if column.kind == "name"]
        ends = [column for column in columns if column not in relations][:_TRIED]
        ways = [(head, relations[0], tail) for head, tail in permutations(ends, 2)]
        yield from [way for way in ways if bear_out(way[1], way[0], way[2])] or ways
        return
    for at in range(len(free) - 2):
        head, relation, tail = free[at : at + len(NEEDED)]
        are_edges = not (head.is_unique or tail.is_unique) and bear_out(relation, head, tail)
        if len(sample.rows) < _MANY or are_edges:
            yield head, relation, tail
            yield tail, relation, head


def free_names(sample: TableSample, taken: Iterable[str]) -> list[TableColumn]:
    """Returns the columns of a table that hold names, and no role yet."""
    columns = []
    for path, column in sample.columns.items():
        if path in sample.heads and path not in taken and column.kind == "name":
            columns.append(column)
    return columns
