"""Which columns of a table without a head hold the parts of its triples: by the rows alone.

A table of three columns has head, relation and tail, as all published sets. In a wider one, with
times, scores or qualifiers, a relation has to be borne out by the rows; else the user is asked.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from factmark.graphs.triples.cells import NEEDED
from factmark.graphs.triples.columns.named_columns import ENDS, are_dates, n_values
from factmark.graphs.triples.columns.row_evidence import (
    bear_out,
    numbers_the_rows,
    share_values,
)
from factmark.intake.columns import TableColumn, TableSample
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import Reading
from factmark.text.shell import quote

_MANY = 20  # times that each value of a column of types comes, at least
_MOST_WAYS = 4  # that a refusal names
_MOST_PARTS = 8  # columns that are tried
_BEGINNING = re.compile(r"(?:/\w+/)?")


class _Parts(NamedTuple):
    """The columns of a triple."""

    head: TableColumn
    relation: TableColumn
    tail: TableColumn


def readings_without_head(sample: TableSample, given: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read a table without a head; a sure one where the rows bear out one
    alone."""
    parts = [column for column in sample.columns.values() if _may_be_a_part(column, sample)]
    others = [column for column in parts if not numbers_the_rows(column)]
    columns = _without_types(others if len(others) >= len(NEEDED) else parts)
    if len(columns) < len(NEEDED):
        return
    ways = _ways(columns, is_wide=len(sample.columns) > len(NEEDED))
    for way in ways:
        named = {role: getattr(way, role).path for role in NEEDED}
        options = " ".join(f"--column {role}={quote(path)}" for role, path in named.items())
        says = f"{way.relation.path!r} is the relation"
        for column in sample.columns.values():
            if column.kind == "number" and column not in way and _is_share(column):
                named["confidence"] = column.path
        paths = {role: (path,) for role, path in named.items()}
        mapping = replace(given, columns={**paths, **given.columns})
        yield Reading(mapping=mapping, says=says, options=options, is_sure=len(ways) == 1)


def _ways(columns: Sequence[TableColumn], *, is_wide: bool) -> list[_Parts]:
    """Returns which columns may be the parts of triples, the likeliest first."""
    alike = _alike(columns)
    if len(columns) > len(NEEDED) and len(alike) == len(ENDS):
        others = [column for column in columns if column not in alike]
        return [_Parts(alike[0], min(reversed(others), key=n_values), alike[1])]
    if not is_wide:
        return [_about(relation, columns) for relation in relations_among(columns)]
    borne_out = []
    for three in combinations(columns[:_MOST_PARTS], len(NEEDED)):
        for relation in three:
            parts = _about(relation, three)
            if bear_out(relation, parts.head, parts.tail):
                borne_out.append(parts)
    with_shared = [parts for parts in borne_out if share_values(parts.head, parts.tail)]
    in_order = [_Parts(*columns[at : at + len(NEEDED)]) for at in range(len(columns) - 2)]
    if borne_out:
        best = with_shared or borne_out
        return ([parts for parts in best if parts in in_order] or best)[:_MOST_WAYS]
    first = columns[: len(NEEDED)]
    return [*in_order, *(_about(relation, first) for relation in (first[0], first[2]))][:_MOST_WAYS]


def _about(relation: TableColumn, three: Sequence[TableColumn]) -> _Parts:
    """Returns three columns of which one is the relation, the head before the tail."""
    head, tail = (column for column in three if column is not relation)
    return _Parts(head, relation, tail)


def relations_among(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Returns which of three columns may be the relation: the one that shares no value with the
    others, which share some. Where none share any it is the one in the middle, as in all published
    sets of triples, or the last where that has fewer values."""
    values = [set(column.texts) for column in columns]
    for place, (first, second) in enumerate(((1, 2), (0, 2), (0, 1))):
        shares = values[first] & values[second]
        if shares and not values[place] & (values[first] | values[second]):
            return [columns[place]]
    if n_values(columns[1]) <= n_values(columns[2]):
        return [columns[1]]
    return [columns[1], columns[2]]


def _may_be_a_part(column: TableColumn, sample: TableSample) -> bool:
    """Whether a column without a name may hold a part of triples: names in most rows, of nodes as
    numbers only where there are three columns."""
    is_written = all(text[:1] in "{[" for text in column.texts)
    if is_written or len(column.filled) * 2 < len(column.cells) or are_dates(column):
        return False
    return column.kind == "name" or len(sample.columns) == len(NEEDED)


def _without_types(columns: Sequence[TableColumn]) -> Sequence[TableColumn]:
    """Returns columns without two that have the types of two others: few values, which they
    share."""
    few = [column for column in columns if column.n_distinct * _MANY <= len(column.filled)]
    for first, second in combinations(few, 2):
        shared = set(first.texts) & set(second.texts)
        n_more = max(first.n_distinct, second.n_distinct)
        if len(columns) == len(NEEDED) + len(ENDS) and len(shared) * 2 >= n_more:
            return [column for column in columns if column not in (first, second)]
    return columns


def _alike(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Returns the columns most of whose values begin alike (`/c/en/dog`, `/c/en/cat`), where those
    of no other two do."""
    by_beginning: dict[str, list[TableColumn]] = {}
    for column in columns:
        beginnings = Counter(_BEGINNING.match(text)[0] for text in column.texts)  # type: ignore[index]
        beginning, count = beginnings.most_common(1)[0]
        if beginning and count * 2 > len(column.texts):
            by_beginning.setdefault(beginning, []).append(column)
    groups = [group for group in by_beginning.values() if len(group) > 1]
    return groups[0] if len(groups) == 1 else []


def _is_share(column: TableColumn) -> bool:
    """Whether all numbers of a column are from 0 to 1."""
    return all(0 <= float(text.replace(",", ".")) <= 1 for text in column.texts)
