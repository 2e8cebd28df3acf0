"""What the rows of a table say of a reading as triples: they contradict it or bear it out.

What a column is called is a guess. A relation comes again and again, and is no name that stands at
an end; an id of the edge, or the sentence of the whole row, is another in each row.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from factmark.graphs.core.opaque_names import is_opaque
from factmark.intake.columns import TableColumn, is_empty

_SOME = 10  # rows from which on it says something that no value comes again
_MOST = 0.9
_SENTENCE = 15  # letters
_MENTIONED = 0.5  # of the rows
_SHARED = 0.1  # of the values of an end, at which two ends share a vocabulary


def may_be_relation(
    relation: TableColumn, ends: Sequence[TableColumn], *, is_weak: bool = False
) -> bool:
    """Whether the rows leave it open that a column is the relation between two others: it does not
    have another value in each row that is an id or has the names of the ends in it.

    Args:
        is_weak: whether its name is one that anything may have, as `name`; its values have to come
            again then.
    """
    if len(relation.filled) < _SOME or relation.n_distinct <= _MOST * len(relation.filled):
        return True
    if is_weak and len(relation.filled) >= 2 * _SOME:
        return False
    n_ids = sum(map(is_opaque, relation.texts))
    return max(n_ids, _n_with_ends(relation, ends)) < _MOST * len(relation.filled)


def _n_with_ends(relation: TableColumn, ends: Sequence[TableColumn]) -> int:
    """Returns in how many rows a column names all the ends; in none where there are no ends."""
    count = 0
    for cells in zip(relation.cells, *(end.cells for end in ends), strict=True):
        if ends and not any(map(is_empty, cells)):
            text, *others = (str(cell).strip().casefold() for cell in cells)
            count += all(other in text for other in others)
    return count


def bear_out(relation: TableColumn, head: TableColumn, tail: TableColumn) -> bool:
    """Whether the rows bear out that a column is the relation between two others: it has few
    values, none of which stand at an end, or the ends have a vocabulary together."""
    values = set(relation.texts)
    if values & set(head.texts) or values & set(tail.texts):
        return False
    if min(head.n_distinct, tail.n_distinct) < 2 or len(relation.filled) < _MOST * len(head.filled):
        return False
    is_few = relation.n_distinct * 2 <= min(head.n_distinct, tail.n_distinct)
    return is_few or share_values(head, tail)


def share_values(first: TableColumn, second: TableColumn) -> bool:
    """Whether two columns have a vocabulary together."""
    shared = set(first.texts) & set(second.texts)
    return len(shared) > _SHARED * min(first.n_distinct, second.n_distinct)


def numbers_the_rows(column: TableColumn) -> bool:
    """Whether a column has another id in each row: of the row, and no name."""
    many = len(column.filled) >= _SOME and column.is_unique
    return many and sum(map(is_opaque, column.texts)) >= _MOST * len(column.filled)


def settles(end: TableColumn, column: TableColumn) -> bool:
    """Whether an end has one value of a column, wherever it comes, and there are several: it is
    something of that end, as its type."""
    values: dict[str, set[str]] = {}
    for first, second in zip(end.cells, column.cells, strict=True):
        values.setdefault(str(first), set()).add(str(second))
    return (
        column.n_distinct > 1
        and len(values) < len(end.cells)
        and set(map(len, values.values())) == {1}
    )


def is_text(column: TableColumn) -> bool:
    """Whether a column holds sentences, also in a script that has no blanks between words."""
    if column.kind == "text":
        return True
    lengths = [len(text) for text in column.texts]
    return column.kind == "name" and bool(lengths) and median(lengths) >= _SENTENCE


def mentions_ends(text: TableColumn, pairs: Sequence[tuple[str, str]]) -> bool:
    """Whether a column is the text that triples were drawn from: it names both ends in most rows.

    Args:
        pairs: head and tail of a triple of each row; empty texts where it has none.
    """
    count = total = 0
    for cell, ends in zip(text.cells, pairs, strict=True):
        if not is_empty(cell) and all(ends):
            total += 1
            folded = str(cell).casefold()
            count += all(end.casefold() in folded for end in ends)
    return total > 0 and count > _MENTIONED * total
