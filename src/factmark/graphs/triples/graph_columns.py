"""Which columns of a table hold the triples of a graph: proposed by name, tested on the rows.

Head and tail are a pair of columns that name each other (`source` and `target`), side by side in a
row or in one object of it; the relation stands beside them. Of several pairs, one of names comes
before one of ids, and one whose few values are types is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from shlex import quote
from typing import Any

from factmark.errors import InputError
from factmark.files.nested import cell_at, unfold
from factmark.files.own_columns import FOREIGN
from factmark.graphs.core.opaque_names import is_opaque
from factmark.graphs.triples.cells import NEEDED, parts_of
from factmark.intake.columns import TableColumn, TableSample, folded, is_empty
from factmark.intake.heads import CELLS
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import NONE, Named, Reading, has_column, settled_mapping
from factmark.intake.table_file import TableFile
from factmark.intake.tools import role_names
from factmark.text.shown_text import first_names

TASK = "graph"
_ENDS = ("head", "tail")
_BY_NAME = {"id", "value"}  # of rows that are lists by their names
_BESIDE = ("triple", "passage", "passage_id", "confidence", "id", "head_id", "tail_id")
_TRIED = 6  # columns that advice is tried on
_FEW = 5  # rows that say nothing of how often a value comes
_NEO4J = re.compile(r"(?:.*:)?(START_ID|END_ID|TYPE|ID|LABEL)(?:\(.*\))?")
_BEGINNING = re.compile(r"(?:/\w+/)?")
_TYPED = re.compile(
    r"(.+):(?:string|int|integer|long|float|double|boolean|byte|short|char|date|\w*datetime|point)"
    r"(?:\[\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a column is called, and the object of a row that it stands in.

    Attributes:
        within: the path of that object; empty for the row itself.
        name: as names are compared; of an object's field also with the object's name.
    """

    within: str
    name: str


def places_of(path: str, sample: TableSample) -> Iterator[Place]:
    """Yields what a column is called: `a.source.id` is `id` in `a.source`, `source_id` in `a`."""
    steps = [path] if path in sample.heads else path.split(".")
    yield Place(within=".".join(steps[:-1]), name=column_name(steps[-1]))
    if len(steps) > 1:
        name = folded(f"{steps[-2]}_{column_name(steps[-1])}")
        yield Place(within=".".join(steps[:-2]), name=name)


def column_name(head: str) -> str:
    """Returns a column's name as names are compared, without what loaders of graphs add to it.

    >>> column_name(":START_ID(Person)"), column_name("name:string"), column_name("~from")
    ('start_id', 'name', 'from')
    """
    known = _NEO4J.fullmatch(head)
    if known:
        return known[1].casefold()
    typed = _TYPED.fullmatch(head)
    return folded(typed[1] if typed else head)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ends:
    """A pair of columns that may be head and tail, and the object that they stand in."""

    within: str
    head: str
    tail: str

    def columns(self, sample: TableSample) -> tuple[TableColumn, TableColumn]:
        """Returns the two columns."""
        return sample.columns[self.head], sample.columns[self.tail]

    def values(self, sample: TableSample) -> list[str]:
        """Returns the texts in both."""
        head, tail = self.columns(sample)
        return [*head.texts, *tail.texts]


def _is_empty_column(column: TableColumn) -> bool:
    """Whether no row fills a column."""
    return column.kind == "empty"


class _Names:
    """The columns of a sample by what they are called."""

    def __init__(self, sample: TableSample) -> None:
        self.sample = sample
        self.by_place: dict[Place, str] = {}
        in_order = sorted(sample.columns.values(), key=_is_empty_column)  # those last, if at all
        for column in in_order:
            for place in places_of(column.path, sample):
                self.by_place.setdefault(place, column.path)
        self.objects = list(dict.fromkeys(place.within for place in self.by_place))

    def first(self, role: str, within: str, taken: Iterable[str] = ()) -> Iterator[str]:
        """Yields the columns of a role in an object, the likeliest first."""
        for name in role_names(TASK)[role]:
            path = self.by_place.get(Place(within=within, name=name))
            if path is not None and path not in taken:
                yield path

    def around(self, role: str, within: str, taken: Iterable[str] = ()) -> str:
        """Returns the column of a role in an object or in one around it; empty where none is."""
        steps = within.split(".") if within else []
        for end in range(len(steps), -1, -1):
            path = next(self.first(role, ".".join(steps[:end]), taken), "")
            if path:
                return path
        return ""


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
        if not (loose or _is_there(sample, column) or column == NONE):
            given = {r: (c,) for r, c in columns.items() if _is_there(sample, c)}
            mapping = TableMapping(task=TASK, columns=given)
            raise InputError(_what_is_lacking(table, sample, mapping, (role, column)))
    named = Named(columns=columns, loose=True, free=(FOREIGN,))

    def propose(sample: TableSample, given: TableMapping) -> list[Reading]:
        readings = list(_readings(sample, given))
        if not (table.has_head or any(role in given.columns for role in (*NEEDED, "triple"))):
            readings = list(readings_without_head(sample, given)) or readings
        if not readings:
            raise InputError(_what_is_lacking(table, sample, given))
        return readings

    def varies(mapping: TableMapping, sample: TableSample) -> str:
        return _constant_end(mapping, sample, columns)

    return settled_mapping(table, TASK, named, propose, (_is_whole, varies))


def _is_there(sample: TableSample, path: str) -> bool:
    """Whether a sample has a column, or a path that leads into its cells, also through lists."""
    if has_column(sample, path):
        return True
    for where, row in sample.rows:
        for _, part in unfold(where, row, [path]):
            if cell_at(part, path) is not None:
                return True
    return False


def _readings(sample: TableSample, given: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read a sample that keep to what the user names, the likeliest first."""
    names = _Names(sample)
    ends = _best_first(list(_pairs(names, given)), sample)
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
        statement = names.around("statement", pair.within, (pair.head, pair.tail))
        if statement and "relation" not in given.columns:
            yield _reading(names, given, pair, {"statement": statement})


def _reading(names: _Names, given: TableMapping, pair: _Ends, more: Mapping[str, str]) -> Reading:
    """Returns a reading of the columns of a pair, with what stands beside it."""
    columns = {"head": pair.head, "tail": pair.tail, **more}
    for end in _ENDS:
        if end not in given.columns:
            place = Place(within=pair.within, name=f"{end}_name")
            columns[end] = names.by_place.get(place, columns[end])
    return _whole(names, given, columns, pair.within)


def _whole(names: _Names, given: TableMapping, columns: dict[str, str], within: str) -> Reading:
    """Returns a reading with the columns of the other roles, found around an object."""
    for role in _BESIDE:
        if role not in given.columns:
            path = names.around(role, within, columns.values())
            if path:
                columns[role] = path
    for end in _ENDS:
        bare = names.by_place.get(Place(within=within, name=end))
        has_name = columns.get(end, "") != bare and bare not in columns.values()
        if bare and has_name and f"{end}_id" not in given.columns:
            columns[f"{end}_id"] = bare  # beside a column of names, one called `head` has the ids
    in_order = {role: (columns[role],) for role in role_names(TASK) if role in columns}
    mapping = replace(given, columns={**in_order, **given.columns})
    return Reading(mapping=mapping, says="", options="", is_sure=True)


def _pairs(names: _Names, given: TableMapping) -> Iterator[_Ends]:
    """Yields pairs of columns that may be head and tail: those that the user names, else those
    whose names go together, else a head and a tail of other names."""
    roles = role_names(TASK)
    head, tail = (given.column(end) for end in _ENDS)
    if head and tail:
        yield _Ends(within=_common(names.sample, head, tail), head=head, tail=tail)
        return
    any_pair = False
    for head_name, tail_name in zip(roles["head"], roles["tail"], strict=True):
        for within in names.objects:
            mine = names.by_place.get(Place(within=within, name=head_name))
            other = names.by_place.get(Place(within=within, name=tail_name))
            fits = (head in ("", mine)) and (tail in ("", other))
            if mine and other and fits and not _holds_objects(names.sample, mine, other):
                any_pair = True
                yield _Ends(within=within, head=mine, tail=other)
    if any_pair:
        return
    heads = [head] if head else _in_any_object(names, "head", {tail})
    tails = [tail] if tail else _in_any_object(names, "tail", {head, *heads[:1]})
    if heads and tails:
        within = _common(names.sample, heads[0], tails[0])
        yield _Ends(within=within, head=heads[0], tail=tails[0])


def _holds_objects(sample: TableSample, *paths: str) -> bool:
    """Whether a column holds objects, whose fields are columns of their own."""
    return any(sample.columns[path].kind == "object" for path in paths)


def _in_any_object(names: _Names, role: str, taken: set[str]) -> list[str]:
    """Returns the columns of a role, the outermost first."""
    inner_last = sorted(names.objects, key=lambda within: within.count(".") + bool(within))
    return [path for within in inner_last for path in names.first(role, within, taken)]


def _common(sample: TableSample, *paths: str) -> str:
    """Returns the path of the object that columns have in common; empty for the row."""
    steps = [[] if path in sample.heads else path.split(".")[:-1] for path in paths]
    common = []
    for parts in zip(*steps, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return ".".join(common)


def _best_first(pairs: Sequence[_Ends], sample: TableSample) -> list[_Ends]:
    """Returns pairs without those that hold types and those that no row fills; names before ids."""
    pairs = list(dict.fromkeys(pairs))
    held = [pair for pair in pairs if _is_filled(sample, pair.head, pair.tail)] or pairs
    values = {}
    for pair in held:
        if pair.head in sample.columns and pair.tail in sample.columns:
            values[pair] = pair.values(sample)
    most = max((len(set(texts)) for texts in values.values()), default=0)
    best: list[_Ends] = []
    ids: list[_Ends] = []
    for pair in held:
        texts = values.get(pair, ["?"])
        if pair in values and len(set(texts)) * 2 <= most:
            continue
        n_opaque = sum(map(is_opaque, texts))
        (ids if n_opaque * 2 >= len(texts) else best).append(pair)
    return best + ids


def _is_filled(sample: TableSample, *paths: str) -> bool:
    """Whether a row fills some columns, or they are not among those of the first rows."""
    if not all(path in sample.columns for path in paths):
        return True
    cells = [sample.columns[path].cells for path in paths]
    return any(not any(map(is_empty, row)) for row in zip(*cells, strict=True))


def _relation_of(names: _Names, pair: _Ends) -> str:
    """Returns the column beside a pair that names its relation; empty where none does."""
    for path in names.first("relation", pair.within, (pair.head, pair.tail)):
        column = names.sample.columns[path]
        if _is_relation(column, names.sample):
            return path
    return ""


def _is_relation(column: TableColumn, sample: TableSample) -> bool:
    """Whether a column may hold names of relations: texts, and not only a word for an edge. Numbers
    may stand under a name that a relation alone has."""
    if column.kind in ("list", "object", "flag"):
        return False
    words = role_names(TASK, "words")
    if column.filled and {text.casefold() for text in column.texts} <= set(words["edge"]):
        return False
    is_own = any(place.name in words["numbered"] for place in places_of(column.path, sample))
    return is_own or column.kind != "number"


def _of_cells(names: _Names, given: TableMapping) -> Iterator[Reading]:
    """Yields a reading for each column whose cells are triples, or lists of them."""
    if any(role in given.columns for role in NEEDED):
        return
    named = [given.column("triple")] if "triple" in given.columns else []
    paths = named or _in_any_object(names, "triple", set())
    if not paths:
        columns = names.sample.columns.values()
        paths = [column.path for column in columns if _are_lists_of_lists(column.filled)]
    by_name = names.sample.heads == _BY_NAME
    for path in [*paths, *(["value"] if by_name else [])]:
        column = names.sample.columns.get(path)
        if named or by_name or (column is not None and holds_triples(column.filled)):
            yield _whole(names, given, {"triple": path}, _common(names.sample, path))
            return


def _are_lists_of_lists(cells: Sequence[Any]) -> bool:
    """Whether all cells are lists of lists of three."""
    items = [item for cell in cells for item in (cell if isinstance(cell, list | tuple) else [0])]
    return bool(items) and all(
        isinstance(item, list | tuple) and len(item) == len(NEEDED) for item in items
    )


def holds_triples(cells: Sequence[Any]) -> bool:
    """Whether any cell is a triple or a list of them, and the most of them are."""
    n_good = 0
    for cell in cells:
        items = [cell]
        if isinstance(cell, list | tuple) and cell and isinstance(cell[0], list | tuple | Mapping):
            items = list(cell)
        n_good += all(parts_of(item) is not None for item in items)
    return n_good * 2 > len(cells)


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
    ends = [mapping.column(end) for end in _ENDS]
    ambiguous = role_names(TASK, "words")["ambiguous"]
    for end, path in zip(_ENDS, ends, strict=True):
        column = sample.columns.get(path)
        if end in named or column is None or len(column.filled) < _FEW or column.n_distinct > 1:
            continue
        if not any(place.name in ambiguous for place in places_of(path, sample)):
            continue
        taken = {name for names in mapping.columns.values() for name in names}
        free = [other for other in _free_names(sample, taken) if not other.is_unique]
        others = [other for other in free if other.n_distinct > 1]
        if others:
            word = quote(others[0].path)
            return (
                f"all rows have {column.texts[0][:40]!r} as {path!r}: their only {end}, or where "
                f"they come from? Say which: --column {end}={word}; or "
                f"--column {end}={quote(path)}."
            )
    return ""


def _free_names(sample: TableSample, taken: Iterable[str]) -> list[TableColumn]:
    """Returns the columns of a table that hold names, and no role yet."""
    columns = []
    for path, column in sample.columns.items():
        if path in sample.heads and path not in taken and column.kind == "name":
            columns.append(column)
    return columns


def readings_without_head(sample: TableSample, given: TableMapping) -> Iterator[Reading]:
    """Yields the ways to read a table without a head: of its columns of names, the relation is the
    one with the fewest values, the ends are like each other.

    Where three columns have equally many values, the one in the middle is the relation, as in all
    published sets of triples.
    """
    columns = [column for column in sample.columns.values() if _may_be_a_part(column, sample)]
    relation = None
    alike = _alike(columns)
    if len(columns) > len(NEEDED) and len(alike) == 2:
        others = [column for column in columns if column not in alike]
        relation = min(reversed(others), key=_n_values)
        columns = [column for column in columns if column in (*alike, relation)]
    if len(columns) != len(NEEDED):
        return
    if relation is None:
        relation = _relation_among(columns)
    head, tail = (column for column in columns if column is not relation)
    named = {"head": head.path, "relation": relation.path, "tail": tail.path}
    for column in sample.columns.values():
        if column.kind == "number" and _is_share(column):
            named["confidence"] = column.path
    found = {role: (path,) for role, path in named.items()}
    mapping = replace(given, columns={**found, **given.columns})
    yield Reading(mapping=mapping, says="", options="", is_sure=True)


def _may_be_a_part(column: TableColumn, sample: TableSample) -> bool:
    """Whether a column without a name may hold a part of triples: names, of nodes as numbers only
    where there are three columns."""
    is_written = all(text[:1] in "{[" for text in column.texts)
    if is_written or column.kind == "empty":
        return False
    return column.kind == "name" or len(sample.columns) == len(NEEDED)


def _alike(columns: Sequence[TableColumn]) -> list[TableColumn]:
    """Returns the columns whose values begin alike (`/c/en/dog`, `/c/en/cat`), where those of no
    other two do."""
    by_beginning: dict[str, list[TableColumn]] = {}
    for column in columns:
        beginnings = {_BEGINNING.match(text)[0] for text in column.texts}  # type: ignore[index]
        if len(beginnings) == 1 and (beginning := beginnings.pop()):
            by_beginning.setdefault(beginning, []).append(column)
    groups = [group for group in by_beginning.values() if len(group) > 1]
    return groups[0] if len(groups) == 1 else []


def _n_values(column: TableColumn) -> int:
    """Returns how many different values a column has."""
    return column.n_distinct


def _is_share(column: TableColumn) -> bool:
    """Whether all numbers of a column are from 0 to 1."""
    return all(0 <= float(text.replace(",", ".")) <= 1 for text in column.texts)


def _what_is_lacking(
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
    names = _Names(sample)
    known = dict(given.columns)
    for pair in _best_first(list(_pairs(names, given)), sample)[:1]:
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
    message = f"{sample.source}, line 1: no column {column!r} for the {role}. Found: {held}."
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
    free = [column for column in _free_names(sample, taken) if _is_relation(column, sample)]
    relation = None
    if len(lacking) == len(NEEDED):
        free = free[: len(NEEDED)]
        relation = _relation_among(free) if len(free) == len(NEEDED) else None
    for columns in permutations(free[:_TRIED], len(lacking)):
        mapping = given.with_columns(
            {role: (column.path,) for role, column in zip(lacking, columns, strict=True)}
        )
        if relation is not None and columns[1] is not relation:
            continue
        if _is_filled(sample, *(mapping.column(role) for role in NEEDED)):
            words = zip(lacking, columns, strict=True)
            yield " ".join(f"--column {role}={quote(column.path)}" for role, column in words)


def _relation_among(columns: Sequence[TableColumn]) -> TableColumn:
    """Returns the relation of three columns: the one with the fewest values, of several the one in
    the middle."""
    least = min(map(_n_values, columns))
    fewest = [column for column in columns if _n_values(column) == least]
    return columns[1] if columns[1] in fewest else fewest[0]
