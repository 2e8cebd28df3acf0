"""Which columns of a table hold the triples of a graph: proposed by name, tested on the rows.

Head and tail are a pair of columns that name each other (`source` and `target`), side by side in a
row or in one object of it; the relation stands beside them. Of several pairs, one of names comes
before one of ids, and one whose few values are types is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from factmark.errors import InputError
from factmark.files.nested import cell_at
from factmark.files.own_columns import FOREIGN
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.cells import (
    NEEDED,
    are_lists_of_lists,
    ends_of_first,
    holds_triples,
    key_text,
)
from factmark.graphs.triples.columns.column_advice import free_names, what_is_lacking
from factmark.graphs.triples.columns.headless_columns import readings_without_head
from factmark.graphs.triples.columns.named_columns import (
    ENDS,
    TASK,
    ColumnPlace,
    EndColumns,
    NamedColumns,
    best_first,
    common_object,
    in_any_object,
    is_called,
    is_relation,
    is_there,
    may_be,
    n_values,
    pairs_of,
    places_of,
)
from factmark.graphs.triples.columns.row_evidence import is_text, may_be_relation, mentions_ends
from factmark.intake.columns import TableSample
from factmark.intake.mapping import TableMapping, read_mapping
from factmark.intake.readings import NONE, Named, Reading, settled_mapping
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.text.shell import quote

_BY_NAME = {"id", "value"}  # of rows that are lists by their names
_BESIDE = ("triple", "passage", "passage_id", "confidence", "id", "head_id", "tail_id")
_NAMES = ("name", "label")  # of an end, beside the column with its id
_SOURCE = ("source_id", "target_id")
_FEW = 5  # rows that say nothing of how often a value comes


def graph_mapping(table: TableFile, columns: Mapping[str, str], *, loose: bool) -> TableMapping:
    """Returns which columns of a table hold the parts of its triples.

    Args:
        columns: role -> column, as the user names them.
        loose: whether rows may have fields that the first ones have not.

    Raises:
        InputError: the rows contradict every reading, or bear out several; with the options that a
            trial read accepts.
    """
    sample = table.sample
    loose = loose and not sample.is_whole
    for role, column in columns.items():
        if not (loose or is_there(sample, column) or column == NONE):
            given = {r: (c,) for r, c in columns.items() if is_there(sample, c)}
            mapping = TableMapping(task=TASK, columns=given)
            raise InputError(what_is_lacking(table, sample, mapping, (role, column)))
    named = Named(columns=columns, loose=True, free=(FOREIGN,))

    def propose(sample: TableSample, given: TableMapping) -> list[Reading]:
        readings = list(_readings(sample, given))
        if not (table.has_head or any(role in given.columns for role in (*NEEDED, "triple"))):
            readings = list(readings_without_head(sample, given)) or readings
        if not readings:
            raise InputError(what_is_lacking(table, sample, given))
        return readings

    def varies(mapping: TableMapping, sample: TableSample) -> str:
        return _constant_end(mapping, sample, columns) or _numbered_end(mapping, sample, columns)

    return settled_mapping(table, TASK, named, propose, (_is_whole, varies))


def named_by(mapping: Path | None, columns: Mapping[str, str]) -> dict[str, str]:
    """Returns role -> column as a file that --mapping names has them, and those named by themselves
    above them.

    Raises:
        InputError: as `read_mapping`.
    """
    named = {}
    if mapping is not None:
        for role, names in read_mapping(mapping, TASK).columns.items():
            named[role] = names[0] if names else NONE
    return {**named, **columns}


def _readings(sample: TableSample, given: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read a sample that keep to what the user names, the likeliest first."""
    names = NamedColumns(sample)
    ends = best_first(list(pairs_of(names, given)), sample)
    flat = [pair for pair in ends if not pair.within]
    if not flat:
        yield from _of_cells(names, given)
    for pair in ends:
        relation = given.column("relation") or _relation_of(names, pair)
        if relation:
            yield _reading(names, given, pair, {"relation": relation})
    if flat:
        yield from _of_cells(names, given)
    for pair in ends:
        described = {}
        for role in ("statement", "keywords"):
            path = names.around(role, pair.within, (pair.head, pair.tail))
            if path:
                described[role] = path
        if described and "relation" not in given.columns:
            yield _reading(names, given, pair, described)


def _reading(
    names: NamedColumns, given: TableMapping, pair: EndColumns, more: Mapping[str, str]
) -> Reading:
    """Returns a reading of the columns of a pair, with what stands beside it."""
    columns = {"head": pair.head, "tail": pair.tail, **more}
    for end in ENDS:
        inline = "" if end in given.columns else _name_in_row(names, pair, columns[end])
        if not inline and end not in given.columns:
            inline = _name_beside(names, pair, end)
        if inline:
            columns[f"{end}_id"], columns[end] = columns[end], inline
        elif end not in given.columns:
            named = _name_of_id(names, pair.within, columns[end])
            if named:
                columns[f"{end}_id"], columns[end] = columns[end], named
    return _whole(names, given, columns, pair.within)


def _name_in_row(names: NamedColumns, pair: EndColumns, end: str) -> str:
    """Returns the column with the name of a node that stands whole in the row, in an object one of
    whose fields has the id that is the end; empty where none does."""
    sample = names.sample
    column = sample.columns.get(end)
    if column is None or not column.filled or not all(map(is_opaque, column.texts)):
        return ""
    for path, other in sample.columns.items():
        within = path.rpartition(".")[0]
        if path != end and within not in ("", pair.within) and other.texts == column.texts:
            name = names.named("nodes", "name", within)
            if name:
                return name
    return ""


def _name_of_id(names: NamedColumns, within: str, path: str) -> str:
    """Returns the column with the name of an end that is called as an id: `subject_label` beside
    `subject_id`; empty where there is none."""
    for place in places_of(path, names.sample):
        stem = place.name.removesuffix("_id")
        called = _NAMES if stem != place.name else _NAMES[:1]
        for more in called if place.within == within else ():
            named = names.by_place.get(ColumnPlace(within=within, name=f"{stem}_{more}"), "")
            is_apart = named and named != path and not named.startswith(f"{path}.")
            if is_apart and names.sample.columns[named].kind in ("name", "text"):
                return named
    return ""


def _name_beside(names: NamedColumns, pair: EndColumns, end: str) -> str:
    """Returns the column with the names of ends that are numbers: called as the end and something
    more (`head_span`), of which both ends have one; the one with the most values, if any."""
    columns = pair.columns(names.sample)
    if not all(column.kind == "number" for column in columns):
        return ""
    own, other = (column.name for column in (columns if end == "head" else columns[::-1]))
    beside = []
    for place, path in names.by_place.items():
        more = place.name.removeprefix(own)
        twin = ColumnPlace(within=place.within, name=f"{other}{more}")
        is_beside = place.within == pair.within and more not in ("", place.name)
        if is_beside and twin in names.by_place and names.sample.columns[path].kind == "name":
            beside.append(names.sample.columns[path])
    best = max(beside, key=n_values, default=None)
    return best.path if best is not None else ""


def _whole(
    names: NamedColumns, given: TableMapping, columns: dict[str, str], within: str
) -> Reading:
    """Returns a reading with the columns of the other roles, found around an object."""
    for role in _BESIDE:
        if role not in given.columns:
            path = names.around(role, within, columns.values())
            if path and role == "passage" and names.sample.columns[path].kind == "object":
                path = next(names.first(role, path), "")
            if path and may_be(names.sample.columns[path], role):
                columns[role] = path
    if "passage" not in columns and "passage" not in given.columns:
        text = _text_with_ends(names, columns)
        if text:
            columns["passage"] = text
    source = _source_of_edge(names, within)
    if source and source not in columns.values() and "passage_id" not in given.columns:
        columns.setdefault("passage_id", source)
    for end in ENDS:
        behind = _behind_empty_names(names, columns.get(end, ""))
        if behind and f"{end}_id" not in given.columns:
            columns.setdefault(f"{end}_id", behind)
        bare = names.by_place.get(ColumnPlace(within=within, name=end))
        has_name = columns.get(end, "") != bare and bare not in columns.values()
        is_plain = bare is not None and names.sample.columns[bare].kind in ("name", "number")
        if bare and is_plain and has_name and f"{end}_id" not in given.columns:
            columns[f"{end}_id"] = bare  # beside a column of names, one called `head` has the ids
    in_order = {role: (columns[role],) for role in role_names(TASK) if role in columns}
    mapping = replace(given, columns={**in_order, **given.columns})
    return Reading(mapping=mapping, says="", options="", is_sure=True)


def _behind_empty_names(names: NamedColumns, path: str) -> str:
    """Returns the column with what an end is where its name is empty: `node2` beside `node2;label`;
    empty where no name is, or no column has it."""
    sample = names.sample
    column = sample.columns.get(path)
    if column is None:
        return ""
    for place in places_of(path, sample):
        stem = place.name.rpartition("_")[0]
        bare = sample.columns.get(names.by_place.get(replace(place, name=stem), ""))
        if bare is None or bare.kind not in ("name", "number", "text"):
            continue
        if len(column.filled) < len(bare.filled) == len(bare.cells):
            return bare.path
    return ""


def _text_with_ends(names: NamedColumns, columns: Mapping[str, str]) -> str:
    """Returns the column that may have passages by its name, and has them by its rows; empty where
    there is none."""
    sample = names.sample
    texts = []
    for path, column in sample.columns.items():
        is_free = path in sample.heads and path not in columns.values()
        if is_free and is_called(column, sample, "texts") and is_text(column):
            texts.append(column)
    if not texts:
        return ""
    parts = [columns.get("head", ""), columns.get("triple", ""), columns.get("tail", "")]
    head, triple, tail = (sample.columns.get(path) for path in parts)
    pairs = []
    if head is not None and tail is not None:
        pairs = list(zip(map(key_text, head.cells), map(key_text, tail.cells), strict=True))
    elif triple is not None:
        pairs = list(map(ends_of_first, triple.cells))
    return next((column.path for column in texts if pairs and mentions_ends(column, pairs)), "")


def _source_of_edge(names: NamedColumns, within: str) -> str:
    """Returns the column with what an edge was drawn from: `source_id` without a `target_id` beside
    it; empty where there is none."""
    source, target = (
        names.by_place.get(ColumnPlace(within=within, name=name), "") for name in _SOURCE
    )
    return "" if target else source


def _relation_of(names: NamedColumns, pair: EndColumns) -> str:
    """Returns the column beside a pair that names its relation, one of names before one of ids;
    empty where none does."""
    columns = []
    ends = pair.columns(names.sample) if pair.is_in(names.sample) else ()
    for path in names.first("relation", pair.within, (pair.head, pair.tail)):
        column = names.sample.columns[path]
        is_weak = is_called(column, names.sample, "weak")
        may_be = may_be_relation(column, ends, is_weak=is_weak)
        is_filled_in = column.filled or not names.sample.is_whole
        if may_be and is_filled_in and is_relation(column, names.sample):
            columns.append(column)
    readable = [column for column in columns if not all(map(is_opaque, column.texts))]
    return next((column.path for column in readable or columns), "")


def _of_cells(names: NamedColumns, given: TableMapping) -> Iterator[Reading]:
    """Yields a reading for each column whose cells are triples, or lists of them."""
    if any(role in given.columns for role in NEEDED):
        return
    named = [given.column("triple")] if "triple" in given.columns else []
    paths = named or in_any_object(names, "triple", set())
    if not paths:
        columns = names.sample.columns.values()
        paths = [column.path for column in columns if are_lists_of_lists(column.filled)]
    by_name = names.sample.heads == _BY_NAME
    for path in [*paths, *(["value"] if by_name else [])]:
        column = names.sample.columns.get(path)
        if named or by_name or (column is not None and holds_triples(column.filled)):
            yield _whole(names, given, {"triple": path}, common_object(names.sample, path))
            return


def _is_whole(mapping: TableMapping, sample: TableSample) -> str:
    """Returns why a mapping makes no triples: two parts of one are the same column."""
    parts = [mapping.column(role) for role in (*NEEDED, "statement") if mapping.column(role)]
    if len(set(parts)) < len(parts):
        twice = next(path for path in parts if parts.count(path) > 1)
        return f"{twice!r} cannot be two parts of a triple."
    return ""


def _constant_end(mapping: TableMapping, sample: TableSample, named: Mapping[str, str]) -> str:
    """Returns why a column is no end: it has one value, another column of names has many, and the
    user does not name it."""
    ends = [mapping.column(end) for end in ENDS]
    ambiguous = role_names(TASK, "words")["ambiguous"]
    for end, path in zip(ENDS, ends, strict=True):
        column = sample.columns.get(path)
        if end in named or column is None or len(column.filled) < _FEW or column.n_distinct > 1:
            continue
        if not any(place.name in ambiguous for place in places_of(path, sample)):
            continue
        taken = {name for names in mapping.columns.values() for name in names}
        free = [other for other in free_names(sample, taken) if not other.is_unique]
        others = [other for other in free if other.n_distinct > 1]
        if others:
            word = quote(others[0].path)
            return (
                f"all rows have {column.texts[0][:40]!r} as {path!r}: their only {end}, or where "
                f"they come from? Say which: --column {end}={word}; or "
                f"--column {end}={quote(path)}."
            )
    return ""


def _numbered_end(mapping: TableMapping, sample: TableSample, named: Mapping[str, str]) -> str:
    """Returns why a column is no end: it has numbers in a list of each row, which mean something
    else in the next, and the user does not name it."""
    for end in ENDS:
        path = mapping.column(end)
        column = sample.columns.get(path)
        if end in named or column is None or column.kind != "number":
            continue
        within = path.rpartition(".")[0]
        lists = (cell_at(row, within) for _, row in sample.rows) if within else ()
        if any(isinstance(cell, list | tuple) for cell in lists):
            as_they_are = " ".join(f"--column {e}={quote(mapping.column(e))}" for e in ENDS)
            return (
                f"{path!r} has numbers that mean something else in each row, and no list of the "
                f"row has names for them. Say which column has the names: --column {end}=NAME; "
                f"or {as_they_are}."
            )
    return ""
