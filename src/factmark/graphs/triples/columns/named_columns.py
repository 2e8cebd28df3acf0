"""The columns of a table by what they are called, in a row or in an object of it; pairs of columns
that may be head and tail, and columns that may be relations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from factmark.files.nested import cell_at, unfold
from factmark.graphs.core.opaque_names import is_opaque
from factmark.intake.columns import TableColumn, TableSample, folded, is_empty
from factmark.intake.mapping import TableMapping
from factmark.intake.readings import has_column
from factmark.intake.tools import role_names

TASK = "graph"
_FEW = 5  # rows that say nothing of how long texts are
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ][\d:.Z+-]+)?")
_FRACTION = re.compile(r"-?\d+\.\d*[1-9]\d*")
_WORD = re.compile(r"[\w.:/-]{1,60}", re.ASCII)
ENDS = ("head", "tail")
_NUMBERS = (("1", "2"), ("_a", "_b"))
_PARTS = ("head", "relation", "tail")
_NEO4J = re.compile(r"(?:.*:)?(START_ID|END_ID|TYPE|ID|LABEL)(?:\(.*\))?")
_OF_NEO4J = {"LABEL": "node_type"}  # which is no name of a node
_TYPED = re.compile(
    r"(.+):(?:string|int|integer|long|float|double|boolean|byte|short|char|date|\w*datetime|point)"
    r"(?:\[\])?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPlace:
    """What a column is called, and the object of a row that it stands in.

    Attributes:
        within: the path of that object; empty for the row itself.
        name: as names are compared; of an object's field also with the object's name.
    """

    within: str
    name: str


def places_of(path: str, sample: TableSample) -> Iterator[ColumnPlace]:
    """Yields what a column is called: `a.source.id` is `id` in `a.source`, `source_id` in `a`."""
    steps = [path] if path in sample.heads else path.split(".")
    yield ColumnPlace(within=".".join(steps[:-1]), name=column_name(steps[-1]))
    if len(steps) > 1:
        name = folded(f"{steps[-2]}_{column_name(steps[-1])}")
        yield ColumnPlace(within=".".join(steps[:-2]), name=name)


def column_name(head: str) -> str:
    """Returns a column's name as names are compared, without what loaders of graphs add to it.

    >>> column_name(":START_ID(Person)"), column_name("name:string"), column_name("~from")
    ('start_id', 'name', 'from')
    """
    known = _NEO4J.fullmatch(head)
    if known:
        return _OF_NEO4J.get(known[1], known[1].casefold())
    typed = _TYPED.fullmatch(head)
    return folded(typed[1] if typed else head)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndColumns:
    """A pair of columns that may be head and tail, and the object that they stand in."""

    within: str
    head: str
    tail: str

    def is_in(self, sample: TableSample) -> bool:
        """Whether a sample has both, as first rows may not where later ones have."""
        return self.head in sample.columns and self.tail in sample.columns

    def columns(self, sample: TableSample) -> tuple[TableColumn, TableColumn]:
        """Returns the two columns."""
        return sample.columns[self.head], sample.columns[self.tail]

    def values(self, sample: TableSample) -> list[str]:
        """Returns the texts in both."""
        head, tail = self.columns(sample)
        return [*head.texts, *tail.texts]


def is_empty_column(column: TableColumn) -> bool:
    """Whether no row fills a column."""
    return column.kind == "empty"


class NamedColumns:
    """The columns of a sample by what they are called."""

    def __init__(self, sample: TableSample) -> None:
        self.sample = sample
        self.by_place: dict[ColumnPlace, str] = {}
        in_order = sorted(sample.columns.values(), key=is_empty_column)  # those last, if at all
        for column in in_order:
            for place in places_of(column.path, sample):
                self.by_place.setdefault(place, column.path)
        self.objects = list(dict.fromkeys(place.within for place in self.by_place))

    def named(self, task: str, role: str, within: str) -> str:
        """Returns the column of a role of another task in an object; empty where none is."""
        for name in role_names(task)[role]:
            path = self.by_place.get(ColumnPlace(within=within, name=name))
            if path is not None and self.sample.columns[path].filled:
                return path
        return ""

    def first(self, role: str, within: str, taken: Iterable[str] = ()) -> Iterator[str]:
        """Yields the columns of a role in an object, the likeliest first."""
        for name in role_names(TASK)[role]:
            path = self.by_place.get(ColumnPlace(within=within, name=name))
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


def is_there(sample: TableSample, path: str) -> bool:
    """Whether a sample has a column, or a path that leads into its cells, also through lists."""
    if has_column(sample, path):
        return True
    for where, row in sample.rows:
        for _, part in unfold(where, row, [path]):
            if cell_at(part, path) is not None:
                return True
    return False


def common_object(sample: TableSample, *paths: str) -> str:
    """Returns the path of the object that columns have in common; empty for the row."""
    steps = [[] if path in sample.heads else path.split(".")[:-1] for path in paths]
    common = []
    for parts in zip(*steps, strict=False):
        if len(set(parts)) > 1:
            break
        common.append(parts[0])
    return ".".join(common)


def is_filled(sample: TableSample, *paths: str) -> bool:
    """Whether a row fills some columns, or they are not among those of the first rows."""
    if not all(path in sample.columns for path in paths):
        return True
    cells = [sample.columns[path].cells for path in paths]
    return any(not any(map(is_empty, row)) for row in zip(*cells, strict=True))


def pairs_of(names: NamedColumns, given: TableMapping) -> Iterator[EndColumns]:
    """Yields pairs of columns that may be head and tail: those that the user names, else those
    whose names go together, else a head and a tail of other names."""
    roles = role_names(TASK)
    head, tail = (given.column(end) for end in ENDS)
    if head and tail:
        yield EndColumns(within=common_object(names.sample, head, tail), head=head, tail=tail)
        return
    any_pair = False
    for head_name, tail_name in zip(roles["head"], roles["tail"], strict=True):
        for within in names.objects:
            mine = names.by_place.get(ColumnPlace(within=within, name=head_name))
            other = names.by_place.get(ColumnPlace(within=within, name=tail_name))
            fits = (head in ("", mine)) and (tail in ("", other))
            if mine and other and fits and not _are_within_objects(names.sample, mine, other):
                any_pair = True
                yield EndColumns(within=within, head=mine, tail=other)
    if not any_pair and not (head or tail):
        for pair in (*numbered_pairs(names), *_pairs_of_kinds(names)):
            any_pair = True
            yield pair
    if any_pair:
        return
    heads = [head] if head else in_any_object(names, "head", {tail})
    tails = [tail] if tail else in_any_object(names, "tail", {head, *heads[:1]})
    heads = heads or third_of(names, tails)
    tails = tails or third_of(names, heads)
    if heads and tails:
        within = common_object(names.sample, heads[0], tails[0])
        yield EndColumns(within=within, head=heads[0], tail=tails[0])


def _are_within_objects(sample: TableSample, *paths: str) -> bool:
    """Whether what two columns hold is not theirs: both are objects, whose fields are columns of
    their own, or stand in columns of objects and texts, which have names for both."""
    columns = [sample.columns[path] for path in paths]
    if all(column.kind == "object" for column in columns):
        return True
    around = [sample.columns.get(path.rpartition(".")[0]) for path in paths]
    return any(column is not None and _is_mixed(column) for column in around)


def _is_mixed(column: TableColumn) -> bool:
    """Whether a column holds objects and texts."""
    kinds = {isinstance(cell, Mapping) for cell in column.filled}
    return len(kinds) > 1 and any(isinstance(cell, str) for cell in column.filled)


def numbered_pairs(names: NamedColumns) -> Iterator[EndColumns]:
    """Yields pairs of columns of one name and the numbers 1 and 2, or the letters a and b: `gene1`
    and `gene2`, `node_id_1` and `node_id_2`."""
    for first, mine in names.by_place.items():
        for low, high in _NUMBERS:
            if first.name.endswith(low):
                stem = first.name.removesuffix(low)
                other = names.by_place.get(replace(first, name=stem + high))
                third = replace(first, name=f"{stem}3")
                if (
                    other
                    and third not in names.by_place
                    and not holds_objects(names.sample, mine, other)
                ):
                    yield EndColumns(within=first.within, head=mine, tail=other)


def _pairs_of_kinds(names: NamedColumns) -> Iterator[EndColumns]:
    """Yields pairs of columns of names that are called as both ends and what these are, whatever
    that is: `source_table` and `target_table`."""
    called = role_names(TASK, "words")
    for words in called["pairs"]:
        head, tail = words.split()
        for first, mine in names.by_place.items():
            what = first.name.removeprefix(f"{head}_")
            other = names.by_place.get(replace(first, name=f"{tail}_{what}"))
            if what != first.name and what not in called["kinds"] and other:
                columns = [names.sample.columns[path] for path in (mine, other)]
                if all(column.kind == "name" and not are_dates(column) for column in columns):
                    yield EndColumns(within=first.within, head=mine, tail=other)


def third_of(names: NamedColumns, known: Sequence[str]) -> list[str]:
    """Returns the column of a table of three that is neither the end that is known nor called as
    relations are; nothing where there is no such one, or the end may be something else, as a
    `source` without a target may."""
    paths = names.sample.heads
    if len(paths) != len(_PARTS) or not known or names.sample.heads != set(names.sample.columns):
        return []
    if is_called(names.sample.columns[known[0]], names.sample, "ambiguous"):
        return []
    relations = list(names.first("relation", "", known))
    return [path for path in names.sample.columns if path not in (known[0], *relations)][:1]


def holds_objects(sample: TableSample, *paths: str) -> bool:
    """Whether a column holds objects, whose fields are columns of their own."""
    return any(sample.columns[path].kind == "object" for path in paths)


def in_any_object(names: NamedColumns, role: str, taken: set[str]) -> list[str]:
    """Returns the columns of a role, the outermost first."""
    inner_last = sorted(names.objects, key=lambda within: within.count(".") + bool(within))
    return [path for within in inner_last for path in names.first(role, within, taken)]


def best_first(pairs: Sequence[EndColumns], sample: TableSample) -> list[EndColumns]:
    """Returns pairs without those that hold types and those that no row fills; names before ids."""
    pairs = list(dict.fromkeys(pairs))
    held = [pair for pair in pairs if is_filled(sample, pair.head, pair.tail)] or pairs
    values = {}
    for pair in held:
        if pair.is_in(sample):
            values[pair] = pair.values(sample)
    most = max((len(set(texts)) for texts in values.values()), default=0)
    best: list[EndColumns] = []
    ids: list[EndColumns] = []
    for pair in held:
        texts = values.get(pair, ["?"])
        if pair in values and (len(set(texts)) * 2 <= most or are_measures(texts)):
            continue
        n_opaque = sum(map(is_opaque, texts))
        (ids if n_opaque * 2 >= len(texts) else best).append(pair)
    return best + ids


def are_measures(texts: Sequence[str]) -> bool:
    """Whether texts are numbers with a fraction, as places on a picture, which are no names."""
    return bool(texts) and all(map(_FRACTION.fullmatch, texts))


def n_values(column: TableColumn) -> int:
    """Returns how many different values a column has."""
    return column.n_distinct


def is_relation(column: TableColumn, sample: TableSample) -> bool:
    """Whether a column may hold names of relations: texts, and not only a word for an edge. Numbers
    may stand under a name that a relation alone has."""
    if column.kind in ("list", "object", "flag"):
        return False
    words = role_names(TASK, "words")
    if column.filled and {text.casefold() for text in column.texts} <= set(words["edge"]):
        return False
    if are_dates(column):
        return False
    return column.kind != "number" or is_called(column, sample, "numbered")


def is_called(column: TableColumn, sample: TableSample, words: str) -> bool:
    """Whether a column's name is one of a list of words."""
    names = role_names(TASK, "words")[words]
    return any(place.name in names for place in places_of(column.path, sample))


def are_dates(column: TableColumn) -> bool:
    """Whether a column holds nothing but dates, which are no names."""
    return bool(column.filled) and all(map(_DATE.fullmatch, column.texts))


def may_be(column: TableColumn, role: str) -> bool:
    """Whether a column may have a role beside head and tail: lists are triples, or the ids of
    passages; what has one word in each row is a label and no passage."""
    if role == "triple":
        return True
    if column.kind == "list":
        items = [item for cell in column.filled for item in cell]
        return role == "passage_id" and all(isinstance(item, str) for item in items)
    is_label = len(column.filled) >= _FEW and all(map(_WORD.fullmatch, column.texts))
    return column.kind != "object" and not (role == "passage" and is_label)
