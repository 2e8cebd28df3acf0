"""What a column holds by how it stands to the others, where its name does not tell. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factmark.intake.columns import TableColumn, TableSample
from factmark.intake.mapping import TableMapping
from factmark.intake.tools import role_names
from factmark.people.imports.rating_rows import label_text
from factmark.people.imports.siblings import parts_of_names

_RATED_TWICE = 10  # units that several people rated, at least, to tell a rating from a fact
_MOST = 0.5  # of the documents, that have several systems


def _keys(sample: TableSample, mapping: TableMapping, *roles: str) -> list[tuple[str, ...]]:
    """Returns what each row has in the columns of some roles."""
    columns = []
    for role in roles:
        column = sample.columns.get(mapping.column(role))
        if column is not None:
            columns.append(tuple(map(str, column.cells)))
    if not columns:
        return [() for _ in sample.rows]
    return list(zip(*columns, strict=True))


def _keys_with(keys: Sequence[tuple[str, ...]], column: TableColumn) -> list[tuple[str, ...]]:
    """Returns keys with what a column has."""
    return [(str(cell), *key) for cell, key in zip(column.cells, keys, strict=True)]


def _numbers_of(keys: Sequence[tuple[str, ...]], of: Sequence[object]) -> dict[object, set[object]]:
    """Returns of each thing the different keys that stand beside it."""
    held: dict[object, set[object]] = {}
    for key, thing in zip(keys, of, strict=True):
        held.setdefault(thing, set()).add(key)
    return held


def documents_by_structure(
    sample: TableSample, mapping: TableMapping, free: Sequence[TableColumn]
) -> Iterator[TableColumn]:
    """Yields the columns that, with the system and who rated, tell all rows apart, and whose values
    mostly have several systems or people."""
    rest = _keys(sample, mapping, "system", "annotator", "dimension", "place")
    if not rest or not rest[0]:
        return
    for column in free:
        if column.kind not in ("name", "number") or column.is_unique:
            continue
        keys = _keys_with(rest, column)
        several = [len(of) > 1 for of in _numbers_of(rest, column.cells).values()]
        if len(set(keys)) == len(keys) and sum(several) >= _MOST * len(several):
            yield column


def systems_by_structure(
    sample: TableSample, mapping: TableMapping, free: Sequence[TableColumn]
) -> Iterator[TableColumn]:
    """Yields the columns that tell apart the texts that a document has, and with who rated the
    rows: a dimension would not change the text."""
    text = sample.columns.get(mapping.column("summary"))
    document = sample.columns.get(mapping.column("document"))
    if text is None or document is None:
        return
    rest = _keys(sample, mapping, "document", "annotator", "dimension", "place")
    texts = [(str(cell),) for cell in text.cells]
    for column in free:
        if column.kind != "name" or column.n_distinct >= document.n_distinct:
            continue
        keys = _keys_with(rest, column)
        of_document = _keys_with([(str(cell),) for cell in document.cells], column)
        is_told = all(len(of) == 1 for of in _numbers_of(texts, of_document).values())
        several = [len(of) > 1 for of in _numbers_of(texts, document.cells).values()]
        if len(set(keys)) == len(keys) and is_told and sum(several) >= _MOST * len(several):
            yield column


def without_copies(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Returns columns of ratings without what a label is worth beside it, as results have it."""
    kept: list[TableColumn] = []
    labels: list[list[str]] = []
    for column in columns:
        is_named_so = column.name in role_names("ratings")["label"]
        values = [label_text(cell) for cell in column.cells]
        if is_named_so and values in labels:
            continue
        if is_named_so:
            labels.append(values)
        kept.append(column)
    return kept


def is_fact(
    column: TableColumn,
    sample: TableSample,
    mapping: TableMapping,
    ratings: Sequence[TableColumn] = (),
) -> bool:
    """Whether a column says something of what was rated, or of who rated, and is no rating: all
    people have the same of each unit, or each person the same of all.

    Args:
        ratings: columns that are ratings. One with no other values than one of these is on its
            scale: that people agree on it wholly makes it no fact of the unit.
    """
    units = _keys(sample, mapping, "document", "system", "place")
    people = _keys(sample, mapping, "annotator")
    if not units or not units[0] or not people or not people[0] or column.n_distinct < 2:
        return False
    values = [(str(cell),) for cell in column.cells]
    several = [unit for unit, who in _numbers_of(people, units).items() if len(who) > 1]
    of_unit = _numbers_of(values, units)
    is_of_unit = all(len(of_unit[unit]) == 1 for unit in several)
    is_of_person = all(len(of) == 1 for of in _numbers_of(values, people).values())
    is_known = len(several) >= _RATED_TWICE and len(set(people)) > 1
    if any(set(column.texts) <= set(rating.texts) for rating in ratings):
        is_of_unit = False
    return is_known and (is_of_unit or is_of_person)


def has_two_parts(sample: TableSample, mapping: TableMapping) -> bool:
    """Whether the documents' ids have parts that make a grid, of which one may be the system."""
    document = sample.columns.get(mapping.column("document"))
    if document is None or document.kind != "name":
        return False
    return len(parts_of_names(tuple(dict.fromkeys(document.texts)))[0]) > 1
