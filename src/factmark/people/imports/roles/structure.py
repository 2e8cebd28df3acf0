"""What a column holds by how it stands to the others, where its name does not tell. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import fmean

from factmark.intake.columns import TableColumn, TableSample
from factmark.intake.mapping import TableMapping
from factmark.intake.tools import role_names
from factmark.people.imports.rating_rows import label_text
from factmark.people.imports.roles.copies import ROWS, shared_by_files
from factmark.people.imports.roles.rating_cells import is_row_id
from factmark.people.imports.roles.siblings import parts_of_names

_NEARLY = 0.9  # of the rows have a text of their own: each is what was rated
_RATED_TWICE = 10  # units that several people rated, at least, to tell a rating from a fact
_MOST_TRIED = 12  # columns that may be documents
_MOST_TEXTS = 6  # columns of texts of which two may be what was rated
_ROUNDED = 0.01  # off a mean
_SOME = 0.2  # of what was rated several times, in which a text differs
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


def _things(column: TableColumn) -> list[tuple[str]]:
    """Returns what each row has in a column, as keys."""
    return [(str(cell),) for cell in column.cells]


def _numbers_of(
    keys: Sequence[tuple[str, ...]], of: Sequence[tuple[str, ...]]
) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """Returns of each thing the different keys that stand beside it."""
    held: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
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
        several = [len(of) > 1 for of in _numbers_of(rest, _things(column)).values()]
        if len(set(keys)) == len(keys) and sum(several) >= _MOST * len(several):
            yield column


def documents_otherwise(
    sample: TableSample, mapping: TableMapping, free: Sequence[TableColumn]
) -> Iterator[dict[str, tuple[str, ...]]]:
    """Yields role -> columns for what may be rated where no name tells, or the one that does is
    refuted: a column by the rows, one or two texts that several people rated, and in a table whose
    columns are people or dimensions what differs in each row.
    """
    for column in sorted(documents_by_structure(sample, mapping, free), key=_rank_of_id):
        yield {"document": (column.path,)}
    yield from _texts_by_structure(sample, mapping)
    if shared_by_files(sample):
        yield {"document": (ROWS,)}
    if len(mapping.columns["label"]) > 1 or not mapping.column("annotator"):
        for column in sorted(free, key=_rank_of_id):
            if column.is_unique and column.kind in ("name", "number"):
                yield {"document": (column.path,)}
    texts = [column for column in sample.columns.values() if column.kind == "text"]
    if any(_NEARLY * len(sample.rows) <= column.n_distinct for column in texts):
        yield {"document": (ROWS,)}


def texts_apart(sample: TableSample, mapping: TableMapping) -> Iterator[dict[str, tuple[str, ...]]]:
    """Yields role -> columns for texts that tell apart what was rated of one document: they stand
    in several rows, and differ within documents."""
    document = sample.columns.get(mapping.column("document"))
    if document is None or mapping.column("topic"):
        return
    known = ("label", "annotator", "system", "source", "document")
    taken = {path for role in known for path in mapping.columns.get(role, ())}
    for column in sample.columns.values():
        is_text = column.kind == "text" and 2 * column.n_distinct <= len(column.filled)
        if is_text and column.path not in taken and do_vary(column, document, _SOME):
            left = {}
            for role in ("comment", "summary"):
                left[role] = tuple(p for p in mapping.columns.get(role, ()) if p != column.path)
            yield {**left, "topic": (column.path,)}


def _rank_of_id(column: TableColumn) -> tuple[bool, int, float]:
    """Orders columns that may be documents: those with an id in their name first, then those that
    tell more apart, in fewer words."""
    is_id = "id" in column.name.split("_") or column.name.endswith("id")
    return not is_id, -column.n_distinct, column.words


def _texts_by_structure(
    sample: TableSample, mapping: TableMapping
) -> Iterator[dict[str, tuple[str, ...]]]:
    """Yields the one or two columns of texts that, with who rated, tell all rows apart and were
    rated several times each."""
    rest = _keys(sample, mapping, "system", "annotator", "dimension", "place")
    known = ("label", "annotator", "system")
    taken = {path for role in known for path in mapping.columns.get(role, ())}
    texts = []
    for column in sample.columns.values():
        is_text = column.kind == "text" and len(column.filled) == len(sample.rows)
        if is_text and column.path not in taken and not column.is_unique:
            texts.append(column)
    sets = [(text,) for text in texts] + list(combinations(texts[:_MOST_TEXTS], 2))
    for chosen in sets:
        things = list(zip(*(map(str, column.cells) for column in chosen), strict=True))
        keys = {(*thing, *key) for thing, key in zip(things, rest, strict=True)}
        several = [len(of) > 1 for of in _numbers_of(rest, things).values()]
        if len(keys) == len(things) and sum(several) >= _MOST * len(several):
            roles = zip(("source", "summary"), chosen, strict=False)
            yield {"document": (), "summary": (), **{role: (c.path,) for role, c in roles}}


def do_vary(column: TableColumn, of: TableColumn, least: float = _MOST) -> bool:
    """Whether more of the things with several rows than `least` have several values in a column."""
    values = _numbers_of(_things(column), _things(of))
    rows = Counter(_things(of))
    several = [len(values[thing]) > 1 for thing, times in rows.items() if times > 1]
    return sum(several) > least * len(several)


def why_not_one_thing(sample: TableSample, mapping: TableMapping) -> str:
    """Returns why what a mapping takes for a unit is several things, or several units are one: a
    text differs within it that stands in other rows, too, or each row is a unit of its own though
    people rated the same texts. An empty text where neither is so."""
    units = _keys(sample, mapping, "document", "system", "topic", "place")
    people = _keys(sample, mapping, "annotator")
    if not units or not units[0] or mapping.column("document") not in sample.columns:
        return ""
    named = {path for paths in mapping.columns.values() for path in paths}
    is_each = len(set(units)) == len(units) and len(set(people)) > 1
    for column in sample.columns.values():
        is_text = column.kind == "text" and 2 * column.n_distinct <= len(column.filled)
        if not is_text or (column.path in named and column.path != mapping.column("comment")):
            continue
        who = _numbers_of(people, _things(column))
        shared = [len(of) > 1 for of in who.values()]
        if is_each and 2 * sum(shared) > len(shared):
            document = mapping.column("document")
            return f"each row has another {document!r}, and people rated the same {column.path!r}."
        times = Counter(units)
        several = []
        for unit, texts in _numbers_of(_things(column), units).items():
            if times[unit] > 1:
                several.append(len(texts) > 1)
        if sum(several) > _SOME * len(several):
            return f"{column.path!r} differs within what one {mapping.column('document')!r} names."
    return ""


def is_mean(column: TableColumn, ratings: Sequence[TableColumn]) -> bool:
    """Whether a column holds in each row the mean of all ratings beside it."""
    others = [rating for rating in ratings if rating is not column]
    if len(others) < 2 or column.kind != "number":
        return False
    try:
        for place, cell in enumerate(column.cells):
            beside = [float(rating.cells[place]) for rating in others]
            if abs(float(cell) - fmean(beside)) > _ROUNDED:
                return False
    except (TypeError, ValueError):
        return False
    return True


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
    texts = _things(text)
    for column in free:
        if column.kind != "name" or column.n_distinct >= document.n_distinct:
            continue
        keys = _keys_with(rest, column)
        of_document = _keys_with(_things(document), column)
        is_told = all(len(of) == 1 for of in _numbers_of(texts, of_document).values())
        several = [len(of) > 1 for of in _numbers_of(texts, _things(document)).values()]
        if len(set(keys)) == len(keys) and is_told and sum(several) >= _MOST * len(several):
            yield column


def with_pair(
    sample: TableSample, mapping: TableMapping, likely: Sequence[TableColumn]
) -> TableMapping:
    """Returns a mapping with the only two columns that can be documents and systems."""
    pairs = []
    for column in likely[:_MOST_TRIED]:
        with_document = mapping.with_columns({"document": (column.path,)})
        for system in systems_by_structure(sample, with_document, likely):
            both = mapping.with_columns({"system": (system.path,)})
            documents = documents_by_structure(sample, both, [column])
            pairs += [both.with_columns({"document": (d.path,)}) for d in documents]
    return pairs[0] if len(pairs) == 1 else mapping


def without_row_id(
    sample: TableSample, mapping: TableMapping, likely: Sequence[TableColumn]
) -> TableMapping:
    """Returns a mapping with the only column that can be documents by the rows, where that of the
    name has another value in each."""
    document = sample.columns.get(mapping.column("document"))
    if document is None or not is_row_id(document) or not mapping.column("system"):
        return mapping
    held = {role: paths for role, paths in mapping.columns.items() if role != "document"}
    documents = list(documents_by_structure(sample, replace(mapping, columns=held), likely))
    if len(documents) != 1:
        return mapping
    return mapping.with_columns({"document": (documents[0].path,)})


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
    people have the same of each unit, each person the same of all, or all systems the same of each
    document.

    Args:
        ratings: columns that are ratings. One with no other values than one of these is on its
            scale: that people agree on it wholly makes it no fact of the unit.
    """
    if _is_of_document(column, sample, mapping):
        return True
    units = _keys(sample, mapping, "document", "system", "place")
    people = _keys(sample, mapping, "annotator")
    if not units or not units[0] or not people or not people[0] or column.n_distinct < 2:
        return False
    values = _things(column)
    several = [unit for unit, who in _numbers_of(people, units).items() if len(who) > 1]
    of_unit = _numbers_of(values, units)
    is_of_unit = all(len(of_unit[unit]) == 1 for unit in several)
    is_of_person = all(len(of) == 1 for of in _numbers_of(values, people).values())
    is_known = len(several) >= _RATED_TWICE and len(set(people)) > 1
    if any(set(column.texts) <= set(rating.texts) for rating in ratings):
        is_of_unit = False
    return is_known and (is_of_unit or is_of_person)


def do_differ(column: TableColumn, sample: TableSample, mapping: TableMapping) -> bool:
    """Whether people have different things in a column beside one unit, as they have ratings."""
    units = _keys(sample, mapping, "document", "system", "place")
    people = _keys(sample, mapping, "annotator")
    if not units or not units[0] or not people[0]:
        return False
    who = _numbers_of(people, units)
    held = _numbers_of(_things(column), units)
    several = [unit for unit in held if len(who[unit]) > 1]
    differ = [unit for unit in several if len(held[unit]) > 1]
    return len(several) >= _RATED_TWICE and 2 * len(differ) > len(several)


def _is_of_document(column: TableColumn, sample: TableSample, mapping: TableMapping) -> bool:
    """Whether a column with three values or more has one for all systems of each document, of
    enough documents to say so."""
    documents = _keys(sample, mapping, "document")
    systems = _keys(sample, mapping, "system")
    if not documents or not documents[0] or not systems[0]:
        return False
    several = [of for of, held in _numbers_of(systems, documents).items() if len(held) > 1]
    values = _numbers_of(_things(column), documents)
    shared = [values[document] for document in several]
    distinct = set().union(*shared) if shared else set()
    is_enough = len(several) >= _RATED_TWICE and len(distinct) > 2
    return is_enough and all(len(of) == 1 for of in shared)


def has_two_parts(sample: TableSample, mapping: TableMapping) -> bool:
    """Whether the documents' ids have parts that make a grid, of which one may be the system."""
    document = sample.columns.get(mapping.column("document"))
    if document is None or document.kind != "name":
        return False
    return len(parts_of_names(tuple(dict.fromkeys(document.texts)))[0]) > 1
